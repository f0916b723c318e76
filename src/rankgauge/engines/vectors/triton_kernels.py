"""Kernels for graphics cards, which Triton compiles: products with counting, and exact scores."""
# mypy: disable-error-code="no-untyped-def, untyped-decorator, misc"

import triton
import triton.language as tl


@triton.jit
def count_tile(
    queries, documents, scale, shift, low, high, first_pair, in_layer, layers_of_tile, above, counts,
    near_pair, near_row, n_queries, n_documents, dim, capacity,
    SCALED: tl.constexpr, SHIFTED: tl.constexpr, WHOLE: tl.constexpr, LISTS: tl.constexpr,
    BQ: tl.constexpr, BD: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """Multiply a tile of queries and documents, count products above limits, list those between them."""
    tile = tl.program_id(0)
    tiles = tl.cdiv(n_queries, BQ)
    tile_q = tile % tiles  # neighbours share documents, which stay in the cache
    query = tile_q * BQ + tl.arange(0, BQ)
    document = (tile // tiles) * BD + tl.arange(0, BD)
    k = tl.arange(0, BK)
    q_at = queries + tl.minimum(query, n_queries - 1)[:, None] * dim + k[None, :]
    d_at = documents + tl.minimum(document, n_documents - 1).to(tl.int64)[:, None] * dim + k[None, :]
    products = tl.zeros((BQ, BD), dtype=tl.float32)
    for begin in range(0, dim, BK):
        if WHOLE:
            q = tl.load(q_at)
            d = tl.load(d_at)
        else:
            q = tl.load(q_at, mask=(begin + k)[None, :] < dim, other=0.0)
            d = tl.load(d_at, mask=(begin + k)[None, :] < dim, other=0.0)
        products = tl.dot(q, tl.trans(d), products)
        q_at += BK
        d_at += BK
    there = document < n_documents
    if SCALED:
        products = products * tl.load(scale + document, mask=there, other=0.0)[None, :]
    if SHIFTED:
        products = products + tl.load(shift + document, mask=there, other=0.0)[None, :]
    products = tl.where(there[None, :], products, float("-inf"))
    column = tl.arange(0, BD)[None, :]
    of_tile = counts + tile % LISTS
    base = (tile % LISTS).to(tl.int64) * capacity
    one = tl.full((BQ,), 1, dtype=tl.int32)
    for layer in range(0, tl.load(layers_of_tile + tile_q)):
        first = tl.load(first_pair + layer)
        known = query < tl.load(in_layer + layer)
        most = tl.load(high + first + query, mask=known, other=float("inf"))
        least = tl.load(low + first + query, mask=known, other=float("inf"))
        over = tl.sum((products > most[:, None]).to(tl.int32), axis=1)
        tl.atomic_add(above + first + query, over, mask=known & (over > 0), sem="relaxed")
        left = tl.sum(tl.sum((products >= least[:, None]).to(tl.int32), axis=1) - over, axis=0)
        last = tl.full((BQ,), -1, dtype=tl.int32)
        while left > 0:  # the next near document of every query; mostly there is none, or one
            after = (products >= least[:, None]) & (products <= most[:, None]) & (column > last[:, None])
            last = tl.min(tl.where(after, column, BD), axis=1)
            found = last < BD
            nth = tl.atomic_add(of_tile + tl.zeros((BQ,), tl.int32), one, mask=found, sem="relaxed")
            kept = found & (nth < capacity)
            tl.store(near_pair + base + nth, first + query, mask=kept)
            tl.store(near_row + base + nth, (tile // tiles) * BD + last, mask=kept)
            left -= tl.sum(found.to(tl.int32), axis=0)


@triton.jit
def added(sums, N: tl.constexpr):
    """The sums of rows of 64 numbers: halves are added again and again, as in `similarities.dots`."""
    sums = tl.sum(tl.reshape(sums, (N, 2, 32)), axis=1)
    sums = tl.sum(tl.reshape(sums, (N, 2, 16)), axis=1)
    sums = tl.sum(tl.reshape(sums, (N, 2, 8)), axis=1)
    sums = tl.sum(tl.reshape(sums, (N, 2, 4)), axis=1)
    sums = tl.sum(tl.reshape(sums, (N, 2, 2)), axis=1)
    return tl.sum(sums, axis=1)


@triton.jit
def compare_near(
    queries, documents, query_of_pair, score_of_pair, counts, near_pair, near_row, better, tied, tied_pair,
    tied_row, dim, capacity, most_tied,
    KIND: tl.constexpr, SINGLE: tl.constexpr, N: tl.constexpr, LANES: tl.constexpr,
):  # fmt: skip
    """Score near documents in double precision, count those that are better, list those that tie."""
    of_list = tl.program_id(1)
    count = tl.minimum(tl.load(counts + of_list), capacity)
    nth = tl.program_id(0) * N + tl.arange(0, N)
    if tl.program_id(0) * N < count:
        listed = nth < count
        place = of_list.to(tl.int64) * capacity + nth
        pair = tl.load(near_pair + place, mask=listed, other=0)
        row = tl.load(near_row + place, mask=listed, other=0)
        q_at = queries + tl.load(query_of_pair + pair)[:, None] * dim
        d_at = documents + row.to(tl.int64)[:, None] * dim
        products = tl.zeros((N, LANES), dtype=tl.float64)
        q_squares = tl.zeros((N, LANES), dtype=tl.float64)
        d_squares = tl.zeros((N, LANES), dtype=tl.float64)
        for begin in range(0, dim, LANES):
            k = begin + tl.arange(0, LANES)[None, :]
            q = tl.load(q_at + k, mask=k < dim, other=0.0).to(tl.float64)
            d = tl.load(d_at + k, mask=k < dim, other=0.0).to(tl.float64)
            products += q * d
            if KIND != 0:
                q_squares += q * q
                d_squares += d * d
        score = added(products, N)
        if KIND == 1:
            lengths = tl.sqrt(added(q_squares, N)) * tl.sqrt(added(d_squares, N))
            score = score / tl.where(lengths == 0, 1.0, lengths)
        if KIND == 2:
            score = 2 * score - (added(q_squares, N) + added(d_squares, N))
        if SINGLE:
            score = score.to(tl.float32).to(tl.float64)
        known = tl.load(score_of_pair + pair)
        is_better = listed & (score > known)
        tl.atomic_add(better + pair, tl.full((N,), 1, dtype=tl.int32), mask=is_better, sem="relaxed")
        ties = listed & (score == known)
        one = tl.full((N,), 1, dtype=tl.int32)
        at = tl.atomic_add(tied + tl.zeros((N,), dtype=tl.int32), one, mask=ties, sem="relaxed")
        kept = ties & (at < most_tied)
        tl.store(tied_pair + at, pair, mask=kept)
        tl.store(tied_row + at, row, mask=kept)
