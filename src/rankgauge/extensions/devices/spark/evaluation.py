"""Evaluation by a job; its judgments are sent along if they are few, otherwise partitioned by topic."""

from __future__ import annotations

import json
import math
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from rankgauge.core.ids import to_bytes, to_text
from rankgauge.engines import facts
from rankgauge.engines.assembly import blocks, judgments_for
from rankgauge.engines.local.topic_batches import whole_topics
from rankgauge.engines.requirements import counted_cutoffs, lowest_grade, needs_detail
from rankgauge.errors import InputError, OptionError, RankgaugeError
from rankgauge.extensions.devices.spark import rows, worker
from rankgauge.extensions.devices.spark.inputs import Runs, read_judgments, runs_at, runs_of
from rankgauge.extensions.devices.spark.library import failures, functions, is_frame, plain_frame, session
from rankgauge.extensions.devices.spark.pieces import Unreadable
from rankgauge.extensions.devices.spark.result import (
    HITS,
    SCHEMA,
    Block,
    Evaluation,
    Scored,
    collected,
    computed,
    counts_in,
    facts_of_runs,
    problem_block,
    read,
)
from rankgauge.extensions.devices.spark.rows import Rows, judgments_of
from rankgauge.formats import problems
from rankgauge.measures import Measure
from rankgauge.measures.language import parse_given
from rankgauge.measures.rankings.arrays.curves import Floats
from rankgauge.model.id_differences import MAX_ROWS, document_difference, documents_of
from rankgauge.model.provenance import QrelsFacts, RunFacts
from rankgauge.model.qrels import Qrels
from rankgauge.model.recoding import Recoding
from rankgauge.model.rules import (
    DUPLICATES,
    TIES,
    DocumentOrder,
    Grades,
    Inputs,
    Reading,
    Rules,
    TopicRules,
    split_rules,
)
from rankgauge.model.scores import Scores
from rankgauge.model.subtopics import SubtopicQrels
from rankgauge.schema.options import choice, whole_number

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on

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

        `longest` is the length of the longest list evaluated.
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
        """The length of the longest list evaluated, over all runs and judged topics."""
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
        """The first few topics, for messages, and one more than is shown."""
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
    """The facts of a measure from parts of the judgments: topics add up, the rest is the highest."""
    total: dict[str, Any] = {}
    for part in parts:
        for name, value in part.items():
            before = total.get(name)
            counts = name in facts.TOPIC_COUNTS
            total[name] = value if before is None else before + value if counts else max(before, value)
    return total


PLANS = ("auto", "files", "shuffle")
JOINS = ("auto", "broadcast", "copartition")
MAX_NEAR = 1 << 20  # missing pairs that this machine looks for
AT_ONCE = 1 << 20  # pairs and judgments that are scored: each pair has a copy of its topic's


def evaluate(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    run_columns: Mapping[str, str] | None = None,
    qrels_columns: Mapping[str, str] | None = None,
    grades: Grades = None,
    name: str = "run",
    join: str = "auto",
    plan: str = "auto",
    partitions: int | None = None,
    **rules: Unpack[Rules],
) -> Evaluation:
    """The value of every measure for every run and judged topic, computed by Spark.

    `qrels` is a DataFrame, or anything that `rankgauge.evaluate` takes. `runs` is a Spark DataFrame, or a
    frame of pandas on Spark; a column for the tag or the run distinguishes several runs, otherwise all rows
    are one run called `name`. The meaning of columns is inferred from their names unless specified. The rules
    are those of `rankgauge.evaluate`; ties=input and duplicates=first are refused, since a DataFrame has no
    order of lines. Judgments are sent to every worker ("broadcast"), or partitioned by topic like the runs
    ("copartition"); `join="auto"` decides by their number.

    `runs` can also be the path of a file or directory, or a list of paths, as on the command line. `plan` is
    how all rows of a topic come to one task: read from files there ("files"), or moved by Spark ("shuffle");
    values are the same. By default files are read where that is possible; the provenance of the result has
    the name of the plan.

    The job runs at once, so problems with the data are errors here and not later.
    """
    functions()
    qrels, runs = plain_frame(qrels), plain_frame(runs)
    choice("join", join, JOINS)
    choice("plan", plan, PLANS)
    if partitions is not None:
        whole_number("partitions", partitions)
    order, topic_rules = split_rules(rules)
    require_no_line_order(order)
    given = runs_of(runs, run_columns, name, ranks=order.needs_ranks, partitions=partitions)
    return evaluate_rows(
        qrels,
        given,
        parse_given(measures),
        order,
        topic_rules,
        qrels_columns=qrels_columns,
        grades=grades,
        join=join,
        plan=plan,
        partitions=partitions,
    )


def evaluate_rows(
    qrels: Any,
    given: Runs,
    named: Mapping[str, Measure],
    order: DocumentOrder,
    rules: TopicRules,
    *,
    qrels_columns: Mapping[str, str] | None,
    grades: Grades,
    join: str = "auto",
    plan: str = "auto",
    partitions: int | None = None,
    qrels_source: str | None = None,
) -> Evaluation:
    """The evaluation of these runs; `named` has measures by the texts that named them."""
    measures = worker.SentMeasures(dict.fromkeys(named.values()))
    detail = needs_detail(measures, order)  # refuses what does not go together
    spark, results = given.spark, given.frame
    judgments = Judgments(spark, qrels, qrels_columns, join, order, measures, qrels_source, grades)
    longest = judgments.longest(results) if any(measure.of_lists for measure in measures) else 0
    levels, qrels_facts, of_measures = judgments.survey(longest)
    job = worker.Job(
        name=uuid.uuid4().hex,
        measures=measures,
        order=order,
        lowest_grade=lowest_grade(measures),
        detail=detail,
        levels=levels,
        longest=longest,
        run=given.name,
        qrels=judgments.qrels,
        cutoffs=counted_cutoffs(measures),
        rules=rules,
    )
    used, scored = _scored(plan, given, judgments, job, partitions)
    with scored.freed_on_error():
        runs = facts_of_runs(scored.counts, measures, job.cutoffs, given.sources)
        _require_results(given, runs, judgments)
        scored = scored.near(len(measures))
        if any(run.topics + run.missing < (qrels_facts.topics or 0) for run in runs.values()):
            scored = scored.plus(_scores_of_missing(spark, scored, judgments, job))
            runs = facts_of_runs(scored.counts, measures, job.cutoffs, given.sources)
    with scored.freed_on_error():
        runs = _with_warnings(runs, results, judgments, job, partitions)
    known = facts.before_reading(named, order, rules, [], qrels_facts)
    provenance = known._replace(
        versions={**known.versions, "spark": spark.version},
        measures={text: of._replace(**of_measures[text]) for text, of in known.measures.items()},
        plan=used,
    )
    return Evaluation(scored, measures, rules, provenance, runs)


def evaluate_files(
    qrels: Any,
    runs: Sequence[str],
    measures: Any,
    *,
    master: str | None = None,
    plan: str = "auto",
    **options: Unpack[Inputs],
) -> Scores:
    """The scores of runs at paths; each path is a run, unless a column names it (tag=NAME).

    A directory holds the parts of one run, or of a table of many; if partitioned by run
    (run=bm25/part-0.parquet), several runs. `qrels` is a path as well, or judgments in memory.
    """
    choice("plan", plan, PLANS)
    parsed = parse_given(measures)
    reading = Reading.of(options)
    order = reading.order
    if reading.collapse is not None:
        raise OptionError("collapse is for runs that are read in this process; leave it out")
    require_no_line_order(order)
    spark = session(master)
    given = runs_at(spark, runs, reading.run_format, reading.run_columns, ranks=order.needs_ranks)
    path = qrels if isinstance(qrels, str) else None
    evaluation = evaluate_rows(
        qrels if path is None else read_judgments(spark, path, reading.qrels_format),
        given,
        parsed,
        order,
        reading.topics,
        qrels_columns=None if path is None else reading.qrels_columns,
        grades=reading.grades,
        plan=plan,
        qrels_source=path,
    )
    try:
        return evaluation.scores(list(given.sources) or None)
    finally:
        evaluation.unpersist()


def require_no_line_order(order: DocumentOrder) -> None:
    """Refuse rules that need an order of lines."""
    if order.ties == "input":
        raise OptionError(
            f"{TIES.set_to('input')} needs an order of lines, and a DataFrame has none; put line numbers in "
            f"a column called rank and use {TIES.set_to('rank')}"
        )
    if order.duplicates == "first" or (order.duplicates == "max" and order.needs_ranks):
        raise OptionError(
            f"{DUPLICATES.set_to(order.duplicates)} {'with ranks ' if order.needs_ranks else ''}needs an "
            "order of lines, and a DataFrame has none; choose another rule, or drop the duplicates first"
        )


def _require_results(given: Runs, runs: Mapping[bytes, RunFacts], judgments: Judgments) -> None:
    if not runs:
        raise InputError(problems.empty("run"), path=next(iter(given.sources.values()), None))
    for name, path in given.sources.items():
        if to_bytes(name) not in runs:
            raise InputError(problems.empty("run"), path=path)
    for run, run_facts in runs.items():
        if not run_facts.retrieved:
            raise facts.no_common_topic(to_text(run), judgments.first_topics())


def _scored(
    plan: str, given: Runs, judgments: Judgments, job: worker.Job, partitions: int | None
) -> tuple[str, Scored]:
    sent = judgments.qrels is not None
    if not sent and plan not in ("auto", "shuffle"):
        raise OptionError(
            f"plan={plan} is for judgments that every worker gets; use join=broadcast, or plan=shuffle"
        )
    # What Spark holds of a frame is what its other actions see, even if files have changed since.
    if sent and (plan == "files" or (plan == "auto" and not given.is_held)):
        try:
            return "files", computed(given.spark, given.files().score(job))
        except Unreadable as reason:
            if plan == "files":
                raise OptionError(f"plan=files cannot be used: {reason}; use another plan") from None
    return "shuffle", computed(given.spark, judgments.score(given.frame, partitions, job))


def _scores_of_missing(spark: Any, scored: Scored, judgments: Judgments, job: worker.Job) -> Scored:
    """The scores of pairs of a run and a judged topic without results."""
    runs, qrels = [*scored.counts], judgments.qrels
    if qrels is not None and not scored.blocks and len(runs) * len(qrels.sorted_topics) <= MAX_NEAR:
        return _missing_near(scored, qrels, job)
    named = spark.createDataFrame([(run,) for run in runs], "run binary")
    known = scored.frame.where("judged").select("run", "topic")
    pairs = named.crossJoin(judgments.topics()).join(known, ["run", "topic"], "left_anti")
    return computed(spark, judgments.score(rows.placeholder_rows(pairs), None, job))


def _missing_near(scored: Scored, qrels: Qrels, job: worker.Job) -> Scored:
    """The same on this machine, which ends before Spark would start."""
    known = {
        pair
        for table in scored.tables
        for pair in zip(table["run"].to_pylist(), table["topic"].to_pylist(), strict=True)
    }
    topics = [*map(to_bytes, qrels.sorted_topics)]
    missing = [
        (run, n) for run in scored.counts for n, topic in enumerate(topics) if (run, topic) not in known
    ]
    judged = np.diff(qrels.starts)[[n for _, n in missing]]
    ends = np.flatnonzero(np.diff(np.cumsum(judged + 1) // AT_ONCE)) + 1
    pairs = [(run, topics[n]) for run, n in missing]
    found: list[Block] = []
    try:
        for begin, end in pairwise([0, *ends.tolist(), len(pairs)]):
            found += job.score(rows.placeholder_table(pairs[begin:end]))
    finally:
        worker.forget()
    table = pa.Table.from_batches(read(found, "scores"))
    return Scored(scored.spark, counts_in(found), tables=(table,))


def _with_warnings(
    runs: Mapping[bytes, RunFacts],
    results: Any,
    judgments: Judgments,
    job: worker.Job,
    partitions: int | None,
) -> dict[bytes, RunFacts]:
    """The facts of runs; without a relevant document, also the number of judged ones and why."""
    suspects = [run for run, facts in runs.items() if facts.none_relevant]
    if not suspects:
        return dict(runs)
    f, results = functions(), rows.with_binary_ids(results)

    def rows_of(some: list[bytes]) -> Any:
        return results.where(f.col("run").isin(*map(f.lit, some))) if "run" in results.columns else results

    every = replace(job, name=uuid.uuid4().hex, lowest_grade=-math.inf, cutoffs=())
    counts = counts_in(collected(judgments.score(rows_of(suspects), partitions, every), "counts"))
    noted = dict(runs)
    for run, numbers in counts.items():
        judged = int(numbers[HITS])
        noted[run] = runs[run]._replace(judged=judged)
        if not judged and judgments.qrels is not None:
            with failures():
                some = rows_of([run]).select("topic", "doc").limit(MAX_ROWS).collect()
            pairs = ((to_text(bytes(topic)), to_text(bytes(doc))) for topic, doc in some)
            documents = documents_of(pairs, judgments.qrels.sorted_topics)
            different = document_difference(documents, judgments.qrels.documents)
            noted[run] = noted[run]._replace(ids_differ=different)
    return noted
