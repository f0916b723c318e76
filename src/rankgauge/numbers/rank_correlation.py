"""Rank correlation of two orders of systems, given by their scores; higher is better.

Each definition has its own rule for tied systems; where it yields 0/0, the value is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate, repeat
from operator import mul
from typing import Any

import numpy as np

from rankgauge.model.scores import Scores
from rankgauge.numbers.differences import Floats
from rankgauge.numbers.intervals import deviation
from rankgauge.numbers.matrices import Resampling, places
from rankgauge.schema.lazy import required_module


def pair_signs(values: Any) -> Floats:
    """(..., pairs): 1 where the first system of a pair is better, -1 where the second is, 0 for a tie."""
    values = np.asarray(values, dtype=np.float64)
    first, second = np.triu_indices(values.shape[-1], 1)
    one, other = values[..., first], values[..., second]
    signs: Floats = (one > other).astype(np.float64) - (one < other)  # two infinite values tie
    return signs


def complete(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The scores of the systems that have both."""
    both = np.logical_not(np.isnan(x) | np.isnan(y))
    return x[both], y[both]


def tau_a(x: Any, y: Any) -> float:
    """Kendall's τ-a: concordant minus discordant pairs, over all pairs (Kendall 1948).

    >>> tau_a([3, 2, 1], [3, 1, 1])
    0.6666666666666666
    """
    return float(taus(np.array([order_of(x), order_of(y, like=x)]))[0][0, 1])


def tau_b(x: Any, y: Any) -> float:
    """Kendall's τ-b: tied pairs are left out of each side's count (Kendall 1948); NaN if all are tied.

    >>> tau_b([3, 2, 1], [3, 1, 1])
    0.8164965809277261
    """
    return float(taus(np.array([order_of(x), order_of(y, like=x)]))[1][0, 1])


def tau_of_orders(one: Floats, other: Floats) -> Floats:
    """(measures,) τ-b between orders of runs, given by oriented means (measures, runs); NaN if undefined."""
    pairs = list(zip(one, other, strict=True))
    return np.array([tau_b(*pair) if np.isfinite(pair).all() else math.nan for pair in pairs])


def taus(values: Any) -> tuple[Floats, Floats]:
    """(τ-a, τ-b), each (..., m, m), between every two of m orders of n systems, from scores (..., m, n)."""
    signs = pair_signs(values)
    alike = signs @ np.swapaxes(signs, -1, -2)  # whole numbers: exact in any order of addition
    pairs = signs.shape[-1]
    untied = np.count_nonzero(signs, axis=-1)
    over = np.sqrt((untied[..., :, None] * untied[..., None, :]).astype(np.float64))
    ratios: Floats = np.divide(alike, over, out=np.full(alike.shape, np.nan), where=over > 0)
    return alike / pairs if pairs else np.full(alike.shape, np.nan), ratios


def coefficients(values: Any) -> Floats:
    """(3, ..., m, m): τ-a, τ-b and τ_AP between every two of m orders of systems, from scores (..., m, n).

    The reference of τ_AP is the order in the column. Where a system has no score in an order, every two
    orders are compared on the systems that have both.
    """
    if not np.isnan(values).any():
        return np.array([*taus(values), taus_ap(values)])
    tables = np.empty((3, len(values), len(values)))
    for i, j in np.ndindex(*tables.shape[1:]):
        tables[:, i, j] = coefficients(np.array(complete(values[i], values[j])))[:, 0, 1]
    return tables


def deviations(scores: Scores, samples: int, seed: int) -> Floats:
    """(3, m, m) the standard deviation of each coefficient over bootstrap samples of topics.

    Samples in which all runs tie on a measure have no τ-b and are left out; with fewer than two others, the
    deviation is NaN.
    """
    if not samples:
        return np.full((3, len(scores.measures), len(scores.measures)), np.nan)
    parts = [coefficients(block) for block in Resampling(scores).bootstrap(samples, seed)]
    return deviation(np.moveaxis(np.concatenate(parts, axis=1), 1, 0))


def tau_ap(x: Any, y: Any) -> float:
    """τ_AP of the order x, with the order y as reference: swaps near the top of x count more.

    The definition of Yilmaz, Aslam and Robertson (2008), averaged over all orders of systems tied in x; a
    pair tied in y counts neither for nor against (τ_AP,a of Urbano and Marrero 2017).

    >>> tau_ap([4, 3, 2, 1], [3, 4, 2, 1]), tau_ap([4, 3, 2, 1], [4, 3, 1, 2])
    (0.3333333333333333, 0.7777777777777778)
    """
    return float(taus_ap(np.array([order_of(x), order_of(y, like=x)]))[0, 1])


def taus_ap(values: Any) -> Floats:
    """(..., m, m): τ_AP of every order, with every other as reference, from scores (..., m, n)."""
    values = np.asarray(values, dtype=np.float64)
    *shape, systems = values.shape
    if systems < 2:
        return np.full((*shape, shape[-1]), np.nan)
    one, other = values[..., :, None], values[..., None, :]
    above = (other > one).astype(np.float64)  # (..., m, n, n): whether the second is above the first
    count, tied = above.sum(axis=-1).astype(np.intp), (other == one).sum(axis=-1)
    # A system with `count` above it and `tied` at its own score (itself among them) is at each of the places
    # from `count` on, counted from 0, in equally many orders of the ties.
    sums = np.concatenate([[0.0, 0.0], np.cumsum(1 / np.arange(1, systems))])  # of 1 / place, up to it
    alone = 1 / np.maximum(count, 1)
    weight = np.where(tied == 1, alone, (sums[count + tied] - sums[count]) / tied) * (count > 0)
    # (..., n, m, m): whole numbers, exact in any order of addition, as in `taus`
    agreeing = np.moveaxis(above, -2, -3) @ np.swapaxes(np.moveaxis(above - (other < one), -2, -3), -1, -2)
    ratios: Floats = (np.swapaxes(weight, -1, -2)[..., None] * agreeing).sum(axis=-3) / (systems - 1)
    return ratios


def tau_w(x: Any, y: Any) -> float:
    """Weighted τ (Vigna 2015): an exchange of two systems weighs more, the higher they stand.

    A pair weighs the sum of 1/rank of its systems. The value is the mean of two, by the ranks of either
    order, with ties broken by the other; pairs tied in an order are left out, as by τ-b.

    >>> round(tau_w([4, 3, 2, 1], [3, 4, 2, 1]), 4), round(tau_w([4, 3, 2, 1], [4, 3, 1, 2]), 4)
    (0.52, 0.8133)
    """
    weightedtau = required_module("scipy.stats").weightedtau  # takes a while to import
    return float(weightedtau(order_of(x), order_of(y, like=x)).statistic) if len(x) > 1 else math.nan


def rbo(x: Any, y: Any, p: float = 0.9) -> float:
    """Rank-biased overlap of two orders of the same systems, extrapolated (Webber, Moffat and Zobel 2010).

    Tied systems all have the first of the ranks they occupy, as in the paper.

    >>> rbo([3, 2, 1], [3, 2, 1]), round(rbo([3, 2, 1], [1, 2, 3]), 4)
    (1.0, 0.855)
    """
    return float(rbos(order_of(x), order_of(y, like=x), p))


def rbos(one: Floats, other: Floats, p: float = 0.9) -> Floats:
    """(...,) the rank-biased overlap of many pairs of orders, from scores (..., n)."""
    depths = np.arange(1, one.shape[-1] + 1)
    if not len(depths):
        return np.full(one.shape[:-1], np.nan)
    first, second = (places(order)[..., None] <= depths for order in (one, other))
    agreements = 2 * (first & second).sum(axis=-2) / (first.sum(axis=-2) + second.sum(axis=-2))
    rows = agreements.reshape(-1, len(depths)).tolist()
    return np.reshape([_extrapolated(row, p) for row in rows], one.shape[:-1])


def rbo_of_rankings(one: Sequence[str], other: Sequence[str], p: float = 0.9) -> float:
    """Rank-biased overlap of two rankings of any documents and lengths, extrapolated; 0 if one is empty.

    Equation 32 of Webber, Moffat and Zobel (2010).

    >>> rbo_of_rankings("ab", "ab"), round(rbo_of_rankings("abc", "cba"), 4), rbo_of_rankings("ab", "cd")
    (1.0, 0.855, 0.0)
    """
    short, long = sorted((one, other), key=len)
    if not short:
        return 0.0 if long else math.nan
    rank = {document: place for place, document in enumerate(short, 1)}
    depths, end = np.arange(1, len(long) + 1), len(short)
    met = np.maximum(depths, [rank.get(document, len(long) + 1) for document in long])
    common = np.cumsum(np.bincount(met, minlength=len(long) + 1))[1 : len(long) + 1]
    # below its end, the shorter ranking agrees as it did above
    assumed = common[end - 1] * np.maximum(depths - end, 0) / end
    return _extrapolated(((common + assumed) / depths).tolist(), p)


def _extrapolated(agreements: Sequence[float], p: float) -> float:
    """RBO from the agreement at each depth; below the last, the agreement stays as it is."""
    weights = [*accumulate(repeat(p, len(agreements)), mul, initial=1.0 - p)]
    terms = [*map(mul, weights, agreements), agreements[-1] * weights[-1] / (1.0 - p)]
    return min(1.0, math.fsum(terms))  # but for rounding


def order_of(values: Any, like: Any = None) -> Floats:
    """The scores of systems as an array; `like` has those of the same systems in another order."""
    scores = np.asarray(values, dtype=np.float64)
    if scores.ndim != 1 or np.isnan(scores).any() or (like is not None and len(like) != len(scores)):
        raise ValueError("an order is one number per system, for the same systems on both sides")
    return scores
