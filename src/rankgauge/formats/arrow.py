"""Parquet and Arrow (IPC, Feather) files, read and written with pyarrow."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import IO, Any, NamedTuple, cast

import numpy as np

from rankgauge.core.ids import Ids
from rankgauge.errors import InputError, MissingDependency
from rankgauge.formats import sniffing
from rankgauge.formats.columns import ROLES, WRITTEN, Columns, choose, concatenated, is_text
from rankgauge.formats.problems import quote
from rankgauge.formats.registry import Format, Request, register
from rankgauge.formats.source import Source
from rankgauge.schema.stopping import checkpoint

BATCH = 1 << 17  # rows per batch, for files that are read in batches
SPAN = 1 << 22  # bytes of a file that are worth being read by themselves
LEAST_SPANS = 64  # in a file of that many groups of rows, however small it is


def pyarrow() -> Any:
    """The pyarrow module."""
    try:
        import pyarrow
    except ImportError:
        raise MissingDependency("Arrow or Parquet", "pyarrow", "arrow") from None
    return pyarrow


def _parquet(file: Any, request: Request) -> Any:
    from pyarrow import parquet

    whole = parquet.ParquetFile(file)
    wanted = choose(whole.schema_arrow.names, request.kind, request.columns)
    return whole.read(columns=list(dict.fromkeys(wanted.values())))


def _arrow(file: Any, _request: Request) -> Any:
    return _arrow_reader(file).read_all()


def _arrow_reader(file: Any) -> Any:
    from pyarrow import ipc

    opener = ipc.open_file if file.read(6) == b"ARROW1" else ipc.open_stream
    file.seek(0)
    return opener(file)


def _names(source: Source, load: Callable[[Any], Any]) -> list[str]:
    """The column names in the schema; none if it cannot be read."""
    pa = pyarrow()
    try:
        with _opened(source) as file:
            names: list[str] = load(file).names
    except (pa.ArrowException, OSError, ValueError, InputError):
        return []
    return names


@contextmanager
def _opened(source: Source) -> Iterator[Any]:
    """The file, or the data of a compressed one, as pyarrow reads it."""
    if not source.in_place:
        yield io.BytesIO(b"".join(source.chunks()))
        return
    with source.opened() as file:
        yield io.BufferedReader(cast("io.RawIOBase", file))  # a raw file may return less than requested


def _parquet_schema(file: Any) -> Any:
    from pyarrow import parquet

    return parquet.read_schema(file)


def _arrow_schema(file: Any) -> Any:
    return _arrow_reader(file).schema


@contextmanager
def _errors_of(source: Source) -> Iterator[None]:
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


def _read(source: Source, request: Request, load: Callable[[Any, Request], Any]) -> Columns:
    from rankgauge.formats import frames

    with _errors_of(source):
        with _opened(source) as file:
            rows = load(file, request)
        rows.validate(full=True)  # offsets in a file may point anywhere
        columns = frames.read(rows, request.kind, request.columns)
    return replace(columns, files=((0, source.path),), lines=len(columns))


def count_rows(source: Source) -> int:
    """The number of rows of a file, from its metadata; 0 if these do not have it, as in a stream."""
    with _errors_of(source), _opened(source) as file:
        if _is_parquet(source):
            from pyarrow import parquet

            rows: int = parquet.read_metadata(file).num_rows
            return rows
        reader = _arrow_reader(file)
        return int(reader.count_rows()) if hasattr(reader, "count_rows") else 0


class Group(NamedTuple):
    """A row group of a Parquet file, or a record batch of an Arrow file, of a run in several files."""

    part: int  # the number of the file
    number: int


class Span(NamedTuple):
    """Consecutive row groups of a Parquet file, or record batches of an Arrow file, of a run."""

    part: int  # the number of the file
    groups: range
    size: int  # about the bytes that they take
    metadata: Any  # of a Parquet file, or None


class Groups:
    """The groups of rows of a file; a stream, which has no index, is one."""

    def __init__(self, file: Any, is_parquet: bool, dictionaries: Sequence[str] = ()) -> None:
        self._parquet: Any = None
        if is_parquet:
            from pyarrow import parquet

            self._parquet = parquet.ParquetFile(file, read_dictionary=list(dictionaries))
            self.count: int = self._parquet.num_row_groups
            self.schema: Any = self._parquet.schema_arrow
        else:
            self._arrow = _arrow_reader(file)
            self._is_stream = not hasattr(self._arrow, "num_record_batches")
            self.count = 1 if self._is_stream else self._arrow.num_record_batches
            self.schema = self._arrow.schema

    def sizes(self) -> list[int]:
        """The number of rows in each group; about, for Arrow, and 0 for a stream."""
        if self._parquet is not None:
            metadata = self._parquet.metadata
            return [metadata.row_group(number).num_rows for number in range(self.count)]
        rows = 0 if self._is_stream else self._arrow.count_rows()
        return [rows // self.count] * self.count

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

    def batches(self, first: int, last: int, names: list[str], size: int) -> Iterator[Any]:
        """Some columns of consecutive groups, in batches, read by one thread."""
        if self._parquet is not None:
            groups = list(range(first, last))
            yield from self._parquet.iter_batches(size, groups, names, use_threads=False)
        elif self._is_stream:
            yield from (batch.select(names) for batch in self._arrow)
        else:
            yield from (self._arrow.get_batch(number).select(names) for number in range(first, last))


class Batches:
    """A run in one or more Parquet or Arrow files, read in batches of rows; can be read any number of times.

    Several files are consecutive parts of the run. Their columns may differ in names and types; batches have
    the names that the first part has.
    """

    def __init__(
        self, sources: Sequence[Source], columns: Mapping[str, str] | None = None, path: str | None = None
    ) -> None:
        self.sources = tuple(sources)
        self.path = path or self.sources[0].path  # the file or directory, for messages
        self._given = columns
        self._chosen: list[dict[str, str]] = []  # {part: column name} of each file
        types = []
        for source in self.sources:
            with _errors_of(source), _opened(source) as file:
                schema = (_parquet_schema if _is_parquet(source) else _arrow_schema)(file)
                chosen = choose(schema.names, "run", columns)
                self._chosen.append({role: name for role, name in chosen.items() if role != "label"})
                types.append({role: schema.field(name).type for role, name in self._chosen[-1].items()})
                if _by_rank(chosen) != _by_rank(self._chosen[0]):
                    which, other = ("no scores", "has") if _by_rank(chosen) else ("scores", "has none")
                    raise InputError(
                        f"this part of the run has {which}, and {self.sources[0].path} {other}; "
                        "all parts need the same columns"
                    )
        self._uniform = types.count(types[0]) == len(types)

    @property
    def topic(self) -> str:
        """The name of the topic column."""
        return self._chosen[0]["topic"]

    def __call__(self, tick: Callable[[int], None] = lambda _: None, *, ranks: bool = True) -> Iterator[Any]:
        """All rows, in batches, with or without their ranks; `tick` is called with the bytes read."""
        for part, source in enumerate(self.sources):
            with _errors_of(source):
                for _, batch in self._batches(part, ranks):
                    yield batch
            tick(source.size)

    def columns(self, rows: Any, first: int = 0) -> Columns:
        """A batch as columns; `first` is the number of its first row, for messages."""
        from rankgauge.formats import frames

        present = {role: name for role, name in self._chosen[0].items() if name in rows.schema.names}
        named = {ROLES["run"][role]: name for role, name in present.items()}
        return frames.read(rows, "run", named, first)

    def check(self, *, ranks: bool = True) -> None:
        """Raise an error about the first row that cannot be read, with its file and its number there."""
        for part, source in enumerate(self.sources):
            with _errors_of(source):
                for first, batch in self._batches(part, ranks):
                    if len(batch):
                        self.columns(batch, first).checked()

    def read(self) -> Columns:
        """All rows, in memory."""
        request = Request("run", self._given)
        parts = [_read(s, request, _parquet if _is_parquet(s) else _arrow) for s in self.sources]
        return concatenated([part for part in parts if len(part)] or parts[:1])

    def groups(self) -> Iterator[tuple[Group, Ids]]:
        """The groups of rows that can be read by themselves, each with its distinct topics."""
        from rankgauge.formats import frames

        for part, source in enumerate(self.sources):
            name = self._chosen[part]["topic"]
            with _errors_of(source), _opened(source) as file:
                rows = Groups(file, _is_parquet(source))
                for number in range(rows.count):
                    topics = rows.read(number, [name]).column(name).unique()
                    yield Group(part, number), frames.ids(pyarrow().table({name: topics}), name)

    def read_group(self, group: Group) -> Columns:
        """The rows of a group."""
        from rankgauge.formats import frames

        source, chosen = self.sources[group.part], self._chosen[group.part]
        with _errors_of(source), _opened(source) as file:
            names = list(dict.fromkeys(chosen.values()))
            rows = Groups(file, _is_parquet(source)).read(group.number, names)
            rows.validate(full=True)
        return frames.read(rows, "run", {ROLES["run"][role]: name for role, name in chosen.items()})

    def spans(self) -> Iterator[Span]:
        """The parts of the run that can be read at the same time, in their order."""
        for part, source in enumerate(self.sources):
            with _errors_of(source), _opened(source) as file:
                rows = Groups(file, _is_parquet(source))
                count, metadata = rows.count, rows.metadata
            of_size = SPAN * count // max(1, source.size)
            for first in range(0, count, step := max(1, min(of_size, count // LEAST_SPANS))):
                groups = range(first, min(first + step, count))
                yield Span(part, groups, source.size * len(groups) // count, metadata)

    def read_span(self, span: Span, *, ranks: bool = True, threads: int = 1) -> Iterator[Columns]:
        """The rows of a span in batches, valid ones; their numbers are not those of the file."""
        from rankgauge.formats import frames

        source, chosen = self.sources[span.part], self._chosen[span.part]
        ranks &= all("rank" in each for each in self._chosen)
        names = list(dict.fromkeys(name for role, name in chosen.items() if ranks or role != "rank"))
        named = {ROLES["run"][role]: name for role, name in chosen.items() if name in names}
        with _errors_of(source), _opened(source) as file:
            if span.metadata is not None:
                batches = _parquet_span(file, span, names, chosen["topic"], threads)
            else:
                batches = _arrow_batches(file, span.groups)
            for batch in batches:
                checkpoint()
                if len(batch):
                    _validate(batch)
                    rows = pyarrow().RecordBatch.from_arrays([batch.column(name) for name in names], names)
                    yield frames.read(rows, "run", named).checked()

    def _batches(self, part: int, ranks: bool) -> Iterator[tuple[int, Any]]:
        """(number of the first row, batch) for the batches of one file."""
        ranks &= all("rank" in chosen for chosen in self._chosen)
        roles = {name: role for role, name in self._chosen[0].items() if ranks or role != "rank"}
        own = [self._chosen[part][role] for role in roles.values()]
        source, first = self.sources[part], 0
        with _opened(source) as file:
            for batch in _parquet_batches(file, own) if _is_parquet(source) else _arrow_batches(file):
                batch.validate(full=True)
                rows = pyarrow().RecordBatch.from_arrays([batch.column(name) for name in own], list(roles))
                yield first, rows if self._uniform else self._uniformed(rows, roles, first)
                first += len(batch)

    def _uniformed(self, rows: Any, roles: Mapping[str, str], first: int) -> Any:
        """The same rows with one type per column, whatever their types are."""
        pa, columns = pyarrow(), self.columns(rows, first)
        arrays = {
            "topic": _strings(columns.topic, pa.large_binary()),
            "doc": _strings(columns.doc, pa.large_binary()),
            "value": pa.array(columns.rank if _by_rank(self._chosen[0]) else columns.value),
            "rank": columns.rank if columns.rank is None else pa.array(columns.rank),
        }
        return pa.RecordBatch.from_arrays([arrays[role] for role in roles.values()], list(roles))


def _by_rank(chosen: Mapping[str, str]) -> bool:
    """Whether there are no scores, and ranks order the documents."""
    return chosen["value"] == chosen.get("rank")


def _is_parquet(source: Source) -> bool:
    return source.head.startswith(b"PAR1")


def _parquet_batches(file: Any, names: list[str]) -> Iterator[Any]:
    from pyarrow import parquet

    yield from parquet.ParquetFile(file).iter_batches(BATCH, columns=names)


def _parquet_span(file: Any, span: Span, names: list[str], topic: str, threads: int) -> Iterator[Any]:
    from pyarrow import parquet, types

    # Topics recur, and are decoded in a fraction of the time as a dictionary; documents would take longer.
    kind = span.metadata.schema.to_arrow_schema().field(topic).type
    recurring = types.is_string(kind) or types.is_large_string(kind) or types.is_binary(kind)
    whole = parquet.ParquetFile(file, metadata=span.metadata, read_dictionary=[topic] if recurring else None)
    yield from whole.iter_batches(BATCH, list(span.groups), names, use_threads=threads > 1)


def _validate(batch: Any) -> None:
    """Raise an error unless a batch is valid.

    Looking at every character is left out where all are ASCII, and at every offset: the core does that.
    """
    batch.validate()
    if not all(map(_is_sound, batch.columns)):
        batch.validate(full=True)


def _is_sound(array: Any) -> bool:
    """Whether all that is left to be checked of an array are the offsets between its first and its last."""
    from pyarrow import types

    kind = array.type
    if types.is_dictionary(kind):
        return _is_sound(array.dictionary)
    if types.is_integer(kind) or types.is_floating(kind):
        return True
    narrow = types.is_string(kind) or types.is_binary(kind)
    if not (narrow or types.is_large_string(kind) or types.is_large_binary(kind)):
        return False
    _, offsets, data = array.buffers()
    if not len(array) or offsets is None or data is None:
        return False
    ends = np.frombuffer(offsets, np.int32 if narrow else np.int64)[
        array.offset : array.offset + len(array) + 1
    ]
    begin, end = int(ends[0]), int(ends[-1])
    if not 0 <= begin <= end <= data.size:
        return False
    is_text = types.is_string(kind) or types.is_large_string(kind)
    return not is_text or int(np.frombuffer(data, np.int8)[begin:end].min(initial=0)) >= 0


def _arrow_batches(file: Any, numbers: range | None = None) -> Iterator[Any]:
    """The record batches of a file, all or those with these numbers; those of a stream have none."""
    reader = _arrow_reader(file)
    if hasattr(reader, "num_record_batches"):
        yield from map(reader.get_batch, range(reader.num_record_batches) if numbers is None else numbers)
    else:
        yield from reader


def _strings(ids: Ids, kind: Any) -> Any:
    pa = pyarrow()
    return pa.Array.from_buffers(kind, len(ids), [None, pa.py_buffer(ids.offsets), pa.py_buffer(ids.data)])


def table(columns: Columns) -> Any:
    """The columns as a pyarrow table; ids are strings, or binary if some are not UTF-8."""
    pa = pyarrow()

    def strings(ids: Ids) -> Any:
        return _strings(ids, pa.large_string() if is_text(ids) else pa.large_binary())

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
        sniffing.is_parquet,
        lambda source, request: _read(source, request, _parquet),
        _write_parquet,
        names=lambda source: _names(source, _parquet_schema),
    )
)
ARROW = register(
    Format(
        "arrow",
        "Arrow IPC or Feather, with columns such as query_id, doc_id, score or relevance",
        ("run", "qrels"),
        (".arrow", ".feather", ".ipc"),
        sniffing.is_arrow,
        lambda source, request: _read(source, request, _arrow),
        _write_arrow,
        names=lambda source: _names(source, _arrow_schema),
    )
)
