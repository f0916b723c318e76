"""Sheets: a headline and sections of sentences and a table each, as text, Markdown, LaTeX or HTML.

Where one table is not enough to say something, a sheet is what is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rankgauge.model.tables import LATEX_ESCAPES, MARKDOWN_ESCAPES, PLACES, Table, lines, printable
from rankgauge.schema.checks import choice

STYLE = """\
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.4em; } h2 { font-size: 1.1em; margin-top: 1.6em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .15em .7em; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top; }"""


@dataclass(frozen=True)
class Section:
    """A title, sentences, and perhaps a table or a figure below them."""

    title: str
    sentences: tuple[str, ...] = ()
    table: Table | None = None
    # Makes a Vega-Lite specification with its data, which pages alone ask for.
    figure: Callable[[], Mapping[str, Any]] | None = None


@dataclass(frozen=True)
class Document:
    """A headline and its sections."""

    headline: str
    sections: tuple[Section, ...]


def _text(sheet: Document, places: int) -> Iterator[str]:
    yield printable(sheet.headline)
    for section in sheet.sections:
        yield ""
        yield section.title
        yield from (f"  {printable(sentence)}" for sentence in section.sentences)
        if section.table:
            yield from (f"  {line}" for line in lines(section.table, "table", places))


def _markdown(sheet: Document, places: int) -> Iterator[str]:
    def text(words: str) -> str:
        return printable(words).translate(MARKDOWN_ESCAPES)

    yield f"# {text(sheet.headline)}"
    for section in sheet.sections:
        yield ""
        yield f"## {text(section.title)}"
        for sentence in section.sentences:
            yield ""
            yield text(sentence)
        if section.table:
            yield ""
            yield from lines(section.table, "markdown", places)


def _latex(sheet: Document, places: int) -> Iterator[str]:
    def text(words: str) -> str:
        return printable(words).translate(LATEX_ESCAPES)

    yield rf"\subsection*{{{text(sheet.headline)}}}"
    for section in sheet.sections:
        yield ""
        yield rf"\paragraph{{{text(section.title)}}}"
        yield from map(text, section.sentences)
        if section.table:
            yield r"\par\smallskip\noindent"
            yield from lines(section.table, "latex", places)


def body(sheet: Document, places: int = PLACES) -> Iterator[str]:
    """The lines of a sheet in HTML, without what makes a page of them."""
    import html

    def text(words: str) -> str:
        return html.escape(printable(words))

    yield f"<h1>{text(sheet.headline)}</h1>"
    for section in sheet.sections:
        yield f"<h2>{text(section.title)}</h2>"
        yield from (f"<p>{text(sentence)}</p>" for sentence in section.sentences)
        if section.table:
            yield from lines(section.table, "html", places)


def _html(sheet: Document, places: int) -> Iterator[str]:
    import html

    yield "<!doctype html>"
    yield '<html lang="en">'
    yield '<meta charset="utf-8">'
    yield f"<title>{html.escape(printable(sheet.headline))}</title>"
    yield f"<style>\n{STYLE}\n</style>"
    yield from body(sheet, places)
    yield "</html>"


FORMATS: dict[str, Callable[[Document, int], Iterator[str]]] = {
    "table": _text,
    "markdown": _markdown,
    "latex": _latex,
    "html": _html,
}


def written(sheet: Document, name: str = "table", places: int = PLACES) -> Iterator[str]:
    """The lines of a sheet in one of the FORMATS, without line ends."""
    return FORMATS[choice("format", name, FORMATS)](sheet, places)
