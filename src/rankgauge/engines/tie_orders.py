"""Values over all orders of tied documents: their mean, the best and the worst of them.

Equal scores leave the order of documents open. An order of them is again a judged ranking, so that many
orders of a topic are measured at once, like a block of topics. Which ones have to be looked at is up to
the measure:

- *best*, *worst*: if a better document moved up never hurts, those by what documents are worth;
- *average*: none, if there is a formula; if the measure adds up what stands at each rank, as many as it
  takes for every document to stand once at every rank of its tie (the mean over these is the mean over all);
- otherwise all that differ as the measure sees them; if those are more than `MOST_ORDERS`, random ones.

A value that is undefined in some orders is that over the others. Without ties that could change it, a
value is the one of any order, bit for bit.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import combinations, groupby
from typing import NamedTuple

import numpy as np

from rankgauge.measures import Measure
from rankgauge.rankings.arrays import BLOCK, JudgedRankings, TieGroups
from rankgauge.rankings.arrays.curves import Bools, Floats, Ints

MOST_ORDERS = 10_000  # of one topic that are looked at one and all
RANDOM_ORDERS = 1_000  # looked at instead where there are more
SEED = 2008  # of these; a topic's orders depend on it and on the topic's ranking alone
PLACES = 1 << 22  # to draw from, held at once


def over_orders(measure: Measure, j: JudgedRankings, rule: str) -> tuple[Floats, Bools]:
    """(topics,) twice: a measure's value under one of `order.OVER_ORDERS`; whether it took random orders."""
    view = measure.view(j)
    values = np.array(measure.value_of(view), dtype=np.float64)
    drawn = np.zeros(len(values), dtype=np.bool_)
    if measure.spec.needs.ties_or_scores or view.ties is None:  # it knows of ties itself, or there are none
        return values, drawn
    ties = TieGroups(view, view.ties)
    matters = _matters(measure, view, ties)
    topics, at = np.unique(ties.topic[matters], return_inverse=True)
    ranks = np.bincount(at, ties.size[matters])
    # A formula may look at every rank of every tie, so topics are taken a block of ranks at a time.
    for some in np.split(topics, np.flatnonzero(np.diff(np.cumsum(ranks) // BLOCK)) + 1):
        if len(some):
            values[some], drawn[some] = _Orders(measure, view.of_topics(some)).value(rule)
    return values, drawn


def _kind(measure: Measure, view: JudgedRankings) -> Floats:
    """(hits,): equal for documents that the measure does not tell apart."""
    if measure.spec.needs_subtopics:
        return view.kinds.astype(np.float64)
    return view.grade if measure.by_gain else np.minimum(view.grade, view.level)


def _matters(measure: Measure, view: JudgedRankings, ties: TieGroups) -> Bools:
    """(ties,): whether the order of the tied documents can make a difference."""
    if not len(ties.begin):
        return np.zeros(0, dtype=np.bool_)
    kind = _kind(measure, view)
    differ = np.minimum.reduceat(kind, ties.begin) < np.maximum.reduceat(kind, ties.begin)
    seen = True if measure.reach is None else ties.first <= measure.reach
    matters: Bools = (differ | (ties.hits < ties.size)) & seen
    return matters


class _Tie(NamedTuple):
    """A tie whose order can make a difference."""

    first: int  # rank
    size: int  # documents that tie
    hits: slice  # among the topic's, those of one kind together
    counts: tuple[int, ...]  # hits of each kind


class _Orders:
    """The orders of the tied documents of rankings, as a measure sees them."""

    def __init__(self, measure: Measure, view: JudgedRankings) -> None:
        self._measure, self._view, self._ties = measure, view, TieGroups(view, view.ties)
        worth = measure.preference(view)
        of_hit, first, last = self._ties.of_hit, self._ties.first, self._ties.last
        # The best document first, and of those that are worth nothing the one of the highest grade.
        order = np.lexsort((-view.grade, -worth, of_hit))
        place = np.arange(len(order)) - self._ties.begin[of_hit]
        useful = np.bincount(of_hit, worth > 0, len(first)).astype(np.int64)[of_hit]
        front, apart = np.empty((2, len(order)), dtype=np.int64)
        front[order] = first[of_hit] + place
        apart[order] = np.where(place < useful, front[order], last[of_hit] + useful - place)
        # What is worth nothing comes before unjudged documents, or after them: some measures mind.
        self._best = (front,) if (worth > 0).all() else (front, apart)
        self._worst = tuple((first + last)[of_hit] - rank for rank in self._best)
        # From here on the order of the input is forgotten: hits are as in the best order.
        self._sorted = view.moved(front)

    def value(self, rule: str) -> tuple[Floats, Bools]:
        """(topics,) twice: the value under a rule, whether it took random orders."""
        measure, none = self._measure, np.zeros(len(self._view.sizes), dtype=np.bool_)
        if rule == "average":
            if measure.spec.laws.tied is not None:
                return measure.tied_value_of(self._view), none
            if measure.is_linear:
                return np.array([self._mean_of_turns(turns) for turns in self._turned()]), none
            return self._over_all(rule, np.arange(len(none)))
        tops = self._chosen("best", self._best)
        found = tops if rule == "best" else self._chosen("worst", self._worst)
        # Undefined in the worst order, and yet not in the best: the worst of those between is wanted.
        unsure = np.flatnonzero(np.isnan(found) & ~np.isnan(tops) if measure.is_monotone else ~none)
        if len(unsure):
            others, drawn = self._over_all(rule, unsure)
            found[unsure] = self._choose(rule, np.stack((found[unsure], others)))
            none[unsure] = drawn
        return found, none

    def _choose(self, rule: str, values: Floats) -> Floats:
        """The best or the worst along the first axis, of those that are defined."""
        least = (self._measure.spec.direction < 0) == (rule == "best")
        chosen: Floats = np.fmin.reduce(values) if least else np.fmax.reduce(values)
        return chosen

    def _chosen(self, rule: str, orders: tuple[Ints, ...]) -> Floats:
        """(topics,): the best or the worst value of a few orders, given as the rank of each hit."""
        values = [self._measure.value_of(self._view.moved(rank)) for rank in orders]
        return self._choose(rule, np.stack(values))

    def _over_all(self, rule: str, topics: Ints) -> tuple[Floats, Bools]:
        """(topics,) twice: the value from all orders of these topics, or from random ones."""
        few = [self._count(topic) <= MOST_ORDERS for topic in topics.tolist()]
        orders = (
            (t, self._all(t) if all_ else self._random(t))
            for t, all_ in zip(topics.tolist(), few, strict=True)
        )
        values = self._measured(orders)
        if rule == "average":
            return np.array([_mean(each) for each in values]), ~np.array(few)
        return np.array([self._choose(rule, each) for each in values]), ~np.array(few)

    @cached_property
    def _open(self) -> list[list[_Tie]]:
        """Of each topic, the ties that matter."""
        ties = self._ties
        found: list[list[_Tie]] = [[] for _ in self._view.sizes]
        kind = _kind(self._measure, self._sorted).tolist()
        for n in np.flatnonzero(_matters(self._measure, self._view, ties)).tolist():
            topic, begin, hits = int(ties.topic[n]), int(ties.begin[n]), int(ties.hits[n])
            counts = tuple(len(list(same)) for _, same in groupby(kind[begin : begin + hits]))
            begin -= int(self._view.starts[topic])
            hits_of_topic = slice(begin, begin + hits)
            found[topic].append(_Tie(int(ties.first[n]), int(ties.size[n]), hits_of_topic, counts))
        return found

    def _count(self, topic: int) -> int:
        """How many orders a topic has; if more than `MOST_ORDERS`, some number above that."""
        total = 1
        for _, size, _, counts in self._open[topic]:
            for count in counts:
                total *= math.comb(size, min(count, size - count, 14))  # 14 of 28 are too many already
                size -= count
                if total > MOST_ORDERS:
                    return total
        return total

    def _ranks(self, topic: int) -> Ints:
        return self._sorted.rank[self._sorted.starts[topic] : self._sorted.starts[topic + 1]]

    def _all(self, topic: int) -> Ints:
        """(orders, hits): the ranks of a topic's hits in every order."""
        total = each = self._count(topic)
        ranks = np.tile(self._ranks(topic), (total, 1))
        for first, size, hits, counts in self._open[topic]:
            places = _arrangements(size, counts)
            each //= len(places)  # orders in which this tie and those before it stay as they are
            ranks[:, hits] = first + places[np.arange(total) // each % len(places)]
        return ranks

    def _random(self, topic: int) -> Ints:
        """(orders, hits): the same in random orders."""
        told = self._ranks(topic).tobytes() + repr(self._open[topic]).encode()
        source = np.random.PCG64([SEED, zlib.crc32(told)])
        ranks = np.tile(self._ranks(topic), (RANDOM_ORDERS, 1))
        for first, size, hits, _ in self._open[topic]:
            several = max(1, PLACES // size)
            for begin in range(0, RANDOM_ORDERS, several):
                some = ranks[begin : begin + several]
                some[:, hits] = first + _drawn(source, len(some), size, hits.stop - hits.start)
        return ranks

    def _turned(self) -> Iterator[list[Floats]]:
        """Of each topic, the values while ties of one size turn round, those of each size in turn."""
        sizes = [sorted({size for _, size, _, _ in ties}) for ties in self._open]
        values = iter(
            self._measured((t, self._turns(t, size)) for t, some in enumerate(sizes) for size in some)
        )
        for some in sizes:
            yield [next(values) for _ in some]

    def _turns(self, topic: int, turning: int) -> Ints:
        """(orders, hits): ties of this size turn round, until every document has stood at every rank."""
        ranks = np.tile(self._ranks(topic), (turning, 1))
        for first, size, hits, _ in self._open[topic]:
            if size == turning:
                ranks[:, hits] = first + (ranks[:, hits] - first + np.arange(size)[:, None]) % size
        return ranks

    @staticmethod
    def _mean_of_turns(turns: list[Floats]) -> float:
        """What each turning of ties changes comes on top of what the others do."""
        stands = float(turns[0][0])  # the first of each is the order in which none has turned
        return math.fsum([_mean(turns[0]), *(_mean(each) - stands for each in turns[1:])])

    def _measured(self, orders: Iterable[tuple[int, Ints]]) -> list[Floats]:
        """The values of orders, given as (topic, ranks of its hits), many at once."""
        parts: list[list[Floats]] = []
        batch: list[tuple[int, int, Ints]] = []  # number among those given, topic, ranks
        room = BLOCK

        def measure_batch() -> None:
            ends = np.cumsum([len(ranks) for _, _, ranks in batch])
            topics = np.repeat([topic for _, topic, _ in batch], np.diff(ends, prepend=0))
            together = self._sorted.of_topics(topics)
            values = self._measure.value_of(
                together.moved(np.concatenate([ranks.ravel() for _, _, ranks in batch]))
            )
            for (number, _, _), some in zip(batch, np.split(values, ends[:-1]), strict=True):
                parts[number].append(some)
            batch.clear()

        for number, (topic, ranks) in enumerate(orders):
            parts.append([])
            cost = ranks.shape[1] + int(self._view.pool.sizes[topic, 0])
            several = max(1, BLOCK // cost)
            for begin in range(0, len(ranks), several):
                some = ranks[begin : begin + several]
                if batch and len(some) * cost > room:
                    measure_batch()
                    room = BLOCK
                batch.append((number, topic, some))
                room -= len(some) * cost
        if batch:
            measure_batch()
        return [np.concatenate(part) for part in parts]


def _mean(values: Floats) -> float:
    """The mean of those that are defined: never outside of them, whatever is lost to rounding."""
    defined = values[~np.isnan(values)]
    if not len(defined):
        return math.nan
    mean = math.fsum(defined.tolist()) / len(defined)
    return min(max(mean, float(defined.min())), float(defined.max()))


def _drawn(source: np.random.PCG64, orders: int, size: int, hits: int) -> Ints:
    """(orders, hits): so many different places of a tie, from 0, in random order."""
    places, row = np.tile(np.arange(size), (orders, 1)), np.arange(orders)
    for hit in range(hits):  # one after the other draws from the places that are left
        other = hit + (source.random_raw(orders) % np.uint64(size - hit)).astype(np.int64)
        places[row, hit], places[row, other] = places[row, other], places[row, hit]
    return places[:, :hits]


@lru_cache(maxsize=256)
def _arrangements(size: int, counts: tuple[int, ...]) -> Ints:
    """(orders, hits): every way to place so many hits of each kind among the ranks of a tie, from 0."""
    placed: list[tuple[int, ...]] = [()]
    for count in counts:
        placed = [
            (*before, *more)
            for before in placed
            for more in combinations([place for place in range(size) if place not in before], count)
        ]
    return np.array(placed, dtype=np.int64)
