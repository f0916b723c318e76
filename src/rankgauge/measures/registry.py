"""The registry of measures: one decorated function each, read by everything else.

A measure is a function from `Judged` to a `Curve` (a value at every rank) or to one number a
topic. Its signature is its parameters, its docstring its help:

    @measure("P", title="Precision", formula="hits(k) / k", cite="...", bounds=(0, 1), binary=True)
    def precision(j: "Judged") -> "Curve":
        \"\"\"The share of the first k documents that is relevant.\"\"\"
        return j.hits / j.position

Three parameters belong to the framework and not to any one measure: `rel`, `judged_only` (with
`negatives`) and the cutoff.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from rankgauge.errors import MeasureError, nearest
from rankgauge.measures.parameters import Flag, Kind, Number, Word
from rankgauge.measures.scales import LINEAR, Discount, Gains, discount_of

if TYPE_CHECKING:
    from rankgauge.curve import Floats, Ints
    from rankgauge.judged import Judged, Pool


@dataclass(frozen=True)
class Parameter:
    """One parameter of a measure."""

    name: str
    kind: Kind
    help: str
    default: Any

    def read(self, owner: str, value: Any) -> Any:
        """The value, checked; an error names the measure, what is allowed and what was given."""
        try:
            return self.kind.read(value)
        except (ValueError, TypeError, OverflowError):
            raise MeasureError(f"{owner}: {self.name} must be {self.kind.words}, not {value!r}") from None


REL = Parameter("rel", Number(), "the smallest grade that counts as relevant", 1.0)
JUDGED_ONLY = Parameter("judged_only", Flag(), "condense the ranking to its judged documents first", False)
NEGATIVES = Parameter(
    "negatives",
    Word(("unjudged", "nonrelevant")),
    "what documents with a grade below 0 are to judged_only",
    "unjudged",
)


@dataclass(frozen=True)
class Spec:
    """All that is known of a measure apart from its settings."""

    name: str
    function: Callable[..., Any]
    title: str
    formula: str
    cite: str
    bounds: tuple[float, float]
    parameters: tuple[Parameter, ...]
    help: str
    curve: bool  # has a value at every rank, hence a cutoff
    binary: bool  # looks at relevant or not: takes `rel`
    sees: str  # "relevant": documents that are not, or have no gain, could as well be unjudged; or "judged"
    uncut: str  # where a curve is read without a cutoff: "retrieved", or "ideal" = also past the recall base
    direction: int  # 1: higher is better, -1: lower is better
    trec: tuple[str, ...]  # trec_eval's names; `_k` stands for a cutoff
    aliases: tuple[str, ...]  # other spellings that are understood
    synonyms: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    settle: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    sets: tuple[str, ...] = ()
    example: str = ""
    variants: tuple[str, ...] = ()  # texts of well-known definitions of the same name, to be shown beside it
    columns: Mapping[str, Callable[..., Any]] = field(default_factory=dict)  # curves that explain its own
    caution: str = ""  # what a reader of its means should know

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


@dataclass(frozen=True, eq=False)
class Measure:
    """A measure with its settings. Its text is its identity: `parse(str(m)) == m`."""

    spec: Spec
    settings: Mapping[str, Any]  # only what differs from the defaults, in declared order
    cutoff: int | None = None

    def __str__(self) -> str:
        written = ",".join(
            f"{name}={self.spec.parameter(name).kind.write(value)}" for name, value in self.settings.items()
        )
        return (
            self.spec.name
            + (f"({written})" if written else "")
            + (f"@{self.cutoff}" if self.cutoff is not None else "")
        )

    def __repr__(self) -> str:
        return f"<Measure {self}>"

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other) if isinstance(other, Measure) else NotImplemented

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> tuple[Any, ...]:
        from rankgauge.measures.language import parse

        return parse, (str(self),)  # the text travels; functions do not

    @property
    def gains(self) -> Gains:
        """What grades are worth to a graded measure."""
        gains: Gains = self.settings.get("gains", LINEAR)
        return gains

    @property
    def discount(self) -> Discount | None:
        """What a gain at each rank is divided by; None if the measure has no such parameter."""
        if not self.spec.has("discount"):
            return None
        return discount_of(
            self.settings.get("discount", self.spec.parameter("discount").default), self.settings.get("base")
        )

    @property
    def _least(self) -> float:
        """The smallest grade of a relevant document, or of one with a gain."""
        least: float = self.settings.get("rel", REL.default) if self.spec.binary else self.gains.least
        return least

    @property
    def least(self) -> float:
        """The smallest grade of documents whose place in the ranking can make a difference."""
        relevant_only = self.spec.sees == "relevant" and not self.settings.get("judged_only")
        return self._least if relevant_only else -math.inf

    def ideal(self, pool: Pool) -> Judged:
        """The best rankings the judgments allow: by gain, or relevant documents first."""
        gains = self.gains
        if self.spec.binary:
            gains = Gains("map", tuple((g, float(self.is_relevant(g))) for g in pool.levels.tolist()))
        return pool.ideal(gains)

    def recall_base(self, pool: Pool) -> Ints:
        """(topics, 1): how many judged documents are relevant, or have a gain."""
        return pool.count(self._least)

    def is_relevant(self, grade: float) -> bool:
        """Whether a document of this grade is relevant: of the level asked for, or worth something."""
        return grade >= self._least if self.spec.binary else self.gains.worth(grade) > 0

    def describe(self) -> dict[str, Any]:
        """What results say of the measure, beside its text."""
        spec = self.spec
        said = {"title": spec.title, "formula": spec.formula, "cite": spec.cite, "direction": spec.direction}
        return {**said, "caution": spec.caution} if spec.caution else said

    def _compute(self, j: Judged) -> tuple[Any, Judged]:
        """The measure's function on the view that the framework's parameters ask for."""
        settings = dict(self.settings)
        if settings.pop("judged_only", False):
            j = j.judged_only(negatives=settings.pop("negatives", NEGATIVES.default))
        if self.spec.sees == "relevant":
            j = j.keeping(self._least)
        if self.spec.binary:
            j = j.at_level(settings.pop("rel", REL.default))
        return self.spec.function(j, **settings), j

    def value(self, j: Judged) -> Floats:
        """One value a topic; NaN where it is undefined."""
        result, view = self._compute(j)
        if not self.spec.curve:
            if hasattr(result, "at"):
                raise MeasureError(
                    f'{self.spec.name} returns a curve; write `-> "Curve"` behind its signature'
                )
            value: Floats = result
            return value
        if self.cutoff is not None:
            return view.read(result, self.cutoff)
        return view.read_uncut(result, self.spec.uncut)

    def vector(self, j: Judged, depth: int) -> Floats:
        """(topics, depth): the value at every rank from 1 to depth (a cutoff is of no account)."""
        if not self.spec.curve:
            raise MeasureError(f"{self.spec.name} has one value a topic, not one at every rank")
        result, view = self._compute(j)
        return view.read_all(result, depth)

    def at(self, j: Judged, ranks: Ints) -> Floats:
        """(topics, ranks): the value at each of these ranks (a cutoff is of no account)."""
        if not self.spec.curve:
            raise MeasureError(f"{self.spec.name} has one value a topic, not one at every rank")
        result, view = self._compute(j)
        return view.read_at(result, ranks)

    def columns(self, j: Judged, ranks: Ints) -> dict[str, Floats]:
        """{column: (topics, ranks)}: the curves that explain the measure's own, at these ranks."""
        _, view = self._compute(j)
        found = {}
        for column, function in self.spec.columns.items():
            known = inspect.signature(function).parameters
            settings = {name: value for name, value in self.settings.items() if name in known}
            found[column] = view.read_at(function(view, **settings), ranks)
        return found


REGISTRY: dict[str, Spec] = {}

F = TypeVar("F", bound=Callable[..., Any])


def shared(function: F) -> F:
    """Let measures share a curve: computed once for each `Judged` and settings."""

    @functools.wraps(function)
    def once(j: Judged, *settings: Any) -> Any:
        return j.memo((function, *settings), lambda: function(j, *settings))

    return once  # type: ignore[return-value]


def measure(
    name: str,
    *,
    title: str,
    formula: str,
    cite: str,
    bounds: tuple[float, float],
    binary: bool = False,
    sees: str = "judged",
    uncut: str = "retrieved",
    direction: int = 1,
    trec: str = "",
    aliases: str = "",
    synonyms: Mapping[str, Mapping[str, Mapping[str, Any]]] | None = None,
    settle: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
    sets: str = "",
    example: str = "",
    variants: str = "",
    columns: Mapping[str, Callable[..., Any]] | None = None,
    caution: str = "",
) -> Callable[[F], F]:
    """Register the decorated function as a measure and return it untouched."""

    def register(function: F) -> F:
        _refuse_taken(name, function, {name, *aliases.split(), *trec.split()})
        own = tuple(_own_parameters(function))
        framework = (*((REL,) if binary else ()), JUDGED_ONLY, NEGATIVES)
        REGISTRY[name] = Spec(
            name=name,
            function=function,
            title=title,
            formula=formula,
            cite=cite,
            bounds=bounds,
            parameters=own + framework,
            help=inspect.getdoc(function) or "",
            curve="Curve" in str(inspect.signature(function).return_annotation),
            binary=binary,
            sees=sees,
            uncut=uncut,
            direction=direction,
            trec=tuple(trec.split()),
            aliases=tuple(aliases.split()),
            synonyms=synonyms or {},
            settle=settle,
            sets=tuple(sets.split()),
            example=example,
            variants=tuple(variants.split()),
            columns=columns or {},
            caution=caution,
        )
        return function

    return register


def _refuse_taken(name: str, function: Callable[..., Any], words: set[str]) -> None:
    """An error when a name is another measure's, or a set's."""
    for spec in REGISTRY.values():
        same = (spec.function.__module__, spec.function.__qualname__)
        if spec.name == name and same == (function.__module__, function.__qualname__):
            continue  # the same function once more is a notebook's cell run again
        taken = words & {spec.name, *spec.aliases, *spec.trec, *spec.sets}
        if taken:
            raise MeasureError(f"the name {taken.pop()} belongs to {spec.name} already; choose another")


def specs() -> Mapping[str, Spec]:
    """All measures, with those that installed packages offer under the entry point `rankgauge.measures`."""
    _load_third_parties()
    return REGISTRY


@functools.cache
def _load_third_parties() -> None:
    from importlib.metadata import entry_points

    for entry_point in entry_points(group="rankgauge.measures"):
        try:
            entry_point.load()
        except Exception as error:
            raise MeasureError(
                f"the measures of {entry_point.value!r} cannot be loaded ({type(error).__name__}: {error}); "
                "repair or remove the package that offers them"
            ) from error


def _own_parameters(function: Callable[..., Any]) -> list[Parameter]:
    """The parameters in a function's signature after the judged rankings."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    return [Parameter(p.name, *_kind_and_help(p.annotation), p.default) for p in parameters]


def _kind_and_help(annotation: Any) -> tuple[Kind, str]:
    """The kind and the words in Annotated[type, kind, words], also inside `... | None`."""
    for candidate in (annotation, *get_args(annotation)):
        match getattr(candidate, "__metadata__", ()):
            case (kind, str(words)):
                return kind, words
            case (kind,):
                return kind, ""
    raise TypeError(f"{annotation!r} names no kind of parameter; write Annotated[type, kind, help]")


def build(spec: Spec, given: Mapping[str, Any], cutoff: int | None) -> Measure:
    """A measure from its record and settings: checked, settled, defaults left out, in declared order."""
    settings: dict[str, Any] = {}
    for name, value in given.items():
        if name in spec.synonyms:
            meanings = spec.synonyms[name]
            if not isinstance(value, str) or value not in meanings:
                raise MeasureError(f"{spec.name}: {name} must be one of {', '.join(meanings)}, not {value!r}")
            translated = meanings[value]
        else:
            translated = {name: value}
        for each, meant in translated.items():
            settings[each] = spec.parameter(each).read(spec.name, meant)
    if spec.settle:
        settings = spec.settle(settings)
    kept = {
        p.name: settings[p.name]
        for p in spec.parameters
        if p.name in settings and settings[p.name] != p.default
    }
    if "negatives" in kept and "judged_only" not in kept:
        raise MeasureError(f"{spec.name}: negatives= has a meaning only together with judged_only=true")
    if cutoff is not None and not spec.curve:
        raise MeasureError(f"{spec.name} takes no cutoff; leave @{cutoff} out")
    return Measure(spec, kept, cutoff)
