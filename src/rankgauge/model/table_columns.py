"""Columns of tables that other tools wrote: CSV and TSV files, frames and dicts."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from rankgauge.core.ids import to_text
from rankgauge.errors import InputError
from rankgauge.formats.columns import NAMES
from rankgauge.formats.problems import quote
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import has_content, line_problem, numbered_lines
from rankgauge.model.output.markup import unguarded
from rankgauge.model.topic_rules import ALL
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.text import described, repeated

ROLES = {
    "run": f"{NAMES['tag']} name system_id model method",
    "topic": NAMES["topic"],
    "measure": "measure metric",
    "value": "value score",
}
ABSENT = ("", "na", "null", "none")
MEANS = (ALL, "average", "mean", "amean", "gmean")  # not topics

Columns = dict[str, list[Any]]


class TableColumns(Frozen, eq=False):
    """The columns of a table, with the path of its file and the line of each row if it comes from one."""

    columns: Columns
    source: str  # the path, or the type of an object in memory
    path: str | None = None
    lines: Sequence[int] = ()

    @classmethod
    def of(cls, table: Any) -> TableColumns:
        """The columns of a CSV or TSV file, a frame or a dict of columns; those that have been read."""
        if isinstance(table, cls):
            return table
        if isinstance(table, (str, os.PathLike)):
            columns, lines = _read(Source(table))
            return cls(columns, os.fspath(table), os.fspath(table), lines)
        return cls(_columns(table), type(table).__name__)

    def role(self, role: str) -> str | None:
        """The first column with one of the names of a role, one of ROLES."""
        by_name = {_normal(name): name for name in reversed(self.columns)}
        return next(
            (by_name[_normal(name)] for name in ROLES[role].split() if _normal(name) in by_name), None
        )

    def number(self, column: str, row: int) -> float | None:
        """The value of a cell, or None if it is empty."""
        name = quote(column)
        where = f"column {name}" if self.lines else f"row {row + 1} of column {name}"
        return cell_number(
            self.columns[column][row], where, self.path, self.lines[row] if self.lines else None
        )

    def error(self, message: str, row: int | None = None) -> InputError:
        """An error about the table, or about one of its rows."""
        line = self.lines[row] if self.lines and row is not None else None
        return InputError(message, path=self.path, line=line)

    @property
    def has_only_means(self) -> bool:
        """Whether there is one row for each run, or for each run and measure, and no topic."""
        run, topic = self.role("run"), self.role("topic")
        if topic is not None:
            cells = self.columns[topic]
            return bool(cells) and all(is_mean(cell_text(cell)) for cell in cells)
        return run is not None and self.has_text(run)

    def has_text(self, column: str) -> bool:
        """Whether any cell of a column is not a number."""
        return not all(map(is_number, self.columns[column]))


def _normal(name: str) -> str:
    """A column name without case and separators."""
    return name.casefold().translate({ord(c): None for c in " _-"})


def cell_number(cell: Any, where: str, path: str | None = None, line: int | None = None) -> float | None:
    """The value of a cell, or None if it is empty."""
    if cell is None or (isinstance(cell, str) and cell.strip().casefold() in ABSENT):
        return None
    try:
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        message = f"{where}: {quote(str(cell))} is not a number; expected a number, nan, or an empty cell"
        raise InputError(message, path=path, line=line) from None


def is_number(cell: Any) -> bool:
    """Whether a cell is a number, or empty."""
    try:
        cell_number(cell, "")
    except InputError:
        return False
    return True


def is_mean(topic: str) -> bool:
    """Whether the name of a topic stands for the mean over all."""
    return topic.casefold() in MEANS


def cell_text(name: Any) -> str:
    """A name as text."""
    return to_text(name) if isinstance(name, bytes) else str(name)


def _read(source: Source) -> tuple[Columns, list[int]]:
    """(columns of a delimited file with a header, line number of each row).

    Columns are separated by tabs, commas or semicolons.
    """
    import csv

    header: list[str] = []
    columns: Columns = {}
    lines = []
    for number, line in numbered_lines(source):
        text = to_text(line).rstrip("\r")
        if line_problem(line):
            raise InputError("is not text; a table of scores is CSV or TSV", path=source.path, line=number)
        if not text.strip() or not (header or has_content(line)):  # comments come only before the header
            continue
        if not header:
            delimiter = next((c for c in "\t,;" if c in text), ",")
        try:
            cells = next(csv.reader([text], delimiter=delimiter))
            cells = cells if delimiter == "\t" else [unguarded(cell) for cell in cells]
        except csv.Error as error:
            raise InputError(f"the line cannot be read: {error}", path=source.path, line=number) from None
        if not header:
            header = [cell.strip() for cell in cells]
            columns = {name or "topic": [] for name in header}
            if len(columns) < len(header):
                twice = repeated(name or "topic" for name in header)[0]
                raise InputError(f"two columns are called {quote(twice)}", path=source.path, line=number)
            continue
        if len(cells) != len(header):
            message = f"expected the {len(header)} columns of the header, found {len(cells)}: {quote(text)}"
            raise InputError(message, path=source.path, line=number)
        for name, cell in zip(columns, cells, strict=True):
            columns[name].append(cell)
        lines.append(number)
    return columns, lines


def _columns(frame: Any) -> Columns:
    """The columns of a dict or of a pandas, polars or pyarrow frame; with the index of pandas, if named."""
    names = frame.keys() if isinstance(frame, Mapping) else getattr(frame, "column_names", None)
    names = getattr(frame, "columns", None) if names is None else names
    if names is None:
        raise InputError(
            f"{described(frame)} is not a table of scores; expected a file, a frame, or a dict such as "
            "{run: {topic: value}} or {run: [value, ...]}"
        )
    columns = {cell_text(name): _as_list(frame[name]) for name in names}
    index = getattr(frame, "index", None)
    if (
        index is not None
        and hasattr(index, "tolist")
        and type(index).__name__ != "RangeIndex"
        and not TableColumns(columns, "").role("topic")
    ):
        columns = {"topic": index.tolist(), **columns}
    sizes = {name: len(column) for name, column in columns.items()}
    if len(set(sizes.values())) > 1:
        raise InputError(f"the columns differ in length: {sizes}; all must have the same length")
    return columns


def _as_list(column: Any) -> list[Any]:
    for name in ("to_list", "tolist", "to_pylist"):
        if hasattr(column, name):
            return list(getattr(column, name)())
    return list(column) if isinstance(column, Sequence) else [column]
