"""Three columns without a header: `topic document score`, `topic document grade` in judgments.

MS MARCO's runs are `topic document rank`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import IO

import numpy as np

from rankgauge.core import codes
from rankgauge.errors import OptionError
from rankgauge.formats import delimited, text_files
from rankgauge.formats.columns import Columns, Problem, in_order_of
from rankgauge.formats.files import Format, Request, register
from rankgauge.formats.problems import (
    NUMBER,
    RANKS,
    VALUE,
    VALUES,
    limits,
    quote,
    unnamed_columns,
    wrong_columns,
)
from rankgauge.formats.source import Source
from rankgauge.formats.trec import in_order, refuse_unwritable, table

GRADE = (codes.BAD_GRADE, codes.NOT_A_NUMBER)  # the core parses ranks as grades, and reports these


def read(source: Source, request: Request) -> Columns:
    """The columns of a file without a header, separated by blanks and tabs, or else by tabs or commas."""
    return _read(source, request, VALUE[request.kind])


def _read(source: Source, request: Request, last: str) -> Columns:
    """The columns of a file without a header, the last of which is a score, a grade or a rank."""
    if request.columns:
        raise OptionError(unnamed_columns(request.kind))
    if delimiter := text_files.three_columns(source):
        return delimited.read(source, request, delimiter, ["topic", "document", last])
    columns = table(source, request._replace(kind="qrels"), 3)  # the core parses judgments without iteration
    problems = tuple(_reworded(problem, request.kind, last) for problem in columns.problems)
    return replace(columns, kind=request.kind, label=None, problems=problems)


def _reworded(problem: Problem, kind: str, last: str) -> Problem:
    """A problem that the core reports for judgments, in words for this file."""
    if problem.code == codes.COLUMNS:
        return problem._replace(message=wrong_columns(f"topic document {last}", problem.text))
    if problem.code == codes.BAD_GRADE and kind == "run" and last == "score":
        message = f"the score is not a finite number: {quote(problem.text)}; {NUMBER[kind]}"
        return problem._replace(message=message)
    return problem


def read_ranks(source: Source, request: Request) -> Columns:
    """The columns of an MS MARCO run, ordered by rank."""
    columns = _read(source, request, "rank")
    if text_files.three_columns(source):  # with its own delimiter
        return columns
    whole = (columns.value % 1 == 0) & (np.abs(columns.value) < codes.LARGE_RANK)
    broken = np.flatnonzero(~whole)
    lines = np.zeros(0, np.int64) if columns.line is None else columns.line[broken]
    problems = [
        problem._replace(code=codes.BAD_RANK) if problem.code in GRADE else problem
        for problem in columns.problems
    ] + [
        Problem(codes.BAD_RANK, int(line), str(value).encode())
        for line, value in zip(lines[: limits(request.keep)[0]], columns.value[broken], strict=False)
    ]
    counts = dict(columns.counts)
    counts[codes.BAD_RANK] = len(broken) + sum(counts.pop(code, 0) for code in GRADE)
    if len(broken):
        columns = replace(columns.take(np.flatnonzero(whole)), files=columns.files)
    return in_order_of(replace(columns, problems=tuple(problems), counts=counts), "rank")


def write_ranks(columns: Columns, out: IO[bytes]) -> None:
    """Write topic, document and rank, separated by tabs; ranks are assigned by score."""
    refuse_unwritable(columns)
    order, rank = in_order(columns)
    columns = columns.take(order)
    out.writelines(
        b"%b\t%b\t%d\n" % row for row in zip(columns.topic, columns.doc, rank.tolist(), strict=True)
    )


register(
    Format(
        "msmarco",
        "MS MARCO runs: topic document rank, without header and scores; separated by blanks, tabs or commas",
        ("run",),
        (),
        text_files.is_ranks,
        read_ranks,
        write_ranks,
        keeps=(),
        assumed=RANKS,
    )
)
register(
    Format(
        "triples",
        "three columns without a header: topic document score, or judgments: topic document grade; "
        "separated by blanks, tabs or commas; read only",
        ("run", "qrels"),
        (),
        text_files.is_triples,
        read,
        assumed=VALUES,
        samples={"run": "301,d7,12.5\n301,d2,11\n", "qrels": "301,d7,2\n301,d2,0\n"},
    )
)
