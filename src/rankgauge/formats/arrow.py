"""Parquet and Arrow (IPC, Feather) files, read and written with pyarrow."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import IO, Any, cast

from rankgauge.core.ids import Ids
from rankgauge.errors import InputError
from rankgauge.formats import frames
from rankgauge.formats.arrow_columns import pyarrow
from rankgauge.formats.columns import WRITTEN, Columns, choose, is_text
from rankgauge.formats.files import Format, Request, register
from rankgauge.formats.problems import quote
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import is_arrow, is_parquet

TEXTS = ("STRING", "NONE")  # types of Parquet whose least and greatest values are those of the bytes


def arrow_reader(file: Any) -> Any:
    """A reader of record batches."""
    from pyarrow import ipc

    opener = ipc.open_file if file.read(6) == b"ARROW1" else ipc.open_stream
    file.seek(0)
    return opener(file)


class Groups:
    """The groups of rows of a file; a stream is one."""

    def __init__(
        self, file: Any, is_parquet: bool, dictionaries: Sequence[str] = (), metadata: Any = None
    ) -> None:
        self._parquet: Any = None
        if is_parquet:
            from pyarrow import parquet

            self._parquet = parquet.ParquetFile(file, metadata=metadata, read_dictionary=list(dictionaries))
            self.count: int = self._parquet.num_row_groups
            self.schema: Any = self._parquet.schema_arrow
        else:
            self._arrow = arrow_reader(file)
            self._is_stream = not hasattr(self._arrow, "num_record_batches")
            self.count = 1 if self._is_stream else self._arrow.num_record_batches
            self.schema = self._arrow.schema

    def sizes(self) -> list[int]:
        """The number of rows in each group, or about that; 0 if not known."""
        if self._parquet is not None:
            metadata = self._parquet.metadata
            return [metadata.row_group(number).num_rows for number in range(self.count)]
        rows = 0 if self._is_stream else getattr(self._arrow, "count_rows", lambda: 0)()
        return [rows // self.count for _ in range(self.count)]

    def bounds(self, name: str) -> list[tuple[bytes, bytes] | None]:
        """(a text below all, one above all) of a column in each group, or None."""
        if self._parquet is None:
            return [None] * self.count
        metadata = self._parquet.metadata
        paths = [metadata.schema.column(place).path for place in range(len(metadata.schema))]
        if paths.count(name) != 1:  # there may be a part of a nested column that is called like this one
            return [None] * self.count
        place = paths.index(name)
        return [_bounds(metadata.row_group(number).column(place).statistics) for number in range(self.count)]

    @property
    def metadata(self) -> Any:
        """The metadata of a Parquet file, or None."""
        return self._parquet and self._parquet.metadata

    def read(self, number: int, names: list[str]) -> Any:
        """Some columns of a group, as a table."""
        if self._parquet is not None:
            return self._parquet.read_row_group(number, columns=names)
        rows = self._arrow.read_all() if self._is_stream else self._arrow.get_batch(number)
        return pyarrow().table({name: rows.column(name) for name in names})

    def read_all(self, names: list[str]) -> Any:
        """Some columns of all groups; of an Arrow file, all columns."""
        return self._arrow.read_all() if self._parquet is None else self._parquet.read(columns=names)

    def batches(
        self, first: int, last: int, names: list[str] | None, size: int, *, threads: bool = False
    ) -> Iterator[Any]:
        """Some columns of consecutive groups, in batches of `size`."""
        if self._parquet is not None:
            groups = list(range(first, last))
            yield from self._parquet.iter_batches(size, groups, names, use_threads=threads)
            return
        batches = self._arrow if self._is_stream else map(self._arrow.get_batch, range(first, last))
        yield from (batch if names is None else batch.select(names) for batch in batches)


def _bounds(statistics: Any) -> tuple[bytes, bytes] | None:
    """The least and the greatest text of a row group; a bound may be cut anywhere."""
    if statistics is None or not statistics.has_min_max or statistics.logical_type.type not in TEXTS:
        return None
    low, high = statistics.min_raw, statistics.max_raw
    return (low, high) if isinstance(low, bytes) else None


def _names(source: Source) -> list[str]:
    try:
        with errors_of(source), opened(source) as file:
            names: list[str] = Groups(file, is_parquet(source)).schema.names
            return names
    except InputError:
        return []


@contextmanager
def opened(source: Source) -> Iterator[Any]:
    """The file, or the data of a compressed one, as pyarrow reads it."""
    if not source.in_place:
        yield io.BytesIO(b"".join(source.chunks()))
        return
    with source.opened() as file:
        yield io.BufferedReader(cast("io.RawIOBase", file))  # a raw file may return less than requested


@contextmanager
def errors_of(source: Source) -> Iterator[None]:
    """Turn errors of pyarrow and of the columns into InputErrors with this file's path."""
    pa = pyarrow()
    try:
        yield
    except InputError as error:
        if error.path is not None:
            raise
        raise InputError(str(error), path=source.path) from None
    except (pa.ArrowException, OSError, ValueError) as error:  # ValueError: names that are not UTF-8
        message = f"not a readable Arrow or Parquet file: {quote(str(error), 200)}; check how it was written"
        raise InputError(message, path=source.path) from None
    except MemoryError:
        message = "not enough memory for the size that it states; if the file is smaller, it is damaged"
        raise InputError(message, path=source.path) from None


def read(source: Source, request: Request) -> Columns:
    """All rows of a file in either format."""

    def wanted(names: list[str]) -> list[str]:
        return list(dict.fromkeys(choose(names, request.kind, request.columns).values()))

    rows = read_table(source, wanted)
    with errors_of(source):
        columns = frames.read(rows, request.kind, request.columns)
    return replace(columns, files=((0, source.path),), lines=len(columns))


def read_table(source: Source, wanted: Callable[[list[str]], list[str]] = list) -> Any:
    """The wanted columns of a file in either format, as a pyarrow table."""
    with errors_of(source):
        with opened(source) as file:
            groups = Groups(file, is_parquet(source))
            rows = groups.read_all(wanted(groups.schema.names))
        rows.validate(full=True)  # offsets in a file may point anywhere
    return rows


def count_rows(source: Source) -> int:
    """About the number of rows of a file; 0 if its metadata do not have it, as in a stream."""
    with errors_of(source), opened(source) as file:
        return sum(Groups(file, is_parquet(source)).sizes())


def array(ids: Ids, kind: Any) -> Any:
    """The ids as a pyarrow array of a large type; nothing is copied."""
    pa = pyarrow()
    return pa.Array.from_buffers(kind, len(ids), [None, pa.py_buffer(ids.offsets), pa.py_buffer(ids.data)])


def table(columns: Columns) -> Any:
    """The columns as a pyarrow table; ids are strings, or binary if some are not UTF-8."""
    pa = pyarrow()

    def strings(ids: Ids) -> Any:
        return array(ids, pa.large_string() if is_text(ids) else pa.large_binary())

    parts = {
        "topic": strings(columns.topic),
        "doc": strings(columns.doc),
        "value": pa.array(columns.uniform()),
    }
    if columns.ranks_known():
        parts["rank"] = pa.array(columns.rank)
    if columns.label is not None:
        parts["label"] = strings(columns.label)
    return pa.table({WRITTEN[columns.kind][part]: array for part, array in parts.items()})


def _write_parquet(columns: Columns, out: IO[bytes]) -> None:
    rows = table(columns)
    from pyarrow import parquet

    parquet.write_table(rows, out, compression="zstd")


def _write_arrow(columns: Columns, out: IO[bytes]) -> None:
    rows = table(columns)
    with pyarrow().ipc.new_file(out, rows.schema) as writer:
        writer.write_table(rows)


PARQUET = register(
    Format(
        "parquet",
        "Parquet, with columns such as query_id, doc_id, score or relevance",
        ("run", "qrels"),
        (".parquet", ".pq"),
        is_parquet,
        read,
        _write_parquet,
        names=_names,
        example="rankgauge convert bm25.run bm25.parquet",
    )
)
ARROW = register(
    Format(
        "arrow",
        "Arrow IPC or Feather, with columns such as query_id, doc_id, score or relevance",
        ("run", "qrels"),
        (".arrow", ".feather", ".ipc"),
        is_arrow,
        read,
        _write_arrow,
        names=_names,
        example="rankgauge convert bm25.run bm25.arrow",
    )
)
