"""What is compared: the values of runs topic by topic, cleared of rounding, and their differences."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
DIGITS = 12  # behind the first of the largest value: what differs only beyond them is rounding


def all_pairs(runs: int) -> tuple[Ints, Ints]:
    """(first, second) of every pair of so many runs, in the order (0, 1), (0, 2), ..., (1, 2), ..."""
    first, second = np.triu_indices(runs, 1)
    return first, second


def cleared(values: Floats, sizes: Floats | None = None) -> Floats:
    """Rows of values without the noise of rounding: 0.3 - 0.2 and 0.2 - 0.1 become the same number.

    Ranks, signs and resampled sums are counted by whether they are equal, and so equal values must be.
    `sizes` are those of the values that each row was made from; without them, the row's own.
    """
    sizes = np.abs(values).max(axis=1, initial=0.0) if sizes is None else sizes
    kept = values + 0.0  # which makes -0.0 a plain 0
    with np.errstate(divide="ignore", invalid="ignore"):
        digits = DIGITS - np.floor(np.log10(sizes))
    for count in np.unique(digits[np.abs(digits) < 300]):
        rows = digits == count
        kept[rows] = np.round(kept[rows], int(count)) + 0.0
    return kept


def differences(values: Floats, first: Ints | None = None, second: Ints | None = None) -> Floats:
    """(pairs, topics): the first run's value less the second's, from (runs, topics); all pairs if not said.

    Each is cleared by the size of the two runs alone, so that a pair's result never depends on the others.
    """
    if first is None or second is None:
        first, second = all_pairs(len(values))
    sizes = np.abs(values).max(axis=1, initial=0.0)
    return cleared(values[first] - values[second], np.maximum(sizes[first], sizes[second]))
