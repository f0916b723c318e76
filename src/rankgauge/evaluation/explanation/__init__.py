"""How a number came about: one run, one topic, one measure, rank by rank."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.core.ids import to_text
from rankgauge.engines.assembly import assemble, longest
from rankgauge.engines.judgments import judgments_for, numbers_in_topics
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.engines.requirements import needs_detail
from rankgauge.engines.run_inputs import resolve_runs
from rankgauge.engines.threads import available
from rankgauge.errors import InputError
from rankgauge.evaluation.explanation.nuggets import Nugget
from rankgauge.evaluation.explanation.record import Explanation, Missed, Step
from rankgauge.evaluation.explanation.working import Working
from rankgauge.measures import Measure, parse
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import OrderRules, order_from
from rankgauge.model.subtopics import SubtopicQrels
from rankgauge.rankings.arrays import Pool, Subtopics
from rankgauge.schema.text import nearest

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on

__all__ = ["Explanation", "Missed", "Nugget", "Step", "explain"]


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
    **rules: Unpack[OrderRules],
) -> Explanation:
    """How the value of a measure for one topic of a run came about, rank by rank.

    Judgments, run and options are given as to `evaluate`, and the value is the one that it returns.

    >>> why = explain({"q1": {"d1": 1}}, {"q1": {"d1": 0.2, "d2": 0.5}}, topic="q1", measure="RR")
    >>> why.value, why.steps[-1].document, why.steps[-1].first
    (0.5, 'd1', 2)
    """
    wanted = parse(measure)
    order = order_from(rules).require_one_order("an explanation shows")
    judgments = judgments_for(
        [wanted], qrels, format=qrels_format, columns=qrels_columns, duplicates=order.duplicates
    )
    place = _place(topic, judgments)
    given = resolve_runs(run, run_format, run_columns)
    if len(given) > 1:
        names = ", ".join([*(repr(each.name) for each in given[:3]), *["..."][: len(given) > 3]])
        raise InputError(f"one run is explained at a time; these are {len(given)} ({names})")
    # Every judged document is shown, whatever the measure looks at.
    engine = LocalEngine(judgments, order, detail=needs_detail([wanted], order))
    hits = engine.retrieve(given[0].open(), available(threads))

    begin, end = judgments.starts[place], judgments.starts[place + 1]
    known = Subtopics(**judgments.by_subtopic) if isinstance(judgments, SubtopicQrels) else None
    pool = Pool(judgments.sorted_grades, judgments.starts, judgments.levels, known).only(place)
    found = hits.judgment[hits.within(place, place + 1)] - begin
    working = Working(
        measure=wanted,
        j=assemble(
            [hits],
            place,
            place + 1,
            judgments.sorted_grades,
            pool,
            longest([hits]),
            numbers_in_topics(judgments),
        ),
        docs=judgments.sorted_docs.take(np.arange(begin, end)).texts(),
        found=found.tolist(),
        subtopics=judgments.subtopics[place] if isinstance(judgments, SubtopicQrels) else (),
    )
    return working.explanation(
        run=given[0].name,
        topic=judgments.sorted_topics[place],
        order=order,
        decisive=int(hits.decisive[place]),
    )


def _place(topic: Any, judgments: Qrels) -> int:
    """The number of a topic among the judged ones."""
    name = to_text(topic) if isinstance(topic, bytes) else str(topic)
    known = judgments.sorted_topics
    if name not in known:
        more = ", ..." if len(known) > 5 else ""
        raise InputError(
            f"no topic of the judgments is called {name!r}{nearest(name, known)}; "
            f"there are {len(known)}: {', '.join(map(repr, known[:5]))}{more}"
        )
    return known.index(name)
