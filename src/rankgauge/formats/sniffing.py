"""Recognising formats by the first bytes of a file.

The evaluation of small TREC files needs only this module, so it imports neither NumPy nor the formats.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from io import BytesIO

from rankgauge.core.ids import to_bytes, to_text
from rankgauge.formats.lines import first_line, has_content, parse_number
from rankgauge.formats.source import Source

TREC_FIELDS = {"run": 6, "qrels": 4}
ENOUGH_RISES = 10  # scores that are higher than that of the rank above, none being lower: not by chance


def is_parquet(source: Source, _kind: str) -> bool:
    """Whether the data starts like a Parquet file."""
    return source.head.startswith(b"PAR1")


def is_arrow(source: Source, _kind: str) -> bool:
    """Whether the data starts like an Arrow file or stream."""
    return source.head.startswith((b"ARROW1", b"\xff\xff\xff\xff"))


def is_json(source: Source, _kind: str) -> bool:
    """Whether the data starts like a JSON object or a list of objects."""
    text = source.head.lstrip()
    return text[:1] in (b"{", b"[") and text[1:].lstrip()[:1] in (b'"', b"{", b"}", b"]")


def is_trec(source: Source, kind: str) -> bool:
    """Whether the first line has the number of columns of a TREC file, with a number as score or grade."""
    fields = first_line(source.head).split()
    return len(fields) == TREC_FIELDS[kind] and parse_number(fields[4 if kind == "run" else 3]) is not None


def first_trec(source: Source, kind: str) -> bool:
    """Whether `files.detect` recognises a TREC file by its content, found out without loading the formats.

    The other checks are those of the formats that come before TREC in the registry.
    """
    return is_trec(source, kind) and not any(check(source, kind) for check in (is_parquet, is_arrow, is_json))


def three_columns(source: Source) -> str | None:
    """What separates three columns, the last of which is a number, in a file without a header.

    That is a comma, "" for blanks and tabs, or a tab where there are blanks in columns; None if the first
    line has no such columns.
    """
    for delimiter in (",", "", "\t"):
        fields = next(_rows([first_line(source.head)], delimiter), [])
        if len(fields) == 3 and all(fields) and parse_number(fields[2]) is not None:
            return delimiter
    return None


def _rows(lines: Iterable[bytes], delimiter: str) -> Iterator[list[bytes]]:
    """The fields of lines, as far as they can be read."""
    if not delimiter:
        yield from (line.split() for line in lines)
        return
    import csv

    with suppress(csv.Error):
        for fields in csv.reader(map(to_text, lines), delimiter=delimiter, skipinitialspace=True):
            yield [to_bytes(field.strip()) for field in fields]


def is_triples(source: Source, kind: str) -> bool:
    """Whether a file has three columns without a header, and no ranks."""
    return three_columns(source) is not None and not is_ranks(source, kind)


def is_ranks(source: Source, kind: str) -> bool:
    """Whether the last of three columns counts up from 1 in every topic, as far as the beginning shows."""
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


def scores_rise(source: Source) -> bool:
    """Whether scores rise with the ranks, as distances do, as far as the beginning of a TREC run shows."""
    if not first_trec(source, "run"):
        return False
    above: tuple[bytes, float, float] | None = None  # topic, rank and score of the line before
    rises = 0
    for line in BytesIO(source.head):  # line by line: of most runs, two are enough
        fields = line.split()
        if len(fields) != TREC_FIELDS["run"] or not line.endswith(b"\n"):
            continue
        rank, score = parse_number(fields[3]), parse_number(fields[4])
        if rank is None or score is None:
            return False
        if above is not None and above[0] == fields[0]:
            if rank <= above[1] or score < above[2]:
                return False
            rises += score > above[2]
        above = fields[0], rank, score
    return rises >= ENOUGH_RISES
