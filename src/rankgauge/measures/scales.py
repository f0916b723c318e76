"""Gains and discounts by name: what a grade is worth, and what a rank costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import MeasureError
from rankgauge.measures.parameters import Number, Word, is_number, plain

if TYPE_CHECKING:
    from rankgauge.curve import Floats, Ints

SCHEMES = {
    "linear": "the grade itself",
    "exp2": "2^grade - 1",
    "binary": "1 for every positive grade",
}


@dataclass(frozen=True)
class Gains:
    """What each grade is worth. Grades up to 0 are worth nothing unless a map says otherwise."""

    scheme: str = "linear"
    table: tuple[tuple[float, float], ...] = ()  # (grade, gain), by grade; only for scheme "map"

    @property
    def least(self) -> float:
        """The smallest grade that can have a gain."""
        mapped = [grade for grade, gain in self.table if gain > 0]
        return min([*mapped, math.ulp(0.0)])  # the smallest number above 0

    def worth(self, grade: float) -> float:
        """The gain of one grade."""
        if self.scheme == "map":
            table = dict(self.table)
            if grade > 0 and grade not in table:
                raise MeasureError(
                    f"the judgments have grade {plain(grade)}, which gains={GAINS.write(self)} does not map; "
                    f"add {plain(grade)}:GAIN to the map"
                )
            return table.get(grade, 0.0)
        if grade <= 0:
            return 0.0
        try:
            return {"linear": grade, "exp2": math.pow(2, grade) - 1, "binary": 1.0}[self.scheme]
        except OverflowError:
            raise MeasureError(f"gains=exp2 of grade {plain(grade)} is too large a number") from None

    def of(self, grade: Floats, levels: Floats) -> Floats:
        """The gain of every grade; `levels` are the distinct grades of the judgments, ascending."""
        import numpy as np

        if self.scheme == "linear":
            return np.maximum(grade, 0.0)
        if self.scheme == "binary":
            return (grade > 0).astype(np.float64)
        worth = np.array([self.worth(level) for level in levels.tolist()])
        gain: Floats = worth[np.searchsorted(levels, grade)]
        return gain


class GainsKind:
    """A gain scheme by name, or a map {grade: gain}."""

    words = f"one of {', '.join(SCHEMES)}, or a map such as {{1:1,2:10}} from grade to gain (0 or more)"

    def read(self, value: Any) -> Gains:
        """The gains from a name, a map or Gains."""
        if isinstance(value, Gains):
            return value
        if isinstance(value, Mapping):
            pairs = sorted(value.items())
            for grade, gain in pairs:
                if not (is_number(grade) and is_number(gain) and math.isfinite(grade)):
                    raise ValueError
                if not 0 <= gain < math.inf:
                    raise ValueError
            if not pairs:
                raise ValueError
            return Gains("map", tuple((float(grade), float(gain)) for grade, gain in pairs))
        if value not in SCHEMES:
            raise ValueError
        return Gains(value)

    def write(self, value: Gains) -> str:
        """The name, or the map by grade."""
        if value.scheme != "map":
            return value.scheme
        return "{" + ",".join(f"{plain(grade)}:{plain(gain)}" for grade, gain in value.table) + "}"


GAINS = GainsKind()
LINEAR = Gains()
GainsOf = Annotated[Gains, GAINS, "what a grade is worth"]

DISCOUNTS = {
    "log2": "log2(1 + rank) at every rank",
    "jk": "none before rank `base`, then log_base(rank), as Järvelin & Kekäläinen 2002",
    "none": "no discount",
    "rank": "the rank itself",
}
DiscountName = Annotated[str, Word(tuple(DISCOUNTS)), "what the gain at a rank is divided by"]
DiscountBase = Annotated[float, Number(1, above=True), "base of the logarithm of discount=jk"]


@dataclass(frozen=True)
class Discount:
    """What a gain at each rank is divided by."""

    name: str = "log2"
    base: float = 2.0

    @property
    def words(self) -> str:
        """What a gain is divided by."""
        return (
            DISCOUNTS[self.name].replace("`base`", plain(self.base)).replace("_base", f"_{plain(self.base)}")
        )

    def one(self, rank: int) -> float:
        """The divisor at one rank."""
        if self.name == "log2":
            return math.log2(1 + rank)
        if self.name == "jk":
            return (
                1.0 if rank < self.base else math.log2(rank) if self.base == 2 else math.log(rank, self.base)
            )
        return float(rank) if self.name == "rank" else 1.0

    def at(self, ranks: Ints) -> Floats:
        """The divisor at each of these ranks, from 1.

        Taken from a table made with Python's math: NumPy's vectorised logarithms may differ
        in the last bit with the place of an element in its array, and results must not.
        """
        deepest = int(ranks.max(initial=0))
        divisors: Floats = _table(self, max(1024, 1 << deepest.bit_length()))[ranks]
        return divisors


_TABLES: dict[Discount, Any] = {}


def _table(discount: Discount, size: int) -> Any:
    """Divisors of ranks 0 (never used) to size - 1, kept for the next time."""
    import numpy as np

    table = _TABLES.get(discount)
    if table is None or len(table) < size:
        table = np.array([1.0, *(discount.one(rank) for rank in range(1, size))])
        _TABLES[discount] = table
    return table


def settle_discount(settings: dict[str, Any]) -> dict[str, Any]:
    """`base=` alone says it all: one spelling for each discount, so that equal measures are equal."""
    base, discount = settings.get("base"), settings.get("discount")
    if base is not None and discount not in (None, "jk"):
        raise MeasureError(
            f"base={plain(base)} is the base of discount=jk and has no meaning with discount={discount}; "
            "leave one of the two out"
        )
    if discount == "jk":
        settings = {**settings, "base": 2.0 if base is None else base}
        del settings["discount"]
    return settings


def discount_of(name: str, base: float | None) -> Discount:
    """The discount that a measure's two parameters name."""
    return Discount(name) if base is None else Discount("jk", base)
