"""Whether the difference of two runs depends on the segment of a topic."""

from __future__ import annotations

import numpy as np

from rankgauge.numbers.differences import Floats, Ints, differences, groups
from rankgauge.schema.lazy import required_module

PERMUTATIONS = 10_000  # of segments
CELLS = 1 << 20  # of permuted segments that are in memory at once
LEAST = 3  # topics of a segment whose variance counts: fewer err more often, and more cost power
ROUNDING = 1e-9  # relative, of statistics that would be equal


def interaction_p(values: Floats, labels: Ints, first: Ints, second: Ints, seed: int) -> Floats:
    """(pairs,) p of each pair; NaN if its topics are in fewer than two segments that count.

    `values` are (runs, topics), NaN where a topic does not count, and `labels` (topics,) the segments. Those
    of fewer than LEAST topics are one segment together, which is left out if it still has fewer.
    """
    p = np.full(len(first), np.nan)
    for pairs, topics in groups(values, first, second, "pairs"):
        inside = labels[topics]
        inside = np.where(np.bincount(inside)[inside] < LEAST, -1, inside)
        kept = (inside >= 0) | (np.count_nonzero(inside < 0) >= LEAST)
        _, inside, counts = np.unique(inside[kept], return_inverse=True, return_counts=True)
        if len(counts) > 1:
            z = differences(np.nan_to_num(values[:, topics[kept]]), first[pairs], second[pairs])
            p[pairs] = _dependence(z, inside, counts.astype(np.float64), seed)
    return p


def _dependence(z: Floats, labels: Ints, counts: Floats, seed: int) -> Floats:
    """The larger p of two: that of F, and the share of permutations of the labels that reach its statistic.

    F, with the degrees of freedom of Mehrotra 1997, errs if differences are skewed; permutations, among
    which the observed labels count, too, err if segments vary differently.
    """
    random, topics, segments = np.random.default_rng(seed), len(labels), len(counts)
    sizes = np.abs(z).max(axis=1, keepdims=True)
    z = z - z.mean(axis=1, keepdims=True)
    z[np.abs(z) <= ROUNDING * sizes] = 0.0
    (statistic,), (parts,) = (each.swapaxes(0, 1) for each in _spread(z, labels[None], counts))
    several = max(1, CELLS // (segments * max(topics, len(z))))
    reached = np.ones(len(z))
    for begin in range(0, PERMUTATIONS, several):
        rows = min(several, PERMUTATIONS - begin)
        permuted = random.permuted(np.broadcast_to(labels, (rows, topics)), axis=1)
        found, _ = _spread(z, permuted, counts)
        reached += (found >= statistic[:, None] * (1 - ROUNDING)).sum(axis=1)
    shares = counts / topics
    with np.errstate(invalid="ignore", divide="ignore"):  # where no topic differs from others of its segment
        variances = parts / (1 - shares)
        within = parts.sum(axis=1) ** 2
        between = (shares * variances).sum(axis=1) ** 2 + ((1 - 2 * shares) * variances**2).sum(axis=1)
        df = within / between, within / (parts**2 / (counts - 1)).sum(axis=1)
    p: Floats = np.fmax(required_module("scipy.special").fdtrc(*df, statistic), reached / (PERMUTATIONS + 1))
    return p


def _spread(z: Floats, labels: Ints, counts: Floats) -> tuple[Floats, Floats]:
    """(pairs, permutations): Brown and Forsythe's statistic, and (..., segments) the parts of its divisor.

    However differently segments vary, the divisor is as large as the dividend is expected to be.
    """
    segments = len(counts)
    inside = (labels[:, None, :] == np.arange(segments)[:, None]).reshape(-1, labels.shape[1]).T
    means, squares = ((each @ inside.astype(np.float64)).reshape(len(z), -1, segments) for each in (z, z**2))
    means /= counts
    variances = np.maximum(squares - counts * means**2, 0.0) / (counts - 1)
    variances[variances <= ROUNDING * z.var(axis=1)[:, None, None]] = 0.0
    parts: Floats = (1 - counts / counts.sum()) * variances
    with np.errstate(invalid="ignore", divide="ignore"):  # as above
        spread: Floats = np.nan_to_num((counts * means**2).sum(axis=2) / parts.sum(axis=2))
    return spread, parts
