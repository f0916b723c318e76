"""Which ties could change a value of the measures at hand: the one definition, for every engine and command.

A tie counts only if a measure sees it. Its documents must differ in what the measure sees of them: a grade,
or just whether they are relevant. And its ranks must lie where order makes a difference: at a cutoff, for
measures that see only which documents are above it; above a cutoff, for others; not below the first relevant
document, for measures that stop there. Of the ties that measures see, those count that change a value: all of
them for strict measures, and for others those that `engines.decisive_ties` finds to do so.

The cores count ties by `for_core`, and `RetrievedJudgments.counting_ties` those of runs that were read before
the measures were known.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rankgauge.core import codes
from rankgauge.measures import Measure
from rankgauge.schema.frozen import Frozen

UNSEEN = -1  # the kind of documents that a measure does not distinguish from unjudged ones
MOST_LEVELS = 10_000  # if there are more, all are taken to be different


class Sight(Frozen):
    """What some measures see."""

    kinds: tuple[int, ...]  # of the documents of each level
    reach: int  # ties that begin below this rank are not seen ...
    cutoffs: tuple[int, ...]  # ... unless they cross one of these ranks
    first: bool  # nothing is seen below the first document of a kind


class Sights(Frozen, eq=False):
    """What all measures see. Judgments are distinguished by their levels: grades, or numbers by subtopics."""

    levels: Any  # ascending
    each: tuple[Sight, ...]

    def for_core(self) -> tuple[Any, tuple[Any, ...]]:
        """The sights as both cores take them."""
        return array("d", self.levels), tuple(
            (array("q", s.kinds), s.reach, array("q", s.cutoffs), s.first) for s in self.each
        )


NO_SIGHTS = Sights((), ())


def sights(measures: Iterable[Measure], levels: Sequence[float], grades: Sequence[float]) -> Sights:
    """The sights of measures, those with the same kinds joined; `grades` are those of the levels."""
    seen: dict[tuple[int, ...], list[Measure]] = {}
    rules: dict[Any, tuple[int, ...]] = {}
    for measure in measures:
        if measure.order_reach != 0:
            rule = measure.distinguishes
            if rule not in rules:
                rules[rule] = tuple(_numbered(rule, grades))
            seen.setdefault(rules[rule], []).append(measure)
    return Sights(levels, tuple(s for kinds, some in seen.items() for s in _joined(kinds, some)))


def _numbered(rule: Any, grades: Sequence[float]) -> Iterator[int]:
    """A number for each kind of grade, and for grades that are not seen, UNSEEN."""
    number: dict[Any, int] = {}
    for place, grade in enumerate(grades):
        kind = rule(grade)
        if kind is None:
            yield UNSEEN
        elif rule.by_subtopic or len(grades) > MOST_LEVELS:
            yield place
        else:
            yield number.setdefault(kind, len(number))


def _joined(kinds: tuple[int, ...], measures: list[Measure]) -> Iterator[Sight]:
    """A sight, and another for measures that see nothing below the first relevant document."""
    reaches, crossed = {False: 0, True: 0}, {False: set[int](), True: set[int]()}
    for measure in measures:
        first, cutoff = measure.sees_first, measure.order_reach
        if cutoff is not None and measure.sees_sets:
            crossed[first].add(cutoff)
        else:
            reaches[first] = max(reaches[first], codes.ENDLESS if cutoff is None else cutoff)
    for first in (False, True):
        nearest = reaches[False]  # what is within it is seen anyway
        reach = reaches[first] if reaches[first] > nearest or not first else 0
        cutoffs = tuple(sorted(c for c in crossed[first] if c > max(reach, nearest)))
        if reach or cutoffs:
            yield Sight(kinds, reach, cutoffs, first)
