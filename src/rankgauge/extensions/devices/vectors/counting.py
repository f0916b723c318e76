"""Counting documents that score better than judged ones, a block of documents at a time.

Fast products decide, but for documents between the `Limits` of a judged one, which are scored exactly. `dots`
adds up in double precision and in one order, by elementwise operations whose results IEEE 754 prescribes to
the last bit; so does `core.dots`. Products of 32-bit numbers are exact.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.schema.options import choice

LANES = 64  # sums that are kept side by side


def root(numbers: Any) -> Any:
    """Square roots, rounded correctly; torch's on the processor are not everywhere."""
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
    """(rows,): the same from exact products of numbers in single precision (torch)."""
    sums = products[:, :LANES].double()
    for some in _after_the_first(products.shape[1]):
        sums[:, : some.stop - some.start] += products[:, some]
    return _added(sums)


def _after_the_first(size: int) -> list[slice]:
    """The numbers of a row, as many as there are sums at a time, after the first ones."""
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
    """A score by the product of a query and a document.

    To score all documents, the product is scaled and shifted by numbers of the document alone, and compared
    with the `inverse` of exact scores, which depends on the query alone.
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


DOUBLE = 2.0**-53  # the largest relative error of an operation, by precision
SINGLE = 2.0**-24
SMALLEST = 2.0**-124  # sizes of products below it may be lost in single precision


class Limits(NamedTuple):
    """Products above `high` are better, those below `low` are not; in between, either is possible.

    Products are first scaled and shifted, if there are numbers for that, one per document.
    """

    low: Floats  # (pairs,)
    high: Floats  # (pairs,)
    scale: Any  # (documents,) or None
    shift: Any

    def of_rows(self, rows: slice) -> Limits:
        """The limits for some documents."""
        scale, shift = (each if each is None else each[rows] for each in (self.scale, self.shift))
        return self._replace(scale=scale, shift=shift)

    def rounded(self, dtype: Any) -> tuple[Any, Any]:
        """The limits in another precision, no nearer to each other."""
        with np.errstate(over="ignore"):
            low, high = self.low.astype(dtype), self.high.astype(dtype)
        return np.nextafter(low, dtype(-np.inf)), np.nextafter(high, dtype(np.inf))


class ScoredPairs(NamedTuple):
    """Pairs of a query, by its row, and a judged document, by its exact score; queries ascend."""

    query: Ints  # (pairs,)
    score: Floats  # (pairs,)
    length: Floats  # (pairs,) the squared length of the query
    dim: int
    similarity: Similarity
    single: bool  # whether scores are compared in single precision

    def limits(
        self, roundoff: float, squares: Any, terms: Any = None, of_lengths: int | None = None
    ) -> Limits:
        """The limits for products with documents of these squared lengths.

        The error of a sum of n products is at most about n roundings of the sum of their sizes, in any order,
        and that is at most the product of the lengths (Higham 2002, section 3.1). A document's scale and
        shift have such errors, too. Known smaller errors are given by `terms` (one number, or one per pair)
        in place of n, and by `of_lengths` for scales and shifts.
        """
        similarity = self.similarity
        scale = similarity.scale and similarity.scale(squares)
        shift = similarity.shift and similarity.shift(squares)
        longest = float((squares if scale is None else squares * scale * scale).max()) ** 0.5
        farthest = 0.0 if shift is None else float(abs(shift).max())
        around = np.abs(self.score) * (4 * SINGLE if self.single else 8 * DOUBLE)
        low, high = (similarity.inverse(s, self.length) for s in (self.score - around, self.score + around))
        roundings = (self.dim if terms is None else terms) + 32
        if similarity.score is not None:
            roundings = roundings + (of_lengths or self.dim)
        error = roundings * roundoff * (np.sqrt(self.length) * longest + farthest)
        error += 4 * roundoff * np.maximum(np.abs(low), np.abs(high)) + self.dim * SMALLEST
        return Limits(low - error, high + error, scale, shift)


Comparison = Callable[[Any, Any], tuple[Any, Any, Any]]


class NotFinite(Exception):
    """A number of this row of a matrix is not finite, or too large to be squared."""

    def __init__(self, row: int) -> None:
        self.row = row


class Arithmetic(ABC):
    """Operations of a library on its arrays of queries and documents."""

    queries: Any  # (queries, dimensions)
    roundoff: float  # the largest relative error of an operation in the products of `near`
    exact_rows: int  # pairs of rows that are multiplied exactly at once
    block_rows: int  # documents that are counted at once, at most
    device: Any = None  # of torch

    @abstractmethod
    def array(self, values: Any) -> Any:
        """A NumPy array in this library."""

    @abstractmethod
    def block(self, vectors: Any) -> Any:
        """A matrix of vectors in this library."""

    @abstractmethod
    def host(self, values: Any) -> Any:
        """An array of this library in NumPy."""

    @abstractmethod
    def squares(self, vectors: Any) -> Any:
        """(rows,): the approximate squared lengths of rows; not finite if a number is not."""

    @abstractmethod
    def dots(self, a: Any, rows_a: Any, b: Any, rows_b: Any) -> Any:
        """The products of rows of two matrices in double precision, always added in the same order."""

    @abstractmethod
    def near(self, vectors: Any, query: Ints, limits: Limits) -> tuple[Ints, Any, Any]:
        """(documents above the high limit of each pair, pairs and rows of those between its limits).

        `query` has the query of each pair, ascending.
        """

    @abstractmethod
    def count(self, numbers: Any, size: int) -> Ints:
        """(size,): how often each number occurs, in NumPy."""

    @abstractmethod
    def rounded(self, scores: Any) -> Any:
        """The scores as 32-bit numbers."""

    def finite(self, squares: Any) -> Any:
        """The squared lengths of rows; an error for numbers that are not finite."""
        if not bool((squares < float("inf")).all()):  # nor is NaN
            raise NotFinite(int(np.argmin(self.host(squares) < np.inf)))
        return squares

    def limits(self, vectors: Any, pairs: ScoredPairs) -> Limits:
        """The limits of pairs for the products of `near` with these documents."""
        return pairs.limits(self.roundoff, self.finite(self.squares(vectors)))

    def scores(self, similarity: Similarity, query: Any, vectors: Any, row: Any, single: bool) -> Any:
        """The exact scores of rows of `vectors` for queries; with `single`, as 32-bit numbers."""
        scores = self.dots(self.queries, query, vectors, row)
        if similarity.score is not None:
            lengths = (
                self.dots(self.queries, query, self.queries, query),
                self.dots(vectors, row, vectors, row),
            )
            scores = similarity.score(scores, *lengths)
        return self.rounded(scores) if single else scores

    def settle(self, vectors: Any, pairs: ScoredPairs, limits: Limits) -> tuple[Ints, Ints, Ints]:
        """(documents that are better than that of each pair; pairs and rows of those with equal scores)."""
        better, near, rows = self.near(vectors, pairs.query, limits)
        compare = self.comparison(vectors, pairs)
        ties = [np.empty((2, 0), dtype=np.int64)]
        for begin in range(0, len(near), self.exact_rows):
            some = slice(begin, begin + self.exact_rows)
            above, pair, row = compare(near[some], rows[some])
            better += self.count(above, len(better))
            ties.append(np.array([self.host(pair), self.host(row)]))
        return better, *np.concatenate(ties, axis=1)

    def comparison(self, vectors: Any, pairs: ScoredPairs) -> Comparison:
        """A function of pairs and rows: (pairs whose row is better; pairs and rows with equal scores)."""
        query, score = self.array(pairs.query), self.array(pairs.score)

        def compared(pair: Any, row: Any) -> tuple[Any, Any, Any]:
            scores = self.scores(pairs.similarity, query[pair], vectors, row, pairs.single)
            known = score[pair]
            equal = scores == known
            return pair[scores > known], pair[equal], row[equal]

        return compared


class TiedRows(NamedTuple):
    """Rows of a block that have the score of the judged document of a pair."""

    pair: Ints
    row: Ints


class Counter:
    """Counts the documents that score better than judged ones, and those that tie."""

    def __init__(
        self,
        arithmetic: Arithmetic,
        similarity: Similarity,
        query: Ints,
        score: Floats,
        *,
        single: bool = False,
    ) -> None:
        self._arithmetic = arithmetic
        dim = int(arithmetic.queries.shape[1])
        self._pairs = ScoredPairs(query, score, squared_lengths(arithmetic)[query], dim, similarity, single)
        self.better, self.equal = np.zeros((2, len(query)), dtype=np.int64)
        self.documents = 0

    def add(self, vectors: Any) -> TiedRows:
        """Count the documents of a block; return those that tie."""
        self.documents += len(vectors)
        if not len(vectors) or not len(self.better):
            return TiedRows(*np.empty((2, 0), dtype=np.int64))
        limits = self._arithmetic.limits(vectors, self._pairs)
        better, pair, row = self._arithmetic.settle(vectors, self._pairs, limits)
        self.better += better
        self.equal += np.bincount(pair, minlength=len(self.equal))
        return TiedRows(pair, row)


def squared_lengths(arithmetic: Arithmetic) -> Floats:
    """The squared lengths of queries; an error for numbers that are not finite."""
    arithmetic.finite(arithmetic.squares(arithmetic.queries))
    rows = arithmetic.array(np.arange(len(arithmetic.queries)))
    lengths: Floats = arithmetic.host(arithmetic.dots(arithmetic.queries, rows, arithmetic.queries, rows))
    return lengths


def exact_scores(
    arithmetic: Arithmetic,
    similarity: Similarity,
    query: Ints,
    vectors: Any,
    row: Ints,
    *,
    single: bool = False,
) -> Floats:
    """The exact scores of rows of `vectors` for queries; with `single`, as 32-bit numbers."""
    parts = [np.empty(0)]
    for begin in range(0, len(query), arithmetic.exact_rows):
        some = slice(begin, begin + arithmetic.exact_rows)
        pairs = arithmetic.array(query[some]), vectors, arithmetic.array(row[some])
        parts.append(arithmetic.host(arithmetic.scores(similarity, *pairs, single)))
    return np.concatenate(parts, dtype=np.float64)
