"""What the measures of an evaluation require of an engine."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from rankgauge.errors import OptionError
from rankgauge.measures import Measure
from rankgauge.model.document_order import ORDER, DocumentOrder


def lowest_grade(measures: Iterable[Measure]) -> float:
    """The lowest grade that any measure distinguishes from unjudged."""
    return min(measure.lowest_grade for measure in measures)


def needs_detail(measures: Iterable[Measure], order: DocumentOrder) -> bool:
    """Whether measures need the scores and ties of the retrieved judgments."""
    needs = {measure: measure.spec.needs for measure in measures}
    for measure, need in needs.items():
        if need.scores and order.order == "rank":
            raise OptionError(
                f"{measure} depends on scores, and {ORDER.set_to('rank')} ignores them; "
                f"use {ORDER.set_to('score')}"
            )
    looks_into_ties = any(not measure.is_strict and measure.order_reach != 0 for measure in needs)
    return order.over_orders or looks_into_ties or any(need.ties_or_scores for need in needs.values())


def counted_cutoffs(measures: Sequence[Measure]) -> tuple[int, ...]:
    """The cutoffs above which unjudged documents are counted; none unless all judged ones are looked up."""
    if lowest_grade(measures) > -math.inf:
        return ()
    return tuple(sorted({measure.cutoff for measure in measures if measure.cutoff}))
