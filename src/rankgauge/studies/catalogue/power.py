"""The study `power`: how many pairs of runs a measure distinguishes."""

import math
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.measures import Measure
from rankgauge.rankings.gains import GAINS, Gains
from rankgauge.schema.parameters import Number, Whole, Word
from rankgauge.studies.options import AP, SEED, Measures, OneMeasure, Seed, Several
from rankgauge.studies.registry import study

if TYPE_CHECKING:
    from rankgauge.model.tables import Cell
    from rankgauge.studies.campaign import Campaign
    from rankgauge.studies.findings import Findings

METHODS = {"bootstrap": "paired bootstrap tests", "tukey": "randomised Tukey HSD tests"}


@study(
    "power",
    title="Discriminative power of measures",
    cite="Sakai, Evaluating evaluation metrics based on the bootstrap, SIGIR 2006; Carterette 2012 (Tukey)",
    example='qrels.txt runs/*.run -m "AP Q(beta=1|10) nDCG@10" --samples 200 --seed 7',
    least_runs=2,
)
def power(
    campaign: "Campaign",
    *,
    measures: Measures = None,
    gains: Annotated[
        tuple[Gains, ...] | None, Several(GAINS), "gains of the grades; each is a condition of its own"
    ] = None,
    method: Annotated[str, Word(tuple(METHODS)), "the test applied to each pair of runs"] = "bootstrap",
    alphas: Annotated[
        tuple[float, ...], Several(Number(0, 1, above=True, below=True)), "levels of significance"
    ] = (0.05, 0.01),
    reference: Annotated[
        Measure, OneMeasure(), "the measure that others are compared with in every condition"
    ] = AP,
    samples: Annotated[int, Whole(10), "samples of topics, or permutations"] = 1000,
    seed: Seed = SEED,
) -> "Findings":
    """For how many pairs of runs a measure finds a significant difference, and how large it must be.

    The achieved significance level (ASL) of every pair of runs comes from the same samples of topics. The
    table counts the pairs below each level, and has the difference Δ that a pair needs with this number of
    topics (bootstrap only). Measures that surpass the reference in all conditions (levels and gains) are
    marked.
    """
    from rankgauge.model.tables import Table
    from rankgauge.studies.findings import Findings
    from rankgauge.studies.numerics.discrimination import conditions, significance
    from rankgauge.studies.numerics.matrices import value_notes

    wanted = list(conditions(campaign.measure_texts(measures), gains))
    scores = campaign.scores([measure for _, _, measure in wanted] if gains else measures)
    results = {
        (worth, text): significance(scores, measure, method, alphas, samples, seed, campaign.threads)
        for worth, text, measure in wanted
    }
    rows: list[list[Cell]] = []
    for worth in dict.fromkeys(worth for worth, _ in results):
        for place, alpha in enumerate(alphas):
            some = [(text, each) for (of, text), each in results.items() if of == worth]
            for text, each in sorted(some, key=lambda item: -item[1].significant[place]):
                count, pairs = int(each.significant[place]), len(each.asl)
                rows.append([worth, alpha, text, count, pairs, 100 * count / pairs, float(each.delta[place])])
    base = str(reference)
    better = _surpassing(rows, base)
    curves: list[list[Cell]] = [
        [worth, text, place, level]
        for (worth, text), each in results.items()
        for place, level in enumerate(each.curve(), 1)
    ]
    levels: list[list[Cell]] = [
        [worth, text, *pair] for (worth, text), each in results.items() for pair in each.pairs(campaign.runs)
    ]
    sentences = [f"{rows[0][4]} pairs of runs by {METHODS[method]}, {samples} samples, seed {seed}."]
    if method == "bootstrap":
        sentences.append("Each pair is tested by itself; method=tukey accounts for testing all pairs.")
    if any(text == base for _, text in results):
        above = ", ".join(dict.fromkeys(text for _, text in results if text in better)) or "none"
        sentences.append(f"Above {base} in every condition: {above}.")

    def table(headers: str, rows: "list[list[Cell]]", marked: "set[str]" = better) -> "Table":
        """The table, with the column of gains only if some were set."""
        names, skipped = ["gains", *headers.split()], 0 if gains else 1
        column = names.index("measure") - skipped
        best = {(row, column) for row, cells in enumerate(rows) if cells[column + skipped] in marked}
        return Table(names[skipped:], [row[skipped:] for row in rows], best)

    return Findings(
        settings={"measures": tuple(dict.fromkeys(text for _, text in results))},
        sentences=[*sentences, *value_notes(scores)],
        tables={
            "power": table("alpha measure significant pairs percent delta", rows),
            "curve": table("measure pair asl", curves, set()),
            "pairs": table("measure run other difference asl", levels, set()),
        },
        captions={
            "power": "Pairs of runs with ASL < alpha; delta: the difference needed for that.",
            "curve": "The ASL curve: pairs of runs by decreasing ASL, separately for each measure.",
            "pairs": "Every pair of runs, with its difference and its ASL.",
        },
        data=("curve", "pairs"),
    )


def _surpassing(rows: list[list[Any]], reference: str) -> set[str]:
    """The measures with more significant pairs than the reference in every condition."""
    bars = {tuple(row[:2]): row[3] for row in rows if row[2] == reference}
    short = {row[2] for row in rows if row[3] <= bars.get(tuple(row[:2]), math.inf)}
    return {row[2] for row in rows} - short
