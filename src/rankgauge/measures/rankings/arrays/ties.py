"""Ties: which documents of a ranking have equal scores, and at which ranks a random order may put them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge.measures.rankings.array_types import read_only
from rankgauge.measures.rankings.arrays.curves import Floats, Ints, Ranking, Steps


@dataclass(frozen=True)
class Ties:
    """The scores of hits and the ties they are in; computed only for measures and rules that need them."""

    first: Ints  # (hits,) the first rank of its tie
    last: Ints  # (hits,) the last rank; a document that ties with no other is a tie of one
    score: Floats  # (hits,)
    squares: Floats  # (topics, 1) the sum of the squared scores of all documents retrieved

    def only(self, hits: Any) -> Ties:
        """The ties of some hits, given by a mask or by places."""
        return Ties(self.first[hits], self.last[hits], self.score[hits], self.squares)

    def isolated(self) -> Ties:
        """The same ties, read-only."""
        return Ties(*(read_only(each) for each in (self.first, self.last, self.score, self.squares)))


class TieGroups:
    """The ties that the hits of rankings are in, in rank order. Quantities per tie are arrays (ties,)."""

    def __init__(self, ranking: Ranking, ties: Ties | None) -> None:
        first, last = (ranking.rank, ranking.rank) if ties is None else (ties.first, ties.last)
        # within a topic, ties have different first ranks
        goes_on = (ranking.topic[1:] == ranking.topic[:-1]) & (first[1:] == first[:-1])
        self.begin = np.flatnonzero(np.append(np.ones(min(1, len(first)), dtype=np.bool_), ~goes_on))
        self.hits = np.diff(np.append(self.begin, len(first)))  # how many hits are in the tie
        self.first, self.last = first[self.begin], last[self.begin]
        self.topic = ranking.topic[self.begin]
        self.before = ranking.nth[self.begin] - 1  # how many hits of the topic come before the tie

    @cached_property
    def of_hit(self) -> Ints:
        """(hits,): the number of the tie of each hit."""
        return np.repeat(np.arange(len(self.begin)), self.hits)

    @cached_property
    def size(self) -> Ints:
        """The number of documents that tie, judged or not."""
        return self.last - self.first + 1


class Chances(Ranking):
    """All ranks of the ties that have hits: where hits may be if tied documents are in random order.

    Quantities per rank are arrays (ranks,).
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
        """The probability of a hit at the rank."""
        return self.hits / self.size

    @property
    def hits_before(self) -> Floats:
        """The expected number of hits before a hit at the rank."""
        within: Floats = (self.place - 1) * (self.hits - 1) / np.maximum(self.size - 1, 1)
        return self.before + within

    @property
    def first_hit(self) -> Floats:
        """The probability that the topic's first hit is at the rank."""
        left = self.size - self.place + 1  # documents of the tie from this rank on
        first_tie = self.before == 0
        # the ratio of the probability to that at the rank before, at which there must be no hit
        factors = np.where(self.place == 1, self.hit, (left - self.hits + 1) / left)
        return np.where(first_tie, self.products(np.where(first_tie, factors, 1.0)), 0.0)
