"""Sources of vectors: arrays, .npy and Parquet files, frames, streams of blocks.

Each becomes a `VectorSource`, which yields blocks of (ids, array); only rows in use are in memory.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rankgauge.errors import InputError
from rankgauge.extensions.devices.dense import arrays
from rankgauge.extensions.devices.ids import (
    IdColumn,
    IdIndex,
    is_path,
    is_paths,
    joined,
    of_values,
    part,
    paths_of,
    read_ids,
)
from rankgauge.formats.arrow_columns import pyarrow
from rankgauge.formats.columns import guess
from rankgauge.formats.problems import quote
from rankgauge.formats.source import Source
from rankgauge.schema.text import counted, described

ALLOWED = (
    "an array or tensor of two dimensions, .npy or Parquet files (a path, a list of them, or a pattern), "
    "a frame with a column of lists, {id: vector}, or a function that returns an iterator of (ids, array)"
)
SHAPE = "use (ids, array) or an array of two dimensions"
VECTORS = ("vector", "embedding", "emb", "embeddings", "vectors")  # names of the column, best first
BATCH = 1 << 16  # ids that are read at once
BUFFER = 1 << 20  # bytes of a file that are read at once; without it, the column of a whole row group is
HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}

Vectors = tuple[IdColumn | None, Any]  # ids, if they come with the vectors; (rows, dim), or None if skipped
Named = Iterator[tuple[str, IdColumn | None, Any]]  # the same after the name of a file or block


class VectorSource(NamedTuple):
    """Vectors in blocks."""

    # Files in blocks of at most so many rows, others as they are; of a table, vectors of groups of rows that
    # have none of the ids that are wanted are not read.
    open: Callable[[int, IdIndex | None], Iterator[Vectors]]
    rows: int | None = None  # how many; None if that is not known beforehand
    files: Sequence[tuple[str, int]] = ()  # (path, number of vectors)
    stream: Any = None  # blocks that were passed, or a function that returns them


def open_vectors(given: Any, what: str, *, with_ids: bool) -> VectorSource:
    """The vectors in any source; `with_ids`, their ids as well."""
    if is_path(given) or is_paths(given):
        return _in_files(paths_of(given), what, with_ids)
    if _is_table(given):
        return _in_tables([_of_frame(given)], what, with_ids)
    if _is_stream(given):
        return VectorSource(lambda *_: _alike(_opened(given), are_files=False), stream=given)
    ids = None
    if isinstance(given, Mapping):
        array = arrays.stacked(list(given.values()), what)
        ids = read_ids(list(given), what)[0] if with_ids else None
    elif isinstance(given, (list, tuple)):
        array = arrays.stacked(given, what)
    elif arrays.is_array(given):
        array = arrays.open_array(given)
    else:
        raise InputError(f"{described(given)} does not hold the vectors of {what}; use {ALLOWED}")
    return VectorSource(lambda *_: iter([(ids, array)] if len(array) else []), len(array))


def _is_table(value: Any) -> bool:
    has_columns = hasattr(value, "columns") or hasattr(value, "column_names")
    return has_columns and hasattr(value, "__arrow_c_stream__")


def _is_stream(given: Any) -> bool:
    if isinstance(given, (list, tuple)):
        first = given[0] if given else None
        if isinstance(first, (list, tuple)):
            first = first[1] if len(first) == 2 else None
        return arrays.is_array(first) and len(first.shape) == 2  # type: ignore[union-attr]
    if isinstance(given, Mapping) or arrays.is_array(given):
        return False
    return callable(given) or isinstance(given, Iterable)


def _opened(given: Any) -> Named:
    blocks = given() if callable(given) else given
    if not isinstance(blocks, Iterable):
        raise InputError(f"the function returned {described(blocks)}; return an iterator of blocks: {SHAPE}")
    for number, block in enumerate(blocks):
        name = f"block {number} (counted from 0) of the documents"
        ids, array = (None, block) if arrays.is_array(block) else _pair(block, name)
        array = arrays.open_array(array, f"{name}: ")
        ids = None if ids is None else read_ids(ids)[0]
        if ids is not None and len(ids) != len(array):
            raise InputError(
                f"{name}: {counted(len(ids), 'id')} for {counted(len(array), 'vector')}; each needs one"
            )
        yield name, ids, array


def _pair(block: Any, name: str) -> tuple[Any, Any]:
    if not isinstance(block, (tuple, list)) or len(block) != 2 or not arrays.is_array(block[1]):
        raise InputError(f"{name}: {described(block)} is no block; {SHAPE}")
    return block[0], block[1]


def _alike(blocks: Named, *, are_files: bool = True) -> Iterator[Vectors]:
    """The blocks with rows; an error unless all or none have ids, and vectors are of one kind."""
    first: tuple[str, bool, int, str] | None = None
    for name, ids, array in blocks:
        if array is None:
            yield ids, array
            continue
        facts = (name, ids is not None, int(array.shape[1]), arrays.type_name(array))
        first = first or facts
        if facts[1:] != first[1:]:
            message = f"{_difference(facts, first)}; all must be alike"
            raise InputError(message, path=name) if are_files else InputError(f"{name}: {message}")
        if len(array):
            yield ids, array


def _difference(one: tuple[str, bool, int, str], first: tuple[str, bool, int, str]) -> str:
    if one[1] != first[1]:
        return f"it has {'' if one[1] else 'no '}ids, and {first[0]} has {'none' if one[1] else 'some'}"
    if one[2] != first[2]:
        return f"its vectors have {one[2]} numbers, and those of {first[0]} {first[2]}"
    return f"its vectors are of type {one[3]}, and those of {first[0]} {first[3]}"


def _in_files(paths: Sequence[str], what: str, with_ids: bool) -> VectorSource:
    are_parquet = [Source(path).head.startswith(b"PAR1") for path in paths]
    if all(are_parquet):
        return _in_tables([_of_file(path) for path in paths], what, with_ids)
    if any(are_parquet):
        other = paths[are_parquet.index(False)]
        raise InputError("this is not a Parquet file, and others are; use files of one kind", path=other)
    files = [NpyFile(path) for path in paths]

    def blocks(rows: int) -> Named:
        for file in files:
            for first in range(0, file.shape[0], rows):
                yield file.path, None, file.rows(first, min(first + rows, file.shape[0]))

    for _ in _alike((file.path, None, file.rows(0, 0)) for file in files):
        pass  # differences are known before anything is read
    counts = [(file.path, file.shape[0]) for file in files]
    return VectorSource(lambda rows, _: _alike(blocks(rows)), sum(count for _, count in counts), counts)


class NpyFile:
    """The matrix in an .npy file.

    A map of a whole file counts against limits of the address space, and its pages against the process until
    other uses need them: rows are mapped for a block alone.
    """

    def __init__(self, path: str) -> None:
        source = Source(path)
        self.path, self._file = source.path, source.file
        if source.compression or not source.head.startswith(np.lib.format.MAGIC_PREFIX):
            raise InputError(_other_file(source), path=self.path)
        try:
            with Path(self._file).open("rb") as file, warnings.catch_warnings():
                warnings.simplefilter("ignore")  # such as those about files that Python 2 wrote
                self.shape, self._by_columns, self.dtype = HEADERS[np.lib.format.read_magic(file)](file)
                self._begin = file.tell()
            if min(self.shape, default=0) < 0:
                raise ValueError(f"the shape is {self.shape}")
        except Exception as error:  # NumPy reads it as Python, and fails in as many ways
            message = f"the header of the .npy file cannot be read ({quote(str(error), 200)}); write it again"
            raise InputError(message, path=self.path) from None
        size = self._begin + math.prod(self.shape) * self.dtype.itemsize
        if self.dtype.hasobject:
            raise InputError("the array holds Python objects; save an array of numbers", path=self.path)
        if size > source.size:
            shape = " × ".join(map(str, self.shape)) or 1
            raise InputError(
                f"the file is truncated: an array of {shape} {self.dtype} takes {size:,} bytes, and the file "
                f"has {source.size:,}; get a new copy",
                path=self.path,
            )
        try:
            arrays.open_array(np.empty((0, *self.shape[1:]) if self.shape else (), self.dtype))
        except InputError as error:
            raise InputError(str(error), path=self.path) from None

    def rows(self, first: int, last: int) -> Any:
        """The rows from `first` to before `last`, mapped into memory."""
        if last <= first:
            return np.empty((0, self.shape[1]), dtype=self.dtype)
        begin, shape = first * self.shape[1] * self.dtype.itemsize, (last - first, *self.shape[1:])
        if self._by_columns:  # the rows are all over the file
            begin, shape = 0, self.shape
        order: Any = "F" if self._by_columns else "C"
        try:
            # Copied if it is written to, which nobody does: torch warns of arrays that cannot be.
            mapped: Any = np.memmap(self._file, self.dtype, "c", self._begin + begin, shape, order)
        except (OSError, ValueError) as error:  # it has become shorter, or the address space is used up
            message = f"the file cannot be mapped into memory ({error}); is it still there, and complete?"
            raise InputError(message, path=self.path) from None
        array = mapped.view(np.ndarray)
        return array[first:last] if self._by_columns else array


def _other_file(source: Source) -> str:
    if source.compression:
        return f"a compressed .npy file cannot be mapped into memory; decompress it ({source.compression})"
    if source.head.startswith(b"PK\x03\x04"):
        return "this is an archive of arrays (.npz); pass one of them: numpy.load(path)[name]"
    return "this is not an .npy file; write it with numpy.save"


class _Table(NamedTuple):
    path: str | None
    schema: Any  # of pyarrow
    rows: int
    groups: Sequence[Any]  # groups of rows, as `batches` takes them
    batches: Callable[[int, str, Any], Iterator[Any]]  # of a column, of at most so many rows


def _of_file(path: str) -> _Table:
    pyarrow()
    from pyarrow import parquet

    with _errors_of(path):
        file = parquet.ParquetFile(path, buffer_size=BUFFER, pre_buffer=False)

    def batches(rows: int, column: str, group: int) -> Iterator[Any]:
        with _errors_of(path):
            for batch in file.iter_batches(rows, [group], [column]):
                batch.validate(full=True)  # offsets in a file may point anywhere
                if len(batch):
                    yield batch

    about = file.metadata
    groups = [number for number in range(about.num_row_groups) if about.row_group(number).num_rows]
    return _Table(path, file.schema_arrow, about.num_rows, groups, batches)


def _of_frame(frame: Any) -> _Table:
    table = pyarrow().table(frame)
    return _Table(
        None,
        table.schema,
        table.num_rows,
        [table],
        lambda rows, column, group: filter(len, group.select([column]).to_batches(max_chunksize=rows)),
    )


@contextmanager
def _errors_of(path: str | None) -> Iterator[None]:
    pa = pyarrow()
    try:
        yield
    except InputError as error:
        raise error if error.path else InputError(str(error), path=path) from None
    except (pa.ArrowException, OSError, ValueError) as error:
        message = f"not a readable Parquet file: {quote(str(error), 200)}; check how it was written"
        raise InputError(message, path=path) from None


def _in_tables(tables: Sequence[_Table], what: str, with_ids: bool) -> VectorSource:
    vectors = [_vector_column(table) for table in tables]
    roles = ("topic", "doc") if what == "queries" else ("doc",)
    ids = [next(filter(None, (guess(table.schema.names, role) for role in roles)), None) for table in tables]
    with_ids = with_ids and ids[0] is not None
    if with_ids and None in ids:
        raise InputError(
            f"there is no column of ids, and {tables[0].path} has {ids[0]!r}; all files need one, or none",
            path=tables[ids.index(None)].path,
        )

    def blocks(rows: int, wanted: IdIndex | None) -> Named:
        width = None
        for table, vector, named in zip(tables, vectors, ids, strict=True):
            first = 0
            for group in table.groups:
                known = _ids_in(table, named, group) if with_ids else None
                if known is not None and wanted is not None and not len(wanted.matches(known)[0]):
                    first += len(known)
                    yield str(table.path), known, None
                    continue
                begin = first
                for batch in table.batches(rows, vector, group):
                    with _errors_of(table.path):
                        block = list_array(batch.column(0), vector, first, width)
                    last, width = first + len(block), block.shape[1]
                    own = None if known is None else part(known, first - begin, last - begin)
                    yield str(table.path), own, block
                    first = last

    count = sum(table.rows for table in tables)
    if not count:
        raise InputError(f"there are no {what}: no row of vectors", path=tables[0].path)
    files = [(table.path, table.rows) for table in tables if table.path]
    return VectorSource(lambda rows, wanted: _alike(blocks(rows, wanted)), count, files)


def _ids_in(table: _Table, name: Any, group: Any) -> IdColumn:
    with _errors_of(table.path):
        try:
            return joined([of_values(batch.column(0)) for batch in table.batches(BATCH, name, group)])
        except InputError as error:
            raise error if error.path else InputError(f"column {name!r}: {error}") from None


def _vector_column(table: _Table) -> str:
    """The column of vectors: by its name, or the only one of lists."""
    types, schema = pyarrow().types, table.schema
    # Of a tensor with a fixed shape, that of its storage
    kinds = {field.name: getattr(field.type, "storage_type", field.type) for field in schema}
    is_list = (types.is_list, types.is_large_list, types.is_fixed_size_list)
    lists = [name for name, kind in kinds.items() if any(is_kind(kind) for is_kind in is_list)]
    named = [name for known in VECTORS for name in lists if name.casefold() == known]
    if (named or len(lists) == 1) and schema.names.count((named or lists)[0]) == 1:
        return str((named or lists)[0])
    found = ", ".join(f"{quote(field.name, 30)} ({field.type})" for field in list(schema)[:12])
    problem = "several columns have lists" if lists else "no column has lists of numbers"
    numbers = "" if lists or table.path else ", or pass its numbers: frame.to_numpy()"
    raise InputError(
        f"{problem}; found {found}; call the one with the vectors {VECTORS[0]}{numbers}", path=table.path
    )


def list_array(column: Any, name: str, first: int, width: int | None) -> Any:
    """A batch of a column of lists as an array; messages number rows from `first`."""
    from pyarrow import compute

    def refuse(row: int, what: str) -> InputError:
        return InputError(f"row {first + row} (counted from 0): {name!r} {what}")

    column = getattr(column, "storage", column)
    if column.null_count:
        row = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        raise refuse(row, "is null; fill it or remove the row")
    sizes = compute.list_value_length(column).to_numpy()
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
    values = numbers.to_numpy(zero_copy_only=False)
    arrays.check_type(values.dtype, f"column {name!r}: ")
    return values.reshape(len(column), width)
