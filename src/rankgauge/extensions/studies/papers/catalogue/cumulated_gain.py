"""The experiment of Järvelin and Kekäläinen 2002."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rankgauge.campaigns.campaign import Campaign
from rankgauge.comparison import Comparison, compare
from rankgauge.comparison.procedures.ranks import doubled_ranks
from rankgauge.comparison.registry import CorrectionName
from rankgauge.extensions.pages import figures
from rankgauge.extensions.pages.figures import Figure
from rankgauge.extensions.studies.papers.claims import (
    Bootstrap,
    Outcome,
    Statistic,
    at,
    claim,
    orders_differ,
    too_few,
)
from rankgauge.extensions.studies.papers.registry import (
    Contents,
    Inputs,
    experiment,
    file_name,
    gains_of,
    panels,
    weights_of,
)
from rankgauge.extensions.studies.papers.worked_examples import add_worked_examples
from rankgauge.measures.rankings.arrays.curves import Floats
from rankgauge.model.curves import Curves
from rankgauge.model.output.tables import Cell, Table
from rankgauge.numbers.matrices import matrix
from rankgauge.numbers.tau_test import EQUIVALENT

EXPERIMENT = experiment(
    "cumulated-gain",
    title="Cumulated gain: table II and figures 1 to 4 of its paper",
    cite="Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques, TOIS 20(4)",
    help="CG, DCG, nCG and nDCG of the five best runs by MAP, with binary weights of relevance and with "
    "0-1-10-100, and the ideal; averages over ranks 1 to 200 with Friedman's test; how weights change the "
    "order of all runs. Grades beyond the third weigh as much as the third; fewer grades get the highest "
    "weights.",
    module=__name__,
)
RUNS, DEPTH, LAST = 5, 100, 200
BINARY, GRADED, HIGH = (1, 1, 1), (1, 10, 100), (0, 0, 1)  # weights of the grades 1, 2 and 3
AVERAGES = {"nCG": f"AnCG(gains={{gains}})@{LAST}", "nDCG": f"AnDCG(base=2,gains={{gains}})@{LAST}"}


def _shown(campaign: Campaign, weights: Sequence[int]) -> str:
    return "-".join(map(str, [0, *weights_of(campaign, weights).values()]))


def _averages(campaign: Campaign, *weights: Sequence[int]) -> list[str]:
    gains = (gains_of(campaign, each) for each in weights)
    return [measure.format(gains=each) for each in gains for measure in AVERAGES.values()]


def _best(campaign: Campaign) -> Campaign:
    return campaign.select(top=RUNS) if len(campaign.runs) > RUNS else campaign


@EXPERIMENT.part("table-2", title="Table II: averages over topics, and their significance")
def table_2(given: Inputs) -> Contents:
    """n(D)CG averaged over ranks 1 to 200, with Friedman's test."""

    def compared(campaign: Campaign) -> Tests:
        labels = {
            text: f"{name} ({_shown(campaign, weights)})"
            for weights in (BINARY, GRADED, HIGH)
            for name, text in zip(AVERAGES, _averages(campaign, weights), strict=True)
        }
        scores = _best(campaign).scores([*labels])
        order = [*scores.sorted(scores.measures[0]).runs][::-1]
        scores = scores.only(runs=order)
        labels |= dict(zip(order, "ABCDE", strict=False))
        correction: CorrectionName = (
            "none" if len(order) > 2 else "holm"
        )  # an overall test protects several pairs
        friedman = compare(scores, test="friedman", correction=correction, family="all").labelled(labels)
        anova = compare(scores, test="anova-two-way", correction=correction, family="all").labelled(labels)
        caption = f"{', '.join(f'{letter} is {run}' for run, letter in zip(order, 'ABCDE', strict=False))}."
        weighted = [matrix(scores, measure) for measure in scores.measures[:4]]
        ranks = np.stack([doubled_ranks(values).T for values in weighted], axis=1) - (len(order) + 1.0)
        by_topic = np.stack([ranks, ranks**2], axis=1)
        means = Bootstrap.of_means(by_topic, **given.sampling, runs=len(order))
        return Tests(friedman, anova, caption, means)

    results = given.each(compared)
    reported = Table(
        ("measure", "A", "B", "C", "D", "E", "Stat. Sign."),
        [
            ["nCG (0-1-1-1)", 0.242, 0.271, 0.293, 0.318, 0.343, ""],
            ["nDCG (0-1-1-1)", 0.292, 0.294, 0.287, 0.335, 0.331, ""],
            ["nCG (0-1-10-100)", 0.254, 0.305, 0.313, 0.316, 0.342, "D, E > A**"],
            ["nDCG (0-1-10-100)", 0.211, 0.238, 0.236, 0.279, 0.247, "D > A*"],
            ["nCG (0-0-0-1)", 0.244, 0.301, 0.309, 0.309, 0.329, ""],
            ["nDCG (0-0-0-1)", 0.192, 0.220, 0.223, 0.259, 0.224, ""],
        ],
        caption="Table II.",
    )
    return Contents(
        sentences=[
            "The five best runs by MAP, A to E from the lowest to the highest. Averages are taken over the "
            "ranks of a topic first, then over topics.",
        ],
        tables={
            file_name("table-2", name): tests.friedman.by_measure()._replace(
                caption=f"{name}: {tests.caption}"
            )
            for name, tests in results.items()
        },
        reported=[reported],
        claims=[
            claim(
                "ANOVA proves no difference significant (two-way, then t-tests with its error)",
                results,
                _none_by_anova,
            ),
            claim(
                "Friedman's test separates runs more with graded weights than with binary ones: Kendall's W",
                results,
                lambda tests: tests.ranks.higher(_concordance(slice(2, 4)), _concordance(slice(2))),
            ),
        ],
        commands=[
            f"rankgauge compare QRELS RUN... --test friedman --correction none --family all --view measures "
            f'-m "AnCG(gains={{1:1,2:10,3:100}})@{LAST} AnDCG(base=2,gains={{1:1,2:10,3:100}})@{LAST}"'
        ],
    )


class Tests(NamedTuple):
    """The runs A to E by all measures of the table."""

    friedman: Comparison
    anova: Comparison
    caption: str  # the names of the runs
    ranks: Bootstrap  # (2, measures, runs) centred ranks within topics, and their squares, by the first four


def _concordance(measures: slice) -> Statistic:
    """Kendall's W: Friedman's T1 as a share of its maximum, the mean over measures."""

    def statistic(mean: Floats) -> Any:
        with np.errstate(invalid="ignore"):  # all runs may tie
            w = (mean[..., 0, measures, :] ** 2).sum(axis=-1) / mean[..., 1, measures, :].sum(axis=-1)
        return w.mean(axis=-1)

    return statistic


def _none_by_anova(tests: Tests) -> Outcome:
    """Not confirmed by a significant difference; that none is found proves nothing."""
    found = sum(len(each.significant) for each in tests.anova.compared)
    pairs = sum(len(each.pairs) for each in tests.anova.compared)
    few = too_few(tests.ranks.runs, tests.ranks.topics)
    if few:
        return few
    p = np.fmin.reduce([each.overall.corrected for each in tests.anova.compared if each.overall] or [np.nan])
    return Outcome(False if found else None, f"{found} of {pairs} differences", float(p))


@EXPERIMENT.part("orders", title="Section 4: weights, discounts and the order of runs", cost=0.5)
def orders(given: Inputs) -> Contents:
    """Kendall's tau between orders by binary and graded weights, and by nCG and nDCG."""
    taus = given.each(
        lambda campaign: Bootstrap.of_orders(campaign, _averages(campaign, BINARY, GRADED), **given.sampling)
    )
    halves = given.each(
        lambda campaign: Bootstrap.of_halves(campaign, _averages(campaign, BINARY, GRADED), **given.sampling)
    )
    rows: list[list[Cell]] = []
    for name, campaign in given.campaigns.items():
        weights = [_shown(campaign, each) for each in (BINARY, GRADED)]
        names = [f"{measure} ({each})" for each in weights for measure in AVERAGES]
        for one, other in CHANGES.values():
            tau, low, high = taus[name].interval(at(one, other))
            rows.append(
                [name, len(campaign.runs), names[one], names[other], tau, max(low, -1.0), min(high, 1.0)]
            )

    def changed(name: str, one: int, other: int) -> Outcome:
        if other - one == 2 and len(weights_of(given.campaigns[name], GRADED)) < 2:
            return Outcome(None, "one grade of relevance")
        return orders_differ(taus[name], halves[name], one, [other])

    return Contents(
        tables={
            "orders": Table(
                ("collection", "runs", "measure", "other", "tau", "low", "high"),
                rows,
                caption="Kendall's tau-b between the orders of runs by two measures, averages over ranks 1 "
                f"to {LAST}, with 95 % intervals.",
            )
        },
        claims=[
            claim(
                f"{what} changes the order of runs: tau below {EQUIVALENT}",
                {name: changed(name, *places) for name in taus},
                lambda outcome: outcome,
            )
            for what, places in CHANGES.items()
        ],
        commands=[
            'rankgauge study correlation QRELS RUN... -m "'
            + " ".join(measure.format(gains="binary|{1:1,2:10,3:100}") for measure in AVERAGES.values())
            + '"'
        ],
    )


# {what changes: the places of two measures among nCG and nDCG with binary, then with graded weights}
CHANGES = {"Weighting, by nCG,": (0, 2), "Weighting, by nDCG,": (1, 3), "Discounting": (2, 3)}


def _curves(campaign: Campaign, measure: str) -> dict[str, Curves]:
    return {
        _shown(campaign, weights): _best(campaign).curves(
            measure.format(gains=gains_of(campaign, weights)), depth=DEPTH
        )
        for weights in (BINARY, GRADED)
    }


def _figure(number: int, measure: str, title: str, normalise: str = "no") -> None:
    @EXPERIMENT.part(f"figure-{number}", title=f"Figure {number}: {title}")
    def part(given: Inputs) -> Contents:
        """Curves of the runs and of the ideal, by weights (a) and (b)."""
        by_name = given.each(lambda campaign: _curves(campaign, measure))
        drawn = {}
        for name, by_scheme in by_name.items():
            for aggregation in ("averages", "topics") if normalise == "averages" else ("no",):
                stem = [f"figure-{number}", *([aggregation] if aggregation == "topics" else []), name]
                drawn[file_name(*stem)] = panels(
                    _drawn(by_scheme, aggregation),
                    f"{name}: {title}",
                    shared=("x",) if normalise == "no" else ("x", "y"),  # gains of 100 are on another scale
                )
        return Contents(
            sentences=[_AGGREGATIONS] if normalise == "averages" else [],
            tables={f"figure-{number}": _distances(by_name)} if normalise == "no" else {},
            figures=drawn,
            commands=[
                f"rankgauge figure curve QRELS RUN... --depth {DEPTH} "
                f'-m "{measure.format(gains="{1:1,2:10,3:100}")}"'
                + ("" if normalise == "no" else f" --normalise {normalise}")
                + " -o FILE"
            ],
        )


_AGGREGATIONS = (
    "The document divides the average vectors by the average ideal vector. The figures named topics divide "
    "the vector of each topic by its own ideal vector first."
)
_DISTANCES = (
    "How far the best run hangs below the ideal, over ranks 1 to 100, and the rank at which the best and the "
    "worst run reach what the ideal ranking has at rank 10."
)


def _drawn(by_scheme: Mapping[str, Curves], normalise: str) -> dict[str, Figure]:
    return {
        f"weights {label}": figures.curve(
            curves,
            normalise=normalise,
            width="page",
            labels={measure: measure.partition("(")[0] for measure in curves.measures},
        )
        for label, curves in by_scheme.items()
    }


def _distances(by_name: Mapping[str, Mapping[str, Curves]]) -> Table:
    rows: list[list[Cell]] = []
    for name, by_scheme in by_name.items():
        for label, curves in by_scheme.items():
            (measure,) = curves.measures
            ends = {run: vectors[measure][-1] for run, vectors in curves.mean().items()}
            best, worst = max(ends, key=ends.__getitem__), min(ends, key=ends.__getitem__)
            below = curves.distance()[best][measure]
            ranks = (
                [curves.reach(run, measure)[9] for run in (best, worst)]
                if curves.depth >= 10
                else [None, None]
            )
            rows.append(
                [name, label, best, min(below), max(below), *("never" if r is None else r for r in ranks)]
            )
    headers = ("collection", "weights", "best run", "least", "most", "best reaches", "worst reaches")
    return Table(headers, rows, caption=_DISTANCES)


EARLY = 10  # ranks at which curves start


@EXPERIMENT.part("spread", title="Sections 3.5 and 3.6: how far runs differ, and where curves start")
def spread(given: Inputs) -> Contents:
    """The range of runs with and without discount, and normalised gain in the first ranks."""
    means = given.each(lambda campaign: _mean_curves(given, campaign))
    rows: list[list[Cell]] = [
        [name, _shown(campaign, weights), *(float(of(means[name].observed)) for of in _statistics(place))]
        for name, campaign in given.campaigns.items()
        for place, weights in enumerate((BINARY, GRADED))
    ]

    def graded(name: str) -> Outcome:
        if len(weights_of(given.campaigns[name], GRADED)) < 2:
            return Outcome(None, "one grade of relevance")
        return means[name].higher(_start(0), _start(1), ".3f")

    headers = ("collection", "weights", "range of CG in %", "range of DCG in %", f"nCG to rank {EARLY}")
    return Contents(
        tables={
            "spread": Table(
                headers,
                rows,
                caption=f"The best run less the worst, both averaged over ranks 1 to {DEPTH}, in per cent of "
                f"the mean of the runs; and mean CG over that of the ideal, averaged over ranks 1 to {EARLY} "
                "and runs.",
            )
        },
        claims=[
            *(
                claim(
                    f"Discounting narrows the range of runs, in per cent of their mean ({name} weights)",
                    means,
                    _narrows(place),
                )
                for place, name in enumerate(("binary", "graded"))
            ),
            claim(
                f"Highly relevant documents are harder to retrieve: graded nCG is lower to rank {EARLY}",
                {name: graded(name) for name in means},
                lambda outcome: outcome,
            ),
        ],
        commands=[
            f"rankgauge evaluate QRELS RUN... --curve --depth {DEPTH} "
            f'-m "{measure}(gains={{1:1,2:10,3:100}})"'
            for measure in ("CG", "DCG")
        ],
    )


def _mean_curves(given: Inputs, campaign: Campaign) -> Bootstrap:
    """(weights, CG and DCG, runs and then the ideal, ranks): mean gains."""
    best = _best(campaign)
    texts = ("CG(gains={gains})", "DCG(base=2,gains={gains})")
    curves = [
        best.curves(text.format(gains=gains_of(campaign, weights)), depth=DEPTH)
        for weights in (BINARY, GRADED)
        for text in texts
    ]
    values = np.stack([np.concatenate([each.values[:, 0], each.ideal]) for each in curves])
    by_topic = np.moveaxis(values, 2, 0)  # (topics, measures, runs, ranks)
    known = by_topic[~np.isnan(by_topic).any(axis=(1, 2, 3))]
    shape = (len(known), 2, len(texts), *known.shape[2:])
    return Bootstrap.of_means(known.reshape(shape), **given.sampling, runs=len(best.runs))


def _narrows(weights: int) -> Callable[[Bootstrap], Outcome]:
    return lambda mean: mean.higher(_range(weights, 0), _range(weights, 1), ".1f", " %")


def _statistics(weights: int) -> list[Statistic]:
    return [_range(weights, 0), _range(weights, 1), _start(weights)]


def _range(weights: int, measure: int) -> Statistic:
    """The best run less the worst, in per cent of the mean of the runs."""

    def statistic(mean: Floats) -> Any:
        runs = mean[..., weights, measure, :-1, :].mean(axis=-1)
        return 100 * (runs.max(axis=-1) - runs.min(axis=-1)) / runs.mean(axis=-1)

    return statistic


def _start(weights: int) -> Statistic:
    """Normalised cumulated gain in the first ranks, the mean of runs and ranks."""

    def statistic(mean: Floats) -> Any:
        gains = mean[..., weights, 0, :, :EARLY]
        return (gains[..., :-1, :] / gains[..., -1:, :]).mean(axis=(-2, -1))

    return statistic


_figure(1, "CG(gains={gains})", "cumulated gain")
_figure(2, "DCG(base=2,gains={gains})", "discounted cumulated gain")
_figure(3, "CG(gains={gains})", "normalised cumulated gain", "averages")
_figure(4, "DCG(base=2,gains={gains})", "normalised discounted cumulated gain", "averages")
add_worked_examples(EXPERIMENT, "cumulated-gain")
