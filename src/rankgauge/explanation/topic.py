"""The explanation of the value of one topic, rank by rank: its numbers, and the document to print.

Measures need no code of their own to be explained: the value at each rank is the measure's curve, the
contribution of a document is the loss if it were unjudged, bounds for unjudged documents are values of views
of the ranking.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from rankgauge.explanation.one_run import CoveredSubtopic, OneRun
from rankgauge.explanation.report import SHOWN, ValueExplanation, grade, table_of, whole
from rankgauge.explanation.ways import Way, definition, variants
from rankgauge.measures import Measure
from rankgauge.measures.rankings.vocabulary import ENDLESS
from rankgauge.model.output.documents import Document, Section
from rankgauge.model.output.tables import PLACES, Cell, Table
from rankgauge.schema.text import counted, format_number

MAX_SUBTOPICS = 6  # of one document in a table


@dataclass(frozen=True)
class Step:
    """A document of a ranking, or ranks beyond its end. NaN is undefined, None does not apply."""

    first: int  # the ranks, as the measure sees them
    last: int
    rank: int | None = None  # in the run; differs from `first` if the measure condenses the ranking
    document: str | None = None
    retrieved: bool = True  # False beyond the end of the ranking
    grade: float | None = None  # None if it is not judged
    relevant: bool | None = None
    gain: float | None = None  # of the grade, if the measure has gains
    discount: float | None = None
    columns: Mapping[str, float] = field(
        default_factory=dict
    )  # curves of the measure's declaration, at the last rank
    value: float | None = None  # of the measure with its cutoff at the last rank
    change: float | None = None  # of the value since the step before
    ideal: float | None = None  # the value of the ideal ranking at the last rank
    loss: float | None = None  # the loss in value if this document were unjudged
    subtopics: tuple[CoveredSubtopic, ...] = ()  # if the measure depends on subtopics
    ideal_document: str | None = None  # at this rank of the ideal ranking, for such measures
    ideal_subtopics: tuple[CoveredSubtopic, ...] = ()

    @property
    def is_unjudged(self) -> bool:
        """Whether this is a document that is not judged."""
        return self.document is not None and self.grade is None


@dataclass(frozen=True)
class Missed:
    """A relevant document that does not count: not retrieved, or below the cutoff."""

    document: str
    grade: float
    rank: int | None  # below the cutoff; None if not retrieved


@dataclass(frozen=True, repr=False, kw_only=True)
class Explanation(ValueExplanation):
    """How the value of a measure for one topic of a run was computed."""

    topic: str
    retrieved: int
    read: int  # documents that the measure takes into account: all retrieved, or down to its cutoff
    unjudged: int  # of those
    parts: Mapping[str, float]  # quantities that the value is computed from
    steps: tuple[Step, ...]
    missed: tuple[Missed, ...]  # best first
    bounds: Mapping[str, float]  # the value if the unjudged documents were ...

    def document(self, *, limit: int = SHOWN, places: int = PLACES) -> Document:
        """The explanation as a document to print; long tables are cut at `limit` rows."""
        terms = [*self._parts(), self._ranking(limit), self._missed(limit), *self._unjudged()]
        others = [*self.by_other_definitions("ranking")]
        return self.printed(f"run {self.run} for topic {self.topic}", terms, others, places)

    def _parts(self) -> Iterator[Section]:
        if self.parts:
            rows = [(name, whole(value)) for name, value in self.parts.items()]
            yield Section("What it is made of", (), Table(("part", "value"), rows))

    def _ranking(self, limit: int) -> Section:
        title = "Rank by rank"
        if not self.retrieved:
            return Section(title, ("The run has no results for this topic.",))
        if not self.steps:
            return Section(title, ("No retrieved document is judged.",))
        legend = []
        if self.steps[0].value is not None:
            legend.append("value: the measure cut off here. change: from the row above.")
        elif self.steps[0].columns:
            legend.append(f"{', '.join(self.steps[0].columns)}: at the last rank of the line.")
        legend.append("loss: how far the value would fall if this document were unjudged.")
        if any(step.is_unjudged for step in self.steps):
            legend.append("A document without a grade is not judged.")
        if any(step.subtopics for step in self.steps):
            legend.append("subtopics: how often each was seen before, and what it is worth now.")
        columns = [self._columns(step) for step in self.steps]
        if len(columns) > limit:
            columns = list(self._merged())
        if len(columns) > limit:
            rest = columns[limit:]
            first, last = (str(row["rank"]) for row in (rest[0], rest[-1]))
            hidden = f"{first.partition('–')[0]}–{last.rpartition('–')[2]}"
            columns[limit:] = [self._sum(rest, hidden, f"({counted(len(rest), 'more line')})")]
        columns = _without_decimals(columns, self.steps[0].columns)
        redundant = {
            "relevant": any(step.gain is not None for step in self.steps),  # the gain shows it
            "ideal": all(step.ideal == 1 for step in self.steps),
        }
        columns = [{name: row[name] for name in row if not redundant.get(name)} for row in columns]
        return Section(title, tuple(legend), table_of(columns))

    def _merged(self) -> Iterator[dict[str, Cell]]:
        """The lines of the table; neighbours without loss are merged."""
        for (matters, retrieved), group in itertools.groupby(
            self.steps, lambda step: (bool(step.loss), step.retrieved)
        ):
            steps = list(group)
            rows = [self._columns(step) for step in steps]
            if matters or not retrieved or len(rows) == 1:
                yield from rows
            else:
                ranks = _ranks(steps[0].first, steps[-1].last)
                yield self._sum(rows, ranks, f"({steps[-1].last - steps[0].first + 1} without loss)")

    def _sum(self, rows: list[dict[str, Cell]], ranks: str, text: str) -> dict[str, Cell]:
        changes = [row["change"] for row in rows if isinstance(row["change"], float)]
        row = dict.fromkeys(rows[-1]) | {"rank": ranks, "document": text}
        row |= {name: rows[-1][name] for name in self.steps[-1].columns}
        if changes:
            row |= {name: rows[-1][name] for name in ("value", "ideal")} | {"change": math.fsum(changes)}
        return row

    def _columns(self, step: Step) -> dict[str, Cell]:
        moved = step.rank is not None and step.rank != step.first
        return {
            "rank": _ranks(step.first, step.last) + (f" (was {step.rank})" if moved else ""),
            "document": "(nothing retrieved)" if step.document is None else step.document,
            "grade": grade(step.grade) if step.document is not None else None,
            "relevant": None if step.relevant is None else "yes" if step.relevant else "no",
            "gain": None if step.gain is None else whole(step.gain),
            "discount": step.discount,
            "subtopics": _format_subtopics(step.subtopics) or None,
            **step.columns,
            "value": step.value,
            "change": step.change,
            "ideal": step.ideal,
            "loss": step.loss,
            "ideal document": None
            if step.ideal_document is None
            else f"{step.ideal_document}: {_format_subtopics(step.ideal_subtopics)}",
        }

    def _missed(self, limit: int) -> Section:
        title = "Relevant documents that were missed"
        if not self.missed:
            return Section(title, ("None.",))
        lost = sum(missed.rank is None for missed in self.missed)
        below = len(self.missed) - lost
        parts = [f"{counted(lost, 'document')} not retrieved"] * bool(lost)
        parts += [f"{counted(below, 'document')} retrieved below the cutoff"] * bool(below)
        first = f"; the first {limit} of them" if limit < len(self.missed) else ""
        rows = [
            (missed.document, whole(missed.grade), f"rank {missed.rank}" if missed.rank else "not retrieved")
            for missed in self.missed[:limit]
        ]
        return Section(title, (f"{', '.join(parts)}{first}:",), Table(("document", "grade", "where"), rows))

    def _unjudged(self) -> Iterator[Section]:
        title = "What is not judged"
        if not self.unjudged:
            if self.read:
                yield Section(title, ("Nothing: every document that was read is judged.",))
            return
        share = f"{self.unjudged} of the {counted(self.read, 'document')} that were read."
        table = Table(("if these were", "value"), list(self.bounds.items()))
        yield Section(title, (share,), table)


def _ranks(first: int, last: int) -> str:
    if last == ENDLESS:
        return f"{first}–"
    return str(first) if first == last else f"{first}–{last}"


def _without_decimals(rows: list[dict[str, Cell]], names: Iterable[str]) -> list[dict[str, Cell]]:
    for name in names:
        numbers = {row[name] for row in rows if row[name] is not None}
        if all(isinstance(each, float) and each.is_integer() for each in numbers):
            rows = [{**row, name: whole(n) if isinstance(n := row[name], float) else n} for row in rows]
    return rows


def _format_subtopics(subtopics: tuple[CoveredSubtopic, ...]) -> str:
    parts = []
    for subtopic in subtopics[:MAX_SUBTOPICS]:
        seen = "new" if not subtopic.seen else f"seen {subtopic.seen}×"
        worth = "" if subtopic.worth is None else f", {format_number(round(subtopic.worth, 4))}"
        parts.append(f"{subtopic.name} ({seen}{worth})")
    if len(subtopics) > MAX_SUBTOPICS:
        parts.append(f"{len(subtopics) - MAX_SUBTOPICS} more")
    return ", ".join(parts)


class Explainer:
    """A measure and the judged ranking of one topic of a run."""

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
            definition=dict(definition(measure, self._levels, order, longest, recoding=one.qrels.recoding)),
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
        """The number of documents that count."""
        retrieved, cutoff = self._retrieved, self._measure.cutoff
        return retrieved if cutoff is None or self._condensed else min(retrieved, cutoff)

    @cached_property
    def _assessed(self) -> Any:
        """The judged documents that the measure distinguishes from unjudged."""
        return self._j.assessed(self._measure.negatives) if self._condensed else self._j

    @cached_property
    def _length(self) -> int:
        return len(self._assessed.rank) if self._condensed else self._retrieved

    @cached_property
    def _depth(self) -> int:
        if self._measure.cutoff is not None:
            return self._measure.cutoff
        seen = self._j.judged_only(self._measure.negatives) if self._condensed else self._j
        return int(seen.end(self._measure.spec.uncut).sum())

    @cached_property
    def _shows_ranks(self) -> bool:
        """Whether there are values at every rank: a curve, or declared columns."""
        return self._measure.spec.curve or bool(self._measure.spec.shows.columns)

    @cached_property
    def _places(self) -> dict[int, int]:
        """{rank: rank as the measure sees it} of judged documents that count."""
        assessed = self._assessed
        places = assessed.nth if self._condensed else assessed.rank
        seen = zip(assessed.rank.tolist(), places.tolist(), strict=True)
        return {rank: place for rank, place in seen if place <= self._depth}

    def _steps(self, value: float) -> Iterator[Step]:
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
        rank = dict(zip(self._hits, self._j.rank.tolist(), strict=True))
        read = {number for number, place in rank.items() if place in self._places}
        grades = self._j.pool.grades.tolist()
        missed = [n for n, grade in enumerate(grades) if n not in read and self._measure.is_relevant(grade)]
        worth = {grade: self._measure.worth(grade, self._levels) for grade in {grades[n] for n in missed}}
        for number in sorted(missed, key=lambda n: (-worth[grades[n]], -grades[n])):
            yield Missed(self._docs[number], grades[number], rank.get(number))

    def _variants(self) -> Iterator[tuple[str, float]]:
        for variant in variants(self._measure, self._levels):
            found = self._one.found(variant, self._asked.order)
            if found is not None:
                yield str(variant), found.values[0]


def _numbers(values: Any) -> list[float]:
    return [float(value) for (value,) in values.T.tolist()]


def _value(measure: Measure, j: Any) -> float:
    return float(measure.value(j)[0])
