"""The study `power`: how many pairs of runs a measure distinguishes.

Δ is the largest of the differences of all pairs in one random sample of topics, which more samples hardly
make steadier; so each test is repeated with other seeds. (With groups of the samples of one test Δ would be
larger, and vary more; docs/studies/spread.md has the numbers.)
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from rankgauge.campaigns.campaign import Campaign
from rankgauge.campaigns.findings import Findings
from rankgauge.campaigns.options import AP, ONE_MEASURE, SEED, Measures, Seed, Several
from rankgauge.campaigns.registry import study
from rankgauge.comparison.procedures.permutation import randomised_tukey
from rankgauge.errors import InputError
from rankgauge.measures import Measure, parse
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.measures.rankings.gains import GAINS, Gains
from rankgauge.measures.settings import build
from rankgauge.model.output.tables import Cell, Shown, Table
from rankgauge.model.scores import Scores
from rankgauge.numbers.bootstrap import drawn, paired_bootstrap
from rankgauge.numbers.differences import all_pairs, differences
from rankgauge.numbers.intervals import deviation
from rankgauge.numbers.matrices import matrix, sizes_of, value_notes
from rankgauge.schema.parameters import Number, Whole, Word
from rankgauge.schema.text import counted

Spread = tuple[float, float]  # a mean and the standard deviation over repeats; NaN for a single one
METHODS = {"bootstrap": "paired bootstrap tests", "tukey": "randomised Tukey HSD tests"}


@study(
    "power",
    title="Discriminative power of measures",
    cite="Sakai, Evaluating evaluation metrics based on the bootstrap, SIGIR 2006; Carterette 2012 (Tukey)",
    example='qrels.txt runs/*.run -m "AP Q(beta=1|10) nDCG@10" --samples 200 --seed 7',
    least_runs=2,
)
def power(
    campaign: Campaign,
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
        Measure, ONE_MEASURE, "the measure that others are compared with in every condition"
    ] = AP,
    samples: Annotated[int, Whole(10), "samples of topics, or permutations, of each test"] = 1000,
    repeats: Annotated[int, Whole(1), "how often tests are repeated, with other seeds"] = 5,
    sizes: Annotated[
        tuple[int, ...] | None, Several(Whole(2)), "also test on random subsets of this many topics"
    ] = None,
    subsets: Annotated[int, Whole(1), "how many subsets of each size are drawn"] = 10,
    seed: Seed = SEED,
) -> Findings:
    """For how many pairs of runs a measure finds a significant difference, and how large it must be.

    The achieved significance level (ASL) of every pair of runs comes from the same samples of topics. The
    table counts the pairs below each level, and has the difference Δ that a pair needs with this number of
    topics: for the bootstrap that of the pair that needs most, for Tukey's test the same for all pairs. Tests
    are repeated with other seeds: counts are by the samples of all repeats, Δ is their mean, and standard
    deviations show what another seed would change. Measures that surpass the reference in all conditions
    (levels and gains) are marked.
    """
    wanted = list(conditions(campaign.measure_texts(measures), gains))
    scores = campaign.scores([measure for _, _, measure in wanted] if gains else measures)
    steps = campaign.steps(len(wanted) * (repeats + len({*(sizes or ())}) * subsets))
    tests = PairTests(method, alphas, samples, repeats, seed, campaign.threads, steps)
    values = {(worth, text): tested_values(scores, measure) for worth, text, measure in wanted}
    for by_topic in values.values() if sizes else ():
        sizes_of(by_topic.shape[1], sizes, by_topic.shape[1])  # refuses a size before anything is tested
    results = {condition: tests.significance(each) for condition, each in values.items()}
    rows: list[list[Cell]] = []
    for worth in dict.fromkeys(worth for worth, _ in results):
        for place, alpha in enumerate(alphas):
            some = [(text, each) for (of, text), each in results.items() if of == worth]
            for text, each in sorted(some, key=lambda item: -item[1].significant[place]):
                count, pairs = int(each.significant[place]), len(each.asl)
                decimals = max(0, math.floor(math.log10(pairs)) - 2)  # 1 of 105 is about 1 %
                percent = Shown.rounded(100 * count / pairs, decimals)
                spread = Shown.rounded(each.percent[place][1], 1)
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
        for (worth, text), by_topic in values.items()
        for size, each in (tests.by_size(by_topic, sizes, subsets) if sizes else ())
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

    def table(headers: str, rows: list[list[Cell]], marked: set[str] = better) -> Table:
        """The table, with a column of gains only if some were set."""
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
        "power": "Pairs of runs with ASL < alpha, by the samples of all repeats together; delta: the "
        "difference needed for that; sd: the standard deviation over repeats, each by its own samples."
        f"{of_gains}",
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


def _shown(spread: Spread, places: int) -> tuple[Shown, Shown]:
    """A mean and its standard deviation, to the first digit that varies (or the second, if that is a 1).

    At most `places`: a few repeats may agree by chance.
    """
    mean, size = spread
    if size > 0:
        first = math.floor(math.log10(size))
        places = min(places, max(0, -first + (size / 10**first < 2)))
    return Shown.rounded(mean, places), Shown.rounded(size, places)


def _surpassing(rows: list[list[Any]], reference: str) -> set[str]:
    """The measures with more significant pairs than the reference in every condition.

    A row without gains is compared under all gains.
    """
    others = {row[2] for row in rows}
    for worth, alpha, text, count, *_ in rows:
        for of, level, base, bar, *_ in rows:
            same = level == alpha and (worth is None or of is None or worth == of)
            if base == reference and same and count <= bar:
                others.discard(text)
    return others if any(row[2] == reference for row in rows) else set()


def spread_of(values: Floats) -> Spread:
    """The mean and the standard deviation, without NaN."""
    known = values[~np.isnan(values)]
    mean = float(known.mean()) if len(known) else math.nan
    return mean, float(deviation(known))


@dataclass(frozen=True)
class Significance:
    """Tests of all pairs of runs by one measure, repeated with other seeds."""

    difference: Floats  # (pairs,) of means
    levels: Floats  # (repeats, pairs) ASL; 1 where two runs have the same values
    deltas: Floats  # (repeats, alphas) the largest difference that a pair needs; NaN if unknown
    alphas: tuple[float, ...]

    @property
    def asl(self) -> Floats:
        """(pairs,) the ASL by all samples of all repeats."""
        mean: Floats = self.levels.mean(axis=0)
        return mean

    @property
    def significant(self) -> Ints:
        """(alphas,) pairs with ASL < alpha."""
        return np.array([np.count_nonzero(self.asl < alpha) for alpha in self.alphas])

    @property
    def percent(self) -> list[Spread]:
        """(alphas,) the share of pairs with ASL < alpha in each repeat."""
        return [spread_of(100 * (self.levels < alpha).mean(axis=1)) for alpha in self.alphas]

    @property
    def delta(self) -> list[Spread]:
        """(alphas,) the difference needed."""
        return [spread_of(column) for column in self.deltas.T]

    def curve(self) -> Iterator[tuple[float, float, float]]:
        """(ASL, its lowest and its highest in a repeat) of each pair, in decreasing order of ASL."""
        asl, low, high = self.asl, self.levels.min(axis=0), self.levels.max(axis=0)
        for pair in np.argsort(-asl, kind="stable"):
            yield float(asl[pair]), float(low[pair]), float(high[pair])

    def pairs(self, runs: Sequence[str]) -> Iterator[tuple[str, str, float, float]]:
        """(run, other, difference, ASL) of each pair."""
        for first, second, difference, asl in zip(
            *all_pairs(len(runs)), self.difference.tolist(), self.asl.tolist(), strict=True
        ):
            yield runs[first], runs[second], difference, asl


@dataclass(frozen=True)
class PairTests:
    """Tests of all pairs of runs, with their settings."""

    method: str  # bootstrap or tukey
    alphas: tuple[float, ...]
    samples: int
    repeats: int
    seed: int
    threads: int
    done: Callable[[], None] = lambda: None  # called after each test

    def significance(self, values: Floats) -> Significance:
        """Tests of all pairs of (runs, topics)."""
        z = differences(values)
        once = self._tukey if self.method == "tukey" else self._bootstrap
        repeats = []
        for repeat in range(self.repeats):
            repeats.append(once(values, z, seed_of(self.seed, repeat)))
            self.done()
            if repeats[-1][2]:
                for _ in range(repeat + 1, self.repeats):  # which are not needed
                    self.done()
                break
        levels, deltas, _ = zip(*repeats, strict=True)
        return Significance(z.mean(axis=1), np.array(levels), np.array(deltas), self.alphas)

    def _bootstrap(self, values: Floats, z: Floats, seed: int) -> tuple[Floats, Floats, bool]:
        """(ASL, Δ, whether other seeds find the same)."""
        result = paired_bootstrap(
            z, samples=self.samples, seed=seed, alphas=self.alphas, threads=self.threads
        )
        known = np.where(np.isnan(result.delta), -np.inf, result.delta).max(axis=1)
        return result.asl, np.where(np.isfinite(known), known, np.nan), False

    def _tukey(self, values: Floats, z: Floats, seed: int) -> tuple[Floats, Floats, bool]:
        """The same for the randomised Tukey HSD, with one Δ for all pairs."""
        result = randomised_tukey(values, permutations=self.samples, seed=seed, threads=self.threads)
        delta = np.array([result.critical(alpha) for alpha in self.alphas])
        # Among all permutations is the one that was observed: none exceeds the largest.
        beyond = delta >= result.ranges[-1] if result.exact else delta <= 0.0
        return result.p, np.where(beyond, np.nan, delta), result.exact

    def by_size(
        self, values: Floats, sizes: tuple[int, ...], subsets: int
    ) -> Iterator[tuple[int, Significance]]:
        """(size, the tests on random subsets of so many topics, as repeats)."""
        topics = values.shape[1]
        for size in sizes_of(topics, sizes, topics):
            chosen = np.concatenate([*drawn(topics, size, subsets, self.seed, replacement=False)])
            parts = [
                replace(self, repeats=1, seed=seed_of(self.seed, place)).significance(values[:, subset])
                for place, subset in enumerate(np.sort(chosen, axis=1))
            ]
            levels = np.concatenate([part.levels for part in parts])
            deltas = np.concatenate([part.deltas for part in parts])
            yield size, Significance(differences(values).mean(axis=1), levels, deltas, self.alphas)


def seed_of(seed: int, repeat: int) -> int:
    """The seed of a repeat; the first has the seed itself."""
    return int(np.random.SeedSequence([seed, repeat]).generate_state(1)[0]) if repeat else seed


def tested_values(scores: Scores, measure: str) -> Floats:
    """(runs, topics) values to test, of at least 2 topics."""
    values = matrix(scores, measure)
    if values.shape[1] < 2:
        raise InputError(f"only 1 topic has a value of {measure} for all runs; a test needs at least 2")
    return values


def conditions(texts: Sequence[str], gains: Sequence[Gains] | None) -> Iterator[tuple[str | None, str, str]]:
    """(gains, measure, the measure with these gains): all combinations.

    A measure without gains, or with its own, comes once, with None.
    """
    measures = list(map(parse, texts)) if gains else []
    free = [each.spec.has("gains") and "gains" not in each.settings for each in measures]
    if not gains:
        yield from ((None, text, text) for text in texts)
    yield from ((None, str(each), str(each)) for each, open_ in zip(measures, free, strict=True) if not open_)
    for worth in gains or ():
        for measure, open_ in zip(measures, free, strict=True):
            if open_:
                settings = {**measure.settings, "gains": worth}
                yield GAINS.write(worth), str(measure), str(build(measure.spec, settings, measure.cutoff))
