"""Vectors in a column of lists: of Parquet files, read a batch of rows at a time, and of Arrow tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from rankgauge.errors import InputError
from rankgauge.evaluation.dense import arrays
from rankgauge.evaluation.dense.given_ids import joined, of_arrow
from rankgauge.evaluation.dense.identifiers import IdColumn
from rankgauge.evaluation.dense.vectors import Ints, Vectors, differing, gathered
from rankgauge.formats.arrow import pyarrow
from rankgauge.formats.columns import guess
from rankgauge.formats.problems import quote

VECTORS = ("vector", "embedding", "emb", "embeddings", "vectors")  # names of the column, best first
BUFFER = 1 << 20  # bytes of a file that are read at once; without it, the column of a whole row group is
BATCH = 1 << 12  # rows that are read to take single ones

Groups = Sequence[int] | None  # None: all of them


def is_parquet(head: bytes) -> bool:
    """Whether a file that begins like this is a Parquet file."""
    return head.startswith(b"PAR1")


def is_table(value: Any) -> bool:
    """Whether this is a frame of any library that exports Arrow."""
    has_columns = hasattr(value, "columns") or hasattr(value, "column_names")
    return has_columns and hasattr(value, "__arrow_c_stream__")


class _File:
    """A Parquet file with a column of vectors."""

    def __init__(self, path: str) -> None:
        from pyarrow import parquet

        self.path = path
        with _errors_of(path):
            self._file = parquet.ParquetFile(path, buffer_size=BUFFER, pre_buffer=False)
            self.schema = self._file.schema_arrow
            groups = [self._file.metadata.row_group(i).num_rows for i in range(self._file.num_row_groups)]
        self.starts = np.cumsum([0, *groups])
        self.count = int(self.starts[-1])

    def batches(self, rows: int, columns: Sequence[str], groups: Groups = None) -> Iterator[Any]:
        """Some columns of some row groups, or of all, in batches."""
        with _errors_of(self.path):
            for batch in self._file.iter_batches(rows, row_groups=groups, columns=list(columns)):
                batch.validate(full=True)  # offsets in a file may point anywhere
                yield batch


class _Table:
    """A frame in memory with a column of vectors."""

    path = None

    def __init__(self, frame: Any) -> None:
        self._table = pyarrow().table(frame)
        self.schema, self.count = self._table.schema, self._table.num_rows
        batches = self._table.to_batches()
        self.starts = np.cumsum([0] + [len(batch) for batch in batches])
        self._batches = batches

    def batches(self, rows: int, columns: Sequence[str], groups: Groups = None) -> Iterator[Any]:
        """Some columns of some batches, or of all, in batches of at most `rows` rows."""
        for number in range(len(self._batches)) if groups is None else groups:
            batch = self._batches[number].select(list(columns))
            for first in range(0, len(batch), rows):
                yield batch.slice(first, rows)


class ColumnVectors(Vectors):
    """The vectors in a column of lists, of one or several Parquet files or of a frame."""

    def __init__(self, parts: Sequence[_File | _Table]) -> None:
        self._parts = parts
        self._columns = [_vector_column(part) for part in parts]
        self._starts = np.cumsum([0] + [part.count for part in parts])
        self.count = int(self._starts[-1])
        self.files = tuple((part.path or "", part.count) for part in parts)
        first = next(self.pieces(1), None)
        if first is None:
            raise InputError("there are no vectors: no row", path=parts[0].path)
        self.dim, self.dtype = first.shape[1], arrays.type_name(first)

    @classmethod
    def of_files(cls, paths: Sequence[str]) -> ColumnVectors:
        """The vectors in some Parquet files."""
        pyarrow()
        return cls([_File(path) for path in paths])

    @classmethod
    def of_frame(cls, frame: Any) -> ColumnVectors:
        """The vectors in a frame."""
        return cls([_Table(frame)])

    def ids(self, what: str = "documents") -> IdColumn | None:
        """The ids in the column that has those of documents, or queries, by its name; None without one."""
        roles = ("topic", "doc") if what == "queries" else ("doc",)
        names = [
            next(filter(None, (guess(part.schema.names, role) for role in roles)), None)
            for part in self._parts
        ]
        if names[0] is None:
            return None
        found = []
        for part, name in zip(self._parts, names, strict=True):
            if name is None:
                raise InputError(
                    f"there is no column of ids, and {self._parts[0].path} has {names[0]!r}; "
                    "all files need one, or none",
                    path=part.path,
                )
            try:
                found += [of_arrow(batch.column(0)) for batch in part.batches(1 << 16, [name])]
            except InputError as error:
                raise (
                    error if error.path else InputError(f"column {name!r}: {error}", path=part.path)
                ) from None
        return joined(found)

    def pieces(self, rows: int) -> Iterator[Any]:
        """Consecutive rows; batches of Arrow are not copied."""

        def opened() -> Iterator[Any]:
            width, kind = None, ""
            for part, column in zip(self._parts, self._columns, strict=True):
                first = 0
                for batch in part.batches(rows, [column]):
                    block = _block(batch.column(0), column, first, part.path, width)
                    if kind not in ("", block.dtype.name):
                        raise differing(
                            str(self._parts[0].path), str(part.path), "as type", kind, block.dtype
                        )
                    width, kind = block.shape[1], block.dtype.name
                    first += len(block)
                    yield block

        return gathered(opened(), rows)

    def take(self, rows: Ints) -> Any:
        """The vectors of some rows; of a file, only the row groups that have them are read."""
        order = np.argsort(rows, kind="stable")
        ascending = rows[order]
        taken = np.empty((len(rows), self.dim), dtype=self.dtype)
        cuts = np.searchsorted(ascending, self._starts)
        for number, (part, column) in enumerate(zip(self._parts, self._columns, strict=True)):
            wanted = ascending[cuts[number] : cuts[number + 1]] - self._starts[number]
            places = order[cuts[number] : cuts[number + 1]]
            group_cuts = np.searchsorted(wanted, part.starts)
            for group in np.flatnonzero(np.diff(group_cuts)).tolist():
                first = int(part.starts[group])
                for batch in part.batches(BATCH, [column], [group]):
                    begin, end = np.searchsorted(wanted, (first, first + len(batch)))
                    if begin < end:
                        block = _block(batch.column(0), column, first, part.path, self.dim)
                        taken[places[begin:end]] = block[wanted[begin:end] - first]
                    first += len(batch)
        return taken


def _vector_column(part: _File | _Table) -> str:
    """The column of vectors: by its name, or the only one that has lists."""
    schema = part.schema
    lists = [field.name for field in schema if _is_list(field.type)]
    named = [name for known in VECTORS for name in lists if name.casefold() == known]
    if named or len(lists) == 1:
        chosen: str = (named or lists)[0]
        if schema.names.count(chosen) == 1:
            return chosen
    found = ", ".join(f"{quote(field.name, 30)} ({field.type})" for field in list(schema)[:12])
    problem = "several columns have lists" if lists else "no column has lists of numbers"
    numbers = "" if lists or part.path else ", or pass its numbers: frame.to_numpy()"
    raise InputError(
        f"{problem}; found {found}; call the one with the vectors {VECTORS[0]}{numbers}", path=part.path
    )


def _is_list(kind: Any) -> bool:
    types = pyarrow().types
    storage = getattr(kind, "storage_type", kind)  # that of a tensor with a fixed shape
    return bool(types.is_list(storage) or types.is_large_list(storage) or types.is_fixed_size_list(storage))


def _block(column: Any, name: str, first: int, path: str | None, width: int | None) -> Any:
    """A batch of a column of lists as an array; rows are numbered from `first` in messages."""

    def refuse(row: int, what: str) -> InputError:
        return InputError(f"row {first + row} (counted from 0): {name!r} {what}", path=path)

    column = getattr(column, "storage", column)
    if column.null_count:
        row = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        raise refuse(row, "is null; fill it or remove the row")
    if pyarrow().types.is_fixed_size_list(column.type):
        sizes = np.full(len(column), column.type.list_size)
    else:
        sizes = np.diff(column.offsets.to_numpy())
    width = int(sizes[0]) if width is None else width
    if (sizes != width).any():
        row = int(np.argmax(sizes != width))
        raise refuse(row, f"has {sizes[row]} numbers, and rows before it {width}; all need the same number")
    if not width:
        raise refuse(0, "is an empty list; remove the row")
    numbers = column.flatten()
    if numbers.null_count:
        place = int(np.argmax(numbers.is_null().to_numpy(zero_copy_only=False)))
        raise refuse(place // width, f"has a null at place {place % width}; fill it or remove the row")
    try:
        values = numbers.to_numpy(zero_copy_only=False)
        arrays.check_type(values.dtype, f"column {name!r}: ")
    except InputError as error:
        raise InputError(str(error), path=path) from None
    return values.reshape(len(column), width)


@contextmanager
def _errors_of(path: str) -> Iterator[None]:
    """Turn errors of pyarrow into InputErrors with the path of the file."""
    pa = pyarrow()
    try:
        yield
    except (pa.ArrowException, OSError, ValueError) as error:
        message = f"not a readable Parquet file: {quote(str(error), 200)}; check how it was written"
        raise InputError(message, path=path) from None
