"""Differences between runs on each topic, cleared of rounding errors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
DIGITS = 12  # after the first digit of the largest value; further digits are rounding errors
CELLS = 1 << 22  # of the differences of a block of pairs
CACHED = 1 << 16  # numbers of a block of rows that is worked on at once
LEAST_BASELINE = 1e-3  # of the largest value; nothing is shown in per cent of a smaller mean
RELATIVE_ERROR = 2.0**-51  # of a difference, at most: it is rounded, and both values are


@dataclass(frozen=True)
class RunPairs:
    """Pairs of runs; a difference is values[first] - values[second], but for rounding."""

    values: Floats  # (runs, topics)
    first: Ints  # (pairs,)
    second: Ints  # (pairs,)

    def __getitem__(self, pairs: Ints) -> RunPairs:
        return RunPairs(self.values, self.first[pairs], self.second[pairs])

    def rounding(self) -> Floats:
        """(pairs,) the most by which rounding changes a difference."""
        sizes = np.abs(self.values).max(axis=1, initial=0.0)
        errors: Floats = RELATIVE_ERROR * np.maximum(sizes[self.first], sizes[self.second])
        return errors

    @classmethod
    def of(cls, z: Floats) -> RunPairs:
        """Differences of unknown runs: each row against a run of zeros."""
        pairs, topics = z.shape
        return cls(np.append(z, np.zeros((1, topics)), axis=0), np.arange(pairs), np.full(pairs, pairs))


def percentage(difference: Any, baseline: Any, largest: Any) -> Any:
    """Differences in per cent of the mean of a baseline, or NaN if that mean is near 0.

    Near 0 is below a thousandth of the largest magnitude among the values of both runs: there a few topics,
    or rounding, would decide the percentage.
    """
    with np.errstate(all="ignore"):
        found = 100 * difference / np.abs(baseline)
    return np.where(np.abs(baseline) < LEAST_BASELINE * largest, np.nan, found)


def all_pairs(runs: int) -> tuple[Ints, Ints]:
    """(first, second) of every pair of `runs` runs, in the order (0, 1), (0, 2), ..., (1, 2), ..."""
    first, second = np.triu_indices(runs, 1)
    return first, second


def in_cache(rows: int, width: int) -> Iterator[slice]:
    """Blocks of rows that stay in the processor's cache while they are worked on."""
    several = max(1, CACHED // max(1, width))
    return (slice(begin, min(begin + several, rows)) for begin in range(0, rows, several))


def cleared(values: Floats, sizes: Floats | None = None) -> Floats:
    """Rows of values without rounding errors: 0.3 - 0.2 and 0.1 - 0.2 become equal but for the sign.

    Ranks, signs and resampled sums depend on which values are equal. Values whose magnitudes agree to DIGITS
    digits get the middle of the lowest and the highest of these. `sizes` is the largest magnitude of the
    values that each row was computed from; by default, the row's own.
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
    """Rows in which magnitudes that round to the same number have the middle of their group."""
    order = np.argsort(magnitudes, axis=1)
    ascending = np.take_along_axis(magnitudes, order, axis=1)
    rounded = np.round(ascending, digits)
    alike: Any = np.zeros(rounded.shape, dtype=np.bool_)  # as the next one
    np.equal(rounded[:, :-1], rounded[:, 1:], out=alike[:, :-1])
    alike, ascending = alike.ravel(), ascending.ravel()
    merged: Floats = magnitudes.copy()
    some = np.flatnonzero(alike)  # most values are alone
    first, last = some[~alike[some - 1] | (some == 0)], some[~alike[some + 1]] + 1 if len(some) else some
    sizes = last - first + 1
    members = np.repeat(last + 1 - np.cumsum(sizes), sizes) + np.arange(sizes.sum())
    middle = np.repeat(0.5 * ascending[first] + 0.5 * ascending[last], sizes)
    merged[members // rounded.shape[1], order.ravel()[members]] = middle
    zeros = np.flatnonzero(rounded == 0.0)
    merged[zeros // rounded.shape[1], order.ravel()[zeros]] = 0.0
    return merged


def differences(values: Floats, first: Ints | None = None, second: Ints | None = None) -> Floats:
    """(pairs, topics): the first run's value minus the second's, from (runs, topics); by default, all pairs.

    Only the two runs decide how a pair is rounded, so that its result never depends on the others.
    """
    if first is None or second is None:
        first, second = all_pairs(len(values))
    sizes = np.abs(values).max(axis=1, initial=0.0)
    z: Floats = np.empty((len(first), values.shape[1]))
    for some in in_cache(*z.shape):
        one, other = first[some], second[some]
        z[some] = cleared(values[one] - values[other], np.maximum(sizes[one], sizes[other]))
    return z


def groups(values: Floats, first: Ints, second: Ints, kind: str) -> Iterator[tuple[Ints, Ints]]:
    """(pairs, the topics they are compared on), in blocks of bounded size."""
    defined: Bools = ~np.isnan(values)
    if kind == "all" or defined.all():
        by_topics = [(np.arange(len(first)), np.flatnonzero(defined.all(axis=0)))]
    else:
        by_mask: dict[bytes, list[int]] = {}
        for pair, (a, b) in enumerate(zip(first, second, strict=True)):
            by_mask.setdefault((defined[a] & defined[b]).tobytes(), []).append(pair)
        by_topics = [
            (np.array(pairs), np.flatnonzero(np.frombuffer(mask, dtype=np.bool_)))
            for mask, pairs in by_mask.items()
        ]
    for pairs, topics in by_topics:
        several = len(first) if kind == "all" else max(1, CELLS // max(1, len(topics)))
        for begin in range(0, len(pairs), several):
            yield pairs[begin : begin + several], topics
