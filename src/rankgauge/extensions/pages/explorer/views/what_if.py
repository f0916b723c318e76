"""The ranking of a topic as changed by hand."""

from __future__ import annotations

from typing import Any

from rankgauge.errors import MeasureError, OptionError
from rankgauge.extensions.pages.explorer.session import Session
from rankgauge.extensions.pages.explorer.views import Parameters, View, add_view
from rankgauge.extensions.pages.explorer.views.measures import described
from rankgauge.extensions.pages.explorer.views.ranking import DEPTH, about_topic
from rankgauge.extensions.pages.explorer.what_if import Change, WhatIf
from rankgauge.measures import Measure, parse, parse_all
from rankgauge.schema.text import printable

CURVES = ("DCG", "P", "CRP")
MAX_HELPS = 100  # documents that are listed as helping most
SMALLEST = 1e-12  # difference that is not one of rounding


def curves(what_if: WhatIf, depth: int, **change: Any) -> dict[str, list[float]]:
    """{measure: values at every rank down to a depth}."""
    return dict(zip(CURVES, what_if.curves(CURVES, depth, **change), strict=True))


def what_if(session: Session, parameters: Parameters) -> dict[str, Any]:
    """The possible changes, and values and curves before any.

    Documents are those retrieved, in rank order, then the judged ones that were not, and those added.
    """
    asked = _asked(session, parameters)
    listed = (*asked.documents[:DEPTH], *asked.documents[asked.retrieved :])
    texts = session.document_texts.get_many(listed) if session.document_texts is not None else {}
    return {
        **about_topic(session, asked.topic),
        "retrieved": asked.retrieved,
        "documents": [printable(document) for document in asked.documents],
        "titles": [texts[document].title if document in texts else "" for document in asked.documents],
        "grades": asked.grades,
        **_values(session, parameters, asked, Change()),
    }


def change(session: Session, parameters: Parameters) -> dict[str, Any]:
    """Values and curves after a change, and what would help most then."""
    asked = _asked(session, parameters)
    changed = Change(
        ranking=parameters.numbers("ranking"),
        grades=dict(_grade(each) for each in parameters.objects("grades")),
    )
    measures = _measures(session, parameters)
    return {
        **_values(session, parameters, asked, changed),
        "helps": _helps(asked, parse(parameters.text("by", str(measures[0]))), changed),
    }


def _measures(session: Session, parameters: Parameters) -> tuple[Measure, ...]:
    return parse_all(parameters.text("measures", " ".join(session.measures)))


def _values(session: Session, parameters: Parameters, asked: WhatIf, changed: Change) -> dict[str, Any]:
    measures = _measures(session, parameters)
    values = asked.values(measures, changed)
    length = asked.retrieved if changed.ranking is None else len(changed.ranking)
    return {
        "measures": [described(session, str(each)) for each in measures],
        "topic": list(values.topic),
        "mean": list(values.mean),
        "curves": curves(asked, max(1, min(DEPTH, length)), change=changed),
    }


def _asked(session: Session, parameters: Parameters) -> WhatIf:
    run, topic = parameters.text("run"), parameters.text("topic")
    added = parameters.texts("added")
    return WhatIf(session.campaign, session.run_called(run), session.topic_called(topic), added)


def _grade(given: Any) -> tuple[int, float | None]:
    number = given.get("document")
    if type(number) is not int:
        raise OptionError("a changed judgment names its document by number")
    return number, Parameters(given).real("grade")


def _helps(asked: WhatIf, by: Measure, changed: Change) -> dict[str, Any]:
    """The gain from moving each relevant document, or the reason why there is none."""
    try:
        helps, left_out = asked.helps(by, changed)
    except MeasureError as error:
        return {"by": str(by), "error": str(error), "rows": [], "left_out": 0, "in_vain": 0}
    rows = [
        [each.document, each.rank, each.place, each.effort, each.difference]
        for each in helps
        if each.difference * (by.spec.direction or 1) >= SMALLEST
    ]
    return {
        "by": str(by),
        "rows": rows[:MAX_HELPS],
        "left_out": left_out + max(0, len(rows) - MAX_HELPS),
        "in_vain": len(helps) - len(rows),
    }


add_view(
    View(
        "what-if",
        {"what-if": what_if},
        {"what-if": change},
        offered=lambda session: session.has_judged_rankings,
    )
)
