"""Tables for pages and papers: Markdown, HTML, Typst and LaTeX. Text from files is never markup there.

LaTeX tables fit a column of a paper: those that may be wider have less space between columns. What may
still be too wide is measured and scaled by LaTeX itself, with headers on several lines and wrapped text where
the type would become small. A table that is too wide for a column is a float as wide as the page, and one
that is too wide for a page continues below. One that is too long for a column continues in further floats.
"""

from __future__ import annotations

import html
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from urllib.parse import quote

from rankgauge.model.output.markup import latex, latex_row, markdown, markdown_paragraph, typst
from rankgauge.model.output.table_cells import (
    FIGURE_SPACE,
    GAP,
    Cell,
    Markup,
    NumberText,
    TableContent,
    blocks,
    marks,
    number,
    texts,
)
from rankgauge.model.output.text_widths import broken, pieces, width_in_em
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.text import printable


def _tags(text: Callable[[str], str], best: str) -> Markup:
    """Markup with the tags of HTML."""
    return Markup(
        text=lambda cell: text(printable(cell)),
        best=best.format,
        second="<u>{}</u>".format,
        raised="<sup>{}</sup>".format,
        lowered="<sub>{}</sub>".format,
        pad=lambda digits: FIGURE_SPACE * len(digits),
    )


def markdown_lines(table: TableContent, places: int) -> Iterator[str]:
    """A Markdown table."""
    numeric, headers, rows = texts(table, places, _tags(markdown, "**{}**"))
    yield f"| {' | '.join(headers)} |"
    yield f"|{'|'.join('---:' if right else '---' for right in numeric)}|"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    if table.legend:
        yield ""
        yield markdown_paragraph(printable(table.legend))


def html_lines(table: TableContent, places: int) -> Iterator[str]:
    """A table in HTML."""
    numeric, headers, rows = texts(table, places, _tags(html.escape, "<b>{}</b>"))
    styles = [' style="text-align: right"' if right else "" for right in numeric]

    def row(tag: str, cells: list[str]) -> str:
        inner = (f"<{tag}{style}>{cell}</{tag}>" for style, cell in zip(styles, cells, strict=True))
        return f"<tr>{''.join(inner)}</tr>"

    yield "<table>"
    if table.legend:
        yield f"<caption>{html.escape(printable(table.legend))}</caption>"
    yield f"<thead>{row('th', headers)}</thead>"
    yield "<tbody>"
    for (i, j), file in table.links.items():
        rows[i][j] = f'<a href="{quote(file)}">{rows[i][j]}</a>'
    for cells in rows:
        yield row("td", cells)
    yield "</tbody>"
    yield "</table>"


TYPST = Markup(
    text=lambda text: typst(printable(text)),
    best="strong({})".format,
    second="underline({})".format,
    raised=" + super({})".format,
    lowered=" + sub({})".format,
    pad=lambda digits: f'"{FIGURE_SPACE * len(digits)}" + ',
)
TYPST_SIZE = "8pt"


def typst_lines(table: TableContent, places: int) -> Iterator[str]:
    """A table in Typst: a figure if it has a caption. Every text is a string, in which nothing is markup."""
    numeric, headers, rows = texts(table, places, TYPST)
    indent = ""
    if table.caption:
        yield "#figure("
        yield f"  caption: {TYPST.text(table.legend)},"
        yield f"  {{ set text(size: {TYPST_SIZE})"
        indent = "  "
    yield f"{indent}{'' if table.caption else '#'}table("
    alignment = "".join("right, " if right else "left, " for right in numeric).strip()
    yield f"{indent}  columns: {len(headers)}, align: ({alignment}), stroke: none, inset: (x: 4pt, y: 3pt),"
    yield f"{indent}  table.hline(stroke: .8pt),"
    yield f"{indent}  table.header({', '.join(headers)}),"
    yield f"{indent}  table.hline(stroke: .5pt),"
    for row in rows:
        yield f"{indent}  {', '.join(row)},"
    yield f"{indent}  table.hline(stroke: .8pt),"
    yield f"{indent})"
    if table.caption:
        yield "  }"
        label = "".join(c if c.isalnum() or c in "_-:." else "-" for c in table.label)
        yield f"){f' <{label}>' if label else ''}"
    elif table.notes:
        yield f"// {printable(table.notes)}"


# Columns are measured in characters, which are half as wide as the type is high.
TYPE, EASY_TYPE, LEAST_TYPE = 10.0, 8.0, 6.4  # pt: unscaled, before text is wrapped, and where nothing helps
GUTTER, ONE_COLUMN = 18.0, 300.0  # pt: between two columns; a wider one is the only column of its page
SEPARATION, TIGHT = 6.0, 3.0  # pt on each side of a column: usually, and in a table that is wide
SAFETY = 1.15  # the most by which the type of a paper may be wider than that of `text_widths`
UNKNOWN = 7  # characters of U+65E5, in place of one that a font lacks
RAISED = 0.8  # type of marks, compared with plain type
MIN_TEXT = 14  # characters of a column of text that is wrapped
HEIGHT, LINE = 540.0, 12.0  # pt: of a column of the standard classes, which is shorter than most; of a line
RULES = 36.0  # pt: rules, and the space around a float and its caption


class _Column(Frozen):
    """A column of a LaTeX table, measured in characters."""

    is_number: bool  # and so never wrapped
    longest: float  # of its cells
    header: Sequence[str]  # lines
    wrap: int = 0  # where its text is wrapped; 0 if it is not

    @property
    def width(self) -> float:
        """The width that the column takes."""
        return self.wrap or max(self.longest, *map(_width, self.header))

    @property
    def stacked(self) -> _Column:
        """The column with its header on lines no wider than its cells, or than the header's longest part."""
        (header,) = self.header
        most = max(self.longest, *map(_width, pieces(header)), 0.0)
        return self._replace(header=broken(header, most / 2))


def latex_lines(table: TableContent, places: int, *, siunitx: bool = False) -> Iterator[str]:
    """A table in LaTeX, a float if it has a caption; with `siunitx`, that package aligns its numbers."""
    page, parts = _parts(table, places)
    columns = [_fitted(_columns(part, places), page) for part in parts]
    wraps = any(column.wrap for part in columns for column in part)
    tight, scales = (any(_points(part, gap) > page for part in columns) for gap in (SEPARATION, TIGHT))
    packages = {"array": wraps, "booktabs": True, "graphicx": scales, "siunitx": siunitx}
    yield rf"% needs \usepackage{{{','.join(name for name, needed in packages.items() if needed)}}}"
    is_float = bool(table.caption) or page > table.width  # only a float is as wide as the page
    environment = "table*" if page > table.width else "table"
    begin, end = "" if is_float else r"\noindent", "}"
    if scales:
        begin += r"\sbox0"
        end += r"\ifdim\wd0>\linewidth\resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi"
    for group, rows in enumerate(_row_groups(parts, columns, places, HEIGHT - _caption_height(table, page))):
        if is_float:
            yield rf"\begin{{{environment}}}[t]"
            yield r"\centering"
            if group:
                yield r"\addtocounter{table}{-1}"
            if table.caption:
                yield rf"\caption{{{latex(printable(table.legend + ' (continued)' * bool(group)))}}}"
            if table.caption and table.label and not group:
                safe = (c if c.isascii() and (c.isalnum() or c in "_-:.+/ ") else "-" for c in table.label)
                yield rf"\label{{{''.join(safe)}}}"
            yield r"\smallskip"
        for index, (part, fitted) in enumerate(zip(parts, columns, strict=True)):
            if index or (group and not is_float):
                yield r"\par\medskip"
            if tight:
                yield f"{begin}{{%"
                yield rf"\setlength{{\tabcolsep}}{{{TIGHT:g}pt}}%"
            yield from _tabular(part.some_rows(*rows), fitted, places, siunitx)
            if tight:
                yield end
        if is_float:
            yield rf"\end{{{environment}}}"
    if table.notes and not table.caption:
        yield f"% {printable(table.notes)}"


def _caption_height(table: TableContent, page: float) -> float:
    """The height of all but the rows of a table."""
    return RULES + LINE * math.ceil(_width(table.legend) * SAFETY * TYPE / 2 / page)


def _row_groups(
    parts: Sequence[TableContent], columns: Sequence[Sequence[_Column]], places: int, room: float
) -> list[tuple[int, int]]:
    """(first, end) of the rows that fit `room`, in all blocks of columns, one below the other."""
    lines = [_row_lines(part, fitted, places) for part, fitted in zip(parts, columns, strict=True)]
    room -= sum(LINE * max(len(column.header) for column in fitted) for fitted in columns)
    groups, first, used = [], 0, 0.0
    for row, needed in enumerate(LINE * sum(each) for each in zip(*lines, strict=True)):
        if used + needed > room and row > first:
            groups.append((first, row))
            first, used = row, 0.0
        used += needed
    return [*groups, (first, len(lines[0]))]


def _row_lines(table: TableContent, columns: Sequence[_Column], places: int) -> list[int]:
    """The number of lines of each row."""
    wraps = {j: column.wrap / 2 / SAFETY for j, column in enumerate(columns) if column.wrap}
    rows = texts(table, places)[2]
    return [max([1, *(len(broken(row[j], wrap)) for j, wrap in wraps.items())]) for row in rows]


def fits_column(table: TableContent, places: int) -> bool:
    """Whether a table fits a column of a paper."""
    return _parts(table, places)[0] == table.width


def _parts(table: TableContent, places: int) -> tuple[float, list[TableContent]]:
    """The width that a table takes, that of a column or of the page, and the blocks that fit it."""

    def least(part: TableContent) -> list[int]:
        columns = (column.stacked for column in _columns(part, places))
        return [math.ceil(c.width if c.is_number else min(c.width, MIN_TEXT)) for c in columns]

    table = table._replace(rows=list(table.rows))
    whole = table.width if table.width > ONE_COLUMN else 2 * table.width + GUTTER
    for page in (table.width, whole):
        room = int(page / LEAST_TYPE * 2)
        parts = blocks(table, room, least)
        if len(parts) == 1:
            break
    return page, parts


def _columns(table: TableContent, places: int) -> list[_Column]:
    """The columns of a table with headers on one line."""
    _, headers, rows = texts(table._replace(superscripts={}, subscripts={}), places)
    columns = []
    for j, header in enumerate(headers):
        longest = max((_width(row[j]) for row in rows), default=0.0)
        # Numbers are padded to one width, so any of them may be the longest, and have the longest marks.
        marks = [
            table.superscripts.get((i, j), "") + table.subscripts.get((i, j), "") for i in range(len(rows))
        ]
        longest += RAISED * max((_width(printable(mark)) for mark in marks), default=0.0)
        is_number = all(not _is_word(row[j]) for row in table.rows) and bool(rows)
        columns.append(_Column(is_number, longest, [header]))
    return columns


def _is_word(cell: Cell) -> bool:
    return isinstance(cell, str) and cell != "" and not isinstance(cell, NumberText)


def _width(text: str) -> float:
    """The width of a text in characters."""
    return 2 * width_in_em(text) + UNKNOWN * latex(text).count("Umathchar")


def _total(columns: Sequence[_Column]) -> float:
    return sum(column.width + GAP for column in columns)


def _points(columns: Sequence[_Column], separation: float) -> float:
    """The width of a table in points, with this space on each side of a column, in the widest type."""
    return sum(column.width for column in columns) * SAFETY * TYPE / 2 + 2 * separation * (len(columns) - 1)


def _fitted(columns: list[_Column], page: float) -> list[_Column]:
    """The columns, with stacked headers and wrapped text if they do not fit a page in easy type."""
    room = page / EASY_TYPE * 2
    if _total(columns) <= room:
        return columns
    columns = [column.stacked for column in columns]
    longest = math.ceil(max((c.width for c in columns if not c.is_number), default=0.0))
    for wrap in range(longest, MIN_TEXT - 1, -1):
        wrapped = [c if c.is_number or c.width <= wrap else c._replace(wrap=wrap) for c in columns]
        if _total(wrapped) <= room or wrap == MIN_TEXT:
            return wrapped
    return columns


def _breakable(text: str, wrap: int) -> str:
    """Text in which TeX may end a line after every part of a word, and anywhere in a part that is long."""
    parts = ([part] if _width(part) * SAFETY <= wrap else [*part] for part in pieces(printable(text)))
    every = [latex(part) for part in itertools.chain.from_iterable(parts)]
    return r"\allowbreak{}".join(every).replace(r" \allowbreak{}", " ")  # a line may end at a space anyway


def _latex_markup(wrap: int = 0) -> Markup:
    """The markup of LaTeX; underlined text could not be wrapped."""
    return Markup(
        text=(lambda text: _breakable(text, wrap)) if wrap else (lambda text: latex(printable(text))),
        number=lambda text: latex(printable(text).replace("-", "−")),
        best=r"\textbf{{{}}}".format,
        second=str if wrap else r"\underline{{{}}}".format,
        raised=lambda mark: rf"\textsuperscript{{{mark.replace('*', '$*$')}}}",  # * is raised already
        lowered=lambda mark: rf"\textsubscript{{{mark.replace('*', '$*$')}}}",
        pad=r"\phantom{{{}}}".format,
    )


def _tabular(table: TableContent, columns: Sequence[_Column], places: int, siunitx: bool) -> Iterator[str]:
    numeric, _, rows = texts(table, places, _latex_markup())
    wrap = max(column.wrap for column in columns)
    wrapped = texts(table, places, _latex_markup(wrap))[2] if wrap else rows
    kinds, headers, cells = [], [], []
    for j, column in enumerate(columns):
        shown = [row[j] for row in (wrapped if column.wrap else rows)]
        kind = "r" if numeric[j] else "l"
        header = r"\\".join(map(latex, column.header))
        if len(column.header) > 1:
            header = rf"\shortstack[{kind}]{{{header}}}"
        if column.wrap:
            kind = rf">{{\raggedright\arraybackslash}}p{{{column.wrap / 2:g}em}}"
            header = _breakable(" ".join(column.header), column.wrap)
        elif siunitx and column.is_number and not any(isinstance(row[j], str) for row in table.rows):
            kind, shown = _aligned(table, j, places, shown)
            header = f"{{{header}}}"
        kinds.append(kind)
        headers.append(header)
        cells.append(shown)
    yield rf"\begin{{tabular}}{{@{{}}{''.join(kinds)}@{{}}}}"
    yield r"\toprule"
    yield latex_row(headers)
    yield r"\midrule"
    for row in zip(*cells, strict=True):
        yield latex_row([*row])
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _aligned(table: TableContent, j: int, places: int, shown: list[str]) -> tuple[str, list[str]]:
    """The type of a column of siunitx, and its cells; what is no decimal, or underlined, stays as `shown`."""
    before, after, longest, cells = 1, 0, "", []
    for i, row in enumerate(table.rows):
        cell, after_it = row[j], marks(table, (i, j), _latex_markup())
        text = cell if isinstance(cell, str) else number(cell, places, undefined="–")
        whole, _, decimals = text.partition(".")
        longest = max(longest, after_it, key=len)
        if not (whole.lstrip("-").isdigit() and (decimals or "0").isdigit()) or (i, j) in table.second:
            cells.append(f"{{{shown[i]}}}")
            continue
        before, after = max(before, len(whole)), max(after, len(decimals))
        cells.append((r"\bfseries " if (i, j) in table.best else "") + text + after_it)
    space = f",table-space-text-post={{{longest}}},table-align-text-post=false" if longest else ""
    return f"S[table-format={before}.{after},detect-weight=true,mode=text{space}]", cells


WRITERS: dict[str, Callable[[TableContent, int], Iterator[str]]] = {
    "markdown": markdown_lines,
    "latex": latex_lines,
    "siunitx": partial(latex_lines, siunitx=True),
    "typst": typst_lines,
    "html": html_lines,
}
