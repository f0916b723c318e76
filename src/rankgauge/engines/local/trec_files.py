"""Reading TREC runs in files through the core, over several threads; NumPy is not needed.

An uncompressed file is read in one part per thread, each beginning where a topic begins. Files in which the
lines of a topic are not consecutive, or invalid ones, take a second pass.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import IO, TYPE_CHECKING, Any, TypeVar

from rankgauge import core
from rankgauge.engines.threads import in_threads
from rankgauge.formats.source import Source
from rankgauge.schema.stopping import checkpoint

if TYPE_CHECKING:
    from rankgauge.measures.rankings.array_types import Ints

CHUNK = 1 << 18  # bytes decompressed at once: few enough to be parsed from the processor's cache
STEP = 1 << 22  # bytes that the core reads between two reports of progress, and looks whether to stop

Tick = Callable[[int], None]  # called with the number of bytes just read
MakeJoin = Callable[[bool], Any]  # a `core.Join`, which collects topics or not
Gathered = TypeVar("Gathered")


def read_trec(
    source: Source,
    file: IO[bytes],
    make_join: MakeJoin,
    gather: Callable[[list[Any]], Gathered | None],
    threads: int,
    tick: Tick,
) -> tuple[Gathered | None, list[Any]]:
    """The core's results for the parts of an open file, and what `gather` makes of them.

    A result is a dict of hits, or a problem, a tuple. `gather` returns None if one is a problem, or a topic
    is in several parts.
    """
    if core.NAME == "pure":
        threads = 1  # they would only take turns
    joins = _read(source, file, lambda: make_join(False), next_topic, threads, tick)
    results = [join.finish() for join in joins]
    gathered = gather(results)
    if gathered is None:
        joins = _read(source, file, lambda: make_join(True), next_line, threads, tick)
        results = regrouped(joins, threads)
        gathered = gather(results)
    return gathered, results


def _read(
    source: Source,
    file: IO[bytes],
    make_join: Callable[[], Any],
    next_start: NextStart,
    threads: int,
    tick: Tick,
) -> list[Any]:
    if not source.in_place:
        join = make_join()
        for chunk in source.chunks(CHUNK, tick):
            if join.feed(chunk):
                break
        return [join]

    def read(part: tuple[int, int]) -> Any:
        join = make_join()
        # Where there is no pread, threads that share a file would move each other's position in it.
        with nullcontext(file) if hasattr(os, "pread") else source.opened() as mine:
            for begin in range(*part, STEP):
                checkpoint()
                end = min(begin + STEP, part[1])
                if join.scan(mine.fileno(), begin, end):
                    break
                tick(end - begin)
        return join

    return in_threads(read, list(file_parts(source, file, next_start, threads)), threads)


def regrouped(joins: list[Any], threads: int) -> list[Any]:
    """The results of joins of parts, after topics are regrouped into one join each."""
    joins[0].regroup(joins[1:])
    return in_threads(_finish, joins, threads)


def _finish(join: Any) -> Any:
    while join.rank_some():
        checkpoint()
    return join.finish()


MIN_PART = 1 << 22  # bytes; a smaller part is not worth a thread of its own
MIN_ROWS = 1 << 16  # the same for columns, in rows
NEAR = 1 << 18  # bytes in which the next line must begin
SEARCH = 1 << 22  # bytes in which the next topic must begin

NextStart = Callable[[IO[bytes], int], int | None]  # the next offset in the file at which a part may begin


def file_parts(
    source: Source, file: IO[bytes], next_start: NextStart, threads: int
) -> Iterator[tuple[int, int]]:
    """(begin, end) of equal parts of an open file, at most one per thread."""
    begin = source.start
    wanted = max(1, min(threads, (source.size - begin) // MIN_PART))
    for part in range(1, wanted):
        middle = source.start + (source.size - source.start) * part // wanted
        end = next_start(file, middle) if middle > begin else None
        if end is not None:
            yield begin, end
            begin = end
    yield begin, source.size


def next_line(file: IO[bytes], offset: int) -> int | None:
    """The offset of the next line; None if none begins nearby."""
    file.seek(offset)
    at = file.read(NEAR).find(b"\n") + 1
    return offset + at if at else None


def next_topic(file: IO[bytes], offset: int) -> int | None:
    """The offset of the first line of the next topic, if one begins nearby."""
    for size in (NEAR, SEARCH):
        file.seek(offset)
        text, topic = file.read(size), None
        at = text.find(b"\n") + 1
        while (end := text.find(b"\n", at)) >= 0:
            first = text[at:end].split(maxsplit=1)[:1]
            if first and not first[0].startswith(b"#"):
                if topic is not None and first != topic:
                    return offset + at
                topic = first
            at = end + 1
    return None


def row_parts(topic: Ints, threads: int) -> Iterator[slice]:
    """Slices of equal size that begin where topics do, at most one per thread."""
    begin, wanted = 0, max(1, min(threads, len(topic) // MIN_ROWS))
    for part in range(1, wanted):
        middle = len(topic) * part // wanted
        others = topic[middle : middle + MIN_ROWS] != topic[middle]
        if middle > begin and others.any():
            end = middle + int(others.argmax())
            yield slice(begin, end)
            begin = end
    yield slice(begin, len(topic))
