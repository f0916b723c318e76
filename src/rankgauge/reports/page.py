"""A document as a self-contained web page, with its tables, figures, style and scripts."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from rankgauge.figures.offline import embedded, policy, vega
from rankgauge.model.documents import Document, Section
from rankgauge.model.tables import PLACES, NumberText, Table, number, printable

FILTERABLE_ROWS = 12  # tables with at least this number of rows can be searched


def page(document: Document, data: Mapping[str, Any], *, footer: str = "", places: int = PLACES) -> str:
    """The HTML of the page; `data` is available to its script, besides the figures."""
    figures = [section.figure() for section in document.sections if section.figure is not None]
    style, script = _asset("style.css"), vega() + _asset("effort.js") + _asset("page.js")
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy([script], [style])}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{_escape(document.title)}</title>",
            f"<style>{style}</style>",
            "</head>",
            "<body>",
            f"<header><h1>{_escape(document.title)}</h1></header>",
            *_contents(document.sections),
            "<main>",
            *_sections(document.sections, [str(figure["caption"]) for figure in figures], places),
            "</main>",
            f"<footer>{_escape(footer)}</footer>",
            f'<script type="application/json" id="data">{embedded({"figures": figures, **data})}</script>',
            f'<script type="module">{script}</script>',
            "</body>",
            "</html>",
            "",
        ]
    )


def _escape(text: str) -> str:
    return html.escape(printable(text))


def _contents(sections: Sequence[Section]) -> Iterator[str]:
    yield '<nav aria-label="Contents"><ul>'
    yield from (f'<li><a href="#part-{i}">{_escape(s.title)}</a></li>' for i, s in enumerate(sections))
    yield "</ul></nav>"


def _sections(sections: Sequence[Section], captions: Sequence[str], places: int) -> Iterator[str]:
    figures = 0
    for i, section in enumerate(sections):
        yield f'<section id="part-{i}">'
        yield f"<h2>{_escape(section.title)}</h2>"
        yield from (f"<p>{_escape(sentence)}</p>" for sentence in section.sentences)
        if section.figure is not None:
            yield f'<figure><div data-figure="{figures}"></div>'
            yield f"<figcaption>{_escape(captions[figures])}</figcaption></figure>"
            yield f'<div data-panel="{figures}"></div>'
            figures += 1
        if section.table is not None:
            yield from _table(section.table, places)
        yield "</section>"


def _table(table: Table, places: int) -> Iterator[str]:
    """A sortable table; cells carry their numbers with every digit to sort by."""
    rows = list(table.rows)
    numeric = [
        not any(isinstance(cell, str) and not isinstance(cell, NumberText) for cell in column)
        for column in zip(*rows, strict=True)
    ]
    numeric = numeric or [False] * len(table.headers)
    filterable = " data-filterable" if len(rows) >= FILTERABLE_ROWS else ""
    yield f'<div class="scroll" tabindex="0"><table data-sortable{filterable}><thead><tr>'
    for header, right in zip(table.headers, numeric, strict=True):
        yield f'<th scope="col"{" class=number" if right else ""}>{_escape(header)}</th>'
    yield "</tr></thead><tbody>"
    for i, row in enumerate(rows):
        cells = []
        for j, (cell, right) in enumerate(zip(row, numeric, strict=True)):
            classes = " ".join(["number"] * right + ["best"] * ((i, j) in table.best))
            attribute = f' class="{classes}"' if classes else ""
            if isinstance(cell, NumberText):
                exact = "" if math.isnan(cell.value) else f' data-value="{number(cell.value, None)}"'
                cells.append(f"<td{attribute}{exact}>{_escape(cell)}</td>")
            elif isinstance(cell, str):
                cells.append(f"<td{attribute}>{_escape(cell)}</td>")
            else:
                exact = "" if cell is None else f' data-value="{number(cell, None)}"'
                cells.append(f"<td{attribute}{exact}>{number(cell, places, undefined='–')}</td>")
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table></div>"


@cache
def _asset(name: str) -> str:
    return (resources.files("rankgauge.reports") / "assets" / name).read_text(encoding="utf-8")
