"""The lines of text files that are parsed in Python."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO

from rankgauge.core import codes
from rankgauge.errors import InputError
from rankgauge.formats.problems import quote
from rankgauge.formats.source import Source

ENDLESS_LINE = 1 << 28  # bytes of a line that may have no end, as in /dev/zero


def text_chunks(source: Source) -> Iterator[bytes]:
    """The data in chunks; a line without end is an error."""
    length = 0
    for chunk in source.chunks():
        yield chunk
        end = chunk.rfind(b"\n") + 1
        length = len(chunk) - end + (0 if end else length)
        if length > ENDLESS_LINE:
            message = f"is this file text? a line has more than {ENDLESS_LINE:,} bytes: {quote(chunk)}"
            raise InputError(message, path=source.path)


def numbered_lines(source: Source, longest: int = codes.MAX_LINE) -> Iterator[tuple[int, bytes]]:
    """(line number, line without its end) of every line, including blank ones.

    Only the beginning of an overlong line is kept, so that a file without line ends cannot fill the
    memory; what is kept is still longer than `longest`, and its reader reports it.
    """
    number, rest = 0, b""
    for chunk in text_chunks(source):
        lines = (rest + chunk).split(b"\n")
        rest = lines.pop()[: longest + 1]
        for line in lines:
            number += 1
            yield number, line
    if rest:
        yield number + 1, rest


def content_lines(source: Source, longest: int = codes.MAX_LINE) -> Iterator[tuple[int, bytes]]:
    """(line number, line) of the lines that are neither blank nor comments."""
    return ((number, line) for number, line in numbered_lines(source, longest) if has_content(line))


def has_content(line: bytes) -> bool:
    """Whether a line is neither blank nor a comment."""
    text = line.lstrip()
    return bool(text) and not text.startswith(b"#")


def first_line(head: bytes) -> bytes:
    """The first line that is neither blank nor a comment, as far as `head` contains it."""
    return next(filter(has_content, BytesIO(head)), b"").strip()


def line_problem(line: bytes, longest: int = codes.MAX_LINE) -> int:
    """The code of a problem that no text format allows in a line, or 0."""
    if len(line) > longest:
        return codes.LONG_LINE
    return codes.BINARY if b"\0" in line else 0


def parse_number(text: bytes) -> float | None:
    """The number in a field, or None; underscores as in 1_000 are not allowed."""
    try:
        return None if b"_" in text else float(text)
    except ValueError:
        return None
