"""Judged rankings: all that a measure needs to know of a run, for a block of topics at once.

Only judged documents matter. After ordering, every measure is a function of the ranks of the
judged documents a run retrieved (its hits), their grades, how many documents were retrieved, and
the grades of all judged documents (the pool). Views of a `Judged` are again `Judged`: the ideal
ranking, the ranking condensed to its judged documents, the ranking at another level of relevance.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rankgauge.curve import NEVER, POSITION, AtHits, Curve, Floats, Ints, Reading, Steps

if TYPE_CHECKING:
    from rankgauge.measures.scales import Gains

# Cells of a block: small enough for its arrays to stay in a processor's cache from one step
# to the next, large enough for NumPy's overhead per step not to show.
BLOCK_CELLS = 1 << 17

T = TypeVar("T")


def padded(values: Any, starts: Ints, fill: Any) -> Any:
    """(topics, widest): a topic's values in each row, `fill` behind them; starts (topics + 1,)."""
    sizes = np.diff(starts)
    width = int(sizes.max(initial=0))
    if len(sizes) and (sizes == width).all():
        return values.reshape(len(sizes), width)
    rows = np.full((len(sizes), width), fill, dtype=values.dtype)
    rows[np.arange(width) < sizes[:, None]] = values
    return rows


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
            # one leading 0, so that reduceat-like differences also work for topics without judgments
            sums = np.concatenate(([0], np.cumsum(self.grades >= level)))
            self._counts[level] = (sums[self.starts[1:]] - sums[self.starts[:-1]])[:, None]
        return self._counts[level]

    def ideal(self, gains: Gains) -> Judged:
        """The best ranking possible: every judged document with a gain, the largest gain first."""
        key = "by grade" if gains.rising and gains.scheme != "map" else gains
        if key not in self._ideals:
            self._ideals[key] = self._best(gains)
        return self._ideals[key]

    def _best(self, gains: Gains) -> Judged:
        worth = gains.of(self.grades, self.levels)
        topic = np.repeat(np.arange(self.topics), np.diff(self.starts))
        useful = np.flatnonzero(worth > 0)
        order = useful[np.lexsort((-worth[useful], topic[useful]))]
        sizes = np.bincount(topic[order], minlength=self.topics)
        starts = np.concatenate(([0], np.cumsum(sizes)))
        rank = np.arange(len(order)) - np.repeat(starts[:-1], sizes) + 1
        return Judged(
            rank=padded(rank, starts, NEVER),
            grade=padded(self.grades[order], starts, 0.0),
            retrieved=sizes,
            pool=self,
        )


class Judged:
    """One run on a block of topics, as far as it is judged."""

    def __init__(self, *, rank: Ints, grade: Floats, retrieved: Ints, pool: Pool, level: float = 1.0) -> None:
        self.rank = rank  # (topics, hits) of the judged documents retrieved, ascending; NEVER is padding
        self.grade = grade  # (topics, hits)
        self.retrieved = retrieved  # (topics,)
        self.pool = pool
        self.level = level  # the smallest grade that counts as relevant
        self._memo: dict[Hashable, Any] = {}

    def memo(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` returned the first time; nothing about a `Judged` ever changes."""
        if key not in self._memo:
            self._memo[key] = make()
        made: T = self._memo[key]
        return made

    # What measures are made of

    @cached_property
    def judged(self) -> Any:
        """(topics, hits): whether there is a document, and not padding."""
        return self.rank != NEVER

    @cached_property
    def relevant(self) -> Any:
        """(topics, hits): whether the document is relevant."""
        relevant = self.grade >= self.level
        return relevant if self.level > 0 else relevant & self.judged  # padding has grade 0

    @cached_property
    def first_relevant(self) -> Any:
        """(topics, hits): whether the document is the first relevant one."""
        return self.relevant & (self.hits.at(self.at_hits) == 1)

    @cached_property
    def recall_base(self) -> Ints:
        """(topics, 1): R, how many judged documents are relevant."""
        return self.pool.count(self.level)

    def gain(self, gains: Gains) -> Floats:
        """(topics, hits): what each document is worth."""
        return self.memo(("gain", gains), lambda: self._gain(gains))

    def _gain(self, gains: Gains) -> Floats:
        gain = gains.of(self.grade, self.pool.levels)
        return gain if gains.scheme != "map" else np.where(self.judged, gain, 0.0)

    @cached_property
    def hits(self) -> Curve:
        """The curve of relevant documents found so far."""
        return self.cumulate(self.relevant)

    position = POSITION  # the curve i -> i

    @cached_property
    def at_hits(self) -> Reading:
        """The reading at the ranks of the hits."""
        return AtHits(self)

    def cumulate(self, values: Any, where: Any = None) -> Curve:
        """The curve that adds values up over the hits, in rank order.

        Values are given for each hit, or as a curve to be read there; `where` says which hits count.
        """
        if isinstance(values, Curve):
            values = values.at(self.at_hits)
        return Steps(self, values if where is None else np.where(where, values, 0.0))

    # Reading

    def read(self, curve: Curve, cutoff: int) -> Floats:
        """(topics,): the curve's value at one rank."""
        at = self.memo(
            ("cutoff", cutoff), lambda: Reading(np.full((len(self.retrieved), 1), cutoff, dtype=np.int64))
        )
        return curve.at(at)[:, 0]

    def read_uncut(self, curve: Curve, where: str) -> Floats:
        """(topics,): the value at the end of each ranking, or (where="ideal") also past its recall base."""

        def last() -> Reading:
            end = self.retrieved[:, None]
            return Reading(np.maximum(end, self.pool.sizes) if where == "ideal" else end)

        return curve.at(self.memo(("uncut", where), last))[:, 0]

    def read_all(self, curve: Curve, depth: int) -> Floats:
        """(topics, depth): the curve's value at every rank."""
        ranks = np.broadcast_to(np.arange(1, depth + 1), (len(self.retrieved), depth))
        return np.broadcast_to(curve.at(Reading(ranks)), (len(self.retrieved), depth))

    # Views

    def ideal(self, gains: Gains) -> Judged:
        """The best ranking the pool allows, by gain."""
        return self.pool.ideal(gains)

    def at_level(self, level: float) -> Judged:
        """The same rankings, with another smallest relevant grade."""
        if level == self.level:
            return self
        return self.memo(("level", level), lambda: self._view(level=level))

    def judged_only(self, negatives: str = "unjudged") -> Judged:
        """The rankings condensed to judged documents; grades below 0 count as unjudged, as in trec_eval."""
        return self.memo(("judged_only", negatives), lambda: self._condensed(negatives))

    def _condensed(self, negatives: str) -> Judged:
        kept = self.judged if negatives == "nonrelevant" else self.judged & (self.grade >= 0)
        counts = kept.sum(axis=1)
        starts = np.concatenate(([0], np.cumsum(counts)))
        rank = np.cumsum(kept, axis=1)[kept]
        return self._view(
            rank=padded(rank, starts, NEVER), grade=padded(self.grade[kept], starts, 0.0), retrieved=counts
        )

    def cut(self, depth: int) -> Judged:
        """The first `depth` documents of each ranking."""
        inside = self.rank <= depth
        width = int(inside.sum(axis=1).max(initial=0))
        return self._view(
            rank=np.where(inside, self.rank, NEVER)[:, :width],
            grade=np.where(inside, self.grade, 0.0)[:, :width],
            retrieved=np.minimum(self.retrieved, depth),
        )

    @cached_property
    def optimistic(self) -> Judged:
        """As if every unjudged document retrieved had been judged, and found to be of the best grade."""
        best = float(self.pool.levels[-1])
        width = int(self.retrieved.max(initial=0))
        rank = np.broadcast_to(np.arange(1, width + 1), (len(self.retrieved), width))
        there = rank <= self.retrieved[:, None]
        grade = np.where(there, best, 0.0)
        topic, hit = np.nonzero(self.judged)
        grade[topic, self.rank[topic, hit] - 1] = self.grade[topic, hit]
        added = self.retrieved - self.judged.sum(axis=1)
        ends = np.repeat(self.pool.starts[1:], added)  # the new judgments follow each topic's old ones
        pool = Pool(
            np.insert(self.pool.grades, ends, best),
            self.pool.starts + np.concatenate(([0], np.cumsum(added))),
            self.pool.levels,
        )
        return self._view(rank=np.where(there, rank, NEVER), grade=grade, pool=pool)

    def _view(self, **changes: Any) -> Judged:
        mine = {name: getattr(self, name) for name in ("rank", "grade", "retrieved", "pool", "level")}
        return Judged(**{**mine, **changes})


def pools(
    grades: Floats, starts: Ints, levels: Floats, cells: int = BLOCK_CELLS
) -> Iterator[tuple[int, int, Pool]]:
    """(first topic, last + 1, pool) of consecutive topics whose padded pools stay within so many cells.

    A run's hits in a topic are at most the topic's pool, so this bounds every array a measure
    makes, whatever the run; only a topic larger than a block has a block of its own size.
    """
    first, widest = 0, 1
    sizes = np.diff(starts).tolist()
    for topic, size in enumerate([*sizes, cells + 1]):  # the last one ends the last block
        wider = max(widest, size)
        if topic > first and wider * (topic + 1 - first) > cells:
            begin, end = starts[first], starts[topic]
            yield first, topic, Pool(grades[begin:end], starts[first : topic + 1] - begin, levels)
            first, wider = topic, size
        widest = wider
