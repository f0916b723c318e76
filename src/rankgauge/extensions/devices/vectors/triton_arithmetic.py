"""Products and counting in one kernel on a graphics card: the products are never written to memory.

Documents near a judged one are listed, and scored again in double precision by a second kernel, which adds up
in the order of `similarities.dots`. Products of 16-bit numbers are exact, so that it does not matter whether
a product and a sum are one operation.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from rankgauge.extensions.devices.vectors.counting import Limits, ScoredPairs
from rankgauge.extensions.devices.vectors.similarities import LANES
from rankgauge.extensions.devices.vectors.torch_arithmetic import TorchArithmetic, layers_of
from rankgauge.extensions.devices.vectors.triton_kernels import add_squares, compare_near, count_tiles
from rankgauge.measures.rankings.arrays.curves import Ints

QUERIES, DOCUMENTS, DIMENSIONS = 128, 256, 64  # of a tile of products
ALIGNED = 16  # bytes that rows of vectors are a multiple of, for the engine that copies tiles
NEAR = 3 << 23  # entries of all lists of near documents
PAIRS_AT_ONCE = 8  # near documents that are scored by one program
TIED = 1 << 22  # documents that are listed because they tie
KINDS = {"dot": 0, "cosine": 1, "euclidean": 2}


class Layout:
    """Pairs in layers, first those that are the first of a query; queries with most pairs come first."""

    def __init__(self, arithmetic: TorchArithmetic, pairs: ScoredPairs) -> None:
        self.pairs = pairs
        counts = np.bincount(pairs.query, minlength=len(arithmetic.queries))
        order = np.argsort(-counts, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        layers = [each[np.argsort(place[rows])] for each, rows in layers_of(pairs.query)]
        sizes = [len(each) for each in layers]
        self.pair = np.concatenate(layers)  # the pair at each place
        self.queries = arithmetic.queries[arithmetic.array(order)].contiguous()
        self.query = arithmetic.array(place[pairs.query[self.pair]])
        queries = torch.nn.functional.pad(self.queries.double(), (0, -self.queries.shape[1] % DIMENSIONS))
        parts = queries.view(len(queries), -1, DIMENSIONS).square().sum(dim=2).cumsum(dim=1)
        self.lengths = parts.sqrt()[self.query]  # (places, parts): of the queries, up to a part
        self.score = arithmetic.array(pairs.score[self.pair])
        self.first = arithmetic.array(np.cumsum([0, *sizes[:-1]]).astype(np.int32))
        self.sizes = arithmetic.array(np.array(sizes, dtype=np.int32))
        of_tile = counts[order][::QUERIES].astype(np.int32)
        self.of_tile = arithmetic.array(of_tile)
        several = int(np.count_nonzero(of_tile > 1))  # tiles in which a query has several pairs
        self.parts = [(0, several, True), (several, len(of_tile), False)]


class TritonArithmetic(TorchArithmetic):
    """Vectors are tensors of 16-bit numbers on a graphics card."""

    block_rows = 1 << 22

    def __init__(self, queries: Any, rows: Ints, dtype: str, device: Any) -> None:
        super().__init__(queries, rows, dtype, device)
        self._layout: Layout | None = None
        self._programs = torch.cuda.get_device_properties(self.device).multi_processor_count
        self._near, self._near_columns, self._tied = (
            torch.empty(shape, dtype=dtype, device=self.device)
            for shape, dtype in (
                ((NEAR,), torch.int64),
                ((NEAR, DOCUMENTS // 32), torch.int32),
                ((2, TIED), torch.int32),
            )
        )

    def _numbers(self, *shape: int, dtype: Any = torch.int32) -> Any:
        return torch.zeros(shape, dtype=dtype, device=self.device)

    def layout(self, pairs: ScoredPairs) -> Layout:
        """The layout of pairs, made once."""
        if self._layout is None or self._layout.pairs is not pairs:
            self._layout = Layout(self, pairs)
        return self._layout

    def limits(self, vectors: Any, pairs: ScoredPairs) -> Limits:
        """The limits of pairs for the products of the kernel with these documents.

        It adds the products of a part of the dimensions to the sum of those before. The error of each
        addition is at most a rounding of the sizes added up so far: of the product of the lengths of both
        vectors up to this part. Squares are added up by parts, and then their sums.
        """
        if not vectors.is_contiguous():
            return super().limits(vectors, pairs)
        layout, (rows, dim) = self.layout(pairs), vectors.shape
        parts = layout.lengths.shape[1]
        squares, longest = (self._numbers(size, dtype=torch.float32) for size in (rows, parts))
        add_squares[(triton.cdiv(rows, QUERIES),)](
            vectors, squares, longest, rows, dim, BR=QUERIES, BK=DIMENSIONS, num_warps=8
        )
        lengths = longest.double().sqrt()
        if pairs.similarity.scale is not None:  # relative to those of whole vectors
            lengths = (lengths / self.finite(squares).min().double().sqrt()).clamp(max=1)
        sizes = layout.lengths * lengths  # of products, at most
        terms = np.empty(len(pairs.query))
        terms[layout.pair] = self.host((DIMENSIONS * sizes.sum(dim=1) / sizes[:, -1]).nan_to_num(dim))
        return pairs.limits(self.roundoff, self.finite(squares), terms, DIMENSIONS + parts)

    def settle(self, vectors: Any, pairs: ScoredPairs, limits: Limits) -> tuple[Ints, Ints, Ints]:
        """(documents that are better than that of each pair; pairs and rows of those with equal scores)."""
        vectors = vectors.contiguous()
        if vectors.data_ptr() % ALIGNED or vectors.stride(0) * vectors.itemsize % ALIGNED:
            return super().settle(vectors, pairs, super().limits(vectors, pairs))
        settled = self._settle(vectors, pairs, limits) if len(vectors) <= self.block_rows else None
        if settled is not None:
            return settled
        # Too many documents are near a judged one: fewer of them at a time, down to a tile.
        self.block_rows = min(self.block_rows, max(len(vectors) // 2, super().block_rows))
        if len(vectors) <= DOCUMENTS:
            return super().settle(vectors, pairs, super().limits(vectors, pairs))
        half = len(vectors) // 2
        parts = [
            self.settle(vectors[some], pairs, limits.of_rows(some))
            for some in (slice(half), slice(half, None))
        ]
        (better, pair, row), (more, pair_after, row_after) = parts
        return (
            better + more,
            np.concatenate((pair, pair_after)),
            np.concatenate((row, row_after + half)),
        )

    def _settle(self, vectors: Any, pairs: ScoredPairs, limits: Limits) -> tuple[Ints, Ints, Ints] | None:
        """The same, unless too many documents are near a judged one."""
        layout, places = self.layout(pairs), len(pairs.query)
        low, high = (self.array(limit[layout.pair]) for limit in limits.rounded(np.float32))
        lists = self._programs * QUERIES
        # Rows begin at multiples of 16 bytes, for which kernels are compiled.
        lengths, above, better = self._numbers(3, -(-max(lists, places) // ALIGNED) * ALIGNED)
        tied = self._numbers(1)
        near = lengths, self._near, self._near_columns
        dim, capacity = vectors.shape[1], len(self._near) // lists
        tiles = [(layout.queries, QUERIES), (vectors, DOCUMENTS)]
        descriptors = [TensorDescriptor.from_tensor(each, [rows, DIMENSIONS]) for each, rows in tiles]
        for first, end, layered in layout.parts:
            if first == end:
                continue
            count_tiles[(self._programs,)](
                *descriptors, limits.scale, limits.shift, low, high, layout.first, layout.sizes,
                layout.of_tile, above, *near, first, end, len(vectors), dim, capacity,
                SCALED=limits.scale is not None, SHIFTED=limits.shift is not None, LAYERED=layered,
                BQ=QUERIES, BD=DOCUMENTS, BK=DIMENSIONS, num_warps=8, num_stages=3,
            )  # fmt: skip
        compare_near[(lists,)](
            layout.queries, vectors, layout.query, layout.score, *near, better, tied, *self._tied, dim,
            capacity, TIED, KIND=KINDS[pairs.similarity.name], SINGLE=pairs.single,
            EXACT=tl.float32 if vectors.dtype == torch.float16 else tl.float64, N=PAIRS_AT_ONCE, LANES=LANES,
            BD=DOCUMENTS, num_warps=1,
        )  # fmt: skip
        ties, longest = torch.stack((tied[0], lengths[:lists].max())).tolist()
        if longest > capacity or ties > TIED:
            return None
        total = np.empty(places, dtype=np.int64)
        total[layout.pair] = self.host(above + better)[:places]
        at, row = self.host(self._tied[:, :ties].long())
        return total, layout.pair[at], row
