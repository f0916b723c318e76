"""The study `robustness`: how stable the order of runs is with fewer judgments."""

import math
from collections.abc import Sequence
from typing import Annotated

import numpy as np

from rankgauge.model.output.tables import Table
from rankgauge.schema.parameters import Number, Whole
from rankgauge.schema.text import format_number
from rankgauge.studies.campaign import Campaign
from rankgauge.studies.findings import Findings
from rankgauge.studies.incomplete import Strata, in_pool, sample_taus, spread, tau_with
from rankgauge.studies.matrices import oriented_means
from rankgauge.studies.options import SEED, Measures, Seed, Several
from rankgauge.studies.registry import study
from rankgauge.studies.tau_test import RULE

PERCENT = (90, 70, 50, 30, 10)
DEPTHS = (50, 20, 10, 5)


@study(
    "robustness",
    title="Robustness to incomplete judgments",
    cite="Buckley & Voorhees 2004, Retrieval evaluation with incomplete information; for grades of relevance "
    "Ferro, Silvello, Keskustalo, Pirkola & Järvelin 2016, The Twist measure, figure 13",
    example='qrels.txt runs/*.run -m "AP Bpref" --percent 50,10 --shuffles 3',
    least_runs=2,
)
def robustness(
    campaign: Campaign,
    *,
    measures: Measures = None,
    percent: Annotated[
        tuple[float, ...], Several(Number(0, 100, above=True)), "share of the judgments to keep"
    ] = PERCENT,
    shuffles: Annotated[int, Whole(1), "how often the judgments are shuffled"] = 10,
    depths: Annotated[tuple[int, ...], Several(Whole(1)), "depths of the pools"] = DEPTHS,
    seed: Seed = SEED,
) -> Findings:
    """How stable is the order of runs when fewer documents are judged?

    Judgments are sampled within each topic and grade, each smaller sample from the larger ones; then pools
    are made shallower. Kendall's τ-b compares the order of runs with fewer judgments to the order with all of
    them: the closer to 1, the more robust the measure.
    """
    percent, depths = tuple(dict.fromkeys(percent)), tuple(dict.fromkeys(depths))
    # Shuffles vary which judgments are kept, but not how many.
    strata = Strata.shuffled(campaign.qrels, seed)
    samples = {f"{format_number(each)}%": strata.sample(each) for each in percent}
    by_depth = {f"depth {depth}": in_pool(campaign, depth) for depth in depths}
    relevant = campaign.qrels.sorted_grades > 0
    scores = campaign.scores(measures)
    complete = oriented_means(scores)
    spreads = [
        [spread(values) for values in by_sample]
        for by_sample in sample_taus(campaign, measures, percent, shuffles, seed).tolist()
    ]
    shallower = [tau_with(campaign, kept, measures, complete) for kept in by_depth.values()]
    return Findings(
        sentences=_sentences(scores.measures, percent, [[each[0] for each in row] for row in spreads]),
        tables={
            "samples": Table(
                ("measure", *(f"{format_number(each)}%" for each in percent)),
                [
                    (name, *(each[0] for each in row))
                    for name, row in zip(scores.measures, spreads, strict=True)
                ],
            ),
            "spread": Table(
                ("measure", "percent", "mean", "sd", "min", "max"),
                [
                    (name, _shown(each), *values)
                    for name, row in zip(scores.measures, spreads, strict=True)
                    for each, values in zip(percent, row, strict=True)
                ],
            ),
            "depths": Table(
                ("measure", *by_depth),
                [(name, *row) for name, *row in zip(scores.measures, *shallower, strict=True)],
            ),
            "judgments": Table(
                ("pool", "judgments", "relevant"),
                [
                    (name, int(kept.sum()), int((kept & relevant).sum()))
                    for name, kept in ({"all": np.ones_like(relevant)} | samples | by_depth).items()
                ],
            ),
        },
        captions={
            "samples": f"τ-b to the order by all judgments, mean over {shuffles} shuffles. {RULE}",
            "spread": "The same with its standard deviation, minimum and maximum over the shuffles.",
            "depths": "τ to the order by all judgments, if pools had been only this deep.",
            "judgments": "How many judgments are kept, and how many of them have a grade above 0.",
        },
    )


def _shown(percent: float) -> float:
    """A whole number as an int, which is shown without a decimal point."""
    return int(percent) if float(percent).is_integer() else percent


def _sentences(names: Sequence[str], percent: Sequence[float], means: list[list[float]]) -> list[str]:
    """The measures by their robustness in the smallest sample."""
    least = min(percent)
    column = percent.index(least)
    taus = {name: row[column] for name, row in zip(names, means, strict=True) if not math.isnan(row[column])}
    if not taus:
        return ["No measure distinguishes the runs."]
    listed = ", ".join(f"{name} {taus[name]:.3f}" for name in sorted(taus, key=lambda name: -taus[name]))
    return [f"With {format_number(least)} % of the judgments τ is, most robust measure first: {listed}."]
