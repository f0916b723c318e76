"""The leaderboard to publish: runs that count, what is known about them, quality against cost."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from rankgauge._version import VERSION
from rankgauge.extensions.pages.explorer.page import ASSETS, add_script, joined
from rankgauge.extensions.pages.figures.offline import embedded, policy
from rankgauge.extensions.pages.reports.participants import MADE_BY, Board, interval_title, leaderboard
from rankgauge.formats.problems import quote
from rankgauge.model.output.documents import Document, body
from rankgauge.model.output.tables import printable
from rankgauge.model.score_tables import TableColumns, is_number

OWN = "rankgauge.extensions.pages.reports"
TABLE = '<table tabindex="0">'  # which scrolls where it is too wide


def about_runs(metadata: Any, runs: Sequence[str]) -> dict[str, list[Any]]:
    """{column: its values for these runs, None where there is none}, from a table with a column of runs.

    >>> about_runs({"run": ["b", "c"], "team": ["x", "y"], "cost": ["1.5", ""]}, ["a", "b"])
    {'team': [None, 'x'], 'cost': [None, 1.5]}
    """
    table = TableColumns.of(metadata)
    named = table.role("run") or next(iter(table.columns), None)
    if named is None or not {*table.texts(named)} & {*runs}:
        known = ", ".join(quote(run) for run in runs[:3])
        raise table.error(
            f"names no run of the campaign; name the column of runs `run`, and the runs as in {known}"
        )
    rows = {name: row for row, name in enumerate(table.texts(named))}
    if len(rows) < len(table.columns[named]):
        twice = next(row for row, name in enumerate(table.texts(named)) if rows[name] != row)
        raise table.error("has a run twice; keep one row", rows[table.texts(named)[twice]])
    columns = {}
    for name in table.columns:
        if name != named:
            cells = table.columns[name]
            numeric = all(map(is_number, cells))
            numbers = [table.number(name, row) if numeric else None for row in range(len(cells))]
            values: list[Any] = table.texts(name) if {*numbers} == {None} else numbers
            columns[name] = [values[rows[run]] if run in rows else None for run in runs]
    return columns


def public_page(title: str, board: Board, about: Mapping[str, Sequence[Any]]) -> str:
    """The page to publish, without problems of files and without links to the pages of participants.

    `about` has columns of values for the runs of the campaign.
    """
    folder = resources.files(OWN) / "assets"
    texts: dict[str, dict[str, str]] = {}
    add_script("public", folder, texts, OWN)
    script = joined(texts)
    style = "\n".join(each.read_text("utf-8") for each in (ASSETS / "style.css", folder / "public.css"))
    shown, *others = leaderboard(board, None)
    lines = _classed(Document(title, (shown,)))
    cut = lines.index(TABLE)
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy([script], [style])}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{html.escape(printable(title))}</title>\n<style>{style}</style>\n<main>",
            *lines[:cut],
            '<div id="board">',
            *lines[cut:],
            "</div>",
            *_classed(Document("", tuple(others))),
            f"</main>\n<footer>{MADE_BY} {VERSION}.</footer>",
            f'<script type="application/json" id="data">{embedded(_data(board, about))}</script>',
            f'<script type="module">{script}</script>\n</html>\n',
        ]
    )


def _classed(document: Document) -> list[str]:
    """The lines of a document with classes in place of styles, which the policy of the page refuses."""
    lines = (line.replace('style="text-align: right"', 'class="number"') for line in body(document))
    return [TABLE if line == "<table>" else line for line in lines]


def _data(board: Board, about: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    rows, at = [], {run: place for place, run in enumerate(board.session.campaign.runs)}
    for run in board.order:
        place, interval = board.place(0, run)
        rows.append(
            {
                "run": board.session.shown_runs[run],
                "place": None if math.isnan(place) else place,
                "interval": interval,
                "means": board.means(run),
                "about": [_shown(values[at[run]]) for values in about.values()],
            }
        )
    measures = zip(board.labels, board.standings, strict=True)
    return {
        "measures": [{"title": label, "direction": each.direction} for label, each in measures],
        "columns": [
            {"title": printable(name), "numeric": not any(isinstance(value, str) for value in values)}
            for name, values in about.items()
        ],
        "interval": interval_title(),
        "runs": rows,
    }


def _shown(value: Any) -> Any:
    return printable(value.strip()) or None if isinstance(value, str) else value
