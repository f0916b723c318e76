"""Work over threads: as many as there is work for."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from rankgauge.schema.checks import whole_number

T = TypeVar("T")
Result = TypeVar("Result")


def available(wanted: int | None) -> int:
    """How many threads to use: as asked for, or as many as this process may run at once."""
    if wanted is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return whole_number("threads", wanted)


def in_threads(work: Callable[[T], Result], pieces: Sequence[T], threads: int) -> list[Result]:
    """The results for all pieces, in their order; after an error nothing more is begun."""
    if len(pieces) == 1 or threads == 1:
        return [work(piece) for piece in pieces]
    from concurrent.futures import ThreadPoolExecutor  # takes longer to import than a small run to read

    with ThreadPoolExecutor(min(threads, len(pieces))) as pool:
        try:
            return list(pool.map(work, pieces))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def ahead(items: Iterable[T], threads: int) -> Iterator[T]:
    """The items; while one is worked on, the next is made in another thread, if there may be one."""
    if threads == 1:
        yield from items
        return
    from concurrent.futures import ThreadPoolExecutor

    rest = iter(items)
    with ThreadPoolExecutor(1) as pool:
        made = pool.submit(list, itertools.islice(rest, 1))
        while found := made.result():
            made = pool.submit(list, itertools.islice(rest, 1))
            yield found[0]
