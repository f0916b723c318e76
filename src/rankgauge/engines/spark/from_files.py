"""The plan `files`: tasks read files themselves, and Spark only distributes the work."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import Any

from rankgauge.engines.spark import file_tasks
from rankgauge.engines.spark.file_tasks import ROWS
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
from rankgauge.engines.spark.split_pairs import Hashes, collect_hashes, split_hashes, split_in_order
from rankgauge.engines.spark.task_rows import schema
from rankgauge.engines.spark.worker import Job
from rankgauge.engines.threads import in_threads

LEAST = 1 << 16  # rows that are worth a task
PER_CORE = 4  # tasks: the last to end is not waited for long, and starting one takes as long as many rows
MOST = 16  # parts of a task, which are read one after the other
OPENED = 16  # files looked into at once
COLUMNS = {"run": "binary", "topic": "binary", "doc": "binary", "value": "double", "rank": "bigint"}


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

    def score(self, job: Job) -> Any:
        """The scores as `file_tasks.score` returns them."""
        some, ranks = self._parts, job.order.needs_ranks
        split, moved = self._split()

        def read(numbers: Iterable[int]) -> Any:
            for number in numbers:
                yield batches_of(some[number], ranks=ranks), None if split is None else split[number]

        # A target has rows that are moved, and scores of no more rows than a task that reads them.
        targets = math.ceil(self._rows * max(moved, 1 / MOST) / ROWS)
        return file_tasks.score(self._numbers(), read, job, max(targets, 1), moves=moved > 0)

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
