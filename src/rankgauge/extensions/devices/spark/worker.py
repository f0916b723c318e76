"""The worker: from rows of whole topics to values, by the code of one machine.

A run's ranking of a topic is a *pair*. All pairs of a partition go through one join, each as a topic of its
own with a copy of its topic's judgments, so that no Python function is called per topic.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from rankgauge import core
from rankgauge.core.ids import Ids, to_bytes
from rankgauge.engines.assembly import assemble, blocks, gather_retrieved
from rankgauge.engines.kernel import empty_values, measure_rankings
from rankgauge.engines.local.topic_batches import as_array, whole_topics
from rankgauge.engines.requirements import NO_TIES, tie_visibility
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.errors import InputError, RankgaugeError
from rankgauge.extensions.devices.spark.result import Block, block_of, counts_of_pairs, problem_block
from rankgauge.extensions.devices.spark.rows import (
    JUDGMENT,
    PLACEHOLDER,
    RESULT,
    Rows,
    batch_with_binary_ids,
    judgments_of,
    numbered,
)
from rankgauge.formats import problems
from rankgauge.measures import MEASURES, Measure, parse
from rankgauge.measures.rankings.array_types import picked
from rankgauge.measures.rankings.arrays import BLOCK, Pool
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.measures.spec import Spec
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import DocumentOrder, TopicRules

WIDTH = 8  # bytes of a pair's name


@dataclass(frozen=True)
class Job:
    """All that a worker needs, pickled and sent there."""

    name: str  # unique, so that a worker can keep the prepared judgments of a job
    measures: tuple[Measure, ...]
    order: DocumentOrder
    lowest_grade: float  # the lowest grade that any measure distinguishes from unjudged
    detail: bool
    levels: Floats  # the distinct grades of all judgments, ascending
    longest: int  # length of the longest list evaluated, if a measure needs it
    run: str  # name of the run if there is no column of runs
    qrels: Qrels | None  # None: judgments are in the same partitions as the rows
    rules: TopicRules
    cutoffs: tuple[int, ...] = ()  # above which unjudged documents are counted

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The scores of every pair of a partition in blocks, as rows of a DataFrame."""
        try:
            with closing(whole_topics(map(batch_with_binary_ids, batches), "topic")) as tables:
                for table in tables:
                    yield from (block.batch() for block in self.score(table))
        except RankgaugeError as error:
            yield problem_block(error).batch()

    def score(self, table: pa.Table) -> Iterator[Block]:
        """The scores of every pair in these rows, which are all it has, and the counts of runs."""
        rows = Rows(table)
        judgments = self._judgments(rows)
        pairs = _Pairs(rows.select(RESULT, PLACEHOLDER), judgments, self.run)
        if not len(pairs):
            return
        retrieved = pairs.retrieve(rows.select(RESULT), self)
        counts: dict[int, Ints] = {}  # of each run
        for first in range(0, len(pairs), BLOCK):
            yield self._scores(pairs, retrieved, first, min(first + BLOCK, len(pairs)), counts)
        yield _block("counts", run=pairs.runs.take(np.array([*counts])), counts=np.array([*counts.values()]))

    def _judgments(self, rows: Rows) -> _Judgments:
        """The judgments sent with the job, prepared once per process, or those among the rows."""
        if self.qrels is None:
            return _Judgments(judgments_of(rows.select(JUDGMENT), self.order.duplicates), self)
        ready = _READY.get(self.name)
        if ready is None:
            _READY.clear()
            ready = _READY[self.name] = _Judgments(self.qrels, self)
        return ready  # on the driver, another thread may have cleared the dict meanwhile

    def _scores(
        self,
        pairs: _Pairs,
        retrieved: RetrievedJudgments,
        first: int,
        last: int,
        counts: dict[int, Ints],
    ) -> Block:
        """The scores of these pairs, whose counts are added to those of their runs."""
        values = empty_values(self.measures, last - first)
        for begin, end, pool in pairs.pools(first, last):
            rankings = assemble(
                [retrieved], begin, end, pairs.grades, pool, self.longest, pairs.numbers_in_topics
            )
            for all_, some in zip(values, measure_rankings(self.measures, rankings, self.order), strict=True):
                all_[:, begin - first : end - first] = some
        run, judged = pairs.run[first:last], pairs.is_judged[first:last]
        counted = counts_of_pairs(
            retrieved, values, first, judged, pairs.rows[first:last], self.rules, self.cutoffs
        )
        for number, of_run in zip(*_sums(run, counted), strict=True):
            counts[number] = counts.get(number, 0) + of_run
        columns = {
            "run": pairs.runs.take(run),
            "topic": pairs.topics.take(pairs.topic[first:last]),
            "judged": judged,
            "retrieved": retrieved.retrieved[first:last],
            "values": values.values.T,
            "weights": values.weights.T,
        }
        return _block("scores", **columns)


def _sums(keys: Ints, rows: Ints) -> tuple[list[int], Ints]:
    order = np.argsort(keys, kind="stable")
    distinct, firsts = np.unique(keys[order], return_index=True)
    return distinct.tolist(), np.add.reduceat(rows[order], firsts, axis=0)


_READY: dict[str, _Judgments] = {}  # by job; those of the latest alone


def forget() -> None:
    """Free prepared judgments, if the job ran in this process."""
    _READY.clear()


def _block(kind: str, **columns: Any) -> Block:
    return block_of(kind, pa.RecordBatch.from_pydict({name: _array(each) for name, each in columns.items()}))


def _array(column: Any) -> pa.Array:
    if isinstance(column, Ids):
        return as_array(column)
    if column.ndim == 1:
        return pa.array(column)
    offsets = np.arange(len(column) + 1, dtype=np.int32) * column.shape[1]
    return pa.ListArray.from_arrays(offsets, pa.array(np.ascontiguousarray(column).ravel()))


class _Judgments:
    def __init__(self, qrels: Qrels | None, job: Job) -> None:
        self.kinds, self.visible = np.empty(0), NO_TIES
        self.numbers: dict[bytes, int] = {}
        self.docs, self.pool = Ids.of([]), Pool(np.empty(0), np.zeros(1, dtype=np.int64), job.levels)
        if qrels is not None:
            self.numbers = {to_bytes(topic): number for number, topic in enumerate(qrels.sorted_topics)}
            kept = np.flatnonzero(qrels.sorted_grades >= job.lowest_grade)
            self.docs, self.kinds = qrels.sorted_docs.take(kept), qrels.sorted_kinds[kept]
            self.visible = tie_visibility(job.measures, *qrels.kinds)
            ((_, _, self.pool),) = blocks(qrels, job.lowest_grade, len(qrels) + 1)  # one block
            self.pool.levels = job.levels


class _Pairs:
    """The pairs in some rows, those of judged topics first."""

    def __init__(self, rows: Rows, judgments: _Judgments, name: str) -> None:
        topic, self.topics = rows.numbered_ids("topic")
        run, self.runs = rows.runs(name)
        self._judgments = judgments
        place = np.array([judgments.numbers.get(t, -1) for t in self.topics], dtype=np.int64)
        # Topics without judgments come last; a pair is a cell in the table of topics and runs.
        by_place = np.argsort(place < 0, kind="stable")
        moved = np.empty_like(by_place)
        moved[by_place] = np.arange(len(by_place))
        row = topic if (place >= 0).all() else moved[topic]
        if len(self.runs) < 2:
            self.topic, self.run, self._number = by_place, np.zeros_like(by_place), row
        else:
            width = len(self.runs)
            cell = row.astype(np.int64) * width + run
            present, self._number = numbered(cell, len(self.topics) * width)
            self.topic, self.run = by_place[present // width], present % width
        self._place = place[self.topic]
        self.is_judged = self._place >= 0
        self._results = rows.are(RESULT)
        self._starts, self._places = picked(judgments.pool.starts, self._place[self.is_judged])
        self.grades = judgments.pool.grades[self._places]
        self.numbers_in_topics = None
        if judgments.pool.subtopics is not None:
            first = np.repeat(self._starts[:-1], np.diff(self._starts))
            self.numbers_in_topics = np.arange(len(self._places)) - first

    def __len__(self) -> int:
        return len(self.topic)

    def retrieve(self, rows: Rows, job: Job) -> RetrievedJudgments:
        """The retrieved judgments of all pairs, as if they were the topics of one run."""
        number = self._number if self._results.all() else self._number[self._results]
        self.rows = np.bincount(number, minlength=len(self))
        names = np.arange(len(self), dtype=">u8").tobytes()
        ends = np.arange(len(self) + 1, dtype=np.int64) * WIDTH
        docs = self._judgments.docs.take(self._places)
        starts = np.append(self._starts, np.full(len(self) - len(self._starts) + 1, self._starts[-1]))
        kinds = self._judgments.kinds[self._places]
        table = core.Judgments(names, ends, starts, docs.data, docs.offsets, kinds, -math.inf)
        rules = *job.order.core_rules(), job.order.run_duplicates
        spread = np.count_nonzero(np.diff(number)) >= np.count_nonzero(self.rows)  # not pair after pair
        join = core.Join(table, *rules, bool(spread), job.detail, self._judgments.visible.for_core())
        for part, some in rows.batches():
            columns = (*some.ids("doc").buffers(), some.scores(), some.ranks(job.order))
            if join.columns(names, ends, number[part], *columns):
                break
        result = join.finish()
        if isinstance(result, tuple):
            raise self._duplicate(result[2])
        retrieved = gather_retrieved([result], len(self))
        assert retrieved is not None
        return retrieved

    def _duplicate(self, found: bytes) -> InputError:
        """The error for a repeated document, given the pair's name, a NUL byte and the document."""
        pair, doc = int.from_bytes(found[:WIDTH], "big"), found[WIDTH + 1 :]
        run, topic = self.runs[int(self.run[pair])], self.topics[int(self.topic[pair])]
        return InputError(f"run {problems.quote(run)}: {problems.twice(topic, doc)}")

    def pools(self, first: int, last: int) -> Iterator[tuple[int, int, Pool]]:
        """(begin, end, pool) of the judged pairs among these, about one block of judgments each."""
        last = min(last, len(self._starts) - 1)
        while first < last:
            near = int(np.searchsorted(self._starts, self._starts[first] + BLOCK, side="right")) - 1
            end = min(last, max(first + 1, near))
            yield first, end, self._judgments.pool.of_topics(self._place[first:end])
            first = end


class SentMeasures(tuple[Measure, ...]):
    """Measures pickled by their text, and with definitions that workers cannot import."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by reference: Spark would pickle functions of a notebook as a whole."""
        return _received, (_definitions(self), tuple(map(str, self)))


def _definitions(measures: tuple[Measure, ...]) -> tuple[Spec, ...]:
    found = {}
    for measure in measures:
        part: Any = measure
        while part is not None:
            if part.spec.function.__module__ == "__main__":
                found[part.spec.name] = part.spec
            part = part.inner
    return tuple(found.values())


def _received(definitions: tuple[Spec, ...], texts: tuple[str, ...]) -> SentMeasures:
    """The measures, on a worker; definitions of an earlier job are replaced."""
    for spec in definitions:
        earlier = MEASURES.get_loaded(spec.name)
        if earlier is not None and earlier.function.__module__ == "__main__":
            MEASURES.remove(spec.name)  # of another notebook, perhaps, whose function has another name
        MEASURES.add(spec.name, spec, spec.function)
    return SentMeasures(map(parse, texts))
