"""Which library an array belongs to: NumPy, torch, or one of the array API standard, such as JAX.

An array that only speaks DLPack, or is CuPy's, is taken over by NumPy or torch, without a copy.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

import numpy as np

from rankgauge.engines.tensors.host_arrays import HOST, Array, Arrays
from rankgauge.engines.tensors.standard_arrays import StandardArrays
from rankgauge.engines.tensors.torch_arrays import TorchArrays
from rankgauge.errors import InputError, MissingDependency


def of_library(array: Any) -> tuple[Arrays, Array]:
    """(operations where the array is, the array); lists of numbers become NumPy's."""
    torch: Any = sys.modules.get("torch")  # without it, this is no tensor
    if torch is not None and isinstance(array, torch.Tensor):
        return TorchArrays(torch, array.device), array.detach()
    if isinstance(array, np.ndarray) or not (
        hasattr(array, "__array_namespace__") or hasattr(array, "__dlpack__")
    ):
        return HOST, _numbers(array)
    # CuPy has the names of the standard, and not all of their arguments.
    if hasattr(array, "__array_namespace__") and not type(array).__module__.startswith("cupy"):
        return StandardArrays(array.__array_namespace__(), array.device), array
    if array.__dlpack_device__()[0] == 1:  # the processor's memory
        return HOST, np.from_dlpack(array)
    if torch is None:  # the only library that takes over the memory of other devices
        try:
            torch = importlib.import_module("torch")
        except ImportError:
            raise MissingDependency("an array on another device", "torch", "torch") from None
    tensor = torch.from_dlpack(array)
    return TorchArrays(torch, tensor.device), tensor


def on_host(array: Any) -> Any:
    """A NumPy array of the numbers of an array of any library, or of a list."""
    arrays, array = of_library(array)
    return arrays.host(array)


def is_elsewhere(arrays: Arrays) -> bool:
    """Whether arrays are, or may be, on another device than the host's."""
    if isinstance(arrays, TorchArrays):
        return not arrays.is_host
    return isinstance(arrays, StandardArrays)


def _numbers(array: Any) -> Any:
    if np.ma.is_masked(array):
        raise InputError("some scores are masked; pass the data, and mask=~array.mask")
    try:
        return np.asarray(array)
    except (TypeError, ValueError):
        raise InputError("the scores are not numbers in an array, or in lists of the same length") from None
