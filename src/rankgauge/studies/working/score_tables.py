"""Scores that were made elsewhere: nested dicts and tables of them."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rankgauge.errors import InputError, RankgaugeError
from rankgauge.formats.source import Source
from rankgauge.ids import to_bytes, to_text
from rankgauge.measures import parse
from rankgauge.model.how import How
from rankgauge.model.scores import MEAN, Scores
from rankgauge.topics import TopicRules

SAVED = (".parquet", ".json")  # endings of files that `Scores.save` writes
RUN, TOPIC = ("run", "runid", "run_id", "system"), ("topic", "query", "query_id", "qid")


def scores_of(source: Any) -> Scores:
    """Scores as they are, from a file, or from {run: {measure: {topic: value}}}."""
    if isinstance(source, Scores):
        return source
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        return Scores.load(path) if Path(path).suffix.lower() in SAVED else _of_file(path)
    if isinstance(source, Mapping):
        try:
            return _of_cells(
                (str(run), str(topic), str(measure), float(value))
                for run, by_measure in source.items()
                for measure, by_topic in by_measure.items()
                for topic, value in by_topic.items()
            )
        except (AttributeError, TypeError, ValueError):
            raise InputError("scores are given as {run: {measure: {topic: value}}}, with numbers") from None
    raise InputError(
        f"scores are given as Scores, a file of them or {{run: {{measure: {{topic: value}}}}}}, "
        f"not as {type(source).__name__}"
    )


def _of_file(path: str) -> Scores:
    """Scores from CSV or TSV, packed or not: run, topic, measure, value; or a column for each measure."""
    text = to_text(b"".join(Source(path).chunks(1 << 20)))
    first = text.partition("\n")[0]
    rows = csv.reader(io.StringIO(text, newline=""), delimiter="\t" if "\t" in first else ",")
    header = [name.strip() for name in next(rows, [])]
    places = [
        next((i for i, name in enumerate(header) if name.lower() in names), -1) for names in (RUN, TOPIC)
    ]
    if min(places) < 0 or len(header) < 3:
        raise InputError(
            "is no table of scores: its first line has to name columns run, topic and measures, "
            f"or run, topic, measure and value; found {first[:60]!r}",
            path=path,
        )
    run, topic = places
    others = [i for i in range(len(header)) if i not in places]
    long = {header[i].lower() for i in others} == {"measure", "value"}

    def cells() -> Iterable[tuple[str, str, str, float]]:
        for number, row in enumerate(rows, 2):
            if not row:
                continue
            try:
                if long:
                    named = dict(zip(map(str.lower, header), row, strict=True))
                    found = [(named["measure"], named["value"])]
                else:
                    found = [(header[i], row[i]) for i in others if len(row) == len(header)]
                yield from ((row[run], row[topic], name, _number(value)) for name, value in found)
                if not found:
                    raise ValueError
            except (ValueError, IndexError):
                raise InputError(
                    f"expected {len(header)} columns with numbers for scores, found {','.join(row)[:80]!r}",
                    path=path,
                    line=number,
                ) from None

    return _of_cells(cells(), path)


def _number(text: str) -> float:
    return float(text) if text.strip() else math.nan


def _of_cells(cells: Iterable[tuple[str, str, str, float]], path: str | None = None) -> Scores:
    """Scores from (run, topic, measure, value); the mean of a run is none of its topics."""
    found: dict[tuple[str, str, str], float] = {}
    for run, topic, measure, value in cells:
        if (run, measure, topic) in found:
            raise InputError(f"{measure} of run {run!r} for topic {topic!r} is given twice", path=path)
        if topic != MEAN:
            found[run, measure, topic] = value
    if not found:
        raise InputError("there are no scores in it", path=path)
    runs = {run: place for place, run in enumerate(dict.fromkeys(run for run, _, _ in found))}
    names = {name: place for place, name in enumerate(dict.fromkeys(name for _, name, _ in found))}
    topics = {t: place for place, t in enumerate(sorted({t for _, _, t in found}, key=to_bytes))}
    values = np.full((len(runs), len(names), len(topics)), np.nan)
    counted = np.zeros((len(runs), len(topics)), dtype=np.bool_)
    for (run, measure, topic), value in found.items():
        values[runs[run], names[measure], topics[topic]] = value
        counted[runs[run], topics[topic]] = True
    records = {_canonical(name): _record(name) for name in names}
    rules = TopicRules()
    how = How(options=rules.as_dict(), measures={n: r for n, r in records.items() if r})
    return Scores(tuple(runs), tuple(topics), tuple(records), values, counted, rules, how)


def _canonical(name: str) -> str:
    """The text of the measure that a column is named after, or else the name."""
    try:
        return str(parse(name))
    except RankgaugeError:
        return name


def _record(name: str) -> dict[str, Any]:
    try:
        return dict(parse(name).describe())
    except RankgaugeError:
        return {}
