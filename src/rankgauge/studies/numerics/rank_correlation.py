"""How similar two orders of systems are: Kendall's τ-a and τ-b, weighted τ, τ_AP, rank-biased overlap.

The scores of the systems define an order; higher is better. Systems with equal scores are tied, and each
definition handles ties in its own way; where it yields 0/0, the value is NaN.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rankgauge.model.scores import Scores
from rankgauge.rankings.arrays.curves import Floats
from rankgauge.studies.numerics.matrices import Resampling
from rankgauge.studies.numerics.samples import drawn

CELLS = 1 << 22  # signs of pairs held in memory at once


def pair_signs(values: Any) -> Floats:
    """(..., pairs): 1 where the first system of a pair is better, -1 where the second is, 0 for a tie."""
    values = np.asarray(values, dtype=np.float64)
    first, second = np.triu_indices(values.shape[-1], 1)
    one, other = values[..., first], values[..., second]
    signs: Floats = (one > other).astype(np.float64) - (one < other)  # two infinite values tie
    return signs


def tau_a(x: Any, y: Any) -> float:
    """Kendall's τ-a: concordant minus discordant pairs, over all pairs (Kendall 1948).

    >>> tau_a([3, 2, 1], [3, 1, 1])
    0.6666666666666666
    """
    return float(taus(np.array([_scores(x), _scores(y, like=x)]), "a")[0, 1])


def tau_b(x: Any, y: Any) -> float:
    """Kendall's τ-b: tied pairs are left out of each side's count (Kendall 1948); NaN if all are tied.

    >>> tau_b([3, 2, 1], [3, 1, 1])
    0.8164965809277261
    """
    return float(taus(np.array([_scores(x), _scores(y, like=x)]), "b")[0, 1])


def taus(values: Any, kind: str = "b") -> Floats:
    """(..., m, m): τ-a or τ-b between every two of m orders of n systems, from scores (..., m, n)."""
    signs = pair_signs(values)
    alike = signs @ np.swapaxes(signs, -1, -2)  # whole numbers: exact in any order of addition
    pairs = signs.shape[-1]
    if kind == "a":
        return alike / pairs if pairs else np.full(alike.shape, np.nan)
    untied = np.count_nonzero(signs, axis=-1)
    over = np.sqrt((untied[..., :, None] * untied[..., None, :]).astype(np.float64))
    ratios: Floats = np.divide(alike, over, out=np.full(alike.shape, np.nan), where=over > 0)
    return ratios


def intervals(scores: Scores, samples: int, level: float, seed: int) -> tuple[Floats, Floats]:
    """(low, high), each (measures, measures): percentile intervals of τ-b over bootstrap samples of topics.

    Samples in which all runs tie by a measure have no τ-b and are left out.
    """
    count = len(scores.measures)
    if not samples:
        return np.full((count, count), np.nan), np.full((count, count), np.nan)
    resampling = Resampling(scores)
    several = max(1, CELLS // (count * len(scores.runs) ** 2))
    values = np.concatenate(
        [
            taus(resampling.oriented(sets[begin : begin + several]))
            for sets in drawn(resampling.topics, resampling.topics, samples, seed, replacement=True)
            for begin in range(0, len(sets), several)
        ]
    )
    ends = np.full((2, count, count), np.nan)
    for i, j in np.ndindex(count, count):
        defined = values[:, i, j][~np.isnan(values[:, i, j])]
        if len(defined):
            ends[:, i, j] = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return ends[0], ends[1]


def tau_ap(x: Any, y: Any) -> float:
    """τ_AP of the order x, with the order y as reference: swaps near the top of x count more.

    The definition of Yilmaz, Aslam and Robertson (2008), averaged over all orders of systems tied in x; a
    pair tied in y counts neither for nor against (τ_AP,a of Urbano and Marrero 2017).

    >>> tau_ap([4, 3, 2, 1], [3, 4, 2, 1]), tau_ap([4, 3, 2, 1], [4, 3, 1, 2])
    (0.3333333333333333, 0.7777777777777778)
    """
    values, reference = _scores(x), _scores(y, like=x)
    n = len(values)
    if n < 2:
        return math.nan
    terms = []
    for i in range(n):
        above = values > values[i]
        count = int(np.count_nonzero(above))
        tied = int(np.count_nonzero(values == values[i]))
        if count:
            others = reference[above]
            agreeing = int(np.count_nonzero(others > reference[i]) - np.count_nonzero(others < reference[i]))
            terms += [agreeing / (tied * place) for place in range(count, count + tied)]
    return math.fsum(terms) / (n - 1)


def tau_w(x: Any, y: Any) -> float:
    """Weighted τ (Vigna 2015): an exchange of two systems weighs the more, the higher they stand.

    A pair weighs the sum of 1/rank of its systems. It is the mean of the two values by the ranks of either
    order, those of systems tied in it by the other; pairs tied in an order are left out, as by τ-b.

    >>> round(tau_w([4, 3, 2, 1], [3, 4, 2, 1]), 4), round(tau_w([4, 3, 2, 1], [4, 3, 1, 2]), 4)
    (0.52, 0.8133)
    """
    from scipy.stats import weightedtau  # takes a while to import

    return float(weightedtau(_scores(x), _scores(y, like=x)).statistic) if len(x) > 1 else math.nan


def rbo(x: Any, y: Any, p: float = 0.9) -> float:
    """Rank-biased overlap of two orders of the same systems, extrapolated (Webber, Moffat and Zobel 2010).

    Tied systems all have the first of the ranks they occupy, as in the paper.

    >>> rbo([3, 2, 1], [3, 2, 1]), round(rbo([3, 2, 1], [1, 2, 3]), 4)
    (1.0, 0.855)
    """
    ranks = [np.array([np.count_nonzero(s > one) for one in s]) + 1 for s in (_scores(x), _scores(y, like=x))]
    n = len(ranks[0])
    if not n:
        return math.nan
    terms, agreement, weight = [], 0.0, 1.0 - p
    for depth in range(1, n + 1):
        tops = [rank <= depth for rank in ranks]
        common = int(np.count_nonzero(tops[0] & tops[1]))
        agreement = 2 * common / sum(int(np.count_nonzero(top)) for top in tops)
        terms.append(weight * agreement)
        weight *= p
    return math.fsum([*terms, agreement * weight / (1.0 - p)])


def _scores(values: Any, like: Any = None) -> Floats:
    scores = np.asarray(values, dtype=np.float64)
    if scores.ndim != 1 or np.isnan(scores).any() or (like is not None and len(like) != len(scores)):
        raise ValueError("an order is one number per system, for the same systems on both sides")
    return scores
