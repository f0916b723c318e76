"""The Twist paper's comparison of measures: distributions, correlations, robustness, discriminative power."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rankgauge.campaigns.campaign import Campaign
from rankgauge.campaigns.findings import Findings
from rankgauge.comparison.result import p_phrase, printed_p
from rankgauge.extensions.pages import figures
from rankgauge.extensions.studies import STUDIES
from rankgauge.extensions.studies.catalogue.judgments import sample_taus
from rankgauge.extensions.studies.papers.catalogue.twist import (
    ALL_TYPED,
    EXPERIMENT,
    GAINS,
    NAMES,
    labels_of,
    measures_of,
    panels_of,
    scores_of,
)
from rankgauge.extensions.studies.papers.claims import Bootstrap, Outcome, at, claim, orders_differ
from rankgauge.extensions.studies.papers.registry import Contents, Inputs, side_by_side
from rankgauge.extensions.studies.papers.worked_examples import add_worked_examples
from rankgauge.measures import parse_all
from rankgauge.model.output.labels import Labels
from rankgauge.model.output.tables import Table

TWIST, AP, BPREF, RBP, NDCG = range(len(NAMES))
SHUFFLES = 10


def _best(campaign: Campaign) -> Campaign:
    return campaign.select(setting="twist")


def _measures(campaign: Campaign) -> list[str]:
    return list(measures_of(campaign).values())


def _studied(given: Inputs, study: str, **options: Any) -> dict[str, Findings]:
    """The findings of a study by all measures, on the best three quarters of the runs."""
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
    return Outcome(highest < 0.01 or None, f"p {p_phrase(highest, printed_p)}")


def _square(table: Table, names: Sequence[str]) -> dict[str, dict[str, float]]:
    """{row: {column: number}}, renamed."""
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
                "Twist is at most 0.1 less robust than bpref with half of the judgments",
                taus,
                lambda each: each.higher(lambda t: t[..., 1, TWIST] - t[..., 1, BPREF], -0.1),
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
