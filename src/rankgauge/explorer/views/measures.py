"""Measures by what a person types: what it means, what it may become, or what is wrong with it."""

from __future__ import annotations

from typing import Any

from rankgauge.errors import MeasureError, RankgaugeError
from rankgauge.explorer.parameters import Parameters
from rankgauge.explorer.session import Session
from rankgauge.explorer.suggestions import suggestions
from rankgauge.measures import parse
from rankgauge.schema.registry import fold

MOST_TEXT = 2000


def measures(session: Session, parameters: Parameters) -> dict[str, Any]:
    """The measures that a text names, or the error of reading it; and suggestions for its end."""
    text = parameters.text("text", "")[:MOST_TEXT]
    named, error = [], None
    if text.strip():
        try:
            named = [described(session, each) for each in session.measure_texts(text)]
        except RankgaugeError as problem:
            error = str(problem)
    return {"measures": named, "error": error, "suggestions": _suggestions(session, text)}


def _suggestions(session: Session, text: str) -> list[dict[str, str]]:
    if session.campaign.has_judgments:
        return [{"text": each.text, "name": each.name, "title": each.title} for each in suggestions(text)]
    *before, last = text.split(" ")
    known = session.campaign.measure_texts()
    return [
        {"text": " ".join([*before, name]), "name": name, "title": described(session, name)["title"]}
        for name in known
        if fold(last) in fold(name)
    ]


def described(session: Session, text: str) -> dict[str, Any]:
    """A measure for the page: its text, its label, what it is, and which way is better."""
    try:
        spec = parse(text).spec
        title, direction, about = spec.title, spec.direction, spec.help.partition("\n\n")[0]
    except MeasureError:  # of scores from elsewhere
        title, direction, about = "", session.campaign.scores([text]).direction(text), ""
    return {
        "text": text,
        "label": session.labels(text),
        "title": title,
        "help": " ".join(about.split()),
        "direction": direction,
    }
