"""Analysis of variance: all runs share one estimate of the error, with topics as blocks or without."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankgauge.comparison.numerics.differences import Floats, Ints, cleared
from rankgauge.comparison.numerics.studentised_range import quantile, tail
from rankgauge.comparison.registry import Outcome, Overall, TestOptions, statistical_test
from rankgauge.comparison.tests.paired import t_quantile, t_tail

SHARED = "difference / standard deviation of the error that all runs share"
POOLED = "interval of the mean difference by the error that all runs share"


@dataclass(frozen=True)
class Layout:
    """An analysis of variance of (runs, topics)."""

    unit: float  # of means and variance: a power of two that keeps squares from overflowing
    means: Floats  # (runs,) less the grand mean
    topics: int
    variance: float  # of the error; NaN without degrees of freedom
    df: int  # of the error
    overall: Overall

    def outcome(self, first: Ints, second: Ints, options: TestOptions) -> Outcome:
        """The t-test of each pair with the shared error."""
        error = math.sqrt(2 * self.variance / self.topics)
        t = self.ratio(first, second, error)
        return Outcome(
            t,
            t_tail(t, self.df),
            [f"t distribution, {self.df} df"] * len(first),
            error=math.sqrt(self.variance) * self.unit,
            half=np.full(len(first), t_quantile(options.alpha, self.df) * error * self.unit),
            overall=self.overall,
        )

    def ratio(self, first: Ints, second: Ints, error: float) -> Floats:
        """Differences of means over their error; infinite where that is 0, NaN where both are."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios: Floats = (self.means[first] - self.means[second]) / error
        return ratios


def layout(values: Floats, *, blocks: bool) -> Layout:
    """The analysis of (runs, topics), with topics as blocks or as mere repetitions."""
    from scipy.special import fdtrc

    runs, topics = values.shape
    exponent = int(np.frexp(np.abs(values).max(initial=0.0))[1])
    values, size = np.ldexp(values, -exponent), np.ones(1)
    values = values - (0.5 * values.min() + 0.5 * values.max())  # exact where differences are small
    grand = math.fsum(values.ravel().tolist()) / values.size
    means = np.array([math.fsum(row) / topics for row in values.tolist()])
    # A sum that is 0 but for rounding must not become a divisor.
    means = cleared(means[None] - grand, size)[0]
    residuals = values - grand - means[:, None]
    if blocks:
        residuals = residuals - np.array([math.fsum(row) / runs for row in residuals.T.tolist()])
    residuals = cleared(residuals.reshape(1, -1), size)[0]
    df = (runs - 1, (runs - 1) * (topics - 1) if blocks else runs * (topics - 1))
    left = math.fsum((residuals * residuals).tolist())
    between = topics * math.fsum((means * means).tolist())
    variance = left / df[1] if df[1] else math.nan
    statistic = math.nan
    if runs > 1 and df[1] and (between or left):
        statistic = between / df[0] / variance if left else math.inf
    p = float(fdtrc(*df, statistic)) if math.isfinite(statistic) else math.nan
    overall = Overall(f"F({df[0]}, {df[1]})", statistic, p)
    return Layout(math.ldexp(1.0, exponent), means, topics, variance, df[1], overall)


@statistical_test(
    "anova-one-way",
    title="one-way analysis of variance",
    cite="Fisher 1925; for retrieval: Tague-Sutcliffe & Blustein 1995",
    statistic="t = difference of the means / its standard error",
    kind="all",
    effect=SHARED,
    interval=POOLED,
)
def one_way(values: Floats, first: Ints, second: Ints, options: TestOptions) -> Outcome:
    """Whether the runs' means differ, as if each run had topics of its own."""
    return layout(values, blocks=False).outcome(first, second, options)


@statistical_test(
    "anova-two-way",
    title="two-way analysis of variance (runs and topics)",
    cite="Fisher 1925; for retrieval: Tague-Sutcliffe & Blustein 1995; Carterette 2012",
    statistic="t = difference of the means / its standard error",
    kind="all",
    effect=SHARED,
    interval=POOLED,
)
def two_way(values: Floats, first: Ints, second: Ints, options: TestOptions) -> Outcome:
    """Whether the runs' means differ, with topics as blocks: hard topics are hard for all."""
    return layout(values, blocks=True).outcome(first, second, options)


@statistical_test(
    "tukey",
    title="Tukey HSD test on the two-way model",
    cite="Tukey 1949; for retrieval: Carterette 2012; Sakai 2018",
    statistic="q = difference of the means / √(variance of the error / n)",
    kind="all",
    familywise=True,
    effect=SHARED,
    interval="simultaneous interval of the mean difference (Tukey)",
)
def tukey(values: Floats, first: Ints, second: Ints, options: TestOptions) -> Outcome:
    """Whether two means differ by more than the largest difference expected among as many equal runs."""
    analysis = layout(values, blocks=True)
    error = math.sqrt(analysis.variance / analysis.topics)
    q = analysis.ratio(first, second, error)
    p = tail(np.abs(q), len(values), analysis.df)
    p[np.isinf(q)] = np.nan  # without an error, nothing shows how much means vary
    return Outcome(
        q,
        p,
        [f"studentised range of {len(values)} runs, {analysis.df} df"] * len(first),
        error=math.sqrt(analysis.variance) * analysis.unit,
        half=np.full(len(first), quantile(options.alpha, len(values), analysis.df) * error * analysis.unit),
        overall=analysis.overall,
    )
