"""Figures 12 to 14, tables 3 and 4: Twist beside AP, bpref, RBP and nDCG."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from rankgauge.model.output.labels import Labels
from rankgauge.model.output.tables import Table
from rankgauge.reports.papers.catalogue.twist.definition import (
    COLLECTIONS,
    EXPERIMENT,
    GAINS,
    NAMES,
    labels_of,
    measures_of,
    scores_of,
)
from rankgauge.reports.papers.contents import Contents, Outcome, claim, more
from rankgauge.reports.papers.given import Given
from rankgauge.reports.papers.layout import panels, records, side_by_side, square

if TYPE_CHECKING:
    from rankgauge.studies.campaign import Campaign
    from rankgauge.studies.findings import Findings

TYPED = "Twist AP Bpref RBP(p=0.8) nDCG(base=10,gains=levels)"  # as a command has them


def _selected(campaign: Campaign) -> Campaign:
    """The best three quarters of the runs."""
    return campaign.select(setting="twist")


@EXPERIMENT.part("figure-12", title="Figure 12: distribution of the means of runs")
def figure_12(given: Given) -> Contents:
    """The means of the runs by each measure."""
    from rankgauge import figures

    drawn = given.each(
        lambda campaign: figures.distribution(
            scores_of(campaign), of="runs", width="page", labels=labels_of(campaign)
        )
    )
    return Contents(
        figures={"figure-12": panels(drawn, "Means of runs by each measure")},
        commands=[f'rankgauge figure distribution QRELS RUN... --of runs -m "{TYPED}" -o FILE'],
    )


TABLE_3 = [
    [0.8506, 0.6041, 0.8334],
    [0.8390, 0.7229, 0.9070],
    [0.8498, 0.5675, 0.8962],
    [0.8461, 0.5669, 0.8388],
]
TABLE_4 = [
    [0.8144, 0.8173, 0.6489, 0.8791],
    [0.8477, 0.7547, 0.6051, 0.9012],
    [0.8254, 0.8148, 0.3968, 0.9245],
    [0.9157, 0.8526, 0.3684, 0.8210],
]


@EXPERIMENT.part("tables-3-4", title="Tables 3 and 4: correlations of measures")
def tables_3_and_4(given: Given) -> Contents:
    """Kendall's tau between the orders of runs by every two measures."""
    from rankgauge.studies import STUDIES

    findings = given.each(
        lambda campaign: STUDIES["correlation"].call(
            _selected(campaign), measures=list(measures_of(campaign).values()), samples=0
        )
    )
    by_name = {name: square(each.table("tau_b"), NAMES) for name, each in findings.items()}
    p_values = {name: square(each.table("p"), NAMES) for name, each in findings.items()}
    gains = [*GAINS]
    return Contents(
        tables={
            "table-3": Table(
                ("collection", *gains[1:]),
                [[f"AP ({n})", *(t["AP"][g] for g in gains[1:])] for n, t in by_name.items()],
            ),
            "table-4": Table(
                ("collection", *gains),
                [[f"Twist ({n})", *(t["Twist"][g] for g in gains)] for n, t in by_name.items()],
            ),
        },
        captions={
            "table-3": "Kendall's tau-b between AP and the other measures of gain, over the best runs.",
            "table-4": "Kendall's tau-b between Twist and the measures of gain, over the best runs.",
        },
        reported={
            "Table 3.": _reported(gains[1:], TABLE_3),
            "Table 4.": _reported(gains, TABLE_4),
        },
        claims=[
            claim(
                "Of the measures of gain, RBP agrees least with Twist",
                by_name,
                lambda taus: _agrees(taus, "Twist", "RBP"),
            ),
            claim(
                "Of the measures of gain, nDCG agrees most with Twist",
                by_name,
                lambda taus: _agrees(taus, "Twist", "nDCG", most=True),
            ),
            claim(
                "Of the other measures of gain, RBP agrees least with AP",
                by_name,
                lambda taus: _agrees(taus, "AP", "RBP"),
            ),
            claim("All values are significant, with p well below 1 %", p_values, _all_significant),
        ],
        commands=[f'rankgauge study correlation QRELS RUN... --select twist -m "{TYPED}"'],
        places=4,
    )


def _all_significant(p_values: Mapping[str, Mapping[str, float]]) -> Outcome:
    values = [p_values[row][column] for row in ("Twist", "AP") for column in GAINS if row != column]
    if any(map(math.isnan, values)):
        return Outcome(None)
    highest = max(values)
    return Outcome(highest < 0.01, f"p at most {highest:.2g}")


def _reported(columns: list[str], values: list[list[float]]) -> Table:
    return Table(
        ("collection", *columns), [[name, *row] for name, row in zip(COLLECTIONS, values, strict=True)]
    )


def _agrees(taus: dict[str, dict[str, float]], measure: str, expected: str, *, most: bool = False) -> Outcome:
    """Whether, of the measures of gain, the expected one agrees least, or most, with a measure."""
    others = {name: taus[measure][name] for name in GAINS if name != measure}
    if any(map(math.isnan, others.values())):
        return Outcome(None)
    found = max(others, key=others.__getitem__) if most else min(others, key=others.__getitem__)
    if others[expected] == others[found]:  # it may share the place
        return Outcome(True, f"{expected} {others[expected]:.2f}")
    return Outcome(False, f"{found} {others[found]:.2f}, {expected} {others[expected]:.2f}")


def _side_by_side(given: Given, findings: Mapping[str, Findings], table: str) -> Table:
    """The tables of all collections in one, with the paper's names of measures."""
    labels = {name: Labels.read(labels_of(campaign)) for name, campaign in given.campaigns.items()}
    return side_by_side({name: each.table(table).labelled(labels[name]) for name, each in findings.items()})


@EXPERIMENT.part("figure-13", title="Figure 13: robustness to incomplete judgments", cost=4)
def figure_13(given: Given) -> Contents:
    """The order of runs with only some of the judgments."""
    from rankgauge import figures
    from rankgauge.studies import STUDIES

    findings = given.each(
        lambda campaign: STUDIES["robustness"].call(
            _selected(campaign), measures=list(measures_of(campaign).values()), seed=given.seed
        )
    )
    by_name = {
        name: dict(zip(NAMES, records(each.table("samples")), strict=True)) for name, each in findings.items()
    }
    return Contents(
        tables={"figure-13": _side_by_side(given, findings, "samples")},
        captions={
            "figure-13": "Kendall's tau-b to the order by all judgments, mean over shuffles of the judgments."
        },
        figures={
            "figure-13": panels(
                {
                    name: figures.robustness(each, width="page", labels=labels_of(given.campaigns[name]))
                    for name, each in findings.items()
                },
                "Order of runs with only some of the judgments",
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
        commands=[f'rankgauge study robustness QRELS RUN... --select twist -m "{TYPED}" --seed {given.seed}'],
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
def figure_14(given: Given) -> Contents:
    """The pairs of runs that each measure tells apart."""
    from rankgauge import figures
    from rankgauge.studies import STUDIES

    findings = given.each(
        lambda campaign: STUDIES["power"].call(
            _selected(campaign),
            measures=list(measures_of(campaign).values()),
            alphas=0.05,
            samples=given.samples,
            seed=given.seed,
        )
    )

    def percents(name: str) -> dict[str, float]:
        names = labels_of(given.campaigns[name])
        return {names[row["measure"]]: row["percent"] for row in records(findings[name].table("power"))}

    by_name = {name: percents(name) for name in findings}
    return Contents(
        tables={"figure-14": _side_by_side(given, findings, "power")},
        captions={"figure-14": "Pairs of runs that differ at the level 0.05, and the difference that takes."},
        figures={
            "figure-14": panels(
                {
                    name: figures.asl(
                        each, width="page", power=False, labels=labels_of(given.campaigns[name])
                    )
                    for name, each in findings.items()
                },
                "Achieved significance levels",
            )
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
            f'rankgauge figure asl QRELS RUN... --select twist -m "{TYPED}" '
            f"--samples {given.samples} --seed {given.seed} -o FILE"
        ],
    )
