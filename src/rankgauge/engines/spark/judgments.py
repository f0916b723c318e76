"""Judgments for a job: on the driver if they are few, and sent along; else parted by topic as runs are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.core.ids import to_bytes, to_text
from rankgauge.engines import facts
from rankgauge.engines.judgments import blocks, judgments_for
from rankgauge.engines.local.topic_batches import whole_topics
from rankgauge.engines.requirements import lowest_grade
from rankgauge.engines.spark import rows, worker
from rankgauge.engines.spark.library import failures, functions, is_frame
from rankgauge.engines.spark.tables import Rows, judgments_of
from rankgauge.errors import InputError, OptionError, RankgaugeError
from rankgauge.formats import problems
from rankgauge.measures import Measure
from rankgauge.model.document_order import DocumentOrder
from rankgauge.model.provenance import QrelsFacts
from rankgauge.model.qrels import Qrels
from rankgauge.model.subtopics import SubtopicQrels
from rankgauge.rankings.arrays.curves import Floats

if TYPE_CHECKING:
    import pyarrow as pa

BROADCAST = 2_000_000  # judgments that are few enough to travel with the job


@dataclass(frozen=True)
class Surveyed:
    """Facts about the judgments as a whole."""

    levels: Floats  # the distinct grades, ascending
    topics: int
    qrels: QrelsFacts
    measures: Mapping[
        str, Mapping[str, Any]
    ]  # {measure: fields of its `MeasureFacts` that depend on judgments}


class Judgments:
    """The judgments of a job."""

    def __init__(
        self,
        spark: Any,
        given: Any,
        columns: Mapping[str, str] | None,
        join: str,
        order: DocumentOrder,
        measures: tuple[Measure, ...],
        source: str | None = None,
    ) -> None:
        self._spark, self._order, self._measures = spark, order, measures
        self._source = given if source is None else source
        self.qrels: Qrels | None = None  # None: they are parted
        if not is_frame(given):
            if join == "copartition":
                raise OptionError("join=copartition is for judgments in a DataFrame of Spark")
            self.qrels = judgments_for(measures, given, columns=columns, duplicates=order.duplicates)
            return
        diverse = next((measure for measure in measures if measure.spec.needs_subtopics), None)
        if diverse is not None and join == "copartition":
            raise OptionError(
                f"{diverse} takes judgments by subtopic, and they go to every worker; choose join=broadcast"
            )
        self._frame = rows.of_judgments(given, columns, labels=diverse is not None)
        with failures():
            size = self._frame.count()
            if not size:
                raise InputError(problems.empty("qrels"))
            if join == "broadcast" or diverse is not None or (size <= BROADCAST and join == "auto"):
                kind = SubtopicQrels if diverse is not None else Qrels
                collected = Rows(self._frame.toArrow())
                self.qrels = judgments_of(collected, order.duplicates, kind)

    def surveyed(self, longest: int) -> Surveyed:
        """What there is to know of them, beside lists of which the longest has so many documents."""
        survey = _Survey(self._measures, self._order.duplicates, longest)
        found = [survey.of(self.qrels)] if self.qrels is not None else self._told(survey)
        topics, size, dropped = (
            sum(part[name] for part in found) for name in ("topics", "judgments", "dropped")
        )
        return Surveyed(
            levels=np.unique([level for part in found for level in part["levels"]]),
            topics=topics,
            qrels=QrelsFacts(facts.source_of(self._source), topics, size, dropped),
            measures={str(m): _added([part["measures"][str(m)] for part in found]) for m in self._measures},
        )

    def _told(self, survey: _Survey) -> list[Any]:
        """What workers have to say of some topics each."""

        def tell(batches: Any) -> Any:
            return survey(batches)

        with failures():
            rows = self._frame.repartition("topic").mapInArrow(tell, "told string, problem string").collect()
        trouble = [row["problem"] for row in rows if row["problem"] is not None]
        if trouble:
            raise worker.told(min(trouble))
        return [json.loads(row["told"]) for row in rows]

    def longest(self, given: Any) -> int:
        """How many documents the longest list has that is evaluated: of all runs and judged topics."""
        f = functions()
        docs = f.count("*") if self._order.duplicates == "error" else f.countDistinct("doc")
        keys = [name for name in ("run", "topic") if name in given.columns]
        sizes = given.groupBy(*keys).agg(docs.alias("size")).join(self._topics(), "topic", "left_semi")
        with failures():
            return int(sizes.agg(f.max("size")).first()[0] or 0)

    def _topics(self) -> Any:
        """A frame of the judged topics."""
        if self.qrels is None:
            return self._frame.select("topic").distinct()
        ids = [(to_bytes(topic),) for topic in self.qrels.sorted_topics]
        return self._spark.createDataFrame(ids, "topic binary")

    def first_topics(self) -> list[str]:
        """A few topics, to show what they look like; one more than are shown."""
        if self.qrels is not None:
            return list(self.qrels.sorted_topics[:4])
        with failures():
            some = self._frame.select("topic").distinct().orderBy("topic").limit(4).collect()
        return [to_text(bytes(row[0])) for row in some]

    def score(self, given: Any, partitions: int | None, job: worker.Job) -> Any:
        """These rows, scored: in each task are whole topics of a run."""
        count = () if partitions is None else (partitions,)
        if self.qrels is not None:
            keys = [name for name in ("topic", "run") if name in given.columns]
            together = given.repartition(*count, *keys)
        else:
            together = rows.together(given, self._frame).repartition(*count, "topic")

        def score(batches: Any) -> Any:
            return job(batches)

        return together.mapInArrow(score, worker.SCORED)

    def absent(self, scored: Any, runs: list[bytes]) -> Any:
        """(run, topic) of judged topics for which a run has no results."""
        f = functions()
        named = self._spark.createDataFrame([(run,) for run in runs], "run binary")
        return named.crossJoin(self._topics()).join(
            scored.where(f.col("judged")).select("run", "topic"), ["run", "topic"], "left_anti"
        )


@dataclass(frozen=True)
class _Survey:
    """What is asked of judgments, wherever they are: it travels there, as a job does."""

    measures: tuple[Measure, ...]
    duplicates: str
    longest: int

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Rows of (what is known of some topics, what is wrong)."""
        import pyarrow as pa

        def row(told: str | None, problem: str | None) -> pa.RecordBatch:
            columns = {"told": told, "problem": problem}
            return pa.RecordBatch.from_pydict(
                {name: pa.array([text], pa.string()) for name, text in columns.items()}
            )

        try:
            with closing(whole_topics(batches, "topic")) as tables:
                for table in tables:
                    qrels = judgments_of(Rows(table), self.duplicates)
                    if qrels is not None:
                        yield row(json.dumps(self.of(qrels)), None)
        except RankgaugeError as error:
            yield row(None, worker.problem(error))

    def of(self, qrels: Qrels) -> dict[str, Any]:
        """What there is to know of these judgments."""
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


def _added(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """What is said of a measure because of all parts of the judgments: topics add up, the rest is alike."""
    total: dict[str, Any] = {}
    for part in parts:
        for name, found in part.items():
            total[name] = total.get(name, 0) + found if name in facts.TOPIC_COUNTS else found
    return total
