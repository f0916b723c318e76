"""The registry of figures: one decorated function each, read by the command line, help, docs and tests.

    @figure("curve", title="Measures by rank", needs="curves", cite="...", example="-m nDCG")
    def curve(
        curves: "Curves",
        style: Style,
        *,
        ideal: Annotated[bool, Flag(), "show the ideal ranking"] = True,
    ) -> Drawing:
        \"\"\"Measures at every rank, averaged over topics.\"\"\"

What comes first is the result it draws; `needs` says which (see `inputs.NEEDS`). The rest of the signature
is its options, its docstring its help. A figure has a module of its own in `catalogue/`, named like it and
listed in FIGURES; it imports NumPy and Altair inside its functions. Other packages add figures under the
entry point group `rankgauge.figures`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rankgauge.errors import OptionError, nearest
from rankgauge.figures.figure import Drawing, Figure, needed, records
from rankgauge.figures.theme import THEME, WIDTH, Style
from rankgauge.measures.registry import parameters_of
from rankgauge.measures.spec import Parameter
from rankgauge.schema.registry import Registry


@dataclass(frozen=True, eq=False, repr=False)
class Plot:
    """A kind of figure, and all that is known of it. Called with results, it draws them."""

    name: str
    title: str
    needs: str  # what it draws, one of inputs.NEEDS
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


FIGURES: Registry[Plot] = Registry(
    "rankgauge.figures",
    "figure",
    [
        f"rankgauge.figures.catalogue.{name}"
        for name in (
            *(
                "alpha_gain",
                "asl",
                "correlation",
                "crp",
                "curve",
                "differences",
                "difficulty",
                "distribution",
            ),
            *("effort_gain", "lines", "matrix", "pr", "pr_scatter", "pr_topic", "reversed_ideal"),
            *("robustness", "scatter", "significance", "sweep"),
        )
    ],
    listing="rankgauge figure",
)


def figure(
    name: str, *, title: str, needs: str, cite: str, example: str, **made: Any
) -> Callable[[Callable[..., Drawing]], Plot]:
    """Register the decorated function as a figure."""

    def register(function: Callable[..., Drawing]) -> Plot:
        plot = Plot(
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
        FIGURES.add(name, plot, function)
        return plot

    return register


def figures() -> Mapping[str, Plot]:
    """All kinds of figure by name, in alphabetical order."""
    return dict(sorted(FIGURES.items()))


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
