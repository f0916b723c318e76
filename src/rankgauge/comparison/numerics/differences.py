"""Differences between runs on each topic, cleared of rounding errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
DIGITS = 12  # after the first digit of the largest value; further digits are rounding errors
RELATIVE_ERROR = 2.0**-51  # of a difference, at most: it is rounded, and both values are


@dataclass(frozen=True)
class RunPairs:
    """Pairs of runs, whose differences are values[first] - values[second], but for rounding."""

    values: Floats  # (runs, topics)
    first: Ints  # (pairs,)
    second: Ints  # (pairs,)

    def __getitem__(self, pairs: Ints) -> RunPairs:
        """Some of the pairs."""
        return RunPairs(self.values, self.first[pairs], self.second[pairs])

    def rounding(self) -> Floats:
        """(pairs,) the most by which rounding changes a difference."""
        sizes = np.abs(self.values).max(axis=1, initial=0.0)
        errors: Floats = RELATIVE_ERROR * np.maximum(sizes[self.first], sizes[self.second])
        return errors

    @classmethod
    def of(cls, z: Floats) -> RunPairs:
        """Differences of runs that are not known: each row against a run of zeros."""
        pairs, topics = z.shape
        return cls(np.append(z, np.zeros((1, topics)), axis=0), np.arange(pairs), np.full(pairs, pairs))


def all_pairs(runs: int) -> tuple[Ints, Ints]:
    """(first, second) of every pair of `runs` runs, in the order (0, 1), (0, 2), ..., (1, 2), ..."""
    first, second = np.triu_indices(runs, 1)
    return first, second


def cleared(values: Floats, sizes: Floats | None = None) -> Floats:
    """Rows of values without rounding errors: 0.3 - 0.2 and 0.1 - 0.2 become equal but for the sign.

    Ranks, signs and resampled sums depend on which values are equal. Values whose magnitudes agree to DIGITS
    digits get the middle of the lowest and the highest of these; all others stay as they are. `sizes` is the
    largest magnitude of the values that each row was computed from; by default, the row's own.
    """
    result: Floats = values + 0.0  # which turns -0.0 into 0
    magnitudes = np.abs(values)
    sizes = magnitudes.max(axis=1, initial=0.0) if sizes is None else sizes
    with np.errstate(divide="ignore", invalid="ignore"):
        digits = DIGITS - np.floor(np.log10(sizes))
        near = 10.0 ** -np.clip(digits, -300, 300)[:, None]
        gaps = np.diff(np.sort(magnitudes, axis=1), axis=1, prepend=0.0)
    close = ((gaps > 0) & (gaps <= near)).any(axis=1) & (np.abs(digits) < 300)
    for count in np.unique(digits[close]):
        rows = np.flatnonzero(close & (digits == count))
        result[rows] = np.copysign(_merged(magnitudes[rows], int(count)), values[rows]) + 0.0
    return result


def _merged(magnitudes: Floats, digits: int) -> Floats:
    """Rows with the middle of each group in place of the values that are rounded to the same number."""
    order = np.argsort(magnitudes, axis=1)
    ascending = np.take_along_axis(magnitudes, order, axis=1)
    rounded = np.round(ascending, digits)
    begins = np.ones(rounded.shape, dtype=np.bool_)
    begins[:, 1:] = rounded[:, 1:] != rounded[:, :-1]
    first = np.flatnonzero(begins)
    last = np.append(first[1:], rounded.size) - 1
    middle = 0.5 * ascending.ravel()[first] + 0.5 * ascending.ravel()[last]
    middle[rounded.ravel()[first] == 0.0] = 0.0
    merged: Floats = np.empty_like(ascending)
    np.put_along_axis(merged, order, np.repeat(middle, last - first + 1).reshape(rounded.shape), axis=1)
    return merged


def differences(values: Floats, first: Ints | None = None, second: Ints | None = None) -> Floats:
    """(pairs, topics): the first run's value minus the second's, from (runs, topics); by default, all pairs.

    Only the two runs decide how a pair is rounded, so that its result never depends on the others.
    """
    if first is None or second is None:
        first, second = all_pairs(len(values))
    sizes = np.abs(values).max(axis=1, initial=0.0)
    return cleared(values[first] - values[second], np.maximum(sizes[first], sizes[second]))
