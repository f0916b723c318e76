"""Evaluation in place: pairs that a task has whole are evaluated there; rows of other pairs are moved.

Rows are moved in blocks: Spark handles a block as one value, which is much faster than row by row. A block
has the rows of pairs with the same target, which is a number below `targets` from the hash of the pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.engines.local.topic_batches import whole_topics
from rankgauge.engines.spark import worker
from rankgauge.engines.spark.library import functions, persisted
from rankgauge.engines.spark.pieces import Unreadable
from rankgauge.engines.spark.split_pairs import Hashes, pair_hashes
from rankgauge.engines.spark.tables import numbered
from rankgauge.engines.spark.task_rows import error_from, problem_text, schema, with_columns
from rankgauge.errors import InputError, RankgaugeError
from rankgauge.rankings.arrays.curves import Bools

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 1 << 20  # rows of a task, about 100 bytes each
BLOCKS = {"target": "int", "block": "binary", "problem": "string"}  # a block, or a problem
BLOCK_ROWS = 1 << 18  # rows that become blocks at once
MANY = 1 << 16  # targets; fewer have numbers of 16 bits, which NumPy sorts in linear time
FEW = 64  # slices of a table, which are cheaper than copying the rows

# What a task reads: some rows, with the hashes of pairs that are split; None: all are.
Reads = Callable[[Iterable["pa.RecordBatch"]], Iterator[tuple[Iterable["pa.RecordBatch"], Hashes | None]]]


@dataclass(frozen=True)
class _Task:
    """Evaluates the pairs that are whole, and makes blocks of the rows of others."""

    job: worker.Job
    reads: Reads
    targets: int
    columns: Mapping[str, str]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        try:
            for rows, split in self.reads(batches):
                with closing(whole_topics(rows, "topic")) as tables:
                    for table in tables:
                        for batch in self._of_table(table, split):
                            yield with_columns(batch, self.columns)
        except (RankgaugeError, Unreadable) as error:
            known = InputError(str(error)) if isinstance(error, Unreadable) else error
            problem = {"target": np.zeros(1, np.int32), "problem": [problem_text(known)]}
            yield with_columns(problem, self.columns)

    def _of_table(self, table: pa.Table, split: Hashes | None) -> Iterator[pa.RecordBatch]:
        if split is None or len(split):
            number, hashes = pair_hashes(table)
            kind = np.uint16 if self.targets <= MANY else np.uint32
            target = (hashes % np.uint64(self.targets)).astype(kind)
            if split is None:
                yield from _blocks(table, target[number])
                return
            moves = np.isin(hashes, split)[number]
            yield from _blocks(_rows_where(table, moves), target[number[moves]])
            table = _rows_where(table, ~moves)
        if len(table):
            yield from self.job.score(table)


def score(
    source: Any, reads: Reads, job: worker.Job, targets: int, *, moves: bool | None
) -> tuple[Any, list[Any]]:
    """(the scores, frames to unpersist as soon as they are persisted).

    `source` is a frame whose tasks read rows; `moves` tells whether rows have to be moved: all (None), some
    (True) or none (False).
    """
    columns = BLOCKS if moves is None else worker.COLUMNS | (BLOCKS if moves else {})
    task = _Task(job, reads, targets, columns)

    def run(batches: Any) -> Any:
        return task(batches)

    found = source.mapInArrow(run, schema(columns))
    if moves is None:
        return _of_blocks(found, job, targets), []
    if not moves:
        return found, []
    found = persisted(found)  # or rows would be read twice
    is_block = functions().col("block").isNotNull()
    whole = found.where(~is_block).select(*worker.COLUMNS)
    return whole.unionByName(_of_blocks(found.where(is_block), job, targets)), [found]


def _rows_where(table: pa.Table, chosen: Bools) -> pa.Table:
    """The rows for which this holds; where they are consecutive, nothing is copied."""
    import pyarrow as pa

    edges = np.flatnonzero(np.diff(np.concatenate(([False], chosen, [False]))))
    if len(edges) > 2 * FEW:
        return table.filter(pa.array(chosen))
    begins, ends = edges[::2].tolist(), edges[1::2].tolist()
    slices = [table.slice(begin, end - begin) for begin, end in zip(begins, ends, strict=True)]
    return pa.concat_tables(slices or [table.slice(0, 0)])


def _blocks(table: pa.Table, target: Any) -> Iterator[pa.RecordBatch]:
    """Batches of (target, block)."""
    import pyarrow as pa

    for begin in range(0, len(table), BLOCK_ROWS):
        some = target[begin : begin + BLOCK_ROWS]
        order = np.argsort(some, kind="stable")
        rows = table.slice(begin, BLOCK_ROWS).combine_chunks().take(pa.array(order))
        targets, firsts = np.unique(some[order], return_index=True)
        ends = [*firsts[1:].tolist(), len(some)]
        parts = [rows.slice(first, end - first) for first, end in zip(firsts.tolist(), ends, strict=True)]
        columns = [pa.array(targets.astype(np.int32)), pa.array(map(_block, parts), pa.binary())]
        yield pa.RecordBatch.from_arrays(columns, ["target", "block"])


def _block(rows: pa.Table) -> bytes:
    import pyarrow as pa

    small = pa.table({name: _trimmed(rows[name].combine_chunks()) for name in rows.column_names})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, small.schema) as writer:
        writer.write_table(small)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def _trimmed(column: pa.Array) -> pa.Array:
    """A column; if it is a dictionary, without entries that are not in use."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type) or column.null_count:
        return column
    present, number = numbered(column.indices.to_numpy(), len(column.dictionary))
    entries = column.dictionary.take(pa.array(present))
    return pa.DictionaryArray.from_arrays(number.astype(np.int32), entries)


def _rows_of(blocks: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for batch in blocks:
        for block, problem in zip(batch.column("block"), batch.column("problem").to_pylist(), strict=True):
            if problem is not None:
                raise error_from(problem)
            yield from pa.ipc.open_stream(block.as_buffer())


def _of_blocks(blocks: Any, job: worker.Job, targets: int) -> Any:
    """The scores of rows in blocks, which Spark brings to their targets."""
    partitioned = blocks.select(*BLOCKS).repartitionById(targets, functions().col("target"))

    def score(batches: Any) -> Any:
        return job(_rows_of(batches))

    return partitioned.mapInArrow(score, worker.SCHEMA)
