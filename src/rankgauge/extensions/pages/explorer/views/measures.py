"""Measures as a person types them: meanings, completions, errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from rankgauge.errors import MeasureError, RankgaugeError
from rankgauge.extensions.pages.explorer.session import Session
from rankgauge.extensions.pages.explorer.views import Parameters
from rankgauge.extensions.pages.figures.labels import spelled
from rankgauge.measures import MEASURES, Spec, parse, set_names
from rankgauge.measures.named_sets import TITLES
from rankgauge.schema.parameters import Flag
from rankgauge.schema.registry import fold

MAX_SUGGESTIONS = 12
CUTOFFS = (1, 3, 5, 10, 20, 50, 100, 1000)
_GAP = re.compile(r"[\s,;]")
MAX_TEXT = 2000
Suggestion = tuple[str, str, str]  # the whole text, completed; what is added; what that is


def measures(session: Session, parameters: Parameters) -> dict[str, Any]:
    """The measures in a text, or the error of reading it; and suggestions for its end."""
    text = parameters.text("text", "")[:MAX_TEXT]
    named, error = [], None
    if text.strip():
        try:
            named = [described(session, each) for each in session.campaign.measure_texts(text)]
        except RankgaugeError as problem:
            error = str(problem)
    return {"measures": named, "error": error, "suggestions": _suggestions(session, text)}


def described(session: Session, text: str) -> dict[str, Any]:
    """Text, label, help and direction of a measure."""
    try:
        spec = parse(text).spec
        title, direction, about = spec.title, spec.direction, spec.help.partition("\n\n")[0]
    except MeasureError:  # of scores from elsewhere
        title, direction, about = "", session.campaign.scores([text]).direction(text), ""
    return {
        "text": text,
        "label": session.measure_name(text),
        "title": title,
        "help": " ".join(about.split()),
        "direction": direction,
    }


def _suggestions(session: Session, text: str) -> list[dict[str, str]]:
    """Completions of the text up to the cursor, likeliest first."""
    before, last = _split(text)
    name, bracket, inside = last.partition("(")
    if not session.campaign.has_judgments:
        found = _held(session, text)
    elif bracket and ")" not in inside:
        found = _settings(before + name + bracket, name, inside)
    elif "@" in last:
        stem, _, rank = last.rpartition("@")
        found = _cutoffs(f"{before}{stem}@", stem.partition("(")[0], rank)
    else:
        found = _names(before, last)
    return [
        dict(zip(("text", "name", "title"), each, strict=True)) for each in islice(found, MAX_SUGGESTIONS)
    ]


def _held(session: Session, text: str) -> Iterator[Suggestion]:
    *before, last = text.split(" ")
    for name in session.campaign.measure_texts():
        if fold(last) in fold(name):
            yield " ".join([*before, name]), name, described(session, name)["title"]


def _split(text: str) -> tuple[str, str]:
    """(text before the last measure, that measure); separators within brackets do not count."""
    depth = begin = 0
    for place, letter in enumerate(text):
        if letter in "({":
            depth += 1
        elif letter in ")}":
            depth = max(0, depth - 1)
        elif depth == 0 and _GAP.match(letter):
            begin = place + 1
    return text[:begin], text[begin:]


def _names(before: str, word: str) -> Iterator[Suggestion]:
    part = fold(word)
    ranked: list[tuple[tuple[int, bool, int], Spec, str]] = []
    for place, spec in enumerate(MEASURES.values()):
        nearness = _nearness(part, spec)
        if nearness < 3 and (part or spec.well_known):
            ranked.append(((nearness, not spec.well_known, place), spec, spec.name))
    for _, spec, name in sorted(ranked, key=lambda each: each[0]):
        yield before + name, spelled(name), spec.title
    for name in set_names():
        if part and fold(name).startswith(part):
            yield before + name, name, TITLES.get(name) or "a set of measures"


def _nearness(part: str, spec: Spec) -> int:
    """0: a name of the measure; 1: the beginning of one; 2: the beginning of a word of its title; 3: none."""
    names = {fold(name) for name in (spec.name, *spec.aliases, *spec.trec)}
    if part in names:
        return 0
    if any(name.startswith(part) for name in names):
        return 1
    return 2 if any(fold(word).startswith(part) for word in spec.title.split()) else 3


def _spec(name: str) -> Spec | None:
    match = MEASURES.match(name.strip()) if name.strip() else None
    return match[0] if match else None


def _settings(before: str, name: str, inside: str) -> Iterator[Suggestion]:
    spec = _spec(name)
    if spec is None:
        return
    given, comma, last = inside.rpartition(",")
    kept = before + given + comma
    setting, equals, value = (part.strip() for part in last.partition("="))
    for parameter in spec.parameters:
        if not equals and parameter.name.startswith(setting) and f"{parameter.name}=" not in given:
            about = "; ".join(part for part in (parameter.help, parameter.kind.words) if part)
            yield f"{kept}{parameter.name}=", f"{parameter.name}=", about
        if equals and parameter.name == setting:
            choices = getattr(parameter.kind, "choices", ())
            for choice in ("true", "false") if isinstance(parameter.kind, Flag) else choices:
                if choice.startswith(value):
                    about = "the default" if choice == parameter.written_default else parameter.help
                    yield f"{kept}{setting}={choice}", choice, about


def _cutoffs(before: str, name: str, rank: str) -> Iterator[Suggestion]:
    spec = _spec(name)
    if spec is None or not spec.curve:
        return
    for cutoff in CUTOFFS:
        if str(cutoff).startswith(rank) and str(cutoff) != rank:
            yield f"{before}{cutoff}", f"@{cutoff}", f"{spec.title}, down to rank {cutoff}"
