"""Rows of whole topics from batches of rows, without holding more of them than need be.

Batches are Arrow's, so that a Parquet file larger than memory and a partition of a Spark job are one
and the same. Where topics stand together, only the last one is carried from batch to batch. In any other
case rows are held, and beyond a limit put on disk, in files by their topic.
"""

from __future__ import annotations

import tempfile
import zlib
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.core.ids import Ids
from rankgauge.formats import frames

if TYPE_CHECKING:
    import pyarrow as pa

    Tables = Generator[pa.Table, None, None]  # to be closed, for there may be files behind it

CHUNK = 1 << 18  # rows that are handed over at once, more only if a topic has more
LIMIT = 1 << 21  # rows that are held in memory before they go to disk, some 200 MB
FILES = 32  # on disk; a file that has more than the limit is parted again
DEEPEST = 4  # ... so often


def as_array(ids: Ids, *, text: bool = False) -> pa.Array:
    """Ids as an array of Arrow's; as text they are not looked at, so that any bytes come through."""
    import pyarrow as pa

    offsets = pa.py_buffer((ids.offsets - ids.offsets[0]).astype(np.int32))
    data = pa.py_buffer(memoryview(ids.data)[ids.offsets[0] : ids.offsets[-1]])
    kind = pa.string() if text else pa.binary()
    return pa.Array.from_buffers(kind, len(ids), [None, offsets, data])


def consecutive(batches: Iterable[pa.RecordBatch], topic: str, chunk: int = CHUNK) -> Iterator[pa.Table]:
    """Tables of whole topics, if topics stand together; where one does not, tables share it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    held: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        if not len(batch):
            continue
        held.append(batch)
        rows += len(batch)
        if rows < chunk:
            continue
        ids = batch.column(topic)
        ids = ids.dictionary_decode() if pa.types.is_dictionary(ids.type) else ids
        others = np.flatnonzero(~pc.equal(ids, ids[-1]).fill_null(False).to_numpy(zero_copy_only=False))
        end = int(others[-1]) + 1 if len(others) else 0  # behind the last row of another topic
        whole = [*held[:-1], batch.slice(0, end)] if end else []
        if whole:
            yield pa.Table.from_batches(whole)
            held, rows = [batch.slice(end)], len(batch) - end
    if held:
        yield pa.Table.from_batches(held)


def whole_topics(batches: Iterable[pa.RecordBatch], topic: str, limit: int = LIMIT) -> Tables:
    """Tables that have all rows of their topics, each in the order in which they came."""
    return _parted(batches, topic, limit, 0)


def _parted(batches: Iterable[pa.RecordBatch], topic: str, limit: int, depth: int) -> Tables:
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    rows = 0
    waiting = iter(batches)
    for batch in waiting:
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
            held.append(batch)
            rows += len(batch)
            if rows > min(CHUNK, limit):
                files.add(held)
                held, rows = [], 0
        files.add(held)
        held = []
        for path, topics in files.done():
            with pa.OSFile(str(path)) as file, pa.ipc.open_stream(file) as reader:
                # Of a single topic there is no part: it takes the memory that it takes.
                yield from _parted(reader, topic, limit, depth + 1 if topics > 1 else DEEPEST)
            path.unlink()


class _Files:
    """Rows on disk, those of a topic in one file."""

    def __init__(self, folder: Path, topic: str, depth: int, schema: pa.Schema) -> None:
        self._folder, self._topic, self._depth, self._schema = folder, topic, depth, schema
        self._writers: dict[int, Any] = {}
        self._topics: dict[int, set[bytes]] = defaultdict(set)

    def add(self, batches: list[pa.RecordBatch]) -> None:
        """Put these rows where they belong, behind the others."""
        import pyarrow as pa

        rows = pa.Table.from_batches(batches, self._schema)
        column = rows[self._topic]
        code, topics = frames.ids(pa.table({"topic": column.drop_null()}), "topic").encode()
        # Other bits at each depth: another start would send ids of one length all to one file again.
        hashes = np.array([zlib.crc32(topic) for topic in topics], dtype=np.int64)
        place = hashes // FILES**self._depth % FILES
        for number, topic in zip(place.tolist(), topics, strict=True):
            some = self._topics[number]
            if len(some) < 2:
                some.add(topic)
        file = np.zeros(len(rows), dtype=np.int64)  # where topics are null, which is for others to tell
        file[column.is_valid().to_numpy()] = place[code]
        order = np.argsort(file, kind="stable")
        sorted_rows, ends = rows.take(pa.array(order)), np.cumsum(np.bincount(file, minlength=FILES))
        for number in np.unique(file).tolist():
            begin = int(ends[number - 1]) if number else 0
            self._writer(number).write_table(sorted_rows.slice(begin, int(ends[number]) - begin))

    def _path(self, number: int) -> Path:
        return self._folder / f"{number}.arrow"

    def _writer(self, number: int) -> Any:
        import pyarrow as pa

        if number not in self._writers:
            file = pa.OSFile(str(self._path(number)), "wb")
            self._writers[number] = pa.ipc.new_stream(file, self._schema), file
        return self._writers[number][0]

    def done(self) -> Iterator[tuple[Path, int]]:
        """(file, how many topics it has: none, one or more), when all rows are there."""
        for writer, file in self._writers.values():
            writer.close()
            file.close()
        for number in sorted(self._writers):
            yield self._path(number), len(self._topics[number])
