"""The test of interaction: whether the difference of two runs depends on the segment of a topic."""

from __future__ import annotations

import numpy as np

from rankgauge.numbers.differences import Floats, Ints, differences, groups

PERMUTATIONS = 10_000
CELLS = 1 << 20  # of permuted labels that are in memory at once
ROUNDING = 1e-9  # relative, of statistics that would be equal


def interaction_p(values: Floats, labels: Ints, first: Ints, second: Ints, seed: int) -> Floats:
    """(pairs,) p of each pair; NaN if its topics are in a single segment.

    `values` are (runs, topics), NaN where a topic does not count, and `labels` (topics,) the segments.
    """
    p = np.full(len(first), np.nan)
    for pairs, topics in groups(values, first, second, "pairs"):
        _, inside, counts = np.unique(labels[topics], return_inverse=True, return_counts=True)
        if len(counts) > 1:
            z = differences(np.nan_to_num(values[:, topics]), first[pairs], second[pairs])
            p[pairs] = _permuted(z, inside, counts.astype(np.float64), seed)
    return p


def _permuted(z: Floats, labels: Ints, counts: Floats, seed: int) -> Floats:
    """The share of permutations of the labels whose statistic reaches the observed one, which counts, too."""
    random, topics, segments = np.random.default_rng(seed), len(labels), len(counts)
    sizes = np.abs(z).max(axis=1, keepdims=True)
    z = z - z.mean(axis=1, keepdims=True)
    z[np.abs(z) <= ROUNDING * sizes] = 0.0
    observed = _spread(z, labels[None], counts)[:, 0] * (1 - ROUNDING)
    several = max(1, CELLS // (segments * max(topics, len(z))))
    reached = np.ones(len(z))
    for begin in range(0, PERMUTATIONS, several):
        rows = min(several, PERMUTATIONS - begin)
        permuted = random.permuted(np.broadcast_to(labels, (rows, topics)), axis=1)
        reached += (_spread(z, permuted, counts) >= observed[:, None]).sum(axis=1)
    return reached / (PERMUTATIONS + 1)


def _spread(z: Floats, labels: Ints, counts: Floats) -> Floats:
    """(pairs, permutations): how far the means of segments are from each other, in standard errors.

    Welch's statistic: segments may vary differently. The variance within a segment has the variance of all
    topics as one more observation, so that it is known for single topics and for equal differences, too.
    """
    segments = len(counts)
    inside = (labels[:, None, :] == np.arange(segments)[:, None]).reshape(-1, labels.shape[1]).T
    overall = z.var(axis=1, ddof=1)[:, None, None]
    means, squares = ((each @ inside.astype(np.float64)).reshape(len(z), -1, segments) for each in (z, z**2))
    means /= counts
    variances = np.maximum(squares - counts * means**2, 0.0) + overall
    with np.errstate(invalid="ignore", divide="ignore"):  # where no topic differs from another
        weights = counts**2 / variances
        centre = (weights * means).sum(axis=2, keepdims=True) / weights.sum(axis=2, keepdims=True)
        spread: Floats = np.nan_to_num((weights * (means - centre) ** 2).sum(axis=2))
    return spread
