"""Subtopics: what else is known of the documents of a pool, and the rankings of each intent.

An intent (subtopic, nugget) is again a topic: `Intents` are judged rankings whose topics are the
subtopics of others. What is found there, at the hits of an intent, is added up at the hits of its topic.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.rankings.arrays.curves import Bools, Floats, Ints, Steps
from rankgauge.rankings.arrays.judged_rankings import JudgedRankings
from rankgauge.rankings.arrays.pools import Pool, picked

if TYPE_CHECKING:
    from rankgauge.rankings.gains import Gains


@dataclass(frozen=True, eq=False)
class Subtopics:
    """Which subtopics the judged documents of a pool are judged for, and with which grades.

    The number of a document is that of its judgment in the pool.
    """

    starts: Ints  # (judgments + 1,) where what is known of each document begins
    intent: Ints  # (entries,) number of the subtopic, topic after topic
    grade: Floats  # (entries,)
    intents: Ints  # (topics + 1,) where the subtopics of each topic begin
    levels: Floats  # distinct grades of the whole collection, ascending
    weights: Floats | None = None  # (subtopics,) their probabilities, where they are given
    listed: Ints | None = None  # (topics,) how many are given for each topic
    alphas: Floats | None = None  # (topics,) where each has its own

    def only(self, kept: Any) -> Subtopics:
        """Without the judgments that are not kept; no subtopic goes."""
        sizes = np.diff(self.starts)
        entries = np.repeat(kept, sizes)
        starts = np.concatenate(([0], np.cumsum(sizes[kept])))
        return replace(self, starts=starts, intent=self.intent[entries], grade=self.grade[entries])

    def of_topics(self, topics: Ints, pool: Ints) -> Subtopics:
        """Those of these topics, in this order; pool: where the judgments of each topic begin."""
        judgment_starts, judgments = picked(pool, topics)
        starts, entries = picked(self.starts, judgments)
        intents, places = picked(self.intents, topics)
        # how far the subtopics of each topic have moved, for all that is known of its documents
        moved = np.repeat(intents[:-1] - self.intents[topics], np.diff(starts[judgment_starts]))
        return Subtopics(
            starts=starts,
            intent=self.intent[entries] + moved,
            grade=self.grade[entries],
            intents=intents,
            levels=self.levels,
            weights=None if self.weights is None else self.weights[places],
            listed=None if self.listed is None else self.listed[topics],
            alphas=None if self.alphas is None else self.alphas[topics],
        )

    @cached_property
    def topic(self) -> Ints:
        """(subtopics,): the topic of each."""
        return np.repeat(np.arange(len(self.intents) - 1), np.diff(self.intents))

    def count(self, useful: Bools) -> Ints:
        """(topics, 1): how many subtopics there are: all that were given, or all that are useful."""
        if self.listed is not None:
            return self.listed[:, None]
        return np.bincount(self.topic[useful], minlength=len(self.intents) - 1)[:, None]

    def shares(self, useful: Bools) -> Floats:
        """(subtopics,): the probability of each: as given, or the same for all that are useful."""
        if self.weights is not None:
            return self.weights
        return np.where(useful, 1 / np.maximum(self.count(useful)[self.topic, 0], 1), 0.0)

    @cached_property
    def kinds(self) -> Ints:
        """(judgments,): equal for documents of a topic that are judged alike for every subtopic."""
        known: dict[tuple[bytes, bytes], int] = {}
        parts = (slice(*ends) for ends in itertools.pairwise(self.starts.tolist()))
        keys = ((self.intent[part].tobytes(), self.grade[part].tobytes()) for part in parts)
        return np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.int64)

    def supposing(self, ends: Ints, topics: Ints, grade: float) -> Subtopics:
        """With more judgments: documents that have this grade for all subtopics of a topic.

        They stand before the judgments `ends`, and are of these topics; both (new judgments,).
        """
        sizes = np.diff(self.intents)[topics]
        _, more = picked(self.intents, topics)
        at = np.repeat(self.starts[ends], sizes)
        before = np.concatenate(([0], np.cumsum(np.insert(np.diff(self.starts), ends, sizes))))
        return replace(
            self,
            starts=before,
            intent=np.insert(self.intent, at, more),
            grade=np.insert(self.grade, at, grade),
            levels=np.union1d(self.levels, grade),
        )


class Intents:
    """The rankings of a block of topics once for each of their subtopics.

    All judged documents are told of, or those of which `relevant`, (entries,), is true.
    """

    def __init__(self, j: JudgedRankings, relevant: Bools | None = None) -> None:
        assert j.pool.subtopics is not None
        self._j = j
        self._known = known = j.pool.subtopics
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


def ranks_to_cover(j: JudgedRankings, covered: Steps, recall: float) -> Floats:
    """(topics,): the rank by which this share of the useful subtopics is covered; infinite if none is.

    Undefined where there are none to cover.
    """
    useful = j.nuggets.useful
    counts = np.bincount(j.nuggets.topic[useful], minlength=len(j.sizes))
    share = Fraction(repr(recall))  # exactly what was written: 0.3 of 10 are 3
    wanted = np.array([math.ceil(share * count) for count in counts.tolist()], dtype=np.int64)
    reached = covered.at(j.at_hits) >= wanted[j.topic]
    ranks = j.at_first(reached, j.rank.astype(np.float64))
    return np.where(counts > 0, np.where(np.isnan(ranks), np.inf, ranks), np.nan)


def global_gains(pool: Pool, gains: Gains) -> Floats:
    """(judgments,): what each document is worth to all intents together, by their probabilities."""
    known = pool.subtopics
    assert known is not None
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
    return pool.in_order(useful[np.lexsort((-worth[useful], topic))])
