"""Explaining a value: how a measure was computed for one run and topic, rank by rank."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.core.ids import to_text
from rankgauge.engines.assembly import assemble, longest
from rankgauge.engines.judgments import judgments_for, numbers_in_topics
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.engines.requirements import needs_detail, order_reach
from rankgauge.engines.run_inputs import resolve_runs
from rankgauge.engines.threads import available
from rankgauge.errors import InputError
from rankgauge.evaluation.explanation.explainer import Explainer
from rankgauge.evaluation.explanation.explanation import Explanation, Missed, Step
from rankgauge.evaluation.explanation.subtopics import CoveredSubtopic
from rankgauge.measures import Measure, parse
from rankgauge.model.qrels import Qrels
from rankgauge.model.recoding import Grades
from rankgauge.model.rules import OrderRules, order_from
from rankgauge.model.subtopics import SubtopicQrels
from rankgauge.rankings.arrays import Pool, Subtopics
from rankgauge.schema.text import unknown_name

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on

__all__ = ["CoveredSubtopic", "Explanation", "Missed", "Step", "explain"]


def explain(
    qrels: Any,
    run: Any,
    *,
    topic: str,
    measure: str | Measure,
    threads: int | None = None,
    run_format: str | None = None,
    qrels_format: str | None = None,
    run_columns: Mapping[str, str] | None = None,
    qrels_columns: Mapping[str, str] | None = None,
    grades: Grades = None,
    **rules: Unpack[OrderRules],
) -> Explanation:
    """How the value of a measure for one topic of a run was computed, rank by rank.

    Judgments, run and options are those of `evaluate`, and so is the value.

    >>> why = explain({"q1": {"d1": 1}}, {"q1": {"d1": 0.2, "d2": 0.5}}, topic="q1", measure="RR")
    >>> why.value, why.steps[-1].document, why.steps[-1].first
    (0.5, 'd1', 2)
    """
    parsed = parse(measure)
    order = order_from(rules).require_one_order("an explanation shows")
    judgments = judgments_for(
        [parsed],
        qrels,
        format=qrels_format,
        columns=qrels_columns,
        duplicates=order.duplicates,
        grades=grades,
    )
    place = _place(topic, judgments)
    inputs = resolve_runs(run, run_format, run_columns)
    if len(inputs) > 1:
        names = ", ".join([*(repr(each.name) for each in inputs[:3]), *["..."][: len(inputs) > 3]])
        raise InputError(f"one run is explained at a time; these are {len(inputs)} ({names})")
    # Every judged document is shown, even if the measure ignores it.
    reach = order_reach([parsed])
    engine = LocalEngine(judgments, order, detail=needs_detail([parsed], order), reach=reach)
    retrieved = engine.retrieve(inputs[0].open(), available(threads))

    begin, end = judgments.starts[place], judgments.starts[place + 1]
    subtopics = Subtopics(**judgments.by_subtopic) if isinstance(judgments, SubtopicQrels) else None
    pool = Pool(judgments.sorted_grades, judgments.starts, judgments.levels, subtopics).only(place)
    explainer = Explainer(
        measure=parsed,
        j=assemble(
            [retrieved],
            place,
            place + 1,
            judgments.sorted_grades,
            pool,
            longest([retrieved]),
            numbers_in_topics(judgments),
        ),
        docs=judgments.sorted_docs.take(np.arange(begin, end)).texts(),
        retrieved=(retrieved.judgment[retrieved.within(place, place + 1)] - begin).tolist(),
        subtopics=judgments.subtopics[place] if isinstance(judgments, SubtopicQrels) else (),
    )
    return explainer.explain(
        run=inputs[0].name,
        topic=judgments.sorted_topics[place],
        order=order,
        recoding=judgments.recoding,
        decisive=int(retrieved.decisive[place]),
    )


def _place(topic: Any, judgments: Qrels) -> int:
    """The index of a topic among the judged ones."""
    name = to_text(topic) if isinstance(topic, bytes) else str(topic)
    known = judgments.sorted_topics
    if name not in known:
        raise InputError(unknown_name("topic of the judgments", name, known))
    return known.index(name)
