"""Judging: the next document, and the actions that record decisions and take them back."""

from __future__ import annotations

import base64
import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from rankgauge.errors import InputError, OptionError
from rankgauge.explorer.judging import SHARES, Judging, Queue
from rankgauge.explorer.parameters import Parameters
from rankgauge.explorer.session import Session
from rankgauge.model.qrels import Qrels
from rankgauge.model.tables import printable
from rankgauge.schema.checks import choice
from rankgauge.studies.assessment import Decision
from rankgauge.studies.assessment.decisions import RESOLVE
from rankgauge.studies.assessment.pooling import ORDERS

DEPTH = 10
MOST_DEPTH = 1000
MOST_CHARACTERS = 200_000  # of a document's text on the page


def judge(session: Session, parameters: Parameters) -> dict[str, Any]:
    """Who judges, which grades there are, how far an assessor got, and the document to judge now."""
    if session.judging is None:
        return {"journal": None, "command": session.command}
    judging = session.judging
    decisions, assessor = judging.journal.decisions(), parameters.text("assessor", "")
    state = {
        "journal": judging.journal.path,
        "notes": list(judging.journal.notes),
        "assessors": list(decisions.assessors),
        "grades": list(judging.grades),
        "depth": _depth(parameters),
        "order": _order(parameters),
        "orders": ORDERS,
        "share": _share(parameters),
        "shares": SHARES,
        "resolve": RESOLVE,
    }
    if not assessor:
        return state
    queue, topic = queue_of(judging, parameters), parameters.text("topic", "")
    settled = queue.settled(decisions, assessor, _share(parameters))
    done = Counter(topic for topic, _ in settled)
    topics = [[judging.shown_topic(each), done[each], len(docs)] for each, docs in queue.documents.items()]
    document = parameters.text("document", "")
    chosen = judging.topic_called(topic) if topic else None
    place = (chosen, document) if chosen is not None and document else None
    if place is not None:
        judging.require(queue, *place)
    if chosen is None and (last := decisions.last(assessor)) is not None:
        chosen = last.topic
    return state | {"topics": topics, "task": _task(session, parameters, assessor, chosen, place)}


def decide(session: Session, parameters: Parameters) -> dict[str, Any]:
    """Record a decision; the next document, once the decision is on disk."""
    judging = _judging(session)
    queue, assessor = queue_of(judging, parameters), parameters.text("assessor")
    topic = judging.topic_called(parameters.text("topic"))
    decision = judging.decide(
        queue,
        assessor,
        topic,
        parameters.text("document"),
        parameters.real("grade"),
        parameters.text("comment", ""),
    )
    return {
        "recorded": _shown(judging, decision),
        "progress": _progress(judging, parameters, assessor, topic),
        "task": _task(session, parameters, assessor, topic),
    }


def undo(session: Session, parameters: Parameters) -> dict[str, Any]:
    """Take the last decision of an assessor back; its document is the one to judge again."""
    judging = _judging(session)
    assessor = parameters.text("assessor")
    last = judging.journal.undo(assessor)
    if last is None:
        raise OptionError(f"{assessor} has no decision to take back")
    return {
        "undone": _shown(judging, last),
        "progress": _progress(judging, parameters, assessor, last.topic),
        "task": _task(session, parameters, assessor, last.topic, last.place),
    }


def export(session: Session, parameters: Parameters) -> dict[str, Any]:
    """A file of judgments: those of one assessor or of all, alone or with the ones from the start."""
    judging = _judging(session)
    assessor = parameters.text("assessor", "") or None
    resolve = choice("resolve", parameters.text("resolve", "majority"), RESOLVE)
    qrels = judging.journal.qrels(assessor, resolve)
    if choice("with", parameters.text("with", "new"), ("new", "all")) == "all":
        nested = session.campaign.qrels.to_dict()
        for topic, docs in qrels.to_dict().items():
            nested[topic] = nested.get(topic, {}) | docs
        qrels = Qrels.from_dict(nested)
    with tempfile.TemporaryDirectory(prefix="rankgauge-") as folder:
        path = Path(folder) / "judgments.qrels"
        qrels.write(path, "trec")
        data = path.read_bytes()
    name = re.sub(r"\W+", "-", f"judgments {assessor or ''}").strip("-")
    return {"name": f"{name}.qrels", "base64": base64.b64encode(data).decode(), "judgments": len(qrels)}


def _judging(session: Session) -> Judging:
    if session.judging is None:
        raise InputError("there is no journal; start with --journal FILE")
    return session.judging


def queue_of(judging: Judging, parameters: Parameters) -> Queue:
    """The documents to judge that a page asks for."""
    return judging.queue(_depth(parameters), _order(parameters))


def _depth(parameters: Parameters) -> int:
    return parameters.number("depth", DEPTH, 1, MOST_DEPTH)


def _order(parameters: Parameters) -> str:
    return choice("order", parameters.text("order", "id"), ORDERS)


def _share(parameters: Parameters) -> str:
    return choice("share", parameters.text("share", "all"), SHARES)


def _progress(judging: Judging, parameters: Parameters, assessor: str, topic: str) -> list[Any]:
    """How far an assessor got with a topic: its name, documents settled, documents in all."""
    queue = queue_of(judging, parameters)
    settled = queue.settled(judging.journal.decisions(), assessor, _share(parameters))
    done = sum(each == topic for each, _ in settled)
    return [judging.shown_topic(topic), done, len(queue.documents.get(topic, ()))]


def _task(
    session: Session,
    parameters: Parameters,
    assessor: str,
    topic: str | None,
    place: tuple[str, str] | None = None,
) -> dict[str, Any]:
    """The document to judge now, with what an assessor sees of it; without one if all are settled."""
    judging = _judging(session)
    queue, decisions = queue_of(judging, parameters), judging.journal.decisions()
    settled, last = queue.settled(decisions, assessor, _share(parameters)), decisions.last(assessor)
    place = place or queue.next(settled, topic)
    own = [decision.place for decision in decisions.counting(assessor)]
    before = own[: own.index(place)] if place in own else own
    task: dict[str, Any] = {
        "done": len(settled),
        "total": queue.total,
        "back": _named(judging, *before[-1]) if before else None,
        "last": last and _shown(judging, last),
        "document": None,
    }
    if place is None:
        return task
    decision = decisions.latest(assessor, *place)
    return task | {
        "topic": {
            "name": judging.shown_topic(place[0]),
            **_text(session.topic_texts, place[0]),
            "done": sum(topic == place[0] for topic, _ in settled),
            "total": len(queue.documents.get(place[0], ())),
        },
        "document": {**_named(judging, *place), **_text(session.document_texts, place[1])},
        "decision": decision and _shown(judging, decision),
    }


def _named(judging: Judging, topic: str, document: str) -> dict[str, str]:
    return {"topic": judging.shown_topic(topic), "id": document, "name": printable(document)}


def _shown(judging: Judging, decision: Decision) -> dict[str, Any]:
    """A decision for the page."""
    return {
        **_named(judging, *decision.place),
        "grade": decision.grade,
        "comment": decision.comment,
        "time": decision.time,
    }


def _text(texts: Any, identifier: str) -> dict[str, Any]:
    """The title and the text of a document or a topic, where they are known."""
    text = None if texts is None else texts.get(identifier)
    if text is None:
        return {"title": "", "text": None, "cut": 0}
    return {
        "title": text.title,
        "text": text.body[:MOST_CHARACTERS],
        "cut": max(0, len(text.body) - MOST_CHARACTERS),
    }
