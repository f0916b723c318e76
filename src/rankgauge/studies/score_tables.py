"""Scores from files and from other tools' tables, with their measures in canonical text."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from rankgauge.errors import MeasureError
from rankgauge.measures import parse
from rankgauge.model.provenance import MeasureFacts
from rankgauge.model.score_files import EXTENSIONS
from rankgauge.model.scores import Scores


def scores_of(source: Any) -> Scores:
    """Scores unchanged, from a file that was saved, or from anything that `Scores.from_table` takes."""
    if isinstance(source, Scores):
        return source
    if isinstance(source, (str, os.PathLike)) and Path(source).suffix.lower() in EXTENSIONS:
        return Scores.load(source)
    return _with_known_measures(Scores.from_table(source))


def _with_known_measures(scores: Scores) -> Scores:
    """The scores with the canonical texts and the descriptions of the measures that the language knows."""
    records: dict[str, MeasureFacts | None] = {}
    for name in scores.measures:
        try:
            measure = parse(name)
        except MeasureError:  # a name that the language does not know
            records[name] = None
        else:
            records[str(measure)] = measure.facts()
    if len(records) < len(scores.measures):  # two names for one measure: both stay as they are
        return scores
    known = {text: record for text, record in records.items() if record}
    return replace(scores, measures=tuple(records), provenance=scores.provenance._replace(measures=known))
