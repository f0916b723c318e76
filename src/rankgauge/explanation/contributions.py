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
from itertools import islice

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

    def values(self, measure: Measure, placements: Iterable[Placement]) -> Iterator[float]:
        """The value of the measure for each ranking."""
        for block in self.rankings(placements):
            for value in measure.value(block).tolist():
                known = [value] if self.rules is None else self.rules.known([value], measure.spec.direction)
                yield next(iter(known), math.nan)

    def losses(self, measure: Measure, placement: Placement, value: float) -> dict[int, float]:
        """{document: loss in value if an unjudged document were in its place}."""
        ranks, retrieved = placement
        hits = np.flatnonzero(ranks).tolist()
        others = np.arange(len(ranks))
        without = ((np.where(others == hit, 0, ranks), retrieved) for hit in hits)
        return {hit: value - less for hit, less in zip(hits, self.values(measure, without), strict=True)}

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
        self._hits = [judged[n] for n in numbers]
        self._rankings = TopicRankings(pool, np.array(numbers, dtype=np.int64), longest, rules=rules)
        self._before, self._after = self._ranks(self._old_rank), self._ranks(new_rank)

    def _ranks(self, rank_of: Mapping[str, int]) -> Ints:
        return np.array([rank_of.get(doc, 0) for doc in self._hits], dtype=np.int64)

    def shares(self, measure: Measure, old: float, new: float) -> Shares:
        """The shares in the difference of two values, if known."""
        if measure.spec.needs.scores or not math.isfinite(new - old):
            return Shares()
        if measure.is_linear and (terms := self._by_terms(measure)).adds_up(old, new):
            return terms
        steps = self._by_steps(measure, old, new)
        return steps if steps.adds_up(old, new) else Shares()

    def _by_terms(self, measure: Measure) -> Shares:
        """The change of each document's term."""
        shares: dict[str, float] = {}
        rest = 0.0
        for ranks, ranking, sign in ((self._after, self._new, 1), (self._before, self._old, -1)):
            rankings = (ranks, len(ranking)), (np.zeros_like(ranks), len(ranking))
            value, bare = (next(self._rankings.values(measure, [each])) for each in rankings)
            for hit, loss in self._rankings.losses(measure, rankings[0], value).items():
                shares[self._hits[hit]] = shares.get(self._hits[hit], 0.0) + sign * loss
            rest += sign * bare
        return Shares(TERMS, shares, rest)

    def _by_steps(self, measure: Measure, old: float, new: float) -> Shares:
        """The change of the value when each document is put in its new place, or removed.

        Not known if the rankings do not have the values that evaluation found, as where ties count.
        """
        steps = [("", self._before, len(self._old))]
        for document, ranks, length in self._steps():
            if length != steps[-1][2] or not np.array_equal(ranks, steps[-1][1]):
                steps.append((document, ranks, length))
        values: list[float] = []
        for value in self._rankings.values(measure, ((ranks, length) for _, ranks, length in steps)):
            # a ranking without a value leaves the change to the next one
            values.append(value if math.isfinite(value) or not values else values[-1])
        if not (math.isclose(values[0], old, rel_tol=CLOSE) and math.isclose(values[-1], new, rel_tol=CLOSE)):
            return Shares()
        shares = {
            document: after - before
            for (document, _, _), before, after in zip(steps[1:], values, values[1:], strict=False)
            if after != before
        }
        return Shares(STEPS, shares)

    def _steps(self) -> Iterator[tuple[str, Ints, int]]:
        """(document of each step, rank of each hit after it, length of that ranking)."""
        above = np.zeros_like(self._before)  # documents put in place that were above each hit
        length = len(self._old)
        for step, document in enumerate(self._new, 1):
            was = self._old_rank.get(document, 0)
            if was:
                above += self._before > was
            else:
                length += 1
            left = np.where(self._before > 0, step + self._before - above, 0)
            placed = (self._after > 0) & (self._after <= step)
            yield document, np.where(placed, self._after, left), length
        kept = len(self._new)
        place = self._ranks({document: place for place, document in enumerate(self._lost, 1)})
        for left_over in range(len(self._lost) - 1, -1, -1):
            is_left = (place > 0) & (place <= left_over)
            yield self._lost[left_over], np.where(is_left, kept + place, self._after), kept + left_over
