"""How figures look: colours, dashes and sizes, in one place so that all figures of a paper match.

Colours are those of Okabe and Ito, which colour-blind readers can distinguish; each series has a dash and a
shape of its own as well, so that nothing is lost in greyscale. Sizes are points of a printed page.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rankgauge.figures.labels import UNNAMED, in_words, legible, measure_words
from rankgauge.model.labels import Labels
from rankgauge.schema.options import Option

THEME = Option(
    "theme", "the background of the figure", {"light": "white paper", "dark": "dark pages and slides"}
)
WIDTH = Option(
    "width",
    "the width of the figure",
    {"column": "one column of a paper, 3.3 inches", "page": "the full page, 7 inches"},
)
OPTIONS = (THEME, WIDTH)

MAX_COLOURS = 7  # more could not be distinguished
MAX_SERIES = 10  # in colour: with repeated colours, dashes and shapes differ
DASHES = ([1, 0], [6, 2], [2, 2], [8, 2, 2, 2], [11, 3], [4, 2, 1, 2, 1, 2], [3, 5])
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
DOTTED = [1, 2.5]  # the ideal; no series has this dash

_POINTS = {"column": 240.0, "page": 504.0}
_AXIS = 44.0  # the width of the labels and the title of a vertical axis
_TALLEST = 250.0
GAP = 14.0  # between panels
_SMALL, PANEL_TITLE, _LARGE = 7.5, 8.0, 9.0
_LETTER = 0.52  # the width of a letter relative to its font size


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
        series=("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#1a1a1a"),
        low="#d55e00",
        high="#0072b2",
    ),
    "dark": Colours(
        paper="#16181d",
        ink="#ececec",
        soft="#a8adb7",
        grid="#31353d",
        muted="#5d636e",
        series=("#56b4e9", "#e69f00", "#009e73", "#f0e442", "#d55e00", "#cc79a7", "#ececec"),
        low="#e69f00",
        high="#56b4e9",
    ),
}


@dataclass(frozen=True)
class Style:
    """The look of one figure, and what it calls runs and measures."""

    theme: str = THEME.default
    width: str = WIDTH.default
    labels: Labels = UNNAMED

    def __post_init__(self) -> None:
        for option in OPTIONS:
            option.check(getattr(self, option.name))

    def name(self, run: str) -> str:
        """What a run is called."""
        return legible(self.labels(run))

    def measure(self, text: str) -> str:
        """What a measure is called: its label, or its settings in words."""
        label = self.labels(text)
        return measure_words(text) if label == text else legible(label)

    def measures(self, texts: Sequence[str]) -> str:
        """What measures are called, separated by commas."""
        return ", ".join(map(self.measure, texts))

    def column(self, name: str) -> str:
        """What a column of a table is called."""
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
        """The number of panels side by side: on a page two, or three if there are three or more than four."""
        return 1 if self.width == "column" else min(panels, 2 if panels in (2, 4) else 3)

    def panel_width(self, panels: int, columns: int | None = None) -> float:
        """The width of the plot in each of several panels, in as many columns as fit or as are given."""
        columns = columns or self.columns(panels)
        return (self.total_width - 10 - (columns - 1) * GAP) / columns - _AXIS

    def height(self, ratio: float) -> float:
        """The height of a single plot, relative to its width; no more than a page has room for."""
        return min(self.panel_width(1) * ratio, _TALLEST)

    def wrap(self, text: str, *, large: bool = False, width: float | None = None) -> list[str]:
        """Text broken into lines that fit the width of the figure, or another."""
        letter = _LETTER * (_LARGE * 1.08 if large else _SMALL)
        room = max(1, int((width or self.total_width) / letter))
        return [*map(legible, textwrap.wrap(text, room))] or [""]

    def label_width(self, labels: Sequence[str]) -> float:
        """The width of the longest of the labels of an axis, as far as it is shown."""
        return min(self._label_limit, _LETTER * _SMALL * max(map(len, labels), default=0))

    @property
    def label_letters(self) -> int:
        """The number of letters on a line of the label of an axis."""
        return int(self._label_limit / (_LETTER * _SMALL))

    @property
    def _label_limit(self) -> float:
        return self.total_width * (0.4 if self.width == "column" else 0.3)

    def legend_columns(self, labels: list[str]) -> int:
        """The number of legend entries that fit on a line."""
        longest = max(map(len, labels), default=1)
        return max(1, min(len(labels), int(self.panel_width(1) // (36 + _LETTER * _SMALL * longest))))

    def config(self, entries: int = 1) -> dict[str, Any]:
        """The Vega-Lite configuration of this look, with `entries` legend entries per line."""
        c = self.colours
        text = {
            "labelColor": c.ink,
            "titleColor": c.ink,
            "labelFontSize": _SMALL,
            "titleFontSize": _SMALL + 0.5,
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
                "labelLimit": self._label_limit,
                "labelOverlap": True,
                "titlePadding": 4,
            },
            "axisY": {"minExtent": 20},
            "axisQuantitative": {"tickCount": 6},
            # A long name takes two lines; what does not fit there is cut.
            "axisDiscrete": {
                "labelExpr": f"length(datum.label) > {self.label_letters} ? [slice(datum.label, 0, "
                f"{self.label_letters}), slice(datum.label, {self.label_letters})] : datum.label"
            },
            "legend": {
                **text,
                "orient": "bottom",
                "titleFontWeight": "normal",
                "columns": entries,
                "columnPadding": 8,
                "labelLimit": self.panel_width(1) / entries - 36,
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
