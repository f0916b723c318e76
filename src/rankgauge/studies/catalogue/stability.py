"""The study `stability`: how often samples of topics contradict each other."""

from collections.abc import Iterator
from typing import Annotated

import numpy as np

from rankgauge.measures.rankings.arrays.curves import Floats
from rankgauge.model.output.tables import Cell, Shown, Table
from rankgauge.schema.parameters import Number
from rankgauge.studies.campaign import Campaign
from rankgauge.studies.findings import Findings
from rankgauge.studies.matrices import SLACK, drawn, matrix, means, sizes_of, value_notes
from rankgauge.studies.options import SEED, Measures, Seed, Several, TopicSetSizes, Trials
from rankgauge.studies.registry import study


@study(
    "stability",
    title="Stability of measures",
    cite="Buckley and Voorhees, Evaluating evaluation measure stability, SIGIR 2000",
    example='qrels.txt runs/*.run -m "AP P@10 RR" --sizes 4,8 --trials 100',
    least_runs=2,
)
def stability(
    campaign: Campaign,
    *,
    measures: Measures = None,
    sizes: TopicSetSizes = None,
    fuzziness: Annotated[
        tuple[float, ...], Several(Number(0, 1)), "the share of the better mean below which runs tie"
    ] = (0.05,),
    trials: Trials = 1000,
    seed: Seed = SEED,
) -> Findings:
    """How often a sample of the topics contradicts what most samples show about two runs.

    The error rate is the share of comparisons in the minority; it falls as fuzziness grows, at the cost of
    more ties. By default there are about five sizes, up to half of the topics.
    """
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


def error_rates(
    values: Floats, size: int, trials: int, fuzziness: tuple[float, ...], seed: int
) -> Iterator[tuple[float, float, float]]:
    """(fuzziness, error rate, share of ties) over all pairs of runs and samples of topics.

    In a sample two runs tie if they differ by less than this share of the better one's mean. The error rate
    counts, for each pair, the samples with the rarer of the two outcomes (Buckley and Voorhees 2000).
    """
    runs, topics = values.shape
    better, worse = np.zeros((2, len(fuzziness), runs, runs), dtype=np.int64)
    for sets in drawn(topics, size, trials, seed, replacement=False):
        averages = means(values, sets)
        for run in range(runs - 1):
            one, others = averages[run], averages[run + 1 :]
            difference, larger = one - others, np.maximum(np.abs(one), np.abs(others))
            for place, fuzz in enumerate(fuzziness):
                apart = np.abs(difference) >= np.maximum(fuzz * larger - SLACK, SLACK)
                better[place, run, run + 1 :] += np.count_nonzero(apart & (difference > 0), axis=1)
                worse[place, run, run + 1 :] += np.count_nonzero(apart & (difference < 0), axis=1)
    comparisons = runs * (runs - 1) // 2 * trials
    for fuzz, for_one, for_other in zip(fuzziness, better, worse, strict=True):
        ties = comparisons - int(for_one.sum() + for_other.sum())
        yield fuzz, int(np.minimum(for_one, for_other).sum()) / comparisons, ties / comparisons
