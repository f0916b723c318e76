"""What the page needs to know before it shows anything."""

from __future__ import annotations

from typing import Any

from rankgauge._version import VERSION
from rankgauge.comparison.registry import CORRECTIONS, TESTS
from rankgauge.explorer.parameters import Parameters
from rankgauge.explorer.session import Session
from rankgauge.model.output.tables import printable


def session(session: Session, _: Parameters) -> dict[str, Any]:
    """Names of runs and topics, what was chosen at the start, the choices that there are, notes."""
    return {
        "title": printable(session.title),
        "runs": list(session.runs),
        "topics": list(session.topics),
        "measures": list(session.measures),
        "baseline": session.baseline,
        "tests": [[test.name, test.title] for test in TESTS.values()],
        "corrections": [[each.name, each.title] for each in CORRECTIONS.values()],
        "notes": list(session.notes),
        "command": session.command,
        "by_topic": bool(session.topics),  # means alone have no values of topics
        "rankings": session.campaign.has_judgments,  # scores alone have none
        "ranking_depth": session.ranking_depth,
        "version": VERSION,
    }
