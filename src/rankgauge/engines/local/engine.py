"""The local engine: from a run, in a file or in memory, to its retrieved judgments.

A file with errors is read again line by line to report the first of them. Parquet and Arrow files that may be
larger than memory are first read in spans, each by a thread of its own. The first topic of a span may have
begun in the span before: its rows wait, and go to the join of that span as soon as it has read all of its
own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np

from rankgauge import core
from rankgauge.core.ids import Ids
from rankgauge.engines.assembly import gather_retrieved
from rankgauge.engines.local.trec_files import Tick, read_trec, regrouped, row_parts
from rankgauge.engines.programs import Programmed
from rankgauge.engines.requirements import NO_TIES, TieVisibility
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.engines.threads import ahead, in_order, in_threads
from rankgauge.errors import InputError
from rankgauge.formats import problems
from rankgauge.formats.arrow_batches import Batches, Span
from rankgauge.formats.columns import Columns
from rankgauge.formats.source import Source
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.measures.rankings.programs import Program
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import DocumentOrder
from rankgauge.model.run import Run
from rankgauge.schema.text import counted


class Rows(NamedTuple):
    """Rows of a run as the core takes them."""

    topics: Ids
    topic: Ints  # the number of a row's topic among them; of 32 or 64 bits
    docs: Ids
    scores: Floats
    ranks: Ints | None

    @classmethod
    def of(cls, columns: Columns, order: DocumentOrder) -> Rows:
        """The rows of columns, with ranks if the order needs them."""
        topic, topics = columns.topic.entries()
        if order.needs_ranks and not columns.ranks_known():
            raise order.no_ranks()
        return cls(topics, topic, columns.doc, columns.value, columns.rank if order.needs_ranks else None)

    def part(self, rows: slice) -> Rows:
        """A slice of the rows."""
        ranks = None if self.ranks is None else self.ranks[rows]
        return Rows(self.topics, self.topic[rows], self.docs.part(rows), self.scores[rows], ranks)

    def join(self, join: Any) -> Any:
        """Give the rows to a join, which returns a problem or None."""
        columns = (self.topic, *self.docs.buffers(), self.scores, self.ranks)
        return join.columns(*self.topics.buffers(), *columns)


class LocalEngine:
    """Orders the documents of runs and looks them up in the judgments, on this machine.

    Judgments below `lowest_grade` are ignored, which saves work where no measure uses them. Ties and scores
    are returned only with `detail`; ties are counted if `visible` to measures.
    """

    def __init__(
        self,
        qrels: Qrels,
        order: DocumentOrder,
        lowest_grade: float = -math.inf,
        *,
        detail: bool = False,
        visible: TieVisibility = NO_TIES,
    ) -> None:
        self.qrels = qrels
        self.order = order
        self._rules = *order.core_rules(), order.run_duplicates
        self._detail = detail
        self._visible = visible.for_core()
        self._lowest, self._judgments = lowest_grade, qrels.judgments(lowest_grade)
        self.keeps_all = not len(qrels.levels) or float(qrels.levels[0]) >= lowest_grade  # judged documents

    def programmed(self, program: Program, names: Sequence[str]) -> Programmed:
        """A program on these judgments."""
        starts, grades = (
            np.ascontiguousarray(each, dtype=kind)
            for each, kind in ((self.qrels.starts, np.int64), (self.qrels.sorted_grades, np.float64))
        )
        return Programmed(program, names, self._judgments, self.order, starts, grades, self._lowest)

    def retrieve(
        self,
        run: Source | Run | Columns | Batches | Mapping[str, Any],
        threads: int = 1,
        tick: Tick = lambda _: None,
    ) -> RetrievedJudgments:
        """The retrieved judgments of a file, a Run, a frame, or {topic: {document: score}}."""
        if isinstance(run, Source):
            return self._of_file(run, threads, tick)
        if isinstance(run, Batches):
            return self._of_batches(run, threads, tick)
        if isinstance(run, Run):
            self._check_shape(run.shape)
            if self.order.needs_ranks and run.ranks is None:
                raise self.order.no_ranks()
            ranks = run.ranks if self.order.needs_ranks else None
            retrieved = self._of_rows(Rows(run.topics, run.topic, run.docs, run.scores, ranks), threads)
            return retrieved._replace(dropped=retrieved.dropped + run.dropped, assumed=run.assumed)
        if isinstance(run, Columns):
            self._check_shape(run.shape)
            rows = Rows.of(run.checked(), self.order)
            try:
                return self._of_rows(rows, threads)._replace(assumed=run.assumed)
            except InputError:
                Run.from_columns(run, duplicates=self.order.duplicates)  # names the row in its error
                raise
        return self._of_mapping(run) or self.retrieve(Run.from_dict(run), threads)

    def _check_shape(self, shape: tuple[int, int | None] | None) -> None:
        """Refuse an array of scores that does not fit the array of judgments."""
        judged = self.qrels.shape
        if shape is None or judged is None or shape == judged:
            return
        if None not in (shape[1], judged[1]):
            raise InputError(
                f"the scores are an array of {shape[0]} x {shape[1]}, and the judgments one of "
                f"{judged[0]} x {judged[1]}; both need a row per topic and a column per document"
            )
        if shape[0] != judged[0]:
            raise InputError(
                f"the run has {counted(shape[0], 'list')}, and the judgments have {judged[0]}; both need one "
                "for each topic, in the same order; an empty list stands for none"
            )

    def _join(self, collect: bool = False) -> Any:
        return core.Join(self._judgments, *self._rules, collect, self._detail, self._visible)

    def _gather(self, results: list[Any]) -> RetrievedJudgments | None:
        """The retrieved judgments of all parts; None after a problem, or if parts share a topic."""
        if any(isinstance(result, tuple) for result in results):
            return None
        return gather_retrieved(results, len(self.qrels.sorted_topics))

    def _of_mapping(self, results: Mapping[str, Any]) -> RetrievedJudgments | None:
        """The retrieved judgments of a dict; None if it must be converted first."""
        hits = self.hits(results)
        return None if hits is None else self._gather([hits])

    def hits(self, results: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The core's columns of a dict's hits; None if it must be converted first."""
        join = self._join()
        if self.order.needs_ranks or not join.mapping(results):
            return None
        hits: Mapping[str, Any] = join.finish()
        return hits

    def _of_rows(self, rows: Rows, threads: int) -> RetrievedJudgments:
        retrieved = self._gather(self._results(rows, threads))
        if retrieved is None:
            return self._gather_whole(self._results(rows, threads, collect=True))
        return retrieved

    def _gather_whole(self, results: list[Any], path: str | None = None) -> RetrievedJudgments:
        retrieved = self._gather(results)
        if retrieved is None:
            code, _, text = next(result for result in results if isinstance(result, tuple))
            raise InputError(problems.sentence(code, text, "run"), path=path)
        return retrieved

    def _results(self, rows: Rows, threads: int, collect: bool = False) -> list[Any]:
        """The core's result for each part of rows: hits (a dict) or a problem (a tuple)."""

        def read(part: slice) -> Any:
            join = self._join(collect)
            rows.part(part).join(join)
            return join

        joins = in_threads(read, list(row_parts(rows.topic, threads)), threads)
        return regrouped(joins, threads) if collect else [join.finish() for join in joins]

    def _of_batches(self, batches: Batches, threads: int, tick: Tick) -> RetrievedJudgments:
        # Other runs need none of these.
        from rankgauge.engines.local.topic_batches import consecutive, whole_topics

        def results(tables: Iterator[Any], collect: bool) -> Iterator[Any]:
            for table in tables:
                try:
                    rows = batches.columns(table).checked()
                except InputError:
                    batches.check(ranks=self.order.needs_ranks)  # names the file and the row in its error
                    raise
                yield from self._results(Rows.of(rows, self.order), threads, collect)

        parts = self._span_results(batches, 1 if core.NAME == "pure" else threads, tick)
        if parts is None:  # there is an error to be found, in the order of the rows
            parts = []
            with closing(ahead(consecutive(batches(**self._needed), batches.topic), threads)) as tables:
                for result in results(tables, collect=False):
                    parts.append(result)
                    if isinstance(result, tuple):
                        break
        if not any(isinstance(part, tuple) or part["rows"] for part in parts):
            raise InputError(problems.empty("run"), path=batches.path)
        retrieved = self._gather(parts)
        if retrieved is None:
            rows = batches(**self._needed)
            with closing(whole_topics(rows, batches.topic)) as whole:  # removes its files after an error
                retrieved = self._gather_whole(list(results(whole, collect=True)), batches.path)
        return retrieved._replace(assumed=problems.DISTANCES if batches.order == "distance" else "")

    @property
    def _needed(self) -> dict[str, Any]:
        return {"ranks": self.order.needs_ranks, "distinct": self.order.run_duplicates == "error"}

    def _span_results(self, batches: Batches, threads: int, tick: Tick) -> list[Any] | None:
        """The core's results for the spans of a run: hits, or at last a problem. None if something is wrong,
        which a reader of one row after the other will name.
        """
        try:
            spans = [*batches.spans()]
            within = max(1, threads // max(1, len(spans)))

            def read(span: Span) -> tuple[list[Rows], Any]:
                rows = batches.read_span(span, **self._needed, threads=within)
                with closing(ahead((Rows.of(some, self.order) for some in rows), within)) as pieces:
                    return _joined(pieces, self._join)

            results, last = [], self._join()
            with closing(in_order(read, spans, threads)) as parts:
                for span, (first_topic, join) in zip(spans, parts, strict=True):
                    for rows in first_topic:
                        rows.join(last)
                    if join is not None:
                        results.append(last.finish())
                        last = join
                    tick(span.size)
                    if results and isinstance(results[-1], tuple):
                        return results
            return [*results, last.finish()]
        except (InputError, ValueError):  # ValueError: the core does not take the columns
            return None

    def _of_file(self, source: Source, threads: int, tick: Tick) -> RetrievedJudgments:
        with source.opened() as file:  # once: another file may have its name soon
            retrieved, results = read_trec(source, file, self._join, self._gather, threads, tick)
            if retrieved is not None and sum(result["rows"] for result in results):
                return retrieved
            Run.read(source, format="trec", duplicates=self.order.duplicates)  # names the line in its error
            if len(results) > 1:  # which looks at no ranks; and parts count their own lines
                return self._of_file(source, 1, tick)
            code, line, text = results[0]
            raise InputError(problems.sentence(code, text, "run"), path=source.path, line=line)


def _joined(pieces: Iterator[Rows], new_join: Callable[[], Any]) -> tuple[list[Rows], Any]:
    waiting: list[Rows] = []
    topic: bytes | None = None
    join = None
    for rows in pieces:
        begin = 0
        if join is None:
            number = rows.topic[0]
            topic = rows.topics[int(number)] if topic is None else topic
            others = rows.topic != number
            if rows.topics[int(number)] == topic:
                begin = int(others.argmax()) if others.any() else len(others)
                waiting.append(rows.part(slice(0, begin)))
            if begin == len(others):
                continue
            join = new_join()
        if rows.part(slice(begin, len(rows.topic))).join(join):
            break
    return waiting, join
