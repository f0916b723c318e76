"""From vectors of queries and documents to counts, and from those to scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.core.ids import Ids
from rankgauge.engines.vectors.arithmetic import NotFinite
from rankgauge.engines.vectors.libraries import arithmetic_for
from rankgauge.engines.vectors.similarities import similarity_of
from rankgauge.errors import OptionError
from rankgauge.evaluation.dense.checks import check_dimensions, not_finite, require_ids
from rankgauge.evaluation.dense.counts import Counts
from rankgauge.evaluation.dense.documents import Documents
from rankgauge.evaluation.dense.identity import identity_of
from rankgauge.evaluation.dense.judged import JudgedVectors, vectors_of
from rankgauge.evaluation.dense.options import Options, split_options
from rankgauge.evaluation.dense.pairs import Exclusions, Pairs
from rankgauge.evaluation.dense.queries import Queries
from rankgauge.evaluation.dense.scanning import blocks_of
from rankgauge.evaluation.dense.tally import Tally
from rankgauge.evaluation.dense.wanted import Wanted, places
from rankgauge.evaluation.evaluator import Evaluator, Measures
from rankgauge.measures.named_sets import SEVERAL
from rankgauge.model.scores import Scores
from rankgauge.schema.checks import whole_number

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on


def evaluate(
    qrels: Any,
    queries: Any,
    documents: Any,
    measures: Measures = SEVERAL,
    **options: Unpack[Options],
) -> Scores:
    """The measures of a retriever that scores every document for every query, from their vectors.

    `queries` and `documents` are arrays with a row per vector, of NumPy or torch, also on a graphics card;
    documents may also be memory-mapped, in one or several .npy files, a column of lists in Parquet files, or
    a function that returns an iterator of (ids, block). Scores are compared in double precision: ranks are
    exact, whatever the size of a block, the precision of products and the device.

        query_ids, doc_ids  the ids of rows, lists or files; without them, rows are numbered from 0
        similarity          "dot", "cosine" or "euclidean" (minus the squared distance)
        exclude             {query: documents} that are left out of the ranking of a query
        depth               how many of the best documents of each query are evaluated, as in a run of that
                            depth; all unless it is given
        device              of torch, where products are computed; where the vectors are unless it is given
        block               documents that are scored at once; chosen by the memory that is free
        progress            a function that is called with the numbers of documents counted, and of all
        name                of the run in the scores

    Other options are those of `rankgauge.evaluate`: `qrels_format`, `qrels_columns`, `grades`, `names`, and
    the rules, such as `ties`.

    >>> import numpy as np
    >>> qrels = {"q1": {"b": 1}}
    >>> documents = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
    >>> evaluate(qrels, [[1.0, 0.0]], documents, "RR", query_ids=["q1"], doc_ids=["a", "b", "c"]).mean()
    {'run': {'RR': 0.5}}
    """
    return count(qrels, queries, documents, measures, **options).scores()


def count(
    qrels: Any,
    queries: Any,
    documents: Any,
    measures: Measures = SEVERAL,
    *,
    judged: JudgedVectors | None = None,
    **options: Unpack[Options],
) -> Counts:
    """Counts of documents that score better than judged ones, in all of a corpus or in a part of it.

    For a part, `judged` has the vectors of the judged documents of all parts: the sum of `dense.judged` over
    the parts. Counts of parts add up: `(count(...) + count(...)).scores()`, or `sum(parts).scores()`. The
    documents of a part are read once, and need ids. Arguments and options are those of `evaluate`.
    """
    search, others = split_options("dense.evaluate", options)
    depth, similarity = others.pop("depth", None), search["similarity"]
    evaluator = Evaluator(qrels, measures, **others)
    _check_rules(evaluator, whole=judged is None)
    if depth is not None:
        whole_number("depth", depth, 1)
    searched = Queries.of(queries, search["query_ids"])
    corpus = Documents.of(documents, search["doc_ids"], once=judged is not None)
    pairs = Pairs(evaluator, searched.ids, search["name"])
    left_out = Exclusions(search["exclude"] or {}, searched.ids, pairs.documents)
    wanted = Wanted(left_out.documents)
    if judged is None:
        there, vectors = vectors_of(Wanted(pairs.documents) if len(left_out) else wanted, corpus)
        vector = np.full(len(pairs.documents), -1)  # the row of each document in `vectors`
        vector[there] = np.arange(len(there))
        whole = corpus.count
    else:
        require_ids(corpus)
        vector, vectors = places(pairs.documents, Ids.of(judged.ids)), judged.vectors
        whole = judged.corpus
    pairs.keep(vector, left_out)
    check_dimensions(
        queries=searched.vectors.shape[1],
        documents=corpus.dim,
        **({"judged_documents": vectors.shape[1]} if len(vectors) else {}),
    )
    arithmetic = arithmetic_for(
        searched.vectors, pairs.queries, corpus.dtype, corpus.vectors([]), search["device"]
    )
    try:
        tally = Tally(
            arithmetic, similarity_of(similarity), pairs, left_out, vectors, wanted, evaluator.order
        )
    except NotFinite as error:
        raise not_finite("query", searched.ids[int(pairs.queries[error.row])]) from None
    for each in blocks_of(corpus, arithmetic, search):
        tally.add(each)
    source = f"{corpus.dtype} vectors of {corpus.dim} numbers, {similarity} in double precision"
    counts = tally.counts()
    return Counts(
        evaluator=evaluator,
        name=search["name"],
        source=source,
        depth=depth,
        searched=pairs.searched,
        unjudged_topics=pairs.unjudged_topics,
        judgment=pairs.judgment,
        identity=identity_of(evaluator, pairs, counts["score"], left_out, source, depth),
        corpus=whole,
        **counts,
    )


def _check_rules(evaluator: Evaluator, *, whole: bool) -> None:
    """Refuse rules and measures that need more than counts."""
    if evaluator.order.needs_ranks:
        raise OptionError("documents are ordered by score; order=rank and ties=rank need ranks")
    if evaluator.order.ties == "input" and not whole:
        raise OptionError("parts of a corpus have no common order; use ties=docid_desc, not ties=input")
    for measure in evaluator.measures:
        if measure.spec.needs.scores:
            raise OptionError(
                f"{measure} depends on the scores of all documents, and only better ones are counted; "
                "write a run (rankgauge dense --run) and evaluate that"
            )
