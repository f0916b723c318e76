"""The page: one HTML document with its style and scripts inside, for a server or for a file.

The scripts are ES modules that import each other. A page that has to open from a file cannot load modules,
so they are joined in the order of SCRIPTS, without their import and export statements (each on a line of its
own); names at the top level are therefore unique over all modules.
"""

from __future__ import annotations

import base64
import gzip
import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from rankgauge.explorer.session import Session
from rankgauge.explorer.views import answer
from rankgauge.figures.offline import embedded, policy
from rankgauge.model.output.tables import printable
from rankgauge.schema.json_text import to_json

LEVEL = 6  # of compression: higher ones take twice as long for one per cent
Request = tuple[str, dict[str, Any]]  # a view and its parameters

# Modules in the order in which they build on each other; views before `main`, which starts the page.
SCRIPTS = (
    *("dom", "source", "colours", "tips", "plot", "tables", "views", "runs", "measures", "topic-chooser"),
    *("choosers", "documents", "linecharts", "saving", "judge-card", "judge-results"),
    *("overview", "heatmap", "scatter", "topics", "curves"),
    *("ranking", "edits", "draglist", "effects", "whatif", "effortcurves", "effort", "judge", "about"),
    "main",
)
# Styles of the whole page, and those that hold while one of some views is shown.
STYLES: dict[str, tuple[str, ...]] = {
    "style": (),
    "plot": (),
    "saving": (),
    "overview": ("overview",),
    "topics": ("topics",),
    "curves": ("curves",),
    "ranking": ("ranking", "what-if", "effort"),
    "judge": ("judge",),
    "about": ("about",),
}
_IMPORT = re.compile(r"^import .*\n", re.M)
_EXPORT = re.compile(r"^export ", re.M)


def live_page(session: Session) -> str:
    """The page whose answers come from the server that served it."""
    return _page(session.title, {"live": True, "answers": _answers(session, [("session", {})])}, live=True)


def saved_page(
    session: Session,
    requests: Iterable[Request],
    bundles: Iterable[Bundle] = (),
    left_out: Sequence[str] = (),
) -> str:
    """The page as a file: it holds the answers to these requests, and to those of the bundles.

    `left_out` are sentences on what it does not hold.
    """
    answers = _answers(session, [("session", {}), *requests])
    held = [{"requests": each.requests, "data": each.data} for each in bundles]
    data = {"live": False, "answers": answers, "bundles": held, "left_out": left_out}
    return _page(session.title, data, live=False)


@dataclass(frozen=True)
class Bundle:
    """Answers that a saved page keeps compressed until one of them is asked for."""

    requests: list[Request]
    data: str  # gzip of the JSON list of the answers, in base64

    @classmethod
    def of(cls, session: Session, requests: Iterable[Request]) -> Bundle:
        """The answers to these requests."""
        listed = list(requests)
        return cls.holding(listed, [answer(session, view, parameters) for view, parameters in listed])

    @classmethod
    def holding(cls, requests: list[Request], answers: list[dict[str, Any]]) -> Bundle:
        """These answers, one for each request."""
        text = to_json(answers, ascii_only=True, compact=True)
        return cls(requests, base64.b64encode(gzip.compress(text.encode(), LEVEL, mtime=0)).decode())

    @property
    def size(self) -> int:
        """The bytes that it takes in a page, about."""
        return len(self.data) + len(to_json(self.requests, ascii_only=True, compact=True))


def _answers(session: Session, requests: Iterable[Request]) -> list[dict[str, Any]]:
    return [
        {"view": view, "parameters": parameters, "answer": answer(session, view, parameters)}
        for view, parameters in requests
    ]


def content_policy(*, live: bool) -> str:
    """The content security policy of the page: its own scripts run, and only its own server is asked."""
    return policy([script()], [style()]) + ("; connect-src 'self'" if live else "")


@cache
def script() -> str:
    """All scripts of the page, as one module."""
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", asset(f"{name}.js"))) for name in SCRIPTS)


@cache
def style() -> str:
    """All styles of the page; those of a view hold while it is shown, so that no other has to avoid them."""
    return "\n".join(_while_shown(views, asset(f"{name}.css")) for name, views in STYLES.items())


def _while_shown(views: tuple[str, ...], rules: str) -> str:
    """Rules that hold while one of the views is shown, and weigh as much as without the condition."""
    shown = ", ".join(f':root[data-view="{view}"]' for view in views)
    return f":where({shown}) {{\n{rules}}}" if views else rules


def _page(title: str, data: dict[str, Any], *, live: bool) -> str:
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{content_policy(live=live)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(printable(title))}</title>
<style>{style()}</style>
</head>
<body>
<div id="page"></div>
<noscript>This page needs JavaScript, and loads nothing from the network.</noscript>
<script type="application/json" id="data">{embedded(data)}</script>
<script type="module">{script()}</script>
</body>
</html>
"""


def asset(name: str) -> str:
    """The text of a script or a style."""
    return (resources.files("rankgauge.explorer") / "assets" / name).read_text(encoding="utf-8")
