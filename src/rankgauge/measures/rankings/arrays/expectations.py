"""Expectations: the documents that ideal rankings have at each rank, and the cost of others there."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from rankgauge import core
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.measures.rankings.arrays.judged_rankings import JudgedRankings
from rankgauge.measures.rankings.arrays.pools import BLOCK, Pool
from rankgauge.measures.rankings.weights import Weights


class Expected:
    """The ideal rankings of the topics of a pool, and the misplacement of rankings without hits.

    Places are the ranks 0 to R + 1 of each topic, topic by topic; the last one stands for all ranks below it.
    """

    def __init__(self, pool: Pool, weights: Weights) -> None:
        self._weights = weights
        self._ideal: JudgedRankings = pool.ideal(weights.gains)
        ideal = self._ideal
        self.base: Ints = ideal.sizes  # (topics,) R
        topics = len(self.base)
        self.starts = np.concatenate(([0], np.cumsum(self.base + 2)))[:-1]  # (topics,)
        topic = np.repeat(np.arange(topics), self.base + 2)
        rank = np.arange(len(topic)) - self.starts[topic]
        gain = np.zeros(len(topic))
        gain[self.starts[ideal.topic] + ideal.rank] = ideal.gain(weights.gains)
        nothing = gain[self.starts + 1] == 0  # no document has a weight, so that misplacement is undefined
        gain[np.repeat(nothing, self.base + 2)] = np.nan
        self.gain = gain  # (places,) the gain of the ideal document
        # (places,) RP and CRP of a ranking without relevant documents
        self.rp = gain * (weights.position(rank) - weights.position(self.base + 1)[topic]) + 0.0  # never -0.0
        sums = core.cumulate(self.rp, np.append(self.starts, len(topic)))
        self.crp = np.frombuffer(sums, dtype=np.float64)
        self._number(pool)

    def _number(self, pool: Pool) -> None:
        """Number the degrees of relevance, the best first, and find the interval of each in each topic."""
        ideal, gains, levels = self._ideal, self._weights.gains, pool.levels
        order = np.arange(len(levels))
        if not gains.by_grade:  # by gain, and of equal gains by grade
            order = np.lexsort((levels, np.array([gains.worth(level) for level in levels.tolist()])))
        self._levels, self._degree = levels, np.empty_like(order)
        self._degree[order] = np.arange(len(levels))[::-1]
        key = self._key(ideal.topic, ideal.grade)  # ascending
        new = np.append(np.ones(min(1, len(key)), dtype=np.bool_), key[1:] != key[:-1])
        begin = np.flatnonzero(new)
        end = np.flatnonzero(np.append(new[1:], np.ones(min(1, len(key)), dtype=np.bool_)))
        self._first, self._last = ideal.rank[begin], ideal.rank[end]
        self._keys: Ints | None = key[begin]
        room = len(self.base) * len(levels)
        if (
            room <= 4 * BLOCK
        ):  # almost always, because there are few grades: intervals are then looked up by key
            ends = np.zeros((2, room), dtype=np.int64)
            ends[:, self._keys] = self._first, self._last
            self._keys, (self._first, self._last) = None, ends

    def _key(self, topic: Ints, grade: Floats) -> Ints:
        """One number for each degree of each topic, ascending as the ideal ranking goes."""
        return topic * len(self._levels) + self._degree[np.searchsorted(self._levels, grade)]

    def interval(self, topic: Ints, grade: Floats) -> tuple[Ints, Ints]:
        """The first and the last rank of the ideal interval of documents with these grades."""
        key = self._key(topic, grade)
        place = key if self._keys is None else np.searchsorted(self._keys, key)
        return self._first[place], self._last[place]

    def place(self, topic: Ints, ranks: Ints) -> Ints:
        """The place of each rank."""
        return self.starts[topic] + np.minimum(ranks, self.base[topic] + 1)

    @cached_property
    def backward(self) -> Floats:
        """(topics,): the backward space of the full-scale run, which begins with non-relevant documents."""
        space: Floats = -self.crp[self.starts + self.base + 1]
        return space

    def forward(self, length: int) -> Floats:
        """(topics,): the forward space of the full-scale run of this length, or of 2 R if that is longer."""
        ideal, weights = self._ideal, self._weights
        lengths = np.maximum(length, 2 * self.base)[ideal.topic]
        _, last = self.interval(ideal.topic, ideal.grade)
        away = weights.position(lengths - ideal.rank + 1) - weights.position(last)
        space: Floats = ideal.total(ideal.gain(weights.gains) * away)[:, 0]
        return space
