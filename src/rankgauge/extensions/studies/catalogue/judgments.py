"""Studies of incomplete judgments: `leave-out` of contributors to the pool, and `robustness`."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any

import numpy as np

from rankgauge.campaigns.campaign import Campaign
from rankgauge.campaigns.downsampling import Strata
from rankgauge.campaigns.findings import Findings
from rankgauge.campaigns.options import SEED, TEAMS, Measures, Seed, Several
from rankgauge.campaigns.registry import study
from rankgauge.campaigns.selection import teams_of
from rankgauge.engines.threads import in_threads
from rankgauge.measures.rankings.arrays.curves import Bools, Floats
from rankgauge.model.output.tables import Table
from rankgauge.numbers.matrices import (
    defined_oriented_means,
    oriented_means,
    places,
    reported_means,
    required_direction,
    shown_place,
)
from rankgauge.numbers.rank_correlation import tau_of_orders
from rankgauge.numbers.tau_test import RULE
from rankgauge.schema.parameters import Number, Whole
from rankgauge.schema.text import format_number


@study(
    "leave-out",
    title="Runs left out of the pool",
    cite="Zobel 1998, How reliable are the results of large-scale information retrieval experiments?; "
    "Buckley, Dimmick, Soboroff & Voorhees 2007, Bias and the limits of pooling",
    example='qrels.txt runs/*.run -m "AP nDCG@10"',
)
def leave_out(
    campaign: Campaign,
    *,
    measures: Measures = None,
    depth: Annotated[int | None, Whole(1), "the depth of the pool; by default, whole runs"] = None,
    teams: Annotated[Any, TEAMS, "leave out the runs of a team together"] = None,
) -> Findings:
    """What would a run score if it had not contributed to the pool?

    For each run (or team), the judgments of documents that no other run retrieved are removed, and all runs
    are scored again. Where a run loses much, the judgments are unfair to runs that come later.
    """
    team = {run: run for run in campaign.runs} if teams is None else teams_of(teams, campaign.runs)
    scores = campaign.scores(measures)
    before, complete = reported_means(scores), oriented_means(scores)
    alone = only_of_team(campaign, depth, team)
    without = dict(
        zip(
            alone,
            in_threads(
                lambda mask: means_with(campaign, ~mask, measures, complete),
                list(alone.values()),
                campaign.threads,
            ),
            strict=True,
        )
    )
    relevant = campaign.qrels.sorted_grades > 0
    rows: list[tuple[Any, ...]] = []
    for number, name in enumerate(scores.measures):
        for place, run in enumerate(campaign.runs):
            own, (means, oriented) = alone[team[run]], without[team[run]]
            documents = int(own.sum()), int((own & relevant).sum())
            both = float(before[number, place]), float(means[number, place])
            rank = [shown_place(places(each)[number, place]) for each in (complete, oriented)]
            tau = float(tau_of_orders(complete, oriented)[number])
            rows.append((name, run, *documents, *both, *rank, tau))
    headers = ("measure", "run", "alone", "relevant", "mean", "without", "rank", "rank without", "tau")
    return Findings(
        sentences=[_largest_loss(name, required_direction(scores, name), rows) for name in scores.measures],
        tables={"runs": Table(headers, rows)},
        captions={
            "runs": "Judged documents that only this run (or its team) retrieved, how many are relevant, its "
            "mean and rank with and without them; tau is between the orders of all runs."
        },
    )


def _largest_loss(measure: str, sign: int, rows: list[tuple[Any, ...]]) -> str:
    defined = [row for row in rows if row[0] == measure and math.isfinite(row[4]) and math.isfinite(row[5])]
    if not defined:
        return f"{measure} is undefined without these judgments."
    _, run, *_, mean, without, rank, other, _ = max(defined, key=lambda row: sign * (row[4] - row[5]))
    taus = [row[-1] for row in defined if math.isfinite(row[-1])]
    least = f"; the lowest τ is {min(taus):.3f}" if taus else ""
    if sign * (mean - without) <= 0:
        return f"On {measure}, no run loses{least}."
    return f"On {measure}, {run} loses most: {mean:.4f} to {without:.4f}, rank {rank} to {other}{least}."


PERCENT = (90, 70, 50, 30, 10)
DEPTHS = (50, 20, 10, 5)


@study(
    "robustness",
    title="Robustness to incomplete judgments",
    cite="Buckley & Voorhees 2004, Retrieval evaluation with incomplete information; for grades of relevance "
    "Ferro, Silvello, Keskustalo, Pirkola & Järvelin 2016, The Twist measure, figure 13",
    example='qrels.txt runs/*.run -m "AP Bpref" --percent 50,10 --shuffles 3',
    least_runs=2,
)
def robustness(
    campaign: Campaign,
    *,
    measures: Measures = None,
    percent: Annotated[
        tuple[float, ...], Several(Number(0, 100, above=True)), "share of the judgments to keep"
    ] = PERCENT,
    shuffles: Annotated[int, Whole(1), "how often the judgments are shuffled"] = 10,
    depths: Annotated[tuple[int, ...], Several(Whole(1)), "depths of the pools"] = DEPTHS,
    seed: Seed = SEED,
) -> Findings:
    """How stable is the order of runs when fewer documents are judged?

    Judgments are sampled within each topic and grade, each smaller sample from the larger ones; then pools
    are made shallower. Kendall's τ-b compares the order of runs with fewer judgments to the order with all of
    them: the closer to 1, the more robust the measure.
    """
    percent, depths = tuple(dict.fromkeys(percent)), tuple(dict.fromkeys(depths))
    # Shuffles vary which judgments are kept, but not how many.
    strata = Strata.shuffled(campaign.qrels, seed)
    samples = {f"{format_number(each)}%": strata.sample(each) for each in percent}
    by_depth = {f"depth {depth}": in_pool(campaign, depth) for depth in depths}
    relevant = campaign.qrels.sorted_grades > 0
    scores = campaign.scores(measures)
    complete = oriented_means(scores)
    spreads = [
        [spread(values) for values in by_sample]
        for by_sample in sample_taus(campaign, measures, percent, shuffles, seed).tolist()
    ]
    shallower = [tau_with(campaign, kept, measures, complete) for kept in by_depth.values()]
    return Findings(
        sentences=_sentences(scores.measures, percent, [[each[0] for each in row] for row in spreads]),
        tables={
            "samples": Table(
                ("measure", *(f"{format_number(each)}%" for each in percent)),
                [
                    (name, *(each[0] for each in row))
                    for name, row in zip(scores.measures, spreads, strict=True)
                ],
            ),
            "spread": Table(
                ("measure", "percent", "mean", "sd", "min", "max"),
                [
                    (name, _shown(each), *values)
                    for name, row in zip(scores.measures, spreads, strict=True)
                    for each, values in zip(percent, row, strict=True)
                ],
            ),
            "depths": Table(
                ("measure", *by_depth),
                [(name, *row) for name, *row in zip(scores.measures, *shallower, strict=True)],
            ),
            "judgments": Table(
                ("pool", "judgments", "relevant"),
                [
                    (name, int(kept.sum()), int((kept & relevant).sum()))
                    for name, kept in ({"all": np.ones_like(relevant)} | samples | by_depth).items()
                ],
            ),
        },
        captions={
            "samples": f"τ-b to the order by all judgments, mean over {shuffles} shuffles. {RULE}",
            "spread": "The same with its standard deviation, minimum and maximum over the shuffles.",
            "depths": "τ to the order by all judgments, if pools had been only this deep.",
            "judgments": "How many judgments are kept, and how many of them have a grade above 0.",
        },
    )


def _shown(percent: float) -> float:
    return int(percent) if float(percent).is_integer() else percent


def _sentences(names: Sequence[str], percent: Sequence[float], means: list[list[float]]) -> list[str]:
    least = min(percent)
    column = percent.index(least)
    taus = {name: row[column] for name, row in zip(names, means, strict=True) if not math.isnan(row[column])}
    if not taus:
        return ["No measure distinguishes the runs."]
    listed = ", ".join(f"{name} {taus[name]:.3f}" for name in sorted(taus, key=lambda name: -taus[name]))
    return [f"With {format_number(least)} % of the judgments τ is, most robust measure first: {listed}."]


def spread(values: Sequence[float]) -> tuple[float, float, float, float]:
    """(mean, standard deviation, minimum, maximum) over shuffles."""
    mean = math.fsum(values) / len(values)
    if math.isnan(mean):
        return (math.nan,) * 4
    squares = math.fsum((value - mean) ** 2 for value in values)
    deviation = math.sqrt(squares / (len(values) - 1)) if len(values) > 1 else math.nan
    return mean, deviation, min(values), max(values)


def means_with(
    campaign: Campaign, kept: Bools, measures: Measures, complete: Floats
) -> tuple[Floats, Floats]:
    """(measures, runs) means with some of the judgments, and as numbers that order the runs."""
    if not kept.any():
        return (np.full_like(complete, np.nan),) * 2
    scores = campaign.judged_by(kept).scores(measures)
    return reported_means(scores), defined_oriented_means(scores)


def tau_with(campaign: Campaign, kept: Bools, measures: Measures, complete: Floats) -> Floats:
    """(measures,) τ between the orders of runs with some judgments and with all."""
    return tau_of_orders(complete, means_with(campaign, kept, measures, complete)[1])


def sample_taus(
    campaign: Campaign, measures: Measures, percent: Sequence[float], shuffles: int, seed: int
) -> Floats:
    """(measures, samples, shuffles) τ between the orders of runs with samples and with all judgments."""
    complete = oriented_means(campaign.scores(measures))

    def of_shuffle(shuffle: int) -> list[Floats]:
        strata = Strata.shuffled(campaign.qrels, seed, shuffle)
        return [tau_with(campaign, strata.sample(each), measures, complete) for each in percent]

    taus: Floats = np.array(in_threads(of_shuffle, range(shuffles), campaign.threads)).T
    return taus


def in_pool(campaign: Campaign, depth: int | None, runs: Collection[str] | None = None) -> Bools:
    """(judgments,) whether one of these runs has the document down to this depth."""
    kept = np.zeros(len(campaign.qrels.sorted_grades), dtype=bool)
    for name, run in zip(campaign.runs, campaign.hits, strict=True):
        if runs is None or name in runs:
            kept[run.judgment if depth is None else run.judgment[run.rank <= depth]] = True
    return kept


def only_of_team(campaign: Campaign, depth: int | None, team: Mapping[str, str]) -> dict[str, Bools]:
    """{team: (judgments,) whether no other team has the document in the pool}."""
    pools = {
        name: in_pool(campaign, depth, [run for run in campaign.runs if team[run] == name])
        for name in dict.fromkeys(team.values())
    }
    teams = np.sum(list(pools.values()), axis=0)
    return {name: pool & (teams == 1) for name, pool in pools.items()}
