"""What the page needs to know before it shows anything."""

from __future__ import annotations

from typing import Any

from rankgauge._version import VERSION
from rankgauge.explorer.parameters import Parameters
from rankgauge.explorer.session import Session


def session(session: Session, _: Parameters) -> dict[str, Any]:
    """Names of runs and topics, the measures and the baseline chosen at the start, notes on the data."""
    return {
        "title": session.title,
        "runs": list(session.runs),
        "topics": list(session.topics),
        "measures": list(session.measures),
        "baseline": session.baseline,
        "notes": list(session.campaign.notes),
        "command": session.command,
        "version": VERSION,
    }
