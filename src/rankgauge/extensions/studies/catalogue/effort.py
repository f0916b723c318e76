"""Studies of effort: `archetypes`, `effort-gain`, and `twist`, the experiment of the paper."""

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Annotated

import numpy as np

from rankgauge.campaigns.campaign import Campaign
from rankgauge.campaigns.findings import Findings
from rankgauge.campaigns.options import SEED, SOME_MEASURES, QuartileMethod, Seed
from rankgauge.campaigns.registry import study
from rankgauge.comparison.corrections import holm
from rankgauge.engines.facts import other_reading
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.studies.catalogue.judgments import robustness
from rankgauge.extensions.studies.catalogue.orders import correlation
from rankgauge.extensions.studies.catalogue.power import power
from rankgauge.extensions.studies.effort import (
    ARCHETYPE_NAMES,
    ARCHETYPES,
    CONFLATED,
    EFFORTS,
    GAINS,
    NO_ARCHETYPE,
    Quadrants,
    archetype_of,
    quadrants,
)
from rankgauge.measures import Measure, parse, parse_all
from rankgauge.measures.effort import CITE, Crossing, Length
from rankgauge.measures.rankings.arrays.curves import Ints
from rankgauge.model.notes import on_reading
from rankgauge.model.output.tables import Cell, Table
from rankgauge.model.scores import Scores
from rankgauge.numbers.tau_test import RULE, significance
from rankgauge.schema.parameters import Number, Whole
from rankgauge.schema.text import are

Level = Annotated[float, Number(), "the smallest grade that counts as relevant"]


@study(
    "archetypes",
    title="Archetypes of effort",
    cite=f"{CITE}, section Run archetypes and table 2",
    example="qrels.txt runs/*.run --crossing return",
)
def archetypes(
    campaign: Campaign, *, N: Length | None = None, crossing: Crossing = "return", rel: Level = 1.0
) -> Findings:
    """Which shape the CRP curve of each run and topic has: ideal, typical, excellent, ... and how often.

    The table `collection` is the paper's table 2, in per cent, where excellent includes ups-and-downs.
    """
    numbers = archetype_numbers(campaign, N, crossing, rel)
    total = int((numbers != NO_ARCHETYPE).sum())
    if not total:
        raise InputError(f"no topic has relevant documents (rel={rel:g}), so no run has an archetype")
    points: list[list[Cell]] = [
        [run, topic, ARCHETYPE_NAMES[n], CONFLATED.get(ARCHETYPE_NAMES[n], ARCHETYPE_NAMES[n])]
        for run, row in zip(campaign.runs, numbers.tolist(), strict=True)
        for topic, n in zip(campaign.topics, row, strict=True)
        if n != NO_ARCHETYPE
    ]
    typical = sum(name.startswith("typical") for _, _, name, _ in points)  # type: ignore[union-attr]
    left_out = numbers.size - total
    sentences = [f"{typical} of {total} pairs of run and topic are typical, {100 * typical / total:.1f} %."]
    if left_out:
        sentences.append(f"{are(left_out)} left out: the topic has no relevant document, or does not count.")
    return Findings(
        settings={"N": campaign.longest if N is None else N},
        sentences=sentences,
        tables={
            "shares": shares(numbers),
            "collection": table_2(numbers, campaign.runs),
            "points": Table(("run", "topic", "archetype", "conflated"), points),
        },
        captions={
            "shares": "How often each shape occurs, over all runs and topics.",
            "collection": "Table 2 of the paper: per cent of topics; excellent includes ups-and-downs.",
            "points": "The shape of each run on each topic.",
        },
        data=("points",),
    )


TABLE_2 = ("ideal", "worst", "full-scale", "typical-A", "typical-B", "excellent")  # the paper's columns


def archetype_numbers(campaign: Campaign, N: int | None, crossing: str, rel: float) -> Ints:
    """(runs, topics) archetypes by number; -1 where there is none, or the topic does not count."""
    numbers = np.full((len(campaign.runs), len(campaign.topics)), NO_ARCHETYPE)
    for runs, topics, rankings in campaign.rankings():
        block = numbers[runs, topics]
        block[:] = archetype_of(rankings, N=N, crossing=crossing, rel=rel).reshape(block.shape)
        block[~campaign.rules.counts(rankings.retrieved).reshape(block.shape)] = NO_ARCHETYPE
    return numbers


def shares(numbers: Ints) -> Table:
    """The number and share of each archetype."""
    total = int(np.count_nonzero(numbers != NO_ARCHETYPE))
    counts = {name: int(np.count_nonzero(numbers == n)) for n, name in enumerate(ARCHETYPE_NAMES)}
    rows: list[list[Cell]] = [
        [name, counts[name], 100 * counts[name] / total, ARCHETYPES[name]] for name in ARCHETYPE_NAMES
    ]
    return Table(("archetype", "count", "percent", "what it is"), rows)


def table_2(numbers: Ints, names: Sequence[str] = ()) -> Table:
    """The paper's table 2, in per cent: for all, and for each named run."""
    labels = [CONFLATED.get(name, name) for name in ARCHETYPE_NAMES]
    rows: list[list[Cell]] = []
    for name, of in [("all", numbers), *zip(names, numbers, strict=False)]:
        total = int(np.count_nonzero(of != NO_ARCHETYPE))
        counts = np.bincount(of[of != NO_ARCHETYPE], minlength=len(ARCHETYPE_NAMES)).tolist()
        by_label = dict.fromkeys(TABLE_2, 0)
        for label, count in zip(labels, counts, strict=True):
            by_label[label] += count
        rows.append([name, total, *(100 * n / total if total else float("nan") for n in by_label.values())])
    return Table(("run", "total", *TABLE_2), rows)


# The paper's measures; its weights, 5 × the level, cancel out in nDCG.
GAIN_MEASURES = parse_all("AP Bpref RBP nDCG(base=10)")
QUADRANT_HEADERS = ("measure", "gain", "above", "up to", *(f"{effort} effort" for effort in EFFORTS))
SHARE_HEADERS = ("measure", "points", "undefined", "diagonal", "high-high")
TEST_HEADERS = ("measure", "run", "against", "run alone", "against alone", "p (Holm)")
POINT_HEADERS = ("measure", "run", "topic", "effort value", "gain value", "gain", "effort")


@study(
    "effort-gain",
    title="Effort and gain",
    cite=f"{CITE}, section Effort/gain plots",
    example='qrels.txt runs/*.run -m "AP nDCG(base=10)"',
)
def effort_gain(
    campaign: Campaign,
    *,
    measures: Annotated[tuple[Measure, ...], SOME_MEASURES, "the measures of gain"] = GAIN_MEASURES,
    effort: Annotated[tuple[Measure, ...], SOME_MEASURES, "the measure of effort, from 0 to 1"] = (
        parse("Twist"),
    ),
    method: QuartileMethod = "linear",
) -> Findings:
    """What gain costs: each run and topic is a point, in one of sixteen quadrants of effort and gain.

    Columns are separated by Twist at 0.25, 0.5 and 0.75, rows by the quartiles of the gain over all points.
    On the diagonal effort and gain agree; only both together reveal high gain at high effort. McNemar's exact
    test, Holm-corrected, compares pairs of runs by the topics on which one alone has high or huge gain at
    medium or low effort.
    """
    if len(effort) > 1:
        raise OptionError(f"effort must be one measure, not {len(effort)}")
    measures = tuple(gain for gain in measures if gain not in effort)
    if not measures:
        raise OptionError(f"{effort[0]} is the measure of effort; name one or more of gain, such as nDCG")
    for gain in measures:
        if gain.spec.direction < 1:
            raise OptionError(f"{gain} is not a gain: higher values are not better; choose another measure")
    scores = campaign.scores([*effort, *measures])
    by_gain = {gain: placed(scores, effort[0], gain, method) for gain in measures}
    points = [row for gain, each in by_gain.items() for row in point_rows(scores, gain, each)]
    both = [row for row in points if row[-2] in ("high", "huge") and row[-1] in ("high", "huge")]
    sentences = [
        f"{gain}: {100 * each.diagonal:.1f} % of the points are on the diagonal, "
        f"{100 * each.high_high:.1f} % have high gain at high effort."
        for gain, each in by_gain.items()
    ]
    tests = [row for gain, each in by_gain.items() for row in rows_of_tests(scores.runs, gain, each)]
    return Findings(
        settings={"N": scores.provenance.measure(str(effort[0])).N},  # the length of lists, if it matters
        sentences=sentences,
        tables={
            "shares": Table(SHARE_HEADERS, [share_row(gain, each) for gain, each in by_gain.items()]),
            "quadrants": Table(
                QUADRANT_HEADERS,
                [row for gain, each in by_gain.items() for row in quadrant_rows(gain, each)],
            ),
            "together": Table(
                POINT_HEADERS, sorted(both, key=lambda row: (str(row[0]), -float(row[4] or 0)))
            ),
            "tests": Table(TEST_HEADERS, tests),
            "points": Table(POINT_HEADERS, points),
        },
        captions={
            "tests": "Topics with high or huge gain at medium or low effort for one run alone, by McNemar's "
            "exact test; p is Holm's, over the pairs of a measure.",
            "shares": "Per cent of the points on the diagonal, and in the high-high quadrants.",
            "quadrants": "Per cent of the points in each quadrant; rows by the quartiles of the gain.",
            "together": "Points of high or huge gain at high or huge effort, the highest gain first.",
            "points": "Every point, for a plot.",
        },
        data=("tests", "points"),
    )


def placed(scores: Scores, effort: Measure, gain: Measure, method: str) -> Quadrants:
    """The quadrants of all runs and topics; topics that do not count are undefined."""
    values = (scores.values[:, scores.measures.index(str(m))] for m in (effort, gain))
    x, y = (np.where(scores.counted, each, np.nan) for each in values)
    return quadrants(x, y, method=method)


def quadrant_rows(gain: Measure, quadrants: Quadrants) -> list[list[Cell]]:
    """Shares of the sixteen quadrants, the highest gain first."""
    cuts = [None, *quadrants.cuts, None]
    percent = (100 * quadrants.shares).tolist()
    return [[str(gain), GAINS[row], cuts[row], cuts[row + 1], *percent[row]] for row in (3, 2, 1, 0)]


def share_row(gain: Measure, quadrants: Quadrants) -> list[Cell]:
    """The number of points, and the shares on the diagonal and in the high-high quadrants."""
    undefined = len(quadrants.row) - quadrants.placed
    return [str(gain), quadrants.placed, undefined, 100 * quadrants.diagonal, 100 * quadrants.high_high]


def rows_of_tests(runs: Sequence[str], gain: Measure, quadrants: Quadrants) -> list[list[Cell]]:
    """Pairs of runs by the topics on which one alone has much gain for little effort, the surest first.

    Topics count on which both runs have a gain and an effort.
    """
    easy = ((quadrants.row >= 2) & (quadrants.column >= 2)).reshape(len(runs), -1)
    hard = ((quadrants.row >= 0) & ~easy.reshape(-1)).reshape(len(runs), -1)
    found = []
    for (run, own, left), (other, theirs, missed) in combinations(zip(runs, easy, hard, strict=True), 2):
        counts = int((own & missed).sum()), int((theirs & left).sum())
        differing = sum(counts)
        tail = sum(math.comb(differing, n) for n in range(min(counts) + 1))
        found.append((min(1.0, 2 * tail / 2**differing), run, other, *counts))
    found.sort(key=lambda each: each[0])
    corrected = np.minimum(holm(np.array([each[0] for each in found])), 1.0).tolist()
    return [[str(gain), *each[1:], p] for each, p in zip(found, corrected, strict=True)]


def point_rows(scores: Scores, gain: Measure, quadrants: Quadrants) -> list[list[Cell]]:
    """(measure, run, topic, Twist, gain, its quadrant) of every point."""
    pairs = [(run, topic) for run in scores.runs for topic in scores.topics]
    values = zip(pairs, quadrants.effort.tolist(), quadrants.gain.tolist(), quadrants.cells, strict=True)
    return [[str(gain), *pair, x, y, *cell] for pair, x, y, cell in values if cell is not None]


@study(
    "twist",
    title="The experiment of the Twist paper",
    cite=f"{CITE}, sections Run archetypes, Effort/gain plots and Experiments",
    example="qrels.txt runs/*.run --samples 200 --crossing matters",
)
def twist(
    campaign: Campaign,
    *,
    N: Length | None = None,
    crossing: Crossing = "return",
    method: QuartileMethod = "linear",
    samples: Annotated[int, Whole(10), "samples of topics for discriminative power"] = 1000,
    shuffles: Annotated[int, Whole(1), "how often judgments are shuffled for robustness"] = 1,
    seed: Seed = SEED,
) -> Findings:
    """Archetypes, effort and gain, correlations, robustness and discriminative power, as in the paper.

    For AP, Bpref and RBP (p = 0.8) every grade from 1 is relevant; nDCG has base 10 and cutoff N, and the
    paper's weights, 5 × the level, cancel out. Archetypes and quadrants cover all runs, the rest only the
    best three quarters of them by MAP.
    """
    numbers = archetype_numbers(campaign, N, crossing, 1.0)
    if (numbers == NO_ARCHETYPE).all():
        raise InputError("no topic has relevant documents, so no run has an archetype")
    length = campaign.longest if N is None else N
    gains = parse_all(f"AP Bpref RBP(p=0.8) nDCG(base=10)@{length}")
    (tau,) = parse_all(f"Twist(N={length},crossing={crossing})")
    scores = campaign.scores([tau, *gains])
    other = on_readings(campaign, tau)
    quadrants = {gain: placed(scores, tau, gain, method) for gain in gains}

    chosen = campaign.select(setting="twist")
    tables = {
        "archetypes": table_2(numbers),
        "effort_gain": Table(SHARE_HEADERS, [share_row(g, q) for g, q in quadrants.items()]),
        "quadrants": Table(
            QUADRANT_HEADERS, [row for g, q in quadrants.items() for row in quadrant_rows(g, q)]
        ),
    }
    captions = {
        "archetypes": "Table 2: per cent of runs and topics; excellent includes ups-and-downs.",
        "effort_gain": "Figures 7 to 10: per cent on the diagonal, and with high gain at high effort.",
        "quadrants": "Per cent of the points in each quadrant; rows by the quartiles of the gain.",
    }
    if len(chosen.runs) > 1:
        findings = correlation(chosen, measures=scores.measures, samples=0)
        tables["correlation"], tables["correlation_p"] = findings.table("tau_b"), findings.table("p")
        captions["correlation"] = (
            f"Tables 3 and 4: Kendall's τ-b between the orders of the best runs. {RULE} "
            f"{significance(len(chosen.runs))}"
        )
        captions["correlation_p"] = "Tables 3 and 4: the p-value of each τ, two-sided."
        findings = robustness(chosen, measures=scores.measures, shuffles=shuffles, seed=seed)
        tables["robustness"] = findings.table("samples")
        captions["robustness"] = "Figure 13: τ-b to the order by all judgments, with only a share of them."
    if len(chosen.runs) > 1 and len(chosen.topics) > 1:
        findings = power(chosen, measures=scores.measures, alphas=0.05, samples=samples, seed=seed)
        tables["power"] = findings.table("power")
        captions["power"] = (
            "Figure 14: pairs of the best runs that differ significantly, by the bootstrap; sd: over repeats."
        )
    return Findings(
        settings={"N": length, "measures": scores.measures, "compared": len(chosen.runs)},
        sentences=[
            f"{len(chosen.runs)} of {len(campaign.runs)} runs, the best by MAP, are compared.",
            *other,
            *(
                f"{gain}: {100 * q.diagonal:.1f} % of the points are on the diagonal, "
                f"{100 * q.high_high:.1f} % have high gain at high effort."
                for gain, q in quadrants.items()
            ),
        ],
        tables=tables,
        captions=captions,
    )


def on_readings(campaign: Campaign, measure: Measure) -> list[str]:
    """A sentence on another reading of the definition, if it changes a value."""
    other = measure.other_reading
    if other is None:
        return []
    scores = campaign.scores([measure, other])
    means, others = ([of_run[text] for of_run in scores.mean().values()] for text in scores.measures)
    facts = other_reading(str(other), scores.values[:, 0], scores.values[:, 1], means, others)
    return [f"{on_reading(str(measure), facts)}."] if facts.differing else []
