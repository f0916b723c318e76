"""Analysis of variance: all runs share one estimate of the error, with topics as blocks or without."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankgauge.comparison.registry import Outcome, Overall, TestOptions, statistical_test
from rankgauge.numbers.differences import Floats, Ints, cleared
from rankgauge.numbers.intervals import t_quantile, t_tail
from rankgauge.schema.lazy import required_module

SHARED = "difference / standard deviation of the error that all runs share"
POOLED = "interval of the mean difference by the error that all runs share"
NORMAL = 9.5  # standard deviations beyond which a normal distribution is negligible
WIDEST = 52.0  # ranges are reached with a probability of 1e-294 here
FARTHEST = 36.0  # the same for studentised ranges, as `_stretched`
FINE, COARSE = 0.04, 0.5  # steps between the places of a spline, near 0 and where the logarithm is smooth
DEGREE = 7  # of the splines
NODES = 128  # of each integral
NEGLIGIBLE = 1e-18
Function = Callable[[Floats], Floats]


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
    fdtrc = required_module("scipy.special").fdtrc
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
    overall = Overall(f"F({df[0]}, {df[1]})", statistic, p, test="the analysis of variance")
    return Layout(math.ldexp(1.0, exponent), means, topics, variance, df[1], overall)


@statistical_test(
    "anova-one-way",
    title="one-way analysis of variance",
    cite="Fisher 1925; for retrieval: Tague-Sutcliffe & Blustein 1995",
    statistic="t = difference of the means / its standard error",
    kind="all",
    effect=SHARED,
    interval=POOLED,
    parametric=True,
    paired=False,
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
    parametric=True,
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
    parametric=True,
)
def tukey(values: Floats, first: Ints, second: Ints, options: TestOptions) -> Outcome:
    """Whether two means differ by more than the largest difference expected among as many equal runs."""
    analysis = layout(values, blocks=True)
    error = math.sqrt(analysis.variance / analysis.topics)
    q = analysis.ratio(first, second, error)
    p = range_tail(np.abs(q), len(values), analysis.df)
    p[np.isinf(q)] = np.nan  # without an error, nothing shows how much means vary
    return Outcome(
        q,
        p,
        [f"studentised range of {len(values)} runs, {analysis.df} df"] * len(first),
        error=math.sqrt(analysis.variance) * analysis.unit,
        half=np.full(
            len(first), range_quantile(options.alpha, len(values), analysis.df) * error * analysis.unit
        ),
        overall=analysis.overall,
    )


def range_tail(q: Floats, runs: int, df: float) -> Floats:
    """The probability that the range of `runs` normal values over their estimated deviation reaches q.

    SciPy has it too, at 20 milliseconds per value, and with no digits of a small p. Here log p is integrated
    at fixed places, which depend on runs and degrees of freedom alone, and read off a spline between them.
    For whole degrees of freedom, p has nine digits, however small.
    """
    if runs < 2 or df < 1:
        return np.full(len(q), np.nan)
    return np.minimum(1.0, np.exp(_log_tail(runs, df)(q)))


@functools.lru_cache(64)
def range_quantile(alpha: float, runs: int, df: float) -> float:
    """The q that is reached with probability alpha."""
    if runs < 2 or df < 1:
        return math.nan
    brentq = required_module("scipy.optimize").brentq
    if range_tail(np.zeros(1), runs, df)[0] <= alpha:  # which is 1 but for rounding
        return 0.0
    high = 4.0
    while range_tail(np.array([high]), runs, df)[0] > alpha:
        high *= 2
    return float(brentq(lambda q: range_tail(np.array([q]), runs, df)[0] - alpha, 0.0, high, xtol=1e-10))


@functools.lru_cache(16)
def _log_tail(runs: int, df: float) -> Function:
    """The logarithm of the probability that a studentised range reaches q, as a function of q.

    A range w is reached with about exp(-w²/4), so small deviations s count: the product of their density and
    exp(-q²s²/4) is the density of deviations again, but for a factor, narrower by √(df + q²/2).
    """
    special = required_module("scipy.special")
    reached = _log_range_tail(runs)
    rest = (
        df / 2,
        NEGLIGIBLE / (20 * runs * runs),
    )  # of the pairs of runs, any may have the largest difference
    low, high = (
        math.sqrt(2 * float(inverse(*rest))) for inverse in (special.gammaincinv, special.gammainccinv)
    )
    at, weights = _nodes()

    def log_integral(q: Floats, reached: Function) -> Floats:
        begin, end = (each / np.sqrt(df + q * q / 2) for each in (low, high))
        s = begin[:, None] + (end - begin)[:, None] * at
        away = s - 1
        log_density = df * (np.log(s) - away - away * away / 2) - np.log(s)
        # Both logarithms are large where p is small: scaled by about p, none of the terms underflows.
        terms = np.exp(reached(q[:, None] * s) + log_density + _stretched(q, df)[:, None] ** 2 / 2)
        logs: Floats = np.log((terms * weights).sum(axis=1) * (end - begin))
        return logs

    whole = float(log_integral(np.zeros(1), np.zeros_like)[0])
    farthest = min(FARTHEST, math.sqrt(600 * df))  # with few degrees of freedom q would overflow
    places = _places(12.0, farthest)
    ratios = _spline(places, log_integral(np.sqrt(2 * df * np.expm1(places * places / df)), reached) - whole)

    def log_tail(q: Floats) -> Floats:
        u = _stretched(q, df)
        return ratios(np.minimum(u, farthest)) - u * u / 2

    return log_tail


def _stretched(q: Floats, df: float) -> Floats:
    """The u for which p is about exp(-u²/2)."""
    with np.errstate(over="ignore"):
        return np.sqrt(df * np.log1p(q * q / (2 * df)))


@functools.lru_cache(16)
def _log_range_tail(runs: int) -> Function:
    """The logarithm of the probability that the range of `runs` standard normal values reaches w.

    The largest value is at z, and at least one of the others is further below it than the range.
    """
    special = required_module("scipy.special")
    # the largest is hardly ever below
    least = max(-NORMAL, float(special.ndtri(NEGLIGIBLE ** (1 / (runs - 1)))))
    places = _places(16.0, WIDEST)
    w = places[:, None]
    low, high = np.maximum(least, w / 2 - NORMAL), np.maximum(NORMAL, w / 2 + NORMAL)
    at, weights = _nodes()
    z = low + (high - low) * at
    with np.errstate(divide="ignore"):  # where all are further below, which has the logarithm of 0
        further = -np.expm1((runs - 1) * np.log1p(-special.ndtr(z - w) / special.ndtr(z)))
    terms = np.exp(w * w / 4 - z * z / 2) * special.ndtr(z) ** (runs - 1) * further * weights * (high - low)
    ratios = _spline(places, np.log(terms.sum(axis=1) * runs / math.sqrt(2 * math.pi)))
    return lambda w: ratios(np.minimum(w, WIDEST)) - w * w / 4


def _places(fine: float, end: float) -> Floats:
    """Where a function is integrated: closely up to `fine`, then with large steps until after the end."""
    fine = min(fine, end)
    return np.concatenate([np.arange(0.0, fine, FINE), np.arange(fine, end + COARSE, COARSE)])


def _spline(places: Floats, values: Floats) -> Function:
    make_interp_spline = required_module("scipy.interpolate").make_interp_spline
    spline: Function = make_interp_spline(places, values, DEGREE)
    return spline


@functools.cache
def _nodes() -> tuple[Floats, Floats]:
    at, weights = np.polynomial.legendre.leggauss(NODES)
    return (at + 1) / 2, weights / 2
