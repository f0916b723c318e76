"""The only place that decides which topics count, as what, and how their values become one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from rankgauge.schema.frozen import Frozen
from rankgauge.schema.options import Option

MISSING = Option(
    "missing",
    "a judged topic that a run has no results for",
    {
        "zero": "is an empty result and counts, as trec_eval -c does",
        "skip": "is left out, as trec_eval without -c does",
    },
)
UNDEFINED = Option(
    "undefined",
    "a value that is undefined, such as recall without relevant documents",
    {
        "zero": "counts as 0 in the mean, as in trec_eval and published tables (if higher is better)",
        "skip": "is left out of the mean",
    },
)
OPTIONS = (MISSING, UNDEFINED)
NORMALISE = Option(
    "normalise",
    "curves as shares of the ideal's",
    {
        "no": "curves are as they are",
        "topics": "each topic's curve is divided by its ideal's, then they are averaged",
        "averages": "the average curve is divided by the average of the ideals, as in the figures of "
        "Järvelin and Kekäläinen (2002)",
    },
)
AVERAGES = {
    "mean": "the arithmetic mean",
    "geometric": "the geometric mean, no value counting as less than 0.00001, as in trec_eval",
    "median": "the value in the middle",
    "sum": "all values added up",
    "micro": "one ratio from the counts of all topics: the mean weighted by what each topic divides by",
}
ALL = "all"  # the topic under which a mean is listed, as in trec_eval
LEAST_OF_GEOMETRIC = 1e-5  # trec_eval's MIN_GEO_MEAN: one topic at 0 would make all of it 0


class TopicRules(Frozen):
    """Which topics count in a mean, and as what."""

    missing: str = MISSING.default
    undefined: str = UNDEFINED.default

    def __post_init__(self) -> None:
        for option in OPTIONS:
            option.check(getattr(self, option.name))

    def counts(self, retrieved: Any) -> Any:
        """Whether topics with so many results count (an array in, an array out)."""
        return (retrieved > 0) | (self.missing == "zero")

    def average(
        self,
        values: Sequence[float],
        kind: str = "mean",
        *,
        weights: Sequence[float] = (),
        direction: int = 1,
    ) -> float:
        """The values of the topics that count as one, in one of the AVERAGES; NaN is an undefined value.

        `direction` is that of the measure: where lower is better, 0 would be the best there is, so an
        undefined value is left out under either rule. `weights` are for micro: there an undefined
        value is a ratio of nothing to its weight.
        """
        if kind == "micro":
            over = math.fsum(weights)
            hits = (v * w for v, w in zip(values, weights, strict=True) if not math.isnan(v))
            return math.fsum(hits) / over if over else math.nan
        values = self.known(values, direction)
        return _AVERAGE[kind](values) if values else math.nan

    def known(self, values: Sequence[float], direction: int = 1) -> Sequence[float]:
        """The values as they count: undefined ones as 0, or left out."""
        if not math.isnan(math.fsum(values)):
            return values
        as_zero = self.undefined == "zero" and direction >= 0
        return [0.0 if math.isnan(v) else v for v in values if as_zero or not math.isnan(v)]

    def as_dict(self) -> dict[str, str]:
        """The rules by name, as results carry them."""
        return self._asdict()


def _mean(values: Sequence[float]) -> float:
    """`math.fsum` rounds once, so the order of topics, partitions and threads cannot show."""
    return math.fsum(values) / len(values)


def _geometric(values: Sequence[float]) -> float:
    return math.exp(_mean([math.log(max(value, LEAST_OF_GEOMETRIC)) for value in values]))


def _median(values: Sequence[float]) -> float:
    from statistics import median  # takes longer to import than all else here

    return median(values)


_AVERAGE: dict[str, Callable[[Sequence[float]], float]] = {
    "mean": _mean,
    "geometric": _geometric,
    "median": _median,
    "sum": math.fsum,
}
