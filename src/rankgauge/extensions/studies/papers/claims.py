"""Findings of documents, each confirmed, not confirmed or undecided on a collection.

A finding says that one quantity is higher than another. It is confirmed where the 95 % interval of their
difference lies above 0, not confirmed where it lies below, else undecided, as with fewer than MIN_RUNS runs
or MIN_TOPICS topics. The interval is the difference ± 1.96 standard deviations over bootstrap samples of
topics. A page decides only what remains after Holm's correction for all of its findings.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np

from rankgauge.campaigns.campaign import Campaign
from rankgauge.comparison.corrections import correct
from rankgauge.extensions.studies.catalogue.power import tested_values
from rankgauge.measures.rankings.arrays.curves import Floats
from rankgauge.numbers.bootstrap import drawn
from rankgauge.numbers.differences import differences
from rankgauge.numbers.intervals import LEVEL, NORMAL, deviation
from rankgauge.numbers.matrices import SLACK, Resampling, oriented_means
from rankgauge.numbers.rank_correlation import taus
from rankgauge.numbers.tau_test import EQUIVALENT
from rankgauge.schema.lazy import required_module
from rankgauge.schema.text import counted

MIN_RUNS = 5  # with fewer, Kendall's test has p > 0.05 even for two equal orders
MIN_TOPICS = 6  # with fewer, the sign test has p > 0.05 even if all topics agree
VERDICTS = {True: "confirmed", False: "not confirmed", None: "undecided"}
RULE = (
    "Confirmed: over samples of topics (for robustness, of judgments), the difference is above 0, with p "
    f"below {1 - LEVEL:.2f} by Holm's correction for all findings of the document; not confirmed: below. ± "
    f"is half of its {LEVEL:.0%} interval, not corrected. Fewer than {MIN_RUNS} runs or {MIN_TOPICS} topics "
    f"decide nothing. Orders differ if τ is below {EQUIVALENT} and two measures agree less on two halves of "
    "the topics than one does with itself."
).replace("%", " %")

T = TypeVar("T")
Claim = dict[str, Any]  # {"claim": its text, "outcomes": {collection: whether it holds, and the evidence}}
Statistic = Callable[[Floats], Any]  # of the last axes of an array


def at(*place: int) -> Statistic:
    """The number at a place, as a statistic."""
    key: Any = (..., *place)
    return lambda values: values[key]


class Outcome(NamedTuple):
    """Whether a finding holds on a collection (None: undecided), and the numbers that decide."""

    held: bool | None
    evidence: str = ""
    p: float | None = None  # two-sided, not corrected; None where nothing was tested

    def __str__(self) -> str:
        return f"{VERDICTS[self.held]}: {self.evidence}" if self.evidence else VERDICTS[self.held]


def claim(text: str, by_collection: Mapping[str, T], decide: Callable[[T], Outcome]) -> Claim:
    """A finding that the document states, decided for each collection."""
    return {
        "claim": text,
        "outcomes": {name: decide(each)._asdict() for name, each in by_collection.items()},
    }


def corrected(claims: Sequence[Claim]) -> list[Claim]:
    """The findings of a page: undecided, too, where p is not small by Holm's correction for all of them."""
    p = np.array([each.get("p") for claim in claims for each in claim["outcomes"].values()], dtype=np.float64)
    small = iter((correct(p, "holm") < 1 - LEVEL).tolist())
    return [
        claim
        | {
            "outcomes": {
                name: each | {"held": each["held"] if next(small) else None}
                for name, each in claim["outcomes"].items()
            }
        }
        for claim in claims
    ]


def too_few(runs: int | None, topics: int | None) -> Outcome | None:
    """The outcome with too few runs or topics, if so."""
    for count, least, noun in ((runs, MIN_RUNS, "run"), (topics, MIN_TOPICS, "topic")):
        if count is not None and count < least:
            return Outcome(None, counted(count, noun))
    return None


def decided(
    difference: float,
    spread: float,
    values: Sequence[float],
    form: str = ".2f",
    unit: str = "",
    *,
    runs: int | None = None,
    topics: int | None = None,
) -> Outcome:
    """Whether a difference is above 0, by its standard deviation `spread`; `values` are the evidence."""
    reach = NORMAL * spread
    if few := too_few(runs, topics):
        return few
    if math.isnan(difference + reach):
        return Outcome(None)
    shown = " against ".join(f"{value:{form}}" for value in values)
    beyond = abs(difference) - SLACK
    held = None if beyond <= reach else difference > 0
    p = min(1.0, math.erfc(beyond / spread / math.sqrt(2))) if spread else float(beyond <= 0)
    return Outcome(held, f"{shown} ±{reach:{form.lstrip('+')}}{unit}", p)


@dataclass(frozen=True)
class Bootstrap:
    """Observed numbers, and those of bootstrap samples of topics."""

    observed: Floats
    sampled: Floats  # (samples, ...)
    topics: int
    runs: int | None = None  # None for numbers that do not depend on how many there are

    @classmethod
    def of_means(cls, values: Floats, samples: int, seed: int, runs: int | None = None) -> Bootstrap:
        """Means over topics, from (topics, ...)."""
        topics = len(values)
        sets = drawn(topics, topics, samples, seed, replacement=True)
        sampled = [values[each].mean(axis=0) for block in sets for each in block]
        return cls(values.mean(axis=0), np.array(sampled), topics, runs)

    @classmethod
    def of_orders(cls, campaign: Campaign, measures: Any, samples: int, seed: int) -> Bootstrap:
        """(measures, measures) Kendall's τ-b between the orders of runs by every two measures."""
        scores = campaign.scores(measures)
        resampling = Resampling(scores)
        blocks = [taus(block)[1] for block in resampling.bootstrap(samples, seed)]
        observed = taus(oriented_means(scores))[1]
        return cls(observed, np.concatenate(blocks), resampling.topics, len(scores.runs))

    @classmethod
    def of_halves(cls, campaign: Campaign, measures: Any, samples: int, seed: int) -> Bootstrap:
        """(measures, measures) τ-b between orders by a measure on half of the topics and by one on the rest.

        τ is the mean over random halves, and its samples are the halves.
        """
        scores = campaign.scores(measures)
        resampling, count = Resampling(scores), len(scores.measures)
        blocks = [taus(block)[1][:, :count, count:] for block in resampling.halves(samples, seed)]
        sampled = np.concatenate(blocks)
        return cls(sampled.mean(axis=0), sampled, resampling.topics, len(scores.runs))

    @classmethod
    def of_power(
        cls, campaign: Campaign, measures: Sequence[str], alphas: Sequence[float], samples: int, seed: int
    ) -> Bootstrap:
        """(alphas, measures) the pairs of runs that a paired t-test finds different."""
        scores = campaign.scores(measures)
        values = [tested_values(scores, measure) for measure in scores.measures]
        counts = np.stack([_significant(each, alphas, samples, seed) for each in values], axis=-1)
        return cls(counts[0], counts[1:], min(each.shape[1] for each in values), len(scores.runs))

    def interval(self, statistic: Statistic) -> tuple[float, float, float]:
        """(value, low, high) of a statistic."""
        value, reach = float(statistic(self.observed)), NORMAL * _deviation(statistic(self.sampled))
        return value, value - reach, value + reach

    def higher(
        self, one: Statistic | float, than: Statistic | float, form: str = ".2f", unit: str = ""
    ) -> Outcome:
        """Whether a statistic, or a constant, is higher than another."""
        first, second = (
            (each(self.observed), each(self.sampled)) if callable(each) else (each, each)
            for each in (one, than)
        )
        values = [float(value[0]) for value, each in ((first, one), (second, than)) if callable(each)]
        difference, of_samples = (a - b for a, b in zip(first, second, strict=True))
        limits = {"runs": self.runs, "topics": self.topics}
        return decided(float(difference), _deviation(of_samples), values, form, unit, **limits)


def orders_differ(taus: Bootstrap, halves: Bootstrap, one: int, others: Sequence[int]) -> Outcome:
    """Whether a measure orders runs differently from each of others, from `of_orders` and `of_halves`.

    τ must be below EQUIVALENT, and two measures must agree less on two halves of the topics than either with
    itself: on the same topics τ is low by chance where runs hardly differ.
    """

    def lack(t: Floats) -> Any:
        own = np.diagonal(t, axis1=-2, axis2=-1)
        across = (t[..., one, others] + t[..., others, one]) / 2
        return (np.minimum(own[..., [one]], own[..., others]) - across).min(axis=-1)

    outcome = taus.higher(EQUIVALENT, lambda t: t[..., one, others].max(axis=-1))
    real = halves.higher(lack, 0)
    if not outcome.held:
        return outcome
    p = 1.0 if real.p is None or real.held is False else max(outcome.p or 0.0, real.p)  # both must be shown
    if real.held:
        return outcome._replace(p=p)
    return Outcome(None, f"{outcome.evidence}, on halves of the topics lower by {real.evidence or '–'}", p)


def _deviation(values: Floats) -> float:
    return float(deviation(values[np.isfinite(values)]))


def _significant(values: Floats, alphas: Sequence[float], samples: int, seed: int) -> Floats:
    """(1 + samples, alphas) pairs of (runs, topics) that differ by a paired t-test; all topics come first."""
    t = required_module("scipy.stats").t  # takes a while to import
    z = differences(values)
    topics = z.shape[1]
    critical = t.isf(np.array(alphas) / 2, topics - 1)
    counts = []
    samples_of = drawn(topics, topics, samples, seed, replacement=True)
    for sets in itertools.chain([np.arange(topics)[None]], samples_of):
        share = np.stack([np.bincount(each, minlength=topics) for each in sets]) / topics
        mean = share @ z.T
        error = np.sqrt(np.maximum(share @ (z**2).T - mean**2, 0.0) / (topics - 1))
        beyond = [np.count_nonzero(np.abs(mean) > times * error + SLACK, axis=1) for times in critical]
        counts.append(np.stack(beyond, axis=1))
    return np.concatenate(counts).astype(np.float64)
