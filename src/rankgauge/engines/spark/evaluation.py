"""The verb: DataFrames of judgments and runs in, scores out.

Rows are partitioned by run and topic, and nothing is sorted in Spark: bringing a topic's rows together in one
task is enough, since the core orders them faster there (docs/how-to/spark.md has the figures). Small
judgments travel with the job, large ones are partitioned by topic beside the rows.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rankgauge.core.ids import to_text
from rankgauge.engines import facts
from rankgauge.engines.requirements import counted_cutoffs, lowest_grade, needs_detail
from rankgauge.engines.spark import rows, worker
from rankgauge.engines.spark.judgments import Judgments
from rankgauge.engines.spark.library import functions, is_frame
from rankgauge.engines.spark.result import Evaluation, facts_of_runs
from rankgauge.errors import InputError, OptionError
from rankgauge.formats import problems
from rankgauge.measures import Measure, parse_all
from rankgauge.model.document_order import DocumentOrder
from rankgauge.model.provenance import RunFacts
from rankgauge.model.rules import Rules, split_rules
from rankgauge.model.topic_rules import TopicRules
from rankgauge.schema.checks import choice, whole_number

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on

JOINS = ("auto", "broadcast", "copartition")
NO_SOURCES: Mapping[str, str] = {}


def evaluate(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    run_columns: Mapping[str, str] | None = None,
    qrels_columns: Mapping[str, str] | None = None,
    name: str = "run",
    join: str = "auto",
    partitions: int | None = None,
    **rules: Unpack[Rules],
) -> Evaluation:
    """The value of every measure for every run and judged topic, computed by Spark.

    `qrels` is a DataFrame, or anything that `rankgauge.evaluate` takes. `runs` is a Spark DataFrame; a column
    for the tag or the run distinguishes several runs, otherwise all rows are one run called `name`. The
    meaning of columns is inferred from their names, unless given. The rules are those of
    `rankgauge.evaluate`; ties=input and duplicates=first are refused, since a DataFrame has no order of
    lines. Judgments are sent to every worker ("broadcast"), or partitioned by topic like the runs
    ("copartition"); `join="auto"` decides by their number.

    The job runs at once, so problems with the data are errors here and not later.
    """
    functions()
    if not is_frame(runs):
        raise InputError(
            f"runs must be a Spark DataFrame, not {type(runs).__name__}; judgments come first: "
            "evaluate(qrels, runs, measures)"
        )
    choice("join", join, JOINS)
    if partitions is not None:
        whole_number("partitions", partitions)
    order, topic_rules = split_rules(rules)
    unordered(order)
    return evaluated(
        qrels,
        rows.of_runs(runs, run_columns, ranks=order.needs_ranks),
        parse_all(measures),
        order,
        topic_rules,
        qrels_columns=qrels_columns,
        name=name,
        join=join,
        partitions=partitions,
    )


def evaluated(
    qrels: Any,
    results: Any,
    measures: tuple[Measure, ...],
    order: DocumentOrder,
    rules: TopicRules,
    *,
    qrels_columns: Mapping[str, str] | None,
    name: str,
    join: str = "auto",
    partitions: int | None = None,
    sources: Mapping[str, str] = NO_SOURCES,
    qrels_source: str | None = None,
) -> Evaluation:
    """The evaluation of rows that `rows.of_runs` made; `sources` has the paths of runs."""
    detail, spark = needs_detail(measures, order), results.sparkSession
    judgments = Judgments(spark, qrels, qrels_columns, join, order, measures, qrels_source)
    longest = judgments.longest(results) if any(measure.of_lists for measure in measures) else 0
    surveyed = judgments.surveyed(longest)
    job = worker.Job(
        name=uuid.uuid4().hex,
        measures=measures,
        order=order,
        lowest_grade=lowest_grade(measures),
        detail=detail,
        constants=worker.Constants(surveyed.levels, longest),
        run=name,
        qrels=judgments.qrels,
        cutoffs=counted_cutoffs(measures),
    )
    known = facts.before_reading(measures, order, rules, [], surveyed.qrels)
    provenance = known._replace(
        versions={**known.versions, "spark": spark.version},
        measures={text: of._replace(**surveyed.measures[text]) for text, of in known.measures.items()},
    )
    scored = _kept(judgments.score(results, partitions, job))
    found = facts_of_runs(scored, job, rules, sources)
    _refuse_foreign_runs(found, judgments)
    if any(run.topics + run.missing < surveyed.topics for run in found.values()):
        pairs = judgments.absent(scored, list(found))
        more = judgments.score(rows.of_nothing(pairs), None, job)
        before, scored = scored, _kept(scored.unionByName(more))
        found = facts_of_runs(scored, job, rules, sources)
        with suppress(Exception):  # what could not be kept cannot be let go
            before.unpersist()
    return Evaluation(scored, job, rules, provenance, found)


def unordered(order: DocumentOrder) -> DocumentOrder:
    """These rules, if they do without an order of lines."""
    if order.ties == "input":
        raise OptionError(
            "ties=input needs an order of lines, and a DataFrame has none; put line numbers in a column "
            "called rank and choose ties=rank"
        )
    if order.duplicates == "first" or (order.duplicates == "max" and order.needs_ranks):
        raise OptionError(
            f"duplicates={order.duplicates} {'with ranks ' if order.needs_ranks else ''}needs an order of "
            "lines, and a DataFrame has none; choose another rule, or drop the duplicates first"
        )
    return order


def _kept(frame: Any) -> Any:
    """The frame, kept by Spark once it has been computed, where Spark can."""
    try:
        return frame.persist()
    except Exception:  # serverless sessions refuse: then it is computed again
        return frame


def _refuse_foreign_runs(found: Mapping[bytes, RunFacts], judgments: Judgments) -> None:
    if not found:
        raise InputError(problems.empty("run"))
    for run, run_facts in found.items():
        if not run_facts.retrieved:
            raise facts.no_common_topic(to_text(run), judgments.first_topics())
