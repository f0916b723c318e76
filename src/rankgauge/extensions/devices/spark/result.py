"""Blocks, which tasks return, and the result made of them: a frame of values, their means, or `Scores`.

Spark handles a block as one value, much faster than row by row. Blocks are in an RDD where tasks read files,
else in a DataFrame with the columns `SCHEMA`. Counts of a run are: `FIELDS`; hits; topics by measure where it
is undefined, in random order, above the ideal; unjudged documents by cutoff.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rankgauge import errors
from rankgauge.core.ids import to_bytes, to_text
from rankgauge.engines import facts
from rankgauge.engines.kernel import RankingValues
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.errors import InputError, RankgaugeError
from rankgauge.extensions.devices.spark.library import failures, functions, is_frame, persisted, unpersist
from rankgauge.measures import Measure
from rankgauge.measures.rankings.arrays.curves import Bools, Ints
from rankgauge.model import notes
from rankgauge.model.provenance import Provenance, RunFacts
from rankgauge.model.rules import TopicRules
from rankgauge.model.scores import Scores

SCHEMA = "kind string, data binary"
FEW = 1 << 22  # values that are brought to this machine at once
IDS = 8  # values that take as many bytes as the ids and counts of a pair
MEANS = "run string, measure string, value double"
# The columns of scores, with types as Spark calls them.
SCORES = {
    **dict.fromkeys(("run", "topic"), "binary"),
    "judged": "boolean",
    "retrieved": "bigint",
    **dict.fromkeys(("values", "weights"), "array<double>"),
}


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


class Scored(NamedTuple):
    """Computed scores of pairs: in blocks or, if few, on this machine."""

    spark: Any
    counts: Mapping[bytes, Ints]  # of each run
    blocks: tuple[Any, ...] = ()  # that Spark keeps
    tables: tuple[pa.Table, ...] = ()  # on this machine

    @property
    def frame(self) -> Any:
        """The scores as a DataFrame with the columns `SCORES`."""
        names = [*SCORES]

        def read_scores(batches: Any) -> Any:
            streams = (Block("scores", data) for batch in batches for data in batch.column(0).to_pylist())
            return (scores.select(names) for scores in read(streams, "scores"))

        frames = [scores_in(self.spark, some).mapInArrow(read_scores, schema(SCORES)) for some in self.blocks]
        for table in self.tables:
            scores = table.select(names)
            frames.append(self.spark.createDataFrame(scores if len(scores) else scores.schema.empty_table()))
        return reduce(lambda one, other: one.unionByName(other), frames)

    def collected(self) -> list[pa.Table]:
        """The scores on this machine."""
        found = [pa.Table.from_batches(read(collected(some, "scores"), "scores")) for some in self.blocks]
        return [*found, *self.tables]

    def near(self, width: int) -> Scored:
        """The scores on this machine, if few; a pair has as many values as this."""
        pairs = sum(int(counts[PAIRS].sum()) for counts in self.counts.values())
        if pairs * (width + IDS) > FEW:
            return self
        near = Scored(self.spark, self.counts, tables=tuple(self.collected()))
        self.unpersist()
        return near

    def plus(self, other: Scored) -> Scored:
        """These scores and those of other pairs."""
        counts = dict(self.counts)
        for run, numbers in other.counts.items():
            counts[run] = counts[run] + numbers if run in counts else numbers
        return Scored(self.spark, counts, self.blocks + other.blocks, self.tables + other.tables)

    def unpersist(self) -> None:
        """Free what Spark keeps."""
        unpersist(*self.blocks)

    @contextmanager
    def freed_on_error(self) -> Iterator[None]:
        """Free the scores if an error is raised meanwhile."""
        try:
            yield
        except BaseException:
            self.unpersist()
            raise


def computed(spark: Any, found: Any) -> Scored:
    """The scores in these blocks, by running the job; reported problems are raised."""
    scored = Scored(spark, {}, (kept(found),))
    with scored.freed_on_error():
        return scored._replace(counts=counts_in(collected(scored.blocks[0], "counts")))


class Evaluation:
    """Scores on Spark.

    `frame` is a DataFrame of run, topic, measure and value, NaN where a measure is undefined. The evaluation
    itself has the methods of that DataFrame, too (`show`, `where`, `write`, ...).
    """

    def __init__(
        self,
        scored: Scored,
        measures: Sequence[Measure],
        rules: TopicRules,
        provenance: Provenance,
        runs: Mapping[bytes, RunFacts],
    ) -> None:
        self._scored, self._measures, self._rules = scored, measures, rules
        self._provenance, self._runs = provenance, runs

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.frame, name)

    @property
    def frame(self) -> Any:
        """The values: run, topic, measure, value."""
        f = functions()
        names = f.array(*(f.lit(str(measure)) for measure in self._measures))
        each = f.explode(f.arrays_zip(names.alias("measure"), f.col("values").alias("value")))
        return (
            self._counted()
            .select(f.col("run").cast("string"), f.col("topic").cast("string"), each.alias("each"))
            .select("run", "topic", "each.measure", "each.value")
        )

    def _counted(self) -> Any:
        f = functions()
        return self._scored.frame.where(f.col("judged") & self._rules.counts(f.col("retrieved")))

    def mean(self) -> Any:
        """A DataFrame of run, measure and its average over the topics that count.

        The values of a run are gathered in one task and added up exactly, as on one machine.
        """
        measures, rules = self._measures, self._rules

        def means(rows: pa.Table) -> pa.Table:
            weights = iter(_matrix(rows["weights"], sum(m.is_weighed for m in measures)).T)
            averages = [
                rules.average(
                    values.tolist(),
                    measure.average,
                    weights=next(weights).tolist() if measure.is_weighed else (),
                    direction=measure.spec.direction,
                )
                for values, measure in zip(_matrix(rows["values"], len(measures)).T, measures, strict=True)
            ]
            run = pa.array([rows["run"][0].as_py()] * len(measures), pa.binary()).view(pa.string())
            return pa.table({"run": run, "measure": [*map(str, measures)], "value": averages})

        by_run = self._counted().select("run", "values", "weights").groupBy("run")
        with failures():  # few rows, computed at once: a problem is an error here, in our words
            rows = by_run.applyInArrow(means, MEANS).collect()
        return self._scored.spark.createDataFrame([tuple(row) for row in rows], MEANS)

    def scores(self, runs: Sequence[str] | None = None) -> Scores:
        """The scores on this machine, for tables, comparisons and studies; runs by name, or as listed."""
        tables = [table.filter(pc.field("judged")) for table in self._scored.collected()]
        ids, topics = (
            sorted({name for table in tables for name in table[column].unique().to_pylist()})
            for column in ("run", "topic")
        )
        if runs is not None:
            ids = [to_bytes(run) for run in runs]
        measures = self._measures
        weighed = [measure for measure in measures if measure.is_weighed]
        values = np.full((len(ids), len(measures), len(topics)), np.nan)
        weights = np.full((len(weighed), len(ids), len(topics)), np.nan)
        retrieved = np.zeros((len(ids), len(topics)), dtype=np.int64)
        for rows in tables:
            run, topic = (_places(rows[name], known) for name, known in (("run", ids), ("topic", topics)))
            values[run, :, topic] = _matrix(rows["values"], len(measures))
            weights[:, run, topic] = _matrix(rows["weights"], len(weighed)).T
            retrieved[run, topic] = rows["retrieved"].to_numpy()
        return Scores(
            runs=tuple(map(to_text, ids)),
            topics=tuple(map(to_text, topics)),
            measures=tuple(map(str, measures)),
            values=values,
            counted=self._rules.counts(retrieved),
            rules=self._rules,
            provenance=self._provenance._replace(runs={to_text(run): self._runs[run] for run in ids}),
            weights={str(measure): weights[row] for row, measure in enumerate(weighed)},
        )

    @property
    def provenance(self) -> Provenance:
        """The provenance of the scores."""
        return self._provenance._replace(
            runs={to_text(run): run_facts for run, run_facts in sorted(self._runs.items())}
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on what is missing, undefined or tied, and advice on reading the scores."""
        return notes.on_data(self.provenance) + notes.advice(self.provenance)

    def unpersist(self) -> None:
        """Free the values that Spark holds."""
        self._scored.unpersist()


def _places(names: Any, known: list[bytes]) -> Any:
    place = {name: number for number, name in enumerate(known)}
    return np.array([place[name] for name in names.to_pylist()], dtype=np.int64)


def _matrix(lists: Any, width: int) -> Any:
    flat = lists.combine_chunks().flatten().to_numpy() if width else np.empty(0)
    return flat.reshape(len(lists), width)
