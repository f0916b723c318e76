"""Judged rankings once for each subtopic, which is treated as a topic.

Values at the hits of subtopics are added up at the hits of the topic.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge.measures.rankings.array_types import Bools, Floats, Ints, picked
from rankgauge.measures.rankings.arrays.judged_rankings import JudgedRankings, in_order
from rankgauge.measures.rankings.arrays.pools import Pool, Subtopics, check_probabilities
from rankgauge.measures.rankings.discounts import Persistence
from rankgauge.measures.rankings.gains import Gains
from rankgauge.measures.rankings.novelty import OWN, Novelty
from rankgauge.measures.rankings.vocabulary import RunningTotal


def by_subtopic(j: JudgedRankings) -> SubtopicRankings:
    """The rankings once for each subtopic, with all documents judged for it."""
    return j.memo("by subtopic", lambda: SubtopicRankings(j))


def relevant_by_subtopic(j: JudgedRankings) -> SubtopicRankings:
    """The rankings of the documents relevant to each subtopic."""
    return j.memo("relevant by subtopic", lambda: SubtopicRankings(j, _subtopics(j.pool).grade >= j.level))


def useful_by_subtopic(j: JudgedRankings, gains: Gains) -> SubtopicRankings:
    """The rankings of the documents with a gain for each subtopic."""
    known = _subtopics(j.pool)
    return j.memo(
        ("useful by subtopic", gains),
        lambda: SubtopicRankings(j, gains.of(known.grade, known.levels) > 0),
    )


def _subtopics(pool: Pool) -> Subtopics:
    known = pool.subtopics
    assert known is not None  # a measure that needs subtopics is evaluated only where there are some
    return known


class SubtopicRankings:
    """The rankings once for each subtopic, with all documents or those where `relevant` (entries,)."""

    def __init__(self, j: JudgedRankings, relevant: Bools | None = None) -> None:
        self._j = j
        self._known = known = _subtopics(j.pool)
        _, entries = picked(known.starts, j.place)
        hit = np.repeat(np.arange(len(j.rank)), np.diff(known.starts)[j.place])
        self._relevant = relevant
        if relevant is not None:
            kept = relevant[entries]
            entries, hit = entries[kept], hit[kept]
        order = np.argsort(known.subtopic[entries], kind="stable")  # hits stay in rank order
        entries = entries[order]
        self.hit = hit[order]  # (hits by subtopic,) the number of the hit in the rankings of topics
        self.topic = known.topic  # (subtopics,)
        ties = j.ties and replace(j.ties.only(self.hit), squares=j.ties.squares[self.topic])
        self.rankings = JudgedRankings(
            starts=np.searchsorted(known.subtopic[entries], np.arange(len(self.topic) + 1)),
            rank=j.rank[self.hit],
            grade=known.grade[entries],
            retrieved=j.retrieved[self.topic],
            pool=j.pool.by_subtopic,
            level=j.level,
            ties=ties,
        )

    @cached_property
    def useful(self) -> Bools:
        """(subtopics,): whether a judged document is relevant to it."""
        relevant = self._known.grade >= self._j.level if self._relevant is None else self._relevant
        return np.bincount(self._known.subtopic[relevant], minlength=len(self.topic)) > 0

    @cached_property
    def weights(self) -> Floats:
        """(subtopics,): probabilities; 1 without any."""
        weights = self._known.weights
        return np.ones(len(self.topic)) if weights is None else weights

    @cached_property
    def shares(self) -> Floats:
        """(subtopics,): their probabilities, or the same for all useful ones."""
        return self._known.shares(self.useful)

    @cached_property
    def count(self) -> Ints:
        """(topics, 1): the number of subtopics that count."""
        return self._known.count(self.useful)

    @cached_property
    def defined(self) -> Floats:
        """(topics, 1): 1, or NaN for topics without a useful subtopic."""
        useful = np.bincount(self.topic[self.useful], minlength=len(self._known.subtopic_starts) - 1)
        return np.where(useful > 0, 1.0, np.nan)[:, None]

    @cached_property
    def alphas(self) -> Floats | None:
        """(hits by subtopic,): the topic's alpha, if there are some."""
        alphas = self._known.alphas
        return None if alphas is None else alphas[self._j.topic[self.hit]]

    @cached_property
    def probabilities(self) -> Floats:
        """(hits by subtopic,): the grades, which are probabilities."""
        check_probabilities(self._known)
        return self.rankings.grade

    def of_hits(self, per_subtopic: Any) -> Any:
        """(hits by subtopic,): numbers (subtopics,) of each hit's subtopic."""
        return per_subtopic[self.rankings.topic]

    def at_hits(self, values: Any) -> Floats:
        """(hits,): values by subtopic, added up per document."""
        return np.bincount(self.hit, values, minlength=len(self._j.rank)).astype(np.float64)

    @cached_property
    def new_at_hits(self) -> Floats:
        """(hits,): how many subtopics are new."""
        return self.at_hits(self.rankings.nth == 1)

    def multiplied_at_hits(self, factors: Floats) -> Floats:
        """(hits,): factors at the hits by subtopic, multiplied per document."""
        products = np.ones(len(self._j.rank))
        order = np.argsort(self.hit, kind="stable")
        hits, first = np.unique(self.hit[order], return_index=True)
        if len(hits):
            products[hits] = np.multiply.reduceat(factors[order], first)
        return products

    def averaged(self, values: Floats, useful: Bools) -> Floats:
        """(topics,): the mean by probability; NaN if no subtopic is useful."""
        topics = len(self._known.subtopic_starts) - 1
        weighed = np.where(useful, self._known.shares(useful) * np.where(useful, values, 0.0), 0.0)
        total = np.bincount(self.topic, weighed, minlength=topics)
        return np.where(np.bincount(self.topic, useful, minlength=topics) > 0, total, np.nan)


def novel_gains(rankings: SubtopicRankings, novelty: Novelty, weights: Floats) -> Floats:
    """(hits,): gains given the subtopics seen before; weights (subtopics,)."""
    worth = worth_when_seen(rankings, novelty, weights)
    if novelty.gamma is None:
        return rankings.at_hits(worth)
    return 1.0 - rankings.multiplied_at_hits(worth)


def worth_when_seen(rankings: SubtopicRankings, novelty: Novelty, weights: Floats) -> Floats:
    """(hits by subtopic,): the worth of each; weights (subtopics,)."""
    alpha = rankings.alphas if novelty.alpha == OWN else rankings.probabilities if novelty.by_grade else None
    worth: Floats = novelty.worth(rankings.of_hits(weights), left_when_seen(rankings, novelty), alpha)
    return worth


def left_when_seen(rankings: SubtopicRankings, novelty: Novelty) -> Floats:
    """(hits by subtopic,): how much of the worth is left."""
    nth = rankings.rankings.nth
    if novelty.by_grade:
        return _left_by_chance(nth, 1.0 - rankings.probabilities)
    if novelty.alpha != OWN or rankings.alphas is None:
        return Persistence(novelty.stays).at(nth)
    left = np.empty(len(nth))
    for alpha in sorted(set(rankings.alphas.tolist())):
        same = rankings.alphas == alpha
        left[same] = Persistence(1.0 - alpha).at(nth[same])
    return left


def _left_by_chance(nth: Ints, missing: Floats) -> Floats:
    """(hits by subtopic,): the product of `missing` over the hits before."""
    left = np.ones(len(nth))
    order = np.argsort(nth, kind="stable")  # all first hits of subtopics, all second ones, ...
    for some in np.split(order, np.flatnonzero(np.diff(nth[order])) + 1)[1:]:
        left[some] = left[some - 1] * missing[some - 1]
    return left


def ranks_to_cover(j: JudgedRankings, covered: RunningTotal, recall: float) -> Floats:
    """(topics,): the rank that covers a share of useful subtopics; infinite if none does, NaN without any."""
    rankings = relevant_by_subtopic(j)
    counts = np.bincount(rankings.topic[rankings.useful], minlength=len(j.sizes))
    share = Fraction(repr(recall))  # exactly as written: 0.3 of 10 is 3
    wanted = np.array([math.ceil(share * count) for count in counts.tolist()], dtype=np.int64)
    reached = covered.at(j.at_hits) >= wanted[j.topic]
    ranks = j.at_first(reached, j.rank.astype(np.float64))
    return np.where(counts > 0, np.where(np.isnan(ranks), np.inf, ranks), np.nan)


def global_gains(pool: Pool, gains: Gains) -> Floats:
    """(judgments,): gains added up over subtopics, by probability."""
    known = _subtopics(pool)
    gain = gains.of(known.grade, known.levels)
    useful = np.bincount(known.subtopic[gain > 0], minlength=len(known.topic)) > 0
    doc = np.repeat(np.arange(len(pool.grades)), np.diff(known.starts))
    worth = np.bincount(doc, known.shares(useful)[known.subtopic] * gain, minlength=len(pool.grades))
    return worth.astype(np.float64)


def diversified(j: JudgedRankings, gains: Gains) -> JudgedRankings:
    """A view whose grades are global gains."""
    pool = j.pool.regraded(("global", gains), lambda pool: global_gains(pool, gains))
    return j._view(grade=pool.grades[j.place], pool=pool, level=math.ulp(0.0))


def ideal_by_gain(pool: Pool, gains: Gains) -> JudgedRankings:
    """The ideal ranking by global gain."""
    worth = pool.regraded(("global", gains), lambda pool: global_gains(pool, gains)).grades
    useful = np.flatnonzero(worth > 0)
    topic = np.searchsorted(pool.starts, useful, side="right") - 1
    return in_order(pool, useful[np.lexsort((-worth[useful], topic))])


def costs(j: JudgedRankings, usual: float) -> Floats:
    """(hits,): costs, which are the grades for subtopics that have none but grades below 0, negated."""
    known = _subtopics(j.pool)
    highest = np.full(len(known.topic), -np.inf)
    np.maximum.at(highest, known.subtopic, known.grade)
    entries = np.where(highest[known.subtopic] < 0, -known.grade, 0.0)
    doc = np.repeat(np.arange(len(j.pool.grades)), np.diff(known.starts))
    found = np.bincount(doc, entries, minlength=len(j.pool.grades))[j.place]
    return np.where(found > 0, found, usual)
