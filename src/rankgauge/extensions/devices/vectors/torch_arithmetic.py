"""Products by torch, on the processor or on a graphics card; fused with counting where Triton can.

A margin is the low limit of a pair less a product: if it is negative, the limit is reached. On a graphics
card, the sign of a margin costs less than comparing each product with its own limit. Its size as an integer
tells whether the high limit is reached, too.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from rankgauge.extensions.devices.vectors.counting import (
    DOUBLE,
    SINGLE,
    Arithmetic,
    Comparison,
    Limits,
    ScoredPairs,
    dots,
    sums_of,
)
from rankgauge.measures.rankings.arrays.curves import Floats, Ints

HALF = (torch.float16, torch.bfloat16)
MARGINS = 1 << 30  # bytes of margins at once on a graphics card
MARGINS_ON_CPU = 1 << 24  # small enough to be compared in the cache
GROUP = 32  # products that are added up in single precision, for a closer look
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
        self.roundoff = DOUBLE if double else SINGLE
        self._fast = self.queries if self.half else self.queries.to(self._dtype)
        taken = 3 << (29 if self.device.type == "cuda" else 23)
        bytes_of_number = 6 if stored == {torch.float16} else 16  # as `dots` takes both vectors of a pair
        self.exact_rows = max(1, taken // (bytes_of_number * max(1, self.queries.shape[1])))

    def array(self, values: Any) -> Any:
        """A NumPy array on the device."""
        return torch.as_tensor(values, device=self.device)

    def block(self, vectors: Any) -> Any:
        """The vectors on the device."""
        with warnings.catch_warnings():
            warnings.filterwarnings(
                "ignore", message=".*not writable", category=UserWarning
            )  # none is written to
            return torch.as_tensor(vectors).to(self.device)

    def host(self, values: Any) -> Any:
        """A tensor in NumPy."""
        return values.cpu().numpy()

    def squares(self, vectors: Any) -> Any:
        """As `Arithmetic.squares`."""
        if vectors.dtype.is_floating_point:
            return torch.linalg.vector_norm(vectors, dim=1, dtype=self._dtype) ** 2
        return torch.linalg.vector_norm(vectors.to(self._dtype), dim=1) ** 2

    def dots(self, a: Any, rows_a: Any, b: Any, rows_b: Any) -> Any:
        """As `Arithmetic.dots`."""
        if a.dtype == b.dtype == torch.float16:
            return sums_of(exact_products(a, rows_a, b, rows_b))
        return dots(a[rows_a].double(), b[rows_b].double())

    def comparison(self, vectors: Any, pairs: ScoredPairs) -> Comparison:
        """As `Arithmetic.comparison`."""
        exactly = super().comparison(vectors, pairs)
        if not self.queries.dtype == vectors.dtype == torch.float16 or pairs.similarity.score is not None:
            return exactly
        # Sums of a few products have small errors, so that most documents need not be scored exactly.
        limits = pairs.limits(SINGLE, self.squares(vectors), GROUP)
        low, high, query = (self.array(each) for each in (limits.low, limits.high, pairs.query))
        groups = torch.arange(self.queries.shape[1], device=self.device) // GROUP
        in_group = torch.nn.functional.one_hot(groups).float()  # (dimensions, groups)

        def compared(pair: Any, row: Any) -> tuple[Any, Any, Any]:
            products = exact_products(self.queries, query[pair], vectors, row)
            with full_precision():
                sums = (products @ in_group).sum(dim=1, dtype=torch.float64)
            over = sums > high[pair]
            left = (sums >= low[pair]).logical_xor_(over).nonzero()[:, 0]
            better, *ties = exactly(pair[left], row[left])
            return torch.cat((pair[over], better)), *ties

        return compared

    def near(self, vectors: Any, query: Ints, limits: Limits) -> tuple[Ints, Any, Any]:
        """As `Arithmetic.near`."""
        margins: LayeredMargins | FoldedMargins
        if self.half and FoldedMargins.can(self.queries, limits):
            margins = FoldedMargins(self.queries, query, limits)
        else:
            margins = LayeredMargins(self._fast, self._dtype, query, limits)
        above = torch.zeros(len(query), dtype=torch.int64, device=self.device)
        found: list[tuple[Any, Any]] = [(self.array(np.empty(0, dtype=np.int64)),) * 2]
        budget = MARGINS if self.device.type == "cuda" else MARGINS_ON_CPU
        step = max(1, budget // (self._dtype.itemsize * max(1, margins.rows)) // WORDS) * WORDS
        for start in range(0, len(vectors), step):
            for pairs, reached, between in margins.compared(vectors, slice(start, start + step)):
                near = row_counts(between)
                above[pairs] += row_counts(reached) - near
                if bool(near.any()):
                    row, column = places_of(between)
                    found.append((pairs[row], column + start))
        pair, column = (torch.cat(parts) for parts in zip(*found, strict=True))
        return self.host(above), pair, column

    def count(self, numbers: Any, size: int) -> Ints:
        """As `Arithmetic.count`."""
        counts: Ints = self.host(torch.bincount(numbers, minlength=size))
        return counts

    def rounded(self, scores: Any) -> Any:
        """The scores as 32-bit numbers."""
        return scores.float()


def exact_products(a: Any, rows_a: Any, b: Any, rows_b: Any) -> Any:
    """(rows, dimensions): the products of 16-bit numbers of rows, exact in single precision."""
    a = a.float() if len(a) < len(rows_a) else a
    return a[rows_a].float().mul_(b[rows_b])


def row_counts(mask: Any) -> Any:
    """(rows,): how many are true; the bytes of a 64-bit number count up to 255 without a carry."""
    if mask.shape[1] % WORDS:
        return mask.sum(dim=1)
    words = mask.view(torch.int64).view(len(mask), WORDS // 8, -1).sum(dim=1)
    return ((words * 0x0101010101010101) >> 56 & 255).sum(dim=1)


def places_of(mask: Any) -> tuple[Any, Any]:
    """(rows, columns) of what is true; eight at a time are mostly all false."""
    if mask.shape[1] % 8:
        row, column = mask.nonzero(as_tuple=True)
        return row, column
    row, column = mask.view(torch.int64).nonzero(as_tuple=True)
    which, nth = mask.view(len(mask), -1, 8)[row, column].nonzero(as_tuple=True)
    return row[which], column[which] * 8 + nth


PIECES = 3  # numbers of 16 bits that a limit is the sum of
ALIGNED = 16  # numbers in a row must be a multiple of it for fast products


class LayeredMargins:
    """Margins of products that are scaled and shifted: of the first pairs of all queries, then the second.

    The products of `rows` of documents are computed at once.
    """

    def __init__(self, queries: Any, dtype: Any, query: Ints, limits: Limits) -> None:
        low, high = limits.rounded(_number_of(dtype))
        self._queries, self._dtype, self._limits = queries, dtype, limits
        self._low = _on(queries, low)[:, None]
        self._widest = _widest(queries, dtype, high.astype(np.float64) - low.astype(np.float64))
        self._layers = [(_on(queries, pairs), _on(queries, rows)) for pairs, rows in layers_of(query)]
        self.rows = len(queries)

    def compared(self, vectors: Any, some: slice) -> Iterator[tuple[Any, Any, Any]]:
        """(pairs, whether documents reach their low limit, whether they are between limits), in parts."""
        products = _products(self._queries, vectors[some], self._dtype)
        if self._limits.scale is not None:
            products *= self._limits.scale[some]
        if self._limits.shift is not None:
            products += self._limits.shift[some]
        for pairs, rows in self._layers:
            of_rows = products if len(rows) == len(products) else products[rows]
            yield pairs, *_compared(self._low[pairs] - of_rows, self._widest[pairs])


class FoldedMargins:
    """Margins of products of 16-bit numbers: the limit is a part of the product.

    A query has minus its numbers and the limit of a pair, in pieces; a document has its numbers and ones.
    """

    @staticmethod
    def can(queries: Any, limits: Limits) -> bool:
        """Whether products are not scaled, and pieces nearly add up to the limits."""
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
        """The same, of all pairs at once."""
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
    with full_precision():
        if queries.is_cuda and queries.dtype == documents.dtype != dtype:
            return torch.mm(queries, documents.T, out_dtype=dtype)
        return queries.to(dtype) @ documents.to(dtype).T


@contextmanager
def full_precision() -> Iterator[None]:
    """Products in full single precision, even if the process allows TF32."""
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
