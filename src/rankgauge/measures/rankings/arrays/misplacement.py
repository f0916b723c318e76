"""Misplacement: the distance of documents from the ranks that the ideal ranking has for their degree.

The ideal ranking of a topic has the documents of each degree of relevance in an interval of ranks, and
non-relevant documents from rank R + 1 on. The relative position RP of a document is its distance from this
interval, negative above and positive below it; CRP is the sum of RP over all ranks (Ferro et al., Twist).

Only hits are stored: CRP is that of an empty result, which follows from the judgments, plus a change at each
hit. Sums are exact unless misplacements are weighted or distances discounted.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from rankgauge import core
from rankgauge.errors import MeasureError
from rankgauge.measures.rankings.arrays.curves import Bools, Curve, Floats, Ints, Reading, Steps
from rankgauge.measures.rankings.arrays.judged_rankings import JudgedRankings
from rankgauge.measures.rankings.arrays.pools import BLOCK, Pool
from rankgauge.measures.rankings.discounts import DEEPEST, Discount, Reciprocal, RunningSum
from rankgauge.measures.rankings.gains import Gains
from rankgauge.schema.frozen import Frozen

ROUNDING = 1e-12  # of a topic's backward space: the rounding error of a weighted sum that counts as 0


class Weights(Frozen):
    """The weights of misplacements, and of the steps from rank to rank."""

    gains: Gains
    discount: Discount

    @property
    def exact(self) -> bool:
        """Whether all sums are of whole numbers, and hence exact."""
        return self.gains.scheme == "binary" and self.discount.name == "none"

    def position(self, ranks: Ints) -> Floats:
        """The rank, or the sum of the discounted steps down to it."""
        if self.discount.name == "none":
            return ranks.astype("float64")
        if (deepest := int(ranks.max(initial=0))) >= DEEPEST:
            raise MeasureError(
                f"discounted steps reach down to rank {DEEPEST - 1}, and rank {deepest} is needed; "
                "set a smaller N, or discount=none"
            )
        return RunningSum(Reciprocal(self.discount)).at(ranks)


class Misplacement:
    """The misplacement of the first `length` documents of judged rankings."""

    def __init__(self, j: JudgedRankings, length: int | None, weights: Weights) -> None:
        self.length = j.longest if length is None else length  # N
        found = j.found
        self.hits = found if self.length >= int(found.rank.max(initial=0)) else found.cut(self.length)
        self._weights = weights
        origin, all_topics = j.pool.origin, np.arange(len(j.sizes))
        self._expected = origin.memo(("expected", weights), lambda: Expected(origin, weights))
        self._number = j.pool.original(all_topics)  # (topics,) in that pool
        self.base = self._expected.base[self._number][:, None]  # (topics, 1) R

    def _at_hits(self, per_topic: Any) -> Any:
        """(hits,): numbers per topic of the original pool, at hits."""
        return np.repeat(per_topic[self._number], self.hits.sizes)

    @cached_property
    def _places(self) -> Ints:
        """(hits,): places as in `Expected`."""
        expected = self._expected
        last = self._at_hits(expected.base) + 1
        places: Ints = self._at_hits(expected.starts) + np.minimum(self.hits.rank, last)
        return places

    @cached_property
    def interval(self) -> tuple[Ints, Ints]:
        """(hits,) twice: the first and the last rank of the ideal interval."""
        return self._expected.interval(np.repeat(self._number, self.hits.sizes), self.hits.grade)

    @cached_property
    def rp(self) -> Floats:
        """(hits,): the distance above (negative) or below the interval."""
        rank, (first, last), position = self.hits.rank, self.interval, self._weights.position
        away = position(rank) - position(np.minimum(np.maximum(rank, first), last))
        if self._weights.gains.scheme == "binary":
            return away
        gain = self.hits.gain(self._weights.gains)
        return np.maximum(gain, self._expected.gain[self._places]) * away

    @cached_property
    def _void(self) -> Floats:
        """(hits,): the RP of a non-relevant document there."""
        return self._expected.rp[self._places]

    @cached_property
    def _changes(self) -> Steps:
        return self.hits.cumulate(self.rp - self._void)

    @property
    def curve(self) -> Curve:
        """RP at every rank."""
        return self._standing(self.rp, self._empty(self._expected.rp))

    @property
    def begins(self) -> Curve:
        """The first rank of the interval of the document at each rank."""
        return self._standing(self.interval[0], Curve(lambda reading: reading.broadcast(self.base + 1)))

    @property
    def ends(self) -> Curve:
        """The last rank of the interval; N for non-relevant documents."""
        return self._standing(self.interval[1], Curve(lambda reading: reading.broadcast(self.full_length)))

    def _standing(self, at_hits: Floats | Ints, others: Curve) -> Curve:
        j = self.hits

        def read(reading: Reading) -> Floats:
            values = np.broadcast_to(others.at(reading), np.shape(reading.ranks)).astype(np.float64)
            if not len(at_hits):
                return values
            place = np.maximum(j.starts[reading.topic] + reading.count_at(j) - 1, 0)
            stands = (j.rank[place] == reading.ranks) & (j.topic[place] == reading.topic)
            return np.where(stands, at_hits[place], values)

        return Curve(read)

    @property
    def cumulated(self) -> Curve:
        """CRP at every rank."""
        return self._empty(self._expected.crp) + self._changes

    def _empty(self, by_place: Floats) -> Curve:
        return Curve(
            lambda reading: by_place[self._expected.place(self._number[reading.topic], reading.ranks)]
        )

    @cached_property
    def forward(self) -> Floats:
        """(topics, 1): the sum of RP over documents below their intervals."""
        return self._defined(self.hits.total(np.maximum(self.rp, 0.0)))

    @cached_property
    def backward(self) -> Floats:
        """(topics, 1): the sum of |RP| over documents above their intervals."""
        spared = self.hits.total(np.minimum(self.rp, 0.0) - self._void)
        return np.maximum(self.full_backward - spared, 0.0)

    @cached_property
    def full_backward(self) -> Floats:
        """(topics, 1): the backward space of the full-scale run."""
        return self._expected.backward[self._number][:, None]

    @cached_property
    def full_forward(self) -> Floats:
        """(topics, 1): the forward space of the full-scale run."""
        origin = self._expected
        space = self.hits.pool.origin.memo(
            ("full scale", self._weights, self.length), lambda: origin.forward(self.length)
        )
        return self._defined(space[self._number][:, None])

    @cached_property
    def full_length(self) -> Ints:
        """(topics, 1): N, or 2 R if that is more."""
        return np.maximum(self.length, 2 * self.base)

    @cached_property
    def forward_ratio(self) -> Floats:
        """(topics, 1): 1 - forward space / that of the full-scale run."""
        return np.maximum(1 - self.forward / self.full_forward, 0.0)

    @cached_property
    def backward_ratio(self) -> Floats:
        """(topics, 1): 1 - backward space / that of the full-scale run."""
        return np.maximum(1 - self.backward / self.full_backward, 0.0)

    @cached_property
    def space_ratio(self) -> Floats:
        """(topics, 1): the harmonic mean of both ratios."""
        both = self.forward_ratio + self.backward_ratio
        return np.where(both == 0, 0.0, 2 * self.forward_ratio * self.backward_ratio / both)

    @cached_property
    def is_ideal(self) -> Bools:
        """(topics, 1): whether CRP is 0 throughout."""
        ideal: Bools = (self.forward == 0) & (self.backward == 0)
        return ideal

    def balance_point(self, rule: str) -> Floats:
        """(topics, 1): the first crossing, but R at least."""
        return np.maximum(np.where(self.is_ideal, 0.0, self.crossing(rule)), self.base)

    def recovery_ratio(self, rule: str) -> Floats:
        """(topics, 1): R over the balance point."""
        ratio: Floats = self.base / self.balance_point(rule)
        return ratio

    def _defined(self, values: Floats) -> Floats:
        return np.where(np.isnan(self.full_backward), np.nan, values)

    def crossing(self, rule: str) -> Floats:
        """(topics, 1): the rank before CRP, which rises only at hits, first crosses 0; infinite if never."""
        j, (before, at) = self.hits, self.around
        wanted: Bools = (at > 0) & (before <= 0) if rule == "matters" else (before < 0) & (at >= 0)
        crossing = j.at_first(wanted, j.rank - 1.0)
        crossing = np.where(np.isnan(crossing), np.inf, crossing)
        if rule == "definition":  # a document in its ideal interval at rank 1 already counts as a crossing
            topics = np.flatnonzero(j.sizes)
            first = j.starts[topics]
            crossing[topics[(j.rank[first] == 1) & (self.rp[first] == 0)]] = 1.0
        return self._defined(crossing[:, None])

    @cached_property
    def around(self) -> tuple[Floats, Floats]:
        """(hits,) twice: CRP before and at each hit."""
        at = self._changes.at(self.hits.at_hits) + self._expected.crp[self._places]
        both = at - self.rp, at
        return both if self._weights.exact else (self._rounded(both[0]), self._rounded(both[1]))

    def _rounded(self, values: Floats) -> Floats:
        least = ROUNDING * self._at_hits(self._expected.backward)
        return np.where(np.abs(values) <= least, 0.0, values)


class Expected:
    """The ideal rankings of the topics of a pool, and the misplacement of rankings without hits.

    Places are the ranks 0 to R + 1 of each topic, topic by topic; the last one stands for all below it.
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
        """Number the degrees, the best first, and find their intervals."""
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
        # almost always, because there are few grades: intervals are then looked up by key
        if room <= 4 * BLOCK:
            ends = np.zeros((2, room), dtype=np.int64)
            ends[:, self._keys] = self._first, self._last
            self._keys, (self._first, self._last) = None, ends

    def _key(self, topic: Ints, grade: Floats) -> Ints:
        """A number per degree and topic, ascending along the ideal."""
        return topic * len(self._levels) + self._degree[np.searchsorted(self._levels, grade)]

    def interval(self, topic: Ints, grade: Floats) -> tuple[Ints, Ints]:
        """The ideal interval: its first and its last ranks."""
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
        """(topics,): the forward space of the full-scale run of this length, or of 2 R if longer."""
        ideal, weights = self._ideal, self._weights
        lengths = np.maximum(length, 2 * self.base)[ideal.topic]
        _, last = self.interval(ideal.topic, ideal.grade)
        away = weights.position(lengths - ideal.rank + 1) - weights.position(last)
        space: Floats = ideal.total(ideal.gain(weights.gains) * away)[:, 0]
        return space
