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
    tensors = [each for each in (documents, queries) if torch is not None and isinstance(each, torch.Tensor)]
    if tensors or device is not None:
        from rankgauge.engines.vectors.torch_arithmetic import TorchArithmetic

        return TorchArithmetic(queries, rows, dtype, tensors[0].device if device is None else device)
    return NumPyArithmetic(np.asarray(queries)[rows], np.dtype(dtype))
