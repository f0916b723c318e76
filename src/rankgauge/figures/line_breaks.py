"""Where texts in a figure are broken into lines: titles of axes, names beside axes and in legends."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from rankgauge.figures.series import LOOKS
from rankgauge.figures.theme import LINE, Style
from rankgauge.figures.views import Spec, layers_of, plots_of
from rankgauge.schema.text import counted

Break = Callable[[str], list[str]]


def break_lines(spec: Spec, style: Style, legend: Sequence[str]) -> str:
    """Break the texts of a specification where they would not fit; returns a sentence on names cut short."""
    cut: set[str] = set()
    for plot in plots_of(spec):
        _break_titles(plot, style)
        for encoding, names in _name_axes(plot):
            lines, own = _lines(names, style.axis_lines)
            cut |= own
            if lines:
                # Lines go on from the middle of a row: half of them belong above it.
                most = max(len(style.axis_lines(name)) for name in names)
                broken = {"labelExpr": lines, "labelOffset": -LINE / 2 * (most - 1)}
                encoding["axis"] = {**(encoding.get("axis") or {}), **broken}
        lines, own = _lines(legend, style.legend_lines)
        for encoding in _legends(plot) if lines else ():
            cut |= own
            encoding["legend"]["labelExpr"] = lines
    return f"{counted(len(cut), 'long name')} cut short." if cut else ""


def _lines(names: Iterable[str], break_name: Break) -> tuple[str, set[str]]:
    """(an expression for the lines of names that need several, the names that do not fit even so)."""
    broken = {name: lines for name in names if len(lines := break_name(name)) > 1}
    cut = {name for name, lines in broken.items() if lines[-1].endswith("…") and not name.endswith("…")}
    choices = (f"datum.label === {json.dumps(name)} ? {json.dumps(broken[name])} : " for name in broken)
    return f"{''.join(choices)}datum.label" if broken else "", cut


def _break_titles(plot: Spec, style: Style) -> None:
    """Break the titles of axes into lines that fit the plot."""
    lengths = {"x": plot.get("width", 0), "y": plot.get("height", 0)}
    if "autosize" in plot:
        lengths["x"] = style.panel_width(1)
    for _, layer in layers_of(plot):
        for axis, length in lengths.items():
            if title := layer["encoding"].get(axis, {}).get("title"):
                words = title if isinstance(title, str) else " ".join(title)
                lines = style.wrap(words, width=length * 0.95)
                layer["encoding"][axis]["title"] = lines if len(lines) > 1 else lines[0]


def _name_axes(plot: Spec) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """(the encoding, the names) of axes that have names."""
    for _, layer in layers_of(plot):
        for axis in ("x", "y"):
            encoding = layer["encoding"].get(axis, {})
            if encoding.get("type") == "nominal" and (names := encoding.get("scale", {}).get("domain")):
                yield encoding, [*map(str, names)]


def _legends(plot: Spec) -> Iterator[dict[str, Any]]:
    """The encodings of series that have a legend."""
    for _, layer in layers_of(plot):
        for channel in LOOKS:
            encoding = layer["encoding"].get(channel, {})
            if encoding.get("field") == "series" and encoding.get("legend"):
                yield encoding
