"""Judged rankings and their views."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge.measures.rankings.array_types import picked, read_only
from rankgauge.measures.rankings.arrays.curves import (
    AtHits,
    AtRank,
    AtRanks,
    Bools,
    Chances,
    Curve,
    Floats,
    Ints,
    LastValue,
    Ranking,
    Reading,
    Steps,
    TieGroups,
    Ties,
)
from rankgauge.measures.rankings.arrays.pools import Pool, only_grade
from rankgauge.measures.rankings.gains import Gains
from rankgauge.measures.rankings.vocabulary import ENDLESS, Vocabulary


def _quiet() -> np.errstate:
    """No warnings of 0/0 and overflow: undefined and infinite values are meant."""
    return np.errstate(divide="ignore", invalid="ignore", over="ignore")


class JudgedRankings(Ranking, Vocabulary):
    """One run or several on a block of topics, as far as judged."""

    pool: Pool

    def __init__(
        self,
        *,
        starts: Ints,
        rank: Ints,
        grade: Floats,
        retrieved: Ints,
        pool: Pool,
        level: float = 1.0,
        ties: Ties | None = None,
        longest: int | None = None,
        doc: Ints | None = None,
    ) -> None:
        Ranking.__init__(self, starts, rank)
        Vocabulary.__init__(self)
        self.grade = grade  # (hits,) of the judged documents retrieved
        self.retrieved = retrieved  # (topics, 1) how many documents the run returned
        self.pool = pool
        self.level = level  # the smallest grade that counts as relevant
        self.ties = ties  # None if they were not computed, or there are none
        self._longest = longest
        self.doc = doc  # (hits,) its number among the topic's judged documents; None without subtopics

    @property
    def longest(self) -> int:
        """The length of the longest list evaluated."""
        return int(self.retrieved.max(initial=0)) if self._longest is None else self._longest

    @property
    def count(self) -> Ints:
        return self.sizes[:, None]

    def applied(self, function: Callable[..., Any], settings: Mapping[str, Any]) -> Any:
        with _quiet():
            return function(self, **settings)

    @cached_property
    def chances(self) -> Chances:
        """Where relevant documents may be if tied documents are in random order."""
        return Chances(TieGroups(self.found, self.found.ties), len(self.sizes))

    @cached_property
    def at_hits(self) -> Reading:
        return AtHits(self)

    def chosen(self, condition: Any, then: Any, otherwise: float) -> Any:
        return np.where(condition, then, otherwise)

    def cumulate(self, values: Any, where: Bools | None = None) -> Steps:
        if isinstance(values, Curve):
            values = values.at(self.at_hits)
        return Steps(self, values if where is None or where.all() else np.where(where, values, 0.0))

    def at(self, curve: Curve, ranks: Ints) -> Floats:
        """(topics, 1): the curve at one rank of each topic."""
        values: Floats = curve.at(Reading(ranks))
        return values

    def last_value(self, values: Any, before: float) -> Curve:
        if isinstance(values, Curve):
            values = values.at(self.at_hits)
        return LastValue(self, values, before)

    def read(self, curve: Curve, cutoff: int) -> Floats:
        """(topics,): the value of the curve at one rank."""
        reading = self.memo(("cutoff", cutoff), lambda: AtRank(cutoff, len(self.sizes)))
        return self._column(curve, reading)

    def read_uncut(self, curve: Curve, where: str) -> Floats:
        """(topics,): the curve at its `end`."""
        return self._column(curve, self.memo(("uncut", where), lambda: Reading(self.end(where))))

    def end(self, where: str) -> Ints:
        """(topics, 1): the last rank "retrieved", of the "ideal" if deeper, or "endless"."""
        if where == "endless":
            return np.full_like(self.retrieved, ENDLESS)
        return np.maximum(self.retrieved, self.pool.sizes) if where == "ideal" else self.retrieved

    def read_all(self, curve: Curve, depth: int) -> Floats:
        """(topics, depth): the value of the curve at every rank."""
        shape = len(self.sizes), depth
        reading = self.memo(("every", depth), lambda: AtRanks(np.arange(1, depth + 1), shape[0]))
        with _quiet():
            values: Floats = curve.at(reading)
        return np.broadcast_to(values, shape)

    def read_at(self, curve: Curve, ranks: Ints | Sequence[int]) -> Floats:
        """(topics, ranks): the value of the curve at each of these ranks."""
        shape = len(self.sizes), len(ranks)
        with _quiet():
            values: Floats = curve.at(Reading(np.broadcast_to(ranks, shape)))
        return np.broadcast_to(values, shape)

    def _column(self, curve: Curve, reading: Reading) -> Floats:
        with _quiet():
            values: Floats = curve.at(reading)
        return values[:, 0]

    def exactly(self, grade: float) -> JudgedRankings:
        """A view in which this grade alone is relevant."""
        return self.memo(
            ("exactly", grade),
            lambda: self._view(grade=only_grade(self.grade, grade), pool=self.pool.exactly(grade), level=1.0),
        )

    def keeping(self, least: float) -> JudgedRankings:
        levels = self.pool.levels
        place = int(np.searchsorted(levels, least))
        if place == 0:
            return self
        return self.memo(
            ("keeping", place), lambda: self._only(self.grade >= (*levels.tolist(), np.inf)[place])
        )

    def last_of_each(self, values: Floats) -> JudgedRankings:
        """A view of the last hit of each stretch of equal values."""
        goes_on = (self.topic[1:] == self.topic[:-1]) & (values[1:] == values[:-1])
        return self._only(~np.append(goes_on, np.zeros(min(1, len(values)), dtype=np.bool_)))

    @cached_property
    def prefix_maxima(self) -> JudgedRankings:
        """A view of the documents with a higher grade than all before."""
        levels = self.pool.levels
        # the keys of a topic are above those of the topic before
        key = np.searchsorted(levels, self.grade) + self.topic * len(levels)
        return self._only(key > self.previous(np.maximum.accumulate(key), -1))

    def best_order(self, gains: Gains) -> JudgedRankings:
        """The judged documents retrieved, reordered by gain."""
        order = np.lexsort((-self.gain(gains), self.topic))
        return self._view(rank=self.nth, grade=self.grade[order], doc=self._docs(order))

    def agreement(self, gains: Gains) -> JudgedRankings:
        """Each document at the rank from which on both this ranking and the ideal one have it.

        Among equal grades, the ideal has the documents retrieved first, in their order.
        """
        ideal, levels = self.ideal(gains), self.pool.levels
        width = len(levels) + 1
        place, own = (  # ascending along the ideal: topic by topic, the best grade first
            each.topic * width + len(levels) - np.searchsorted(levels, each.grade) for each in (ideal, self)
        )
        better = np.searchsorted(place, own) - ideal.starts[self.topic]
        order = np.lexsort((self.rank, own))
        equal = np.empty_like(order)
        equal[order] = np.arange(1, len(order) + 1) - np.searchsorted(own[order], own[order])
        met = np.maximum(self.rank, better + equal)
        by_rank = np.lexsort((met, self.topic))
        return self._view(rank=met[by_rank], grade=self.grade[by_rank], doc=self._docs(by_rank))

    def _condensed(self) -> JudgedRankings:
        return self._view(rank=self.nth, retrieved=self.count, ties=self._condensed_ties())

    def _condensed_ties(self) -> Ties | None:
        if self.ties is None:
            return None
        groups, score = TieGroups(self, self.ties), self.ties.score
        first = np.repeat(self.nth[groups.begin], groups.hits)
        last = first + np.repeat(groups.hits, groups.hits) - 1
        with np.errstate(over="ignore"):  # the sum is then infinite
            squares = self.total(score * score)
        return Ties(first, last, score, squares)

    def cut(self, depth: int) -> JudgedRankings:
        return self._only(self.rank <= depth)._view(
            retrieved=np.minimum(self.retrieved, depth), longest=min(self.longest, depth)
        )

    def _only(self, kept: Bools) -> JudgedRankings:
        if kept.all():
            return self
        before = np.concatenate(([0], np.cumsum(kept)))
        return self._view(
            starts=before[self.starts],
            rank=self.rank[kept],
            grade=self.grade[kept],
            ties=self.ties and self.ties.only(kept),
            doc=self._docs(kept),
        )

    @cached_property
    def expected_rank(self) -> Floats:
        """(hits,): the nth hit's expected rank, with ties in random order."""
        ties = TieGroups(self, self.ties)
        before, first = ties.before[ties.of_hit], ties.first[ties.of_hit]
        step: Floats = ((ties.size + 1) / (ties.hits + 1))[ties.of_hit]
        return first - 1 + (self.nth - before) * step

    def count_before(self, others: JudgedRankings) -> Floats:
        """(hits,): the hits of another view before each hit; equal scores count half."""
        first, last = (self.rank, self.rank) if self.ties is None else (self.ties.first, self.ties.last)
        return (others.count_at(self.topic, first - 1) + others.count_at(self.topic, last)) / 2

    @cached_property
    def score(self) -> Floats:
        """(hits,): the score of each document; NaN if scores were not computed."""
        return np.full(len(self.rank), np.nan) if self.ties is None else self.ties.score

    @cached_property
    def scores_length(self) -> Floats:
        """(topics, 1): the Euclidean length of all scores; NaN if unknown or infinite."""
        squares = np.full(self.retrieved.shape, np.nan) if self.ties is None else self.ties.squares
        return np.sqrt(np.where(np.isfinite(squares), squares, np.nan))

    def moved(self, rank: Ints) -> JudgedRankings:
        """The same documents at other ranks, (hits,)."""
        order = np.argsort(rank + self.topic * (int(rank.max(initial=0)) + 1))
        return self._view(rank=rank[order], grade=self.grade[order], doc=self._docs(order))

    def of_topics(self, topics: Ints) -> JudgedRankings:
        """The rankings of some topics, in this order; topics may repeat."""
        starts, places = picked(self.starts, topics)
        ties = self.ties and replace(self.ties.only(places), squares=self.ties.squares[topics])
        return self._view(
            starts=starts,
            rank=self.rank[places],
            grade=self.grade[places],
            retrieved=self.retrieved[topics],
            pool=self.pool.of_topics(topics),
            ties=ties,
            doc=self._docs(places),
        )

    def _docs(self, hits: Any) -> Ints | None:
        return None if self.doc is None else self.doc[hits]

    @cached_property
    def kinds(self) -> Ints:
        """(hits,): equal for documents with equal grades for all subtopics."""
        assert self.pool.subtopics is not None
        return self.pool.subtopics.kinds[self.place]

    @cached_property
    def place(self) -> Ints:
        """(hits,): the hit's judgment in a pool with subtopics."""
        assert self.doc is not None
        return self.pool.starts[self.topic] + self.doc

    def isolated(self, owner: str) -> JudgedRankings:
        """The same, read-only and shared with nobody but the owner."""

        def make() -> JudgedRankings:
            names = ("starts", "rank", "grade", "retrieved", "doc")
            arrays = {name: read_only(getattr(self, name)) for name in names}
            ties = self.ties and self.ties.isolated()
            return self._view(**arrays, ties=ties, pool=self.pool.isolated(owner))

        return self.memo(("isolated", owner), make)

    def _view(self, **changes: Any) -> JudgedRankings:
        mine = ("starts", "rank", "grade", "retrieved", "pool", "level", "ties", "longest", "doc")
        if "rank" in changes:  # ties do not hold for other ranks
            changes = {"ties": None, **changes}
        return JudgedRankings(**{**{name: getattr(self, name) for name in mine}, **changes})


Pool.rankings = JudgedRankings


def in_order(pool: Pool, places: Ints, level: float = 1.0) -> JudgedRankings:
    """The rankings of judged documents by their places in the pool."""
    topic = np.searchsorted(pool.starts, places, side="right") - 1
    sizes = np.bincount(topic, minlength=pool.topics)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    return JudgedRankings(
        starts=starts,
        rank=np.arange(1, len(places) + 1) - np.repeat(starts[:-1], sizes),
        grade=pool.grades[places],
        retrieved=sizes[:, None],
        pool=pool,
        level=level,
        doc=places - pool.starts[topic],
    )


def suppose_judged(j: JudgedRankings, grade: float, depth: int | None = None) -> JudgedRankings:
    """The rankings as if unjudged documents, all or the first `depth`, had this grade."""
    retrieved = j.retrieved[:, 0] if depth is None else np.minimum(j.retrieved[:, 0], depth)
    judged = j._only(j.rank <= retrieved[j.topic])
    starts = np.concatenate(([0], np.cumsum(retrieved)))
    grades = np.full(int(starts[-1]), grade)
    grades[starts[judged.topic] + judged.rank - 1] = judged.grade
    rank = np.arange(1, len(grades) + 1) - np.repeat(starts[:-1], retrieved)
    topic = np.repeat(np.arange(len(retrieved)), retrieved)
    doc = _with_new_documents(judged, starts, topic)
    if len(judged.rank) < len(j.rank):  # hits below that depth stay where they are
        below = j.rank > retrieved[j.topic]
        order = np.argsort(np.concatenate((topic, j.topic[below])), kind="stable")
        rank = np.concatenate((rank, j.rank[below]))[order]
        grades = np.concatenate((grades, j.grade[below]))[order]
        if doc is not None and j.doc is not None:
            doc = np.concatenate((doc, j.doc[below]))[order]
        starts = starts + j.starts - judged.starts
    pool = _with_new_judgments(j.pool, retrieved - judged.sizes, grade)
    ties = j.ties and _ties_at(j, j.ties, Ranking(starts, rank))
    return j._view(starts=starts, rank=rank, grade=grades, pool=pool, ties=ties, doc=doc)


def _with_new_judgments(pool: Pool, added: Ints, grade: float) -> Pool:
    """The pool with `added` (topics,) more judgments of each topic."""
    ends = np.repeat(pool.starts[1:], added)
    return Pool(
        np.insert(pool.grades, ends, grade),
        pool.starts + np.concatenate(([0], np.cumsum(added))),
        np.union1d(pool.levels, grade),
        pool.subtopics and pool.subtopics.supposing(ends, np.repeat(np.arange(len(added)), added), grade),
    )


def _with_new_documents(j: JudgedRankings, starts: Ints, topic: Ints) -> Ints | None:
    """(ranks,): the documents at all ranks; new ones are numbered after the topic's judged ones."""
    if j.doc is None:
        return None
    new = np.ones(len(topic), dtype=np.bool_)
    new[starts[j.topic] + j.rank - 1] = False
    counted = np.concatenate(([0], np.cumsum(new)))
    doc: Ints = j.pool.sizes[topic, 0] + counted[:-1] - counted[starts[topic]]
    doc[~new] = j.doc
    return doc


def _ties_at(j: JudgedRankings, ties: Ties, ranking: Ranking) -> Ties:
    groups = TieGroups(j, ties)
    deepest = int(max(ranking.rank.max(initial=0), groups.last.max(initial=0))) + 1
    keys = ranking.rank + ranking.topic * deepest
    group = np.searchsorted(groups.first + groups.topic * deepest, keys, "right") - 1
    inside = (group >= 0) & (keys <= np.append(groups.last + groups.topic * deepest, -1)[group])
    score = np.full(len(keys), np.nan)  # the scores of the others are not known
    score[np.searchsorted(keys, j.rank + j.topic * deepest)] = ties.score
    first, last = (np.append(each, 0)[group] for each in (groups.first, groups.last))
    return Ties(
        np.where(inside, first, ranking.rank), np.where(inside, last, ranking.rank), score, ties.squares
    )
