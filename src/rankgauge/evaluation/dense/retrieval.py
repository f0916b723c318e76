"""From vectors to a run: the best documents of each query, for those who need them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.core.ids import Ids
from rankgauge.engines.vectors.counting import NotFinite
from rankgauge.engines.vectors.libraries import arithmetic_for
from rankgauge.engines.vectors.searching import Search
from rankgauge.engines.vectors.similarities import similarity_of
from rankgauge.evaluation.dense.documents import (
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
from rankgauge.evaluation.dense.evaluation import Exclusions
from rankgauge.evaluation.dense.ids import IdIndex, take
from rankgauge.formats.columns import Columns
from rankgauge.measures.rankings.arrays.curves import Ints
from rankgauge.model.qrels import in_bytes
from rankgauge.model.rules import DocumentOrder
from rankgauge.model.run import Run
from rankgauge.schema.options import whole_number

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on

DEPTH = 1000


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
    whole_number("depth", depth)
    searched = Queries.of(queries, search["query_ids"])
    corpus = Documents.of(documents, search["doc_ids"])
    check_dimensions(queries=searched.vectors.shape[1], documents=corpus.dim)
    every = np.arange(len(searched.ids))
    arithmetic = arithmetic_for(searched.vectors, every, corpus.dtype, corpus.sample, search["device"])
    excluded = Exclusions(search["exclude"] or {}, searched.ids, Ids.of([]))
    index = IdIndex(excluded.documents)
    try:
        places = lambda rows: _places(rows, corpus, order.ties)  # noqa: E731
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
    """The numbers of excluded pairs in a block, as `Search.add` takes them."""
    if not len(excluded):
        return None
    document, row = index.matches(block.ids)
    place, query = excluded.of_documents(document)
    return row[place] * queries + query


def _places(rows: Ints, corpus: Documents, ties: str) -> Ints:
    """Where documents stand, by their rows, in the order of documents with equal scores."""
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
