"""What a library computes for counting: NumPy or torch, on the processor or on a graphics card."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from rankgauge.engines.vectors.limits import Limits, Scored
from rankgauge.engines.vectors.similarities import Similarity
from rankgauge.measures.rankings.arrays.curves import Ints

Comparison = Callable[[Any, Any], tuple[Any, Any, Any]]


class NotFinite(Exception):
    """A number of this row of a matrix is not finite, or too large to be squared."""

    def __init__(self, row: int) -> None:
        self.row = row


class Arithmetic(ABC):
    """Queries, and what is computed of them and of documents. Arrays are the library's own."""

    queries: Any  # (queries, dimensions)
    roundoff: float  # the largest relative error of an operation in the products of `near`
    exact_rows: int  # pairs of rows that are multiplied exactly at once
    block_rows: int  # documents that are counted at once, at most
    device: Any = None  # of torch

    @abstractmethod
    def array(self, values: Any) -> Any:
        """An array of NumPy's as one of this library."""

    @abstractmethod
    def block(self, vectors: Any) -> Any:
        """A matrix of vectors as one of this library."""

    @abstractmethod
    def host(self, values: Any) -> Any:
        """An array of this library as one of NumPy's."""

    @abstractmethod
    def squares(self, vectors: Any) -> Any:
        """(rows,): the squared lengths of rows, about; not finite if one of its numbers is not."""

    @abstractmethod
    def dots(self, a: Any, rows_a: Any, b: Any, rows_b: Any) -> Any:
        """The products of rows of two matrices in double precision, always added up in the same order."""

    @abstractmethod
    def near(self, vectors: Any, query: Ints, limits: Limits) -> tuple[Ints, Any, Any]:
        """(documents above the high limit of each pair, pairs and rows of those between its limits).

        `query` has the query of each pair; it ascends.
        """

    @abstractmethod
    def count(self, numbers: Any, size: int) -> Ints:
        """(size,): how often each number occurs, as NumPy's array."""

    @abstractmethod
    def rounded(self, scores: Any) -> Any:
        """The scores as 32-bit numbers."""

    def checked_squares(self, vectors: Any) -> Any:
        """The squared lengths of rows, about; a row with a number that is not finite is an error."""
        squares = self.squares(vectors)
        if not bool((squares < float("inf")).all()):  # nor is NaN
            raise NotFinite(int(np.argmin(self.host(squares) < np.inf)))
        return squares

    def scores(self, similarity: Similarity, query: Any, vectors: Any, row: Any, single: bool) -> Any:
        """The exact scores of documents, rows of `vectors`, for queries; with `single`, as 32-bit numbers."""
        scores = self.dots(self.queries, query, vectors, row)
        if similarity.score is not None:
            lengths = (
                self.dots(self.queries, query, self.queries, query),
                self.dots(vectors, row, vectors, row),
            )
            scores = similarity.score(scores, *lengths)
        return self.rounded(scores) if single else scores

    def settle(self, vectors: Any, pairs: Scored, limits: Limits) -> tuple[Ints, Ints, Ints]:
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

    def comparison(self, vectors: Any, pairs: Scored) -> Comparison:
        """A function of pairs and rows: (pairs whose row is better; pairs and rows with equal scores)."""
        query, score = self.array(pairs.query), self.array(pairs.score)

        def compared(pair: Any, row: Any) -> tuple[Any, Any, Any]:
            scores = self.scores(pairs.similarity, query[pair], vectors, row, pairs.single)
            known = score[pair]
            equal = scores == known
            return pair[scores > known], pair[equal], row[equal]

        return compared
