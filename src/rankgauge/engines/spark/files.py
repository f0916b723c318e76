"""Evaluating files and directories on any file system that Spark reads, for the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankgauge.engines.spark.evaluation import evaluate_rows, require_no_line_order
from rankgauge.engines.spark.inputs import read_judgments, runs_at
from rankgauge.engines.spark.library import session
from rankgauge.engines.spark.plans import PLANS
from rankgauge.measures import parse_all
from rankgauge.model.recoding import Grades
from rankgauge.model.rules import Rules, split_rules
from rankgauge.model.scores import Scores
from rankgauge.schema.checks import choice

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on


def evaluate_files(
    qrels: Any,
    runs: Sequence[str],
    measures: Any,
    *,
    master: str | None = None,
    plan: str = "auto",
    run_format: str | None = None,
    qrels_format: str | None = None,
    run_columns: Mapping[str, str] | None = None,
    qrels_columns: Mapping[str, str] | None = None,
    grades: Grades = None,
    **rules: Unpack[Rules],
) -> Scores:
    """The scores of runs in files and directories; each path is a run, unless a column names it (tag=NAME).

    A directory is what Spark writes: the parts of one run, or of a table of many. One that is partitioned by
    run (run=bm25/part-0.parquet) holds several. `qrels` is a path as well, or judgments in memory.
    """
    choice("plan", plan, PLANS)
    parsed = parse_all(measures)
    order, topic_rules = split_rules(rules)
    require_no_line_order(order)
    spark = session(master)
    given = runs_at(spark, runs, run_format, run_columns, ranks=order.needs_ranks)
    path = qrels if isinstance(qrels, str) else None
    evaluation = evaluate_rows(
        qrels if path is None else read_judgments(spark, path, qrels_format),
        given,
        parsed,
        order,
        topic_rules,
        qrels_columns=None if path is None else qrels_columns,
        grades=grades,
        plan=plan,
        qrels_source=path,
    )
    try:
        return evaluation.scores(list(given.sources) or None)
    finally:
        evaluation.unpersist()
