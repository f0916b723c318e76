"""The leaderboard."""

from __future__ import annotations

from typing import Any

from rankgauge.explorer.parameters import Parameters
from rankgauge.explorer.session import Session


def overview(session: Session, parameters: Parameters) -> dict[str, Any]:
    """The means of all runs by the chosen measures."""
    scores = session.campaign.scores(parameters.text("measures", " ".join(session.measures)))
    means = scores.mean()
    return {
        "measures": [{"text": text, "direction": scores.direction(text)} for text in scores.measures],
        "runs": [
            {"name": shown, "means": [means[name][text] for text in scores.measures]}
            for shown, name in session.runs.items()
        ],
    }
