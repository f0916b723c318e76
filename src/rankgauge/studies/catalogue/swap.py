"""The study `swap`: how often another set of topics reverses a comparison."""

from typing import TYPE_CHECKING, Annotated

from rankgauge.schema.parameters import Number, Whole, Word
from rankgauge.studies.options import SEED, Measures, Seed, TopicSetSizes, Trials
from rankgauge.studies.registry import study

if TYPE_CHECKING:
    from rankgauge.model.tables import Cell
    from rankgauge.studies.campaign import Campaign
    from rankgauge.studies.findings import Findings


@study(
    "swap",
    title="Swap rate of measures",
    cite="Voorhees and Buckley, The effect of topic set size on retrieval experiment error, SIGIR 2002; "
    "Sakai, SIGIR 2006 (with replacement)",
    example='qrels.txt runs/*.run -m "AP P@10 RR" --trials 100',
    least_runs=2,
)
def swap(
    campaign: "Campaign",
    *,
    measures: Measures = None,
    sizes: TopicSetSizes = None,
    drawn: Annotated[
        str,
        Word(("apart", "replacement")),
        "how the two sets of topics are drawn: without a common topic, or with replacement",
    ] = "apart",
    width: Annotated[float, Number(0, above=True), "width of the bins of differences"] = 0.01,
    bins: Annotated[int, Whole(2), "number of bins; the last one holds all larger differences"] = 21,
    rate: Annotated[float, Number(0, 1), "the acceptable share of swaps"] = 0.05,
    trials: Trials = 1000,
    seed: Seed = SEED,
) -> "Findings":
    """How often another set of topics reverses a comparison of two runs, by the size of the difference.

    A measure is the more sensitive, the smaller the difference that keeps swaps within the given rate, and
    the more comparisons reach it. By default there are about five sizes, up to half of the topics, or up to
    all of them with replacement.
    """
    from rankgauge.model.tables import Table
    from rankgauge.studies.findings import Findings
    from rankgauge.studies.numerics.matrices import matrix, value_notes
    from rankgauge.studies.numerics.topic_sets import count_swaps, sizes_of

    scores = campaign.scores(measures)
    replacement = drawn == "replacement"
    rows: list[list[Cell]] = []
    needed: list[list[Cell]] = []
    for measure in scores.measures:
        values = matrix(scores, measure)
        topics = values.shape[1]
        for size in sizes_of(topics, sizes, topics if replacement else topics // 2):
            swaps = count_swaps(values, size, trials, seed, replacement=replacement, width=width, bins=bins)
            needed.append([measure, size, *swaps.needed(rate)])
            rows += [
                [measure, size, place * width, int(count), int(swapped), share]
                for place, (count, swapped, share) in enumerate(
                    zip(swaps.comparisons, swaps.swaps, swaps.rates.tolist(), strict=True)
                )
            ]
    return Findings(
        settings={"measures": scores.measures},
        sentences=[f"{trials} pairs of sets of topics of each size, seed {seed}.", *value_notes(scores)],
        tables={
            "sensitivity": Table(("measure", "topics", "difference", "share"), needed),
            "swaps": Table(("measure", "topics", "difference", "comparisons", "swaps", "rate"), rows),
        },
        captions={
            "sensitivity": f"The smallest difference from which at most {rate:.0%} of comparisons are "
            "swapped; the share of comparisons that reach it.",
            "swaps": "Comparisons by the difference on the first set of topics; each bin starts at the "
            "difference shown.",
        },
        data=("swaps",),
    )
