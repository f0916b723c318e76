"""Functions of the rank: discounts, shares of users, and their running sums."""

from __future__ import annotations

import functools
import math
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import MeasureError
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.parameters import Number, Word
from rankgauge.schema.text import format_number

if TYPE_CHECKING:
    from rankgauge.measures.rankings.array_types import Floats, Ints

DISCOUNTS = {
    "log2": "log2(1 + rank) at every rank",
    "jk": "none before rank `base`, then log_base(rank), as Järvelin & Kekäläinen 2002",
    "none": "no discount",
    "rank": "the rank itself",
}
DiscountName = Annotated[str, Word(tuple(DISCOUNTS)), "the divisor of the gain at each rank"]
DiscountBase = Annotated[float, Number(1, above=True), "base of the logarithm of discount=jk"]


class ByRank(Frozen, ABC):
    """A number for every rank from 1 on, or from 0 on where that has a meaning."""

    @abstractmethod
    def one(self, rank: int) -> float:
        """The number of one rank."""

    def upto(self, size: int) -> Iterable[float]:
        """The numbers of the ranks 0 (any number, if it has no meaning) to size - 1."""
        return (1.0, *map(self.one, range(1, size)))

    def at(self, ranks: Ints) -> Floats:
        """The numbers of these ranks.

        They come from a table made with Python's math: the last bit of NumPy's vectorised logarithms may
        depend on the place of an element in its array, and results must not.
        """
        if hasattr(ranks, "by_rank"):  # a formula is being recorded
            recorded: Floats = ranks.by_rank(self)
            return recorded
        import numpy as np

        deepest = int(ranks.max(initial=0))
        if deepest >= DEEPEST:  # a cutoff far below any ranking: few ranks, too deep for a table
            distinct, places = np.unique(ranks, return_inverse=True)
            each: Floats = np.array([self.one(rank) for rank in distinct.tolist()])[places]
            return each.reshape(ranks.shape)
        numbers: Floats = np.frombuffer(self.table(deepest + 1))[ranks]
        return numbers

    def at_one(self, rank: int) -> float:
        """The number of one rank, as `at` has it."""
        return self.one(rank) if rank >= DEEPEST else self.table(rank + 1)[rank]

    def table(self, size: int) -> array[float]:
        """The numbers of at least this many ranks, from 0 on."""
        table = _TABLES.get(self)
        if table is None or len(table) < size:
            table = array("d", self.upto(1 << (size - 1).bit_length()))
            _TABLES[self] = table
        return table


DEEPEST = 1 << 22  # the ranks that a table holds
_TABLES: dict[ByRank, array[float]] = {}


class Discount(ByRank):
    """The divisor of the gain at each rank."""

    name: str = "log2"
    base: float = 2.0

    @property
    def words(self) -> str:
        """The divisor, as a formula in text."""
        return (
            DISCOUNTS[self.name]
            .replace("`base`", format_number(self.base))
            .replace("_base", f"_{format_number(self.base)}")
        )

    def one(self, rank: int) -> float:
        if self.name == "log2":
            return math.log2(1 + rank)
        if self.name == "jk":
            return (
                1.0 if rank < self.base else math.log2(rank) if self.base == 2 else math.log(rank, self.base)
            )
        return float(rank) if self.name == "rank" else 1.0


def natural_logarithms(values: Any) -> Any:
    """Natural logarithms by Python's math, as in `ByRank.at`."""
    return _one_by_one(math.log, values)


def binary_logarithms(values: Any) -> Any:
    """Logarithms to base 2; small whole numbers have a table."""
    if hasattr(values, "each"):  # a formula is being recorded
        return values.each(math.log2)
    whole = values.astype("int64")
    if values.max(initial=0) < 1 << 16 and (whole == values).all():
        return Discount("log2").at(whole - 1)
    return _one_by_one(math.log2, values)


def exponentials(values: Any, power: Callable[[float], float] = math.exp) -> Any:
    """Powers of e, or those less 1; beyond what numbers hold, a very large one."""
    return _one_by_one(lambda value: power(min(value, 700.0)), values)


def _one_by_one(function: Callable[[float], float], values: Any) -> Any:
    if hasattr(values, "each"):
        return values.each(function)
    import numpy as np

    return np.array([function(value) for value in values.ravel().tolist()]).reshape(values.shape)


class Persistence(ByRank):
    """The share of users who see each rank: p^(rank - 1)."""

    p: float

    def one(self, rank: int) -> float:
        return math.pow(self.p, rank - 1)


class Gone(ByRank):
    """The share of users who stopped by each rank: 1 - p^rank."""

    p: float

    def one(self, rank: int) -> float:
        if self.p == 0 or rank == 0:
            return float(rank > 0)
        return -math.expm1(rank * math.log(self.p))

    def upto(self, size: int) -> Iterable[float]:
        """From rank 0 on, after which nobody has stopped."""
        return map(self.one, range(size))


class Reciprocal(ByRank):
    """The reciprocals of other numbers by rank."""

    inner: ByRank

    def one(self, rank: int) -> float:
        return 1 / self.inner.one(rank)


class RunningSum(ByRank):
    """Other numbers added up from rank 1 on; 0 at rank 0."""

    inner: ByRank

    def upto(self, size: int) -> Iterable[float]:
        return accumulate(map(self.inner.one, range(1, size)), initial=0.0)

    @functools.cache  # noqa: B019 (few objects, and long sums are worth keeping)
    def one(self, rank: int) -> float:
        """The sum down to this rank; past the table by an integral, so that no cutoff takes long."""
        if rank < DEEPEST:
            return self.table(rank + 1)[rank]
        return self.table(DEEPEST)[DEEPEST - 1] + _integral(self.inner.one, DEEPEST - 0.5, rank + 0.5)


def _integral(function: Callable[[Any], float], begin: float, end: float) -> float:
    """The integral of a function that hardly changes from rank to rank, by Simpson's rule.

    It is the sum over the ranks in between, to the last digits. Steps grow with the rank, 512 per doubling.
    """
    doublings = math.log2(end / begin)
    pairs = math.ceil(256 * doublings)
    width = doublings * math.log(2) / (2 * pairs)  # of a step, in natural logarithms of the rank

    def term(n: int) -> float:
        rank = begin * math.exp(n * width)
        return (1 if n in (0, 2 * pairs) else 4 if n % 2 else 2) * function(rank) * rank

    return math.fsum(map(term, range(2 * pairs + 1))) * width / 3


def canonicalise_discount(settings: dict[str, Any]) -> dict[str, Any]:
    """Write discount=jk as `base=` alone: equal discounts have one spelling."""
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


@functools.lru_cache(maxsize=1000)  # asked for each topic
def discount_of(name: str, base: float | None) -> Discount:
    """The discount of a measure's parameters `discount` and `base`."""
    return Discount(name) if base is None else Discount("jk", base)
