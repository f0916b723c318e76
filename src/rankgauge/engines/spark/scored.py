"""Scores that Spark has computed: in a DataFrame, in blocks, or, if they are few, on this machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from rankgauge.engines.spark.counts import added_up, counts_of_runs, pairs_of
from rankgauge.engines.spark.library import failures, persisted, unpersist
from rankgauge.engines.spark.task_rows import schema
from rankgauge.engines.spark.worker import SCORES

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from rankgauge.engines.spark.in_place import Block
    from rankgauge.rankings.arrays.curves import Ints

FEW = 1 << 22  # values that are brought to this machine at once


class Part(Protocol):
    """The scores of some pairs, with the columns `SCORES`."""

    def frame(self) -> Any:
        """They as a DataFrame."""

    def table(self) -> pa.Table:
        """Those of judged topics, on this machine."""


class InFrame(NamedTuple):
    """Scores in a DataFrame."""

    rows: Any

    def frame(self) -> Any:
        """The DataFrame."""
        return self.rows

    def table(self) -> pa.Table:
        """Those of judged topics, on this machine."""
        return self.rows.where("judged").select(*SCORES).toArrow()


class InBlocks(NamedTuple):
    """Scores in an RDD of blocks."""

    spark: Any
    blocks: Any

    def frame(self) -> Any:
        """The scores as a DataFrame."""
        streams = self.blocks.filter(_has_scores).map(lambda block: (block.stream,))

        def read(batches: Any) -> Any:
            return (scores for batch in batches for scores in _read(batch.column(0).to_pylist()))

        return self.spark.createDataFrame(streams, "stream binary").mapInArrow(read, schema(SCORES))

    def table(self) -> pa.Table:
        """Those of judged topics, on this machine."""
        import pyarrow as pa
        import pyarrow.compute as pc

        streams = (block.stream for block in self.blocks.filter(_has_scores).collect())
        return pa.Table.from_batches(_read(streams)).filter(pc.field("judged"))


class OnThisMachine(NamedTuple):
    """Scores of judged topics in memory."""

    spark: Any
    rows: pa.Table

    def frame(self) -> Any:
        """The scores as a DataFrame."""
        return self.spark.createDataFrame(self.rows)

    def table(self) -> pa.Table:
        """The scores."""
        return self.rows


class Scored(NamedTuple):
    """The scores of pairs."""

    parts: tuple[Part, ...]
    counts: Mapping[bytes, Ints]  # of each run
    held: tuple[Any, ...]  # what Spark keeps of them

    @property
    def frame(self) -> Any:
        """All scores as a DataFrame."""
        return reduce(
            lambda one, other: one.unionByName(other, allowMissingColumns=True),
            (part.frame() for part in self.parts),
        )

    @property
    def is_near(self) -> bool:
        """Whether all of them are on this machine."""
        return all(isinstance(part, OnThisMachine) for part in self.parts)

    def tables(self) -> list[pa.Table]:
        """The scores of judged topics on this machine; types of columns may differ."""
        with failures():
            return [part.table() for part in self.parts]

    def plus(self, other: Scored) -> Scored:
        """These scores and those of other pairs."""
        counts = dict(self.counts)
        for run, numbers in other.counts.items():
            counts[run] = counts[run] + numbers if run in counts else numbers
        return Scored((*self.parts, *other.parts), counts, (*self.held, *other.held))

    def near(self, spark: Any, width: int) -> Scored:
        """The scores on this machine, if they are few; a pair has as many values as this."""
        if sum(map(pairs_of, self.counts.values())) * width > FEW:
            return self
        near = tuple(OnThisMachine(spark, table) for table in self.tables())
        self.unpersist()
        return Scored(near, self.counts, ())

    def unpersist(self) -> None:
        """Free what Spark keeps."""
        unpersist(*self.held)

    @contextmanager
    def freed_on_error(self) -> Iterator[None]:
        """Free the scores if an error is raised meanwhile."""
        try:
            yield
        except BaseException:
            self.unpersist()
            raise


def in_frame(frame: Any) -> Scored:
    """The scores in this frame. This runs the job; problems reported by workers are raised as errors."""
    held = persisted(frame)
    scored = Scored((InFrame(held),), {}, (held,))
    with scored.freed_on_error():
        return scored._replace(counts=counts_of_runs(held))


def in_blocks(spark: Any, blocks: Any) -> Scored:
    """The scores in this RDD. This runs the job, as `in_frame` does."""
    from pyspark import StorageLevel

    scored = Scored((InBlocks(spark, blocks.persist(StorageLevel.MEMORY_AND_DISK)),), {}, (blocks,))
    with scored.freed_on_error(), failures():
        summaries = blocks.filter(lambda block: block.kind == "summary").collect()
        batches = _read(block.stream for block in summaries)
        return scored._replace(counts=added_up([row for batch in batches for row in batch.to_pylist()]))


def _has_scores(block: Block) -> bool:
    return block.kind == "scores"


def _read(streams: Iterable[bytes]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for stream in streams:
        yield from pa.ipc.open_stream(stream)
