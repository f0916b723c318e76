"""Ranks of judged documents, by counting documents whose vectors have a better score.

Scores are defined in double precision. Products in faster arithmetic decide wherever their error cannot
matter; the few documents for which it could are scored again. `arithmetic_for` chooses the library that
computes, NumPy or torch: that of the arrays, or of a device.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from rankgauge import core
from rankgauge.errors import OptionError
from rankgauge.extensions.devices.vectors.counting import DOUBLE, SINGLE, Arithmetic, Limits
from rankgauge.measures.rankings.arrays.curves import Ints
from rankgauge.schema.lazy import optional_module
from rankgauge.schema.options import setting
from rankgauge.schema.text import counted

QUERIES, DOCUMENTS = 1024, 4096  # products at once: enough for BLAS, few enough to be counted in the cache


class NumPyArithmetic(Arithmetic):
    """NumPy arrays of any numbers: BLAS multiplies them, and the core counts."""

    exact_rows = 1 << 16
    block_rows = 1 << 16

    def __init__(self, queries: Any, dtype: Any) -> None:
        self.queries = queries
        # Integers of up to 16 bits and 16-bit numbers are exact in single precision.
        double = np.result_type(queries.dtype, dtype, np.float16) == np.float64
        self._dtype: Any = np.float64 if double else np.float32
        self.roundoff = DOUBLE if double else SINGLE
        self._fast = np.ascontiguousarray(queries, dtype=self._dtype)
        self._products = np.empty(min(QUERIES, len(queries)) * DOCUMENTS, dtype=self._dtype)

    def array(self, values: Any) -> Any:
        """The array itself."""
        return values

    host = array

    def block(self, vectors: Any) -> Any:
        """The vectors in NumPy."""
        return np.asarray(vectors)

    def squares(self, vectors: Any) -> Any:
        """As `Arithmetic.squares`."""
        parts = [np.empty(0, dtype=self._dtype)]
        with np.errstate(over="ignore", invalid="ignore"):
            for begin in range(0, len(vectors), DOCUMENTS):
                some = np.asarray(vectors[begin : begin + DOCUMENTS], dtype=self._dtype)
                parts.append(np.einsum("ij,ij->i", some, some))
        return np.concatenate(parts)

    def dots(self, a: Any, rows_a: Any, b: Any, rows_b: Any) -> Any:
        """As `Arithmetic.dots`."""
        sides = (self._rows(a, rows_a), self._rows(b, rows_b))
        (one, of_one), (other, of_other) = sides
        return np.frombuffer(core.dots(one, of_one, other, of_other, int(a.shape[1])), dtype=np.float64)

    def _rows(self, matrix: Any, rows: Ints) -> tuple[Any, Ints]:
        if matrix.dtype == self._dtype and matrix.flags.c_contiguous and matrix.flags.aligned:
            return matrix, np.ascontiguousarray(rows)
        return np.ascontiguousarray(matrix[rows], dtype=self._dtype), np.arange(len(rows))

    def near(self, vectors: Any, query: Ints, limits: Limits) -> tuple[Ints, Any, Any]:
        """As `Arithmetic.near`."""
        low, high = limits.rounded(self._dtype)
        above = np.zeros(len(query), dtype=np.int64)
        pairs, rows = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
        for start in range(0, len(vectors), DOCUMENTS):
            some = slice(start, start + DOCUMENTS)
            documents = np.asarray(vectors[some], dtype=self._dtype).T
            for first in range(0, len(self._fast), QUERIES):
                queries = self._fast[first : first + QUERIES]
                shape = len(queries), documents.shape[1]
                products = self._products[: shape[0] * shape[1]].reshape(shape)
                np.matmul(queries, documents, out=products)
                if limits.scale is not None:
                    products *= limits.scale[some]
                if limits.shift is not None:
                    products += limits.shift[some]
                begin, end = np.searchsorted(query, (first, first + len(queries)))
                counted = core.near(
                    products, shape[1], query[begin:end] - first, low[begin:end], high[begin:end]
                )
                better, pair, column = (np.frombuffer(buffer, dtype=np.int64) for buffer in counted)
                above[begin:end] += better
                pairs.append(pair + begin)
                rows.append(column + start)
        return above, np.concatenate(pairs), np.concatenate(rows)

    def count(self, numbers: Any, size: int) -> Ints:
        """As `Arithmetic.count`."""
        return np.bincount(numbers, minlength=size)

    def rounded(self, scores: Any) -> Any:
        """The scores as 32-bit numbers."""
        return scores.astype(np.float32)


def arithmetic_for(queries: Any, rows: Ints, dtype: str, documents: Any, device: Any) -> Arithmetic:
    """The arithmetic for some rows of queries and for documents of this type."""
    torch = sys.modules.get("torch")
    if device is None and torch is not None:
        tensors = [each for each in (documents, queries) if isinstance(each, torch.Tensor)]
        # NumPy has no bfloat16; other tensors on the processor are arrays of NumPy, too.
        elsewhere = [each for each in tensors if each.device.type != "cpu" or each.dtype == torch.bfloat16]
        device = elsewhere[0].device if elsewhere else None
    if device is None:
        return NumPyArithmetic(np.asarray(queries)[rows], np.dtype(dtype))
    device = known_device(device)
    from rankgauge.extensions.devices.vectors.torch_arithmetic import TorchArithmetic

    arithmetic = TorchArithmetic(queries, rows, dtype, device)
    if not arithmetic.half:
        return arithmetic
    try:
        from rankgauge.extensions.devices.vectors.triton_arithmetic import TritonArithmetic
    except ImportError:  # torch comes with it on Linux
        return arithmetic
    return TritonArithmetic(queries, rows, dtype, device)


def known_device(device: Any) -> Any:
    """The torch device of a name, or an error."""
    torch = optional_module("torch", f"the device {device}", "torch")
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
