"""The registry of measures: one decorated function each, read by everything else.

A measure is a function from `JudgedRankings` to a `Curve` (a value at every rank) or to one number a
topic. Its signature is its parameters, its docstring its help:

    @measure("P", title="Precision", formula="hits(k) / k", cite="...", bounds=(0, 1), binary=True)
    def precision(j: "JudgedRankings") -> "Curve":
        \"\"\"The share of the first k documents that is relevant.\"\"\"
        return j.hits / j.position
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from rankgauge.errors import MeasureError
from rankgauge.measures.named_sets import SETS
from rankgauge.measures.spec import (
    GRADE,
    JUDGED_ONLY,
    NEGATIVES,
    REL,
    Parameter,
    Spec,
    average_parameter,
    signature,
)
from rankgauge.schema.parameters import Kind

if TYPE_CHECKING:
    from rankgauge.rankings.arrays import JudgedRankings


class Registry(MutableMapping[str, Spec]):
    """Measures by name.

    Families beyond the everyday ones are imported when somebody looks for a measure that is not at hand, or
    at all of them: importing the whole catalogue takes longer than evaluating a small run.
    """

    complete = True  # until the package says that there is more

    def __init__(self) -> None:
        self._specs: dict[str, Spec] = {}

    def at_hand(self, name: str) -> Spec | None:
        """The measure of this name, if its family was imported before."""
        return self._specs.get(name)

    def imported(self) -> tuple[Spec, ...]:
        """The measures of the families that were imported before."""
        return tuple(self._specs.values())

    def _all(self) -> dict[str, Spec]:
        if not self.complete:
            self.complete = True
            import importlib
            import pkgutil

            package = importlib.import_module("rankgauge.measures")
            for module in pkgutil.iter_modules(package.__path__):
                importlib.import_module(f"rankgauge.measures.{module.name}")
        return self._specs

    def __getitem__(self, name: str) -> Spec:
        return self.at_hand(name) or self._all()[name]

    def __setitem__(self, name: str, spec: Spec) -> None:
        self._specs[name] = spec

    def __delitem__(self, name: str) -> None:
        del self._specs[name]

    def __iter__(self) -> Iterator[str]:
        # by family: which of them somebody imported first must not show
        return iter(sorted(self._all(), key=lambda name: self._specs[name].family))

    def __len__(self) -> int:
        return len(self._all())


REGISTRY = Registry()

F = TypeVar("F", bound=Callable[..., Any])


def shared(function: F) -> F:
    """Let measures share a curve: computed once for each `JudgedRankings` and settings."""

    @functools.wraps(function)
    def once(j: JudgedRankings, *settings: Any) -> Any:
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
    average: str = "mean",
    ratio: bool = False,
    at: str = "",
    trec: str = "",
    aliases: str = "",
    synonyms: Mapping[str, Mapping[str, Mapping[str, Any]]] | None = None,
    settle: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
    sets: str = "",
    example: str = "",
    best: str = "",
    monotone: bool = True,
    hopeful: str = "",
    past: str = "same",
    whole: bool = False,
    needs: str = "",
    linear: str = "",
    tied: Callable[..., Any] | None = None,
    varies: str = "",
    variants: str = "",
    columns: Mapping[str, Callable[..., Any]] | None = None,
    parts: Mapping[str, Callable[..., Any]] | None = None,
    together: bool = False,
    caution: str = "",
    diverse: bool = False,
    ideal: Callable[..., JudgedRankings] | None = None,
    of: str = "",
) -> Callable[[F], F]:
    """Register the decorated function as a measure and return it untouched.

    Names in `trec` and `aliases` may stand for settings: `gm_map(average=geometric)`. A `ratio` of counts
    returns what it is divided by something, and may be averaged as one (`average=micro`).
    """
    trec_names, other_names = _names(trec), _names(aliases)

    def register(function: F) -> F:
        _refuse_taken(name, function, {name, *other_names, *trec_names})
        own = parameters_of(function)
        negatives = () if any(p.name == "negatives" for p in own) else (NEGATIVES,)
        only_rel = diverse or any(p.name == "gains" for p in own)
        levels = () if not binary else (REL,) if only_rel else (REL, GRADE)
        framework = (*levels, JUDGED_ONLY, *negatives)
        REGISTRY[name] = Spec(
            name=name,
            function=function,
            title=title,
            formula=formula,
            cite=cite,
            bounds=bounds,
            parameters=(*own, *framework, average_parameter(average, ratio)),
            curve="Curve" in str(function.__annotations__.get("return")),
            binary=binary,
            sees=sees,
            uncut=uncut,
            direction=direction,
            trec=tuple(trec_names),
            aliases=tuple(other_names),
            meanings={n: s for n, s in (trec_names | other_names).items() if s},
            at=at,
            synonyms=synonyms or {},
            settle=settle,
            sets=tuple(sets.split()),
            example=example,
            best=best or ("one" if bounds == (0, 1) and direction > 0 else "most"),
            monotone=monotone,
            hopeful=hopeful,
            past=past,
            whole=whole,
            needs=needs,
            linear=linear,
            tied=tied,
            varies=varies,
            variants=tuple(variants.split()),
            columns=columns or {},
            parts=parts or {},
            together=together,
            caution=caution,
            diverse=diverse,
            ideal=ideal,
            of=of,
        )
        return function

    return register


def _names(text: str) -> dict[str, str]:
    """{name: the settings it stands for} of names such as `map gm_map(average=geometric)`."""
    return dict(re.findall(r"([^\s(]+)(?:\(([^)]*)\))?", text))


def _refuse_taken(name: str, function: Callable[..., Any], words: set[str]) -> None:
    """An error when a name is another measure's, or a set's."""
    for word in words & SETS.keys():
        raise MeasureError(f"the name {word} belongs to a set of measures already; choose another")
    # Families of the package are imported one after the other: the second of two alike finds the first.
    ours = function.__module__.startswith(f"{__package__}.")
    for spec in REGISTRY.imported() if ours else REGISTRY.values():
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


def parameters_of(function: Callable[..., Any], behind: int = 1) -> tuple[Parameter, ...]:
    """The parameters in a function's signature behind the first few, which are what it works on."""
    parameters = list(signature(function).items())[behind:]
    types = function.__annotations__
    return tuple(Parameter(name, *_kind_and_help(types.get(name)), default) for name, default in parameters)


def _kind_and_help(annotation: Any) -> tuple[Kind, str]:
    """The kind and the words in Annotated[type, kind, words], also inside `... | None`."""
    for candidate in (annotation, *get_args(annotation)):
        match getattr(candidate, "__metadata__", ()):
            case (kind, str(words)):
                return kind, words
            case (kind,):
                return kind, ""
    raise TypeError(f"{annotation!r} names no kind of parameter; write Annotated[type, kind, help]")
