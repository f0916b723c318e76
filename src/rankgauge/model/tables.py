"""Tables as text, in every output format.

    print(render(Table(("run", "AP"), [("bm25", 0.25), ("ql", 0.125)], best={(0, 1)}), "markdown"))

Formats for people round to `places` decimals and mark the best values; tsv rounds, but has no marks. Formats
for programs (csv, json, jsonl) keep every digit. NaN, an undefined value, is a dash in formats for people,
`nan` in tsv and csv, and null in JSON. Infinity is `inf`, as text in JSON.

Modules that only one format needs are imported there, so that small commands start quickly. Formats for print
have modules of their own: `latex_tables`, `typst_tables`, `html_tables`.
"""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable, Iterator, Sequence

from rankgauge.model.table_cells import (
    FIGURE_SPACE,
    PLACES,
    Cell,
    Markup,
    NumberText,
    Position,
    Shown,
    Table,
    capital,
    number,
    plain_texts,
    printable,
    texts,
    width,
)
from rankgauge.schema.checks import choice
from rankgauge.schema.frozen import Frozen

__all__ = ["FORMATS", "PLACES", "Cell", "Format", "NumberText", "Position", "Shown", "Table"]
__all__ += ["capital", "lines", "number", "plain_texts", "printable", "render", "texts", "width"]


def _aligned(table: Table, places: int) -> Iterator[str]:
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


def _tsv(table: Table, places: int) -> Iterator[str]:
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


def _csv(table: Table, places: int) -> Iterator[str]:
    import csv

    from rankgauge.model.markup import RISKY, guarded

    line = io.StringIO()
    writer = csv.writer(line, lineterminator="\r\n")  # so that cells with either character are quoted
    for row in itertools.chain([table.headers], table.rows):
        writer.writerow(
            [(guarded(c) if c[:1] in RISKY else c) if isinstance(c, str) else number(c, None) for c in row]
        )
        yield line.getvalue()[:-2]
        line.seek(0)
        line.truncate()


def _objects(table: Table) -> Iterator[str]:
    from rankgauge.schema.json_text import to_json  # which the other formats do without

    for row in table.rows:
        yield to_json(dict(zip(table.headers, row, strict=True)), infinity="text")


def _jsonl(table: Table, places: int) -> Iterator[str]:
    return _objects(table)


def _json(table: Table, places: int) -> Iterator[str]:
    yield "["
    before = ""
    for line in _objects(table):
        if before:
            yield f" {before},"
        before = line
    if before:
        yield f" {before}"
    yield "]"


def _markdown(table: Table, places: int) -> Iterator[str]:
    from rankgauge.model.markup import markdown, markdown_paragraph

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


def _latex(table: Table, places: int) -> Iterator[str]:
    from rankgauge.model.latex_tables import latex_lines

    return latex_lines(table, places)


def _siunitx(table: Table, places: int) -> Iterator[str]:
    from rankgauge.model.latex_tables import latex_lines

    return latex_lines(table, places, siunitx=True)


def _typst(table: Table, places: int) -> Iterator[str]:
    from rankgauge.model.typst_tables import typst_lines

    return typst_lines(table, places)


def _html(table: Table, places: int) -> Iterator[str]:
    from rankgauge.model.html_tables import html_lines

    return html_lines(table, places)


def _word(table: Table, places: int) -> Iterator[str]:
    from rankgauge.model.html_tables import word_lines

    return word_lines(table, places)


class Format(Frozen):
    """An output format: its name, title and file extensions, and the function that writes it."""

    name: str
    title: str
    extensions: tuple[str, ...]
    lines: Callable[[Table, int], Iterator[str]]


FORMATS = {
    form.name: form
    for form in (
        Format("table", "aligned columns, for reading", (".txt",), _aligned),
        Format("tsv", "tab-separated values", (".tsv",), _tsv),
        Format("csv", "comma-separated values, every digit", (".csv",), _csv),
        Format("json", "a list of objects", (".json",), _json),
        Format("jsonl", "one object per line", (".jsonl", ".ndjson"), _jsonl),
        Format("markdown", "a Markdown table", (".md",), _markdown),
        Format("latex", "a LaTeX table with booktabs, for a column of a paper", (".tex",), _latex),
        Format("siunitx", "a LaTeX table with booktabs and siunitx, which aligns decimals", (), _siunitx),
        Format("typst", "a Typst table", (".typ",), _typst),
        Format("html", "an HTML table", (".html", ".htm"), _html),
        Format("word", "an HTML table that keeps its looks in Word", (".doc",), _word),
    )
}


def lines(table: Table, name: str, places: int = PLACES) -> Iterator[str]:
    """The lines of a table in one of the FORMATS, one or several at a time, without the last line ending.

    tsv, csv, json and jsonl read rows one by one, so a table may be larger than memory.
    """
    return FORMATS[choice("format", name, FORMATS)].lines(table, places)


def render(table: Table, name: str = "table", places: int = PLACES) -> str:
    """A table as text in one of the FORMATS; every line ends in a newline."""
    return "".join(f"{line}\n" for line in lines(table, name, places))
