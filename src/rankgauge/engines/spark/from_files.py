"""The plan `files`: tasks read files themselves, and Spark only distributes the work."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rankgauge.engines.spark import in_place
from rankgauge.engines.spark.in_place import ROWS
from rankgauge.engines.spark.library import cores
from rankgauge.engines.spark.pieces import (
    File,
    Piece,
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

if TYPE_CHECKING:
    import pyarrow as pa

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
        self._tasks = spark.range(0, count, 1, tasks)  # the numbers of parts

    def frame(self, *, ranks: bool) -> Any:
        """The rows as a DataFrame, as `rows.result_rows` has them."""
        columns = {name: kind for name, kind in self._columns.items() if ranks or name != "rank"}
        some = self._parts

        def read(batches: Any) -> Any:
            for _, part in _chosen(some, batches):
                yield from map(decoded, batches_of(part, ranks=ranks))

        return self._tasks.mapInArrow(read, schema(columns))

    def score(self, job: Job) -> tuple[Any, list[Any]]:
        """The scores as `in_place.score` returns them."""
        some, ranks = self._parts, job.order.needs_ranks
        split, moved = self._split()

        def read(batches: Any) -> Any:
            for number, part in _chosen(some, batches):
                yield batches_of(part, ranks=ranks), None if split is None else split[number]

        targets = math.ceil(self._rows * moved / ROWS)
        moves = None if split is None else moved > 0
        return in_place.score(self._tasks, read, job, max(targets, 1), moves=moves)

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

        def read_pairs(batches: Any) -> Any:
            return ((number, pairs_of(part)) for number, part in _chosen(some, batches))

        hashes = collect_hashes(self._tasks, read_pairs)
        split = None if hashes is None else split_hashes(hashes)
        if split is None or hashes is None:
            return None, 1.0
        return split, sum(map(len, split)) / max(1, sum(map(len, hashes)))


def _chosen(some: list[list[Piece]], batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, list[Piece]]]:
    """(number, part) for the numbers in these batches."""
    numbers = (number for batch in batches for number in batch.column(0).to_pylist())
    return ((number, some[number]) for number in numbers if number < len(some))
