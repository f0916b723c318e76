"""The operations on arrays that ranks need, in a library that follows the array API standard."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankgauge.engines.tensors.host_arrays import LOWEST, Array, Arrays
from rankgauge.errors import InputError
from rankgauge.measures.rankings.array_types import Floats, Ints


class StandardArrays(Arrays):
    """The operations in a library that follows the array API standard, on the device of an array."""

    sorted_at_once = 1 << 22
    counted_at_once = 1 << 25
    long, few = 4096, 16

    def __init__(self, library: Any, device: Any) -> None:
        self._xp, self._device = library, device

    def put(self, array: Any) -> Array:
        """An array on this device."""
        if not hasattr(array, "__array_namespace__") or isinstance(array, np.ndarray):
            array = np.asarray(array)
        return self._xp.asarray(array, device=self._device)

    def host(self, array: Array) -> Any:
        """A NumPy array of the numbers."""
        try:
            return np.asarray(array)
        except (TypeError, ValueError, RuntimeError):  # on another device
            return np.from_dlpack(array, device="cpu")

    def describe(self, array: Array) -> str:
        """The type of the array, for a provenance."""
        kind = str(array.dtype).rpartition(".")[2]
        return f"{kind} array of {self._xp.__name__.partition('.')[0]} on {self._device}"

    def is_real(self, array: Array) -> bool:
        """Whether its elements are real numbers, or truth values."""
        return bool(self._xp.isdtype(array.dtype, ("bool", "integral", "real floating")))

    def floats(self, array: Array) -> Array:
        """The numbers as they are compared."""
        xp = self._xp
        if xp.isdtype(array.dtype, "real floating"):
            return array
        floats = xp.astype(array, xp.float64)
        if floats.dtype != xp.float64:  # JAX, unless it is configured otherwise
            raise InputError(
                f"the scores are {array.dtype}, and {xp.__name__} has no 64-bit floats as it is configured, "
                "which comparing them needs; convert them to float32, or enable 64-bit floats"
            )
        return floats

    def single(self, array: Array) -> Array:
        """The floats, rounded to single precision."""
        xp = self._xp
        if array.dtype != xp.float64:
            return array
        with np.errstate(over="ignore"):  # for libraries on top of NumPy
            rounded = xp.astype(xp.astype(array, xp.float32), xp.float64)
        return xp.where(xp.isinf(rounded) & (rounded < 0), self._like(rounded, LOWEST), rounded)

    def numbers(self, array: Array) -> Array:
        """The array, with numbers in place of truth values."""
        return self._xp.astype(array, self._xp.int8) if self._xp.isdtype(array.dtype, "bool") else array

    def _like(self, array: Array, number: float) -> Array:
        return self._xp.asarray(number, dtype=array.dtype, device=self._device)

    def rows(self, array: Array, rows: Any) -> Array:
        """Some rows."""
        if isinstance(rows, slice):
            return array[rows] if len(array.shape) == 1 else array[rows, :]
        return self._xp.take(array, self.put(rows), axis=0)

    def columns(self, array: Array, columns: Ints) -> Array:
        """The same columns of all rows."""
        return self._xp.take(array, self.put(columns), axis=1)

    def reshape(self, array: Array, shape: tuple[int, ...]) -> Array:
        """The same numbers in another shape."""
        return self._xp.reshape(array, shape)

    def pick(self, flat: Array, places: Array) -> Array:
        """The numbers at some places of a flat array."""
        picked = self._xp.take(flat, self._xp.reshape(places, (-1,)))
        return self._xp.reshape(picked, places.shape)

    def along(self, array: Array, columns: Array) -> Array:
        """In each row, the numbers in these columns of the row."""
        return self._xp.take_along_axis(array, columns, axis=1)

    def where(self, mask: Array, array: Array, other: float) -> Array:
        """The array, with another number where the mask is not set."""
        return self._xp.where(mask, array, self._like(array, other))

    def concatenate(self, arrays: list[Array]) -> Array:
        """Flat arrays, one after the other."""
        return self._xp.concat(arrays)

    def sort(self, array: Array, stable: bool) -> tuple[Array, Array]:
        """(the numbers of each row, their columns), the largest first."""
        order = self._xp.argsort(-array, axis=1, stable=stable)  # not all of them have `descending`
        return self.along(array, order), order

    def sort_flat(self, array: Array) -> tuple[Array, Array]:
        """(the numbers of a flat array, their places), the smallest first."""
        order = self._xp.argsort(array, stable=True)
        return self._xp.take(array, order), order

    def tied(self, array: Array) -> Array:
        """Where a number equals one beside it in its row."""
        xp, same = self._xp, array[:, 1:] == array[:, :-1]
        edge = xp.zeros((array.shape[0], 1), dtype=xp.bool, device=self._device)
        return xp.concat((edge, same), axis=1) | xp.concat((same, edge), axis=1)

    def any(self, mask: Array) -> bool:
        """Whether any element is set."""
        return bool(self._xp.any(mask))

    def total(self, mask: Array) -> int:
        """How many elements are set."""
        return int(self._xp.count_nonzero(mask))

    def is_finite(self, array: Array) -> Array:
        """Where numbers are finite."""
        return self._xp.isfinite(array)

    def all_finite(self, array: Array) -> bool:
        """Whether all numbers are finite."""
        return bool(self._xp.all(self._xp.isfinite(array)))

    def places(self, mask: Array) -> tuple[Ints, ...]:
        """The places of set elements, on the host."""
        return tuple(self.host(each) for each in self._xp.nonzero(mask))

    def chosen(self, mask: Array, *arrays: Array) -> list[Any]:
        """(places in the flat mask, elements of each array there) where the mask is set, on the host."""
        (flat,) = self._xp.nonzero(self._xp.reshape(mask, (-1,)))
        return self.hosts(flat, *(self._xp.take(self._xp.reshape(each, (-1,)), flat) for each in arrays))

    def distinct(self, array: Array, mask: Array | None) -> Floats:
        """The distinct numbers where the mask is set, ascending, on the host."""
        distinct = self._xp.unique_values(array if mask is None else array[mask])
        return np.sort(np.asarray(self.host(distinct), dtype=np.float64))

    def counts(self, array: Array, thresholds: Array, sizes: Ints) -> tuple[Ints, Ints]:
        """(rows, thresholds) twice: how many numbers are above the threshold, and equal to it."""
        xp, above, equal = self._xp, [], []
        for n in range(thresholds.shape[1]):
            threshold = thresholds[:, n : n + 1]
            above.append(self.host(xp.count_nonzero(array > threshold, axis=1)))
            equal.append(self.host(xp.count_nonzero(array == threshold, axis=1)))
        return np.stack(above, axis=1), np.stack(equal, axis=1)
