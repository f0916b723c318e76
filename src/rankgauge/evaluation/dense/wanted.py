"""Ids that are looked for in columns of ids, without a Python object for each."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge import core
from rankgauge.core.ids import Ids
from rankgauge.formats.columns import joined_ids

Ints = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]
Matches = tuple[Ints, Ints]  # (places among the wanted ids, rows that have them), by row

CHUNK = 1 << 16  # ids that are looked at together; their keys fit into the cache of a core
SMALLEST_TABLE = 20  # bits of a hash: some thousand wanted ids leave the table nearly empty
FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio: neighbours end up far apart
DIGITS = 20  # of the largest integer of 64 bits, and of the smallest with its sign


def places(ids: Ids, known: Ids) -> Ints:
    """(ids,): where each id is among those that are known; -1 for the others."""
    every = joined_ids([known, ids])
    codes, firsts = (np.frombuffer(each, np.int64) for each in core.encode(every.data, every.offsets))
    first = firsts[codes[len(known) :]]
    return np.where(first < len(known), first, -1)


class Wanted:
    """Distinct ids that are looked for, prepared for columns of integers and of texts."""

    def __init__(self, ids: Ids) -> None:
        self.ids = ids

    def __len__(self) -> int:
        return len(self.ids)

    def in_texts(self, ids: Ids) -> Matches:
        """The wanted ids in a column of ids."""
        ends, middles = self._texts
        found = [np.empty(0, dtype=np.int64)]
        for first in range(0, len(ids), CHUNK):
            keys = _TextKeys(ids.part(slice(first, min(first + CHUNK, len(ids)))))
            rows = ends.candidates(keys.ends())
            if len(rows) > CHUNK >> 5:  # many ids end alike
                rows = rows[middles.candidates(keys.middles()[rows])]
            found.append(first + rows)
        rows = np.concatenate(found)
        place = places(ids.take(rows), self.ids)
        return place[place >= 0], rows[place >= 0]

    def in_integers(self, numbers: npt.NDArray[Any]) -> Matches:
        """The wanted ids in a column of integers, by their decimal texts."""
        wanted = self._unsigned if numbers.dtype.kind == "u" else self._signed
        found = [np.empty((2, 0), dtype=np.int64)]
        for first in range(0, len(numbers), CHUNK):
            place, row = wanted.matches(numbers[first : first + CHUNK])
            found.append(np.array([place, first + row]))
        place, row = np.concatenate(found, axis=1)
        return place, row

    def in_range(self, first: int, count: int) -> Matches:
        """The wanted ids in the column first, first + 1, ... of so many integers."""
        begin, end = np.searchsorted(self._signed.values, (first, first + count))
        return self._signed.place[begin:end], self._signed.values[begin:end] - first

    @functools.cached_property
    def _signed(self) -> _Integers:
        """The wanted integers that 64 bits with a sign hold."""
        place, size, negative = self._integers
        fits = size < np.uint64(1 << 63) + negative.astype(np.uint64)
        values = np.where(negative, ~size + np.uint64(1), size).view(np.int64)
        return _Integers(values[fits], place[fits])

    @functools.cached_property
    def _unsigned(self) -> _Integers:
        """The wanted integers that 64 bits without a sign hold."""
        place, size, negative = self._integers
        return _Integers(size[~negative], place[~negative])

    @functools.cached_property
    def _integers(self) -> tuple[Ints, Keys, npt.NDArray[np.bool_]]:
        """(places of ids that are decimal texts, their sizes, whether they are negative); 007 is none."""
        text = np.frombuffer(self.ids.data, dtype=np.uint8)
        length = np.diff(self.ids.offsets)
        place = np.flatnonzero((length > 0) & (length <= DIGITS))
        begin, length = self.ids.offsets[place], length[place]
        negative = text[begin] == ord("-")
        begin, length = begin + negative, length - negative
        size = np.zeros(len(place), dtype=np.uint64)
        valid = length > 0
        for nth in range(int(length.max(initial=0))):
            here = nth < length
            digit = text[np.minimum(begin + nth, len(text) - 1)] - np.uint8(ord("0"))
            valid &= ~here | (digit < 10)
            if nth == 0:  # no other digit follows a leading 0, and no sign precedes it
                valid &= (digit > 0) | ((length == 1) & ~negative)
            if nth == DIGITS - 1:
                most, last = divmod((1 << 64) - 1, 10)
                valid &= ~here | (size < most) | ((size == most) & (digit <= last))
            size = np.where(here, size * np.uint64(10) + digit, size)
        return place[valid], size[valid], negative[valid]

    @functools.cached_property
    def _texts(self) -> tuple[_Table, _Table]:
        """Which ends and middles may be wanted."""
        keys = _TextKeys(self.ids)
        return _Table(keys.ends()), _Table(keys.middles())


class _Integers:
    """Wanted integers of one type, ascending, and the places of their ids."""

    def __init__(self, values: Any, place: Ints) -> None:
        order = np.argsort(values)
        self.values, self.place = values[order], place[order]

    @functools.cached_property
    def _table(self) -> _Table:
        return _Table(self.values.view(np.uint64))

    def matches(self, numbers: npt.NDArray[Any]) -> Matches:
        """The wanted integers in an array of the same kind."""
        numbers = numbers.astype(self.values.dtype, copy=False)
        rows = self._table.candidates(numbers.view(np.uint64))
        at = np.searchsorted(self.values, numbers[rows])
        same = np.append(self.values, self.values[:1])[at] == numbers[rows]  # one past the last is another
        return self.place[at[same]], rows[same]


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
