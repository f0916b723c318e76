"""Campaigns with fewer judgments than there are, and how far the order of runs stays what it was."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankgauge.engines.threads import in_threads
from rankgauge.measures import Measure
from rankgauge.model.scores import Scores
from rankgauge.rankings.arrays.curves import Bools, Floats
from rankgauge.studies.campaign import Campaign
from rankgauge.studies.numerics.matrices import oriented_means
from rankgauge.studies.numerics.rank_correlation import tau_b
from rankgauge.studies.numerics.sampling import Strata

Measures = Sequence[Measure] | None


def tau(one: Floats, other: Floats) -> Floats:
    """(measures,) τ-b between orders of runs, given by oriented means (measures, runs); NaN if undefined."""
    pairs = list(zip(one, other, strict=True))
    return np.array([tau_b(*pair) if np.isfinite(pair).all() else math.nan for pair in pairs])


def reported(scores: Scores) -> Floats:
    """(measures, runs) the means as they are reported."""
    found: Floats = np.array([list(by_measure.values()) for by_measure in scores.mean().values()]).T
    return found


def oriented(scores: Scores) -> Floats:
    """(measures, runs) the means as they order runs, as `oriented_means`; NaN for a measure that does not."""
    found = reported(scores)
    defined = np.logical_not(np.isnan(found).any(axis=1))
    found[~defined] = np.nan
    if defined.any():
        names = [name for name, is_defined in zip(scores.measures, defined, strict=True) if is_defined]
        found[defined] = oriented_means(scores.only(measures=names))
    return found


def scores_by(campaign: Campaign, kept: Bools, measures: Measures) -> Scores | None:
    """The scores under some of the judgments; None if none is kept."""
    return campaign.judged_by(kept).scores(measures) if kept.any() else None


def tau_by(campaign: Campaign, kept: Bools, measures: Measures, complete: Floats) -> Floats:
    """(measures,) τ between the orders of runs by some judgments and by all of them."""
    scores = scores_by(campaign, kept, measures)
    return np.full(len(complete), np.nan) if scores is None else tau(complete, oriented(scores))


def sampled(
    campaign: Campaign, measures: Measures, percent: Sequence[float], shuffles: int, seed: int
) -> Floats:
    """(measures, samples, shuffles) τ between the orders of runs by samples and by all judgments."""
    complete = oriented_means(campaign.scores(measures))

    def of_shuffle(shuffle: int) -> list[Floats]:
        strata = Strata.shuffled(campaign.qrels, seed, shuffle)
        return [tau_by(campaign, strata.sample(each), measures, complete) for each in percent]

    found: Floats = np.array(in_threads(of_shuffle, range(shuffles), campaign.threads)).T
    return found


def pooled(campaign: Campaign, depth: int) -> Bools:
    """(judgments,) which ones a pool of this depth has: some run has the document so early."""
    kept = np.zeros(len(campaign.qrels.sorted_grades), dtype=bool)
    for run in campaign.hits:
        kept[run.judgment[run.rank <= depth]] = True
    return kept


@dataclass(frozen=True)
class LeftOut:
    """What becomes of a run if it had not contributed to the pool."""

    run: str
    alone: int  # judged documents that no other run (or team) found
    relevant: int  # of these, the relevant ones
    means: Floats  # (measures,) of the run without the judgments of these
    ranks: Floats  # (measures,) of the run among all runs without them
    tau: Floats  # (measures,) between the orders of all runs without and with them


def left_out(
    campaign: Campaign, measures: Measures, depth: int | None, team: Mapping[str, str]
) -> list[LeftOut]:
    """Each run without the judgments of what its team alone has down to a depth, or at any rank."""
    complete = oriented_means(campaign.scores(measures))
    grades = campaign.qrels.sorted_grades
    found = {team[run]: np.zeros(len(grades), dtype=bool) for run in campaign.runs}
    for name, run in zip(campaign.runs, campaign.hits, strict=True):
        found[team[name]][run.judgment if depth is None else run.judgment[run.rank <= depth]] = True
    finders = np.sum(list(found.values()), axis=0)
    alone = {name: mask & (finders == 1) for name, mask in found.items()}
    scores = in_threads(
        lambda mask: scores_by(campaign, ~mask, measures), list(alone.values()), campaign.threads
    )
    without = {
        name: (reported(each), oriented(each)) if each is not None else (np.full_like(complete, np.nan),) * 2
        for name, each in zip(alone, scores, strict=True)
    }
    return [
        LeftOut(
            run=run,
            alone=int(np.count_nonzero(alone[team[run]])),
            relevant=int(np.count_nonzero(grades[alone[team[run]]] > 0)),
            means=without[team[run]][0][:, place],
            ranks=ranks(without[team[run]][1])[:, place],
            tau=tau(complete, without[team[run]][1]),
        )
        for place, run in enumerate(campaign.runs)
    ]


def ranks(means: Floats) -> Floats:
    """(measures, runs) the rank of each run, 1 for the best; equal means have the same; NaN if undefined."""
    better = np.count_nonzero(means[:, None, :] > means[:, :, None], axis=2)
    return np.where(np.isnan(means), np.nan, better + 1.0)


def whole(rank: float) -> float:
    """A rank as it is shown."""
    return rank if math.isnan(rank) else int(rank)


def spread(values: Sequence[float]) -> tuple[float, float, float, float]:
    """(mean, standard deviation, least, most) of values over shuffles."""
    mean = math.fsum(values) / len(values)
    if math.isnan(mean):
        return (math.nan,) * 4
    squares = math.fsum((value - mean) ** 2 for value in values)
    deviation = math.sqrt(squares / (len(values) - 1)) if len(values) > 1 else math.nan
    return mean, deviation, min(values), max(values)
