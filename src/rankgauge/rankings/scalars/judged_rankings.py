"""The judged ranking of one topic, and its pool; `vocabulary` and `arrays` document the methods."""

# mypy: disable-error-code="override,assignment"
# because `vocabulary` annotates numbers as NumPy arrays

from __future__ import annotations

from bisect import bisect_left, bisect_right
from contextlib import nullcontext
from functools import cached_property
from itertools import accumulate, pairwise
from operator import mul
from typing import Any, NoReturn

from rankgauge.rankings.curve import ENDLESS, Curve, RunningTotal
from rankgauge.rankings.vector import Unsupported, Vector, larger, smaller
from rankgauge.rankings.vocabulary import PoolVocabulary, Vocabulary

_NO_WARNINGS = nullcontext()  # arithmetic on Python numbers never warns


class Reading:
    """Ranks to read curves at."""

    def __init__(self, ranks: Vector) -> None:
        self.ranks = ranks
        self._count_at: dict[Any, Vector] = {}

    def count_at(self, ranking: JudgedRankings) -> Vector:
        """How many hits of the ranking are at or above each rank."""
        if ranking not in self._count_at:
            hits = ranking.rank.numbers
            self._count_at[ranking] = Vector([bisect_right(hits, rank) for rank in self.ranks])
        return self._count_at[ranking]

    def broadcast(self, per_topic: Any) -> Any:
        """A number, or the topic's number, which vectors broadcast."""
        return per_topic

    def smaller(self, values: Any, limit: Any) -> Any:
        """The smaller of values and limit."""
        return values.zip_with(limit, smaller)

    def larger(self, values: Any, limit: Any) -> Any:
        """The larger of values and limit."""
        return values.zip_with(limit, larger)

    def errstate(self) -> nullcontext[None]:
        """A context in which arithmetic does not warn."""
        return _NO_WARNINGS


class LastValue(Curve):
    """A curve of the value at the last hit at or above a rank, and `before` above the first hit."""

    def __init__(self, ranking: JudgedRankings, before: float, values: Any) -> None:
        self._ranking = ranking
        self._values = [before, *values]

    def at(self, reading: Reading) -> Vector:
        """The values at the ranks of the reading."""
        values = self._values
        return Vector([values[passed] for passed in reading.count_at(self._ranking).numbers])


class Steps(LastValue, RunningTotal):
    """A curve that changes only at hits: the running sum of their increments, in rank order."""

    def __init__(self, ranking: JudgedRankings, increments: Any) -> None:
        super().__init__(ranking, 0.0, [*accumulate(increments, initial=0.0)][1:])

    @property
    def total(self) -> Vector:
        """The sum over all hits."""
        return Vector(self._values[-1:])


class Pool(PoolVocabulary):
    """The grades of all judged documents of a topic."""

    def __init__(self, grades: Vector, levels: Vector) -> None:
        super().__init__()
        self.grades = grades
        self.levels = levels  # distinct grades of the whole collection, ascending
        self.sizes = Vector([len(grades)])

    def __getattr__(self, word: str) -> NoReturn:
        raise Unsupported(word)

    def count(self, level: float) -> Vector:
        """How many judged documents are graded `level` or higher."""
        return Vector([sum([grade >= level for grade in self.grades])])

    def only(self, _topic: int) -> Pool:
        """The pool of one topic: itself."""
        return self

    def exactly(self, grade: float) -> Pool:
        """The pool with grade 1 for this grade and 0 for others; negative grades are unchanged."""
        levels = only_grade(self.levels, grade)
        return Pool(only_grade(self.grades, grade), Vector(sorted({*levels})))

    def _best_first(self, gains: Any) -> dict[str, Any]:
        worth = self.grades if gains.by_grade else gains.of(self.grades, self.levels)
        useful = worth > 0 if gains.level is None else self.grades >= gains.level
        kept = self.grades.where(useful)
        if gains.by_grade:
            grade = Vector(sorted(kept, reverse=True))
        else:
            best = sorted(zip(worth.where(useful), kept, strict=True), reverse=True)
            grade = Vector([grade for _, grade in best])
        return {
            "rank": Vector(range(1, len(grade) + 1)),
            "grade": grade,
            "retrieved": Vector([len(grade)]),
            "level": 1.0 if gains.level is None else gains.level,
        }


def only_grade(grades: Vector, grade: float) -> Vector:
    """1 for this grade and 0 for others; negative grades are unchanged."""
    return grades.map(lambda other: 1.0 if other == grade else min(other, 0.0))


class JudgedRankings(Vocabulary):
    """One run on one topic, as far as it is judged; numbers per topic are vectors of one number."""

    rank: Any
    grade: Any
    retrieved: Any
    pool: Any

    def __init__(
        self, *, rank: Vector, grade: Vector, retrieved: Vector, pool: Pool, level: float = 1.0
    ) -> None:
        super().__init__()
        self.rank, self.grade, self.retrieved = rank, grade, retrieved
        self.pool, self.level = pool, level
        self.count = Vector([len(rank)])

    def __getattr__(self, word: str) -> NoReturn:
        raise Unsupported(word)

    @staticmethod
    def errstate() -> nullcontext[None]:
        return _NO_WARNINGS

    @cached_property
    def nth(self) -> Vector:
        return Vector(range(1, len(self.rank) + 1))

    @cached_property
    def at_hits(self) -> Reading:
        reading = Reading(self.rank)
        reading._count_at[self] = self.nth
        return reading

    def previous(self, values: Vector, first: float) -> Vector:
        return Vector([first, *values][: len(values)])

    def products(self, factors: Vector) -> Vector:
        return Vector(accumulate(factors, mul))

    def best_to_come(self, values: Vector) -> Vector:
        return Vector([*accumulate(reversed(values.numbers), larger)][::-1])

    def at_nth(self, values: Vector, nth: Vector) -> Vector:
        (place,) = nth
        return Vector([values[place - 1] if place <= len(values) else 0.0])

    def cumulate(self, values: Any, where: Vector | None = None) -> Steps:
        if isinstance(values, Curve):
            values = values.at(self.at_hits)
        if where is not None and not where.all():
            values = values.zip_with(where, lambda value, counts: value if counts else 0.0)
        return Steps(self, values)

    def last_value(self, values: Any, before: float) -> LastValue:
        if isinstance(values, Curve):
            values = values.at(self.at_hits)
        return LastValue(self, before, values)

    def at(self, curve: Curve, ranks: Vector) -> Any:
        return curve.at(Reading(ranks))

    def read(self, curve: Curve, cutoff: int) -> Any:
        return curve.at(self.memo(("cutoff", cutoff), lambda: Reading(Vector([cutoff]))))

    def read_at(self, curve: Curve, ranks: Any) -> Any:
        return curve.at(self.memo(("ranks", *ranks), lambda: Reading(Vector(ranks))))

    def read_uncut(self, curve: Curve, where: str) -> Any:
        return curve.at(self.memo(("uncut", where), lambda: Reading(self.end(where))))

    def end(self, where: str) -> Any:
        if where == "endless":
            return Vector([ENDLESS])
        return self.retrieved.zip_with(self.pool.sizes, max) if where == "ideal" else self.retrieved

    def exactly(self, grade: float) -> JudgedRankings:
        return self.memo(
            ("exactly", grade),
            lambda: self._view(grade=only_grade(self.grade, grade), pool=self.pool.exactly(grade), level=1.0),
        )

    def keeping(self, least: float) -> JudgedRankings:
        place = bisect_left(self.pool.levels.numbers, least)
        if place == 0:
            return self
        return self.memo(("keeping", place), lambda: self._only(self.grade >= least))

    def last_of_each(self, values: Vector) -> JudgedRankings:
        goes_on = [here == after for here, after in pairwise(values)]
        return self._only(~Vector([*goes_on, False][: len(values)]))

    @cached_property
    def prefix_maxima(self) -> JudgedRankings:
        best = self.previous(Vector(accumulate(self.grade, max)), float("-inf"))
        return self._only(self.grade > best)

    def _condensed(self) -> JudgedRankings:
        return self._view(rank=self.nth, retrieved=self.count)

    def _only(self, kept: Vector) -> JudgedRankings:
        if kept.all():
            return self
        return self._view(rank=self.rank.where(kept), grade=self.grade.where(kept))

    def _view(self, **changes: Any) -> JudgedRankings:
        mine = ("rank", "grade", "retrieved", "pool", "level")
        return JudgedRankings(**{**{name: getattr(self, name) for name in mine}, **changes})


Pool.rankings = JudgedRankings
