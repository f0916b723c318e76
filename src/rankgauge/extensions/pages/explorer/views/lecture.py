"""A measure step by step, for lectures: a ranking, what each rank adds, and the ideal ranking beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankgauge.explanation import explain
from rankgauge.extensions.pages.explorer.session import Session
from rankgauge.extensions.pages.explorer.views import Parameters, View, add_view
from rankgauge.extensions.pages.explorer.views.measures import described
from rankgauge.extensions.pages.explorer.views.ranking import query_of
from rankgauge.measures import parse
from rankgauge.model.output.tables import printable

if TYPE_CHECKING:
    from rankgauge.explanation.one_run import CoveredSubtopic
    from rankgauge.explanation.topic import Explanation

DEPTH = 10  # ranks, as many as fit on a screen
SUMS = ("CRP",)  # columns that add up others
IDEAL_RANKS = ("ideal from", "ideal to")


def lecture(session: Session, parameters: Parameters) -> dict[str, Any]:
    """What each rank adds to the value of a run on a topic, as `steps`, with names of documents to show."""
    topic = session.topic_called(parameters.text("topic"))
    run = session.run_called(parameters.text("run"))
    measure = parse(parameters.text("measure", session.measures[0]))
    campaign = session.campaign
    rules: dict[str, Any] = campaign.order.as_dict() | campaign.rules.as_dict()
    given = campaign.inputs[campaign.runs.index(run)]
    found = explain(campaign.qrels, given, measure, topic=topic, threads=campaign.threads, **rules)
    made = steps(found, campaign.qrels.grades_of(topic))
    documents = [row["document"] for row in (*made["rows"], *made["best"])]
    texts = session.document_texts.get_many(documents) if session.document_texts is not None else {}
    for row in (*made["rows"], *made["best"]):
        text = texts.get(row["document"])
        row["name"] = printable((text and text.title) or row["document"])
    levels = campaign.qrels.levels.tolist()
    return {
        **made,
        "measure": described(session, str(measure)),
        "query": query_of(session, topic),
        "levels": levels,
    }


def steps(found: Explanation, grades: Mapping[str, float]) -> dict[str, Any]:
    """The first ranks of a ranking and of the ideal one, from an explanation and the grades of its topic.

    `rows` has those of the ranking, `best` those of the ideal one. `part` is what a rank adds to `sum`, the
    column `total` (such as DCG), or else the measure itself; `worth` is that of each of the subtopics
    `names`; `belongs` has the first and the last rank of documents of this grade in the ideal ranking.
    """
    kept = [step for step in found.steps if step.document is not None][:DEPTH]
    columns = list(kept[0].columns) if kept else []
    total = next((name for name in columns if f"ideal {name}" in columns or name in SUMS), "")
    sums = [step.columns[total] if total else step.value for step in kept]
    ideal = [step.columns.get(f"ideal {total}") if total else step.ideal for step in kept]
    names = sorted({of.name for step in kept for of in (*step.subtopics, *step.ideal_subtopics)})
    by_grade = sorted((doc for doc in grades if grades[doc] > 0), key=lambda doc: (-grades[doc], doc))
    best = [
        {
            "document": document,
            "grade": grades.get(document),
            "part": part,
            "sum": at,
            "worth": _worth(names, step.ideal_subtopics),
        }
        for step, document, part, at in zip(kept, _best(kept, by_grade), _parts(ideal), ideal, strict=False)
        if document is not None
    ]
    rows = [
        {
            "document": step.document,
            "grade": step.grade,
            "gain": step.gain,
            "discount": step.discount,
            "part": part,
            "sum": at,
            "value": step.value,
            "ideal": step.ideal,
            "worth": _worth(names, step.subtopics),
            "belongs": [int(step.columns[name]) for name in IDEAL_RANKS if name in step.columns] or None,
        }
        for step, part, at in zip(kept, _parts(sums), sums, strict=True)
    ]
    return {"total": total, "value": found.value, "names": names, "rows": rows, "best": best}


def _best(kept: Sequence[Any], by_grade: Sequence[str]) -> Sequence[str | None]:
    of_subtopics = [step.ideal_document for step in kept]
    return of_subtopics if any(of_subtopics) else by_grade


def _parts(sums: Sequence[float | None]) -> list[float | None]:
    """What each adds to the one before."""
    before = [0.0, *sums]
    return [None if at is None or was is None else at - was for was, at in zip(before, sums, strict=False)]


def _worth(names: Sequence[str], covered: Sequence[CoveredSubtopic]) -> list[float | None]:
    worth = {of.name: 1.0 if of.worth is None else of.worth for of in covered}
    return [worth.get(name) for name in names]


add_view(View("lecture", {"lecture": lecture}, offered=lambda session: session.has_judged_rankings))
