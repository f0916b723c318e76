"""The experiment of Järvelin and Kekäläinen 2002: cumulated gain of five runs, by several weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rankgauge import figures
from rankgauge.comparison import Comparison, compare
from rankgauge.figures import Figure
from rankgauge.model.curves import Curves
from rankgauge.model.output.tables import Cell, Table
from rankgauge.reports.papers.registry import (
    Claim,
    Contents,
    Inputs,
    Outcome,
    claim,
    experiment,
    file_name,
    gains_of,
    more,
    panels,
)
from rankgauge.reports.papers.worked_examples import add_worked_examples
from rankgauge.studies.campaign import Campaign

EXPERIMENT = experiment(
    "cumulated-gain",
    title="Cumulated gain: table II and figures 1 to 4 of its paper",
    cite="Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques, TOIS 20(4)",
    help="CG, DCG, nCG and nDCG of the five best runs by MAP, with binary weights of relevance and with "
    "0-1-10-100, and the ideal; averages over ranks 1 to 200 with Friedman's test. Grades beyond the third "
    "weigh as much as the third.",
    module=__name__,
)
RUNS, DEPTH, LAST = 5, 100, 200
BINARY, GRADED, HIGH = "0-1-1-1", "0-1-10-100", "0-0-0-1"
WEIGHTS = {BINARY: (1, 1, 1), GRADED: (1, 10, 100), HIGH: (0, 0, 1)}  # of the grades 1, 2 and 3


def _best(campaign: Campaign) -> Campaign:
    return campaign.select(top=RUNS) if len(campaign.runs) > RUNS else campaign


@EXPERIMENT.part("table-2", title="Table II: averages over topics, and their significance")
def table_2(given: Inputs) -> Contents:
    """n(D)CG averaged over ranks 1 to 200, with Friedman's test."""

    def compared(campaign: Campaign) -> Tests:
        labels: dict[str, str] = {}
        for scheme, weights in WEIGHTS.items():
            for name, measure in (("nCG", "AnCG(gains={gains})"), ("nDCG", "AnDCG(base=2,gains={gains})")):
                text = f"{measure.format(gains=gains_of(campaign, weights))}@{LAST}"
                labels[text] = f"{labels[text]}, {scheme}" if text in labels else f"{name} ({scheme})"
        scores = _best(campaign).scores([*labels])
        order = [*scores.sorted(scores.measures[0]).runs][::-1]
        scores = scores.only(runs=order)
        labels |= dict(zip(order, "ABCDE", strict=False))
        friedman, anova = (
            compare(scores, test=test, correction="none", family="all").labelled(labels)
            for test in ("friedman", "anova-two-way")
        )
        caption = f"{', '.join(f'{letter} is {run}' for run, letter in zip(order, 'ABCDE', strict=False))}."
        return Tests(friedman, anova, caption)

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
            claim("ANOVA proves no difference significant", results, _none_by_anova),
            claim(
                "Friedman's test finds more differences with weights 0-1-10-100 than with binary ones",
                results,
                lambda tests: more(
                    _significant(tests.friedman, GRADED), _significant(tests.friedman, BINARY), "d"
                ),
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


def _significant(comparison: Comparison, scheme: str = "") -> int:
    """The number of significant differences, by the measures of a scheme or by all."""
    return sum(len(each.significant) for each in comparison.compared if scheme in each.measure)


def _none_by_anova(tests: Tests) -> Outcome:
    found, pairs = _significant(tests.anova), sum(len(each.pairs) for each in tests.anova.compared)
    return Outcome(found == 0, f"{found} of {pairs} differences")


def _curves(campaign: Campaign, measure: str, scheme: str) -> Curves:
    return _best(campaign).curves(measure.format(gains=gains_of(campaign, WEIGHTS[scheme])), depth=DEPTH)


SCHEMES = {"binary weighting": BINARY, "weights 0-1-10-100": GRADED}


def _figure(number: int, measure: str, title: str, normalise: str = "no") -> None:
    @EXPERIMENT.part(f"figure-{number}", title=f"Figure {number}: {title}")
    def part(given: Inputs) -> Contents:
        """Curves of the runs and of the ideal, by weights (a) and (b)."""
        by_name = given.each(
            lambda campaign: {label: _curves(campaign, measure, scheme) for label, scheme in SCHEMES.items()}
        )
        drawn = {}
        for name, by_scheme in by_name.items():
            for aggregation in ("averages", "topics") if normalise == "averages" else ("no",):
                stem = [f"figure-{number}", *([aggregation] if aggregation == "topics" else []), name]
                drawn[file_name(*stem)] = panels(
                    _drawn(by_scheme, aggregation),
                    f"{name}: {title}",
                    shared=("x",) if normalise == "no" else ("x", "y"),  # gains of 100 are on another scale
                )
        first = {name: by_scheme["binary weighting"] for name, by_scheme in by_name.items()}
        second = {name: by_scheme["weights 0-1-10-100"] for name, by_scheme in by_name.items()}
        claims = (
            _claims_normalised("nCG" if number == 3 else "nDCG", first, second)
            if normalise == "averages"
            else _claims(first)
        )
        return Contents(
            sentences=[_AGGREGATIONS] if normalise == "averages" else [],
            tables={f"figure-{number}": _distances(by_name)} if normalise == "no" else {},
            figures=drawn,
            claims=claims,
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
        label: figures.curve(
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


def _claims(by_name: Mapping[str, Curves]) -> list[Claim]:
    """Runs stay below the ideal."""

    def below(curves: Curves) -> Outcome:
        (measure,) = curves.measures
        best = max(vectors[measure][-1] for vectors in curves.mean().values())
        return more(curves.mean_ideal()[measure][-1], best, ".1f")

    stem = next(iter(by_name.values())).measures[0].partition("(")[0]
    return [
        claim(f"The ideal {stem} is above that of every run at rank {DEPTH} (binary weights)", by_name, below)
    ]


def _claims_normalised(name: str, first: Mapping[str, Curves], second: Mapping[str, Curves]) -> list[Claim]:
    """Highly relevant documents are harder to retrieve, so curves start lower with graded weights."""

    def start(curves: Curves) -> float:
        vectors = [each[curves.measures[0]][0] for each in curves.mean("averages").values()]
        return sum(vectors) / len(vectors)

    both = {collection: (first[collection], second[collection]) for collection in first}
    text = f"{name} starts higher with binary weights than with 0-1-10-100"
    return [claim(text, both, lambda curves: more(start(curves[0]), start(curves[1])))]


_figure(1, "CG(gains={gains})", "cumulated gain")
_figure(2, "DCG(base=2,gains={gains})", "discounted cumulated gain")
_figure(3, "CG(gains={gains})", "normalised cumulated gain", "averages")
_figure(4, "DCG(base=2,gains={gains})", "normalised discounted cumulated gain", "averages")
add_worked_examples(EXPERIMENT, "cumulated-gain")
