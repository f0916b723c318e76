"""About the numbers: notes, advice, provenance, findings of studies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rankgauge.extensions.pages.explorer.session import Session
from rankgauge.extensions.pages.explorer.views import Parameters, View, add_view
from rankgauge.extensions.pages.figures.labels import spelled
from rankgauge.model import notes
from rankgauge.model.output.documents import page_section
from rankgauge.model.output.tables import printable
from rankgauge.model.scores import Scores

Item = tuple[str, str]
MAX_COMMAND = 500  # characters
UNJUDGED = "There are no judgments yet; the views of measures come with them."


def about(session: Session, _: Parameters) -> dict[str, Any]:
    """Sentences on data and results, their provenance, and findings of studies."""
    scores = session.campaign.scores(session.measures)
    judged = session.campaign.is_judged
    return {
        "notes": [f"{printable(spelled(note))}." for note in scores.data_notes] if judged else [UNJUDGED],
        "advice": [f"{printable(spelled(each))}." for each in notes.advice(scores.provenance)]
        if judged
        else [],
        "provenance": [
            {"title": title, "items": [[printable(name), printable(value)] for name, value in items]}
            for title, items in provenance_of(session, scores, _file_name).items()
            if items
        ],
        "findings": [page_section(each) for each in session.findings],
    }


def provenance_of(
    session: Session, scores: Scores, source: Callable[[str], str] = str
) -> dict[str, list[Item]]:
    """Inputs, definitions, rules and versions behind scores; `source` says how files are named."""
    provenance = scores.provenance
    data = {
        "judgments": source(provenance.qrels.source),
        f"{'judged ' if session.campaign.is_judged else ''}topics": f"{len(session.topics):,}",
        "judged documents": f"{provenance.qrels.judgments:,}" if provenance.qrels.judgments else "",
        "runs": f"{len(session.runs):,}",
        "command": short_command(session),
    }
    return {
        "Data": [(name, value) for name, value in data.items() if value],
        "Measures": [
            (session.measure_name(text), f"{facts.title}: {facts.formula}")
            for text, facts in provenance.measures.items()
        ],
        "Rules": [(name, str(value)) for name, value in provenance.choices.items()],
        "Versions": [(name, str(version)) for name, version in provenance.versions.items()],
        "Runs": [
            (shown, source(provenance.runs[name].source))
            for shown, name in session.runs.items()
            if name in provenance.runs
        ],
    }


def short_command(session: Session) -> str:
    """The command of the session, cut: a shell may have put in many files."""
    command = session.command
    return command if len(command) <= MAX_COMMAND else f"{command[:MAX_COMMAND]} …"


def _file_name(source: str) -> str:
    return Path(source).name


add_view(View("about", {"about": about}, held=lambda session: [("about", {})]))
