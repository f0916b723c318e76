"""Web pages without scripts: text, tables and small pictures, in the style of the explorer."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import resources

from rankgauge._version import VERSION
from rankgauge.explorer.page import asset
from rankgauge.figures.offline import policy
from rankgauge.model.output.tables import printable

MADE_BY = "Made by rankgauge"  # in the footer of every page


class Markup(str):
    """HTML that is made here, and not text to be escaped."""

    __slots__ = ()


def escaped(text: str) -> str:
    """Text for a page; what is markup already stays as it is."""
    return text if isinstance(text, Markup) else html.escape(printable(text))


def static_page(title: str, body: Iterable[str]) -> str:
    """The HTML of a page, which runs no script and loads nothing."""
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy([], [_style()])}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escaped(title)}</title>",
            f"<style>{_style()}</style>",
            "</head>",
            "<body>",
            f"<header><h1>{escaped(title)}</h1></header>",
            "<main>",
            *body,
            "</main>",
            f"<footer>{MADE_BY} {VERSION}.</footer>",
            "</body>",
            "</html>",
            "",
        ]
    )


def paragraphs(sentences: Iterable[str]) -> Iterator[str]:
    """A paragraph for each sentence."""
    return (f"<p>{escaped(sentence)}</p>" for sentence in sentences)


def listed(items: Iterable[str]) -> Iterator[str]:
    """A list, if there are any items."""
    lines = [f"<li>{escaped(item)}</li>" for item in items]
    return iter(["<ul>", *lines, "</ul>"] if lines else [])


def rows(
    headers: Sequence[str], cells: Iterable[Sequence[str]], texts: Sequence[int] = (0,)
) -> Iterator[str]:
    """A table of texts; all columns but `texts` are aligned as numbers."""

    def row(tag: str, values: Sequence[str]) -> str:
        scope = ' scope="col"' if tag == "th" else ""
        kinds = ["name" if place in texts else "number" for place in range(len(values))]
        return "".join(
            f'<{tag}{scope} class="{kind}">{escaped(value)}</{tag}>'
            for kind, value in zip(kinds, values, strict=True)
        )

    yield '<div class="scroll" tabindex="0"><table>'
    yield f"<thead><tr>{row('th', headers)}</tr></thead>"
    yield "<tbody>"
    yield from (f"<tr>{row('td', values)}</tr>" for values in cells)
    yield "</tbody></table></div>"


@cache
def _style() -> str:
    own = (resources.files("rankgauge.reports") / "assets" / "static.css").read_text(encoding="utf-8")
    return f"{asset('style.css')}\n{own}"
