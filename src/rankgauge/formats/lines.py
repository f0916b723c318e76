"""The lines of text files that are read in Python."""

from __future__ import annotations

from collections.abc import Iterator

from rankgauge.core import codes
from rankgauge.formats.source import Source

NUMBERED = tuple[int, bytes]


def numbered(source: Source) -> Iterator[NUMBERED]:
    """(line number, line without its end), also of blank lines.

    Of a line that is too long only the beginning is kept, so that a file without line ends cannot
    fill the memory; it is still longer than MAX_LINE, and its reader says so.
    """
    number, rest = 0, b""
    for chunk in source.chunks():
        lines = (rest + chunk).split(b"\n")
        rest = lines.pop()[: codes.MAX_LINE + 1]
        for line in lines:
            number += 1
            yield number, line
    if rest:
        yield number + 1, rest


def filled(source: Source) -> Iterator[NUMBERED]:
    """(line number, line) of the lines that are neither blank nor comments."""
    for number, line in numbered(source):
        text = line.lstrip()
        if text and not text.startswith(b"#"):
            yield number, line


def first_line(head: bytes) -> bytes:
    """The first line of a file that is neither blank nor a comment, as far as it is in `head`."""
    for line in head.split(b"\n"):
        text = line.strip()
        if text and not text.startswith(b"#"):
            return text
    return b""


def unreadable(line: bytes) -> int:
    """The code of what no text format can have in a line, or 0."""
    if len(line) > codes.MAX_LINE:
        return codes.LONG_LINE
    return codes.BINARY if b"\0" in line else 0


def parsed(text: bytes) -> float | None:
    """The number that a field of text holds; Python's 1_000 is not one."""
    try:
        return None if b"_" in text else float(text)
    except ValueError:
        return None
