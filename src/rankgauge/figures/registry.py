"""The registry of figures: one decorated function each, read by the command line, help, docs and tests.

    @figure("curve", title="Measures by rank", needs="curves", cite="...", example="-m nDCG")
    def curve(
        curves: "Curves",
        style: Style,
        *,
        ideal: Annotated[bool, Flag(), "show the ideal ranking"] = True,
    ) -> Drawing:
        \"\"\"Measures at every rank, averaged over topics.\"\"\"

What comes first is the result it draws; `needs` says which (see `needs.NEEDS`). The rest of the signature
is its options, its docstring its help. A module of figures imports NumPy and Altair inside its functions,
and is not called like a figure: importing it must not put it in the other's place.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rankgauge.errors import OptionError
from rankgauge.figures.figure import Drawing, Figure, needed, records
from rankgauge.figures.theme import THEME, WIDTH, Style
from rankgauge.schema.parameters import Parameter, parameters_of
from rankgauge.schema.text import nearest

_FIGURES: dict[str, Plot] = {}


@dataclass(frozen=True, eq=False, repr=False)
class Plot:
    """A kind of figure, and all that is known of it. Called with results, it draws them."""

    name: str
    title: str
    needs: str  # what it draws, one of needs.NEEDS
    cite: str
    example: str  # what stands behind QRELS RUN... on a command line that makes sense
    help: str
    parameters: tuple[Parameter, ...]
    function: Callable[..., Drawing]
    # What the results are made with where nothing is said, by the name of the option: measures, depth.
    made: Mapping[str, Any] = field(default_factory=dict)

    def __call__(
        self,
        results: Any,
        *,
        theme: str = THEME.default,
        width: str = WIDTH.default,
        headed: bool = True,
        **options: Any,
    ) -> Figure:
        """The figure of these results; `headed=False` leaves title and subtitle to the paper's caption."""
        style = Style(theme, width)
        drawing = self.function(results, style, **self.settings(options))
        return Figure(self.name, drawing.title, drawing.caption, _spec(drawing, style, headed), drawing.data)

    def settings(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The options that were given, checked; an error says what is allowed."""
        known = {p.name: p for p in self.parameters}
        for name in given.keys() - known.keys():
            raise OptionError(
                f"the figure {self.name} has no option {name!r}{nearest(name, known)}; "
                f"it has {', '.join(known) or 'none'}, and theme, width and headed"
            )
        said = {name: value for name, value in given.items() if value is not None}
        return {name: known[name].read(self.name, value, OptionError) for name, value in said.items()}

    def __repr__(self) -> str:
        return f"<figure {self.name}: {self.title}>"


def figure(
    name: str, *, title: str, needs: str, cite: str, example: str, **made: Any
) -> Callable[[Callable[..., Drawing]], Plot]:
    """Register the decorated function as a figure."""

    def register(function: Callable[..., Drawing]) -> Plot:
        if name in _FIGURES and _FIGURES[name].function.__module__ != function.__module__:
            raise TypeError(
                f"there is a figure called {name} already, in {_FIGURES[name].function.__module__}"
            )
        _FIGURES[name] = Plot(
            name=name,
            title=title,
            needs=needs,
            cite=cite,
            example=example,
            help=inspect.getdoc(function) or "",
            parameters=parameters_of(function, behind=2),
            function=function,
            made=made,
        )
        return _FIGURES[name]

    return register


def figures() -> Mapping[str, Plot]:
    """All kinds of figure by name."""
    _import_all()
    return dict(sorted(_FIGURES.items()))


@functools.cache
def _import_all() -> None:
    import importlib
    import pkgutil

    package = importlib.import_module("rankgauge.figures")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"rankgauge.figures.{module.name}")


def _spec(drawing: Drawing, style: Style, headed: bool) -> dict[str, Any]:
    """The specification: what was drawn, with its words, its look and its data."""
    alt = needed("altair")
    spec: dict[str, Any] = {"$schema": alt.SCHEMA_URL, "description": drawing.caption}
    if headed:
        subtitle = style.wrapped(drawing.subtitle)
        spec["title"] = {"text": style.wrapped(drawing.title, large=True), "subtitle": subtitle}
    if drawing.fits:
        spec |= {"width": style.total, "autosize": {"type": "fit-x", "contains": "padding"}}
    # As a part of something larger, a chart takes nothing from the theme that a notebook may have set.
    spec |= drawing.chart.to_dict(context={"top_level": False})
    spec["config"] = style.config(style.legend_columns(drawing.legend))
    spec["datasets"] = {name: records(table) for name, table in drawing.data.items()}
    return spec
