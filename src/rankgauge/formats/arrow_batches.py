"""Runs in Parquet and Arrow files, read in batches, groups or spans of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rankgauge.core.ids import Ids
from rankgauge.errors import InputError
from rankgauge.formats import arrow
from rankgauge.formats.columns import ROLES, Columns, choose, concatenated
from rankgauge.formats.files import Request
from rankgauge.formats.source import Source
from rankgauge.schema.stopping import checkpoint

BATCH = 1 << 17  # rows per batch, for files that are read in batches
SPAN = 1 << 22  # bytes of a file that are worth being read by themselves
TEXTS = ("STRING", "NONE")  # types of Parquet whose least and greatest values are those of the bytes
LEAST_SPANS = 64  # in a file of that many groups of rows, however small it is


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
            self._arrow = arrow.arrow_reader(file)
            self._is_stream = not hasattr(self._arrow, "num_record_batches")
            self.count = 1 if self._is_stream else self._arrow.num_record_batches
            self.schema = self._arrow.schema

    def sizes(self) -> list[int]:
        """The number of rows in each group; about, for Arrow, and 0 for a stream."""
        if self._parquet is not None:
            metadata = self._parquet.metadata
            return [metadata.row_group(number).num_rows for number in range(self.count)]
        rows = 0 if self._is_stream else self._arrow.count_rows()
        return [rows // self.count for _ in range(self.count)]

    def bounds(self, name: str) -> list[tuple[bytes, bytes] | None]:
        """For each group, texts of which none in a column is below the first or above the second, or None."""
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
        return arrow.pyarrow().table({name: rows.column(name) for name in names})

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
            with arrow.errors_of(source), arrow.opened(source) as file:
                schema = arrow.schema_of(source, file)
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
            with arrow.errors_of(source):
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
            with arrow.errors_of(source):
                for first, batch in self._batches(part, ranks):
                    if len(batch):
                        self.columns(batch, first).checked()

    def read(self) -> Columns:
        """All rows, in memory."""
        request = Request("run", self._given)
        parts = [arrow.read(source, request) for source in self.sources]
        return concatenated([part for part in parts if len(part)] or parts[:1])

    def groups(self) -> Iterator[tuple[Group, Ids]]:
        """The groups of rows that can be read by themselves, each with its distinct topics."""
        from rankgauge.formats import frames

        for part, source in enumerate(self.sources):
            name = self._chosen[part]["topic"]
            with arrow.errors_of(source), arrow.opened(source) as file:
                rows = Groups(file, arrow.is_parquet(source))
                for number in range(rows.count):
                    topics = rows.read(number, [name]).column(name).unique()
                    yield Group(part, number), frames.ids(arrow.pyarrow().table({name: topics}), name)

    def read_group(self, group: Group) -> Columns:
        """The rows of a group."""
        from rankgauge.formats import frames

        source, chosen = self.sources[group.part], self._chosen[group.part]
        with arrow.errors_of(source), arrow.opened(source) as file:
            names = list(dict.fromkeys(chosen.values()))
            rows = Groups(file, arrow.is_parquet(source)).read(group.number, names)
            rows.validate(full=True)
        return frames.read(rows, "run", {ROLES["run"][role]: name for role, name in chosen.items()})

    def spans(self) -> Iterator[Span]:
        """The parts of the run that can be read at the same time, in their order."""
        for part, source in enumerate(self.sources):
            with arrow.errors_of(source), arrow.opened(source) as file:
                rows = Groups(file, arrow.is_parquet(source))
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
        with arrow.errors_of(source), arrow.opened(source) as file:
            if span.metadata is not None:
                batches = _parquet_span(file, span, names, chosen["topic"], threads)
            else:
                batches = _arrow_batches(file, span.groups)
            for batch in batches:
                checkpoint()
                if len(batch):
                    _validate(batch)
                    rows = arrow.pyarrow().RecordBatch.from_arrays(
                        [batch.column(name) for name in names], names
                    )
                    yield frames.read(rows, "run", named).checked()

    def _batches(self, part: int, ranks: bool) -> Iterator[tuple[int, Any]]:
        """(number of the first row, batch) for the batches of one file."""
        ranks &= all("rank" in chosen for chosen in self._chosen)
        roles = {name: role for role, name in self._chosen[0].items() if ranks or role != "rank"}
        own = [self._chosen[part][role] for role in roles.values()]
        source, first = self.sources[part], 0
        with arrow.opened(source) as file:
            for batch in _parquet_batches(file, own) if arrow.is_parquet(source) else _arrow_batches(file):
                batch.validate(full=True)
                rows = arrow.pyarrow().RecordBatch.from_arrays(
                    [batch.column(name) for name in own], list(roles)
                )
                yield first, rows if self._uniform else self._uniformed(rows, roles, first)
                first += len(batch)

    def _uniformed(self, rows: Any, roles: Mapping[str, str], first: int) -> Any:
        """The same rows with one type per column, whatever their types are."""
        pa, columns = arrow.pyarrow(), self.columns(rows, first)
        arrays = {
            "topic": arrow.array(columns.topic, pa.large_binary()),
            "doc": arrow.array(columns.doc, pa.large_binary()),
            "value": pa.array(columns.rank if _by_rank(self._chosen[0]) else columns.value),
            "rank": columns.rank if columns.rank is None else pa.array(columns.rank),
        }
        return pa.RecordBatch.from_arrays([arrays[role] for role in roles.values()], list(roles))


def _bounds(statistics: Any) -> tuple[bytes, bytes] | None:
    """The least and the greatest text of a row group; files may have none, or shorter and wider ones.

    They are bytes: a bound may be cut anywhere, and text that is not UTF-8 is noticed where rows are read.
    """
    if statistics is None or not statistics.has_min_max or statistics.logical_type.type not in TEXTS:
        return None
    low, high = statistics.min_raw, statistics.max_raw
    return (low, high) if isinstance(low, bytes) else None


def _by_rank(chosen: Mapping[str, str]) -> bool:
    """Whether there are no scores, and ranks order the documents."""
    return chosen["value"] == chosen.get("rank")


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
    reader = arrow.arrow_reader(file)
    if hasattr(reader, "num_record_batches"):
        yield from map(reader.get_batch, range(reader.num_record_batches) if numbers is None else numbers)
    else:
        yield from reader
