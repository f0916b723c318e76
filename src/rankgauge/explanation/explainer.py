"""The explanation of one topic, computed from its judged ranking.

Measures need no code of their own to be explained. The value at each rank is the measure's curve, for the run
and for the ideal ranking; the contribution of a document is the loss if it were unjudged; bounds for unjudged
documents are values of views of the same ranking. Gains, discounts, columns and variants are shown if the
measure declares any.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

from rankgauge.explanation.definition import definition, variants
from rankgauge.explanation.topic import Explanation, Missed, Step
from rankgauge.explanation.ways import OneRun, Way
from rankgauge.measures import Measure
from rankgauge.schema.text import format_number


class Explainer:
    """A measure and the judged ranking of one topic of a run, in either back end."""

    def __init__(self, one: OneRun, asked: Way) -> None:
        self._one, self._asked, self._measure = one, asked, asked.measure
        (self._j,) = one.rankings(asked.order)
        self._levels = one.levels
        self._condensed = bool(asked.measure.settings.get("judged_only"))
        self._docs, self._hits = one.judged(asked.order)  # hits by rank, among `docs`

    def explain(self) -> Explanation:
        """The explanation."""
        one, measure, order, j = self._one, self._measure, self._asked.order, self._j
        value = _value(measure, j)
        best = self._levels[-1]
        supposed = {g: one.suppose_judged(order, g, self._read) for g in (0.0, best)}
        longest = j.longest if measure.of_lists else None
        return Explanation(
            run=one.run.name,
            topic=one.topic,
            measure=str(measure),
            value=value,
            definition=dict(definition(measure, self._levels, order, longest, recoding=one.recoding)),
            retrieved=self._retrieved,
            read=self._read,
            unjudged=self._read - int((j.rank <= self._read).sum()),
            parts={name: float(values[0]) for name, values in measure.parts(j).items()},
            steps=tuple(self._steps(value)),
            missed=tuple(self._missed()),
            bounds={
                "left as they are": value,
                "all of grade 0": _value(measure, supposed[0.0]),
                f"all of grade {format_number(best)}": _value(measure, supposed[best]),
            },
            variants=dict(self._variants()),
            decisive_ties=int(one.decisive_ties(self._asked)[one.place]),
            ties=order.ties,
            notes=one.notes(order),
        )

    @cached_property
    def _retrieved(self) -> int:
        return int(self._j.retrieved.sum())  # of the one topic

    @cached_property
    def _read(self) -> int:
        """The number of documents that count: all retrieved, or those down to the cutoff."""
        retrieved, cutoff = self._retrieved, self._measure.cutoff
        return retrieved if cutoff is None or self._condensed else min(retrieved, cutoff)

    @cached_property
    def _assessed(self) -> Any:
        """The judged documents that the measure distinguishes from unjudged, at their ranks in the run."""
        return self._j.assessed(self._measure.negatives) if self._condensed else self._j

    @cached_property
    def _length(self) -> int:
        """The length of the ranking, as the measure sees it."""
        return len(self._assessed.rank) if self._condensed else self._retrieved

    @cached_property
    def _depth(self) -> int:
        """The rank at which the measure's curve is read."""
        if self._measure.cutoff is not None:
            return self._measure.cutoff
        seen = self._j.judged_only(self._measure.negatives) if self._condensed else self._j
        return int(seen.end(self._measure.spec.uncut).sum())

    @cached_property
    def _shows_ranks(self) -> bool:
        """Whether there are values to show at every rank: the measure's own curve, or columns it declares."""
        return self._measure.spec.curve or bool(self._measure.spec.shows.columns)

    @cached_property
    def _places(self) -> dict[int, int]:
        """{rank: rank as the measure sees it} of judged documents that count; not the same if condensed."""
        assessed = self._assessed
        places = assessed.nth if self._condensed else assessed.rank
        seen = zip(assessed.rank.tolist(), places.tolist(), strict=True)
        return {rank: place for rank, place in seen if place <= self._depth}

    def _steps(self, value: float) -> Iterator[Step]:
        """The documents that count, in rank order, and the ranks beyond the last."""
        measure, j = self._measure, self._j
        steps = self._with_subtopics([Step(*place) for place in self._ranks()])
        if self._shows_ranks:
            steps = self._with_curves(steps)
        losses = self._one.losses(measure, self._asked.order, value)
        hit_at = {rank: hit for hit, rank in enumerate(j.rank.tolist())}
        by_grade = measure.spec.has("gains") and not measure.spec.needs.subtopics
        discount = measure.discount
        if discount is not None and discount.name == "none":  # a column of ones
            discount = None
        ranked = self._one.documents(self._asked.order)
        for step in steps:
            if step.rank is None:
                yield replace(step, retrieved=step.first <= self._length)
            elif step.rank not in hit_at:
                yield replace(step, document=ranked[step.rank - 1])
            else:
                grade = float(j.grade[hit_at[step.rank]])
                yield replace(
                    step,
                    document=self._docs[self._hits[hit_at[step.rank]]],
                    grade=grade,
                    relevant=measure.is_relevant(grade),
                    gain=measure.worth(grade, self._levels) if by_grade else None,
                    discount=None if discount is None else discount.one(step.last),
                    loss=losses[hit_at[step.rank]],
                )

    def _with_subtopics(self, steps: list[Step]) -> list[Step]:
        """The steps with the subtopics of their documents, and those of the ideal ranking."""
        needs = self._measure.spec.needs
        if not needs.subtopics or needs.strata:
            return steps
        deepest = max((step.last for step in steps), default=1)
        subtopics, best, docs = self._one.covered(self._measure, self._asked.order, deepest)
        return [
            replace(
                step,
                subtopics=subtopics.get(step.last, ()),
                ideal_document=self._docs[docs[step.last]] if step.last in docs else None,
                ideal_subtopics=best.get(step.last, ()),
            )
            if step.first == step.last
            else step
            for step in steps
        ]

    def _with_curves(self, steps: list[Step]) -> list[Step]:
        """The steps with the values of curves at the end of each, for the run and for the ideal ranking."""
        measure = self._measure
        last = [0, *(step.last for step in steps)]
        columns = {name: _numbers(values) for name, values in measure.columns(self._j, last).items()}
        steps = [
            replace(step, columns={name: column[n] for name, column in columns.items()})
            for n, step in enumerate(steps, 1)
        ]
        if not measure.spec.curve:
            return steps
        values = _numbers(measure.at(self._j, last))
        ideal = _numbers(measure.at(measure.ideal(self._j.pool), last))
        before = [0.0 if math.isnan(value) else value for value in values]  # a ratio may begin with 0/0
        return [
            replace(step, value=values[n], change=values[n] - before[n - 1], ideal=ideal[n])
            for n, step in enumerate(steps, 1)
        ]

    def _ranks(self) -> Iterator[tuple[int, int, int | None]]:
        """(first, last, rank in the run) of judged documents and, for curves, of all other ranks.

        Ranks beyond the end of the ranking are one range, which has no rank in the run.
        """
        if self._condensed or not self._shows_ranks:
            yield from ((place, place, rank) for rank, place in self._places.items())
        else:
            yield from ((rank, rank, rank) for rank in range(1, min(self._depth, self._length) + 1))
        if self._shows_ranks and self._depth > self._length:
            yield self._length + 1, self._depth, None

    def _missed(self) -> Iterator[Missed]:
        """The relevant documents that do not count, best first."""
        rank = dict(zip(self._hits, self._j.rank.tolist(), strict=True))
        read = {number for number, place in rank.items() if place in self._places}
        grades = self._j.pool.grades.tolist()
        missed = [n for n, grade in enumerate(grades) if n not in read and self._measure.is_relevant(grade)]
        worth = {grade: self._measure.worth(grade, self._levels) for grade in {grades[n] for n in missed}}
        for number in sorted(missed, key=lambda n: (-worth[grades[n]], -grades[n])):
            yield Missed(self._docs[number], grades[number], rank.get(number))

    def _variants(self) -> Iterator[tuple[str, float]]:
        """(measure, value) of other definitions of the same name."""
        for variant in variants(self._measure, self._levels):
            found = self._one.found(variant, self._asked.order)
            if found is not None:
                yield str(variant), found.values[0]


def _numbers(values: Any) -> list[float]:
    """The values of a curve of the single topic, as floats."""
    return [float(value) for (value,) in values.T.tolist()]


def _value(measure: Measure, j: Any) -> float:
    return float(measure.value(j)[0])
