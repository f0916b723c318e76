"""Columns of ids, one for each vector: how rows are found by id, and ids by row.

A column of integers stays one: 8 bytes per document, and none at all for documents without ids, which are
numbered. Other ids are kept as bytes and offsets (`core.ids`). No document has a Python object of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.core.ids import Ids, to_text
from rankgauge.errors import InputError
from rankgauge.evaluation.dense.wanted import Ints, Matches, Wanted
from rankgauge.formats import frames
from rankgauge.formats.problems import quote


class IdColumn(ABC):
    """The ids of consecutive vectors."""

    files: tuple[tuple[str, int], ...] = ()  # (path, number of ids) of the files they come from

    @abstractmethod
    def __len__(self) -> int:
        """The number of ids."""

    @abstractmethod
    def part(self, first: int, last: int) -> IdColumn:
        """The ids of the rows from `first` up to, and without, `last`."""

    @abstractmethod
    def take(self, rows: Ints) -> Ids:
        """The ids of these rows."""

    @abstractmethod
    def matches(self, wanted: Wanted) -> Matches:
        """(places among the wanted ids, rows) wherever one of them is, by row."""

    def whole(self) -> Ids:
        """The ids of all rows."""
        return self.take(np.arange(len(self)))

    def is_same(self, other: IdColumn) -> bool:
        """Whether the same ids are in the same order."""
        if len(self) != len(other):
            return False
        (sizes, data), (other_sizes, other_data) = (_contents(each.whole()) for each in (self, other))
        return np.array_equal(sizes, other_sizes) and data == other_data

    def __getitem__(self, row: int) -> str:
        if not -len(self) <= row < len(self):
            raise IndexError(row)
        return to_text(self.take(np.array([row % len(self)]))[0])

    def find(self, wanted: Wanted) -> Ints:
        """(wanted,): the row of each of these ids, -1 if it is not here; an error if one is here twice."""
        return rows_of_wanted(wanted, *self.matches(wanted))


def rows_of_wanted(wanted: Wanted, place: Ints, row: Ints) -> Ints:
    """(wanted,): the row of each id, -1 for those without; an error if one of them has several rows."""
    rows = np.full(len(wanted), -1)
    rows[place[::-1]] = row[::-1]  # the first of several rows is written last
    again = rows[place] != row
    if again.any():
        second = int(np.argmax(again))
        raise InputError(
            f"rows {rows[place[second]]} and {row[second]} (counted from 0) both have the id "
            f"{quote(wanted.ids[int(place[second])])}; "
            "a document has one vector: remove one of them, or give it another id"
        )
    return rows


class Numbers(IdColumn):
    """The ids "0", "1", ... of vectors that were given none, from `first` on."""

    def __init__(self, count: int, first: int = 0) -> None:
        self._first, self._count = first, count

    def __len__(self) -> int:
        return self._count

    def part(self, first: int, last: int) -> Numbers:
        """The ids of the rows from `first` up to, and without, `last`."""
        return Numbers(last - first, self._first + first)

    def take(self, rows: Ints) -> Ids:
        """The numbers of these rows."""
        return frames.decimals(self._first + rows)

    def matches(self, wanted: Wanted) -> Matches:
        """(places, rows) of the wanted numbers."""
        return wanted.in_range(self._first, self._count)


class IntegerIds(IdColumn):
    """Ids that are integers; they are compared by their decimal text: "7" is found, "007" is not."""

    def __init__(self, numbers: npt.NDArray[Any]) -> None:
        self.numbers = numbers  # (n,)

    def __len__(self) -> int:
        return len(self.numbers)

    def part(self, first: int, last: int) -> IntegerIds:
        """The ids of the rows from `first` up to, and without, `last`; the memory is shared."""
        return IntegerIds(self.numbers[first:last])

    def take(self, rows: Ints) -> Ids:
        """The decimal texts of the ids of these rows."""
        return frames.decimals(self.numbers[rows])

    def matches(self, wanted: Wanted) -> Matches:
        """(places, rows) of the wanted ids."""
        return wanted.in_integers(self.numbers)

    def is_same(self, other: IdColumn) -> bool:
        """Whether the same ids are in the same order."""
        if isinstance(other, IntegerIds):
            return np.array_equal(self.numbers, other.numbers)
        return super().is_same(other)


class TextIds(IdColumn):
    """Ids of any kind, compared as bytes."""

    def __init__(self, ids: Ids) -> None:
        self.ids = ids

    def __len__(self) -> int:
        return len(self.ids)

    def part(self, first: int, last: int) -> TextIds:
        """The ids of the rows from `first` up to, and without, `last`; the memory is shared."""
        return TextIds(self.ids.part(slice(first, last)))

    def take(self, rows: Ints) -> Ids:
        """The ids of these rows."""
        return self.ids.take(rows)

    def whole(self) -> Ids:
        """The ids themselves."""
        return self.ids

    def matches(self, wanted: Wanted) -> Matches:
        """(places, rows) of the wanted ids."""
        return wanted.in_texts(self.ids)


def _contents(ids: Ids) -> tuple[Ints, memoryview]:
    """(sizes of the ids, their bytes)."""
    return np.diff(ids.offsets), memoryview(ids.data).cast("B")[ids.offsets[0] : ids.offsets[-1]]
