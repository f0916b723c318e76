"""Scores from files and from other tools' tables, with their measures in canonical text."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from rankgauge.errors import InputError, MeasureError
from rankgauge.measures import parse
from rankgauge.model.leaderboard import Leaderboard, json_table
from rankgauge.model.provenance import MeasureFacts
from rankgauge.model.score_files import EXTENSIONS
from rankgauge.model.scores import Scores
from rankgauge.model.table_columns import TableColumns

S = TypeVar("S", bound=Scores)


def scores_of(source: Any) -> Scores:
    """Scores unchanged, from a file that was saved, or from anything that `Scores.from_table` takes.

    A file or frame that has only the means of runs is a `Leaderboard`.
    """
    if isinstance(source, Scores):
        return source
    if isinstance(source, (str, os.PathLike)) and Path(source).suffix.lower() in EXTENSIONS:
        try:
            return Scores.load(source)
        except InputError:
            if Path(source).suffix.lower() != ".json" or json_table(source) is None:
                raise
            return means_of(source)
    nested = isinstance(source, Mapping) and all(isinstance(each, Mapping) for each in source.values())
    table = source if nested else TableColumns.of(source)
    if isinstance(table, TableColumns) and table.has_only_means:
        return means_of(table)
    return _with_known_measures(Scores.from_table(table))


def means_of(source: Any) -> Leaderboard:
    """The means of runs, from anything that `Leaderboard.of` takes."""
    return _with_known_measures(source if isinstance(source, Leaderboard) else Leaderboard.of(source))


def _with_known_measures(scores: S) -> S:
    """The scores with the canonical texts and the descriptions of the measures that the language knows."""
    records: dict[str, MeasureFacts | None] = {}
    for name in scores.measures:
        try:
            measure = parse(name)
        except MeasureError:  # a name that the language does not know
            records[name] = None
        else:
            records[str(measure)] = MeasureFacts.of(measure)
    if len(records) < len(scores.measures):  # two names for one measure: both stay as they are
        return scores
    known = {text: record for text, record in records.items() if record}
    return scores._replace(measures=tuple(records), provenance=scores.provenance._replace(measures=known))
