"""Explaining a value: of one topic, rank by rank; of a run, topic by topic; or a published number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from rankgauge.engines.assembly import judgments_for
from rankgauge.engines.requirements import needs_detail
from rankgauge.engines.run_inputs import resolve_runs
from rankgauge.engines.threads import available
from rankgauge.explanation.mean import Alternative, MeanExplanation, TopicValue, explain_mean
from rankgauge.explanation.one_run import CoveredSubtopic, OneRun
from rankgauge.explanation.target import Candidate, Target, TargetSearch, find_target
from rankgauge.explanation.topic import Explainer, Explanation, Missed, Step
from rankgauge.explanation.way_search import Progress
from rankgauge.explanation.ways import Way, place_of_topic, single_run
from rankgauge.measures import Measure, parse
from rankgauge.measures.named_sets import ONE
from rankgauge.model.rules import Inputs, Reading

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
    progress: Progress | None = None,
    **options: Unpack[Inputs],
) -> Explanation | MeanExplanation | TargetSearch:
    """How the value of a measure was computed: for one topic rank by rank, or for a run topic by topic.

    The measure is nDCG@10 unless another is named. Judgments, run and options are those of `evaluate`, and so
    is the value. With a `target`, a published number, it is which definitions, rules and
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
    reading = Reading.of(options)
    order, topics = reading.order, reading.topics
    if topic is not None and sought is None:
        order.require_one_order("an explanation of a topic shows")
    measures = [] if parsed is None else [parsed]
    needs_detail(measures, order)  # refuses combinations before the judgments are read
    judgments = judgments_for(measures, qrels, **reading.of_qrels)
    of_run = resolve_runs(run, reading, judgments)
    place = None if topic is None else place_of_topic(topic, judgments.sorted_topics)
    one = OneRun(judgments, single_run(of_run), available(threads), place)
    if sought is not None:
        return find_target(one, sought, parsed, order, topics, progress)
    assert parsed is not None
    asked = Way(parsed, order, topics)
    return explain_mean(one, asked) if place is None else Explainer(one, asked).explain()
