"""Parts of a run for several threads to read, each beginning where a topic or a line begins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import IO, TYPE_CHECKING

from rankgauge.formats.source import Source

if TYPE_CHECKING:
    from rankgauge.measures.rankings.array_types import Ints

LEAST_PART = 1 << 22  # bytes; a smaller part is not worth a thread of its own
LEAST_ROWS = 1 << 16  # the same for columns, in rows
NEAR = 1 << 18  # bytes in which the next line must begin
SEARCH = 1 << 22  # bytes in which the next topic must begin

NextStart = Callable[[IO[bytes], int], int | None]  # the next offset in the file at which a part may begin


def file_parts(
    source: Source, file: IO[bytes], next_start: NextStart, threads: int
) -> Iterator[tuple[int, int]]:
    """(begin, end) of parts of an open file of about the same size, at most one per thread."""
    begin = source.start
    wanted = max(1, min(threads, (source.size - begin) // LEAST_PART))
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
    """The offset of the first line of the next topic; None if none begins nearby."""
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
    """Slices of rows of about the same size, each beginning where a topic begins; at most one per thread."""
    begin, wanted = 0, max(1, min(threads, len(topic) // LEAST_ROWS))
    for part in range(1, wanted):
        middle = len(topic) * part // wanted
        others = topic[middle : middle + LEAST_ROWS] != topic[middle]
        if middle > begin and others.any():
            end = middle + int(others.argmax())
            yield slice(begin, end)
            begin = end
    yield slice(begin, len(topic))
