"""Explaining a value: of one topic, rank by rank; of a run, topic by topic; or a number of somebody else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from rankgauge.engines.assembly import assemble, longest
from rankgauge.engines.facts import notes_on
from rankgauge.engines.judgments import judgments_for, numbers_in_topics, place_of_topic, pool_of_topic
from rankgauge.engines.local.document_ranks import documents_of_topic
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.engines.local.reading import read_runs
from rankgauge.engines.requirements import needs_detail, tie_visibility
from rankgauge.engines.run_inputs import RunInput, resolve_runs
from rankgauge.engines.threads import available
from rankgauge.errors import InputError
from rankgauge.explanation.explainer import Explainer
from rankgauge.explanation.explanation import Explanation, Missed, Step
from rankgauge.explanation.mean import Alternative, MeanExplanation, TopicValue
from rankgauge.explanation.mean_explainer import explain_mean
from rankgauge.explanation.search import Progress
from rankgauge.explanation.subtopics import CoveredSubtopic
from rankgauge.explanation.target import Target
from rankgauge.explanation.target_search import Candidate, TargetSearch, find_target
from rankgauge.explanation.ways import OneRun, Way
from rankgauge.measures import Measure, parse
from rankgauge.measures.named_sets import ONE
from rankgauge.model.document_order import DocumentOrder
from rankgauge.model.qrels import Qrels
from rankgauge.model.recoding import Grades
from rankgauge.model.rules import Inputs, Rules, split_rules
from rankgauge.model.subtopics import SubtopicQrels

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
    *,
    topic: str | bytes | int,
    measure: str | Measure | None = None,
    target: None = None,
    **options: Unpack[Options],
) -> Explanation: ...


@overload
def explain(
    qrels: Any,
    run: Any,
    *,
    topic: str | bytes | int | None = None,
    measure: str | Measure | None = None,
    target: str | float,
    **options: Unpack[Options],
) -> TargetSearch: ...


@overload
def explain(
    qrels: Any,
    run: Any,
    *,
    topic: None = None,
    measure: str | Measure | None = None,
    target: None = None,
    **options: Unpack[Options],
) -> MeanExplanation: ...


def explain(
    qrels: Any,
    run: Any,
    *,
    topic: str | bytes | int | None = None,
    measure: str | Measure | None = None,
    target: str | float | None = None,
    threads: int | None = None,
    run_format: str | None = None,
    qrels_format: str | None = None,
    run_columns: Mapping[str, str] | None = None,
    qrels_columns: Mapping[str, str] | None = None,
    grades: Grades = None,
    progress: Progress | None = None,
    **rules: Unpack[Rules],
) -> Explanation | MeanExplanation | TargetSearch:
    """How the value of a measure was computed: for one topic rank by rank, or for a run topic by topic.

    The measure is nDCG@10 unless another is named. Judgments, run and options are those of `evaluate`, and so
    is the value. With a `target`, a number that somebody else printed, it is which definitions, rules and
    tools give that number. The search is around `measure`, or among well-known measures. A text such as
    "0.3420" keeps its last digit.

    >>> qrels, run = {"q1": {"d1": 1}, "q2": {"d1": 1}}, {"q1": {"d1": 0.2, "d2": 0.5}, "q2": {"d1": 1}}
    >>> why = explain(qrels, run, topic="q1", measure="RR")
    >>> why.value, why.steps[-1].document, why.steps[-1].first
    (0.5, 'd1', 2)
    >>> why = explain(qrels, run, measure="RR")
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
    given = _one_run(resolve_runs(run, run_format, run_columns))
    judgments = judgments_for(
        measures,
        qrels,
        format=qrels_format,
        columns=qrels_columns,
        duplicates=order.duplicates,
        grades=grades,
    )
    place = None if topic is None else place_of_topic(topic, judgments)
    workers = available(threads)
    if sought is not None:
        return find_target(OneRun(judgments, given, workers, place), sought, parsed, order, topics, progress)
    assert parsed is not None
    if place is not None:
        return _explain_topic(judgments, place, given, parsed, order, workers)
    return explain_mean(OneRun(judgments, given, workers), Way(parsed, order, topics))


def _one_run(runs: list[RunInput]) -> RunInput:
    if len(runs) > 1:
        names = ", ".join([*(repr(each.name) for each in runs[:3]), *["..."][: len(runs) > 3]])
        raise InputError(f"one run is explained at a time; these are {len(runs)} ({names}); choose one")
    return runs[0]


def _explain_topic(
    judgments: Qrels, place: int, run: RunInput, measure: Measure, order: DocumentOrder, threads: int
) -> Explanation:
    # Every judged document is shown, even if the measure ignores it.
    detail, visible = needs_detail([measure], order), tie_visibility([measure], *judgments.kinds)
    (retrieved,) = read_runs(LocalEngine(judgments, order, detail=detail, visible=visible), [run], threads)
    begin, end = judgments.starts[place], judgments.starts[place + 1]
    j = assemble(
        [retrieved],
        place,
        place + 1,
        judgments.sorted_grades,
        pool_of_topic(judgments, place),
        longest([retrieved]),
        numbers_in_topics(judgments),
    )
    explainer = Explainer(
        measure=measure,
        j=j,
        docs=judgments.sorted_docs.take(np.arange(begin, end)).texts(),
        retrieved=(retrieved.judgment[retrieved.within(place, place + 1)] - begin).tolist(),
        subtopics=judgments.subtopics[place] if isinstance(judgments, SubtopicQrels) else (),
        ranked=documents_of_topic(run.open(), judgments.sorted_topics[place], order),
    )
    return explainer.explain(
        run=run.name,
        topic=judgments.sorted_topics[place],
        order=order,
        recoding=judgments.recoding,
        decisive=int(retrieved.decisive[place]),
        notes=notes_on([run], [retrieved]),
    )
