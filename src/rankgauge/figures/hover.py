"""Lines that can be pointed at: on a web page, the nearest point of a line shows its name and values.

Vega shows the tooltip of a line only within a hair's breadth of one of its points. So points are added that
cannot be seen, the nearest of which is always at the pointer. Images have no use for them.
"""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

from rankgauge.figures.views import Spec, layers_of, plots_of

MANY = 5_000  # points of all plots; of more, some are left out evenly, since each is a part of the page
_OF_A_POINT = ("x", "y", "detail")
_OF_A_MARK = ("mark", "encoding", "data", "transform")


def with_hover(spec: Spec) -> Spec:
    """A copy of a specification in which every line has points to hover over."""
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
    """(the name of its data, the layer) of the lines on top of all others, if a plot has lines."""
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
    """An expression for what a tooltip shows: a list of fields would not find names by the nearest point."""
    cells = []
    for each in tooltip:
        cell = f"(datum.datum || datum)[{json.dumps(each['field'])}]"
        shown = f"format({cell}, {json.dumps(each['format'])})" if "format" in each else f"'' + {cell}"
        shown = f"isValid({cell}) ? {shown} : '–'"  # which format would show as 0
        cells.append(f"{json.dumps(each['title'])}: {shown}")
    return f"{{{', '.join(cells)}}}"
