"""Judging documents in the explorer: which documents, who decided what, and what comes next."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from contextvars import copy_context
from functools import cached_property
from typing import Any

from rankgauge.campaigns.campaign import Campaign
from rankgauge.campaigns.findings import Findings
from rankgauge.errors import InputError, OptionError, RankgaugeError
from rankgauge.extensions.judging.additions import Additions
from rankgauge.extensions.judging.deciding import Decision as RunDecision
from rankgauge.extensions.judging.deciding import Interim
from rankgauge.extensions.judging.decisions import (
    Decision,
    Decisions,
    grades_for,
    read_grades,
    shown_grades,
)
from rankgauge.extensions.judging.guide import Guide
from rankgauge.extensions.judging.journal import Journal
from rankgauge.extensions.judging.judge_agreement import LabelSet, read_labels
from rankgauge.extensions.judging.judge_study import judges
from rankgauge.extensions.judging.pooling import ORDERS, DocumentPool, pool
from rankgauge.extensions.pages.explorer.session import LLM_SHOWN, Session, names_to_show
from rankgauge.model.output.labels import Labels
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import majority
from rankgauge.model.subtopics import SubtopicQrels
from rankgauge.schema.cache import Cache
from rankgauge.schema.options import choice

MAX_POOLS = 4  # kept in memory
MAX_FINDINGS = 16
MAX_MEANS = 1000
MAX_PREPARED = 20_000  # documents of a pool that are looked up before anybody asks for their effect
Queue = Mapping[str, Mapping[str, None]]  # the documents to judge of each topic, in order
SHARES = {
    "all": "everybody judges all documents",
    "once": "documents judged by anyone else are left out",
}
DECIDE = "documents that decide which of the two runs is better by DCG, in batches"
CONFLICTS = "documents on whose grade people differ, the largest differences first, for one more to decide"
UNCERTAIN = "documents on whose grade the labels agree least first, then by their ids"


class ModelLabels:
    """Labels of language models in a session: further assessors, compared in the view Judges."""

    def __init__(self, llm_qrels: Any, shown: str = "after") -> None:
        self.labels, self.shown = (
            tuple(read_labels(llm_qrels, by_judge=True)),
            choice("llm_shown", shown, LLM_SHOWN),
        )
        self._findings: Cache[str, Findings] = Cache(MAX_FINDINGS)

    def findings(self, session: Session) -> Findings:
        """The effect of the labels on an evaluation by the session's first measure."""
        campaign, measure = session.campaign, session.measures[0]

        def study() -> Findings:
            rules: dict[str, Any] = campaign.order.as_dict() | campaign.rules.as_dict()
            return judges(campaign.qrels, list(self.labels), list(campaign.inputs), measure=measure, **rules)

        return self._findings.get(measure, study)


def add_labels(session: Session, llm_qrels: Any, shown: str = "after") -> None:
    """Give a session labels of language models."""
    session.parts[ModelLabels] = ModelLabels(llm_qrels, shown)


def add_judging(session: Session, journal: Journal, grades: Sequence[float] | None = None) -> Judging:
    """Keep the judgments of a session in a journal, with the grades to choose from."""
    labels = session.part(ModelLabels)
    judging = Judging(
        session.campaign,
        journal,
        grades,
        session.labels,
        labels.labels if labels else (),
        labels.shown if labels else "after",
        session.part(Guide) or Guide(),
    )
    session.parts[Judging] = session.further = judging
    journal.watch()
    if not session.campaign.is_judged:
        session.first_view = "judge"
    return judging


def judging_in(path: str, grades: str | None) -> Callable[[Session], Judging]:
    """A function that adds judging to a session, from options of a command.

    An existing journal is opened at once; a new one is created when nothing else is wrong.
    """
    given = None if grades is None else read_grades(grades)
    journal = Journal.open(path) if os.path.lexists(path) else None

    def add(session: Session) -> Judging:
        require_judgments_of_documents(session.campaign)
        return add_judging(session, journal or Journal.open(path), given)

    return add


def require_judgments_of_documents(campaign: Campaign) -> None:
    """Refuse judgments by subtopic, which people do not give here."""
    if isinstance(campaign.qrels, SubtopicQrels):
        raise InputError("judging takes judgments of documents, and these are by subtopic")


class Judging:
    """A journal and the pools of a campaign, for several threads."""

    def __init__(
        self,
        campaign: Campaign,
        journal: Journal,
        grades: Sequence[float] | None = None,
        labels: Labels | None = None,
        llm_labels: Sequence[LabelSet] = (),
        llm_shown: str = "after",
        guide: Guide = Guide(),  # noqa: B008  # frozen
    ) -> None:
        require_judgments_of_documents(campaign)
        self._llm, self._llm_shown = llm_labels, llm_shown
        self.campaign, self.journal = campaign, journal
        self.guide = guide
        self.grades = tuple(grades or sorted(guide.labels) or grades_for(campaign.qrels.levels.tolist()))
        self._labels = labels or Labels()
        self._names = names_to_show(campaign.topics, self._labels)
        self._reading, self._scoring = threading.Lock(), threading.Lock()
        self._pools: Cache[int, DocumentPool] = Cache(MAX_POOLS)
        self._queues: Cache[tuple[int, str], Queue] = Cache(MAX_POOLS)
        self._decisions: Cache[int, RunDecision] = Cache(MAX_POOLS)
        self._interims: Cache[tuple[int, int], Interim] = Cache(MAX_POOLS)
        self._means: Cache[tuple[int, str, str], list[float]] = Cache(MAX_MEANS)
        self._recent: Queue = {}  # the one that was asked for last
        self._additions: Additions | None = None

    def __enter__(self) -> Judging:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        self.journal.__exit__(kind, error, trace)

    @cached_property
    def _uncertain(self) -> dict[tuple[str, str], float]:
        """{(topic, document): the share of labels other than the most frequent one}."""
        given: dict[tuple[str, str], list[float]] = {}
        for labels in self._llm:
            rows = zip(labels.rows.topic.texts(), labels.rows.doc.texts(), labels.rows.value, strict=True)
            for topic, document, grade in rows:
                given.setdefault((topic, document), []).append(grade)
        return {place: 1 - each.count(majority(each)) / len(each) for place, each in given.items()}

    @property
    def orders(self) -> dict[str, str]:
        """The orders of documents to choose from, with their meanings."""
        more = {"conflicts": CONFLICTS} | ({"uncertain": UNCERTAIN} if any(self._uncertain.values()) else {})
        return ORDERS | more | ({"decide": DECIDE} if self._llm and len(self.campaign.runs) == 2 else {})

    def labels_of(self, decision: Decision | None, topic: str, document: str) -> dict[str, float]:
        """{model: label} of a document, as far as the assessor who made this decision may see them."""
        judged = decision is not None and decision.grade is not None
        if self._llm_shown == "never" or (self._llm_shown == "after" and not judged):
            return {}
        found = {labels.qrels.name: labels.qrels.grades_of(topic).get(document) for labels in self._llm}
        return {name: grade for name, grade in found.items() if grade is not None}

    def with_labels(self, decisions: Decisions) -> Decisions:
        """The decisions, with the models as further assessors of the documents that people judged."""
        labels = [
            Decision("", name, *decision.place, grade=grade)
            for decision in decisions.counting()
            for name, grade in self.labels_of(decision, *decision.place).items()
        ]
        return Decisions([*decisions, *labels]) if labels else decisions

    def prepare(self, depth: int, order: str) -> None:
        """Read the runs for a queue and its effect in the background."""
        if self._queues.find((depth, order)) is None:
            work = copy_context().run  # so that messages name options as the command does
            threading.Thread(target=work, args=(self._quietly, depth, order), daemon=True).start()

    def _quietly(self, depth: int, order: str) -> None:
        with suppress(RankgaugeError, OSError):  # whoever asks for the queue gets the error
            queue = self.queue(depth, order)
            with self._scoring:  # the runs are read again for the leaderboard, which comes at once then
                if self._additions is None and sum(map(len, queue.values())) <= MAX_PREPARED:
                    self._additions = Additions(self.campaign, queue)

    def queue(self, depth: int, order: str) -> Queue:
        """The documents without a judgment among the first `depth` of the runs.

        Their order does not show which runs retrieved them.
        """

        def make_pool() -> DocumentPool:
            rules: Any = self.campaign.order.as_dict()
            runs, judged = self.campaign.inputs, self.campaign.qrels
            return pool(list(runs), depth=depth, judged=judged, threads=self.campaign.threads, **rules)

        def make_queue() -> Queue:
            uncertain = order == "uncertain"
            documents = self._pools.get(depth, make_pool).in_order("id" if uncertain else order)
            for topic, docs in documents.items() if uncertain else ():
                docs.sort(key=lambda doc: -self._uncertain.get((topic, doc), 0))
            self._name(documents)
            return {topic: dict.fromkeys(docs) for topic, docs in documents.items()}

        if order == "conflicts":
            conflicts: dict[str, dict[str, None]] = {}
            for topic, doc in self.journal.decisions().conflicts():
                conflicts.setdefault(topic, {})[doc] = None
            self._name(conflicts)
            return conflicts
        if order == "decide":
            _, interim = self.decision(depth)
            judged = self.campaign.qrels
            asked = {
                topic: dict.fromkeys(doc for doc in docs if doc not in judged.grades_of(topic))
                for topic, docs in interim.asked.items()
            }
            self._name(asked)
            return {topic: docs for topic, docs in asked.items() if docs}
        with self._reading:
            self._recent = self._queues.get((depth, order), make_queue)
            return self._recent

    def _judgments(self, decisions: Decisions) -> dict[str, dict[str, float]]:
        """{topic: {document: grade}}: those of the start, replaced and completed by decisions."""
        judged = self.campaign.qrels.to_dict()
        for topic, docs in decisions.judgments(resolve="majority").items():
            judged[topic] = {**judged.get(topic, {}), **docs}
        return judged

    def count(self) -> tuple[int, int]:
        """(decisions, documents judged by them)."""
        decisions = self.journal.decisions()
        return len(decisions), sum(map(len, decisions.judgments(resolve="majority").values()))

    def rejudged(self) -> Campaign:
        """The campaign by all judgments so far, on the topics that have some."""
        return self.campaign.read_again(Qrels.from_dict(self._judgments(self.journal.decisions())))

    def decision(self, depth: int) -> tuple[RunDecision, Interim]:
        """The decision between two runs by DCG at a depth, and what is known by the judgments so far."""
        decisions = self.journal.decisions()

        def make() -> RunDecision:
            rules: Any = self.campaign.order.as_dict()
            (labels, *_), runs = self._llm, list(self.campaign.inputs)
            grades = (*self.grades, *self.campaign.qrels.levels.tolist())
            rules |= {"grades": grades, "threads": self.campaign.threads}
            return RunDecision(runs, labels.qrels, f"DCG@{depth}", **rules)

        def interim() -> Interim:
            return decision.after(self._judgments(decisions))

        with self._reading:
            decision = self._decisions.get(depth, make)
            return decision, self._interims.get((depth, len(decisions)), interim)

    def _name(self, topics: Iterable[str]) -> None:
        new = [topic for topic in topics if topic not in self._names]
        self._names = self._names | names_to_show(new, self._labels, self._names.values())

    def shown_topic(self, topic: str) -> str:
        """The name to show of a topic."""
        if topic not in self._names:  # the journal has it, and no pool
            with self._reading:
                self._name([topic])
        return self._names[topic]

    def topic_called(self, shown: str) -> str:
        """The topic of a name to show."""
        names = {label: name for name, label in self._names.items()}
        return names[choice("topic", shown, names)]

    def require(self, queue: Queue, topic: str, document: str) -> None:
        """Refuse a document outside of the pool that nobody decided on before."""
        decided = (decision.place for decision in self.journal.decisions())
        if document not in queue.get(topic, ()) and (topic, document) not in decided:
            raise OptionError(f"document {document[:100]!r} is not one to judge for topic {topic[:100]!r}")

    def decide(
        self, queue: Queue, assessor: str, topic: str, document: str, grade: float | None, comment: str
    ) -> Decision:
        """Record a decision, if document and grade are allowed."""
        if grade is not None and grade not in self.grades:
            raise OptionError(f"a grade is one of {shown_grades(self.grades)}, not {shown_grades([grade])}")
        self.require(queue, topic, document)
        return self.journal.record(assessor, topic, document, grade, comment)

    def means(self, decisions: Decisions, resolve: str, measure: str) -> list[float]:
        """The mean of each run, by the judgments of the campaign and these."""

        def evaluate() -> list[float]:
            further = decisions.judgments(resolve=resolve)
            places = [(topic, doc) for topic, docs in further.items() for doc in docs]
            if self._additions is None or not all(self._additions.covers(*place) for place in places):
                # The whole pool would take several times as long to look up; people go on with their topics.
                documents: dict[str, set[str]] = {}
                for decision in self.journal.decisions():
                    documents.setdefault(decision.topic, {*self._recent.get(decision.topic, ())})
                    documents[decision.topic].add(decision.document)
                self._additions = Additions(self.campaign, documents)
            means = self._additions.scores(further, measure).mean()
            return [value for by_measure in means.values() for value in by_measure.values()]

        with self._scoring:  # the same beginning of a journal always has the same means
            return self._means.get((len(decisions), resolve, measure), evaluate)
