"""The study `alpha`: how the improvement over a baseline depends on alpha."""

from typing import Annotated

from rankgauge.comparison import compare
from rankgauge.measures import parse
from rankgauge.model.output.tables import Table
from rankgauge.schema.parameters import Whole
from rankgauge.schema.text import format_number
from rankgauge.studies.campaign import Campaign
from rankgauge.studies.catalogue.reversed_ideal import CITE
from rankgauge.studies.findings import Findings
from rankgauge.studies.options import Alphas, Name, Several
from rankgauge.studies.registry import study

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
        Name("the name of a run"),
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
    compared = compare(scores, baseline=base, correction="none")
    gains = [
        (pair.run, depth, alpha, pair.mean_against, pair.mean, pair.percent, pair.p)
        for run in range(len(scores.runs) - 1)
        for (alpha, depth), text in measures.items()
        for pair in [compared[text].pairs[run]]
    ]
    better, worse = (sum(1 for *_, gain, p in gains if p < SIGNIFICANT and way * gain > 0) for way in (1, -1))
    return Findings(
        settings={"baseline": base},
        sentences=[
            f"Of {len(gains)} comparisons with {base}, {better} are better and {worse} worse "
            f"(two-sided paired t-test, p < {SIGNIFICANT}, not corrected for their number)."
        ],
        tables={
            "gains": Table(
                ("run", "depth", "alpha", "baseline", "mean", "gain in %", "p"),
                gains,
            )
        },
        captions={"gains": "Mean alpha-nDCG at each depth, beside that of the baseline."},
    )
