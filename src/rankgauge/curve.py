"""Curves: a value at every rank, and their arithmetic.

A curve is read at some ranks of every topic (a `Reading`). Most curves change only at the judged
documents a run retrieved, its hits, and are stored by what changes there (`Steps`); they combine
with +, -, * and / with each other, with numbers, and with one number a topic (arrays of shape
(topics, 1)).
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

NEVER = np.iinfo(np.int64).max  # the rank of a document that is not there

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Ranking(Protocol):
    """What a curve needs to know of the rankings it belongs to."""

    rank: Ints  # (topics, hits) ascending; NEVER where a topic has fewer hits


class Reading:
    """Ranks to read curves at: (topics, ranks). Knows how many hits each rank has passed."""

    def __init__(self, ranks: Ints) -> None:
        self.ranks = ranks
        self._passed: dict[int, tuple[Ranking, Ints]] = {}

    def passed(self, ranking: Ranking) -> Ints:
        """(topics, ranks): how many hits of the ranking lie at these ranks or above."""
        key = id(ranking)
        if key not in self._passed:
            self._passed[key] = (ranking, self._count(ranking))  # holding the ranking keeps its id its own
        return self._passed[key][1]

    def _count(self, ranking: Ranking) -> Ints:
        rank, ranks = ranking.rank, self.ranks
        if ranks.shape[1] == 1:
            within: Ints = (rank <= ranks).sum(axis=1, keepdims=True)
            return within
        # One sorted array for all topics: each topic's ranks shifted past those of the one before.
        topics, hits = rank.shape
        deepest = int(rank.max(initial=0, where=rank < NEVER)) + 1
        shift = (np.arange(topics) * (deepest + 1))[:, None]
        places = np.minimum(rank, deepest) + shift
        wanted = np.minimum(ranks, deepest - 1) + shift
        counts: Ints = np.searchsorted(places.ravel(), wanted.ravel(), side="right").reshape(ranks.shape)
        counts -= (np.arange(topics) * hits)[:, None]
        return counts


class AtHits(Reading):
    """The reading at a ranking's own hits: the n-th hit has passed n."""

    def __init__(self, ranking: Ranking) -> None:
        super().__init__(ranking.rank)
        self._own = ranking

    def passed(self, ranking: Ranking) -> Ints:
        """As for any reading, but for its own ranking there is nothing to count."""
        if ranking is self._own:
            topics, hits = self.ranks.shape
            nth: Ints = np.broadcast_to(np.arange(1, hits + 1), (topics, hits))
            return nth
        return super().passed(ranking)


class Curve:
    """A value at every rank of every topic."""

    __array_ufunc__ = None  # array / curve is for the curve to answer

    def __init__(self, read: Callable[[Reading], Floats]) -> None:
        self._read = read

    def at(self, reading: Reading) -> Floats:
        """(topics, ranks): the values at these ranks."""
        return self._read(reading)

    def _with(self, other: Any, combine: Callable[[Any, Any], Any]) -> Curve:
        def read(reading: Reading) -> Floats:
            right = other.at(reading) if isinstance(other, Curve) else other
            # 0/0 is how "undefined" comes about: it stays NaN and is no reason for a warning.
            with np.errstate(divide="ignore", invalid="ignore"):
                values: Floats = combine(self.at(reading), right)
            return values

        return Curve(read)

    def at_most(self, limit: Any) -> Curve:
        """The curve, but never above the limit."""
        return self._with(limit, np.minimum)

    def __add__(self, other: Any) -> Curve:
        return self._with(other, operator.add)

    def __radd__(self, other: Any) -> Curve:
        return self._with(other, lambda left, right: right + left)

    def __sub__(self, other: Any) -> Curve:
        return self._with(other, operator.sub)

    def __rsub__(self, other: Any) -> Curve:
        return self._with(other, lambda left, right: right - left)

    def __mul__(self, other: Any) -> Curve:
        return self._with(other, operator.mul)

    def __rmul__(self, other: Any) -> Curve:
        return self._with(other, lambda left, right: right * left)

    def __truediv__(self, other: Any) -> Curve:
        return self._with(other, operator.truediv)

    def __rtruediv__(self, other: Any) -> Curve:
        return self._with(other, lambda left, right: right / left)


class Steps(Curve):
    """A curve that is constant between hits."""

    def __init__(self, ranking: Ranking, increments: Floats) -> None:
        super().__init__(self._steps)
        topics, hits = increments.shape
        self._ranking = ranking
        self._sums = np.zeros((topics, hits + 1))
        # One addition after the other, in rank order: sums do not depend on the block's width,
        # and equal trec_eval's to the last bit.
        np.cumsum(increments, axis=1, out=self._sums[:, 1:])

    def _steps(self, reading: Reading) -> Floats:
        if isinstance(reading, AtHits) and reading.ranks is self._ranking.rank:
            return self._sums[:, 1:]
        return np.take_along_axis(self._sums, reading.passed(self._ranking), axis=1)


POSITION = Curve(lambda reading: reading.ranks)  # type: ignore[arg-type,return-value]
