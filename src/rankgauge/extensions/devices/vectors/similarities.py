"""Exact scores, and the similarities that they are: products of vectors, cosines, or distances.

`dots` adds up in double precision, always in the same order, so that equal vectors have equal scores. It
takes NumPy arrays and torch tensors and uses elementwise operations alone, whose results IEEE 754 prescribes
to the last bit; `core.dots` computes the same. Products of numbers of up to 32 bits are exact in double
precision.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rankgauge.schema.options import choice

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


class Similarity(NamedTuple):
    """A mapping of the product of a query and a document to a score.

    Where all documents are scored, the product is scaled and shifted by numbers of the document alone, and
    compared with the `inverse` of exact scores, which depends on the query alone.
    """

    name: str
    score: Callable[[Any, Any, Any], Any] | None  # of products and squared lengths of queries and documents
    scale: Callable[[Any], Any] | None  # of products, by the squared lengths of documents
    shift: Callable[[Any], Any] | None
    inverse: Callable[[Any, Any], Any]  # of scores, by the squared lengths of queries


def _cosine(product: Any, query: Any, document: Any) -> Any:
    lengths = root(query) * root(document)
    return product / (lengths + (lengths == 0))  # a vector of length 0 has products of 0


def _inverse_length(squared: Any) -> Any:
    return (squared + (squared == 0)) ** -0.5


SIMILARITIES = {
    each.name: each
    for each in (
        Similarity("dot", None, None, None, lambda score, _: score),
        Similarity("cosine", _cosine, _inverse_length, None, lambda score, query: score * query**0.5),
        Similarity(  # minus the squared distance
            "euclidean",
            lambda product, query, document: 2 * product - (query + document),
            None,
            lambda squared: squared / -2,
            lambda score, query: (score + query) / 2,
        ),
    )
}


def similarity_of(name: str) -> Similarity:
    """The similarity of this name."""
    return SIMILARITIES[choice("similarity", name, tuple(SIMILARITIES))]
