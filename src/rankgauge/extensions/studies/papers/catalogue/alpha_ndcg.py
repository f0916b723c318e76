"""The experiments of Clarke et al. 2008: what order alone is worth, and feedback under alpha-nDCG."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankgauge.campaigns.campaign import Campaign
from rankgauge.campaigns.findings import Findings
from rankgauge.comparison.result import printed_p
from rankgauge.errors import InputError
from rankgauge.extensions.pages import figures
from rankgauge.extensions.studies import STUDIES
from rankgauge.extensions.studies.catalogue.novelty import CITE, SIGNIFICANT
from rankgauge.extensions.studies.papers.claims import Bootstrap, Outcome, Statistic, claim
from rankgauge.extensions.studies.papers.registry import Contents, Inputs, experiment, file_name, panels
from rankgauge.extensions.studies.papers.worked_examples import add_worked_examples
from rankgauge.model.output.tables import Cell, Shown, Table

EXPERIMENT = experiment(
    "alpha-ndcg",
    title="alpha-nDCG: figures 2 and 3 of its paper, with t-tests",
    cite=CITE,
    help="alpha-nDCG of the reversed ideal ranking, and the gain of runs (--run, or the first four) over "
    "--baseline, or the first run of each collection, as alpha grows. It needs judgments by subtopic.",
    module=__name__,
    needs_subtopics=True,
    takes_baseline=True,
)
MAX_RUNS = 4  # runs compared with the baseline, a panel each


def _diverse(campaign: Campaign) -> Campaign:
    """The campaign, unless its judgments leave alpha without effect."""
    if all(len(each) < 2 for each in campaign.qrels.subtopics):  # type: ignore[attr-defined]
        raise InputError(
            "no topic has more than one subtopic; use judgments by subtopic, whose second column names it"
        )
    return campaign


@EXPERIMENT.part("statistics", title="The collections", cost=0.2)
def statistics(given: Inputs) -> Contents:
    """Topics and nuggets, as section 6 describes its collection."""

    def counts(campaign: Campaign) -> list[Cell]:
        nested: Any = campaign.qrels.to_dict()
        subtopics = [
            sum(any(grade > 0 for grade in judged.values()) for judged in of_topic.values())
            for of_topic in nested.values()
        ]
        return [
            len(subtopics),
            sum(subtopics) / len(subtopics),
            min(subtopics),
            max(subtopics),
            len(campaign.runs),
        ]

    rows = [[name, *row] for name, row in given.each(counts).items()]
    headers = ("collection", "topics", "nuggets per topic", "fewest", "most", "runs")
    return Contents(
        tables={
            "statistics": Table(
                headers, rows, caption="Topics and their nuggets: subtopics with a relevant document."
            )
        },
        reported=[Table(headers, [["TREC 2006 QA", 75, 17.12, 7, 56, 3]], caption="Section 6.")],
        places=2,
    )


@EXPERIMENT.part("figure-2", title="Figure 2: the reversed ideal ranking", cost=2)
def figure_2(given: Inputs) -> Contents:
    """The scores of the relevant documents in the worst order."""
    findings = given.each(lambda campaign: STUDIES["reversed-ideal"].call(_diverse(campaign)))
    means = {name: _means(each) for name, each in findings.items()}
    alphas = next(iter(means.values()))
    return Contents(
        tables={
            "figure-2": Table(
                ("collection", *alphas),
                [[name, *row.values()] for name, row in means.items()],
                caption="alpha-nDCG of the reversed ideal ranking, the mean over ranks 1 to 100.",
            ),
        },
        figures={
            "figure-2": panels(
                {name: figures.reversed_ideal(each, width="page") for name, each in findings.items()},
                "α-nDCG of the reversed ideal ranking",
            )
        },
        claims=[
            claim(
                "The gap to the ideal grows with every step of alpha (smallest step)",
                {name: _by_topic(given, each) for name, each in findings.items()},
                lambda mean: mean.higher(lambda m: -np.diff(m, axis=-1).max(axis=-1), 0, ".3f"),
            ),
        ],
        commands=["rankgauge figure reversed-ideal QRELS -o FILE"],
    )


def _means(findings: Findings) -> dict[str, float]:
    rows = findings.records("ranks")
    return {name: sum(row[name] for row in rows) / len(rows) for name in rows[0] if name != "rank"}


def _by_topic(given: Inputs, findings: Findings) -> Bootstrap:
    values = np.array([[*row][1:] for row in findings.table("topics").rows], dtype=np.float64)
    return Bootstrap.of_means(values[~np.isnan(values).any(axis=1)], **given.sampling)


@EXPERIMENT.part("figure-3", title="Figure 3: the gain over a baseline", cost=4)
def figure_3(given: Inputs) -> Contents:
    """Gains over the baseline, by alpha and depth, with t-tests."""
    campaigns = given.each(lambda campaign: _ordered(_diverse(campaign), given))
    findings = {
        name: {
            run: STUDIES["alpha"].call(campaign.only([campaign.runs[0], run]))
            for run in campaign.runs[1 : (len(given.runs) or MAX_RUNS) + 1]
        }
        for name, campaign in campaigns.items()
    }
    compared = {name: by_run for name, by_run in findings.items() if by_run}
    alone = [name for name in findings if name not in compared]
    return Contents(
        sentences=[
            *(
                f"{name}: gain of {len(by_run)} of {len(given.campaigns[name].runs) - 1} runs over "
                f"{campaigns[name].runs[0]}."
                for name, by_run in compared.items()
            ),
            *(f"{name} has one run, and nothing to compare it with." for name in alone),
        ],
        tables={
            file_name("figure-3", name, str(number)): _by_alpha(each, f"{name}: {run}")
            for name, by_run in compared.items()
            for number, (run, each) in enumerate(by_run.items(), 1)
        },
        figures={
            file_name("figure-3", name): panels(
                {run: figures.alpha_gain(each, width="page") for run, each in by_run.items()},
                f"{name}: gain over {campaigns[name].runs[0]}",
            )
            for name, by_run in compared.items()
        },
        claims=[
            claim(
                "A gain over the baseline falls as alpha goes from 0 to 1, at every depth that has one",
                {
                    f"{name}, {run}": _falls(
                        given, campaigns[name].only([campaigns[name].runs[0], run]), each
                    )
                    for name, runs in compared.items()
                    for run, each in runs.items()
                },
                lambda outcome: outcome,
            ),
        ],
        commands=["rankgauge study alpha QRELS BASELINE RUN..."],
        places=3,
    )


def _by_alpha(findings: Findings, title: str) -> Table:
    gains = findings.records("gains")
    depths, alphas = ([*dict.fromkeys(row[column] for row in gains)] for column in ("depth", "alpha"))
    cells = {
        (row["depth"], row["alpha"]): (row["gain in %"], Shown(row["p"], printed_p(row["p"])))
        for row in gains
    }
    return Table(
        ("alpha", *(f"{name}@{depth}" for depth in depths for name in ("gain", "p"))),
        [[alpha, *(cell for depth in depths for cell in cells[depth, alpha])] for alpha in alphas],
        caption=f"{title}, gain over {findings.settings['baseline']} in per cent at each depth, with p of a "
        "two-sided paired t-test over topics, not corrected.",
    )


def _ordered(campaign: Campaign, given: Inputs) -> Campaign:
    """The runs with the baseline first, then those that were chosen, or all."""
    baseline = given.baseline or campaign.runs[0]
    campaign.only([baseline, *given.runs])  # raises an error if there is no such run
    return campaign.only([baseline, *(run for run in given.runs or campaign.runs if run != baseline)])


def _falls(given: Inputs, pair: Campaign, findings: Findings) -> Outcome:
    """Whether the gain falls from alpha 0 to 1 at every depth where there is a significant one at alpha 0.

    Confirmed where it falls at all of these depths, with the highest p; not confirmed where it rises at one,
    by Bonferroni's correction for the depths.
    """
    first = {row["depth"]: row for row in reversed(findings.records("gains"))}  # those at alpha 0
    depths = sorted(depth for depth, row in first.items() if row["gain in %"] > 0 and row["p"] < SIGNIFICANT)
    if not depths:
        return Outcome(None, "no significant gain at alpha 0")
    outcomes = {depth: _falls_at(depth, given, pair) for depth in depths}
    p_values = {depth: 1.0 if each.p is None else each.p for depth, each in outcomes.items()}
    if rises := [depth for depth, each in outcomes.items() if each.held is False]:
        depth = min(rises, key=p_values.__getitem__)
        p = min(1.0, len(depths) * p_values[depth])
        held = False if p < SIGNIFICANT else None
    else:
        depth = max(depths, key=p_values.__getitem__)
        held, p = outcomes[depth].held, p_values[depth]
    return Outcome(held, f"{outcomes[depth].evidence} at depth {depth} of {', '.join(map(str, depths))}", p)


def _falls_at(depth: int, given: Inputs, pair: Campaign) -> Outcome:
    texts = " ".join(f"alpha_nDCG(alpha={alpha})@{depth}" for alpha in (0, 1))
    values = np.moveaxis(pair.values(texts), 2, 0)
    defined = values[~np.isnan(values).any(axis=(1, 2))]  # (topics, baseline and run, alphas)

    def gain(alpha: int) -> Statistic:
        return lambda mean: 100 * (mean[..., 1, alpha] / mean[..., 0, alpha] - 1)

    return Bootstrap.of_means(defined, **given.sampling).higher(gain(0), gain(1), "+.1f", " %")


add_worked_examples(EXPERIMENT, "alpha-ndcg")
