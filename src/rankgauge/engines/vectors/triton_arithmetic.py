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

from rankgauge.engines.vectors.counting import Limits, ScoredPairs
from rankgauge.engines.vectors.similarities import LANES
from rankgauge.engines.vectors.torch_arithmetic import TorchArithmetic, layers_of
from rankgauge.engines.vectors.triton_kernels import compare_near, count_tile
from rankgauge.measures.rankings.arrays.curves import Ints

QUERIES, DOCUMENTS, DIMENSIONS = 128, 256, 64  # of a tile of products
LISTS = 1024  # of near documents: tiles that would wait for one counter use several
NEAR = 1 << 26  # documents on all lists
PAIRS_AT_ONCE = 8  # near documents that are scored by one program
TIED = 1 << 22  # documents that are listed because they tie
KINDS = {"dot": 0, "cosine": 1, "euclidean": 2}


class Layout:
    """Pairs in layers, first those that are the first of a query; queries with most pairs come first."""

    def __init__(self, arithmetic: TorchArithmetic, pairs: ScoredPairs) -> None:
        counts = np.bincount(pairs.query, minlength=len(arithmetic.queries))
        order = np.argsort(-counts, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        layers = [each[np.argsort(place[rows])] for each, rows in layers_of(pairs.query)]
        sizes = [len(each) for each in layers]
        self.pair = np.concatenate(layers)  # the pair at each place
        self.queries = arithmetic.queries[arithmetic.array(order)].contiguous()
        self.query = arithmetic.array(place[pairs.query[self.pair]])
        self.score = arithmetic.array(pairs.score[self.pair])
        self.first = arithmetic.array(np.cumsum([0, *sizes[:-1]]).astype(np.int32))
        self.sizes = arithmetic.array(np.array(sizes, dtype=np.int32))
        self.of_tile = arithmetic.array(counts[order][::QUERIES].astype(np.int32))


class TritonArithmetic(TorchArithmetic):
    """Vectors are tensors of 16-bit numbers on a graphics card."""

    block_rows = 1 << 22

    def __init__(self, queries: Any, rows: Ints, dtype: str, device: Any) -> None:
        super().__init__(queries, rows, dtype, device)
        self._pairs: ScoredPairs | None = None
        self._layout: Any = None
        self._near, self._tied = (
            torch.empty((2, size), dtype=torch.int32, device=self.device) for size in (NEAR, TIED)
        )

    def _numbers(self, *shape: int) -> Any:
        return torch.zeros(shape, dtype=torch.int32, device=self.device)

    def settle(self, vectors: Any, pairs: ScoredPairs, limits: Limits) -> tuple[Ints, Ints, Ints]:
        """(documents that are better than that of each pair; pairs and rows of those with equal scores)."""
        if self._pairs is not pairs:
            self._pairs, self._layout = pairs, Layout(self, pairs)
        settled = self._settle(vectors.contiguous(), pairs, limits)
        if settled is not None:
            return settled
        # Too many documents are near a judged one: fewer of them at a time, down to a tile.
        if len(vectors) <= DOCUMENTS:
            return super().settle(vectors, pairs, limits)
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
        layout, places = self._layout, len(pairs.query)
        low, high = (self.array(limit[layout.pair]) for limit in limits.rounded(np.float32))
        counts, tied = self._numbers(LISTS), self._numbers(1)
        above, better = self._numbers(2, places)
        lists, (n_queries, dim), n_documents = (counts, *self._near), layout.queries.shape, len(vectors)
        tiles = triton.cdiv(n_queries, QUERIES) * triton.cdiv(n_documents, DOCUMENTS)
        capacity = NEAR // LISTS
        count_tile[(tiles,)](
            layout.queries, vectors, limits.scale, limits.shift, low, high, layout.first, layout.sizes,
            layout.of_tile, above, *lists, n_queries, n_documents, dim, capacity,
            SCALED=limits.scale is not None, SHIFTED=limits.shift is not None, WHOLE=dim % DIMENSIONS == 0,
            LISTS=LISTS, BQ=QUERIES, BD=DOCUMENTS, BK=DIMENSIONS, num_warps=8, num_stages=4,
        )  # fmt: skip
        longest = int(counts.max())
        if longest > capacity:
            return None
        if longest:
            compare_near[(triton.cdiv(longest, PAIRS_AT_ONCE), LISTS)](
                layout.queries, vectors, layout.query, layout.score, *lists, better, tied, *self._tied, dim,
                capacity, TIED, KIND=KINDS[pairs.similarity.name], SINGLE=pairs.single, N=PAIRS_AT_ONCE,
                LANES=LANES, num_warps=2,
            )  # fmt: skip
        ties = int(tied)
        if ties > TIED:
            return None
        total = np.empty(places, dtype=np.int64)
        total[layout.pair] = self.host(above + better)
        at, row = self.host(self._tied[:, :ties].long())
        return total, layout.pair[at], row
