"""The worth of a subtopic, the paper's nugget, to a user who may have seen it before (Clarke et al. 2008)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import MeasureError
from rankgauge.measures.rankings.discounts import ByRank, Persistence
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.parameters import Number
from rankgauge.schema.text import format_number

if TYPE_CHECKING:
    from rankgauge.measures.rankings.array_types import Floats

OWN = "topic"  # alpha=topic: the alpha of each topic
GRADE = "grade"  # alpha=grade: the grade of each judgment is the probability


class AlphaKind(Number):
    """A number from 0 to 1, or the alpha of each topic or of each judgment."""

    def __init__(self) -> None:
        super().__init__(0, 1)

    @property
    def words(self) -> str:
        return (
            f"{super().words}, {OWN} for the alpha of each topic, or {GRADE} for the grade of each judgment"
        )

    def read(self, value: Any) -> Any:
        return value if value in (OWN, GRADE) else super().read(value)

    def write(self, value: Any) -> str:
        return str(value) if value in (OWN, GRADE) else format_number(value)


AlphaOf = Annotated[
    float | str,
    AlphaKind(),
    "the probability that a document judged relevant to a subtopic is",
]
Gamma = Annotated[
    float,
    Number(0, 1, above=True),
    "the probability that a user wants a subtopic; with it, gain is the exact probability of equation 6",
]


class Novelty(Frozen):
    """The worth of subtopics that were seen before, and the gain of a document that has several.

    The gain of a document is the sum of (1 - alpha)^seen over its subtopics (equation 7), or, with gamma, the
    probability that it is relevant (equation 6). Subtopics may have weights, their probabilities. With
    alpha=grade the grade is the probability p that a document contains a subtopic: p replaces alpha, and the
    product of 1 - p over the documents before replaces (1 - alpha)^seen.
    """

    alpha: float | str = 0.5
    gamma: float | None = None

    def at(self, alpha: float) -> Novelty:
        """The same with a topic's alpha."""
        return self._replace(alpha=alpha) if self.alpha == OWN else self

    @property
    def by_grade(self) -> bool:
        """Whether each judgment has a probability of its own."""
        return self.alpha == GRADE

    @property
    def stays(self) -> float:
        """The share left of a subtopic seen once."""
        if self.alpha == OWN:
            raise MeasureError(
                "alpha=topic needs judgments that have an alpha for each topic; pass "
                "--topic-alphas FILE, "
                "or Qrels … .with_alphas({topic: alpha})"
            )
        return 1.0 - float(self.alpha)

    def left(self, most: int) -> Floats:
        """(most + 1,): the share left after 0 to `most` times."""
        import numpy as np

        return Persistence(self.stays).at(np.arange(1, most + 2))

    @property
    def neutral(self) -> float:
        """The neutral worth: that of no subtopic."""
        return 0.0 if self.gamma is None else 1.0

    def worth(self, weights: Any, left: Any, alpha: Any = None) -> Any:
        """The worth of subtopics, or with gamma the probability that none makes a document relevant.

        `alpha` is needed if topics or judgments have their own.
        """
        if self.gamma is None:  # a constant alpha does not change relative values, and is left out
            return weights * alpha * left if self.by_grade else weights * left
        return 1.0 - self.gamma * weights * (self.alpha if alpha is None else alpha) * left

    def gains(self, worth: Floats) -> Floats:
        """(documents,): gains from the worth of subtopics, (subtopics, documents)."""
        import numpy as np

        if self.gamma is None:
            added: Floats = np.add.reduce(worth, axis=0)
            return added
        none: Floats = np.multiply.reduce(worth, axis=0)
        return 1.0 - none

    def gain(self, worth: list[float]) -> float:
        """The gain of one document from the worth of its subtopics."""
        return math.fsum(worth) if self.gamma is None else 1.0 - math.prod(worth)


def check_novelty(settings: dict[str, Any]) -> dict[str, Any]:
    """Refuse alpha=0 with gamma, and rel= with alpha=grade."""
    if settings.get("alpha") == 0 and settings.get("gamma") is not None:
        raise MeasureError(
            "alpha=0 and gamma= have no meaning together: equation 6 is then 0 for every document; "
            "leave gamma out, or set alpha above 0"
        )
    if settings.get("alpha") == GRADE and "rel" in settings:
        raise MeasureError(
            "alpha=grade and rel= exclude each other: grades are probabilities, and all above 0 count; "
            "leave rel out"
        )
    return settings


def least_relevant(settings: Mapping[str, Any]) -> float:
    """The smallest relevant grade: 1, or above 0 for probabilities."""
    return math.ulp(0.0) if settings.get("alpha") == GRADE else 1.0


class Cascade(ByRank):
    """The terms of ERR-IA if every document has every subtopic."""

    stays: float

    def one(self, rank: int) -> float:
        return math.pow(self.stays, rank - 1) / rank


class MostCascade(ByRank):
    """The largest value of ERR-IA before normalisation."""

    stays: float
    ENOUGH = 1 << 20  # the ranks whose terms are added one by one

    def one(self, rank: int) -> float:
        total, cascade = 0.0, Cascade(self.stays)
        for each in range(1, min(rank, self.ENOUGH) + 1):
            before = total
            total += cascade.one(each)
            if total == before:  # no later term will change the sum
                return total
        if rank > self.ENOUGH and self.stays == 1.0:  # the harmonic numbers, by their asymptotic series
            total += math.log(rank / self.ENOUGH) + 1 / (2 * rank) - 1 / (2 * self.ENOUGH)
        return total

    def upto(self, size: int) -> list[float]:
        """Each sum, from the one before; rank 0 has no meaning."""
        return [1.0, *accumulate(map(Cascade(self.stays).one, range(1, size)))]
