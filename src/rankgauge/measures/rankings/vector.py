"""Vectors of Python numbers, with the arithmetic of NumPy arrays."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from itertools import compress, repeat
from typing import Any, NoReturn

from rankgauge.errors import OptionError

KINDS: dict[Any, Callable[[Any], Any]] = {float: float, "float64": float, "int64": int}


class Unsupported(OptionError, AttributeError):
    """A quantity, view or format that only the back end `arrays` has."""

    def __str__(self) -> str:
        return f"the back end scalars does not support {super().__str__()}; use back_end='arrays'"


def quotient(over: float, under: float) -> float:
    """The quotient as IEEE 754 defines it: 0/0 is NaN, x/0 is infinite."""
    if under:
        return over / under
    if not over or math.isnan(over):
        return math.nan
    return math.copysign(math.inf, over) * math.copysign(1.0, under)


def smaller(one: float, other: float) -> float:
    """The smaller of two numbers; NaN if one of them is."""
    return one if one < other or math.isnan(one) else other


def larger(one: float, other: float) -> float:
    """The larger of two numbers; NaN if one of them is."""
    return one if one > other or math.isnan(one) else other


def _operator(combine: Callable[[Any, Any], Any], *, reflected: bool = False) -> Callable[[Any, Any], Any]:
    """The method for `vector ∘ other`, or reflected for `other ∘ vector`."""

    def method(self: Vector, other: Any) -> Any:
        if isinstance(other, Vector):
            if len(self) != len(other):
                raise Unsupported("vectors of different length")
        elif isinstance(other, (int, float)):
            other = repeat(other)
        else:
            return NotImplemented
        operands = (other, self) if reflected else (self, other)
        try:
            return Vector(map(combine, *operands))
        except ZeroDivisionError:
            return Vector(map({operator.truediv: quotient}[combine], *operands))

    return method


class Vector(list[Any]):
    """Numbers, one per hit or per topic. A list, so that making one and going through it calls no method."""

    __slots__ = ()

    def __getitem__(self, place: Any) -> Any:
        try:
            return super().__getitem__(operator.index(place))
        except TypeError:
            raise Unsupported("parts of a vector") from None

    def __getattr__(self, word: str) -> NoReturn:
        raise Unsupported(word)

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        raise Unsupported("a NumPy array")

    def zip_with(self, other: Any, combine: Callable[[Any, Any], Any]) -> Any:
        """A function of each number and the other vector's, or another number."""
        return _operator(combine)(self, other)

    def map(self, function: Callable[[Any], Any]) -> Vector:
        return Vector(map(function, self))

    __add__, __radd__ = _operator(operator.add), _operator(operator.add, reflected=True)
    __sub__, __rsub__ = _operator(operator.sub), _operator(operator.sub, reflected=True)
    __mul__, __rmul__ = _operator(operator.mul), _operator(operator.mul, reflected=True)
    __iadd__, __imul__ = __add__, __mul__
    __truediv__, __rtruediv__ = _operator(operator.truediv), _operator(operator.truediv, reflected=True)
    __floordiv__ = _operator(operator.floordiv)
    __lt__, __le__ = _operator(operator.lt), _operator(operator.le)
    __gt__, __ge__ = _operator(operator.gt), _operator(operator.ge)
    __eq__, __ne__ = _operator(operator.eq), _operator(operator.ne)
    __and__, __rand__ = _operator(operator.and_), _operator(operator.and_, reflected=True)
    __or__, __ror__ = _operator(operator.or_), _operator(operator.or_, reflected=True)
    __hash__ = None

    def __neg__(self) -> Vector:
        return self.map(operator.neg)

    def __invert__(self) -> Vector:
        return self.map(operator.not_)

    def astype(self, kind: Any) -> Vector:
        """The numbers as floats, or as whole numbers ("int64")."""
        if kind not in KINDS:
            raise Unsupported(f"numbers of the kind {kind}")
        return Vector(map(KINDS[kind], self))

    def where(self, kept: Vector) -> Vector:
        return Vector(compress(self, kept))

    def reshape(self, _: int) -> Vector:
        """The same numbers: a vector has one dimension."""
        return self

    def clip(self, min: Any = None, max: Any = None) -> Any:
        kept = self if min is None else self.zip_with(min, larger)
        return kept if max is None else kept.zip_with(max, smaller)

    def tolist(self) -> list[Any]:
        return [*self]

    def all(self) -> bool:
        return all(self)

    def any(self) -> bool:
        return any(self)

    def sum(self) -> Any:
        """The sum of counts; values are added by `Vocabulary.total`, in rank order."""
        return sum(self)

    def max(self, initial: Any) -> Any:
        return max(self, default=initial)


class Matrix:
    """The numbers of all topics at one rank, then at the next, and so on."""

    def __init__(self, numbers: Vector, topics: int) -> None:
        self._numbers, self._topics = numbers, topics

    def astype(self, kind: Any) -> Matrix:
        return Matrix(self._numbers.astype(kind), self._topics)

    @property
    def T(self) -> Vector:
        """The transpose: a row for each rank."""
        numbers, topics = self._numbers.tolist(), self._topics
        return Vector(numbers[begin : begin + topics] for begin in range(0, len(numbers), topics))
