"""NTCIR judgments, `topic [subtopic] document L<grade>`, and NTCIREVAL's files of a single topic.

NTCIREVAL: results `document` (.res) and judgments `document L<grade>` (.rel); the name of the file is the
topic.
"""

from __future__ import annotations

from typing import IO

import numpy as np

from rankgauge.core import codes
from rankgauge.core.ids import to_bytes
from rankgauge.errors import InputError
from rankgauge.formats.columns import Columns
from rankgauge.formats.files import Format, Request, register
from rankgauge.formats.problems import quote, wrong_columns
from rankgauge.formats.row_reader import RowCollector
from rankgauge.formats.source import Source, stem, suffixes
from rankgauge.formats.text_files import content_lines, first_line, line_problem
from rankgauge.formats.trec import refuse_unwritable, refuse_whitespace

LAYOUTS = {3: "topic document L<grade>", 4: "topic subtopic document L<grade>"}


def _grade(field: bytes) -> float | None:
    return float(field[1:]) if field[:1] == b"L" and field[1:].isdigit() else None


def sniff(source: Source, _kind: str) -> bool:
    """Whether the first line has three or four columns, the last one L0, L1, …"""
    fields = first_line(source.head).split()
    return len(fields) in LAYOUTS and _grade(fields[-1]) is not None


def read(source: Source, request: Request) -> Columns:
    """The columns of NTCIR judgments, perhaps with subtopics."""
    size = 4 if len(first_line(source.head).split()) == 4 else 3
    rows, number = RowCollector(request.kind, request.keep), 0
    for number, line in rows.until_full(content_lines(source)):
        if has_layout(rows, number, line, LAYOUTS[size]):
            topic, *label, doc, level = line.split()
            _add(rows, number, topic, doc, level, label[0] if label else None)
    return rows.columns(source.path, number)


def has_layout(rows: RowCollector, number: int, line: bytes, layout: str) -> bool:
    """Whether a line has this layout; if not, the problem is recorded."""
    fields = line.split()
    if code := line_problem(line):
        rows.problem(code, number, line)
    elif len(fields) != len(layout.split()):
        rows.problem(codes.COLUMNS, number, line, wrong_columns(layout, line.strip(), len(fields)))
    else:
        return True
    return False


def _add(
    rows: RowCollector, number: int, topic: bytes, doc: bytes, level: bytes, label: bytes | None
) -> None:
    grade = _grade(level)
    if grade is None:
        message = f"the grade is not a level: {quote(level)}; use L and a whole number, such as L0 or L2"
        rows.problem(codes.BAD_GRADE, number, level, message)
    else:
        rows.add(number, topic, doc, grade, label=label)


def write(columns: Columns, out: IO[bytes]) -> None:
    """Write NTCIR judgments, with subtopics if there are any."""
    unfit = (columns.value < 0) | (columns.value % 1 != 0) | (columns.value >= 1 << 53)
    if unfit.any():
        bad = columns.value[np.argmax(unfit)]
        raise InputError(f"NTCIR files hold the levels L0, L1, …, not the grade {bad}; write trec or csv")
    refuse_unwritable(columns)
    levels = columns.numbers()
    if columns.label is None or list(columns.label.encode()[1]) == [b"0"]:
        out.writelines(b"%b %b L%d\n" % row for row in zip(columns.topic, columns.doc, levels, strict=True))
    else:
        refuse_whitespace(columns.label, "subtopic")
        rows = zip(columns.topic, columns.label, columns.doc, levels, strict=True)
        out.writelines(b"%b %b %b L%d\n" % row for row in rows)


def sniff_single(source: Source, kind: str) -> bool:
    """Whether this is NTCIREVAL's, by extension and columns."""
    fields = first_line(source.head).split()
    if kind == "run":
        return suffixes(source.path)[0] == ".res" and len(fields) == 1
    return len(fields) == 2 and _grade(fields[1]) is not None


def read_single(source: Source, request: Request) -> Columns:
    """The columns of one topic; results are listed by rank."""
    topic, number = to_bytes(stem(source.path)), 0
    rows = RowCollector(request.kind, request.keep, order="rank" if request.kind == "run" else "")
    layout, rank = ("document" if request.kind == "run" else "document L<grade>"), 0
    for number, line in rows.until_full(content_lines(source)):
        if not has_layout(rows, number, line, layout):
            continue
        if request.kind == "run":
            rank += 1
            rows.add(number, topic, line.strip(), float(rank))
        else:
            doc, level = line.split()
            _add(rows, number, topic, doc, level, None)
    return rows.columns(source.path, number)


register(
    Format(
        "ntcir",
        "NTCIR judgments: topic document L<grade>, or topic subtopic document L<grade>",
        ("qrels",),
        (),
        sniff,
        read,
        write,
    )
)
register(
    Format(
        "ntcireval",
        "NTCIREVAL, one topic per file: document (.res), document L<grade> (.rel); read only",
        ("run", "qrels"),
        (".res", ".rel"),
        sniff_single,
        read_single,
        samples={"run": "d7\nd2\n", "qrels": "d7 L2\nd2 L0\n"},  # of a topic, after which the file is named
    )
)
