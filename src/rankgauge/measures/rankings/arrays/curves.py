"""Rankings of a block of topics, curves over them, and the ties in them.

A curve is read at the ranks of a `Reading`. Most curves change only at hits, and are stored by their changes
there (`Steps`).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge import core
from rankgauge.measures.rankings.array_types import Bools, Floats, Ints, read_only
from rankgauge.measures.rankings.vocabulary import ENDLESS, POSITION, Curve, Quotient, RunningTotal

__all__ = [
    "POSITION",
    "AtHits",
    "AtPlaces",
    "AtRank",
    "Bools",
    "Curve",
    "Floats",
    "Ints",
    "LastValue",
    "Quotient",
    "Ranking",
    "Reading",
    "Steps",
]


class Ranking:
    """The ranks of the hits of a block of topics, topic by topic."""

    def __init__(self, starts: Ints, rank: Ints) -> None:
        self.starts = starts  # (topics + 1,) where the hits of each topic begin
        self.rank = rank  # (hits,) from 1, ascending within a topic
        self.sizes = np.diff(starts)  # (topics,)

    @cached_property
    def topic(self) -> Ints:
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @cached_property
    def nth(self) -> Ints:
        return np.arange(1, len(self.rank) + 1) - self.starts[self.topic]

    def previous(self, values: Any, first: Any) -> Any:
        before = np.empty_like(values)
        before[1:] = values[:-1]
        before[self.starts[:-1][self.sizes > 0]] = first
        return before

    def products(self, factors: Floats) -> Floats:
        products = np.array(factors, dtype=np.float64)
        deepest = int(self.sizes.max(initial=0))
        # one step per topic, or one for the second hits of all topics, for the third hits, ...
        if deepest > len(self.sizes):
            for begin, end in itertools.pairwise(self.starts.tolist()):
                np.multiply.accumulate(products[begin:end], out=products[begin:end])
        else:
            for nth in range(1, deepest):
                at = self.starts[:-1][self.sizes > nth] + nth
                products[at] *= products[at - 1]
        return products

    def best_to_come(self, values: Floats) -> Floats:
        """(hits,): the largest value from each hit on."""
        best: Floats = values.copy()
        step = 1
        while step < self.sizes.max(initial=0):  # each step looks ahead twice as far as the last
            same = self.topic[step:] == self.topic[:-step]
            best[:-step] = np.where(same, np.maximum(best[:-step], best[step:]), best[:-step])
            step *= 2
        return best

    def next_value(self, values: Floats) -> Curve:
        """The curve of the value at the next hit below; 0 without one."""
        padded = np.append(values, 0.0)

        def read(reading: Reading) -> Any:
            passed = reading.count_at(self)
            there = passed < self.sizes[reading.topic]
            return padded[np.where(there, self.starts[reading.topic] + passed, len(values))]

        return Curve(read)

    def at_nth(self, values: Floats, nth: Ints) -> Floats:
        """(topics, 1): the value at the nth hit; 0 without one."""
        there = nth[:, 0] <= self.sizes
        per_topic = np.zeros(len(there))
        per_topic[there] = values[(self.starts[:-1] + nth[:, 0] - 1)[there]]
        return per_topic[:, None]

    def at_first(self, wanted: Bools, values: Any) -> Floats:
        """(topics,): the value at the first wanted hit, or NaN."""
        places = np.flatnonzero(wanted)
        topics, first = np.unique(self.topic[places], return_index=True)
        per_topic = np.full(len(self.sizes), np.nan)
        per_topic[topics] = values[places[first]]
        return per_topic

    def added_up(self, curve: Curve, *others: Ranking) -> Curve:
        """The sum over all ranks of a curve that changes only at hits of this ranking and of others."""
        parts = (self, *others)
        first = np.arange(len(self.sizes))
        topic = np.concatenate([first, *(part.topic for part in parts)])
        rank = np.concatenate([np.ones_like(first), *(part.rank for part in parts)])
        deepest = int(rank.max(initial=0)) + 1
        places = np.unique(topic * deepest + rank)
        sections = Ranking(np.searchsorted(places, np.arange(len(first) + 1) * deepest), places % deepest)
        height = curve.at(AtHits(sections))
        done = sections.previous(height, 0.0) * (sections.rank - sections.previous(sections.rank, 1))
        begun: Curve = LastValue(sections, sections.rank, 1)
        return Steps(sections, done) + curve * (POSITION - begun + 1)

    def count_at(self, topic: Ints, ranks: Ints) -> Ints:
        """The number of hits of each topic at or above a rank."""
        if ranks.min(initial=ENDLESS) >= self.deepest:
            return self.sizes[topic]
        deepest, places = self._places
        wanted = np.minimum(ranks, deepest) + topic * (deepest + 1)
        counts: Ints = np.searchsorted(places, wanted, side="right")
        return counts - self.starts[topic]

    def count_to(self, rank: int) -> Ints:
        """(topics,): the number of hits of each topic at or above one rank."""
        if rank >= self.deepest:
            return self.sizes
        before = np.concatenate(([0], np.cumsum(self.rank <= rank)))
        return np.diff(before[self.starts])

    @cached_property
    def _places(self) -> tuple[int, Ints]:
        deepest = self.deepest + 1
        return deepest, self.rank + self.topic * (deepest + 1)

    @cached_property
    def deepest(self) -> int:
        """The deepest rank of a hit in any topic; 0 without hits."""
        return int(self.rank.max(initial=0))


class Reading:
    """The ranks at which curves are read, equally many in every topic."""

    def __init__(self, ranks: Ints) -> None:
        self.ranks = ranks  # (topics, ranks)
        self.topic = np.arange(len(ranks))[:, None]
        self._count_at: dict[Ranking, Ints] = {}

    def count_at(self, ranking: Ranking) -> Ints:
        """The number of hits of the ranking at or above each rank."""
        if ranking not in self._count_at:
            self._count_at[ranking] = self._counted(ranking)
        return self._count_at[ranking]

    def _counted(self, ranking: Ranking) -> Ints:
        return ranking.count_at(self.topic, self.ranks)

    def broadcast(self, per_topic: Any) -> Any:
        """A number, or numbers per topic, in the shape of the reading."""
        return per_topic

    smaller = staticmethod(np.minimum)
    larger = staticmethod(np.maximum)


class AtRank(Reading):
    """The reading at the same rank of every topic."""

    def __init__(self, rank: int, topics: int) -> None:
        super().__init__(np.broadcast_to(np.int64(rank), (topics, 1)))
        self._rank = rank

    def _counted(self, ranking: Ranking) -> Ints:
        return ranking.count_to(self._rank)[:, None]


class AtRanks(Reading):
    """The reading at the same ranks of every topic, which ascend."""

    def __init__(self, ranks: Ints, topics: int) -> None:
        super().__init__(np.broadcast_to(ranks, (topics, len(ranks))))
        self._ranks = ranks

    def _counted(self, ranking: Ranking) -> Ints:
        shape = len(self.ranks), len(self._ranks) + 1
        place = ranking.topic * shape[1] + np.searchsorted(self._ranks, ranking.rank)
        counts = np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape)[:, :-1]
        return counts.cumsum(axis=1)


class AtPlaces(Reading):
    """The reading at any ranks of any topics, both (places,)."""

    def __init__(self, ranks: Ints, topic: Ints) -> None:
        self.ranks = ranks
        self.topic = topic
        self._count_at = {}

    def broadcast(self, per_topic: Any) -> Any:
        return per_topic[:, 0][self.topic] if isinstance(per_topic, np.ndarray) else per_topic


class AtHits(AtPlaces):
    """The reading at every hit of a ranking."""

    def __init__(self, ranking: Ranking) -> None:
        super().__init__(ranking.rank, ranking.topic)
        self._count_at[ranking] = ranking.nth


class Steps(RunningTotal):
    """The running sum of increments at hits."""

    def __init__(self, ranking: Ranking, increments: Floats) -> None:
        self._ranking = ranking
        # One addition after the other, in rank order, from 0 in each topic: sums do not depend on the rest of
        # the block, and equal those of trec_eval to the last bit.
        sums = core.cumulate(np.ascontiguousarray(increments, dtype=np.float64), ranking.starts)
        self._sums = np.concatenate(([0.0], np.frombuffer(sums, dtype=np.float64)))

    @property
    def total(self) -> Floats:
        starts, ends = self._ranking.starts[:-1], self._ranking.starts[1:]
        total: Floats = self._sums[np.where(ends > starts, ends, 0)][:, None]
        return total

    def at(self, reading: Reading) -> Any:
        passed = reading.count_at(self._ranking)
        return self._sums[np.where(passed > 0, self._ranking.starts[reading.topic] + passed, 0)]


class LastValue(Curve):
    """The value at the last hit at or above a rank; `before` above the first."""

    def __init__(self, ranking: Ranking, values: Any, before: float) -> None:
        self._ranking = ranking
        self._values = np.concatenate(([before], values))

    def at(self, reading: Reading) -> Any:
        passed = reading.count_at(self._ranking)
        return self._values[np.where(passed > 0, self._ranking.starts[reading.topic] + passed, 0)]


@dataclass(frozen=True)
class Ties:
    """The scores of hits and their ties."""

    first: Ints  # (hits,) the first rank of its tie
    last: Ints  # (hits,) the last rank; a document that ties with no other is a tie of one
    score: Floats  # (hits,)
    squares: Floats  # (topics, 1) the sum of the squared scores of all documents retrieved

    def only(self, hits: Any) -> Ties:
        """The ties of some hits, given by a mask or by places."""
        return Ties(self.first[hits], self.last[hits], self.score[hits], self.squares)

    def isolated(self) -> Ties:
        return Ties(*(read_only(each) for each in (self.first, self.last, self.score, self.squares)))


class TieGroups:
    """The ties of hits, in rank order; quantities per tie are (ties,)."""

    def __init__(self, ranking: Ranking, ties: Ties | None) -> None:
        first, last = (ranking.rank, ranking.rank) if ties is None else (ties.first, ties.last)
        # within a topic, ties have different first ranks
        goes_on = (ranking.topic[1:] == ranking.topic[:-1]) & (first[1:] == first[:-1])
        self.begin = np.flatnonzero(np.append(np.ones(min(1, len(first)), dtype=np.bool_), ~goes_on))
        self.hits = np.diff(np.append(self.begin, len(first)))  # how many hits are in the tie
        self.first, self.last = first[self.begin], last[self.begin]
        self.topic = ranking.topic[self.begin]
        self.before = ranking.nth[self.begin] - 1  # how many hits of the topic come before the tie

    @cached_property
    def of_hit(self) -> Ints:
        """(hits,): the number of the tie of each hit."""
        return np.repeat(np.arange(len(self.begin)), self.hits)

    @cached_property
    def size(self) -> Ints:
        """The number of documents that tie, judged or not."""
        return self.last - self.first + 1


class Chances(Ranking):
    """All ranks of ties with hits; quantities per rank are (ranks,)."""

    def __init__(self, ties: TieGroups, topics: int) -> None:
        places = np.repeat(np.arange(len(ties.size)), ties.size)
        self.place = np.arange(1, len(places) + 1) - np.repeat(np.cumsum(ties.size) - ties.size, ties.size)
        rank = ties.first[places] + self.place - 1
        sizes = np.bincount(ties.topic[places], minlength=topics)
        super().__init__(np.concatenate(([0], np.cumsum(sizes))), rank)
        self.size = ties.size[places]  # how many documents tie
        self.hits = ties.hits[places]  # how many of these are hits
        self.before = ties.before[places]  # how many hits come before the tie

    def cumulate(self, values: Floats) -> Steps:
        return Steps(self, values)

    @property
    def hit(self) -> Floats:
        """The probability of a hit at the rank."""
        return self.hits / self.size

    @property
    def hits_before(self) -> Floats:
        """The expected number of hits before one at the rank."""
        within: Floats = (self.place - 1) * (self.hits - 1) / np.maximum(self.size - 1, 1)
        return self.before + within

    @property
    def first_hit(self) -> Floats:
        """The probability of the topic's first hit at the rank."""
        left = self.size - self.place + 1  # documents of the tie from this rank on
        first_tie = self.before == 0
        # the ratio of the probability to that at the rank before, at which there must be no hit
        factors = np.where(self.place == 1, self.hit, (left - self.hits + 1) / left)
        return np.where(first_tie, self.products(np.where(first_tie, factors, 1.0)), 0.0)
