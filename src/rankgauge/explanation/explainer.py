"""From the judged ranking of one topic to its explanation.

Measures need no code of their own to be explained. The value at each rank is the measure's curve, for the run
and for the ideal ranking; the contribution of a document is the loss if it were unjudged; bounds for unjudged
documents are values of views of the same ranking. Gains, discounts, columns and variants are shown if the
measure declares any.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rankgauge.errors import MeasureError
from rankgauge.explanation.definition import definition
from rankgauge.explanation.explanation import Explanation, Missed, Step
from rankgauge.explanation.subtopics import subtopics_by_rank
from rankgauge.explanation.variants import variants
from rankgauge.measures import Measure
from rankgauge.measures.rankings.arrays import JudgedRankings
from rankgauge.measures.rankings.arrays.curves import Floats
from rankgauge.measures.rankings.arrays.suppositions import suppose_judged, without_each
from rankgauge.model.document_order import DocumentOrder
from rankgauge.schema.text import format_number


@dataclass
class Explainer:
    """A measure and the judged ranking of one topic."""

    measure: Measure
    j: JudgedRankings
    docs: list[str]  # all judged documents of the topic, in the order of the pool's grades
    retrieved: list[int]  # index in `docs` of each judged document that was retrieved, in rank order
    subtopics: tuple[str, ...] = ()  # of the topic, if judgments are by subtopic
    ranked: Sequence[str] = ()  # all documents retrieved, judged or not, in rank order

    def explain(
        self,
        *,
        run: str,
        topic: str,
        order: DocumentOrder,
        recoding: str,
        decisive: int,
        notes: tuple[str, ...],
    ) -> Explanation:
        """The explanation."""
        value = _value(self.measure, self.j)
        return Explanation(
            run=run,
            topic=topic,
            measure=str(self.measure),
            value=value,
            definition=dict(definition(self.measure, self._levels, order, self.j.longest, recoding=recoding)),
            retrieved=int(self.j.retrieved[0, 0]),
            read=self._read,
            unjudged=self._read - int((self.j.rank <= self._read).sum()),
            parts={name: float(values[0]) for name, values in self.measure.parts(self.j).items()},
            steps=tuple(self._steps(value)),
            missed=tuple(self._missed()),
            bounds={
                "left as they are": value,
                "all of grade 0": _value(self.measure, suppose_judged(self.j, 0.0, self._read)),
                f"all of grade {format_number(self._levels[-1])}": _value(
                    self.measure, suppose_judged(self.j, self._levels[-1], self._read)
                ),
            },
            variants=dict(self._variants()),
            decisive_ties=decisive,
            ties=order.ties,
            notes=notes,
        )

    @cached_property
    def _levels(self) -> list[float]:
        levels: list[float] = self.j.pool.levels.tolist()
        return levels

    @cached_property
    def _condensed(self) -> bool:
        return bool(self.measure.settings.get("judged_only"))

    @cached_property
    def _read(self) -> int:
        """The number of documents that count: all retrieved, or those down to the cutoff."""
        retrieved, cutoff = int(self.j.retrieved[0, 0]), self.measure.cutoff
        return retrieved if cutoff is None or self._condensed else min(retrieved, cutoff)

    @cached_property
    def _assessed(self) -> JudgedRankings:
        """The judged documents that the measure distinguishes from unjudged, at their ranks in the run."""
        if not self._condensed:
            return self.j
        return self.j.assessed(self.measure.negatives)

    @cached_property
    def _length(self) -> int:
        """The length of the ranking, as the measure sees it."""
        return len(self._assessed.rank) if self._condensed else int(self.j.retrieved[0, 0])

    @cached_property
    def _depth(self) -> int:
        """The rank at which the measure's curve is read."""
        if self.measure.cutoff is not None:
            return self.measure.cutoff
        negatives = self.measure.negatives
        seen = self.j.judged_only(negatives) if self._condensed else self.j
        return int(seen.end(self.measure.spec.uncut)[0, 0])

    @cached_property
    def _shows_ranks(self) -> bool:
        """Whether there are values to show at every rank: the measure's own curve, or columns it declares."""
        return self.measure.spec.curve or bool(self.measure.spec.shows.columns)

    @cached_property
    def _places(self) -> dict[int, int]:
        """{rank: rank as the measure sees it} of judged documents that count; not the same if condensed."""
        assessed = self._assessed
        places = assessed.nth if self._condensed else assessed.rank
        seen = zip(assessed.rank.tolist(), places.tolist(), strict=True)
        return {rank: place for rank, place in seen if place <= self._depth}

    def _steps(self, value: float) -> Iterator[Step]:
        """The documents that count, in rank order, and the ranks beyond the last."""
        steps = self._with_subtopics([Step(*place) for place in self._ranks()])
        if self._shows_ranks:
            steps = self._with_curves(steps)
        losses = dict(zip(self.j.rank.tolist(), self._losses(value), strict=True))
        numbers = dict(zip(self.j.rank.tolist(), self.retrieved, strict=True))
        discount = self.measure.discount
        if discount is not None and discount.name == "none":  # a column of ones
            discount = None
        for step in steps:
            if step.rank is None:
                yield replace(step, retrieved=step.first <= self._length)
                continue
            if step.rank not in numbers:
                yield replace(step, document=self.ranked[step.rank - 1])
                continue
            grade = float(self.j.pool.grades[numbers[step.rank]])
            yield replace(
                step,
                document=self.docs[numbers[step.rank]],
                grade=grade,
                relevant=self.measure.is_relevant(grade),
                gain=self.measure.worth(grade, self._levels) if self._by_grade else None,
                discount=None if discount is None else discount.one(step.last),
                loss=losses[step.rank],
            )

    @property
    def _by_grade(self) -> bool:
        """Whether the gain of a document depends on its grade alone."""
        return self.measure.spec.has("gains") and not self.measure.spec.needs_subtopics

    def _with_subtopics(self, steps: list[Step]) -> list[Step]:
        """The steps with the subtopics of their documents, and those of the ideal ranking."""
        if not self.measure.spec.needs_subtopics:
            return steps
        subtopics = subtopics_by_rank(self.measure, self.j, self.subtopics)
        ideal = self.measure.ideal(self.j.pool, max((step.last for step in steps), default=1))
        best = subtopics_by_rank(self.measure, ideal, self.subtopics)
        assert ideal.doc is not None
        docs = dict(zip(ideal.rank.tolist(), ideal.doc.tolist(), strict=True))
        return [
            replace(
                step,
                subtopics=subtopics.get(step.last, ()),
                ideal_document=self.docs[docs[step.last]] if step.last in docs else None,
                ideal_subtopics=best.get(step.last, ()),
            )
            if step.first == step.last
            else step
            for step in steps
        ]

    def _with_curves(self, steps: list[Step]) -> list[Step]:
        """The steps with the values of curves at the end of each, for the run and for the ideal ranking."""
        last = np.array([0, *(step.last for step in steps)])
        columns = {name: _numbers(values) for name, values in self.measure.columns(self.j, last).items()}
        if not self.measure.spec.curve:
            return [
                replace(step, columns={name: column[n] for name, column in columns.items()})
                for n, step in enumerate(steps, 1)
            ]
        values = _numbers(self.measure.at(self.j, last))
        ideal = _numbers(self.measure.at(self.measure.ideal(self.j.pool), last))
        before = [0.0 if math.isnan(value) else value for value in values]  # a ratio may begin with 0/0
        return [
            replace(
                step,
                columns={name: column[n] for name, column in columns.items()},
                value=values[n],
                change=values[n] - before[n - 1],
                ideal=ideal[n],
            )
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

    def _losses(self, value: float) -> Iterator[float]:
        """The loss in value if each retrieved judged document were unjudged."""
        for block in without_each(self.j):
            yield from (value - without for without in self.measure.value(block).tolist())

    def _missed(self) -> Iterator[Missed]:
        """The relevant documents that do not count, best first."""
        rank = dict(zip(self.retrieved, self.j.rank.tolist(), strict=True))
        read = {number for number, place in rank.items() if place in self._places}
        grades = self.j.pool.grades.tolist()
        missed = [n for n, grade in enumerate(grades) if n not in read and self.measure.is_relevant(grade)]
        worth = {grade: self.measure.worth(grade, self._levels) for grade in {grades[n] for n in missed}}
        for number in sorted(missed, key=lambda n: (-worth[grades[n]], -grades[n])):
            yield Missed(self.docs[number], grades[number], rank.get(number))

    def _variants(self) -> Iterator[tuple[str, float]]:
        """(measure, value) of other definitions of the same name."""
        for variant in dict.fromkeys(variants(self.measure, self._levels)):
            if variant == self.measure:
                continue
            try:
                yield str(variant), _value(variant, self.j)
            except MeasureError:  # it refuses these judgments, for example since 2^1000 is too large a gain
                continue


def _numbers(values: Floats) -> list[float]:
    """The values of a curve of the single topic, as floats."""
    return list(map(float, values[0].tolist()))


def _value(measure: Measure, j: JudgedRankings) -> float:
    return float(measure.value(j)[0])
