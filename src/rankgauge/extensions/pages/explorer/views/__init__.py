"""The views: functions from a session and parameters to an answer, which becomes JSON.

Adding a view takes a module here with a function, its line in VIEWS, and a module of the same name in
`assets/` that `main.js` imports. What changes something on disk, or has parameters too long for an address,
is an action: a page sends it by POST.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Mapping
from typing import Any

from rankgauge.core.ids import to_bytes
from rankgauge.errors import OptionError
from rankgauge.extensions.pages.explorer.session import Session
from rankgauge.schema.parameters import is_number
from rankgauge.schema.text import unknown_name

MAX_TEXTS = 1000
# name -> "module:function", beside this module
VIEWS = {
    "session": "about:session",
    "overview": "overview:overview",
    "measures": "measures:measures",
    "topics": "topics:topics",
    "topic-order": "topics:topic_order",
    "scatter": "topics:scatter",
    "ranking": "ranking:ranking",
    "moves": "ranking:moves",
    "subtopics": "ranking:subtopics",
    "explanation": "ranking:explanation",
    "document": "texts:document",
    "what-if": "what_if:what_if",
    "effort": "effort:effort",
    "effort-hits": "effort:effort_hits",
    "curves": "curves:curves",
    "about": "about:about",
    "judges": "about:judges",
    "judge": "judge:judge",
    "judged": "judge:judged",
    "judged-agreement": "judge:judged_agreement",
    "judged-effect": "judge:judged_effect",
    "page": ".contents:page_file",
}
ACTIONS = {
    "what-if": "what_if:change",
    "save": "saving:saved",
    "judge-decide": "judge:decide",
    "judge-undo": "judge:undo",
    "judge-export": "judge:export",
}


def answer(session: Session, view: str, parameters: Any) -> dict[str, Any]:
    """The answer of a view."""
    return _call("view", VIEWS, session, view, parameters)


def perform(session: Session, action: str, parameters: Any) -> dict[str, Any]:
    """The answer of an action, which may have changed something."""
    return _call("action", ACTIONS, session, action, parameters)


def _call(
    noun: str, places: Mapping[str, str], session: Session, name: str, parameters: Any
) -> dict[str, Any]:
    if name not in places:
        raise OptionError(unknown_name(noun, name, places))
    module, _, function = places[name].partition(":")
    called: Callable[[Session, Parameters], dict[str, Any]]
    called = getattr(importlib.import_module(f".{module}", __name__), function)
    return called(session, Parameters(parameters))


class Parameters:
    """Named values that a page sent, each read as what it has to be."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        if not isinstance(values, Mapping):
            raise OptionError(f"parameters are an object of names and values, not {type(values).__name__}")
        self._values = values

    def text(self, name: str, default: str | None = None) -> str:
        """A text; without a default it is required."""
        value = self._values.get(name, default)
        if value is None:
            raise OptionError(f"{name} is missing")
        if not isinstance(value, str):
            raise OptionError(f"{name} is a text, not {type(value).__name__}")
        return _valid(name, value)

    def texts(self, name: str) -> list[str]:
        """A list of texts; empty if there is none."""
        found: list[str] = self._list(name, str, "texts")
        if len(found) > MAX_TEXTS:
            raise OptionError(f"{name} has {len(found)} texts; the most is {MAX_TEXTS}")
        return [_valid(name, each) for each in found]

    def numbers(self, name: str) -> list[int] | None:
        """A list of whole numbers; None if there is none."""
        return self._list(name, int, "whole numbers") if name in self._values else None

    def objects(self, name: str) -> list[dict[str, Any]]:
        """A list of objects; empty if there is none."""
        return self._list(name, dict, "objects")

    def _list(self, name: str, kind: type, words: str) -> list[Any]:
        value = self._values.get(name, [])
        if not isinstance(value, list) or not all(type(each) is kind for each in value):
            raise OptionError(f"{name} is a list of {words}")
        return value

    def number(self, name: str, default: int, least: int, most: int) -> int:
        """A whole number in a range."""
        value = self._values.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise OptionError(f"{name} is a whole number from {least} to {most}, not {value!r}")
        return value

    def real(self, name: str) -> float | None:
        """A finite number; None if there is none."""
        value = self._values.get(name)
        if value is None:
            return None
        try:
            if is_number(value) and math.isfinite(value):
                return float(value)
        except OverflowError:  # of a whole number
            value = "one with hundreds of digits"
        raise OptionError(f"{name} is a finite number, not {value!r}")


def _valid(name: str, text: str) -> str:
    """A text that may be the id of something in a file."""
    try:
        to_bytes(text)
    except UnicodeEncodeError:
        raise OptionError(f"{name} is no valid text: {text[:50]!r}") from None
    return text
