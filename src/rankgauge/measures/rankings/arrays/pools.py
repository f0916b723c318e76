"""Pools: the grades of all judged documents of a block of topics, and their subtopics."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rankgauge.errors import MeasureError
from rankgauge.measures.rankings.array_types import Bools, Floats, Ints, picked, read_only
from rankgauge.measures.rankings.vocabulary import PoolVocabulary
from rankgauge.schema.text import format_number

if TYPE_CHECKING:
    from rankgauge.measures.rankings.gains import Gains

# Judgments per block: few enough for its arrays to stay in the processor's cache between steps, many enough
# for NumPy's overhead per step to be negligible.
BLOCK = 1 << 17

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Subtopics:
    """The subtopics of the judged documents of a pool, and their grades.

    A document's number is that of its judgment in the pool; an entry is its grade for one subtopic.
    """

    starts: Ints  # (judgments + 1,) where the entries of each document begin
    subtopic: Ints  # (entries,) the number of the subtopic; numbers ascend topic by topic
    grade: Floats  # (entries,)
    subtopic_starts: Ints  # (topics + 1,) where the subtopics of each topic begin
    levels: Floats  # distinct grades of the whole collection, ascending
    weights: Floats | None = None  # (subtopics,) their probabilities, if the judgments have some
    listed: Ints | None = None  # (topics,) how many subtopics of each topic have a probability
    alphas: Floats | None = None  # (topics,) the alpha of each topic, if the judgments have some
    # If these are some of others: those, and the judgments taken.
    origin: tuple[Subtopics, Ints] | None = None

    def only(self, kept: Any) -> Subtopics:
        """The entries of the judgments that are kept; all subtopics stay."""
        sizes = np.diff(self.starts)
        entries = np.repeat(kept, sizes)
        starts = np.concatenate(([0], np.cumsum(sizes[kept])))
        return replace(
            self,
            starts=starts,
            subtopic=self.subtopic[entries],
            grade=self.grade[entries],
            origin=(self, np.flatnonzero(kept)),
        )

    def of_topics(self, topics: Ints, pool: Ints) -> Subtopics:
        """The same of some topics, in this order."""
        judgment_starts, judgments = picked(pool, topics)
        starts, entries = picked(self.starts, judgments)
        subtopic_starts, places = picked(self.subtopic_starts, topics)
        # by how much the numbers of a topic's subtopics change, for all entries of its documents
        moved = np.repeat(
            subtopic_starts[:-1] - self.subtopic_starts[topics], np.diff(starts[judgment_starts])
        )
        return Subtopics(
            starts=starts,
            subtopic=self.subtopic[entries] + moved,
            grade=self.grade[entries],
            subtopic_starts=subtopic_starts,
            levels=self.levels,
            weights=None if self.weights is None else self.weights[places],
            listed=None if self.listed is None else self.listed[topics],
            alphas=None if self.alphas is None else self.alphas[topics],
            origin=(self, judgments),
        )

    def isolated(self) -> Subtopics:
        arrays = [field.name for field in fields(self) if field.name != "origin"]
        return replace(self, **{name: read_only(getattr(self, name)) for name in arrays})

    @cached_property
    def topic(self) -> Ints:
        return np.repeat(np.arange(len(self.subtopic_starts) - 1), np.diff(self.subtopic_starts))

    def count(self, useful: Bools) -> Ints:
        """(topics, 1): the number of subtopics with a probability, or else of useful ones."""
        if self.listed is not None:
            return self.listed[:, None]
        return np.bincount(self.topic[useful], minlength=len(self.subtopic_starts) - 1)[:, None]

    def shares(self, useful: Bools) -> Floats:
        """(subtopics,): their probabilities, or the same for all useful ones."""
        if self.weights is not None:
            return self.weights
        return np.where(useful, 1 / np.maximum(self.count(useful)[self.topic, 0], 1), 0.0)

    @cached_property
    def kinds(self) -> Ints:
        """(judgments,): equal for equal grades for all subtopics."""
        if self.origin is not None:  # blocks of topics, and each tie of them, ask again and again
            whole, judgments = self.origin
            return whole.kinds[judgments]
        subtopic, grade = self.subtopic.tolist(), self.grade.tolist()
        parts = (slice(*ends) for ends in itertools.pairwise(self.starts.tolist()))
        # Subtopics are compared with subtopics only: their numbers depend on the topics around.
        keys = [(tuple(subtopic[part]), tuple(grade[part])) for part in parts]
        place = {key: place for place, key in enumerate(sorted(set(keys)))}
        return np.array([place[key] for key in keys], dtype=np.int64)

    def supposing(self, ends: Ints, topics: Ints, grade: float) -> Subtopics:
        """With documents of this grade for all subtopics, inserted before the judgments `ends`."""
        sizes = np.diff(self.subtopic_starts)[topics]
        _, more = picked(self.subtopic_starts, topics)
        at = np.repeat(self.starts[ends], sizes)
        before = np.concatenate(([0], np.cumsum(np.insert(np.diff(self.starts), ends, sizes))))
        return replace(
            self,
            starts=before,
            subtopic=np.insert(self.subtopic, at, more),
            grade=np.insert(self.grade, at, grade),
            levels=np.union1d(self.levels, grade),
            origin=None,
        )


def check_probabilities(known: Subtopics) -> None:
    """Refuse grades above 1 as probabilities; 0 and below count as 0."""
    highest = float(known.levels[-1]) if len(known.levels) else 0.0
    if highest > 1:
        raise MeasureError(
            f"alpha=grade reads grades as probabilities, and the judgments have grade "
            f"{format_number(highest)}; grades must be numbers from 0 to 1"
        )


class Pool(PoolVocabulary):
    """The grades of the judged documents of a block of topics; one pool serves all runs."""

    def __init__(
        self, grades: Floats, starts: Ints, levels: Floats, subtopics: Subtopics | None = None
    ) -> None:
        super().__init__()
        self.grades = grades  # (judgments,) topic by topic
        self.starts = starts  # (topics + 1,)
        self.levels = levels  # distinct grades of the whole collection, ascending
        self.subtopics = subtopics  # None if documents are not judged by subtopic
        self._counts: dict[float, Ints] = {}

    @property
    def origin(self) -> Pool:
        """The pool this one is taken from, which keeps what is computed for both."""
        return self

    def original(self, topic: Ints) -> Ints:
        """The numbers of these topics in the original pool."""
        return topic

    @property
    def topics(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def sizes(self) -> Ints:
        return np.diff(self.starts)[:, None]

    def count(self, level: float) -> Ints:
        if level not in self._counts:
            if level <= self._lowest:
                return self.sizes
            before = np.concatenate(([0], np.cumsum(self.grades >= level)))
            self._counts[level] = np.diff(before[self.starts])[:, None]
        return self._counts[level]

    @cached_property
    def _lowest(self) -> float:
        return float(self.grades.min(initial=np.inf))

    def repeated(self, times: int) -> Pool:
        """The pool `times` times, for several runs."""
        if times == 1:
            return self
        topics = np.tile(np.arange(self.topics), times)
        return self.memo(("repeated", times), lambda: self.of_topics(topics))

    def exactly(self, grade: float) -> Pool:
        """The pool with grade 1 for this grade and 0 for others; negative grades are unchanged."""
        return self.memo(
            ("exactly", grade),
            lambda: Pool(
                only_grade(self.grades, grade), self.starts, np.unique(only_grade(self.levels, grade))
            ),
        )

    def of_topics(self, topics: Ints) -> Pool:
        """The same of some topics, in this order."""
        return _Picked(self, topics)

    def isolated(self, owner: str) -> Pool:
        """The same, read-only and shared with nobody but the owner."""

        def make() -> Pool:
            grades, starts, levels = map(read_only, (self.grades, self.starts, self.levels))
            return Pool(grades, starts, levels, self.subtopics and self.subtopics.isolated())

        return self.memo(("isolated", owner), make)

    def only(self, topic: int) -> Pool:
        return self.within(topic, topic + 1)

    def values_of_ideal(self, measures: Sequence[Any], topic: int) -> list[float]:
        """The values of the first measure's ideal ranking of a topic."""
        ideal = measures[0].ideal(self.only(topic))
        return [float(measure.value(ideal)[0]) for measure in measures]

    def within(self, first: int, last: int) -> Pool:
        begin, end = self.starts[first], self.starts[last]
        some = self.subtopics and self.subtopics.of_topics(np.arange(first, last), self.starts)
        return Pool(self.grades[begin:end], self.starts[first : last + 1] - begin, self.levels, some)

    @cached_property
    def by_subtopic(self) -> Pool:
        """The pool of the subtopics, as if they were topics."""
        known = self.subtopics
        assert known is not None
        order = np.argsort(known.subtopic, kind="stable")
        starts = np.searchsorted(known.subtopic[order], np.arange(known.subtopic_starts[-1] + 1))
        return Pool(known.grade[order], starts, known.levels)

    def each(self, key: Hashable, make: Callable[[Pool, int], T]) -> list[T]:
        """The results of `make` for each topic, once per key."""
        return self.memo(("each", key), lambda: [make(self, topic) for topic in range(self.topics)])

    def regraded(self, key: Hashable, make: Callable[[Pool], Floats]) -> Pool:
        """The pool with the grades that `make` returns, once per key."""
        return self.memo(("regraded", key), lambda: self._with(make(self)))

    def _with(self, grades: Floats) -> Pool:
        return Pool(grades, self.starts, np.unique(grades))

    def _best_first(self, gains: Gains) -> Mapping[str, Any]:
        levels = self.levels
        worth = levels if gains.by_grade else gains.of(levels, levels)
        useful = worth > 0 if gains.level is None else levels >= gains.level
        best = np.lexsort((-levels, -worth))
        best = best[useful[best]]
        place = np.full(len(levels), -1)  # of a level among them, the best first
        place[best] = np.arange(len(best))
        topic = np.repeat(np.arange(self.topics), np.diff(self.starts))
        nth_best, starts = place[np.searchsorted(levels, self.grades)], self.starts
        kept = nth_best >= 0
        if not kept.all():
            topic, nth_best = topic[kept], nth_best[kept]
            starts = np.concatenate(([0], np.cumsum(kept)))[starts]
        # A document is its topic and level in one number, and documents of one number are all alike.
        numbers, most = topic * len(best) + nth_best, self.topics * len(best)
        if most <= 4 * len(numbers):  # counting them takes less time than sorting
            counts = np.bincount(numbers, minlength=most)
            grade = np.repeat(np.tile(levels[best], self.topics), counts)
        else:
            grade = levels[best][np.sort(numbers) - topic * len(best)]
        rank = np.arange(1, len(topic) + 1) - starts[topic]
        return {
            "starts": starts,
            "rank": rank,
            "grade": grade,
            "retrieved": np.diff(starts)[:, None],
            "level": 1.0 if gains.level is None else gains.level,
        }


class _Picked(Pool):
    """Some topics of a pool; the original computes everything."""

    def __init__(self, pool: Pool, topics: Ints) -> None:
        starts, places = picked(pool.starts, topics)
        known = pool.subtopics
        some = known and known.of_topics(topics, pool.starts)
        super().__init__(pool.grades[places], starts, pool.levels, some)
        self._pool, self._topics = pool, topics

    @property
    def origin(self) -> Pool:
        return self._pool.origin

    def original(self, topic: Ints) -> Ints:
        return self._pool.original(self._topics[topic])

    @cached_property
    def by_subtopic(self) -> Pool:
        known = self._pool.subtopics
        assert known is not None
        return self._pool.by_subtopic.of_topics(picked(known.subtopic_starts, self._topics)[1])

    def each(self, key: Hashable, make: Callable[[Pool, int], T]) -> list[T]:
        results = self._pool.each(key, make)
        return [results[topic] for topic in self._topics.tolist()]

    def regraded(self, key: Hashable, make: Callable[[Pool], Floats]) -> Pool:
        return self.memo(("regraded", key), lambda: self._pool.regraded(key, make).of_topics(self._topics))

    def count(self, level: float) -> Ints:
        return self._pool.count(level)[self._topics]

    def _best_first(self, gains: Gains) -> Mapping[str, Any]:
        best = self._pool.best_first(gains)
        starts, places = picked(best["starts"], self._topics)
        return {
            "starts": starts,
            "rank": best["rank"][places],
            "grade": best["grade"][places],
            "retrieved": best["retrieved"][self._topics],
            "level": best["level"],
        }


def only_grade(grades: Floats, grade: float) -> Floats:
    """1 for this grade and 0 for others; negative grades are unchanged."""
    return np.where(grades == grade, 1.0, np.minimum(grades, 0.0))


def pools(
    grades: Floats, starts: Ints, levels: Floats, block: int = BLOCK, subtopics: Subtopics | None = None
) -> Iterator[tuple[int, int, Pool]]:
    """(first topic, last + 1, pool) of blocks of consecutive topics with about `block` judgments each.

    A run has at most as many hits in a topic as the topic has judgments, so this bounds every array that a
    measure computes. A topic larger than a block is a block of its own.
    """
    whole = Pool(grades, starts, levels, subtopics)
    first, topics = 0, len(starts) - 1
    while first < topics:
        last = max(first + 1, int(np.searchsorted(starts, starts[first] + block, side="right")) - 1)
        yield first, last, whole.within(first, last)
        first = last
