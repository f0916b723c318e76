"""The look of figures: colours, dashes, sizes and widths of texts.

Colour-blind readers can distinguish Okabe and Ito's colours; each series has a dash and a shape as well,
for greyscale. Sizes are points of a printed page. The machine's sans-serif type nearly always has the widths
of Helvetica, for which Arial and Liberation Sans were designed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import combining, east_asian_width

from rankgauge.extensions.pages.figures.labels import UNNAMED, in_words, legible, spelled
from rankgauge.model.output.labels import Labels
from rankgauge.schema.options import Option

BOLD = 1.08  # bold type, compared with plain type
MANY_LINES = 3  # of one name; more would need the room of the figure itself
THEME = Option(
    "theme", "the background of the figure", {"light": "white paper", "dark": "dark pages and slides"}
)
WIDTH = Option(
    "width",
    "the width of the figure",
    {"column": "one column of a paper, 3.3 inches", "page": "the full page, 7 inches"},
)
OPTIONS = (THEME, WIDTH)
MAX_COLOURS = 8  # more could not be distinguished
MAX_SERIES = 10  # in colour unless some are highlighted: with repeated colours, dashes and shapes differ
MAX_HIGHLIGHTED = 2 * MAX_COLOURS  # each with a dash and a shape of its own
DASHES = ([1, 0], [6, 2], [2, 2], [8, 2, 2, 2], [11, 3], [4, 2, 1, 2, 1, 2], [3, 5], [9, 2, 2, 2, 2, 2])
SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
)
DOTTED = [1, 2.5]  # the ideal; no series has this dash
_POINTS = {"column": 240.0, "page": 504.0}
_AXIS = 44.0  # the width of the labels and the title of a vertical axis
_TALLEST = 250.0
GAP = 14.0  # between panels
_SMALL, _TITLE, PANEL_TITLE, _LARGE = 7.5, 8.0, 8.0, 9.0  # sizes of type
LINE = 9.0  # the height of a line of type
_ROWS = ((12, 14.0), (30, 10.0), (math.inf, 8.5))  # (rows at most, the height of each with one line)
_SYMBOL, _BETWEEN = 24.0, 8.0  # the width of a legend's symbol and its margin, and the gap between columns


def broken_at_words(text: str, most: float) -> list[str]:
    """Lines of at most `most` em, broken between words; longer words are broken inside."""
    lines: list[str] = []
    for word in text.split():
        if lines and width_in_em(f"{lines[-1]} {word}") <= most:
            lines[-1] += f" {word}"
        else:
            lines += broken(word, most)
    return lines or [""]


def broken_name(name: str, most: float) -> list[str]:
    """A name in a few lines of at most `most` em, cut with an ellipsis."""
    lines = broken(name, most)
    if len(lines) <= MANY_LINES:
        return lines
    last = lines[MANY_LINES - 1]
    while last and width_in_em(f"{last}…") > most:
        last = last[:-1]
    return [*lines[: MANY_LINES - 1], f"{last}…"]


@dataclass(frozen=True)
class Colours:
    """The colours of a theme."""

    paper: str
    ink: str
    soft: str  # less prominent ink: subtitles, rules
    grid: str
    muted: str  # series in the background
    series: tuple[str, ...]
    low: str  # the ends of diverging scales, whose middle is the paper
    high: str


_COLOURS = {
    "light": Colours(
        paper="#ffffff",
        ink="#1a1a1a",
        soft="#595959",
        grid="#e4e4e4",
        muted="#b3b3b3",
        series=("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#1a1a1a", "#8a3ffc"),
        low="#d55e00",
        high="#0072b2",
    ),
    "dark": Colours(
        paper="#16181d",
        ink="#ececec",
        soft="#a8adb7",
        grid="#31353d",
        muted="#5d636e",
        series=("#56b4e9", "#e69f00", "#009e73", "#f0e442", "#d55e00", "#cc79a7", "#ececec", "#a56eff"),
        low="#e69f00",
        high="#56b4e9",
    ),
}


@dataclass(frozen=True)
class Style:
    """The look of one figure, with display names of runs, measures and topics."""

    theme: str = THEME.default
    width: str = WIDTH.default
    labels: Labels = UNNAMED

    def __post_init__(self) -> None:
        for option in OPTIONS:
            option.check(getattr(self, option.name))

    def name(self, name: str) -> str:
        """The label of a run, topic or column; of a measure, its text as the literature writes it."""
        label = self.labels(name)
        return legible(spelled(name) if label == name else label)

    def measures(self, texts: Sequence[str]) -> str:
        """Labels of measures, separated by commas."""
        return ", ".join(map(self.name, texts))

    def column(self, name: str) -> str:
        """The label of a column."""
        label = self.labels(name)
        return legible(in_words(name) if label == name else label)

    @property
    def colours(self) -> Colours:
        """The colours of the theme."""
        return _COLOURS[self.theme]

    @property
    def total_width(self) -> float:
        """The width of the whole figure."""
        return _POINTS[self.width]

    def columns(self, panels: int) -> int:
        """Panels side by side: two on a page, or three of three or more than four."""
        return 1 if self.width == "column" else min(panels, 2 if panels in (2, 4) else 3)

    def panel_width(self, panels: int, columns: int | None = None) -> float:
        """The width of the plot in each of several panels, in as many columns as fit or as given."""
        columns = columns or self.columns(panels)
        return (self.total_width - 10 - (columns - 1) * GAP) / columns - _AXIS

    def height(self, ratio: float) -> float:
        """The height of a single plot relative to its width, within a page."""
        return min(self.panel_width(1) * ratio, _TALLEST)

    def wrap(self, text: str, *, large: bool = False, width: float | None = None) -> list[str]:
        """Text broken into lines that fit the width of the figure, or another."""
        em = _LARGE * BOLD if large else _TITLE
        return [*map(legible, broken_at_words(text, max(1.0, (width or self.total_width) / em)))]

    def label_width(self, labels: Sequence[str]) -> float:
        """The width of the longest label on one line of an axis."""
        return min(self._label_limit, _SMALL * max(map(width_in_em, labels), default=0))

    def axis_lines(self, label: str) -> list[str]:
        """The lines of the label of an axis."""
        return broken_name(label, self._label_limit / _SMALL)

    def row_height(self, labels: Sequence[str], rows: int) -> float:
        """The height of a row of a list with these labels."""
        lines = max((len(self.axis_lines(label)) for label in labels), default=1)
        return next(height for most, height in _ROWS if rows <= most) + LINE * (lines - 1)

    @property
    def _label_limit(self) -> float:
        return self.total_width * (0.4 if self.width == "column" else 0.3)

    def legend_lines(self, label: str) -> list[str]:
        """The lines of an entry of the legend."""
        return broken_name(label, (self.panel_width(1) - _SYMBOL) / _SMALL)

    def legend_columns(self, labels: Sequence[str]) -> int:
        """Legend entries on a line: as many as fit."""
        widths = [_SYMBOL + _SMALL * max(map(width_in_em, self.legend_lines(label))) for label in labels]
        for columns in range(len(widths), 1, -1):
            widest = [max(widths[column::columns]) for column in range(columns)]  # entries are aligned
            if sum(widest) + _BETWEEN * (columns - 1) <= self.panel_width(1):
                return columns
        return 1

    def config(self, entries: int = 1) -> dict[str, Any]:
        """The Vega-Lite configuration, with `entries` legend entries per line."""
        c = self.colours
        text = {
            "labelColor": c.ink,
            "titleColor": c.ink,
            "labelFontSize": _SMALL,
            "titleFontSize": _TITLE,
        }
        return {
            "background": c.paper,
            "font": "sans-serif",
            "padding": 5,
            "view": {"stroke": None},
            # Screen readers get the description; reading out every point would only drown it.
            "mark": {"aria": False},
            "axis": {
                **text,
                "titleFontWeight": "normal",
                "gridColor": c.grid,
                "gridWidth": 0.5,
                "domainColor": c.soft,
                "tickColor": c.soft,
                "tickSize": 3,
                "labelLimit": self._label_limit + _SMALL,  # longer labels are broken into lines
                "labelOverlap": True,
                "titlePadding": 4,
            },
            "axisY": {"minExtent": 20},
            "axisQuantitative": {"tickCount": 6},
            "legend": {
                **text,
                "orient": "bottom",
                "titleFontWeight": "normal",
                "columns": entries,
                "columnPadding": _BETWEEN,
                "labelLimit": self.panel_width(1),  # longer labels are broken into lines
                "rowPadding": -6,
                "symbolStrokeWidth": 1.4,
                "symbolOpacity": 1,
                "symbolSize": 280,
                "offset": 6,
            },
            "header": {**text, "titleFontWeight": "normal"},
            "title": {
                "anchor": "start",
                "frame": "bounds",
                "color": c.ink,
                "fontSize": _LARGE,
                "subtitleColor": c.soft,
                "subtitleFontSize": _SMALL,
                "subtitlePadding": 2,
                "offset": 6,
            },
            "text": {"color": c.ink, "fontSize": _SMALL},
            "rule": {"color": c.soft},
        }


_WIDTHS = {
    character: width
    for width, characters in (
        (0.2, "'ijl"),
        (0.28, " !,./:;I[\\]ft|"),
        (0.34, '"()-`r{}'),
        (0.39, "*"),
        (0.5, "ckJsvxyz^"),
        (0.56, "#$0123456789?L_abdeghnopqu"),
        (0.59, "+<=>~"),
        (0.67, "&ABEKPSVXY"),
        (0.62, "FTZ"),
        (0.73, "CDHNRUw"),
        (0.78, "GOQ"),
        (0.84, "Mm"),
        (0.89, "%"),
        (0.95, "W"),
        (1.02, "@"),
    )
    for character in characters
}
# Some characters begin a line rather than end one; numbers, and short parameters such as rel=2, stay whole.
_BREAKS = re.compile(r"(?=[@(])|(?<=[ _\-,;:/)+|])|(?<=\.)(?!\d)|(?<==)(?=\w{3})")


def width_in_em(text: str) -> float:
    """The width of a text, relative to its font size."""
    return sum(_WIDTHS.get(character) or _other_width(character) for character in text)


def _other_width(character: str) -> float:
    if combining(character):
        return 0.0
    return 1.0 if east_asian_width(character) in "WF" else 0.62


def pieces(text: str) -> list[str]:
    """The parts of a text between which a line may end."""
    return [part for part in _BREAKS.split(text) if part]


def broken(text: str, most: float) -> list[str]:
    """Lines of at most `most` em, broken at pieces; longer pieces are cut."""
    lines = [""]
    for piece in pieces(text):
        for part in _cut(piece, most):
            if lines[-1] and width_in_em((lines[-1] + part).rstrip()) > most:
                lines.append("")
            lines[-1] += part
    return [line.strip() for line in lines if line.strip()] or [""]


def _cut(piece: str, most: float) -> list[str]:
    parts = [""]
    for character in piece:
        if parts[-1] and width_in_em(parts[-1] + character.rstrip()) > most:
            parts.append("")
        parts[-1] += character
    return parts
