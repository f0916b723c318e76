"""MS MARCO runs: `topic document rank`, without scores."""

from __future__ import annotations

from dataclasses import replace
from typing import IO

import numpy as np

from rankgauge.core import codes
from rankgauge.formats import assumptions, sniffing
from rankgauge.formats.columns import Columns, Problem, by_rank
from rankgauge.formats.problems import limits
from rankgauge.formats.ranking import in_order
from rankgauge.formats.registry import Format, Request, register
from rankgauge.formats.source import Source
from rankgauge.formats.triples import read_three
from rankgauge.formats.unwritable import refuse_comments, refuse_whitespace

GRADE = (codes.BAD_GRADE, codes.NOT_A_NUMBER)  # the core parses ranks as grades, and reports these


def read(source: Source, request: Request) -> Columns:
    """The columns of an MS MARCO run, ordered by rank."""
    columns = read_three(source, request, "rank")
    if sniffing.three_columns(source):  # with its own delimiter
        return columns
    whole = (columns.value % 1 == 0) & (np.abs(columns.value) < codes.LARGE_RANK)
    broken = np.flatnonzero(~whole)
    lines = np.zeros(0, np.int64) if columns.line is None else columns.line[broken]
    problems = [_reworded(problem) for problem in columns.problems] + [
        Problem(codes.BAD_RANK, int(line), str(value).encode())
        for line, value in zip(lines[: limits(request.keep)[0]], columns.value[broken], strict=False)
    ]
    counts = dict(columns.counts)
    counts[codes.BAD_RANK] = len(broken) + sum(counts.pop(code, 0) for code in GRADE)
    if len(broken):
        columns = replace(columns.take(np.flatnonzero(whole)), files=columns.files)
    return by_rank(replace(columns, problems=tuple(problems), counts=counts))


def _reworded(problem: Problem) -> Problem:
    return problem._replace(code=codes.BAD_RANK) if problem.code in GRADE else problem


def write(columns: Columns, out: IO[bytes]) -> None:
    """Write topic, document and rank, separated by tabs; ranks are assigned by score."""
    refuse_whitespace(columns.topic, "topic")
    refuse_whitespace(columns.doc, "document")
    refuse_comments(columns.topic)
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
        sniffing.is_ranks,
        read,
        write,
        keeps=(),
        assumed=assumptions.RANKS,
    )
)
