"""The best documents of each query, found a block of documents at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.core.ids import Ids
from rankgauge.extensions.devices.dense.documents import (
    SEARCH,
    Block,
    Documents,
    Options,
    Queries,
    blocks_of,
    check_dimensions,
    not_finite,
    split_options,
)
from rankgauge.extensions.devices.dense.evaluation import Exclusions
from rankgauge.extensions.devices.ids import IdIndex, take
from rankgauge.extensions.devices.vectors import arithmetic_for
from rankgauge.extensions.devices.vectors.counting import (
    Arithmetic,
    NotFinite,
    ScoredPairs,
    Similarity,
    exact_scores,
    similarity_of,
    squared_lengths,
)
from rankgauge.formats.columns import Columns
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.model.qrels import in_bytes
from rankgauge.model.rules import DocumentOrder
from rankgauge.model.run import Run
from rankgauge.schema.options import whole_number

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on

DEPTH = 1000
FIRST = 256  # documents that are looked at first, at least
MANY_TIES = 1 << 12  # documents of a query that tie with its last: more of them are decided between at once

Places = Callable[[Ints], Ints]  # where rows stand in the order of tied documents


def retrieve(
    queries: Any,
    documents: Any,
    depth: int = DEPTH,
    **options: Unpack[Options],
) -> Run:
    """The run with the `depth` best documents of each query, with their scores in double precision.

    Evaluated with the same rule for ties, it has the values of `evaluate(..., depth=depth)`. Arguments and
    options are those of `evaluate`.

    >>> import numpy as np
    >>> documents = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
    >>> retrieve([[1.0, 0.0]], documents, 2, query_ids=["q1"], doc_ids=["a", "b", "c"]).to_dict()
    {'q1': {'a': 1.0, 'b': 0.6}}
    """
    search, rules = split_options("dense.retrieve", options, (*SEARCH, "ties", "score_precision"))
    order = DocumentOrder(**rules)
    if order.needs_ranks:
        raise order.no_ranks()
    ties = order.tie_rule
    whole_number("depth", depth)
    searched = Queries.of(queries, search["query_ids"])
    corpus = Documents.of(documents, search["doc_ids"])
    check_dimensions(queries=searched.vectors.shape[1], documents=corpus.dim)
    every = np.arange(len(searched.ids))
    arithmetic = arithmetic_for(searched.vectors, every, corpus.dtype, corpus.sample, search["device"])
    excluded = Exclusions(search["exclude"] or {}, searched.ids, Ids.of([]))
    index = IdIndex(excluded.documents)
    try:
        places = lambda rows: _places(rows, corpus, ties)  # noqa: E731
        single = order.score_precision == "single"
        best = Search(arithmetic, similarity_of(search["similarity"]), depth, places, single=single)
    except NotFinite as error:
        raise not_finite("query", searched.ids[error.row]) from None
    for each in blocks_of(corpus, arithmetic, search):
        try:
            left_out = _excluded_in(each, excluded, index, len(every))
            best.add(arithmetic.block(each.vectors), each.first, left_out)
        except NotFinite as error:
            raise not_finite("document", take(each.ids, np.array([error.row]))[0]) from None
    return _run(best, searched, corpus, search["name"])


def _excluded_in(block: Block, excluded: Exclusions, index: IdIndex, queries: int) -> Ints | None:
    if not len(excluded):
        return None
    document, row = index.matches(block.ids)
    place, query = excluded.of_documents(document)
    return row[place] * queries + query


def _places(rows: Ints, corpus: Documents, ties: str) -> Ints:
    """The order of documents, by their rows, that breaks ties."""
    if ties == "input":
        return rows
    known, which = np.unique(rows, return_inverse=True)
    # Rules over all orders of tied documents are about those that are there; which are is decided as usual.
    place = in_bytes(corpus.ids_of(known), which)[1]
    return place if ties == "docid_asc" else -place


def _run(search: Search, queries: Queries, corpus: Documents, name: str) -> Run:
    best = search.best()
    known, which = np.unique(best.row, return_inverse=True)
    ranks = np.arange(len(best.row)) - np.searchsorted(best.query, best.query) + 1
    return Run.from_columns(
        Columns(
            kind="run",
            topic=queries.ids.take(best.query),
            doc=corpus.ids_of(known).take(which),
            value=best.score,
            rank=ranks,
        ),
        name,
    )


class Search:
    """Finds the `depth` best documents of each query, by their exact scores.

    A document is examined if its product may reach the score of the last of the best so far. About `depth` of
    as many documents as were seen before do, so steps through a block double. `places` breaks ties.
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
        """Search a block whose first document has row `first`.

        `excluded` has, for each pair left out, its row in the block times the number of queries, plus its
        query.
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
        squares = self._arithmetic.finite(self._arithmetic.squares(vectors))
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
        """Keep the best, and all that tie with the last of them unless they are many."""
        found = _Results.joined([self._best, *self._new]).by_score()
        self._new = []
        found, most = self._cut(found)
        if most > self._depth + MANY_TIES:
            found = found.by_score(self._places(found.row)).first(self._depth)
        self._best = found

    def _cut(self, found: _Results) -> tuple[_Results, int]:
        """(results no worse than the last of their query's best, how many each query has)."""
        starts = np.searchsorted(found.query, np.arange(len(self._queries) + 1))
        full = np.diff(starts) >= self._depth
        self._last[full] = found.score[starts[:-1][full] + self._depth - 1]
        found = found.take(found.score >= self._last[found.query])
        return found, int(np.bincount(found.query, minlength=1).max())

    def best(self) -> _Results:
        """The best documents, by query and in order."""
        found = self._cut(_Results.joined([self._best, *self._new]).by_score())[0]
        return found.by_score(self._places(found.row)).first(self._depth)


class _Results:
    """Documents found for queries, by their rows."""

    def __init__(self, query: Ints, row: Ints, score: Floats) -> None:
        self.query, self.row, self.score = query, row, score

    def __len__(self) -> int:
        return len(self.query)

    @classmethod
    def joined(cls, parts: list[_Results]) -> _Results:
        columns = [(part.query, part.row, part.score) for part in parts]
        return cls(*(np.concatenate(column) for column in zip(*columns, strict=True)))

    def take(self, which: Any) -> _Results:
        return _Results(self.query[which], self.row[which], self.score[which])

    def by_score(self, place: Ints | None = None) -> _Results:
        """By query, the best first, ties by `place`."""
        return self.take(np.lexsort((self.row if place is None else place, -self.score, self.query)))

    def first(self, depth: int) -> _Results:
        starts = np.searchsorted(self.query, self.query)
        return self.take(np.arange(len(self)) - starts < depth)
