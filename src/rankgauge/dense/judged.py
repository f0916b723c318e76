"""The vectors of judged documents: what the documents of every part of a corpus are compared with."""

from __future__ import annotations

from typing import Any

from rankgauge.dense import arrays
from rankgauge.dense.documents import Documents
from rankgauge.errors import InputError
from rankgauge.evaluation.evaluator import Evaluator, Measures
from rankgauge.formats.problems import quote
from rankgauge.measures.named_sets import SEVERAL
from rankgauge.schema.frozen import Frozen


class JudgedVectors(Frozen, eq=False):
    """Judged documents and their vectors; those of several parts of a corpus add up."""

    ids: tuple[str, ...]
    vectors: Any  # (documents, dimensions)

    def __add__(self, other: JudgedVectors) -> JudgedVectors:
        if not isinstance(other, JudgedVectors):
            return NotImplemented
        twice = {*self.ids} & {*other.ids}
        if twice:
            raise InputError(
                f"the document {quote(min(twice))} is in both parts; a document has one vector: "
                "divide the documents into parts that have none in common"
            )
        filled = [part for part in (self, other) if part.ids]
        vectors = arrays.concatenated([part.vectors for part in filled]) if filled else self.vectors
        return JudgedVectors(self.ids + other.ids, vectors)


def judged(
    qrels: Any,
    documents: Any,
    measures: Measures = SEVERAL,
    *,
    doc_ids: Any = None,
    qrels_format: str | None = None,
) -> JudgedVectors:
    """The vectors of the judged documents among these, for counting documents in parts.

    Arguments are those of `count`.

    >>> import numpy as np
    >>> judged({"q1": {"b": 1, "z": 1}}, np.eye(3), doc_ids=["a", "b", "c"]).ids
    ('b',)
    """
    evaluator = Evaluator(qrels, measures, qrels_format=qrels_format)
    return vectors_of({*evaluator.qrels.sorted_docs.texts()}, Documents.of(documents, doc_ids))


def vectors_of(wanted: set[str], documents: Documents) -> JudgedVectors:
    """The vectors of those of these documents that there are."""
    rows = documents.find(wanted)
    return JudgedVectors(tuple(map(str, rows)), documents.vectors(list(rows.values())))
