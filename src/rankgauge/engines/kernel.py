"""The one loop that measures: measures and judged rankings in, values out. Every engine runs it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rankgauge.engines.tie_orders import over_orders
from rankgauge.measures import Measure
from rankgauge.model.document_order import DocumentOrder
from rankgauge.rankings.arrays import JudgedRankings
from rankgauge.rankings.arrays.curves import Bools, Floats

SLACK = 1e-12  # by which sums in another order may differ


class RankingValues(NamedTuple):
    """(measures, rankings): values, and what is special about each."""

    values: Floats
    weights: Floats  # of the measures with a micro average, and of no others
    drawn: Bools  # whether it comes from random orders of tied documents
    above: Bools  # whether the ranking beats the ideal, and its value is cut down to 1


def empty_values(measures: Sequence[Measure], rankings: int) -> RankingValues:
    """Room for the values of this many rankings, all undefined."""
    weighed = sum(measure.is_weighed for measure in measures)
    values, weights = (np.full((rows, rankings), np.nan) for rows in (len(measures), weighed))
    return RankingValues(values, weights, *np.zeros((2, len(measures), rankings), dtype=np.bool_))


def measure_rankings(
    measures: Sequence[Measure], rankings: JudgedRankings, order: DocumentOrder
) -> RankingValues:
    """The values of rankings, under the rules for tied documents."""
    measured = empty_values(measures, len(rankings.retrieved))
    for row, measure in enumerate(measures):
        if order.over_orders:
            measured.values[row], measured.drawn[row] = over_orders(measure, rankings, order.ties)
            continue
        measured.values[row] = measure.value(rankings)
        if (unclipped := measure.unclipped) is not None:
            measured.above[row] = unclipped.value(rankings) > 1 + SLACK
    for row, measure in enumerate(measure for measure in measures if measure.is_weighed):
        measured.weights[row] = measure.weight(rankings)
    return measured
