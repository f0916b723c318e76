"""Computations of the studies of novelty."""

from __future__ import annotations

import numpy as np

from rankgauge.engines.judgments import blocks
from rankgauge.measures import parse
from rankgauge.measures.rankings.arrays.greedy_ideals import WORST, greedy_ideal
from rankgauge.measures.rankings.novelty import Novelty
from rankgauge.model.qrels import Qrels
from rankgauge.model.subtopics import SubtopicQrels
from rankgauge.model.topic_rules import TopicRules
from rankgauge.schema.text import format_number


def reversed_ideal_means(qrels: Qrels, alpha: float, depth: int, rules: TopicRules) -> list[float]:
    """Mean alpha-nDCG at each rank of the ranking that takes the relevant document that adds the least."""
    judgments = SubtopicQrels.of(qrels)
    measure = parse(f"alpha_nDCG(alpha={format_number(alpha)})")
    parts = [
        measure.vector(greedy_ideal(pool, Novelty(alpha), 1.0, depth, WORST), depth)
        for _, _, pool in blocks(judgments)
    ]
    vectors = np.concatenate(parts)
    return [rules.average(column) for column in vectors.T.tolist()]
