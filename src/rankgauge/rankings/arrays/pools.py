"""Pools: the grades of all judged documents, and the ideal rankings that follow from them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rankgauge.rankings.array_types import Floats, Ints
from rankgauge.rankings.arrays.groups import picked, tiled
from rankgauge.rankings.arrays.subtopics import Subtopics
from rankgauge.rankings.vocabulary import PoolVocabulary

if TYPE_CHECKING:
    from rankgauge.rankings.gains import Gains

# Judgments of a block: few enough for its arrays to stay in a processor's cache from one step to the
# next, many enough for NumPy's overhead per step not to show.
BLOCK = 1 << 17

T = TypeVar("T")


class Pool(PoolVocabulary):
    """The grades of all judged documents of a block of topics, and what follows from them alone.

    One pool serves all runs of an experiment, so ideals are made, and curves on them read, once.
    """

    def __init__(
        self, grades: Floats, starts: Ints, levels: Floats, subtopics: Subtopics | None = None
    ) -> None:
        super().__init__()
        self.grades = grades  # (judgments,) topic after topic
        self.starts = starts  # (topics + 1,)
        self.levels = levels  # distinct grades of the whole collection, ascending
        self.subtopics = subtopics  # None if documents are judged for whole topics only
        self._counts: dict[float, Ints] = {}
        self._exact: dict[float, Pool] = {}
        self._repeated: dict[int, Pool] = {}

    @property
    def origin(self) -> Pool:
        """The pool that this one repeats or takes topics from: what follows from it is worked out there."""
        return self

    def original(self, topic: Ints) -> Ints:
        """The numbers that these topics have there."""
        return topic

    @property
    def topics(self) -> int:
        """How many topics."""
        return len(self.starts) - 1

    @cached_property
    def sizes(self) -> Ints:
        """(topics, 1): how many documents are judged."""
        return np.diff(self.starts)[:, None]

    def count(self, level: float) -> Ints:
        """(topics, 1): how many judged documents have at least this grade."""
        if level not in self._counts:
            before = np.concatenate(([0], np.cumsum(self.grades >= level)))
            self._counts[level] = np.diff(before[self.starts])[:, None]
        return self._counts[level]

    def repeated(self, times: int) -> Pool:
        """The pool once for each of so many runs, whose rankings lie one after the other."""
        if times == 1:
            return self
        if times not in self._repeated:
            self._repeated[times] = _Repeated(self, times)
        return self._repeated[times]

    def exactly(self, grade: float) -> Pool:
        """The pool as if documents of this grade alone were relevant; grades below 0 stay as they are."""
        if grade not in self._exact:
            self._exact[grade] = Pool(
                only_grade(self.grades, grade), self.starts, np.unique(only_grade(self.levels, grade))
            )
        return self._exact[grade]

    def of_topics(self, topics: Ints) -> Pool:
        """The pool of these topics, in this order, a topic as often as it is there."""
        return _Picked(self, topics)

    def only(self, topic: int) -> Pool:
        """The pool of one topic."""
        return self.within(topic, topic + 1)

    def within(self, first: int, last: int) -> Pool:
        """The pool of consecutive topics."""
        begin, end = self.starts[first], self.starts[last]
        some = self.subtopics and self.subtopics.of_topics(np.arange(first, last), self.starts)
        return Pool(self.grades[begin:end], self.starts[first : last + 1] - begin, self.levels, some)

    @cached_property
    def intents(self) -> Pool:
        """The pools of the subtopics, as if they were topics."""
        known = self.subtopics
        assert known is not None
        order = np.argsort(known.intent, kind="stable")
        starts = np.searchsorted(known.intent[order], np.arange(known.intents[-1] + 1))
        return Pool(known.grade[order], starts, known.levels)

    def each(self, key: Hashable, make: Callable[[Pool, int], T]) -> list[T]:
        """What `make` finds for each topic, worked out once and remembered by the key."""
        return self.memo(("each", key), lambda: [make(self, topic) for topic in range(self.topics)])

    def regraded(self, key: Hashable, make: Callable[[Pool], Floats]) -> Pool:
        """The pool with other grades, which `make` finds, remembered by the key."""
        return self.memo(("regraded", key), lambda: self._with(make(self)))

    def _with(self, grades: Floats) -> Pool:
        return Pool(grades, self.starts, np.unique(grades))

    def _best_first(self, gains: Gains) -> Mapping[str, Any]:
        worth = gains.of(self.grades, self.levels) if gains.scheme == "map" else self.grades
        topic = np.repeat(np.arange(self.topics), np.diff(self.starts))
        useful = np.flatnonzero(worth > 0 if gains.level is None else self.grades >= gains.level)
        order = useful[np.lexsort((-self.grades[useful], -worth[useful], topic[useful]))]
        sizes = np.bincount(topic[order], minlength=self.topics)
        starts = np.concatenate(([0], np.cumsum(sizes)))
        rank = np.arange(1, len(order) + 1) - np.repeat(starts[:-1], sizes)
        return {
            "starts": starts,
            "rank": rank,
            "grade": self.grades[order],
            "retrieved": sizes[:, None],
            "level": 1.0 if gains.level is None else gains.level,
        }


class _Repeated(Pool):
    """A pool over and over again; what follows from it is worked out once."""

    def __init__(self, pool: Pool, times: int) -> None:
        known = pool.subtopics
        some = known and known.of_topics(np.tile(np.arange(pool.topics), times), pool.starts)
        super().__init__(np.tile(pool.grades, times), tiled(pool.starts, times), pool.levels, some)
        self._pool, self._times = pool, times

    @property
    def origin(self) -> Pool:
        """The pool that is repeated."""
        return self._pool.origin

    def original(self, topic: Ints) -> Ints:
        """The numbers that these topics have there."""
        return self._pool.original(topic % self._pool.topics)

    @cached_property
    def intents(self) -> Pool:
        """The pools of the subtopics, as if they were topics."""
        return self._pool.intents.repeated(self._times)

    def each(self, key: Hashable, make: Callable[[Pool, int], T]) -> list[T]:
        """What `make` finds for each topic, worked out once and remembered by the key."""
        return self._pool.each(key, make) * self._times

    def regraded(self, key: Hashable, make: Callable[[Pool], Floats]) -> Pool:
        """The pool with other grades, which `make` finds, remembered by the key."""
        return self._pool.regraded(key, make).repeated(self._times)

    def count(self, level: float) -> Ints:
        """(topics, 1): how many judged documents have at least this grade."""
        return np.tile(self._pool.count(level), (self._times, 1))

    def _best_first(self, gains: Gains) -> Mapping[str, Any]:
        best = self._pool.best_first(gains)
        return {
            "starts": tiled(best["starts"], self._times),
            "rank": np.tile(best["rank"], self._times),
            "grade": np.tile(best["grade"], self._times),
            "retrieved": np.tile(best["retrieved"], (self._times, 1)),
            "level": best["level"],
        }


class _Picked(Pool):
    """Some topics of a pool; what follows from it is worked out once."""

    def __init__(self, pool: Pool, topics: Ints) -> None:
        starts, places = picked(pool.starts, topics)
        known = pool.subtopics
        some = known and known.of_topics(topics, pool.starts)
        super().__init__(pool.grades[places], starts, pool.levels, some)
        self._pool, self._topics = pool, topics

    @property
    def origin(self) -> Pool:
        """The pool that topics are taken from."""
        return self._pool.origin

    def original(self, topic: Ints) -> Ints:
        """The numbers that these topics have there."""
        return self._pool.original(self._topics[topic])

    @cached_property
    def intents(self) -> Pool:
        """The pools of the subtopics, as if they were topics."""
        known = self._pool.subtopics
        assert known is not None
        return self._pool.intents.of_topics(picked(known.intents, self._topics)[1])

    def each(self, key: Hashable, make: Callable[[Pool, int], T]) -> list[T]:
        """What `make` finds for each topic, worked out once and remembered by the key."""
        found = self._pool.each(key, make)
        return [found[topic] for topic in self._topics.tolist()]

    def regraded(self, key: Hashable, make: Callable[[Pool], Floats]) -> Pool:
        """The pool with other grades, which `make` finds, remembered by the key."""
        return self.memo(("regraded", key), lambda: self._pool.regraded(key, make).of_topics(self._topics))

    def count(self, level: float) -> Ints:
        """(topics, 1): how many judged documents have at least this grade."""
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
    """Grades of 1 for this grade, of 0 for the others; those below 0 stay as they are."""
    return np.where(grades == grade, 1.0, np.minimum(grades, 0.0))


def pools(
    grades: Floats, starts: Ints, levels: Floats, block: int = BLOCK, subtopics: Subtopics | None = None
) -> Iterator[tuple[int, int, Pool]]:
    """(first topic, last + 1, pool) of consecutive topics that have about so many judgments together.

    A run's hits in a topic are at most the topic's pool, so this bounds every array a measure
    makes, whatever the run; only a topic larger than a block has a block of its own.
    """
    whole = Pool(grades, starts, levels, subtopics)
    first, topics = 0, len(starts) - 1
    while first < topics:
        last = max(first + 1, int(np.searchsorted(starts, starts[first] + block, side="right")) - 1)
        yield first, last, whole.within(first, last)
        first = last
