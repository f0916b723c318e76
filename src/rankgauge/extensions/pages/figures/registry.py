"""The registry of figures: decorated functions, read by the command line, help, docs and tests.

    @figure("scatter", title="One measure against another", needs="scores", cite="...", example="-m AP")
    def scatter(
        scores: Scores,
        style: Style,
        *,
        large: Annotated[bool, Flag(), "draw large points"] = True,
    ) -> Drawing:
        \"\"\"Two measures of the same rankings.\"\"\"

The first argument is what `needs` names (see `INPUTS`), keyword arguments are options, the docstring is the
help. FIGURES lists the modules of `catalogue/`, which import NumPy and Altair inside functions. Other
packages use the entry point group `rankgauge.figures`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.campaigns.options import NAME, ValueKind
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.pages.figures.drawing import Drawing
from rankgauge.extensions.pages.figures.figure import Figure
from rankgauge.extensions.pages.figures.theme import THEME, WIDTH, Style
from rankgauge.measures import parse_all
from rankgauge.model.output.labels import Labels
from rankgauge.model.scores import Scores
from rankgauge.schema.parameters import Flag, Parameter, check_options, parameters_of
from rankgauge.schema.registry import Registry, guarded
from rankgauge.schema.text import described

if TYPE_CHECKING:
    from rankgauge.campaigns.campaign import Campaign
    from rankgauge.model.output.labels import LabelsLike


FERRO = "Ferro, Silvello, Keskustalo, Pirkola and Järvelin 2016, The Twist measure for IR evaluation"
MANNING = "Manning, Raghavan and Schütze 2008"


def _names(value: Any) -> tuple[str, ...]:
    names = (value,) if isinstance(value, str) else tuple(value)
    if not all(isinstance(name, str) for name in names):
        raise ValueError
    return names


SEVERAL_NAMES = ValueKind("a name; repeatable", _names, ", ".join)  # a command repeats the option
Highlight = Annotated[
    tuple[str, ...], SEVERAL_NAMES, "a run to show in colour if there are too many to colour all"
]
Topic = Annotated[str | None, NAME, "a topic to show instead of the mean over all"]
Title = Annotated[str | None, NAME, "the title of the figure"]
Log = Annotated[bool, Flag(), "use a logarithmic rank axis"]


Options = Mapping[str, Any]


@dataclass(frozen=True)
class Input:
    """A kind of result that figures draw."""

    description: str
    has: str  # an attribute by which such results are known; a comparison has those of scores
    options: tuple[str, ...] = ()  # the options it is computed by
    compute: Callable[[Campaign, Options], Any] | None = None  # None: it is read from a file


def _curves(campaign: Campaign, options: Options) -> Any:
    return campaign.curves(options["measures"], depth=options["depth"])


def _scores(campaign: Campaign, options: Options) -> Any:
    campaign.require_topics("this figure")
    return campaign.scores(options["measures"])


def _findings(campaign: Campaign, options: Options) -> Any:
    from rankgauge.campaigns.registry import STUDIES

    return STUDIES[options["study"]].call(campaign, **options["settings"])


INPUTS = {
    "curves": Input("curves, as `rankgauge.curves` returns them", "depth", ("measures", "depth"), _curves),
    "scores": Input("scores, as `rankgauge.evaluate` returns them", "notes", ("measures",), _scores),
    "findings": Input("the findings of a study of `rankgauge.studies`", "tables", ("study",), _findings),
    "nothing": Input("made-up results, which need no data", "", (), lambda campaign, options: None),
    "table": Input(
        "a `rankgauge.model.output.tables.Table`; or a .csv, .tsv, .json or .jsonl file with named columns",
        "headers",
    ),
}


@dataclass(frozen=True, eq=False, repr=False)
class Plot:
    """A kind of figure with its documentation and options; calling it draws results."""

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
    compute: Callable[[Campaign, Options], Any] | None = None  # the results, if not as INPUTS has it

    def __post_init__(self) -> None:
        """Have `help(figures.NAME)` and editors show the options of this figure."""
        options = [
            f"{each.name}: {each.help}{f' (default {each.written_default})' * bool(each.written_default)}"
            for each in self.parameters
        ]
        text = "\n".join(
            [f"{self.title}.", "", self.help, "", f"Draws {INPUTS[self.needs].description}.", *options]
        )
        keyword = inspect.Parameter.KEYWORD_ONLY
        first, last = (
            list(inspect.signature(type(self).__call__).parameters.values())[1:-1],
            [inspect.Parameter(each.name, keyword, default=each.default) for each in self.parameters],
        )
        object.__setattr__(self, "__doc__", text)
        object.__setattr__(self, "__signature__", inspect.Signature([*first, *last]))

    def __call__(
        self,
        results: Any = None,
        measures: Any = None,
        *,
        theme: str = THEME.default,
        width: str = WIDTH.default,
        headed: bool = True,
        labels: LabelsLike = None,
        **options: Any,
    ) -> Figure:
        """Draw results, if it needs any; `headed=False` leaves out title and subtitle, for papers.

        `measures` selects some of scores, such as "AP nDCG@10"; `labels` are display names of runs and
        measures: {name: label}, or a file.
        """
        drawn = INPUTS[self.needs]
        if drawn.has and not hasattr(results, drawn.has):
            raise OptionError(
                f"the figure {self.name} draws {drawn.description}, not {described(results)}; pass it"
            )
        if measures is not None:
            if not isinstance(results, Scores):
                raise OptionError(f"measures select some of scores; {described(results)} has its own")
            results = results.only(measures=[str(each) for each in parse_all(measures)])
        if collections := getattr(results, "collections", None):  # tables have rows of each
            raise InputError(
                "a figure draws the findings on one collection; "
                f"choose one of collections: {', '.join(collections)}"
            )
        style = Style(theme, width, Labels.read(labels))
        drawing = self.function(results, style, **self.settings(options))
        return Figure.of(self.name, drawing, style, headed=headed)

    def settings(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Check options; those that are None are left out."""
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


_MODULES = (
    "curve",
    "forest",
    "lines",
    "matrix",
    "precision_recall",
    "scatter",
    "topics",
)
FIGURES: Registry[Plot] = Registry(
    "rankgauge.figures",
    "figure",
    [f"rankgauge.extensions.pages.figures.catalogue.{name}" for name in _MODULES],
    listing="rankgauge figure",
)


def figure(
    name: str,
    *,
    title: str,
    needs: str,
    cite: str,
    example: str,
    compute: Callable[[Campaign, Options], Any] | None = None,
    **defaults: Any,
) -> Callable[[Callable[..., Drawing]], Plot]:
    """Register the decorated function as a figure; `defaults` are those of measures, depth or study.

    `compute` is what a command computes for it, if not simply what it `needs`.
    """

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
            compute=compute or INPUTS[needs].compute,
        )
        FIGURES.add(name, plot, function)
        return plot

    return register


def figures() -> Mapping[str, Plot]:
    """All kinds of figure by name, in alphabetical order."""
    return dict(sorted(FIGURES.items()))
