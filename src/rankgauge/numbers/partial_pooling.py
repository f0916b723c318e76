"""Estimates of segments, shrunken toward their common mean by how little they truly seem to differ."""

from __future__ import annotations

import numpy as np

from rankgauge.numbers.differences import CELLS, Floats, Ints, differences, groups
from rankgauge.numbers.intervals import t_quantile

LEAST = 3  # segments: two do not show how much segments differ
PRIOR = 4  # topics of each segment that would vary like those of all segments
SPREADS = 3 * np.linspace(0, 1, 101) ** 2  # true standard deviations, in ranges of the observed means


def shrunken(z: Floats, labels: Ints, alpha: float) -> Floats:
    """(3, pairs, segments): estimates of the mean of each segment, and the ends of their intervals.

    `z` are differences, (pairs, topics), and `labels` their segments, 0, 1 and so on, of two topics or more.
    True means are normal around a common one, and variances are drawn toward their mean. The estimates are
    expectations over all spreads of true means, by a uniform prior (Gelman et al. 2013, section 5.4).
    Undefined are NaN.
    """
    counts = np.bincount(labels)
    inside = (labels[:, None] == np.arange(len(counts))).astype(np.float64)
    means = z @ inside / counts
    if len(counts) < LEAST:
        return np.full((3, *means.shape), np.nan)
    squares = (z - means[:, labels]) ** 2 @ inside
    typical = (squares / (counts - 1)).mean(axis=1, keepdims=True)
    variances = (PRIOR * typical + squares) / (PRIOR + counts - 1) / counts
    variances[typical[:, 0] <= 1e-20] = np.nan  # no topic differs from others of its segment
    spreads = (np.ptp(means, axis=1, keepdims=True) * SPREADS)[..., None]
    total = variances[:, None] + spreads**2  # (pairs, spreads, segments)
    of_centre = 1 / (1 / total).sum(axis=2, keepdims=True)
    centre = of_centre * (means[:, None] / total).sum(axis=2, keepdims=True)
    fit = np.log(of_centre[..., 0]) - (np.log(total) + (means[:, None] - centre) ** 2 / total).sum(axis=2)
    weights = np.exp((fit - fit.max(axis=1, keepdims=True)) / 2) * np.gradient(SPREADS)
    weights = (weights / weights.sum(axis=1, keepdims=True))[..., None]
    pull = variances[:, None] / total
    found = means[:, None] + pull * (centre - means[:, None])
    value = (weights * found).sum(axis=1)
    spread = (weights * ((1 - pull) * variances[:, None] + pull**2 * of_centre + found**2)).sum(axis=1)
    half = t_quantile(alpha, len(labels) - len(counts)) * np.sqrt(np.maximum(spread - value**2, 0.0))
    return np.stack([value, value - half, value + half])


def estimates(values: Floats, labels: Ints, first: Ints, second: Ints, alpha: float) -> Floats:
    """(3, pairs, segments): the same of runs, (runs, topics), NaN where a topic does not count."""
    found = np.full((3, len(first), labels.max() + 1), np.nan)
    for pairs, topics in groups(values, first, second, "pairs"):
        counts = np.bincount(labels[topics], minlength=found.shape[2])
        kept = topics[counts[labels[topics]] > 1]
        if len(kept):
            places, inside = np.unique(labels[kept], return_inverse=True)
            several = max(1, CELLS // (len(SPREADS) * len(places)))
            for begin in range(0, len(pairs), several):
                some = pairs[begin : begin + several]
                z = differences(values[:, kept], first[some], second[some])
                found[:, some[:, None], places] = shrunken(z, inside, alpha)
    return found
