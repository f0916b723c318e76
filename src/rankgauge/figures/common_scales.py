"""Scales that the panels of a figure have in common: the ranges of axes, and the looks of series."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from rankgauge.figures.series import LOOKS, legend, look
from rankgauge.figures.theme import DOTTED, Style
from rankgauge.figures.views import Spec, layers_of
from rankgauge.model.output.tables import Table


def share_axes(plots: Sequence[Spec], axes: Sequence[str], data: Mapping[str, Table]) -> None:
    """Give axes of the same quantity the same range in all plots: one that has room for all their data."""
    for axis in axes:
        by_title: dict[str, list[Spec]] = {}
        for plot in plots:
            if _scales(plot, axis):
                by_title.setdefault(_axis_title(plot, axis), []).append(plot)
        for alike in by_title.values():
            _share_axis(alike, axis, data)


def _share_axis(plots: Sequence[Spec], axis: str, data: Mapping[str, Table]) -> None:
    scales = [scale for plot in plots for scale in _scales(plot, axis)]
    extent = [value for plot in plots for value in _extent(plot, axis, data)]
    if not extent:
        return
    logarithmic = any(scale.get("type") == "log" for scale in scales)
    if not logarithmic and not any(scale.get("zero") is False for scale in scales):
        extent.append(0.0)
    nice = all(scale.get("nice", "domain" not in scale) for scale in scales)
    for scale in scales:
        scale |= {"domain": [min(extent), max(extent)], "nice": nice}
        scale.pop("zero", None)


def share_looks(plots: Sequence[Spec], style: Style) -> list[str]:
    """Give each series the same colour, dash and shape in all plots; returns the labels of the legend."""
    looks: dict[str, dict[str, Any]] = {}
    for plot in plots:
        for label, own in _looks(plot).items():
            if label not in looks:
                looks[label] = _unused(own, [*looks.values()], style)
            looks[label] = {**own, **looks[label]}
    labels = sorted(looks, key=lambda label: _in_background(looks[label], style))  # they come last
    hidden = _hidden_channels(plots)
    for plot in plots:
        has_legend = any(encoding.get("legend") for _, encoding in _by_series(plot))
        for channel, encoding in _by_series(plot):
            known = [look[channel] for look in looks.values() if channel in look]
            order = labels[::-1] if channel in hidden else labels  # as in Series
            values = [looks[label].get(channel, known[0]) for label in order]
            encoding["scale"] = {"type": "ordinal", "domain": order, "range": values}
            encoding["sort"] = labels
            if channel in hidden:
                encoding["legend"] = None
            elif len(labels) > 1 and not has_legend:
                encoding["legend"] = legend(points="shape" in looks[labels[0]])
    return labels


def _hidden_channels(plots: Sequence[Spec]) -> set[str]:
    """What the legend leaves out since lines have marks: in some plots, and so in all."""
    hidden: set[str] = set()
    for plot in plots:
        legends = {channel: encoding.get("legend") for channel, encoding in _by_series(plot)}
        if any(legends.values()):
            hidden |= {channel for channel, shown in legends.items() if not shown}
    return hidden


def _scales(plot: Spec, axis: str) -> list[dict[str, Any]]:
    """The scales of an axis of numbers, one for each layer."""
    positions = (layer["encoding"].get(axis, {}) for _, layer in layers_of(plot))
    return [p.setdefault("scale", {}) for p in positions if p.get("type") == "quantitative"]


def _axis_title(plot: Spec, axis: str) -> str:
    """The title of an axis, or the name of its first field."""
    positions = [layer["encoding"].get(axis, {}) for _, layer in layers_of(plot)]
    words = [str(p[key]) for key in ("title", "field") for p in positions if p.get(key)]
    return words[0] if words else ""


def _extent(plot: Spec, axis: str, data: Mapping[str, Table]) -> Iterator[float]:
    """The values that an axis has room for: the data, and the ends of its own range."""
    for name, layer in layers_of(plot):
        for channel in (axis, f"{axis}2"):
            position = layer["encoding"].get(channel, {})
            values: Sequence[Any] = position.get("scale", {}).get("domain", ())
            if "datum" in position:
                values = [position["datum"]]
            elif "field" in position and name in data and not values:
                place = [*data[name].headers].index(position["field"])
                values = [row[place] for row in data[name].rows]
            yield from (v for v in values if isinstance(v, (int, float)) and math.isfinite(v))


def _by_series(plot: Spec) -> Iterator[tuple[str, dict[str, Any]]]:
    """(channel, encoding) of all that distinguishes series in a plot."""
    for _, layer in layers_of(plot):
        for channel in LOOKS:
            encoding = layer["encoding"].get(channel, {})
            if encoding.get("field") == "series":
                yield channel, encoding


def _looks(plot: Spec) -> dict[str, dict[str, Any]]:
    """{label: {channel: its value}} of the series in a plot."""
    looks: dict[str, dict[str, Any]] = {}
    for channel, encoding in _by_series(plot):
        scale = encoding["scale"]
        for label, value in zip(scale["domain"], scale["range"], strict=True):
            looks.setdefault(label, {})[channel] = value
    return looks


def _in_background(own: Mapping[str, Any], style: Style) -> bool:
    """Whether this is the look of the ideal, or of runs in grey."""
    return own.get("strokeDash") == DOTTED or own.get("color") == style.colours.muted


def _unused(own: dict[str, Any], taken: Sequence[Mapping[str, Any]], style: Style) -> dict[str, Any]:
    """The look of a series, or another if a series of another panel has the same."""
    places = count()
    while own in taken and not _in_background(own, style) and (place := next(places)) < len(taken) + 1:
        colour, dash, shape = look(place, style)
        others = {"color": colour, "strokeDash": [*dash], "shape": shape}
        own = {**own, **{channel: value for channel, value in others.items() if channel in own}}
    return own
