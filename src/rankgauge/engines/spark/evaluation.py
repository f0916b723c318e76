"""Evaluating DataFrames of judgments and runs.

Rows are partitioned by run and topic, and Spark sorts nothing: it is enough to bring the rows of a topic into
one task, since the core orders them faster there (docs/how-to/spark.md has measurements). Small judgments are
sent along with the job, large ones are partitioned by topic like the rows.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from rankgauge.core.ids import to_text
from rankgauge.engines import facts
from rankgauge.engines.requirements import counted_cutoffs, lowest_grade, needs_detail
from rankgauge.engines.spark import rows, worker
from rankgauge.engines.spark.doubts import with_doubts
from rankgauge.engines.spark.judgments import Judgments
from rankgauge.engines.spark.library import functions, is_frame, plain_frame
from rankgauge.engines.spark.result import Evaluation, facts_of_runs
from rankgauge.errors import InputError, OptionError
from rankgauge.formats import problems
from rankgauge.measures import Measure, parse_all
from rankgauge.model.document_order import DUPLICATES, TIES, DocumentOrder
from rankgauge.model.provenance import RunFacts
from rankgauge.model.recoding import Grades
from rankgauge.model.rules import Rules, split_rules
from rankgauge.model.topic_rules import TopicRules
from rankgauge.schema.checks import choice, whole_number

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on

JOINS = ("auto", "broadcast", "copartition")
JOINS_PARTITIONS = "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning"
NO_SOURCES: Mapping[str, str] = {}


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

    The job runs at once, so problems with the data are errors here and not later.
    """
    functions()
    qrels, runs = plain_frame(qrels), plain_frame(runs)
    if not is_frame(runs):
        raise InputError(
            f"runs must be a Spark DataFrame, not {type(runs).__name__}; judgments come first: "
            "evaluate(qrels, runs, measures)"
        )
    choice("join", join, JOINS)
    if partitions is not None:
        whole_number("partitions", partitions)
    order, topic_rules = split_rules(rules)
    require_no_line_order(order)
    return evaluate_rows(
        qrels,
        rows.result_rows(runs, run_columns, ranks=order.needs_ranks),
        parse_all(measures),
        order,
        topic_rules,
        qrels_columns=qrels_columns,
        grades=grades,
        name=name,
        join=join,
        partitions=partitions,
    )


def evaluate_rows(
    qrels: Any,
    results: Any,
    measures: tuple[Measure, ...],
    order: DocumentOrder,
    rules: TopicRules,
    *,
    qrels_columns: Mapping[str, str] | None,
    grades: Grades,
    name: str,
    join: str = "auto",
    partitions: int | None = None,
    sources: Mapping[str, str] = NO_SOURCES,
    qrels_source: str | None = None,
) -> Evaluation:
    """The evaluation of rows made by `rows.result_rows`; `sources` has the paths of runs."""
    detail, spark = needs_detail(measures, order), results.sparkSession
    judgments = Judgments(spark, qrels, qrels_columns, join, order, measures, qrels_source, grades)
    longest = judgments.longest(results) if any(measure.of_lists for measure in measures) else 0
    survey = judgments.survey(longest)
    job = worker.Job(
        name=uuid.uuid4().hex,
        measures=measures,
        order=order,
        lowest_grade=lowest_grade(measures),
        detail=detail,
        constants=worker.Constants(survey.levels, longest),
        run=name,
        qrels=judgments.qrels,
        cutoffs=counted_cutoffs(measures),
    )
    known = facts.before_reading(measures, order, rules, [], survey.qrels)
    provenance = known._replace(
        versions={**known.versions, "spark": spark.version},
        measures={text: of._replace(**survey.measures[text]) for text, of in known.measures.items()},
    )
    scored = _persist(judgments.score(results, partitions, job))
    runs = facts_of_runs(scored, job, rules, sources)
    _require_common_topics(runs, judgments)
    if any(run.topics + run.missing < survey.topics for run in runs.values()):
        pairs = judgments.missing_topics(scored, list(runs))
        more = judgments.score(rows.placeholder_rows(pairs), None, job)
        before, scored = scored, _persist(scored.unionByName(more))
        runs = facts_of_runs(scored, job, rules, sources)
        with suppress(Exception):  # it may not have been persisted
            before.unpersist()
    return Evaluation(scored, job, rules, provenance, with_doubts(runs, results, judgments, job, partitions))


def require_no_line_order(order: DocumentOrder) -> None:
    """Refuse rules that need an order of lines, which a DataFrame does not have."""
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


def _persist(frame: Any) -> Any:
    """The frame, persisted if the session allows it."""
    try:
        with _joining_partitions(frame.sparkSession):
            return frame.persist()
    except Exception:  # serverless sessions refuse; the frame is then computed again when needed
        return frame


@contextmanager
def _joining_partitions(spark: Any) -> Iterator[None]:
    """Let Spark join small partitions of what is persisted meanwhile, as it does of everything else.

    Otherwise each job on it has 200 tasks, however few rows there are: 20 seconds instead of 2.
    """
    before = spark.conf.get(JOINS_PARTITIONS, None)
    with suppress(Exception):  # a session whose settings are fixed
        spark.conf.set(JOINS_PARTITIONS, "true")
    try:
        yield
    finally:
        with suppress(Exception):
            spark.conf.unset(JOINS_PARTITIONS) if before is None else spark.conf.set(JOINS_PARTITIONS, before)


def _require_common_topics(runs: Mapping[bytes, RunFacts], judgments: Judgments) -> None:
    if not runs:
        raise InputError(problems.empty("run"))
    for run, run_facts in runs.items():
        if not run_facts.retrieved:
            raise facts.no_common_topic(to_text(run), judgments.first_topics())
