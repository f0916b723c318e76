"""The study `risk`: what runs lose against a baseline, and not only what they gain on average."""

import math
from dataclasses import replace
from typing import Annotated

import numpy as np

from rankgauge.campaigns.campaign import Campaign
from rankgauge.campaigns.findings import Findings
from rankgauge.campaigns.options import NAME, Measures, Several
from rankgauge.campaigns.registry import study
from rankgauge.errors import InputError
from rankgauge.measures.rankings.arrays.curves import Floats
from rankgauge.model.output.tables import Cell, Shown, Table
from rankgauge.numbers.differences import cleared
from rankgauge.numbers.intervals import LEVEL, t_quantile, t_tail
from rankgauge.numbers.matrices import matrix, required_direction, value_notes
from rankgauge.schema.parameters import Number


@study(
    "risk",
    title="Risk and reward against a baseline",
    cite="Wang, Bennett & Collins-Thompson 2012, Robust ranking models via risk-sensitive optimization; "
    "Dinçer, Macdonald & Ounis 2014, Hypothesis testing for the risk-sensitive evaluation of retrieval "
    "systems; 2016, Risk-sensitive evaluation and learning to rank using multiple baselines (GeoRisk)",
    example='qrels.txt runs/*.run -m "nDCG@20 ERR@20" --alphas 0,1,5',
    least_runs=2,
)
def risk(
    campaign: Campaign,
    *,
    measures: Measures = None,
    baseline: Annotated[
        str | None,
        replace(NAME, words="the name of a run"),
        "the run that the others are compared with; by default, the first",
    ] = None,
    alphas: Annotated[
        tuple[float, ...], Several(Number(0)), "how much more a loss weighs than a gain of the same size"
    ] = (0.0, 1.0, 5.0),
) -> Findings:
    """How much runs gain and lose against a baseline, when a loss on a topic weighs 1 + alpha times a gain.

    URisk is the mean of these differences, and what gdeval and ndeval print with -baseline and -riskAlpha.
    TRisk is its t statistic: beyond about ±2, gains and losses do not balance. With alpha = 0 that is the
    paired t-test; with a larger alpha two equally good runs have a URisk below 0, since they differ by
    chance. GeoRisk takes all runs as baselines: it is high for a good mean without topics on which
    a run does much worse than the means of runs and topics let expect.
    """
    scores = campaign.scores(measures)
    base = campaign.runs[0] if baseline is None else campaign.only([baseline]).runs[0]
    against: list[list[Cell]] = []
    over_all: list[list[Cell]] = []
    sentences = []
    for measure in scores.measures:
        values = matrix(scores, measure)
        if values.shape[1] < 2:
            raise InputError(f"only 1 topic has a value of {measure} for all runs; a risk needs at least 2")
        sizes = np.abs(values).max(axis=1)
        place = campaign.runs.index(base)
        gains = cleared(values - values[place], np.maximum(sizes, sizes[place]))
        better = required_direction(scores, measure)
        gains *= better
        others = [(run, own) for run, own in zip(campaign.runs, gains, strict=True) if run != base]
        for run, own in others:
            wins, losses = own[own > 0], own[own < 0]
            counts = [len(wins), len(losses), wins.sum() / own.size, -losses.sum() / own.size]
            against += [
                [run, measure, Shown(alpha), *counts, *t_statistic(weighted(own, alpha))] for alpha in alphas
            ]
        most = min(others, key=lambda pair: pair[1][pair[1] < 0].sum())
        lost = -most[1][most[1] < 0].sum() / most[1].size
        sentences.append(f"On {measure}, {most[0]} loses most to {base}: {lost:.4f} of the mean.")
        over_all += [
            [run, measure, Shown(alpha), mean, z, geo]
            for alpha in alphas
            for run, mean, z, geo in zip(
                campaign.runs, values.mean(axis=1), *georisk(values * better, alpha), strict=True
            )
        ]
    return Findings(
        settings={"baseline": base},
        sentences=[*sentences, *value_notes(scores)],
        tables={
            "baseline": Table(
                (
                    "run",
                    "measure",
                    "alpha",
                    "wins",
                    "losses",
                    "reward",
                    "risk",
                    "URisk",
                    "low",
                    "high",
                    "TRisk",
                    "p",
                ),
                against,
            ),
            "georisk": Table(("run", "measure", "alpha", "mean", "ZRisk", "GeoRisk"), over_all),
        },
        captions={
            "baseline": f"Against {base}: topics won and lost, what they add to and take from the difference "
            f"of means, URisk with its {100 * LEVEL:g} % interval, and TRisk with its p, not corrected.",
            "georisk": "All runs as baselines; undefined where values are below 0, or lower ones better.",
        },
    )


def weighted(gains: Floats, alpha: float) -> Floats:
    """The differences of topics, losses times 1 + alpha."""
    return np.where(gains < 0, (1 + alpha) * gains, gains)


def t_statistic(differences: Floats) -> tuple[float, float, float, float, float]:
    """(mean, low, high, t, two-sided p) over topics."""
    mean, topics = float(differences.mean()), len(differences)
    error = float(differences.std(ddof=1)) / math.sqrt(topics)
    t = mean / error if error else math.copysign(math.inf, mean) if mean else math.nan
    reach = float(t_quantile(1 - LEVEL, topics - 1)) * error
    return mean, mean - reach, mean + reach, t, float(t_tail(np.array([t]), topics - 1)[0])


def georisk(values: Floats, alpha: float) -> tuple[Floats, Floats]:
    """(ZRisk, GeoRisk) of each run, from (runs, topics); NaN where values are below 0, as of chances.

    A value is compared with what the means of its run and of its topic let expect, as in a χ² statistic.
    """
    runs, topics = values.shape
    if (values < 0).any() or not values.any():
        return np.full(runs, np.nan), np.full(runs, np.nan)
    expected = values.sum(axis=1, keepdims=True) * values.sum(axis=0) / values.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(expected > 0, (values - expected) / np.sqrt(expected), 0.0)
    risk = weighted(z, alpha).sum(axis=1)
    chance = np.array([0.5 * math.erfc(-each / topics / math.sqrt(2)) for each in risk])
    return risk, np.sqrt(values.mean(axis=1) * chance)
