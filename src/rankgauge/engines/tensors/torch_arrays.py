"""The operations on arrays that ranks need, in torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankgauge.engines.tensors.host_arrays import FEW_NUMBERS, HOST, LOWEST, Array, Arrays
from rankgauge.rankings.array_types import Floats, Ints


class TorchArrays(Arrays):
    """The operations in torch, on the device of a tensor."""

    sorted_at_once = 1 << 22
    counted_at_once = 1 << 25
    long, few = 4096, 16

    def __init__(self, torch: Any, device: Any) -> None:
        self._torch, self.device = torch, device
        if device.type == "cpu":
            self.long, self.few = Arrays.long, Arrays.few

    def put(self, array: Any) -> Array:
        """A tensor on this device."""
        array = array.detach() if isinstance(array, self._torch.Tensor) else _writeable(array)
        return self._torch.as_tensor(array, device=self.device)

    def host(self, array: Array) -> Any:
        """A NumPy array of the numbers."""
        if array.dtype == self._torch.bfloat16:  # NumPy has none
            array = array.float()
        return array.cpu().numpy()

    def describe(self, array: Array) -> str:
        """The type of the tensor, for a provenance."""
        return f"{str(array.dtype).removeprefix('torch.')} tensor on {array.device}"

    def is_real(self, array: Array) -> bool:
        """Whether its elements are real numbers, or truth values."""
        return not array.is_complex()

    def floats(self, array: Array) -> Array:
        """The numbers as they are compared."""
        return array if array.is_floating_point() else array.double()

    def single(self, array: Array) -> Array:
        """The floats, rounded to single precision."""
        if array.dtype != self._torch.float64:
            return array
        rounded = array.float().double()
        return rounded.masked_fill(self._torch.isneginf(rounded), LOWEST)

    def numbers(self, array: Array) -> Array:
        """The tensor, with numbers in place of truth values."""
        return array.to(self._torch.int8) if array.dtype == self._torch.bool else array

    def rows(self, array: Array, rows: Any) -> Array:
        """Some rows."""
        return array[rows if isinstance(rows, slice) else self.put(rows)]

    def along(self, array: Array, columns: Array) -> Array:
        """In each row, the numbers in these columns of the row."""
        return self._torch.gather(array, 1, columns)

    def where(self, mask: Array, array: Array, other: float) -> Array:
        """The tensor, with another number where the mask is not set."""
        return array.masked_fill(~mask, other)

    def concatenate(self, arrays: list[Array]) -> Array:
        """Flat tensors, one after the other."""
        return self._torch.cat(arrays)

    def sort(self, array: Array, stable: bool) -> tuple[Array, Array]:
        """(the numbers of each row, their columns), the largest first."""
        values, order = self._torch.sort(array, dim=1, descending=True, stable=stable)
        return values, order

    def sort_flat(self, array: Array) -> tuple[Array, Array]:
        """(the numbers of a flat tensor, their places), the smallest first."""
        values, order = self._torch.sort(array, stable=True)
        return values, order

    def total(self, mask: Array) -> int:
        """How many elements are set."""
        return int(mask.sum())

    def is_finite(self, array: Array) -> Array:
        """Where numbers are finite."""
        return self._torch.isfinite(array)

    def all_finite(self, array: Array) -> bool:
        """Whether all numbers are finite."""
        if not array.numel():
            return True
        return bool(self._torch.stack(self._torch.aminmax(array)).isfinite().all())

    def places(self, mask: Array) -> tuple[Ints, ...]:
        """The places of set elements, on the host."""
        return tuple(self.host(each) for each in self._torch.nonzero(mask, as_tuple=True))

    def chosen(self, mask: Array, *arrays: Array) -> list[Any]:
        """The elements of each tensor where the mask is set, on the host."""
        flat = self._torch.nonzero(mask.reshape(-1))[:, 0]
        return [self.host(array.reshape(-1)[flat]) for array in arrays]

    def distinct(self, array: Array, mask: Array | None) -> Floats:
        """The distinct numbers where the mask is set, ascending, on the host."""
        array = array if mask is None else array[mask]
        if not array.is_floating_point() and array.numel():
            low, high = (int(end) for end in self._torch.aminmax(array))
            if high - low < FEW_NUMBERS:
                counts = self.host(self._torch.bincount((array - low).reshape(-1)))
                return (low + np.flatnonzero(counts)).astype(np.float64)
        distinct = self._torch.unique(array)
        return np.asarray(self.host(distinct), dtype=np.float64)

    def counts(self, array: Array, thresholds: Array, sizes: Ints) -> tuple[Ints, Ints]:
        """(rows, thresholds) twice: how many numbers are above the threshold, and equal to it."""
        if self.device.type == "cpu":  # where torch takes ten times as long to count
            return HOST.counts(self.host(array), self.host(thresholds), sizes)
        above, equal = [], []
        for n in range(thresholds.shape[1]):
            threshold = thresholds[:, n : n + 1]
            above.append((array > threshold).sum(dim=1))
            equal.append((array == threshold).sum(dim=1))
        return self.host(self._torch.stack(above, dim=1)), self.host(self._torch.stack(equal, dim=1))


def _writeable(array: Any) -> Any:
    """An array that torch can share; it warns of read-only ones, though nothing is written to it here."""
    array = np.asarray(array)
    return array if array.flags.writeable else array.copy()
