"""A drawing, which is what the function of a figure returns, and the libraries that draw it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rankgauge.errors import MissingDependency
from rankgauge.model.output.tables import Table


def require(library: str) -> Any:
    """Import a plotting library, or raise an error that says how to install it."""
    import importlib

    names = {"altair": "altair", "vl_convert": "vl-convert-python"}
    try:
        return importlib.import_module(library)
    except ImportError:
        raise MissingDependency("a figure", names[library], "plot") from None


@dataclass(frozen=True, eq=False)
class Drawing:
    """A chart that refers to its data by name, with its title and caption."""

    chart: Any  # an Altair chart
    data: Mapping[str, Table]
    title: str
    subtitle: str
    sentences: Sequence[str]  # of the caption; empty ones are skipped
    legend: list[str] = field(default_factory=list)  # the entries of the legend, if there is one
    fits: bool = True  # a single plot, as wide as its axes allow
