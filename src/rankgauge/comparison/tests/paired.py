"""Tests of the differences of two runs by the distributions of textbooks."""

from __future__ import annotations

import numpy as np

from rankgauge.comparison.differences import Floats
from rankgauge.comparison.exact import moments
from rankgauge.comparison.registry import Outcome, TestOptions, differing, statistical_test


@statistical_test(
    "t",
    title="paired t-test",
    cite="Student 1908; for retrieval: Hull 1993; Urbano, Lima & Hanjalic 2019",
    statistic="t = mean of the differences / (their standard deviation / √n)",
)
def t(z: Floats, ask: TestOptions) -> Outcome:
    """Whether the mean of the differences is 0, if means of so many topics are normally distributed."""
    topics = z.shape[1]
    found = moments(z).t
    return Outcome(found, t_tail(found, topics - 1), [f"t distribution, {topics - 1} df"] * len(z))


@statistical_test(
    "sign",
    title="sign test",
    cite="Arbuthnott 1710; Conover 1999, section 3.4",
    statistic="topics on which the run is higher, of those on which the two differ",
)
def sign(z: Floats, ask: TestOptions) -> Outcome:
    """Whether either run is as likely to have the higher value on a topic; equal values are left out."""
    from scipy.special import bdtr

    higher, lower = (z > 0).sum(axis=1), (z < 0).sum(axis=1)
    topics = higher + lower
    p = np.minimum(1.0, 2 * bdtr(np.minimum(higher, lower), topics, 0.5))
    p[topics == 0] = np.nan
    return Outcome(higher.astype(np.float64), p, [f"exact, {differing(count)}" for count in topics])


def t_tail(t: Floats, df: float) -> Floats:
    """The probability of a t at least as far from 0."""
    from scipy.special import stdtr

    with np.errstate(invalid="ignore"):
        found: Floats = 2 * stdtr(df, -np.abs(t)) if df > 0 else np.full(t.shape, np.nan)
    return found


def t_quantile(alpha: float, df: float) -> float:
    """The |t| that is reached with probability alpha; NaN without degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(df, 1 - alpha / 2)) if df > 0 else float("nan")
