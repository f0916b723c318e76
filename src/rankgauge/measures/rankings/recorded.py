"""Judged rankings that record what formulas do with them, for programs.

A measure that uses another word than those here raises
`Unsupported`, and is evaluated with `arrays`. `vocabulary` and `arrays` document the methods.
"""

# mypy: disable-error-code="override,assignment"
# because `vocabulary` annotates numbers as NumPy arrays

from __future__ import annotations

import operator
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NoReturn

from rankgauge.measures.rankings.programs import SINGLE, Number, Tape
from rankgauge.measures.rankings.vocabulary import (
    ENDLESS,
    POSITION,
    Curve,
    Memoizing,
    PoolVocabulary,
    RunningTotal,
    Vocabulary,
)


class Ranking:
    """Ascending ranks."""

    def __init__(self, rank: Number) -> None:
        self.rank, self._tape, self._view_number = rank, rank.tape, rank.view

    def _of_hits(self, operation: str, *operands: Any, kind: str = "number") -> Number:
        return self._tape.emit(operation, *operands, kind=kind, view=self._view_number, single=False)

    def _for_each(self, values: Any) -> Number:
        """A number for each hit, each in a place of its own."""
        number: Number = self._tape.number(values)
        if number.view != self._view_number and number.constant is None:
            self._tape.refuse_to("combine numbers of other hits")
        return self._of_hits("fill", number, self.rank, kind=number.kind) if number.single else number

    @cached_property
    def nth(self) -> Number:
        return self._of_hits("nth", self.rank, kind="whole")

    @property
    def count(self) -> Number:
        return self._tape.emit("size", self.rank, kind="whole", view=SINGLE, single=True)

    @cached_property
    def at_hits(self) -> Reading:
        return Reading(self.rank)

    def previous(self, values: Any, first: Any) -> Number:
        values = self._for_each(values)
        if values.kind == "truth":
            self._tape.refuse_to("take the previous of truth values")
        return self._of_hits("previous", values, self._tape.converted(first, values.kind), kind=values.kind)

    def running(self, operation: str, values: Any) -> Number:
        """The result of an operation down to each hit."""
        return self._of_hits(operation, self._for_each(self._tape.converted(values, "number")))


class Reading:
    """Ranks to read curves at: one of the topic, or those of hits."""

    def __init__(self, ranks: Number) -> None:
        self.ranks = ranks

    def count_at(self, ranking: Ranking) -> Number:
        tape, single = self.ranks.tape, self.ranks.single
        if self.ranks.register == ranking.rank.register:
            return ranking.nth
        return tape.emit("count", ranking.rank, self.ranks, kind="whole", view=self.ranks.view, single=single)

    def broadcast(self, per_topic: Any) -> Any:
        if not isinstance(per_topic, Number) or per_topic.constant is not None:
            return per_topic
        if per_topic.view != SINGLE:
            per_topic.tape.refuse_to("take numbers of hits for that of a topic")
        tape, register, kind = per_topic.tape, per_topic.register, per_topic.kind
        return Number(tape, register, kind, self.ranks.view, single=True)

    def smaller(self, values: Any, limit: Any) -> Any:
        return self._limited("min", values, limit)

    def larger(self, values: Any, limit: Any) -> Any:
        return self._limited("max", values, limit)

    def _limited(self, operation: str, values: Any, limit: Any) -> Any:
        tape = self.ranks.tape
        return tape.combine(operation, tape.number(values), tape.number(limit))


class LastValue(Curve):
    """A curve of the value at the last hit at or above a rank; `before` above the first."""

    def __init__(self, ranking: Ranking, values: Number, before: Any) -> None:
        tape = ranking._tape
        kinds = {values.kind, tape.number(before).kind}
        kind = "number" if "number" in kinds else "whole"  # as NumPy joins them
        self._ranking, self._values = ranking, ranking._for_each(tape.converted(values, kind))
        self._before = tape.converted(before, kind)

    def at(self, reading: Reading) -> Number:
        return get(self._values, reading.count_at(self._ranking), self._before)


class Steps(LastValue, RunningTotal):
    """The running sum of increments at hits."""

    def __init__(self, ranking: Ranking, increments: Any) -> None:
        super().__init__(ranking, ranking.running("sums", increments), 0.0)

    @property
    def total(self) -> Number:
        return get(self._values, self._ranking.count, self._before)


def get(values: Number, nth: Number, otherwise: Number) -> Number:
    """The n-th of the values, from 1; another where there are fewer."""
    return values.tape.emit("get", values, nth, otherwise, kind=values.kind, view=nth.view, single=nth.single)


class Levels:
    """Grades, in no arithmetic: that of sequences is not that of arrays."""

    __eq__ = None
    __hash__ = None

    def __init__(self, grades: Iterable[float]) -> None:
        self._grades = [*grades]

    def __len__(self) -> int:
        return len(self._grades)

    def __getitem__(self, place: int) -> float:
        return self._grades[operator.index(place)]

    def tolist(self) -> list[float]:
        return [*self._grades]


class Pool(PoolVocabulary):
    """The grades of all judged documents of a topic."""

    def __init__(self, grades: Number, levels: Sequence[float]) -> None:
        super().__init__()
        self._grades = grades
        self.levels = Levels(levels)  # distinct grades of the whole collection, ascending
        self.sizes = Ranking(grades).count

    def __getattr__(self, word: str) -> NoReturn:
        self._grades.tape.refuse_to(f"take `{word}` of judgments")

    def copy(self) -> Pool:
        """The same, for somebody who may change it."""
        return Pool(self._grades, self.levels.tolist())

    def count(self, level: float) -> Number:
        return self.sizes if level <= self.levels[0] else Ranking(kept(self._grades >= level)).count

    def exactly(self, grade: float) -> Pool:
        levels = sorted({1.0 if level == grade else min(level, 0.0) for level in self.levels})
        return Pool(only_grade(self._grades, grade), levels)

    def _best_first(self, gains: Any) -> Mapping[str, Any]:
        worth = self._grades if gains.by_grade else gains.of(self._grades, self.levels)
        useful = kept(worth > 0 if gains.level is None else self._grades >= gains.level)
        grade, worth = taken(self._grades, useful), taken(worth, useful)
        order = Ranking(grade)._of_hits("order", worth, grade, kind="whole")
        ideal = Ranking(taken(grade, order))
        return {
            "rank": ideal.nth,
            "grade": ideal.rank,
            "retrieved": ideal.count,
            "level": 1.0 if gains.level is None else gains.level,
        }


def kept(condition: Number) -> Number:
    """The places where a condition holds, which are a view of their own."""
    tape = condition.tape
    view = tape.view("keep", condition.register)
    return tape.emit("keep", condition, kind="whole", view=view, single=False)


def taken(values: Number, places: Number) -> Number:
    """The values at these places."""
    return values.tape.emit("take", values, places, kind=values.kind, view=places.view, single=False)


def only_grade(grades: Number, grade: float) -> Number:
    """1 for this grade and 0 for others; negative grades are unchanged."""
    return grades.tape.choose(grades == grade, 1.0, grades.clip(max=0.0))


class JudgedRankings(Ranking, Vocabulary):
    """One run on one topic, as far as it is judged."""

    grade: Number
    retrieved: Number
    pool: Pool

    def __init__(
        self, *, rank: Number, grade: Number, retrieved: Number, pool: Pool, level: float = 1.0
    ) -> None:
        Ranking.__init__(self, rank)
        Memoizing.__init__(self)
        self.grade, self.retrieved, self.pool, self.level = grade, retrieved, pool, level

    @classmethod
    def on(cls, tape: Tape, levels: Sequence[float]) -> JudgedRankings:
        """The rankings of a tape, by judgments with these grades."""
        hits, judged = tape.view(), tape.view()
        rank, grade = tape.input(0, "whole", hits), tape.input(1, "number", hits)
        pool = Pool(tape.input(3, "number", judged), levels)
        return cls(rank=rank, grade=grade, retrieved=tape.input(2, "whole", SINGLE), pool=pool)

    def __getattr__(self, word: str) -> NoReturn:
        self._tape.refuse_to(f"take `{word}` of rankings")

    def applied(self, function: Callable[..., Any], settings: Mapping[str, Any]) -> Any:
        return function(self, **settings)

    def isolated(self, owner: str) -> JudgedRankings:
        return self.memo(("isolated", owner), lambda: self._view(pool=self.pool.copy()))

    def chosen(self, condition: Number, then: Any, otherwise: float) -> Number:
        return self._tape.choose(condition, then, otherwise)

    def products(self, factors: Any) -> Number:
        return self.running("products", factors)

    def best_to_come(self, values: Any) -> Number:
        return self.running("best to come", values)

    def next_value(self, values: Any) -> Curve:
        values, none = self._for_each(self._tape.converted(values, "number")), self._tape.number(0.0)
        return Curve(lambda reading: get(values, reading.count_at(self) + 1, none))

    def at_nth(self, values: Any, nth: Number) -> Number:
        values = self._for_each(self._tape.converted(values, "number"))
        return get(values, nth, self._tape.number(0.0))

    def cumulate(self, values: Any, where: Any = None) -> Steps:
        if isinstance(values, Curve):
            values = values.at(self.at_hits)
        return Steps(self, values if where is None else self._tape.choose(where, values, 0.0))

    def last_value(self, values: Any, before: float) -> LastValue:
        if isinstance(values, Curve):
            values = values.at(self.at_hits)
        return LastValue(self, self._tape.number(values), before)

    def added_up(self, curve: Curve, *others: Ranking) -> Curve:
        ranks = self._tape.number(1)
        for part in (self, *others):
            view = self._tape.view("merge", ranks.register, part.rank.register)
            ranks = self._tape.emit("merge", ranks, part.rank, kind="whole", view=view, single=False)
        sections = Ranking(ranks)
        height = curve.at(sections.at_hits)
        done = sections.previous(height, 0.0) * (ranks - sections.previous(ranks, 1))
        begun: Curve = LastValue(sections, ranks, 1)
        return Steps(sections, done) + curve * (POSITION - begun + 1)

    def at(self, curve: Curve, ranks: Number) -> Any:
        return curve.at(Reading(ranks))

    def read(self, curve: Curve, cutoff: int) -> Any:
        return curve.at(Reading(self._tape.number(cutoff)))

    def read_uncut(self, curve: Curve, where: str) -> Any:
        return curve.at(Reading(self.end(where)))

    def end(self, where: str) -> Number:
        if where == "endless":
            return self._tape.number(ENDLESS)
        return (
            self._tape.combine("max", self.retrieved, self.pool.sizes) if where == "ideal" else self.retrieved
        )

    def exactly(self, grade: float) -> JudgedRankings:
        return self.memo(
            ("exactly", grade),
            lambda: self._view(grade=only_grade(self.grade, grade), pool=self.pool.exactly(grade), level=1.0),
        )

    def keeping(self, least: float) -> JudgedRankings:
        place = bisect_left(self.pool.levels, least)
        if place == 0:
            return self
        return self.memo(("keeping", place), lambda: self._only(self.grade >= least))

    def last_of_each(self, values: Any) -> JudgedRankings:
        numbers = self._for_each(self._tape.converted(values, "number"))
        return self._only(self._of_hits("last equal", numbers, kind="truth"))

    @cached_property
    def prefix_maxima(self) -> JudgedRankings:
        return self._only(self.grade > self.previous(self.running("highest", self.grade), float("-inf")))

    def best_order(self, gains: Any) -> JudgedRankings:
        gain, same = self._for_each(self.gain(gains)), self._for_each(self._tape.number(0.0))
        order = self._of_hits("order", gain, same, kind="whole")
        return self._view(rank=self.nth, grade=self._of_hits("take", self.grade, order))

    def _condensed(self) -> JudgedRankings:
        return self._view(rank=self.nth, retrieved=self.count)

    def _only(self, condition: Any) -> JudgedRankings:
        places = kept(self._for_each(condition))
        return self._view(rank=taken(self.rank, places), grade=taken(self.grade, places))

    def _view(self, **changes: Any) -> JudgedRankings:
        mine = {name: getattr(self, name) for name in ("rank", "grade", "retrieved", "pool", "level")}
        return JudgedRankings(**{**mine, **changes})


Pool.rankings = JudgedRankings
