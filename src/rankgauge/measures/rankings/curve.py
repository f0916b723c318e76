"""Curves: a value at every rank, and their arithmetic, whatever back end reads them."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankgauge.measures.rankings.array_types import Floats

# A rank below all others: where a curve that never ends is read.
ENDLESS = 1 << 62


class Curve:
    """A value at every rank of every topic.

    A curve is read at the ranks of a reading, which also knows how values are compared and divided. Curves
    combine with +, -, * and / with each other, with numbers, and with one number per topic.
    """

    __array_ufunc__ = None  # makes NumPy leave array / curve to the curve

    def __init__(self, read: Callable[[Any], Any]) -> None:
        self._read = read

    def at(self, reading: Any) -> Any:
        """The values at the ranks of the reading, in its shape."""
        return self._read(reading)

    def _with(self, other: Any, combine: Callable[[Any, Any], Any]) -> Curve:
        return Curve(lambda reading: self._combined(reading, other, combine))

    def _combined(self, reading: Any, other: Any, combine: Callable[[Any, Any], Any]) -> Any:
        right = other.at(reading) if isinstance(other, Curve) else reading.broadcast(other)
        with reading.errstate():
            return combine(self.at(reading), right)

    def at_most(self, limit: Any) -> Curve:
        """The smaller of the curve and the limit, at every rank."""
        return Curve(lambda reading: self._combined(reading, limit, reading.smaller))

    def at_least(self, limit: Any) -> Curve:
        """The larger of the curve and the limit, at every rank."""
        return Curve(lambda reading: self._combined(reading, limit, reading.larger))

    def weighing(self, over: Curve) -> Quotient:
        """The same values, as a ratio with denominator `over`: the weight of a topic in the micro average."""
        return Quotient(self.at, over)

    def map(self, function: Callable[[Any], Any]) -> Curve:
        """The curve with a function applied to its values."""
        return Curve(lambda reading: function(self.at(reading)))

    def zip_with(self, other: Any, function: Callable[[Any, Any], Any]) -> Curve:
        """The curve with a function applied to its values and those of another curve, rank by rank."""
        return self._with(other, function)

    def __add__(self, other: Any) -> Curve:
        return self._with(other, operator.add)

    def __radd__(self, other: Any) -> Curve:
        return self._with(other, lambda left, right: right + left)

    def __sub__(self, other: Any) -> Curve:
        return self._with(other, operator.sub)

    def __rsub__(self, other: Any) -> Curve:
        return self._with(other, lambda left, right: right - left)

    def __mul__(self, other: Any) -> Curve:
        return self._with(other, operator.mul)

    def __rmul__(self, other: Any) -> Curve:
        return self._with(other, lambda left, right: right * left)

    def __truediv__(self, other: Any) -> Quotient:
        over = other if isinstance(other, Curve) else Curve(lambda reading: reading.broadcast(other))
        return Quotient(self._with(other, operator.truediv).at, over)

    def __rtruediv__(self, other: Any) -> Curve:
        return self._with(other, lambda left, right: right / left)


class Quotient(Curve):
    """A curve divided by another, which it keeps as `over`."""

    def __init__(self, read: Callable[[Any], Any], over: Curve) -> None:
        super().__init__(read)
        self.over = over


class RunningTotal(Curve, ABC):
    """A curve that changes only at hits: the sum of the values of all hits down to a rank."""

    @property
    @abstractmethod
    def total(self) -> Floats:
        """(topics, 1): the sum over all hits."""


POSITION = Curve(lambda reading: reading.ranks)
