"""Which documents are looked at for which queries: judged ones, whose ranks are wanted, and excluded ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from rankgauge.core.ids import to_text
from rankgauge.engines.facts import no_common_topic
from rankgauge.engines.requirements import lowest_grade
from rankgauge.errors import InputError
from rankgauge.evaluation.evaluator import Evaluator
from rankgauge.formats.problems import quote
from rankgauge.rankings.arrays.curves import Ints


class Exclusions:
    """Documents that are left out of the rankings of some queries."""

    def __init__(self, exclude: Mapping[str, Iterable[str]], queries: Sequence[str]) -> None:
        rows = {query: row for row, query in enumerate(queries)}
        self.by_document: dict[str, list[int]] = {}  # {document: rows of queries that it is excluded for}
        for query, documents in exclude.items():
            if isinstance(documents, (str, bytes)):
                raise InputError(
                    f"exclude has the text {quote(documents)} for the query {quote(query)}; "
                    "it must be a list or a set of documents"
                )
            if str(query) in rows:  # others are not searched for
                for document in {*map(str, documents)}:
                    self.by_document.setdefault(document, []).append(rows[str(query)])

    def __contains__(self, pair: tuple[int, str]) -> bool:
        row, document = pair
        return row in self.by_document.get(document, ())


class Pairs:
    """Queries, by their rows, and the documents that are judged for them."""

    def __init__(self, evaluator: Evaluator, queries: Sequence[str], name: str) -> None:
        qrels = evaluator.qrels
        topics = {topic: number for number, topic in enumerate(qrels.sorted_topics)}
        self.topic = np.array([topics.get(query, -1) for query in queries], dtype=np.int64)  # of each query
        if not (self.topic >= 0).any():
            raise no_common_topic(name, qrels.sorted_topics, queries)
        self.unjudged_topics = int(np.count_nonzero(self.topic < 0))
        row = np.full(len(topics), -1)
        row[self.topic[self.topic >= 0]] = np.flatnonzero(self.topic >= 0)
        self.searched = (row >= 0).astype(np.int64)  # (topics,)
        query = np.repeat(row, np.diff(qrels.starts))
        needed = (query >= 0) & (qrels.sorted_grades >= lowest_grade(evaluator.measures))
        self.judgment = np.flatnonzero(needed)
        self.judgment = self.judgment[np.argsort(query[needed], kind="stable")]
        self._row = query[self.judgment]
        self.ids = [to_text(document) for document in qrels.sorted_docs.take(self.judgment)]

    def wanted(self) -> set[str]:
        """The documents that are judged."""
        return {*self.ids}

    def keep(self, known: Sequence[str], excluded: Exclusions) -> None:
        """Keep the pairs of documents that are known by their vectors and not excluded."""
        place = {document: number for number, document in enumerate(known)}
        kept = np.array([document in place for document in self.ids], dtype=np.bool_)
        if excluded.by_document:
            of_pair = zip(self._row.tolist(), self.ids, strict=True)
            kept &= np.array([pair not in excluded for pair in of_pair], dtype=np.bool_)
        self.judgment, self._row = self.judgment[kept], self._row[kept]
        self.ids = [document for document, keep in zip(self.ids, kept.tolist(), strict=True) if keep]
        self.document = np.array(
            [place[document] for document in self.ids], dtype=np.int64
        )  # among the known
        # Queries without a judged document have nothing to be counted for.
        self.queries, self.query = np.unique(self._row, return_inverse=True)

    def of_queries(self, rows: Ints) -> tuple[Ints, Ints]:
        """(places in `rows`, pairs of the query there): one of each for every pair of these queries."""
        first, last = (np.searchsorted(self._row, rows, side=side) for side in ("left", "right"))
        counts = last - first
        place = np.repeat(np.arange(len(rows)), counts)
        return place, np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts - first, counts)
