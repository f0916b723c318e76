"""Three columns without a header: `topic document score`, or `topic document grade` in judgments."""

from __future__ import annotations

from dataclasses import replace

from rankgauge.core import codes
from rankgauge.errors import OptionError
from rankgauge.formats import assumptions, delimited, sniffing
from rankgauge.formats.columns import Columns, Problem
from rankgauge.formats.problems import NUMBER, VALUE, quote, unnamed_columns, wrong_columns
from rankgauge.formats.registry import Format, Request, register
from rankgauge.formats.source import Source
from rankgauge.formats.trec import table


def read(source: Source, request: Request) -> Columns:
    """The columns of a file without a header, separated by blanks and tabs, or else by tabs or commas."""
    return read_three(source, request, VALUE[request.kind])


def read_three(source: Source, request: Request, last: str) -> Columns:
    """The columns of a file without a header, the last of which is a score, a grade or a rank."""
    if request.columns:
        raise OptionError(unnamed_columns(request.kind))
    if delimiter := sniffing.three_columns(source):
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


register(
    Format(
        "triples",
        "three columns without a header: topic document score, or judgments: topic document grade; "
        "separated by blanks, tabs or commas; read only",
        ("run", "qrels"),
        (),
        sniffing.is_triples,
        read,
        assumed=assumptions.VALUES,
    )
)
