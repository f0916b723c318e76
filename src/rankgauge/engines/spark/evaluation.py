"""Evaluating DataFrames of judgments and runs.

Spark sorts nothing: it is enough to bring the rows of a topic into one task, since the core orders them
faster there. `plans` has the ways to do so. Small judgments are sent along with the job, large ones are
partitioned by topic like the rows.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rankgauge.core.ids import to_bytes, to_text
from rankgauge.engines import facts
from rankgauge.engines.requirements import counted_cutoffs, lowest_grade, needs_detail
from rankgauge.engines.spark import plans, worker
from rankgauge.engines.spark.counts import facts_of_runs
from rankgauge.engines.spark.doubts import with_doubts
from rankgauge.engines.spark.inputs import Runs, runs_of
from rankgauge.engines.spark.judgments import Judgments
from rankgauge.engines.spark.library import functions, plain_frame
from rankgauge.engines.spark.missing import scores_of_missing
from rankgauge.engines.spark.plans import PLANS
from rankgauge.engines.spark.result import Evaluation
from rankgauge.engines.spark.sent_measures import SentMeasures
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
    how all rows of a topic come to one task: read from files there ("files"), evaluated in the partition in
    which they are ("in-place"), or moved by Spark ("shuffle"); values are the same. By default the fastest
    plan is used that fits the runs; the provenance of the result has its name.

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
        parse_all(measures),
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
    measures: tuple[Measure, ...],
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
    """The evaluation of these runs."""
    detail = needs_detail(measures, order)  # refuses what does not go together
    spark, results, measures = given.spark, given.frame, SentMeasures(measures)
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
        run=given.name,
        qrels=judgments.qrels,
        cutoffs=counted_cutoffs(measures),
        rules=rules,
    )
    used, scored = plans.score(plan, given, judgments, job, partitions)
    with scored.freed_on_error():
        runs = facts_of_runs(scored.counts, measures, job.cutoffs, given.sources)
        _require_results(given, runs, judgments)
        scored = scored.near(spark, len(measures))
        if any(run.topics + run.missing < survey.topics for run in runs.values()):
            scored = scored.plus(scores_of_missing(spark, scored, judgments, job))
            runs = facts_of_runs(scored.counts, measures, job.cutoffs, given.sources)
    with scored.freed_on_error():
        runs = with_doubts(runs, results, judgments, job, partitions)
    known = facts.before_reading(measures, order, rules, [], survey.qrels)
    provenance = known._replace(
        versions={**known.versions, "spark": spark.version},
        measures={text: of._replace(**survey.measures[text]) for text, of in known.measures.items()},
        plan=used,
    )
    return Evaluation(spark, scored, job, rules, provenance, runs)


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


def _require_results(given: Runs, runs: Mapping[bytes, RunFacts], judgments: Judgments) -> None:
    """Refuse a run without results, or without results for any judged topic."""
    if not runs:
        raise InputError(problems.empty("run"), path=next(iter(given.sources.values()), None))
    for name, path in given.sources.items():
        if to_bytes(name) not in runs:
            raise InputError(problems.empty("run"), path=path)
    for run, run_facts in runs.items():
        if not run_facts.retrieved:
            raise facts.no_common_topic(to_text(run), judgments.first_topics())
