"""What misplaced documents weigh, and how far apart ranks are, for measures of effort."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgauge.errors import MeasureError
from rankgauge.measures.rankings.discounts import DEEPEST, Discount, Reciprocal, RunningSum
from rankgauge.measures.rankings.gains import Gains
from rankgauge.schema.frozen import Frozen

if TYPE_CHECKING:
    from rankgauge.measures.rankings.array_types import Floats, Ints


class Weights(Frozen):
    """What misplacements weigh (`gains`), and what a step from one rank to the next counts (`discount`)."""

    gains: Gains
    discount: Discount

    @property
    def exact(self) -> bool:
        """Whether all sums are sums of whole numbers, and hence exact."""
        return self.gains.scheme == "binary" and self.discount.name == "none"

    def position(self, ranks: Ints) -> Floats:
        """The position of each rank: the rank itself, or the sum of the discounted steps down to it."""
        if self.discount.name == "none":
            return ranks.astype("float64")
        if (deepest := int(ranks.max(initial=0))) >= DEEPEST:
            raise MeasureError(
                f"discounted steps reach down to rank {DEEPEST - 1}, and rank {deepest} is needed; "
                "set a smaller N, or discount=none"
            )
        return RunningSum(Reciprocal(self.discount)).at(ranks)
