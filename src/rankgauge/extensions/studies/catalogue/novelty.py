"""Studies of novelty: `alpha` and `reversed-ideal`."""

from dataclasses import replace
from typing import Annotated

import numpy as np

from rankgauge.campaigns.campaign import Campaign
from rankgauge.campaigns.findings import Findings
from rankgauge.campaigns.options import NAME, Alphas, Several
from rankgauge.campaigns.registry import study
from rankgauge.comparison import compare
from rankgauge.comparison.result import p_text
from rankgauge.engines.assembly import blocks
from rankgauge.errors import InputError
from rankgauge.measures import parse
from rankgauge.measures.rankings.arrays.curves import Floats
from rankgauge.measures.rankings.arrays.greedy_ideals import WORST, greedy_ideal
from rankgauge.measures.rankings.novelty import Novelty
from rankgauge.model.output.tables import Shown, Table
from rankgauge.model.qrels import Qrels
from rankgauge.model.subtopics import SubtopicQrels
from rankgauge.numbers.matrices import SLACK
from rankgauge.schema.parameters import Whole
from rankgauge.schema.text import are, format_number

CITE = "Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008"
SIGNIFICANT = 0.05


@study(
    "alpha",
    title="What alpha does to the gain over a baseline",
    cite=f"{CITE}, section 6.2 and figure 3",
    example="qrels.diversity.txt runs/*.run --values 0,0.5,1 --depths 10,20",
    needs_subtopics=True,
    least_runs=2,
)
def alpha(
    campaign: Campaign,
    *,
    baseline: Annotated[
        str | None,
        replace(NAME, words="the name of a run"),
        "the run that the others are compared with; by default, the first",
    ] = None,
    values: Alphas = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
    depths: Annotated[tuple[int, ...], Several(Whole(1)), "the cutoffs of alpha-nDCG"] = (
        10,
        20,
        30,
        50,
        100,
    ),
) -> Findings:
    """By how many per cent runs beat a baseline in alpha-nDCG, as novelty counts more and more.

    With alpha = 0 repeated information counts in full; with alpha = 1 it is worth nothing. Each percentage
    comes with the p-value of a two-sided paired t-test over topics.
    """
    measures = {
        (alpha, depth): str(parse(f"alpha_nDCG(alpha={format_number(alpha)})@{depth}"))
        for depth in depths
        for alpha in values
    }
    scores = campaign.scores(list(measures.values()))
    base = campaign.runs[0] if baseline is None else campaign.only([baseline]).runs[0]
    compared = compare(scores, baseline=base, correction="none", alpha=SIGNIFICANT)
    gains = [
        (pair.run, depth, alpha, pair.mean_against, pair.mean, pair.percent, Shown(pair.p, p_text(pair.p)))
        for run in range(len(scores.runs) - 1)
        for (alpha, depth), text in measures.items()
        for pair in [compared[text].pairs[run]]
    ]
    found = [each for measure in compared.compared for each in measure.significant]
    better = sum(each.worse == base for each in found)
    return Findings(
        settings={"baseline": base},
        sentences=[
            f"Of {len(gains)} comparisons with {base}, {are(better)} significantly better and "
            f"{len(found) - better} worse (two-sided paired t-test, p < {SIGNIFICANT}, not corrected for "
            "their number)."
        ],
        tables={
            "gains": Table(
                ("run", "depth", "alpha", "baseline", "mean", "gain in %", "p"),
                gains,
            )
        },
        captions={"gains": "Mean alpha-nDCG at each depth, beside that of the baseline."},
    )


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
    by_topic = [reversed_ideal_vectors(campaign.qrels, alpha, depth) for alpha in values]
    vectors = [[campaign.rules.average(column) for column in each.T.tolist()] for each in by_topic]
    if min(map(min, vectors)) == 1:
        raise InputError(
            "any order of the relevant documents is ideal, since no topic has more than one subtopic; pass "
            "judgments by subtopic"
        )
    lowest = [vector.index(min(vector)) for vector in vectors]
    return Findings(
        sentences=[
            f"With {name} every order is ideal: all relevant documents of a topic have as many subtopics."
            if vector[rank] > 1 - SLACK
            else f"With {name} the lowest mean is {vector[rank]:.4f}, at rank {rank + 1}."
            for name, vector, rank in zip(names, vectors, lowest, strict=True)
        ],
        tables={
            "ranks": Table(
                ("rank", *names),
                [(rank, *(vector[rank - 1] for vector in vectors)) for rank in range(1, depth + 1)],
            ),
            "topics": Table(
                ("topic", *names),
                [
                    (topic, *(float(each[place].mean()) for each in by_topic))
                    for place, topic in enumerate(campaign.topics)
                ],
            ),
        },
        captions={
            "ranks": "Mean alpha-nDCG of the reversed ideal ranking at each rank.",
            "topics": "Alpha-nDCG of the reversed ideal ranking of each topic, the mean over ranks.",
        },
        data=("topics",),
    )


def reversed_ideal_vectors(qrels: Qrels, alpha: float, depth: int) -> Floats:
    """(topics, ranks) alpha-nDCG of the ranking that always takes the relevant document adding least."""
    judgments = SubtopicQrels.of(qrels)
    measure = parse(f"alpha_nDCG(alpha={format_number(alpha)})")
    return np.concatenate(
        [
            measure.vector(greedy_ideal(pool, Novelty(alpha), 1.0, depth, WORST), depth)
            for _, _, pool in blocks(judgments)
        ]
    )
