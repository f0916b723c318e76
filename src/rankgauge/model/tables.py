"""Tables as text, in every output format; the one place that formats numbers.

    print(render(Table(("run", "AP"), [("bm25", 0.25), ("ql", 0.125)], best={(0, 1)}), "markdown"))

Formats for people (table, markdown, latex, html) round to `places` decimals and mark the best values; tsv
rounds, but has no marks. Formats for programs (csv, json, jsonl) keep every digit. NaN, an undefined value,
is a dash in formats for people, `nan` in tsv and csv, and null in JSON. Infinity is `inf`, as text in JSON.

Modules that only one format needs are imported there, so that small commands start quickly.
"""

from __future__ import annotations

import io
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence, Set

from rankgauge.schema.checks import choice
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.text import format_number

Cell = str | int | float | None
PLACES = 4  # as trec_eval prints


class NumberText(str):
    """A number in a form of its own, such as `+0.0123` or `<0.0001**`; a page sorts it by its value."""

    value: float

    def __new__(cls, text: str, value: float) -> NumberText:
        """The text of a number, with the number."""
        self = super().__new__(cls, text)
        self.value = value
        return self


class Shown(float):
    """A number that people see in a form of its own, such as 0.05 for 0.0500; programs get the number."""

    text: str

    def __new__(cls, value: float, text: str = "") -> Shown:
        """A number with its text, by default the shortest that is exact."""
        self = super().__new__(cls, value)
        self.text = text or ("" if math.isnan(value) or math.isinf(value) else format_number(value))
        return self

    @classmethod
    def rounded(cls, value: float, places: int) -> Shown:
        """A number with as many decimals as it deserves, however many the others of a table have."""
        return cls(value, f"{value:.{max(0, places)}f}")


class Table(Frozen):
    """Headers, rows of equal length, and the (row, column) positions of the best values."""

    headers: Sequence[str]
    rows: Iterable[Sequence[Cell]]
    best: Set[tuple[int, int]] = frozenset()


def number(value: float | None, places: int | None = PLACES, undefined: str = "nan") -> str:
    """A number as text: floats with `places` decimals (None: every digit) or as `Shown`; integers as is."""
    if value is None:
        return ""
    if math.isnan(value):
        return undefined
    if isinstance(value, int) or places is None:
        return str(value)
    if isinstance(value, Shown) and value.text:
        return value.text
    return f"{value:.{places}f}"


def printable(text: str) -> str:
    """Text that is safe to show: control characters and invalid bytes are escaped."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def capital(text: str) -> str:
    """Text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def width(text: str) -> int:
    """The number of terminal columns that a text takes."""
    if text.isascii():
        return len(text)
    import unicodedata

    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 for c in text)


def texts(
    table: Table,
    places: int = PLACES,
    text: Callable[[str], str] = printable,
    best: Callable[[str], str] = str,
) -> tuple[list[bool], list[str], list[list[str]]]:
    """(which columns are numeric, headers, rows); `text` formats text, `best` formats the best cells."""
    rows = list(table.rows)
    columns = zip(*rows, strict=True) if rows else ([] for _ in table.headers)
    numeric = [not any(isinstance(cell, str) for cell in column) for column in columns]
    lines = []
    for i, row in enumerate(rows):
        cells = [text(c) if isinstance(c, str) else number(c, places, undefined="–") for c in row]
        lines.append([best(c) if (i, j) in table.best else c for j, c in enumerate(cells)])
    return numeric, [text(header) for header in table.headers], lines


def _aligned(table: Table, places: int) -> Iterator[str]:
    numeric, headers, lines = texts(table, places, printable, lambda cell: f"{cell}*")
    if table.best:  # every number gets room for a star, so that columns stay aligned
        lines = [
            [c + " " if right and c[-1:] != "*" else c for c, right in zip(line, numeric, strict=True)]
            for line in [headers, *lines]
        ]
    else:
        lines = [headers, *lines]
    widths = [max(map(width, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        gaps = [" " * (w - width(cell)) for cell, w in zip(line, widths, strict=True)]
        cells = (gap + c if right else c + gap for c, gap, right in zip(line, gaps, numeric, strict=True))
        yield "  ".join(cells).rstrip()


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
    from rankgauge.model.markup import markdown

    def text(cell: str) -> str:
        return markdown(printable(cell))

    numeric, headers, lines = texts(table, places, text, lambda cell: f"**{cell}**")
    yield f"| {' | '.join(headers)} |"
    yield f"|{'|'.join('---:' if right else '---' for right in numeric)}|"
    for line in lines:
        yield f"| {' | '.join(line)} |"


def _latex(table: Table, places: int) -> Iterator[str]:
    from rankgauge.model.markup import latex, latex_row

    def text(cell: str) -> str:
        return latex(printable(cell))

    numeric, headers, lines = texts(table, places, text, lambda cell: rf"\textbf{{{cell}}}")
    yield r"% needs \usepackage{booktabs}"
    yield rf"\begin{{tabular}}{{{''.join('r' if right else 'l' for right in numeric)}}}"
    yield r"\toprule"
    yield latex_row(headers)
    yield r"\midrule"
    for line in lines:
        yield latex_row(line)
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _html(table: Table, places: int) -> Iterator[str]:
    import html

    def text(cell: str) -> str:
        return html.escape(printable(cell))

    numeric, headers, lines = texts(table, places, text, lambda cell: f"<b>{cell}</b>")
    styles = [' style="text-align: right"' if right else "" for right in numeric]

    def row(tag: str, cells: list[str]) -> str:
        pairs = zip(styles, cells, strict=True)
        return f"<tr>{''.join(f'<{tag}{style}>{cell}</{tag}>' for style, cell in pairs)}</tr>"

    yield "<table>"
    yield f"<thead>{row('th', headers)}</thead>"
    yield "<tbody>"
    for line in lines:
        yield row("td", line)
    yield "</tbody>"
    yield "</table>"


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
        Format("latex", "a LaTeX table with booktabs", (".tex",), _latex),
        Format("html", "an HTML table", (".html", ".htm"), _html),
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
