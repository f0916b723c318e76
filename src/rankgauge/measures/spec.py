"""The declaration of a measure, and the registry: one decorated function each.

A measure is a function from `JudgedRankings` to a `Curve` (a value at every rank) or to one number per topic.
Its signature is its parameters, its docstring its help:

    @measure("P", title="Precision", formula="hits(k) / k", cite="...", binary=True)
    def precision(j: "JudgedRankings") -> "Curve":
        \"\"\"The share of the first k documents that is relevant.\"\"\"
        return j.hits / j.position
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from rankgauge.errors import MeasureError
from rankgauge.measures import other_tools
from rankgauge.measures.named_sets import SETS
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.options import AVERAGES
from rankgauge.schema.parameters import Flag, Number, Parameter, Word, parameters_of, signature
from rankgauge.schema.registry import Registry, is_own
from rankgauge.schema.text import unknown_option

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import JudgedRankings

EMPTY: Mapping[str, Any] = {}

# The parameters that measures have from the framework.
REL = Parameter("rel", Number(), "the smallest grade that counts as relevant", 1.0)
# For measures of gains alone: by default, the gains decide.
REL_OF_GAINS = Parameter("rel", Number(), "the smallest grade that has a gain", None)
GRADE = Parameter("grade", Number(), "the only grade that counts as relevant, instead of rel", None)
JUDGED_ONLY = Parameter("judged_only", Flag(), "condense the ranking to its judged documents first", False)
NEGATIVES = Parameter(
    "negatives",
    Word(("unjudged", "nonrelevant")),
    "how judged_only counts documents graded below 0",
    "unjudged",
)


def average_parameter(default: str = "mean", ratio: bool = False) -> Parameter:
    """The parameter `average`; micro is for ratios of counts."""
    allowed = tuple(name for name in AVERAGES if ratio or name != "micro")
    return Parameter("average", Word(allowed), "how the values of all topics are averaged", default)


class Names(Frozen):
    """The names of a measure and of its settings in the measure language.

    Names are separated by spaces and may stand for settings: `gm_map(average=geometric)`. Other tools' names
    for the measures of this package are in `other_tools`.
    """

    trec: str = ""  # trec_eval's names; `_k` stands for a cutoff, `_{a,b}` for the values of parameters
    aliases: str = ""  # further names, of papers and of people
    tools: Mapping[str, str] = EMPTY  # {another tool: its names of the measure}
    sets: str = ""  # the named sets of measures that it belongs to
    at: str = ""  # the parameter that is written after the @, if that is not a cutoff
    inner: str = ""  # the parameter that is itself a measure, written first and without its name
    # {parameter of other tools: {value: the settings it stands for}}
    synonyms: Mapping[str, Mapping[Any, Mapping[str, Any]]] = EMPTY
    # {parameter of other tools: the measure that it makes of this one}
    turns_into: Mapping[str, str] = EMPTY


class Laws(Frozen):
    """Laws that the values of a measure obey by definition, which tests check.

    A law holds "always", or "uncut", for the measure without a cutoff.
    """

    # The value of the ideal ranking: "one"; "most", if no ranking has a better one; or "open", if one may.
    best: str = ""  # if not given, "one" for measures from 0 to 1, and "most" for others
    monotone: bool = True  # moving a better document up never makes the value worse
    judging_never_hurts: str = ""  # an unjudged document that turns out to be good never makes it worse
    # The value at a cutoff beyond the end: the "same" as uncut, "less" or equal, or "other".
    beyond_end: str = "same"
    linear: str = ""  # the value is a sum of one term per rank, which does not depend on other ranks
    additive: bool = False  # it is a sum over documents of terms that no judgment of another changes
    unordered: str = ""  # the value is the same in any order of the documents retrieved
    stops_at_first: bool = False  # nothing below the first relevant document makes a difference
    tied: Callable[..., Any] | None = None  # the formula of its mean over all orders of tied documents
    varies: str = ""  # a parameter that changes the quantity: laws hold for its default alone
    unbounded: str = ""  # values of that parameter with which there is no upper bound, separated by spaces


class Shown(Frozen):
    """Details that explanations and reports show with a measure."""

    variants: str = ""  # texts of well-known definitions of the same name, separated by spaces
    columns: Mapping[str, Callable[..., Any]] = EMPTY  # {title: curve that explains the measure's own}
    parts: Mapping[str, Callable[..., Any]] = EMPTY  # {title: number that the value is made of}
    counts: bool = False  # its values are numbers of things, which have no decimals
    caution: str = ""  # what a reader of its means should know
    beyond: str = ""  # what a reader should know of topics with fewer relevant documents than the cutoff ...
    beyond_times: int = 1  # ... or than this part of it: 2 is half of the cutoff
    # {setting: the one of another reading of the definition}, which evaluation compares
    readings: Mapping[str, str] = EMPTY


class Needs(Frozen):
    """What a measure needs beside the ranks and grades down to its cutoff."""

    subtopics: bool = False  # judgments by subtopic
    strata: bool = False  # subtopics that are strata of a sampled pool
    ties: bool = False  # which documents have equal scores
    scores: bool = False  # the scores themselves
    whole_ranking: bool = False  # documents below the cutoff
    pads_to_longest: bool = False  # the length of the longest list evaluated, unless N= is given

    @property
    def ties_or_scores(self) -> bool:
        """Whether order is not enough."""
        return self.ties or self.scores


class Declaration(Frozen, eq=False):
    """The arguments of `measure`."""

    name: str
    title: str
    formula: str
    cite: str
    bounds: tuple[float, float] = (0, 1)
    example: str = ""  # a text of the measure; by default its name
    well_known: bool = False  # `rankgauge measures` opens with it
    direction: int = 1  # 1: higher is better, -1: lower is better, 0: neither
    binary: bool = False  # looks at relevant or not: takes `rel`
    # "relevant": documents without relevance or gain might as well be unjudged; or "judged"
    depends_on: str = "judged"
    # Where a curve without a cutoff is read: at the end of the "retrieved", or of the "ideal" ranking if that
    # is longer, or below all ranks, "endless".
    uncut: str = "retrieved"
    average: str = "mean"  # how the values of all topics become one
    ratio: bool = False  # is a ratio of counts (a `Quotient`), which may be averaged as one: average=micro
    names: Names = Names()
    laws: Laws = Laws()
    shows: Shown = Shown()
    needs: Needs = Needs()
    # Checks settings that have to fit each other, and gives equal ones one spelling.
    canonicalise: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    # The smallest relevant grade where rel= is not set, if that depends on other settings.
    least_relevant: Callable[[Mapping[str, Any]], float] | None = None
    # Its best ranking, if that is not the one by gain: a function of the pool, the smallest relevant grade,
    # the depth wanted, and parameters of the measure.
    ideal: Callable[..., JudgedRankings] | None = None


def _undefined(*_: Any, **__: Any) -> Any:
    raise TypeError("a measure is defined by the function that `measure` decorates")


class Spec(Declaration, eq=False):
    """A measure apart from its settings."""

    function: Callable[..., Any] = _undefined

    @property
    def family(self) -> str:
        """The module of its family."""
        module = self.function.__module__
        return ".".join(module.split(".")[:3]) if module.startswith(f"{__package__}.") else module

    @cached_property
    def is_own(self) -> bool:
        """Whether rankgauge defines it."""
        return is_own(self.function)

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters of its function and of the framework."""
        own = parameters_of(self.function)
        names = {parameter.name for parameter in own}
        grade = () if self.needs.subtopics or "gains" in names else (GRADE,)
        of_gains = (REL_OF_GAINS,) if "gains" in names and not self.needs.subtopics else ()
        levels = (REL, *grade) if self.binary else of_gains
        negatives = () if "negatives" in names else (NEGATIVES,)
        return (*own, *levels, JUDGED_ONLY, *negatives, average_parameter(self.average, self.ratio))

    @cached_property
    def own(self) -> frozenset[str]:
        """The names of the parameters of its function."""
        return frozenset(signature(self.function))

    @cached_property
    def curve(self) -> bool:
        """Whether it has a value at every rank, and hence a cutoff."""
        return "Curve" in str(self.function.__annotations__.get("return"))

    @cached_property
    def help(self) -> str:
        """The docstring of its function."""
        from inspect import getdoc  # slow to import

        return getdoc(self.function) or ""

    @cached_property
    def trec(self) -> tuple[str, ...]:
        """The names that trec_eval has for it."""
        return tuple(meanings(self.names.trec))

    @cached_property
    def aliases(self) -> tuple[str, ...]:
        """Names other than trec_eval's."""
        names = meanings(" ".join((self.names.aliases, *self.names.tools.values())))
        return tuple(name for name in names if name != self.name and name not in self.trec)

    @cached_property
    def meanings(self) -> dict[str, str]:
        """{name: the settings it stands for}."""
        names = meanings(" ".join((*self.names.tools.values(), self.names.aliases, self.names.trec)))
        return {name: settings for name, settings in names.items() if settings}

    @cached_property
    def sets(self) -> tuple[str, ...]:
        """The named sets of measures that it belongs to."""
        return tuple(self.names.sets.split())

    @cached_property
    def variants(self) -> tuple[str, ...]:
        """Well-known definitions of the same name."""
        return tuple(self.shows.variants.split())

    @property
    def best(self) -> str:
        """How good the ideal ranking is; see `Laws`."""
        return self.laws.best or ("one" if self.bounds == (0, 1) and self.direction > 0 else "most")

    @property
    def own_negatives(self) -> bool:
        """Whether its function has `negatives`."""
        return "negatives" in self.own

    def has(self, name: str) -> bool:
        """Whether there is a parameter of this name."""
        return any(parameter.name == name for parameter in self.parameters)

    def parameter(self, name: str) -> Parameter:
        """The parameter of this name."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        names = [parameter.name for parameter in self.parameters]
        raise MeasureError(unknown_option(self.name, "parameter", name, names))

    def around(self, inner: Spec) -> Spec:
        """The record with an inner measure, which decides direction, ties and scores."""
        needs = self.needs._replace(ties=inner.needs.ties, scores=inner.needs.scores)
        if (inner.direction, needs) == (self.direction, self.needs):
            return self
        return self._replace(direction=inner.direction, needs=needs)


def meanings(text: str) -> dict[str, str]:
    """{name: the settings it stands for}."""
    return dict(re.findall(r"([^\s(]+)(?:\(([^)]*)\))?", text))


FAMILIES = (
    "classical",
    "cumulated",
    "cwl",
    "diversity",
    "effort",
    "experimental",
    "graded",
    "incomplete",
    "interpolated",
    "ranked",
    "sets",
    "timed",
    "usermodels",
)


def spellings(spec: Spec) -> tuple[str, ...]:
    """Names but for trec_eval's that stand for several, as `P_k` does."""
    return (*spec.aliases, *(name for name in spec.trec if not name.endswith(("_k", "}"))))


MEASURES: Registry[Spec] = Registry(
    "rankgauge.measures",
    "measure",
    [f"{__package__}.{family}" for family in FAMILIES],
    error=MeasureError,
    spellings=spellings,
    claims=lambda spec: (*spec.aliases, *spec.trec),
    titles=lambda spec: (spec.title,),
    listing="rankgauge measures --all",
)


F = TypeVar("F", bound=Callable[..., Any])


class measure(Declaration, eq=False):
    """Register the decorated function as a measure and return it unchanged.

    Facts that belong together are given as a group: `names=Names(...)`, `laws=Laws(...)`, `shows=Shown(...)`
    and `needs=Needs(...)`.
    """

    def __call__(self, function: F) -> F:
        """Register this function."""
        declared = {**self._asdict(), "names": self._names(), "example": self.example or self.name}
        spec = Spec(**declared, function=function)
        if not spec.is_own:  # of ours, a test compares the names
            _refuse_sets(spec)
        MEASURES.add(spec.name, spec, function)
        return function

    def _names(self) -> Names:
        tools = {**other_tools.NAMES.get(self.name, {}), **self.names.tools}
        return self.names._replace(
            trec=tools.pop("trec_eval", self.names.trec),
            tools=tools,
            synonyms=other_tools.SYNONYMS.get(self.name, self.names.synonyms),
            turns_into=other_tools.TURNS_INTO.get(self.name, self.names.turns_into),
        )


# Measures of relevant documents, and of documents with a gain: all others might as well be unjudged.
relevance_measure = functools.partial(measure, binary=True, depends_on="relevant")
gain_measure = functools.partial(measure, depends_on="relevant")


def _refuse_sets(spec: Spec) -> None:
    declared = (name for other in MEASURES.own().values() for name in other.sets)
    for name in {spec.name, *spec.aliases, *spec.trec} & {*SETS, *declared}:
        raise MeasureError(f"the name {name} belongs to a set of measures; choose another")


def shared(function: F) -> F:
    """Compute a curve that measures share once for each `JudgedRankings` and settings."""

    @functools.wraps(function)
    def once(j: JudgedRankings, *settings: Any) -> Any:
        return j.memo((function, *settings), lambda: function(j, *settings))

    return once  # type: ignore[return-value]
