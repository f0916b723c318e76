"""Scores from tables written by other tools: topics by runs, or one row per value.

A table with a column of runs and one of topics has either one row per value, with the measure in a column, or
one row per topic and one column per measure. Any other table has one row per topic and one column per run; it
may have a column of topics. Columns have the names known from files of runs and judgments. Rows of means,
whose topic is `all` or `average`, are left out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rankgauge.core.ids import to_bytes, to_text
from rankgauge.errors import InputError
from rankgauge.formats.columns import NAMES
from rankgauge.formats.lines import has_content, line_problem, numbered_lines
from rankgauge.formats.problems import quote
from rankgauge.formats.source import Source
from rankgauge.model.markup import unguarded
from rankgauge.model.provenance import Provenance, QrelsFacts
from rankgauge.model.topic_rules import ALL, TopicRules
from rankgauge.schema.text import repeated

ROLES = {
    "run": f"{NAMES['tag']} name system_id",
    "topic": NAMES["topic"],
    "measure": "measure metric",
    "value": "value score",
}
ABSENT = ("", "na", "null", "none")
MEANS = (ALL, "average", "mean", "amean", "gmean")  # not topics
VALUE = "value"  # the name of a measure without one
MEANS_ONLY = (
    "has the means of runs and not the values of topics, which are needed here; "
    "`rankgauge evaluate -q` writes both"
)

Columns = dict[str, list[Any]]
Row = tuple[str, str, str, float]  # run, topic, measure, value


def from_table(table: Any, measure: str | None = None, undefined: str = "skip") -> dict[str, Any]:
    """The fields of `Scores` from a file, frame or dict, as described at `Scores.from_table`."""
    path = os.fspath(table) if isinstance(table, (str, os.PathLike)) else None
    rows: dict[tuple[str, str, str], float] = {}
    for run, topic, named, value in _rows(table, measure):
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
    provenance = Provenance(
        options=rules.as_dict(), qrels=QrelsFacts(path or type(table).__name__, len(topics))
    )
    return {
        "runs": runs,
        "topics": topics,
        "measures": measures,
        "values": values,
        "counted": counted,
        "rules": rules,
        "provenance": provenance,
    }


def _rows(table: Any, measure: str | None) -> Iterator[Row]:
    if isinstance(table, (str, os.PathLike)):
        columns, lines = _read(Source(table))
        return _of_columns(columns, measure, os.fspath(table), lines)
    if isinstance(table, Mapping) and table and all(isinstance(v, Mapping) for v in table.values()):
        return _of_dict(table, measure)
    return _of_columns(_columns(table), measure)


def _of_dict(table: Mapping[Any, Mapping[Any, Any]], measure: str | None) -> Iterator[Row]:
    """{run: {topic: value}}, or {run: {measure: {topic: value}}} as `Scores.to_dict` has it."""
    for run, by_topic in table.items():
        deeper = all(isinstance(value, Mapping) for value in by_topic.values())
        for named, values in by_topic.items() if deeper else [(measure or VALUE, by_topic)]:
            for topic, cell in values.items():
                value = _number(cell, f"run {run!r}, topic {topic!r}")
                if value is not None:
                    yield _text(run), _text(topic), str(named), value


def _of_columns(
    columns: Columns, measure: str | None, path: str | None = None, lines: Sequence[int] = ()
) -> Iterator[Row]:
    """The values in columns; `lines` has the line number of each row of a file."""
    roles = {role: _find_column(columns, names) for role, names in ROLES.items()}
    run, topic = roles["run"], roles["topic"]
    if run is not None and topic is None and not all(map(_is_number, columns[run])):
        raise InputError(MEANS_ONLY, path=path)
    topics = [_text(cell) for cell in columns[topic]] if topic is not None else _numbered_topics(columns)
    if topics and all(map(_is_mean, topics)):
        raise InputError(MEANS_ONLY, path=path)
    if run is None or topic is None:
        runs = [name for name in columns if name != topic]
        sources = {name: ([name] * len(topics), [measure or VALUE] * len(topics)) for name in runs}
    else:
        run_names = [_text(cell) for cell in columns[run]]
        if roles["measure"] is not None and roles["value"] is not None:
            sources = {roles["value"]: (run_names, [_text(cell) for cell in columns[roles["measure"]]])}
        else:
            rest = [name for name in columns if name not in (run, topic)]
            renamed = {roles["value"]: measure or VALUE}
            if measure is not None and len(rest) == 1:
                renamed = {rest[0]: measure}
            sources = {name: (run_names, [renamed.get(name, name)] * len(run_names)) for name in rest}
    for name, (run_names, measures) in sources.items():
        for row, cell in enumerate(columns[name]):
            where = f"column {quote(name)}" if lines else f"row {row + 1} of column {quote(name)}"
            value = _number(cell, where, path, lines[row] if lines else None)
            if value is not None and not _is_mean(topics[row]):
                yield run_names[row], topics[row], measures[row], value


def _find_column(columns: Columns, names: str) -> str | None:
    """The first column with one of these names."""
    by_name = {_normal(name): name for name in reversed(columns)}
    return next((by_name[_normal(name)] for name in names.split() if _normal(name) in by_name), None)


def _normal(name: str) -> str:
    """A column name without case and separators."""
    return name.casefold().translate({ord(c): None for c in " _-"})


def _numbered_topics(columns: Columns) -> list[str]:
    """Names for topics without any: 01, 02, ..., which sort in their order."""
    count = max(map(len, columns.values()), default=0)
    return [str(row).zfill(len(str(count))) for row in range(1, count + 1)]


def _number(cell: Any, where: str, path: str | None = None, line: int | None = None) -> float | None:
    """The value of a cell, or None if it is empty."""
    if cell is None or (isinstance(cell, str) and cell.strip().casefold() in ABSENT):
        return None
    try:
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        message = f"{where}: {quote(str(cell))} is not a number; expected a number, nan, or an empty cell"
        raise InputError(message, path=path, line=line) from None


def _is_number(cell: Any) -> bool:
    try:
        _number(cell, "")
    except InputError:
        return False
    return True


def _is_mean(topic: str) -> bool:
    return topic.casefold() in MEANS


def _text(name: Any) -> str:
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
            f"a {type(frame).__name__} is not a table of scores; expected a file, a frame, or a dict such as "
            "{run: {topic: value}} or {run: [value, ...]}"
        )
    columns = {_text(name): _as_list(frame[name]) for name in names}
    index = getattr(frame, "index", None)
    if (
        index is not None
        and hasattr(index, "tolist")
        and type(index).__name__ != "RangeIndex"
        and not _find_column(columns, ROLES["topic"])
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
