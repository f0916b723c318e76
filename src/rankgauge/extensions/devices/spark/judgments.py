"""The judgments of a job: sent along from the driver if they are few, otherwise partitioned by topic."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from typing import Any

import numpy as np
import pyarrow as pa

from rankgauge.core.ids import to_bytes, to_text
from rankgauge.engines import facts
from rankgauge.engines.assembly import blocks, judgments_for
from rankgauge.engines.local.topic_batches import whole_topics
from rankgauge.engines.requirements import lowest_grade
from rankgauge.errors import InputError, OptionError, RankgaugeError
from rankgauge.extensions.devices.spark import rows, worker
from rankgauge.extensions.devices.spark.blocks import SCHEMA, Block, collected, problem_block
from rankgauge.extensions.devices.spark.library import failures, functions, is_frame
from rankgauge.extensions.devices.spark.rows import Rows, judgments_of
from rankgauge.formats import problems
from rankgauge.measures import Measure
from rankgauge.measures.rankings.arrays.curves import Floats
from rankgauge.model.provenance import QrelsFacts
from rankgauge.model.qrels import Qrels
from rankgauge.model.recoding import Recoding
from rankgauge.model.rules import DocumentOrder, Grades
from rankgauge.model.subtopics import SubtopicQrels

BROADCAST = 2_000_000  # most judgments that are sent along with a job


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
        by_subtopic = next((measure for measure in measures if measure.spec.needs.subtopics), None)
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
                self.qrels = judgments_of(Rows(self._frame.toArrow()), order.duplicates, kind)

    def survey(self, longest: int) -> tuple[Floats, QrelsFacts, dict[str, dict[str, Any]]]:
        """(distinct grades, ascending; facts; {measure: fields of `MeasureFacts` that depend on judgments}).

        `longest` is the length of the longest list that is evaluated.
        """
        measures, duplicates = self._measures, self._order.duplicates

        def survey_topics(batches: Any) -> Iterator[pa.RecordBatch]:
            try:
                with closing(whole_topics(batches, "topic")) as tables:
                    for table in tables:
                        found = _facts_of(judgments_of(Rows(table), duplicates), measures, longest)
                        yield Block("facts", json.dumps(found).encode()).batch()
            except RankgaugeError as error:
                yield problem_block(error).batch()

        if self.qrels is not None:
            parts = [_facts_of(self.qrels, measures, longest)]
        else:
            surveyed = self._frame.repartition("topic").mapInArrow(survey_topics, SCHEMA)
            parts = [json.loads(block.data) for block in collected(surveyed, "facts")]
        topics, size, dropped = (
            sum(part[name] for part in parts) for name in ("topics", "judgments", "dropped")
        )
        levels = np.unique([level for part in parts for level in part["levels"]])
        of_qrels = QrelsFacts(facts.source_of(self._source), topics, size, dropped, grades=self._recoding)
        of_measures = {str(m): _added_up([part["measures"][str(m)] for part in parts]) for m in measures}
        return levels, of_qrels, of_measures

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


def _facts_of(qrels: Any, measures: tuple[Measure, ...], longest: int) -> dict[str, Any]:
    """The facts of these judgments, as JSON takes them."""
    pools = [pool for _, _, pool in blocks(qrels, lowest_grade(measures))]
    return {
        "topics": len(qrels.sorted_topics),
        "judgments": len(qrels.sorted_grades),
        "dropped": qrels.dropped,
        "levels": qrels.levels.tolist(),
        "measures": {
            str(m): facts.topic_counts(m, pools) | facts.list_lengths(m, longest, pools) for m in measures
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
