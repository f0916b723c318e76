"""Tables that fit the width of a screen, in which no number is ever broken.

A table that is too wide continues below in blocks of columns, each with the columns that name its rows. Where
columns are all of one kind, as measures are, rows and columns change places if that makes fewer blocks, and
where a single row has many columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from rankgauge.model.output.table_cells import PLACES, TableContent, plain_texts, width

SCREEN = 80  # columns of a screen that is not known
GAP = 2  # between two columns
MAX_ACROSS = 6  # columns of a single row
T = TypeVar("T", bound=TableContent)
Widths = Callable[[T], Sequence[int]]


def fitted(table: T, room: int, widths: Widths[T]) -> list[T]:
    """The blocks of a table that fit `room` columns of a screen; `widths` are those that columns need."""
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
    """The table in blocks of columns that are about as wide; only the last has the legend."""
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
    return [*(block._replace(caption="", note="") for block in others), last]


def _groups(needed: Sequence[int], keys: int, room: int) -> list[list[int]]:
    """The columns of blocks that fit, each with the keys and at least one other column."""
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
    """The widths of columns in type of one width, in which no text is broken, either."""

    def widths(table: TableContent) -> list[int]:
        _, headers, body = plain_texts(table, places, star="*")
        return [max(map(width, column)) for column in zip(headers, *body, strict=True)]

    return widths
