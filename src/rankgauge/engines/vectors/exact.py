"""Scores in double precision, always added up in the same order: equal vectors have equal scores.

`dots` takes NumPy arrays and torch tensors and uses elementwise operations alone, whose results IEEE 754
prescribes to the last bit; `core.dots` computes the same. Products of numbers of up to 32 bits are exact in
double precision.
"""

from __future__ import annotations

from typing import Any

import numpy as np

LANES = 64  # sums that are kept side by side


def root(numbers: Any) -> Any:
    """Square roots, rounded correctly, which torch's on the processor are not everywhere."""
    if isinstance(numbers, np.ndarray):
        return np.sqrt(numbers)
    return numbers.sqrt() if numbers.is_cuda else numbers.new_tensor(np.sqrt(numbers.numpy()))


def dots(a: Any, b: Any) -> Any:
    """(rows,): the products of the rows of two matrices in double precision."""
    sums = a[:, :LANES] * b[:, :LANES]
    for begin in range(LANES, a.shape[1], LANES):
        some = slice(begin, begin + LANES)
        products = a[:, some] * b[:, some]
        sums[:, : products.shape[1]] += products
    half = LANES
    while half > 1:
        half //= 2
        upper = sums[:, half:]
        sums = sums[:, :half]
        sums[:, : upper.shape[1]] += upper
    return sums[:, 0]
