"""The study `leave-out`: what a run scores if it had not contributed to the pool."""

import math
from typing import Annotated, Any

from rankgauge.model.output.tables import Table
from rankgauge.schema.parameters import Whole
from rankgauge.studies.campaign import Campaign
from rankgauge.studies.findings import Findings
from rankgauge.studies.incomplete import leave_out_each, ranks, reported_means, shown_rank
from rankgauge.studies.matrices import oriented_means, required_direction
from rankgauge.studies.options import Measures, TeamsKind
from rankgauge.studies.registry import study
from rankgauge.studies.selection import teams_of


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
    teams: Annotated[Any, TeamsKind(), "leave out the runs of a team together"] = None,
) -> Findings:
    """What would a run score if it had not contributed to the pool?

    For each run (or team), the judgments of documents that no other run retrieved are removed, and all runs
    are scored again. Where a run loses much, the judgments are unfair to runs that come later.
    """
    team = {run: run for run in campaign.runs} if teams is None else teams_of(teams, campaign.runs)
    results = leave_out_each(campaign, measures, depth, team)
    scores = campaign.scores(measures)
    before, places = reported_means(scores), ranks(oriented_means(scores))
    rows = []
    for number, name in enumerate(scores.measures):
        for run, each in enumerate(results):
            means = (float(before[number, run]), float(each.means[number]))
            rank = (shown_rank(places[number, run]), shown_rank(each.ranks[number]))
            rows.append((name, each.run, each.alone, each.relevant, *means, *rank, float(each.tau[number])))
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
    """A sentence on the run that loses most by a measure."""
    defined = [row for row in rows if row[0] == measure and math.isfinite(row[4]) and math.isfinite(row[5])]
    if not defined:
        return f"{measure} is undefined without these judgments."
    _, run, *_, mean, without, rank, other, _ = max(defined, key=lambda row: sign * (row[4] - row[5]))
    taus = [row[-1] for row in defined if math.isfinite(row[-1])]
    least = f"; the lowest τ is {min(taus):.3f}" if taus else ""
    if sign * (mean - without) <= 0:
        return f"By {measure}, no run loses{least}."
    return f"By {measure}, {run} loses most: {mean:.4f} to {without:.4f}, rank {rank} to {other}{least}."
