"""The page: one HTML document with its style and scripts inside, for a server or as a file.

The scripts are ES modules that import each other. A page that has to open from a file cannot load modules,
so they are joined, each after those that it imports, without their import and export statements (each on a
line of its own); names at the top level are therefore unique over the modules of a package. Those of other
packages are in a block, in which they see the names of the page's own, and nobody sees theirs.
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

from rankgauge.extensions.pages.explorer.session import Session
from rankgauge.extensions.pages.explorer.views import PAGE, VIEWS, Request, View, answer
from rankgauge.extensions.pages.figures.offline import embedded, policy
from rankgauge.model.output.tables import printable
from rankgauge.schema.json_text import to_json

ASSETS = resources.files(PAGE) / "assets"
LEVEL = 6  # of compression: higher ones take twice as long for one per cent
_KEYS = '{"requests":,"data":""},'  # of a bundle in a page

_IMPORT = re.compile(r'^import (?:.* from )?"\./([\w-]+)\.js";.*\n', re.M)
_EXPORT = re.compile(r"^export ", re.M)


def live_page(session: Session, name: str) -> str:
    """The page whose answers come from the server that served it, which knows the session by a name."""
    return _page(session, live=name)


def locked_page() -> str:
    """The page for anyone without the token, such as after the server was started again."""
    return f"""{_head("rankgauge explore", "default-src 'none'; style-src 'unsafe-inline'")}
<body>
<main>
<h1>Open this explorer with its address</h1>
<p class="lead">Each start of <code>rankgauge explore</code> prints a new address, and only that opens
the page. If the explorer was started again, paste the address from its terminal here.</p>
<form><label>Address <input name="token" size="50" placeholder="http://…?token=…" autofocus></label>
<button>Open</button></form>
</main>
</body>
</html>
"""


def saved_page(session: Session, bundles: Iterable[Bundle], left_out: Sequence[str] = ()) -> str:
    """The page as a file: it holds the answers of the bundles; `left_out` says what it does not hold."""
    held = [{"requests": each.requests, "data": each.data} for each in bundles]
    return _page(session, live=None, bundles=held, left_out=left_out)


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
        return len(self.data) + len(to_json(self.requests, ascii_only=True, compact=True)) + len(_KEYS)


def content_policy(*, live: bool) -> str:
    """The content security policy of the page: its own scripts run, and only its own server is asked."""
    return policy([script()], [style()]) + ("; connect-src 'self'" if live else "")


@cache
def scripts() -> dict[str, dict[str, str]]:
    """{package: {name: text}} of the scripts of views, each after those of its package that it imports."""
    texts: dict[str, dict[str, str]] = {PAGE: {}}

    def add(name: str, view: View) -> None:
        shared = (ASSETS / f"{name}.js").is_file()
        own = texts.setdefault(PAGE if shared else view.package, {})
        if name not in own:
            own[name] = ((ASSETS if shared else view.assets) / f"{name}.js").read_text("utf-8")
            for imported in _IMPORT.findall(own[name]):
                add(imported, view)
            own[name] = own.pop(name)  # after them

    for name, view in VIEWS.items():
        add(name, view)
    return texts


@cache
def script() -> str:
    """All scripts of the page, as one module; the last, `frame`, starts the page."""
    packages = [
        {name: _EXPORT.sub("", _IMPORT.sub("", text)) for name, text in texts.items()}
        for texts in scripts().values()
    ]
    frame = packages[0].pop("frame")
    blocks = ("\n".join(["{", *texts.values(), "}"]) for texts in packages[1:])
    return "\n".join([*packages[0].values(), *blocks, frame])


@cache
def style() -> str:
    """All styles of the page: `style.css`, then those of views, which hold while one of them is shown."""
    folders = {view.package: view.assets for view in VIEWS.values()}
    files = [file for folder in folders.values() for file in folder.iterdir() if file.name.endswith(".css")]
    files.sort(key=lambda file: (file.name != "style.css", file.name))
    return "\n".join(file.read_text("utf-8") for file in files)


def _head(title: str, rules: str) -> str:
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{rules}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(printable(title))}</title>
<style>{style()}</style>
</head>"""


def _page(session: Session, *, live: str | None, **held: Any) -> str:
    data = {"live": live, "session": answer(session, "session", {}), **held}
    return f"""{_head(session.title, content_policy(live=live is not None))}
<body>
<div id="page"></div>
<noscript>This page needs JavaScript, and loads nothing from the network.</noscript>
<script type="application/json" id="data">{embedded(data)}</script>
<script type="module">{script()}</script>
</body>
</html>
"""
