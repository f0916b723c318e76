"""Random numbers that are the same on every machine and with every version of NumPy.

Only the raw bits of PCG64 are used, which NumPy guarantees, and only arithmetic whose rounding IEEE 754
defines: no logarithms, no powers. NumPy's own normal and shuffle may change between versions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.random.bit_generator import ISeedSequence

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bits = npt.NDArray[np.uint64]

INDEX_BITS = 24  # log2 of the number of documents a topic can have
_INDEX = np.uint64(2**INDEX_BITS - 1)
_BYTES = np.uint64(0x00FF00FF_00FF00FF)
_PAIRS = np.uint64(0x0000FFFF_0000FFFF)


class Kind(IntEnum):
    """The purpose of a stream."""

    TOPIC = 0
    LOOKS = 1
    SYSTEM = 2
    RANKING = 3
    SCORES = 4
    POOL = 5
    SUBTOPICS = 6
    LINES = 7
    BUCKETS = 8


class _Place(ISeedSequence):
    """Seeds a generator with a hash of its place; NumPy's SeedSequence is ten times slower."""

    def __init__(self, *place: int) -> None:
        text = ",".join(map(str, place)).encode()
        self._state = np.frombuffer(hashlib.blake2b(text, digest_size=32).digest(), dtype="<u8")

    def generate_state(self, n_words: int, dtype: object = np.uint64) -> Bits:
        """The four words of state that PCG64 needs."""
        return self._state.astype(np.uint64)


class Streams:
    """Random numbers for several places (usually topics), one row each.

    The stream of a place depends only on the seed, the kind and the place. The beginning of a row does not
    depend on how many numbers are drawn, so rows of unequal length can be drawn to the longest one, as long
    as nothing is drawn after that.
    """

    def __init__(self, seed: int, kind: Kind, places: Iterable[int], *within: int) -> None:
        # NumPy's annotations allow only SeedSequence, its documentation any ISeedSequence.
        seeds: list[Any] = [_Place(seed, int(kind), *within, place) for place in places]
        self._rows = [np.random.PCG64(place) for place in seeds]

    def bits(self, count: int) -> Bits:
        """(places, count) numbers of 64 random bits."""
        bits = np.empty((len(self._rows), count), dtype=np.uint64)
        for row, generator in zip(bits, self._rows, strict=True):
            row[:] = generator.random_raw(count)
        return bits

    def uniform(self, count: int) -> Floats:
        """(places, count) numbers from 0 to below 1."""
        return _halves(self.bits((count + 1) // 2))[:, :count].astype(np.float64) * 2.0**-32

    def normal(self, count: int) -> Floats:
        """(places, count) nearly normal numbers with mean 0 and variance 1, all within ±3.46."""
        bits = self.bits((count + 1) // 2)
        twos = (bits & _BYTES) + ((bits >> np.uint64(8)) & _BYTES)
        fours = (twos & _PAIRS) + ((twos >> np.uint64(16)) & _PAIRS)
        # The sum of four numbers from 0 to 255 has mean 510 and variance 4·(256² − 1)/12.
        normal = _halves(fours)[:, :count].astype(np.float64)
        normal -= 510.0
        normal *= 1.0 / 147.801
        return normal

    def permutation(self, count: int) -> Ints:
        """(places, count) the numbers from 0 to count − 1, in random order."""
        keys: Bits = self.bits(count) & ~_INDEX
        keys |= np.arange(count, dtype=np.uint64)
        keys.sort(axis=1)
        keys &= _INDEX
        return keys.astype(np.int64)


def _halves(bits: Bits) -> npt.NDArray[np.uint32]:
    """32-bit numbers, two from each of 64 bits, low before high on every machine."""
    return bits.astype("<u8", copy=False).view("<u4")


def lowest_first(values: Ints) -> Ints:
    """(rows, columns) the indices that sort each row, lowest first.

    The index is in the low bits of the key, so all keys differ and any sorting algorithm gives the same
    order: the fastest can be used.
    """
    keys = values << INDEX_BITS
    keys |= np.arange(values.shape[1], dtype=np.int64)
    keys.sort(axis=1)
    keys &= np.int64(_INDEX)
    return keys


def best_first(values: Floats) -> Ints:
    """(rows, columns) the indices that sort each row, highest first."""
    return lowest_first((values * -65536.0).astype(np.int64))
