"""Scores that were saved, or made elsewhere; their measures are those of the language, where known."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from rankgauge.engines.facts import measure_facts
from rankgauge.errors import MeasureError
from rankgauge.measures import parse
from rankgauge.model.provenance import MeasureFacts
from rankgauge.model.score_files import EXTENSIONS
from rankgauge.model.scores import Scores


def scores_of(source: Any) -> Scores:
    """Scores as they are, from a file of them, or from whatever `Scores.from_table` takes."""
    if isinstance(source, Scores):
        return source
    if isinstance(source, (str, os.PathLike)) and Path(source).suffix.lower() in EXTENSIONS:
        return Scores.load(source)
    return _named(Scores.from_table(source))


def _named(scores: Scores) -> Scores:
    """The scores, with measures by their canonical text and what is known of them: which way is better."""
    records: dict[str, MeasureFacts | None] = {}
    for name in scores.measures:
        try:
            measure = parse(name)
        except MeasureError:  # a name of somebody's own
            records[name] = None
        else:
            records[str(measure)] = measure_facts(measure)
    if len(records) < len(scores.measures):  # two names for one measure: leave both as they are
        return scores
    known = {text: record for text, record in records.items() if record}
    return replace(scores, measures=tuple(records), provenance=scores.provenance._replace(measures=known))
