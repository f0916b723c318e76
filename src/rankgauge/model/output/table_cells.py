"""A table, its cells as text, and the blocks of it that fit a width; the one place that formats numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, TypeVar

from rankgauge.schema.frozen import Frozen
from rankgauge.schema.text import format_number, printable

if TYPE_CHECKING:
    from typing_extensions import Self  # part of typing from Python 3.11 on

Cell = str | int | float | None
PLACES = 4  # as trec_eval prints
MAX_PLACES = 1000  # no number has more that matter, and every cell of a table would be as long
FIGURE_SPACE = "\u2007"  # as wide as a digit
SCREEN = 80  # columns of a screen that is not known
GAP = 2  # between two columns
MAX_ACROSS = 6  # columns of a single row
COLUMN = 240.0  # pt: ACM's two-column layout has 241, IEEE's 252


class NumberText(str):
    """A number in a form of its own, such as `< 0.0001**`; a page sorts it by its value."""

    value: float

    def __new__(cls, text: str, value: float) -> NumberText:
        """The text of a number, with the number."""
        self = super().__new__(cls, text)
        self.value = value
        return self


class Shown(float):
    """A number that people see in a form of its own, such as 0.05; programs get the number."""

    text: str

    def __new__(cls, value: float, text: str = "") -> Shown:
        """A number with its text, by default the shortest that is exact."""
        self = super().__new__(cls, value)
        self.text = text or (format_number(value) if math.isfinite(value) else "")
        return self

    @classmethod
    def rounded(cls, value: float, places: int) -> Shown:
        """A number with as many decimals as it deserves."""
        return cls(value, f"{value:.{max(0, places)}f}")

    @classmethod
    def count(cls, value: float) -> float:
        """A number of things; an expected one, over orders of ties, may have decimals."""
        return cls(value, f"{value:.0f}") if value.is_integer() else value


class Signed(float):
    """A difference, which people see with its sign."""


Position = tuple[int, int]  # (row, column)
NO_MARKS: Mapping[Position, str] = {}
NO_BARS: Mapping[Position, float] = {}
Mark = TypeVar("Mark", str, float)


class TableContent(Frozen):
    """Headers and rows of equal length, and what print adds: marks of cells, a caption, a note.

    Formats for programs have the rows alone.
    """

    headers: Sequence[str]
    rows: Iterable[Sequence[Cell]]
    best: Set[Position] = frozenset()  # in bold
    second: Set[Position] = frozenset()  # underlined
    superscripts: Mapping[Position, str] = NO_MARKS  # {cell: what stands after it, raised}
    subscripts: Mapping[Position, str] = NO_MARKS
    caption: str = ""
    label: str = ""  # by which a text refers to the table, such as tab:results
    note: str = ""  # what the marks mean
    emphasis: str = ""  # what bold and underlined values are; formats without such type leave it out
    width: float = COLUMN  # pt, of a column of the paper; what LaTeX is to fit
    keys: int = 1  # columns that name the rows, repeated where columns continue below
    across: str = ""  # heads the first column if rows and columns change places; empty: they may not
    links: Mapping[Position, str] = NO_MARKS  # {cell: the file that a page links it to}
    bars: Mapping[Position, float] = NO_BARS  # {cell: from -1 to 1, what a page draws in it as a bar}

    @property
    def legend(self) -> str:
        """The caption and the notes, as sentences of their own."""
        ends = not (self.caption and self.notes) or self.caption.rstrip()[-1:] in ".!?:;…"
        return f"{self.caption}{'' if ends else '.'} {self.notes}".strip()

    @property
    def notes(self) -> str:
        """What emphasis and marks mean."""
        return f"{self.emphasis} {self.note}".strip()

    @property
    def has_marks(self) -> bool:
        """Whether some cell has a superscript or subscript."""
        return bool(self.superscripts or self.subscripts)

    def labelled(self, labels: Callable[[str], str]) -> Self:
        """The table with labels in place of names."""
        rows = (
            [labels(c) if isinstance(c, str) and not isinstance(c, NumberText) else c for c in row]
            for row in self.rows
        )
        return self._replace(headers=[*map(labels, self.headers)], rows=rows)

    def columns(self, places: Sequence[int]) -> Self:
        """The table with some of its columns, in this order."""
        rows = [[row[place] for place in places] for row in self.rows]
        number = {place: n for n, place in enumerate(places)}
        table = self._moved(lambda row, column: (row, number[column]) if column in number else None)
        return table._replace(headers=[self.headers[place] for place in places], rows=rows)

    def some_rows(self, first: int, end: int) -> Self:
        """The table with some of its rows."""
        table = self._moved(lambda row, column: (row - first, column) if first <= row < end else None)
        return table._replace(rows=[*self.rows][first:end])

    def transposed(self) -> Self:
        """The table with rows and columns exchanged."""
        names, *columns = zip(*self.rows, strict=True)
        rows = [[header, *cells] for header, cells in zip(self.headers[1:], columns, strict=True)]
        table = self._moved(lambda row, column: (column - 1, row + 1) if column else None)
        return table._replace(headers=[self.across, *map(str, names)], rows=rows, across=self.headers[0])

    def _moved(self, to: Callable[[int, int], Position | None]) -> Self:
        """The table with its marks moved; those that move to None are dropped."""
        return self._replace(
            best=_moved_cells(self.best, to),
            second=_moved_cells(self.second, to),
            superscripts=_moved_marks(self.superscripts, to),
            subscripts=_moved_marks(self.subscripts, to),
            links=_moved_marks(self.links, to),
            bars=_moved_marks(self.bars, to),
        )


def _moved_cells(cells: Set[Position], to: Callable[[int, int], Position | None]) -> Set[Position]:
    return {moved for cell in cells if (moved := to(*cell)) is not None}


def _moved_marks(
    marks: Mapping[Position, Mark], to: Callable[[int, int], Position | None]
) -> Mapping[Position, Mark]:
    return {moved: mark for cell, mark in marks.items() if (moved := to(*cell)) is not None}


def number(value: float | None, places: int | None = PLACES, undefined: str = "nan") -> str:
    """A number as text: floats with `places` decimals (None: every digit), integers as is."""
    if value is None:
        return ""
    if math.isnan(value):
        return undefined
    if isinstance(value, int) or places is None:
        return str(value)
    if isinstance(value, Shown) and value.text:
        return value.text
    if isinstance(value, Signed):
        return f"{value:+.{places}f}"
    text = f"{value:.{places}f}"
    return text if value > 0 or text.strip("-0.") else text.removeprefix("-")  # no -0.0000


def capital(text: str) -> str:
    """Text with a capital, unless it begins with an abbreviation such as nDCG."""
    return text if text[1:2].isupper() else text[:1].upper() + text[1:]


def width(text: str) -> int:
    """The number of terminal columns that a text takes."""
    if text.isascii():
        return len(text)
    import unicodedata

    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 for c in text)


class Markup(Frozen):
    """How a format writes cells and the marks after them."""

    text: Callable[[str], str] = printable
    number: Callable[[str], str] | None = None  # as `text` by default
    best: Callable[[str], str] = str
    second: Callable[[str], str] = str
    raised: Callable[[str], str] = " {}".format
    lowered: Callable[[str], str] = " ↓{}".format
    pad: Callable[[str], str] | None = None  # of the width of a text: points align, though marks follow


PLAIN = Markup()


def texts(
    table: TableContent, places: int = PLACES, markup: Markup = PLAIN
) -> tuple[list[bool], list[str], list[list[str]]]:
    """(which columns stand right, headers, rows) as a format writes them."""
    rows = list(table.rows)
    columns = list(zip(*rows, strict=True)) if rows else [() for _ in table.headers]
    numeric = [_is_numeric(column) for column in columns]
    pads: dict[Position, str] = {}
    if table.has_marks and markup.pad:  # numbers stand left, since marks of any width follow
        for j, column in enumerate(columns):
            if numeric[j]:
                shown = pads_of([c if isinstance(c, str) else number(c, places) for c in column])
                pads |= {(i, j): markup.pad(pad) for i, pad in enumerate(shown) if pad}
        numeric = [False] * len(numeric)
    text, lines = markup.text, []
    of_number = markup.number or text
    for i, row in enumerate(rows):
        cells = [
            (of_number(c) if isinstance(c, NumberText) else text(c))
            if isinstance(c, str)
            else of_number(number(c, places, undefined="–"))
            for c in row
        ]
        if table.best:
            cells = [markup.best(c) if (i, j) in table.best else c for j, c in enumerate(cells)]
        if table.second:
            cells = [markup.second(c) if (i, j) in table.second else c for j, c in enumerate(cells)]
        if table.has_marks:
            cells = [pads.get((i, j), "") + c + marks(table, (i, j), markup) for j, c in enumerate(cells)]
        lines.append(cells)
    return numeric, [text(header) for header in table.headers], lines


def pads_of(numbers: Sequence[str]) -> list[str]:
    """The digits that each number lacks before its point."""
    wholes = [text.partition(".")[0] for text in numbers]
    digits = [sum(map(str.isdigit, whole)) for whole in wholes]
    signs = [bool(whole) and not whole[0].isdigit() for whole in wholes]
    return [
        "+" * (any(signs) and not sign) + "0" * (max(digits) - count) if count else ""
        for sign, count in zip(signs, digits, strict=True)
    ]


def _is_numeric(column: Sequence[Cell]) -> bool:
    words = [cell for cell in column if isinstance(cell, str)]
    return not words or (len(words) < len(column) and all(isinstance(word, NumberText) for word in words))


def marks(table: TableContent, position: Position, markup: Markup) -> str:
    """The marks after a cell, raised and lowered."""
    raised, lowered = table.superscripts.get(position, ""), table.subscripts.get(position, "")
    return (markup.raised(markup.text(raised)) if raised else "") + (
        markup.lowered(markup.text(lowered)) if lowered else ""
    )


def plain_texts(table: TableContent, places: int = PLACES) -> tuple[list[bool], list[str], list[list[str]]]:
    """The texts for type of one width."""
    numeric, headers, lines = texts(table._replace(superscripts={}, subscripts={}), places)
    if not table.has_marks:
        return numeric, headers, lines
    after = [[marks(table, (i, j), PLAIN) for j in range(len(headers))] for i in range(len(lines))]
    room_for = [max(map(width, column)) for column in zip(*after, [""] * len(headers), strict=True)]
    headers = [h + " " * room * right for h, room, right in zip(headers, room_for, numeric, strict=True)]
    lines = [
        [c + m + " " * (room - width(m)) for c, m, room in zip(line, row, room_for, strict=True)]
        for line, row in zip(lines, after, strict=True)
    ]
    return numeric, headers, lines


# A table that is too wide for a screen continues below in blocks of columns, each with the columns that name
# its rows; no number is ever broken. Where columns are all of one kind, as measures are, rows and columns
# change places if that makes fewer blocks, and where a single row has many columns.
T = TypeVar("T", bound=TableContent)
Widths = Callable[[T], Sequence[int]]


def fitted(table: T, room: int, widths: Widths[T]) -> list[T]:
    """The blocks of a table that fit so many columns of a screen."""
    table = table._replace(rows=list(table.rows))
    rows, columns = len(list(table.rows)), len(table.headers)
    parts = blocks(table, room, widths)
    if not (table.across and rows and table.keys == 1):
        return parts
    if rows == 1 and columns > MAX_ACROSS + 1:
        return blocks(table.transposed(), room, widths)
    if len(parts) > 1:
        turned = blocks(table.transposed(), room, widths)
        return turned if len(turned) < len(parts) else parts
    return parts


def blocks(table: T, room: int, widths: Widths[T]) -> list[T]:
    """The table in blocks of about equal width; the last has the legend."""
    needed = widths(table)
    groups = _groups(needed, table.keys, room)
    if len(groups) == 1:
        return [table]
    for narrower in range(room - 1, 0, -1):
        fewer = _groups(needed, table.keys, narrower)
        if len(fewer) > len(groups):
            break
        groups = fewer
    *others, last = (table.columns(group) for group in groups)
    return [*(block._replace(caption="", note="", emphasis="") for block in others), last]


def _groups(needed: Sequence[int], keys: int, room: int) -> list[list[int]]:
    names = list(range(keys))
    begin = sum(needed[key] + GAP for key in names)
    groups, used = [[*names]], begin
    for column in range(keys, len(needed)):
        if len(groups[-1]) > keys and used + needed[column] > room:
            groups.append([*names])
            used = begin
        groups[-1].append(column)
        used += needed[column] + GAP
    return groups


def plain_widths(places: int = PLACES) -> Widths[TableContent]:
    """The widths of columns in type of one width."""

    def widths(table: TableContent) -> list[int]:
        _, headers, body = plain_texts(table, places)
        return [max(map(width, column)) for column in zip(headers, *body, strict=True)]

    return widths
