"""The vectors of judged documents: what the documents of every part of a corpus are compared with."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.core.ids import Ids
from rankgauge.errors import InputError
from rankgauge.evaluation.evaluator import Evaluator, Measures
from rankgauge.extensions.devices.dense import arrays, saved
from rankgauge.extensions.devices.dense.documents import Documents, check_dimensions
from rankgauge.extensions.devices.dense.ids import IdIndex
from rankgauge.formats.problems import quote
from rankgauge.measures.named_sets import SEVERAL
from rankgauge.model.rules import Judging
from rankgauge.schema.frozen import Frozen

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on

KIND = "judged vectors"


class JudgedVectors(Frozen, eq=False):
    """Judged documents and their vectors; those of several parts of a corpus add up."""

    ids: tuple[str, ...]
    vectors: Any  # (documents, dimensions)
    corpus: int | None = None  # documents that were looked through, if that is known

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
        check_dimensions(**{f"part_{n}": part.vectors.shape[1] for n, part in enumerate(filled, 1)})
        vectors = arrays.concatenated([part.vectors for part in filled]) if filled else self.vectors
        known = self.corpus is not None and other.corpus is not None
        corpus = self.corpus + other.corpus if known else None  # type: ignore[operator]
        return JudgedVectors(self.ids + other.ids, vectors, corpus)

    def __radd__(self, other: object) -> JudgedVectors:
        return self if isinstance(other, int) and other == 0 else NotImplemented  # sum() begins with 0

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the vectors and their ids to a file."""
        ids = Ids.of(self.ids)
        numbers, dtype = arrays.stored(self.vectors)
        columns = {"ids": np.frombuffer(ids.data, dtype=np.uint8), "offsets": ids.offsets, "vectors": numbers}
        saved.save(path, KIND, {"corpus": self.corpus, "dtype": dtype}, columns)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> JudgedVectors:
        """Judged vectors that were saved, as an array of NumPy, or a tensor if NumPy lacks their type."""
        about, columns = saved.load(path, KIND)
        try:
            ids = tuple(Ids(columns["ids"].tobytes(), columns["offsets"]).texts())
            vectors = arrays.restored(columns["vectors"], about["dtype"])
            corpus = about["corpus"]
        except (KeyError, TypeError, ValueError):
            raise saved.damaged(path, KIND) from None
        if len(ids) != len(vectors):
            raise saved.damaged(path, KIND)
        return JudgedVectors(ids, vectors, corpus)


def judged(
    qrels: Any,
    documents: Any,
    measures: Measures = SEVERAL,
    *,
    doc_ids: Any = None,
    **judging: Unpack[Judging],
) -> JudgedVectors:
    """The vectors of the judged documents among these, for counting documents in parts.

    Arguments are those of `count`.

    >>> import numpy as np
    >>> judged({"q1": {"b": 1, "z": 1}}, np.eye(3), doc_ids=["a", "b", "c"]).ids
    ('b',)
    """
    evaluator = Evaluator(qrels, measures, **judging)
    return judged_among(evaluator, Documents.of(documents, doc_ids))


def judged_among(evaluator: Evaluator, documents: Documents) -> JudgedVectors:
    """The vectors of all judged documents among these."""
    wanted = IdIndex(evaluator.qrels.sorted_docs.encode()[1])
    there, vectors = documents.find(wanted)
    return JudgedVectors(tuple(wanted.ids.take(there).texts()), vectors, documents.count)
