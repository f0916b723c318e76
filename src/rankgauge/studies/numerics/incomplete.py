"""Campaigns with fewer judgments, and how much the order of runs changes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankgauge.engines.threads import in_threads
from rankgauge.measures import Measure
from rankgauge.measures.rankings.arrays.curves import Bools, Floats
from rankgauge.model.scores import Scores
from rankgauge.studies.campaign import Campaign
from rankgauge.studies.numerics.matrices import oriented_means
from rankgauge.studies.numerics.rank_correlation import tau_b
from rankgauge.studies.numerics.sampling import Strata

Measures = Sequence[Measure] | None


def tau(one: Floats, other: Floats) -> Floats:
    """(measures,) τ-b between orders of runs, given by oriented means (measures, runs); NaN if undefined."""
    pairs = list(zip(one, other, strict=True))
    return np.array([tau_b(*pair) if np.isfinite(pair).all() else math.nan for pair in pairs])


def reported_means(scores: Scores) -> Floats:
    """(measures, runs) the means as they are reported."""
    means: Floats = np.array([list(by_measure.values()) for by_measure in scores.mean().values()]).T
    return means


def defined_oriented_means(scores: Scores) -> Floats:
    """(measures, runs) as `oriented_means`; NaN for a measure whose mean is undefined for some run."""
    means = reported_means(scores)
    defined = np.logical_not(np.isnan(means).any(axis=1))
    means[~defined] = np.nan
    if defined.any():
        names = [name for name, is_defined in zip(scores.measures, defined, strict=True) if is_defined]
        means[defined] = oriented_means(scores.only(measures=names))
    return means


def scores_with(campaign: Campaign, kept: Bools, measures: Measures) -> Scores | None:
    """The scores with some of the judgments; None if none is kept."""
    return campaign.judged_by(kept).scores(measures) if kept.any() else None


def tau_with(campaign: Campaign, kept: Bools, measures: Measures, complete: Floats) -> Floats:
    """(measures,) τ between the orders of runs with some judgments and with all of them."""
    scores = scores_with(campaign, kept, measures)
    return np.full(len(complete), np.nan) if scores is None else tau(complete, defined_oriented_means(scores))


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


def in_pool(campaign: Campaign, depth: int) -> Bools:
    """(judgments,) whether a pool of this depth contains the document: some run has it at such a rank."""
    kept = np.zeros(len(campaign.qrels.sorted_grades), dtype=bool)
    for run in campaign.hits:
        kept[run.judgment[run.rank <= depth]] = True
    return kept


@dataclass(frozen=True)
class LeftOut:
    """A run as if it had not contributed to the pool."""

    run: str
    alone: int  # judged documents that no other run (or team) retrieved
    relevant: int  # how many of these are relevant
    means: Floats  # (measures,) of the run without these judgments
    ranks: Floats  # (measures,) of the run among all runs without them
    tau: Floats  # (measures,) between the orders of all runs without and with them


def leave_out_each(
    campaign: Campaign, measures: Measures, depth: int | None, team: Mapping[str, str]
) -> list[LeftOut]:
    """Each run without the judgments of documents that only its team has, down to a depth or at any rank."""
    complete = oriented_means(campaign.scores(measures))
    grades = campaign.qrels.sorted_grades
    retrieved = {team[run]: np.zeros(len(grades), dtype=bool) for run in campaign.runs}
    for name, run in zip(campaign.runs, campaign.hits, strict=True):
        retrieved[team[name]][run.judgment if depth is None else run.judgment[run.rank <= depth]] = True
    teams = np.sum(list(retrieved.values()), axis=0)
    alone = {name: mask & (teams == 1) for name, mask in retrieved.items()}
    scores = in_threads(
        lambda mask: scores_with(campaign, ~mask, measures), list(alone.values()), campaign.threads
    )
    without = {
        name: (reported_means(each), defined_oriented_means(each))
        if each is not None
        else (np.full_like(complete, np.nan),) * 2
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
    """(measures, runs) the rank of each run, from 1 for the best; equal means share it; NaN if undefined."""
    better = np.count_nonzero(means[:, None, :] > means[:, :, None], axis=2)
    return np.where(np.isnan(means), np.nan, better + 1.0)


def shown_rank(rank: float) -> float:
    """A rank as an int, if it is defined."""
    return rank if math.isnan(rank) else int(rank)


def spread(values: Sequence[float]) -> tuple[float, float, float, float]:
    """(mean, standard deviation, minimum, maximum) of values over shuffles."""
    mean = math.fsum(values) / len(values)
    if math.isnan(mean):
        return (math.nan,) * 4
    squares = math.fsum((value - mean) ** 2 for value in values)
    deviation = math.sqrt(squares / (len(values) - 1)) if len(values) > 1 else math.nan
    return mean, deviation, min(values), max(values)
