"""Judged rankings: all that a measure needs to know of a run, for a block of topics at once.

Only judged documents matter. After ordering, every measure is a function of the ranks of the
judged documents a run retrieved (its hits), their grades, how many documents were retrieved, and
the grades of all judged documents (the pool). Views of a `Judged` are again `Judged`: the ideal
ranking, the ranking condensed to its judged documents, the ranking at another level of relevance.

Facts about hits are arrays (hits,), topic after topic; facts about topics are arrays (topics, 1).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rankgauge.curve import POSITION, AtHits, Bools, Curve, Floats, Ints, Ranking, Reading, Steps

if TYPE_CHECKING:
    from rankgauge.measures.scales import Gains

# Judgments of a block: few enough for its arrays to stay in a processor's cache from one step to the
# next, many enough for NumPy's overhead per step not to show.
BLOCK = 1 << 17

T = TypeVar("T")


class Pool:
    """The grades of all judged documents of a block of topics, and what follows from them alone.

    One pool serves all runs of an experiment, so ideals are made, and curves on them read, once.
    """

    def __init__(self, grades: Floats, starts: Ints, levels: Floats) -> None:
        self.grades = grades  # (judgments,) topic after topic
        self.starts = starts  # (topics + 1,)
        self.levels = levels  # distinct grades of the whole collection, ascending
        self._ideals: dict[Any, Judged] = {}
        self._counts: dict[float, Ints] = {}

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

    def only(self, topic: int) -> Pool:
        """The pool of one topic."""
        begin, end = self.starts[topic], self.starts[topic + 1]
        return Pool(self.grades[begin:end], np.array([0, end - begin]), self.levels)

    def ideal(self, gains: Gains) -> Judged:
        """The best ranking possible: every judged document with a gain, the largest gain first."""
        key = gains if gains.scheme == "map" else "by grade"  # the others rise with the grade: one serves all
        if key not in self._ideals:
            self._ideals[key] = self._best(gains)
        return self._ideals[key]

    def _best(self, gains: Gains) -> Judged:
        worth = gains.of(self.grades, self.levels) if gains.scheme == "map" else self.grades
        topic = np.repeat(np.arange(self.topics), np.diff(self.starts))
        useful = np.flatnonzero(worth > 0)
        order = useful[np.lexsort((-worth[useful], topic[useful]))]
        sizes = np.bincount(topic[order], minlength=self.topics)
        starts = np.concatenate(([0], np.cumsum(sizes)))
        rank = np.arange(1, len(order) + 1) - np.repeat(starts[:-1], sizes)
        return Judged(starts=starts, rank=rank, grade=self.grades[order], retrieved=sizes[:, None], pool=self)


class Judged(Ranking):
    """One run on a block of topics, as far as it is judged."""

    def __init__(
        self, *, starts: Ints, rank: Ints, grade: Floats, retrieved: Ints, pool: Pool, level: float = 1.0
    ) -> None:
        super().__init__(starts, rank)
        self.grade = grade  # (hits,) of the judged documents retrieved
        self.retrieved = retrieved  # (topics, 1) how many documents the run returned
        self.pool = pool
        self.level = level  # the smallest grade that counts as relevant
        self._memo: dict[Hashable, Any] = {}

    def memo(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` returned the first time; nothing about a `Judged` ever changes."""
        if key not in self._memo:
            self._memo[key] = make()
        made: T = self._memo[key]
        return made

    @cached_property
    def relevant(self) -> Bools:
        """(hits,): whether the document is relevant."""
        return self.grade >= self.level

    @cached_property
    def recall_base(self) -> Ints:
        """(topics, 1): R, how many judged documents are relevant."""
        return self.pool.count(self.level)

    def gain(self, gains: Gains) -> Floats:
        """(hits,): what each document is worth."""
        return self.memo(("gain", gains), lambda: gains.of(self.grade, self.pool.levels))

    @cached_property
    def hits(self) -> Curve:
        """The curve of relevant documents found so far."""
        found = self.keeping(self.level)
        return Curve(lambda reading: reading.passed(found))

    position = POSITION  # the curve i -> i

    @cached_property
    def at_hits(self) -> Reading:
        """The reading at every hit."""
        return AtHits(self)

    def cumulate(self, values: Any, where: Bools | None = None) -> Curve:
        """The curve that adds values up over the hits, in rank order.

        Values are given for each hit, or as a curve to be read there; `where` says which hits count.
        """
        if isinstance(values, Curve):
            values = values.at(self.at_hits)
        return Steps(self, values if where is None or where.all() else np.where(where, values, 0.0))

    def read(self, curve: Curve, cutoff: int) -> Floats:
        """(topics,): the curve's value at one rank."""
        ranks = np.broadcast_to(np.int64(cutoff), self.retrieved.shape)
        return self._column(curve, self.memo(("cutoff", cutoff), lambda: Reading(ranks)))

    def read_uncut(self, curve: Curve, where: str) -> Floats:
        """(topics,): the value at the end of each ranking, or (where="ideal") also past its recall base."""
        return self._column(curve, self.memo(("uncut", where), lambda: Reading(self.end(where))))

    def end(self, where: str) -> Ints:
        """(topics, 1): the rank at which a curve is read that has no cutoff."""
        return np.maximum(self.retrieved, self.pool.sizes) if where == "ideal" else self.retrieved

    def read_all(self, curve: Curve, depth: int) -> Floats:
        """(topics, depth): the curve's value at every rank."""
        return self.read_at(curve, np.arange(1, depth + 1))

    def read_at(self, curve: Curve, ranks: Ints) -> Floats:
        """(topics, ranks): the curve's value at each of these ranks."""
        shape = len(self.sizes), len(ranks)
        values: Floats = curve.at(Reading(np.broadcast_to(ranks, shape)))
        return np.broadcast_to(values, shape)

    def _column(self, curve: Curve, reading: Reading) -> Floats:
        values: Floats = curve.at(reading)
        return values[:, 0]

    def ideal(self, gains: Gains) -> Judged:
        """The best ranking the pool allows, by gain."""
        return self.pool.ideal(gains)

    def at_level(self, level: float) -> Judged:
        """The same rankings, with another smallest relevant grade."""
        if level == self.level:
            return self
        return self.memo(("level", level), lambda: self._view(level=level))

    def keeping(self, least: float) -> Judged:
        """The same rankings, of which only documents of at least this grade are told."""
        levels = self.pool.levels
        place = int(np.searchsorted(levels, least))
        if place == 0:
            return self
        return self.memo(
            ("keeping", place), lambda: self._only(self.grade >= (*levels.tolist(), np.inf)[place])
        )

    @cached_property
    def first_relevant(self) -> Judged:
        """The same rankings, of which only the first relevant document is told."""
        found = self.keeping(self.level)
        return found._only(found.nth == 1)

    def judged_only(self, negatives: str = "unjudged") -> Judged:
        """The rankings condensed to judged documents; grades below 0 count as unjudged, as in trec_eval."""
        return self.memo(("judged_only", negatives), lambda: self._condensed(negatives))

    def _condensed(self, negatives: str) -> Judged:
        kept = self.assessed(negatives)
        return kept._view(rank=kept.nth, retrieved=kept.sizes[:, None])

    def assessed(self, negatives: str = "unjudged") -> Judged:
        """The same rankings, of which only what `judged_only` keeps is told, at the ranks it has."""
        return self if negatives == "nonrelevant" else self._only(self.grade >= 0)

    def cut(self, depth: int) -> Judged:
        """The first `depth` documents of each ranking."""
        return self._only(self.rank <= depth)._view(retrieved=np.minimum(self.retrieved, depth))

    @cached_property
    def optimistic(self) -> Judged:
        """As if every unjudged document retrieved had been judged, and found to be of the best grade."""
        return self.supposing(float(self.pool.levels[-1]))

    def supposing(self, supposed: float, depth: int | None = None) -> Judged:
        """As if every unjudged document retrieved had been judged, and found to be of this grade.

        Or only those among the first `depth` documents; the others stay unjudged.
        """
        retrieved = self.retrieved[:, 0] if depth is None else np.minimum(self.retrieved[:, 0], depth)
        judged = self._only(self.rank <= retrieved[self.topic])
        starts = np.concatenate(([0], np.cumsum(retrieved)))
        grade = np.full(int(starts[-1]), supposed)
        grade[starts[judged.topic] + judged.rank - 1] = judged.grade
        rank = np.arange(1, len(grade) + 1) - np.repeat(starts[:-1], retrieved)
        topic = np.repeat(np.arange(len(retrieved)), retrieved)
        if len(judged.rank) < len(self.rank):  # hits below that depth stay where they are
            below = self.rank > retrieved[self.topic]
            order = np.argsort(np.concatenate((topic, self.topic[below])), kind="stable")
            rank = np.concatenate((rank, self.rank[below]))[order]
            grade = np.concatenate((grade, self.grade[below]))[order]
            starts = starts + self.starts - judged.starts
        added = retrieved - judged.sizes
        ends = np.repeat(self.pool.starts[1:], added)  # the new judgments follow each topic's old ones
        levels = self.pool.levels
        if supposed not in levels:
            levels = np.insert(levels, np.searchsorted(levels, supposed), supposed)
        pool = Pool(
            np.insert(self.pool.grades, ends, supposed),
            self.pool.starts + np.concatenate(([0], np.cumsum(added))),
            levels,
        )
        return self._view(starts=starts, rank=rank, grade=grade, pool=pool)

    def without_each(self) -> Iterator[Judged]:
        """Of one topic: the ranking with an unjudged document in the place of a hit, for each hit in turn.

        The rankings are topics of blocks, so that a long one does not take the square of its memory.
        """
        hits = len(self.rank)
        several = max(1, BLOCK // (hits + len(self.pool.grades)))
        for first in range(0, hits, several):
            places = np.arange(first, min(first + several, hits))
            count = len(places)
            kept = np.arange(hits) != places[:, None]
            pool = Pool(
                np.tile(self.pool.grades, count),
                np.arange(count + 1) * len(self.pool.grades),
                self.pool.levels,
            )
            yield self._view(
                starts=np.arange(count + 1) * (hits - 1),
                rank=np.tile(self.rank, (count, 1))[kept],
                grade=np.tile(self.grade, (count, 1))[kept],
                retrieved=np.repeat(self.retrieved, count, axis=0),
                pool=pool,
            )

    def _only(self, kept: Bools) -> Judged:
        """The rankings without the hits that are not kept; kept (hits,)."""
        before = np.concatenate(([0], np.cumsum(kept)))
        return self._view(starts=before[self.starts], rank=self.rank[kept], grade=self.grade[kept])

    def _view(self, **changes: Any) -> Judged:
        mine = ("starts", "rank", "grade", "retrieved", "pool", "level")
        return Judged(**{**{name: getattr(self, name) for name in mine}, **changes})


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
