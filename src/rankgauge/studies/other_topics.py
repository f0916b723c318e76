"""Would other topics have said the same?"""

from typing import TYPE_CHECKING, Annotated

from rankgauge.schema.parameters import Number, Whole, Word
from rankgauge.studies.parameters import SEED, Measures, Seed, Several
from rankgauge.studies.registry import study

if TYPE_CHECKING:
    from rankgauge.model.tables import Cell
    from rankgauge.studies.campaign import Campaign
    from rankgauge.studies.findings import Findings

Sizes = Annotated[tuple[int, ...] | None, Several(Whole(1)), "sizes of the sets of topics"]
Trials = Annotated[int, Whole(1), "how often sets of topics are drawn"]


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
    sizes: Sizes = None,
    fuzziness: Annotated[
        tuple[float, ...], Several(Number(0, 1)), "the share of the better mean below which runs tie"
    ] = (0.05,),
    trials: Trials = 1000,
    seed: Seed = SEED,
) -> "Findings":
    """How often a sample of the topics says the opposite of what most samples say about two runs.

    The error rate is the share of comparisons that go with the minority; it falls as fuzziness grows, at the
    cost of more ties. Sizes are about five up to half of the topics if none are given.
    """
    from rankgauge.model.tables import Table
    from rankgauge.studies.findings import Findings
    from rankgauge.studies.numerics.matrices import matrix, remarks
    from rankgauge.studies.numerics.topic_sets import sizes_of
    from rankgauge.studies.numerics.topic_sets import stability as errors

    scores = campaign.scores(measures)
    rows: list[list[Cell]] = []
    for measure in scores.measures:
        values = matrix(scores, measure)
        topics = values.shape[1]
        most = topics if sizes else topics // 2
        for size in sizes_of(topics, sizes, most):
            for fuzz, error, ties in errors(values, size, trials, fuzziness, seed):
                rows.append([measure, size, fuzz, error, ties])
    return Findings(
        settings={"measures": scores.measures},
        sentences=[f"{trials} samples of topics of each size, seed {seed}.", *remarks(scores)],
        tables={"stability": Table(("measure", "topics", "fuzziness", "error rate", "ties"), rows)},
        captions={"stability": "Error rate and ties as shares of all comparisons of two runs."},
    )


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
    sizes: Sizes = None,
    drawn: Annotated[
        str,
        Word(("apart", "replacement")),
        "the two sets of topics: without a common one, or with replacement",
    ] = "apart",
    width: Annotated[float, Number(0, above=True), "width of the bins of differences"] = 0.01,
    bins: Annotated[int, Whole(2), "how many bins; the last has all larger differences"] = 21,
    rate: Annotated[float, Number(0, 1), "the share of swaps that is put up with"] = 0.05,
    trials: Trials = 1000,
    seed: Seed = SEED,
) -> "Findings":
    """How often another set of topics turns a comparison of two runs round, by the size of the difference.

    The difference that it takes for no more than the given rate of swaps, and how many comparisons have it,
    tell how sensitive a measure is. Sizes are about five up to half of the topics if none are given, or up
    to all of them with replacement.
    """
    from rankgauge.model.tables import Table
    from rankgauge.studies.findings import Findings
    from rankgauge.studies.numerics.matrices import matrix, remarks
    from rankgauge.studies.numerics.topic_sets import sizes_of, swaps

    scores = campaign.scores(measures)
    again = drawn == "replacement"
    rows: list[list[Cell]] = []
    needed: list[list[Cell]] = []
    for measure in scores.measures:
        values = matrix(scores, measure)
        topics = values.shape[1]
        for size in sizes_of(topics, sizes, topics if again else topics // 2):
            found = swaps(values, size, trials, seed, replacement=again, width=width, bins=bins)
            needed.append([measure, size, *found.needed(rate)])
            rows += [
                [measure, size, place * width, int(count), int(turned), share]
                for place, (count, turned, share) in enumerate(
                    zip(found.comparisons, found.swaps, found.rates.tolist(), strict=True)
                )
            ]
    return Findings(
        settings={"measures": scores.measures},
        sentences=[f"{trials} pairs of sets of topics of each size, seed {seed}.", *remarks(scores)],
        tables={
            "sensitivity": Table(("measure", "topics", "difference", "share"), needed),
            "swaps": Table(("measure", "topics", "difference", "comparisons", "swaps", "rate"), rows),
        },
        captions={
            "sensitivity": f"The difference from which on at most {rate:.0%} of comparisons are swapped; "
            "the share of comparisons that have it.",
            "swaps": "Comparisons by the difference on the first set of topics, from this one on.",
        },
        data=("swaps",),
    )
