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
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from rankgauge.errors import MeasureError
from rankgauge.measures.framework import GRADE, JUDGED_ONLY, NEGATIVES, REL, average_parameter
from rankgauge.measures.named_sets import SETS
from rankgauge.measures.spec import Spec
from rankgauge.schema.parameters import parameters_of
from rankgauge.schema.registry import Registry

if TYPE_CHECKING:
    from rankgauge.rankings.arrays import JudgedRankings


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
    "usermodels",
)


def spellings(spec: Spec) -> tuple[str, ...]:
    """The other names of a measure, without trec_eval's that stand for several: `P_k` is P_5, P_10, ..."""
    return (*spec.aliases, *(name for name in spec.trec if not name.endswith(("_k", "}"))))


MEASURES: Registry[Spec] = Registry(
    "rankgauge.measures",
    "measure",
    [f"{__package__}.{family}" for family in FAMILIES],
    error=MeasureError,
    spellings=spellings,
    claims=lambda spec: (*spec.aliases, *spec.trec),
    listing="rankgauge measures",
)

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
        _refuse_sets({name, *other_names, *trec_names}, function)
        own = parameters_of(function)
        negatives = () if any(p.name == "negatives" for p in own) else (NEGATIVES,)
        only_rel = diverse or any(p.name == "gains" for p in own)
        levels = () if not binary else (REL,) if only_rel else (REL, GRADE)
        framework = (*levels, JUDGED_ONLY, *negatives)
        spec = Spec(
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
        MEASURES.add(name, spec, function)
        return function

    return register


def _names(text: str) -> dict[str, str]:
    """{name: the settings it stands for} of names such as `map gm_map(average=geometric)`."""
    return dict(re.findall(r"([^\s(]+)(?:\(([^)]*)\))?", text))


def _refuse_sets(names: set[str], function: Callable[..., Any]) -> None:
    """Raise an error if a name is that of a set of measures."""
    ours = function.__module__.startswith(f"{__package__}.")  # registered while families are imported
    specs = MEASURES.loaded() if ours else MEASURES.own().values()
    for name in names & {*SETS, *(name for spec in specs for name in spec.sets)}:
        raise MeasureError(f"the name {name} belongs to a set of measures; choose another")
