"""The frame of the page, which is no view of its own: the session, what people type, and saving."""

from __future__ import annotations

from typing import Any

from rankgauge._version import VERSION
from rankgauge.comparison.registry import CORRECTIONS, TESTS
from rankgauge.extensions.pages.explorer.contents import page_file
from rankgauge.extensions.pages.explorer.session import LONGEST_QUERY, Session
from rankgauge.extensions.pages.explorer.views import Parameters, View, offered, view
from rankgauge.extensions.pages.explorer.views.measures import measures
from rankgauge.extensions.pages.explorer.views.saving import saved
from rankgauge.model.output.tables import printable


def session(session: Session, _: Parameters) -> dict[str, Any]:
    """Names of runs and topics, what was chosen at the start, the choices that there are, notes."""
    names, topics, standing = session.shown_runs, session.campaign.topics, session.standing()
    queries = session.queries(topics, LONGEST_QUERY)
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
        "subtopics": session.has_subtopics,
        "views": offered(session),  # in the order of their links
        "ranking_depth": session.ranking_depth,
        "version": VERSION,
    }


view(
    View(
        "frame",
        {"session": session, "measures": measures, "page": page_file},
        {"save": saved},
        offered=lambda session: False,
    )
)
