"""Explaining a value: of one topic, rank by rank; of a run, topic by topic; or a number of somebody else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, overload

from rankgauge.engines.requirements import needs_detail
from rankgauge.engines.run_inputs import resolve_runs
from rankgauge.errors import MissingDependency
from rankgauge.explanation.explainer import Explainer
from rankgauge.explanation.mean import Alternative, MeanExplanation, TopicValue, explain_mean
from rankgauge.explanation.scalar_run import ScalarRun
from rankgauge.explanation.target import Candidate, Target, TargetSearch, find_target
from rankgauge.explanation.topic import CoveredSubtopic, Explanation, Missed, Step
from rankgauge.explanation.way_search import Progress
from rankgauge.explanation.ways import OneRun, Way, single_run
from rankgauge.measures import Measure, parse
from rankgauge.measures.named_sets import ONE
from rankgauge.measures.rankings.vector import Unsupported
from rankgauge.model.rules import DocumentOrder, Grades, Inputs, Rules, TopicRules, split_rules
from rankgauge.schema.lazy import dependencies

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on

__all__ = [
    "Alternative",
    "Candidate",
    "CoveredSubtopic",
    "Explanation",
    "MeanExplanation",
    "Missed",
    "Step",
    "TargetSearch",
    "TopicValue",
    "explain",
]


class Options(Inputs, total=False):
    """The options of `explain`, for the type checker."""

    threads: int | None
    progress: Progress | None


@overload
def explain(
    qrels: Any,
    run: Any,
    measure: str | Measure | None = None,
    *,
    topic: str | bytes | int,
    target: None = None,
    **options: Unpack[Options],
) -> Explanation: ...


@overload
def explain(
    qrels: Any,
    run: Any,
    measure: str | Measure | None = None,
    *,
    topic: str | bytes | int | None = None,
    target: str | float,
    **options: Unpack[Options],
) -> TargetSearch: ...


@overload
def explain(
    qrels: Any,
    run: Any,
    measure: str | Measure | None = None,
    *,
    topic: None = None,
    target: None = None,
    **options: Unpack[Options],
) -> MeanExplanation: ...


def explain(
    qrels: Any,
    run: Any,
    measure: str | Measure | None = None,
    *,
    topic: str | bytes | int | None = None,
    target: str | float | None = None,
    threads: int | None = None,
    run_format: str | None = None,
    qrels_format: str | None = None,
    run_columns: Mapping[str, str] | None = None,
    qrels_columns: Mapping[str, str] | None = None,
    collapse: Any = None,
    grades: Grades = None,
    progress: Progress | None = None,
    **rules: Unpack[Rules],
) -> Explanation | MeanExplanation | TargetSearch:
    """How the value of a measure was computed: for one topic rank by rank, or for a run topic by topic.

    The measure is nDCG@10 unless another is named. Judgments, run and options are those of `evaluate`, and so
    is the value. With a `target`, a number that somebody else printed, it is which definitions, rules and
    tools give that number, or which other measure. The search is around `measure`, or among well-known ones.
    A text such as "0.3420" keeps its last digit.

    >>> qrels, run = {"q1": {"d1": 1}, "q2": {"d1": 1}}, {"q1": {"d1": 0.2, "d2": 0.5}, "q2": {"d1": 1}}
    >>> why = explain(qrels, run, topic="q1", measure="RR")
    >>> why.value, why.steps[-1].document, why.steps[-1].first
    (0.5, 'd1', 2)
    >>> why = explain(qrels, run, "RR")
    >>> why.value, [(each.topic, each.value) for each in why.topics]
    (0.75, [('q2', 1.0), ('q1', 0.5)])
    >>> explain(qrels, run, measure="RR", target="0.7071").matches[0].measure
    'RR(average=geometric)'
    """
    sought = None if target is None else Target.of(target)
    if measure is None and sought is None:
        measure = ONE
    parsed = None if measure is None else parse(measure)
    order, topics = split_rules(rules)
    if topic is not None and sought is None:
        order.require_one_order("an explanation of a topic shows")
    measures = [] if parsed is None else [parsed]
    needs_detail(measures, order)  # refuses combinations before the judgments are read
    reading = {
        "format": qrels_format,
        "columns": qrels_columns,
        "duplicates": order.duplicates,
        "grades": grades,
    }
    asked = sought, parsed, order, topics, progress
    try:
        with dependencies():
            from rankgauge.explanation.array_run import read_run
    except MissingDependency as missing:
        if not isinstance(qrels, str) or any(
            (run_format, run_columns, collapse, qrels_format, qrels_columns, grades)
        ):
            raise
        try:
            with dependencies():  # of runs that are no files
                one = single_run(resolve_runs(run))
            return _answer(ScalarRun(qrels, one, topic, order.duplicates), *asked)
        except Unsupported:
            raise missing from None
    of_runs = {"format": run_format, "columns": run_columns, "collapse": collapse, "order": order}
    return _answer(read_run(measures, qrels, run, topic, of_runs, threads, **reading), *asked)


def _answer(
    one: OneRun,
    sought: Target | None,
    measure: Measure | None,
    order: DocumentOrder,
    topics: TopicRules,
    progress: Progress | None,
) -> Explanation | MeanExplanation | TargetSearch:
    if sought is not None:
        return find_target(one, sought, measure, order, topics, progress)
    assert measure is not None
    asked = Way(measure, order, topics)
    return explain_mean(one, asked) if one.place is None else Explainer(one, asked).explain()
