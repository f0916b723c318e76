"""The views: functions from a session and parameters to an answer, which becomes JSON.

Adding a view takes a module here with a function, its line in VIEWS, and a module of the same name in
`assets/` with its line in SCRIPTS (`page.py`). What changes something on disk, or has parameters too long for
an address, is an action: a page sends it by POST.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from rankgauge.errors import OptionError
from rankgauge.explorer.parameters import Parameters
from rankgauge.explorer.session import Session
from rankgauge.schema.text import unknown_name

# name -> "module:function"
VIEWS = {
    "session": "session:session",
    "overview": "overview:overview",
    "measures": "measures:measures",
    "topics": "topics:topics",
    "scatter": "topics:scatter",
    "ranking": "ranking:ranking",
    "document": "document:document",
    "what-if": "what_if:what_if",
    "effort": "effort:effort",
    "effort-hits": "effort:effort_hits",
    "curves": "curves:curves",
    "about": "about:about",
    "judge": "judge:judge",
    "judged": "judged:judged",
    "judged-agreement": "judged:judged_agreement",
    "judged-effect": "judged:judged_effect",
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
    called = getattr(importlib.import_module(f"{__name__}.{module}"), function)
    return called(session, Parameters(parameters))
