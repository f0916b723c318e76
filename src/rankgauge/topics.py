"""The only place that decides which topics count, and how an undefined value counts in a mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rankgauge.options import Option

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
        "zero": "counts as 0 in the mean, as in trec_eval and published tables",
        "skip": "is left out of the mean",
    },
)
OPTIONS = (MISSING, UNDEFINED)


@dataclass(frozen=True)
class TopicRules:
    """Which topics count in a mean, and as what."""

    missing: str = MISSING.default
    undefined: str = UNDEFINED.default

    def __post_init__(self) -> None:
        for option in OPTIONS:
            option.check(getattr(self, option.name))

    def counts(self, retrieved: Any) -> Any:
        """Whether topics with so many results count (an array in, an array out)."""
        return (retrieved > 0) | (self.missing == "zero")

    def mean(self, values: Sequence[float]) -> float:
        """The mean of the values of the topics that count; NaN is an undefined value.

        `math.fsum` rounds once, so the order of topics, partitions and threads cannot show.
        """
        total = math.fsum(values)
        count = len(values)
        if math.isnan(total):
            defined = [value for value in values if not math.isnan(value)]
            total = math.fsum(defined)
            count = count if self.undefined == "zero" else len(defined)
        return total / count if count else math.nan

    def as_dict(self) -> dict[str, str]:
        """The rules by name, as results carry them."""
        return asdict(self)
