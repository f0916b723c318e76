"""The exact distribution of rank sums when ranks are permuted within topics.

Ranks are doubled, so that the mean of tied ranks is a whole number, and everything here is exact.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from rankgauge.comparison.numerics.differences import Floats, Ints

MOST_RUNS = 7  # whose permutations are enumerated
MOST_WORK = 1 << 22  # sums of a topic's permutations with the sums so far


@dataclass(frozen=True)
class RankSums:
    """All outcomes, apart from which run has which sum, and their probabilities."""

    sums: Ints  # (outcomes, runs), ascending in each row
    probability: Floats  # (outcomes,)
    left: Ints  # (outcomes,) topics * sum of squared ranks - sum of squared sums: what runs do not explain

    def overall(self, left: int) -> float:
        """The probability that runs explain as much or more."""
        return min(1.0, math.fsum(self.probability[self.left <= left].tolist()))

    def pair(self, difference: int, left: int) -> float:
        """The probability that the sums of two runs differ as much or more, relative to √left."""
        if not difference:
            return 1.0
        one, other = np.triu_indices(self.sums.shape[1], 1)
        squares = (self.sums[:, one] - self.sums[:, other]) ** 2
        reached = (squares > 0) & (squares * left >= difference**2 * self.left[:, None])
        return min(1.0, math.fsum((self.probability * reached.mean(axis=1)).tolist()))

    def least(self) -> float:
        """The smallest p that any pair could have."""
        apart = self.sums[:, -1] - self.sums[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            most = int(np.nanargmax(apart / np.sqrt(self.left)))
        return self.pair(int(apart[most]), int(self.left[most]))


def rank_sums(doubled: Ints) -> RankSums | None:
    """The distribution for (runs, topics) of doubled ranks; None if there are too many outcomes."""
    runs, topics = doubled.shape
    if runs > MOST_RUNS:
        return None
    # Runs are exchangeable, so outcomes that differ only in which run is which are one. Topics are taken in
    # the order of their ties, so that rounding does not depend on the order in which they are given.
    patterns = np.sort(doubled, axis=0)
    patterns = patterns[:, np.lexsort(patterns)]
    sums, probability = patterns[:, :1].T, np.ones(1, dtype=np.float64)
    for ranks in patterns.T[1:]:
        orders, times = np.unique(list(itertools.permutations(ranks.tolist())), axis=0, return_counts=True)
        if len(sums) * len(orders) > MOST_WORK // topics:
            return None
        every = np.sort((sums[:, None] + orders).reshape(-1, runs), axis=1)
        chances = np.outer(probability, times / times.sum()).ravel()
        keys = every[:, 1:] @ ((2 * runs * topics + 1) ** np.arange(runs - 1))  # the first follows
        _, kept, which = np.unique(keys, return_index=True, return_inverse=True)
        sums, probability = every[kept], np.bincount(which.ravel(), weights=chances).astype(np.float64)
    left = topics * int((doubled**2).sum()) - (sums**2).sum(axis=1)
    return RankSums(sums, probability, left)


def same_order(doubled: Ints) -> float:
    """The probability that all topics rank the runs alike, if the ranks of each are permuted."""
    runs, topics = doubled.shape
    logs = 0.0
    for ranks in doubled.T[1:]:
        _, ties = np.unique(ranks, return_counts=True)
        logs += math.lgamma(runs + 1) - sum(math.lgamma(count + 1) for count in ties.tolist())
    return math.exp(-logs) if topics > 1 else 1.0
