"""Collections side by side: in one table, or as the panels of one figure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankgauge.errors import OptionError
from rankgauge.model.output.tables import Cell, Table

if TYPE_CHECKING:
    from rankgauge.figures import Figure


def side_by_side(tables: Mapping[str, Table]) -> Table:
    """One table of tables with the same columns, whose first column is the collection."""
    first, *others = tables.values()
    if any(list(table.headers) != list(first.headers) for table in others):
        raise ValueError("the tables have different columns")
    return Table(("collection", *first.headers), list(_rows(tables)))


def _rows(tables: Mapping[str, Table]) -> Iterator[list[Cell]]:
    for name, table in tables.items():
        yield from ([name, *row] for row in table.rows)


def records(table: Table) -> list[dict[str, Any]]:
    """The rows of a table as dicts."""
    return [dict(zip(table.headers, row, strict=True)) for row in table.rows]


def square(table: Table, names: Sequence[str]) -> dict[str, dict[str, float]]:
    """{row: {column: number}} of a table of every two things, with other names for them."""
    rows = ([float(cell) for cell in [*row][1:]] for row in table.rows)  # type: ignore[arg-type]
    return {name: dict(zip(names, row, strict=True)) for name, row in zip(names, rows, strict=True)}


def panels(figures: Mapping[str, Figure], title: str, shared: Sequence[str] = ("x", "y")) -> Figure:
    """The figures as the panels of one, each under its name, with the same range on the axes `shared`."""
    from rankgauge.figures.panels import compose

    return compose(list(figures.values()), titles=list(figures), title=title, shared=shared)


def file_name(*parts: str) -> str:
    """A name for files, from parts that may hold anything."""
    words = (re.sub(r"[^A-Za-z0-9]+", "-", part).strip("-").lower() for part in parts)
    return "-".join(word for word in words if word)


def require_own_files(collections: Iterable[str]) -> None:
    """Refuse names of collections whose files would replace each other."""
    owners: dict[str, str] = {}
    for name in collections:
        other = owners.setdefault(file_name(name), name)
        if other != name:
            raise OptionError(
                f"the collections {other!r} and {name!r} would have files of the same names; "
                "use names that differ in the letters A to Z, whatever their case, or in digits"
            )
