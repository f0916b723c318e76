"""Kernels for graphics cards, which Triton compiles: products with counting, and exact scores."""
# mypy: disable-error-code="no-untyped-def, untyped-decorator, misc"

import triton
import triton.language as tl


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
    """The sums of rows of 64 numbers: halves are added again and again, as in `similarities.dots`."""
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
