"""Novelty: what a nugget is worth to somebody who may have seen it before (Clarke et al. 2008)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import MeasureError
from rankgauge.rankings.discounts import ByRank, Persistence
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.parameters import Number
from rankgauge.schema.text import format_number

if TYPE_CHECKING:
    from rankgauge.rankings.array_types import Floats

OWN = "topic"  # alpha=topic: each topic has its own


class AlphaKind(Number):
    """A number from 0 to 1, or each topic's own."""

    def __init__(self) -> None:
        super().__init__(0, 1)

    @property
    def words(self) -> str:
        """What is allowed."""
        return f"{super().words}, or {OWN} for the alpha that each topic has in the judgments"

    def read(self, value: Any) -> Any:
        """The number, or the word."""
        return value if value == OWN else super().read(value)

    def write(self, value: Any) -> str:
        """The number without a needless point, or the word."""
        return str(value) if value == OWN else format_number(value)


AlphaOf = Annotated[
    float | str, AlphaKind(), "how likely a document that is judged to hold a nugget does hold it"
]
Gamma = Annotated[
    float,
    Number(0, 1, above=True),
    "how likely a user wants a nugget; if given, gain is the exact probability of equation 6",
]


class Novelty(Frozen):
    """What nuggets are worth that were seen before, and a document that holds several.

    The gain of a document is the sum of (1 - alpha)^seen over its nuggets (equation 7), or, with gamma,
    the probability that it is relevant (equation 6). Nuggets may have weights, their probabilities.
    """

    alpha: float | str = 0.5
    gamma: float | None = None

    def at(self, alpha: float) -> Novelty:
        """With this topic's own alpha, if that is asked for."""
        return self._replace(alpha=alpha) if self.alpha == OWN else self

    @property
    def stays(self) -> float:
        """How much of a nugget's worth stays when it is seen."""
        if self.alpha == OWN:
            raise MeasureError(
                "alpha=topic needs judgments that have an alpha for each topic; give "
                "--topic-alphas FILE, "
                "or Qrels … .with_alphas({topic: alpha})"
            )
        return 1.0 - float(self.alpha)

    def left(self, most: int) -> Floats:
        """(most + 1,): what is left of a nugget that was seen so many times before, from 0 on."""
        import numpy as np

        return Persistence(self.stays).at(np.arange(1, most + 2))

    @property
    def nothing(self) -> float:
        """What a nugget is worth that is none."""
        return 0.0 if self.gamma is None else 1.0

    def worth(self, weights: Any, left: Any, alpha: Any = None) -> Any:
        """What nuggets are worth; with gamma, the probability that a document is not relevant by them."""
        if self.gamma is None:
            return weights * left
        return 1.0 - self.gamma * weights * (self.alpha if alpha is None else alpha) * left

    def together(self, worth: Floats) -> Floats:
        """(documents,): the gain of documents by the worth of their nuggets, (nuggets, documents)."""
        import numpy as np

        if self.gamma is None:
            added: Floats = np.add.reduce(worth, axis=0)
            return added
        none: Floats = np.multiply.reduce(worth, axis=0)
        return 1.0 - none

    def gain(self, worth: list[float]) -> float:
        """The gain of one document by the worth of its nuggets."""
        return math.fsum(worth) if self.gamma is None else 1.0 - math.prod(worth)


def check_novelty(settings: dict[str, Any]) -> dict[str, Any]:
    """With alpha = 0 the probability of equation 6 is 0 whatever a document holds."""
    if settings.get("alpha") == 0 and settings.get("gamma") is not None:
        raise MeasureError(
            "alpha=0 and gamma= have no meaning together: equation 6 is then 0 for every document; "
            "leave gamma out, or give an alpha above 0"
        )
    return settings


class Cascade(ByRank):
    """What a document with all subtopics, behind others like it, is worth to ERR-IA."""

    stays: float

    def one(self, rank: int) -> float:
        """That of one rank."""
        return math.pow(self.stays, rank - 1) / rank


class MostCascade(ByRank):
    """The numbers of `Cascade` added up: the most that ERR-IA can have, whatever is judged."""

    stays: float
    ENOUGH = 1 << 20  # ranks that are added up one by one

    def one(self, rank: int) -> float:
        """The sum down to a rank."""
        total, cascade = 0.0, Cascade(self.stays)
        for each in range(1, min(rank, self.ENOUGH) + 1):
            before = total
            total += cascade.one(each)
            if total == before:  # nor will any after it change the sum
                return total
        if rank > self.ENOUGH and self.stays == 1.0:  # the harmonic numbers, by their asymptotic series
            total += math.log(rank / self.ENOUGH) + 1 / (2 * rank) - 1 / (2 * self.ENOUGH)
        return total

    def upto(self, size: int) -> list[float]:
        """Each sum from the one before; an empty result has 0 of what one document may have."""
        cascade, total, sums = Cascade(self.stays), 0.0, [1.0]
        for rank in range(1, size):
            total += cascade.one(rank)
            sums.append(total)
        return sums
