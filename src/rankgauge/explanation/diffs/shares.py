"""What each document did to the value of a measure, between an old and a new ranking of one topic.

If a value is a sum of one term per document, the share of a document is its term in the new ranking less its
term in the old one. Otherwise the old ranking becomes the new one step by step: documents are put in their
new places in rank order, which pushes the others down, and then those are removed that are not retrieved any
more, from the last one up. The share of a document is what its step changes. Either way shares add up to the
difference of the values; shares that do not, as of a measure that is declared to be a sum and is none, are
never returned.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankgauge.measures import Measure
from rankgauge.measures.rankings.arrays import BLOCK, JudgedRankings, Pool
from rankgauge.measures.rankings.arrays.curves import Ints
from rankgauge.measures.rankings.arrays.suppositions import without_each
from rankgauge.model.topic_rules import TopicRules

TERMS, STEPS = "terms", "steps"  # how shares are computed
CLOSE = 1e-10  # relative: sums of the same numbers in another order are far closer


@dataclass(frozen=True)
class Shares:
    """The shares of documents in the difference of a measure; those that are not listed have none."""

    way: str  # TERMS or STEPS
    shares: Mapping[str, float]
    rest: float = 0.0  # what is due to no document, but to the number of documents


@dataclass(frozen=True)
class TwoRankings:
    """An old and a new ranking of one topic, judged and unjudged documents, and the topic's judgments."""

    old: Sequence[str]
    new: Sequence[str]
    judged: Sequence[str]  # in the order of the pool's grades
    pool: Pool
    longest: int  # of all lists of both runs

    def shares(self, measure: Measure, rules: TopicRules, old: float, new: float) -> Shares | None:
        """The shares in the difference of two values; None if it is undefined or depends on scores."""
        if measure.spec.needs.scores or not math.isfinite(new - old):
            return None
        steps = _Steps(self, measure, rules)
        for found in (steps.by_terms() if measure.is_linear else None, steps.one_by_one(old, new)):
            if found is not None and _adds_up(found, old, new):
                return found
        return None


def _adds_up(found: Shares, old: float, new: float) -> bool:
    numbers = [*found.shares.values(), found.rest]
    if not all(map(math.isfinite, numbers)):
        return False
    scale = max(abs(number) for number in (*numbers, old, new))
    return abs(math.fsum(numbers) - (new - old)) <= CLOSE * scale


class _Steps:
    """The rankings between the old and the new one, and the values of a measure for them."""

    def __init__(self, two: TwoRankings, measure: Measure, rules: TopicRules) -> None:
        self._two, self._measure, self._rules = two, measure, rules
        old_rank = {doc: rank for rank, doc in enumerate(two.old, 1)}
        new_rank = {doc: rank for rank, doc in enumerate(two.new, 1)}
        numbers = [n for n, doc in enumerate(two.judged) if doc in old_rank or doc in new_rank]
        self._number = np.array(numbers, dtype=np.int64)  # (hits,) of each judged document in the pool
        self._grade = two.pool.grades[self._number]
        docs = [two.judged[n] for n in numbers]
        self._old = np.array([old_rank.get(doc, 0) for doc in docs], dtype=np.int64)  # 0: not retrieved
        self._new = np.array([new_rank.get(doc, 0) for doc in docs], dtype=np.int64)
        self._lost = [doc for doc in two.old if doc not in new_rank]
        place = {doc: n for n, doc in enumerate(self._lost, 1)}
        self._place = np.array([place.get(doc, 0) for doc in docs], dtype=np.int64)  # among those lost
        self._before = np.array([old_rank.get(doc, 0) for doc in two.new], dtype=np.int64)  # old rank of each

    def by_terms(self) -> Shares:
        """The term of each document in the new ranking, less that in the old one."""
        shares: dict[str, float] = {}
        rest = 0.0
        for ranks, retrieved, sign in (
            (self._new, len(self._two.new), 1),
            (self._old, len(self._two.old), -1),
        ):
            j = self._rankings(ranks[None, :], np.array([retrieved]))
            (value,) = self._values(j)
            order = np.argsort(np.where(ranks > 0, ranks, np.iinfo(np.int64).max), kind="stable")
            hits = [self._two.judged[int(self._number[n])] for n in order if ranks[n] > 0]
            without = [each for block in without_each(j) for each in self._values(block)]
            for doc, less in zip(hits, without, strict=True):
                shares[doc] = shares.get(doc, 0.0) + sign * (value - less)
            (bare,) = self._values(self._rankings(np.zeros((1, len(ranks)), np.int64), np.array([retrieved])))
            rest += sign * bare
        return Shares(TERMS, shares, rest)

    def one_by_one(self, old: float, new: float) -> Shares | None:
        """What each document changes when it is put in its new place, or removed.

        None if the old and the new ranking do not have the values that evaluation found, as where ties count.
        """
        docs, values = list[str](), list[float]()
        for names, j in self._states():
            docs += names
            for value in self._values(j):  # a ranking without a value leaves the change to the next one
                values.append(value if math.isfinite(value) or not values else values[-1])
        if not (_same(values[0], old) and _same(values[-1], new)):
            return None
        shares: dict[str, float] = {}
        for doc, before, after in zip(docs[1:], values, values[1:], strict=False):
            if after != before:
                shares[doc] = after - before
        return Shares(STEPS, shares)

    def _states(self) -> Iterator[tuple[list[str], JudgedRankings]]:
        """(the document of each step, the ranking after it), in blocks; the first is the old ranking."""
        two, hits = self._two, len(self._number)
        several = max(1, BLOCK // max(1, hits + len(two.pool.grades)))
        yield [""], self._rankings(self._old[None, :], np.array([len(two.old)]))
        inserted = np.concatenate(([0], np.cumsum(self._before == 0)))  # documents that the old one lacks
        above = np.zeros(hits, dtype=np.int64)  # documents put in place that were above each hit
        steps = self._changing()
        for first in range(0, len(steps), several):
            some = steps[first : first + several]
            ranks = np.zeros((len(some), hits), dtype=np.int64)
            done = steps[first - 1] if first else 0
            for row, step in enumerate(some.tolist()):
                before = self._before[done:step]
                before = before[before > 0]
                above += (before[:, None] < self._old).sum(axis=0)
                done = step
                ranks[row] = np.where(self._old > 0, step + self._old - above, 0)
                placed = (self._new > 0) & (self._new <= step)
                ranks[row][placed] = self._new[placed]
            yield [two.new[step - 1] for step in some], self._rankings(ranks, len(two.old) + inserted[some])
        kept = len(two.new)
        for last in range(len(self._lost), 0, -several):
            left = np.arange(last - 1, max(last - several, 0) - 1, -1)  # how many of those lost are left
            is_left = (self._place > 0) & (self._place <= left[:, None])
            ranks = np.where(self._new > 0, self._new, np.where(is_left, kept + self._place, 0))
            yield [self._lost[n] for n in left], self._rankings(ranks, kept + left)

    def _changing(self) -> Ints:
        """The new ranks, ascending, of the documents that are not in their places when it is their turn."""
        old, placed, changing, first = self._two.old, set[str](), [], 0
        for rank, doc in enumerate(self._two.new, 1):
            while first < len(old) and old[first] in placed:
                first += 1
            if first >= len(old) or old[first] != doc:
                changing.append(rank)
            placed.add(doc)
        return np.array(changing, dtype=np.int64)

    def _rankings(self, ranks: Ints, retrieved: Ints) -> JudgedRankings:
        """Rankings of the topic, one per row; ranks (rankings, hits) are 0 where a document is missing."""
        order = np.argsort(np.where(ranks > 0, ranks, np.iinfo(np.int64).max), axis=1, kind="stable")
        ordered = np.take_along_axis(ranks, order, axis=1)
        there = ordered > 0
        hit = order[there]
        two = self._two
        return JudgedRankings(
            starts=np.concatenate(([0], np.cumsum(there.sum(axis=1)))),
            rank=ordered[there],
            grade=self._grade[hit],
            retrieved=retrieved[:, None],
            pool=two.pool.repeated(len(ranks)),
            longest=two.longest,
            doc=self._number[hit] if two.pool.subtopics is not None else None,
        )

    def _values(self, j: JudgedRankings) -> list[float]:
        """The values of rankings, as they count: undefined ones may be 0."""
        direction = self._measure.spec.direction
        values: list[float] = self._measure.value(j).tolist()
        return [next(iter(self._rules.known([value], direction)), math.nan) for value in values]


def _same(value: float, other: float) -> bool:
    return math.isclose(value, other, rel_tol=CLOSE)
