"""Text files: their lines, and the formats that the first bytes of a file indicate, found without NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from io import BytesIO
from itertools import chain, pairwise
from typing import Any

from rankgauge.core import codes
from rankgauge.core.ids import to_bytes, to_text
from rankgauge.errors import InputError
from rankgauge.formats.problems import parse_number, quote, sentence, wrong_columns
from rankgauge.formats.source import Source
from rankgauge.schema.text import printable

TREC_FIELDS = {"run": 6, "qrels": 4}
SAMPLES = 4  # places of a run at which ranks and scores are compared ...
SAMPLE = 1 << 12  # ... in so many bytes of a file
ENOUGH_RISES = 10  # scores that are higher than that of the rank above, few being lower: not by chance
MORE_RISES = 10  # times as many as lower ones
ENOUGH_FALLS = 2  # in one place
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

    Only the beginning of an overlong line is kept, longer than `longest`, so that a file without line ends
    cannot fill the memory.
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
    """(line number, line) without blank lines and comments."""
    return ((number, line) for number, line in numbered_lines(source, longest) if has_content(line))


def fields_of_lines(source: Source, layout: str, *, loose: bool = False) -> Iterator[tuple[int, list[bytes]]]:
    """(line number, fields) of the lines; one without the columns of the layout is an error.

    In a `loose` file, semicolons may separate columns, and further ones are left out.
    """
    size = len(layout.split())
    for number, line in content_lines(source):
        if code := line_problem(line):
            raise InputError(sentence(code, line, "qrels"), path=source.path, line=number)
        found = [*map(bytes.strip, line.split(b";"))] if loose and b";" in line else line.split()
        fields = found[:size] if loose else found
        if len(fields) != size or not all(fields):
            message = wrong_columns(layout, line, len(found), size)
            raise InputError(message, path=source.path, line=number)
        yield number, fields


def delimited_rows(
    source: Source,
    delimiter: str | None = None,
    *,
    by_line: bool = True,
    cell: Callable[[str], str] = str,
) -> Iterator[tuple[int, list[str]]]:
    """(last line, cells) of each row of a delimited file; blank lines are skipped.

    Without a `delimiter`, it is a tab, comma or semicolon: the first of them in the first row. `by_line`:
    each line is a row, so that a stray quote cannot swallow the lines after it, and # begins comments before
    the first row. `cell` converts the cells, unless tabs separate them.
    """
    import csv

    number = 0

    def texts() -> Iterator[str]:
        nonlocal number
        for number, line in numbered_lines(source):
            if line_problem(line):
                raise InputError("is not text; a table is CSV or TSV", path=source.path, line=number)
            yield (to_text(line).rstrip("\r") if line.strip() else "") + "\n"

    lines = texts()
    first = next((text for text in lines if text.strip() and not (by_line and text.lstrip()[0] == "#")), "")
    delimiter = delimiter or next((c for c in "\t,;" if c in first), ",")
    every = chain([first], lines)
    readers = ([line.removesuffix("\n")] for line in every) if by_line else [every]
    try:
        for reader in readers:
            for cells in csv.reader(reader, delimiter=delimiter):
                if cells:
                    yield number, cells if delimiter == "\t" else [*map(cell, cells)]
    except csv.Error as error:
        message = f"the line cannot be read: {printable(str(error))}"
        raise InputError(message, path=source.path, line=number) from None


def has_content(line: bytes) -> bool:
    """Whether a line is neither blank nor a comment."""
    text = line.lstrip()
    return bool(text) and not text.startswith(b"#")


def first_line(head: bytes) -> bytes:
    """The first line that is neither blank nor a comment."""
    return next(filter(has_content, BytesIO(head)), b"").strip()


def line_problem(line: bytes, longest: int = codes.MAX_LINE) -> int:
    """The code of a problem that no text format allows, or 0."""
    if len(line) > longest:
        return codes.LONG_LINE
    return codes.BINARY if b"\0" in line else 0


def is_parquet(source: Source, _kind: str = "") -> bool:
    """Whether the data starts like a Parquet file."""
    return source.head.startswith(b"PAR1")


def is_arrow(source: Source, _kind: str = "") -> bool:
    """Whether the data starts like an Arrow file or stream."""
    return source.head.startswith((b"ARROW1", b"\xff\xff\xff\xff"))


def is_json(source: Source, _kind: str) -> bool:
    """Whether the data starts like JSON."""
    text = source.head.lstrip()
    return text[:1] in (b"{", b"[") and text[1:].lstrip()[:1] in (b'"', b"{", b"}", b"]")


def is_trec(source: Source, kind: str) -> bool:
    """Whether the first line looks like a TREC file."""
    fields = first_line(source.head).split()
    return len(fields) == TREC_FIELDS[kind] and parse_number(fields[4 if kind == "run" else 3]) is not None


def first_trec(source: Source, kind: str) -> bool:
    """Whether `files.detect` would find TREC, without loading the formats."""
    return is_trec(source, kind) and not any(check(source, kind) for check in (is_parquet, is_arrow, is_json))


def three_columns(source: Source) -> str | None:
    """The separator of three columns, the last of which is a number, in a file without a header.

    That is a comma, "" for blanks and tabs, or a tab where there are blanks in columns.
    """
    for delimiter in (",", "", "\t"):
        fields = next(_rows([first_line(source.head)], delimiter), [])
        if len(fields) == 3 and all(fields) and parse_number(fields[2]) is not None:
            return delimiter
    return None


def _rows(lines: Iterable[bytes], delimiter: str) -> Iterator[list[bytes]]:
    if not delimiter:
        yield from (line.split() for line in lines)
        return
    import csv

    with suppress(csv.Error):
        for fields in csv.reader(map(to_text, lines), delimiter=delimiter, skipinitialspace=True):
            yield [to_bytes(field.strip()) for field in fields]


def is_triples(source: Source, kind: str) -> bool:
    """Whether a file has three columns, and neither a header nor ranks."""
    return three_columns(source) is not None and not is_ranks(source, kind)


def is_ranks(source: Source, kind: str) -> bool:
    """Whether the last of three columns counts up from 1 in every topic."""
    delimiter = three_columns(source)
    if kind != "run" or delimiter is None:
        return False
    lines = source.head.split(b"\n")
    whole = filter(has_content, lines[:-1] or lines)  # the last may be cut
    counted: dict[bytes, int] = {}
    for topic, *_, value in filter(lambda fields: len(fields) == 3, _rows(whole, delimiter)):
        counted[topic] = counted.get(topic, 0) + 1
        if parse_number(value) != counted[topic]:
            return False
    return max(counted.values(), default=0) > 1  # 1 alone may be anything


def rising_scores(source: Source) -> int:
    """How many neighbours among some lines of a TREC run have scores that rise with the ranks, as distances
    do.

    0 unless nearly all of them do.
    """
    if not first_trec(source, "run"):
        return 0
    return opposed(map(_ranked, _chunks(source)))


def _chunks(source: Source) -> Iterator[bytes]:
    """Some bytes from a few places, or from the beginning."""
    head = source.head
    if not source.in_place or source.size <= 2 * len(head):
        for begin, end in pairwise(len(head) * n // SAMPLES for n in range(SAMPLES + 1)):
            first = (
                head.rfind(b"\n", 0, begin) + 1
            )  # whole lines, the last one being the first of the next part
            last = head.find(b"\n", min(end, begin + SAMPLE)) + 1
            yield head[first : last or len(head)]
        return
    with source.opened() as file:
        for n in range(SAMPLES):
            file.seek(source.size * n // SAMPLES)
            yield file.read(SAMPLE)


def opposed(samples: Iterable[Iterable[tuple[Any, float, float]]]) -> int:
    """The pairs of consecutive rows, (topic, rank, score), whose scores rise with ranks, if nearly all do.

    Of most runs, a few rows of each sample are enough.
    """
    rises = falls = 0
    for rows in samples:
        here = 0
        for above, row in pairwise(rows):
            if above[0] == row[0] and above[1] != row[1] and above[2] != row[2]:
                rising = (above[1] < row[1]) == (above[2] < row[2])
                rises, here = rises + rising, here + (not rising)
                if here == ENOUGH_FALLS:
                    break
        falls += here
    return rises if rises >= ENOUGH_RISES and rises >= MORE_RISES * falls else 0


def _ranked(chunk: bytes) -> Iterator[tuple[bytes, float, float]]:
    for line in BytesIO(chunk):
        fields = line.split()
        if len(fields) == TREC_FIELDS["run"] and line.endswith(b"\n"):
            rank, score = parse_number(fields[3]), parse_number(fields[4])
            if rank is not None and score is not None:
                yield fields[0], rank, score
