"""Products of vectors, and the documents that are near a judged one by them."""

from __future__ import annotations

from array import array
from typing import Any

from rankgauge.core.buffers import numbers

LANES = 64  # sums that are kept side by side


def dots(a: Any, rows_a: Any, b: Any, rows_b: Any, dim: int) -> array[float]:
    """The products of rows of two matrices in double precision, always added up in the same order."""
    left, right = _rows(a, dim), _rows(b, dim)
    pairs = numbers(rows_a, "q"), numbers(rows_b, "q")
    if len(pairs[0]) != len(pairs[1]) or memoryview(a).itemsize != memoryview(b).itemsize:
        raise ValueError("as many rows of two matrices, in the same precision, are expected")
    products = array("d")
    for one, other in zip(*pairs, strict=True):
        if not (0 <= one < len(left) and 0 <= other < len(right)):
            raise ValueError("a row that is not there")
        sums = [0.0] * LANES
        for place, (x, y) in enumerate(zip(left[one], right[other], strict=True)):
            sums[place % LANES] += x * y
        while len(sums) > 1:
            half = len(sums) // 2
            sums = [x + y for x, y in zip(sums[:half], sums[half:], strict=True)]
        products.append(sums[0])
    return products


def near(
    scores: Any, columns: int, rows: Any, low: Any, high: Any
) -> tuple[array[int], array[int], array[int]]:
    """(how many scores are above the high limit of each pair, pairs and columns of those between its limits).

    A pair is a row of scores and two limits, in single or double precision as the scores are.
    """
    of_rows, code = _rows(scores, columns), _code(scores)
    limits = numbers(rows, "q"), numbers(low, code), numbers(high, code)
    if len({*map(len, limits)}) > 1:
        raise ValueError("limits as many as pairs, in the precision of the scores, are expected")
    above, pairs, places = array("q"), array("q"), array("q")
    for pair, (row, least, most) in enumerate(zip(*limits, strict=True)):
        if not 0 <= row < len(of_rows):
            raise ValueError("a row that is not there")
        above.append(sum(score > most for score in of_rows[row]))
        between = [place for place, score in enumerate(of_rows[row]) if least <= score <= most]
        pairs.extend([pair] * len(between))
        places.extend(between)
    return above, pairs, places


def _code(matrix: Any) -> Any:
    return "f" if memoryview(matrix).itemsize == 4 else "d"


def _rows(matrix: Any, columns: int) -> list[list[float]]:
    values = numbers(matrix, _code(matrix))
    if columns < 1 or len(values) % columns:
        raise ValueError("rows of this size are expected")
    return [values[begin : begin + columns] for begin in range(0, len(values), columns)]
