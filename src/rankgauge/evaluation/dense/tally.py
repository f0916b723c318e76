"""Counting documents by their ids: which of those that tie come first, and which are excluded."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankgauge.engines.vectors.arithmetic import Arithmetic, NotFinite
from rankgauge.engines.vectors.counting import Counter, Tied, exact_scores
from rankgauge.engines.vectors.similarities import Similarity
from rankgauge.errors import InputError
from rankgauge.evaluation.dense.checks import not_finite
from rankgauge.evaluation.dense.documents import Block
from rankgauge.evaluation.dense.identifiers import IdColumn, Numbers
from rankgauge.evaluation.dense.pairs import Exclusions, Pairs
from rankgauge.evaluation.dense.wanted import Wanted
from rankgauge.formats.problems import quote
from rankgauge.measures.rankings.arrays.curves import Ints
from rankgauge.model.document_order import DocumentOrder


class Tally:
    """The counts of all blocks so far."""

    def __init__(
        self,
        arithmetic: Arithmetic,
        similarity: Similarity,
        pairs: Pairs,
        excluded: Exclusions,
        judged: Any,  # (documents, dimensions): their vectors
        wanted: Wanted,
        order: DocumentOrder,
    ) -> None:
        self._arithmetic, self._similarity, self._pairs = arithmetic, similarity, pairs
        self._excluded, self._ties = excluded, order.ties
        self._single = order.score_precision == "single"
        self._wanted = wanted  # documents that are judged or excluded
        scores = exact_scores(
            arithmetic,
            similarity,
            pairs.query,
            arithmetic.block(judged),
            pairs.vector,
            single=self._single,
        )
        self._counter = Counter(arithmetic, similarity, pairs.query, scores, single=self._single)
        self._score = scores
        self._before, self._seen = np.zeros((2, len(scores)), dtype=np.int64)
        self._left_out = np.zeros(len(pairs.searched), dtype=np.int64)

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
        }

    def add(self, block: Block) -> None:
        """Count the documents of a block."""
        ids = block.ids if block.ids is not None else Numbers(len(block.vectors), block.first)
        rows = ids.find(self._wanted)
        unknown = self._pairs.lacking[rows[self._pairs.lacking] >= 0]
        if len(unknown):
            raise InputError(
                f"the document {quote(self._wanted.ids[int(unknown[0])])} is judged, and the judged vectors "
                "lack it; they must be the sum of `dense.judged` over all parts, with the same judgments"
            )
        vectors = self._arithmetic.block(block.vectors)
        try:
            tied = self._counter.add(vectors)
        except NotFinite as error:
            raise not_finite("document", ids[error.row]) from None
        own = rows[self._pairs.document]  # the row of each pair's judged document, or -1
        others = tied.row != own[tied.pair]
        alike = np.bincount(tied.pair[~others], minlength=len(own)) > 0
        if (alike != (own >= 0)).any():
            pair = int(np.argmax(alike != (own >= 0)))
            document = self._wanted.ids[int(self._pairs.document[pair])]
            raise InputError(
                f"the vector of the document {quote(document)} is not the one among the judged vectors; "
                "collect those anew: do they come from another model?"
            )
        tied = Tied(tied.pair[others], tied.row[others])
        self._count_before(tied, ids, own, 1)
        if len(self._excluded):
            self._exclude(rows[self._excluded.document], vectors, ids, own)
        self._seen += own >= 0

    def _count_before(self, tied: Tied, ids: IdColumn, own: Ints, sign: int) -> None:
        """Count the documents that come before the judged one they tie with."""
        if self._ties == "input":
            first = np.where(own[tied.pair] < 0, self._seen[tied.pair] == 0, tied.row < own[tied.pair])
        else:
            descending = self._ties != "docid_asc"
            judged = self._wanted.ids.take(self._pairs.document[tied.pair])
            first = np.array(
                [
                    document != other and (document > other) == descending
                    for document, other in zip(ids.take(tied.row), judged, strict=True)
                ],
                dtype=np.bool_,
            )
        self._before += sign * np.bincount(tied.pair[first], minlength=len(self._before))

    def _exclude(self, row: Ints, vectors: Any, ids: IdColumn, own: Ints) -> None:
        """Take back the counts of documents that are excluded; `row` has their rows, -1 if not here."""
        query, row = self._excluded.query[row >= 0], row[row >= 0]
        topic = self._pairs.topic[query]
        self._left_out += np.bincount(topic[topic >= 0], minlength=len(self._left_out))
        place, pair = self._pairs.of_queries(query)
        row = row[place]
        scores = exact_scores(
            self._arithmetic, self._similarity, self._pairs.query[pair], vectors, row, single=self._single
        )
        counter, limits = self._counter, self._score[pair]
        counter.better -= np.bincount(pair[scores > limits], minlength=len(counter.better))
        equal = scores == limits
        counter.equal -= np.bincount(pair[equal], minlength=len(counter.equal))
        self._count_before(Tied(pair[equal], row[equal]), ids, own, -1)
