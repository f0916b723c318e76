"""The ranking of one topic of a run, with its grades and its curves."""

from __future__ import annotations

from itertools import islice
from typing import Any

from rankgauge.explorer.parameters import Parameters
from rankgauge.explorer.session import Session
from rankgauge.figures.labels import legible
from rankgauge.studies.what_if import WhatIf

DEPTH, DEEPEST = 100, 10_000  # ranks to show
MOST_MISSED = 500  # relevant documents that are listed below a ranking
CURVES = ("DCG", "P", "CRP")


def ranking(session: Session, parameters: Parameters) -> dict[str, Any]:
    """The documents down to a depth, the relevant ones that are not among them, and the curves.

    An answer is about one run, so that a saved page can show any runs beside each other.
    """
    topic = session.topic_called(parameters.text("topic"))
    run = session.run_called(parameters.text("run"))
    depth = parameters.number("depth", DEPTH, 1, DEEPEST)
    what_if = WhatIf(session.campaign, run, topic)
    grades = what_if.grades
    shown = min(what_if.retrieved, depth)
    missed = [
        (document, grade, rank + 1 if rank < what_if.retrieved else None)
        for rank, (document, grade) in islice(
            enumerate(zip(what_if.documents, grades, strict=True)), shown, None
        )
        if grade is not None and grade >= 1
    ]
    missed.sort(key=lambda each: -each[1])  # the best grade first, and then by rank
    return {
        **about_topic(session, topic),
        "retrieved": what_if.retrieved,
        "documents": [legible(document) for document in what_if.documents[:shown]],
        "scores": what_if.scores[:shown].tolist(),
        "grades": grades[:shown],
        "missed": [[legible(document), grade, rank] for document, grade, rank in missed[:MOST_MISSED]],
        "missed_in_all": len(missed),
        "curves": curves(what_if, max(1, shown)),
    }


def about_topic(session: Session, topic: str) -> dict[str, Any]:
    """The query of a topic, if it is known, the number of relevant documents, and all grades there are."""
    text = session.topic_texts.get(topic) if session.topic_texts is not None else None
    grades = session.campaign.qrels.grades_of(topic)
    return {
        "query": (text.title or text.body) if text else "",
        "relevant": sum(grade >= 1 for grade in grades.values()),
        "judged": len(grades),
        "levels": session.campaign.qrels.levels.tolist(),
    }


def curves(what_if: WhatIf, depth: int, **change: Any) -> dict[str, list[float]]:
    """{measure: its values at every rank down to a depth}."""
    return dict(zip(CURVES, what_if.curves(CURVES, depth, **change), strict=True))
