"""What the studies of novelty compute."""

from __future__ import annotations

import math

import numpy as np

from rankgauge.engines.rankings import blocks
from rankgauge.judged.greedy import WORST, greedy_ideal
from rankgauge.measures import parse
from rankgauge.measures.novelty import Novelty
from rankgauge.measures.parameters import plain
from rankgauge.model.qrels import Qrels
from rankgauge.model.scores import Scores
from rankgauge.model.subtopics import SubtopicQrels
from rankgauge.topics import TopicRules


def reversed_vectors(qrels: Qrels, alpha: float, depth: int, rules: TopicRules) -> list[float]:
    """Mean alpha-nDCG at each rank of the ranking that takes the document that adds the least each time."""
    judgments = SubtopicQrels.of(qrels)
    measure = parse(f"alpha_nDCG(alpha={plain(alpha)})")
    parts = [
        measure.vector(greedy_ideal(pool, Novelty(alpha), 1.0, depth, WORST), depth)
        for _, _, pool in blocks(judgments)
    ]
    vectors = np.concatenate(parts)
    return [rules.average(column) for column in vectors.T.tolist()]


def gains_over(scores: Scores, baseline: str, run: str, measure: str) -> tuple[float, float, float, float]:
    """(mean of the baseline, mean of the run, per cent that it is better, p of a paired t-test).

    Values that are undefined count as the means have them.
    """
    from scipy.stats import ttest_rel

    means = [scores.mean()[name][measure] for name in (baseline, run)]
    row = scores.measures.index(measure)
    own = [scores.values[scores.runs.index(name), row] for name in (baseline, run)]
    if scores.rules.undefined == "zero":
        own = [np.nan_to_num(values) for values in own]
    both = ~np.isnan(own[0]) & ~np.isnan(own[1])
    differences = own[1][both] - own[0][both]
    gain = 100 * (means[1] - means[0]) / means[0] if means[0] else math.nan
    if len(differences) < 2 or not differences.any():  # nothing to test, or no difference at all
        return means[0], means[1], gain, math.nan if len(differences) < 2 else 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        found = ttest_rel(own[1][both], own[0][both])
    return means[0], means[1], gain, float(found.pvalue)
