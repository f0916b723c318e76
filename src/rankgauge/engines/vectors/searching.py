"""The best documents of each query, a block of documents at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankgauge.engines.vectors.counting import Arithmetic, ScoredPairs, exact_scores, squared_lengths
from rankgauge.engines.vectors.similarities import Similarity
from rankgauge.measures.rankings.arrays.curves import Floats, Ints

FIRST = 256  # documents that are looked at first, at least
MANY_TIES = 1 << 12  # documents of a query that tie with its last: more of them are decided between at once

Places = Callable[[Ints], Ints]  # where rows stand in the order of tied documents


class Search:
    """Finds the `depth` best documents of each query, by their exact scores.

    A document is looked at more closely if its product with a query may be at least the score of the last of
    the best so far. As many documents as were seen before have about `depth` of those, so blocks are gone
    through in steps that double. `places` decides between documents with equal scores.
    """

    def __init__(
        self,
        arithmetic: Arithmetic,
        similarity: Similarity,
        depth: int,
        places: Places,
        *,
        single: bool = False,
    ) -> None:
        self._arithmetic, self._similarity, self._single = arithmetic, similarity, single
        self._depth, self._places = depth, places
        self._queries = np.arange(len(arithmetic.queries))
        self._lengths = squared_lengths(arithmetic)
        self._last = np.full(len(self._queries), -np.inf)  # the score of the last of the best
        self._seen = 0
        nothing = np.empty(0, dtype=np.int64)
        self._best = _Results(nothing, nothing, np.empty(0))
        self._new = [self._best]  # found since the best were chosen

    def add(self, vectors: Any, first: int, excluded: Ints | None = None) -> None:
        """Look through a block whose first document has row `first`.

        `excluded` has a number for each pair that is left out: its row in the block times the number of
        queries, plus its query.
        """
        begin = 0
        while begin < len(vectors):
            end = min(begin + max(self._seen, self._depth, FIRST), len(vectors))
            query, row = self._candidates(vectors[begin:end])
            row += begin
            if excluded is not None and len(excluded):
                kept = ~np.isin(row * len(self._queries) + query, excluded)
                query, row = query[kept], row[kept]
            scores = exact_scores(
                self._arithmetic, self._similarity, query, vectors, row, single=self._single
            )
            self._new.append(_Results(query, row + first, scores))
            if sum(len(found) for found in self._new) > len(self._best) // 2:
                self._choose()
            self._seen += end - begin
            begin = end

    def _candidates(self, vectors: Any) -> tuple[Ints, Ints]:
        """(queries, rows) of documents that may be among the best."""
        squares = self._arithmetic.checked_squares(vectors)
        is_known = np.isfinite(self._last)
        known = np.where(is_known, self._last, 0.0)
        dim = int(vectors.shape[1])
        scored = ScoredPairs(self._queries, known, self._lengths, dim, self._similarity, self._single)
        limits = scored.limits(self._arithmetic.roundoff, squares)
        limits = limits._replace(
            low=np.where(is_known, limits.low, -np.inf), high=np.full(len(known), np.inf)
        )
        _, query, row = self._arithmetic.near(vectors, self._queries, limits)
        return self._arithmetic.host(query).astype(np.int64), self._arithmetic.host(row).astype(np.int64)

    def _choose(self) -> None:
        """Keep the best of what was found, and all that tie with the last of them, unless these are many."""
        found = _Results.joined([self._best, *self._new]).by_score()
        self._new = []
        found, most = self._cut(found)
        if most > self._depth + MANY_TIES:
            found = found.by_score(self._places(found.row)).first(self._depth)
        self._best = found

    def _cut(self, found: _Results) -> tuple[_Results, int]:
        """(those with at least the score of the last of the best of their query; how many a query has)."""
        starts = np.searchsorted(found.query, np.arange(len(self._queries) + 1))
        full = np.diff(starts) >= self._depth
        self._last[full] = found.score[starts[:-1][full] + self._depth - 1]
        found = found.take(found.score >= self._last[found.query])
        return found, int(np.bincount(found.query, minlength=1).max())

    def best(self) -> _Results:
        """The best documents, by query, each query's in their order."""
        found = self._cut(_Results.joined([self._best, *self._new]).by_score())[0]
        return found.by_score(self._places(found.row)).first(self._depth)


class _Results:
    """Documents, by their rows, that were found for queries."""

    def __init__(self, query: Ints, row: Ints, score: Floats) -> None:
        self.query, self.row, self.score = query, row, score

    def __len__(self) -> int:
        return len(self.query)

    @classmethod
    def joined(cls, parts: list[_Results]) -> _Results:
        """Several as one."""
        columns = [(part.query, part.row, part.score) for part in parts]
        return cls(*(np.concatenate(column) for column in zip(*columns, strict=True)))

    def take(self, which: Any) -> _Results:
        """Some of them: a mask, or indices in their order."""
        return _Results(self.query[which], self.row[which], self.score[which])

    def by_score(self, place: Ints | None = None) -> _Results:
        """By query, the best first; of those with equal scores, the one with the lowest place."""
        return self.take(np.lexsort((self.row if place is None else place, -self.score, self.query)))

    def first(self, depth: int) -> _Results:
        """The first `depth` of each query."""
        starts = np.searchsorted(self.query, self.query)
        return self.take(np.arange(len(self)) - starts < depth)
