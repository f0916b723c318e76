"""Runs in Parquet and Arrow files, read in batches, groups or spans of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from rankgauge import core
from rankgauge.core.ids import Ids
from rankgauge.errors import InputError
from rankgauge.formats import arrow, frames
from rankgauge.formats.arrow_columns import pyarrow
from rankgauge.formats.columns import ROLES, Columns, choose, concatenated, order_of
from rankgauge.formats.files import Request
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import is_parquet
from rankgauge.schema.stopping import checkpoint

BATCH = 1 << 17  # rows per batch, for files that are read in batches
SPAN = 1 << 22  # bytes of a file that are worth being read by themselves
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


class Batches:
    """A run in Parquet or Arrow files, read in batches of rows any number of times.

    Columns of the files may differ in names and types; batches have the names that the first part has.
    """

    def __init__(
        self, sources: Sequence[Source], columns: Mapping[str, str] | None = None, path: str | None = None
    ) -> None:
        self.sources = tuple(sources)
        self.path = path or self.sources[0].path  # the file or directory, for messages
        self._given = columns
        self._chosen: list[dict[str, str]] = []  # {part: column name} of each file
        self._is_tiny: list[bool] = []  # whether a file has less than a byte for each of its rows
        types = []
        for part in range(len(self.sources)):
            with self._opened(part) as rows:
                chosen = choose(rows.schema.names, "run", columns)
                self._chosen.append({role: name for role, name in chosen.items() if role != "label"})
                self._is_tiny.append(bool(rows.metadata) and rows.metadata.num_rows > self.sources[part].size)
                types.append({role: rows.schema.field(name).type for role, name in self._chosen[-1].items()})
                if order_of(chosen) != self.order:
                    raise InputError(
                        f"this part of the run has {order_of(chosen)}s, and {self.sources[0].path} has "
                        f"{self.order}s; all parts need the same columns"
                    )
        self._uniform = types.count(types[0]) == len(types)

    @contextmanager
    def _opened(self, part: int, **options: Any) -> Iterator[arrow.Groups]:
        source = self.sources[part]
        with arrow.errors_of(source), arrow.opened(source) as file:
            yield arrow.Groups(file, is_parquet(source), **options)

    @property
    def order(self) -> str:
        """What the documents are ordered by: see `columns.order_of`."""
        return order_of(self._chosen[0])

    @property
    def topic(self) -> str:
        """The name of the topic column."""
        return self._chosen[0]["topic"]

    def __call__(
        self, tick: Callable[[int], None] = lambda _: None, *, ranks: bool = True, distinct: bool = False
    ) -> Iterator[Any]:
        """All rows, in batches, with or without their ranks; `tick` is called with the bytes read.

        The last batch may be the first that shows that rows are not `distinct`: a tiny file can hold one row
        many million times.
        """
        for part, source in enumerate(self.sources):
            for _, batch in self._batches(part, ranks):
                yield batch
                if distinct and self._repeats(batch, part, 0):
                    return
            tick(source.size)

    def columns(self, rows: Any, first: int = 0, part: int = 0) -> Columns:
        """A batch as columns, by the names of a part; `first` is the number of its first row."""
        names = {role: name for role, name in self._chosen[part].items() if name in rows.schema.names}
        return frames.read(rows, "run", {ROLES["run"][role]: name for role, name in names.items()}, first)

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
        for part, chosen in enumerate(self._chosen):
            name = chosen["topic"]
            with self._opened(part) as rows:
                for number in range(rows.count):
                    topics = rows.read(number, [name]).column(name).unique()
                    yield Group(part, number), frames.ids(pyarrow().table({name: topics}), name)

    def read_group(self, group: Group) -> Columns:
        """The rows of a group."""
        with self._opened(group.part) as rows:
            table = rows.read(group.number, list(dict.fromkeys(self._chosen[group.part].values())))
            table.validate(full=True)
        return self.columns(table, part=group.part)

    def spans(self) -> Iterator[Span]:
        """The parts of the run that can be read at the same time, in their order."""
        for part, source in enumerate(self.sources):
            with self._opened(part) as rows:
                count, metadata = rows.count, rows.metadata
            of_size = SPAN * count // max(1, source.size)
            for first in range(0, count, step := max(1, min(of_size, count // LEAST_SPANS))):
                groups = range(first, min(first + step, count))
                yield Span(part, groups, source.size * len(groups) // count, metadata)

    def read_span(
        self, span: Span, *, ranks: bool = True, distinct: bool = False, threads: int = 1
    ) -> Iterator[Columns]:
        """The valid rows of a span in batches; their numbers are not those of the file."""
        names, recurring = self._names(span.part, ranks), []
        if span.metadata is not None:
            from pyarrow import types

            # Topics recur, and are decoded in a fraction of the time as a dictionary; documents would take
            # longer.
            topic = self._chosen[span.part]["topic"]
            kind = span.metadata.schema.to_arrow_schema().field(topic).type
            if types.is_string(kind) or types.is_large_string(kind) or types.is_binary(kind):
                recurring = [topic]
        with self._opened(span.part, dictionaries=recurring, metadata=span.metadata) as rows:
            wanted = None if span.metadata is None else names  # all columns of an Arrow file are validated
            groups = span.groups
            for batch in rows.batches(groups.start, groups.stop, wanted, BATCH, threads=threads > 1):
                checkpoint()
                if len(batch):
                    _validate(batch)
                    if distinct and self._repeats(batch, span.part, span.part):
                        raise InputError("a row occurs twice", path=self.path)
                    yield self.columns(batch.select(names), part=span.part).checked()

    def _repeats(self, batch: Any, part: int, named: int) -> bool:
        """Whether a document of a tiny file is twice in a topic."""
        if not (self._is_tiny[part] and len(batch)):
            return False
        try:
            topic, doc = (frames.ids(batch, self._chosen[named][role]) for role in ("topic", "doc"))
        except InputError:  # which names the row where rows are read
            return False
        again, _ = core.duplicates(topic.encode()[0], doc.data, doc.offsets)
        return bool(len(again))

    def _names(self, part: int, ranks: bool) -> list[str]:
        ranks &= all("rank" in chosen for chosen in self._chosen)
        roles = (role for role in self._chosen[0] if ranks or role != "rank")
        return list(dict.fromkeys(self._chosen[part][role] for role in roles))

    def _batches(self, part: int, ranks: bool) -> Iterator[tuple[int, Any]]:
        """(number of the first row, batch) for the batches of one file, with the names of the first."""
        own, names, first = self._names(part, ranks), self._names(0, ranks), 0
        with self._opened(part) as rows:
            wanted = own if is_parquet(self.sources[part]) else None  # as in `read_span`
            for batch in rows.batches(0, rows.count, wanted, BATCH, threads=True):
                batch.validate(full=True)
                renamed = pyarrow().RecordBatch.from_arrays([batch.column(n) for n in own], names)
                yield first, renamed if self._uniform else self._uniformed(renamed, first)
                first += len(batch)

    def _uniformed(self, rows: Any, first: int) -> Any:
        pa, columns = pyarrow(), self.columns(rows, first)
        by_name = {name: role for role, name in self._chosen[0].items()}
        arrays = {
            "topic": arrow.array(columns.topic, pa.large_binary()),
            "doc": arrow.array(columns.doc, pa.large_binary()),
            "value": pa.array({"rank": columns.rank, "score": columns.value}.get(self.order, -columns.value)),
            "rank": columns.rank if columns.rank is None else pa.array(columns.rank),
        }
        names = rows.schema.names
        return pa.RecordBatch.from_arrays([arrays[by_name[name]] for name in names], names)


def _validate(batch: Any) -> None:
    """Raise an error unless a batch is valid; characters and offsets that the core checks are left out."""
    batch.validate()
    if not all(map(_is_sound, batch.columns)):
        batch.validate(full=True)


def _is_sound(array: Any) -> bool:
    """Whether only the offsets between the first and the last of an array are left to be checked."""
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
