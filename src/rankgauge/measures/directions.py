"""What the model knows of a measure by its name: which way is better, its range, its canonical text."""

from __future__ import annotations

from rankgauge.errors import RankgaugeError
from rankgauge.measures.language import canonical, parse
from rankgauge.model.output.labels import know_measures
from rankgauge.model.provenance import know_counts, know_directions, know_shares
from rankgauge.model.scores import Scores

__all__ = ["Scores", "direction", "direction_by_name"]  # importing Scores from here makes names known


def direction(scores: Scores | None, measure: str) -> int:
    """1 if higher values of a measure are better, -1 if lower are, 0 if neither; without scores, by name."""
    return direction_by_name(measure) if scores is None else scores.direction(measure)


def direction_by_name(measure: str) -> int:
    """The direction of one of our measures; for any other name higher is better."""
    try:
        return parse(measure).spec.direction
    except RankgaugeError:
        return 1


def share_by_name(measure: str) -> bool:
    """Whether the average of a measure lies between -1 and 1; that of any other name is taken to."""
    try:
        known = parse(measure)
    except RankgaugeError:
        return True
    lowest, highest = known.bounds
    return known.average != "sum" and lowest >= -1 and highest <= 1


def count_by_name(measure: str) -> bool:
    """Whether the values of a measure are declared to be numbers of things."""
    try:
        return parse(measure).spec.shows.counts
    except RankgaugeError:
        return False


know_counts(count_by_name)
know_directions(direction_by_name)
know_shares(share_by_name)
know_measures(canonical)
