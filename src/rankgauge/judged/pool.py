"""Pools: the grades of all judged documents, and the ideal rankings that follow from them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rankgauge.curve import Floats, Ints
from rankgauge.words import PoolWords

if TYPE_CHECKING:
    from rankgauge.judged.rankings import Judged
    from rankgauge.measures.scales import Gains

# Judgments of a block: few enough for its arrays to stay in a processor's cache from one step to the
# next, many enough for NumPy's overhead per step not to show.
BLOCK = 1 << 17

T = TypeVar("T")


class Pool(PoolWords):
    """The grades of all judged documents of a block of topics, and what follows from them alone.

    One pool serves all runs of an experiment, so ideals are made, and curves on them read, once.
    """

    def __init__(self, grades: Floats, starts: Ints, levels: Floats) -> None:
        super().__init__()
        self.grades = grades  # (judgments,) topic after topic
        self.starts = starts  # (topics + 1,)
        self.levels = levels  # distinct grades of the whole collection, ascending
        self._counts: dict[float, Ints] = {}
        self._exact: dict[float, Pool] = {}
        self._repeated: dict[int, Pool] = {}
        self._memo: dict[Hashable, Any] = {}

    def memo(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` returned the first time; nothing about a pool ever changes."""
        if key not in self._memo:
            self._memo[key] = make()
        made: T = self._memo[key]
        return made

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
        begin, end = self.starts[topic], self.starts[topic + 1]
        return Pool(self.grades[begin:end], np.array([0, end - begin]), self.levels)

    def _best(self, gains: Gains) -> Judged:
        from rankgauge.judged.rankings import Judged  # which has a pool, as this has rankings

        worth = gains.of(self.grades, self.levels) if gains.scheme == "map" else self.grades
        topic = np.repeat(np.arange(self.topics), np.diff(self.starts))
        useful = np.flatnonzero(worth > 0 if gains.level is None else self.grades >= gains.level)
        order = useful[np.lexsort((-self.grades[useful], -worth[useful], topic[useful]))]
        sizes = np.bincount(topic[order], minlength=self.topics)
        starts = np.concatenate(([0], np.cumsum(sizes)))
        rank = np.arange(1, len(order) + 1) - np.repeat(starts[:-1], sizes)
        level = 1.0 if gains.level is None else gains.level
        return Judged(
            starts=starts,
            rank=rank,
            grade=self.grades[order],
            retrieved=sizes[:, None],
            pool=self,
            level=level,
        )


class _Repeated(Pool):
    """A pool over and over again; what follows from it is worked out once."""

    def __init__(self, pool: Pool, times: int) -> None:
        super().__init__(np.tile(pool.grades, times), tiled(pool.starts, times), pool.levels)
        self._pool, self._times = pool, times

    @property
    def origin(self) -> Pool:
        """The pool that is repeated."""
        return self._pool.origin

    def original(self, topic: Ints) -> Ints:
        """The numbers that these topics have there."""
        return self._pool.original(topic % self._pool.topics)

    def count(self, level: float) -> Ints:
        """(topics, 1): how many judged documents have at least this grade."""
        return np.tile(self._pool.count(level), (self._times, 1))

    def _best(self, gains: Gains) -> Judged:
        from rankgauge.judged.rankings import Judged  # which has a pool, as this has rankings

        best = self._pool.ideal(gains)
        return Judged(
            starts=tiled(best.starts, self._times),
            rank=np.tile(best.rank, self._times),
            grade=np.tile(best.grade, self._times),
            retrieved=np.tile(best.retrieved, (self._times, 1)),
            pool=self,
            level=best.level,
        )


class _Picked(Pool):
    """Some topics of a pool; what follows from it is worked out once."""

    def __init__(self, pool: Pool, topics: Ints) -> None:
        starts, places = picked(pool.starts, topics)
        super().__init__(pool.grades[places], starts, pool.levels)
        self._pool, self._topics = pool, topics

    @property
    def origin(self) -> Pool:
        """The pool that topics are taken from."""
        return self._pool.origin

    def original(self, topic: Ints) -> Ints:
        """The numbers that these topics have there."""
        return self._pool.original(self._topics[topic])

    def count(self, level: float) -> Ints:
        """(topics, 1): how many judged documents have at least this grade."""
        return self._pool.count(level)[self._topics]

    def _best(self, gains: Gains) -> Judged:
        from rankgauge.judged.rankings import Judged  # which has a pool, as this has rankings

        best = self._pool.ideal(gains)
        starts, places = picked(best.starts, self._topics)
        return Judged(
            starts=starts,
            rank=best.rank[places],
            grade=best.grade[places],
            retrieved=best.retrieved[self._topics],
            pool=self,
            level=best.level,
        )


def tiled(starts: Ints, times: int) -> Ints:
    """Where groups begin when all of them are there so many times, one after the other."""
    size = starts[-1]
    return np.append((starts[:-1] + size * np.arange(times)[:, None]).ravel(), size * times)


def picked(starts: Ints, groups: Ints) -> tuple[Ints, Ints]:
    """(starts, places) of the members of these groups, in this order, a group as often as it is there."""
    sizes = np.diff(starts)[groups]
    ends = np.cumsum(sizes)
    places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts[groups] - (ends - sizes), sizes)
    return np.concatenate(([0], ends)), places


def only_grade(grades: Floats, grade: float) -> Floats:
    """Grades of 1 for this grade, of 0 for the others; those below 0 stay as they are."""
    return np.where(grades == grade, 1.0, np.minimum(grades, 0.0))


def pools(
    grades: Floats, starts: Ints, levels: Floats, block: int = BLOCK
) -> Iterator[tuple[int, int, Pool]]:
    """(first topic, last + 1, pool) of consecutive topics that have about so many judgments together.

    A run's hits in a topic are at most the topic's pool, so this bounds every array a measure
    makes, whatever the run; only a topic larger than a block has a block of its own.
    """
    first, topics = 0, len(starts) - 1
    while first < topics:
        last = max(first + 1, int(np.searchsorted(starts, starts[first] + block, side="right")) - 1)
        begin, end = starts[first], starts[last]
        yield first, last, Pool(grades[begin:end], starts[first : last + 1] - begin, levels)
        first = last
