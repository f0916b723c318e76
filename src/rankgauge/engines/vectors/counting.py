"""Counting documents that score better than judged ones, a block of documents at a time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rankgauge.engines.vectors.arithmetic import Arithmetic
from rankgauge.engines.vectors.limits import Scored
from rankgauge.engines.vectors.similarities import Similarity
from rankgauge.measures.rankings.arrays.curves import Floats, Ints


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
        self._arithmetic = arithmetic
        dim = int(arithmetic.queries.shape[1])
        self._pairs = Scored(query, score, squared_lengths(arithmetic)[query], dim, similarity, single)
        self.better, self.equal = np.zeros((2, len(query)), dtype=np.int64)
        self.documents = 0

    def add(self, vectors: Any) -> Tied:
        """Count the documents of a block, and return those that tie."""
        self.documents += len(vectors)
        if not len(vectors) or not len(self.better):
            return Tied(*np.empty((2, 0), dtype=np.int64))
        limits = self._pairs.limits(self._arithmetic.roundoff, self._arithmetic.checked_squares(vectors))
        better, pair, row = self._arithmetic.settle(vectors, self._pairs, limits)
        self.better += better
        self.equal += np.bincount(pair, minlength=len(self.equal))
        return Tied(pair, row)


def squared_lengths(arithmetic: Arithmetic) -> Floats:
    """The squared lengths of queries; one with a number that is not finite is an error."""
    arithmetic.checked_squares(arithmetic.queries)
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
    """The exact scores of documents, rows of `vectors`, for queries; with `single`, as 32-bit numbers."""
    parts = [np.empty(0)]
    for begin in range(0, len(query), arithmetic.exact_rows):
        some = slice(begin, begin + arithmetic.exact_rows)
        pairs = arithmetic.array(query[some]), vectors, arithmetic.array(row[some])
        parts.append(arithmetic.host(arithmetic.scores(similarity, *pairs, single)))
    return np.concatenate(parts, dtype=np.float64)
