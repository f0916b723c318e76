"""Which way is better, for scores from anywhere."""

from __future__ import annotations

from rankgauge.errors import RankgaugeError
from rankgauge.measures.language import parse
from rankgauge.model.scores import Scores


def direction(scores: Scores | None, measure: str) -> int:
    """1 if higher values of a measure are better, -1 if lower are, 0 if neither.

    Scores record it. Those from other tools' tables do not: there the measure's name decides, if it is one of
    ours, and higher is better otherwise.
    """
    if scores is not None and measure in scores.provenance.measures:
        return scores.direction(measure)
    try:
        return parse(measure).spec.direction
    except RankgaugeError:
        return 1
