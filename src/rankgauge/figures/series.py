"""Runs as series of a figure: their labels, and which of them are in colour."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankgauge.errors import OptionError
from rankgauge.figures.drawing import alt
from rankgauge.figures.labels import check_name, unique_labels
from rankgauge.figures.theme import DASHES, DOTTED, MAX_COLOURS, MAX_HIGHLIGHTED, MAX_SERIES, SHAPES, Style

LOOKS = ("color", "strokeDash", "strokeWidth", "shape")  # what distinguishes series, by Vega-Lite's names
BEST_IN_COLOUR = 3  # if there are too many runs to colour all and none is highlighted


@dataclass(frozen=True)
class Entry:
    """An entry of a legend, and how its runs are drawn."""

    label: str
    colour: str
    dash: Sequence[float]
    shape: str
    weight: float  # the width of a line


@dataclass(frozen=True)
class Series:
    """Runs, or other things distinguished by colour, as series of a figure."""

    names: Mapping[str, str]  # {run: its label}
    entry_of: Mapping[str, str]  # {run: the label of its legend entry}
    coloured: tuple[str, ...]  # the runs with an entry of their own
    entries: tuple[Entry, ...]
    ideal: str = ""  # the label of the ideal, if there is one
    noun: str = "run"
    always_legend: bool = False  # show a legend even with a single entry
    highlighted: bool = False  # those in colour were chosen

    @classmethod
    def assign(
        cls,
        values: Mapping[str, float],
        style: Style,
        highlight: Sequence[str] = (),
        *,
        ideal: bool = False,
        noun: str = "run",
        always_legend: bool = False,
        call: Callable[[str], str] | None = None,
    ) -> Series:
        """Series for {run: how good it is}: all in colour if they are few, else the highlighted or the best.

        A single series has no legend unless `always_legend` is set. `call` has the labels of things that are
        not runs.
        """
        names, coloured = unique_labels(values, call=call or style.name), _coloured(values, highlight, noun)
        c = style.colours
        entries = [Entry(names[run], *look(place, style), 1.3) for place, run in enumerate(coloured)]
        entry_of = {run: names[run] for run in coloured}
        (ideal_label,) = unique_labels(["ideal"], names.values()).values()
        if ideal:
            entries.append(Entry(ideal_label, c.ink, DOTTED, "stroke", 1.3))
        if others := len(values) - len(coloured):
            name = f"{others} other {noun}{'s' if others > 1 else ''}"
            (label,) = unique_labels([name], [*names.values(), ideal_label]).values()
            entries.append(Entry(label, c.muted, DASHES[0], "circle", 0.5))
            entry_of |= {run: label for run in values if run not in entry_of}
        return cls(
            names,
            entry_of,
            tuple(coloured),
            tuple(entries),
            ideal_label if ideal else "",
            noun,
            always_legend,
            bool(highlight),
        )

    @property
    def labels(self) -> list[str]:
        """The labels of all entries."""
        return [entry.label for entry in self.entries]

    @property
    def repeats_colours(self) -> bool:
        """Whether lines need marks, since some have the same colour."""
        return len(self.coloured) > MAX_COLOURS

    @property
    def back_to_front(self) -> list[str]:
        """The runs in drawing order: those in grey first, the first of the coloured ones on top."""
        return [run for run in self.entry_of if run not in self.coloured] + [*reversed(self.coloured)]

    @property
    def sentence(self) -> str:
        """A caption sentence on runs that are in grey."""
        if len(self.entry_of) == len(self.coloured):
            return ""
        best = "best" if self.noun == "run" else "highest"
        which = "highlighted ones" if self.highlighted else f"{len(self.coloured)} {best}"
        return f"Of {len(self.entry_of)} {self.noun}s, the {which} are in colour, the others in grey."

    def colour(self, *, points: bool = False) -> Any:
        """The encoding of colour; `points` shows points in the legend instead of lines."""
        return self._encoding("Color", [entry.colour for entry in self.entries], points)

    def dash(self, *, marked: bool = False) -> Any:
        """The encoding of the dashes of lines; those with marks have the marks in the legend."""
        return self._encoding("StrokeDash", [[*entry.dash] for entry in self.entries], hidden=marked)

    def weight(self, *, marked: bool = False) -> Any:
        """The encoding of the width of lines."""
        return self._encoding("StrokeWidth", [entry.weight for entry in self.entries], hidden=marked)

    def shape(self) -> Any:
        """The encoding of the shape of points."""
        return self._encoding("Shape", [entry.shape for entry in self.entries], True)

    def _encoding(
        self, channel: str, values: list[Any], points: bool = False, *, hidden: bool = False
    ) -> Any:
        # Vega-Lite merges legends whose scales have the same domain, also hidden ones; so it is another.
        order = -1 if hidden else 1
        # By default, widths would be spaced evenly between the first and the last.
        scale = alt.Scale(type="ordinal", domain=self.labels[::order], range=values[::order])
        shown = not hidden and (self.always_legend or len(self.entries) > 1)
        return getattr(alt, channel)(
            "series:N",
            scale=scale,
            legend=alt.Legend(**legend(points=points)) if shown else None,
            sort=self.labels,
        )


def legend(*, points: bool) -> dict[str, Any]:
    """The look of the legend of series: points, or lines even where areas have the same colour."""
    return {"title": None} | (
        {"symbolSize": 45, "rowPadding": 2, "symbolStrokeWidth": 0.5} if points else {"symbolType": "stroke"}
    )


def look(place: int, style: Style) -> tuple[str, Sequence[float], str]:
    """Colour, dash and shape of a series; when colours repeat, dashes and shapes differ."""
    other = place + place // len(DASHES) * 3
    return style.colours.series[place % MAX_COLOURS], DASHES[other % len(DASHES)], SHAPES[other % len(SHAPES)]


def _coloured(values: Mapping[str, float], highlight: Sequence[str], noun: str) -> list[str]:
    highlighted = [check_name(noun, run, [*values]) for run in dict.fromkeys(highlight)]
    if len(highlighted) > MAX_HIGHLIGHTED:
        raise OptionError(f"at most {MAX_HIGHLIGHTED} {noun}s can be highlighted, not {len(highlighted)}")
    limit = MAX_SERIES if noun == "run" else MAX_HIGHLIGHTED  # all lines of a table are there to be read
    if len(values) <= limit:
        return [*values]
    # Sorting is stable: equally good runs keep their order.
    best = sorted(values, key=lambda run: math.inf if math.isnan(values[run]) else -values[run])
    return highlighted or best[:BEST_IN_COLOUR]
