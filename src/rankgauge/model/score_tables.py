"""Tables of scores written by other tools: CSV, TSV, JSON lines and Parquet files, frames and dicts.

A table with columns of runs and topics has a row per value, or a row per topic and a column per measure; any
other has a row per topic and a column per run. Rows of means (topic `all` or `average`) are left out; a table
of nothing else is a `Leaderboard`. Where a topic is called so, a column `row` says `topic` or `mean`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from rankgauge.core.ids import to_bytes, to_text
from rankgauge.errors import InputError
from rankgauge.formats import frames
from rankgauge.formats.arrow import read_table
from rankgauge.formats.columns import NAMES, guess
from rankgauge.formats.json import object_lines
from rankgauge.formats.problems import quote
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import delimited_rows, is_arrow, is_json, is_parquet
from rankgauge.measures.settings import Measure
from rankgauge.model.output.markup import unguarded
from rankgauge.model.provenance import Provenance, QrelsFacts
from rankgauge.model.rules import ALL, ROW, TopicRules, Undefined, is_mean
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.text import brief, described, repeated

ROLES = {
    "run": f"{NAMES['tag']} name system_id model method",
    "topic": NAMES["topic"],
    "measure": "measure metric",
    "value": "value score",
}
ABSENT = ("", "na", "null", "none")
VALUE = "value"  # the name of a measure without one
MEANS_ONLY = (
    "has the means of runs and not the values of topics, which are needed here; "
    "`rankgauge evaluate -q` writes both"
)

Columns = dict[str, list[Any]]
Row = tuple[str, str, str, float]  # run, topic, measure, value


class TableColumns(Frozen, eq=False):
    """The columns of a table, with its path and the line of each row."""

    columns: Columns
    source: str  # the path, or the type of an object in memory
    path: str | None = None
    lines: Sequence[int] = ()

    @classmethod
    def of(cls, table: Any) -> TableColumns:
        """The columns of a file, a frame or a dict of columns."""
        if isinstance(table, cls):
            return table
        if isinstance(table, (str, os.PathLike)):
            columns, lines = _read(Source(table))
            return cls(columns, os.fspath(table), os.fspath(table), lines)
        return cls(_columns(table), type(table).__name__)

    def role(self, role: str) -> str | None:
        """The first column with a name of a role in ROLES."""
        return guess([*self.columns], role, ROLES)

    def number(self, column: str, row: int) -> float | None:
        """The value of a cell, or None if it is empty."""
        where = f"column {quote(column)}" if self.lines else f"row {row + 1} of column {quote(column)}"
        try:
            return cell_number(self.columns[column][row], where)
        except InputError as error:
            raise self.error(str(error), row) from None

    def texts(self, column: str) -> list[str]:
        """The cells of a column as text."""
        return [*map(cell_text, self.columns[column])]

    def error(self, message: str, row: int | None = None) -> InputError:
        """An error about the table, or about one of its rows."""
        line = self.lines[row] if self.lines and row is not None else None
        return InputError(message, path=self.path, line=line)

    @property
    def has_only_means(self) -> bool:
        """Whether there is one row per run, or per run and measure, and no topic."""
        run, topic = self.role("run"), self.role("topic")
        if topic is not None:
            rows = self.rows_of_means(topic)
            return bool(rows) and all(rows)
        return run is not None and not all(map(is_number, self.columns[run]))

    def rows_of_means(self, topic: str) -> list[bool]:
        """Whether each row is a mean, and not a topic."""
        for name in self.marks:
            return [mark == "mean" for mark in self.texts(name)]
        return [*map(is_mean, self.texts(topic))]

    @property
    def marks(self) -> list[str]:
        """The column that says whether a row is a topic or a mean, if there is one."""
        named = [name for name in self.columns if name.casefold() == ROW]
        return [name for name in named if {*self.texts(name)} <= {"topic", "mean"}]

    def by_measure(self, run: str, topic: str | None) -> dict[str, list[str]]:
        """{column of values: the measure of each row}."""
        named, of_value = self.role("measure"), self.role("value")
        if named is not None and of_value is not None:
            return {of_value: self.texts(named)}
        rows = len(self.columns[run])
        return {name: [name] * rows for name in self.columns if name not in (run, topic, *self.marks)}


def is_nested(table: Any) -> bool:
    """Whether this is a dict of dicts."""
    return isinstance(table, Mapping) and all(isinstance(each, Mapping) for each in table.values())


def from_table(table: Any, measure: str | None = None, undefined: Undefined = "skip") -> dict[str, Any]:
    """The fields of `Scores` from a file, frame or dict, see `Scores.from_table`."""
    if measure is not None and not isinstance(measure, (str, Measure)):
        raise InputError(f"measure is the name of values that have none, not {described(measure)}")
    columns = None if is_nested(table) and table else TableColumns.of(table)
    path = columns.path if columns else None
    rows: dict[tuple[str, str, str], float] = {}
    for run, topic, named, value in _of_columns(columns, measure) if columns else _of_dict(table, measure):
        if (run, topic, named) in rows:
            raise InputError(
                f"{quote(named)} of run {quote(run)} has two values for topic {quote(topic)}; one is allowed",
                path=path,
            )
        rows[run, topic, named] = value
    if not rows:
        raise InputError("has no scores; expected a header and at least one value", path=path)
    runs, measures = (tuple(dict.fromkeys(key[place] for key in rows)) for place in (0, 2))
    topics = tuple(sorted({key[1] for key in rows}, key=to_bytes))
    places = [{name: place for place, name in enumerate(names)} for names in (runs, topics, measures)]
    values = np.full((len(runs), len(measures), len(topics)), np.nan)
    counted = np.zeros((len(runs), len(topics)), dtype=np.bool_)
    for key, value in rows.items():
        r, t, m = (by_name[name] for by_name, name in zip(places, key, strict=True))
        values[r, m, t] = value
        counted[r, t] = True
    rules = TopicRules(missing="skip", undefined=undefined)
    source = columns.source if columns else type(table).__name__
    return {
        "runs": runs,
        "topics": topics,
        "measures": measures,
        "values": values,
        "counted": counted,
        "rules": rules,
        "provenance": Provenance(options=rules.as_dict(), qrels=QrelsFacts(source, len(topics))),
    }


def _of_dict(table: Mapping[Any, Mapping[Any, Any]], measure: str | None) -> Iterator[Row]:
    """{run: {topic: value}} or {run: {measure: {topic: value}}}."""
    for run, by_topic in table.items():
        deeper = is_nested(by_topic)
        for named, values in by_topic.items() if deeper else [(measure or VALUE, by_topic)]:
            for topic, cell in values.items():
                value = cell_number(cell, f"run {run!r}, topic {topic!r}")
                if value is not None:
                    yield cell_text(run), cell_text(topic), str(named), value


def _of_columns(table: TableColumns, measure: str | None) -> Iterator[Row]:
    if table.has_only_means:
        raise table.error(MEANS_ONLY)
    columns, run, topic = table.columns, table.role("run"), table.role("topic")
    count = max(map(len, columns.values()), default=0)
    # without a column of topics, they are called 01, 02, ..., which sort in their order
    numbered = [str(row).zfill(len(str(count))) for row in range(1, count + 1)]
    topics = numbered if topic is None else table.texts(topic)
    unnamed = [measure or VALUE] * count
    runs: list[str] = []
    if run is None or topic is None:
        measures = {name: unnamed for name in columns if name not in (topic, *table.marks)}
    else:
        measures, runs = table.by_measure(run, topic), table.texts(run)
        of_value = table.role("value")
        if of_value is not None and table.role("measure") is None:
            measures[of_value] = unnamed
        if measure is not None and len(measures) == 1 == len(columns) - 2:
            measures = dict.fromkeys(measures, unnamed)
    for role in filter(None, (topic, run if runs else None)):
        for row, cell in enumerate(columns[role]):
            if is_absent(cell):
                raise table.error(
                    f"row {row + 1} has nothing in column {quote(role)}; name it or remove it", row
                )
    is_of_mean = [False] * count if topic is None else table.rows_of_means(topic)
    means: dict[tuple[str, str], set[str]] = {}
    for name, named in measures.items():
        for row in range(count):
            value = table.number(name, row)
            run_of_row, word = runs[row] if runs else name, topics[row].casefold()
            if value is not None and not is_of_mean[row]:
                yield run_of_row, topics[row], named[row], value
            elif value is not None:
                known = means.setdefault((run_of_row, named[row]), set())
                if word in known or (known and ALL in {word, *known}):
                    raise table.error(
                        f"{quote(topics[row])} is a second mean of {quote(named[row])} for run "
                        f"{quote(run_of_row)}, or a topic of that name; say which in a column {quote(ROW)}: "
                        "topic or mean",
                        row,
                    )
                known.add(word)


def cell_number(cell: Any, where: str) -> float | None:
    """The value of a cell, or None if it is empty."""
    if cell is None or (isinstance(cell, str) and cell.strip().casefold() in ABSENT):
        return None
    try:
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        text = cell if isinstance(cell, str) else brief(cell)
        message = f"{where}: {quote(text)} is not a number; expected a number, nan, or an empty cell"
        raise InputError(message) from None


def is_number(cell: Any) -> bool:
    """Whether a cell is a number, or empty."""
    try:
        cell_number(cell, "")
    except InputError:
        return False
    return True


def is_absent(cell: Any) -> bool:
    """Whether a cell is None or one of the ways in which frames have no value."""
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, Real) and math.isnan(cell)


def cell_text(name: Any) -> str:
    """A name as text."""
    return to_text(name) if isinstance(name, bytes) else str(name)


def _read(source: Source) -> tuple[Columns, list[int]]:
    """(columns of a file, line number of each row)."""
    if is_parquet(source) or is_arrow(source):
        return _columns(read_table(source)), []
    if is_json(source, ""):
        return _read_objects(source)
    columns: Columns = {}
    lines = []
    for number, cells in delimited_rows(source, cell=unguarded):
        if not columns:
            header = [cell.strip() or "topic" for cell in cells]
            columns = {name: [] for name in header}
            if twice := repeated(header):
                raise InputError(f"two columns are named {quote(twice[0])}", path=source.path, line=number)
            continue
        if len(cells) != len(columns):
            message = f"expected the {len(columns)} columns of the header, found {len(cells)}: "
            raise InputError(message + quote(",".join(cells)), path=source.path, line=number)
        for column, cell in zip(columns.values(), cells, strict=True):
            column.append(cell)
        lines.append(number)
    return columns, lines


def _read_objects(source: Source) -> tuple[Columns, list[int]]:
    """(columns of JSON lines, line of each row)."""
    rows = [*object_lines(source)]
    names = dict.fromkeys(name for _, row in rows for name in row)
    return {name: [row.get(name) for _, row in rows] for name in names}, [line for line, _ in rows]


def _columns(frame: Any) -> Columns:
    """The columns of a dict or frame, also a named index of pandas."""
    frame = frames.result_of(frame)
    names = frame.keys() if isinstance(frame, Mapping) else getattr(frame, "column_names", None)
    names = getattr(frame, "columns", None) if names is None else names
    if names is None or not hasattr(frame, "__getitem__"):  # a Styler of pandas
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
