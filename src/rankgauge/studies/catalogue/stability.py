"""The study `stability`: how often samples of topics contradict each other."""

from typing import TYPE_CHECKING, Annotated

from rankgauge.model.output.tables import Shown
from rankgauge.schema.parameters import Number
from rankgauge.studies.options import SEED, Measures, Seed, Several, TopicSetSizes, Trials
from rankgauge.studies.registry import study

if TYPE_CHECKING:
    from rankgauge.model.output.tables import Cell
    from rankgauge.studies.campaign import Campaign
    from rankgauge.studies.findings import Findings


@study(
    "stability",
    title="Stability of measures",
    cite="Buckley and Voorhees, Evaluating evaluation measure stability, SIGIR 2000",
    example='qrels.txt runs/*.run -m "AP P@10 RR" --sizes 4,8 --trials 100',
    least_runs=2,
)
def stability(
    campaign: "Campaign",
    *,
    measures: Measures = None,
    sizes: TopicSetSizes = None,
    fuzziness: Annotated[
        tuple[float, ...], Several(Number(0, 1)), "the share of the better mean below which runs tie"
    ] = (0.05,),
    trials: Trials = 1000,
    seed: Seed = SEED,
) -> "Findings":
    """How often a sample of the topics contradicts what most samples show about two runs.

    The error rate is the share of comparisons in the minority; it falls as fuzziness grows, at the cost of
    more ties. By default there are about five sizes, up to half of the topics.
    """
    from rankgauge.model.output.tables import Table
    from rankgauge.studies.findings import Findings
    from rankgauge.studies.numerics.matrices import matrix, value_notes
    from rankgauge.studies.numerics.topic_sets import error_rates, sizes_of

    scores = campaign.scores(measures)
    rows: list[list[Cell]] = []
    for measure in scores.measures:
        values = matrix(scores, measure)
        topics = values.shape[1]
        most = topics if sizes else topics // 2
        for size in sizes_of(topics, sizes, most):
            for fuzz, error, ties in error_rates(values, size, trials, fuzziness, seed):
                rows.append([measure, size, Shown(fuzz), error, ties])
    return Findings(
        settings={"measures": scores.measures},
        sentences=[f"{trials} samples of topics of each size, seed {seed}.", *value_notes(scores)],
        tables={"stability": Table(("measure", "topics", "fuzziness", "error rate", "ties"), rows)},
        captions={"stability": "Error rate and ties as shares of all comparisons of two runs."},
    )
