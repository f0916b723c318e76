"""The study `topics`: how many topics a collection needs."""

from typing import TYPE_CHECKING, Annotated

from rankgauge.model.output.tables import Shown
from rankgauge.schema.parameters import Number, Whole, Word
from rankgauge.studies.options import Measures, Several
from rankgauge.studies.registry import study

if TYPE_CHECKING:
    from rankgauge.model.output.tables import Cell
    from rankgauge.studies.campaign import Campaign
    from rankgauge.studies.findings import Findings

PROBABILITY = Number(0, 1, above=True, below=True)


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
        tuple[float, ...], Several(Number(0, above=True)), "differences of means to detect"
    ] = (0.05, 0.1, 0.15, 0.2),
    systems: Annotated[
        tuple[int, ...], Several(Whole(2)), "numbers of systems that an analysis of variance compares"
    ] = (2, 5, 10, 50),
    alpha: Annotated[float, PROBABILITY, "level of significance, or 1 - confidence of an interval"] = 0.05,
    power: Annotated[float, PROBABILITY, "the probability of detecting a real difference"] = 0.8,
    variance: Annotated[
        str, Word(("residual", "within")), "the variance left after runs and topics, or after runs alone"
    ] = "residual",
) -> "Findings":
    """How many topics a new collection needs, given how much the scores of these runs vary.

    For the paired t-test of two systems, one-way analysis of variance of several, and the width of the
    confidence interval of a difference. A second table has the inverse: the difference that the present
    number of topics can detect. The residual variance is that of two-way analysis of variance; the variance
    within runs includes that of the topics, and demands more of them.
    """
    from rankgauge.errors import InputError
    from rankgauge.model.output.tables import Table
    from rankgauge.studies.findings import Findings
    from rankgauge.studies.numerics.matrices import matrix, value_notes
    from rankgauge.studies.numerics.set_size import detectable, is_enough, topics_needed, variance_of

    scores = campaign.scores(measures)
    needed: list[list[Cell]] = []
    least: list[list[Cell]] = []
    designs = [("t", 2), *(("anova", count) for count in systems), ("interval", 2)]
    for measure in scores.measures:
        values = matrix(scores, measure)
        if values.shape[1] < 2:
            raise InputError("the variance of scores needs at least 2 topics; add more")
        spread = variance_of(values, variance)
        for method, count in designs:
            for difference in differences:
                enough = is_enough(method, difference, spread, alpha, power, count)
                least_topics = topics_needed(enough) if spread else 2
                needed.append([measure, spread, method, count, Shown(difference), least_topics])
            smallest = detectable(method, values.shape[1], spread, alpha, power, count)
            least.append([measure, spread, method, count, values.shape[1], smallest])
    return Findings(
        settings={"measures": scores.measures},
        sentences=[f"At a significance level of {alpha:g} and a power of {power:g}.", *value_notes(scores)],
        tables={
            "topics": Table(("measure", "variance", "method", "systems", "difference", "topics"), needed),
            "detectable": Table(("measure", "variance", "method", "systems", "topics", "difference"), least),
        },
        captions={
            "topics": "The number of topics needed to detect a difference; empty: more than ten million.",
            "detectable": "The smallest difference that the present number of topics can detect.",
        },
    )
