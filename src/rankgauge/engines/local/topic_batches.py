"""Runs in Parquet or Arrow files that may be larger than memory: whole topics from batches of rows.

Where the rows of a topic are consecutive, only the last topic is carried over to the next batch. Otherwise
rows are collected, and beyond a limit written to temporary files by topic.
"""

from __future__ import annotations

import tempfile
import zlib
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rankgauge.core.ids import Ids
from rankgauge.formats import frames
from rankgauge.schema.stopping import checkpoint

Tables = Generator[pa.Table, None, None]  # to be closed, since it may have temporary files

CHUNK = 1 << 18  # rows per table, more only if a single topic has more
LIMIT = 1 << 21  # rows in memory before they are written to disk, about 200 MB
FILES = 32  # temporary files; one with more rows than the limit is split again
DEEPEST = 4  # levels of such splits


def as_array(ids: Ids, *, text: bool = False) -> pa.Array:
    """Ids as an Arrow array of any bytes."""
    offsets = pa.py_buffer((ids.offsets - ids.offsets[0]).astype(np.int32))
    data = pa.py_buffer(memoryview(ids.data)[ids.offsets[0] : ids.offsets[-1]])
    kind = pa.string() if text else pa.binary()
    return pa.Array.from_buffers(kind, len(ids), [None, offsets, data])


def consecutive(batches: Iterable[pa.RecordBatch], topic: str, chunk: int = CHUNK) -> Iterator[pa.Table]:
    """Tables of whole topics if their rows are consecutive; otherwise tables share topics."""
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
    """Rows in temporary files, all of a topic in one."""

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
        """Close the files; yield (path, number of topics: 0, 1 or 2 for more)."""
        for writer, file in self._writers.values():
            writer.close()
            file.close()
        for number in sorted(self._writers):
            yield self._path(number), len(self._topics[number])
