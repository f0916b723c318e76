"""Judgments of sampled pools, as NIST's sample_eval.pl reads them: `topic 0 document stratum grade`."""

from __future__ import annotations

from typing import IO

from rankgauge.core import codes
from rankgauge.formats.columns import Columns
from rankgauge.formats.files import Format, Request, register
from rankgauge.formats.ntcir import has_layout
from rankgauge.formats.problems import parse_number
from rankgauge.formats.row_reader import RowCollector
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import content_lines, first_line
from rankgauge.formats.trec import DEFAULT, refuse_unwritable

LAYOUT = "topic 0 document stratum grade"


def sniff(source: Source, _kind: str) -> bool:
    """Whether the first line has five columns, the second 0 or Q0 and the last a number."""
    fields = first_line(source.head).split()
    return len(fields) == 5 and fields[1] in (b"0", b"Q0") and parse_number(fields[4]) is not None


def read(source: Source, request: Request) -> Columns:
    """Judgments with strata."""
    rows, number = RowCollector(request.kind, request.keep), 0
    for number, line in rows.until_full(content_lines(source)):
        if has_layout(rows, number, line, LAYOUT):
            topic, _, doc, stratum, text = line.split()
            grade = parse_number(text)
            if grade is None:
                rows.problem(codes.BAD_GRADE, number, text)
            else:
                rows.add(number, topic, doc, grade, label=stratum)
    return rows.columns(source.path, number)


def write(columns: Columns, out: IO[bytes]) -> None:
    """Write judgments with strata, by default stratum 0."""
    refuse_unwritable(columns, "stratum")
    strata = columns.label or [DEFAULT["qrels"]] * len(columns)
    rows = zip(columns.topic, columns.doc, strata, map(repr, columns.numbers()), strict=True)
    out.writelines(b"%b 0 %b %b %b\n" % (topic, doc, s, grade.encode()) for topic, doc, s, grade in rows)


register(
    Format(
        "strata",
        "judgments of sampled pools: topic 0 document stratum grade, below 0 if the document was not drawn",
        ("qrels",),
        (),
        sniff,
        read,
        write,
        is_special=True,
    )
)
