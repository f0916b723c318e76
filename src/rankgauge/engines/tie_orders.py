"""Values over all orders of tied documents: their mean, the best and the worst of them.

Each order is again a judged ranking, so many orders of a topic are measured at once, like a block of topics.
Which orders are measured depends on the measure:

- *best*, *worst*: if moving a better document up never hurts, the orders by what documents are worth;
- *average*: none if there is a formula; if the value is a sum of one term per rank, enough orders for every
  document to stand once at every rank of its tie (their mean is the mean over all orders), or for a large tie
  fewer ones, in which each kind of documents exchanges places with others;
- otherwise all orders that the measure distinguishes, or random ones if there are more than `MAX_ORDERS`.

Orders in which the value is undefined are left out. Without ties that could change it, the value is that of
any order, bit for bit.
"""

from __future__ import annotations

import gc
import math
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import combinations, groupby
from typing import NamedTuple

import numpy as np

from rankgauge.measures import Measure
from rankgauge.measures.rankings.arrays import BLOCK, JudgedRankings, TieGroups
from rankgauge.measures.rankings.arrays.curves import Bools, Floats, Ints

MAX_ORDERS = 10_000  # a topic with more than this many orders gets random ones
RANDOM_ORDERS = 1_000  # for such a topic
SEED = 2008  # of the random orders; those of a topic depend only on this and on the topic's ranking
SLACK = 1e-12  # sums in another order may differ by this much
LARGE = 1 << 20  # hits in the rotations of a tie; if there are more, fewer orders are looked for
MAX_PLACES = 1 << 22  # places to draw from, in memory at once


def over_orders(measure: Measure, j: JudgedRankings, rule: str) -> tuple[Floats, Bools]:
    """(topics,) twice: values under a rule of `OVER_ORDERS`; whether they are from random orders."""
    view = measure.view(j)
    values = np.array(measure.value_of(view), dtype=np.float64)
    random = np.zeros(len(values), dtype=np.bool_)
    if measure.spec.needs.ties_or_scores or view.ties is None:  # it handles ties itself, or there are none
        return values, random
    ties = TieGroups(view, view.ties)
    matters = _matters(measure, view, ties)
    topics, at = np.unique(ties.topic[matters], return_inverse=True)
    ranks = np.bincount(at, ties.size[matters])
    # A formula may visit every rank of every tie, so topics are processed one block of ranks at a time.
    for some in np.split(topics, np.flatnonzero(np.diff(np.cumsum(ranks) // BLOCK)) + 1):
        if len(some):
            values[some], random[some] = _Orders(measure, view.of_topics(some)).value(rule)
    return values, random


def _kind(measure: Measure, view: JudgedRankings) -> Floats:
    """(hits,): equal for documents that the measure does not distinguish."""
    if measure.spec.needs.subtopics:
        return view.kinds.astype(np.float64)
    return view.grade if measure.by_gain else np.minimum(view.grade, view.level)


def _matters(measure: Measure, view: JudgedRankings, ties: TieGroups) -> Bools:
    """(ties,): whether the order of tied documents can matter."""
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
    size: int  # number of tied documents
    hits: slice  # of the topic's hits, sorted by kind
    counts: tuple[int, ...]  # hits of each kind


class _Several(NamedTuple):
    """Orders of a topic's hits, which may not fit in memory at once."""

    topic: int
    orders: int
    ranks_in: Callable[[range], Ints]  # (orders, hits): the ranks in some of them


class _Orders:
    """The orders of tied documents, as far as a measure distinguishes them."""

    def __init__(self, measure: Measure, view: JudgedRankings) -> None:
        self._measure, self._view, self._ties = measure, view, TieGroups(view, view.ties)
        worth = measure.preference(view)
        of_hit, first, last = self._ties.of_hit, self._ties.first, self._ties.last
        # The best document first; among those worth nothing, the one with the highest grade. Documents that
        # the measure does not distinguish come together, so that their names make no difference.
        order = np.lexsort((_kind(measure, view), -view.grade, -worth, of_hit))
        place = np.arange(len(order)) - self._ties.begin[of_hit]
        useful = np.bincount(of_hit, worth > 0, len(first)).astype(np.int64)[of_hit]
        front, apart = np.empty((2, len(order)), dtype=np.int64)
        front[order] = first[of_hit] + place
        apart[order] = np.where(place < useful, front[order], last[of_hit] + useful - place)
        # Documents worth nothing come before unjudged ones or after them; for some measures that matters.
        self._best = (front,) if (worth > 0).all() else (front, apart)
        if (worth < 0).any():  # those come last, the worst at the end
            behind = np.empty_like(front)
            end = (last - self._ties.hits + 1)[of_hit] + place
            behind[order] = np.where(worth[order] < 0, end, front[order])
            self._best = (*self._best, behind)
        self._worst = tuple((first + last)[of_hit] - rank for rank in self._best)
        # From here on hits are in the best order, and the order of the input does not matter.
        self._sorted = view.moved(front)

    def value(self, rule: str) -> tuple[Floats, Bools]:
        """(topics,) twice: values under a rule; whether they are from random orders."""
        measure, random = self._measure, np.zeros(len(self._view.sizes), dtype=np.bool_)
        if rule == "average":
            if measure.spec.laws.tied is not None:
                return measure.tied_value_of(self._view), random
            if measure.is_linear:
                return np.array([*self._linear_means()]), random
            return self._over_all(rule, np.arange(len(random)))
        best = self._extreme_of("best", self._best)
        values = best if rule == "best" else self._extreme_of("worst", self._worst)
        # Where the worst order is undefined and the best is not, the worst lies somewhere between them.
        unsure = np.flatnonzero(np.isnan(values) & ~np.isnan(best) if measure.is_monotone else ~random)
        if len(unsure):
            others, random[unsure] = self._over_all(rule, unsure)
            values[unsure] = self._extreme(rule, np.stack((values[unsure], others)))
        return values, random

    def _extreme(self, rule: str, values: Floats) -> Floats:
        least = (self._measure.spec.direction < 0) == (rule == "best")
        extreme: Floats = np.fmin.reduce(values) if least else np.fmax.reduce(values)
        return extreme

    def _extreme_of(self, rule: str, orders: tuple[Ints, ...]) -> Floats:
        """(topics,): the best or worst value over a few orders, each the ranks of all hits."""
        values = [self._measure.value_of(self._view.moved(rank)) for rank in orders]
        return self._extreme(rule, np.stack(values))

    def _over_all(self, rule: str, topics: Ints) -> tuple[Floats, Bools]:
        """(topics,) twice: values over all orders; whether they are from random ones."""
        few = [self._count(topic) <= MAX_ORDERS for topic in topics.tolist()]
        values = self._measure_orders(
            self._all(topic) if all_ else self._random(topic)
            for topic, all_ in zip(topics.tolist(), few, strict=True)
        )
        if rule == "average":
            return np.array([_mean(each) for each in values]), ~np.array(few)
        return np.array([self._extreme(rule, each) for each in values]), ~np.array(few)

    @cached_property
    def _open(self) -> list[list[_Tie]]:
        ties = self._ties
        by_topic: list[list[_Tie]] = [[] for _ in self._view.sizes]
        kind = _kind(self._measure, self._sorted).tolist()
        for n in np.flatnonzero(_matters(self._measure, self._view, ties)).tolist():
            topic, begin, hits = int(ties.topic[n]), int(ties.begin[n]), int(ties.hits[n])
            counts = tuple(len(list(same)) for _, same in groupby(kind[begin : begin + hits]))
            begin -= int(self._view.starts[topic])
            hits_of_topic = slice(begin, begin + hits)
            by_topic[topic].append(_Tie(int(ties.first[n]), int(ties.size[n]), hits_of_topic, counts))
        return by_topic

    def _count(self, topic: int) -> int:
        """The number of orders of a topic, or a number above `MAX_ORDERS`."""
        total = 1
        for _, size, _, counts in self._open[topic]:
            for count in counts:
                total *= math.comb(size, min(count, size - count, 14))  # 14 of 28 are too many already
                size -= count
                if total > MAX_ORDERS:
                    return total
        return total

    def _ranks(self, topic: int) -> Ints:
        return self._sorted.rank[self._sorted.starts[topic] : self._sorted.starts[topic + 1]]

    def _all(self, topic: int) -> _Several:
        total = self._count(topic)

        def ranks_in(some: range) -> Ints:
            ranks, each = np.tile(self._ranks(topic), (len(some), 1)), total
            for first, size, hits, counts in self._open[topic]:
                places = _arrangements(size, counts)
                each //= len(places)  # orders in which this tie and those before it stay as they are
                ranks[:, hits] = first + places[np.array(some) // each % len(places)]
            return ranks

        return _Several(topic, total, ranks_in)

    def _random(self, topic: int) -> _Several:
        # The text of `_Tie` is part of the seed: renaming its fields would change values.
        ranking = self._ranks(topic).tobytes() + repr(self._open[topic]).encode()
        source = np.random.PCG64([SEED, zlib.crc32(ranking)])
        ranks = np.tile(self._ranks(topic), (RANDOM_ORDERS, 1))
        for first, size, hits, _ in self._open[topic]:
            several = max(1, MAX_PLACES // size)
            for begin in range(0, RANDOM_ORDERS, several):
                some = ranks[begin : begin + several]
                some[:, hits] = first + _random_places(source, len(some), size, hits.stop - hits.start)
        return _Several(topic, RANDOM_ORDERS, lambda some: ranks[some.start : some.stop])

    def _linear_means(self) -> Iterator[float]:
        """The mean over all orders of each topic, adding up changes by ties of each size."""
        plans = [
            [self._plan(topic, size) for size in sorted({tie.size for tie in ties})]
            for topic, ties in enumerate(self._open)
        ]
        values = iter(self._measure_orders(orders for plan in plans for orders, _ in plan))
        for plan in plans:
            found = [(next(values), weights) for _, weights in plan]
            unchanged = float(found[0][0][0])  # the first of each is the order in which nothing has changed
            first, *others = (_weighed(*each) for each in found)
            yield math.fsum([first, *(mean - unchanged for mean in others)])

    def _plan(self, topic: int, size: int) -> tuple[_Several, Floats | None]:
        """(orders in which ties of a size change, weights of all but the first or None)."""
        if size * len(self._ranks(topic)) > LARGE:
            ties = [tie for tie in self._open[topic] if tie.size == size]
            rare = 4 * sum(size // count for tie in ties for count in tie.counts) > size
            orders, weights = self._exchanges(topic, [] if rare else ties)
            if 0 < len(weights) < size / 2:
                return orders, weights
        return self._rotations(topic, size), None

    def _exchanges(self, topic: int, ties: list[_Tie]) -> tuple[_Several, Floats]:
        """Pairs of orders in which a kind of documents is at other places or at its own.

        The other places are such that each kind has its share of every rank. The most frequent kind, or
        unjudged documents, take its place; all others stay out of the way.
        """
        changes: list[tuple[_Tie, tuple[int, ...], int, int, Ints, Ints]] = []
        weights: list[float] = []
        for tie in ties:
            counts = (*tie.counts, tie.size - sum(tie.counts))
            frequent = counts.index(max(counts))
            for kind, count in enumerate(counts):
                own, moves = np.arange(count) + sum(counts[:kind]), (tie, counts, kind, frequent)
                for weight, places in _spread(np.arange(tie.size), count) if kind != frequent else ():
                    changes += (*moves, places, own), (*moves, own, places)
                    weights += weight, -weight

        def ranks_in(some: range) -> Ints:
            ranks = np.tile(self._ranks(topic), (len(some), 1))
            for row, number in zip(ranks, some, strict=True):
                if number:
                    tie, counts, kind, frequent, places, apart = changes[number - 1]
                    found = _exchanged(counts, kind, frequent, places, apart)
                    row[tie.hits] = tie.first + found[: row[tie.hits].size]
            return ranks

        return _Several(topic, 1 + len(changes), ranks_in), np.array(weights)

    def _rotations(self, topic: int, rotating: int) -> _Several:
        """Orders in which ties of this size rotate through every rank."""

        def ranks_in(some: range) -> Ints:
            ranks = np.tile(self._ranks(topic), (len(some), 1))
            for first, size, hits, _ in self._open[topic]:
                if size == rotating:
                    ranks[:, hits] = first + (ranks[:, hits] - first + np.array(some)[:, None]) % size
            return ranks

        return _Several(topic, rotating, ranks_in)

    def _measure_orders(self, orders: Iterable[_Several]) -> list[Floats]:
        parts: list[list[Floats]] = []
        batch: list[tuple[int, int, Ints]] = []  # number of the orders, topic, ranks
        room = BLOCK

        def measure_batch() -> None:
            ends = np.cumsum([len(ranks) for _, _, ranks in batch])
            topics = np.repeat([topic for _, topic, _ in batch], np.diff(ends, prepend=0))
            ranks = np.concatenate([ranks.ravel() for _, _, ranks in batch])
            values = self._measure.value_of(self._sorted.of_topics(topics).moved(ranks))
            gc.collect(0)  # rankings and the curves they remember refer to each other
            for (number, _, _), some in zip(batch, np.split(values, ends[:-1]), strict=True):
                parts[number].append(some)
            batch.clear()

        for number, (topic, total, ranks_in) in enumerate(orders):
            parts.append([])
            cost = len(self._ranks(topic)) + int(self._view.pool.sizes[topic, 0])
            several = max(1, BLOCK // cost)
            for begin in range(0, total, several):
                some = range(begin, min(begin + several, total))
                if batch and len(some) * cost > room:
                    measure_batch()
                    room = BLOCK
                batch.append((number, topic, ranks_in(some)))
                room -= len(some) * cost
        if batch:
            measure_batch()
        return [np.concatenate(part) for part in parts]


def _spread(places: Ints, count: int) -> Iterator[tuple[float, Ints]]:
    """Choices of places and their weights, whose sum is 1; the weights of those with a place have equal sums.

    They are as many as the steps of Euclid's algorithm by subtraction, about len(places) / count.
    """
    size = len(places)
    if 2 * count > size:
        for weight, others in _spread(places, size - count):
            yield weight, np.setdiff1d(places, others, assume_unique=True)
        return
    whole = size // count - (size % count > 0) if count else 0
    for each in range(whole):
        yield count / size, places[each * count : (each + 1) * count]
    rest = places[whole * count :]
    if not count:
        yield 1.0, rest[:0]
    elif len(rest):
        for weight, chosen in _spread(rest, count):
            yield weight * len(rest) / size, chosen


def _exchanged(counts: tuple[int, ...], kind: int, frequent: int, places: Ints, apart: Ints) -> Ints:
    """The places of documents, kind by kind, those of one kind at given places.

    None but the most frequent kind is at the places `apart`, and at those that are left.
    """
    is_free = np.ones(sum(counts), dtype=np.bool_)
    is_free[places] = is_free[apart] = False
    kinds = np.repeat(np.arange(len(counts)), counts)
    others = kinds[(kinds != kind) & (kinds != frequent)]
    kinds[:] = frequent
    kinds[places], kinds[np.flatnonzero(is_free)[: len(others)]] = kind, others
    return np.argsort(kinds, kind="stable")


def _weighed(values: Floats, weights: Floats | None) -> float:
    if weights is None or not np.isfinite(values).all():
        return _mean(values)
    return math.fsum([float(values[0]), *(weights * values[1:]).tolist()])


def _mean(values: Floats) -> float:
    """The mean of the defined values, kept within their range."""
    defined = values[~np.isnan(values)]
    if not len(defined):
        return math.nan
    mean = math.fsum(defined.tolist()) / len(defined)
    return min(max(mean, float(defined.min())), float(defined.max()))


def _random_places(source: np.random.PCG64, orders: int, size: int, hits: int) -> Ints:
    """(orders, hits): random distinct places of a tie, from 0."""
    places, row = np.tile(np.arange(size), (orders, 1)), np.arange(orders)
    for hit in range(hits):  # each hit draws from the places that are left
        other = hit + (source.random_raw(orders) % np.uint64(size - hit)).astype(np.int64)
        places[row, hit], places[row, other] = places[row, other], places[row, hit]
    return places[:, :hits]


@lru_cache(maxsize=256)
def _arrangements(size: int, counts: tuple[int, ...]) -> Ints:
    """(orders, hits): all ways to place the hits of each kind in a tie, from 0."""
    placed: list[tuple[int, ...]] = [()]
    for count in counts:
        placed = [
            (*before, *more)
            for before in placed
            for more in combinations([place for place in range(size) if place not in before], count)
        ]
    return np.array(placed, dtype=np.int64)
