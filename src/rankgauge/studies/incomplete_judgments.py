"""How well measures put runs in order with fewer judgments."""

from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.schema.parameters import Number, Whole
from rankgauge.schema.text import format_number
from rankgauge.studies.parameters import SEED, Measures, Seed, Several, TeamsKind
from rankgauge.studies.registry import study

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgauge.studies.campaign import Campaign
    from rankgauge.studies.findings import Findings

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
    campaign: "Campaign",
    *,
    measures: Measures = None,
    percent: Annotated[
        tuple[float, ...], Several(Number(0, 100, above=True)), "share of the judgments that are kept"
    ] = PERCENT,
    shuffles: Annotated[int, Whole(1), "how often the judgments are shuffled"] = 10,
    depths: Annotated[tuple[int, ...], Several(Whole(1)), "how deep pools are"] = DEPTHS,
    seed: Seed = SEED,
) -> "Findings":
    """How far does the order of runs stay the same when fewer documents are judged?

    Judgments are sampled topic by topic and grade by grade, each smaller sample a part of each larger one;
    then pools are made shallower. Kendall's τ-b compares the order of runs by fewer judgments with that by
    all of them: the closer to 1, the more robust the measure.
    """
    import numpy as np

    from rankgauge.model.tables import Table
    from rankgauge.studies.findings import Findings
    from rankgauge.studies.numerics.incomplete import pooled, sampled, spread, tau_by
    from rankgauge.studies.numerics.matrices import oriented_means
    from rankgauge.studies.numerics.sampling import Strata

    percent, depths = tuple(dict.fromkeys(percent)), tuple(dict.fromkeys(depths))
    strata = Strata.shuffled(campaign.qrels, seed)  # which ones are kept varies, but not how many
    pools = {f"{format_number(each)}%": strata.sample(each) for each in percent}
    by_depth = {f"depth {depth}": pooled(campaign, depth) for depth in depths}
    relevant = campaign.qrels.sorted_grades > 0
    scores = campaign.scores(measures)
    complete = oriented_means(scores)
    spreads = [
        [spread(values) for values in by_sample]
        for by_sample in sampled(campaign, measures, percent, shuffles, seed).tolist()
    ]
    shallower = [tau_by(campaign, kept, measures, complete) for kept in by_depth.values()]
    return Findings(
        sentences=_robustness(scores.measures, percent, [[each[0] for each in row] for row in spreads]),
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
                    (name, _number(each), *values)
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
                    for name, kept in ({"all": np.ones_like(relevant)} | pools | by_depth).items()
                ],
            ),
        },
        captions={
            "samples": f"τ to the order by all judgments, mean over {shuffles} shuffles.",
            "spread": "The same with its standard deviation, least and most over the shuffles.",
            "depths": "τ to the order by all judgments, if only what some run has so early had been judged.",
            "judgments": "How many judgments are kept, and how many of them have a grade above 0.",
        },
    )


def _number(percent: float) -> float:
    """A number that is shown without a needless point."""
    return int(percent) if float(percent).is_integer() else percent


def _robustness(names: "Sequence[str]", percent: "Sequence[float]", means: list[list[float]]) -> list[str]:
    """What is to be seen at the smallest sample."""
    import math

    least = min(percent)
    column = percent.index(least)
    found = {name: row[column] for name, row in zip(names, means, strict=True) if not math.isnan(row[column])}
    if not found:
        return ["No measure tells the runs apart."]
    ranked = sorted(found, key=lambda name: -found[name])
    told = ", ".join(f"{name} {found[name]:.3f}" for name in ranked)
    return [
        f"With {format_number(least)} % of the judgments τ is, from the most robust measure down: {told}."
    ]


@study(
    "leave-out",
    title="Runs left out of the pool",
    cite="Zobel 1998, How reliable are the results of large-scale information retrieval experiments?; "
    "Buckley, Dimmick, Soboroff & Voorhees 2007, Bias and the limits of pooling",
    example='qrels.txt runs/*.run -m "AP nDCG@10"',
)
def leave_out(
    campaign: "Campaign",
    *,
    measures: Measures = None,
    depth: Annotated[int | None, Whole(1), "down to which rank documents were pooled, if not all"] = None,
    teams: Annotated[Any, TeamsKind(), "leave out the runs of a team together"] = None,
) -> "Findings":
    """What would a run score if it had not contributed to the pool?

    The judgments of documents that no other run has are taken away, one run after the other (or one team),
    and all runs are scored again. Where a run loses much, the judgments are not fair to runs that come later.
    """
    from rankgauge.model.tables import Table
    from rankgauge.studies.findings import Findings
    from rankgauge.studies.numerics.incomplete import left_out, ranks, reported, whole
    from rankgauge.studies.numerics.matrices import direction, oriented_means
    from rankgauge.studies.selection import teams_of

    team = {run: run for run in campaign.runs} if teams is None else teams_of(teams, campaign.runs)
    records = left_out(campaign, measures, depth, team)
    scores = campaign.scores(measures)
    before, places = reported(scores), ranks(oriented_means(scores))
    rows = []
    for number, name in enumerate(scores.measures):
        for run, each in enumerate(records):
            means = (float(before[number, run]), float(each.means[number]))
            rank = (whole(places[number, run]), whole(each.ranks[number]))
            rows.append((name, each.run, each.alone, each.relevant, *means, *rank, float(each.tau[number])))
    headers = ("measure", "run", "alone", "relevant", "mean", "without", "rank", "rank without", "tau")
    return Findings(
        sentences=[_loss(name, direction(scores, name), rows) for name in scores.measures],
        tables={"runs": Table(headers, rows)},
        captions={
            "runs": "Judged documents that a run (or its team) alone has, how many are relevant, its mean "
            "and rank with and without them; tau is between the orders of all runs."
        },
    )


def _loss(measure: str, sign: int, rows: list[tuple[Any, ...]]) -> str:
    """Which run loses most by a measure."""
    import math

    defined = [row for row in rows if row[0] == measure and math.isfinite(row[4]) and math.isfinite(row[5])]
    if not defined:
        return f"{measure} is undefined without these judgments."
    _, run, *_, mean, without, rank, other, _ = max(defined, key=lambda row: sign * (row[4] - row[5]))
    taus = [row[-1] for row in defined if math.isfinite(row[-1])]
    least = f"; the least τ is {min(taus):.3f}" if taus else ""
    if sign * (mean - without) <= 0:
        return f"By {measure} no run loses{least}."
    return f"By {measure} {run} loses most: {mean:.4f} to {without:.4f}, rank {rank} to {other}{least}."
