"""Counts and grades without NumPy, as far as facts on evaluations need them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from operator import and_, eq, gt, lt, or_
from typing import Any

# The values of the first measure's ideal rankings: all topics for one measure after the other.
OfIdeals = Callable[[Sequence[Any]], list[float]]


def _operator(combine: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def method(self: Counts, other: Any) -> Counts:
        others = other if isinstance(other, Counts) else repeat(other)
        return Counts([*map(combine, self.values, others)])

    return method


class Counts:
    """Whole numbers with what `facts` ask of an array."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def __getitem__(self, place: Any) -> Any:
        return self.values[place]

    __gt__, __lt__ = _operator(gt), _operator(lt)
    __eq__, __and__, __or__ = _operator(eq), _operator(and_), _operator(or_)
    __hash__ = None  # type: ignore[assignment]

    def clip(self, max: int) -> Counts:
        return Counts([min(value, max) for value in self.values])

    def reshape(self, _: int) -> Counts:
        return self

    def tolist(self) -> list[Any]:
        return [*self.values]

    def any(self) -> bool:
        return any(self.values)

    def all(self) -> bool:
        return all(self.values)

    def sum(self) -> int:
        return sum(self.values)

    def max(self, initial: int) -> int:
        return max(self.values, default=initial)


class JudgedGrades:
    """The grades of judged documents, topic by topic, with what `facts` ask of a pool."""

    def __init__(
        self, of_topics: Sequence[Sequence[float]], levels: Sequence[float], of_ideals: OfIdeals
    ) -> None:
        self._of_topics, self.levels, self._of_ideals = of_topics, array("d", levels), of_ideals
        self.sizes = Counts([*map(len, of_topics)])
        self._counts: dict[float, Counts] = {}

    def count(self, level: float) -> Counts:
        if level not in self._counts:
            kept = ([grade >= level for grade in grades] for grades in self._of_topics)
            self._counts[level] = Counts([*map(sum, kept)])
        return self._counts[level]

    def exactly(self, grade: float) -> JudgedGrades:
        same = [[float(other == grade) for other in grades] for grades in self._of_topics]
        return JudgedGrades(same, self.levels, self._of_ideals)

    def values_of_ideal(self, measures: Sequence[Any], topic: int) -> list[float]:
        return self._of_ideals(measures)[topic :: len(self._of_topics)]
