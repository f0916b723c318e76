"""Scores that Spark has computed: in blocks, or, if they are few, on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

from rankgauge.engines.spark import blocks
from rankgauge.engines.spark.counts import counts_of_runs, pairs_of
from rankgauge.engines.spark.library import unpersist
from rankgauge.engines.spark.task_rows import schema
from rankgauge.engines.spark.worker import SCORES

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from rankgauge.rankings.arrays.curves import Ints

FEW = 1 << 22  # values that are brought to this machine at once


class InBlocks(NamedTuple):
    """Scores in blocks that Spark has."""

    spark: Any
    blocks: Any
    without: frozenset[bytes] = frozenset()  # topics that are left out

    def frame(self, columns: Mapping[str, str] = SCORES) -> Any:
        """The scores as a DataFrame."""
        without, names = self.without, [*columns]

        def read(batches: Any) -> Any:
            for scores in blocks.read(data for batch in batches for data in batch.column(0).to_pylist()):
                yield _without(scores.select(names), without)

        return blocks.scores_in(self.spark, self.blocks).mapInArrow(read, schema(columns))

    def table(self) -> pa.Table:
        """The scores on this machine."""
        import pyarrow as pa

        found = blocks.read(block.data for block in blocks.collected(self.blocks, "scores"))
        return pa.Table.from_batches(_without(scores, self.without) for scores in found)


def _without(scores: pa.RecordBatch, topics: frozenset[bytes]) -> pa.RecordBatch:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not topics:
        return scores
    return scores.filter(pc.invert(pc.is_in(scores["topic"], pa.array(topics, pa.binary()))))


class OnThisMachine(NamedTuple):
    """Scores in memory."""

    spark: Any
    scores: pa.Table

    def frame(self) -> Any:
        """The scores as a DataFrame."""
        return self.spark.createDataFrame(self.scores.select([*SCORES]))

    def table(self) -> pa.Table:
        """The scores."""
        return self.scores


class Scored(NamedTuple):
    """The scores of pairs, with the columns `SCORES`."""

    parts: tuple[InBlocks | OnThisMachine, ...]
    counts: Mapping[bytes, Ints]  # of each run
    held: tuple[Any, ...] = ()  # what Spark keeps of them

    @property
    def frame(self) -> Any:
        """The scores as a DataFrame."""
        return reduce(lambda one, other: one.unionByName(other), (part.frame() for part in self.parts))

    def tables(self) -> list[pa.Table]:
        """The scores on this machine."""
        return [part.table() for part in self.parts]

    @property
    def is_near(self) -> bool:
        """Whether all scores are on this machine."""
        return all(isinstance(part, OnThisMachine) for part in self.parts)

    def near(self, spark: Any, width: int) -> Scored:
        """The scores on this machine, if they are few; a pair has as many values as this."""
        if sum(map(pairs_of, self.counts.values())) * width > FEW:
            return self
        near = tuple(OnThisMachine(spark, table) for table in self.tables())
        self.unpersist()
        return Scored(near, self.counts)

    def plus(self, other: Scored) -> Scored:
        """These scores and those of other pairs."""
        counts = dict(self.counts)
        for run, numbers in other.counts.items():
            counts[run] = counts[run] + numbers if run in counts else numbers
        return Scored((*self.parts, *other.parts), counts, (*self.held, *other.held))

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


def computed(spark: Any, found: Any) -> Scored:
    """The scores in these blocks. This runs the job; problems reported by workers are raised as errors."""
    held = blocks.kept(found)
    scored = Scored((InBlocks(spark, held),), {}, (held,))
    with scored.freed_on_error():
        return scored._replace(counts=counts_of_runs(held))
