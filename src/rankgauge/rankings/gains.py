"""Gains and discounts by name: what a grade is worth, and what a rank costs."""

from __future__ import annotations

import functools
import math
from abc import ABC, abstractmethod
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import MeasureError
from rankgauge.rankings.scalars import Vector
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.parameters import Number, Word, is_number
from rankgauge.schema.text import format_number

if TYPE_CHECKING:
    from rankgauge.rankings.arrays.curves import Floats, Ints

SCHEMES = {
    "linear": "the grade itself",
    "exp2": "2^grade - 1",
    "binary": "1 for every positive grade",
}


class Gains(Frozen):
    """What each grade is worth. Grades up to 0 are worth nothing unless a map says otherwise."""

    scheme: str = "linear"
    table: tuple[tuple[float, float], ...] = ()  # (grade, gain), by grade; only for scheme "map"
    level: float | None = None  # the smallest relevant grade, for measures that look at relevance, too

    def above(self, level: float) -> Gains:
        """The same gains for relevant documents, of at least this grade, and none for others."""
        return self._replace(level=level)

    def top(self, levels: Floats, max_rel: float | None) -> float:
        """The largest gain of the scale: the map's, or that of the highest grade there is."""
        if self.scheme == "map":
            return max(gain for _, gain in self.table)
        highest = float(levels[-1])
        if max_rel is not None and highest > max_rel:
            raise MeasureError(
                f"the judgments have grade {format_number(highest)}, above max_rel={format_number(max_rel)}; "
                f"give the highest grade of their scale, max_rel={format_number(highest)} or more"
            )
        return self.worth(highest if max_rel is None else max_rel)

    @property
    def least(self) -> float:
        """The smallest grade that can have a gain."""
        mapped = [grade for grade, gain in self.table if gain > 0]
        return min([*mapped, math.ulp(0.0)])  # the smallest number above 0

    def worth(self, grade: float) -> float:
        """The gain of one grade."""
        if self.level is not None and (grade < self.level or self.scheme == "binary"):
            return float(grade >= self.level)
        if self.scheme == "map":
            table = dict(self.table)
            if grade > 0 and grade not in table:
                raise MeasureError(
                    f"the judgments have grade {format_number(grade)}, which gains={GAINS.write(self)} "
                    f"does not map; add {format_number(grade)}:GAIN to the map"
                )
            return table.get(grade, 0.0)
        if grade <= 0:
            return 0.0
        try:
            return {"linear": grade, "exp2": math.pow(2, grade) - 1, "binary": 1.0}[self.scheme]
        except OverflowError:
            raise MeasureError(f"gains=exp2 of grade {format_number(grade)} is too large a number") from None

    def of(self, grade: Floats, levels: Floats) -> Floats:
        """The gain of every grade; `levels` are the distinct grades of the judgments, ascending."""
        linear = self.level is None and self.scheme == "linear"
        if isinstance(grade, Vector):
            worth_of = {} if linear else {level: self.worth(level) for level in levels.tolist()}
            return grade.clip(min=0.0) if linear else grade.map(worth_of.__getitem__)
        import numpy as np

        if linear:
            return np.maximum(grade, 0.0)
        if self.level is None and self.scheme == "binary":
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
        return (
            "{"
            + ",".join(f"{format_number(grade)}:{format_number(gain)}" for grade, gain in value.table)
            + "}"
        )


GAINS = GainsKind()
LINEAR, EXP2, BINARY = Gains(), Gains("exp2"), Gains("binary")
GainsOf = Annotated[Gains, GAINS, "what a grade is worth"]


class HighestGrade(Number):
    """The highest grade of a scale of relevance, which need not be present in the judgments."""

    @property
    def words(self) -> str:
        """What is allowed, and what goes without saying."""
        return "a number above 0 that no grade exceeds"


MaxRel = Annotated[
    float, HighestGrade(0, above=True), "the highest grade; if not given, that of all judgments"
]


def settle_scale(settings: dict[str, Any]) -> dict[str, Any]:
    """A map of gains says itself what the most is that a document can be worth."""
    gains = settings.get("gains")
    if "max_rel" in settings and gains is not None and gains.scheme == "map":
        raise MeasureError(
            f"max_rel={format_number(settings['max_rel'])} has no meaning with gains={GAINS.write(gains)}: "
            "the largest gain of the map is the top of the scale; leave max_rel out, or map that grade, too"
        )
    return settings


DISCOUNTS = {
    "log2": "log2(1 + rank) at every rank",
    "jk": "none before rank `base`, then log_base(rank), as Järvelin & Kekäläinen 2002",
    "none": "no discount",
    "rank": "the rank itself",
}
DiscountName = Annotated[str, Word(tuple(DISCOUNTS)), "what the gain at a rank is divided by"]
DiscountBase = Annotated[float, Number(1, above=True), "base of the logarithm of discount=jk"]


class ByRank(Frozen, ABC):
    """A number for every rank from 1 (or from 0, where that has a meaning)."""

    @abstractmethod
    def one(self, rank: int) -> float:
        """The number of one rank."""

    def upto(self, size: int) -> Iterable[float]:
        """The numbers of the ranks from 0 (whatever it is, if it has no meaning) to size - 1."""
        return (1.0, *map(self.one, range(1, size)))

    def at(self, ranks: Ints) -> Floats:
        """The number of each of these ranks.

        Taken from a table made with Python's math: NumPy's vectorised logarithms may differ
        in the last bit with the place of an element in its array, and results must not.
        """
        deepest = int(ranks.max(initial=0))
        if isinstance(ranks, Vector):
            return ranks.map(self.one if deepest >= DEEPEST else _table(self, deepest + 1).__getitem__)
        import numpy as np

        if deepest >= DEEPEST:  # a cutoff far past any ranking: few ranks, and no table could hold them
            distinct, places = np.unique(ranks, return_inverse=True)
            found: Floats = np.array([self.one(rank) for rank in distinct.tolist()])[places]
            return found.reshape(ranks.shape)
        numbers: Floats = np.frombuffer(_table(self, deepest + 1))[ranks]
        return numbers


DEEPEST = 1 << 22  # ranks that a table has room for


class Discount(ByRank):
    """What a gain at each rank is divided by."""

    name: str = "log2"
    base: float = 2.0

    @property
    def words(self) -> str:
        """What a gain is divided by."""
        return (
            DISCOUNTS[self.name]
            .replace("`base`", format_number(self.base))
            .replace("_base", f"_{format_number(self.base)}")
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


_TABLES: dict[ByRank, array[float]] = {}


def natural_logarithms(values: Any) -> Any:
    """The natural logarithm of each value, with Python's math, for the same reason."""
    return _one_by_one(math.log, values)


def binary_logarithms(values: Any) -> Any:
    """The logarithm to base 2 of each value; those of whole numbers are in the table of ranks."""
    if isinstance(values, Vector):
        return values.map(math.log2)
    whole = values.astype("int64")
    if values.max(initial=0) < 1 << 16 and (whole == values).all():
        return Discount("log2").at(whole - 1)
    return _one_by_one(math.log2, values)


def _one_by_one(function: Callable[[float], float], values: Any) -> Any:
    if isinstance(values, Vector):
        return values.map(function)
    import numpy as np

    return np.array([function(value) for value in values.ravel().tolist()]).reshape(values.shape)


def _table(numbers: ByRank, size: int) -> array[float]:
    """Numbers of the ranks from 0 to size - 1, or more, kept for the next time."""
    table = _TABLES.get(numbers)
    if table is None or len(table) < size:
        table = array("d", numbers.upto(max(1024, 1 << (size - 1).bit_length())))
        _TABLES[numbers] = table
    return table


class Persistence(ByRank):
    """How many of the users who go on with probability p see each rank: p^(rank - 1)."""

    p: float

    def one(self, rank: int) -> float:
        """The share that sees the document at this rank."""
        return math.pow(self.p, rank - 1)


class Gone(ByRank):
    """How many of these users have gone after so many documents: 1 - p^rank; none after 0 documents."""

    p: float

    def one(self, rank: int) -> float:
        """The share that does not see the document after this rank."""
        if self.p == 0 or rank == 0:
            return float(rank > 0)
        return -math.expm1(rank * math.log(self.p))

    def upto(self, size: int) -> Iterable[float]:
        """From rank 0 on, which has a meaning here."""
        return map(self.one, range(size))


class Reciprocal(ByRank):
    """One over the numbers of another table."""

    of: ByRank

    def one(self, rank: int) -> float:
        """One over its number."""
        return 1 / self.of.one(rank)


class RunningSum(ByRank):
    """The numbers of another table added up, from rank 1 on; 0 at rank 0."""

    of: ByRank

    def upto(self, size: int) -> Iterable[float]:
        """Each sum from the one before."""
        return accumulate(map(self.of.one, range(1, size)), initial=0.0)

    @functools.cache  # noqa: B019 (few tables, and sums that long are worth keeping)
    def one(self, rank: int) -> float:
        """The sum down to this rank."""
        *_, total = deque(self.upto(rank + 1), maxlen=1)
        return total


def settle_discount(settings: dict[str, Any]) -> dict[str, Any]:
    """`base=` alone says it all: one spelling for each discount, so that equal measures are equal."""
    base, discount = settings.get("base"), settings.get("discount")
    if base is not None and discount not in (None, "jk"):
        raise MeasureError(
            f"base={format_number(base)} is the base of discount=jk and has no meaning with "
            f"discount={discount}; leave one of the two out"
        )
    if discount == "jk":
        settings = {**settings, "base": 2.0 if base is None else base}
        del settings["discount"]
    return settings


def discount_of(name: str, base: float | None) -> Discount:
    """The discount that a measure's two parameters name."""
    return Discount(name) if base is None else Discount("jk", base)
