"""Ideal rankings of documents with subtopics, found greedily or exactly.

The gain of a document depends on those before it, so the best order is hard to find (Clarke et al. 2008
reduce vertex cover to it). The greedy order takes the document with the largest gain at each rank, and the
first by id among equal gains.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge.measures.rankings.arrays.curves import Curve, Floats, Ints, Reading
from rankgauge.measures.rankings.arrays.judged_rankings import JudgedRankings, in_order
from rankgauge.measures.rankings.arrays.pools import Pool, check_probabilities
from rankgauge.measures.rankings.discounts import Discount
from rankgauge.measures.rankings.novelty import Novelty

LEAST = 32  # the depth of the first greedy ranking; deeper ones are twice as deep, and so on
ROUNDING = 4 * np.finfo(np.float64).eps  # of the gain of a document, relative to it
MAX_TRIED = 500_000  # documents that the search for an exact ideal tries, in all states together
MAX_CELLS = 1 << 20  # of an array of this search
TOLERANCE = 1e-13  # relative; a ranking that is better by less than this is no better


@dataclass(frozen=True)
class Choice:
    """Which gain comes next: the largest or smallest, the first or last of equal ones."""

    worst: bool = False
    last: bool = False  # take the last by id of documents with equal gains, as ndeval does, and not the first

    def of(self, gain: Floats) -> int:
        """The number of the document; those already taken have a gain of minus infinity.

        Gains that differ by rounding alone count as equal, except with `last`, as in ndeval.
        """
        if self.last:
            return len(gain) - 1 - int(gain[::-1].argmax())
        most = float(gain.max())
        return int((gain >= most - ROUNDING * abs(most)).argmax())


BEST, WORST, AS_NDEVAL = Choice(), Choice(worst=True), Choice(last=True)


def greedy_ideal(
    pool: Pool, novelty: Novelty, level: float, depth: int | None = None, choice: Choice = BEST
) -> JudgedRankings:
    """The greedy ranking of documents graded `level` or higher, whole or at least `depth` deep."""
    longest = int(pool.sizes.max(initial=0))
    size = LEAST
    while size < min(longest, longest if depth is None else depth):
        size *= 2
    size = min(size, longest)
    key = ("greedy", novelty, level, choice, size)

    def order(pool: Pool, topic: int) -> Ints:
        return _topic(pool, topic, novelty, level).order(size, choice)

    def ranking() -> JudgedRankings:
        orders = pool.each(key, order)
        starts = np.repeat(pool.starts[:-1], [len(each) for each in orders])
        return in_order(pool, starts + np.concatenate([np.empty(0, dtype=np.int64), *orders]), level)

    return pool.memo(key, ranking)


def ideal_curve(
    j: JudgedRankings,
    novelty: Novelty,
    make: Callable[[JudgedRankings], Curve],
    choice: Choice = BEST,
    enough: int | None = None,
) -> Curve:
    """The curve of the greedy ideal, computed as deep as it is read, but no deeper than `enough`."""

    def read(reading: Reading) -> Any:
        deepest = int(reading.ranks.max(initial=1))
        depth = deepest if enough is None else min(deepest, enough)
        return make(greedy_ideal(j.pool, novelty, j.level, depth, choice)).at(reading)

    return Curve(read)


class _Topic:
    """The relevant documents of a topic, and their subtopics."""

    def __init__(self, pool: Pool, topic: int, novelty: Novelty, level: float) -> None:
        known = pool.subtopics
        assert known is not None
        first, last = int(pool.starts[topic]), int(pool.starts[topic + 1])
        begin, end = int(known.starts[first]), int(known.starts[last])
        relevant = known.grade[begin:end] >= level
        self.grade = known.grade[begin:end][relevant]  # (entries,)
        doc = np.repeat(np.arange(last - first), np.diff(known.starts[first : last + 1]))[relevant]
        self.subtopic = known.subtopic[begin:end][relevant] - known.subtopic_starts[topic]  # (entries,)
        self.docs, self.doc = np.unique(doc, return_inverse=True)  # numbers among all judged; (entries,)
        self.subtopics = int(known.subtopic_starts[topic + 1] - known.subtopic_starts[topic])
        self.novelty = novelty if known.alphas is None else novelty.at(float(known.alphas[topic]))
        self.weights = np.ones(self.subtopics)
        if known.weights is not None:
            self.weights = known.weights[known.subtopic_starts[topic] : known.subtopic_starts[topic + 1]]

    def order(self, depth: int, choice: Choice) -> Ints:
        """(ranks,): the documents in greedy order, by number."""
        docs = len(self.docs)
        depth = min(depth, docs)
        sizes = np.bincount(self.doc, minlength=docs)
        # (most subtopics, documents): the subtopics of each document, padded with the number of no subtopic
        held = np.full((int(sizes.max(initial=0)), docs), self.subtopics)
        place = np.arange(len(self.doc)) - np.repeat(np.cumsum(sizes) - sizes, sizes), self.doc
        held[place] = self.subtopic
        by_subtopic = np.argsort(self.subtopic, kind="stable")
        holders = self.doc[by_subtopic]  # the documents of each subtopic, subtopic by subtopic
        starts = np.searchsorted(self.subtopic[by_subtopic], np.arange(self.subtopics + 1)).tolist()
        self._start(depth, place, held.shape)
        every = slice(None)
        # the worth of each subtopic now, and the neutral worth of no subtopic
        worth = np.append(self._worth(every), self.novelty.neutral)
        way = -1.0 if choice.worst else 1.0
        gain, taken = way * self._gain(worth, held, every), []
        for _ in range(depth):
            best = choice.of(gain)
            taken.append(best)
            subtopics = held[: sizes[best], best]
            self._see(subtopics, best)
            worth[subtopics] = self._worth(subtopics)
            others = np.zeros(docs, dtype=np.bool_)
            for subtopic in subtopics.tolist():
                others[holders[starts[subtopic] : starts[subtopic + 1]]] = True
            others &= gain > -math.inf
            gain[others] = way * self._gain(worth, held, others)
            gain[best] = -math.inf
        return self.docs[np.array(taken, dtype=np.int64)]

    def _start(self, depth: int, place: tuple[Ints, Ints], shape: tuple[int, ...]) -> None:
        """Begin a ranking; `place` gives the entries' places in arrays of this shape."""
        self._powers = self.novelty.left(depth)
        self._seen = np.zeros(self.subtopics, dtype=np.int64)

    def _see(self, subtopics: Ints, doc: int) -> None:
        self._seen[subtopics] += 1

    def _worth(self, subtopics: Any) -> Floats:
        """The worth of some subtopics now."""
        worth: Floats = self.novelty.worth(self.weights[subtopics], self._powers[self._seen[subtopics]])
        return worth

    def _gain(self, worth: Floats, held: Ints, docs: Any) -> Floats:
        """(documents,): gains; adding by size gives equal documents equal gains."""
        values = worth[held[:, docs]]
        values.sort(axis=0)
        return self.novelty.gains(values)

    @cached_property
    def kinds(self) -> tuple[list[tuple[Ints, Floats]], Ints]:
        """The kinds of interchangeable documents, by subtopics and chances, and their numbers."""
        entries = zip(self.doc.tolist(), self.subtopic.tolist(), self._chances().tolist(), strict=True)
        held: dict[int, tuple[Any, ...]] = {}
        for doc, *entry in entries:
            held[doc] = (*held.get(doc, ()), tuple(entry))
        counts = Counter(held.values())
        kinds = [(np.array([s for s, _ in kind]), np.array([c for _, c in kind])) for kind in counts]
        return kinds, np.array(list(counts.values()), dtype=np.int64)

    def _chances(self) -> Floats:
        """(entries,): the share that a subtopic loses by each document."""
        return np.full(len(self.doc), 1.0 - self.novelty.stays)

    def _left_after(self, taken: Ints) -> Floats:
        """(states, subtopics): the share left after documents of each kind."""
        seen = np.zeros((len(taken), self.subtopics), dtype=np.int64)
        for kind, (subtopics, _) in enumerate(self.kinds[0]):
            seen[:, subtopics] += taken[:, kind, None]
        return self.novelty.left(len(self.docs))[seen]

    def _next_gains(self, taken: Ints) -> Floats:
        """(states, kinds): the gain of a document of each kind next."""
        left = self._left_after(taken)
        gains = np.empty(taken.shape)
        for kind, (subtopics, chances) in enumerate(self.kinds[0]):
            alpha = chances if self.novelty.by_grade else None
            worth = self.novelty.worth(self.weights[subtopics], left[:, subtopics], alpha)
            gains[:, kind] = self.novelty.gains(np.sort(worth, axis=1).T)
        return gains

    def best_sum(self, rank: int, discount: Discount) -> float:
        """The largest discounted sum of gains that any ranking has at a rank; NaN if the search is too long.

        Branch and bound, rank by rank: a state is the number of documents taken of each kind, with the
        largest sum of all their orders. No gain ever grows, so a state is dropped if the largest gains left
        would not make it better than the greedy ranking.
        """
        (kinds, limits), depth = self.kinds, min(rank, len(self.docs))
        divisors = np.array([discount.one(each) for each in range(1, depth + 1)])
        better, best = self._better(), self._greedy_sum(divisors)
        small = np.min_scalar_type(depth)  # NumPy sorts small numbers faster
        taken, sums, tried = np.zeros((1, len(kinds)), dtype=small), np.zeros(1), 0
        for place, divisor in enumerate(divisors):
            gains, left = self._next_gains(taken), limits - taken
            kept = sums + self._bound(gains, left, divisors[place:]) > best * (1 + TOLERANCE)
            taken, sums, gains, left = taken[kept], sums[kept], gains[kept], left[kept]
            blocked = (left > 0).astype(np.int64) @ better
            state, kind = np.nonzero((left > 0) & (blocked == 0))
            tried += len(kind)
            if tried > MAX_TRIED:
                return math.nan
            taken, sums = taken[state], sums[state] + gains[state, kind] / divisor
            taken[np.arange(len(kind)), kind] += 1
            order = np.lexsort((-sums, *taken.T))  # equal states together, the one with the largest sum first
            taken, sums = taken[order], sums[order]
            first = np.append(np.ones(min(1, len(sums)), np.bool_), (taken[1:] != taken[:-1]).any(axis=1))
            taken, sums = taken[first], sums[first]
        return float(sums.max(initial=best))

    def _better(self) -> Ints:
        """(kinds, kinds): 1 where the first is better whatever came before, so that it comes first.

        It has the subtopics of the other, with the same chances or higher. Exchanging two such documents
        never hurts, except with gamma, whose gains are not sums over subtopics.
        """
        kinds = self.kinds[0]
        chance = np.full((len(kinds), self.subtopics), -1.0)
        for kind, (subtopics, chances) in enumerate(kinds):
            chance[kind, subtopics] = chances
        better = (chance[:, None] >= chance).all(axis=2) & ~np.eye(len(kinds), dtype=np.bool_)
        return (better & (self.novelty.gamma is None)).astype(np.int64)

    def _greedy_sum(self, divisors: Floats) -> float:
        kinds, limits = self.kinds
        taken, total = np.zeros((1, len(kinds)), dtype=np.int64), 0.0
        for divisor in divisors.tolist():
            gains = np.where(taken < limits, self._next_gains(taken), -1.0)[0]
            kind = int(gains.argmax())
            taken[0, kind] += 1
            total += float(gains[kind]) / divisor
        return total

    def _bound(self, gains: Floats, left: Ints, divisors: Floats) -> Floats:
        """(states,): more than any ranking has; each document of a kind has what the one before leaves."""
        fades = np.ones(gains.shape[1])
        if self.novelty.gamma is None:
            fades = np.array([1.0 - chances.min() for _, chances in self.kinds[0]])
        copies = np.arange(min(len(divisors), int(left.max(initial=0))))[:, None, None]
        bounds, step = np.empty(len(gains)), max(1, MAX_CELLS // max(1, copies.size * gains.shape[1]))
        for begin in range(0, len(gains), step):
            some = slice(begin, begin + step)
            further = np.where(left[some] > copies, gains[some] * fades**copies, 0.0)
            further = np.sort(np.concatenate(further, axis=1), axis=1)[:, ::-1][:, : len(divisors)]
            bounds[some] = (further / divisors[: further.shape[1]]).sum(axis=1)
        return bounds


class _TopicOfChances(_Topic):
    """The same where grades are probabilities."""

    def _start(self, depth: int, place: tuple[Ints, Ints], shape: tuple[int, ...]) -> None:
        self._left = np.ones(self.subtopics)  # the probability that no document so far contains the subtopic
        self._chance = np.zeros(shape)
        self._chance[place] = self.grade

    def _see(self, subtopics: Ints, doc: int) -> None:
        self._left[subtopics] *= 1.0 - self._chance[: len(subtopics), doc]

    def _worth(self, subtopics: Any) -> Floats:
        """The remaining worth of some subtopics; their worth depends on the document."""
        worth: Floats = self.weights[subtopics] * self._left[subtopics]
        return worth

    def _gain(self, worth: Floats, held: Ints, docs: Any) -> Floats:
        values: Floats = self.novelty.worth(worth[held[:, docs]], 1.0, self._chance[:, docs])
        values.sort(axis=0)
        return self.novelty.gains(values)

    def _chances(self) -> Floats:
        return self.grade

    def _left_after(self, taken: Ints) -> Floats:
        left = np.ones((len(taken), self.subtopics))
        for kind, (subtopics, chances) in enumerate(self.kinds[0]):
            left[:, subtopics] *= (1.0 - chances) ** taken[:, kind, None]
        return left


def _topic(pool: Pool, topic: int, novelty: Novelty, level: float) -> _Topic:
    if not novelty.by_grade:
        return _Topic(pool, topic, novelty, level)
    assert pool.subtopics is not None
    check_probabilities(pool.subtopics)
    return _TopicOfChances(pool, topic, novelty, level)


def exact_ideal(pool: Pool, novelty: Novelty, level: float, discount: Discount) -> Curve:
    """The curve of the largest discounted sum of gains at each rank, if it is found."""

    def search(pool: Pool, topic: int) -> Callable[[int], float]:
        return functools.cache(
            functools.partial(_topic(pool, topic, novelty, level).best_sum, discount=discount)
        )

    searches = pool.each(("exact", novelty, level, discount), search)

    def read(reading: Reading) -> Any:
        ranks, topics = np.broadcast_arrays(
            np.minimum(reading.ranks, pool.sizes[reading.topic, 0]), reading.topic
        )
        values = [
            searches[topic](rank)
            for topic, rank in zip(topics.ravel().tolist(), ranks.ravel().tolist(), strict=True)
        ]
        return np.array(values).reshape(ranks.shape)

    return Curve(read)
