"""The registry of figures: a decorated function for each, read by the command line, help, docs and tests.

    @figure("curve", title="Measures by rank", needs="curves", cite="...", example="-m nDCG")
    def curve(
        curves: "Curves",
        style: Style,
        *,
        ideal: Annotated[bool, Flag(), "show the ideal ranking"] = True,
    ) -> Drawing:
        \"\"\"Measures at every rank, averaged over topics.\"\"\"

The first argument is the result to draw, of the kind that `needs` names (see `inputs.INPUTS`). The keyword
arguments are the options, the docstring is the help. Each figure has a module in `catalogue/` that has its
name and is listed in FIGURES; modules import NumPy and Altair inside functions. Other packages add figures
through the entry point group `rankgauge.figures`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rankgauge.errors import OptionError
from rankgauge.figures.drawing import Drawing
from rankgauge.figures.figure import Figure
from rankgauge.figures.inputs import INPUTS
from rankgauge.figures.of_studies import require_one_collection
from rankgauge.figures.theme import THEME, WIDTH, Style
from rankgauge.model.output.labels import Labels
from rankgauge.schema.parameters import Parameter, check_options, parameters_of
from rankgauge.schema.registry import Registry, guarded

if TYPE_CHECKING:
    from rankgauge.model.output.labels import LabelsLike


@dataclass(frozen=True, eq=False, repr=False)
class Plot:
    """A kind of figure with its documentation and options. Calling it with results draws them."""

    name: str
    title: str
    needs: str  # the kind of result it draws, one of inputs.INPUTS
    cite: str
    example: str  # options for a realistic command line, to follow QRELS RUN...
    help: str
    parameters: tuple[Parameter, ...]
    function: Callable[..., Drawing]
    # Defaults of the options that the results are computed by: measures, depth, study.
    defaults: Mapping[str, Any] = field(default_factory=dict)

    def __call__(
        self,
        results: Any = None,
        *,
        theme: str = THEME.default,
        width: str = WIDTH.default,
        headed: bool = True,
        labels: LabelsLike = None,
        **options: Any,
    ) -> Figure:
        """Draw results, if it needs any; `headed=False` leaves out title and subtitle, for papers.

        `labels` is what runs and measures are called instead: {name: label}, or a file of labels.
        """
        if results is None and self.needs != "nothing":
            raise OptionError(f"the figure {self.name} draws {INPUTS[self.needs].description}; pass it")
        if self.needs == "findings":
            require_one_collection(results)
        style = Style(theme, width, Labels.read(labels))
        drawing = self.function(results, style, **self.settings(options))
        return Figure.of(self.name, drawing, style, headed=headed)

    def settings(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Check options, leaving out those that are None; an error says what is allowed."""
        check_options(
            f"the figure {self.name}", self.parameters, options, ("theme", "width", "headed", "labels")
        )
        known = {p.name: p for p in self.parameters}
        return {
            name: known[name].read(self.name, value, OptionError)
            for name, value in options.items()
            if value is not None
        }

    def __repr__(self) -> str:
        return f"<figure {self.name}: {self.title}>"


FIGURES: Registry[Plot] = Registry(
    "rankgauge.figures",
    "figure",
    [
        "rankgauge.figures.catalogue.alpha_gain",
        "rankgauge.figures.catalogue.archetypes",
        "rankgauge.figures.catalogue.asl",
        "rankgauge.figures.catalogue.correlation",
        "rankgauge.figures.catalogue.crp",
        "rankgauge.figures.catalogue.curve",
        "rankgauge.figures.catalogue.differences",
        "rankgauge.figures.catalogue.difficulty",
        "rankgauge.figures.catalogue.distribution",
        "rankgauge.figures.catalogue.effort_gain",
        "rankgauge.figures.catalogue.lines",
        "rankgauge.figures.catalogue.matrix",
        "rankgauge.figures.catalogue.pr",
        "rankgauge.figures.catalogue.pr_scatter",
        "rankgauge.figures.catalogue.pr_topic",
        "rankgauge.figures.catalogue.reversed_ideal",
        "rankgauge.figures.catalogue.robustness",
        "rankgauge.figures.catalogue.scatter",
        "rankgauge.figures.catalogue.significance",
        "rankgauge.figures.catalogue.sweep",
    ],
    listing="rankgauge figure",
)


def figure(
    name: str, *, title: str, needs: str, cite: str, example: str, **defaults: Any
) -> Callable[[Callable[..., Drawing]], Plot]:
    """Register the decorated function as a figure; `defaults` are those of measures, depth or study."""

    def register(function: Callable[..., Drawing]) -> Plot:
        plot = Plot(
            name=name,
            title=title,
            needs=needs,
            cite=cite,
            example=example,
            help=inspect.getdoc(function) or "",
            parameters=parameters_of(function, behind=2),
            function=guarded("figure", name, function),
            defaults=defaults,
        )
        FIGURES.add(name, plot, function)
        return plot

    return register


def figures() -> Mapping[str, Plot]:
    """All kinds of figure by name, in alphabetical order."""
    return dict(sorted(FIGURES.items()))
