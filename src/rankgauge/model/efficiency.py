"""What runs cost beside what they are worth: latency, price and the like, as further measures of scores."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rankgauge.formats.problems import quote
from rankgauge.model.provenance import MeasureFacts
from rankgauge.model.score_tables import TableColumns, is_number
from rankgauge.schema.text import described, unknown_name


def fields(scores: Any, table: Any) -> dict[str, Any]:
    """The fields of scores with the columns of a table as measures, of which lower values are better.

    A row is of a run, or of a run and a topic. What a run costs is its value for each topic.
    """
    rows = TableColumns.of(table)
    run, topic = rows.role("run"), rows.role("topic")
    if run is None:
        raise rows.error(f"{described(table)} has no column of runs; call it run")
    names = [
        name
        for name, cells in rows.columns.items()
        if name not in (run, topic) and all(map(is_number, cells))
    ]
    if not names:
        raise rows.error("has no column of numbers beside runs and topics, such as latency")
    if taken := [name for name in names if name in scores.measures]:
        raise rows.error(f"the scores have a measure {quote(taken[0])} already; rename the column")
    places = {name: place for place, name in enumerate(scores.topics)}
    added = np.full((len(scores.runs), len(names), len(scores.topics)), math.nan)
    known = np.zeros((len(scores.runs), len(scores.topics)), dtype=np.bool_)
    topics = [None] * len(rows.columns[run]) if topic is None else rows.texts(topic)
    for row, (name, of_topic) in enumerate(zip(rows.texts(run), topics, strict=True)):
        if name not in scores.runs or (of_topic is not None and of_topic not in places):
            continue
        at = (
            scores.runs.index(name),
            slice(None) if of_topic is None else slice(places[of_topic], places[of_topic] + 1),
        )
        if known[at].any():
            raise rows.error(
                f"run {quote(name)} has two rows{'' if topic is None else ' for a topic'}; keep one", row
            )
        known[at] = True
        for column, each in enumerate(names):
            value = rows.number(each, row)
            added[at[0], column, at[1]] = math.nan if value is None else value
    for row, name in enumerate(scores.runs):
        if not known[row].any():
            if name in rows.texts(run):
                raise rows.error(f"run {quote(name)} has no row for a topic of the scores; name them alike")
            raise rows.error(unknown_name("run", name, dict.fromkeys(rows.texts(run))))
    facts = {name: MeasureFacts(name, direction=-1) for name in names}
    provenance = scores.provenance
    return {
        "measures": (*scores.measures, *names),
        "values": np.concatenate([scores.values, added], axis=1),
        "provenance": provenance._replace(measures={**provenance.measures, **facts}),
    }
