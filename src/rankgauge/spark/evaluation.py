"""The verb: DataFrames of runs and judgments in, scores out.

Rows are parted by run and topic, and nothing is sorted in Spark: to bring a topic's rows together in one
task is all that is needed, the core orders them faster there (docs/how-to/spark.md has the figures).
Small judgments travel with the job, large ones are parted by topic beside the rows.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from rankgauge import record
from rankgauge.engines.rankings import blocks, judgments_for, needs_detail
from rankgauge.errors import InputError, OptionError, choice, whole_number
from rankgauge.evaluation import described
from rankgauge.formats import problems
from rankgauge.ids import to_bytes, to_text
from rankgauge.measures import Measure, parse_all
from rankgauge.model.how import How
from rankgauge.model.qrels import Qrels
from rankgauge.model.subtopics import SubtopicQrels
from rankgauge.order import DUPLICATES, ORDER, PRECISION, TIES, Order
from rankgauge.spark import rows, worker
from rankgauge.spark.library import functions, is_frame
from rankgauge.spark.result import Evaluation, facts, failures
from rankgauge.topics import MISSING, UNDEFINED, TopicRules

JOINS = ("auto", "broadcast", "copartition")
BROADCAST = 2_000_000  # judgments that are few enough to travel with the job


def evaluate(
    runs: Any,
    qrels: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    order: str = ORDER.default,
    ties: str = TIES.default,
    precision: str = PRECISION.default,
    duplicates: str = DUPLICATES.default,
    missing: str = MISSING.default,
    undefined: str = UNDEFINED.default,
    run_columns: Mapping[str, str] | None = None,
    qrels_columns: Mapping[str, str] | None = None,
    name: str = "run",
    join: str = "auto",
    partitions: int | None = None,
) -> Evaluation:
    """The value of every measure for every run and judged topic, computed by Spark.

    `runs` is a DataFrame of Spark; a column for the tag, or the run, tells its runs apart, else all is one
    run called `name`. `qrels` is a DataFrame, or anything that `rankgauge.evaluate` takes. What the columns
    are is guessed, unless given. The rules are those of `rankgauge.evaluate`; ties=input and duplicates=first
    are refused, for a DataFrame has no order of lines. Judgments are sent to every worker ("broadcast"),
    or parted by topic as the runs are ("copartition"); `join="auto"` decides by how many there are.

    The job is run at once: what is wrong with the data is an error here, not in the midst of something else.
    """
    functions()
    if not is_frame(runs):
        raise InputError(f"runs must be a DataFrame of Spark, not {type(runs).__name__}")
    choice("join", join, JOINS)
    rules, documents = TopicRules(missing, undefined), _unordered(Order(order, ties, precision, duplicates))
    given = rows.of_runs(runs, run_columns, ranks=documents.needs_ranks)
    chosen = parse_all(measures)
    judgments = _Judgments(runs.sparkSession, qrels, qrels_columns, join, documents, chosen)
    longest = judgments.longest(given) if any(measure.of_lists for measure in chosen) else 0
    least = min(measure.least for measure in chosen)
    job = worker.Job(
        name=uuid.uuid4().hex,
        measures=chosen,
        order=documents,
        least=least,
        detail=needs_detail(chosen, documents),
        constants=worker.Constants(judgments.levels, longest),
        run=name,
        qrels=judgments.qrels,
        cutoffs=tuple(sorted({m.cutoff for m in chosen if m.cutoff})) if least == -math.inf else (),
    )
    pools = [] if judgments.qrels is None else [pool for _, _, pool in blocks(judgments.qrels, least)]
    how = record.basis(chosen, documents, rules, pools, judgments.how)
    how["versions"] |= {"spark": runs.sparkSession.version}
    how["measures"] = {str(m): how["measures"][str(m)] | record.lengths(m, longest, pools) for m in chosen}
    if partitions is not None:
        whole_number("partitions", partitions)
    scored = _kept(judgments.parted(given, partitions, job))
    found = facts(scored, job, rules)
    _refuse_strangers(found, judgments)
    if any(fact["judged"] < judgments.topics for fact in found.values()):
        pairs = judgments.absent(scored, list(found))
        scored = _kept(scored.unionByName(judgments.parted(rows.of_nothing(pairs), None, job)))
        found = facts(scored, job, rules)
    return Evaluation(scored, job, rules, How(**how), found)


def _unordered(order: Order) -> Order:
    """These rules, if they do without an order of lines."""
    if order.ties == "input":
        raise OptionError(
            "ties=input needs an order of lines, which a DataFrame has not; have their number in a column "
            "called rank and choose ties=rank"
        )
    if order.duplicates == "first" or (order.duplicates == "max" and order.needs_ranks):
        raise OptionError(
            f"duplicates={order.duplicates} {'with ranks ' if order.needs_ranks else ''}needs an order of "
            "lines, which a DataFrame has not; choose another rule, or leave the duplicates out before"
        )
    return order


def _kept(frame: Any) -> Any:
    """The frame, kept by Spark once it has been computed, where Spark can."""
    try:
        return frame.persist()
    except Exception:  # serverless sessions refuse, in words of their own: then it is computed again
        return frame


def _refuse_strangers(found: Mapping[bytes, Mapping[str, Any]], judgments: _Judgments) -> None:
    if not found:
        raise InputError(problems.empty("run"))
    for run, fact in found.items():
        if not fact["retrieved"]:
            raise record.stranger(to_text(run), judgments.first_topics())


class _Judgments:
    """The judgments, on the driver if they are few, else as a frame."""

    def __init__(
        self,
        spark: Any,
        given: Any,
        columns: Mapping[str, str] | None,
        join: str,
        order: Order,
        measures: tuple[Measure, ...],
    ) -> None:
        self._spark, self._order = spark, order
        self.qrels: Qrels | None = None
        if not is_frame(given):
            if join == "copartition":
                raise OptionError("join=copartition is for judgments in a DataFrame of Spark")
            qrels = judgments_for(measures, given, columns=columns, duplicates=order.duplicates)
            self._take(qrels, given)
            return
        diverse = next((measure for measure in measures if measure.spec.diverse), None)
        if diverse is not None and join == "copartition":
            raise OptionError(
                f"{diverse} takes judgments by subtopic, and they go to every worker; choose join=broadcast"
            )
        frame = rows.of_judgments(given, columns, labels=diverse is not None)
        size = frame.count()
        if not size:
            raise InputError(problems.empty("qrels"))
        if join == "broadcast" or diverse is not None or (size <= BROADCAST and join == "auto"):
            kind = SubtopicQrels if diverse is not None else Qrels
            self._take(worker.judgments_of(worker.Rows(frame.toArrow()), order.duplicates, kind), given)
            return
        f = functions()
        self._frame = frame
        self.topics: int = frame.agg(f.countDistinct("topic")).first()[0]
        levels = [row[0] for row in frame.select("value").distinct().collect()]
        self.levels = np.sort(np.array([level for level in levels if level is not None], dtype=np.float64))
        self.how = {"source": "DataFrame", "topics": self.topics, "judgments": size, "duplicates_dropped": 0}

    def _take(self, qrels: Qrels | None, given: Any) -> None:
        assert qrels is not None
        self.qrels, self.levels, self.topics = qrels, qrels.levels, len(qrels.sorted_topics)
        self.how = described(given, qrels)

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
        some = self._frame.select("topic").distinct().orderBy("topic").limit(4).collect()
        return [to_text(bytes(row[0])) for row in some]

    def parted(self, given: Any, partitions: int | None, job: worker.Job) -> Any:
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
