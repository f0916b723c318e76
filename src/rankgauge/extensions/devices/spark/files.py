"""The plan `files`: tasks read files, and Spark only distributes the work.

Pairs that a task has whole are evaluated there; rows of others are moved. Pairs are known by hashes; two with
one hash count as split, which costs time alone. Tasks return blocks in an RDD, for which Spark neither plans
nor compiles anything.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from rankgauge.core.ids import Ids
from rankgauge.engines.local.topic_batches import whole_topics
from rankgauge.engines.threads import in_threads
from rankgauge.errors import InputError, RankgaugeError
from rankgauge.extensions.devices.spark import worker
from rankgauge.extensions.devices.spark.library import cores, failures
from rankgauge.extensions.devices.spark.pieces import (
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
from rankgauge.extensions.devices.spark.result import (
    Block,
    block_of,
    problem_block,
    raise_problems,
    read,
    schema,
)
from rankgauge.extensions.devices.spark.rows import Rows, numbered
from rankgauge.measures.rankings.arrays.curves import Bools, Ints

Hashes = npt.NDArray[np.uint64]

LEAST = 1 << 16  # rows that are worth a task
PER_CORE = 4  # tasks: the last to end is not waited for long, and starting one takes as long as many rows
MAX_PARTS = 16  # of a task, which are read one after the other
OPENED = 16  # files looked into at once
COLUMNS = {"run": "binary", "topic": "binary", "doc": "binary", "value": "double", "rank": "bigint"}
ROWS = 1 << 20  # rows of a task, about 100 bytes each
BLOCK_ROWS = 1 << 18  # rows that become blocks at once
MANY = 1 << 16  # targets; fewer have numbers of 16 bits, which NumPy sorts in linear time
FEW = 64  # slices of a table, which are cheaper than copying the rows
MAX_HASHES = 1 << 24  # that are collected, 8 bytes each
MIX = np.uint64(0x9E3779B97F4A7C15)  # odd
SPREAD = 0.5  # share of pairs that are split, above which all rows are moved


class Files:
    """Runs in files, in parts for tasks; `Unreadable` if tasks cannot read them."""

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
        tasks = count if partitions else max(min(count, most), math.ceil(count / MAX_PARTS))
        self._spark, self._tasks = spark, tasks

    def frame(self, *, ranks: bool) -> Any:
        """The rows as a DataFrame, in the form of `rows.result_rows`."""
        columns = {name: kind for name, kind in self._columns.items() if ranks or name != "rank"}
        some = self._parts

        def read_parts(batches: Any) -> Any:
            for number in itertools.chain.from_iterable(batch.column(0).to_pylist() for batch in batches):
                yield from map(decoded, batches_of(some[number], ranks=ranks))

        numbers = self._spark.range(0, len(some), 1, self._tasks)
        return numbers.mapInArrow(read_parts, schema(columns))

    def score(self, job: worker.Job) -> Any:
        """The scores, as an RDD of blocks: scores, counts and problems."""
        some = self._parts
        split, moved = self._split()
        # A target has rows that are moved, and scores of no more rows than a task that reads them.
        targets = max(1, math.ceil(self._rows * max(moved, 1 / MAX_PARTS) / ROWS))

        def evaluate(numbers: Iterable[int]) -> Iterator[Block]:
            each = ((some[number], None if split is None else split[number]) for number in numbers)
            return evaluate_parts(each, job, targets)

        found = self._numbers().mapPartitions(evaluate)
        if not moved:
            return found
        by_target = found.keyBy(lambda block: block.target).partitionBy(targets, int).values()
        return by_target.mapPartitions(lambda blocks: evaluate_moved(blocks, job))

    def _numbers(self) -> Any:
        try:
            return self._spark.sparkContext.parallelize(range(len(self._parts)), self._tasks)
        except Exception:  # remote sessions have no context, others are not allowed to use it
            raise Unreadable("the session has no RDDs") from None

    def _split(self) -> tuple[list[Hashes] | None, float]:
        """(pairs that each part shares with others, or None for most; about the share of their rows)."""
        some = self._parts
        bounds = [topic_bounds(part) for part in some]
        in_order = split_in_order(bounds) if "run" not in self._columns else None
        if in_order is not None:
            ends = zip(some, bounds, strict=True)
            of_one_topic = [part for part, both in ends if both is not None and both[0] == both[1]]
            rows = sum(piece.rows for part in of_one_topic for piece in part)
            return in_order, any(map(len, in_order)) * max(1, rows) / max(1, self._rows)

        def hash_parts(numbers: Iterable[int]) -> list[Block]:
            return [_hash_block(some[number], number) for number in numbers]

        with failures():
            found: list[Block] = self._numbers().mapPartitions(hash_parts).collect()
        raise_problems(found)
        reasons = [block.data.decode() for block in found if block.kind == "unreadable"]
        if reasons:
            raise Unreadable(min(reasons))
        by_part = sorted(found, key=lambda block: block.target)
        hashes = [np.frombuffer(block.data, dtype=np.uint64) for block in by_part]
        total = sum(map(len, hashes))
        split = split_hashes(hashes) if total <= MAX_HASHES else None
        return split, 1.0 if split is None else sum(map(len, split)) / max(1, total)


def _hash_block(part: list[Piece], number: int) -> Block:
    """The hashes of the pairs in a part, in a block with its number; or its problem."""
    try:
        return Block("hashes", distinct_hashes(part).tobytes(), number)
    except RankgaugeError as error:
        return problem_block(error)
    except Unreadable as reason:
        return Block("unreadable", str(reason).encode())


def distinct_hashes(part: list[Piece]) -> Hashes:
    """The hashes of the pairs in a part, ascending."""
    batches = [*pairs_of(part)]
    if not batches:
        return np.empty(0, dtype=np.uint64)
    rows = pa.Table.from_batches(batches).drop_null()  # a null id is an error of the evaluation
    return np.unique(pair_hashes(rows)[1])


def pair_hashes(table: pa.Table) -> tuple[Ints, Hashes]:
    """(the number of each row's pair, the hash of each pair)."""
    rows = Rows(table)
    topic, topics = rows.numbered_ids("topic")
    run, runs = rows.runs("")
    hashes = _hashes(topics)
    if len(runs) < 2:
        return topic, hashes * MIX + _hashes(runs).sum()  # as in `split_in_order`, if no column names it
    present, number = numbered(topic.astype(np.int64) * len(runs) + run, len(topics) * len(runs))
    mixed = hashes[present // len(runs)] * MIX + _hashes(runs)[present % len(runs)]
    return number, mixed


def _hashes(ids: Ids) -> Hashes:
    digests = b"".join(blake2b(each, digest_size=8).digest() for each in ids)
    return np.frombuffer(digests, dtype=np.uint64)


def split_in_order(bounds: Sequence[tuple[bytes, bytes] | None]) -> list[Hashes] | None:
    """`split_hashes` of one run in parts whose topics are within these bounds.

    None if parts may not be in the order of topics; if they are, a topic in two is a bound of both.
    """
    known = [bound for bound in bounds if bound is not None]
    order = sorted(range(len(bounds)), key=lambda part: known[part]) if len(known) == len(bounds) else []
    pairs = [*itertools.pairwise(order)]
    if not order or any(known[one][1] > known[other][0] for one, other in pairs):
        return None
    split: list[set[bytes]] = [set() for _ in bounds]
    for one, other in pairs:
        if known[one][1] == known[other][0]:
            split[one].add(known[one][1])
            split[other].add(known[one][1])
    of_run = _hashes(Ids.of([""])).sum()
    return [_hashes(Ids.of(sorted(topics))) * MIX + of_run for topics in split]


def split_hashes(of_parts: list[Hashes]) -> list[Hashes] | None:
    """For each part, the hashes of its pairs that others share; None if most of all are shared."""
    every, count = np.unique(np.concatenate([*of_parts, np.empty(0, dtype=np.uint64)]), return_counts=True)
    split = every[count > 1]
    if len(split) > SPREAD * len(every):
        return None
    return [np.intersect1d(hashes, split, assume_unique=True) for hashes in of_parts]


def evaluate_parts(
    some: Iterable[tuple[list[Piece], Hashes | None]], job: worker.Job, targets: int
) -> Iterator[Block]:
    """The scores of pairs that are whole in a part, and blocks of the other rows, which are moved.

    These are known by their hashes; None moves all rows.
    """
    try:
        for part, split in some:
            rows = batches_of(part, ranks=job.order.needs_ranks)
            with closing(whole_topics(rows, "topic")) as tables:
                for table in tables:
                    yield from _evaluate_table(table, split, job, targets)
    except Unreadable as reason:
        yield problem_block(InputError(str(reason)))
    except RankgaugeError as error:
        yield problem_block(error)


def _evaluate_table(table: pa.Table, split: Hashes | None, job: worker.Job, targets: int) -> Iterator[Block]:
    if split is None or len(split):
        number, hashes = pair_hashes(table)
        target = (hashes % np.uint64(targets)).astype(np.uint16 if targets <= MANY else np.uint32)
        if split is None:
            yield from _rows_to_move(table, target[number])
            return
        moves = np.isin(hashes, split)[number]
        yield from _rows_to_move(_rows_where(table, moves), target[number[moves]])
        table = _rows_where(table, ~moves)
    if len(table):
        yield from job.score(table)


def evaluate_moved(blocks: Iterator[Block], job: worker.Job) -> Iterator[Block]:
    """The scores of rows that were moved; other blocks come along, or files would be read twice."""
    others: list[Block] = []

    def rows() -> Iterator[pa.RecordBatch]:
        for block in blocks:
            if block.kind == "rows":
                yield from read([block], "rows")
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
    edges = np.flatnonzero(np.diff(np.concatenate(([False], chosen, [False]))))
    if len(edges) > 2 * FEW:
        return table.filter(pa.array(chosen))
    begins, ends = edges[::2].tolist(), edges[1::2].tolist()
    slices = [table.slice(begin, end - begin) for begin, end in zip(begins, ends, strict=True)]
    return pa.concat_tables(slices or [table.slice(0, 0)])


def _rows_to_move(table: pa.Table, target: Any) -> Iterator[Block]:
    for begin in range(0, len(table), BLOCK_ROWS):
        some = target[begin : begin + BLOCK_ROWS]
        order = np.argsort(some, kind="stable")
        rows = table.slice(begin, BLOCK_ROWS).combine_chunks().take(pa.array(order))
        targets, firsts = np.unique(some[order], return_index=True)
        ends = [*firsts[1:].tolist(), len(some)]
        for each, first, end in zip(targets.tolist(), firsts.tolist(), ends, strict=True):
            yield block_of("rows", _trimmed(rows.slice(first, end - first)), each)


def _trimmed(rows: pa.Table) -> pa.RecordBatch:
    """The rows, in dictionaries without unused entries."""

    def trimmed(column: pa.Array) -> pa.Array:
        if not pa.types.is_dictionary(column.type) or column.null_count:
            return column
        present, number = numbered(column.indices.to_numpy(), len(column.dictionary))
        entries = column.dictionary.take(pa.array(present))
        return pa.DictionaryArray.from_arrays(number.astype(np.int32), entries)

    names = rows.column_names
    return pa.RecordBatch.from_arrays([trimmed(rows[name].combine_chunks()) for name in names], names)
