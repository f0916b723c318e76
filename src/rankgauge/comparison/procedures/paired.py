"""Tests of the differences between two runs: Student's t, Wilcoxon's signed ranks, signs."""

from __future__ import annotations

import functools
import math

import numpy as np

from rankgauge.comparison.registry import Outcome, TestOptions, statistical_test
from rankgauge.numbers.differences import Floats, Ints
from rankgauge.numbers.exact import moments
from rankgauge.numbers.intervals import t_tail
from rankgauge.schema.lazy import required_module
from rankgauge.schema.text import counted

# Up to this many differing topics Wilcoxon's distribution is exact: a float counts to 2**50 without rounding.
MAX_EXACT = 50


@statistical_test(
    "t",
    title="paired t-test",
    cite="Student 1908; for retrieval: Hull 1993; Urbano, Lima & Hanjalic 2019",
    statistic="t = mean of the differences / (their standard deviation / √n)",
    parametric=True,
    efficiency=1.0,
)
def t(z: Floats, options: TestOptions) -> Outcome:
    """Whether the mean of the differences is 0, assuming that means over topics are normally distributed.

    p is undefined if the difference is the same on every topic: nothing shows how much it varies.
    """
    topics = z.shape[1]
    statistic = moments(z).t
    return Outcome(statistic, t_tail(statistic, topics - 1), [f"t distribution, {topics - 1} df"] * len(z))


@statistical_test(
    "wilcoxon",
    title="Wilcoxon signed-rank test",
    cite="Wilcoxon 1945; Conover 1999, section 5.7",
    statistic="W+ = sum of the ranks, by size, of the topics on which the run's value is higher",
    efficiency=3 / math.pi,
)
def wilcoxon(z: Floats, options: TestOptions) -> Outcome:
    """Whether differences are symmetric around 0, by the ranks of their sizes; differences of 0 are dropped.

    With up to 50 differing topics p is exact, over all assignments of signs, ties included; with more it
    comes from the normal approximation with the variance corrected for ties.
    """
    ndtr = required_module("scipy.special").ndtr
    statistic, p, expected, least = np.full((4, len(z)), np.nan)
    methods = []
    for row, values in enumerate(z):
        kept = values[values != 0.0]
        ranks = doubled_ranks(np.abs(kept))
        plus, total = int(ranks[kept > 0].sum()), int(ranks.sum())
        statistic[row], expected[row] = plus / 2, total / 4
        least[row] = least_of_signs(len(kept))
        if not len(kept):
            methods.append("undefined, no topic differs")
        elif len(kept) <= MAX_EXACT:
            tail = _signed_rank_tail(tuple(sorted(ranks.tolist())))
            p[row] = min(1.0, 2 * tail[min(plus, total - plus)])
            methods.append(f"exact, {differing(len(kept))}")
        else:
            size = abs(plus - total / 2) / math.sqrt(float((ranks.astype(np.float64) ** 2).sum()) / 4)
            p[row] = 2 * ndtr(-size)
            methods.append(f"normal approximation, {differing(len(kept))}")
    return Outcome(statistic, p, methods, expected, least)


def doubled_ranks(values: Floats) -> Ints:
    """Twice the rank of each value, so that the mean of tied ranks is a whole number."""
    below, through = (np.searchsorted(np.sort(values), values, side) for side in ("left", "right"))
    doubled: Ints = below + through + 1
    return doubled


@functools.lru_cache(64)
def _signed_rank_tail(ranks: tuple[int, ...]) -> Floats:
    """The probability that ranks with random signs add up to at most 0, 1, 2, ..."""
    ways = np.zeros(sum(ranks) + 1)
    ways[0] = 1.0
    for rank in ranks:
        ways[rank:] += ways[: len(ways) - rank].copy()
    return np.cumsum(ways) / 2.0 ** len(ranks)


@statistical_test(
    "sign",
    title="sign test",
    cite="Arbuthnott 1710; Conover 1999, section 3.4",
    statistic="topics on which the run is higher, of those on which the two differ",
    efficiency=2 / math.pi,
)
def sign(z: Floats, options: TestOptions) -> Outcome:
    """Whether each run is equally likely to have the higher value on a topic; equal values are dropped."""
    higher, lower = (z > 0).sum(axis=1), (z < 0).sum(axis=1)
    topics = higher + lower
    return Outcome(
        higher.astype(np.float64),
        sign_tail(higher, lower),
        [f"exact, {differing(count)}" for count in topics],
        expected=topics / 2,
        least=np.array([least_of_signs(count) for count in topics.tolist()]),
    )


def sign_tail(higher: Ints, lower: Ints) -> Floats:
    """The probability that signs are as unevenly divided if both are equally likely; NaN without signs."""
    bdtr = required_module("scipy.special").bdtr
    topics = higher + lower
    p: Floats = np.minimum(1.0, 2 * bdtr(np.minimum(higher, lower), topics, 0.5))
    p[topics == 0] = np.nan
    return p


def least_of_signs(topics: int) -> float:
    """The smallest p of a test of signs on as many differing topics."""
    return math.ldexp(1.0, min(0, 1 - topics))


def differing(topics: int) -> str:
    """The number of topics on which two runs differ, as a phrase."""
    return f"{counted(topics, 'topic')} differ{'s' if topics == 1 else ''}"
