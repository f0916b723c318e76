"""Columns of ids, one for each vector: how rows are found by id, and ids by row.

A column of integers stays one: 8 bytes per document, and none at all for documents without ids, which are
numbered. Other ids are kept as bytes and offsets (`core.ids`). No document has a Python object of its own.
"""

from __future__ import annotations

import functools
import re
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Collection, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.core.ids import Ids, to_bytes, to_text
from rankgauge.errors import InputError
from rankgauge.formats.problems import quote

Id = bytes | str
Ints = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]

CHUNK = 1 << 16  # ids that are looked at together; their keys fit into the cache of a core
SMALLEST_TABLE = 20  # bits of a hash: some thousand wanted ids leave the table nearly empty
FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio: neighbours end up far apart
_DECIMAL = re.compile(rb"0|-?[1-9][0-9]{0,19}", re.ASCII)  # 007 is not the text of an integer


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
    def texts(self, rows: Iterable[int]) -> list[str]:
        """The ids of these rows, as text."""

    @abstractmethod
    def matches(self, wanted: Wanted) -> list[tuple[Id, int]]:
        """(id, row) wherever one of the wanted ids is, by row."""

    def is_same(self, other: IdColumn) -> bool:
        """Whether the same ids are in the same order."""
        return len(self) == len(other) and self.texts(range(len(self))) == other.texts(range(len(other)))

    def __getitem__(self, row: int) -> str:
        if not -len(self) <= row < len(self):
            raise IndexError(row)
        return self.texts([row % len(self)])[0]

    def find(self, wanted: Collection[Id] | Wanted) -> dict[Id, int]:
        """{id: its row} for those of the wanted ids that are here; an error if one of them is here twice."""
        return rows_by_id(self.matches(Wanted.of(wanted)))


def rows_by_id(matches: Iterable[tuple[Id, int]]) -> dict[Id, int]:
    """{id: its row}; an error if one of them has several rows."""
    rows: dict[Id, int] = {}
    for identifier, row in matches:
        if identifier in rows:
            raise twice(identifier, rows[identifier], row)
        rows[identifier] = row
    return rows


def twice(identifier: Id, first: int, second: int) -> InputError:
    """The error for an id that two vectors have."""
    return InputError(
        f"rows {first} and {second} (counted from 0) both have the id {quote(to_bytes(identifier))}; "
        "a document has one vector: remove one of them, or give it another id"
    )


class Wanted:
    """Ids that are looked for, prepared for columns of integers and of texts."""

    @staticmethod
    def of(wanted: Collection[Id] | Wanted) -> Wanted:
        """The ids, prepared unless they are."""
        return wanted if isinstance(wanted, Wanted) else Wanted(wanted)

    def __init__(self, wanted: Collection[Id]) -> None:
        self.by_bytes = {to_bytes(identifier): identifier for identifier in wanted}

    @functools.cached_property
    def by_number(self) -> dict[int, Id]:
        """{integer: id} of the ids that are decimal texts of integers of 64 bits."""
        numbers = {int(data): i for data, i in self.by_bytes.items() if _DECIMAL.fullmatch(data)}
        return {n: i for n, i in numbers.items() if -(1 << 63) <= n < 1 << 64}

    @functools.cached_property
    def in_order(self) -> tuple[list[int], list[Id]]:
        """The integers of `by_number`, ascending, and their ids."""
        numbers = sorted(self.by_number)
        return numbers, [self.by_number[number] for number in numbers]

    @functools.cached_property
    def numbers(self) -> _Table:
        """Which integers may be wanted; negative ones as they are in memory."""
        return _Table(np.fromiter((n % (1 << 64) for n in self.by_number), np.uint64, len(self.by_number)))

    @functools.cached_property
    def texts(self) -> tuple[_Table, _Table]:
        """Which ends and middles may be wanted."""
        keys = _TextKeys(Ids.of(self.by_bytes))
        return _Table(keys.ends()), _Table(keys.middles())


class Numbers(IdColumn):
    """The ids "0", "1", ... of vectors that were given none, from `first` on."""

    def __init__(self, count: int, first: int = 0) -> None:
        self._first, self._count = first, count

    def __len__(self) -> int:
        return self._count

    def part(self, first: int, last: int) -> Numbers:
        """The ids of the rows from `first` up to, and without, `last`."""
        return Numbers(last - first, self._first + first)

    def texts(self, rows: Iterable[int]) -> list[str]:
        """The numbers of these rows."""
        return [str(self._first + int(row)) for row in rows]

    def matches(self, wanted: Wanted) -> list[tuple[Id, int]]:
        """(id, row) of the wanted numbers, by row."""
        numbers, ids = wanted.in_order
        begin = bisect_left(numbers, self._first)
        some = slice(begin, bisect_left(numbers, self._first + self._count, begin))
        return [(i, n - self._first) for n, i in zip(numbers[some], ids[some], strict=True)]


class IntegerIds(IdColumn):
    """Ids that are integers; they are compared by their decimal text: "7" is found, "007" is not."""

    def __init__(self, numbers: npt.NDArray[Any]) -> None:
        self.numbers = numbers  # (n,)

    def __len__(self) -> int:
        return len(self.numbers)

    def part(self, first: int, last: int) -> IntegerIds:
        """The ids of the rows from `first` up to, and without, `last`; the memory is shared."""
        return IntegerIds(self.numbers[first:last])

    def texts(self, rows: Iterable[int]) -> list[str]:
        """The decimal texts of the ids of these rows."""
        return [str(int(self.numbers[row])) for row in rows]

    def matches(self, wanted: Wanted) -> list[tuple[Id, int]]:
        """(id, row) wherever one of the wanted ids is, by row."""
        wide = np.uint64 if self.numbers.dtype.kind == "u" else np.int64
        found = []
        for first in range(0, len(self), CHUNK):
            chunk = self.numbers[first : first + CHUNK].astype(wide, copy=False)
            rows = wanted.numbers.candidates(chunk.view(np.uint64))
            for row, number in zip(rows.tolist(), chunk[rows].tolist(), strict=True):
                if number in wanted.by_number:
                    found.append((wanted.by_number[number], first + row))
        return found

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

    def texts(self, rows: Iterable[int]) -> list[str]:
        """The ids of these rows."""
        return [to_text(self.ids[int(row)]) for row in rows]

    def matches(self, wanted: Wanted) -> list[tuple[Id, int]]:
        """(id, row) wherever one of the wanted ids is, by row."""
        found = []
        for first in range(0, len(self), CHUNK):
            ids = self.ids.part(slice(first, min(first + CHUNK, len(self))))
            ends, middles = wanted.texts
            keys = _TextKeys(ids)
            rows = ends.candidates(keys.ends())
            if len(rows) > CHUNK >> 5:  # many ids end alike
                rows = rows[middles.candidates(keys.middles()[rows])]
            for row, identifier in zip(rows.tolist(), ids.take(rows), strict=True):
                if identifier in wanted.by_bytes:
                    found.append((wanted.by_bytes[identifier], first + row))
        return found

    def is_same(self, other: IdColumn) -> bool:
        """Whether the same ids are in the same order."""
        if not isinstance(other, TextIds):
            return super().is_same(other)
        sizes, data = zip(*(_contents(each.ids) for each in (self, other)), strict=True)
        return np.array_equal(*sizes) and data[0] == data[1]


def _contents(ids: Ids) -> tuple[Ints, memoryview]:
    """(sizes of the ids, their bytes)."""
    return np.diff(ids.offsets), memoryview(ids.data).cast("B")[ids.offsets[0] : ids.offsets[-1]]


class _Table:
    """Which keys may be wanted: a bit for each hash, so that few others pass."""

    def __init__(self, wanted: Keys) -> None:
        bits = max(SMALLEST_TABLE, (16 * len(wanted)).bit_length())
        self._shift = np.uint64(64 - bits)
        self._bits = np.zeros(1 << bits, dtype=np.bool_)
        self._bits[self._hashes(wanted)] = True

    def _hashes(self, keys: Keys) -> Ints:
        hashes: Ints = (keys * FACTOR >> self._shift).view(np.int64)
        return hashes

    def candidates(self, keys: Keys) -> Ints:
        """The indices of the keys that are wanted, and of a few others."""
        return np.flatnonzero(self._bits[self._hashes(keys)])


class _TextKeys:
    """Numbers that are equal for equal ids: of eight of their bytes, and their length."""

    def __init__(self, ids: Ids) -> None:
        self._ids = ids
        data = memoryview(ids.data).cast("B")
        # Eight bytes from each place on, as one number
        self._words = np.ndarray((max(len(data) - 7, 0),), "<u8", buffer=data, strides=(1,))
        self._end = ids.offsets[1:]
        self._size = self._end - ids.offsets[:-1]

    def ends(self) -> Keys:
        """The last eight bytes of each id, or all of a shorter one."""
        return self._keys(self._end - 8)

    def middles(self) -> Keys:
        """Eight bytes in the middle of each id, or all of a shorter one."""
        return self._keys(self._end - 8 - np.maximum(self._size - 8, 0) // 2)

    def _keys(self, place: Ints) -> Keys:
        early = np.flatnonzero(place < 0)  # short ids at the very beginning: no eight bytes end there
        if len(early) == len(place):
            keys = np.zeros(len(place), dtype=np.uint64)
        else:
            keys = self._words[np.maximum(place, 0)].astype(np.uint64, copy=False)
            if self._size.min() < 8:  # what precedes a short id is shifted out
                keys >>= (np.clip(8 - self._size, 0, 8) * 8).view(np.uint64)
        for row in early.tolist():
            keys[row] = int.from_bytes(self._ids[row], "little")
        keys += self._size.view(np.uint64)
        return keys
