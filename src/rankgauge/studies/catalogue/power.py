"""The study `power`: how many pairs of runs a measure distinguishes."""

import math
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.measures import Measure
from rankgauge.measures.rankings.gains import GAINS, Gains
from rankgauge.model.output.tables import Shown
from rankgauge.schema.parameters import Number, Whole, Word
from rankgauge.schema.text import counted
from rankgauge.studies.options import AP, SEED, Measures, OneMeasure, Seed, Several
from rankgauge.studies.registry import study

if TYPE_CHECKING:
    from rankgauge.model.output.tables import Cell
    from rankgauge.studies.campaign import Campaign
    from rankgauge.studies.findings import Findings
    from rankgauge.studies.numerics.discrimination import Spread

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
    samples: Annotated[int, Whole(10), "samples of topics, or permutations, of each test"] = 1000,
    repeats: Annotated[int, Whole(1), "how often tests are repeated, with other seeds"] = 5,
    sizes: Annotated[
        tuple[int, ...] | None, Several(Whole(2)), "also test on random subsets of this many topics"
    ] = None,
    subsets: Annotated[int, Whole(1), "how many subsets of each size are drawn"] = 10,
    seed: Seed = SEED,
) -> "Findings":
    """For how many pairs of runs a measure finds a significant difference, and how large it must be.

    The achieved significance level (ASL) of every pair of runs comes from the same samples of topics. The
    table counts the pairs below each level, and has the difference Δ that a pair needs with this number of
    topics: for the bootstrap that of the pair that needs most, for Tukey's test the same for all pairs. Tests
    are repeated with other seeds: counts are by the samples of all repeats, Δ is their mean, and standard
    deviations show what another seed would change. Measures that surpass the reference in all conditions
    (levels and gains) are marked.
    """
    from rankgauge.model.output.tables import Table
    from rankgauge.studies.findings import Findings
    from rankgauge.studies.numerics.discrimination import PairTests, conditions, tested_values
    from rankgauge.studies.numerics.matrices import value_notes
    from rankgauge.studies.numerics.topic_sets import sizes_of

    wanted = list(conditions(campaign.measure_texts(measures), gains))
    scores = campaign.scores([measure for _, _, measure in wanted] if gains else measures)
    steps = campaign.steps(len(wanted) * (repeats + len({*(sizes or ())}) * subsets))
    tests = PairTests(method, alphas, samples, repeats, seed, campaign.threads, steps)
    values = {(worth, text): tested_values(scores, measure) for worth, text, measure in wanted}
    for matrix in values.values() if sizes else ():
        sizes_of(matrix.shape[1], sizes, matrix.shape[1])  # refuses a size before anything is tested
    results = {condition: tests.significance(each) for condition, each in values.items()}
    rows: list[list[Cell]] = []
    for worth in dict.fromkeys(worth for worth, _ in results):
        for place, alpha in enumerate(alphas):
            some = [(text, each) for (of, text), each in results.items() if of == worth]
            for text, each in sorted(some, key=lambda item: -item[1].significant[place]):
                count, pairs = int(each.significant[place]), len(each.asl)
                percent = Shown.rounded(100 * count / pairs, _decimals(pairs))
                spread = Shown.rounded(each.percent[place].deviation, 1)
                numbers = [count, pairs, percent, spread, *_shown(each.delta[place], 3)]
                rows.append([worth, Shown(alpha), text, *numbers])
    base = str(reference)
    better = _surpassing(rows, base)
    curves: list[list[Cell]] = [
        [worth, text, place, *levels]
        for (worth, text), each in results.items()
        for place, levels in enumerate(each.curve(), 1)
    ]
    levels: list[list[Cell]] = [
        [worth, text, *pair] for (worth, text), each in results.items() for pair in each.pairs(campaign.runs)
    ]
    by_size: list[list[Cell]] = [
        [worth, Shown(alpha), text, size, *_shown(each.percent[place], 1), *_shown(each.delta[place], 3)]
        for (worth, text), matrix in values.items()
        for size, each in (tests.by_size(matrix, sizes, subsets) if sizes else ())
        for place, alpha in enumerate(alphas)
    ]
    done = max(len(each.levels) for each in results.values())
    again = f", {counted(done, 'repeat')}" if done > 1 else ""
    tested = counted(len(next(iter(results.values())).asl), "pair")
    sentences = [f"{tested} of runs by {METHODS[method]}, {counted(samples, 'sample')}{again}, seed {seed}."]
    if method == "bootstrap":
        sentences.append("Each pair is tested by itself; method=tukey accounts for testing all pairs.")
    if any(text == base for _, text in results):
        above = ", ".join(dict.fromkeys(text for _, text in results if text in better)) or "none"
        sentences.append(f"Above {base} in every condition: {above}.")

    def table(headers: str, rows: "list[list[Cell]]", marked: "set[str]" = better) -> "Table":
        """The table, with the column of gains only if some were set."""
        names, skipped = ["gains", *headers.split(",")], 0 if gains else 1
        column = names.index("measure") - skipped
        best = {(row, column) for row, cells in enumerate(rows) if cells[column + skipped] in marked}
        return Table(names[skipped:], [row[skipped:] for row in rows], best)

    spreads = "percent,percent sd,delta,delta sd"
    of_gains = " Measures without gains, or with their own, are listed once." if gains else ""
    tables = {
        "power": table(f"alpha,measure,significant,pairs,{spreads}", rows),
        "curve": table("measure,pair,asl,low,high", curves, set()),
        "pairs": table("measure,run,other,difference,asl", levels, set()),
    }
    captions = {
        "power": "Pairs of runs with ASL < alpha; delta: the difference needed for that; sd: the standard "
        f"deviation over repeats.{of_gains}",
        "curve": "The ASL curve: pairs of runs by decreasing ASL, separately for each measure; low and high: "
        "the lowest and the highest ASL of a repeat.",
        "pairs": "Every pair of runs, with its difference and its ASL.",
    }
    if sizes:
        tables["topics"] = table(f"alpha,measure,topics,{spreads}", by_size, set())
        captions["topics"] = (
            f"Means and standard deviations over {counted(subsets, 'random subset')} of the topics; the more "
            "topics they have, the more they overlap, and the less they differ."
        )
    return Findings(
        settings={"measures": tuple(dict.fromkeys(text for _, text in results))},
        sentences=[*sentences, *value_notes(scores)],
        tables=tables,
        captions=captions,
        data=("curve", "pairs"),
    )


def _decimals(pairs: int) -> int:
    """How many decimals a share of these pairs deserves, in per cent: 1 of 105 is about 1 %."""
    return max(0, math.floor(math.log10(pairs)) - 2)


def _shown(spread: "Spread", places: int) -> tuple[Shown, Shown]:
    """A mean and its standard deviation, to the first digit that varies (or the second, if that is a 1).

    They have no more than these places: a few repeats may agree by chance.
    """
    size = spread.deviation
    if size > 0:
        first = math.floor(math.log10(size))
        places = min(places, max(0, -first + (size / 10**first < 2)))
    return Shown.rounded(spread.mean, places), Shown.rounded(size, places)


def _surpassing(rows: list[list[Any]], reference: str) -> set[str]:
    """The measures with more significant pairs than the reference in every condition.

    A row without gains, of the reference or of another measure, is compared under all gains.
    """
    others = {row[2] for row in rows}
    for worth, alpha, text, count, *_ in rows:
        for of, level, base, bar, *_ in rows:
            same = level == alpha and (worth is None or of is None or worth == of)
            if base == reference and same and count <= bar:
                others.discard(text)
    return others if any(row[2] == reference for row in rows) else set()
