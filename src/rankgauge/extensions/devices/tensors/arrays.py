"""Operations of NumPy, torch or the array API on the device of an array; CuPy's arrays are not copied."""

from __future__ import annotations

import itertools
import sys
from typing import Any

import array_api_compat as compat
import numpy as np

from rankgauge.errors import InputError
from rankgauge.measures.rankings.array_types import Floats, Ints
from rankgauge.schema.lazy import optional_module

Array = Any  # of the library at hand
FEW_NUMBERS = 100  # whole numbers in so small a range are distinguished by counting them
LOWEST = -1.7e308  # in place of a score that single precision makes infinite: below all others


class Arrays:
    """The operations of a library (`xp`, an array API namespace) on a device."""

    # Numbers at once; a row of at least `long` documents, of which few are judged, is counted, not sorted.
    sorted_at_once, counted_at_once, long, few = 1 << 22, 1 << 25, 4096, 16
    on_host = 1 << 19, 1 << 22, 512, 64  # the same in the memory of the host
    per_judged = 100  # documents are sorted in the time in which one judged document is counted

    def __init__(self, xp: Any, device: Any) -> None:
        self.xp, self.device, self.is_torch = xp, device, compat.is_torch_namespace(xp)
        if self.is_host:
            self.sorted_at_once, self.counted_at_once, self.long, self.few = self.on_host
            self.per_judged = self.per_judged * (2 if self.is_torch else 1)  # torch sorts in half the time

    @property
    def is_host(self) -> bool:
        """Whether NumPy can share the memory."""
        return bool(compat.is_numpy_namespace(self.xp) or (self.is_torch and self.device.type == "cpu"))

    def put(self, array: Any) -> Array:
        """An array of any library, or a list, as an array on this device."""
        if not isinstance(array, np.ndarray) or self is HOST:
            arrays, array = of_library(array)
            if arrays.xp is self.xp:
                return compat.to_device(array, self.device)
            array = arrays.host(array)
        if not array.flags.writeable or min(array.strides, default=0) < 0:
            array = array.copy()  # torch warns of one, and refuses the other
        return self.xp.asarray(array, device=self.device)

    def host(self, array: Array) -> Any:
        """The array in NumPy."""
        if self.is_torch:  # NumPy has no bfloat16
            return (array.float() if array.dtype == self.xp.bfloat16 else array).cpu().numpy()
        try:
            return np.asarray(array)
        except (TypeError, ValueError, RuntimeError):  # on another device
            return np.from_dlpack(array, device="cpu")

    def hosts(self, *arrays: Array) -> list[Any]:
        """Several arrays in NumPy; torch's in one transfer, since each has to wait."""
        if self.is_host or not self.is_torch:
            return [self.host(array) for array in arrays]
        known = [each.float() if each.dtype == self.xp.bfloat16 else each for each in arrays]
        flat = [each.contiguous().reshape(-1).view(self.xp.uint8) for each in known]
        ends = [*itertools.accumulate(map(len, flat), initial=0)]
        whole = self.host(self.xp.concat(flat))
        return [
            whole[begin:end].view(_name(each.dtype)).reshape(each.shape)
            for each, (begin, end) in zip(known, itertools.pairwise(ends), strict=True)
        ]

    def describe(self, array: Array) -> str:
        """The type of the array, for a provenance."""
        if compat.is_numpy_namespace(self.xp):
            return f"{array.dtype} array"
        library = self.xp.__name__.removeprefix("array_api_compat.").partition(".")[0]
        kind = "tensor" if self.is_torch else f"array of {library}"
        return f"{_name(array.dtype)} {kind} on {self.device}"

    def is_real(self, array: Array) -> bool:
        """Whether elements are real numbers or truth values."""
        return bool(self.xp.isdtype(array.dtype, ("bool", "integral", "real floating")))

    def floats(self, array: Array) -> Array:
        """The numbers as floats, as exact as those of a run with these scores."""
        xp = self.xp
        if xp.isdtype(array.dtype, "real floating"):
            if not self.is_host or array.dtype in (xp.float32, xp.float64):
                return array
            return xp.astype(array, xp.float32 if array.dtype.itemsize < 4 else xp.float64)  # as the core has
        floats = xp.astype(array, xp.float64)
        if floats.dtype != xp.float64:  # JAX, unless it is configured otherwise
            raise InputError(
                f"the scores are {array.dtype}, and {xp.__name__} has no 64-bit floats as it is configured, "
                "which comparing them needs; convert them to float32, or enable 64-bit floats"
            )
        return floats

    def single(self, array: Array) -> Array:
        """The floats in single precision."""
        xp = self.xp
        if array.dtype != xp.float64:
            return array
        with np.errstate(over="ignore"):
            rounded = xp.astype(xp.astype(array, xp.float32), xp.float64)
        return self.where(~(xp.isinf(rounded) & (rounded < 0)), rounded, LOWEST)

    def numbers(self, array: Array) -> Array:
        """The array with numbers for truth values."""
        return self.xp.astype(array, self.xp.int8) if self.xp.isdtype(array.dtype, "bool") else array

    def rows(self, array: Array, rows: Any) -> Array:
        """Some rows, by a slice or numbers on the host."""
        if isinstance(rows, slice):
            return array[rows] if len(array.shape) == 1 else array[rows, :]
        return self.xp.take(array, self.put(rows), axis=0)

    def pick(self, flat: Array, places: Array) -> Array:
        """The elements at places of a flat array, in the shape of the places."""
        picked = self.xp.take(flat, self.xp.reshape(places, (-1,)), axis=0)
        return self.xp.reshape(picked, tuple(places.shape))

    def along(self, array: Array, columns: Array) -> Array:
        """The elements in these columns of each row."""
        return self.xp.take_along_axis(array, columns, axis=1)

    def where(self, mask: Array, array: Array, other: float) -> Array:
        """The array, with another number outside the mask."""
        return self.xp.where(mask, array, self.xp.asarray(other, dtype=array.dtype, device=self.device))

    def sort(self, array: Array, stable: bool) -> tuple[Array, Array]:
        """(the numbers of each row, their columns), the largest first."""
        if self.is_torch:  # in less time than by the order alone
            values, order = array.sort(dim=1, descending=True, stable=stable)
            return values, order
        order = self.xp.argsort(-array, axis=1, stable=stable)  # not all libraries have `descending`
        return self.along(array, order), order

    def tied(self, array: Array) -> Array:
        """Where a number equals a neighbour in its row."""
        xp, same = self.xp, array[:, 1:] == array[:, :-1]
        edge = xp.zeros((array.shape[0], 1), dtype=xp.bool, device=self.device)
        return xp.concat((edge, same), axis=1) | xp.concat((same, edge), axis=1)

    def counts(self, mask: Array) -> Array:
        """(rows,): the set elements of each row."""
        return mask.sum(dim=1) if self.is_torch else self.xp.count_nonzero(mask, axis=1)

    def all_finite(self, array: Array) -> bool:
        """Whether all numbers are finite."""
        if 0 in array.shape:
            return True
        # NaN is passed on by both; no array of truth values is made.
        low, high = array.aminmax() if self.is_torch else (self.xp.min(array), self.xp.max(array))
        return bool(self.xp.isfinite(low) & self.xp.isfinite(high))

    def places(self, mask: Array) -> tuple[Ints, ...]:
        """The places of set elements, row by row, an array per dimension, on the host."""
        return tuple(each.astype(np.int64) for each in self.hosts(*self.xp.nonzero(mask)))

    def chosen(self, mask: Array, *arrays: Array) -> list[Any]:
        """(places in the flat mask, elements of each array there) where it is set, on the host."""
        if self.is_host:
            flat = np.flatnonzero(self.host(mask))
            return [flat, *(self.host(array).reshape(-1)[flat] for array in arrays)]
        (there,) = self.xp.nonzero(self.xp.reshape(mask, (-1,)))
        return self.hosts(there, *(self.pick(self.xp.reshape(each, (-1,)), there) for each in arrays))

    def distinct(self, array: Array, mask: Array | None) -> Floats:
        """The distinct numbers within the mask, ascending, on the host."""
        array = array if mask is None else array[mask]
        if not self.is_host:
            return np.sort(np.asarray(self.host(self.xp.unique_values(array)), dtype=np.float64))
        numbers = self.host(array)
        if numbers.dtype.kind in "iu" and numbers.size:
            low, high = int(numbers.min()), int(numbers.max())
            if high - low < FEW_NUMBERS:
                return (low + np.flatnonzero(np.bincount((numbers - low).ravel()))).astype(np.float64)
        return np.unique(numbers).astype(np.float64)


def _name(dtype: Any) -> str:
    return str(dtype).rpartition(".")[2]


HOST = Arrays(compat.array_namespace(np.empty(0)), "cpu")


def of_library(array: Any) -> tuple[Arrays, Array]:
    """(operations on the device of the array, the array); lists become NumPy's."""
    torch: Any = sys.modules.get("torch")  # without it, this is no tensor
    if torch is not None and isinstance(array, torch.Tensor):
        return Arrays(compat.array_namespace(array), array.device), array.detach()
    has_namespace = hasattr(array, "__array_namespace__")
    if isinstance(array, np.ndarray) or not (has_namespace or hasattr(array, "__dlpack__")):
        return HOST, _numbers(array)
    # CuPy has the names of the standard, and not all of their arguments.
    if has_namespace and not compat.is_cupy_array(array):
        return Arrays(compat.array_namespace(array), compat.device(array)), array
    if array.__dlpack_device__()[0] == 1:  # the processor's memory
        return HOST, np.from_dlpack(array)
    # The only library that takes over the memory of other devices
    torch = optional_module("torch", "an array on another device", "torch")
    return of_library(torch.from_dlpack(array))


def on_host(array: Any) -> Any:
    """The NumPy array of any array or list."""
    arrays, array = of_library(array)
    return arrays.host(array)


def _numbers(array: Any) -> Any:
    if np.ma.is_masked(array):
        raise InputError("some scores are masked; pass the data, and mask=~array.mask")
    try:
        numbers = np.asarray(array)
    except (TypeError, ValueError):
        raise InputError("the scores are not numbers in an array, or in lists of the same length") from None
    # Of other libraries than NumPy, which does not know it
    return numbers.astype(np.float32) if numbers.dtype.name == "bfloat16" else numbers
