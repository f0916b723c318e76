"""Judged rankings in plain Python: the back end for small inputs, without NumPy.

Values equal those of `arrays`, bit for bit. A measure that uses a quantity or view that is not here raises
`Unsupported`, and is evaluated with `arrays`. `vocabulary` and `arrays` document the methods.
"""

# mypy: disable-error-code="override,assignment"
# because `vocabulary` annotates numbers as NumPy arrays

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain, count, pairwise, repeat
from operator import mul, sub
from typing import Any, NoReturn

from rankgauge import core
from rankgauge.core.buffers import numbers
from rankgauge.measures.rankings.vector import Matrix, Unsupported, Vector, larger, smaller
from rankgauge.measures.rankings.vocabulary import (
    ENDLESS,
    Curve,
    Memoizing,
    PoolVocabulary,
    RunningTotal,
    Vocabulary,
)


def parts(values: Vector, starts: Sequence[int]) -> Iterator[list[Any]]:
    """The values of each topic."""
    numbers = values.tolist()
    return (numbers[begin:end] for begin, end in pairwise(starts))


def flat(of_topics: Iterable[Iterable[Any]]) -> Vector:
    """The values of all topics, one after the other."""
    return Vector([value for of_topic in of_topics for value in of_topic])


def sizes(starts: Sequence[int]) -> Vector:
    """The number of values of each topic."""
    if len(starts) == 2:
        return Vector((starts[1] - starts[0],))
    return Vector(map(sub, starts[1:], starts))


def running_sums(values: Iterable[float], starts: Sequence[int]) -> list[float]:
    """0, and the sum of the values of a topic down to each of them, added one after the other."""
    if len(starts) == 2:  # calling the core would take longer
        return [*accumulate(values, initial=0.0)]
    return [0.0, *numbers(core.cumulate(array("d", values), array("q", starts)), "d")]


def ascending(starts: Sequence[int]) -> Vector:
    """The number of each value among those of its topic, from 1."""
    if len(starts) == 2:
        return Vector(range(1, starts[1] - starts[0] + 1))
    return Vector(map(sub, count(1), chain.from_iterable(map(repeat, starts, sizes(starts)))))


class Reading:
    """Ranks to read curves at, each in one topic."""

    def __init__(self, topic: Sequence[int], ranks: Vector) -> None:
        self.topic, self.ranks = topic, ranks
        self._count_at: dict[Any, Vector] = {}

    def count_at(self, ranking: JudgedRankings) -> Vector:
        if ranking not in self._count_at:
            self._count_at[ranking] = self._counted(ranking)
        return self._count_at[ranking]

    def _counted(self, ranking: JudgedRankings) -> Vector:
        hits, starts = [*ranking.rank], ranking._starts  # a list, which is faster to search
        if len(starts) == 2:
            return Vector(map(bisect_right, repeat(hits), self.ranks))
        if min(self.ranks, default=0) >= max(hits, default=0):  # no hit is below one of the ranks
            all_hits: Vector = self.broadcast(ranking.count)
            return all_hits

        def count(topic: int, rank: int) -> int:
            begin = starts[topic]
            return bisect_right(hits, rank, begin, starts[topic + 1]) - begin

        return Vector(map(count, self.topic, self.ranks))

    def broadcast(self, per_topic: Any) -> Any:
        if isinstance(per_topic, Vector) and not isinstance(self.topic, range):  # each topic once
            return Vector(map(per_topic.tolist().__getitem__, self.topic))
        return per_topic

    def smaller(self, values: Any, limit: Any) -> Any:
        return values.zip_with(limit, smaller)

    def larger(self, values: Any, limit: Any) -> Any:
        return values.zip_with(limit, larger)


class LastValue(Curve):
    """A curve of the value at the last hit at or above a rank; `values` begin with the one above all hits."""

    def __init__(self, ranking: JudgedRankings, values: list[Any]) -> None:
        self._ranking, self._values = ranking, values

    def at(self, reading: Reading) -> Vector:
        value, starts = self._values.__getitem__, self._ranking._starts
        passed = reading.count_at(self._ranking)
        if len(starts) == 2:
            return Vector(map(value, passed))
        begins = map(starts.__getitem__, reading.topic)
        return Vector([value(begin + n if n else 0) for begin, n in zip(begins, passed, strict=True)])


class Steps(LastValue, RunningTotal):
    """The running sum of increments at hits."""

    def __init__(self, ranking: JudgedRankings, increments: Any) -> None:
        super().__init__(ranking, running_sums(increments, ranking._starts))

    @property
    def total(self) -> Vector:
        starts = self._ranking._starts
        return Vector([self._values[end if end > begin else 0] for begin, end in pairwise(starts)])


class Pool(PoolVocabulary):
    """The grades of all judged documents, topic by topic."""

    def __init__(self, grades: Vector, starts: Sequence[int], levels: Vector) -> None:
        super().__init__()
        self.grades, self._starts = grades, starts
        self.levels = levels  # distinct grades of the whole collection, ascending
        self._levels = levels.tolist()  # which is faster to search
        self.sizes = sizes(starts)

    def __getattr__(self, word: str) -> NoReturn:
        raise Unsupported(word)

    def count(self, level: float) -> Vector:
        return self.memo(("count", level), lambda: sizes(starts_of_kept(self.grades >= level, self._starts)))

    def only(self, topic: int) -> Pool:
        begin, end = self._starts[topic : topic + 2]
        return Pool(Vector(self.grades.tolist()[begin:end]), [0, end - begin], self.levels)

    def keeping(self, least: float) -> Pool:
        kept = self.grades >= least
        return Pool(self.grades.where(kept), starts_of_kept(kept, self._starts), self.levels)

    def exactly(self, grade: float) -> Pool:
        levels = only_grade(self.levels, grade)
        return Pool(only_grade(self.grades, grade), self._starts, Vector(sorted({*levels})))

    def _best_first(self, gains: Any) -> dict[str, Any]:
        worth = self.grades if gains.by_grade else gains.of(self.grades, self.levels)
        useful = worth > 0 if gains.level is None else self.grades >= gains.level
        starts = starts_of_kept(useful, self._starts)
        grades = self.grades.where(useful)
        if len({*grades}) > 1:  # else they are in order
            kept = parts(grades, starts)
            if gains.by_grade:
                grades = flat(sorted(some, reverse=True) for some in kept)
            else:
                pairs = zip(parts(worth.where(useful), starts), kept, strict=True)
                best = (sorted(zip(*pair, strict=True), reverse=True) for pair in pairs)
                grades = flat((grade for _, grade in some) for some in best)
        return {
            "starts": starts,
            "rank": ascending(starts),
            "grade": grades,
            "retrieved": sizes(starts),
            "level": 1.0 if gains.level is None else gains.level,
        }


def starts_of_kept(kept: Vector, starts: Sequence[int]) -> list[int]:
    """Where the values of each topic begin among those that are kept."""
    before = [*accumulate(kept, initial=0)]
    return [before[start] for start in starts]


def only_grade(grades: Vector, grade: float) -> Vector:
    """1 for this grade and 0 for others; negative grades are unchanged."""
    return grades.map(lambda other: 1.0 if other == grade else min(other, 0.0))


class JudgedRankings(Vocabulary):
    """One run on all topics, as far as it is judged; `starts` is where the hits of each topic begin."""

    rank: Any
    grade: Any
    retrieved: Any
    pool: Any

    def __init__(
        self,
        *,
        starts: Sequence[int],
        rank: Vector,
        grade: Vector,
        retrieved: Vector,
        pool: Pool,
        level: float = 1.0,
    ) -> None:
        Memoizing.__init__(self)
        self._starts, self.rank, self.grade, self.retrieved = starts, rank, grade, retrieved
        self.pool, self.level, self._topics = pool, level, range(len(retrieved))

    def __getattr__(self, word: str) -> NoReturn:
        raise Unsupported(word)

    def applied(self, function: Callable[..., Any], settings: Mapping[str, Any]) -> Any:
        return function(self, **settings)

    @property
    def count(self) -> Vector:
        return sizes(self._starts)

    @cached_property
    def nth(self) -> Vector:
        return ascending(self._starts)

    @cached_property
    def at_hits(self) -> Reading:
        topics = repeat(0, len(self.rank)) if len(self._starts) == 2 else self._each_topic()
        reading = Reading([*topics], self.rank)
        reading._count_at[self] = self.nth
        return reading

    def _each_topic(self) -> Iterable[int]:
        return chain.from_iterable(map(repeat, count(), self.count))

    def previous(self, values: Vector, first: float) -> Vector:
        return flat([first, *of_topic][: len(of_topic)] for of_topic in parts(values, self._starts))

    def products(self, factors: Vector) -> Vector:
        return flat(accumulate(of_topic, mul) for of_topic in parts(factors, self._starts))

    def best_to_come(self, values: Vector) -> Vector:
        return flat(
            [*accumulate(reversed(of_topic), larger)][::-1] for of_topic in parts(values, self._starts)
        )

    def at_nth(self, values: Vector, nth: Vector) -> Vector:
        of_topics = zip(parts(values, self._starts), nth, strict=True)
        return Vector([of_topic[n - 1] if n <= len(of_topic) else 0.0 for of_topic, n in of_topics])

    def cumulate(self, values: Any, where: Vector | None = None) -> Steps:
        if isinstance(values, Curve):
            values = values.at(self.at_hits)
        if where is not None and not all(where):
            values = values.zip_with(where, lambda value, counts: value if counts else 0.0)
        return Steps(self, values)

    def last_value(self, values: Any, before: float) -> LastValue:
        if isinstance(values, Curve):
            values = values.at(self.at_hits)
        return LastValue(self, [before, *values])

    def at(self, curve: Curve, ranks: Vector) -> Any:
        return curve.at(Reading(self._topics, ranks))

    def read(self, curve: Curve, cutoff: int) -> Any:
        return curve.at(self.memo(("cutoff", cutoff), lambda: Reading(self._topics, self._same(cutoff))))

    def read_at(self, curve: Curve, ranks: Any) -> Matrix:
        topics, of_ranks = [*self._topics] * len(ranks), flat(map(self._same, ranks))
        return Matrix(curve.at(Reading(topics, of_ranks)), len(self._topics))

    def read_uncut(self, curve: Curve, where: str) -> Any:
        return curve.at(self.memo(("uncut", where), lambda: Reading(self._topics, self.end(where))))

    def end(self, where: str) -> Any:
        if where == "endless":
            return self._same(ENDLESS)
        return Vector(map(max, self.retrieved, self.pool.sizes)) if where == "ideal" else self.retrieved

    def _same(self, rank: int) -> Vector:
        return Vector(repeat(rank, len(self._topics)))

    def exactly(self, grade: float) -> JudgedRankings:
        return self.memo(
            ("exactly", grade),
            lambda: self._view(grade=only_grade(self.grade, grade), pool=self.pool.exactly(grade), level=1.0),
        )

    def keeping(self, least: float) -> JudgedRankings:
        place = bisect_left(self.pool._levels, least)
        if place == 0:
            return self
        return self.memo(("keeping", place), lambda: self._only(self.grade >= least))

    def last_of_each(self, values: Vector) -> JudgedRankings:
        return self._only(
            flat(
                [here != after for here, after in pairwise(of_topic)] + [True][: len(of_topic)]
                for of_topic in parts(values, self._starts)
            )
        )

    @cached_property
    def prefix_maxima(self) -> JudgedRankings:
        highest = flat(accumulate(of_topic, max) for of_topic in parts(self.grade, self._starts))
        return self._only(self.grade > self.previous(highest, float("-inf")))

    def _condensed(self) -> JudgedRankings:
        return self._view(rank=self.nth, retrieved=self.count)

    def _only(self, kept: Vector) -> JudgedRankings:
        if all(kept):
            return self
        return self._view(
            starts=starts_of_kept(kept, self._starts),
            rank=self.rank.where(kept),
            grade=self.grade.where(kept),
        )

    def _view(self, **changes: Any) -> JudgedRankings:
        mine = {name: getattr(self, name) for name in ("rank", "grade", "retrieved", "pool", "level")}
        return JudgedRankings(**{"starts": self._starts, **mine, **changes})


Pool.rankings = JudgedRankings
