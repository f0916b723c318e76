"""Tests of all runs by the ranks of their values within topics."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rankgauge.comparison.procedures.paired import least_of_signs, sign_tail
from rankgauge.comparison.registry import Outcome, Overall, TestOptions, statistical_test
from rankgauge.numbers.differences import Floats, Ints, cleared
from rankgauge.numbers.intervals import t_quantile, t_tail
from rankgauge.schema.lazy import required_module

MAX_RUNS = 7  # whose permutations are enumerated
MAX_WORK = 1 << 22  # sums of a topic's permutations with the sums so far
TEST, EXACT = "Friedman's test", "exact, all permutations of the ranks within topics"


@statistical_test(
    "friedman",
    title="Friedman test with Conover's comparisons",
    cite="Friedman 1937; Iman & Davenport 1980; Conover 1999, section 5.8",
    statistic="difference of the rank sums / its standard error",
    kind="all",
)
def friedman(values: Floats, first: Ints, second: Ints, options: TestOptions) -> Outcome:
    """Whether the runs' ranks within topics differ: T2 by F, T1 by χ², corrected for ties.

    Pairs are compared by their rank sums, with the error that remains after the differences between runs.
    They mean little unless T2 shows that the runs differ at all. With two runs, or few runs and topics, p is
    exact, over all permutations of the ranks within topics; F and t would make it too small.
    """
    special = required_module("scipy.special")
    runs, topics = values.shape
    doubled = doubled_ranks(values)
    sums = doubled.sum(axis=1) / 2  # whole numbers and halves: all of this is exact
    squares, centre = float((doubled**2).sum()) / 4, topics * runs * (runs + 1) ** 2 / 4
    between = float((sums**2).sum())
    df = (runs - 1, (runs - 1) * (topics - 1))
    left = topics * squares - between
    if squares == centre or runs < 2 or topics < 2:
        undefined = np.full(len(first), np.nan)
        overall = Overall("T2", math.nan, math.nan, test=TEST)
        return Outcome(undefined, undefined, ["undefined"] * len(first), overall=overall)
    t1 = (runs - 1) * (between - topics * centre) / (squares - centre)
    t2 = (topics - 1) * t1 / (topics * (runs - 1) - t1) if left > 0 else math.inf
    error = math.sqrt(2 * left / df[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = (sums[first] - sums[second]) / error
    exact = _exact(doubled, first, second)
    overall = Overall(
        "T2" if exact else f"T2, F({df[0]}, {df[1]})",
        t2,
        exact.overall if exact else float(special.fdtrc(*df, t2)),
        {
            "p of T2 (F)": float(special.fdtrc(*df, t2)),
            "T1": t1,
            "p of T1 (χ²)": float(special.chdtrc(runs - 1, t1)),
            "standard error of a difference of rank sums": error,
            "critical difference of rank sums": t_quantile(options.alpha, df[1]) * error,
        },
        test=TEST,
        method=EXACT if exact else "",
    )
    return Outcome(
        statistic,
        exact.pairs if exact else t_tail(statistic, df[1]),
        [EXACT if exact else f"t distribution, {df[1]} df"] * len(first),
        least=np.full(len(first), exact.least) if exact else None,
        overall=overall,
    )


class _Exact(NamedTuple):
    """p over all permutations of the ranks within topics."""

    overall: float  # of all runs
    pairs: Floats
    least: float  # the smallest that a pair could have


def _exact(doubled: Ints, first: Ints, second: Ints) -> _Exact | None:
    runs, topics = doubled.shape
    sums = doubled.sum(axis=1)
    left = topics * int((doubled**2).sum()) - int((sums**2).sum())
    if not left:  # every topic ranks the runs alike, and nothing is more extreme
        p = same_order(doubled)
        one, other = np.triu_indices(runs, 1)
        apart = float((sums[one] != sums[other]).mean())  # the chance that the two are not tied then
        return _Exact(p, np.where(sums[first] == sums[second], 1.0, p * apart), p * apart)
    if runs == 2:
        higher, lower = ((doubled[one] > doubled[1 - one]).sum(keepdims=True) for one in (0, 1))
        (p,) = sign_tail(higher, lower)
        return _Exact(float(p), np.full(len(first), p), least_of_signs(int(higher[0] + lower[0])))
    every = rank_sums(doubled)
    if every is None:
        return None
    sizes = np.abs(sums[first] - sums[second])
    known = {size: every.pair(size, left) for size in np.unique(sizes).tolist()}
    return _Exact(every.overall(left), np.array([known[size] for size in sizes.tolist()]), every.least())


def doubled_ranks(values: Floats) -> Ints:
    """(runs, topics): twice the rank of each value among those of its topic."""
    values = cleared(values.reshape(1, -1)).reshape(values.shape)
    doubled = np.ones(values.shape, dtype=np.int64)
    for other in values:
        doubled += 2 * (values > other) + (values == other)
    return doubled


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
    if runs > MAX_RUNS:
        return None
    # Runs are exchangeable, so outcomes that differ only in which run is which are one. Topics are taken in
    # the order of their ties, so that rounding does not depend on the order in which they are given.
    patterns = np.sort(doubled, axis=0)
    patterns = patterns[:, np.lexsort(patterns)]
    sums, probability = patterns[:, :1].T, np.ones(1, dtype=np.float64)
    for ranks in patterns.T[1:]:
        orders, times = np.unique(list(itertools.permutations(ranks.tolist())), axis=0, return_counts=True)
        if len(sums) * len(orders) > MAX_WORK // topics:
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
