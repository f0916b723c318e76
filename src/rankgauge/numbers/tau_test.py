"""The test of Kendall's τ between two orders of systems, and its usual interpretation in words.

Under the null hypothesis all n! ways of pairing two orders of n systems are equally likely. The statistic is
S, concordant minus discordant pairs, and p the probability of an |S| at least as large: the same for τ-a and
τ-b. Up to EXACT_SYSTEMS systems it is exact if at most one order has ties, or if the ways are few enough to
be counted. Otherwise S is taken to be normal, with the variance that accounts for ties (Kendall 1948,
chapters 4 and 5).
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from rankgauge.numbers.rank_correlation import order_of, pair_signs
from rankgauge.schema.lazy import required_module
from rankgauge.schema.text import counted

EXACT_SYSTEMS = 100  # more take long to count, and the normal distribution is near enough
STATES = 1 << 9  # with ties in both orders: what may be left of one of them, at any time

Sizes = tuple[int, ...]  # of the groups of tied systems, from the lowest score to the highest
EQUIVALENT, DIFFERENT = 0.9, 0.8
RULE = (
    f"Orders with τ of at least {EQUIVALENT} are usually called equivalent, with τ below {DIFFERENT} "
    "noticeably different (Voorhees 2001)."
)
LEVELS = (0.05, 0.01)
ROUNDING = 1e-12  # of a τ that is 0.9 exactly


def tau_p(x: Any, y: Any) -> float:
    """The two-sided p-value of τ between two orders, from scores; NaN if all systems tie in one of them.

    >>> tau_p([1, 2, 3, 4, 5], [1, 2, 3, 5, 4]), tau_p([1, 2, 3], [1, 2, 2])
    (0.08333333333333333, 0.6666666666666666)
    """
    one, other = order_of(x), order_of(y, like=x)
    sizes, others = _sizes(one), _sizes(other)
    if len(sizes) < 2 or len(others) < 2:
        return math.nan
    distribution = _distribution(sizes, others)
    if distribution is None:
        kendalltau = required_module("scipy.stats").kendalltau  # takes a while to import
        return float(kendalltau(_ranks(one), _ranks(other), method="asymptotic").pvalue)
    s = abs(int(np.dot(pair_signs(one), pair_signs(other))))
    extreme = sum(ways for value, ways in distribution.items() if abs(value) >= s)
    return float(Fraction(extreme, sum(distribution.values())))


def critical_tau(systems: int, alpha: float) -> float:
    """The smallest τ between two orders without ties that is significant, two-sided; NaN if none is.

    >>> round(critical_tau(30, 0.01), 4), round(critical_tau(30, 0.05), 4), critical_tau(4, 0.05)
    (0.3333, 0.2552, nan)
    """
    pairs = math.comb(systems, 2)
    if systems > EXACT_SYSTEMS:
        from statistics import NormalDist

        deviation = math.sqrt(2 * (2 * systems + 5) / (9 * systems * (systems - 1)))
        least = NormalDist().inv_cdf(1 - alpha / 2) * deviation
        return 1 - 2 * math.floor((1 - least) / 2 * pairs) / pairs  # τ has steps of 2 / pairs
    allowed = Fraction(alpha) * math.factorial(systems) / 2  # of either tail
    tail, critical = 0, math.nan
    for discordant, ways in enumerate(_inversions((1,) * systems)):
        tail += ways
        if tail > allowed or 2 * discordant >= pairs:
            break
        critical = (pairs - 2 * discordant) / pairs
    return critical


def _distribution(sizes: Sizes, others: Sizes) -> dict[int, int] | None:
    """{S: ways}, or any multiple of these numbers; None if counting takes long."""
    if sum(sizes) > EXACT_SYSTEMS:
        return None
    ties = [max(each) > 1 for each in (sizes, others)]
    if all(ties):
        few, many = sorted((sizes, others), key=lambda each: math.prod(size + 1 for size in each))
        return _both_tied(few, many) if math.prod(size + 1 for size in few) <= STATES else None
    counts = _inversions(tuple(sorted(sizes if ties[0] else others)))
    return {len(counts) - 1 - 2 * inversions: ways for inversions, ways in enumerate(counts)}


@functools.lru_cache(maxsize=64)
def _inversions(sizes: Sizes) -> tuple[int, ...]:
    """The numbers of permutations of a multiset, with groups of these sizes, by inversions: 0, 1, 2, ...

    The numbers are the coefficients of ∏(1 - q^i), i from 1 to n, over the same product for each group
    (MacMahon 1915).
    """
    untied = math.comb(sum(sizes), 2) - sum(math.comb(size, 2) for size in sizes)
    above = Counter(range(1, sum(sizes) + 1))
    below = Counter(i for size in sizes for i in range(1, size + 1))
    counts = [1] + [0] * untied
    for i in (above - below).elements():
        for place in range(untied, i - 1, -1):
            counts[place] -= counts[place - i]
    for i in (below - above).elements():
        for place in range(i, untied + 1):
            counts[place] += counts[place - i]
    return tuple(counts)


@functools.lru_cache(maxsize=64)
def _both_tied(sizes: Sizes, others: Sizes) -> dict[int, int]:
    """{S: ways} of dealing the systems of one order's groups out to those of the other, lowest first."""
    largest = math.comb(sum(sizes), 2)
    whole: Any = np.int64 if sum(sizes) <= 20 else object  # 20! is the last factorial that fits
    start = np.zeros(2 * largest + 1, dtype=whole)
    start[largest] = 1
    states = {sizes: start}  # {what is left: in how many ways each S, from -largest on, has come about}
    for size in others:
        following: dict[Sizes, Any] = {}
        for left, counts in states.items():
            for dealt in _deals(left, size):
                rest = tuple(each - away for each, away in zip(left, dealt, strict=True))
                step = sum(
                    away * (sum(rest[group + 1 :]) - sum(rest[:group]))
                    for group, away in enumerate(dealt)
                    if away
                )
                into = following.setdefault(rest, np.zeros_like(start))
                into += math.prod(map(math.comb, left, dealt)) * np.roll(counts, step)
        states = following
    counts = states[(0,) * len(sizes)]
    return {s - largest: ways for s, ways in enumerate(counts.tolist()) if ways}


def _deals(left: Sizes, size: int) -> Iterator[Sizes]:
    """Every way to take `size` systems from groups: how many of each."""
    if not left:
        if not size:
            yield ()
        return
    others = sum(left[1:])
    for first in range(max(0, size - others), min(left[0], size) + 1):
        for rest in _deals(left[1:], size - first):
            yield (first, *rest)


def _sizes(scores: Any) -> Sizes:
    return tuple(np.unique(scores, return_counts=True)[1].tolist())


def _ranks(scores: Any) -> Any:
    """Numbers in the same order, all of them finite."""
    return np.unique(scores, return_inverse=True)[1]


def reading(tau: float, low: float = math.nan, high: float = math.nan) -> str:
    """The usual interpretation of τ between two orders; "undecided" if its interval crosses a threshold.

    >>> [reading(tau) for tau in (0.9, 0.85, 0.79)], reading(0.93, 0.88, 0.99)
    (['equivalent', 'in between', 'different'], 'undecided')
    """
    if not math.isnan(low + high):
        first, last = reading(low), reading(high)
        return first if first == last else "undecided"
    if math.isnan(tau):
        return ""
    if tau >= EQUIVALENT - ROUNDING:
        return "equivalent"
    return "different" if tau < DIFFERENT - ROUNDING else "in between"


def equivalence(words: Sequence[str]) -> str:
    """A sentence on how many pairs of measures order the runs alike, from their readings."""
    equivalent, undecided = words.count("equivalent"), words.count("undecided")
    verb = "orders" if equivalent == 1 else "order"
    left = f"; the intervals leave {undecided} undecided" if undecided else ""
    return (
        f"Of {counted(len(words), 'pair')} of measures, {equivalent} {verb} the runs equivalently "
        f"(τ-b of at least {EQUIVALENT}), {words.count('different')} noticeably differently "
        f"(below {DIFFERENT}; Voorhees 2001){left}."
    )


def significance(runs: int) -> str:
    """A sentence on the smallest τ between orders of so many runs that chance does not explain."""
    least = {alpha: critical_tau(runs, alpha) for alpha in LEVELS}
    parts = [
        f"from {tau:.4f}{' on is significant' if place == 0 else ''} at α = {alpha}"
        for place, (alpha, tau) in enumerate(least.items())
        if not math.isnan(tau)
    ]
    if not parts:
        return f"With {runs} runs no τ is significant at α = {LEVELS[0]}: even random orders agree too often."
    how = "exact" if runs <= EXACT_SYSTEMS else "normal approximation"
    return (
        f"With {runs} runs and no ties, τ {', and '.join(parts)} (two-sided, {how}): unrelated orders agree, "
        "or disagree, as much in only that share of cases."
    )
