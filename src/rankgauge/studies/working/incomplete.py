"""Campaigns with fewer judgments than there are, and how far the order of runs stays what it was."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankgauge.curve import Bools, Floats, Ints
from rankgauge.engines.threads import in_threads
from rankgauge.measures import Measure
from rankgauge.studies.campaign import Campaign
from rankgauge.studies.working.matrices import oriented_means
from rankgauge.studies.working.rank_correlation import tau_b
from rankgauge.studies.working.sampling import Strata

Measures = Sequence[Measure] | None


def tau(one: Floats, other: Floats) -> Floats:
    """(measures,) τ-b between orders of runs, given by oriented means (measures, runs); NaN if undefined."""
    pairs = list(zip(one, other, strict=True))
    return np.array([tau_b(*pair) if np.isfinite(pair).all() else math.nan for pair in pairs])


def means_by(campaign: Campaign, kept: Bools, measures: Measures) -> Floats:
    """(measures, runs) oriented means under some of the judgments; NaN if none is kept."""
    if kept.any():
        return oriented_means(campaign.judged_by(kept).scores(measures))
    return np.full_like(oriented_means(campaign.scores(measures)), np.nan)


def sampled(
    campaign: Campaign, measures: Measures, percent: Sequence[float], shuffles: int, seed: int
) -> Floats:
    """(measures, samples, shuffles) τ between the orders of runs by samples and by all judgments."""
    complete = oriented_means(campaign.scores(measures))

    def of_shuffle(shuffle: int) -> list[Floats]:
        strata = Strata.shuffled(campaign.qrels, seed, shuffle)
        return [tau(complete, means_by(campaign, strata.sample(each), measures)) for each in percent]

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
    means: Floats  # (measures,) oriented, of the run without the judgments of these
    ranks: Ints  # (measures,) of the run among all runs without them
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
    means = in_threads(
        lambda mask: means_by(campaign, ~mask, measures), list(alone.values()), campaign.threads
    )
    without = dict(zip(alone, means, strict=True))
    return [
        LeftOut(
            run=run,
            alone=int(np.count_nonzero(alone[team[run]])),
            relevant=int(np.count_nonzero(grades[alone[team[run]]] > 0)),
            means=without[team[run]][:, place],
            ranks=ranks(without[team[run]])[:, place],
            tau=tau(complete, without[team[run]]),
        )
        for place, run in enumerate(campaign.runs)
    ]


def ranks(means: Floats) -> Ints:
    """(measures, runs) the rank of each run, 1 for the best; equal means have the same."""
    better = means[:, None, :] > means[:, :, None]
    return np.asarray(np.count_nonzero(better, axis=2) + 1)


def spread(values: Sequence[float]) -> tuple[float, float, float, float]:
    """(mean, standard deviation, least, most) of values over shuffles."""
    mean = math.fsum(values) / len(values)
    squares = math.fsum((value - mean) ** 2 for value in values)
    deviation = math.sqrt(squares / (len(values) - 1)) if len(values) > 1 else math.nan
    return mean, deviation, min(values), max(values)
