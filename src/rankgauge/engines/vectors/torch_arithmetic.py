"""Products by torch, on the processor or on a graphics card; fused with counting where Triton can."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import torch

from rankgauge.engines.vectors import exact
from rankgauge.engines.vectors.arithmetic import Arithmetic, Comparison
from rankgauge.engines.vectors.limits import DOUBLE, SINGLE, Limits, Scored
from rankgauge.engines.vectors.torch_margins import FoldedMargins, LayeredMargins, Margins, full_precision
from rankgauge.measures.rankings.arrays.curves import Ints

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
        if a.dtype == b.dtype == torch.float16:
            return exact.sums_of(exact_products(a, rows_a, b, rows_b))
        return exact.dots(a[rows_a].double(), b[rows_b].double())

    def comparison(self, vectors: Any, pairs: Scored) -> Comparison:
        """A function of pairs and rows: (pairs whose row is better; pairs and rows with equal scores)."""
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
        """(documents above the high limit of each pair, pairs and rows of those between its limits)."""
        margins: Margins
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
        """(size,): how often each number occurs."""
        counts: Ints = self.host(torch.bincount(numbers, minlength=size))
        return counts

    def rounded(self, scores: Any) -> Any:
        """The scores as 32-bit numbers."""
        return scores.float()


def exact_products(a: Any, rows_a: Any, b: Any, rows_b: Any) -> Any:
    """(rows, dimensions): the products of 16-bit numbers of rows, which single precision holds exactly."""
    a = a.float() if len(a) < len(rows_a) else a
    return a[rows_a].float().mul_(b[rows_b])


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
