"""Documents: a title and sections of sentences, tables and figures, in the formats for people."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import dropwhile
from operator import not_
from typing import Any
from urllib.parse import quote

from rankgauge.model.output import markup
from rankgauge.model.output.markup import fits_column
from rankgauge.model.output.table_cells import SCREEN, fitted, plain_widths
from rankgauge.model.output.tables import PLACES, NumberText, Table, lines, number, printable
from rankgauge.schema import text as schema_text
from rankgauge.schema.options import choice

STYLE = """\
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; background: Canvas; overflow-wrap: break-word; }
body { max-width: 76em; margin: 2em auto; padding: 0 1.2em; }
h1 { font-size: 1.6em; margin-bottom: .4em; } h2 { font-size: 1.15em; margin: 2em 0 .5em; }
p { max-width: 50em; margin: .5em 0; } li { margin: .2em 0; }
a { color: #0072b2; } footer { margin-top: 3em; opacity: .75; }
@media (prefers-color-scheme: dark) { a { color: #56b4e9; } }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
table { display: block; width: max-content; max-width: 100%; overflow-x: auto; }
th, td { padding: .25em .8em; border-bottom: 1px solid #8884; text-align: left; vertical-align: top; }
td { max-width: 18em; } td:last-child { max-width: 36em; }
th { white-space: nowrap; border-bottom: 2px solid #8888; } tbody tr:hover { background: #8882; }
@media (max-width: 40em) { th, td { padding: .25em .5em; } td { max-width: 9.5em; } }
@media (max-width: 40em) { td:last-child { min-width: 9em; max-width: 15em; } }
.bar { width: 8em; height: 1.1em; fill: none; stroke-width: 6; background: #8882; }
.better { stroke: #0072b2; } .worse { stroke: #d55e00; }
@media (max-width: 40em) { .bar { width: 4em; } td:has(+ td .bar) { min-width: 9em; } }
details { margin: .6em 0; } summary { cursor: pointer; }
img { max-width: 100%; background: #fff; }"""


@dataclass(frozen=True)
class Section:
    """A title and sentences, with an optional table or picture."""

    title: str
    sentences: tuple[str, ...] = ()
    table: Table | None = None
    picture: str | None = None  # an image file, as a path from the file of the document; text has none
    places: int | None = None  # of the numbers in the table, if other than those of the document
    folded: bool = False  # where a page can hide it, only its title is shown until a reader opens it


@dataclass(frozen=True)
class Document:
    """A title and sections."""

    title: str  # empty: none, as those of sections may be
    sections: tuple[Section, ...]

    def __str__(self) -> str:
        return "\n".join(screen_lines(self))

    def _repr_html_(self) -> str:
        return notebook(self)


def _table(section: Section, form: str, places: int, on_screen: bool = False) -> Iterator[str]:
    """The lines of a section's table, not split on a screen if its first columns are long."""
    shown = places if section.places is None else section.places
    table = section.table or Table((), ())
    table = table._replace(rows=list(table.rows))
    widths = plain_widths(shown)
    splits = on_screen and sum(widths(table)[: table.keys]) <= SCREEN / 2
    for place, block in enumerate(fitted(table, SCREEN - 2, widths) if splits else [table]):
        if place:
            yield ""
        yield from lines(block, form, shown)


def _text(document: Document, places: int, on_screen: bool = False) -> Iterator[str]:
    if document.title:
        yield printable(document.title)
    for place, section in enumerate(document.sections):
        if place or document.title:
            yield ""
        indent = ""
        if section.title:
            yield section.title
            indent = "  "
        yield from (f"{indent}{printable(sentence)}" for sentence in section.sentences)
        if section.table:
            shown = _table(section, "table", places, on_screen)
            yield from (f"{indent}{line}" if line else "" for line in shown)


@dataclass(frozen=True)
class _Style:
    """The markup of a document in one format; {} stands for text."""

    escape: Callable[[str], str]
    title: str
    heading: str
    fold: tuple[list[str], list[str]] | None = None  # around a section that can be hidden
    picture: str = ""  # with the place of the file and the title
    gap: tuple[str, ...] = ()  # before a section
    small_gap: tuple[str, ...] = ()  # before a paragraph, table or picture


STYLES = {
    "html": _Style(
        html.escape,
        "<h1>{}</h1>",
        "<h2>{}</h2>",
        (["<details><summary>{}</summary>"], ["</details>"]),
        '<p><img src="{0}" alt="{1}"></p>',
    ),
    "markdown": _Style(
        markup.markdown,
        "# {}",
        "## {}",
        (["<details>", "<summary>{}</summary>"], ["", "</details>"]),
        "![{1}]({0})",
        ("",),
        ("",),
    ),
    "typst": _Style(markup.typst, "#heading(level: 2, {})", "#heading(level: 3, {})", gap=("",)),
}


def body(
    document: Document, places: int = PLACES, form: str = "html", style: _Style | None = None
) -> Iterator[str]:
    """The lines of a document, without the surrounding page."""
    style = style or STYLES[form]
    if document.title:
        yield style.title.format(style.escape(printable(document.title)))
    for section in document.sections:
        title = printable(section.title)
        if title:
            yield from style.gap
        fold = style.fold if section.folded else None
        if fold:
            summary = markup.markdown_html(title) if form == "markdown" else html.escape(title)
            yield from (line.format(summary) for line in fold[0])
        elif title:
            yield style.heading.format(style.escape(title))
        for sentence in section.sentences:
            yield from style.small_gap
            yield markup.paragraph(printable(sentence), form)
        if section.table:
            yield from style.small_gap
            yield from _table(section, form, places)
        if section.picture and style.picture:
            yield from style.small_gap
            yield style.picture.format(quote(section.picture), style.escape(title))
        if fold:
            yield from fold[1]


def _latex(document: Document, places: int, form: str = "latex") -> Iterator[str]:
    def escape(text: str) -> str:
        return markup.latex(printable(text))

    if document.title:
        yield rf"\subsection*{{{escape(document.title)}}}"
    for section in document.sections:
        yield ""
        if section.title:
            yield rf"\paragraph{{{escape(section.title)}}}"
        yield from map(escape, section.sentences)
        if section.title and not section.sentences:
            yield r"\leavevmode"  # or the heading would stand beside the table
        if section.table:
            shown = places if section.places is None else section.places
            table = section.table._replace(rows=list(section.table.rows))
            if fits_column(table, shown):
                yield r"\par\smallskip\noindent"
            elif section.title and not table.caption:  # it will be a float, away from its heading
                table = table._replace(caption=f"{section.title}.")
            yield from lines(table, form, shown)
        if section.picture:
            yield rf"\includegraphics[width=\linewidth]{{{section.picture}}}"


def notebook(document: Document) -> str:
    """A document without headings, which would enter the outline of a notebook."""
    style = replace(
        STYLES["html"], title='<p style="font-size: 1.2em"><b>{}</b></p>', heading="<p><b>{}</b></p>"
    )
    return schema_text.notebook("\n".join(body(document, style=style)))


def _html(document: Document, places: int) -> Iterator[str]:
    yield "<!doctype html>"
    yield '<html lang="en">'
    yield '<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{html.escape(printable(document.title or 'rankgauge'))}</title>"
    yield f"<style>\n{STYLE}\n</style>"
    yield "<main>"
    for line in body(document, places):
        yield line.replace("<table>", '<table tabindex="0">')  # which scrolls where it is too wide
    yield "</main>"
    yield "</html>"


FORMATS: dict[str, Callable[[Document, int], Iterator[str]]] = {
    "table": _text,
    "markdown": partial(body, form="markdown"),
    "latex": _latex,
    "siunitx": partial(_latex, form="siunitx"),
    "typst": partial(body, form="typst"),
    "html": _html,
}


def labelled(document: Document, labels: Callable[[str], str]) -> Document:
    """The document with labels instead of names in its tables."""

    def with_labels(table: Table) -> Table:
        shown = table.labelled(labels)
        return shown._replace(rows=list(shown.rows))  # a document may be written more than once

    sections = (
        replace(section, table=with_labels(section.table)) if section.table else section
        for section in document.sections
    )
    return replace(document, sections=tuple(sections))


def screen_lines(document: Document) -> Iterator[str]:
    """The lines of a document as Python shows it."""
    return _text(document, PLACES, on_screen=True)


def document_lines(document: Document, name: str = "table", places: int = PLACES) -> Iterator[str]:
    """The lines of a document in one of the FORMATS."""
    written = FORMATS[choice("format", name, FORMATS)](document, places)
    return dropwhile(not_, written)  # without a title, the first line may be empty


def page_section(section: Section) -> dict[str, Any]:
    """A section for a script that shows it."""
    places = PLACES if section.places is None else section.places
    return {
        "title": printable(section.title),
        "sentences": [printable(sentence) for sentence in section.sentences],
        "table": None if section.table is None else _page_table(section.table, places),
    }


def _page_table(table: Table, places: int) -> dict[str, Any]:
    def cell(value: Any) -> list[Any]:
        if isinstance(value, NumberText):
            return [printable(value), value.value]
        if isinstance(value, str):
            return [printable(value), printable(value)]
        return [number(value, places, undefined="–"), value]

    rows = [list(map(cell, row)) for row in table.rows]
    return {
        "headers": [printable(header) for header in table.headers],
        "rows": rows,
        "best": sorted(map(list, table.best)),
    }
