"""Ideal rankings of documents with subtopics: found greedily or, for small topics, exactly.

The gain of a document depends on those before it, so that the best order is hard to find (Clarke et al. 2008
reduce vertex cover to it). The greedy order takes the document with the largest gain at each rank, and the
first by id of several with the same gain.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankgauge.errors import MeasureError
from rankgauge.measures.rankings.arrays.curves import Curve, Floats, Ints, LastValue, Ranking, Reading
from rankgauge.measures.rankings.arrays.judged_rankings import JudgedRankings, in_order
from rankgauge.measures.rankings.arrays.pools import Pool
from rankgauge.measures.rankings.arrays.subtopics import check_probabilities
from rankgauge.measures.rankings.discounts import Discount
from rankgauge.measures.rankings.novelty import Novelty

LEAST = 32  # the depth of the first greedy ranking; deeper ones are twice as deep, and so on
ROUNDING = 4 * np.finfo(np.float64).eps  # of the gain of a document, relative to it
MAX_STATES = 20_000  # the sets of documents that an exact ideal may look at


@dataclass(frozen=True)
class Choice:
    """The choice of the next document: the largest or smallest gain, the first or last of equal ones."""

    worst: bool = False
    last: bool = False  # take the last by id of documents with equal gains, as ndeval does, and not the first

    def of(self, gain: Floats) -> int:
        """The number of the document; those already taken have a gain of minus infinity.

        Gains that differ by rounding alone count as equal, such as 0.1 + 0.2 and 0.3; with `last`, as in
        ndeval, they do not.
        """
        if self.last:
            return len(gain) - 1 - int(gain[::-1].argmax())
        most = float(gain.max())
        return int((gain >= most - ROUNDING * abs(most)).argmax())


BEST, WORST, AS_NDEVAL = Choice(), Choice(worst=True), Choice(last=True)


def greedy_ideal(
    pool: Pool, novelty: Novelty, level: float, depth: int | None = None, choice: Choice = BEST
) -> JudgedRankings:
    """The greedy ranking of the documents that are relevant to a subtopic, at least `depth` deep, or whole.

    It is computed once for all runs; `level` is the smallest grade that counts as relevant.
    """
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
    """The curve that `make` returns for the greedy ideal, which is computed no deeper than it is read.

    Nor is it deeper than `enough`, if documents below that rank cannot change the curve.
    """

    def read(reading: Reading) -> Any:
        deepest = int(reading.ranks.max(initial=1))
        depth = deepest if enough is None else min(deepest, enough)
        return make(greedy_ideal(j.pool, novelty, j.level, depth, choice)).at(reading)

    return Curve(read)


class _Topic:
    """The documents of a topic that are relevant to a subtopic, and these subtopics."""

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
        """(ranks,): the documents in greedy order, by their numbers among the topic's judged documents."""
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
        """Begin a ranking; `place` is where the entries are in arrays of this shape, as `held` is."""
        self._powers = self.novelty.left(depth)
        self._seen = np.zeros(self.subtopics, dtype=np.int64)

    def _see(self, subtopics: Ints, doc: int) -> None:
        """Count the subtopics of a document as seen once more."""
        self._seen[subtopics] += 1

    def _worth(self, subtopics: Any) -> Floats:
        """The worth of some subtopics now."""
        worth: Floats = self.novelty.worth(self.weights[subtopics], self._powers[self._seen[subtopics]])
        return worth

    def _gain(self, worth: Floats, held: Ints, docs: Any) -> Floats:
        """(documents,): the gain of some; adding terms by size gives equal documents equal gains."""
        values = worth[held[:, docs]]
        values.sort(axis=0)
        return self.novelty.gains(values)

    def best_sums(self, discount: Discount) -> list[float]:
        """The largest discounted sum of gains that any ranking has at each rank, from 1 on."""
        kinds = Counter(map(self._kind, range(len(self.docs))))
        states = math.prod(count + 1 for count in kinds.values())
        if states > MAX_STATES:
            raise MeasureError(
                f"ideal=exact tries all sets of documents, and a topic with {len(self.docs)} documents "
                f"of {len(kinds)} kinds has more than {MAX_STATES}; use ideal=greedy for such judgments"
            )
        gains, limits = self._gains(list(kinds)), list(kinds.values())
        best: dict[tuple[int, ...], float] = {(0,) * len(kinds): 0.0}
        sums: list[float] = []
        for rank in range(1, len(self.docs) + 1):
            longer: dict[tuple[int, ...], float] = {}
            for taken, total in best.items():
                gain = gains(taken)
                for kind, limit in enumerate(limits):
                    if taken[kind] < limit:
                        more = (*taken[:kind], taken[kind] + 1, *taken[kind + 1 :])
                        value = total + gain(kind) / discount.one(rank)
                        longer[more] = max(value, longer.get(more, value))
            best = longer
            sums.append(max(best.values()))
        return sums

    def _kind(self, doc: int) -> tuple[Any, ...]:
        """The subtopics of a document; documents that have the same are interchangeable."""
        return tuple(self.subtopic[self.doc == doc].tolist())

    def _gains(self, kinds: list[tuple[Any, ...]]) -> Callable[[tuple[int, ...]], Callable[[int], float]]:
        """A function from the number of documents taken of each kind to the gain of one more of a kind."""
        left, weights = self.novelty.left(len(self.docs)).tolist(), self.weights.tolist()

        def gains(taken: tuple[int, ...]) -> Callable[[int], float]:
            seen = [0] * self.subtopics
            for times, subtopics in zip(taken, kinds, strict=True):
                for subtopic in subtopics:
                    seen[subtopic] += times
            worth = list(map(self.novelty.worth, weights, [left[times] for times in seen]))
            return lambda kind: self.novelty.gain([worth[subtopic] for subtopic in kinds[kind]])

        return gains


class _TopicOfChances(_Topic):
    """The same where each judgment has a probability, its grade: that the document contains the subtopic."""

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

    def _kind(self, doc: int) -> tuple[Any, ...]:
        own = self.doc == doc
        return tuple(zip(self.subtopic[own].tolist(), self.grade[own].tolist(), strict=True))

    def _gains(self, kinds: list[tuple[Any, ...]]) -> Callable[[tuple[int, ...]], Callable[[int], float]]:
        weights = self.weights.tolist()

        def gains(taken: tuple[int, ...]) -> Callable[[int], float]:
            left = [1.0] * self.subtopics
            for times, subtopics in zip(taken, kinds, strict=True):
                for subtopic, chance in subtopics:
                    left[subtopic] *= (1.0 - chance) ** times
            return lambda kind: self.novelty.gain(
                [self.novelty.worth(weights[each], left[each], chance) for each, chance in kinds[kind]]
            )

        return gains


def _topic(pool: Pool, topic: int, novelty: Novelty, level: float) -> _Topic:
    if not novelty.by_grade:
        return _Topic(pool, topic, novelty, level)
    assert pool.subtopics is not None
    check_probabilities(pool.subtopics)
    return _TopicOfChances(pool, topic, novelty, level)


def exact_ideal(pool: Pool, novelty: Novelty, level: float, discount: Discount) -> Curve:
    """The curve of the largest discounted sum of gains that any ranking has at each rank."""

    def sums(pool: Pool, topic: int) -> list[float]:
        return _topic(pool, topic, novelty, level).best_sums(discount)

    by_topic = pool.each(("exact", novelty, level, discount), sums)
    sizes = [len(each) for each in by_topic]
    ranks = [np.arange(1, size + 1) for size in sizes]
    ranking = Ranking(
        np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        np.concatenate([np.empty(0, dtype=np.int64), *ranks]),
    )
    return LastValue(ranking, np.array([value for each in by_topic for value in each]), 0.0)
