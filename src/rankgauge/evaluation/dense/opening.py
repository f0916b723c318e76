"""What can be passed as vectors, and how it is opened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rankgauge.errors import InputError
from rankgauge.evaluation.dense import arrays
from rankgauge.evaluation.dense.given_ids import read_ids
from rankgauge.evaluation.dense.identifiers import IdColumn
from rankgauge.evaluation.dense.parquet import ColumnVectors, is_parquet, is_table
from rankgauge.evaluation.dense.paths import is_path, is_paths, paths_of
from rankgauge.evaluation.dense.vectors import ArrayVectors, NpyVectors, Vectors
from rankgauge.formats.source import Source
from rankgauge.schema.text import described

ALLOWED = (
    "an array or tensor of two dimensions, .npy or Parquet files (a path, a list of them, or a pattern), "
    "a frame with a column of lists, {id: vector}, or a function that returns an iterator of (ids, array)"
)


def is_stream(documents: Any) -> bool:
    """Whether these are blocks of vectors: a function, an iterator, a list of arrays or of (ids, array)."""
    if is_path(documents) or is_table(documents) or arrays.is_array(documents):
        return False
    if isinstance(documents, (list, tuple)):
        first = documents[0] if documents else None
        if isinstance(first, (list, tuple)):
            first = first[1] if len(first) == 2 else None
        return arrays.is_array(first) and len(first.shape) == 2  # type: ignore[union-attr]
    if isinstance(documents, Mapping):
        return False
    return callable(documents) or isinstance(documents, Iterable)


def open_vectors(documents: Any, what: str) -> tuple[Vectors, IdColumn | None]:
    """(the vectors, the ids that come with them)."""
    if is_path(documents) or is_paths(documents):
        return _in_files(paths_of(documents), what)
    if is_table(documents):
        column = ColumnVectors.of_frame(documents)
        return column, column.ids(what)
    if isinstance(documents, Mapping):
        array = arrays.stacked(list(documents.values()), what)
        return ArrayVectors(array), read_ids(list(documents), what)
    if isinstance(documents, (list, tuple)):
        return ArrayVectors(arrays.stacked(documents, what)), None
    if arrays.is_array(documents):
        return ArrayVectors(arrays.open_array(documents)), None
    raise InputError(f"{described(documents)} does not hold the vectors of {what}; use {ALLOWED}")


def _in_files(paths: Sequence[str], what: str) -> tuple[Vectors, IdColumn | None]:
    """The vectors in .npy files, or in Parquet files with their ids."""
    heads = [Source(path).head for path in paths]
    if all(map(is_parquet, heads)):
        column = ColumnVectors.of_files(paths)
        return column, column.ids(what)
    if any(map(is_parquet, heads)):
        other = next(path for path, head in zip(paths, heads, strict=True) if not is_parquet(head))
        raise InputError("this is not a Parquet file, and others are; use files of one kind", path=other)
    return NpyVectors(paths), None
