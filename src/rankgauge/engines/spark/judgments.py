"""The judgments of a job: sent along from the driver if they are few, otherwise partitioned by topic."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.core.ids import to_bytes, to_text
from rankgauge.engines import facts
from rankgauge.engines.assembly import blocks, judgments_for
from rankgauge.engines.local.topic_batches import whole_topics
from rankgauge.engines.requirements import lowest_grade
from rankgauge.engines.spark import rows, worker
from rankgauge.engines.spark.blocks import SCHEMA, error_from, problem_text
from rankgauge.engines.spark.library import failures, functions, is_frame
from rankgauge.engines.spark.tables import Rows, judgments_of
from rankgauge.errors import InputError, OptionError, RankgaugeError
from rankgauge.formats import problems
from rankgauge.measures import Measure
from rankgauge.measures.rankings.arrays.curves import Floats
from rankgauge.model.provenance import QrelsFacts
from rankgauge.model.qrels import Qrels
from rankgauge.model.recoding import Grades, Recoding
from rankgauge.model.rules import DocumentOrder
from rankgauge.model.subtopics import SubtopicQrels

if TYPE_CHECKING:
    import pyarrow as pa

BROADCAST = 2_000_000  # most judgments that are sent along with a job


@dataclass(frozen=True)
class Survey:
    """Facts about the judgments as a whole."""

    levels: Floats  # the distinct grades, ascending
    topics: int
    qrels: QrelsFacts
    measures: Mapping[str, Mapping[str, Any]]  # {measure: fields of `MeasureFacts` that depend on judgments}


class Judgments:
    """The judgments of a job."""

    def __init__(
        self,
        spark: Any,
        qrels: Any,
        columns: Mapping[str, str] | None,
        join: str,
        order: DocumentOrder,
        measures: tuple[Measure, ...],
        source: str | None = None,
        grades: Grades = None,
    ) -> None:
        self._spark, self._order, self._measures = spark, order, measures
        self._source = qrels if source is None else source
        self.qrels: Qrels | None = None  # None: they are partitioned
        self._recoding = ""
        if not is_frame(qrels):
            if join == "copartition":
                raise OptionError("join=copartition is for judgments in a Spark DataFrame")
            reading = {"columns": columns, "duplicates": order.duplicates, "grades": grades}
            self.qrels = judgments_for(measures, qrels, **reading)
            self._recoding = self.qrels.recoding
            return
        by_subtopic = next((measure for measure in measures if measure.spec.needs_subtopics), None)
        if by_subtopic is not None and join == "copartition":
            raise OptionError(
                f"{by_subtopic} takes judgments by subtopic, which every worker gets; use join=broadcast"
            )
        self._frame = rows.judgment_rows(qrels, columns, labels=by_subtopic is not None)
        if grades is not None:
            recoding = Recoding.of(grades)
            self._frame, self._recoding = rows.recoded(self._frame, recoding), str(recoding)
        with failures():
            size = self._frame.count()
            if not size:
                raise InputError(problems.empty("qrels"))
            if join == "broadcast" or by_subtopic is not None or (size <= BROADCAST and join == "auto"):
                kind = SubtopicQrels if by_subtopic is not None else Qrels
                collected = Rows(self._frame.toArrow())
                self.qrels = judgments_of(collected, order.duplicates, kind)

    def survey(self, longest: int) -> Survey:
        """Facts about the judgments, given the length of the longest list that is evaluated."""
        task = _SurveyTask(self._measures, self._order.duplicates, longest)
        parts = [task.facts_of(self.qrels)] if self.qrels is not None else self._survey_on_workers(task)
        topics, size, dropped = (
            sum(part[name] for part in parts) for name in ("topics", "judgments", "dropped")
        )
        return Survey(
            levels=np.unique([level for part in parts for level in part["levels"]]),
            topics=topics,
            qrels=QrelsFacts(facts.source_of(self._source), topics, size, dropped, grades=self._recoding),
            measures={
                str(m): _added_up([part["measures"][str(m)] for part in parts]) for m in self._measures
            },
        )

    def _survey_on_workers(self, task: _SurveyTask) -> list[Any]:
        """The facts of partitioned judgments, one dict per part."""

        def survey(batches: Any) -> Any:
            return task(batches)

        with failures():
            partitioned = self._frame.repartition("topic")
            rows = partitioned.mapInArrow(survey, "facts string, problem string").collect()
        failed = [row["problem"] for row in rows if row["problem"] is not None]
        if failed:
            raise error_from(min(failed))
        return [json.loads(row["facts"]) for row in rows]

    def longest(self, results: Any) -> int:
        """The length of the longest list that is evaluated, over all runs and judged topics."""
        f = functions()
        docs = f.count("*") if self._order.duplicates == "error" else f.countDistinct("doc")
        keys = [name for name in ("run", "topic") if name in results.columns]
        sizes = (
            rows.with_binary_ids(results)
            .groupBy(*keys)
            .agg(docs.alias("size"))
            .join(self.topics(), "topic", "left_semi")
        )
        with failures():
            return int(sizes.agg(f.max("size")).first()[0] or 0)

    def topics(self) -> Any:
        """A frame of the judged topics."""
        if self.qrels is None:
            return self._frame.select("topic").distinct()
        import pyarrow as pa

        ids = [*map(to_bytes, self.qrels.sorted_topics)]
        return self._spark.createDataFrame(pa.table({"topic": pa.array(ids, pa.binary())}))

    def first_topics(self) -> list[str]:
        """The first few topics, for messages; one more than is shown."""
        if self.qrels is not None:
            return list(self.qrels.sorted_topics[:4])
        with failures():
            some = self._frame.select("topic").distinct().orderBy("topic").limit(4).collect()
        return [to_text(bytes(row[0])) for row in some]

    def score(self, results: Any, partitions: int | None, job: worker.Job) -> Any:
        """The scores of these rows, in blocks; each task has whole topics of a run."""
        count = () if partitions is None else (partitions,)
        if self.qrels is not None:
            keys = [name for name in ("topic", "run") if name in results.columns]
            partitioned = results.repartition(*count, *keys)
        else:
            partitioned = rows.with_judgments(results, self._frame).repartition(*count, "topic")

        def score(batches: Any) -> Any:
            return job(batches)

        return partitioned.mapInArrow(score, SCHEMA)


@dataclass(frozen=True)
class _SurveyTask:
    """Collects facts about judgments; it is sent to workers, as a job is."""

    measures: tuple[Measure, ...]
    duplicates: str
    longest: int

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Rows of (facts about some topics as JSON, problem)."""
        import pyarrow as pa

        def row(facts: str | None, problem: str | None) -> pa.RecordBatch:
            columns = {"facts": facts, "problem": problem}
            return pa.RecordBatch.from_pydict(
                {name: pa.array([text], pa.string()) for name, text in columns.items()}
            )

        try:
            with closing(whole_topics(batches, "topic")) as tables:
                for table in tables:
                    qrels = judgments_of(Rows(table), self.duplicates)
                    if qrels is not None:
                        yield row(json.dumps(self.facts_of(qrels)), None)
        except RankgaugeError as error:
            yield row(None, problem_text(error))

    def facts_of(self, qrels: Qrels) -> dict[str, Any]:
        """The facts of these judgments, as JSON takes them."""
        pools = [pool for _, _, pool in blocks(qrels, lowest_grade(self.measures))]
        return {
            "topics": len(qrels.sorted_topics),
            "judgments": len(qrels.sorted_grades),
            "dropped": qrels.dropped,
            "levels": qrels.levels.tolist(),
            "measures": {
                str(m): facts.topic_counts(m, pools) | facts.list_lengths(m, self.longest, pools)
                for m in self.measures
            },
        }


def _added_up(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The facts of a measure from all parts of the judgments: topics add up, the rest is the highest."""
    total: dict[str, Any] = {}
    for part in parts:
        for name, value in part.items():
            before = total.get(name)
            counts = name in facts.TOPIC_COUNTS
            total[name] = value if before is None else before + value if counts else max(before, value)
    return total
