"""Products by torch, on the processor or on a graphics card; fused with counting where Triton can."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from rankgauge.engines.vectors.counting import DOUBLE, SINGLE, Arithmetic, Limits
from rankgauge.engines.vectors.similarities import dots
from rankgauge.measures.rankings.arrays.curves import Ints

HALF = (torch.float16, torch.bfloat16)
PRODUCTS = 1 << 30  # bytes of products at once on a graphics card
PRODUCTS_ON_CPU = 1 << 24  # small enough to be compared in the cache
WORDS = 8 * 31  # documents that `row_counts` counts in one number


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
        self._number = np.float64 if double else np.float32  # the same of NumPy
        self.roundoff = DOUBLE if double else SINGLE
        self._fast = self.queries if self.half else self.queries.to(self._dtype)
        taken = 1 << (30 if self.device.type == "cuda" else 24)
        # `dots` takes both vectors of a pair in double precision.
        self.exact_rows = max(1, taken // (16 * max(1, self.queries.shape[1])))

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
        return dots(a[rows_a].double(), b[rows_b].double())

    def near(self, vectors: Any, query: Ints, limits: Limits) -> tuple[Ints, Any, Any]:
        """(documents above the high limit of each pair, pairs and rows of those between its limits)."""
        low, high = (self.array(each)[:, None] for each in limits.rounded(self._number))
        layers = [(self.array(pairs), self.array(rows)) for pairs, rows in layers_of(query)]
        above = torch.zeros(len(query), dtype=torch.int64, device=self.device)
        found: list[tuple[Any, Any]] = [(self.array(np.empty(0, dtype=np.int64)),) * 2]
        budget = PRODUCTS if self.device.type == "cuda" else PRODUCTS_ON_CPU
        step = max(1, budget // (self._dtype.itemsize * max(1, len(self._fast))) // WORDS) * WORDS
        for start in range(0, len(vectors), step):
            some = slice(start, start + step)
            products = _products(self._fast, vectors[some], self._dtype)
            if limits.scale is not None:
                products *= limits.scale[some]
            if limits.shift is not None:
                products += limits.shift[some]
            for pairs, rows in layers:
                of_pairs = products if len(rows) == len(products) else products[rows]
                reached, over = of_pairs >= low[pairs], of_pairs > high[pairs]
                better = row_counts(over)
                above[pairs] += better
                if bool((row_counts(reached) > better).any()):
                    row, column = places_of(reached.logical_xor_(over))
                    found.append((pairs[row], column + start))
        pair, column = (torch.cat(parts) for parts in zip(*found, strict=True))
        return self.host(above), pair, column

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
    words = mask.view(torch.int64).view(len(mask), WORDS // 8, -1).sum(dim=1)
    return ((words * 0x0101010101010101) >> 56 & 255).sum(dim=1)


def places_of(mask: Any) -> tuple[Any, Any]:
    """(rows, columns) of what is true; eight are looked at at a time, of which mostly none is."""
    if mask.shape[1] % 8:
        row, column = mask.nonzero(as_tuple=True)
        return row, column
    row, column = mask.view(torch.int64).nonzero(as_tuple=True)
    which, nth = mask.view(len(mask), -1, 8)[row, column].nonzero(as_tuple=True)
    return row[which], column[which] * 8 + nth


def _products(queries: Any, documents: Any, dtype: Any) -> Any:
    """(queries, documents) in this precision."""
    with full_precision():
        if queries.is_cuda and queries.dtype == documents.dtype != dtype:
            return torch.mm(queries, documents.T, out_dtype=dtype)
        return queries.to(dtype) @ documents.to(dtype).T


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
