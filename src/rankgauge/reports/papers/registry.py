"""The registry of experiments: a module each, with a function for each table or figure of the document.

    EXPERIMENT = experiment("twist", title="Twist", cite="Ferro et al. 2014", module=__name__)

    @EXPERIMENT.part("table-1", title="Table 1: features of the collections")
    def table_1(given: Inputs) -> Contents:
        \"\"\"...\"\"\"

A part computes what one table or figure of the document shows, for all collections, and returns `Contents`.
Parts are made in the order in which they are defined, and each is kept when it is done.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankgauge.errors import OptionError
from rankgauge.schema.options import choice
from rankgauge.schema.registry import Registry, guarded
from rankgauge.schema.text import counted

if TYPE_CHECKING:
    from rankgauge.reports.papers.parts import Contents, Inputs


@dataclass(frozen=True, eq=False)
class Part:
    """A part of an experiment: a table or a figure of the document, or several of a kind."""

    name: str
    title: str
    cost: float  # how long it takes beside other parts, for the estimate of the time left
    function: Callable[[Inputs], Contents]


@dataclass(frozen=True, eq=False)
class Experiment:
    """The experiment of a document."""

    name: str
    title: str
    cite: str
    help: str  # what is computed, and what it needs
    needs_subtopics: bool = False  # needs judgments by subtopic
    needs_collections: bool = True
    parts: dict[str, Part] = field(default_factory=dict)

    def part(
        self, name: str, *, title: str, cost: float = 1
    ) -> Callable[[Callable[[Inputs], Contents]], Callable[[Inputs], Contents]]:
        """Register the decorated function as a part."""

        def register(function: Callable[[Inputs], Contents]) -> Callable[[Inputs], Contents]:
            self.parts[name] = Part(name, title, cost, guarded("experiment", self.name, function))
            return function

        return register

    def chosen(self, names: list[str]) -> list[Part]:
        """The parts of these names, in the order of the experiment; all of them if there are no names."""
        wanted = {choice("part", name, self.parts) for name in names}
        return [part for part in self.parts.values() if not wanted or part.name in wanted]

    def require_collections(self, count: int) -> None:
        """Refuse an experiment without the collections that it needs, or with some that it would ignore."""
        if self.needs_collections and not count:
            raise OptionError(
                f"the experiment {self.name} needs at least one collection: --collection NAME=QRELS,RUN,..."
            )
        if count and not self.needs_collections:
            raise OptionError(
                f"the experiment {self.name} brings its own examples and takes no collection, "
                f"not {counted(count, 'collection')}; leave --collection out"
            )


EXPERIMENTS: Registry[Experiment] = Registry(
    "rankgauge.experiments",
    "experiment",
    [
        "rankgauge.reports.papers.catalogue.twist",
        "rankgauge.reports.papers.catalogue.cumulated_gain",
        "rankgauge.reports.papers.catalogue.q_measure",
        "rankgauge.reports.papers.catalogue.alpha_ndcg",
        "rankgauge.reports.papers.catalogue.lecture",
    ],
    listing="rankgauge reproduce",
)


def experiment(
    name: str,
    *,
    title: str,
    cite: str,
    help: str,
    module: str,
    needs_subtopics: bool = False,
    needs_collections: bool = True,
) -> Experiment:
    """Register an experiment, to which its module then adds parts."""
    entry = Experiment(name, title, cite, help, needs_subtopics, needs_collections)

    def origin() -> None: ...

    origin.__module__, origin.__qualname__ = module, "EXPERIMENT"
    EXPERIMENTS.add(name, entry, origin)
    return entry
