"""Blocks, which tasks return: Spark handles each as one value, and that is much faster than row by row.

Blocks are in an RDD where tasks read files, and else in a DataFrame with the columns `SCHEMA`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from rankgauge import errors
from rankgauge.core.ids import to_bytes
from rankgauge.engines.spark.library import failures, functions, is_frame, persisted
from rankgauge.errors import InputError, RankgaugeError

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA = "kind string, data binary"


class Block(NamedTuple):
    """What a task returns."""

    kind: str  # rows that are to be moved; scores of pairs; counts of runs; or a problem
    data: bytes  # an Arrow stream; of a problem, its text
    target: int = 0  # the task to which rows are moved

    def batch(self) -> pa.RecordBatch:
        """The block as a row of a DataFrame."""
        import pyarrow as pa

        return pa.RecordBatch.from_arrays([pa.array([self.kind]), pa.array([self.data])], ["kind", "data"])


def block_of(kind: str, batch: pa.RecordBatch, target: int | None = None) -> Block:
    """The block of a batch; without a target, any will do."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    data: bytes = sink.getvalue().to_pybytes()
    return Block(kind, data, len(data) if target is None else target)


def problem_block(error: RankgaugeError) -> Block:
    """The block of an error: the driver raises it, and Spark does not retry the task."""
    return Block("problem", to_bytes(problem_text(error)))


def read(streams: Iterable[bytes]) -> Iterator[pa.RecordBatch]:
    """The batches in blocks."""
    import pyarrow as pa

    for stream in streams:
        yield from pa.ipc.open_stream(stream)


def kept(blocks: Any) -> Any:
    """The blocks, which Spark keeps once they are computed, if the session allows it."""
    if is_frame(blocks):
        return persisted(blocks)
    from pyspark import StorageLevel

    return blocks.persist(StorageLevel.MEMORY_AND_DISK)


def collected(blocks: Any, *kinds: str) -> list[Block]:
    """The blocks of these kinds. This runs the job, if it was not run before."""
    with failures():
        if is_frame(blocks):
            rows = blocks.where(functions().col("kind").isin(*kinds)).collect()
            return [Block(row["kind"], bytes(row["data"])) for row in rows]
        found: list[Block] = blocks.filter(lambda block: block.kind in kinds).collect()
        return found


def scores_in(spark: Any, blocks: Any) -> Any:
    """A DataFrame of the data of blocks that have scores."""
    if is_frame(blocks):
        return blocks.where("kind = 'scores'").select("data")
    data = blocks.filter(lambda block: block.kind == "scores").map(lambda block: (block.data,))
    return spark.createDataFrame(data, "data binary")


def schema(columns: Mapping[str, str]) -> str:
    """Names and types of columns, as Spark takes them."""
    return ", ".join(f"{name} {kind}" for name, kind in columns.items())


def problem_text(error: RankgaugeError) -> str:
    """An error as text, for `error_from`."""
    return f"{type(error).__name__}: {error}"


def error_from(problem: str) -> RankgaugeError:
    """The error that a worker reported."""
    name, _, message = problem.partition(": ")
    kind = getattr(errors, name, InputError)
    return kind(message) if issubclass(kind, RankgaugeError) else InputError(message)
