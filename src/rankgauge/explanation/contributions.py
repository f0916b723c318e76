"""Contributions of documents to the value of a measure for one topic.

`TopicRankings` computes the values of rankings of one topic that differ in the ranks of its judged documents.
The contribution of a document is a difference of two of them:

- its loss: the value without its judgment, at the same rank;
- its share in the difference of two rankings. If a value is a sum of one term per document, that is its term
  in the new ranking less its term in the old one. Otherwise the old ranking becomes the new one step by step:
  documents are put in their new places in rank order, which pushes the others down, and then those are
  removed that are not retrieved any more, from the last one up. A share is the change in such a step.
  Either way shares add up to the difference of the values; shares that do not are never returned;
- the gain if it were elsewhere in the ranking (`moved`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice

import numpy as np

from rankgauge.measures import Measure
from rankgauge.measures.rankings.arrays import BLOCK, JudgedRankings, Pool, Ties
from rankgauge.measures.rankings.arrays.curves import Ints
from rankgauge.model.rules import TopicRules

TERMS, STEPS = "terms", "steps"  # how shares are computed
CLOSE = 1e-10  # relative: sums of the same numbers in another order are far closer

Placement = tuple[Ints, int]  # the rank of each document, 0 if it is not retrieved; the length of the ranking


@dataclass(frozen=True)
class TopicRankings:
    """Some judged documents of one topic, for rankings that have them at any ranks."""

    pool: Pool  # of the topic
    number: Ints  # (documents,) of each in the pool
    longest: int  # the length of the longest list evaluated
    ties: Ties | None = None  # of the documents, if their ranks do not change
    rules: TopicRules | None = None  # for undefined values; none if they stay NaN

    def values(self, measures: Sequence[Measure], placements: Iterable[Placement]) -> list[list[float]]:
        """The values of each measure for the rankings."""
        found: list[list[float]] = [[] for _ in measures]
        for block in self.rankings(placements):
            for values, measure in zip(found, measures, strict=True):
                new = measure.value(block).tolist()
                known = new if self.rules is None else self.rules.known(new, measure.spec.direction)
                values += known if len(known) == len(new) else new  # those left out stay NaN
        return found

    def losses(self, measure: Measure, placement: Placement, value: float) -> list[float]:
        """The loss in value if an unjudged document were in the place of each hit."""
        return [value - less for less in self.values([measure], without_each(placement))[0]]

    def rankings(self, placements: Iterable[Placement]) -> Iterator[JudgedRankings]:
        """The rankings as topics of blocks, which bounds memory."""
        several = max(1, BLOCK // (len(self.number) + len(self.pool.grades) + 1))
        remaining = iter(placements)
        while some := [*islice(remaining, several)]:
            yield self._block(
                np.array([ranks for ranks, _ in some]), np.array([length for _, length in some])
            )

    def _block(self, ranks: Ints, retrieved: Ints) -> JudgedRankings:
        order = np.argsort(np.where(ranks > 0, ranks, np.iinfo(np.int64).max), axis=1, kind="stable")
        ordered = np.take_along_axis(ranks, order, axis=1)
        there = ordered > 0
        hit = order[there]
        ties = None
        if self.ties is not None:
            squares = np.repeat(self.ties.squares, len(ranks), axis=0)
            ties = replace(self.ties.only(hit), squares=squares)
        return JudgedRankings(
            starts=np.concatenate(([0], np.cumsum(there.sum(axis=1)))),
            rank=ordered[there],
            grade=self.pool.grades[self.number[hit]],
            retrieved=retrieved[:, None],
            pool=self.pool.repeated(len(ranks)),
            ties=ties,
            longest=self.longest,
            doc=self.number[hit] if self.pool.subtopics is not None else None,
        )


def without_each(placement: Placement) -> Iterator[Placement]:
    """The rankings with an unjudged document in the place of each hit."""
    ranks, retrieved = placement
    others = np.arange(len(ranks))
    return ((np.where(others == hit, 0, ranks), retrieved) for hit in np.flatnonzero(ranks).tolist())


def moved(ranks: Ints, document: int, place: int) -> Ints:
    """The ranks after a document is put at a place; rank 0 is nowhere."""
    was = ranks[document] or np.iinfo(np.int64).max
    down, up = (ranks >= place) & (ranks < was), (ranks > was) & (ranks <= place)
    after: Ints = ranks + down - up.astype(np.int64)
    after[document] = place
    return after


@dataclass(frozen=True)
class Shares:
    """The shares of documents in the difference of a measure; those not listed have none."""

    way: str = ""  # TERMS or STEPS; empty if shares are not known
    shares: Mapping[str, float] = field(default_factory=dict)
    rest: float = 0.0  # due to no document, but to the number of documents

    def adds_up(self, old: float, new: float) -> bool:
        """Whether the shares are those of the difference of two values."""
        numbers = [*self.shares.values(), self.rest]
        if not all(map(math.isfinite, numbers)):
            return False
        scale = max(abs(number) for number in (*numbers, old, new))
        return abs(math.fsum(numbers) - (new - old)) <= CLOSE * scale


class TwoRankings:
    """An old and a new ranking of one topic, of judged and unjudged documents.

    `judged` are the documents of the pool; `longest` is the length of the longest list of both runs.
    """

    def __init__(
        self,
        old: Sequence[str],
        new: Sequence[str],
        judged: Sequence[str],
        pool: Pool,
        longest: int,
        rules: TopicRules,
    ) -> None:
        self._old, self._new = old, new
        self._old_rank, new_rank = ({doc: rank for rank, doc in enumerate(docs, 1)} for docs in (old, new))
        self._lost = [doc for doc in old if doc not in new_rank]
        numbers = [n for n, doc in enumerate(judged) if doc in self._old_rank or doc in new_rank]
        numbers.sort(key=lambda n: new_rank.get(judged[n], len(new)))  # most are in order in each step
        self._hits = [judged[n] for n in numbers]
        self._rankings = TopicRankings(pool, np.array(numbers, dtype=np.int64), longest, rules=rules)
        self._before, self._after = self._ranks(self._old_rank), self._ranks(new_rank)

    def _ranks(self, rank_of: Mapping[str, int]) -> Ints:
        return np.array([rank_of.get(doc, 0) for doc in self._hits], dtype=np.int64)

    def shares(self, values: Mapping[Measure, tuple[float, float]]) -> dict[Measure, Shares]:
        """The shares in the difference of the old and the new value of each measure, if known."""
        found = dict.fromkeys(values, Shares())
        for way in (self._by_terms, self._by_steps):
            known = {
                measure: (old, new)
                for measure, (old, new) in values.items()
                if not (found[measure].way or measure.spec.needs.scores) and math.isfinite(new - old)
            }
            shares = way(known) if known else {}
            found |= {measure: each for measure, each in shares.items() if each.adds_up(*known[measure])}
        return found

    def _by_terms(self, values: Mapping[Measure, tuple[float, float]]) -> dict[Measure, Shares]:
        """The change of each document's term in sums."""
        measures = [measure for measure in values if measure.is_linear]
        sides = (self._after, len(self._new), 1), (self._before, len(self._old), -1)
        placements = (
            placement
            for ranks, length, _ in sides
            for placement in chain([(ranks, length), (ranks * 0, length)], without_each((ranks, length)))
        )
        found = {}
        for measure, each in zip(measures, self._rankings.values(measures, placements), strict=True):
            remaining, rest = iter(each), 0.0
            shares: dict[str, float] = {}
            for ranks, _, sign in sides:
                value, bare = next(remaining), next(remaining)
                for hit in (self._hits[number] for number in np.flatnonzero(ranks).tolist()):
                    shares[hit] = shares.get(hit, 0.0) + sign * (value - next(remaining))
                rest += sign * bare
            found[measure] = Shares(TERMS, shares, rest)
        return found

    def _by_steps(self, values: Mapping[Measure, tuple[float, float]]) -> dict[Measure, Shares]:
        """The change of the value when each document is put in its new place, or removed.

        Not known if the rankings do not have the values that evaluation found, as where ties count.
        """
        documents, ranks, lengths = self._steps()
        of_measures = self._rankings.values([*values], zip(ranks, lengths, strict=True))
        found = {}
        for (measure, (old, new)), each in zip(values.items(), of_measures, strict=True):
            for step, value in enumerate(each[1:]):
                if not math.isfinite(value):  # which leaves the change to the next ranking
                    each[step + 1] = each[step]
            if math.isclose(each[0], old, rel_tol=CLOSE) and math.isclose(each[-1], new, rel_tol=CLOSE):
                steps = zip(documents, each, each[1:], strict=False)
                shares = {name: after - before for name, before, after in steps if after != before}
                found[measure] = Shares(STEPS, shares)
        return found

    def _steps(self) -> tuple[list[str], Ints, Ints]:
        """(document of each step that changes these: rank of each hit, at first and then; length)."""
        step = np.arange(1, len(self._new) + 1)[:, None]
        was = np.array([[self._old_rank.get(document, 0)] for document in self._new]).reshape(-1, 1)
        # documents put in place that were above each hit
        above = np.cumsum((was > 0) & (was < self._before), axis=0, dtype=np.int32)
        left = np.where(self._before > 0, step + self._before - above, 0)
        placed = np.where((self._after > 0) & (self._after <= step), self._after, left)
        place = self._ranks({document: place for place, document in enumerate(self._lost, 1)})
        left_over = np.arange(len(self._lost))[::-1, None]
        cut = np.where((place > 0) & (place <= left_over), len(self._new) + place, self._after)
        ranks = np.concatenate([self._before[None], placed, cut])
        longer = np.cumsum(np.append(len(self._old), was == 0))
        lengths = np.append(longer, len(self._new) + left_over)
        changes = (np.diff(lengths) != 0) | (ranks[1:] != ranks[:-1]).any(axis=1)
        rows, documents = np.flatnonzero(np.append(True, changes)), ["", *self._new, *reversed(self._lost)]
        return [documents[row] for row in rows[1:].tolist()], ranks[rows], lengths[rows]
