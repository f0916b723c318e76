"""The local engine: from a run, in a file or in memory, to its retrieved judgments.

TREC files are read by `trec_files`: in parts, and in a second pass if topics are spread over the file. A file
with errors is read again line by line to report the first of them. Columns in memory are treated alike.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

from rankgauge import core
from rankgauge.core.ids import Ids
from rankgauge.engines.assembly import gather_retrieved
from rankgauge.engines.local.trec_files import Tick, read_trec, regrouped, row_parts
from rankgauge.engines.requirements import NO_TIES, TieVisibility
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.engines.threads import ahead, in_threads
from rankgauge.errors import InputError
from rankgauge.formats import problems
from rankgauge.formats.arrow_batches import Batches
from rankgauge.formats.columns import Columns
from rankgauge.formats.source import Source
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import DocumentOrder
from rankgauge.model.run import Run


class LocalEngine:
    """Orders the documents of runs and looks them up in the judgments, on this machine.

    Judgments below `lowest_grade` are ignored, which saves work where no measure uses them. Ties and scores
    are returned only with `detail`. Of ties, those that are `visible` to measures are counted.
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
        self._detail = detail
        self._visible = visible.for_core()
        self._judgments = qrels.judgments(lowest_grade)
        self.keeps_all = not len(qrels.levels) or float(qrels.levels[0]) >= lowest_grade  # judged documents

    def retrieve(
        self,
        run: Source | Run | Columns | Batches | Mapping[str, Any],
        threads: int = 1,
        tick: Tick = lambda _: None,
    ) -> RetrievedJudgments:
        """The retrieved judgments of a run: a file, a Run, a frame, or {topic: {document: score}}."""
        if isinstance(run, Source):
            return self._of_file(run, threads, tick)
        if isinstance(run, Batches):
            return self._of_batches(run, threads, tick)
        if isinstance(run, Run):
            self._check_shape(run.shape)
            retrieved = self._of_columns(run.topics, run.topic, run.docs, run.scores, run.ranks, threads)
            return retrieved._replace(dropped=retrieved.dropped + run.dropped, assumed=run.assumed)
        if isinstance(run, Columns):
            self._check_shape(run.shape)
            topic, topics = run.checked().topic.entries()
            ranks = run.rank if run.ranks_known() else None
            try:
                retrieved = self._of_columns(topics, topic, run.doc, run.value, ranks, threads)
                return retrieved._replace(assumed=run.assumed)
            except InputError:
                Run.from_columns(run, duplicates=self.order.duplicates)  # names the row in its error
                raise
        return self._of_mapping(run) or self.retrieve(Run.from_dict(run), threads)

    def _check_shape(self, shape: tuple[int, int] | None) -> None:
        """Refuse an array of scores that does not fit the array of judgments: which documents are these?"""
        judged = self.qrels.shape
        if shape is not None and judged is not None and shape != judged:
            raise InputError(
                f"the scores are an array of {shape[0]} x {shape[1]}, and the judgments one of "
                f"{judged[0]} x {judged[1]}; both need a row per topic and a column per document"
            )

    def _join(self, collect: bool = False) -> Any:
        return core.Join(
            self._judgments,
            *self.order.core_rules(),
            self.order.duplicates,
            collect,
            self._detail,
            self._visible,
        )

    def _gather(self, results: list[Any]) -> RetrievedJudgments | None:
        """The retrieved judgments of all parts; None if one has a problem, or a topic is in several."""
        if any(isinstance(result, tuple) for result in results):
            return None
        return gather_retrieved(results, len(self.qrels.sorted_topics))

    def _of_mapping(self, results: Mapping[str, Any]) -> RetrievedJudgments | None:
        """The retrieved judgments of a dict; None if it needs conversion to strings and numbers first."""
        join = self._join()
        accepted = not self.order.needs_ranks and join.mapping(results)
        return self._gather([join.finish()]) if accepted else None

    def _of_columns(
        self, topics: Ids, topic: Ints, docs: Ids, scores: Floats, ranks: Ints | None, threads: int
    ) -> RetrievedJudgments:
        rows = topics, topic, docs, scores, ranks, threads
        retrieved = self._gather(self._results(*rows))
        return retrieved if retrieved is not None else self._gather_whole(self._results(*rows, collect=True))

    def _gather_whole(self, results: list[Any], path: str | None = None) -> RetrievedJudgments:
        """The retrieved judgments of parts with whole topics; a problem is an error."""
        retrieved = self._gather(results)
        if retrieved is None:
            code, _, text = next(result for result in results if isinstance(result, tuple))
            raise InputError(problems.sentence(code, text, "run"), path=path)
        return retrieved

    def _results(
        self,
        topics: Ids,
        topic: Ints,
        docs: Ids,
        scores: Floats,
        ranks: Ints | None,
        threads: int,
        collect: bool = False,
    ) -> list[Any]:
        """The core's result for each part of these rows: its hits (a dict), or a problem (a tuple)."""
        if not self.order.needs_ranks:
            ranks = None
        elif ranks is None:
            raise self.order.no_ranks()

        def read(rows: slice) -> Any:
            join, some = self._join(collect), docs.part(rows)
            join.columns(
                *topics.buffers(),
                topic[rows],
                *some.buffers(),
                scores[rows],
                None if ranks is None else ranks[rows],
            )
            return join

        joins = in_threads(read, list(row_parts(topic, threads)), threads)
        return regrouped(joins, threads) if collect else [join.finish() for join in joins]

    def _of_batches(self, batches: Batches, threads: int, tick: Tick) -> RetrievedJudgments:
        """The retrieved judgments of a run larger than memory, some topics at a time."""
        # Other runs need none of these.
        from rankgauge.engines.local.topic_batches import consecutive, span_results, whole_topics

        ranks = self.order.needs_ranks

        def results(tables: Iterator[Any], collect: bool) -> Iterator[Any]:
            for table in tables:
                try:
                    rows = batches.columns(table).checked()
                except InputError:
                    batches.check(ranks=ranks)  # names the file and the row in its error
                    raise
                topic, topics = rows.topic.entries()
                known = rows.rank if rows.ranks_known() else None
                yield from self._results(topics, topic, rows.doc, rows.value, known, threads, collect)

        parts = span_results(batches, self.order, self._join, 1 if core.NAME == "pure" else threads, tick)
        if parts is None:  # there is an error to be found, in the order of the rows
            parts = []
            with closing(ahead(consecutive(batches(ranks=ranks), batches.topic), threads)) as tables:
                for result in results(tables, collect=False):
                    parts.append(result)
                    if isinstance(result, tuple):
                        break
        if not any(isinstance(part, tuple) or part["rows"] for part in parts):
            raise InputError(problems.empty("run"), path=batches.path)
        retrieved = self._gather(parts)
        if retrieved is None:
            rows = batches(ranks=ranks)
            with closing(whole_topics(rows, batches.topic)) as whole:  # removes its files after an error
                retrieved = self._gather_whole(list(results(whole, collect=True)), batches.path)
        return retrieved

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
