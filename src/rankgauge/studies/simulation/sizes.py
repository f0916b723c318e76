"""The parameters of a simulated campaign."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from rankgauge.errors import OptionError

FULL_POOL = 200.0
_BATCH = 40_000  # documents


@dataclass(frozen=True)
class Sizes:
    """The parameters of a campaign, documented in `simulate`."""

    topics: int
    depth: int
    systems: int
    judged: float
    grades: int
    ties: float
    subtopics: int
    missing: float
    short: float
    unjudged: float
    seed: int

    def __post_init__(self) -> None:
        self._check("topics", 1, 5_000_000)
        self._check("depth", 1, 1_000_000)
        self._check("systems", 1, 10_000)
        self._check("grades", 1, 9)
        self._check("subtopics", 0, 99)
        self._check("seed", 0, 2**63 - 1)
        self._check("judged", 0.1, 100_000, whole=False)
        for share in ("ties", "missing", "short"):
            self._check(share, 0, 1, whole=False)
        # With everything unjudged, nothing could be evaluated.
        self._check("unjudged", 0, 0.9, whole=False)

    def _check(self, name: str, least: float, most: float, *, whole: bool = True) -> None:
        value = getattr(self, name)
        kind = int if whole else (int, float)
        if isinstance(value, bool) or not isinstance(value, kind) or not least <= value <= most:
            number = "a whole number" if whole else "a number"
            raise OptionError(f"{name} must be {number} from {least:,} to {most:,}, not {value!r}")

    @property
    def relevant(self) -> float:
        """The mean number of relevant documents per topic.

        A few judgments are all of relevant documents, as in MS MARCO. The deeper the pool, the smaller their
        share: of 200 judged documents 32 are relevant, of 1000, 71.
        """
        return min(self.judged, math.sqrt(5.0 * self.judged))

    def batches(self) -> Iterator[range]:
        """The numbers of the topics, in batches that fit into the processor's cache."""
        step = max(1, _BATCH // (self.depth + int(self.judged) + 1))
        return (range(start, min(start + step, self.topics)) for start in range(0, self.topics, step))

    def topic_id(self, number: int) -> str:
        """The id of a topic: three digits in a small campaign, seven in a large one."""
        return str((101 if self.topics < 900 else 1_000_001) + number)
