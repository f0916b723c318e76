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
    for some in _after_the_first(a.shape[1]):
        products = a[:, some] * b[:, some]
        sums[:, : products.shape[1]] += products
    return _added(sums)


def sums_of(products: Any) -> Any:
    """(rows,): the same from products of numbers, which are exact and in single precision (torch)."""
    sums = products[:, :LANES].double()
    for some in _after_the_first(products.shape[1]):
        sums[:, : some.stop - some.start] += products[:, some]
    return _added(sums)


def _after_the_first(size: int) -> list[slice]:
    """The numbers of a row, as many as there are sums at a time, but for the first ones."""
    return [slice(begin, min(begin + LANES, size)) for begin in range(LANES, size, LANES)]


def _added(sums: Any) -> Any:
    half = LANES
    while half > 1:
        half //= 2
        upper = sums[:, half:]
        sums = sums[:, :half]
        sums[:, : upper.shape[1]] += upper
    return sums[:, 0]
