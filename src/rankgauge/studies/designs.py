"""How many topics does it take?"""

from typing import TYPE_CHECKING, Annotated

from rankgauge.schema.parameters import Number, Whole, Word
from rankgauge.studies.parameters import Measures, Several
from rankgauge.studies.registry import study

if TYPE_CHECKING:
    from rankgauge.model.tables import Cell
    from rankgauge.studies.campaign import Campaign
    from rankgauge.studies.findings import Findings

OPEN = Number(0, 1, above=True, below=True)


@study(
    "topics",
    title="Topic set size design",
    cite="Sakai, Topic set size design, Information Retrieval Journal 19, 2016; Nagata 2003",
    example='qrels.txt runs/*.run -m "AP nDCG@10" --differences 0.05,0.1 --systems 2,10',
    least_runs=2,
)
def topics(
    campaign: "Campaign",
    *,
    measures: Measures = None,
    differences: Annotated[
        tuple[float, ...], Several(Number(0, above=True)), "differences of means that are to be found"
    ] = (0.05, 0.1, 0.15, 0.2),
    systems: Annotated[
        tuple[int, ...], Several(Whole(2)), "how many systems an analysis of variance is to compare"
    ] = (2, 5, 10, 50),
    alpha: Annotated[float, OPEN, "level of significance, or what an interval may miss"] = 0.05,
    power: Annotated[float, OPEN, "the chance to find a difference that is there"] = 0.8,
    variance: Annotated[
        str, Word(("residual", "within")), "what is left by runs and topics, or by runs alone"
    ] = "residual",
) -> "Findings":
    """How many topics a new collection needs, going by how much the scores of these runs vary.

    For the paired t test of two systems, one-way analysis of variance of several, and the width of the
    confidence interval of a difference. A second table turns it round: the difference that as many topics
    as there are can find. The residual variance is that of two-way analysis of variance; within runs, it
    holds the topics' own variance, too, and asks for more.
    """
    from rankgauge.errors import InputError
    from rankgauge.model.tables import Table
    from rankgauge.studies.findings import Findings
    from rankgauge.studies.numerics.matrices import matrix, remarks
    from rankgauge.studies.numerics.set_size import detectable, holds, topics_needed, variance_of

    scores = campaign.scores(measures)
    needed: list[list[Cell]] = []
    found: list[list[Cell]] = []
    ways = [("t", 2), *(("anova", count) for count in systems), ("interval", 2)]
    for measure in scores.measures:
        values = matrix(scores, measure)
        if values.shape[1] < 2:
            raise InputError("how much scores vary is seen in at least 2 topics; give more")
        spread = variance_of(values, variance)
        for method, count in ways:
            for difference in differences:
                enough = holds(method, difference, spread, alpha, power, count)
                needed.append(
                    [measure, spread, method, count, difference, topics_needed(enough) if spread else 2]
                )
            least = detectable(method, values.shape[1], spread, alpha, power, count)
            found.append([measure, spread, method, count, values.shape[1], least])
    return Findings(
        settings={"measures": scores.measures},
        sentences=[f"At a significance level of {alpha:g} and a power of {power:g}.", *remarks(scores)],
        tables={
            "topics": Table(("measure", "variance", "method", "systems", "difference", "topics"), needed),
            "detectable": Table(("measure", "variance", "method", "systems", "topics", "difference"), found),
        },
        captions={
            "topics": "The topics that it takes to find a difference; empty: more than ten million.",
            "detectable": "The difference that as many topics as there are can find.",
        },
    )
