"""The experiment of the Twist paper."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankgauge.campaigns.campaign import Campaign
from rankgauge.campaigns.findings import Findings
from rankgauge.comparison.result import p_phrase, printed_p
from rankgauge.extensions.pages import figures
from rankgauge.extensions.pages.figures import Figure, Plot
from rankgauge.extensions.studies import STUDIES
from rankgauge.extensions.studies.catalogue.judgments import sample_taus
from rankgauge.extensions.studies.effort import EFFORTS
from rankgauge.extensions.studies.effort import GAINS as GAIN_LEVELS
from rankgauge.extensions.studies.papers.claims import Bootstrap, Outcome, at, claim, orders_differ
from rankgauge.extensions.studies.papers.registry import (
    Contents,
    Inputs,
    experiment,
    file_name,
    panels,
    side_by_side,
)
from rankgauge.extensions.studies.papers.worked_examples import add_worked_examples
from rankgauge.measures import parse_all
from rankgauge.measures.effort import CITE
from rankgauge.measures.rankings.arrays.curves import Floats
from rankgauge.model.output.labels import Labels
from rankgauge.model.output.tables import Cell, Table
from rankgauge.model.scores import Scores

EXPERIMENT = experiment(
    "twist",
    title="The Twist measure: tables 1 to 4 and figures 7 to 14 of its paper",
    cite=CITE,
    help="Archetypes of effort, effort beside gain, and how Twist, AP, bpref, RBP and nDCG agree, resist "
    "incomplete judgments and tell runs apart. Grades from 1 are relevant. Correlations, robustness and "
    "power are of the best three quarters of the runs by MAP, the rest of all runs.",
    module=__name__,
)
NAMES = ("Twist", "AP", "bpref", "RBP", "nDCG")
GAINS = {"AP": "7", "bpref": "8", "RBP": "9", "nDCG": "10"}  # {measure of gain: its figure}
ALL_TYPED = "Twist AP Bpref RBP(p=0.8) nDCG(base=10,gains=levels)"  # as a command has them
TYPED = dict(zip(NAMES, ALL_TYPED.split(), strict=True))
COLLECTIONS = ("TREC 10", "TREC 14", "TREC 20", "TREC 21")
TWIST, AP, BPREF, RBP, NDCG = range(len(NAMES))
SHUFFLES = 10
MARGIN = 0.1  # of τ, by which a measure that is as robust as another may be less so


def measures_of(campaign: Campaign) -> dict[str, str]:
    """The measures as the paper sets them, by its names; gains go by the order of grades."""
    length = campaign.longest
    texts = f"Twist(N={length}) AP Bpref RBP(p=0.8) nDCG(base=10,gains=levels)@{length}"
    return dict(zip(NAMES, map(str, parse_all(texts)), strict=True))


def labels_of(campaign: Campaign) -> dict[str, str]:
    """{measure: its name in the paper}."""
    return {text: name for name, text in measures_of(campaign).items()}


def scores_of(campaign: Campaign, *names: str) -> Scores:
    """The scores of all runs by some or all of these measures."""
    measures = measures_of(campaign)
    return campaign.scores([measures[name] for name in names or NAMES])


def panels_of(given: Inputs, results: Mapping[str, Any], draw: Plot, title: str, **options: Any) -> Figure:
    """The figures of all collections, with the paper's names of measures."""
    drawn = {
        name: draw(results[name], width="page", labels=labels_of(campaign), **options)
        for name, campaign in given.campaigns.items()
    }
    return panels(drawn, title)


@EXPERIMENT.part("table-1", title="Table 1: features of the collections", cost=0.2)
def table_1(given: Inputs) -> Contents:
    """Features of the collections."""
    features = given.each(_features)
    rows: list[list[Cell]] = [
        [feature, *(by_feature[feature] for by_feature in features.values())]
        for feature in next(iter(features.values()))
    ]
    return Contents(
        tables={"table-1": Table(("feature", *features), rows, caption="Features of the collections.")},
        reported=[
            Table(
                ("feature", *COLLECTIONS),
                [
                    ["# Topics", 50, 50, 50, 50],
                    ["# Runs", 95, 74, 37, 27],
                    ["Run length", 1000, 1000, 10000, 10000],
                    ["Relevance degrees", 3, 3, 4, 4],
                ],
                caption="Table 1, the features that files show.",
            )
        ],
    )


def _by_collection(rows: Mapping[str, Mapping[str, Cell]], columns: Sequence[str], caption: str) -> Table:
    cells = [[name, *(row[each] for each in columns)] for name, row in rows.items()]
    return Table(("collection", *columns), cells, caption=caption)


def _features(campaign: Campaign) -> dict[str, int]:
    grades = campaign.qrels.sorted_grades
    return {
        "topics": len(campaign.topics),
        "runs": len(campaign.runs),
        "run length": campaign.longest,
        "relevance degrees": len({max(grade, 0) for grade in grades.tolist()} | {0}),
        "judged documents": len(grades),
        "relevant documents": int((grades > 0).sum()),
    }


@EXPERIMENT.part("table-2", title="Table 2: archetypes of CRP curves")
def table_2(given: Inputs) -> Contents:
    """The share of each shape of CRP curves."""
    findings = given.each(STUDIES["archetypes"].call)
    shares = {name: each.records("collection")[0] for name, each in findings.items()}
    columns = [key for key in next(iter(shares.values())) if key not in ("run", "total")]
    reported = Table(
        ("collection", "total", "ideal", "worst", "typical A", "typical B", "excellent"),
        [
            ["TREC 10", 4750, 0.17, 3.09, 83.87, 12.72, 0.15],
            ["TREC 14", 3700, 0.0, 1.86, 80.24, 17.89, 0.0],
            ["TREC 20", 1850, 0.11, 8.86, 60.70, 30.16, 0.16],
            ["TREC 21", 1350, 0.0, 4.15, 64.59, 31.26, 0.0],
        ],
        caption="Table 2.",
    )
    caption = "Per cent of pairs of run and topic; excellent includes ups-and-downs."
    typical = {
        name: _tally(
            given,
            name,
            (
                (row["topic"], [row["archetype"] == "typical-A", row["archetype"] == "typical-B"])
                for row in each.records("points")
            ),
        )
        for name, each in findings.items()
    }
    return Contents(
        tables={"table-2": _by_collection(shares, ("total", *columns), caption)},
        reported=[reported],
        claims=[
            claim(
                "Nine in ten curves or more are typical A or typical B",
                typical,
                lambda each: each.higher(
                    lambda n: 100 * n[..., :2].sum(axis=-1) / n[..., 2], 90, ".1f", " %"
                ),
            ),
            claim("More curves are typical A than typical B", typical, _first_above_second),
        ],
        commands=["rankgauge study archetypes QRELS RUN..."],
        places=2,
    )


def _tally(given: Inputs, name: str, points: Iterable[tuple[str, Sequence[bool]]]) -> Bootstrap:
    """How many points are of each kind, and in all, over samples of the topics that have points."""
    campaign = given.campaigns[name]
    counts: dict[str, Floats] = {}
    for topic, kinds in points:
        counts[topic] = counts.get(topic, 0) + np.array([*kinds, True], dtype=np.float64)
    return Bootstrap.of_means(np.array([*counts.values()]), **given.sampling, runs=len(campaign.runs))


def _first_above_second(counts: Bootstrap) -> Outcome:
    return counts.higher(
        lambda n: 100 * n[..., 0] / n[..., -1], lambda n: 100 * n[..., 1] / n[..., -1], ".0f", " %"
    )


REPORTED_SHARES = {  # by collection: on the diagonal, and high-high, where the text gives them
    "AP": (("28", "44"), ("", "37"), ("26", "about 50"), ("25", "50")),
    "bpref": (("", ""), ("", ""), ("1.24", ""), ("", "")),
    "RBP": (("31", "44"), ("38", "37.4"), ("33", "50"), ("33", "50")),
    "nDCG": (),
}


def _effort_and_gain(campaign: Campaign, gain: str) -> Findings:
    measures = measures_of(campaign)
    return STUDIES["effort-gain"].call(campaign, measures=measures[gain], effort=measures["Twist"])


def _effort_gain(gain: str) -> None:
    number = GAINS[gain]

    @EXPERIMENT.part(f"figure-{number}", title=f"Figure {number}: effort and gain, {gain} against Twist")
    def part(given: Inputs) -> Contents:
        """A point for each topic of each run."""
        findings = given.each(lambda campaign: _effort_and_gain(campaign, gain))
        by_name = {name: each.records("shares")[0] for name, each in findings.items()}
        points = {
            name: _tally(given, name, ((row["topic"], _places_of(row)) for row in each.records("points")))
            for name, each in findings.items()
        }
        scores = given.each(lambda campaign: scores_of(campaign, "Twist", gain))
        title = f"Effort and gain: {gain} against Twist"
        shares = zip(COLLECTIONS, REPORTED_SHARES[gain], strict=False)
        reported = [[name, *pair] for name, pair in shares if any(pair)]
        columns = ("points", "undefined", "diagonal", "high-high")
        caption = "Per cent of the points on the diagonal, and in high-high quadrants."
        printed = Table(("collection", *columns[2:]), reported, caption="Per cent, as the text gives it.")
        return Contents(
            tables={f"figure-{number}": _by_collection(by_name, columns, caption)},
            figures={f"figure-{number}": panels_of(given, scores, figures.effort_gain, title)},
            reported=[printed] if reported else [],
            claims=[
                claim(
                    f"More points have high {gain} at high effort than lie on the diagonal",
                    points,
                    _first_above_second,
                )
            ],
            commands=[f'rankgauge figure effort-gain QRELS RUN... -m "{TYPED[gain]}" -o FILE'],
            places=1,
        )


def _places_of(point: Mapping[str, Any]) -> tuple[bool, bool]:
    gain, effort = GAIN_LEVELS.index(point["gain"]), EFFORTS.index(point["effort"])
    return gain >= 2 and effort < 2, gain == effort


for _gain in GAINS:
    _effort_gain(_gain)


@EXPERIMENT.part("figure-11", title="Figure 11: effort and gain of single rankings, rank by rank", cost=2)
def figure_11(given: Inputs) -> Contents:
    """Four rankings of huge nDCG in each collection, by effort."""
    chosen = given.each(_examples)
    drawn: dict[str, Figure] = {}
    rows: list[list[Cell]] = []
    for name, campaign in given.campaigns.items():
        scores, marked = scores_of(campaign, "Twist", "nDCG"), [f"{row[1]}:{row[2]}" for row in chosen[name]]
        rankings = {
            "effort and gain": figures.effort_gain(
                scores, width="page", labels=labels_of(campaign), mark=marked
            )
        }
        for number, (effort, run, topic, twist, ndcg) in enumerate(chosen[name], 1):
            curves = campaign.only([run]).curves("CRP DCG(base=10) R", depth=min(campaign.longest, 1000))
            title = f"{number}: {effort} effort, {run}, topic {topic}"
            rankings[title] = figures.crp(curves, run=run, topic=topic, width="page")
            rows.append([name, effort, run, topic, twist, ndcg])
        title = f"{name}: rankings of huge nDCG"
        drawn[file_name("figure-11", name)] = panels(rankings, title, shared=(), columns=3)
    return Contents(
        sentences=[
            "From the rankings of huge nDCG, the one with the median Twist of each column of figure 10."
        ],
        tables={
            "figure-11": Table(
                ("collection", "effort", "run", "topic", "Twist", "nDCG"),
                rows,
                caption="The rankings that are drawn.",
            )
        },
        figures=drawn,
        commands=[
            f'rankgauge figure effort-gain QRELS RUN... -m "{TYPED["nDCG"]}" --mark RUN:TOPIC -o FILE',
            'rankgauge figure crp QRELS RUN -m "CRP DCG(base=10) R" --topic TOPIC -o FILE',
        ],
    )


def _examples(campaign: Campaign) -> list[tuple[str, str, str, float, float]]:
    """(effort, run, topic, Twist, nDCG) of a ranking with huge gain, for each degree of effort."""
    findings = _effort_and_gain(campaign, "nDCG")
    points = [row for row in findings.records("points") if row["gain"] == "huge"]
    examples = []
    for effort in EFFORTS:
        some = sorted((row for row in points if row["effort"] == effort), key=lambda row: row["effort value"])
        if some:
            row = some[len(some) // 2]
            examples.append((effort, row["run"], row["topic"], row["effort value"], row["gain value"]))
    return examples


def _best(campaign: Campaign) -> Campaign:
    return campaign.select(setting="twist")


def _measures(campaign: Campaign) -> list[str]:
    return list(measures_of(campaign).values())


def _studied(given: Inputs, study: str, **options: Any) -> dict[str, Findings]:
    return given.each(
        lambda campaign: STUDIES[study].call(_best(campaign), measures=_measures(campaign), **options)
    )


@EXPERIMENT.part("figure-12", title="Figure 12: distribution of the means of runs")
def figure_12(given: Inputs) -> Contents:
    """The means of the runs by each measure."""
    scores, title = given.each(scores_of), "Means of runs by each measure"
    return Contents(
        figures={"figure-12": panels_of(given, scores, figures.distribution, title, of="runs")},
        commands=[f'rankgauge figure distribution QRELS RUN... --of runs -m "{ALL_TYPED}" -o FILE'],
    )


TABLE_3 = Table(
    ("collection", "bpref", "RBP", "nDCG"),
    [
        ["TREC 10", 0.8506, 0.6041, 0.8334],
        ["TREC 14", 0.8390, 0.7229, 0.9070],
        ["TREC 20", 0.8498, 0.5675, 0.8962],
        ["TREC 21", 0.8461, 0.5669, 0.8388],
    ],
    caption="Table 3.",
)
TABLE_4 = Table(
    ("collection", "AP", "bpref", "RBP", "nDCG"),
    [
        ["TREC 10", 0.8144, 0.8173, 0.6489, 0.8791],
        ["TREC 14", 0.8477, 0.7547, 0.6051, 0.9012],
        ["TREC 20", 0.8254, 0.8148, 0.3968, 0.9245],
        ["TREC 21", 0.9157, 0.8526, 0.3684, 0.8210],
    ],
    caption="Table 4.",
)


@EXPERIMENT.part("tables-3-4", title="Tables 3 and 4: correlations of measures")
def tables_3_and_4(given: Inputs) -> Contents:
    """Kendall's tau between the orders of runs by every two measures."""
    findings = _studied(given, "correlation", samples=0)
    by_name = {name: _square(each.table("tau_b"), NAMES) for name, each in findings.items()}
    p_values = {name: _square(each.table("p"), NAMES) for name, each in findings.items()}
    orders = given.each(
        lambda campaign: Bootstrap.of_orders(_best(campaign), _measures(campaign), **given.sampling)
    )
    halves = given.each(
        lambda campaign: Bootstrap.of_halves(_best(campaign), _measures(campaign), **given.sampling)
    )
    tests = {name: (orders[name], p_values[name]) for name in orders}
    gains = [*GAINS]
    return Contents(
        tables={
            "table-3": Table(
                ("collection", *gains[1:]),
                [[f"AP ({n})", *(t["AP"][g] for g in gains[1:])] for n, t in by_name.items()],
                caption="Kendall's tau-b between AP and the other measures of gain, over the best runs.",
            ),
            "table-4": Table(
                ("collection", *gains),
                [[f"Twist ({n})", *(t["Twist"][g] for g in gains)] for n, t in by_name.items()],
                caption="Kendall's tau-b between Twist and the measures of gain, over the best runs.",
            ),
        },
        reported=[TABLE_3, TABLE_4],
        claims=[
            claim(
                "No measure of gain is highly correlated with Twist: tau below 0.9",
                {name: (orders[name], halves[name]) for name in orders},
                lambda both: orders_differ(*both, TWIST, [AP, BPREF, RBP, NDCG]),
            ),
            claim(
                "Of the measures of gain, RBP agrees least with Twist",
                orders,
                lambda tau: tau.higher(
                    lambda t: t[..., TWIST, [AP, BPREF, NDCG]].min(axis=-1), at(TWIST, RBP)
                ),
            ),
            claim(
                "Of the measures of gain, nDCG agrees most with Twist",
                orders,
                lambda tau: tau.higher(
                    at(TWIST, NDCG), lambda t: t[..., TWIST, [AP, BPREF, RBP]].max(axis=-1)
                ),
            ),
            claim(
                "Of the other measures of gain, RBP agrees least with AP",
                orders,
                lambda tau: tau.higher(lambda t: t[..., AP, [BPREF, NDCG]].min(axis=-1), at(AP, RBP)),
            ),
            claim("All values are significant, with p well below 1 %", tests, _all_significant),
        ],
        commands=[f'rankgauge study correlation QRELS RUN... --select twist -m "{ALL_TYPED}"'],
        places=4,
    )


def _all_significant(tested: tuple[Bootstrap, Mapping[str, Mapping[str, float]]]) -> Outcome:
    """Whether all correlations are; a test that is not significant decides nothing."""
    tau, p_values = tested
    positive = tau.higher(lambda t: t[..., :2, :].min(axis=(-2, -1)), 0)
    if not positive.held:
        return positive
    highest = max(p_values[row][column] for row in ("Twist", "AP") for column in GAINS if row != column)
    p = max(highest, positive.p or 0.0)
    return Outcome(highest < 0.01 or None, f"p {p_phrase(highest, printed_p)}", p)


def _square(table: Table, names: Sequence[str]) -> dict[str, dict[str, float]]:
    rows = ([float(cell) for cell in [*row][1:]] for row in table.rows)  # type: ignore[arg-type]
    return {name: dict(zip(names, row, strict=True)) for name, row in zip(names, rows, strict=True)}


def _side_by_side(given: Inputs, findings: Mapping[str, Findings], table: str, caption: str) -> Table:
    tables = {
        name: findings[name].table(table).labelled(Labels.read(labels_of(campaign)))
        for name, campaign in given.campaigns.items()
    }
    return side_by_side(tables, caption)


@EXPERIMENT.part("figure-13", title="Figure 13: robustness to incomplete judgments", cost=4)
def figure_13(given: Inputs) -> Contents:
    """The order of runs with only some of the judgments."""
    findings = _studied(given, "robustness", shuffles=SHUFFLES, seed=given.seed)

    def shuffled(campaign: Campaign) -> Bootstrap:
        """(a tenth or half of the judgments, measures) τ to the order by all judgments, over shuffles."""
        best = _best(campaign)
        measures = tuple(parse_all(_measures(campaign)))
        taus = sample_taus(best, measures, (10, 50), SHUFFLES, given.seed).T
        return Bootstrap(taus.mean(axis=0), taus, len(best.topics), len(best.runs))

    taus = given.each(shuffled)
    return Contents(
        sentences=[
            f"{SHUFFLES} shuffles of the judgments, with all topics: intervals of findings are 1.96 standard "
            "deviations of one shuffle, and leave out what other topics would change. The document has no "
            f"margin for “as robust as”; {MARGIN:g} of τ is ours."
        ],
        tables={
            "figure-13": _side_by_side(
                given,
                findings,
                "samples",
                "Kendall's tau-b to the order by all judgments, mean over shuffles of the judgments.",
            )
        },
        figures={
            "figure-13": panels_of(
                given, findings, figures.robustness, "Order of runs with only some of the judgments"
            )
        },
        claims=[
            claim("bpref or nDCG is the most robust with a tenth of the judgments", taus, most_robust),
            claim(
                f"Twist is as robust as bpref with half of the judgments: less so by {MARGIN:g} at most",
                taus,
                lambda each: each.higher(lambda t: t[..., 1, TWIST] - t[..., 1, BPREF], -MARGIN),
            ),
        ],
        commands=[
            f'rankgauge study robustness QRELS RUN... --select twist -m "{ALL_TYPED}" --seed {given.seed}'
        ],
    )


def most_robust(taus: Bootstrap) -> Outcome:
    """Whether bpref or nDCG is more robust than all others with a tenth of the judgments."""
    return taus.higher(
        lambda t: t[..., 0, [BPREF, NDCG]].max(axis=-1), lambda t: t[..., 0, [TWIST, AP, RBP]].max(axis=-1)
    )


@EXPERIMENT.part("figure-14", title="Figure 14: discriminative power", cost=6)
def figure_14(given: Inputs) -> Contents:
    """The pairs of runs that each measure tells apart."""
    findings = _studied(given, "power", alphas=0.05, **given.sampling)

    def percents(campaign: Campaign) -> Bootstrap:
        best = _best(campaign)
        pairs = Bootstrap.of_power(best, _measures(campaign), [0.05], **given.sampling)
        share = 100 / math.comb(len(best.runs), 2)
        return replace(pairs, observed=share * pairs.observed[0], sampled=share * pairs.sampled[:, 0])

    by_name = given.each(percents)
    return Contents(
        tables={
            "figure-14": _side_by_side(
                given,
                findings,
                "power",
                "Pairs of runs that differ at the level 0.05, and the difference that takes.",
            )
        },
        figures={
            "figure-14": panels_of(given, findings, figures.asl, "Achieved significance levels", power=False)
        },
        claims=[
            claim(
                "Twist tells more pairs apart than bpref (t-tests)",
                by_name,
                lambda each: each.higher(at(TWIST), at(BPREF), ".0f", " %"),
            ),
            claim(
                "nDCG tells more pairs apart than Twist (t-tests)",
                by_name,
                lambda each: each.higher(at(NDCG), at(TWIST), ".0f", " %"),
            ),
        ],
        commands=[
            f'rankgauge figure asl QRELS RUN... --select twist -m "{ALL_TYPED}" '
            f"--samples {given.samples} --seed {given.seed} -o FILE"
        ],
    )


add_worked_examples(EXPERIMENT, "twist")
