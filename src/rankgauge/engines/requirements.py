"""Requirements of measures on an engine: grades to look up, scores and ties of hits, and ties to count.

A tie is counted if it could change a value: its documents differ in what a measure distinguishes (a grade, or
whether they are relevant), and its ranks lie where order makes a difference: at a cutoff, for measures of the
set of documents above it; above a cutoff, for others; not below the first relevant document, for measures
that stop there. This is an upper bound: whether some order does change a value is not checked.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rankgauge.core import codes
from rankgauge.errors import OptionError
from rankgauge.measures import Measure
from rankgauge.model.rules import ORDER, DocumentOrder
from rankgauge.schema.frozen import Frozen

UNSEEN = -1  # the kind of documents that a measure does not distinguish from unjudged ones
MAX_LEVELS = 10_000  # if there are more, all are taken to be different


def lowest_grade(measures: Iterable[Measure]) -> float:
    """The lowest grade that any measure distinguishes from unjudged."""
    return min((measure.lowest_grade for measure in measures), default=-math.inf)


def needs_detail(measures: Iterable[Measure], order: DocumentOrder) -> bool:
    """Whether measures need the scores and ties of the retrieved judgments."""
    needs = {measure: measure.spec.needs for measure in measures}
    for measure, need in needs.items():
        if need.scores and order.order == "rank":
            raise OptionError(
                f"{measure} depends on scores, and {ORDER.set_to('rank')} ignores them; "
                f"use {ORDER.set_to('score')}"
            )
    return order.over_orders or any(need.ties_or_scores for need in needs.values())


def counted_cutoffs(measures: Sequence[Measure]) -> tuple[int, ...]:
    """The cutoffs above which unjudged documents are counted."""
    if lowest_grade(measures) > -math.inf:
        return ()
    return tuple(sorted({measure.cutoff for measure in measures if measure.cutoff}))


class VisibleTies(Frozen):
    """The ties that measures with the same kinds of documents see."""

    kinds: tuple[int, ...]  # of the documents of each level
    reach: int  # ties that begin below this rank are not seen ...
    cutoffs: tuple[int, ...]  # ... unless they cross one of these ranks
    first: bool  # nothing is seen below the first document of a kind


class TieVisibility(Frozen, eq=False):
    """The ties that any measure sees. The level of a judgment is its grade, or a number for its subtopics."""

    levels: Any  # ascending
    groups: tuple[VisibleTies, ...]

    def for_core(self) -> tuple[Any, tuple[Any, ...]]:
        """The arguments that both cores take."""
        return array("d", self.levels), tuple(
            (array("q", ties.kinds), ties.reach, array("q", ties.cutoffs), ties.first) for ties in self.groups
        )


NO_TIES = TieVisibility((), ())


def tie_visibility(
    measures: Iterable[Measure], levels: Sequence[float], grades: Sequence[float]
) -> TieVisibility:
    """The ties that measures see; `grades` are those of the levels."""
    by_kinds: dict[tuple[int, ...], list[Measure]] = {}
    for measure in measures:
        if _order_reach(measure) != 0:
            by_kinds.setdefault(_kinds(measure, grades), []).append(measure)
    groups = (ties for kinds, some in by_kinds.items() for ties in _visible_ties(kinds, some))
    return TieVisibility(levels, tuple(groups))


def _order_reach(measure: Measure) -> int | None:
    """The deepest rank at which the order of ties can change the value; None if any can."""
    unordered = measure.spec.laws.unordered
    if measure.spec.needs.ties_or_scores or unordered == "always":
        return 0
    if unordered == "uncut" and measure.cutoff is None:
        return 0
    if measure.settings.get("judged_only"):  # its cutoff counts judged documents alone
        return None
    return measure.reach if measure.inner is None else _order_reach(measure.inner)


def _kinds(measure: Measure, grades: Sequence[float]) -> tuple[int, ...]:
    """A number per grade, equal where the measure does not distinguish them."""
    lowest = measure.lowest_grade
    if measure.spec.needs.subtopics or len(grades) > MAX_LEVELS:
        return tuple(UNSEEN if grade < lowest else place for place, grade in enumerate(grades))
    numbers: dict[Any, int] = {None: UNSEEN}
    return tuple(numbers.setdefault(_kind(measure, lowest, grade), len(numbers)) for grade in grades)


def _kind(measure: Measure, lowest: float, grade: float) -> Any:
    spec, only = measure.spec, measure.settings.get("grade")
    if grade < lowest:
        return None
    if spec.is_own and spec.depends_on == "judged" and not (spec.binary or spec.has("gains")):
        # Documents are judged or not, and `negatives` decides about those below 0.
        return "judged" if grade >= 0 or measure.negatives == "nonrelevant" else None
    if not spec.is_own or not (spec.binary or lowest > -math.inf):
        return grade
    if grade < measure.counted_from if only is None else grade != only:
        if lowest > -math.inf:
            return None
        return "below 0" if grade < 0 else "not relevant"  # which differ where there is `negatives`
    if not measure.by_gain:
        return "relevant"
    if measure.is_linear and measure.gains.scheme in ("map", "binary"):  # a term depends on the gain alone
        return dict(measure.gains.table).get(grade, "relevant")
    return grade


def _visible_ties(kinds: tuple[int, ...], measures: list[Measure]) -> Iterator[VisibleTies]:
    reaches, crossed = {False: 0, True: 0}, {False: set[int](), True: set[int]()}
    for measure in measures:
        whole = not measure.settings.get("judged_only")
        first, cutoff = measure.spec.laws.stops_at_first and whole, _order_reach(measure)
        of_sets = whole and measure.inner is None and measure.spec.laws.unordered == "uncut"
        if cutoff is not None and of_sets:  # which documents are above it, not their order
            crossed[first].add(cutoff)
        else:
            reaches[first] = max(reaches[first], codes.ENDLESS if cutoff is None else cutoff)
    for first in (False, True):
        nearest = reaches[False]  # what is within it is seen anyway
        reach = reaches[first] if reaches[first] > nearest or not first else 0
        cutoffs = tuple(sorted(c for c in crossed[first] if c > max(reach, nearest)))
        if reach or cutoffs:
            yield VisibleTies(kinds, reach, cutoffs, first)
