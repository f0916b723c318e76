"""Changes to a Vega-Lite specification: line breaks, scales that panels share, points to hover over.

Vega shows the tooltip of a line only within a hair's breadth of its points. So invisible points are added,
the nearest of which is always at the pointer; images have no use for them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from itertools import count
from typing import Any

from rankgauge.extensions.pages.figures.drawing import LOOKS, Spec, legend, look
from rankgauge.extensions.pages.figures.theme import DOTTED, LINE, Style
from rankgauge.model.output.tables import Table
from rankgauge.schema.text import counted

MANY = 5_000  # points of all plots; of more, some are left out evenly, since each is a part of the page
_OF_A_POINT = ("x", "y", "detail")
_OF_A_MARK = ("mark", "encoding", "data", "transform")


def parts(spec: Spec) -> list[Spec]:
    """The panels side by side or below each other; none in a single plot."""
    return [part for key in ("concat", "hconcat", "vconcat") for part in spec.get(key, ())]


def plots_of(spec: Spec) -> list[Spec]:
    """All plots, each with axes of its own."""
    return [plot for part in parts(spec) for plot in plots_of(part)] or [spec]


def layers_of(spec: Spec, data: str = "") -> Iterator[tuple[str, Spec]]:
    """(the name of its data, the layer) for every mark of a plot."""
    data = spec.get("data", {}).get("name", data)
    for layer in spec.get("layer", ()):
        yield from layers_of(layer, data)
    if "mark" in spec:
        yield data, spec


def rename_data(spec: Spec, prefix: str) -> None:
    """Put a prefix before the names of all data."""
    if "name" in spec.get("data", {}):
        spec["data"] = {**spec["data"], "name": prefix + spec["data"]["name"]}
    for part in (*parts(spec), *spec.get("layer", ())):
        rename_data(part, prefix)


Break = Callable[[str], list[str]]


def break_lines(spec: Spec, style: Style, legend: Sequence[str]) -> str:
    """Break texts that would not fit; returns a sentence on names cut short."""
    cut: set[str] = set()
    for plot in plots_of(spec):
        _break_titles(plot, style)
        for encoding, names in _name_axes(plot):
            lines, own = _lines(names, style.axis_lines)
            if lines and "labelExpr" not in (encoding.get("axis") or {}):
                cut |= own
                # Lines go on from the middle of a row: half of them belong above it.
                most = max(len(style.axis_lines(name)) for name in names)
                broken = {"labelExpr": lines, "labelOffset": -LINE / 2 * (most - 1)}
                encoding["axis"] = {**(encoding.get("axis") or {}), **broken}
        lines, own = _lines(legend, style.legend_lines)
        for _, encoding in _by_series(plot) if lines else ():
            if encoding.get("legend"):
                cut |= own
                encoding["legend"]["labelExpr"] = lines
    return f"{counted(len(cut), 'long name')} cut short." if cut else ""


def _lines(names: Iterable[str], break_name: Break) -> tuple[str, set[str]]:
    """(an expression for the lines of names that need several, the names cut even so)."""
    broken = {name: lines for name in names if len(lines := break_name(name)) > 1}
    cut = {name for name, lines in broken.items() if lines[-1].endswith("…") and not name.endswith("…")}
    choices = (f"datum.label === {json.dumps(name)} ? {json.dumps(broken[name])} : " for name in broken)
    return f"{''.join(choices)}datum.label" if broken else "", cut


def _break_titles(plot: Spec, style: Style) -> None:
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
    """(encoding, names) of axes of names."""
    for _, layer in layers_of(plot):
        for axis in ("x", "y"):
            encoding = layer["encoding"].get(axis, {})
            if encoding.get("type") == "nominal" and (names := encoding.get("scale", {}).get("domain")):
                yield encoding, [*map(str, names)]


def share_axes(plots: Sequence[Spec], axes: Sequence[str], data: Mapping[str, Table]) -> None:
    """Give axes of the same quantity one range in all plots, with room for all data."""
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
    """The channels that the legend leaves out since some lines have marks."""
    hidden: set[str] = set()
    for plot in plots:
        legends = {channel: encoding.get("legend") for channel, encoding in _by_series(plot)}
        if any(legends.values()):
            hidden |= {channel for channel, shown in legends.items() if not shown}
    return hidden


def _scales(plot: Spec, axis: str) -> list[dict[str, Any]]:
    positions = (layer["encoding"].get(axis, {}) for _, layer in layers_of(plot))
    return [p.setdefault("scale", {}) for p in positions if p.get("type") == "quantitative"]


def _axis_title(plot: Spec, axis: str) -> str:
    positions = [layer["encoding"].get(axis, {}) for _, layer in layers_of(plot)]
    words = [str(p[key]) for key in ("title", "field") for p in positions if p.get(key)]
    return words[0] if words else ""


def _extent(plot: Spec, axis: str, data: Mapping[str, Table]) -> Iterator[float]:
    """Values that an axis has room for: the data, and the ends of its own range."""
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
    for _, layer in layers_of(plot):
        for channel in LOOKS:
            encoding = layer["encoding"].get(channel, {})
            if encoding.get("field") == "series":
                yield channel, encoding


def _looks(plot: Spec) -> dict[str, dict[str, Any]]:
    """{label: {channel: value}}."""
    looks: dict[str, dict[str, Any]] = {}
    for channel, encoding in _by_series(plot):
        scale = encoding["scale"]
        for label, value in zip(scale["domain"], scale["range"], strict=True):
            looks.setdefault(label, {})[channel] = value
    return looks


def _in_background(own: Mapping[str, Any], style: Style) -> bool:
    return own.get("strokeDash") == DOTTED or own.get("color") == style.colours.muted


def _unused(own: dict[str, Any], taken: Sequence[Mapping[str, Any]], style: Style) -> dict[str, Any]:
    places = count()
    while own in taken and not _in_background(own, style) and (place := next(places)) < len(taken) + 1:
        others = {channel: value for channel, value in look(place, style).items() if channel in own}
        own = own | others
    return own


def with_hover(spec: Spec) -> Spec:
    """A copy in which every line has points to hover over."""
    copy = deepcopy({key: value for key, value in spec.items() if key != "datasets"})
    copy["datasets"] = spec["datasets"]
    tops = [(plot, top) for plot in plots_of(copy) if (top := _top_line(plot))]
    for number, (plot, (data, line)) in enumerate(tops):
        every = -(-len(spec["datasets"][data]) * len(tops) // MANY)
        points = _points(data, line["encoding"], f"hover_{number}", every)
        if "mark" in plot:
            plot["layer"] = [{key: plot.pop(key) for key in _OF_A_MARK if key in plot}]
        plot["layer"].append(points)
    return copy


def _top_line(plot: Spec) -> tuple[str, Spec] | None:
    """(the name of its data, the layer) of the topmost lines, if there are lines."""
    lines = [
        (data, layer)
        for data, layer in layers_of(plot)
        if layer["mark"]["type"] == "line" and "tooltip" in layer["encoding"]
    ]
    return lines[-1] if lines else None


def _points(data: str, line: dict[str, Any], name: str, every: int) -> Spec:
    thinned = [{"window": [{"op": "row_number", "as": "row"}]}, {"filter": f"datum.row % {every} === 0"}]
    hover = {"type": "point", "nearest": True, "on": "pointerover", "clear": "pointerout"}
    return {
        "data": {"name": data},
        **({"transform": thinned} if every > 1 else {}),
        "mark": {"type": "point", "filled": True, "size": 24},
        "params": [{"name": name, "select": hover}],
        "encoding": {
            **{channel: deepcopy(line[channel]) for channel in _OF_A_POINT if channel in line},
            "opacity": {"condition": {"param": name, "empty": False, "value": 1}, "value": 0},
            "tooltip": {"value": {"expr": _shown(line["tooltip"])}},
        },
    }


def _shown(tooltip: list[dict[str, Any]]) -> str:
    """An expression for a tooltip: a list of fields would not find names by the nearest point."""
    cells = []
    for each in tooltip:
        cell = f"(datum.datum || datum)[{json.dumps(each['field'])}]"
        shown = f"format({cell}, {json.dumps(each['format'])})" if "format" in each else f"'' + {cell}"
        shown = f"isValid({cell}) ? {shown} : '–'"  # which format would show as 0
        cells.append(f"{json.dumps(each['title'])}: {shown}")
    return f"{{{', '.join(cells)}}}"
