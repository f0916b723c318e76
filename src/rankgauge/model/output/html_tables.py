"""Tables in HTML: for pages, and with styles in every cell, which Word keeps when it is pasted there."""

from __future__ import annotations

import html
from collections.abc import Iterator

from rankgauge.model.output.table_cells import FIGURE_SPACE, Markup, TableContent, printable, texts


def _escaped(text: str) -> str:
    return html.escape(printable(text))


MARKUP = Markup(
    text=_escaped,
    best="<b>{}</b>".format,
    second="<u>{}</u>".format,
    raised="<sup>{}</sup>".format,
    lowered="<sub>{}</sub>".format,
    pad=lambda text: FIGURE_SPACE * len(text),
)
RULE, THIN = "1.5pt solid black", ".75pt solid black"  # as booktabs draws them
FONT = "font-family: 'Times New Roman', serif; font-size: 9pt"


def html_lines(table: TableContent, places: int) -> Iterator[str]:
    """The lines of a table in HTML."""
    numeric, headers, lines = texts(table, places, MARKUP)
    styles = ["text-align: right" if right else "" for right in numeric]
    yield "<table>"
    if table.legend:
        yield f"<caption>{_escaped(table.legend)}</caption>"
    yield f"<thead>{_row('th', headers, styles)}</thead>"
    yield "<tbody>"
    for line in lines:
        yield _row("td", line, styles)
    yield "</tbody>"
    yield "</table>"


def word_lines(table: TableContent, places: int) -> Iterator[str]:
    """The lines of a table whose styles are in its cells, where Word looks for them.

    They are ASCII, since Word takes a file that does not begin with its encoding for one of Windows.
    """
    for line in _styled(table, places):
        yield line.encode("ascii", "xmlcharrefreplace").decode()


def _styled(table: TableContent, places: int) -> Iterator[str]:
    numeric, headers, lines = texts(table, places, MARKUP)
    if table.legend:
        yield f'<p style="{FONT}; margin: 0 0 4pt 0">{_escaped(table.legend)}</p>'
    yield '<table style="border-collapse: collapse">'
    for number, line in enumerate([headers, *lines]):
        above = f"border-top: {RULE}; border-bottom: {THIN}" if number == 0 else ""
        below = f"border-bottom: {RULE}" if number == len(lines) > 0 else ""
        rules = "; ".join(filter(None, (f"padding: 1pt 5pt; {FONT}", above, below)))
        yield _row("td", line, [f"{rules}; text-align: {'right' if right else 'left'}" for right in numeric])
    yield "</table>"


def _row(tag: str, cells: list[str], styles: list[str]) -> str:
    pairs = zip(styles, cells, strict=True)
    inner = "".join(
        f'<{tag} style="{style}">{cell}</{tag}>' if style else f"<{tag}>{cell}</{tag}>"
        for style, cell in pairs
    )
    return f"<tr>{inner}</tr>"
