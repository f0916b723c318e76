"""Standard deviations, Student's t, two-sided intervals, and tests of equivalence.

Equivalence and non-inferiority are shown by two one-sided tests (Schuirmann 1987), that the true difference
is -margin or less, and that it is margin or more: both are rejected at level α exactly if the interval of the
difference at level 1 - 2α is within the margin.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from statistics import NormalDist

import numpy as np

from rankgauge.numbers.differences import Floats
from rankgauge.schema.lazy import required_module

LEVEL = 0.95  # of intervals, by default
NORMAL = NormalDist().inv_cdf((1 + LEVEL) / 2)  # standard deviations that such an interval reaches
POWER = 0.8  # for which topics are counted
MAX_TOPICS = 10_000_000  # the search ends here


def deviation(values: Floats) -> Floats:
    """(...) the standard deviation, by n - 1, of (n, ...) values; NaN where fewer than 2 are defined."""
    defined = np.logical_not(np.isnan(values))
    count = defined.sum(axis=0)
    mean = np.where(defined, values, 0.0).sum(axis=0) / np.maximum(count, 1)
    squares = (np.where(defined, values - mean, 0.0) ** 2).sum(axis=0)
    return np.where(count > 1, np.sqrt(squares / np.maximum(count - 1, 1)), np.nan)


def interval_ends(values: Floats, deviations: Floats, level: float, most: float = 1) -> tuple[Floats, Floats]:
    """(low, high): values ± the quantile of the normal distribution × their deviations, within ±`most`."""
    reach = NormalDist().inv_cdf((1 + level) / 2) * deviations
    return np.clip(values - reach, -most, most), np.clip(values + reach, -most, most)


def t_tail(t: Floats, df: float) -> Floats:
    """The two-sided p of t (Student 1908); NaN where it is infinite, since its error is 0."""
    stdtr = required_module("scipy.special").stdtr
    if df <= 0:
        return np.full(t.shape, np.nan)
    with np.errstate(invalid="ignore"):
        p: Floats = 2 * stdtr(df, -np.abs(t))
    p[np.isinf(t)] = np.nan
    return p


def t_quantile(alpha: float, df: float) -> float:
    """The |t| that is reached with probability alpha; NaN without degrees of freedom.

    Of the lower tail, since 1 - alpha / 2 would be 1 for a small alpha.
    """
    stdtrit = required_module("scipy.special").stdtrit
    return min(-float(stdtrit(df, alpha / 2)), sys.float_info.max) if df > 0 else float("nan")


def margin_statistics(difference: Floats, error: Floats, margin: float) -> Floats:
    """(2, pairs): the distances above -margin and below margin in standard errors; NaN without an error."""
    known = np.where(error > 0.0, error, np.nan)
    return np.stack([margin + difference, margin - difference]) / known


def one_sided(difference: Floats, error: Floats, df: float | Floats, margin: float) -> Floats:
    """(2, pairs): p of a true difference of -margin or less, and of margin or more, by t."""
    p: Floats = required_module("scipy.special").stdtr(df, -margin_statistics(difference, error, margin))
    return p


def topics_for_equivalence(deviation: float, margin: float, alpha: float) -> float:
    """The topics that show equivalence with probability POWER, if the true difference is 0; NaN if unknown.

    `deviation` is the standard deviation of the topics' differences (Chow, Shao & Wang 2008, section 3.1).
    """

    def enough(topics: int) -> bool:
        df = topics - 1
        needed = t_quantile(2 * alpha, df) + t_quantile(1 - POWER, df)
        return needed * deviation <= margin * math.sqrt(topics)

    return math.nan if math.isnan(deviation) else topics_needed(enough) or math.nan


def topics_for_difference(effect: float, alpha: float) -> float:
    """The topics on which t finds a true difference of `effect` deviations with probability POWER."""
    special = required_module("scipy.special")

    def enough(topics: int) -> bool:
        critical = t_quantile(alpha, topics - 1) ** 2  # t² has an F distribution
        return bool(special.ncfdtr(1, topics - 1, topics * effect**2, critical) <= 1 - POWER)

    return (math.isfinite(effect) and effect and topics_needed(enough)) or math.nan


def topics_needed(enough: Callable[[int], bool]) -> int | None:
    """The smallest number of topics, from 2, that is enough; None if it is above MAX_TOPICS."""
    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
        if low >= MAX_TOPICS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high if high <= MAX_TOPICS else None
