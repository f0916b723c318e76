"""The one loop that measures: judged rankings and measures in, values and what is known of them out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rankgauge.engines import facts
from rankgauge.engines.tie_orders import RANDOM_ORDERS, SEED, over_orders
from rankgauge.measures import Measure
from rankgauge.model.document_order import DocumentOrder
from rankgauge.rankings.arrays import JudgedRankings
from rankgauge.rankings.arrays.curves import Bools, Floats

SLACK = 1e-12  # by which sums in another order may differ


class Measured(NamedTuple):
    """(measures, rankings): values, and what is known of each."""

    values: Floats
    weights: Floats  # of the measures whose average is weighted, and of no others
    drawn: Bools  # whether it took random orders of tied documents
    above: Bools  # whether the ranking beats the ideal, and its value is cut down to 1


def nothing(measures: Sequence[Measure], rankings: int) -> Measured:
    """Room for the values of so many rankings."""
    weighed = sum(measure.is_weighed for measure in measures)
    values, weights = (np.full((rows, rankings), np.nan) for rows in (len(measures), weighed))
    return Measured(values, weights, *np.zeros((2, len(measures), rankings), dtype=np.bool_))


def measured(measures: Sequence[Measure], rankings: JudgedRankings, order: DocumentOrder) -> Measured:
    """The values of rankings, under rules for tied documents."""
    found = nothing(measures, len(rankings.retrieved))
    for row, measure in enumerate(measures):
        if order.over_orders:
            found.values[row], found.drawn[row] = over_orders(measure, rankings, order.ties)
            continue
        found.values[row] = measure.value(rankings)
        if (unclipped := measure.unclipped) is not None:
            found.above[row] = unclipped.value(rankings) > 1 + SLACK
    for row, measure in enumerate(measure for measure in measures if measure.is_weighed):
        found.weights[row] = measure.weight(rankings)
    return found


def value_facts(measures: Sequence[Measure], drawn: Sequence[int], above: Sequence[int]) -> dict[str, Any]:
    """What results say of the values of a run, from how many topics of each measure are concerned."""
    random, beaten = facts.by_measure(measures, drawn), facts.by_measure(measures, above)
    return {
        **({"random_orders": {"topics": random, "orders": RANDOM_ORDERS, "seed": SEED}} if random else {}),
        **({"above_ideal": beaten} if beaten else {}),
    }
