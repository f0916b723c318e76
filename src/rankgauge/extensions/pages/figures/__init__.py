"""Figures of results: Vega-Lite specifications with their data, for papers, notebooks and web pages.

    curve(curves, ideal=True)            draws results: returns a Figure
    Figure.spec, .data, .caption         what a figure consists of
    Figure.save("curve.pdf")             writes an image, a web page or the specification
    compose([figure, figure])            several figures as panels of one
    figures()                            all kinds of figure by name

A kind of figure is a function with the decorator `figure`; `rankgauge figure` lists them all.
Drawing needs Altair and vl-convert: pip install 'rankgauge[plot]'.
"""

from typing import Any

from rankgauge.extensions.pages.figures.figure import Figure, compose
from rankgauge.extensions.pages.figures.registry import FIGURES, Plot, figure, figures

__all__ = ["Figure", "Plot", "compose", "figure", "figures"]


def __getattr__(name: str) -> Any:
    if not name.startswith("_") and (plot := FIGURES.get(name.replace("_", "-"))):
        return plot
    raise AttributeError(f"module 'rankgauge.figures' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *(name.replace("-", "_") for name in figures())])
