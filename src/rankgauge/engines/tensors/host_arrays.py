"""The operations on arrays that ranks need, in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankgauge.measures.rankings.array_types import Floats, Ints

Array = Any  # of the library at hand
FEW_NUMBERS = 100  # whole numbers in so small a range are distinguished by counting them
LOWEST = -1.7e308  # in place of a score that single precision makes infinite: below all others


class Arrays:
    """The operations in NumPy, the host; the base of those in other libraries."""

    sorted_at_once = 1 << 19  # numbers
    counted_at_once = 1 << 19
    # A row with at least so many documents, of which few are judged, is counted in less time than sorted.
    long, few = 512, 64
    per_judged = 100  # documents are sorted in the time in which one judged document is counted

    def put(self, array: Any) -> Array:
        """An array of numbers or of this library, on this device."""
        return np.asarray(array)

    def host(self, array: Array) -> Any:
        """A NumPy array of the numbers."""
        return np.asarray(array)

    def hosts(self, *arrays: Array) -> list[Any]:
        """NumPy arrays of the numbers of several arrays, brought to the host at once."""
        return [self.host(array) for array in arrays]

    def describe(self, array: Array) -> str:
        """The type of the array, for a provenance."""
        return f"{array.dtype} array"

    def is_real(self, array: Array) -> bool:
        """Whether its elements are real numbers, or truth values."""
        return array.dtype.kind in "biuf" or array.dtype.name == "bfloat16"

    def floats(self, array: Array) -> Array:
        """The numbers as they are compared: as floats, as exact as the run with these scores would be."""
        if array.dtype.kind in "biu":
            return array.astype(np.float64)
        return array.astype(np.float32) if array.dtype.itemsize < 4 else array  # half precision is slow

    def single(self, array: Array) -> Array:
        """The floats, rounded to single precision."""
        if array.dtype.itemsize <= 4:
            return array
        with np.errstate(over="ignore"):
            rounded = array.astype(np.float32).astype(np.float64)
        return np.where(np.isneginf(rounded), LOWEST, rounded)

    def numbers(self, array: Array) -> Array:
        """The array, with numbers in place of truth values."""
        return array.astype(np.int8) if array.dtype.kind == "b" else array

    def rows(self, array: Array, rows: Any) -> Array:
        """Some rows, given by a slice or by their numbers on the host."""
        return array[rows]

    def part(self, array: Array, begin: int, end: int) -> Array:
        """Some columns."""
        return array[:, begin:end]

    def columns(self, array: Array, columns: Ints) -> Array:
        """The same columns of all rows, given by their numbers on the host."""
        return array[:, columns]

    def reshape(self, array: Array, shape: tuple[int, ...]) -> Array:
        """The same numbers in another shape."""
        return array.reshape(shape)

    def pick(self, flat: Array, places: Array) -> Array:
        """The numbers at some places of a flat array, in the shape of the places."""
        return flat[places]

    def along(self, array: Array, columns: Array) -> Array:
        """In each row, the numbers in these columns of the row."""
        return np.take_along_axis(array, columns, axis=1)

    def where(self, mask: Array, array: Array, other: float) -> Array:
        """The array, with another number where the mask is not set."""
        return np.where(mask, array, array.dtype.type(other))

    def concatenate(self, arrays: list[Array]) -> Array:
        """Flat arrays, one after the other."""
        return np.concatenate(arrays)

    def sort(self, array: Array, stable: bool) -> tuple[Array, Array]:
        """(the numbers of each row, their columns), the largest first; `stable` keeps equal ones in order."""
        order = np.argsort(-array, axis=1, kind="stable" if stable else None)
        return np.take_along_axis(array, order, axis=1), order

    def sort_flat(self, array: Array) -> tuple[Array, Array]:
        """(the numbers of a flat array, their places), the smallest first; equal ones stay in order."""
        order = np.argsort(array, kind="stable")
        return array[order], order

    def tied(self, array: Array) -> Array:
        """Where a number equals one beside it in its row."""
        same = array[:, 1:] == array[:, :-1]
        edge = np.zeros((len(array), 1), dtype=np.bool_)
        return np.hstack((edge, same)) | np.hstack((same, edge))

    def any(self, mask: Array) -> bool:
        """Whether any element is set."""
        return bool(mask.any())

    def total(self, mask: Array) -> int:
        """How many elements are set."""
        return int(np.count_nonzero(mask))

    def is_finite(self, array: Array) -> Array:
        """Where numbers are finite."""
        return np.isfinite(array)

    def all_finite(self, array: Array) -> bool:
        """Whether all numbers are finite."""
        # NaN is passed on by both; no array of truth values is made.
        return not array.size or bool(np.isfinite(array.min()) and np.isfinite(array.max()))

    def places(self, mask: Array) -> tuple[Ints, ...]:
        """The places of set elements, row by row, an array per dimension."""
        return np.nonzero(mask)

    def chosen(self, mask: Array, *arrays: Array) -> list[Any]:
        """(places in the flat mask, elements of each array there) where the mask is set, on the host."""
        flat = np.flatnonzero(mask)
        return [flat, *(array.reshape(-1)[flat] for array in arrays)]

    def distinct(self, array: Array, mask: Array | None) -> Floats:
        """The distinct numbers where the mask is set, ascending, on the host."""
        array = array if mask is None else array[mask]
        if array.dtype.kind in "iu" and array.size:
            low, high = int(array.min()), int(array.max())
            if high - low < FEW_NUMBERS:
                return (low + np.flatnonzero(np.bincount((array - low).ravel()))).astype(np.float64)
        return np.unique(array).astype(np.float64)

    def counts(self, array: Array, thresholds: Array, sizes: Ints) -> tuple[Ints, Ints]:
        """(rows, thresholds) twice: how many numbers of the row are above the threshold, and equal to it.

        `sizes` are how many thresholds each row has; what is beyond is not looked at.
        """
        above, equal = np.zeros((2, *thresholds.shape), dtype=np.int64)
        for row, size in enumerate(sizes.tolist()):  # truth values of one row stay in the cache
            numbers = array[row]
            for n in range(size):
                threshold = thresholds[row, n]
                above[row, n] = np.count_nonzero(numbers > threshold)
                equal[row, n] = np.count_nonzero(numbers == threshold)
        return above, equal


HOST = Arrays()
