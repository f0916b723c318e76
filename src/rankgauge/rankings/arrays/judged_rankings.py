"""Judged rankings and their views."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge.rankings.arrays.curves import (
    AtHits,
    Bools,
    Curve,
    Floats,
    Ints,
    LastValue,
    Ranking,
    Reading,
    Steps,
)
from rankgauge.rankings.arrays.groups import picked
from rankgauge.rankings.arrays.pools import BLOCK, Pool, only_grade
from rankgauge.rankings.arrays.ties import Chances, TieGroups, Ties
from rankgauge.rankings.gains import Gains
from rankgauge.rankings.vocabulary import ENDLESS, Vocabulary


class JudgedRankings(Ranking, Vocabulary):
    """One run on a block of topics, or several one after the other, as far as it is judged."""

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
        self.ties = ties  # None if nobody has asked for them, or there are none
        self._longest = longest
        self.doc = doc  # (hits,) number among the topic's judged documents; None if there are no subtopics

    @property
    def longest(self) -> int:
        """How many documents the longest list has of all that are evaluated together, in any block."""
        return int(self.retrieved.max(initial=0)) if self._longest is None else self._longest

    @property
    def count(self) -> Ints:
        """(topics, 1): how many of the documents retrieved are hits."""
        return self.sizes[:, None]

    @staticmethod
    def errstate() -> np.errstate:
        """0/0 is how "undefined" comes about; scores may be of any size."""
        return np.errstate(divide="ignore", invalid="ignore", over="ignore")

    @cached_property
    def chances(self) -> Chances:
        """Where relevant documents may stand if the order within ties is left to chance."""
        return Chances(TieGroups(self.found, self.found.ties), len(self.sizes))

    @cached_property
    def at_hits(self) -> Reading:
        """The reading at every hit."""
        return AtHits(self)

    def cumulate(self, values: Any, where: Bools | None = None) -> Steps:
        """The curve that adds values up over the hits, in rank order.

        Values are given for each hit, or as a curve to be read there; `where` says which hits count.
        """
        if isinstance(values, Curve):
            values = values.at(self.at_hits)
        return Steps(self, values if where is None or where.all() else np.where(where, values, 0.0))

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

    def at(self, curve: Curve, ranks: Ints) -> Floats:
        """(topics, 1): the curve's value at a rank of its own in each topic."""
        values: Floats = curve.at(Reading(ranks))
        return values

    def last_value(self, values: Any, before: float) -> Curve:
        """The curve of the value at the last hit so far; `before` says what it is before the first."""
        if isinstance(values, Curve):
            values = values.at(self.at_hits)
        return LastValue(self, values, before)

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
        return Steps(sections, done) + curve * (self.position - begun + 1)

    def at_first(self, wanted: Bools, values: Any) -> Floats:
        """(topics,): the value at each topic's first hit that is wanted; undefined where there is none."""
        places = np.flatnonzero(wanted)
        topics, first = np.unique(self.topic[places], return_index=True)
        found = np.full(len(self.sizes), np.nan)
        found[topics] = values[places[first]]
        return found

    def read(self, curve: Curve, cutoff: int) -> Floats:
        """(topics,): the curve's value at one rank."""
        ranks = np.broadcast_to(np.int64(cutoff), self.retrieved.shape)
        return self._column(curve, self.memo(("cutoff", cutoff), lambda: Reading(ranks)))

    def read_uncut(self, curve: Curve, where: str) -> Floats:
        """(topics,): the value at the end of the "retrieved", also of the "ideal", or past all: "endless"."""
        return self._column(curve, self.memo(("uncut", where), lambda: Reading(self.end(where))))

    def end(self, where: str) -> Ints:
        """(topics, 1): the rank at which a curve is read that has no cutoff."""
        if where == "endless":
            return np.full_like(self.retrieved, ENDLESS)
        return np.maximum(self.retrieved, self.pool.sizes) if where == "ideal" else self.retrieved

    def read_all(self, curve: Curve, depth: int) -> Floats:
        """(topics, depth): the curve's value at every rank."""
        return self.read_at(curve, np.arange(1, depth + 1))

    def read_at(self, curve: Curve, ranks: Ints) -> Floats:
        """(topics, ranks): the curve's value at each of these ranks."""
        shape = len(self.sizes), len(ranks)
        values: Floats = curve.at(Reading(np.broadcast_to(ranks, shape)))
        return np.broadcast_to(values, shape)

    def _column(self, curve: Curve, reading: Reading) -> Floats:
        values: Floats = curve.at(reading)
        return values[:, 0]

    def exactly(self, grade: float) -> JudgedRankings:
        """The same rankings, as if documents of this grade alone were relevant."""
        return self.memo(
            ("exactly", grade),
            lambda: self._view(grade=only_grade(self.grade, grade), pool=self.pool.exactly(grade), level=1.0),
        )

    def keeping(self, least: float) -> JudgedRankings:
        """The same rankings, of which only documents of at least this grade are told."""
        levels = self.pool.levels
        place = int(np.searchsorted(levels, least))
        if place == 0:
            return self
        return self.memo(
            ("keeping", place), lambda: self._only(self.grade >= (*levels.tolist(), np.inf)[place])
        )

    def last_of_each(self, values: Floats) -> JudgedRankings:
        """The same rankings, of which only the last hit of each stretch of equal values is told."""
        goes_on = (self.topic[1:] == self.topic[:-1]) & (values[1:] == values[:-1])
        return self._only(~np.append(goes_on, np.zeros(min(1, len(values)), dtype=np.bool_)))

    @cached_property
    def prefix_maxima(self) -> JudgedRankings:
        """The same rankings, of which only documents are told that are better than all before them."""
        levels = self.pool.levels
        # each topic's keys lie above those of the topic before
        key = np.searchsorted(levels, self.grade) + self.topic * len(levels)
        return self._only(key > self.previous(np.maximum.accumulate(key), -1))

    def best_order(self, gains: Gains) -> JudgedRankings:
        """The documents retrieved in the order in which they should have been, by gain."""
        order = np.lexsort((-self.gain(gains), self.topic))
        return self._view(rank=self.nth, grade=self.grade[order], doc=self._docs(order))

    def agreement(self, gains: Gains) -> JudgedRankings:
        """The documents at the ranks by which both this ranking and the ideal one have shown them.

        Of all ideal rankings it is the one nearest to this one: among equal grades, documents
        retrieved come first, in their order.
        """
        ideal, levels = self.ideal(gains), self.pool.levels
        width = len(levels) + 1
        place, own = (  # ascending where the ideal goes: topic after topic, the best grade first
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
        """The ties among these hits alone, one hit behind the other."""
        if self.ties is None:
            return None
        groups, score = TieGroups(self, self.ties), self.ties.score
        first = np.repeat(self.nth[groups.begin], groups.hits)
        last = first + np.repeat(groups.hits, groups.hits) - 1
        with np.errstate(over="ignore"):  # then they have no end
            squares = self.total(score * score)
        return Ties(first, last, score, squares)

    def cut(self, depth: int) -> JudgedRankings:
        """The first `depth` documents of each ranking."""
        return self._only(self.rank <= depth)._view(
            retrieved=np.minimum(self.retrieved, depth), longest=min(self.longest, depth)
        )

    @cached_property
    def optimistic(self) -> JudgedRankings:
        """As if every unjudged document retrieved had been judged, and found to be of the best grade."""
        return self.supposing(float(self.pool.levels[-1]))

    def supposing(self, supposed: float, depth: int | None = None) -> JudgedRankings:
        """As if every unjudged document retrieved had been judged, and found to be of this grade.

        Or only those among the first `depth` documents; the others stay unjudged.
        """
        retrieved = self.retrieved[:, 0] if depth is None else np.minimum(self.retrieved[:, 0], depth)
        judged = self._only(self.rank <= retrieved[self.topic])
        starts = np.concatenate(([0], np.cumsum(retrieved)))
        grade = np.full(int(starts[-1]), supposed)
        grade[starts[judged.topic] + judged.rank - 1] = judged.grade
        rank = np.arange(1, len(grade) + 1) - np.repeat(starts[:-1], retrieved)
        topic = np.repeat(np.arange(len(retrieved)), retrieved)
        doc = judged._with_more_documents(starts, topic)
        if len(judged.rank) < len(self.rank):  # hits below that depth stay where they are
            below = self.rank > retrieved[self.topic]
            order = np.argsort(np.concatenate((topic, self.topic[below])), kind="stable")
            rank = np.concatenate((rank, self.rank[below]))[order]
            grade = np.concatenate((grade, self.grade[below]))[order]
            if doc is not None and self.doc is not None:
                doc = np.concatenate((doc, self.doc[below]))[order]
            starts = starts + self.starts - judged.starts
        added = retrieved - judged.sizes
        ends = np.repeat(self.pool.starts[1:], added)  # the new judgments follow each topic's old ones
        pool = Pool(
            np.insert(self.pool.grades, ends, supposed),
            self.pool.starts + np.concatenate(([0], np.cumsum(added))),
            np.union1d(self.pool.levels, supposed),
            self.pool.subtopics
            and self.pool.subtopics.supposing(ends, np.repeat(np.arange(len(added)), added), supposed),
        )
        ties = self.ties and self._ties_at(self.ties, Ranking(starts, rank))
        return self._view(starts=starts, rank=rank, grade=grade, pool=pool, ties=ties, doc=doc)

    def _with_more_documents(self, starts: Ints, topic: Ints) -> Ints | None:
        """(ranks,): the documents at all ranks of rankings; those that are not hits are new ones.

        The new ones follow the judged documents of each topic. Starts, topic: of all ranks.
        """
        if self.doc is None:
            return None
        new = np.ones(len(topic), dtype=np.bool_)
        new[starts[self.topic] + self.rank - 1] = False
        counted = np.concatenate(([0], np.cumsum(new)))
        doc: Ints = self.pool.sizes[topic, 0] + counted[:-1] - counted[starts[topic]]
        doc[~new] = self.doc
        return doc

    def _ties_at(self, ties: Ties, more: Ranking) -> Ties:
        """The ties of these hits and more; those tie with hits or, as far as is known, with nobody."""
        groups = TieGroups(self, self.ties)
        deepest = int(max(more.rank.max(initial=0), groups.last.max(initial=0))) + 1
        keys = more.rank + more.topic * deepest
        group = np.searchsorted(groups.first + groups.topic * deepest, keys, "right") - 1
        inside = (group >= 0) & (keys <= np.append(groups.last + groups.topic * deepest, -1)[group])
        score = np.full(len(keys), np.nan)  # that of the others is not known
        score[np.searchsorted(keys, self.rank + self.topic * deepest)] = ties.score
        first, last = (np.append(each, 0)[group] for each in (groups.first, groups.last))
        return Ties(
            np.where(inside, first, more.rank), np.where(inside, last, more.rank), score, ties.squares
        )

    def without_each(self) -> Iterator[JudgedRankings]:
        """Of one topic: the ranking with an unjudged document in the place of a hit, for each hit in turn.

        The rankings are topics of blocks, so that a long one does not take the square of its memory.
        """
        hits = len(self.rank)
        several = max(1, BLOCK // (hits + len(self.pool.grades)))
        for first in range(0, hits, several):
            places = np.arange(first, min(first + several, hits))
            count = len(places)
            kept = np.arange(hits) != places[:, None]
            hit = np.nonzero(kept)[1]  # the hits of each ranking, by their number in this one
            ties = self.ties and replace(
                self.ties.only(hit), squares=np.repeat(self.ties.squares, count, axis=0)
            )
            yield self._view(
                starts=np.arange(count + 1) * (hits - 1),
                rank=self.rank[hit],
                grade=self.grade[hit],
                retrieved=np.repeat(self.retrieved, count, axis=0),
                pool=self.pool.repeated(count),
                ties=ties,
                doc=self._docs(hit),
            )

    def _only(self, kept: Bools) -> JudgedRankings:
        """The rankings without the hits that are not kept; kept (hits,)."""
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
        """(hits,): the rank to expect of a topic's nth hit, if the order within ties is left to chance."""
        ties = TieGroups(self, self.ties)
        before, first = ties.before[ties.of_hit], ties.first[ties.of_hit]
        step: Floats = ((ties.size + 1) / (ties.hits + 1))[ties.of_hit]
        return first - 1 + (self.nth - before) * step

    @cached_property
    def score(self) -> Floats:
        """(hits,): the score of each document; undefined where nobody has asked for them."""
        return np.full(len(self.rank), np.nan) if self.ties is None else self.ties.score

    @cached_property
    def scores_length(self) -> Floats:
        """(topics, 1): the length of the vector of all scores; undefined if it has none, or no end."""
        squares = np.full(self.retrieved.shape, np.nan) if self.ties is None else self.ties.squares
        return np.sqrt(np.where(np.isfinite(squares), squares, np.nan))

    def moved(self, rank: Ints) -> JudgedRankings:
        """The same documents at other ranks; rank (hits,)."""
        order = np.argsort(rank + self.topic * (int(rank.max(initial=0)) + 1))
        return self._view(rank=rank[order], grade=self.grade[order], doc=self._docs(order))

    def of_topics(self, topics: Ints) -> JudgedRankings:
        """The rankings of these topics, in this order, a topic as often as it is there."""
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
        """The documents of some hits: a mask, or places."""
        return None if self.doc is None else self.doc[hits]

    @cached_property
    def kinds(self) -> Ints:
        """(hits,): equal for documents of a topic that are judged alike for every subtopic."""
        assert self.pool.subtopics is not None
        return self.pool.subtopics.kinds[self.place]

    @cached_property
    def place(self) -> Ints:
        """(hits,): the number of each one's judgment in a pool with subtopics."""
        assert self.doc is not None
        return self.pool.starts[self.topic] + self.doc

    def _view(self, **changes: Any) -> JudgedRankings:
        mine = ("starts", "rank", "grade", "retrieved", "pool", "level", "ties", "longest", "doc")
        if "rank" in changes:  # documents at other ranks do not tie as they did
            changes = {"ties": None, **changes}
        return JudgedRankings(**{**{name: getattr(self, name) for name in mine}, **changes})


Pool.rankings = JudgedRankings


def in_order(pool: Pool, places: Ints, level: float = 1.0) -> JudgedRankings:
    """The rankings of some judged documents, given by their places in the pool, topic by topic."""
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
