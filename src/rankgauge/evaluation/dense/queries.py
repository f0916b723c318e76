"""Vectors of queries: few enough to be in memory, each with an id of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankgauge.core.ids import Ids
from rankgauge.errors import InputError
from rankgauge.evaluation.dense import arrays
from rankgauge.evaluation.dense.documents import Documents
from rankgauge.formats.problems import quote


class Queries:
    """The vectors of queries and their ids."""

    def __init__(self, ids: Ids, vectors: Any) -> None:
        self.ids = ids
        self.vectors = vectors  # (queries, dim), an array of NumPy or a tensor of torch

    @staticmethod
    def of(queries: Any, ids: Any = None) -> Queries:
        """The queries in whatever `Documents.of` takes."""
        if isinstance(queries, Queries):
            return queries
        given = Documents.of(queries, ids, once=True, what="queries")
        blocks = list(given.blocks(1 << 20))
        vectors = arrays.concatenated([block.vectors for block in blocks])
        if isinstance(vectors, np.ndarray) and not vectors.flags.owndata:  # such as rows of a file
            vectors = vectors.copy()
        names = given.ids_of(np.arange(len(vectors)))
        code, distinct = names.encode()
        if len(distinct) < len(names):
            second = int(np.argmin(np.diff(np.maximum.accumulate(code)))) + 1  # new ids have new codes
            raise InputError(
                f"rows {int(np.argmax(code == code[second]))} and {second} (counted from 0) of the queries "
                f"both have the id {quote(names[second])}; a query has one vector: remove one of them"
            )
        return Queries(names, vectors)
