"""The plan `files`: tasks read files themselves, and Spark only distributes the work.

Pairs that a task has whole are evaluated there; rows of other pairs are moved. Tasks return blocks in an RDD,
for which Spark needs neither a plan nor code that it generates and compiles.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.engines.local.topic_batches import whole_topics
from rankgauge.engines.spark import worker
from rankgauge.engines.spark.blocks import Block, block_of, problem_block, read, schema
from rankgauge.engines.spark.library import cores
from rankgauge.engines.spark.pieces import (
    File,
    Piece,
    Unreadable,
    batches_of,
    decoded,
    pairs_of,
    parts,
    pieces,
    topic_bounds,
)
from rankgauge.engines.spark.split_pairs import (
    Hashes,
    collect_hashes,
    pair_hashes,
    split_hashes,
    split_in_order,
)
from rankgauge.engines.spark.tables import numbered
from rankgauge.engines.threads import in_threads
from rankgauge.errors import InputError, RankgaugeError
from rankgauge.measures.rankings.arrays.curves import Bools

if TYPE_CHECKING:
    import pyarrow as pa

LEAST = 1 << 16  # rows that are worth a task
PER_CORE = 4  # tasks: the last to end is not waited for long, and starting one takes as long as many rows
MOST = 16  # parts of a task, which are read one after the other
OPENED = 16  # files looked into at once
COLUMNS = {"run": "binary", "topic": "binary", "doc": "binary", "value": "double", "rank": "bigint"}
ROWS = 1 << 20  # rows of a task, about 100 bytes each
BLOCK_ROWS = 1 << 18  # rows that become blocks at once
MANY = 1 << 16  # targets; fewer have numbers of 16 bits, which NumPy sorts in linear time
FEW = 64  # slices of a table, which are cheaper than copying the rows

# What a task reads: some rows, with the hashes of pairs that are split; None: all are.
Reads = Callable[[Iterable[int]], Iterator[tuple[Iterable["pa.RecordBatch"], Hashes | None]]]


class Files:
    """Runs in files, in parts for tasks; `Unreadable` if tasks are not to read them."""

    def __init__(self, spark: Any, files: list[File], partitions: int | None = None) -> None:
        every = [piece for some in in_threads(pieces, files, OPENED) for piece in some]
        self._rows = sum(piece.rows for piece in every)
        most = PER_CORE * cores(spark)  # tasks, unless they would have too much to do
        size = math.ceil(self._rows / (partitions or max(math.ceil(self._rows / ROWS), most)))
        self._parts: list[list[Piece]] = parts(every, size if partitions else max(size, LEAST))
        self._columns = dict(COLUMNS)
        if all(file.run is None and "label" not in file.roles for file in files):
            del self._columns["run"]
        count = max(1, len(self._parts))
        tasks = count if partitions else max(min(count, most), math.ceil(count / MOST))
        self._spark, self._tasks = spark, tasks

    def frame(self, *, ranks: bool) -> Any:
        """The rows as a DataFrame, as `rows.result_rows` has them."""
        columns = {name: kind for name, kind in self._columns.items() if ranks or name != "rank"}
        some = self._parts

        def read(batches: Any) -> Any:
            for number in itertools.chain.from_iterable(batch.column(0).to_pylist() for batch in batches):
                yield from map(decoded, batches_of(some[number], ranks=ranks))

        numbers = self._spark.range(0, len(some), 1, self._tasks)
        return numbers.mapInArrow(read, schema(columns))

    def score(self, job: worker.Job) -> Any:
        """The scores, in blocks."""
        some, ranks = self._parts, job.order.needs_ranks
        split, moved = self._split()

        def read(numbers: Iterable[int]) -> Any:
            for number in numbers:
                yield batches_of(some[number], ranks=ranks), None if split is None else split[number]

        # A target has rows that are moved, and scores of no more rows than a task that reads them.
        targets = math.ceil(self._rows * max(moved, 1 / MOST) / ROWS)
        return _score_parts(self._numbers(), read, job, max(targets, 1), moves=moved > 0)

    def _numbers(self) -> Any:
        """The numbers of parts, as an RDD."""
        try:
            return self._spark.sparkContext.parallelize(range(len(self._parts)), self._tasks)
        except Exception:  # remote sessions have no context, others are not allowed to use it
            raise Unreadable("the session has no RDDs") from None

    def _split(self) -> tuple[list[Hashes] | None, float]:
        """(pairs of each part that others have as well, or None for most; about the share of their rows)."""
        bounds = [topic_bounds(part) for part in self._parts]
        found = split_in_order(bounds) if "run" not in self._columns else None
        if found is not None:
            ends = zip(self._parts, bounds, strict=True)
            of_one_topic = [part for part, both in ends if both is not None and both[0] == both[1]]
            rows = sum(piece.rows for part in of_one_topic for piece in part)
            return found, any(map(len, found)) * max(1, rows) / max(1, self._rows)
        some = self._parts

        def read_pairs(numbers: Iterable[int]) -> Any:
            return ((number, pairs_of(some[number])) for number in numbers)

        hashes = collect_hashes(self._numbers(), read_pairs)
        split = None if hashes is None else split_hashes(hashes)
        if split is None or hashes is None:
            return None, 1.0
        return split, sum(map(len, split)) / max(1, sum(map(len, hashes)))


@dataclass(frozen=True)
class _Task:
    """Evaluates the pairs that are whole, and makes blocks of the rows of others."""

    job: worker.Job
    reads: Reads
    targets: int

    def __call__(self, numbers: Iterable[int]) -> Iterator[Block]:
        try:
            for rows, split in self.reads(numbers):
                with closing(whole_topics(rows, "topic")) as tables:
                    for table in tables:
                        yield from self._of_table(table, split)
        except Unreadable as reason:
            yield problem_block(InputError(str(reason)))
        except RankgaugeError as error:
            yield problem_block(error)

    def _of_table(self, table: pa.Table, split: Hashes | None) -> Iterator[Block]:
        if split is None or len(split):
            number, hashes = pair_hashes(table)
            kind = np.uint16 if self.targets <= MANY else np.uint32
            target = (hashes % np.uint64(self.targets)).astype(kind)
            if split is None:
                yield from _rows_to_move(table, target[number])
                return
            moves = np.isin(hashes, split)[number]
            yield from _rows_to_move(_rows_where(table, moves), target[number[moves]])
            table = _rows_where(table, ~moves)
        if len(table):
            yield from self.job.score(table)


def _score_parts(source: Any, reads: Reads, job: worker.Job, targets: int, *, moves: bool) -> Any:
    """An RDD of blocks: scores, counts and problems.

    `source` is an RDD of the numbers of what tasks read; `moves` tells whether rows have to be moved.
    """
    found = source.mapPartitions(_Task(job, reads, targets))
    if not moves:
        return found

    def score_moved(blocks: Iterator[Block]) -> Iterator[Block]:
        return _score_moved(blocks, job)

    moved = found.keyBy(lambda block: block.target).partitionBy(targets, int).values()
    return moved.mapPartitions(score_moved)


def _score_moved(blocks: Iterator[Block], job: worker.Job) -> Iterator[Block]:
    """The scores of rows that were moved; other blocks have come along, or files would be read twice."""
    others: list[Block] = []

    def rows() -> Iterator[pa.RecordBatch]:
        for block in blocks:
            if block.kind == "rows":
                yield from read([block.data])
            else:
                others.append(block)

    try:
        with closing(whole_topics(rows(), "topic")) as tables:
            for table in tables:
                yield from job.score(table)
    except RankgaugeError as error:
        yield problem_block(error)
        others.extend(block for block in blocks if block.kind != "rows")
    yield from others


def _rows_where(table: pa.Table, chosen: Bools) -> pa.Table:
    """The rows for which this holds; where they are consecutive, nothing is copied."""
    import pyarrow as pa

    edges = np.flatnonzero(np.diff(np.concatenate(([False], chosen, [False]))))
    if len(edges) > 2 * FEW:
        return table.filter(pa.array(chosen))
    begins, ends = edges[::2].tolist(), edges[1::2].tolist()
    slices = [table.slice(begin, end - begin) for begin, end in zip(begins, ends, strict=True)]
    return pa.concat_tables(slices or [table.slice(0, 0)])


def _rows_to_move(table: pa.Table, target: Any) -> Iterator[Block]:
    import pyarrow as pa

    for begin in range(0, len(table), BLOCK_ROWS):
        some = target[begin : begin + BLOCK_ROWS]
        order = np.argsort(some, kind="stable")
        rows = table.slice(begin, BLOCK_ROWS).combine_chunks().take(pa.array(order))
        targets, firsts = np.unique(some[order], return_index=True)
        ends = [*firsts[1:].tolist(), len(some)]
        for each, first, end in zip(targets.tolist(), firsts.tolist(), ends, strict=True):
            yield block_of("rows", _trimmed(rows.slice(first, end - first)), each)


def _trimmed(rows: pa.Table) -> pa.RecordBatch:
    """The rows, in dictionaries without entries that are not in use."""
    import pyarrow as pa

    def trimmed(column: pa.Array) -> pa.Array:
        if not pa.types.is_dictionary(column.type) or column.null_count:
            return column
        present, number = numbered(column.indices.to_numpy(), len(column.dictionary))
        entries = column.dictionary.take(pa.array(present))
        return pa.DictionaryArray.from_arrays(number.astype(np.int32), entries)

    names = rows.column_names
    return pa.RecordBatch.from_arrays([trimmed(rows[name].combine_chunks()) for name in names], names)
