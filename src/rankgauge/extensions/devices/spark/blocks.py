"""Blocks, which tasks return: Spark handles each as one value, much faster than row by row.

They are in an RDD where tasks read files, else in a DataFrame with the columns `SCHEMA`, and hold scores of
pairs of a run and a topic, and counts of each run, which the driver adds up. Counts are, in this order:
`FIELDS` and the number of hits; for each measure, topics where it is undefined, topics with random orders,
and topics above the ideal; unjudged documents by cutoff.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from rankgauge import errors
from rankgauge.core.ids import to_bytes, to_text
from rankgauge.engines import facts
from rankgauge.engines.kernel import RankingValues
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.errors import InputError, RankgaugeError
from rankgauge.extensions.devices.spark.library import failures, functions, is_frame, persisted
from rankgauge.measures import Measure
from rankgauge.measures.rankings.arrays.curves import Bools, Ints
from rankgauge.model.provenance import RunFacts
from rankgauge.model.rules import TopicRules

SCHEMA = "kind string, data binary"


class Block(NamedTuple):
    """The result of a task."""

    kind: str  # rows to be moved; scores of pairs; counts of runs; facts, hashes; or a problem
    data: bytes  # an Arrow stream, for rows, scores and counts
    target: int = 0  # the task to which rows are moved

    def batch(self) -> pa.RecordBatch:
        """The block as a row of a DataFrame."""
        return pa.RecordBatch.from_arrays([pa.array([self.kind]), pa.array([self.data])], ["kind", "data"])


def block_of(kind: str, batch: pa.RecordBatch, target: int | None = None) -> Block:
    """The block of a batch; without a target, any will do."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    data: bytes = sink.getvalue().to_pybytes()
    return Block(kind, data, len(data) if target is None else target)


def problem_block(error: RankgaugeError) -> Block:
    """The block of an error, which the driver raises: Spark would retry the task."""
    return Block("problem", to_bytes(f"{type(error).__name__}: {error}"))


def read(blocks: Iterable[Block], kind: str) -> Iterator[pa.RecordBatch]:
    """The batches in the blocks of a kind."""
    for block in blocks:
        if block.kind == kind:
            yield from pa.ipc.open_stream(block.data)


def kept(blocks: Any) -> Any:
    """The blocks, kept by Spark once computed, if the session allows it."""
    if is_frame(blocks):
        return persisted(blocks)
    from pyspark import StorageLevel

    return blocks.persist(StorageLevel.MEMORY_AND_DISK)


def collected(blocks: Any, kind: str) -> list[Block]:
    """The blocks of this kind, by running the job unless it ran; a reported problem is raised."""
    kinds = (kind, "problem")
    with failures():
        if is_frame(blocks):
            rows = blocks.where(functions().col("kind").isin(*kinds)).collect()
            found = [Block(row["kind"], bytes(row["data"])) for row in rows]
        else:
            found = blocks.filter(lambda block: block.kind in kinds).collect()
    raise_problems(found)
    return found


def raise_problems(blocks: Iterable[Block]) -> None:
    """Raise the reported error whose text comes first."""
    problems = [to_text(block.data) for block in blocks if block.kind == "problem"]
    if problems:
        name, _, message = min(problems).partition(": ")
        kind = getattr(errors, name, InputError)
        raise kind(message) if issubclass(kind, RankgaugeError) else InputError(message)


def scores_in(spark: Any, blocks: Any) -> Any:
    """A DataFrame of the data of blocks with scores."""
    if is_frame(blocks):
        return blocks.where("kind = 'scores'").select("data")
    data = blocks.filter(lambda block: block.kind == "scores").map(lambda block: (block.data,))
    return spark.createDataFrame(data, "data binary")


def schema(columns: Mapping[str, str]) -> str:
    """Names and types of columns, in Spark's form."""
    return ", ".join(f"{name} {kind}" for name, kind in columns.items())


FIELDS = (
    "topics",
    "retrieved",
    "missing",
    "unjudged_topics",
    "tied_topics",
    "tied_documents",
    "decisive_ties",
    "duplicates_dropped",
)  # of `RunFacts`
HITS = len(FIELDS)  # the place of the number of hits
PAIRS = [FIELDS.index(name) for name in ("topics", "missing", "unjudged_topics")]  # a pair is one of these


def counts_of_pairs(
    retrieved: RetrievedJudgments,
    values: RankingValues,
    first: int,
    judged: Bools,
    rows: Ints,
    rules: TopicRules,
    cutoffs: Sequence[int],
) -> Ints:
    """(pairs, counts) of consecutive pairs with these values and numbers of rows."""
    last = first + len(judged)
    documents, tied = retrieved.retrieved[first:last], retrieved.tied[first:last]
    hits = retrieved.within(first, last)
    starts = retrieved.starts[first : last + 1] - hits.start
    above = [np.concatenate(([0], np.cumsum(retrieved.rank[hits] <= k))) for k in cutoffs]
    columns = [
        judged & (documents > 0),
        np.where(judged, documents, 0),
        judged & (documents == 0),
        ~judged,
        tied > 0,
        tied,
        retrieved.decisive[first:last],
        rows - documents,
        np.diff(starts),
        *(judged & rules.counts(documents) & np.isnan(values.values)),
        *values.random,
        *values.above,
        *(
            np.where(judged, np.minimum(documents, k) - np.diff(n[starts]), 0)
            for k, n in zip(cutoffs, above, strict=True)
        ),
    ]
    counts: Ints = np.array(columns, dtype=np.int64).T
    return counts


def counts_in(blocks: Iterable[Block]) -> dict[bytes, Ints]:
    """The summed counts of each run."""
    total: dict[bytes, Ints] = {}
    for row in (row for batch in read(blocks, "counts") for row in batch.to_pylist()):
        run, counts = row["run"], np.array(row["counts"], dtype=np.int64)
        total[run] = total[run] + counts if run in total else counts
    return total


def facts_of_runs(
    counts: Mapping[bytes, Ints],
    measures: Sequence[Measure],
    cutoffs: Sequence[int],
    sources: Mapping[str, str],
) -> dict[bytes, RunFacts]:
    """The facts of each run from its counts."""
    found, width = {}, len(measures)
    for run, numbers in counts.items():
        fields, hits, *more = np.split(numbers, [HITS, HITS + 1, *(HITS + 1 + n * width for n in (1, 2, 3))])
        undefined, random, above, unjudged = (some.tolist() for some in more)
        found[run] = RunFacts(
            source=sources.get(to_text(run), "DataFrame"),
            none_relevant=not hits.any(),
            undefined=facts.by_measure(measures, undefined),
            unjudged=dict(zip(map(str, cutoffs), unjudged, strict=True)),
            **facts.value_facts(measures, random, above),
            **dict(zip(FIELDS, fields.tolist(), strict=True)),
        )
    return found
