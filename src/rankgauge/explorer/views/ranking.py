"""The ranking of one topic of a run with its curves, as it is and as changed by hand; texts of documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankgauge.engines.local.document_ranks import TopicRanking
from rankgauge.errors import MeasureError, OptionError
from rankgauge.explanation.what_if import Change, WhatIf
from rankgauge.explorer.session import Session
from rankgauge.explorer.views import Parameters
from rankgauge.explorer.views.measures import described
from rankgauge.figures.labels import legible
from rankgauge.measures import Measure, parse, parse_all
from rankgauge.measures.rankings.arrays.curves import Floats

LONGEST = 20_000  # characters of a text
DEPTH, DEEPEST = 100, 10_000  # ranks to show
MAX_MISSED = 500  # relevant documents that are listed below a ranking
CURVES = ("DCG", "P", "CRP")
MAX_HELPS = 100  # documents that are listed as helping most
SMALLEST = 1e-12  # difference that is not one of rounding


def ranking(session: Session, parameters: Parameters) -> dict[str, Any]:
    """The documents down to a depth, the relevant ones that are not among them, and the curves.

    An answer is about one run, so that a saved page can show any runs beside each other.
    """
    topic = session.topic_called(parameters.text("topic"))
    run = session.run_called(parameters.text("run"))
    depth = parameters.number("depth", DEPTH, 1, DEEPEST)
    what_if = WhatIf(session.campaign, run, topic)
    drawn = curves(what_if, max(1, min(what_if.retrieved, depth)))
    found = _answer(about_topic(session, topic), what_if.grades_of_topic, what_if.ranking, depth, drawn)
    if session.document_texts is not None:
        documents = what_if.ranking.texts[:depth]
        texts = session.document_texts.get_many(documents)
        found["titles"] = [texts[name].title if name in texts else "" for name in documents]
    return found


def rankings(
    session: Session, topic: str, runs: Sequence[str], depth: int, missed: int, vectors: Floats
) -> list[Any]:
    """The answers for many runs of a topic, by their names in the files, with much less work for each.

    At most so many `missed` documents are listed. `vectors` has the curves of the runs down to `depth` or
    deeper, (runs, CURVES, ranks).
    """
    about, grades = about_topic(session, topic), session.campaign.qrels.grades_of(topic)
    answers = []
    for run, vector in zip(runs, vectors, strict=True):
        found = session.campaign.ranking(run, topic)
        drawn = vector[:, : max(1, min(len(found), depth))].tolist()
        answers.append(_answer(about, grades, found, depth, dict(zip(CURVES, drawn, strict=True)), missed))
    return answers


def _answer(
    about: Mapping[str, Any],
    judged: Mapping[str, float],
    ranking: TopicRanking,
    depth: int,
    drawn: Mapping[str, list[float]],
    most: int = MAX_MISSED,
) -> dict[str, Any]:
    documents = ranking.texts
    shown, ranks = min(len(documents), depth), {document: rank for rank, document in enumerate(documents, 1)}
    # Those retrieved further down, by rank, and then those that were not; the best grade first.
    below = [*documents[shown:], *(document for document in judged if document not in ranks)]
    missed = [
        (document, judged[document], ranks.get(document))
        for document in below
        if judged.get(document, 0) >= 1
    ]
    missed.sort(key=lambda each: -each[1])
    return {
        **about,
        "retrieved": len(documents),
        "documents": [legible(document) for document in documents[:shown]],
        "scores": ranking.scores[:shown].tolist(),
        "grades": [judged.get(document) for document in documents[:shown]],
        "missed": [[legible(document), grade, rank] for document, grade, rank in missed[:most]],
        "missed_in_all": len(missed),
        "curves": drawn,
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


def document(session: Session, parameters: Parameters) -> dict[str, Any]:
    """The title and the text of a document, as far as there is one; whether the text is cut."""
    name = parameters.text("document")
    text = session.document_texts.get(name) if session.document_texts is not None else None
    return {
        "texts": session.document_texts is not None,
        "known": text is not None,
        "title": text.title if text else "",
        "body": text.body[:LONGEST] if text else "",
        "cut": text is not None and len(text.body) > LONGEST,
    }


def what_if(session: Session, parameters: Parameters) -> dict[str, Any]:
    """The possible changes, and the values and curves before any change.

    Documents are those retrieved, in rank order, then the judged ones that were not, and those added.
    """
    asked = _asked(session, parameters)
    return {
        **about_topic(session, asked.topic),
        "retrieved": asked.retrieved,
        "documents": [legible(document) for document in asked.documents],
        "grades": asked.grades,
        **_values(session, parameters, asked, Change()),
    }


def change(session: Session, parameters: Parameters) -> dict[str, Any]:
    """The values of the measures after a change, the curves, and what would help most then."""
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
    """The values of the topic and the means over topics, and the curves."""
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
    """The gain from moving each relevant document, by one measure; the reason, where there is no answer."""
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
