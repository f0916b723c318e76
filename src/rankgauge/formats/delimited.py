"""CSV and TSV with a header of names, or three columns without one.

Those are `topic document score`, `topic document grade`, and in MS MARCO's runs `topic document rank`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import dropwhile
from typing import IO

import numpy as np

from rankgauge.core import codes
from rankgauge.core.ids import to_bytes, to_text
from rankgauge.errors import InputError, OptionError
from rankgauge.formats import text_files
from rankgauge.formats.columns import Columns, Problem, choose, fits, in_order_of, order_of
from rankgauge.formats.files import Format, Request, register
from rankgauge.formats.problems import (
    MALFORMED,
    MISSING,
    NUMBER,
    RANKS,
    VALUE,
    VALUES,
    limits,
    missing,
    parse_number,
    quote,
    unnamed_columns,
    wrong_columns,
)
from rankgauge.formats.row_reader import RowCollector
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import first_line, has_content, line_problem, numbered_lines
from rankgauge.formats.trec import in_order, refuse_empty, refuse_unwritable, table
from rankgauge.schema.text import printable

TRUTH = {b"true": 1.0, b"false": 0.0}  # grades such as those of is_relevant


def sniff(source: Source, kind: str, delimiter: str) -> bool:
    """Whether the first line is a header of this kind."""
    return fits(names(source, delimiter), kind)


def names(source: Source, delimiter: str) -> list[str]:
    """The names in the header, if there is one."""
    return [name.strip(' "') for name in to_text(first_line(source.head)).split(delimiter)]


def read(source: Source, request: Request, delimiter: str, header: list[str] | None = None) -> Columns:
    """The columns of a delimited file; `header` has their names if the file does not.

    After the header, a line that begins with # is a row.
    """
    rows, number, line = RowCollector(request.kind, request.keep), 0, b""

    def lines() -> Iterator[str]:
        nonlocal number, line
        every = dropwhile(lambda numbered: not has_content(numbered[1]), numbered_lines(source))
        for number, line in rows.until_full(every):
            if code := line_problem(line):
                rows.problem(code, number, line)
            else:
                yield to_text(line) + "\n"

    reader = csv.reader(lines(), delimiter=delimiter, strict=True, skipinitialspace=header is not None)
    try:
        header = header or next(reader, None)
    except csv.Error as error:
        message = f"the header cannot be read ({error})"
        raise InputError(message, path=source.path, line=number) from None
    if header is None:
        return rows.columns(source.path, number)
    header = [name.strip() for name in header]
    chosen = choose(header, request.kind, request.columns, source.path)
    at = {role: header.index(name) for role, name in chosen.items()}
    rows.order = order_of(chosen, request.kind)
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return rows.columns(source.path, number)
        except csv.Error as error:
            message = f"the line cannot be read ({printable(str(error))}): {quote(line)}"
            rows.problem(MALFORMED, number, line, message)
            continue
        if len(row) == len(header):
            _add(rows, number, [to_bytes(field) for field in row], at)
        elif row:
            message = wrong_columns(quote(delimiter.join(header)), line, len(row), len(header))
            rows.problem(codes.COLUMNS, number, line, message)


def _add(rows: RowCollector, line: int, fields: list[bytes], at: dict[str, int]) -> None:
    topic, doc, value = (fields[at[role]] for role in ("topic", "doc", "value"))
    if not topic or not doc:
        text = b",".join(fields)
        rows.problem(MISSING, line, text, missing(rows.kind, "document" if topic else "topic", text))
        return
    rank = parse_number(fields[at["rank"]]) if "rank" in at else None
    label = fields[at["label"]] if "label" in at else None
    number = parse_number(value)
    if number is None and rows.kind == "qrels":
        number = TRUTH.get(value.lower())
    rows.add(line, topic, doc, number, value, rank, label)


def write(columns: Columns, out: IO[bytes], delimiter: str) -> None:
    """Write a header and the rows; scores with all their digits."""
    refuse_empty(columns.topic, "topic")
    refuse_empty(columns.doc, "document")
    named = columns.named()
    text = io.TextIOWrapper(out, encoding="utf-8", errors="surrogateescape", newline="")
    # The csv module quotes a carriage return by itself only from Python 3.13 on.
    returns = any(b"\r" in bytes(ids.data) for ids in (columns.topic, columns.doc, columns.label) if ids)
    writer = csv.writer(
        text,
        delimiter=delimiter,
        lineterminator="\n",
        quoting=csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL,
    )
    writer.writerow(named)
    writer.writerows(zip(*named.values(), strict=True))
    text.detach()


for _name, _delimiter in (("csv", ","), ("tsv", "\t")):
    register(
        Format(
            _name,
            f"{_name.upper()} with a header of names such as query_id, doc_id, score or relevance",
            ("run", "qrels"),
            (f".{_name}",),
            partial(sniff, delimiter=_delimiter),
            partial(read, delimiter=_delimiter),
            partial(write, delimiter=_delimiter),
            names=partial(names, delimiter=_delimiter),
        )
    )


GRADE = (codes.BAD_GRADE, codes.NOT_A_NUMBER)  # the core parses ranks as grades, and reports these


def read_triples(source: Source, request: Request) -> Columns:
    """The columns of a file without a header, separated by blanks, tabs or commas."""
    return _read(source, request, VALUE[request.kind])


def _read(source: Source, request: Request, last: str) -> Columns:
    if request.columns:
        raise OptionError(unnamed_columns(request.kind))
    if delimiter := text_files.three_columns(source):
        return read(source, request, delimiter, ["topic", "document", last])
    columns = table(source, request._replace(kind="qrels"), 3)  # the core parses judgments without iteration
    problems = tuple(_reworded(problem, request.kind, last) for problem in columns.problems)
    return replace(columns, kind=request.kind, label=None, problems=problems)


def _reworded(problem: Problem, kind: str, last: str) -> Problem:
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
    """Write topic, document and rank, by score."""
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
        read_triples,
        assumed=VALUES,
        samples={"run": "301,d7,12.5\n301,d2,11\n", "qrels": "301,d7,2\n301,d2,0\n"},
    )
)
