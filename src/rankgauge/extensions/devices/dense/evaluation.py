"""Evaluation of vectors: first counts, then scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.core.ids import Ids
from rankgauge.engines.facts import no_common_topic
from rankgauge.engines.requirements import lowest_grade
from rankgauge.errors import InputError, OptionError
from rankgauge.evaluation.evaluator import Evaluator, Measures
from rankgauge.extensions.devices.dense.counts import Counts, JudgedVectors, identity_of
from rankgauge.extensions.devices.dense.documents import (
    Block,
    Documents,
    Options,
    Queries,
    blocks_of,
    check_dimensions,
    not_finite,
    split_options,
)
from rankgauge.extensions.devices.ids import IdColumn, IdIndex, places, take
from rankgauge.extensions.devices.vectors import arithmetic_for
from rankgauge.extensions.devices.vectors.counting import (
    Arithmetic,
    Counter,
    NotFinite,
    Similarity,
    TiedRows,
    exact_scores,
    similarity_of,
)
from rankgauge.formats.columns import joined_ids
from rankgauge.formats.problems import quote
from rankgauge.measures.named_sets import SEVERAL
from rankgauge.measures.rankings.array_types import Bools
from rankgauge.measures.rankings.arrays.curves import Ints
from rankgauge.model.rules import DocumentOrder
from rankgauge.model.scores import Scores
from rankgauge.schema.options import whole_number

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on


def evaluate(
    qrels: Any,
    queries: Any,
    documents: Any,
    measures: Measures = SEVERAL,
    *,
    depth: int | None = None,
    **options: Unpack[Options],
) -> Scores:
    """The measures of a retriever that scores every document for every query, from their vectors.

    `queries` and `documents` are arrays with a row per vector, of NumPy or torch, also on a graphics card;
    documents may also be memory-mapped, in one or several .npy files, a column of lists in Parquet files, or
    a function that returns an iterator of (ids, block). Scores are compared in double precision: ranks are
    exact, whatever the size of a block, the precision of products and the device.

        query_ids, doc_ids  the ids of rows, lists or files; without them, rows are numbered from 0
        similarity          "dot", "cosine" (score_precision="single" ignores rounding between parallel
                            vectors) or "euclidean" (minus the squared distance)
        exclude             {query: documents} that are left out of the ranking of a query
        depth               how many of the best documents of each query are evaluated, as in a run of that
                            depth; all unless it is given
        device              of torch, where products are computed; where the vectors are unless it is given
        block               documents that are scored at once; chosen by the memory that they take
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
    return count(qrels, queries, documents, measures, depth=depth, **options).scores()


def count(
    qrels: Any,
    queries: Any,
    documents: Any,
    measures: Measures = SEVERAL,
    *,
    judged: JudgedVectors | None = None,
    depth: int | None = None,
    **options: Unpack[Options],
) -> Counts:
    """Counts of documents that score better than judged ones, in all of a corpus or in a part of it.

    For a part, `judged` has the vectors of the judged documents of all parts: the sum of `dense.judged` over
    the parts. Counts of parts add up: `(count(...) + count(...)).scores()`, or `sum(parts).scores()`. The
    documents of a part are read once, and need ids. Arguments and options are those of `evaluate`.
    """
    search, others = split_options("dense.evaluate", options)
    similarity = search["similarity"]
    evaluator = Evaluator(qrels, measures, **others)
    _check_rules(evaluator, whole=judged is None)
    if depth is not None:
        whole_number("depth", depth, 1)
    searched = Queries.of(queries, search["query_ids"])
    corpus = Documents.of(documents, search["doc_ids"], once=judged is not None)
    pairs = Pairs(evaluator, searched.ids, search["name"])
    excluded = Exclusions(search["exclude"] or {}, searched.ids, pairs.documents)
    known = IdIndex(excluded.documents)  # judged or excluded
    vector = np.full(len(pairs.documents), -1)  # the row of each judged document in `vectors`
    if judged is None:
        every = len(pairs.needed) == len(known)
        there, vectors = corpus.find(known if every else IdIndex(pairs.documents.take(pairs.needed)))
        vector[pairs.needed[there]] = np.arange(len(there))
        whole = corpus.count
    else:
        if corpus.are_numbered:  # every part would begin with 0
            raise OptionError(
                "the documents of a part of a corpus need ids, which differ from those of other parts; pass "
                "doc_ids, such as range(1000, 2000)"
            )
        vector[pairs.needed] = places(pairs.documents.take(pairs.needed), Ids.of(judged.ids))
        vectors, whole = judged.vectors, judged.corpus
    pairs.keep(vector, excluded)
    check_dimensions(
        queries=searched.vectors.shape[1],
        documents=corpus.dim,
        **({"judged_documents": vectors.shape[1]} if len(vectors) else {}),
    )
    arithmetic = arithmetic_for(
        searched.vectors, pairs.queries, corpus.dtype, corpus.sample, search["device"]
    )
    try:
        tally = Tally(arithmetic, similarity_of(similarity), pairs, excluded, known, vectors, evaluator.order)
    except NotFinite as error:
        raise not_finite("query", searched.ids[int(pairs.queries[error.row])]) from None
    for each in blocks_of(corpus, arithmetic, search):
        tally.add(each)
    source = f"{corpus.dtype} vectors of {corpus.dim} numbers, {similarity} in double precision"
    counts = tally.counts()
    common: dict[str, Any] = {
        "searched": pairs.searched,
        "unjudged_topics": pairs.unjudged_topics,
        "judgment": pairs.judgment,
        "score": counts["score"],
        "source": source,
        "depth": depth,
    }
    exclusions = zip(excluded.documents.take(excluded.document).texts(), excluded.query.tolist(), strict=True)
    return Counts(
        evaluator=evaluator,
        name=search["name"],
        identity=identity_of(evaluator, sorted(exclusions), **common),
        corpus=whole,
        **common | counts,
    )


def _check_rules(evaluator: Evaluator, *, whole: bool) -> None:
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


class Exclusions:
    """Documents left out of the rankings of some queries.

    `documents` has those that are known, and after them the others that are excluded.
    """

    def __init__(self, exclude: Mapping[str, Iterable[str]], queries: Ids, known: Ids) -> None:
        names: list[str] = []
        sizes = []
        for query, documents in exclude.items():
            if isinstance(documents, (str, bytes)):
                raise InputError(
                    f"exclude has the text {quote(documents)} for the query {quote(query)}; "
                    "it must be a list or a set of documents"
                )
            distinct = {*map(str, documents)}
            names += distinct
            sizes.append(len(distinct))
        row = np.repeat(places(Ids.of(map(str, exclude)), queries), np.array(sizes, dtype=np.int64))
        searched = row >= 0  # other queries are not searched for
        given = Ids.of(names).take(np.flatnonzero(searched))
        code, self.documents = joined_ids([known, given]).encode() if len(given) else (row, known)
        self._queries = len(queries)
        # A number for each pair, by document
        self._pairs = np.unique(self._numbers(row[searched], code[len(code) - len(given) :]))
        self.document, self.query = np.divmod(self._pairs, max(len(queries), 1))

    def __len__(self) -> int:
        return len(self._pairs)

    def _numbers(self, query: Ints, document: Ints) -> Ints:
        return document * self._queries + query

    def has(self, query: Ints, document: Ints) -> Bools:
        """Whether documents are excluded for queries."""
        return np.isin(self._numbers(query, document), self._pairs)

    def of_documents(self, document: Ints) -> tuple[Ints, Ints]:
        """(places in `document`, queries for which the document there is excluded)."""
        place, member = _members(self.document, document)
        return place, self.query[member]


class Pairs:
    """Queries, by their rows, and the documents judged for them."""

    def __init__(self, evaluator: Evaluator, queries: Ids, name: str) -> None:
        qrels = evaluator.qrels
        topics = qrels.sorted_topic_ids
        self.topic = places(queries, topics)  # of each query
        if not (self.topic >= 0).any():
            raise no_common_topic(name, qrels.sorted_topics, queries.texts())
        self.unjudged_topics = int(np.count_nonzero(self.topic < 0))
        row = np.full(len(topics), -1)
        row[self.topic[self.topic >= 0]] = np.flatnonzero(self.topic >= 0)
        self.searched = (row >= 0).astype(np.int64)  # (topics,)
        query = np.repeat(row, np.diff(qrels.starts))
        self.judgment = np.flatnonzero(query >= 0)
        self.judgment = self.judgment[np.argsort(query[self.judgment], kind="stable")]
        self._row = query[self.judgment]
        # The document of each pair, by its place among the distinct ones
        self.document, self.documents = qrels.sorted_docs.take(self.judgment).encode()
        self._is_needed = qrels.sorted_grades[self.judgment] >= lowest_grade(evaluator.measures)
        self.needed = np.unique(self.document[self._is_needed])  # documents that measures distinguish

    def keep(self, vector: Ints, excluded: Exclusions) -> None:
        """Keep the pairs that measures need and that have a vector, by its row (-1: none).

        `all_documents` has the documents of all pairs that are not excluded.
        """
        if len(excluded):
            self._keep(~excluded.has(self._row, self.document))
        self.all_documents = self.document
        self.lacking = self.needed[vector[self.needed] < 0]  # documents without a vector
        self._keep(self._is_needed & (vector[self.document] >= 0))
        self.vector = vector[self.document]
        # Queries without a judged document have nothing to be counted for.
        self.queries, self.query = np.unique(self._row, return_inverse=True)

    def _keep(self, kept: Bools) -> None:
        self.judgment, self._row = self.judgment[kept], self._row[kept]
        self.document, self._is_needed = self.document[kept], self._is_needed[kept]

    def of_queries(self, rows: Ints) -> tuple[Ints, Ints]:
        """(places in `rows`, pairs of the query there), for every pair of these queries."""
        return _members(self._row, rows)


def _members(column: Ints, values: Ints) -> tuple[Ints, Ints]:
    """(places in `values`, places of equal values in an ascending column)."""
    first, last = (np.searchsorted(column, values, side=side) for side in ("left", "right"))
    counts = last - first
    place = np.repeat(np.arange(len(values)), counts)
    return place, np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts - first, counts)


class Tally:
    """The counts of all blocks so far, where ids decide about ties and exclusions."""

    def __init__(
        self,
        arithmetic: Arithmetic,
        similarity: Similarity,
        pairs: Pairs,
        excluded: Exclusions,
        known: IdIndex,  # of documents that are judged or excluded
        judged: Any,  # (documents, dimensions): their vectors
        order: DocumentOrder,
    ) -> None:
        self._arithmetic, self._similarity, self._pairs = arithmetic, similarity, pairs
        self._excluded, self._ties = excluded, order.tie_rule
        self._single = order.score_precision == "single"
        self._known = known
        self._score = self._scores(np.arange(len(pairs.query)), arithmetic.block(judged), pairs.vector)
        self._counter = Counter(arithmetic, similarity, pairs.query, self._score, single=self._single)
        self._before, self._seen = np.zeros((2, len(self._score)), dtype=np.int64)
        self._left_out = np.zeros(len(pairs.searched), dtype=np.int64)
        self._judged = 0

    def _scores(self, pair: Ints, vectors: Any, row: Ints) -> Any:
        query = self._pairs.query[pair]
        return exact_scores(self._arithmetic, self._similarity, query, vectors, row, single=self._single)

    def counts(self) -> dict[str, Any]:
        """The counts by their names in `Counts`."""
        return {
            "score": self._score,
            "better": self._counter.better,
            "equal": self._counter.equal,
            "before": self._before,
            "seen": self._seen,
            "excluded": self._left_out,
            "documents": self._counter.documents,
            "judged": self._judged,
        }

    def add(self, block: Block) -> None:
        """Count the documents of a block."""
        rows, pairs = self._known.rows(*self._known.matches(block.ids)), self._pairs
        unknown = pairs.lacking[rows[pairs.lacking] >= 0]
        if len(unknown):
            raise InputError(
                f"the document {quote(self._known.ids[int(unknown[0])])} is judged, and the judged vectors "
                "lack it; they must be the sum of `dense.judged` over all parts, with the same judgments"
            )
        vectors = self._arithmetic.block(block.vectors)
        try:
            tied = self._counter.add(vectors)
        except NotFinite as error:
            raise not_finite("document", take(block.ids, np.array([error.row]))[0]) from None
        own = rows[pairs.document]  # the row of each pair's judged document, or -1
        others = tied.row != own[tied.pair]
        alike = np.bincount(tied.pair[~others], minlength=len(own)) > 0
        if (alike != (own >= 0)).any():
            pair = int(np.argmax(alike != (own >= 0)))
            raise InputError(
                f"the vector of the document {quote(self._known.ids[int(pairs.document[pair])])} is not the "
                "one among the judged vectors; collect those anew: do they come from another model?"
            )
        self._count_before(TiedRows(tied.pair[others], tied.row[others]), block.ids, own, 1)
        if len(self._excluded):
            self._exclude(rows[self._excluded.document], vectors, block.ids, own)
        self._seen += own >= 0
        self._judged += int(np.count_nonzero(rows[pairs.all_documents] >= 0))

    def _count_before(self, tied: TiedRows, ids: IdColumn, own: Ints, sign: int) -> None:
        """Count the documents that precede the judged one they tie with."""
        if self._ties == "input":
            first = np.where(own[tied.pair] < 0, self._seen[tied.pair] == 0, tied.row < own[tied.pair])
        else:
            descending = self._ties != "docid_asc"
            judged = self._known.ids.take(self._pairs.document[tied.pair])
            first = np.array(
                [
                    document != other and (document > other) == descending
                    for document, other in zip(take(ids, tied.row), judged, strict=True)
                ],
                dtype=np.bool_,
            )
        self._before += sign * np.bincount(tied.pair[first], minlength=len(self._before))

    def _exclude(self, row: Ints, vectors: Any, ids: IdColumn, own: Ints) -> None:
        """Take back the counts of excluded documents, by their rows (-1: not here)."""
        query, row = self._excluded.query[row >= 0], row[row >= 0]
        topic = self._pairs.topic[query]
        self._left_out += np.bincount(topic[topic >= 0], minlength=len(self._left_out))
        place, pair = self._pairs.of_queries(query)
        row = row[place]
        scores = self._scores(pair, vectors, row)
        counter, limits = self._counter, self._score[pair]
        counter.better -= np.bincount(pair[scores > limits], minlength=len(counter.better))
        equal = scores == limits
        counter.equal -= np.bincount(pair[equal], minlength=len(counter.equal))
        self._count_before(TiedRows(pair[equal], row[equal]), ids, own, -1)
