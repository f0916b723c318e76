"""Tables as plain text, for programs, and in Markdown."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterator, Sequence

from rankgauge.model.output.table_cells import (
    FIGURE_SPACE,
    Cell,
    Markup,
    TableContent,
    number,
    plain_texts,
    printable,
    texts,
    width,
)


def aligned_lines(table: TableContent, places: int) -> Iterator[str]:
    """Columns that line up, with a star after the best values."""
    numeric, headers, body = plain_texts(table, places, star="*")
    lines = [headers, *body]
    widths = [max(map(width, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        gaps = [" " * (w - width(cell)) for cell, w in zip(line, widths, strict=True)]
        cells = (gap + c if right else c + gap for c, gap, right in zip(line, gaps, numeric, strict=True))
        yield "  ".join(cells).rstrip()
    if table.legend:
        yield ""
        yield printable(table.legend)


_TAB_ESCAPES = str.maketrans({"\t": "\\t", "\n": "\\n", "\r": "\\r"})


def tsv_lines(table: TableContent, places: int) -> Iterator[str]:
    """Tab-separated values, rounded."""

    def line(row: Sequence[Cell]) -> str:
        cells = (c.translate(_TAB_ESCAPES) if isinstance(c, str) else number(c, places) for c in row)
        return "\t".join(cells)

    yield line(table.headers)
    rows = iter(table.rows)
    while block := list(itertools.islice(rows, 1000)):
        # A table may have a million rows: blocks of only text and floats are formatted at once.
        yield _tsv_block(block, places) or "\n".join(map(line, block))


def _tsv_block(rows: list[Sequence[Cell]], places: int) -> str | None:
    """Rows as tab-separated lines; None if a cell is neither text nor a float, or needs escaping."""
    cells, columns = tuple(itertools.chain.from_iterable(rows)), len(rows[0])
    patterns = {str: "%s", float: f"%.{places}f"}
    kinds = [{*map(type, cells[column::columns])} for column in range(columns)]
    if not all(len(kind) == 1 and kind <= patterns.keys() for kind in kinds):
        return None
    pattern = "\t".join(patterns[kind.pop()] for kind in kinds)
    text = "\n".join([pattern] * len(rows)) % cells
    unescaped = text.count("\t") == len(rows) * (columns - 1) and text.count("\n") == len(rows) - 1
    return text if unescaped and "\r" not in text else None


def csv_lines(table: TableContent, places: int) -> Iterator[str]:
    """Comma-separated values with every digit, which no spreadsheet takes for formulas."""
    import csv

    from rankgauge.model.output.markup import RISKY, guarded

    line = io.StringIO()
    writer = csv.writer(line, lineterminator="\r\n")  # so that cells with either character are quoted
    for row in itertools.chain([table.headers], table.rows):
        writer.writerow(
            [
                c  # which is written with every digit
                if type(c) is float
                else (guarded(c) if c[:1] in RISKY else c)
                if isinstance(c, str)
                else number(c, None)
                for c in row
            ]
        )
        yield line.getvalue()[:-2]
        line.seek(0)
        line.truncate()


def _objects(table: TableContent) -> Iterator[str]:
    from rankgauge.schema.json_text import to_json  # which the other formats do without

    for row in table.rows:
        yield to_json(dict(zip(table.headers, row, strict=True)), infinity="text")


def jsonl_lines(table: TableContent, places: int) -> Iterator[str]:
    """An object for each row."""
    return _objects(table)


def json_lines(table: TableContent, places: int) -> Iterator[str]:
    """A list of objects."""
    yield "["
    before = ""
    for line in _objects(table):
        if before:
            yield f" {before},"
        before = line
    if before:
        yield f" {before}"
    yield "]"


def markdown_lines(table: TableContent, places: int) -> Iterator[str]:
    """A Markdown table."""
    from rankgauge.model.output.markup import markdown, markdown_paragraph

    markup = Markup(
        text=lambda cell: markdown(printable(cell)),
        best="**{}**".format,
        second="<u>{}</u>".format,
        raised="<sup>{}</sup>".format,
        lowered="<sub>{}</sub>".format,
        pad=lambda text: FIGURE_SPACE * len(text),
    )
    numeric, headers, lines = texts(table, places, markup)
    yield f"| {' | '.join(headers)} |"
    yield f"|{'|'.join('---:' if right else '---' for right in numeric)}|"
    for line in lines:
        yield f"| {' | '.join(line)} |"
    if table.legend:
        yield ""
        yield markdown_paragraph(printable(table.legend))
