"""The study `topics`: the number of topics a collection needs, by Sakai's topic set size design.

    t          the paired t-test detects a difference between two systems, with this power
    anova      one-way analysis of variance detects a difference between the best and the worst system
    interval   the confidence interval of the difference between two systems is no wider than the difference

`variance` is that of a system's scores without the effects of topic and system; the difference between two
systems has twice that variance.
"""

import math
from collections.abc import Callable
from typing import Annotated

import numpy as np

from rankgauge.campaigns.campaign import Campaign
from rankgauge.campaigns.findings import Findings
from rankgauge.campaigns.options import Measures, Several
from rankgauge.campaigns.registry import study
from rankgauge.errors import InputError
from rankgauge.measures.rankings.arrays.curves import Floats
from rankgauge.model.output.tables import Cell, Shown, Table
from rankgauge.numbers.intervals import topics_needed
from rankgauge.numbers.matrices import matrix, value_notes
from rankgauge.schema.lazy import required_module
from rankgauge.schema.parameters import Number, Whole, Word

PROBABILITY = Number(0, 1, above=True, below=True)


@study(
    "topics",
    title="Topic set size design",
    cite="Sakai, Topic set size design, Information Retrieval Journal 19, 2016; Nagata 2003",
    example='qrels.txt runs/*.run -m "AP nDCG@10" --differences 0.05,0.1 --systems 2,10',
    least_runs=2,
)
def topics(
    campaign: Campaign,
    *,
    measures: Measures = None,
    differences: Annotated[
        tuple[float, ...], Several(Number(0, above=True)), "differences of means to detect"
    ] = (0.05, 0.1, 0.15, 0.2),
    systems: Annotated[
        tuple[int, ...], Several(Whole(2)), "numbers of systems that an analysis of variance compares"
    ] = (2, 5, 10, 50),
    alpha: Annotated[float, PROBABILITY, "level of significance, or 1 - confidence of an interval"] = 0.05,
    power: Annotated[float, PROBABILITY, "the probability of detecting a real difference"] = 0.8,
    variance: Annotated[
        str, Word(("residual", "within")), "the variance left after runs and topics, or after runs alone"
    ] = "residual",
) -> Findings:
    """How many topics a new collection needs, given how much the scores of these runs vary.

    For the paired t-test of two systems, one-way analysis of variance of several, and the width of the
    confidence interval of a difference. A second table has the inverse: the difference that the present
    number of topics can detect. The residual variance is that of two-way analysis of variance; the variance
    within runs includes that of the topics, and demands more of them.
    """
    scores = campaign.scores(measures)
    needed: list[list[Cell]] = []
    least: list[list[Cell]] = []
    designs = [("t", 2), *(("anova", count) for count in systems), ("interval", 2)]
    for measure in scores.measures:
        values = matrix(scores, measure)
        if values.shape[1] < 2:
            raise InputError("the variance of scores needs at least 2 topics; add more")
        spread = variance_of(values, variance)
        for method, count in designs:
            for difference in differences:
                enough = is_enough(method, difference, spread, alpha, power, count)
                least_topics = topics_needed(enough) if spread else 2
                needed.append([measure, spread, method, count, Shown(difference), least_topics])
            smallest = detectable(method, values.shape[1], spread, alpha, power, count)
            least.append([measure, spread, method, count, values.shape[1], smallest])
    return Findings(
        settings={"measures": scores.measures},
        sentences=[f"At a significance level of {alpha:g} and a power of {power:g}.", *value_notes(scores)],
        tables={
            "topics": Table(("measure", "variance", "method", "systems", "difference", "topics"), needed),
            "detectable": Table(("measure", "variance", "method", "systems", "topics", "difference"), least),
        },
        captions={
            "topics": "The number of topics needed to detect a difference; empty: more than ten million.",
            "detectable": "The smallest difference that the present number of topics can detect.",
        },
    )


def residual_variance(values: Floats) -> float:
    """The variance of (runs, topics) without the effects of runs and topics (two-way ANOVA)."""
    runs, topics = values.shape
    rest = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
    return float((rest * rest).sum() / ((runs - 1) * (topics - 1)))


def within_variance(values: Floats) -> float:
    """The variance of (runs, topics) around the mean of each run (one-way ANOVA)."""
    runs, topics = values.shape
    rest = values - values.mean(axis=1, keepdims=True)
    return float((rest * rest).sum() / (runs * (topics - 1)))


def power_of_t(topics: int, difference: float, variance: float, alpha: float) -> float:
    """The probability that a two-sided paired t-test detects this difference."""
    special = required_module("scipy.special")
    freedom, shift = topics - 1, topics * difference**2 / (2 * variance)
    critical = special.stdtrit(freedom, 1 - alpha / 2) ** 2
    return 1 - float(special.ncfdtr(1, freedom, shift, critical))  # t² has an F distribution


def power_of_anova(topics: int, difference: float, variance: float, alpha: float, systems: int) -> float:
    """The probability that one-way ANOVA detects this difference between the best and the worst system.

    In the least favourable case, the others lie halfway between these.
    """
    special = required_module("scipy.special")
    between, within = systems - 1, systems * (topics - 1)
    shift = topics * difference**2 / (2 * variance)
    return 1 - float(special.ncfdtr(between, within, shift, special.fdtri(between, within, 1 - alpha)))


def width_of_interval(topics: int, variance: float, alpha: float) -> float:
    """The expected width of the confidence interval of the difference between two systems."""
    stdtrit = required_module("scipy.special").stdtrit
    freedom = topics - 1
    # the expected standard deviation of a sample, as a share of the true one
    share = math.sqrt(2 / freedom) * math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2))
    return float(2 * stdtrit(freedom, 1 - alpha / 2) * share * math.sqrt(2 * variance / topics))


def is_enough(
    method: str, difference: float, variance: float, alpha: float, power: float, systems: int
) -> Callable[[int], bool]:
    """Whether a number of topics is enough, as a function of that number."""
    if method == "interval":
        return lambda topics: width_of_interval(topics, variance, alpha) <= difference
    if method == "t":
        return lambda topics: power_of_t(topics, difference, variance, alpha) >= power
    return lambda topics: power_of_anova(topics, difference, variance, alpha, systems) >= power


def detectable(method: str, topics: int, variance: float, alpha: float, power: float, systems: int) -> float:
    """The smallest difference for which `topics` topics are enough."""
    if variance == 0.0:
        return 0.0
    if method == "interval":
        return width_of_interval(topics, variance, alpha)
    low, high = 0.0, math.sqrt(variance)

    def enough(difference: float) -> bool:
        return is_enough(method, difference, variance, alpha, power, systems)(topics)

    while not enough(high):
        low, high = high, 2 * high
        if high > 1e12 * math.sqrt(variance):
            return math.nan
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def variance_of(values: Floats, kind: str) -> float:
    """The variance of (runs, topics) for topic set size design."""
    with np.errstate(all="ignore"):
        variance = residual_variance(values) if kind == "residual" else within_variance(values)
    return 0.0 if variance < 1e-24 else variance  # below that, it is all rounding
