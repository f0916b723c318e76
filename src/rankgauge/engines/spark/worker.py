"""What a worker does: rows of whole topics to values, by the very code that does it on one machine.

A run's ranking of a topic is a *pair*. All pairs of a partition go through one join: it takes each for a
topic of its own, with a copy of its topic's judgments. So nothing in here is called for each topic, and
a partition may hold any mixture of runs and topics, in any order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge import core, errors
from rankgauge.core.ids import Ids, to_bytes
from rankgauge.engines.assembly import assemble, gather_retrieved
from rankgauge.engines.judgments import blocks
from rankgauge.engines.kernel import empty_values, measure_rankings
from rankgauge.engines.local.topic_batches import as_array, whole_topics
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.engines.spark.rows import JUDGMENT, NOTHING, RESULT
from rankgauge.engines.spark.tables import Rows, judgments_of
from rankgauge.errors import InputError, RankgaugeError
from rankgauge.formats import problems
from rankgauge.measures import Measure
from rankgauge.model.document_order import DocumentOrder
from rankgauge.model.qrels import Qrels
from rankgauge.rankings.arrays import BLOCK, Pool
from rankgauge.rankings.arrays.curves import Floats, Ints
from rankgauge.rankings.arrays.groups import picked

if TYPE_CHECKING:
    import pyarrow as pa

# What comes back: a row for each pair, or for an error. Spark has the types by these names, Arrow by others.
COLUMNS = {
    **dict.fromkeys(("run", "topic"), "binary"),
    "judged": "boolean",
    **dict.fromkeys(("retrieved", "tied", "decisive", "dropped"), "bigint"),
    **dict.fromkeys(("values", "weights"), "array<double>"),
    **dict.fromkeys(("drawn", "above"), "array<boolean>"),
    "unjudged": "array<bigint>",
    "problem": "string",
}
SCORED = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
ARROW = {"bigint": "int64", "boolean": "bool"}
WIDTH = 8  # bytes of a pair's name


@dataclass(frozen=True)
class Constants:
    """What values depend on beside their own topic: made once, and sent along with the job."""

    levels: Floats  # the distinct grades of the whole collection, ascending
    longest: int = 0  # how long the longest list is of all that are evaluated, if a measure asks


@dataclass(frozen=True)
class Job:
    """All that a worker has to know: it travels there whole."""

    name: str  # by which a worker knows whether it has seen it before
    measures: tuple[Measure, ...]
    order: DocumentOrder
    lowest_grade: float  # the lowest grade that any measure distinguishes from unjudged
    detail: bool
    constants: Constants
    run: str  # what the run is called if there is but one, and no column for it
    qrels: Qrels | None  # None: judgments come in the same partitions as the rows
    cutoffs: tuple[int, ...] = ()  # above which unjudged documents are counted

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Values for every pair of a partition; what goes wrong is told as a row, too."""
        try:
            with closing(whole_topics(batches, "topic")) as tables:
                for table in tables:
                    yield from self._scored(table)
        except RankgaugeError as error:
            yield _trouble(error)

    def _scored(self, table: pa.Table) -> Iterator[pa.RecordBatch]:
        rows = Rows(table)
        judgments = self._prepared() if self.qrels is not None else self._judgments(rows)
        pairs = _Pairs(rows.select(RESULT, NOTHING), judgments, self.run)
        if not len(pairs):
            return
        hits = pairs.hits(rows.select(RESULT), self)
        for first in range(0, len(pairs), BLOCK):
            yield self._batch(pairs, hits, first, min(first + BLOCK, len(pairs)))

    def _prepared(self) -> _Judgments:
        """The judgments that came with the job, made ready once in this process."""
        if self.name not in _READY:
            _READY.clear()
            assert self.qrels is not None
            _READY[self.name] = _Judgments(self.qrels, self.lowest_grade, self.constants.levels)
        return _READY[self.name]

    def _judgments(self, rows: Rows) -> _Judgments:
        qrels = judgments_of(rows.select(JUDGMENT), self.order.duplicates)
        return _Judgments(qrels, self.lowest_grade, self.constants.levels)

    def _batch(self, pairs: _Pairs, hits: RetrievedJudgments, first: int, last: int) -> pa.RecordBatch:
        """A row for each of these pairs."""
        import pyarrow as pa

        count = last - first
        found = empty_values(self.measures, count)
        for begin, end, pool in pairs.pools(first, last):
            rankings = assemble(
                [hits], begin, end, pairs.grades, pool, self.constants.longest, pairs.numbers_in_topics
            )
            for all_, some in zip(found, measure_rankings(self.measures, rankings, self.order), strict=True):
                all_[:, begin - first : end - first] = some
        retrieved = hits.retrieved[first:last]
        within = hits.within(first, last)
        starts = hits.starts[first : last + 1] - within.start
        shallow = [np.concatenate(([0], np.cumsum(hits.rank[within] <= k))) for k in self.cutoffs]
        unjudged = [
            np.minimum(retrieved, k) - np.diff(n[starts]) for k, n in zip(self.cutoffs, shallow, strict=True)
        ]
        told = {
            "run": pairs.runs.take(pairs.run[first:last]),
            "topic": pairs.topics.take(pairs.topic[first:last]),
            "judged": pairs.is_judged[first:last],
            "retrieved": retrieved,
            "tied": hits.tied[first:last],
            "decisive": hits.decisive[first:last],
            "dropped": pairs.rows[first:last] - retrieved,
            **{name: by_measure.T for name, by_measure in found._asdict().items()},
            "unjudged": np.array(unjudged, dtype=np.int64).reshape(len(self.cutoffs), count).T,
        }
        arrays = {name: _array(column) for name, column in told.items()}
        return pa.RecordBatch.from_pydict({**arrays, "problem": pa.nulls(count, pa.string())})


_READY: dict[str, _Judgments] = {}  # of the last job that this process had to do with


def _array(column: Any) -> pa.Array:
    """Ids, numbers, or a list of numbers in each row, as Arrow has them."""
    import pyarrow as pa

    if isinstance(column, Ids):
        return as_array(column)
    if column.ndim == 1:
        return pa.array(column)
    offsets = np.arange(len(column) + 1, dtype=np.int32) * column.shape[1]
    return pa.ListArray.from_arrays(offsets, pa.array(np.ascontiguousarray(column).ravel()))


def _trouble(error: RankgaugeError) -> pa.RecordBatch:
    """An error as a row: it is the driver that tells it, and no task is tried again for it."""
    import pyarrow as pa

    def nothing(kind: str) -> pa.Array:
        inner = kind.removeprefix("array<").removesuffix(">")
        plain = pa.type_for_alias(ARROW.get(inner, inner))
        return pa.nulls(1, plain if inner == kind else pa.list_(plain))

    said = pa.array([problem(error)], pa.string())
    return pa.RecordBatch.from_pydict({n: nothing(kind) for n, kind in COLUMNS.items()} | {"problem": said})


def problem(error: RankgaugeError) -> str:
    """An error as text, for `told`."""
    return f"{type(error).__name__}: {error}"


def told(problem: str) -> RankgaugeError:
    """The error that a worker told of."""
    kind, _, message = problem.partition(": ")
    found = getattr(errors, kind, InputError)
    return found(message) if issubclass(found, RankgaugeError) else InputError(message)


class _Judgments:
    """Judgments, ready for pairs to be made of their topics."""

    def __init__(self, qrels: Qrels | None, least: float, levels: Floats) -> None:
        self.numbers: dict[bytes, int] = {}
        self.docs, self.pool = Ids.of([]), Pool(np.empty(0), np.zeros(1, dtype=np.int64), levels)
        if qrels is not None:
            self.numbers = {to_bytes(topic): number for number, topic in enumerate(qrels.sorted_topics)}
            self.docs = qrels.sorted_docs.take(np.flatnonzero(qrels.sorted_grades >= least))
            ((_, _, self.pool),) = blocks(qrels, least, len(qrels) + 1)  # all in one
            self.pool.levels = levels


class _Pairs:
    """The pairs of a run and a topic that some rows have, judged ones first."""

    def __init__(self, rows: Rows, judgments: _Judgments, name: str) -> None:
        topic, self.topics = rows.ids("topic").encode()
        run, self.runs = rows.runs(name)
        self._judgments = judgments
        place = np.array([judgments.numbers.get(t, -1) for t in self.topics], dtype=np.int64)
        # Topics without judgments go last; then a pair is a place in a table of topics and runs.
        by_place = np.argsort(place < 0, kind="stable")
        moved = np.empty_like(by_place)
        moved[by_place] = np.arange(len(by_place))
        width = max(1, len(self.runs))
        present, self._number = _numbered(moved[topic] * width + run, len(self.topics) * width)
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

    def hits(self, rows: Rows, job: Job) -> RetrievedJudgments:
        """The hits of all pairs, as if they were the topics of one run."""
        number = self._number[self._results]
        self.rows = np.bincount(number, minlength=len(self))
        names = np.arange(len(self), dtype=">u8").tobytes()
        ends = np.arange(len(self) + 1, dtype=np.int64) * WIDTH
        docs = self._judgments.docs.take(self._places)
        starts = np.append(self._starts, np.full(len(self) - len(self._starts) + 1, self._starts[-1]))
        table = core.Judgments(names, ends, starts, docs.data, docs.offsets, self.grades, job.lowest_grade)
        rules = *job.order.core_rules(), job.order.duplicates
        join, given = core.Join(table, *rules, True, job.detail), rows.ids("doc")
        join.columns(names, ends, number, given.data, given.offsets, rows.scores(), rows.ranks(job.order))
        found = join.finish()
        if isinstance(found, tuple):
            raise self._twice(*found)
        hits = gather_retrieved([found], len(self))
        assert hits is not None
        return hits

    def _twice(self, code: int, _line: int, found: bytes) -> InputError:
        pair = int.from_bytes(found[:WIDTH], "big")
        topic = self.topics[int(self.topic[pair])]
        sentence = problems.sentence(code, topic + b"\0" + found[WIDTH + 1 :], "run")
        return InputError(f"run {problems.quote(self.runs[int(self.run[pair])])}: {sentence}")

    def pools(self, first: int, last: int) -> Iterator[tuple[int, int, Pool]]:
        """(begin, end, pool) of the judged ones among these pairs, about a block of judgments each."""
        last = min(last, len(self._starts) - 1)
        while first < last:
            near = int(np.searchsorted(self._starts, self._starts[first] + BLOCK, side="right")) - 1
            end = min(last, max(first + 1, near))
            yield first, end, self._judgments.pool.of_topics(self._place[first:end])
            first = end


def _numbered(keys: Ints, size: int) -> tuple[Ints, Ints]:
    """(the distinct keys, ascending; the number of each among them); keys are below `size`."""
    if size > 8 * len(keys) + 1024:
        present, number = np.unique(keys, return_inverse=True)
        return present, number.astype(np.int64)
    there = np.zeros(size, dtype=bool)
    there[keys] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[keys]
