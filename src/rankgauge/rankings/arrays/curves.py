"""Curves: a value at every rank of every topic, and their arithmetic.

A curve is read somewhere (a `Reading`): at some ranks of every topic, or at the hits of a ranking.
Most curves change only at hits and are stored by what changes there (`Steps`). Curves combine with
+, -, * and / with each other, with numbers, and with one number a topic (arrays (topics, 1)).
"""

from __future__ import annotations

import itertools
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge import core
from rankgauge.rankings.array_types import Bools, Floats, Ints
from rankgauge.rankings.curve import POSITION, Curve, Quotient, RunningTotal

__all__ = [
    "POSITION",
    "AtHits",
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
    """Hits of a block of topics: the ranks at which something happens, topic after topic."""

    def __init__(self, starts: Ints, rank: Ints) -> None:
        self.starts = starts  # (topics + 1,) where each topic's hits begin
        self.rank = rank  # (hits,) from 1, ascending within a topic
        self.sizes = np.diff(starts)  # (topics,)

    @cached_property
    def topic(self) -> Ints:
        """(hits,): the topic of each hit."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @cached_property
    def nth(self) -> Ints:
        """(hits,): how many hits a topic has had with this one."""
        return np.arange(1, len(self.rank) + 1) - np.repeat(self.starts[:-1], self.sizes)

    def previous(self, values: Any, first: Any) -> Any:
        """(hits,): the value at the topic's hit before; at its first hit, `first`."""
        before = np.empty_like(values)
        before[1:] = values[:-1]
        before[self.starts[:-1][self.sizes > 0]] = first
        return before

    def products(self, factors: Floats) -> Floats:
        """(hits,): the factors multiplied up, in rank order, each topic from 1."""
        made = np.array(factors, dtype=np.float64)
        deepest = int(self.sizes.max(initial=0))
        if deepest > len(self.sizes):  # one step a topic, or one for all topics' second hits, third hits, ...
            for begin, end in itertools.pairwise(self.starts.tolist()):
                np.multiply.accumulate(made[begin:end], out=made[begin:end])
        else:
            for nth in range(1, deepest):
                at = self.starts[:-1][self.sizes > nth] + nth
                made[at] *= made[at - 1]
        return made

    def best_to_come(self, values: Floats) -> Floats:
        """(hits,): the largest of the values at each hit and those after it."""
        best: Floats = values.copy()
        step = 1
        while step < self.sizes.max(initial=0):  # each step looks twice as far ahead as the one before
            same = self.topic[step:] == self.topic[:-step]
            best[:-step] = np.where(same, np.maximum(best[:-step], best[step:]), best[:-step])
            step *= 2
        return best

    def next_value(self, values: Floats) -> Curve:
        """The curve of the value at the next hit after a rank; 0 where there is none."""
        padded = np.append(values, 0.0)

        def read(reading: Reading) -> Any:
            passed = reading.count_at(self)
            there = passed < self.sizes[reading.topic]
            return padded[np.where(there, self.starts[reading.topic] + passed, len(values))]

        return Curve(read)

    def at_nth(self, values: Floats, nth: Ints) -> Floats:
        """(topics, 1): the value at the nth hit of each topic, from 1; 0 where there are fewer hits."""
        there = nth[:, 0] <= self.sizes
        found = np.zeros(len(there))
        found[there] = values[(self.starts[:-1] + nth[:, 0] - 1)[there]]
        return found[:, None]

    def at_first(self, wanted: Bools, values: Any) -> Floats:
        """(topics,): the value at each topic's first hit that is wanted; undefined where there is none."""
        places = np.flatnonzero(wanted)
        topics, first = np.unique(self.topic[places], return_index=True)
        found = np.full(len(self.sizes), np.nan)
        found[topics] = values[places[first]]
        return found

    def added_up(self, curve: Curve, *others: Ranking) -> Curve:
        """The curve that adds another one up over all ranks, not only over hits.

        The other may change only at hits of this ranking and of the others that are given.
        """
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
        """How many hits a topic has at this rank or above it."""
        deepest, places = self._places
        wanted = np.minimum(ranks, deepest) + topic * (deepest + 1)
        counts: Ints = np.searchsorted(places, wanted, side="right")
        return counts - self.starts[topic]

    @cached_property
    def _places(self) -> tuple[int, Ints]:
        """One ascending array for all topics: each one's ranks lie behind those of the topic before."""
        deepest = int(self.rank.max(initial=0)) + 1
        return deepest, self.rank + self.topic * (deepest + 1)


class Reading:
    """Ranks to read curves at, the same number for every topic."""

    def __init__(self, ranks: Ints) -> None:
        self.ranks = ranks  # (topics, ranks)
        self.topic = np.arange(len(ranks))[:, None]
        self._count_at: dict[Ranking, Ints] = {}

    def count_at(self, ranking: Ranking) -> Ints:
        """How many hits of the ranking each rank has passed."""
        if ranking not in self._count_at:
            self._count_at[ranking] = ranking.count_at(self.topic, self.ranks)
        return self._count_at[ranking]

    def broadcast(self, per_topic: Any) -> Any:
        """A number, or one number a topic, in the shape of this reading."""
        return per_topic

    smaller = staticmethod(np.minimum)
    larger = staticmethod(np.maximum)

    @staticmethod
    def errstate() -> np.errstate:
        """0/0 is how "undefined" comes about: it stays NaN and is no reason for a warning."""
        return np.errstate(divide="ignore", invalid="ignore")


class AtHits(Reading):
    """The reading at every hit of a ranking."""

    def __init__(self, ranking: Ranking) -> None:
        self.ranks = ranking.rank
        self.topic = ranking.topic
        self._count_at = {ranking: ranking.nth}

    def broadcast(self, per_topic: Any) -> Any:
        """A number, or the number of each hit's topic."""
        return per_topic[:, 0][self.topic] if isinstance(per_topic, np.ndarray) else per_topic


class Steps(RunningTotal):
    """A curve that changes only at hits: the running sum of what each adds."""

    def __init__(self, ranking: Ranking, increments: Floats) -> None:
        super().__init__(self._steps)
        self._ranking = ranking
        # One addition after the other, in rank order, each topic from 0: sums do not depend on what else
        # is in the block, and equal trec_eval's to the last bit.
        sums = core.cumulate(np.ascontiguousarray(increments, dtype=np.float64), ranking.starts)
        self._sums = np.concatenate(([0.0], np.frombuffer(sums, dtype=np.float64)))

    @property
    def total(self) -> Floats:
        """(topics, 1): the sum over all hits."""
        starts, ends = self._ranking.starts[:-1], self._ranking.starts[1:]
        total: Floats = self._sums[np.where(ends > starts, ends, 0)][:, None]
        return total

    def _steps(self, reading: Reading) -> Any:
        passed = reading.count_at(self._ranking)
        return self._sums[np.where(passed > 0, self._ranking.starts[reading.topic] + passed, 0)]


class LastValue(Curve):
    """A curve that keeps the value of the last hit passed, and before the first hit `before`."""

    def __init__(self, ranking: Ranking, values: Any, before: float) -> None:
        super().__init__(self._last_value)
        self._ranking = ranking
        self._values = np.concatenate(([before], values))

    def _last_value(self, reading: Reading) -> Any:
        passed = reading.count_at(self._ranking)
        return self._values[np.where(passed > 0, self._ranking.starts[reading.topic] + passed, 0)]
