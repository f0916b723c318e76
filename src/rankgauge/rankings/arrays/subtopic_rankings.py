"""Rankings by subtopic: the judged rankings of a topic once for each of its subtopics.

A subtopic is treated as a topic: the rankings of `SubtopicRankings` are judged rankings whose topics are the
subtopics of others. Values at their hits are added up at the hits of the topic.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge.rankings.array_types import Bools, Floats, Ints
from rankgauge.rankings.arrays.groups import picked
from rankgauge.rankings.arrays.judged_rankings import JudgedRankings, in_order
from rankgauge.rankings.arrays.pools import Pool
from rankgauge.rankings.arrays.subtopics import Subtopics
from rankgauge.rankings.curve import RunningTotal
from rankgauge.rankings.discounts import Persistence
from rankgauge.rankings.gains import Gains
from rankgauge.rankings.novelty import OWN, Novelty


def by_subtopic(j: JudgedRankings) -> SubtopicRankings:
    """The rankings once for each subtopic, with all documents judged for it."""
    return j.memo("by subtopic", lambda: SubtopicRankings(j))


def relevant_by_subtopic(j: JudgedRankings) -> SubtopicRankings:
    """The rankings once for each subtopic, with the documents relevant to it alone."""

    def make() -> SubtopicRankings:
        return SubtopicRankings(j, _subtopics(j.pool).grade >= j.level)

    return j.memo("relevant by subtopic", make)


def useful_by_subtopic(j: JudgedRankings, gains: Gains) -> SubtopicRankings:
    """The rankings once for each subtopic, with the documents that have a gain for it alone."""

    def make() -> SubtopicRankings:
        known = _subtopics(j.pool)
        return SubtopicRankings(j, gains.of(known.grade, known.levels) > 0)

    return j.memo(("useful by subtopic", gains), make)


def _subtopics(pool: Pool) -> Subtopics:
    known = pool.subtopics
    assert known is not None  # a measure that needs subtopics is evaluated only where there are some
    return known


class SubtopicRankings:
    """The rankings of a block of topics once for each of their subtopics.

    All judged documents are told of, or those of which `relevant`, (entries,), is true.
    """

    def __init__(self, j: JudgedRankings, relevant: Bools | None = None) -> None:
        self._j = j
        self._known = known = _subtopics(j.pool)
        _, entries = picked(known.starts, j.place)
        hit = np.repeat(np.arange(len(j.rank)), np.diff(known.starts)[j.place])
        self._relevant = relevant
        if relevant is not None:
            kept = relevant[entries]
            entries, hit = entries[kept], hit[kept]
        order = np.argsort(known.intent[entries], kind="stable")  # hits stay in rank order
        entries = entries[order]
        self.hit = hit[order]  # (hits of intents,) which hit of the topic each is
        self.topic = known.topic  # (intents,)
        ties = j.ties and replace(j.ties.only(self.hit), squares=j.ties.squares[self.topic])
        self.rankings = JudgedRankings(
            starts=np.searchsorted(known.intent[entries], np.arange(len(self.topic) + 1)),
            rank=j.rank[self.hit],
            grade=known.grade[entries],
            retrieved=j.retrieved[self.topic],
            pool=j.pool.intents,
            level=j.level,
            ties=ties,
        )

    @cached_property
    def useful(self) -> Bools:
        """(intents,): whether there is a relevant document for it."""
        relevant = self._known.grade >= self._j.level if self._relevant is None else self._relevant
        return np.bincount(self._known.intent[relevant], minlength=len(self.topic)) > 0

    @cached_property
    def weights(self) -> Floats:
        """(intents,): the probability that was given of each; 1 where none were given."""
        given = self._known.weights
        return np.ones(len(self.topic)) if given is None else given

    @cached_property
    def shares(self) -> Floats:
        """(intents,): the probability of each: as given, or the same for all that are useful."""
        return self._known.shares(self.useful)

    @cached_property
    def count(self) -> Ints:
        """(topics, 1): how many there are: all that were given, or all that are useful."""
        return self._known.count(self.useful)

    @cached_property
    def defined(self) -> Floats:
        """(topics, 1): 1, or undefined for topics that have no useful intent."""
        useful = np.bincount(self.topic[self.useful], minlength=len(self._known.intents) - 1)
        return np.where(useful > 0, 1.0, np.nan)[:, None]

    @cached_property
    def alphas(self) -> Floats | None:
        """(hits of intents,): the alpha of the topic of each, where topics have their own."""
        alphas = self._known.alphas
        return None if alphas is None else alphas[self._j.topic[self.hit]]

    def of_hits(self, per_intent: Any) -> Any:
        """(hits of intents,): what each one's intent has; per_intent (intents,)."""
        return per_intent[self.rankings.topic]

    def at_hits(self, values: Any) -> Floats:
        """(hits,): values at the hits of intents, added up for each document, subtopic after subtopic."""
        return np.bincount(self.hit, values, minlength=len(self._j.rank)).astype(np.float64)

    @cached_property
    def new_at_hits(self) -> Floats:
        """(hits,): how many subtopics of a document no document before it was told for."""
        return self.at_hits(self.rankings.nth == 1)

    def multiplied_at_hits(self, factors: Floats) -> Floats:
        """(hits,): the same, multiplied."""
        made = np.ones(len(self._j.rank))
        order = np.argsort(self.hit, kind="stable")
        hits, first = np.unique(self.hit[order], return_index=True)
        if len(hits):
            made[hits] = np.multiply.reduceat(factors[order], first)
        return made

    def averaged(self, values: Floats, useful: Bools) -> Floats:
        """(topics,): a value for each intent, weighed by their probabilities; undefined if none is useful."""
        topics = len(self._known.intents) - 1
        weighed = np.where(useful, self._known.shares(useful) * np.where(useful, values, 0.0), 0.0)
        total = np.bincount(self.topic, weighed, minlength=topics)
        return np.where(np.bincount(self.topic, useful, minlength=topics) > 0, total, np.nan)


def novel_gains(rankings: SubtopicRankings, novelty: Novelty, weights: Floats) -> Floats:
    """(hits,): the gain of each document given the subtopics seen before it; weights (subtopics,)."""
    alpha = rankings.alphas if novelty.alpha == OWN else None
    worth = novelty.worth(rankings.of_hits(weights), left_when_seen(rankings, novelty), alpha)
    if novelty.gamma is None:
        return rankings.at_hits(worth)
    return 1.0 - rankings.multiplied_at_hits(worth)


def left_when_seen(rankings: SubtopicRankings, novelty: Novelty) -> Floats:
    """(hits by subtopic,): how much of the subtopic's worth earlier documents have left."""
    nth = rankings.rankings.nth
    if novelty.alpha != OWN or rankings.alphas is None:
        return Persistence(novelty.stays).at(nth)
    left = np.empty(len(nth))
    for alpha in sorted(set(rankings.alphas.tolist())):
        same = rankings.alphas == alpha
        left[same] = Persistence(1.0 - alpha).at(nth[same])
    return left


def ranks_to_cover(j: JudgedRankings, covered: RunningTotal, recall: float) -> Floats:
    """(topics,): the rank by which this share of the useful subtopics is covered; infinite if none is.

    Undefined where there are none to cover.
    """
    rankings = relevant_by_subtopic(j)
    counts = np.bincount(rankings.topic[rankings.useful], minlength=len(j.sizes))
    share = Fraction(repr(recall))  # exactly what was written: 0.3 of 10 are 3
    wanted = np.array([math.ceil(share * count) for count in counts.tolist()], dtype=np.int64)
    reached = covered.at(j.at_hits) >= wanted[j.topic]
    ranks = j.at_first(reached, j.rank.astype(np.float64))
    return np.where(counts > 0, np.where(np.isnan(ranks), np.inf, ranks), np.nan)


def global_gains(pool: Pool, gains: Gains) -> Floats:
    """(judgments,): what each document is worth to all intents together, by their probabilities."""
    known = _subtopics(pool)
    gain = gains.of(known.grade, known.levels)
    useful = np.bincount(known.intent[gain > 0], minlength=len(known.topic)) > 0
    doc = np.repeat(np.arange(len(pool.grades)), np.diff(known.starts))
    worth = np.bincount(doc, known.shares(useful)[known.intent] * gain, minlength=len(pool.grades))
    return worth.astype(np.float64)


def diversified(j: JudgedRankings, gains: Gains) -> JudgedRankings:
    """The same rankings, with what a document is worth to all intents together as its grade."""
    pool = j.pool.regraded(("global", gains), lambda pool: global_gains(pool, gains))
    return j._view(grade=pool.grades[j.place], pool=pool, level=math.ulp(0.0))


def ideal_by_gain(pool: Pool, gains: Gains) -> JudgedRankings:
    """The best ranking by what documents are worth to all intents together."""
    worth = pool.regraded(("global", gains), lambda pool: global_gains(pool, gains)).grades
    useful = np.flatnonzero(worth > 0)
    topic = np.searchsorted(pool.starts, useful, side="right") - 1
    return in_order(pool, useful[np.lexsort((-worth[useful], topic))])
