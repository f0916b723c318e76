"""Tests that look at the order of values alone."""

from __future__ import annotations

import functools
import math

import numpy as np

from rankgauge.comparison.differences import Floats, Ints, cleared
from rankgauge.comparison.registry import Outcome, Overall, TestOptions, differing, statistical_test
from rankgauge.comparison.tests.paired import t_quantile, t_tail

MOST_EXACT = (
    50  # topics that differ, up to which Wilcoxon's distribution is counted: 2**50 is exact in a float
)


@statistical_test(
    "wilcoxon",
    title="Wilcoxon signed-rank test",
    cite="Wilcoxon 1945; Conover 1999, section 5.7",
    statistic="W+ = ranks of the differences in favour of the run, by size",
)
def wilcoxon(z: Floats, ask: TestOptions) -> Outcome:
    """Whether differences lie evenly around 0, by the ranks of their sizes; differences of 0 are dropped.

    Up to 50 topics that differ, p is counted over all signs, also where sizes tie; then normal, with the
    variance corrected for ties.
    """
    from scipy.special import ndtr

    found = np.full((2, len(z)), np.nan)
    methods = []
    for row, values in enumerate(z):
        kept = values[values != 0.0]
        ranks = doubled_ranks(np.abs(kept))
        plus, total = int(ranks[kept > 0].sum()), int(ranks.sum())
        found[0, row] = plus / 2
        if not len(kept):
            methods.append("undefined, no topic differs")
        elif len(kept) <= MOST_EXACT:
            found[1, row] = min(1.0, 2 * _tail(tuple(sorted(ranks.tolist())))[min(plus, total - plus)])
            methods.append(f"exact, {differing(len(kept))}")
        else:
            size = abs(plus - total / 2) / math.sqrt(float((ranks.astype(np.float64) ** 2).sum()) / 4)
            found[1, row] = 2 * ndtr(-size)
            methods.append(f"normal approximation, {differing(len(kept))}")
    return Outcome(found[0], found[1], methods)


def doubled_ranks(values: Floats) -> Ints:
    """Twice the rank of each value, so that the middle of tied ranks is whole."""
    below, through = (np.searchsorted(np.sort(values), values, side) for side in ("left", "right"))
    found: Ints = below + through + 1
    return found


def _within_topics(values: Floats) -> Ints:
    """(runs, topics): twice the rank of each value among those of its topic."""
    found = np.ones(values.shape, dtype=np.int64)
    for other in values:
        found += 2 * (values > other) + (values == other)
    return found


@functools.lru_cache(64)
def _tail(ranks: tuple[int, ...]) -> Floats:
    """The probability that ranks with a random sign add up to at most 0, 1, 2, ..."""
    ways = np.zeros(sum(ranks) + 1)
    ways[0] = 1.0
    for rank in ranks:
        ways[rank:] += ways[: len(ways) - rank].copy()
    return np.cumsum(ways) / 2.0 ** len(ranks)


@statistical_test(
    "friedman",
    title="Friedman test with Conover's comparisons",
    cite="Friedman 1937; Iman & Davenport 1980; Conover 1999, section 5.8",
    statistic="difference of the rank sums / its standard error",
    kind="all",
)
def friedman(values: Floats, first: Ints, second: Ints, ask: TestOptions) -> Outcome:
    """Whether the runs' ranks within topics differ: T2 by F, T1 by χ², corrected for ties.

    Pairs are compared by their rank sums, with the error that is left after the runs' own differences: unless
    the runs differ at all by T2, that means little.
    """
    from scipy.special import chdtrc, fdtrc

    runs, topics = values.shape
    doubled = _within_topics(cleared(values.reshape(1, -1))[0].reshape(runs, topics))
    sums = doubled.sum(axis=1) / 2  # whole numbers and halves: all of this is exact
    squares, centre = float((doubled**2).sum()) / 4, topics * runs * (runs + 1) ** 2 / 4
    between = float((sums**2).sum())
    df = (runs - 1, (runs - 1) * (topics - 1))
    left = topics * squares - between
    if squares == centre or runs < 2 or topics < 2:
        nothing = np.full(len(first), np.nan)
        overall = Overall(f"T2, F({df[0]}, {df[1]})", math.nan, math.nan)
        return Outcome(nothing, nothing, ["undefined"] * len(first), overall=overall)
    t1 = (runs - 1) * (between - topics * centre) / (squares - centre)
    t2 = (topics - 1) * t1 / (topics * (runs - 1) - t1) if left > 0 else math.inf
    error = math.sqrt(2 * left / df[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = (sums[first] - sums[second]) / error
    overall = Overall(
        f"T2, F({df[0]}, {df[1]})",
        t2,
        float(fdtrc(*df, t2)),
        {
            "T1": t1,
            "p of T1 (χ²)": float(chdtrc(runs - 1, t1)),
            "standard error of a difference of rank sums": error,
            "critical difference of rank sums": t_quantile(ask.alpha, df[1]) * error,
        },
    )
    methods = [f"t distribution, {df[1]} df"] * len(first)
    return Outcome(statistic, t_tail(statistic, df[1]), methods, overall=overall)
