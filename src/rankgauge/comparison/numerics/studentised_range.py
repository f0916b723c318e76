"""The distribution of the studentised range, for many values at once.

SciPy has it too, at 20 milliseconds per value: forty minutes for the pairs of five hundred runs, and with no
digits of a small p. Here log p is integrated at fixed places, which depend on runs and degrees of freedom
alone, and read off a spline between them. For whole degrees of freedom, p has nine digits, however small.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

from rankgauge.comparison.numerics.differences import Floats

NORMAL = 9.5  # standard deviations beyond which a normal distribution is negligible
WIDEST = 52.0  # ranges are reached with a probability of 1e-294 here
FARTHEST = 36.0  # the same for studentised ranges, as `_stretched`
FINE, COARSE = 0.04, 0.5  # steps between the places of a spline, near 0 and where the logarithm is smooth
DEGREE = 7  # of the splines
NODES = 128  # of each integral
NEGLIGIBLE = 1e-18

Function = Callable[[Floats], Floats]


def tail(q: Floats, runs: int, df: float) -> Floats:
    """The probability that the range of `runs` normal values over their estimated deviation reaches q."""
    if runs < 2 or df < 1:
        return np.full(len(q), np.nan)
    return np.minimum(1.0, np.exp(_log_tail(runs, df)(q)))


@functools.lru_cache(64)
def quantile(alpha: float, runs: int, df: float) -> float:
    """The q that is reached with probability alpha."""
    if runs < 2 or df < 1:
        return math.nan
    from scipy.optimize import brentq

    if tail(np.zeros(1), runs, df)[0] <= alpha:  # which is 1 but for rounding
        return 0.0
    high = 4.0
    while tail(np.array([high]), runs, df)[0] > alpha:
        high *= 2
    return float(brentq(lambda q: tail(np.array([q]), runs, df)[0] - alpha, 0.0, high, xtol=1e-10))


@functools.lru_cache(16)
def _log_tail(runs: int, df: float) -> Function:
    """The logarithm of the probability that a studentised range reaches q, as a function of q.

    A range w is reached with about exp(-w²/4), so that small deviations s count: the product of their density
    and exp(-q²s²/4) is the density of deviations again, but for a factor, which is narrower by √(df + q²/2).
    """
    from scipy.special import gammainccinv, gammaincinv

    reached = _log_range_tail(runs)
    rest = (
        df / 2,
        NEGLIGIBLE / (20 * runs * runs),
    )  # of the pairs of runs, any may have the largest difference
    low, high = (math.sqrt(2 * float(inverse(*rest))) for inverse in (gammaincinv, gammainccinv))
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
    from scipy.special import ndtr, ndtri

    least = max(-NORMAL, float(ndtri(NEGLIGIBLE ** (1 / (runs - 1)))))  # the largest is hardly ever below
    places = _places(16.0, WIDEST)
    w = places[:, None]
    low, high = np.maximum(least, w / 2 - NORMAL), np.maximum(NORMAL, w / 2 + NORMAL)
    at, weights = _nodes()
    z = low + (high - low) * at
    with np.errstate(divide="ignore"):  # where all are further below, which has the logarithm of 0
        further = -np.expm1((runs - 1) * np.log1p(-ndtr(z - w) / ndtr(z)))
    terms = np.exp(w * w / 4 - z * z / 2) * ndtr(z) ** (runs - 1) * further * weights * (high - low)
    ratios = _spline(places, np.log(terms.sum(axis=1) * runs / math.sqrt(2 * math.pi)))
    return lambda w: ratios(np.minimum(w, WIDEST)) - w * w / 4


def _places(fine: float, end: float) -> Floats:
    """Where a function is integrated: closely up to `fine`, then with large steps until after the end."""
    fine = min(fine, end)
    return np.concatenate([np.arange(0.0, fine, FINE), np.arange(fine, end + COARSE, COARSE)])


def _spline(places: Floats, values: Floats) -> Function:
    from scipy.interpolate import make_interp_spline

    spline: Function = make_interp_spline(places, values, DEGREE)
    return spline


@functools.cache
def _nodes() -> tuple[Floats, Floats]:
    """The nodes and weights of Gauss–Legendre quadrature between 0 and 1."""
    at, weights = np.polynomial.legendre.leggauss(NODES)
    return (at + 1) / 2, weights / 2
