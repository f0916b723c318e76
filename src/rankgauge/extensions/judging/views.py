"""The views Judge and Judges."""

from __future__ import annotations

import base64
import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.judging.agreement_study import agreement
from rankgauge.extensions.judging.decisions import RESOLVE, Decision, Decisions
from rankgauge.extensions.judging.journal import Journal
from rankgauge.extensions.judging.judging_session import (
    SHARES,
    Judging,
    ModelLabels,
    add_judging,
    require_judgments_of_documents,
)
from rankgauge.extensions.pages.explorer.session import Session
from rankgauge.extensions.pages.explorer.views import Parameters, View, add_view
from rankgauge.extensions.pages.explorer.views.ranking import marked, words_of
from rankgauge.measures import parse_all
from rankgauge.model.output.documents import Section, labelled, page_section
from rankgauge.model.output.tables import printable
from rankgauge.model.provenance import direction_by_name
from rankgauge.model.qrels import Qrels
from rankgauge.numbers.matrices import places
from rankgauge.schema.options import choice

AGREEMENT = ("agreement", "pairs", "grades", "topics")  # tables of the study that are shown
MAX_ROWS = 500
MAX_POINTS = 10
DEPTH, DEEPEST = 10, 1000
MAX_CHARACTERS = 200_000  # of a document's text on the page


def judge(session: Session, parameters: Parameters) -> dict[str, Any]:
    """Assessors, grades, progress, and the document to judge now."""
    judging = session.part(Judging)
    if judging is None:
        return {"journal": None, "command": session.command}
    state = {
        "journal": judging.journal.path,
        "notes": list(judging.journal.notes),
        "problem": judging.journal.problem,
        "assessors": list(judging.journal.decisions().assessors),
        "grades": list(judging.grades),
        "labels": [judging.guide.labels.get(grade, "") for grade in judging.grades],
        "rubric": judging.guide.rubric,
        "depth": _depth(parameters),
        "order": _order(parameters, judging),
        "orders": judging.orders,
        "share": _share(parameters),
        "shares": SHARES,
        "resolve": RESOLVE,
    }
    if not parameters.text("assessor", ""):
        judging.prepare(_depth(parameters), _order(parameters, judging))
        return state
    desk = Desk(session, parameters)
    shown, document = parameters.text("topic", ""), parameters.text("document", "")
    last = desk.decisions.last(desk.assessor)
    topic = judging.topic_called(shown) if shown else last.topic if last else None
    place = (topic, document) if shown and topic is not None and document else None
    if place is not None:
        judging.require(desk.queue, *place)
    return state | {"topics": desk.progress(*desk.queue), "task": desk.task(topic, place)}


def here(session: Session, parameters: Parameters) -> dict[str, Any]:
    """Whether a document takes a grade where its ranking is shown, and the one that an assessor gave it."""
    judging, topic = session.part(Judging), session.topic_called(parameters.text("topic"))
    document, assessor = parameters.text("document"), parameters.text("assessor", "")
    if judging is None:
        is_open = not session.has_subtopics and document not in session.campaign.qrels.grades_of(topic)
        return {"journal": None, "isOpen": is_open}
    decision = judging.journal.decisions().latest(assessor, topic, document) if assessor else None
    return {
        "journal": judging.journal.path,
        "isOpen": document not in judging.campaign.qrels.grades_of(topic),
        "grades": [[grade, judging.guide.labels.get(grade, "")] for grade in judging.grades],
        "decision": decision and shown_decision(judging, decision),
    }


def decide_here(session: Session, parameters: Parameters) -> dict[str, Any]:
    """Record the grade of a retrieved document that had none from the start."""
    judging, topic = _judging(session), session.topic_called(parameters.text("topic"))
    document, grade = parameters.text("document"), parameters.real("grade")
    if document in judging.campaign.qrels.grades_of(topic):
        raise OptionError(f"document {document[:100]!r} has been judged from the start; choose another")
    if grade is None:
        raise OptionError("grade is missing")
    retrieved = (judging.campaign.ranking(run, topic).texts for run in judging.campaign.runs)
    queue = {topic: dict.fromkeys(doc for docs in retrieved for doc in docs if doc == document)}
    judging.decide(queue, parameters.text("assessor"), topic, document, grade, "")
    return {"decisions": judging.count()}


def start(session: Session, parameters: Parameters) -> dict[str, Any]:
    """Open a journal in the directory where the explorer was started."""
    if session.part(Judging) is not None:
        raise OptionError("there is a journal already; load the page again")
    file = parameters.text("file")
    if Path(file).name != file or file.startswith("."):
        raise OptionError(f"file is a name without directories, such as judgments.jsonl, not {file[:100]!r}")
    require_judgments_of_documents(session.campaign)
    return {"decisions": add_judging(session, Journal.open(file)).count()}


def decide(session: Session, parameters: Parameters) -> dict[str, Any]:
    """Record a decision; the next document, once the decision is on disk."""
    desk = Desk(session, parameters)
    topic = desk.judging.topic_called(parameters.text("topic"))
    document, grade = parameters.text("document"), parameters.real("grade")
    comment = parameters.text("comment", "")
    decision = desk.judging.decide(desk.queue, desk.assessor, topic, document, grade, comment)
    desk = Desk(session, parameters)  # a batch may have been completed
    return {
        "recorded": shown_decision(desk.judging, decision),
        "labels": desk.judging.labels_of(decision, *decision.place),
        "decisions": desk.judging.count(),
        "progress": desk.progress(topic)[0],
        "task": desk.task(topic),
    }


def undo(session: Session, parameters: Parameters) -> dict[str, Any]:
    """Take back an assessor's last decision; its document is to be judged again."""
    desk = Desk(session, parameters)
    last = desk.judging.journal.undo(desk.assessor)
    if last is None:
        raise OptionError(f"{desk.assessor} has no decision to take back")
    return {
        "undone": shown_decision(desk.judging, last),
        "decisions": desk.judging.count(),
        "progress": desk.progress(last.topic)[0],
        "task": desk.task(last.topic, last.place),
    }


def export(session: Session, parameters: Parameters) -> dict[str, Any]:
    """A file of judgments of one assessor or of all, with or without those of the start."""
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
    content = base64.b64encode(data).decode()
    return {"name": f"{name}.qrels", "type": "text/plain", "content": content, "judgments": len(qrels)}


def _judging(session: Session) -> Judging:
    judging = session.part(Judging)
    if judging is None:
        raise InputError("there is no journal; start with --journal FILE")
    return judging


def _depth(parameters: Parameters) -> int:
    return parameters.number("depth", DEPTH, 1, DEEPEST)


def _order(parameters: Parameters, judging: Judging) -> str:
    return choice("order", parameters.text("order", "id"), judging.orders)


def _share(parameters: Parameters) -> str:
    return choice("share", parameters.text("share", "all"), SHARES)


class Desk:
    """One assessor's work: documents to judge, and the decisions so far."""

    def __init__(self, session: Session, parameters: Parameters) -> None:
        self.session, self.judging = session, _judging(session)
        self.assessor, self.share = parameters.text("assessor"), _share(parameters)
        self.depth, self.order = _depth(parameters), _order(parameters, self.judging)
        queue, assigns = self.judging.queue(self.depth, self.order), self.judging.guide.assigns
        self.queue = {topic: docs for topic, docs in queue.items() if assigns(self.assessor, topic)}

    @property
    def decisions(self) -> Decisions:
        """All decisions of the journal, now."""
        return self.judging.journal.decisions()

    def progress(self, *topics: str) -> list[list[Any]]:
        """[name, documents settled, documents in all] of each topic."""
        done = Counter(topic for topic, _ in self._settled())
        return [
            [self.judging.shown_topic(topic), done[topic], len(self.queue.get(topic, ()))] for topic in topics
        ]

    def _settled(self) -> set[tuple[str, str]]:
        settled = {*self.decisions.decided(self.assessor)}
        if self.share == "once":
            settled |= self.decisions.grades().keys()
        return {(topic, document) for topic, document in settled if document in self.queue.get(topic, ())}

    def _next(self, settled: set[tuple[str, str]], topic: str | None) -> tuple[str, str] | None:
        topics = list(self.queue)
        begin = topics.index(topic) if topic is not None and topic in self.queue else 0
        places = ((name, doc) for name in topics[begin:] + topics[:begin] for doc in self.queue[name])
        return next((place for place in places if place not in settled), None)

    def task(self, topic: str | None, place: tuple[str, str] | None = None) -> dict[str, Any]:
        """The document to judge now, as an assessor sees it, if any."""
        judging, decisions, settled = self.judging, self.decisions, self._settled()
        place = place or self._next(settled, topic)
        before, last = decisions.before(self.assessor, place), decisions.last(self.assessor)
        task: dict[str, Any] = {
            "done": len(settled),
            "total": sum(map(len, self.queue.values())),
            "back": before and named(judging, *before.place),
            "last": last and shown_decision(judging, last),
            "problem": judging.journal.problem,
            "known": self._known(),
            "document": None,
        }
        if place is None:
            return task
        decision, texts = decisions.latest(self.assessor, *place), self.session.document_texts
        about, document = text_of(self.session.topic_texts, place[0]), text_of(texts, place[1])
        words = words_of(about["title"] or about["text"] or "")
        parts = [marked(text or "", words) for text in (document["title"], document["text"])]
        return task | {
            "topic": {"name": judging.shown_topic(place[0]), **about},
            "document": named(judging, *place) | document | {"marked": parts},
            "decision": decision and shown_decision(judging, decision),
            "labels": judging.labels_of(decision, *place),
        }

    def _known(self) -> str:
        """What the judgments say about the two runs, where documents are to decide between them."""
        if self.order != "decide":
            return ""
        decision, interim = self.judging.decision(self.depth)
        return " ".join(decision.sentences(interim))


def named(judging: Judging, topic: str, document: str) -> dict[str, str]:
    """A document for the page."""
    return {"topic": judging.shown_topic(topic), "id": document, "name": printable(document)}


def shown_decision(judging: Judging, decision: Decision) -> dict[str, Any]:
    """A decision for the page."""
    values = {"grade": decision.grade, "comment": decision.comment, "time": decision.time}
    return named(judging, *decision.place) | values


def text_of(texts: Any, identifier: str) -> dict[str, Any]:
    """The title and the text of a document or a topic, or why there is none."""
    try:
        text = None if texts is None else texts.get(identifier)
    except InputError as error:  # the file has changed; that must not look like a failed decision
        return {"title": "", "text": None, "cut": 0, "problem": str(error)}
    if text is None:
        return {"title": "", "text": None, "cut": 0, "problem": ""}
    cut = max(0, len(text.body) - MAX_CHARACTERS)
    return {"title": text.title, "text": text.body[:MAX_CHARACTERS], "cut": cut, "problem": ""}


def judged(session: Session, parameters: Parameters) -> dict[str, Any]:
    """An assessor's decisions that count, the latest first."""
    judging = _judging(session)
    own = judging.journal.decisions().counting(parameters.text("assessor"))[::-1]
    names = names_of(session, [each.document for each in own[:MAX_ROWS]])
    return {
        "total": len(own),
        "decisions": [
            [judging.shown_topic(d.topic), d.document, names[d.document], d.grade, d.comment, d.time]
            for d in own[:MAX_ROWS]
        ],
    }


def progress(session: Session, parameters: Parameters) -> dict[str, Any]:
    """[assessor, topics, documents, decided, skipped, left] of everybody who judged or is to judge."""
    judging = _judging(session)
    decisions, queue = (
        judging.journal.decisions(),
        judging.queue(_depth(parameters), _order(parameters, judging)),
    )
    rows = []
    for name in dict.fromkeys((*judging.guide.topics, *decisions.assessors)):
        own = {(topic, doc) for topic in queue if judging.guide.assigns(name, topic) for doc in queue[topic]}
        left = own - {*decisions.decided(name)}
        topics = len({topic for topic, _ in own})
        rows.append([name, topics, len(own), len(own) - len(left), decisions.counts(name)[1], len(left)])
    return {"rows": rows}


def judged_agreement(session: Session, parameters: Parameters) -> dict[str, Any]:
    """Agreement of assessors on documents that several judged, and their conflicts."""
    judging = _judging(session)
    decisions = judging.with_labels(judging.journal.decisions())
    names, conflicts = decisions.assessors, decisions.conflicts()
    sentences, tables = _agreement(decisions)
    titles = names_of(session, [doc for _, doc in list(conflicts)[:MAX_ROWS]])
    return {
        "assessors": [[name, *decisions.counts(name)] for name in names],
        "sentences": sentences,
        "tables": tables,
        "conflicts": [
            [judging.shown_topic(topic), doc, titles[doc], [given.get(name) for name in names]]
            for (topic, doc), given in list(conflicts.items())[:MAX_ROWS]
        ],
        "of": len(conflicts),
    }


def names_of(session: Session, documents: list[str]) -> dict[str, str]:
    """{document: its title or, where it has none, its id}, for people."""
    texts = session.document_texts.get_many(documents) if session.document_texts is not None else {}
    return {doc: printable((doc in texts and texts[doc].title) or doc) for doc in documents}


def _agreement(decisions: Decisions) -> tuple[list[str], list[dict[str, Any]]]:
    sets = [decisions.qrels(name) for name in decisions.assessors if decisions.counts(name)[0]]
    if len(sets) < 2:
        return ["Agreement needs judgments of at least two people."], []
    try:
        findings = agreement(sets[0], sets[1:])
    except InputError as error:
        return [f"{str(error)[:1].upper()}{str(error)[1:]}."], []
    tables = [
        {
            "name": name,
            "headers": list(findings.tables[name].headers),
            "rows": [list(row) for row in findings.tables[name].rows],
            "caption": findings.captions.get(name, ""),
        }
        for name in AGREEMENT
        if name in findings.tables
    ]
    return list(findings.sentences), tables


def judged_effect(session: Session, parameters: Parameters) -> dict[str, Any]:
    """Means and places of the runs as judgments came in: at some points, or before and now."""
    judging = _judging(session)
    measure = parse_all(parameters.text("measure", session.measures[0]))[0]
    resolve = choice("resolve", parameters.text("resolve", "majority"), RESOLVE)
    most = parameters.number("points", MAX_POINTS, 1, MAX_POINTS)
    decisions = judging.journal.decisions()
    direction = direction_by_name(str(measure)) or 1
    points = [
        (judgments, judging.means(decisions.first(number), resolve, str(measure)))
        for number, judgments in _points(decisions, resolve, most)
    ]
    return {
        "measure": str(measure),
        "label": session.measure_name(str(measure)),
        "runs": list(session.runs),
        "points": [judgments for judgments, _ in points],
        "means": [means for _, means in points],
        "places": [places(np.array(means) * direction).tolist() for _, means in points],
        "intervals": list(session.rejudged().standing(str(measure)).intervals.values()),
    }


def _points(decisions: Decisions, resolve: str, most: int) -> list[tuple[int, int]]:
    """[(decisions, judged documents)] at the beginning, and at `most` later points.

    Between the ends they are multiples of a round number, so that most are the same after another decision.
    """
    steps = (base * 10**power for power in range(12) for base in (1, 2, 5))
    step = next(step for step in steps if len(decisions) <= step * most)
    points: list[tuple[int, int]] = []
    for number in sorted({*range(0, len(decisions), step), len(decisions)}):
        judged = sum(map(len, decisions.first(number).judgments(resolve=resolve).values()))
        while points and points[-1][1] >= judged:  # later decisions took judgments back
            points.pop()
        points.append((number, judged))
    return points


def model_judges(session: Session, _: Parameters) -> dict[str, Any]:
    """Uses of labels of language models, and their effect on the evaluation."""
    labels = session.part(ModelLabels)
    if labels is None:
        raise InputError("there are no labels of language models; start with --llm-qrels FILE")
    try:
        document = labelled(labels.findings(session).document(limit=None), session.labels)
    except InputError as error:  # the page has its other views, and can be saved
        return {"sections": [page_section(Section("Nothing to compare", (str(error),)))]}
    return {"sections": [page_section(each) for each in document.sections]}


def _has_labels(session: Session) -> bool:
    labels = session.part(ModelLabels)
    return bool(labels and labels.labels) and session.has_judged_rankings and not session.has_subtopics


add_view(
    View(
        "judges",
        {"judges": model_judges},
        offered=_has_labels,
        held=lambda session: [("judges", {})],
        package=__package__,
    )
)
add_view(
    View(
        "judge",
        {
            "judge": judge,
            "judge-here": here,
            "judged": judged,
            "judged-agreement": judged_agreement,
            "judged-progress": progress,
            "judged-effect": judged_effect,
        },
        {
            "judge-decide": decide,
            "judge-here": decide_here,
            "judge-start": start,
            "judge-undo": undo,
            "judge-export": export,
        },
        package=__package__,
    )
)
