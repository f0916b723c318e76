"""Equivalence and non-inferiority: whether the true difference is shown to be smaller than a margin.

Two one-sided tests (Schuirmann 1987): that the difference is -margin or less, and that it is margin or more.
Both are rejected at level α exactly if the interval of the difference at level 1 - 2α is within the margin.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from rankgauge.comparison.procedures.paired import t_quantile
from rankgauge.numbers.differences import Floats
from rankgauge.schema.lazy import required_module

POWER = 0.8  # for which topics are counted
MAX_TOPICS = 10_000_000  # the search ends here


def correction_of(correction: str, familywise: bool) -> str:
    """The correction of one-sided p: Holm's where the test itself accounts for all pairs."""
    return "holm" if familywise and correction == "none" else correction


def statistics(difference: Floats, error: Floats, margin: float) -> Floats:
    """(2, pairs): the distances above -margin and below margin in standard errors; NaN without an error."""
    known = np.where(error > 0.0, error, np.nan)
    return np.stack([margin + difference, margin - difference]) / known


def one_sided(difference: Floats, error: Floats, df: float | Floats, margin: float) -> Floats:
    """(2, pairs): p of a true difference of -margin or less, and of margin or more, by t."""
    p: Floats = required_module("scipy.special").stdtr(df, -statistics(difference, error, margin))
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
