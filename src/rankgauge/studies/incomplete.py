"""Campaigns with fewer judgments, and how much the order of runs changes.

Samples of judgments are stratified by topic and grade, by the method of Buckley and Voorhees (2004), for
grades of relevance as in Ferro et al. (2016): the documents of each grade are shuffled, and a sample takes
the first of each. Samples of one shuffle are nested: each smaller one is part of each larger one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from rankgauge.engines.threads import in_threads
from rankgauge.errors import OptionError
from rankgauge.measures import Measure
from rankgauge.measures.rankings.arrays.curves import Bools, Floats, Ints
from rankgauge.model.qrels import Qrels
from rankgauge.model.scores import Scores
from rankgauge.schema.options import whole_number
from rankgauge.schema.parameters import is_number
from rankgauge.schema.text import format_number
from rankgauge.studies.campaign import Campaign
from rankgauge.studies.matrices import oriented_means
from rankgauge.studies.options import SEED
from rankgauge.studies.rank_correlation import tau_b

Measures = Sequence[Measure] | None
LEAST_RELEVANT, LEAST_NONRELEVANT = 1, 10  # of each relevant grade, and of all non-relevant documents


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


def downsample(qrels: Any, percent: float, *, seed: int = SEED, shuffle: int = 0) -> Qrels:
    """A random sample of `percent` per cent of the judgments of each topic and grade.

    Of D documents ⌊percent·D/100⌋ are taken, but at least 1 of each relevant grade and 10 non-relevant ones,
    if there are as many. A document is relevant if its grade is above 0. Samples with the same `seed` and
    `shuffle` are nested; another shuffle is another sample.

    >>> downsample({"q1": {f"d{i}": 1 for i in range(9)}}, 50)
    Qrels 'qrels, 50%, seed 1, shuffle 0': 1 topic, 4 judgments, grades 1 to 1
    """
    complete = Qrels.of(qrels)
    sample = complete.only(Strata.shuffled(complete, seed, shuffle).sample(percent))
    return replace(sample, name=f"{complete.name}, {format_number(percent)}%, seed {seed}, shuffle {shuffle}")


@dataclass(frozen=True)
class Strata:
    """The judgments of each topic and grade in random order: samples take the first of each stratum."""

    place: Ints  # (judgments,) the place in its stratum, from 0
    size: Ints  # (judgments,) the number of documents in its stratum
    relevant: Bools

    @classmethod
    def shuffled(cls, qrels: Qrels, seed: int = SEED, shuffle: int = 0) -> Strata:
        """The strata of judgments; only the seed and the shuffle decide the order within them."""
        whole_number("seed", seed, 0)
        whole_number("shuffle", shuffle, 0)
        grades, topics = qrels.sorted_grades, np.diff(qrels.starts)
        # Raw bits: NumPy may change its shuffling, but not these.
        random = np.random.PCG64([seed, shuffle]).random_raw(len(grades))
        topic, grade = np.repeat(np.arange(len(topics)), topics), np.maximum(grades, 0)
        order = np.lexsort((random, grade, topic))
        fresh = np.ones(len(order), dtype=bool)
        fresh[1:] = (np.diff(topic[order]) != 0) | (np.diff(grade[order]) != 0)
        begins = np.flatnonzero(fresh)
        sizes = np.diff(np.append(begins, len(order)))
        place, size = np.empty((2, len(order)), dtype=np.int64)
        place[order] = np.arange(len(order)) - np.repeat(begins, sizes)
        size[order] = np.repeat(sizes, sizes)
        return cls(place, size, grades > 0)

    def sample(self, percent: float) -> Bools:
        """(judgments,) whether a sample of `percent` per cent has it; ordered as `Qrels.sorted_grades`."""
        return self.place < sample_sizes(percent, self.size, self.relevant)


def sample_sizes(percent: float, size: Ints, relevant: Bools) -> Ints:
    """The number of documents taken from strata of these sizes; one above the size means all."""
    if not is_number(percent) or not 0 < percent <= 100:
        raise OptionError(f"percent must be above 0 and at most 100, not {percent!r}")
    share = (
        Fraction(format_number(percent)) / 100
    )  # of the decimal text: 0.29 of 100 is 29, which floats miss
    distinct, places = np.unique(size, return_inverse=True)
    counts = np.array([int(share * int(documents)) for documents in distinct], dtype=np.int64)
    return np.maximum(counts[places], np.where(relevant, LEAST_RELEVANT, LEAST_NONRELEVANT))
