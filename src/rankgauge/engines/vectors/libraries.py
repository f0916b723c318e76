"""Which library computes: the one whose arrays are given, or that of a device."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from rankgauge.engines.vectors.arithmetic import Arithmetic
from rankgauge.engines.vectors.numpy_arithmetic import NumPyArithmetic
from rankgauge.rankings.arrays.curves import Ints


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
    from rankgauge.engines.vectors.torch_arithmetic import TorchArithmetic

    arithmetic = TorchArithmetic(queries, rows, dtype, device)
    if not arithmetic.half:
        return arithmetic
    try:
        from rankgauge.engines.vectors.triton_arithmetic import TritonArithmetic
    except ImportError:  # torch comes with it on Linux
        return arithmetic
    return TritonArithmetic(queries, rows, dtype, device)
