"""The session for the page, and about its numbers: notes, advice, provenance, findings of studies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rankgauge._version import VERSION
from rankgauge.comparison.registry import CORRECTIONS, TESTS
from rankgauge.errors import InputError
from rankgauge.extensions.pages.explorer.session import LONGEST_QUERY, Session
from rankgauge.extensions.pages.explorer.views import Parameters
from rankgauge.model import notes
from rankgauge.model.output import documents
from rankgauge.model.output.documents import Section, page_section
from rankgauge.model.output.tables import printable
from rankgauge.model.provenance import Provenance
from rankgauge.model.subtopics import SubtopicQrels

Item = tuple[str, str]
MAX_COMMAND = 500  # characters
UNJUDGED = "There are no judgments yet; the views of measures come with them."


def about(session: Session, _: Parameters) -> dict[str, Any]:
    """Sentences on the data and on reading the results; how these were made; what studies found."""
    scores = session.campaign.scores(session.measures)
    provenance = scores.provenance
    groups = {
        "Data": _data(session, provenance),
        "Measures": [
            (session.labels(text), f"{facts.title}: {facts.formula}")
            for text, facts in provenance.measures.items()
        ],
        "Rules": [(name, str(value)) for name, value in provenance.choices.items()],
        "Versions": [(name, str(version)) for name, version in provenance.versions.items()],
        "Runs": [
            (shown, _file_name(provenance.runs[name].source))
            for shown, name in session.runs.items()
            if name in provenance.runs
        ],
    }
    judged = session.campaign.is_judged
    return {
        "notes": [f"{printable(note)}." for note in scores.data_notes] if judged else [UNJUDGED],
        "advice": [f"{printable(sentence)}." for sentence in notes.advice(provenance)] if judged else [],
        "provenance": [
            {"title": title, "items": [[printable(name), printable(value)] for name, value in items]}
            for title, items in groups.items()
            if items
        ],
        "findings": [page_section(each) for each in session.findings],
    }


def _data(session: Session, provenance: Provenance) -> list[Item]:
    """Where the judgments come from, how many there are, and what was run."""
    items = {
        "judgments": _file_name(provenance.qrels.source),
        f"{'judged ' if session.campaign.is_judged else ''}topics": f"{len(session.topics):,}",
        "judged documents": f"{provenance.qrels.judgments:,}" if provenance.qrels.judgments else "",
        "runs": f"{len(session.runs):,}",
        "command": short_command(session),
    }
    return [(name, value) for name, value in items.items() if value]


def short_command(session: Session) -> str:
    """The command that was run, or its beginning: a shell may have put in the names of many files."""
    command = session.command
    return command if len(command) <= MAX_COMMAND else f"{command[:MAX_COMMAND]} …"


def _file_name(source: str) -> str:
    """A source without the folders of this machine."""
    return Path(source).name


def judges(session: Session, _: Parameters) -> dict[str, Any]:
    """What labels of language models can be used for, and what they do to the evaluation."""
    try:
        document = documents.labelled(session.judges().document(limit=None), session.labels)
    except InputError as error:  # the page has its other views, and can be saved
        return {"sections": [page_section(Section("Nothing to compare", (str(error),)))]}
    return {"sections": [page_section(each) for each in document.sections]}


def session(session: Session, _: Parameters) -> dict[str, Any]:
    """Names of runs and topics, what was chosen at the start, the choices that there are, notes."""
    names, topics, standing = session.shown_runs, session.campaign.topics, session.standing()
    queries = session.queries(topics, LONGEST_QUERY)
    judged_rankings = session.campaign.has_judgments and session.campaign.is_judged
    subtopics = session.campaign.has_judgments and isinstance(session.campaign.qrels, SubtopicQrels)
    own = standing.scores.test_for("t")
    tests = [own] if own else TESTS.values()
    return {
        "title": printable(session.title),
        "runs": list(session.runs),
        "topics": list(session.topics),
        "queries": None if session.topic_texts is None else [queries.get(topic, "") for topic in topics],
        "segments": [
            [printable(part.name), [session.shown_topics[topic] for topic in part.topics]]
            for part in (session.segments.parts if session.segments else ())
        ],
        "measures": list(session.measures),
        "baseline": session.baseline,
        "ranked": [names[run] for run in standing.order],  # the best first
        "copies": [[names[run], names[original]] for run, original in session.copies(standing).items()],
        "tests": [[test.name, test.title] for test in tests],
        "corrections": [[each.name, each.title] for each in CORRECTIONS.values()],
        "judged": session.campaign.is_judged,
        "by_topic": bool(session.topics) and session.campaign.is_judged,  # means alone have no topics
        "rankings": session.campaign.has_judgments,  # scores alone have none
        "judged_rankings": judged_rankings,
        "effort": judged_rankings and bool((session.campaign.qrels.levels >= 1).any()),
        "subtopics": subtopics,
        "labelled": bool(session.llm_labels) and judged_rankings and not subtopics,
        "ranking_depth": session.ranking_depth,
        "version": VERSION,
    }
