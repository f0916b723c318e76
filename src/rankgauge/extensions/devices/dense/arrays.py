"""Vectors in memory: NumPy arrays, tensors of torch, and arrays that export DLPack, which are not copied."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from rankgauge.errors import InputError
from rankgauge.schema.lazy import optional_module
from rankgauge.schema.text import counted, described

CPU = 1  # the number of the host's memory in DLPack
FLOATS = "use float16, float32 or float64"
TENSOR_TYPES = ["float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8"]
UNREADABLE = (BufferError, RuntimeError, TypeError, ValueError)  # by DLPack


def torch_of(value: Any) -> Any:
    """The module torch if the value is a tensor, else None; never imports it."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(value, torch.Tensor) else None


def is_array(value: Any) -> bool:
    """Whether this is an array of any library."""
    if isinstance(value, (str, bytes, type)) or not hasattr(value, "shape"):
        return False
    return any(hasattr(value, name) for name in ("dtype", "__dlpack__", "__array__"))


def open_array(value: Any, where: str = "") -> Any:
    """Vectors as a two-dimensional NumPy array or tensor; `where` begins messages."""
    array = _known(value, where)
    if array.ndim != 2:
        hint = "; for one vector, array.reshape(1, -1)" if array.ndim == 1 else ""
        raise InputError(
            f"{where}the vectors have {counted(array.ndim, 'dimension')}; use two: a row per vector{hint}"
        )
    if not array.shape[1]:
        raise InputError(f"{where}the vectors are empty: {array.shape[0]} rows of 0 numbers")
    return array


def check_type(dtype: np.dtype[Any], where: str = "") -> None:
    """Raise an error for a NumPy type that does not hold real numbers."""
    if dtype.kind == "b":
        raise InputError(f"{where}the vectors are of type bool; use numbers: array.astype('int8')")
    if dtype.kind not in "iuf" or dtype.itemsize > 8:
        reason = "Python objects; are its rows of one length? " if dtype.kind == "O" else f"type {dtype}; "
        raise InputError(f"{where}the vectors hold values of {reason}{FLOATS}")


def _known(value: Any, where: str) -> Any:
    if torch_of(value) is not None:
        return _tensor(value, where)
    if hasattr(value, "toarray"):
        raise InputError(f"{where}the vectors are a sparse matrix; use a dense one: matrix.toarray()")
    if isinstance(value, np.ndarray) or not hasattr(value, "__dlpack__"):
        return _numpy(value, where)
    if value.__dlpack_device__()[0] == CPU:
        try:
            return _numpy(np.from_dlpack(value), where)
        except UNREADABLE:  # a type that NumPy lacks: bfloat16
            if hasattr(value, "__array__") and np.asarray(value).dtype.kind in "iufcbO":
                return _numpy(value, where)
    feature = f"{described(value)} on another device, or of a type that NumPy lacks,"
    torch = optional_module("torch", feature, "torch")
    try:
        return _tensor(torch.from_dlpack(value), where)
    except UNREADABLE as error:
        raise InputError(
            f"{where}{described(value)} cannot be read through DLPack ({error}); {FLOATS}"
        ) from None


def _tensor(tensor: Any, where: str) -> Any:
    kind = type_name(tensor)
    if kind not in TENSOR_TYPES:
        raise InputError(f"{where}the vectors are of type {kind}; use float16, bfloat16, float32 or float64")
    if str(tensor.layout) != "torch.strided":
        raise InputError(f"{where}the tensor is sparse; use a dense one: tensor.to_dense()")
    return tensor.detach()


def _numpy(value: Any, where: str) -> Any:
    if np.ma.is_masked(value):
        raise InputError(f"{where}some numbers of the array are masked; fill them")
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputError(
            f"{where}{described(value)} is not an array of numbers ({error}); {FLOATS}"
        ) from None
    check_type(array.dtype, where)
    return array


def stacked(rows: Sequence[Any], what: str = "documents") -> Any:
    """Single vectors as the rows of one array."""
    for place, row in enumerate(rows):
        where = f"vector {place} (counted from 0) of the {what}"
        if not hasattr(row, "__len__") or isinstance(row, (str, bytes)):
            raise InputError(f"{where} is {described(row)}; use a list of numbers or an array")
        if len(row) != len(rows[0]):
            raise InputError(
                f"{where} has {len(row)} numbers, and those before it {len(rows[0])}; all need the same "
                "number"
            )
    if not rows:
        raise InputError(f"there are no {what}: no vector")
    torch = torch_of(rows[0])
    if torch is not None and all(map(torch_of, rows)):
        return open_array(torch.stack(list(rows)))
    return open_array(list(rows))


def native(array: Any) -> Any:
    """The array in the byte order of this machine."""
    if isinstance(array, np.ndarray) and not array.dtype.isnative:
        return array.astype(array.dtype.newbyteorder("="))
    return array


def type_name(array: Any) -> str:
    """The type of the numbers, such as float16."""
    dtype = array.dtype
    return dtype.newbyteorder("=").name if isinstance(dtype, np.dtype) else str(dtype).removeprefix("torch.")


def concatenated(arrays: Sequence[Any]) -> Any:
    """Arrays of any libraries as one: on the host, unless all share a device."""
    if len(arrays) == 1:
        return arrays[0]
    torch: Any = next(filter(None, map(torch_of, arrays)), None)
    if torch is None:
        return np.concatenate(arrays)
    if len({each.device if torch_of(each) else None for each in arrays}) > 1:
        arrays = [torch.as_tensor(each).cpu() for each in arrays]
    return torch.cat(list(arrays))


def rows_of(array: Any, rows: Any) -> Any:
    """A copy of some rows."""
    torch = torch_of(array)
    return native(array[rows]) if torch is None else array[torch.as_tensor(rows, device=array.device)]


def stored(array: Any) -> tuple[Any, str]:
    """(a NumPy array with the same bytes, the name of the type), for files."""
    torch, dtype = torch_of(array), type_name(array)
    if torch is None:
        return native(array), dtype
    array = array.cpu()
    return (array.view(torch.int16) if dtype == "bfloat16" else array).numpy(), dtype


def restored(array: Any, dtype: str) -> Any:
    """The inverse of `stored`."""
    if dtype != "bfloat16":
        return open_array(array)
    torch = optional_module("torch", "vectors of type bfloat16", "torch")
    return torch.from_numpy(array).view(torch.bfloat16)
