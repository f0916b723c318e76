"""Which library computes: the one whose arrays are given, or that of a device."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import numpy as np

from rankgauge.engines.vectors.arithmetic import Arithmetic
from rankgauge.engines.vectors.numpy_arithmetic import NumPyArithmetic
from rankgauge.errors import MissingDependency, OptionError
from rankgauge.measures.rankings.arrays.curves import Ints
from rankgauge.schema.options import setting
from rankgauge.schema.text import counted


def arithmetic_for(queries: Any, rows: Ints, dtype: str, documents: Any, device: Any) -> Arithmetic:
    """The arithmetic for some rows of queries and for documents of this type, like those given."""
    torch = sys.modules.get("torch")
    if device is None and torch is not None:
        tensors = [each for each in (documents, queries) if isinstance(each, torch.Tensor)]
        # NumPy has no bfloat16; other tensors on the processor are arrays of NumPy, too.
        elsewhere = [each for each in tensors if each.device.type != "cpu" or each.dtype == torch.bfloat16]
        device = elsewhere[0].device if elsewhere else None
    if device is None:
        return NumPyArithmetic(np.asarray(queries)[rows], np.dtype(dtype))
    device = known_device(device)
    from rankgauge.engines.vectors.torch_arithmetic import TorchArithmetic

    arithmetic = TorchArithmetic(queries, rows, dtype, device)
    if not arithmetic.half:
        return arithmetic
    try:
        from rankgauge.engines.vectors.triton_arithmetic import TritonArithmetic
    except ImportError:  # torch comes with it on Linux
        return arithmetic
    return TritonArithmetic(queries, rows, dtype, device)


def known_device(device: Any) -> Any:
    """A device of torch, by its name; an error if there is none."""
    try:
        torch: Any = importlib.import_module("torch")
    except ImportError:
        raise MissingDependency(f"the device {device}", "torch", "torch") from None
    try:
        known = torch.device(device)
    except (RuntimeError, TypeError):
        raise OptionError(
            f"{setting('device')} must be one of torch's, such as cpu, cuda or cuda:1, not {device!r}"
        ) from None
    if known.type == "cuda" and (known.index or 0) >= torch.cuda.device_count():
        found = counted(torch.cuda.device_count(), "graphics card")
        raise OptionError(f"torch finds {found} here, and the device is {device}; use another, or cpu")
    return known
