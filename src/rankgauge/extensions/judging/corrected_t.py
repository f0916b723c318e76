"""The test of differences between corrected means."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from rankgauge.comparison.registry import TESTS, Outcome, StatisticalTest, TestOptions
from rankgauge.errors import OptionError
from rankgauge.extensions.judging.corrected_means import MIN_HUMAN, Estimates
from rankgauge.numbers.differences import Floats, Ints
from rankgauge.numbers.intervals import one_sided
from rankgauge.schema.lazy import required_module


class Corrected(Protocol):
    """The part of `CorrectedScores` behind the test."""

    def values_by(self, place: int) -> tuple[Floats, Floats, list[str]]:
        """Values by LLM judgments, by human ones, and notes."""

    def corrected(self, llm: Floats, human: Floats) -> Estimates:
        """Corrected means of rows."""


def corrected_t(
    scores: Corrected, llm: Floats, human: Floats, first: Ints, second: Ints, options: TestOptions
) -> Outcome:
    """Whether the corrected mean of the topics' differences is 0: the estimate / its standard error.

    It is estimated from the differences by either judgments: what makes a topic easy for both runs cancels.
    """
    stdtr = required_module("scipy.special").stdtr
    by_human = human[first] - human[second]
    found = scores.corrected(llm[first] - llm[second], by_human)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = found.estimate / np.sqrt(found.variance)
        p = 2 * stdtr(found.df, -np.abs(statistic))
        counts = found.human_topics
        centred = np.where(np.isnan(by_human), 0.0, by_human - found.human[:, None])
        error = np.sqrt((centred**2).sum(axis=1) / (counts - 1))
    p[np.isinf(statistic)] = np.nan
    few = f"undefined, fewer than {MIN_HUMAN} topics with human judgments"
    methods = [
        f"t distribution, {df:.3g} df, human judgments of {n:.0f} topics"
        if not np.isnan(each)
        else few
        if n < MIN_HUMAN
        else "undefined, the standard error is 0 or unknown"
        for each, df, n in zip(p, found.df, counts, strict=True)
    ]
    return Outcome(
        statistic,
        p,
        methods,
        error=error,
        half=found.half(1 - options.alpha / options.simultaneous),
        means=scores.corrected(llm, human).estimate,
        difference=found.estimate,
        beyond=None
        if options.margin is None
        else one_sided(found.estimate, np.sqrt(found.variance), found.df, options.margin),
    )


def of_measure(scores: Corrected, place: int, first: Ints, second: Ints, options: TestOptions) -> Outcome:
    """The test for the measure at a place."""
    llm, human, _ = scores.values_by(place)
    return corrected_t(scores, llm, human, first, second, options)


CORRECTED_T = StatisticalTest(
    name="corrected-t",
    title="t-test of corrected differences",
    cite="Angelopoulos, Duchi & Zrnic 2023; Cochran 1977, chapter 7",
    statistic="t = corrected mean of the differences / its standard error",
    kind="scores",
    function=of_measure,
    help=corrected_t.__doc__ or "",
    samples=None,
    unit="",
    sequential=False,
    familywise=False,
    effect="difference / standard deviation of the topics' differences by human judgments",
    interval="t interval of the corrected difference, which need not be that of the corrected means",
    one_sided="t-tests of corrected differences",
    simultaneous=True,
)


def corrected_test(name: str) -> StatisticalTest:
    """The test that stands for the one of this name: t alone has one."""
    if name == CORRECTED_T.name:
        return CORRECTED_T
    spec = TESTS.find(name)
    if spec.name != "t":
        raise OptionError(
            f"the {spec.title} needs values of all topics by the same judgments; where human judgments of "
            "some topics correct the means, differences are tested by t"
        )
    return CORRECTED_T
