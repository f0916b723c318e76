"""Studies of the order of runs: `correlation` and `sensitivity`."""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np

from rankgauge.campaigns.campaign import Campaign
from rankgauge.campaigns.findings import Findings
from rankgauge.campaigns.options import AP, SEED, SOME_MEASURES, Measures, Seed
from rankgauge.campaigns.registry import study
from rankgauge.comparison.result import p_text
from rankgauge.errors import InputError, MeasureError
from rankgauge.measures import Measure, parse
from rankgauge.measures.rankings.arrays.curves import Floats
from rankgauge.model.output.tables import Shown, Table
from rankgauge.numbers.intervals import interval_ends
from rankgauge.numbers.matrices import oriented_means, places, reported_means
from rankgauge.numbers.rank_correlation import (
    coefficients,
    complete,
    deviations,
    pair_signs,
    rbo,
    tau_b,
    tau_w,
)
from rankgauge.numbers.tau_test import RULE, equivalence, reading, significance, tau_p
from rankgauge.schema.parameters import Number, Whole
from rankgauge.schema.text import counted


@study(
    "correlation",
    title="Rank correlation of measures",
    cite="Kendall 1948; Yilmaz, Aslam and Robertson 2008 (tau_AP); Vigna 2015 (weighted tau); Webber, Moffat "
    "and Zobel 2010 (RBO); Sakai 2006 (sweeps)",
    example='qrels.txt runs/*.run -m "AP Q(beta=1|0.1|10|100) nDCG(base=2|10|100)" --samples 200',
    needs_topics=False,
    least_runs=2,
)
def correlation(
    campaign: Campaign,
    *,
    measures: Measures = None,
    reference: Annotated[
        tuple[Measure, ...] | None,
        SOME_MEASURES,
        "the measures that sweeps are compared with, beside the default setting; by default, AP",
    ] = None,
    samples: Annotated[int, Whole(0), "samples of topics for intervals; 0 for no intervals"] = 1000,
    level: Annotated[float, Number(0, 1, above=True, below=True), "confidence level of the intervals"] = 0.95,
    p: Annotated[float, Number(0, 1, above=True, below=True), "persistence of RBO"] = 0.9,
    seed: Seed = SEED,
) -> Findings:
    """How similarly measures order the runs: Kendall's τ-a and τ-b, τ_AP, weighted τ and RBO of every two.

    p is that of Kendall's test: the probability that unrelated orders agree or disagree as much. Intervals of
    τ-a, τ-b and τ_AP are for the value on average over sets of as many topics, with the runs at hand; their
    width comes from bootstrap samples of topics. Measures of one name with several settings, as in a grid,
    form a sweep: its table has τ-b to the references and to the default setting (or else the first). Runs
    with equal means tie: τ-a counts such a pair as neither concordant nor discordant, τ-b leaves it out, τ_AP
    is the mean over all orders of tied runs, weighted τ leaves it out and ranks tied runs by the other
    measure, and in RBO tied runs share the first of their ranks.
    """
    names = campaign.measure_texts(measures)
    if len(names) < 2:
        raise InputError(f"a correlation needs at least 2 measures, not only {names[0]}; add one")
    sweep = sweeps(names)
    bases = references(campaign, reference, str(AP)) if sweep else ()
    scores = campaign.scores(dict.fromkeys([*names, *bases]))
    means, every = oriented_means(scores, incomplete=not campaign.topics), scores.measures
    samples = samples if campaign.topics else 0
    tau = coefficients(means)
    a, b, ap = tau
    low, high = interval_ends(tau, deviations(scores, samples, seed), level)
    studied = means[: len(names)]
    p_values = [[tau_p(*complete(x, y)) for y in studied] for x in studied]
    weighted = [[tau_w(*complete(x, y)) for y in studied] for x in studied]
    overlap = [[rbo(*complete(x, y), p) for y in studied] for x in studied]
    pairs = [*itertools.combinations(range(len(names)), 2)]
    runs = [len(complete(studied[i], studied[j])[0]) for i, j in pairs]

    def shown(p: float) -> Shown:
        """A p as people read it, never 0.0000."""
        return Shown(p, p_text(p))

    def matrix(values: Any, cell: Callable[[float], float] = float) -> Table:
        rows = [[cell(value) for value in row[: len(names)]] for row in values[: len(names)]]
        return Table(("measure", *names), [[name, *row] for name, row in zip(names, rows, strict=True)])

    def interval(kind: int, i: int, j: int) -> list[float]:
        return [float(each[kind, i, j]) for each in (tau, low, high)]

    words = [reading(*interval(B, i, j)) for i, j in pairs]
    tables = {
        "tau_b": matrix(b),
        "pairs": Table(
            (
                "measure",
                "other",
                "runs",
                "tau_a",
                "tau_b",
                "low",
                "high",
                "p",
                "reading",
                "tau_ap",
                "tau_ap of other",
                "tau_w",
                "rbo",
            ),
            [
                (
                    names[i],
                    names[j],
                    count,
                    float(a[i, j]),
                    *interval(B, i, j),
                    shown(p_values[i][j]),
                    word,
                    *(float(table[i][j]) for table in (ap, ap.T, weighted, overlap)),
                )
                for (i, j), count, word in zip(pairs, runs, words, strict=True)
            ],
        ),
        "p": matrix(p_values, shown),
        "tau_a": matrix(a),
        "tau_ap": matrix(ap),
        "tau_w": matrix(weighted),
        "rbo": matrix(overlap),
    }
    sentences = [
        f"{len(campaign.runs)} runs, ordered by {len(names)} measures.",
        equivalence(words),
    ]
    if min(runs) < len(campaign.runs):
        sentences.append(
            "Some means are missing: every two measures are compared on the runs that have both."
        )
    if not campaign.topics:
        sentences.append("There are only means of runs, so there are no topics to sample, and no intervals.")
    if samples:
        tables["intervals"] = Table(
            ("measure", "other", "coefficient", "value", "low", "high"),
            [
                (names[i], names[j], title, *interval(kind, *((j, i) if swapped else (i, j))))
                for i, j in pairs
                for title, kind, swapped in (
                    ("tau_a", A, False),
                    ("tau_b", B, False),
                    ("tau_ap", AP_TAU, False),
                    ("tau_ap of other", AP_TAU, True),
                )
            ],
        )
        sentences.append(
            f"Intervals, {level:.0%}, are for τ on average over sets of as many topics, by {samples} samples "
            f"of the topics, seed {seed}; the runs stay the same."
        )
    if sweep:
        tables["sweep"] = Table(
            ("measure", "reference", "tau_b", "low", "high"),
            [
                (names[i], every[r], *interval(B, i, r))
                for i, default in sweep
                for r in dict.fromkeys([*map(every.index, bases), default])
            ],
        )
    captions = {
        "tau_b": f"Kendall's τ-b. {RULE} {significance(max(runs))}",
        "pairs": "Every two measures, on the runs that have both; low and high: interval of τ-b; p: that of "
        "τ; τ_AP with the other as reference.",
        "p": "The p-value of Kendall's τ, two-sided: whether two orders are related at all.",
        "tau_a": "Kendall's τ-a.",
        "tau_ap": "τ_AP of the order by the measure in the row, with that in the column as reference.",
        "tau_w": "Weighted τ: an exchange of two runs weighs the more, the better they are.",
        "rbo": f"Rank-biased overlap, p = {p}, extrapolated.",
        "intervals": "Intervals of τ-a, τ-b and τ_AP.",
        "sweep": "Settings of one measure, compared with the references and with the default setting.",
    }
    return Findings(
        settings={"measures": names, "reference": bases or None, "samples": samples},
        sentences=sentences,
        tables=tables,
        captions={name: caption for name, caption in captions.items() if name in tables},
        data=[name for name in tables if name not in ("tau_b", "pairs", "sweep")],
    )


def sweeps(names: Sequence[str]) -> list[tuple[int, int]]:
    """(place, place of the default setting) of measures whose name occurs several times.

    Where no setting has the default value of each parameter that varies, the first stands for it.

    >>> sweeps(["AP", "Q(beta=0.1)", "Q", "P@10", "P@5"])
    [(1, 2), (2, 2), (3, 3), (4, 3)]
    """
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        places.setdefault(name.partition("(")[0].partition("@")[0], []).append(place)
    defaults = {
        place: _default(names, variants)
        for variants in places.values()
        if len(variants) > 1
        for place in variants
    }
    return sorted(defaults.items())


def _default(names: Sequence[str], places: Sequence[int]) -> int:
    try:
        variants = [parse(names[place]) for place in places]
    except MeasureError:  # columns of another tool
        return places[0]
    known = {name for variant in variants for name in variant.settings}
    varying = [name for name in known if len({repr(variant.settings.get(name)) for variant in variants}) > 1]
    for place, variant in zip(places, variants, strict=True):
        if not any(name in variant.settings for name in varying):
            return place
    return places[0]


def references(campaign: Campaign, asked: Sequence[Measure] | None, otherwise: str) -> tuple[str, ...]:
    """The measures to compare sweeps with: those asked for, or the usual one if it can be computed."""
    if asked is not None:
        return tuple(map(str, asked))
    return (otherwise,) if campaign.has_judgments or otherwise in campaign.measure_texts() else ()


GRID = "nDCG(gains=binary|linear|exp2,base=2|10)@10|100|1000"
A, B, AP_TAU = range(3)  # places of τ-a, τ-b and τ_AP among the coefficients
CUTOFF = "last rank"


@study(
    "sensitivity",
    title="Sensitivity to the choices behind a measure",
    cite="Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS 20, 2002",
    example='qrels.txt runs/*.run -m "nDCG(gains=binary|{1:1,2:10,3:100},base=2|10)@10|100"',
    needs_topics=False,
    least_runs=2,
)
def sensitivity(
    campaign: Campaign,
    *,
    measures: Annotated[
        tuple[Measure, ...] | str, SOME_MEASURES, "a grid of weights, bases, cutoffs or other settings"
    ] = GRID,
) -> Findings:
    """How the order of runs changes with the weights of grades, the base of the discount and the cutoff.

    Every setting is compared with the first. In addition, each choice is studied alone: how similar are the
    orders by two settings that differ only in that choice?
    """
    scores = campaign.scores(measures)
    means, names = oriented_means(scores), scores.measures
    reported, ranks = reported_means(scores), places(means)
    settings = []
    for name, order, rank in zip(names, means, ranks, strict=True):
        swapped = int(np.count_nonzero(pair_signs(means[0]) * pair_signs(order) < 0))
        moves = np.abs(rank - ranks[0])
        mover = scores.runs[int(moves.argmax())] if moves.any() else ""
        best = " = ".join(run for run, of_run in zip(scores.runs, rank, strict=True) if of_run == 1)
        settings.append((name, tau_b(means[0], order), swapped, int(moves.max()), mover, best))
    alike = effects(names, means)
    sentences = [f"{counted(len(names), 'setting')}; the first is {names[0]}."]
    if alike:
        similarity = {choice: _mean(taus) for choice, taus in alike.items()}
        least = min(similarity, key=lambda choice: (math.isnan(similarity[choice]), similarity[choice]))
        sentences.append(f"The choice that changes the order most: {least}.")
    tables = {
        "settings": Table(
            ("measure", "tau_b to first", "swapped pairs", "largest move", "of run", "best run"),
            settings,
        ),
        "choices": Table(
            ("choice", "comparisons", "mean tau_b", "lowest tau_b"),
            [
                (choice, len(taus), _mean(taus), min(taus, key=lambda tau: (math.isnan(tau), tau)))
                for choice, taus in alike.items()
            ],
        ),
        "orders": Table(
            ("measure", "run", "mean", "rank"),
            [
                (name, run, float(reported[m, r]), int(ranks[m, r]))
                for m, name in enumerate(names)
                for r, run in enumerate(scores.runs)
            ],
        ),
    }
    return Findings(
        settings={"measures": names},
        sentences=sentences,
        tables={name: table for name, table in tables.items() if name != "choices" or alike},
        captions={
            "settings": f"The order of runs by each setting, compared with the order by the first. {RULE}",
            "orders": "The mean and the rank of each run by each setting.",
            **({"choices": "τ-b between settings that differ only in one choice."} if alike else {}),
        },
        data=("orders",),
    )


def _mean(taus: list[float]) -> float:
    defined = [tau for tau in taus if not math.isnan(tau)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def choices(text: str) -> dict[str, str]:
    """{parameter: value as written} of a measure, including its name and cutoff."""
    try:
        measure = parse(text)
    except MeasureError:  # a column of scores from another tool
        return {"measure": text}
    written = {
        name: measure.spec.parameter(name).kind.write(value) for name, value in measure.settings.items()
    }
    return {"measure": measure.spec.name, **written, CUTOFF: str(measure.cutoff or "all")}


def effects(texts: Sequence[str], means: Floats) -> dict[str, list[float]]:
    """{choice: τ-b between every two measures that differ only in it}."""
    taus: dict[str, list[float]] = {}
    described = [choices(text) for text in texts]
    for (i, one), (j, other) in itertools.combinations(enumerate(described), 2):
        names = {*one, *other}
        differing = [name for name in sorted(names) if one.get(name) != other.get(name)]
        if len(differing) == 1:
            taus.setdefault(differing[0], []).append(tau_b(means[i], means[j]))
    return taus
