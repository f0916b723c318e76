"""CSV and TSV files with a header; the columns are recognised by their names."""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import partial
from itertools import dropwhile
from typing import IO

from rankgauge.core import codes
from rankgauge.core.ids import to_bytes, to_text
from rankgauge.errors import InputError
from rankgauge.formats.columns import Columns, choose, fits, order_of
from rankgauge.formats.files import Format, Request, register
from rankgauge.formats.problems import MALFORMED, MISSING, missing, parse_number, quote, wrong_columns
from rankgauge.formats.row_reader import RowCollector
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import first_line, has_content, line_problem, numbered_lines
from rankgauge.formats.trec import refuse_empty
from rankgauge.schema.text import printable

TRUTH = {b"true": 1.0, b"false": 0.0}  # grades such as those of is_relevant


def sniff(source: Source, kind: str, delimiter: str) -> bool:
    """Whether the first line is a header with column names of this kind."""
    names = [name.strip(' "') for name in to_text(first_line(source.head)).split(delimiter)]
    return fits(names, kind)


def read(source: Source, request: Request, delimiter: str, header: list[str] | None = None) -> Columns:
    """The columns of a delimited file; `header` has the names of the columns if the file does not.

    Blank lines and comments come only before the header: after it, a line that begins with # is a row.
    """
    import csv

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
    import csv

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
        )
    )
