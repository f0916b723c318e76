"""The registry of experiments: a module each, with a function for each table or figure of the document.

    EXPERIMENT = experiment("twist", title="Twist", cite="Ferro et al. 2014", module=__name__)

    @EXPERIMENT.part("table-1", title="Table 1: features of the collections")
    def table_1(given: Inputs) -> Contents:
        \"\"\"...\"\"\"

A part computes a table or figure for all collections, and is kept when it is done.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, TypeVar

from rankgauge.campaigns.campaign import Campaign
from rankgauge.campaigns.collections import errors_naming, stacked
from rankgauge.errors import OptionError
from rankgauge.extensions.pages.figures import Figure, compose
from rankgauge.extensions.studies.papers.claims import Claim
from rankgauge.model.output.tables import Table
from rankgauge.schema.options import choice
from rankgauge.schema.registry import Registry, guarded
from rankgauge.schema.text import counted, format_number


@dataclass(frozen=True, eq=False)
class Part:
    """A table or a figure of the document, or several of a kind."""

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
    takes_baseline: bool = False  # compares runs with one of them
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
        """The parts of these names, by default all, in the order of the experiment."""
        wanted = {choice("part", name, self.parts) for name in names}
        return [part for part in self.parts.values() if not wanted or part.name in wanted]

    def require_collections(self, count: int) -> None:
        """Refuse missing collections, or some that would be ignored."""
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
        "rankgauge.extensions.studies.papers.catalogue.twist",
        "rankgauge.extensions.studies.papers.catalogue.cumulated_gain",
        "rankgauge.extensions.studies.papers.catalogue.q_measure",
        "rankgauge.extensions.studies.papers.catalogue.alpha_ndcg",
        "rankgauge.extensions.studies.papers.catalogue.lecture",
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
    takes_baseline: bool = False,
) -> Experiment:
    """Register an experiment, to which its module then adds parts."""
    entry = Experiment(name, title, cite, help, needs_subtopics, needs_collections, takes_baseline)
    EXPERIMENTS.add(name, entry, SimpleNamespace(__module__=module, __qualname__="EXPERIMENT"))
    return entry


T = TypeVar("T")


@dataclass(frozen=True)
class Inputs:
    """The collections of an experiment by name, and its settings."""

    campaigns: Mapping[str, Campaign]
    samples: int = 1000
    seed: int = 1
    baseline: str | None = None  # the run that others are compared with
    runs: tuple[str, ...] = ()  # the runs compared with it; by default the experiment chooses

    @property
    def sampling(self) -> dict[str, int]:
        """The settings of bootstrap samples."""
        return {"samples": self.samples, "seed": self.seed}

    def each(self, compute: Callable[[Campaign], T]) -> dict[str, T]:
        """{collection: what is computed from it}; an error names the collection."""
        computed = {}
        for name, campaign in self.campaigns.items():
            with errors_naming(name):
                computed[name] = compute(campaign)
        return computed


@dataclass(frozen=True)
class Contents:
    """Tables and figures of a part with captions, by file name; `reported` are the document's tables."""

    sentences: Sequence[str] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)
    figures: Mapping[str, Figure] = field(default_factory=dict)
    reported: Sequence[Table] = ()
    claims: Sequence[Claim] = ()
    commands: Sequence[str] = ()  # that show the same, for one collection
    places: int = 3


def weights_of(campaign: Campaign, weights: Sequence[int]) -> dict[float, int]:
    """{grade: its weight}: the weights of a document for the grades of a collection above 0.

    With fewer grades than the document, a collection gets the highest weights; with more, all grades beyond
    weigh as much as the document's highest.
    """
    grades = sorted({grade for grade in campaign.qrels.sorted_grades.tolist() if grade > 0})
    skipped = max(0, len(weights) - len(grades))
    return {grade: weights[min(skipped + place, len(weights) - 1)] for place, grade in enumerate(grades)}


def gains_of(campaign: Campaign, weights: Sequence[int]) -> str:
    """The weights of a document for a collection's grades, as the setting `gains` of a measure."""
    pairs = weights_of(campaign, weights).items()
    return f"{{{','.join(f'{format_number(grade)}:{weight}' for grade, weight in pairs)}}}"


def side_by_side(tables: Mapping[str, Table], caption: str) -> Table:
    """Tables of collections as one, whose first column is the collection."""
    return stacked(tables)._replace(caption=caption)


def panels(figures: Mapping[str, Figure], title: str, **options: Any) -> Figure:
    """The figures as the panels of one, each under its name; `options` are those of `compose`."""
    return compose(list(figures.values()), titles=list(figures), title=title, **options)


def file_name(*parts: str) -> str:
    """A name for files, from parts that may hold anything."""
    words = (re.sub(r"[^A-Za-z0-9]+", "-", part).strip("-").lower() for part in parts)
    return "-".join(word for word in words if word)


def require_own_files(collections: Iterable[str]) -> None:
    """Refuse names of collections whose files would replace each other."""
    owners: dict[str, str] = {}
    for name in collections:
        other = owners.setdefault(file_name(name), name)
        if other != name:
            raise OptionError(
                f"the collections {other!r} and {name!r} would have files of the same names; "
                "use names that differ in the letters A to Z, whatever their case, or in digits"
            )
