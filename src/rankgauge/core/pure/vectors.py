"""Products of vectors, the documents near a judged one by them, and permuted sums; they need NumPy."""

from __future__ import annotations

from array import array
from typing import Any

LANES = 64  # sums that are kept side by side
STEP = 1 << 12  # pairs of rows that are multiplied at once


def dots(a: Any, rows_a: Any, b: Any, rows_b: Any, dim: int) -> array[float]:
    """The products of rows of two matrices in double precision, always added up in the same order."""
    import numpy as np

    left, right = _matrix(a, dim), _matrix(b, dim)
    ones, others = (np.frombuffer(rows, dtype=np.int64) for rows in (rows_a, rows_b))
    if len(ones) != len(others) or left.dtype != right.dtype:
        raise ValueError("as many rows of two matrices, in the same precision, are expected")
    for rows, matrix in ((ones, left), (others, right)):
        _check_rows(rows, len(matrix))
    products = array("d")
    for first in range(0, len(ones), STEP):
        some = slice(first, first + STEP)
        x, y = left[ones[some]].astype(np.float64), right[others[some]].astype(np.float64)
        sums = np.zeros((len(x), LANES))
        for begin in range(0, dim, LANES):
            part = x[:, begin : begin + LANES] * y[:, begin : begin + LANES]
            sums[:, : part.shape[1]] += part
        while sums.shape[1] > 1:
            half = sums.shape[1] // 2
            sums = sums[:, :half] + sums[:, half:]
        products.frombytes(sums.tobytes())
    return products


def near(
    scores: Any, columns: int, rows: Any, low: Any, high: Any
) -> tuple[array[int], array[int], array[int]]:
    """(how many scores are above the high limit of each pair, pairs and columns of those between its limits).

    A pair is a row of scores and two limits, in single or double precision as the scores are.
    """
    import numpy as np

    matrix, of_rows = _matrix(scores, columns), np.frombuffer(rows, dtype=np.int64)
    least, most = (np.frombuffer(limit, dtype=matrix.dtype) for limit in (low, high))
    if len({len(of_rows), len(least), len(most)}) > 1:
        raise ValueError("limits as many as pairs, in the precision of the scores, are expected")
    _check_rows(of_rows, len(matrix))
    above, pairs, places = array("q"), array("q"), array("q")
    for pair, row in enumerate(of_rows.tolist()):
        is_above = matrix[row] > most[pair]
        above.append(int(is_above.sum()))
        between = np.flatnonzero((matrix[row] >= least[pair]) & ~is_above)
        pairs.extend([pair] * len(between))
        places.extend(between.tolist())
    return above, pairs, places


def near_differences(
    values: Any, columns: int, first: Any, second: Any, low: Any, high: Any
) -> tuple[array[int], array[int], array[int]]:
    """As `near`, for distances between the values of two rows, which are the pair.

    Two values are no farther apart than the sum of their magnitudes: for most pairs, the largest magnitudes
    of both rows show that all distances are below the low limit.
    """
    import numpy as np

    matrix = _matrix(values, columns)
    ones, others = (np.frombuffer(rows, dtype=np.int64) for rows in (first, second))
    for rows in (ones, others):
        _check_rows(rows, len(matrix))
    least, most = (np.frombuffer(limit) for limit in (low, high))
    if len({len(ones), len(others), len(least), len(most)}) > 1:
        raise ValueError("limits as many as pairs are expected")
    largest = np.fmax.reduce(np.abs(matrix), axis=1, initial=0.0)  # for which NaN does not count
    counts, pairs, places = np.zeros(len(ones), dtype=np.int64), array("q"), array("q")
    possible = np.flatnonzero(~(largest[ones] + largest[others] < least))
    together = max(1, STEP * LANES // columns)
    for begin in range(0, len(possible), together):
        some = possible[begin : begin + together]
        with np.errstate(invalid="ignore"):  # of infinite values, whose distance is NaN
            distances = np.abs(matrix[ones[some]] - matrix[others[some]])
        above = distances > most[some, None]
        counts[some] = above.sum(axis=1)
        pair, place = np.nonzero((distances >= least[some, None]) & ~above)
        pairs.frombytes(some[pair].tobytes())
        places.frombytes(place.astype(np.int64).tobytes())
    return array("q", counts.tobytes()), pairs, places


def _matrix(values: Any, columns: int) -> Any:
    import numpy as np

    view = memoryview(values)
    data = view.cast("B") if view.nbytes else b""  # no rows of several cannot be cast
    numbers = np.frombuffer(data, dtype=np.float32 if view.itemsize == 4 else np.float64)
    if columns < 1 or len(numbers) % columns:
        raise ValueError("rows of this size are expected")
    return numbers.reshape(-1, columns)


def _check_rows(rows: Any, size: int) -> None:
    if len(rows) and not 0 <= rows.min() <= rows.max() < size:
        raise ValueError("a row that is not there")


def permuted_sums(bit_generator: Any, matrix: Any, width: int, samples: int) -> bytes:
    """(samples, width): sums over the rows, each of which is permuted anew for every sample."""
    import numpy as np

    values = np.frombuffer(matrix)
    if width < 1 or samples < 0 or len(values) % width:
        raise ValueError("rows of this width, and a number of samples are expected")
    source = np.random.Generator(bit_generator)
    sums, permuted = np.zeros((samples, width)), np.empty((samples, width))
    for row in values.reshape(-1, width):
        permuted[:] = row
        sums += source.permuted(permuted, axis=1, out=permuted)
    return sums.tobytes()
