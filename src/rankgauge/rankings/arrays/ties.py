"""Ties: which documents of a ranking have equal scores, and where chance may put them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge.rankings.arrays.curves import Floats, Ints, Ranking, Steps


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


class TieGroups:
    """The ties that hits of rankings are in, in their order; what is told of a tie is an array (ties,)."""

    def __init__(self, ranking: Ranking, ties: Ties | None) -> None:
        first, last = (ranking.rank, ranking.rank) if ties is None else (ties.first, ties.last)
        # a first rank is taken up by one tie of a topic only
        goes_on = (ranking.topic[1:] == ranking.topic[:-1]) & (first[1:] == first[:-1])
        self.begin = np.flatnonzero(np.append(np.ones(min(1, len(first)), dtype=np.bool_), ~goes_on))
        self.hits = np.diff(np.append(self.begin, len(first)))  # how many hits are in it
        self.first, self.last = first[self.begin], last[self.begin]
        self.topic = ranking.topic[self.begin]
        self.before = ranking.nth[self.begin] - 1  # how many hits come before it

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
