"""The record of a measure: everything that is known about it apart from its settings."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from rankgauge.errors import MeasureError
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.parameters import Parameter, signature
from rankgauge.schema.text import nearest

if TYPE_CHECKING:
    from rankgauge.rankings.arrays import JudgedRankings

NOTHING: Mapping[str, Any] = {}


class Spec(Frozen, eq=False):
    """All that is known of a measure apart from its settings."""

    name: str
    function: Callable[..., Any]
    title: str
    formula: str
    cite: str
    bounds: tuple[float, float]
    parameters: tuple[Parameter, ...]
    curve: bool  # has a value at every rank, hence a cutoff
    binary: bool  # looks at relevant or not: takes `rel`
    sees: str  # "relevant": documents that are not, or have no gain, could as well be unjudged; or "judged"
    uncut: str  # where a curve without a cutoff ends: with the "retrieved", also the "ideal", or "endless"
    direction: int  # 1: higher is better, -1: lower is better, 0: neither
    trec: tuple[str, ...]  # trec_eval's names; `_k` stands for a cutoff, `_{a,b}` for these parameters
    aliases: tuple[str, ...]  # other spellings that are understood
    meanings: Mapping[str, str] = NOTHING  # the settings that some of these stand for
    at: str = ""  # the parameter that is written behind the @, where that is not a rank
    synonyms: Mapping[str, Mapping[str, Mapping[str, Any]]] = NOTHING
    settle: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    sets: tuple[str, ...] = ()
    example: str = ""
    # What holds of its values by definition; the tests ask every measure for what it says here.
    best: str = "most"  # the ideal ranking's value: "one"; "most", none has a better one (cut); or "open"
    monotone: bool = True  # a better document moved up never hurts
    hopeful: str = ""  # an unjudged document that turns out to be good never hurts: "always", or if "uncut"
    past: str = "same"  # a cutoff past the end is the "same" as none; gives "less", never more; or "other"
    whole: bool = False  # looks at the whole ranking even at a cutoff
    needs: str = ""  # what it looks at beside ranks: which documents have equal scores, "ties", or "scores"
    # Adds up what stands at each rank, whatever stands at others: "always", or if "uncut".
    linear: str = ""
    tied: Callable[..., Any] | None = (
        None  # its mean over all orders of tied documents, where that has a formula
    )
    varies: str = ""  # a parameter that asks for another number; bounds and all this are said of its default
    variants: tuple[str, ...] = ()  # texts of well-known definitions of the same name, to be shown beside it
    columns: Mapping[str, Callable[..., Any]] = NOTHING  # curves that explain its own
    parts: Mapping[str, Callable[..., Any]] = NOTHING  # numbers that it is made of
    together: bool = (
        False  # looks at how long the longest list is that is evaluated with it, unless N= is given
    )
    caution: str = ""  # what a reader of its means should know
    diverse: bool = False  # needs judgments by subtopic
    # Its best ranking, where that is not the one by gain: a function of a pool, the smallest relevant grade
    # and the depth it is wanted to, and of its own parameters.
    ideal: Callable[..., JudgedRankings] | None = None
    of: str = ""  # the parameter that is itself a measure, written first and without its name

    @property
    def family(self) -> str:
        """The module that it is in; if a family of ours is a package, the package."""
        module = self.function.__module__
        return ".".join(module.split(".")[:3]) if module.startswith(f"{__package__}.") else module

    def has(self, name: str) -> bool:
        """Whether there is a parameter of this name."""
        return any(parameter.name == name for parameter in self.parameters)

    def parameter(self, name: str) -> Parameter:
        """The parameter of this name, or an error with the nearest."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        names = [parameter.name for parameter in self.parameters]
        raise MeasureError(
            f"{self.name} has no parameter {name!r}{nearest(name, names)}; it has {', '.join(names)}"
        )

    def around(self, inner: Spec) -> Spec:
        """The same, as far as it is another with a measure inside of it."""
        if (inner.direction, inner.needs) == (self.direction, self.needs):
            return self
        return self._replace(direction=inner.direction, needs=inner.needs)

    @functools.cached_property
    def own(self) -> frozenset[str]:
        """The parameters that are the function's own, and not the framework's."""
        return frozenset(signature(self.function))

    @functools.cached_property
    def help(self) -> str:
        """What is to be said about it: the docstring of its function."""
        from inspect import getdoc  # takes longer to import than a small run to evaluate

        return getdoc(self.function) or ""

    @property
    def own_negatives(self) -> bool:
        """Whether the measure itself asks what documents with a grade below 0 are."""
        return "negatives" in self.own
