"""Scores that Spark has computed: in blocks, or, if they are few, on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

from rankgauge.engines.spark import blocks
from rankgauge.engines.spark.blocks import schema
from rankgauge.engines.spark.counts import counts_of_runs, pairs_of
from rankgauge.engines.spark.library import unpersist
from rankgauge.engines.spark.worker import SCORES

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from rankgauge.measures.rankings.arrays.curves import Ints

FEW = 1 << 22  # values that are brought to this machine at once
IDS = 8  # values that take as many bytes as the ids and counts of a pair


class InBlocks(NamedTuple):
    """Scores in blocks that Spark has."""

    spark: Any
    blocks: Any

    def frame(self) -> Any:
        """The scores as a DataFrame."""
        names = [*SCORES]

        def read(batches: Any) -> Any:
            data = (data for batch in batches for data in batch.column(0).to_pylist())
            return (scores.select(names) for scores in blocks.read(data))

        return blocks.scores_in(self.spark, self.blocks).mapInArrow(read, schema(SCORES))

    def table(self) -> pa.Table:
        """The scores on this machine."""
        import pyarrow as pa

        found = blocks.read(block.data for block in blocks.collected(self.blocks, "scores"))
        return pa.Table.from_batches(found)


class OnThisMachine(NamedTuple):
    """Scores in memory."""

    spark: Any
    scores: pa.Table

    def frame(self) -> Any:
        """The scores as a DataFrame."""
        scores = self.scores.select([*SCORES])
        return self.spark.createDataFrame(scores if len(scores) else scores.schema.empty_table())

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
        return [part.table() for part in self.parts] if self.counts else []  # else no schema

    @property
    def is_near(self) -> bool:
        """Whether all scores are on this machine."""
        return all(isinstance(part, OnThisMachine) for part in self.parts)

    def near(self, spark: Any, width: int) -> Scored:
        """The scores on this machine, if they are few; a pair has as many values as this."""
        if sum(map(pairs_of, self.counts.values())) * (width + IDS) > FEW:
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
