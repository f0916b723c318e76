"""The experiment of the Twist paper: effort beside gain, on any collections with graded judgments."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rankgauge import figures
from rankgauge.figures import Figure, Plot
from rankgauge.measures import parse_all
from rankgauge.measures.effort import CITE
from rankgauge.model.output.labels import Labels
from rankgauge.model.output.tables import Cell, Table
from rankgauge.model.scores import Scores
from rankgauge.reports.papers.registry import (
    Contents,
    Inputs,
    Outcome,
    claim,
    experiment,
    file_name,
    more,
    panels,
    side_by_side,
    square,
)
from rankgauge.reports.papers.worked_examples import add_worked_examples
from rankgauge.studies import STUDIES
from rankgauge.studies.campaign import Campaign
from rankgauge.studies.effort import EFFORTS
from rankgauge.studies.findings import Findings

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


def measures_of(campaign: Campaign) -> dict[str, str]:
    """The measures as the paper sets them, by its names; gains go by the order of grades."""
    length = campaign.longest
    texts = f"Twist(N={length}) AP Bpref RBP(p=0.8) nDCG(base=10,gains=levels)@{length}"
    return dict(zip(NAMES, map(str, parse_all(texts)), strict=True))


def labels_of(campaign: Campaign) -> dict[str, str]:
    """{measure: its name in the paper}, for figures."""
    return {text: name for name, text in measures_of(campaign).items()}


def scores_of(campaign: Campaign, *names: str) -> Scores:
    """The scores of all runs, by some of these measures or by all of them."""
    measures = measures_of(campaign)
    return campaign.scores([measures[name] for name in names or NAMES])


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
    """Some columns of a row for each collection."""
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
    return Contents(
        tables={"table-2": _by_collection(shares, ("total", *columns), caption)},
        reported=[reported],
        claims=[
            claim("Nine in ten curves or more are typical A or typical B", shares, _nine_in_ten),
            claim(
                "More curves are typical A than typical B",
                shares,
                lambda row: more(row["typical-A"], row["typical-B"], ".1f", " %"),
            ),
            claim(
                "No curve is that of the full-scale run",
                shares,
                lambda row: Outcome(row["full-scale"] == 0, f"{row['full-scale']:.2f} %"),
            ),
        ],
        commands=["rankgauge study archetypes QRELS RUN..."],
        places=2,
    )


def _nine_in_ten(row: Mapping[str, float]) -> Outcome:
    typical = row["typical-A"] + row["typical-B"]
    return Outcome(round(typical, 6) >= 90, f"{typical:.1f} % against 90.0 %")


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
        by_name = given.each(lambda campaign: _effort_and_gain(campaign, gain).records("shares")[0])
        scores = given.each(lambda campaign: scores_of(campaign, "Twist", gain))
        title = f"Effort and gain: {gain} against Twist"
        shares = zip(COLLECTIONS, REPORTED_SHARES[gain], strict=False)
        reported = [[name, *pair] for name, pair in shares if any(pair)]
        columns = ("points", "undefined", "diagonal", "high-high")
        caption = "Per cent of the points on the diagonal, and in high-high quadrants."
        printed = Table(("collection", *columns[2:]), reported, caption="Per cent, as the text gives it.")
        return Contents(
            tables={f"figure-{number}": _by_collection(by_name, columns, caption)},
            figures={f"figure-{number}": _panels(given, scores, figures.effort_gain, title)},
            reported=[printed] if reported else [],
            claims=[
                claim(
                    f"More points have high {gain} at high effort than lie on the diagonal",
                    by_name,
                    lambda row: more(row["high-high"], row["diagonal"], ".0f", " %"),
                )
            ],
            commands=[f'rankgauge figure effort-gain QRELS RUN... -m "{TYPED[gain]}" -o FILE'],
            places=1,
        )


for _gain in GAINS:
    _effort_gain(_gain)


@EXPERIMENT.part("figure-11", title="Figure 11: effort and gain of single rankings, rank by rank", cost=2)
def figure_11(given: Inputs) -> Contents:
    """Four rankings of huge nDCG in each collection, from huge to low effort."""
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
        drawn[file_name("figure-11", name)] = panels(rankings, title, shared=(), columns=2)
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


def _studied(given: Inputs, study: str, **options: Any) -> dict[str, Findings]:
    """The findings of a study by all measures, on the best three quarters of the runs."""
    return given.each(
        lambda campaign: STUDIES[study].call(
            campaign.select(setting="twist"), measures=list(measures_of(campaign).values()), **options
        )
    )


@EXPERIMENT.part("figure-12", title="Figure 12: distribution of the means of runs")
def figure_12(given: Inputs) -> Contents:
    """The means of the runs by each measure."""
    scores, title = given.each(scores_of), "Means of runs by each measure"
    return Contents(
        figures={"figure-12": _panels(given, scores, figures.distribution, title, of="runs")},
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
    by_name = {name: square(each.table("tau_b"), NAMES) for name, each in findings.items()}
    p_values = {name: square(each.table("p"), NAMES) for name, each in findings.items()}
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
            claim("Of the measures of gain, RBP agrees least with Twist", by_name, _agrees("Twist", "RBP")),
            claim(
                "Of the measures of gain, nDCG agrees most with Twist",
                by_name,
                _agrees("Twist", "nDCG", most=True),
            ),
            claim("Of the other measures of gain, RBP agrees least with AP", by_name, _agrees("AP", "RBP")),
            claim("All values are significant, with p well below 1 %", p_values, _all_significant),
        ],
        commands=[f'rankgauge study correlation QRELS RUN... --select twist -m "{ALL_TYPED}"'],
        places=4,
    )


def _all_significant(p_values: Mapping[str, Mapping[str, float]]) -> Outcome:
    values = [p_values[row][column] for row in ("Twist", "AP") for column in GAINS if row != column]
    if any(map(math.isnan, values)):
        return Outcome(None)
    highest = max(values)
    return Outcome(highest < 0.01, f"p at most {highest:.2g}")


def _agrees(
    measure: str, expected: str, *, most: bool = False
) -> Callable[[Mapping[str, Mapping[str, float]]], Outcome]:
    """Whether, of the measures of gain, the expected one agrees least, or most, with a measure."""

    def decide(taus: Mapping[str, Mapping[str, float]]) -> Outcome:
        others = {name: taus[measure][name] for name in GAINS if name != measure}
        if any(map(math.isnan, others.values())):
            return Outcome(None)
        found = (max if most else min)(others, key=others.__getitem__)
        if others[expected] == others[found]:  # it may share the place
            return Outcome(True, f"{expected} {others[expected]:.2f}")
        return Outcome(False, f"{found} {others[found]:.2f}, {expected} {others[expected]:.2f}")

    return decide


def _side_by_side(given: Inputs, findings: Mapping[str, Findings], table: str, caption: str) -> Table:
    """The tables of all collections in one, with the paper's names of measures."""
    tables = {
        name: findings[name].table(table).labelled(Labels.read(labels_of(campaign)))
        for name, campaign in given.campaigns.items()
    }
    return side_by_side(tables, caption)


def _panels(given: Inputs, results: Mapping[str, Any], draw: Plot, title: str, **options: Any) -> Figure:
    """The figures of all collections, with the paper's names of measures."""
    drawn = {
        name: draw(results[name], width="page", labels=labels_of(campaign), **options)
        for name, campaign in given.campaigns.items()
    }
    return panels(drawn, title)


@EXPERIMENT.part("figure-13", title="Figure 13: robustness to incomplete judgments", cost=4)
def figure_13(given: Inputs) -> Contents:
    """The order of runs with only some of the judgments."""
    findings = _studied(given, "robustness", seed=given.seed)
    by_name = {
        name: dict(zip(NAMES, each.records("samples"), strict=True)) for name, each in findings.items()
    }
    return Contents(
        tables={
            "figure-13": _side_by_side(
                given,
                findings,
                "samples",
                "Kendall's tau-b to the order by all judgments, mean over shuffles of the judgments.",
            )
        },
        figures={
            "figure-13": _panels(
                given, findings, figures.robustness, "Order of runs with only some of the judgments"
            )
        },
        claims=[
            claim("bpref or nDCG is the most robust with a tenth of the judgments", by_name, most_robust),
            claim(
                "Twist is at most 0.1 less robust than bpref with half of the judgments",
                by_name,
                lambda taus: Outcome(
                    taus["Twist"]["50%"] >= taus["bpref"]["50%"] - 0.1,
                    f"{taus['Twist']['50%']:.2f} against {taus['bpref']['50%']:.2f}",
                ),
            ),
        ],
        commands=[
            f'rankgauge study robustness QRELS RUN... --select twist -m "{ALL_TYPED}" --seed {given.seed}'
        ],
    )


def most_robust(taus: Mapping[str, Mapping[str, float]]) -> Outcome:
    """Whether no measure is more robust than bpref and nDCG with a tenth of the judgments."""
    of_a_tenth = {name: row["10%"] for name, row in taus.items()}
    if any(map(math.isnan, of_a_tenth.values())):
        return Outcome(None)
    highest = max(of_a_tenth.values())
    best = [name for name, tau in of_a_tenth.items() if tau == highest]  # several may share the place
    expected = [name for name in best if name in ("bpref", "nDCG")]
    return Outcome(bool(expected), f"{(expected or best)[0]} {highest:.2f}")


@EXPERIMENT.part("figure-14", title="Figure 14: discriminative power", cost=6)
def figure_14(given: Inputs) -> Contents:
    """The pairs of runs that each measure tells apart."""
    findings = _studied(given, "power", alphas=0.05, samples=given.samples, seed=given.seed)

    def percents(name: str) -> dict[str, float]:
        names = labels_of(given.campaigns[name])
        return {names[row["measure"]]: row["percent"] for row in findings[name].records("power")}

    by_name = {name: percents(name) for name in findings}
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
            "figure-14": _panels(given, findings, figures.asl, "Achieved significance levels", power=False)
        },
        claims=[
            claim(
                "Twist tells more pairs apart than bpref",
                by_name,
                lambda row: more(row["Twist"], row["bpref"], ".0f", " %"),
            ),
            claim(
                "nDCG tells more pairs apart than Twist",
                by_name,
                lambda row: more(row["nDCG"], row["Twist"], ".0f", " %"),
            ),
        ],
        commands=[
            f'rankgauge figure asl QRELS RUN... --select twist -m "{ALL_TYPED}" '
            f"--samples {given.samples} --seed {given.seed} -o FILE"
        ],
    )


add_worked_examples(EXPERIMENT, "twist")
