"""Work divided among threads."""

from __future__ import annotations

import itertools
import os
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, TypeVar

from rankgauge.schema.options import whole_number
from rankgauge.schema.stopping import StopFlag

if TYPE_CHECKING:
    from concurrent.futures import Future

PATIENCE = 0.1  # seconds after which a thread that waits looks whether there was a signal

Progress = Callable[[int, int], None]  # (done, total) in bytes
T = TypeVar("T")
Result = TypeVar("Result")


def available(wanted: int | None) -> int:
    """The number of threads to use: `wanted`, or the cores of this process."""
    if sys.platform == "emscripten":  # in a browser no thread can be started
        return 1
    if wanted is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return whole_number("threads", wanted)


def in_threads(work: Callable[[T], Result], pieces: Sequence[T], threads: int) -> list[Result]:
    """The result for each piece, in order; an error or Ctrl-C stops the others at a checkpoint."""
    with closing(in_order(work, pieces, threads)) as results:
        return list(results)


def in_order(work: Callable[[T], Result], pieces: Sequence[T], threads: int) -> Generator[Result, None, None]:
    """The result for each piece, in order, while other threads work on the next ones, but not far ahead.

    To be closed: the other threads then stop at their next checkpoint.
    """
    if len(pieces) <= 1 or threads == 1:
        yield from map(work, pieces)
        return
    from concurrent.futures import ThreadPoolExecutor

    flag, begun = StopFlag(), deque[Any]()
    with ThreadPoolExecutor(min(threads, len(pieces)), initializer=flag.follow) as pool:
        try:
            for piece in pieces:
                begun.append(pool.submit(work, piece))
                if len(begun) >= 2 * threads:
                    yield _result(begun.popleft())
            while begun:
                yield _result(begun.popleft())
        finally:
            flag.set()
            pool.shutdown(cancel_futures=True)


def _result(future: Future[Result]) -> Result:
    """The result of a future, awaited step by step.

    Ctrl-C just before a wait without end would not be noticed during it, nor would it if another library's
    signal handler (that of polars, for one) restarts waits.
    """
    from concurrent.futures import wait

    while not future.done():
        wait([future], PATIENCE)
    return future.result()


def ahead(items: Iterable[T], threads: int) -> Generator[T, None, None]:
    """The items; while one is in use, another thread makes the next, unless `threads` is 1.

    To be closed: the other thread then stops at its next checkpoint.
    """
    if threads == 1:
        yield from items
        return
    from concurrent.futures import ThreadPoolExecutor

    rest, flag = iter(items), StopFlag()
    with ThreadPoolExecutor(1, initializer=flag.follow) as pool:
        try:
            next_item = pool.submit(list, itertools.islice(rest, 1))
            while item := _result(next_item):
                next_item = pool.submit(list, itertools.islice(rest, 1))
                yield item[0]
        finally:
            flag.set()


def ticker(total: int, progress: Progress | None) -> Callable[[int], None]:
    """A thread-safe function that adds up and reports bytes read."""
    if progress is None:
        return lambda _: None
    import threading

    lock, done = threading.Lock(), 0

    def tick(size: int) -> None:
        nonlocal done
        with lock:
            done += size
            progress(min(done, total), total)

    return tick
