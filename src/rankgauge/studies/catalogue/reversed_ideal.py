"""The study `reversed-ideal`: alpha-nDCG of the relevant documents in the worst order."""

from typing import Annotated

import numpy as np

from rankgauge.engines.assembly import blocks
from rankgauge.measures import parse
from rankgauge.measures.rankings.arrays.greedy_ideals import WORST, greedy_ideal
from rankgauge.measures.rankings.novelty import Novelty
from rankgauge.model.output.tables import Table
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import TopicRules
from rankgauge.model.subtopics import SubtopicQrels
from rankgauge.schema.parameters import Whole
from rankgauge.schema.text import format_number
from rankgauge.studies.campaign import Campaign
from rankgauge.studies.findings import Findings
from rankgauge.studies.options import Alphas
from rankgauge.studies.registry import study

CITE = "Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008"


@study(
    "reversed-ideal",
    title="What the worst order of relevant documents scores",
    cite=f"{CITE}, section 6.1 and figure 2",
    example="qrels.diversity.txt --values 0,0.5,1 --depth 20",
    needs_subtopics=True,
    least_runs=0,
)
def reversed_ideal(
    campaign: Campaign,
    *,
    values: Alphas = (0.0, 0.25, 0.5, 0.75, 0.99),
    depth: Annotated[int, Whole(1), "the last rank"] = 100,
) -> Findings:
    """How much of alpha-nDCG depends on order alone: all relevant documents come first, in the worst order.

    A measure that distinguishes only relevant from non-relevant documents scores this ranking as high as the
    ideal one. At each rank it takes the relevant document that adds the least. Runs are not
    needed, and play no part.
    """
    names = [f"alpha {format_number(alpha)}" for alpha in values]
    vectors = [reversed_ideal_means(campaign.qrels, alpha, depth, campaign.rules) for alpha in values]
    lowest = [vector.index(min(vector)) for vector in vectors]
    return Findings(
        sentences=[
            f"With {name} the lowest mean is {vector[rank]:.4f}, at rank {rank + 1}."
            for name, vector, rank in zip(names, vectors, lowest, strict=True)
        ],
        tables={
            "ranks": Table(
                ("rank", *names),
                [(rank, *(vector[rank - 1] for vector in vectors)) for rank in range(1, depth + 1)],
            )
        },
        captions={"ranks": "Mean alpha-nDCG of the reversed ideal ranking at each rank."},
    )


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
