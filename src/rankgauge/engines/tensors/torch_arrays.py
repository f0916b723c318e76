"""The operations on arrays that ranks need, in torch."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from rankgauge.engines.tensors.host_arrays import FEW_NUMBERS, HOST, LOWEST, Array, Arrays
from rankgauge.measures.rankings.array_types import Floats, Ints


class TorchArrays(Arrays):
    """The operations in torch, on the device of a tensor."""

    sorted_at_once = 1 << 22
    counted_at_once = 1 << 25
    long, few = 4096, 16

    def __init__(self, torch: Any, device: Any) -> None:
        self._torch, self.device = torch, device
        if self.is_host:
            self.long, self.few = Arrays.long, Arrays.few
            self.per_judged = 2 * Arrays.per_judged  # torch sorts in half the time

    @property
    def is_host(self) -> bool:
        """Whether tensors are in the host's memory, where those of NumPy can be shared."""
        return bool(self.device.type == "cpu")

    def put(self, array: Any) -> Array:
        """A tensor on this device."""
        if isinstance(array, self._torch.Tensor):
            array = array.detach()
        elif hasattr(array, "__dlpack__") and not isinstance(array, np.ndarray):  # CuPy's, for instance
            array = self._torch.from_dlpack(array)
        else:
            array = _shareable(array)
        return self._torch.as_tensor(array, device=self.device)

    def host(self, array: Array) -> Any:
        """A NumPy array of the numbers."""
        if array.dtype == self._torch.bfloat16:  # NumPy has none
            array = array.float()
        return array.cpu().numpy()

    def hosts(self, *arrays: Array) -> list[Any]:
        """NumPy arrays of the numbers of several tensors; each transfer has to wait for the device."""
        if self.is_host or len(arrays) < 2:
            return super().hosts(*arrays)
        torch = self._torch
        arrays = tuple(each.float() if each.dtype == torch.bfloat16 else each for each in arrays)
        flat = [each.contiguous().reshape(-1).view(torch.uint8) for each in arrays]
        ends = [*itertools.accumulate(map(len, flat), initial=0)]
        whole = self.host(torch.cat(flat))
        return [
            whole[begin:end].view(str(each.dtype).removeprefix("torch.")).reshape(each.shape)
            for each, (begin, end) in zip(arrays, itertools.pairwise(ends), strict=True)
        ]

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

    def columns(self, array: Array, columns: Ints) -> Array:
        """The same columns of all rows."""
        return array[:, self.put(columns)]

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

    def tied(self, array: Array) -> Array:
        """Where a number equals one beside it in its row."""
        same, pad = array[:, 1:] == array[:, :-1], self._torch.nn.functional.pad
        return pad(same, (1, 0)) | pad(same, (0, 1))

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
        return all(map(math.isfinite, self._torch.stack(self._torch.aminmax(array)).tolist()))

    def places(self, mask: Array) -> tuple[Ints, ...]:
        """The places of set elements, on the host."""
        return tuple(self.host(each) for each in self._torch.nonzero(mask, as_tuple=True))

    def chosen(self, mask: Array, *arrays: Array) -> list[Any]:
        """(places in the flat mask, elements of each tensor there) where the mask is set, on the host."""
        if self.is_host:
            return HOST.chosen(self.host(mask), *map(self.host, arrays))
        flat = self._torch.nonzero(mask.reshape(-1))[:, 0]
        return self.hosts(flat, *(array.reshape(-1)[flat] for array in arrays))

    def distinct(self, array: Array, mask: Array | None) -> Floats:
        """The distinct numbers where the mask is set, ascending, on the host."""
        array = array if mask is None else array[mask]
        if self.is_host:
            return HOST.distinct(self.host(array), None)
        # Most are whole numbers, which are then known after one transfer.
        whole = array.nan_to_num() if array.is_floating_point() else array
        whole = whole.clamp(0, FEW_NUMBERS - 1).long()
        seen = self._torch.zeros(FEW_NUMBERS, dtype=self._torch.bool, device=self.device)
        seen.index_fill_(0, whole.reshape(-1), True)
        seen, are_whole = self.hosts(seen, (whole == array).all())
        if are_whole:
            return np.flatnonzero(seen).astype(np.float64)
        return np.asarray(self.host(self._torch.unique(array)), dtype=np.float64)

    def counts(self, array: Array, thresholds: Array, sizes: Ints) -> tuple[Ints, Ints]:
        """(rows, thresholds) twice: how many numbers are above the threshold, and equal to it."""
        if self.is_host:  # where torch takes ten times as long to count
            return HOST.counts(self.host(array), self.host(thresholds), sizes)
        above, equal = [], []
        for n in range(thresholds.shape[1]):
            threshold = thresholds[:, n : n + 1]
            above.append((array > threshold).sum(dim=1))
            equal.append((array == threshold).sum(dim=1))
        above, equal = self.hosts(self._torch.stack(above, dim=1), self._torch.stack(equal, dim=1))
        return above, equal


def _shareable(array: Any) -> Any:
    """An array that torch can share: it refuses negative strides, and warns of what is read-only.

    Nothing is written to it here.
    """
    array = np.asarray(array)
    return array if array.flags.writeable and min(array.strides, default=0) >= 0 else array.copy()
