"""Strata of sampled pools: the judged rankings of a topic once for each stratum of its pool.

A stratum labels a judgment as a subtopic does. Documents graded below 0 were not drawn, the others are a
simple random sample of their stratum.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from rankgauge.measures.rankings.array_types import Floats, Ints, picked
from rankgauge.measures.rankings.arrays.curves import AtPlaces, Curve, Reading
from rankgauge.measures.rankings.arrays.judged_rankings import JudgedRankings
from rankgauge.measures.rankings.arrays.subtopic_rankings import SubtopicRankings
from rankgauge.measures.rankings.discounts import Discount, Reciprocal, RunningSum
from rankgauge.measures.rankings.gains import Gains
from rankgauge.measures.rankings.vocabulary import ENDLESS

EPSILON = 1e-5  # sample_eval.pl adds it to the relevant documents, and 3 times that to those drawn
DEPTH = 1000  # the ranks that sample_eval.pl reads


def strata_of(j: JudgedRankings) -> Strata:
    """The rankings once for each stratum."""
    return j.memo("strata", lambda: Strata(j))


class Strata(SubtopicRankings):
    """The rankings of a block of topics, once for each stratum."""

    @cached_property
    def _drawn(self) -> Ints:
        """(strata, 1): how many documents were drawn and judged."""
        return self.rankings.pool.count(min(0.0, self._j.level))

    def estimated(self, counts: Any) -> Floats:
        """(strata, ...): the estimated number in the stratum, from that in its sample."""
        return np.asarray(counts * self.rankings.pool.sizes / np.maximum(self._drawn, 1))

    def per_topic(self, values: Floats) -> Floats:
        """(topics, ...): values per stratum, added up stratum by stratum."""
        totals = np.zeros((len(self._known.subtopic_starts) - 1, *values.shape[1:]))
        np.add.at(totals, self.topic, values)
        return totals

    @cached_property
    def recall_base(self) -> Floats:
        """(topics, 1): the estimated number of relevant documents."""
        return self.per_topic(self.estimated(self.rankings.recall_base))

    @cached_property
    def weights_of_relevant(self) -> Floats:
        """(hits,): how many documents a relevant one stands for, 1 / inclusion probability; 0 for others."""
        return self.at_hits(self.of_hits(self.estimated(1)[:, 0]) * self.rankings.relevant)

    def with_those_before(self, values: Floats) -> Floats:
        """(hits,): the sum of values (hits by stratum,) up to a relevant document, times what it stands for.

        A pair of documents counts by the inverse of the probability that both were drawn, smaller within a
        stratum.
        """
        j, own = self._j, self.rankings
        size, drawn = (each[:, 0] for each in (own.pool.sizes, self._drawn))
        weight = self.estimated(1)[:, 0]
        more = np.where(drawn > 1, (size - 1) / np.maximum(drawn - 1, 1), weight) - weight
        weights, values = self.of_hits(weight) * own.relevant, values * own.relevant
        before = j.previous(j.cumulate(self.at_hits(weights * values)).at(j.at_hits), 0.0)[self.hit]
        in_stratum = own.previous(own.cumulate(values).at(own.at_hits), 0.0)
        return self.at_hits(weights * (values + before + self.of_hits(more) * in_stratum))

    def added(self, curve: Curve) -> Curve:
        """The sum of a curve over the strata of each topic."""

        def read(reading: Reading) -> Any:
            topic = np.broadcast_to(reading.topic, reading.ranks.shape).ravel()
            starts, strata = picked(self._known.subtopic_starts, topic)
            place = np.repeat(np.arange(len(topic)), np.diff(starts))
            values = curve.at(AtPlaces(reading.ranks.ravel()[place], strata))
            return np.bincount(place, values, minlength=len(topic)).reshape(reading.ranks.shape)

        return Curve(read)

    @cached_property
    def relevant_so_far(self) -> Curve:
        """The estimated number of relevant documents among the first k."""
        j = self.rankings
        share = (j.hits + EPSILON) / (j.judged_so_far() + 3 * EPSILON)
        return self.added(j.judged_so_far("nonrelevant") * share)

    def cumulated(self, gains: Gains, discount: Discount) -> Curve:
        """The estimated discounted gain: in each stratum, that of the sample scaled up."""
        j = self.rankings
        drawn = j.assessed()
        gain = drawn.cumulate(drawn.gain(gains) / discount.at(drawn.rank))
        return self.added(gain * j.judged_so_far("nonrelevant") / j.judged_so_far().at_least(1))

    def _drawn_by_gain(self, gains: Gains) -> tuple[Floats, Ints]:
        """(distinct gains, how many documents of each were drawn from each stratum)."""
        known = self._known
        drawn = known.grade >= min(0.0, self._j.level)
        worth, number = np.unique(gains.of(known.grade, known.levels), return_inverse=True)
        shape = len(self.topic), len(worth)
        counts = np.bincount(known.subtopic * shape[1] + number, drawn, minlength=shape[0] * shape[1])
        return worth, counts.astype(np.int64).reshape(shape)

    def ndcg(self, gains: Gains, discount: Discount, cutoff: int) -> Floats:
        """(topics,): the estimated DCG over that of the ideal of estimated counts, less the jackknife's bias.

        The ideal is concave in the counts, so that the ratio alone is too high. Each document drawn is left
        out in turn, those of equal gain and stratum at once: they leave the same ideal behind.
        """
        own = self.rankings
        worth, counts = self._drawn_by_gain(gains)
        gain = own.gain(gains)
        seen = (own.rank <= cutoff) & (own.grade >= min(0.0, self._j.level))
        place = own.topic * len(worth) + np.searchsorted(worth, gain)
        found = np.bincount(place, seen * gain / discount.at(own.rank), minlength=counts.size)
        found = found.reshape(counts.shape)  # discounted gain by stratum and gain
        known = self.per_topic(self.estimated(counts))
        had = _sum(self.per_topic(self.estimated(found)))
        best = _best(known, worth, discount, cutoff)
        ratio = had / best
        size, drawn = own.pool.sizes, np.maximum(self._drawn, 1)
        fewer = size / np.maximum(drawn - 1, 1)  # what a document stands for when one is left out
        more = fewer - size / drawn
        left = known[self.topic, None] + (more * counts)[:, None] - fewer[..., None] * np.eye(len(worth))
        ideal = _best(left, worth, discount, cutoff)  # (strata, gains)
        sums = counts * (had[self.topic] + more[:, 0] * _sum(found))[:, None] - fewer * found
        again = _sum(np.where(ideal > 0, sums / ideal, counts * ratio[self.topic][:, None]))
        share = (1 - drawn / size) * (drawn - 1)
        bias = share[:, 0] * (again / drawn[:, 0] - ratio[self.topic])
        return ratio - self.per_topic(np.where(counts.sum(axis=1) > 1, bias, 0.0))

    def ideal(self, gains: Gains, discount: Discount) -> Curve:
        """The discounted gain of the ideal ranking, from the estimated number of each gain.

        Without a cutoff it ends at rank 1000 as in sample_eval.pl, which counts a document of each gain even
        if documents of larger gains fill these ranks.
        """
        total = RunningSum(Reciprocal(discount))
        worth, counts = self._drawn_by_gain(gains)
        of_topics = np.floor(self.per_topic(self.estimated(counts)) + 0.5).astype(np.int64)
        best = np.flatnonzero(worth > 0)[::-1]
        ends = np.cumsum(of_topics[:, best], axis=1)
        begins = ends - of_topics[:, best]

        def read(reading: Reading) -> Any:
            uncut = reading.ranks == ENDLESS
            deepest, ideal = np.where(uncut, DEPTH, reading.ranks), np.zeros(reading.ranks.shape)
            for place, each in enumerate(worth[best].tolist()):
                begin, end = begins[reading.topic, place], ends[reading.topic, place]
                last = np.where(uncut, np.maximum(deepest, begin + 1), deepest)
                ideal += each * (total.at(np.minimum(end, last)) - total.at(np.minimum(begin, last)))
            return ideal

        return Curve(read)


def _best(counts: Floats, worth: Floats, discount: Discount, cutoff: int) -> Floats:
    """The discounted gain of the best ranking with these numbers of each gain, which need not be whole."""
    total = RunningSum(Reciprocal(discount))
    useful = np.flatnonzero(worth > 0)[::-1]
    ends = np.minimum(np.maximum(np.cumsum(counts[..., useful], axis=-1), 0.0), cutoff)
    whole = np.floor(ends).astype(np.int64)
    sums = total.at(whole) + (ends - whole) * (total.at(whole + 1) - total.at(whole))
    return _sum(np.diff(sums, axis=-1, prepend=0.0) * worth[useful])


def _sum(values: Any) -> Floats:
    """Sums of rows, one addition after the other, to which gains of other topics add 0 exactly."""
    sums = np.cumsum(values, axis=-1)
    return sums[..., -1] if values.shape[-1] else np.zeros(values.shape[:-1])
