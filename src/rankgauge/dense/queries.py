"""Vectors of queries: few enough to be in memory, each with an id of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankgauge.dense import arrays
from rankgauge.dense.documents import Documents
from rankgauge.errors import InputError
from rankgauge.formats.problems import quote


class Queries:
    """The vectors of queries and their ids."""

    def __init__(self, ids: list[str], vectors: Any) -> None:
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
        names = given.id_of(range(len(vectors)))
        first: dict[str, int] = {}
        for row, name in enumerate(names):
            if first.setdefault(name, row) != row:
                raise InputError(
                    f"rows {first[name]} and {row} (counted from 0) of the queries both have the id "
                    f"{quote(name)}; a query has one vector: remove one of them"
                )
        return Queries(names, vectors)
