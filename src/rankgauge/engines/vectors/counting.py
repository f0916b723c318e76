"""Counting documents that score better than judged ones, a block of documents at a time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rankgauge.engines.vectors.arithmetic import Arithmetic
from rankgauge.engines.vectors.limits import Thresholds
from rankgauge.engines.vectors.similarities import Similarity
from rankgauge.rankings.arrays.curves import Floats, Ints


class Tied(NamedTuple):
    """Documents, by their row in a block, that have the score of the judged document of a pair."""

    pair: Ints
    row: Ints


class Counter:
    """Counts the documents that score better than each of some judged ones, and those that tie with it.

    A pair is a query, by its row, and a judged document, by its exact score; queries ascend.
    """

    def __init__(
        self,
        arithmetic: Arithmetic,
        similarity: Similarity,
        query: Ints,
        score: Floats,
        *,
        single: bool = False,
    ) -> None:
        self._arithmetic, self._similarity, self._single = arithmetic, similarity, single
        squares = arithmetic.host(arithmetic.checked_squares(arithmetic.queries)).astype(np.float64)
        dim = int(arithmetic.queries.shape[1])
        self._thresholds = Thresholds(score, squares[query], dim, similarity, single)
        self._query = query
        self._pairs = arithmetic.array(query), arithmetic.array(score)
        self.better, self.equal = np.zeros((2, len(query)), dtype=np.int64)
        self.documents = 0

    def add(self, vectors: Any) -> Tied:
        """Count the documents of a block, and return those that tie."""
        tied = [Tied(*np.empty((2, 0), dtype=np.int64))]
        self.documents += len(vectors)
        if len(vectors) and len(self._query):
            arithmetic, similarity = self._arithmetic, self._similarity
            above, pair, row = arithmetic.near(vectors, self._query, *self._limits(vectors))
            self.better += above
            step = arithmetic.exact_rows
            for begin in range(0, len(pair), step):
                some = slice(begin, begin + step)
                better, *equal = arithmetic.compare(
                    similarity, vectors, pair[some], row[some], *self._pairs, self._single
                )
                self.better += better
                tied.append(Tied(*equal))
        found = Tied(*(np.concatenate(column) for column in zip(*tied, strict=True)))
        self.equal += np.bincount(found.pair, minlength=len(self.equal))
        return found

    def _limits(self, vectors: Any) -> tuple[Floats, Floats, Any, Any]:
        """(low and high limits of products with these documents, their scale and shift)."""
        similarity, squares = self._similarity, self._arithmetic.checked_squares(vectors)
        scale = similarity.scale and similarity.scale(squares)
        shift = similarity.shift and similarity.shift(squares)
        sizes = squares if scale is None else squares * scale * scale
        limits = self._thresholds.limits(
            self._arithmetic.roundoff,
            float(sizes.max()) ** 0.5,
            0.0 if shift is None else float(abs(shift).max()),
        )
        return *limits, scale, shift


def exact_scores(
    arithmetic: Arithmetic,
    similarity: Similarity,
    query: Ints,
    vectors: Any,
    row: Ints,
    *,
    single: bool = False,
) -> Floats:
    """The exact scores of documents, rows of `vectors`, for queries; with `single`, as 32-bit numbers."""
    parts = [np.empty(0)]
    for begin in range(0, len(query), arithmetic.exact_rows):
        some = slice(begin, begin + arithmetic.exact_rows)
        pairs = arithmetic.array(query[some]), vectors, arithmetic.array(row[some])
        parts.append(arithmetic.host(arithmetic.scores(similarity, *pairs, single)))
    return np.concatenate(parts, dtype=np.float64)
