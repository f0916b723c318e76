"""Products by torch, on the processor or on a graphics card; fused with counting where Triton can."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from rankgauge.engines.vectors import exact
from rankgauge.engines.vectors.arithmetic import Arithmetic
from rankgauge.engines.vectors.limits import DOUBLE, SINGLE, Limits
from rankgauge.rankings.arrays.curves import Ints

HALF = (torch.float16, torch.bfloat16)
PRODUCTS = 1 << 29  # bytes of products at once on a graphics card
WORDS = 8 * 31  # documents that `row_counts` counts in one number
PRODUCTS_OF_CPU = 1 << 24  # small enough to be compared in the cache


class TorchArithmetic(Arithmetic):
    """Vectors are tensors on one device."""

    block_rows = 1 << 20

    def __init__(self, queries: Any, rows: Ints, dtype: str, device: Any) -> None:
        self.device = torch.device(device)
        queries = torch.as_tensor(queries)
        self.queries = queries[torch.as_tensor(rows, device=queries.device)].to(self.device)
        stored = {self.queries.dtype, getattr(torch, dtype)}
        # Products of 16-bit numbers are exact in single precision, in which graphics cards add them up.
        self.half = len(stored) == 1 and stored <= {*HALF} and self.device.type == "cuda"
        double = any(
            kind not in (*HALF, torch.float32, torch.int8, torch.uint8, torch.int16) for kind in stored
        )
        self._dtype = torch.float64 if double else torch.float32
        self.roundoff = DOUBLE if double else SINGLE
        self._fast = self.queries if self.half else self.queries.to(self._dtype)
        gigabyte = 1 << (30 if self.device.type == "cuda" else 24)
        self.exact_rows = max(1, gigabyte // (8 * max(1, self.queries.shape[1])))

    def array(self, values: Any) -> Any:
        """An array of NumPy's as a tensor on the device."""
        return torch.as_tensor(values, device=self.device)

    def block(self, vectors: Any) -> Any:
        """A matrix of vectors as a tensor on the device."""
        with warnings.catch_warnings():
            warnings.filterwarnings(
                "ignore", message=".*not writable", category=UserWarning
            )  # none is written to
            return torch.as_tensor(vectors).to(self.device)

    def host(self, values: Any) -> Any:
        """A tensor as an array of NumPy's."""
        return values.cpu().numpy()

    def squares(self, vectors: Any) -> Any:
        """(rows,): the squared lengths of rows, about; not finite if one of its numbers is not."""
        if vectors.dtype.is_floating_point:
            return torch.linalg.vector_norm(vectors, dim=1, dtype=self._dtype) ** 2
        return torch.linalg.vector_norm(vectors.to(self._dtype), dim=1) ** 2

    def dots(self, a: Any, rows_a: Any, b: Any, rows_b: Any) -> Any:
        """The products of rows of two matrices in double precision, always added up in the same order."""
        return exact.dots(a[rows_a].double(), b[rows_b].double())

    def near(self, vectors: Any, query: Ints, limits: Limits) -> tuple[Ints, Any, Any]:
        """(documents above the high limit of each pair, pairs and rows of those between its limits)."""
        rounded = limits.rounded(np.float64 if self._dtype == torch.float64 else np.float32)
        low, high = (self.array(limit)[:, None] for limit in rounded)
        layers = [(self.array(pairs), self.array(rows)) for pairs, rows in layers_of(query)]
        above = torch.zeros(len(query), dtype=torch.int64, device=self.device)
        found: list[tuple[Any, Any]] = [(self.array(np.empty(0, dtype=np.int64)),) * 2]
        budget = PRODUCTS if self.device.type == "cuda" else PRODUCTS_OF_CPU
        step = max(1, budget // (self._dtype.itemsize * max(1, len(self._fast))) // WORDS) * WORDS
        for start in range(0, len(vectors), step):
            some = slice(start, start + step)
            with full_precision():
                products = self._products(vectors[some])
            if limits.scale is not None:
                products *= limits.scale[some]
            if limits.shift is not None:
                products += limits.shift[some]
            for pairs, rows in layers:
                of_rows = products if len(rows) == len(products) else products[rows]
                over, reached = of_rows > high[pairs], of_rows >= low[pairs]
                counts = row_counts(over)
                above[pairs] += counts
                if bool((row_counts(reached) > counts).any()):
                    row, column = reached.logical_xor_(over).nonzero(as_tuple=True)
                    found.append((pairs[row], column + start))
        pair, column = (torch.cat(parts) for parts in zip(*found, strict=True))
        return self.host(above), pair, column

    def _products(self, vectors: Any) -> Any:
        """(queries, documents) in the precision in which they are compared."""
        if self.half:
            return torch.mm(self._fast, vectors.T, out_dtype=torch.float32)
        return self._fast @ vectors.to(self._dtype).T

    def count(self, numbers: Any, size: int) -> Ints:
        """(size,): how often each number occurs."""
        counts: Ints = self.host(torch.bincount(numbers, minlength=size))
        return counts

    def rounded(self, scores: Any) -> Any:
        """The scores as 32-bit numbers."""
        return scores.float()


def row_counts(mask: Any) -> Any:
    """(rows,): how many are true.

    Eight are added up at a time: the bytes of a 64-bit number count up to 255 without a carry.
    """
    if mask.shape[1] % WORDS:
        return mask.sum(dim=1)
    words = mask.view(torch.int64).view(len(mask), -1, WORDS // 8).sum(dim=2)
    return ((words * 0x0101010101010101) >> 56 & 255).sum(dim=1)


@contextmanager
def full_precision() -> Iterator[None]:
    """Products in single precision, whatever less the process allows, such as TF32."""
    allowed, cuda = torch.get_float32_matmul_precision(), torch.backends.cuda.matmul
    sixteen = cuda.allow_fp16_reduced_precision_reduction, cuda.allow_bf16_reduced_precision_reduction
    torch.set_float32_matmul_precision("highest")
    cuda.allow_fp16_reduced_precision_reduction = cuda.allow_bf16_reduced_precision_reduction = False
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(allowed)
        cuda.allow_fp16_reduced_precision_reduction, cuda.allow_bf16_reduced_precision_reduction = sixteen


def layers_of(query: Ints) -> list[tuple[Ints, Ints]]:
    """(pairs, their queries): the first pairs of all queries, then the second ones, and so on."""
    nth = np.arange(len(query)) - np.searchsorted(query, query)
    order = np.argsort(nth, kind="stable")
    return [(pairs, query[pairs]) for pairs in np.split(order, np.flatnonzero(np.diff(nth[order])) + 1)]
