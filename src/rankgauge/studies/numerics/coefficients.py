"""Coefficients of agreement: Cohen's kappa of two assessors; Fleiss' kappa and Krippendorff's alpha of any.

For the latter, grades are (assessors, documents), NaN where an assessor has not judged a document.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from rankgauge.measures.rankings.arrays.curves import Bools, Floats, Ints

SCALES = {
    "nominal": "all different grades disagree equally",
    "ordinal": "grades disagree by how many judgments lie between them, squared",
    "interval": "grades disagree by the square of their difference",
}


def kappa(counts: Ints, weights: Floats | None = None) -> float:
    """Cohen's kappa of a square table of counts: 1 − disagreement / the disagreement by chance.

    Undefined if disagreement is impossible: without documents, or with only one grade.
    """
    if weights is None:
        weights = 1 - np.eye(len(counts))
    total = int(counts.sum())
    observed = math.fsum((weights * counts).ravel())
    chance = math.fsum((weights * np.outer(counts.sum(axis=1), counts.sum(axis=0))).ravel())
    return 1 - observed * total / chance if chance else math.nan


def krippendorff_alpha(grades: Floats, scale: str = "nominal") -> float:
    """Krippendorff's α (2004): 1 − disagreement / the disagreement by chance, of documents judged twice.

    `scale`, one of SCALES, defines how much two grades disagree. Assessors may have judged different
    documents. Undefined if no two grades differ.
    """
    levels, pairs = _pairs_by_judgments(grades)
    # Each document counts as often as it was judged: a pair of m judgments counts 1/(m - 1).
    coincidences = sum((counts / (m - 1) for m, counts in pairs.items()), np.zeros((len(levels),) * 2))
    sizes = np.array([math.fsum(row) for row in coincidences])  # judgments of each grade
    apart = _distances(levels, sizes, scale)
    observed = math.fsum((apart * coincidences).ravel())
    chance = math.fsum((apart * np.outer(sizes, sizes)).ravel())
    return 1 - observed * (math.fsum(sizes) - 1) / chance if chance else math.nan


def fleiss_kappa(grades: Floats) -> float:
    """Fleiss' κ (1971) of the documents that all assessors have judged; Scott's π of two assessors.

    Undefined if no two grades differ.
    """
    assessors = len(grades)
    _, pairs = _pairs_by_judgments(grades[:, ~np.isnan(grades).any(axis=0)])
    counts = pairs.get(assessors, np.zeros((0, 0), dtype=np.int64))
    total = int(counts.sum())
    shares = counts.sum(axis=1) / total if total else np.zeros(0)
    chance = math.fsum(shares * shares)
    return (int(counts.trace()) / total - chance) / (1 - chance) if chance not in (0, 1) else math.nan


def _pairs_by_judgments(grades: Floats) -> tuple[Floats, dict[int, Ints]]:
    """(the grades, {m: how often each two grades meet in documents judged by m assessors, m > 1}).

    Both orders of a pair are counted. Counts are whole numbers, exact in any order of addition.
    """
    judged = ~np.isnan(grades)
    times = judged.sum(axis=0)
    levels = np.unique(grades[judged & (times > 1)])
    place = np.searchsorted(levels, np.where(judged, grades, 0.0))
    pairs = {}
    for m in np.unique(times[times > 1]).tolist():
        counts = np.zeros((len(levels),) * 2, dtype=np.int64)
        for one, other in itertools.combinations(range(len(grades)), 2):
            both = judged[one] & judged[other] & (times == m)
            counts += crossed(place[one, both], place[other, both], len(levels))
        pairs[m] = counts + counts.T
    return levels, pairs


def _distances(levels: Floats, sizes: Floats, scale: str) -> Floats:
    """(grades, grades): how much each two grades disagree."""
    if scale == "nominal":
        return 1 - np.eye(len(levels))
    if scale == "interval":
        return np.square(levels[:, None] - levels)
    middle = np.cumsum(sizes) - sizes / 2  # judgments below the middle of each grade
    return np.square(middle[:, None] - middle)


def crossed(first: Ints | Bools, second: Ints | Bools, size: int) -> Ints:
    """(size, size) how often each pair of numbers below `size` occurs at the same place."""
    return np.bincount(first.astype(np.int64) * size + second, minlength=size * size).reshape(size, size)
