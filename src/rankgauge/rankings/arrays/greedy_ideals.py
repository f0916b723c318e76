"""The best order of documents that repeat each other: found greedily, or, for small topics, exactly.

What a document is worth depends on those before it, so that the best order is hard to find (Clarke et al.
2008 reduce vertex covering to it). The greedy one takes the document that adds the most at each rank, the
first by id where several do.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankgauge.errors import MeasureError
from rankgauge.rankings.arrays.curves import Curve, Floats, Ints, LastValue, Ranking, Reading
from rankgauge.rankings.arrays.judged_rankings import JudgedRankings, in_order
from rankgauge.rankings.arrays.pools import Pool
from rankgauge.rankings.discounts import Discount
from rankgauge.rankings.novelty import Novelty

LEAST = 32  # ranks that are worked out at once; then twice as many, and so on
ROUNDING = 4 * np.finfo(np.float64).eps  # of a sum of a document's nuggets
MOST_STATES = 20_000  # sets of documents that are looked at for an exact ideal


@dataclass(frozen=True)
class Choice:
    """Which document comes next: the one that adds the most or the least, the first or last of equal ones."""

    worst: bool = False
    last: bool = False  # of equal documents the last by id, as ndeval has it, and not the first

    def of(self, gain: Floats) -> int:
        """The number of the document; a gain of minus infinity is one that was taken.

        Gains that differ by rounding are equal, 0.1 + 0.2 and 0.3; ndeval's are as its sums come out.
        """
        if self.last:
            return len(gain) - 1 - int(gain[::-1].argmax())
        most = float(gain.max())
        return int((gain >= most - ROUNDING * abs(most)).argmax())


BEST, WORST, AS_NDEVAL = Choice(), Choice(worst=True), Choice(last=True)


def greedy_ideal(
    pool: Pool, novelty: Novelty, level: float, depth: int | None = None, choice: Choice = BEST
) -> JudgedRankings:
    """The greedy ranking of the documents that have a nugget, at least as deep as asked for, or whole.

    It is worked out once for all runs; `level` is the smallest grade that a document has a nugget with.
    """
    longest = int(pool.sizes.max(initial=0))
    size = LEAST
    while size < min(longest, longest if depth is None else depth):
        size *= 2
    size = min(size, longest)
    key = ("greedy", novelty, level, choice, size)

    def order(pool: Pool, topic: int) -> Ints:
        return _Topic(pool, topic, novelty, level).order(size, choice)

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
    """The curve that `make` finds for the greedy ideal, which is worked out no deeper than it is read.

    Nor deeper than `enough`, where documents below that rank cannot change the curve any more.
    """

    def read(reading: Reading) -> Any:
        deepest = int(reading.ranks.max(initial=1))
        depth = deepest if enough is None else min(deepest, enough)
        return make(greedy_ideal(j.pool, novelty, j.level, depth, choice)).at(reading)

    return Curve(read)


class _Topic:
    """The documents of a topic that have nuggets, and their nuggets."""

    def __init__(self, pool: Pool, topic: int, novelty: Novelty, level: float) -> None:
        known = pool.subtopics
        assert known is not None
        first, last = int(pool.starts[topic]), int(pool.starts[topic + 1])
        begin, end = int(known.starts[first]), int(known.starts[last])
        relevant = known.grade[begin:end] >= level
        doc = np.repeat(np.arange(last - first), np.diff(known.starts[first : last + 1]))[relevant]
        self.nugget = known.intent[begin:end][relevant] - known.intents[topic]  # (entries,)
        self.docs, self.doc = np.unique(doc, return_inverse=True)  # numbers among all judged; (entries,)
        self.nuggets = int(known.intents[topic + 1] - known.intents[topic])
        self.novelty = novelty if known.alphas is None else novelty.at(float(known.alphas[topic]))
        self.weights = np.ones(self.nuggets)
        if known.weights is not None:
            self.weights = known.weights[known.intents[topic] : known.intents[topic + 1]]

    def order(self, depth: int, choice: Choice) -> Ints:
        """(ranks,): the documents in greedy order, by their numbers among the topic's judged documents."""
        docs = len(self.docs)
        depth = min(depth, docs)
        sizes = np.bincount(self.doc, minlength=docs)
        # (most nuggets, documents): the nuggets of each document; a nugget that is none fills it up
        held = np.full((int(sizes.max(initial=0)), docs), self.nuggets)
        held[np.arange(len(self.doc)) - np.repeat(np.cumsum(sizes) - sizes, sizes), self.doc] = self.nugget
        by_nugget = np.argsort(self.nugget, kind="stable")
        holders = self.doc[by_nugget]  # the documents of each nugget, one nugget after the other
        starts = np.searchsorted(self.nugget[by_nugget], np.arange(self.nuggets + 1)).tolist()
        powers = self.novelty.left(depth)
        seen = np.zeros(self.nuggets, dtype=np.int64)
        # what each nugget adds to a document now; the one that is none, nothing
        worth = np.append(self.novelty.worth(self.weights, powers[seen]), self.novelty.nothing)
        way = -1.0 if choice.worst else 1.0
        gain, taken = way * self._gain(worth, held), []
        for _ in range(depth):
            best = choice.of(gain)
            taken.append(best)
            nuggets = held[: sizes[best], best]
            seen[nuggets] += 1
            worth[nuggets] = self.novelty.worth(self.weights[nuggets], powers[seen[nuggets]])
            others = np.zeros(docs, dtype=np.bool_)
            for nugget in nuggets.tolist():
                others[holders[starts[nugget] : starts[nugget + 1]]] = True
            others &= gain > -math.inf
            gain[others] = way * self._gain(worth, held[:, others])
            gain[best] = -math.inf
        return self.docs[np.array(taken, dtype=np.int64)]

    def _gain(self, worth: Floats, held: Ints) -> Floats:
        """(documents,): what each adds; in the order of size, so that equal documents are equal."""
        values = worth[held]
        values.sort(axis=0)
        return self.novelty.together(values)

    def best_sums(self, discount: Discount) -> list[float]:
        """The largest discounted sum of gains that any ranking has at each rank, from 1 on."""
        kinds = Counter(
            tuple(self.nugget[self.doc == doc].tolist()) for doc in range(len(self.docs))
        )  # documents with the same nuggets are one as good as the other
        states = math.prod(count + 1 for count in kinds.values())
        if states > MOST_STATES:
            raise MeasureError(
                f"ideal=exact looks at all sets of documents, and a topic with {len(self.docs)} documents "
                f"of {len(kinds)} kinds has more than {MOST_STATES}; choose ideal=greedy for such judgments"
            )
        left = self.novelty.left(len(self.docs)).tolist()
        weights, limits = self.weights.tolist(), list(kinds.values())
        best: dict[tuple[int, ...], float] = {(0,) * len(kinds): 0.0}
        sums: list[float] = []
        for rank in range(1, len(self.docs) + 1):
            longer: dict[tuple[int, ...], float] = {}
            for taken, total in best.items():
                seen = [0] * self.nuggets
                for times, nuggets in zip(taken, kinds, strict=True):
                    for nugget in nuggets:
                        seen[nugget] += times
                worth = list(map(self.novelty.worth, weights, [left[times] for times in seen]))
                for kind, nuggets in enumerate(kinds):
                    if taken[kind] < limits[kind]:
                        gain = self.novelty.gain([worth[nugget] for nugget in nuggets])
                        more = (*taken[:kind], taken[kind] + 1, *taken[kind + 1 :])
                        value = total + gain / discount.one(rank)
                        longer[more] = max(value, longer.get(more, value))
            best = longer
            sums.append(max(best.values()))
        return sums


def exact_ideal(pool: Pool, novelty: Novelty, level: float, discount: Discount) -> Curve:
    """The curve of the largest discounted sum of gains that any ranking has at each rank."""

    def sums(pool: Pool, topic: int) -> list[float]:
        return _Topic(pool, topic, novelty, level).best_sums(discount)

    found = pool.each(("exact", novelty, level, discount), sums)
    sizes = [len(each) for each in found]
    ranks = [np.arange(1, size + 1) for size in sizes]
    ranking = Ranking(
        np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        np.concatenate([np.empty(0, dtype=np.int64), *ranks]),
    )
    return LastValue(ranking, np.array([value for each in found for value in each]), 0.0)
