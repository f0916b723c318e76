"""The parts of a Vega-Lite specification: panels, plots and their layers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Spec = dict[str, Any]


def parts(spec: Spec) -> list[Spec]:
    """The panels that a specification puts side by side or below each other; none if it is one plot."""
    return [part for key in ("concat", "hconcat", "vconcat") for part in spec.get(key, ())]


def plots_of(spec: Spec) -> list[Spec]:
    """All plots of a specification, each with axes of its own."""
    return [plot for part in parts(spec) for plot in plots_of(part)] or [spec]


def layers_of(spec: Spec, data: str = "") -> Iterator[tuple[str, Spec]]:
    """(the name of its data, the layer) for every mark of a plot."""
    data = spec.get("data", {}).get("name", data)
    for layer in spec.get("layer", ()):
        yield from layers_of(layer, data)
    if "mark" in spec:
        yield data, spec


def rename_data(spec: Spec, prefix: str) -> None:
    """Put a prefix before the name of all data that a specification refers to."""
    if "name" in spec.get("data", {}):
        spec["data"] = {**spec["data"], "name": prefix + spec["data"]["name"]}
    for part in (*parts(spec), *spec.get("layer", ())):
        rename_data(part, prefix)
