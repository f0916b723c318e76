"""Judged rankings: all that a measure needs to know of a run, for a block of topics at once.

Only judged documents matter. After ordering, every measure is a function of the ranks of the
judged documents a run retrieved (its hits), their grades, how many documents were retrieved, and
the grades of all judged documents (the pool). Views of a `Judged` are again `Judged`: the ideal
ranking, the ranking condensed to its judged documents, the ranking at another level of relevance.

Facts about hits are arrays (hits,), topic after topic; facts about topics are arrays (topics, 1).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rankgauge.curve import POSITION, AtHits, Bools, Curve, Floats, Ints, Latest, Ranking, Reading, Steps
from rankgauge.errors import MeasureError

if TYPE_CHECKING:
    from rankgauge.measures.scales import Gains

# Judgments of a block: few enough for its arrays to stay in a processor's cache from one step to the
# next, many enough for NumPy's overhead per step not to show.
BLOCK = 1 << 17

# A rank past all ranks: where a curve is read that has no last rank.
ENDLESS = 1 << 62

T = TypeVar("T")


class Pool:
    """The grades of all judged documents of a block of topics, and what follows from them alone.

    One pool serves all runs of an experiment, so ideals are made, and curves on them read, once.
    """

    def __init__(self, grades: Floats, starts: Ints, levels: Floats) -> None:
        self.grades = grades  # (judgments,) topic after topic
        self.starts = starts  # (topics + 1,)
        self.levels = levels  # distinct grades of the whole collection, ascending
        self._ideals: dict[Any, Judged] = {}
        self._counts: dict[float, Ints] = {}
        self._exact: dict[float, Pool] = {}
        self._repeated: dict[int, Pool] = {}

    @property
    def topics(self) -> int:
        """How many topics."""
        return len(self.starts) - 1

    @cached_property
    def sizes(self) -> Ints:
        """(topics, 1): how many documents are judged."""
        return np.diff(self.starts)[:, None]

    def count(self, level: float) -> Ints:
        """(topics, 1): how many judged documents have at least this grade."""
        if level not in self._counts:
            before = np.concatenate(([0], np.cumsum(self.grades >= level)))
            self._counts[level] = np.diff(before[self.starts])[:, None]
        return self._counts[level]

    def repeated(self, times: int) -> Pool:
        """The pool once for each of so many runs, whose rankings lie one after the other."""
        if times == 1:
            return self
        if times not in self._repeated:
            self._repeated[times] = _Repeated(self, times)
        return self._repeated[times]

    def exactly(self, grade: float) -> Pool:
        """The pool as if documents of this grade alone were relevant; grades below 0 stay as they are."""
        if grade not in self._exact:
            self._exact[grade] = Pool(
                _exactly(self.grades, grade), self.starts, np.unique(_exactly(self.levels, grade))
            )
        return self._exact[grade]

    def of_topics(self, topics: Ints) -> Pool:
        """The pool of these topics, in this order, a topic as often as it is there."""
        return _Picked(self, topics)

    def only(self, topic: int) -> Pool:
        """The pool of one topic."""
        begin, end = self.starts[topic], self.starts[topic + 1]
        return Pool(self.grades[begin:end], np.array([0, end - begin]), self.levels)

    def ideal(self, gains: Gains) -> Judged:
        """The best ranking possible: every judged document with a gain, the largest gain first.

        Gains that name a level of relevance ask for every relevant document, also if it has no gain.
        """
        # Named gains rise with the grade: one ideal serves all. With a level it has the relevant documents.
        key = gains if gains.scheme == "map" else ("by grade", gains.level)
        if key not in self._ideals:
            self._ideals[key] = self._best(gains)
        return self._ideals[key]

    def _best(self, gains: Gains) -> Judged:
        worth = gains.of(self.grades, self.levels) if gains.scheme == "map" else self.grades
        topic = np.repeat(np.arange(self.topics), np.diff(self.starts))
        useful = np.flatnonzero(worth > 0 if gains.level is None else self.grades >= gains.level)
        order = useful[np.lexsort((-worth[useful], topic[useful]))]
        sizes = np.bincount(topic[order], minlength=self.topics)
        starts = np.concatenate(([0], np.cumsum(sizes)))
        rank = np.arange(1, len(order) + 1) - np.repeat(starts[:-1], sizes)
        level = 1.0 if gains.level is None else gains.level
        return Judged(
            starts=starts,
            rank=rank,
            grade=self.grades[order],
            retrieved=sizes[:, None],
            pool=self,
            level=level,
        )


class _Repeated(Pool):
    """A pool over and over again; what follows from it is worked out once."""

    def __init__(self, pool: Pool, times: int) -> None:
        super().__init__(np.tile(pool.grades, times), tiled(pool.starts, times), pool.levels)
        self._pool, self._times = pool, times

    def count(self, level: float) -> Ints:
        """(topics, 1): how many judged documents have at least this grade."""
        return np.tile(self._pool.count(level), (self._times, 1))

    def _best(self, gains: Gains) -> Judged:
        best = self._pool.ideal(gains)
        return Judged(
            starts=tiled(best.starts, self._times),
            rank=np.tile(best.rank, self._times),
            grade=np.tile(best.grade, self._times),
            retrieved=np.tile(best.retrieved, (self._times, 1)),
            pool=self,
            level=best.level,
        )


class _Picked(Pool):
    """Some topics of a pool; what follows from it is worked out once."""

    def __init__(self, pool: Pool, topics: Ints) -> None:
        starts, places = picked(pool.starts, topics)
        super().__init__(pool.grades[places], starts, pool.levels)
        self._pool, self._topics = pool, topics

    def count(self, level: float) -> Ints:
        """(topics, 1): how many judged documents have at least this grade."""
        return self._pool.count(level)[self._topics]

    def _best(self, gains: Gains) -> Judged:
        best = self._pool.ideal(gains)
        starts, places = picked(best.starts, self._topics)
        return Judged(
            starts=starts,
            rank=best.rank[places],
            grade=best.grade[places],
            retrieved=best.retrieved[self._topics],
            pool=self,
            level=best.level,
        )


def tiled(starts: Ints, times: int) -> Ints:
    """Where groups begin when all of them are there so many times, one after the other."""
    size = starts[-1]
    return np.append((starts[:-1] + size * np.arange(times)[:, None]).ravel(), size * times)


def picked(starts: Ints, groups: Ints) -> tuple[Ints, Ints]:
    """(starts, places) of the members of these groups, in this order, a group as often as it is there."""
    sizes = np.diff(starts)[groups]
    ends = np.cumsum(sizes)
    places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts[groups] - (ends - sizes), sizes)
    return np.concatenate(([0], ends)), places


@dataclass(frozen=True)
class Ties:
    """What a run's scores say beyond the order of documents; told only where somebody asks for it."""

    first: Ints  # (hits,) the ranks that its tie takes up, from the first
    last: Ints  # (hits,) to the last; a document that ties with none is a tie of one
    score: Floats  # (hits,)
    squares: Floats  # (topics, 1) of the scores of all documents retrieved, added up

    def only(self, hits: Any) -> Ties:
        """The ties of some hits: a mask, or places."""
        return Ties(self.first[hits], self.last[hits], self.score[hits], self.squares)


class Judged(Ranking):
    """One run on a block of topics, or several one after the other, as far as it is judged."""

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
    ) -> None:
        super().__init__(starts, rank)
        self.grade = grade  # (hits,) of the judged documents retrieved
        self.retrieved = retrieved  # (topics, 1) how many documents the run returned
        self.pool = pool
        self.level = level  # the smallest grade that counts as relevant
        self.ties = ties  # None if nobody has asked for them, or there are none
        self._memo: dict[Hashable, Any] = {}

    def memo(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` returned the first time; nothing about a `Judged` ever changes."""
        if key not in self._memo:
            self._memo[key] = make()
        made: T = self._memo[key]
        return made

    @cached_property
    def relevant(self) -> Bools:
        """(hits,): whether the document is relevant."""
        return self.grade >= self.level

    @cached_property
    def recall_base(self) -> Ints:
        """(topics, 1): R, how many judged documents are relevant."""
        return self.pool.count(self.level)

    def gain(self, gains: Gains) -> Floats:
        """(hits,): what each document is worth."""
        return self.memo(("gain", gains), lambda: gains.of(self.grade, self.pool.levels))

    def nonrelevant_base(self, negatives: str = "unjudged") -> Ints:
        """(topics, 1): how many judged documents are not relevant; see `judged_only` for negatives."""
        judged = self.pool.sizes if negatives == "nonrelevant" else self.pool.count(min(0.0, self.level))
        return judged - self.recall_base

    def nonrelevant_of(self, docs: float) -> Floats:
        """(topics, 1): how many documents of a collection of so many are not relevant, judged or not."""
        others = (docs - self.recall_base).astype(np.float64)
        if (others < self.retrieved - self.found.sizes[:, None]).any():
            raise MeasureError(
                f"docs={docs:.0f} cannot be the number of documents in the collection: "
                "there are more than that among the documents judged and retrieved"
            )
        return others

    @cached_property
    def found(self) -> Judged:
        """The same rankings, of which only the relevant documents are told."""
        return self.keeping(self.level)

    def share(self, gains: Gains, max_rel: float | None) -> Floats:
        """(hits,): what each document is worth, as a share of the most that one can be worth."""
        return self.gain(gains) / (gains.top(self.pool.levels, max_rel) or 1.0)

    @cached_property
    def hits(self) -> Curve:
        """The curve of relevant documents found so far."""
        return self._passed(self.found)

    def judged(self, negatives: str = "unjudged") -> Curve:
        """The curve of judged documents found so far, relevant or not."""
        return self._passed(self.assessed(negatives))

    def nonrelevant(self, negatives: str = "unjudged") -> Curve:
        """The curve of documents found so far that were judged and are not relevant."""
        return self.judged(negatives) - self.hits

    @staticmethod
    def _passed(told: Judged) -> Curve:
        return Curve(lambda reading: reading.passed(told))

    position = POSITION  # the curve i -> i

    @cached_property
    def seen(self) -> Curve:
        """The curve of documents retrieved so far: i, until the ranking ends."""
        return POSITION.at_most(self.retrieved)

    @cached_property
    def chances(self) -> Chances:
        """Where relevant documents may stand if the order within ties is left to chance."""
        return Chances(TieGroups(self.found), len(self.sizes))

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

    def total(self, values: Any) -> Floats:
        """(topics, 1): values, or a curve, added up over all hits, in rank order."""
        return self.cumulate(values).total

    def best_to_come(self, values: Floats) -> Floats:
        """(hits,): the largest of the values at each hit and those after it."""
        best: Floats = values.copy()
        step = 1
        while step < self.sizes.max(initial=0):  # each step looks twice as far ahead as the one before
            same = self.topic[step:] == self.topic[:-step]
            best[:-step] = np.where(same, np.maximum(best[:-step], best[step:]), best[:-step])
            step *= 2
        return best

    def coming(self, values: Floats) -> Curve:
        """The curve of the value at the next hit after a rank; 0 where there is none."""
        padded = np.append(values, 0.0)

        def read(reading: Reading) -> Any:
            passed = reading.passed(self)
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

    def latest(self, values: Any, before: float) -> Curve:
        """The curve of the value at the last hit so far; `before` says what it is before the first."""
        if isinstance(values, Curve):
            values = values.at(self.at_hits)
        return Latest(self, values, before)

    def survival(self, factors: Floats) -> tuple[Floats, Curve]:
        """Who is left: the factors of all earlier hits multiplied, (hits,) before each, and as a curve."""
        after = self.products(factors)
        return self.previous(after, 1.0), Latest(self, after, 1.0)

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
        begun: Curve = Latest(sections, sections.rank, 1)
        return Steps(sections, done) + curve * (self.position - begun + 1)

    def at_first(self, wanted: Bools, values: Any) -> Floats:
        """(topics,): the value at each topic's first hit that is wanted; undefined where there is none."""
        places = np.flatnonzero(wanted)
        topics, first = np.unique(self.topic[places], return_index=True)
        found = np.full(len(self.sizes), np.nan)
        found[topics] = values[places[first]]
        return found

    def collection(self, docs: int | None) -> Curve:
        """The curve of how many documents there are: so many, or those retrieved so far or judged."""
        known = self.seen + (self.pool.sizes - self.latest(self.nth, before=0))
        if docs is None:
            return known
        if (docs < self.retrieved + self.pool.sizes - self.sizes[:, None]).any():
            raise MeasureError(
                f"docs={docs} cannot be the number of documents in the collection: "
                "there are more than that among the documents judged and retrieved"
            )
        return Curve(lambda reading: docs)

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

    def ideal(self, gains: Gains) -> Judged:
        """The best ranking the pool allows, by gain."""
        return self.pool.ideal(gains)

    def at_level(self, level: float) -> Judged:
        """The same rankings, with another smallest relevant grade."""
        if level == self.level:
            return self
        return self.memo(("level", level), lambda: self._view(level=level))

    def exactly(self, grade: float) -> Judged:
        """The same rankings, as if documents of this grade alone were relevant."""
        return self.memo(
            ("exactly", grade),
            lambda: self._view(grade=_exactly(self.grade, grade), pool=self.pool.exactly(grade), level=1.0),
        )

    def keeping(self, least: float) -> Judged:
        """The same rankings, of which only documents of at least this grade are told."""
        levels = self.pool.levels
        place = int(np.searchsorted(levels, least))
        if place == 0:
            return self
        return self.memo(
            ("keeping", place), lambda: self._only(self.grade >= (*levels.tolist(), np.inf)[place])
        )

    @cached_property
    def first_relevant(self) -> Judged:
        """The same rankings, of which only the first relevant document is told."""
        return self.found._only(self.found.nth == 1)

    def last_of_each(self, values: Floats) -> Judged:
        """The same rankings, of which only the last hit of each stretch of equal values is told."""
        goes_on = (self.topic[1:] == self.topic[:-1]) & (values[1:] == values[:-1])
        return self._only(~np.append(goes_on, np.zeros(min(1, len(values)), dtype=np.bool_)))

    @cached_property
    def records(self) -> Judged:
        """The same rankings, of which only documents are told that are better than all before them."""
        levels = self.pool.levels
        # each topic's keys lie above those of the topic before
        key = np.searchsorted(levels, self.grade) + self.topic * len(levels)
        return self._only(key > self.previous(np.maximum.accumulate(key), -1))

    def best_order(self, gains: Gains) -> Judged:
        """The documents retrieved in the order in which they should have been, by gain."""
        order = np.lexsort((-self.gain(gains), self.topic))
        return self._view(rank=self.nth, grade=self.grade[order])

    def agreement(self, gains: Gains) -> Judged:
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
        return self._view(rank=met[by_rank], grade=self.grade[by_rank])

    def judged_only(self, negatives: str = "unjudged") -> Judged:
        """The rankings condensed to judged documents; grades below 0 count as unjudged, as in trec_eval."""
        return self.memo(("judged_only", negatives), lambda: self._condensed(negatives))

    def _condensed(self, negatives: str) -> Judged:
        kept = self.assessed(negatives)
        return kept._view(rank=kept.nth, retrieved=kept.sizes[:, None], ties=kept._condensed_ties())

    def _condensed_ties(self) -> Ties | None:
        """The ties among these hits alone, one hit behind the other."""
        if self.ties is None:
            return None
        groups, score = TieGroups(self), self.ties.score
        first = np.repeat(self.nth[groups.begin], groups.hits)
        last = first + np.repeat(groups.hits, groups.hits) - 1
        with np.errstate(over="ignore"):  # then they have no end
            squares = self.total(score * score)
        return Ties(first, last, score, squares)

    def assessed(self, negatives: str = "unjudged") -> Judged:
        """The same rankings, of which only what `judged_only` keeps is told, at the ranks it has."""
        return self if negatives == "nonrelevant" else self.keeping(min(0.0, self.level))

    def cut(self, depth: int) -> Judged:
        """The first `depth` documents of each ranking."""
        return self._only(self.rank <= depth)._view(retrieved=np.minimum(self.retrieved, depth))

    @cached_property
    def optimistic(self) -> Judged:
        """As if every unjudged document retrieved had been judged, and found to be of the best grade."""
        return self.supposing(float(self.pool.levels[-1]))

    def supposing(self, supposed: float, depth: int | None = None) -> Judged:
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
        if len(judged.rank) < len(self.rank):  # hits below that depth stay where they are
            below = self.rank > retrieved[self.topic]
            order = np.argsort(np.concatenate((topic, self.topic[below])), kind="stable")
            rank = np.concatenate((rank, self.rank[below]))[order]
            grade = np.concatenate((grade, self.grade[below]))[order]
            starts = starts + self.starts - judged.starts
        added = retrieved - judged.sizes
        ends = np.repeat(self.pool.starts[1:], added)  # the new judgments follow each topic's old ones
        levels = self.pool.levels
        if supposed not in levels:
            levels = np.insert(levels, np.searchsorted(levels, supposed), supposed)
        pool = Pool(
            np.insert(self.pool.grades, ends, supposed),
            self.pool.starts + np.concatenate(([0], np.cumsum(added))),
            levels,
        )
        ties = self.ties and self._ties_at(starts, rank)
        return self._view(starts=starts, rank=rank, grade=grade, pool=pool, ties=ties)

    def _ties_at(self, starts: Ints, rank: Ints) -> Ties:
        """The ties of more hits; who ties with nobody judged so far may as well tie with nobody."""
        groups, hits = TieGroups(self), Ranking(starts, rank)
        deepest = int(max(rank.max(initial=0), groups.last.max(initial=0))) + 1
        place = np.searchsorted(groups.first + groups.topic * deepest, rank + hits.topic * deepest, "right")
        first, last = np.append(groups.first, 0)[place - 1], np.append(groups.last, 0)[place - 1]
        tied = (np.append(groups.topic, -1)[place - 1] == hits.topic) & (rank <= last)
        unknown = np.full(len(rank), np.nan)
        squares = np.full(self.retrieved.shape, np.nan)
        return Ties(np.where(tied, first, rank), np.where(tied, last, rank), unknown, squares)

    def without_each(self) -> Iterator[Judged]:
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
            )

    def _only(self, kept: Bools) -> Judged:
        """The rankings without the hits that are not kept; kept (hits,)."""
        before = np.concatenate(([0], np.cumsum(kept)))
        return self._view(
            starts=before[self.starts],
            rank=self.rank[kept],
            grade=self.grade[kept],
            ties=self.ties and self.ties.only(kept),
        )

    @cached_property
    def expected_rank(self) -> Floats:
        """(hits,): the rank to expect of a topic's nth hit, if the order within ties is left to chance."""
        ties = TieGroups(self)
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

    def moved(self, rank: Ints) -> Judged:
        """The same documents at other ranks; rank (hits,)."""
        order = np.argsort(rank + self.topic * (int(rank.max(initial=0)) + 1))
        return self._view(rank=rank[order], grade=self.grade[order])

    def of_topics(self, topics: Ints) -> Judged:
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
        )

    def _view(self, **changes: Any) -> Judged:
        mine = ("starts", "rank", "grade", "retrieved", "pool", "level", "ties")
        if "rank" in changes:  # documents at other ranks do not tie as they did
            changes = {"ties": None, **changes}
        return Judged(**{**{name: getattr(self, name) for name in mine}, **changes})


class TieGroups:
    """The ties that hits of rankings are in, in their order; what is told of a tie is an array (ties,)."""

    def __init__(self, j: Judged) -> None:
        first, last = (j.rank, j.rank) if j.ties is None else (j.ties.first, j.ties.last)
        # a first rank is taken up by one tie of a topic only
        goes_on = (j.topic[1:] == j.topic[:-1]) & (first[1:] == first[:-1])
        self.begin = np.flatnonzero(np.append(np.ones(min(1, len(first)), dtype=np.bool_), ~goes_on))
        self.hits = np.diff(np.append(self.begin, len(first)))  # how many hits are in it
        self.first, self.last = first[self.begin], last[self.begin]
        self.topic = j.topic[self.begin]
        self.before = j.nth[self.begin] - 1  # how many hits come before it

    @cached_property
    def of_hit(self) -> Ints:
        """(hits,): the number of each hit's tie."""
        return np.repeat(np.arange(len(self.begin)), self.hits)

    @property
    def size(self) -> Ints:
        """How many documents tie, judged or not."""
        return self.last - self.first + 1


class Chances(Ranking):
    """Every rank of the ties that have hits: where one may stand if the order within ties is left to chance.

    What is told is an array (ranks,).
    """

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
        """The curve that adds values up over these ranks."""
        return Steps(self, values)

    @property
    def hit(self) -> Floats:
        """The chance of a hit there."""
        return self.hits / self.size

    @property
    def hits_before(self) -> Floats:
        """How many hits there are to be expected before a hit there."""
        within: Floats = (self.place - 1) * (self.hits - 1) / np.maximum(self.size - 1, 1)
        return self.before + within

    @property
    def first_hit(self) -> Floats:
        """The chance of the topic's first hit there."""
        left = self.size - self.place + 1  # documents of the tie from this one on
        first_tie = self.before == 0
        # what the chance is, compared with that at the rank before, where there must have been no hit
        factors = np.where(self.place == 1, self.hit, (left - self.hits + 1) / left)
        return np.where(first_tie, self.products(np.where(first_tie, factors, 1.0)), 0.0)


def _exactly(grades: Floats, grade: float) -> Floats:
    """Grades of 1 for this grade, of 0 for the others; those below 0 stay as they are."""
    return np.where(grades == grade, 1.0, np.minimum(grades, 0.0))


def pools(
    grades: Floats, starts: Ints, levels: Floats, block: int = BLOCK
) -> Iterator[tuple[int, int, Pool]]:
    """(first topic, last + 1, pool) of consecutive topics that have about so many judgments together.

    A run's hits in a topic are at most the topic's pool, so this bounds every array a measure
    makes, whatever the run; only a topic larger than a block has a block of its own.
    """
    first, topics = 0, len(starts) - 1
    while first < topics:
        last = max(first + 1, int(np.searchsorted(starts, starts[first] + block, side="right")) - 1)
        begin, end = starts[first], starts[last]
        yield first, last, Pool(grades[begin:end], starts[first : last + 1] - begin, levels)
        first = last
