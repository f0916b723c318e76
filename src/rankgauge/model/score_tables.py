"""Scores from tables written by other tools: topics by runs, or one row per value.

A table with a column of runs and one of topics has either one row per value, with the measure in a column, or
one row per topic and one column per measure. Any other table has one row per topic and one column per run; it
may have a column of topics. Columns have the names known from files of runs and judgments. Rows of means,
whose topic is `all` or `average`, are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from rankgauge.core.ids import to_bytes
from rankgauge.errors import InputError
from rankgauge.formats.problems import quote
from rankgauge.model.provenance import Provenance, QrelsFacts
from rankgauge.model.table_columns import Columns, TableColumns, cell_number, cell_text, is_mean
from rankgauge.model.topic_rules import TopicRules

VALUE = "value"  # the name of a measure without one
MEANS_ONLY = (
    "has the means of runs and not the values of topics, which are needed here; "
    "`rankgauge evaluate -q` writes both"
)

Row = tuple[str, str, str, float]  # run, topic, measure, value


def from_table(table: Any, measure: str | None = None, undefined: str = "skip") -> dict[str, Any]:
    """The fields of `Scores` from a file, frame or dict, as described at `Scores.from_table`."""
    if not _is_nested(table):
        table = TableColumns.of(table)
    path = getattr(table, "path", None)
    rows: dict[tuple[str, str, str], float] = {}
    for run, topic, named, value in (_of_dict if _is_nested(table) else _of_columns)(table, measure):
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
        options=rules.as_dict(), qrels=QrelsFacts(getattr(table, "source", type(table).__name__), len(topics))
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


def _is_nested(table: Any) -> bool:
    """Whether this is a dict of dicts, rather than a table with columns."""
    return isinstance(table, Mapping) and bool(table) and all(isinstance(v, Mapping) for v in table.values())


def _of_dict(table: Mapping[Any, Mapping[Any, Any]], measure: str | None) -> Iterator[Row]:
    """{run: {topic: value}}, or {run: {measure: {topic: value}}} as `Scores.to_dict` has it."""
    for run, by_topic in table.items():
        deeper = all(isinstance(value, Mapping) for value in by_topic.values())
        for named, values in by_topic.items() if deeper else [(measure or VALUE, by_topic)]:
            for topic, cell in values.items():
                value = cell_number(cell, f"run {run!r}, topic {topic!r}")
                if value is not None:
                    yield cell_text(run), cell_text(topic), str(named), value


def _of_columns(table: TableColumns, measure: str | None) -> Iterator[Row]:
    columns, run, topic = table.columns, table.role("run"), table.role("topic")
    if table.has_only_means:
        raise table.error(MEANS_ONLY)
    topics = [cell_text(cell) for cell in columns[topic]] if topic is not None else _numbered_topics(columns)
    if run is None or topic is None:
        runs = [name for name in columns if name != topic]
        sources = {name: ([name] * len(topics), [measure or VALUE] * len(topics)) for name in runs}
    else:
        run_names = [cell_text(cell) for cell in columns[run]]
        named, of_value = table.role("measure"), table.role("value")
        if named is not None and of_value is not None:
            sources = {of_value: (run_names, [cell_text(cell) for cell in columns[named]])}
        else:
            rest = [name for name in columns if name not in (run, topic)]
            renamed = {of_value: measure or VALUE}
            if measure is not None and len(rest) == 1:
                renamed = {rest[0]: measure}
            sources = {name: (run_names, [renamed.get(name, name)] * len(run_names)) for name in rest}
    for name, (run_names, measures) in sources.items():
        for row in range(len(columns[name])):
            value = table.number(name, row)
            if value is not None and not is_mean(topics[row]):
                yield run_names[row], topics[row], measures[row], value


def _numbered_topics(columns: Columns) -> list[str]:
    """Names for topics without any: 01, 02, ..., which sort in their order."""
    count = max(map(len, columns.values()), default=0)
    return [str(row).zfill(len(str(count))) for row in range(1, count + 1)]
