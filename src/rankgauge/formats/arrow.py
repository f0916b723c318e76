"""Parquet and Arrow (IPC, Feather) files, read and written with pyarrow."""

from __future__ import annotations

import io
from collections.abc import Iterator
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


def arrow_reader(file: Any) -> Any:
    """A reader of record batches, by number or, for a stream, one after the other."""
    from pyarrow import ipc

    opener = ipc.open_file if file.read(6) == b"ARROW1" else ipc.open_stream
    file.seek(0)
    return opener(file)


def _names(source: Source) -> list[str]:
    """The column names in the schema; none if it cannot be read."""
    pa = pyarrow()
    from pyarrow import parquet

    try:
        with opened(source) as file:
            schema = parquet.read_schema(file) if is_parquet(source) else arrow_reader(file).schema
    except (pa.ArrowException, OSError, ValueError, MemoryError, InputError):
        return []
    names: list[str] = schema.names
    return names


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
    with errors_of(source):
        with opened(source) as file:
            if is_parquet(source):
                from pyarrow import parquet

                whole = parquet.ParquetFile(file)
                wanted = choose(whole.schema_arrow.names, request.kind, request.columns)
                rows = whole.read(columns=list(dict.fromkeys(wanted.values())))
            else:
                rows = arrow_reader(file).read_all()
        rows.validate(full=True)  # offsets in a file may point anywhere
        columns = frames.read(rows, request.kind, request.columns)
    return replace(columns, files=((0, source.path),), lines=len(columns))


def count_rows(source: Source) -> int:
    """The number of rows of a file, from its metadata; 0 if these do not have it, as in a stream."""
    with errors_of(source), opened(source) as file:
        if is_parquet(source):
            from pyarrow import parquet

            rows: int = parquet.read_metadata(file).num_rows
            return rows
        reader = arrow_reader(file)
        return int(reader.count_rows()) if hasattr(reader, "count_rows") else 0


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
    )
)
