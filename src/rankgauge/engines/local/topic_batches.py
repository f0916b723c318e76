"""Runs in Parquet or Arrow files that may be larger than memory: whole topics from batches of rows.

Batches are Arrow's, so a Parquet file larger than memory and a partition of a Spark job are handled alike.
Where the rows of a topic are consecutive, only the last topic is carried over to the next batch. Otherwise
rows are collected, and beyond a limit written to temporary files by topic.

A local run is first read in spans, each by a thread of its own. The first topic of a span may have begun in
the span before. Its rows wait, and go to the join of that span as soon as it has read all of its own; so
every topic is whole where the rows of a topic are consecutive.
"""

from __future__ import annotations

import tempfile
import zlib
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rankgauge.core.ids import Ids
from rankgauge.engines.threads import ahead, in_order
from rankgauge.errors import InputError
from rankgauge.formats import frames
from rankgauge.formats.arrow_batches import Batches, Span
from rankgauge.formats.columns import Columns
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.model.rules import DocumentOrder
from rankgauge.schema.stopping import checkpoint

Tables = Generator[pa.Table, None, None]  # to be closed, since it may have temporary files

CHUNK = 1 << 18  # rows per table, more only if a single topic has more
LIMIT = 1 << 21  # rows in memory before they are written to disk, about 200 MB
FILES = 32  # temporary files; one with more rows than the limit is split again
DEEPEST = 4  # levels of such splits


def as_array(ids: Ids, *, text: bool = False) -> pa.Array:
    """Ids as an Arrow array; text is not validated, so that any bytes are kept."""
    offsets = pa.py_buffer((ids.offsets - ids.offsets[0]).astype(np.int32))
    data = pa.py_buffer(memoryview(ids.data)[ids.offsets[0] : ids.offsets[-1]])
    kind = pa.string() if text else pa.binary()
    return pa.Array.from_buffers(kind, len(ids), [None, offsets, data])


def consecutive(batches: Iterable[pa.RecordBatch], topic: str, chunk: int = CHUNK) -> Iterator[pa.Table]:
    """Tables of whole topics, if the rows of a topic are consecutive; otherwise tables share topics."""
    held: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        checkpoint()
        if not len(batch):
            continue
        held.append(batch)
        rows += len(batch)
        if rows < chunk:
            continue
        ids = batch.column(topic)
        ids = ids.dictionary_decode() if pa.types.is_dictionary(ids.type) else ids
        others = np.flatnonzero(~pc.equal(ids, ids[-1]).fill_null(False).to_numpy(zero_copy_only=False))
        end = int(others[-1]) + 1 if len(others) else 0  # after the last row of another topic
        whole = [*held[:-1], batch.slice(0, end)] if end else []
        if whole:
            yield pa.Table.from_batches(whole)
            held, rows = [batch.slice(end)], len(batch) - end
    if held:
        yield pa.Table.from_batches(held)


def whole_topics(batches: Iterable[pa.RecordBatch], topic: str, limit: int = LIMIT) -> Tables:
    """Tables with all rows of their topics, in the order of the input."""
    return _split(batches, topic, limit, 0)


def _split(batches: Iterable[pa.RecordBatch], topic: str, limit: int, depth: int) -> Tables:
    held: list[pa.RecordBatch] = []
    rows = 0
    waiting = iter(batches)
    for batch in waiting:
        checkpoint()
        held.append(batch)
        rows += len(batch)
        if rows > limit and depth < DEEPEST:
            break
    else:
        if rows:
            yield pa.Table.from_batches(held)
        return
    with tempfile.TemporaryDirectory(prefix="rankgauge-") as folder:
        files = _Files(Path(folder), topic, depth, held[0].schema)
        files.add(held)
        held = []
        rows = 0
        for batch in waiting:
            checkpoint()
            held.append(batch)
            rows += len(batch)
            if rows > min(CHUNK, limit):
                files.add(held)
                held, rows = [], 0
        files.add(held)
        held = []
        for path, topics in files.finish():
            with pa.OSFile(str(path)) as file, pa.ipc.open_stream(file) as reader:
                # A single topic cannot be split: it takes whatever memory it needs.
                yield from _split(reader, topic, limit, depth + 1 if topics > 1 else DEEPEST)
            path.unlink()


class _Files:
    """Rows in temporary files; all rows of a topic are in one file."""

    def __init__(self, folder: Path, topic: str, depth: int, schema: pa.Schema) -> None:
        self._folder, self._topic, self._depth, self._schema = folder, topic, depth, schema
        self._writers: dict[int, Any] = {}
        self._topics: dict[int, set[bytes]] = defaultdict(set)

    def add(self, batches: list[pa.RecordBatch]) -> None:
        """Append these rows to the files of their topics."""
        rows = pa.Table.from_batches(batches, self._schema)
        column = rows[self._topic]
        code, topics = frames.ids(pa.table({"topic": column.drop_null()}), "topic").encode()
        # Each depth uses other bits: with another seed, ids of one length would all go to one file again.
        hashes = np.array([zlib.crc32(topic) for topic in topics], dtype=np.int64)
        place = hashes // FILES**self._depth % FILES
        for number, topic in zip(place.tolist(), topics, strict=True):
            some = self._topics[number]
            if len(some) < 2:
                some.add(topic)
        file = np.zeros(len(rows), dtype=np.int64)  # file 0 where the topic is null, which is reported later
        file[column.is_valid().to_numpy()] = place[code]
        order = np.argsort(file, kind="stable")
        sorted_rows, ends = rows.take(pa.array(order)), np.cumsum(np.bincount(file, minlength=FILES))
        for number in np.unique(file).tolist():
            begin = int(ends[number - 1]) if number else 0
            self._writer(number).write_table(sorted_rows.slice(begin, int(ends[number]) - begin))

    def _path(self, number: int) -> Path:
        return self._folder / f"{number}.arrow"

    def _writer(self, number: int) -> Any:
        if number not in self._writers:
            file = pa.OSFile(str(self._path(number)), "wb")
            self._writers[number] = pa.ipc.new_stream(file, self._schema), file
        return self._writers[number][0]

    def finish(self) -> Iterator[tuple[Path, int]]:
        """Close the files; yield (path, number of topics: 0, 1 or 2 for more) of each."""
        for writer, file in self._writers.values():
            writer.close()
            file.close()
        for number in sorted(self._writers):
            yield self._path(number), len(self._topics[number])


class Rows(NamedTuple):
    """Rows of a run as the core takes them."""

    topics: Ids
    topic: Ints  # the number of a row's topic among them; of 32 or 64 bits
    docs: Ids
    scores: Floats
    ranks: Ints | None

    @classmethod
    def of(cls, columns: Columns, order: DocumentOrder) -> Rows:
        """The rows of columns, with ranks if the order needs them."""
        topic, topics = columns.topic.entries()
        if order.needs_ranks and not columns.ranks_known():
            raise order.no_ranks()
        return cls(topics, topic, columns.doc, columns.value, columns.rank if order.needs_ranks else None)

    def part(self, rows: slice) -> Rows:
        """A slice of the rows."""
        ranks = None if self.ranks is None else self.ranks[rows]
        return Rows(self.topics, self.topic[rows], self.docs.part(rows), self.scores[rows], ranks)

    def join(self, join: Any) -> Any:
        """Give the rows to a join, which returns a problem or None."""
        columns = (self.topic, *self.docs.buffers(), self.scores, self.ranks)
        return join.columns(*self.topics.buffers(), *columns)


def span_results(
    batches: Batches,
    order: DocumentOrder,
    new_join: Callable[[], Any],
    threads: int,
    tick: Callable[[int], None],
) -> list[Any] | None:
    """The core's results for the spans of a run: hits, or at last a problem. None if something is wrong.

    What that is, and in which row, is for a reader to say that goes through the rows one after the other.
    """
    try:
        spans = [*batches.spans()]
        within = max(1, threads // max(1, len(spans)))

        def read(span: Span) -> tuple[list[Rows], Any]:
            rows = batches.read_span(span, ranks=order.needs_ranks, threads=within)
            with closing(ahead((Rows.of(some, order) for some in rows), within)) as pieces:
                return _joined(pieces, new_join)

        results, last = [], new_join()
        with closing(in_order(read, spans, threads)) as parts:
            for span, (first_topic, join) in zip(spans, parts, strict=True):
                for rows in first_topic:
                    rows.join(last)
                if join is not None:
                    results.append(last.finish())
                    last = join
                tick(span.size)
                if results and isinstance(results[-1], tuple):
                    return results
        return [*results, last.finish()]
    except (InputError, ValueError):  # ValueError: the core does not take the columns
        return None


def _joined(pieces: Iterator[Rows], new_join: Callable[[], Any]) -> tuple[list[Rows], Any]:
    """(rows of the first topic, a join of the others; None if there are none)."""
    waiting: list[Rows] = []
    topic: bytes | None = None
    join = None
    for rows in pieces:
        begin = 0
        if join is None:
            number = rows.topic[0]
            topic = rows.topics[int(number)] if topic is None else topic
            others = rows.topic != number
            if rows.topics[int(number)] == topic:
                begin = int(others.argmax()) if others.any() else len(others)
                waiting.append(rows.part(slice(0, begin)))
            if begin == len(others):
                continue
            join = new_join()
        if rows.part(slice(begin, len(rows.topic))).join(join):
            break
    return waiting, join
