"""Lines over numbers, with the range of each value: a band, or bars where bands would cover each other."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeGuard

from rankgauge.figures.drawing import require
from rankgauge.figures.series import Series
from rankgauge.figures.theme import Style
from rankgauge.figures.tooltips import EXACT, tooltip
from rankgauge.model.output.tables import Cell

FEW_PLACES = 12  # on the x axis, so that bars can stand side by side
STEP = 0.02  # the distance of bars at most, as a share of the axis
SPREAD = 0.55  # the share of the gap between two places that the bars of all lines take


@dataclass(frozen=True)
class LinePlot:
    """What the lines of a plot show, and how."""

    across: str
    up: str
    noun: str  # what a line is
    ranges: str = ""  # "bands" or "bars", if values have ranges
    range_titles: tuple[str, str] = ("lowest", "highest")
    places: Sequence[float] = ()  # the ticks of the x axis, if they are few
    rule: float | None = None
    log: str = "none"
    marks: bool = False
    zero: bool = False


def side_by_side(lines: Mapping[str, Sequence[float]], *, log: bool) -> dict[str, list[float]] | None:
    """Where the bars of lines stand, close to their values of x; None if there is no room or need for them.

    Lines are {name: values of x}.
    """
    forward, back = (math.log, math.exp) if log else (float, float)
    places = sorted({x for xs in lines.values() for x in xs})
    if len(lines) < 2 or not 2 <= len(places) <= FEW_PLACES or (log and places[0] <= 0):
        return None
    gap = min(forward(b) - forward(a) for a, b in pairwise(places))
    step = min(SPREAD * gap / len(lines), STEP * (forward(places[-1]) - forward(places[0])))
    middle = (len(lines) - 1) / 2
    return {
        name: [back(forward(x) + (at - middle) * step) for x in xs]
        for at, (name, xs) in enumerate(lines.items())
    }


def add_places(
    lines: Mapping[str, list[list[Cell]]], coloured: Sequence[str], *, log: bool
) -> dict[str, list[list[Cell]]] | None:
    """The points of lines, which begin with x, followed by the place of each; None if bars have no room."""
    numbers = {name: [float(row[0]) for row in rows if _is_number(row[0])] for name, rows in lines.items()}
    if any(len(numbers[name]) < len(lines[name]) for name in lines):
        return None
    places = side_by_side({name: numbers[name] for name in coloured}, log=log)
    if places is None:
        return None
    return {
        name: [[*row, place] for row, place in zip(rows, places.get(name, numbers[name]), strict=True)]
        for name, rows in lines.items()
    }


def _is_number(cell: Any) -> TypeGuard[float]:
    return isinstance(cell, (int, float)) and math.isfinite(cell)


def draw_lines(style: Style, series: Series, plot: LinePlot) -> Any:
    """The chart of the table `lines`, and of `rule` if there is one."""
    alt, c = require("altair"), style.colours
    base = alt.Chart(alt.NamedData(name="lines")).encode(detail="name:N")
    bars = plot.ranges == "bars"
    x = alt.X(
        "place:Q" if bars else "x:Q",
        title=plot.across,
        scale=alt.Scale(
            type="log" if plot.log in ("x", "both") else "linear",
            zero=False,
            nice=False,
            padding=4 if bars else 0,
        ),
        axis=alt.Axis(values=[*plot.places], format=EXACT) if bars else alt.Undefined,
    )
    y = alt.Y(
        "y:Q",
        title=plot.up,
        scale=alt.Scale(type="log" if plot.log in ("y", "both") else "linear", zero=plot.zero),
    )
    ends = zip(("low", "high"), plot.range_titles, strict=True) if plot.ranges else ()
    shown = tooltip(("name", plot.noun), ("x", plot.across, EXACT), ("y", plot.up), *ends)
    layers = []
    if plot.rule is not None:
        rule = alt.Chart(alt.NamedData(name="rule")).mark_rule(color=c.soft, strokeWidth=0.8)
        layers.append(rule.encode(y="y:Q"))
    # Before the ranges: the legend takes its symbols from the first layer.
    layers.append(
        base.mark_line(clip=True).encode(
            x=x,
            y=y,
            color=series.colour(),
            strokeDash=series.dash(),
            strokeWidth=series.weight(),
            tooltip=shown,
        )
    )
    if plot.ranges:
        mark = base.mark_rule(strokeWidth=0.9) if bars else base.mark_area(opacity=0.15)
        low = alt.Y("low:Q", title=plot.up)
        layers.append(mark.encode(x=x, y=low, y2="high:Q", color=series.colour()))
    if plot.marks:
        points = base.mark_point(filled=True, size=18, opacity=1)
        layers.append(points.encode(x=x, y=y, color=series.colour(), tooltip=shown))
    return alt.layer(*layers)
