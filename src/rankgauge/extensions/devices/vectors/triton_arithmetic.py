"""Products and counting in one kernel on a graphics card: products are never written to memory.

A second kernel scores documents near a judged one in double precision, in the order of `counting.dots`.
Products of 16-bit numbers are exact, so a fused multiply-add changes nothing.
"""
# mypy: disable-error-code="no-untyped-def, untyped-decorator, misc"

from typing import Any

import numpy as np
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from rankgauge.extensions.devices.vectors.counting import LANES, Limits, ScoredPairs
from rankgauge.extensions.devices.vectors.torch_arithmetic import TorchArithmetic, layers_of
from rankgauge.measures.rankings.arrays.curves import Ints


@triton.jit
def add_squares(vectors, squares, longest, n, dim, BR: tl.constexpr, BK: tl.constexpr):
    """Squared lengths of rows, and the largest of their first BK numbers, of the first 2 BK, and so on."""
    row = tl.program_id(0) * BR + tl.arange(0, BR)
    at = vectors + row.to(tl.int64)[:, None] * dim
    sums = tl.zeros((BR,), dtype=tl.float32)
    for part in range(0, tl.cdiv(dim, BK)):
        k = part * BK + tl.arange(0, BK)[None, :]
        numbers = tl.load(at + k, mask=(row < n)[:, None] & (k < dim), other=0.0).to(tl.float32)
        sums += tl.sum(numbers * numbers, axis=1)
        tl.atomic_max(longest + part, tl.max(sums, axis=0), sem="relaxed")
    tl.store(squares + row, sums, mask=row < n)


@triton.jit
def count_layer(
    products, low, high, first, known, query, tile_d, above, near, near_columns, length, base, capacity,
    BQ: tl.constexpr,
):  # fmt: skip
    """Count products above the limit of a pair per query, list those between limits; new lengths of lists."""
    most = tl.load(high + first + query, mask=known, other=float("inf"))
    least = tl.load(low + first + query, mask=known, other=float("inf"))
    # Sums of floats, which are exact here, take fewer instructions than those of integers.
    over = (products > most[:, None]).to(tl.float32)
    number = tl.sum(over, axis=1).to(tl.int32)
    tl.atomic_add(above + first + query, number, mask=known & (number > 0), sem="relaxed")
    between = tl.reshape((products >= least[:, None]).to(tl.float32) - over, (BQ, 2, 16, 8))
    bit = (1 << tl.arange(0, 16)).to(tl.float32)[None, None, :, None]
    halves = tl.sum(between * bit, axis=2).to(tl.int32)
    words = tl.sum(halves << 16 * tl.arange(0, 2)[None, :, None], axis=1)
    found = tl.where(known, tl.max((words != 0).to(tl.int32), axis=1), 0)
    kept = (found > 0) & (length < capacity)
    place = base + length
    tl.store(near + place, (tl.zeros((BQ,), tl.int64) + tile_d << 32) + first + query, mask=kept)
    tl.store(near_columns + place[:, None] * 8 + tl.arange(0, 8)[None, :], words, mask=kept[:, None])
    return length + found


@triton.jit
def count_tiles(
    queries, documents, scale, shift, low, high, first_pair, in_layer, layers_of_tile, above, lengths, near,
    near_columns, first_tile, end_tile, n_documents, dim, capacity,
    SCALED: tl.constexpr, SHIFTED: tl.constexpr, LAYERED: tl.constexpr,
    BQ: tl.constexpr, BD: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """Multiply tiles of queries and documents, count products above limits, list those between them.

    A program has a list for each row of its tiles. An entry is a pair and a tile of documents, and columns of
    the tile as bits of 8 words: bit n of word m is column 8 n + m. A thread has all products of two words.
    """
    tiles = end_tile - first_tile
    row = tl.arange(0, BQ)
    of_row = tl.program_id(0) * BQ + row
    base = of_row.to(tl.int64) * capacity
    length = tl.load(lengths + of_row)
    # Flattened, the next tiles are loaded while products are compared; the compiler cannot do so with layers.
    for tile in tl.range(
        tl.program_id(0), tiles * tl.cdiv(n_documents, BD), tl.num_programs(0), flatten=not LAYERED
    ):
        tile_d = tile // tiles  # neighbours share documents, which stay in the cache
        tile_q = first_tile + (tile + tile_d) % tiles  # every program comes across all queries
        products = tl.zeros((BQ, BD), dtype=tl.float32)
        for begin in range(0, dim, BK):
            q = queries.load([tile_q * BQ, begin])
            d = documents.load([tile_d * BD, begin])
            products = tl.dot(q, d.T, products)
        query = tile_q * BQ + row
        document = tile_d * BD + tl.arange(0, BD)
        there = document < n_documents
        if SCALED:
            products = products * tl.load(scale + document, mask=there, other=0.0)[None, :]
        if SHIFTED:
            products = products + tl.load(shift + document, mask=there, other=0.0)[None, :]
        products = tl.where(there[None, :], products, float("-inf"))
        if LAYERED:
            for layer in range(0, tl.load(layers_of_tile + tile_q)):
                length = count_layer(
                    products, low, high, tl.load(first_pair + layer), query < tl.load(in_layer + layer),
                    query, tile_d, above, near, near_columns, length, base, capacity, BQ,
                )  # fmt: skip
        else:
            length = count_layer(
                products, low, high, 0, query < tl.load(in_layer), query, tile_d, above, near, near_columns,
                length, base, capacity, BQ,
            )  # fmt: skip
    tl.store(lengths + of_row, length)


@triton.jit
def added(sums, N: tl.constexpr):
    """The sums of rows of 64 numbers: halves are added again and again, as in `counting.dots`."""
    sums = tl.sum(tl.reshape(sums, (N, 2, 32)), axis=1)
    sums = tl.sum(tl.reshape(sums, (N, 2, 16)), axis=1)
    sums = tl.sum(tl.reshape(sums, (N, 2, 8)), axis=1)
    sums = tl.sum(tl.reshape(sums, (N, 2, 4)), axis=1)
    sums = tl.sum(tl.reshape(sums, (N, 2, 2)), axis=1)
    return tl.sum(sums, axis=1)


@triton.jit
def compare_near(
    queries, documents, query_of_pair, score_of_pair, lengths, near, near_columns, better, tied, tied_pair,
    tied_row, dim, capacity, most_tied,
    KIND: tl.constexpr, SINGLE: tl.constexpr, EXACT: tl.constexpr, N: tl.constexpr, LANES: tl.constexpr,
    BD: tl.constexpr,
):  # fmt: skip
    """Score the near documents of a list in double precision, count the better ones, list those that tie.

    EXACT is the smallest type in which products of two numbers are exact.
    """
    length = tl.minimum(tl.load(lengths + tl.program_id(0)), capacity)
    word = tl.arange(0, 8)[None, :]
    one = tl.full((N,), 1, dtype=tl.int32)
    for begin in range(0, length, N):
        nth = begin + tl.arange(0, N)
        place = tl.program_id(0).to(tl.int64) * capacity + nth
        entry = tl.load(near + place, mask=nth < length, other=0)
        words = tl.load(near_columns + place[:, None] * 8 + word, mask=(nth < length)[:, None], other=0)
        pair = entry & 0xFFFFFFFF
        first_row = (entry >> 32) * BD
        known = tl.load(score_of_pair + pair)
        q_at = queries + tl.load(query_of_pair + pair)[:, None] * dim
        left = tl.max(tl.max((words != 0).to(tl.int32), axis=1), axis=0)
        while left > 0:  # the next column of every entry; mostly there is one
            at = tl.min(tl.where(words != 0, word, 8), axis=1)
            here = at[:, None] == word
            bits = tl.sum(tl.where(here, words, 0), axis=1)
            # The number of the lowest bit is its exponent.
            lowest = (bits & -bits).to(tl.uint32, bitcast=True).to(tl.float32)
            column = ((lowest.to(tl.int32, bitcast=True) >> 23) - 127) * 8 + at
            words = tl.where(here, words & (words - 1), words)
            left = tl.max(tl.max((words != 0).to(tl.int32), axis=1), axis=0)
            listed = at < 8
            row = first_row + column
            d_at = documents + row[:, None] * dim
            products = tl.zeros((N, LANES), dtype=tl.float64)
            q_squares = tl.zeros((N, LANES), dtype=tl.float64)
            d_squares = tl.zeros((N, LANES), dtype=tl.float64)
            for start in tl.range(0, dim, LANES, loop_unroll_factor=12):
                k = start + tl.arange(0, LANES)[None, :]
                q = tl.load(q_at + k, mask=listed[:, None] & (k < dim), other=0.0).to(EXACT)
                d = tl.load(d_at + k, mask=listed[:, None] & (k < dim), other=0.0).to(EXACT)
                products += (q * d).to(tl.float64)
                if KIND != 0:
                    q_squares += (q * q).to(tl.float64)
                    d_squares += (d * d).to(tl.float64)
            score = added(products, N)
            if KIND == 1:
                both = tl.sqrt(added(q_squares, N)) * tl.sqrt(added(d_squares, N))
                score = score / tl.where(both == 0, 1.0, both)
            if KIND == 2:
                score = 2 * score - (added(q_squares, N) + added(d_squares, N))
            if SINGLE:
                score = score.to(tl.float32).to(tl.float64)
            tl.atomic_add(better + pair, one, mask=listed & (score > known), sem="relaxed")
            ties = listed & (score == known)
            at_tie = tl.atomic_add(tied + tl.zeros((N,), dtype=tl.int32), one, mask=ties, sem="relaxed")
            kept = ties & (at_tie < most_tied)
            tl.store(tied_pair + at_tie, pair, mask=kept)
            tl.store(tied_row + at_tie, row, mask=kept)


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
        """The layout of pairs."""
        if self._layout is None or self._layout.pairs is not pairs:
            self._layout = Layout(self, pairs)
        return self._layout

    def limits(self, vectors: Any, pairs: ScoredPairs) -> Limits:
        """The limits of pairs for the products of the kernel with these documents.

        It adds up parts of the dimensions. The error of each addition is at most a rounding of the sizes
        added so far: of the product of the lengths of both vectors up to this part.
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
        """As `Arithmetic.settle`."""
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
