"""Differences between runs on each topic, cleared of rounding errors."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
DIGITS = 12  # after the first digit of the largest value; further digits are rounding errors


def all_pairs(runs: int) -> tuple[Ints, Ints]:
    """(first, second) of every pair of `runs` runs, in the order (0, 1), (0, 2), ..., (1, 2), ..."""
    first, second = np.triu_indices(runs, 1)
    return first, second


def cleared(values: Floats, sizes: Floats | None = None) -> Floats:
    """Rows of values without rounding errors: 0.3 - 0.2 and 0.2 - 0.1 become the same number.

    Ranks, signs and resampled sums depend on which values are equal. Values that agree to DIGITS digits
    become the middle between the lowest and the highest of them; all others stay as they are. `sizes` is the
    largest magnitude of the values that each row was computed from; by default, the row's own.
    """
    if not values.size:
        return values + 0.0
    sizes = np.abs(values).max(axis=1) if sizes is None else sizes
    order = np.argsort(values, axis=1)
    ascending = np.take_along_axis(values, order, axis=1)
    rounded = _rounded(ascending, sizes)
    begins = np.ones(values.shape, dtype=np.bool_)
    begins[:, 1:] = rounded[:, 1:] != rounded[:, :-1]
    first = np.flatnonzero(begins)
    last = np.append(first[1:], values.size) - 1
    middle = 0.5 * ascending.ravel()[first] + 0.5 * ascending.ravel()[last]
    middle[rounded.ravel()[first] == 0.0] = 0.0
    result: Floats = np.empty_like(ascending)
    np.put_along_axis(result, order, np.repeat(middle, last - first + 1).reshape(values.shape), axis=1)
    return result


def _rounded(values: Floats, sizes: Floats) -> Floats:
    """Each row rounded to DIGITS digits after the first of its size."""
    rounded: Floats = values.copy()
    with np.errstate(divide="ignore", invalid="ignore"):
        digits = DIGITS - np.floor(np.log10(sizes))
    for count in np.unique(digits[np.abs(digits) < 300]):
        rows = digits == count
        rounded[rows] = np.round(rounded[rows], int(count))
    return rounded


def differences(values: Floats, first: Ints | None = None, second: Ints | None = None) -> Floats:
    """(pairs, topics): the first run's value minus the second's, from (runs, topics); by default, all pairs.

    Only the two runs decide how a pair is rounded, so that its result never depends on the others.
    """
    if first is None or second is None:
        first, second = all_pairs(len(values))
    sizes = np.abs(values).max(axis=1, initial=0.0)
    return cleared(values[first] - values[second], np.maximum(sizes[first], sizes[second]))
