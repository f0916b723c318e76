"""By how much products miss limits, by torch: what is negative has reached the low limit of a pair.

Comparing all products with a limit of their own costs more than the product on a graphics card. The sign of
a margin costs little, and its size as an integer says whether the high limit is reached as well: for negative
numbers, the smaller the size, the smaller the integer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from rankgauge.engines.vectors.limits import SINGLE, Limits
from rankgauge.measures.rankings.arrays.curves import Floats, Ints

PIECES = 3  # numbers of 16 bits that a limit is the sum of
ALIGNED = 16  # numbers in a row must be a multiple of it for fast products


class Margins(ABC):
    """Low limits of pairs less products of their queries with documents."""

    rows: int  # of products that are computed at once

    @abstractmethod
    def compared(self, vectors: Any, some: slice) -> Iterator[tuple[Any, Any, Any]]:
        """(pairs, whether documents reach their low limit, whether they are between the limits), in parts."""


class LayeredMargins(Margins):
    """Margins of products that are scaled and shifted: of the first pairs of all queries, then the second."""

    def __init__(self, queries: Any, dtype: Any, query: Ints, limits: Limits) -> None:
        low, high = limits.rounded(_number_of(dtype))
        self._queries, self._dtype, self._limits = queries, dtype, limits
        self._low = _on(queries, low)[:, None]
        self._widest = _widest(queries, dtype, high.astype(np.float64) - low.astype(np.float64))
        self._layers = [(_on(queries, pairs), _on(queries, rows)) for pairs, rows in layers_of(query)]
        self.rows = len(queries)

    def compared(self, vectors: Any, some: slice) -> Iterator[tuple[Any, Any, Any]]:
        """Those of one layer after the other."""
        products = _products(self._queries, vectors[some], self._dtype)
        if self._limits.scale is not None:
            products *= self._limits.scale[some]
        if self._limits.shift is not None:
            products += self._limits.shift[some]
        for pairs, rows in self._layers:
            of_rows = products if len(rows) == len(products) else products[rows]
            yield pairs, *_compared(self._low[pairs] - of_rows, self._widest[pairs])


class FoldedMargins(Margins):
    """Margins of products of 16-bit numbers: the limit is a part of the product.

    A query has minus its numbers and the limit of a pair, in pieces; a document has its numbers and ones.
    """

    @staticmethod
    def can(queries: Any, limits: Limits) -> bool:
        """Whether products are not scaled, and limits are numbers that pieces nearly add up to."""
        of = torch.finfo(queries.dtype)
        fits = np.abs(limits.low) < of.max / 2  # infinity is not
        wide = limits.high - limits.low > 8 * of.smallest_normal * of.eps
        return limits.scale is None and limits.shift is None and bool((fits & wide).all())

    def __init__(self, queries: Any, query: Ints, limits: Limits) -> None:
        dim, of = queries.shape[1], torch.finfo(queries.dtype)
        # The limit takes part in the sum, whose error grows with it; and pieces leave out the end of it.
        error = 2 * (dim + 2 * ALIGNED) * SINGLE * np.abs(limits.low) + of.smallest_normal * of.eps
        rest, pieces = _on(queries, limits.low - error), []
        for _ in range(PIECES):
            pieces.append(rest.to(queries.dtype))
            rest = rest - pieces[-1].double()
        low = limits.low - error - rest.cpu().numpy()
        self._widest = _widest(queries, torch.float32, limits.high + error - low)
        width = -(-(dim + PIECES) // ALIGNED) * ALIGNED
        self._queries = queries.new_zeros((len(query), width))
        self._queries[:, :dim] = -queries[_on(queries, query)]
        self._queries[:, dim : dim + PIECES] = torch.stack(pieces, dim=1)
        self._documents = queries.new_ones((0, width))
        self._pairs = _on(queries, np.arange(len(query)))
        self.rows = len(query)

    def compared(self, vectors: Any, some: slice) -> Iterator[tuple[Any, Any, Any]]:
        """Those of all pairs at once."""
        rows = vectors[some]
        if len(self._documents) < len(rows):
            self._documents = rows.new_ones((len(rows), self._queries.shape[1]))
        documents = self._documents[: len(rows)]
        documents[:, : rows.shape[1]] = rows
        yield self._pairs, *_compared(_products(self._queries, documents, torch.float32), self._widest)


def _number_of(dtype: Any) -> Any:
    return np.float64 if dtype == torch.float64 else np.float32


def _on(queries: Any, values: Any) -> Any:
    return torch.as_tensor(values, device=queries.device)


def _widest(queries: Any, dtype: Any, widths: Floats) -> Any:
    """(pairs, 1): margins at high limits, this far below the low ones, as integers."""
    number = _number_of(dtype)
    with np.errstate(over="ignore"):
        margins = np.nextafter(-widths.astype(number), number(-np.inf))
    return _on(queries, margins.view(np.int64 if number is np.float64 else np.int32))[:, None]


def _compared(margins: Any, widest: Any) -> tuple[Any, Any]:
    """(whether the low limit is reached, whether the high one is not)."""
    bits = margins.view(widest.dtype)
    return bits < 0, bits <= widest


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
