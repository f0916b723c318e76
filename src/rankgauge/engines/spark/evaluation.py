"""The verb: DataFrames of runs and judgments in, scores out.

Rows are parted by run and topic, and nothing is sorted in Spark: to bring a topic's rows together in one
task is all that is needed, the core orders them faster there (docs/how-to/spark.md has the figures).
Small judgments travel with the job, large ones are parted by topic beside the rows.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from rankgauge.core.ids import to_text
from rankgauge.engines import facts
from rankgauge.engines.judged_runs import needs_detail
from rankgauge.engines.spark import rows, worker
from rankgauge.engines.spark.judgments import Judgments
from rankgauge.engines.spark.library import functions, is_frame
from rankgauge.engines.spark.result import Evaluation, facts_of_runs
from rankgauge.errors import InputError, OptionError
from rankgauge.formats import problems
from rankgauge.measures import Measure, parse_all
from rankgauge.model.document_order import DUPLICATES, ORDER, SCORE_PRECISION, TIES, DocumentOrder
from rankgauge.model.provenance import Provenance
from rankgauge.model.topic_rules import MISSING, UNDEFINED, TopicRules
from rankgauge.schema.checks import choice, whole_number

JOINS = ("auto", "broadcast", "copartition")
NOTHING: Mapping[str, str] = {}


def evaluate(
    runs: Any,
    qrels: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    order: str = ORDER.default,
    ties: str = TIES.default,
    score_precision: str = SCORE_PRECISION.default,
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
    if partitions is not None:
        whole_number("partitions", partitions)
    documents = unordered(DocumentOrder(order, ties, score_precision, duplicates))
    return evaluated(
        rows.of_runs(runs, run_columns, ranks=documents.needs_ranks),
        qrels,
        parse_all(measures),
        documents,
        TopicRules(missing, undefined),
        qrels_columns=qrels_columns,
        name=name,
        join=join,
        partitions=partitions,
    )


def evaluated(
    given: Any,
    qrels: Any,
    measures: tuple[Measure, ...],
    order: DocumentOrder,
    rules: TopicRules,
    *,
    qrels_columns: Mapping[str, str] | None,
    name: str,
    join: str = "auto",
    partitions: int | None = None,
    sources: Mapping[str, str] = NOTHING,
    qrels_source: str | None = None,
) -> Evaluation:
    """The evaluation of rows that `rows.of_runs` made; `sources` says where runs are from."""
    detail, spark = needs_detail(measures, order), given.sparkSession
    judgments = Judgments(spark, qrels, qrels_columns, join, order, measures, qrels_source)
    longest = judgments.longest(given) if any(measure.of_lists for measure in measures) else 0
    surveyed = judgments.surveyed(longest)
    job = worker.Job(
        name=uuid.uuid4().hex,
        measures=measures,
        order=order,
        least=facts.least(measures),
        detail=detail,
        constants=worker.Constants(surveyed.levels, longest),
        run=name,
        qrels=judgments.qrels,
        cutoffs=facts.cutoffs(measures),
    )
    provenance = facts.basis(measures, order, rules, [], surveyed.said)
    provenance["versions"] |= {"spark": spark.version}
    provenance["measures"] = {
        text: said | surveyed.concerns[text] for text, said in provenance["measures"].items()
    }
    scored = _kept(judgments.parted(given, partitions, job))
    found = facts_of_runs(scored, job, rules, sources)
    _refuse_strangers(found, judgments)
    if any(fact["topics"] + fact["missing"] < surveyed.topics for fact in found.values()):
        pairs = judgments.absent(scored, list(found))
        more = judgments.parted(rows.of_nothing(pairs), None, job)
        before, scored = scored, _kept(scored.unionByName(more))
        found = facts_of_runs(scored, job, rules, sources)
        with suppress(Exception):  # what could not be kept cannot be let go
            before.unpersist()
    return Evaluation(scored, job, rules, Provenance(**provenance), found)


def unordered(order: DocumentOrder) -> DocumentOrder:
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


def _refuse_strangers(found: Mapping[bytes, Mapping[str, Any]], judgments: Judgments) -> None:
    if not found:
        raise InputError(problems.empty("run"))
    for run, fact in found.items():
        if not fact["retrieved"]:
            raise facts.no_common_topic(to_text(run), judgments.first_topics())
