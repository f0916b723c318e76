"""Which documents are looked at for which queries: judged ones, whose ranks are wanted, and excluded ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from rankgauge.core.ids import Ids
from rankgauge.engines.facts import no_common_topic
from rankgauge.engines.requirements import lowest_grade
from rankgauge.errors import InputError
from rankgauge.evaluation.dense.wanted import places
from rankgauge.evaluation.evaluator import Evaluator
from rankgauge.formats.columns import joined_ids
from rankgauge.formats.problems import quote
from rankgauge.measures.rankings.arrays.curves import Ints


class Exclusions:
    """Documents that are left out of the rankings of some queries.

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

    def has(self, query: Ints, document: Ints) -> npt.NDArray[np.bool_]:
        """Whether documents are excluded for queries."""
        return np.isin(self._numbers(query, document), self._pairs)

    def of_documents(self, document: Ints) -> tuple[Ints, Ints]:
        """(places in `document`, queries for which the document there is excluded)."""
        place, member = _members(self.document, document)
        return place, self.query[member]


class Pairs:
    """Queries, by their rows, and the documents that are judged for them."""

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
        needed = (query >= 0) & (qrels.sorted_grades >= lowest_grade(evaluator.measures))
        self.judgment = np.flatnonzero(needed)
        self.judgment = self.judgment[np.argsort(query[needed], kind="stable")]
        self._row = query[self.judgment]
        # The document of each pair, by its place among the distinct ones
        self.document, self.documents = qrels.sorted_docs.take(self.judgment).encode()

    def keep(self, vector: Ints, excluded: Exclusions) -> None:
        """Keep the pairs whose document is not excluded and has a vector: its row, -1 if there is none."""
        kept = vector[self.document] >= 0
        if len(excluded):
            kept &= ~excluded.has(self._row, self.document)
        self.judgment, self._row, self.document = (
            each[kept] for each in (self.judgment, self._row, self.document)
        )
        self.vector = vector[self.document]
        self.lacking = np.flatnonzero(vector < 0)  # documents without one
        # Queries without a judged document have nothing to be counted for.
        self.queries, self.query = np.unique(self._row, return_inverse=True)

    def of_queries(self, rows: Ints) -> tuple[Ints, Ints]:
        """(places in `rows`, pairs of the query there): one of each for every pair of these queries."""
        return _members(self._row, rows)


def _members(column: Ints, values: Ints) -> tuple[Ints, Ints]:
    """(places in `values`, places in an ascending column that have the value there)."""
    first, last = (np.searchsorted(column, values, side=side) for side in ("left", "right"))
    counts = last - first
    place = np.repeat(np.arange(len(values)), counts)
    return place, np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts - first, counts)
