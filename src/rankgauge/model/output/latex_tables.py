"""Tables in LaTeX that fit a column of a paper: with smaller type, headers on several lines, narrower text.

A table with a caption is a float. One that is too wide for a column is meant for the whole page, and one that
is too wide for a page continues below.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from rankgauge.model.output.markup import latex, latex_row
from rankgauge.model.output.table_cells import Cell, NumberText, TableContent, number, pads_of, printable
from rankgauge.model.output.text_widths import BOLD, RAISED, broken, cut, pieces, width_in_em
from rankgauge.schema.frozen import Frozen

GAP, ONE_COLUMN = 18.0, 300.0  # pt: between two columns; what is wider is the only column of its page
# Commands, size of type, space on each side of a column, least width of a column of text that is wrapped.
# Small type of Computer Modern is wider than its size says: type of 7 pt is as wide as one of 8 pt should be.
SIZES = (
    ("", 10.0, 6.0, math.inf),
    ("", 10.0, 4.0, math.inf),
    (r"\small", 9.25, 4.0, 90.0),
    (r"\footnotesize", 8.5, 3.0, 60.0),
    (r"\footnotesize", 8.5, 2.0, 60.0),
    (r"\scriptsize", 8.0, 2.0, 40.0),
    (r"\scriptsize", 8.0, 1.5, 40.0),
)


class _Column(Frozen):
    """A column: its place in the table, and its cells as they are shown, without markup."""

    place: int
    header: str
    cells: Sequence[str]
    is_number: bool
    width: float  # of the widest cell, in em
    pads: Sequence[str] = ()  # what numbers that stand left lack before their points, for these to align


class _Layout(Frozen):
    """Columns that fit, and the type in which they do."""

    columns: Sequence[_Column]
    command: str
    separation: float
    widths: Sequence[float]  # for columns of text that are wrapped, in pt; 0 for other columns
    headers: Sequence[Sequence[str]]  # lines of each


def latex_lines(table: TableContent, places: int, *, siunitx: bool = False) -> Iterator[str]:
    """The lines of a table in LaTeX; with `siunitx`, that package aligns its numbers."""
    columns, table = _columns(table, places)
    page, parts = _fitting(columns, table.width)
    wraps = any(any(part.widths) for part in parts)
    packages = [*(["array"] if wraps else []), "booktabs", *(["siunitx"] if siunitx else [])]
    yield rf"% needs \usepackage{{{','.join(packages)}}}"
    is_float = bool(table.caption) or page > table.width  # only a float is as wide as the page
    environment = "table*" if page > table.width else "table"
    size = max(parts, key=lambda part: [entry[0] for entry in SIZES].index(part.command)).command
    separation = min(part.separation for part in parts)
    setting = (
        ""
        if (size, separation) == ("", SIZES[0][2])
        else rf"{size}\setlength{{\tabcolsep}}{{{separation:g}pt}}"
    )
    if is_float:
        yield rf"\begin{{{environment}}}[t]"
        yield r"\centering"
        if table.caption:
            yield rf"\caption{{{latex(printable(table.legend))}}}"
        if table.caption and table.label:
            yield rf"\label{{{_name(table.label)}}}"
        yield rf"\smallskip{setting}"
    elif setting:
        yield rf"\noindent{{{setting}%"
    for index, part in enumerate(parts):
        if index:
            yield r"\par\medskip" if is_float else r"\par\medskip\noindent"
        yield from _tabular(table, part, places, siunitx)
    if is_float:
        yield rf"\end{{{environment}}}"
    elif setting:
        yield "}"
    if table.note and not table.caption:
        yield f"% {printable(table.note)}"


def fits_column(table: TableContent, places: int) -> bool:
    """Whether a table fits a column of a paper."""
    return _layout(_columns(table, places)[0], table.width) is not None


def _name(label: str) -> str:
    """A label without what would be markup."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "_-:.+/ ") else "-" for c in label)


def _columns(table: TableContent, places: int) -> tuple[list[_Column], TableContent]:
    table = table._replace(rows=list(table.rows))
    columns = []
    for j, header in enumerate(table.headers):
        cells = [row[j] for row in table.rows]
        is_number = _has_numbers(cells)
        shown = [printable(c) if isinstance(c, str) else number(c, places, undefined="–") for c in cells]
        pads = pads_of(shown) if is_number and (table.has_marks or not _aligns(table, j)) else []
        padded = [*map("".join, zip(pads, shown, strict=True))] if pads else shown
        padded = [_minus(text) for text in padded] if is_number else padded
        widest = max((_width(table, (i, j), text) for i, text in enumerate(padded)), default=0.0)
        columns.append(_Column(j, printable(header), shown, is_number, widest, pads))
    return columns, table


def _minus(number: str) -> str:
    return number.replace("-", "−")


def _has_numbers(cells: Sequence[Cell]) -> bool:
    """Whether a column has numbers, and nothing else but empty cells."""
    filled = [cell for cell in cells if cell != ""]
    return bool(filled) and all(not isinstance(c, str) or isinstance(c, NumberText) for c in filled)


def _width(table: TableContent, position: tuple[int, int], text: str) -> float:
    plain = width_in_em(text) * (BOLD if position in table.best else 1)
    return plain + _width_of_marks(table, position)


def _width_of_marks(table: TableContent, position: tuple[int, int]) -> float:
    return RAISED * width_in_em(table.superscripts.get(position, "") + table.subscripts.get(position, ""))


def _fitting(columns: list[_Column], width: float) -> tuple[float, list[_Layout]]:
    """The width that a table takes, that of a column or of the page, and the layout of each of its parts."""
    whole = width if width > ONE_COLUMN else 2 * width + GAP
    for page in dict.fromkeys((width, whole)):
        if layout := _layout(columns, page):
            return page, [layout]
    names, numbers = (
        [column for column in columns if column.place == 0 or not column.is_number],
        [column for column in columns if column.place and column.is_number],
    )
    for count in range(2, len(numbers) + 1):
        size = math.ceil(len(numbers) / count)
        parts = [_layout([*names, *numbers[i : i + size]], whole) for i in range(0, len(numbers), size)]
        if all(parts):
            return whole, [part for part in parts if part]
    return whole, [_forced(columns, whole)]


def _forced(columns: list[_Column], page: float) -> _Layout:
    """The smallest type, with all text wrapped, for a table that cannot fit."""
    command, size, separation, _ = SIZES[-1]
    texts = [column for column in columns if not column.is_number]
    room = page - 2 * separation * len(columns) - sum(c.width * size for c in columns if c.is_number)
    share = max(room / max(len(texts), 1), 20.0)
    widths = [0.0 if column.is_number else share for column in columns]
    headers = [broken(c.header, (w / size) or c.width) for c, w in zip(columns, widths, strict=True)]
    return _Layout(columns, command, separation, widths, headers)


def _layout(columns: list[_Column], page: float) -> _Layout | None:
    """The columns in the largest type in which they fit, None if they fit in none."""
    for command, size, separation, least in SIZES:
        outer = 0 if (command, separation) == ("", SIZES[0][2]) else 1
        room = (page - 2 * separation * (len(columns) - outer)) / size  # in em
        plain = [max(column.width, width_in_em(column.header)) for column in columns]
        if sum(plain) <= room:
            headers = [[column.header] for column in columns]
            return _Layout(columns, command, separation, [0.0] * len(columns), headers)
        if not outer:
            continue
        headers = [_header(column) for column in columns]
        widths = [
            max(column.width, *map(width_in_em, lines))
            for column, lines in zip(columns, headers, strict=True)
        ]
        if sum(widths) <= room:
            headers = _rejoined(columns, headers, widths, room)
            return _Layout(columns, command, separation, [0.0] * len(columns), headers)
        wrapped = _wrapped(columns, widths, room, least / size)
        if wrapped:
            headers = [
                broken(column.header, width) if width else lines
                for column, lines, width in zip(columns, headers, wrapped, strict=True)
            ]
            return _Layout(columns, command, separation, [width * size for width in wrapped], headers)
    return None


def _header(column: _Column) -> list[str]:
    """A header on lines that are no wider than its column, or than its longest part."""
    longest = max(map(width_in_em, pieces(column.header)), default=0.0)
    return broken(column.header, max(column.width, longest))


def _rejoined(
    columns: list[_Column], headers: list[list[str]], widths: list[float], room: float
) -> list[list[str]]:
    """The headers, on one line where there is room for it, those first that need the least."""
    rest = room - sum(widths)
    more = [width_in_em(c.header) - width for c, width in zip(columns, widths, strict=True)]
    for j in sorted(range(len(columns)), key=more.__getitem__):
        if max(more[j], 0.0) <= rest:
            rest -= max(more[j], 0.0)
            headers[j] = [columns[j].header]
    return headers


def _wrapped(columns: list[_Column], widths: list[float], room: float, least: float) -> list[float] | None:
    """The widths of columns of text that together fit, 0 for other columns; None if they are too narrow.

    Columns that need less than an equal share leave the rest to the others.
    """
    rest = room - sum(width for c, width in zip(columns, widths, strict=True) if c.is_number)
    open_columns = {j: widths[j] for j, column in enumerate(columns) if not column.is_number}
    result = [0.0] * len(columns)
    while open_columns:
        share = rest / len(open_columns)
        narrow = [j for j, width in open_columns.items() if width <= share]
        if not narrow:
            if share < least:
                return None
            for j in open_columns:
                result[j] = share
            return result
        for j in narrow:
            rest -= open_columns.pop(j)
    return None if rest < 0 else result


def _tabular(table: TableContent, layout: _Layout, places: int, siunitx: bool) -> Iterator[str]:
    plain = (layout.command, layout.separation) == ("", SIZES[0][2])
    kinds = []
    for column, width in zip(layout.columns, layout.widths, strict=True):
        if width:
            kinds.append(rf">{{\raggedright\arraybackslash}}p{{{math.floor(width)}pt}}")
        elif siunitx and column.is_number and _aligns(table, column.place):
            kinds.append(_s_column(table, column))
        else:
            kinds.append("l" if not column.is_number or column.pads else "r")
    end = "" if plain else "@{}"
    yield rf"\begin{{tabular}}{{{end}{''.join(kinds)}{end}}}"
    yield r"\toprule"
    yield latex_row([_header_cell(*each) for each in zip(kinds, layout.headers, layout.widths, strict=True)])
    yield r"\midrule"
    cells = [
        _cells(table, column, width / _size(layout.command), kind[0] == "S")
        for column, width, kind in zip(layout.columns, layout.widths, kinds, strict=True)
    ]
    for row in zip(*cells, strict=True):
        yield latex_row([*row])
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _size(command: str) -> float:
    return next(size for name, size, *_ in SIZES if name == command)


def _header_cell(kind: str, lines: Sequence[str], width: float) -> str:
    if len(lines) == 1 or width:
        text = r"\newline ".join(map(latex, lines)) if width else latex(lines[0])
    else:
        stacked = r"\\".join(map(latex, lines))
        text = rf"\shortstack[{kind if kind in 'lr' else 'c'}]{{{stacked}}}"
    return f"{{{text}}}" if kind[0] == "S" else text


def _aligns(table: TableContent, place: int) -> bool:
    """Whether all numbers of a column have as many decimals: none is in a form of its own."""
    return not any(isinstance(row[place], str) for row in table.rows)


def _s_column(table: TableContent, column: _Column) -> str:
    before, after = 1, 0
    for text in column.cells:
        whole, _, decimals = text.partition(".")
        if whole.lstrip("-").isdigit():
            before, after = max(before, len(whole)), max(after, len(decimals))
    marks = [_marks(table, (i, column.place)) for i in range(len(column.cells))]
    longest = max(marks, key=len, default="")
    space = f",table-space-text-post={{{longest}}},table-align-text-post=false" if longest else ""
    return f"S[table-format={before}.{after},detect-weight=true,mode=text{space}]"


def _cells(table: TableContent, column: _Column, width: float, aligned: bool) -> Iterator[str]:
    """The cells of a column in LaTeX."""
    for i, text in enumerate(column.cells):
        position = (i, column.place)
        is_best = position in table.best
        is_second = position in table.second and not width  # what is underlined cannot be wrapped
        if width:
            room = (width - _width_of_marks(table, position)) / (BOLD if is_best else 1)
            shown = r"\allowbreak{}".join(map(latex, _breakable(text, max(room, 2.0))))
        else:
            shown = latex(_minus(text) if column.is_number else text)
        if aligned and (is_second or not _is_decimal(text)):
            shown = rf"{{\underline{{{shown}}}}}" if is_second else f"{{{shown}}}"
        elif aligned:
            shown = (r"\bfseries " if is_best else "") + text
        else:
            shown = rf"\underline{{{shown}}}" if is_second else shown
            shown = rf"\textbf{{{shown}}}" if is_best else shown
        pad = column.pads[i] if column.pads and not aligned else ""
        before = rf"\phantom{{{latex(pad)}}}" if pad else ""
        yield before + shown + _marks(table, position)


def _breakable(text: str, width: float) -> list[str]:
    """The parts of a text between which TeX may end a line beside spaces: inside words that are too wide."""
    parts = [""]
    for word in re.split("( )", text):
        wide = width_in_em(word) > width
        first, *rest = [part for piece in pieces(word) for part in cut(piece, width)] if wide else [word]
        parts[-1] += first
        parts += rest
    return parts


def _is_decimal(text: str) -> bool:
    return text.lstrip("-").replace(".", "", 1).isdigit() and text.isascii()


def _marks(table: TableContent, position: tuple[int, int]) -> str:
    raised, lowered = table.superscripts.get(position, ""), table.subscripts.get(position, "")
    return (rf"\textsuperscript{{{_mark(raised)}}}" if raised else "") + (
        rf"\textsubscript{{{_mark(lowered)}}}" if lowered else ""
    )


def _mark(text: str) -> str:
    """A mark in LaTeX; the star of text is raised already."""
    return latex(printable(text)).replace("*", "$*$")
