"""The evaluation kernel: measures and judged rankings in, values out. Every engine uses it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rankgauge.engines.tie_orders import SLACK, over_orders
from rankgauge.measures import Measure
from rankgauge.measures.rankings.arrays import JudgedRankings
from rankgauge.measures.rankings.arrays.curves import Bools, Floats
from rankgauge.model.rules import DocumentOrder


class RankingValues(NamedTuple):
    """(measures, rankings): values, and facts about each."""

    values: Floats
    weights: Floats  # only for measures with a micro average
    random: Bools  # whether the value is from random orders of tied documents
    above: Bools  # whether the ranking beats the ideal one and its value is cut to 1


def empty_values(measures: Sequence[Measure], rankings: int) -> RankingValues:
    """Undefined values for this many rankings, to be filled in."""
    weighed = sum(measure.is_weighed for measure in measures)
    values, weights = (np.full((rows, rankings), np.nan) for rows in (len(measures), weighed))
    return RankingValues(values, weights, *np.zeros((2, len(measures), rankings), dtype=np.bool_))


def measure_rankings(
    measures: Sequence[Measure], rankings: JudgedRankings, order: DocumentOrder
) -> RankingValues:
    """The values of rankings, under the rules for tied documents."""
    results = empty_values(measures, len(rankings.retrieved))
    for row, measure in enumerate(measures):
        if order.over_orders:
            results.values[row], results.random[row] = over_orders(measure, rankings, order.ties)
            continue
        results.values[row] = measure.value(rankings)
        if (unclipped := measure.unclipped) is not None:
            results.above[row] = unclipped.value(rankings) > 1 + SLACK
    for row, measure in enumerate(measure for measure in measures if measure.is_weighed):
        results.weights[row] = measure.weight(rankings)
    return results
