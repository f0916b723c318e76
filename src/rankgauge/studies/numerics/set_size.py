"""How many topics are needed: Sakai's topic set size design, by three criteria.

    t          the paired t-test detects a difference between two systems, with this power
    anova      one-way analysis of variance detects a difference between the best and the worst system
    interval   the confidence interval of the difference between two systems is no wider than the difference

`variance` is that of the scores of a system after the effects of topic and system are removed; the
difference between two systems has twice that variance.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from rankgauge.measures.rankings.arrays.curves import Floats

MOST = 10_000_000  # topics: the search ends here


def residual_variance(values: Floats) -> float:
    """The variance of (runs, topics) after the effects of runs and topics (two-way ANOVA)."""
    runs, topics = values.shape
    rest = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
    return float((rest * rest).sum() / ((runs - 1) * (topics - 1)))


def within_variance(values: Floats) -> float:
    """The variance of (runs, topics) around the mean of each run (one-way ANOVA)."""
    runs, topics = values.shape
    rest = values - values.mean(axis=1, keepdims=True)
    return float((rest * rest).sum() / (runs * (topics - 1)))


def power_of_t(topics: int, difference: float, variance: float, alpha: float) -> float:
    """The probability that a two-sided paired t-test detects a difference of this size."""
    from scipy.special import ncfdtr, stdtrit

    freedom, shift = topics - 1, topics * difference**2 / (2 * variance)
    critical = stdtrit(freedom, 1 - alpha / 2) ** 2
    return 1 - float(ncfdtr(1, freedom, shift, critical))  # t² has an F distribution


def power_of_anova(topics: int, difference: float, variance: float, alpha: float, systems: int) -> float:
    """The probability that one-way ANOVA detects this difference between the best and the worst system.

    The others may lie anywhere between; this is the least favourable case, where they lie halfway.
    """
    from scipy.special import fdtri, ncfdtr

    between, within = systems - 1, systems * (topics - 1)
    shift = topics * difference**2 / (2 * variance)
    return 1 - float(ncfdtr(between, within, shift, fdtri(between, within, 1 - alpha)))


def width_of_interval(topics: int, variance: float, alpha: float) -> float:
    """The expected width of the confidence interval of the difference between two systems."""
    from scipy.special import stdtrit

    freedom = topics - 1
    # the expected standard deviation of a sample, as a share of the true one
    share = math.sqrt(2 / freedom) * math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2))
    return float(2 * stdtrit(freedom, 1 - alpha / 2) * share * math.sqrt(2 * variance / topics))


def is_enough(
    method: str, difference: float, variance: float, alpha: float, power: float, systems: int
) -> Callable[[int], bool]:
    """Whether a number of topics is enough, as a function of that number."""
    if method == "interval":
        return lambda topics: width_of_interval(topics, variance, alpha) <= difference
    if method == "t":
        return lambda topics: power_of_t(topics, difference, variance, alpha) >= power
    return lambda topics: power_of_anova(topics, difference, variance, alpha, systems) >= power


def topics_needed(enough: Callable[[int], bool]) -> int | None:
    """The smallest number of topics, from 2, that is enough; None if it is above MOST."""
    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
        if low >= MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high if high <= MOST else None


def detectable(method: str, topics: int, variance: float, alpha: float, power: float, systems: int) -> float:
    """The smallest difference for which `topics` topics are enough."""
    if variance == 0.0:
        return 0.0
    if method == "interval":
        return width_of_interval(topics, variance, alpha)
    low, high = 0.0, math.sqrt(variance)

    def enough(difference: float) -> bool:
        return is_enough(method, difference, variance, alpha, power, systems)(topics)

    while not enough(high):
        low, high = high, 2 * high
        if high > 1e12 * math.sqrt(variance):
            return math.nan
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def variance_of(values: Floats, kind: str) -> float:
    """The variance of (runs, topics) for topic set size design."""
    with np.errstate(all="ignore"):
        variance = residual_variance(values) if kind == "residual" else within_variance(values)
    return 0.0 if variance < 1e-24 else variance  # below that, it is all rounding
