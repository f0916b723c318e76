"""The experiment of Sakai 2006: how Q-measure and nDCG penalise late arrival of relevant documents."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from rankgauge import figures
from rankgauge.figures import Figure
from rankgauge.measures import parse
from rankgauge.model.output.tables import Cell, Table
from rankgauge.reports.papers.registry import (
    Claim,
    Contents,
    Inputs,
    Outcome,
    claim,
    experiment,
    gains_of,
    more,
    panels,
    side_by_side,
    square,
)
from rankgauge.reports.papers.worked_examples import add_worked_examples
from rankgauge.studies import STUDIES
from rankgauge.studies.campaign import Campaign
from rankgauge.studies.findings import Findings

EXPERIMENT = experiment(
    "q-measure",
    title="Q-measure: tables 1 to 3 and figures 1 to 14 of its paper",
    cite="Sakai 2006, Controlling the penalty on late arrival of relevant documents in information retrieval "
    "evaluation with graded relevance",
    help="Rank correlations of AP, Q-measure, nDCG and genAP over the 30 best runs by AP, what beta and the "
    "base of the logarithm do to them, and how many pairs of runs each tells apart, with gains of 3:2:1 and "
    "10:5:1. Grades beyond the third gain as much as the third.",
    module=__name__,
)
RATIOS = {
    "3:2:1": (1, 2, 3),
    "10:5:1": (1, 5, 10),
}  # the gains of the lowest grade, the next, and the highest
BETAS, BASES = "1|0.1|10|100|1000", "2|5|10|50|100"
RUNS = 30


def _top(campaign: Campaign) -> Campaign:
    return campaign.select(setting="late_arrival")


@EXPERIMENT.part("table-1", title="Table 1: statistics of the data", cost=0.2)
def table_1(given: Inputs) -> Contents:
    """Topics, relevant documents by grade, and runs."""

    def statistics(campaign: Campaign) -> list[Cell]:
        grades = campaign.qrels.sorted_grades
        topics = len(campaign.topics)
        levels = sorted({grade for grade in grades.tolist() if grade > 0}, reverse=True)
        by_grade = ", ".join(f"{grade:g}: {(grades == grade).sum() / topics:.1f}" for grade in levels)
        return [
            topics,
            float((grades > 0).sum() / topics),
            by_grade,
            min(len(campaign.runs), RUNS),
            len(campaign.runs),
        ]

    rows = [[name, *row] for name, row in given.each(statistics).items()]
    reported = Table(
        ("collection", "topics", "R", "by grade", "runs used"),
        [
            ["NTCIR-5 Chinese", 50, 61.0, "S: 7.0, A: 30.7, B: 23.3", "30 (15)"],
            ["NTCIR-5 Japanese", 47, 89.1, "S: 3.2, A: 41.8, B: 44.2", "30 (15)"],
        ],
        caption="Table 1.",
    )
    headers = ("collection", "topics", "R", "by grade", "runs used", "runs")
    caption = "Relevant documents per topic, in all and by grade; the best runs by AP are used."
    return Contents(
        tables={"table-1": Table(headers, rows, caption=caption)},
        reported=[reported],
        places=1,
    )


def _correlated(given: Inputs, ratio: str, grid: str) -> dict[str, Findings]:
    return given.each(
        lambda campaign: STUDIES["correlation"].call(
            _top(campaign),
            measures=grid.replace("GAINS", gains_of(campaign, RATIOS[ratio])),
            samples=given.samples,
            seed=given.seed,
        )
    )


@EXPERIMENT.part("figures-1-4", title="Figures 1 to 4: rank correlations of the measures", cost=3)
def figures_1_to_4(given: Inputs) -> Contents:
    """Kendall's tau between the orders of runs by AP, Q, nDCG and genAP."""
    grid = "AP Q(gains=GAINS) nDCG(base=2,gains=GAINS) genAP(gains=GAINS)"
    names = ("AP", "Q", "nDCG", "genAP")
    tables: dict[str, Table] = {}
    drawn: dict[str, Figure] = {}
    claims: list[Claim] = []
    for ratio, numbers in (("3:2:1", "1-2"), ("10:5:1", "3-4")):
        findings = _correlated(given, ratio, grid)
        stem = f"figures-{numbers}"
        renamed = {name: _matrix(each, names) for name, each in findings.items()}
        caption = "Kendall's tau-b between the orders of the best 30 runs by AP."
        tables[stem] = side_by_side(renamed, caption)
        drawn[stem] = panels(
            {name: figures.matrix(table, width="page") for name, table in renamed.items()},
            f"Kendall's τ-b, gains of {ratio}",
        )
        taus = {name: square(each.table("tau_b"), names) for name, each in findings.items()}
        claims += [
            claim(
                f"Q agrees with AP more than nDCG does ({ratio})",
                taus,
                lambda row: more(row["AP"]["Q"], row["AP"]["nDCG"]),
            ),
            claim(
                f"Q agrees with AP more than genAP does ({ratio})",
                taus,
                lambda row: more(row["AP"]["Q"], row["AP"]["genAP"]),
            ),
            claim(
                f"All correlations are over 0.5 ({ratio})",
                taus,
                lambda row: more(_lowest(tau for others in row.values() for tau in others.values()), 0.5),
            ),
        ]
    return Contents(
        tables=tables,
        figures=drawn,
        claims=claims,
        commands=[f'rankgauge study correlation QRELS RUN... --select late_arrival -m "{_as_typed(grid)}"'],
    )


def _lowest(taus: Iterable[float]) -> float:
    """The lowest of all; undefined if one of them is."""
    values = [*taus]
    return math.nan if any(map(math.isnan, values)) else min(values)


def _matrix(findings: Findings, names: tuple[str, ...]) -> Table:
    """The table of tau-b, its measures without their settings."""
    rows = [[name, *[*row][1:]] for name, row in zip(names, findings.table("tau_b").rows, strict=True)]
    return Table(("measure", *names), rows)


def _plain_names(findings: Findings) -> dict[str, str]:
    """{measure: its name}, without the gains and what else is in parentheses."""
    texts = (str(row[place]) for row in findings.table("sweep").rows for place in (0, 1))
    return {text: text.partition("(")[0] for text in texts}


def _as_typed(grid: str) -> str:
    return grid.replace("GAINS", "{1:1,2:2,3:3}")


@EXPERIMENT.part("figures-5-12", title="Figures 5 to 12: what beta and the base of the logarithm do", cost=6)
def figures_5_to_12(given: Inputs) -> Contents:
    """Kendall's tau to AP and to the default, by beta and by the base."""
    tables: dict[str, Table] = {}
    drawn: dict[str, Figure] = {}
    claims: list[Claim] = []
    sweeps = (
        ("3:2:1", "5-6", f"AP Q(gains=GAINS,beta={BETAS})"),
        ("10:5:1", "7-8", f"AP Q(gains=GAINS,beta={BETAS})"),
        ("3:2:1", "9-10", f"AP nDCG(gains=GAINS,base={BASES})"),
        ("10:5:1", "11-12", f"AP nDCG(gains=GAINS,base={BASES})"),
    )
    lowest: dict[tuple[str, str], dict[str, float]] = {}
    for ratio, numbers, grid in sweeps:
        findings = _correlated(given, ratio, grid)
        stem = f"figures-{numbers}"
        caption = "Kendall's tau-b to AP, and to the default setting, with intervals."
        tables[stem] = side_by_side({name: each.table("sweep") for name, each in findings.items()}, caption)
        measure = "Q" if "Q(" in grid else "nDCG"
        drawn[stem] = panels(
            {
                name: figures.sweep(each, width="page", labels=_plain_names(each))
                for name, each in findings.items()
            },
            f"{measure}, gains of {ratio}",
        )
        lowest[ratio, measure] = {
            name: _lowest(row["tau_b"] for row in each.records("sweep") if row["reference"] != "AP")
            for name, each in findings.items()
        }
    for ratio in RATIOS:
        both = {name: (lowest[ratio, "Q"][name], lowest[ratio, "nDCG"][name]) for name in lowest[ratio, "Q"]}
        text = f"beta changes the order of runs less than the base of nDCG does: lowest tau ({ratio})"
        claims.append(claim(text, both, lambda taus: more(*taus)))
    return Contents(
        tables=tables,
        figures=drawn,
        claims=claims,
        commands=[
            f'rankgauge figure sweep QRELS RUN... --select late_arrival -m "{_as_typed(grid)}" -o FILE'
            for _, _, grid in sweeps
        ],
    )


@EXPERIMENT.part(
    "figures-13-14", title="Figures 13 and 14, tables 2 and 3: sensitivity by the bootstrap", cost=12
)
def tables_2_and_3(given: Inputs) -> Contents:
    """The pairs of runs that each measure tells apart, with two ratios of gains and two levels."""
    grid = f"AP genAP Q(beta={BETAS}) nDCG(base={BASES})"

    def power(campaign: Campaign, measures: str, ratios: list[str]) -> Findings:
        texts = (gains_of(campaign, RATIOS[ratio]) for ratio in ratios)
        gains = [parse(f"nDCG(gains={text})").settings["gains"] for text in texts]
        return STUDIES["power"].call(
            _top(campaign), measures=measures, gains=gains, samples=given.samples, seed=given.seed
        )

    whole = given.each(lambda campaign: power(campaign, grid, list(RATIOS)))
    curves = given.each(lambda campaign: power(campaign, "AP Q nDCG(base=2) genAP", ["3:2:1"]))
    counts = {name: _counts(findings) for name, findings in whole.items()}
    return Contents(
        sentences=[
            "All pairs of the best 30 runs by AP are tested: which team made a run is not known here. "
            "The document tests the best run of each of 15 teams."
        ],
        tables={
            "tables-2-3": side_by_side(
                {name: each.table("power") for name, each in whole.items()},
                "Pairs of runs with ASL below alpha, and the difference that takes.",
            )
        },
        figures={
            "figures-13-14": panels(
                {name: figures.asl(each, width="page", power=False) for name, each in curves.items()},
                "Achieved significance levels, gains of 3:2:1",
            )
        },
        reported=[
            Table(
                ("measure", "Chinese", "Japanese"),
                [
                    ["Q, beta = 10", 78, 78],
                    ["AP", 77, 74],
                    ["nDCG, base 2", 74, 68],
                    ["nDCG, base 100", 71, 65],
                ],
                caption="Tables 2 and 3, some rows: pairs of 105 with ASL below 0.05, gains of 3:2:1.",
            )
        ],
        claims=[
            claim("nDCG loses sensitivity as its base grows: fewest pairs at 100", counts, _loses),
            claim(
                "Q with beta 10 tells as many pairs apart as AP in every condition, or more",
                counts,
                as_sensitive_as_ap,
            ),
        ],
        commands=[
            f'rankgauge study power QRELS RUN... --select late_arrival -m "{grid}" '
            f'--gains "{{1:1,2:2,3:3}},{{1:1,2:5,3:10}}" --samples {given.samples} --seed {given.seed}'
        ],
        places=2,
    )


def _loses(conditions: list[dict[str, int]]) -> Outcome:
    smaller = [f"nDCG(base={base})" for base in (2, 5, 10, 50)]
    held = all(by["nDCG(base=100)"] <= by[name] for by in conditions for name in smaller)
    alike = all(by["nDCG(base=100)"] == by[name] for by in conditions for name in smaller)
    return Outcome(
        None if alike else held,
        f"{conditions[0]['nDCG(base=2)']} with base 2, {conditions[0]['nDCG(base=100)']} with 100",
    )


def as_sensitive_as_ap(conditions: list[dict[str, int]]) -> Outcome:
    """Whether Q with beta 10 tells no fewer pairs apart than AP; table 3 (c) has 74 of both."""
    return Outcome(
        all(by["Q(beta=10)"] >= by["AP"] for by in conditions),
        ", ".join(f"{by['Q(beta=10)']} against {by['AP']}" for by in conditions),
    )


def _counts(findings: Findings) -> list[dict[str, int]]:
    """{measure: significant pairs} for each condition of gains and level; AP has no gains."""
    rows = findings.records("power")
    binary = {(row["alpha"], row["measure"]): row["significant"] for row in rows if not row["gains"]}
    conditions: dict[tuple[Any, Any], dict[str, int]] = {}
    for row in rows:
        if row["gains"]:
            condition = conditions.setdefault(
                (row["gains"], row["alpha"]), {"AP": binary[row["alpha"], "AP"]}
            )
            condition[str(row["measure"])] = row["significant"]
    return list(conditions.values())


add_worked_examples(EXPERIMENT, "q-measure")
