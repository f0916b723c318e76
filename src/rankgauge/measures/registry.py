"""The registry of measures: one decorated function each, read by everything else.

A measure is a function from `JudgedRankings` to a `Curve` (a value at every rank) or to one number per topic.
Its signature is its parameters, its docstring its help:

    @measure("P", title="Precision", formula="hits(k) / k", cite="...", binary=True)
    def precision(j: "JudgedRankings") -> "Curve":
        \"\"\"The share of the first k documents that is relevant.\"\"\"
        return j.hits / j.position
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from rankgauge.errors import MeasureError
from rankgauge.measures import other_tools
from rankgauge.measures.named_sets import SETS
from rankgauge.measures.spec import Declaration, Names, Spec
from rankgauge.schema.registry import Registry

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import JudgedRankings

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
        _refuse_sets(spec)
        MEASURES.add(spec.name, spec, function)
        return function

    def _names(self) -> Names:
        """The names as declared, with those that other tools have for one of our measures."""
        tools = {**other_tools.NAMES.get(self.name, {}), **self.names.tools}
        return self.names._replace(
            trec=tools.pop("trec_eval", self.names.trec),
            tools=tools,
            synonyms=other_tools.SYNONYMS.get(self.name, self.names.synonyms),
            turns_into=other_tools.TURNS_INTO.get(self.name, self.names.turns_into),
        )


def _refuse_sets(spec: Spec) -> None:
    """Raise an error if one of the measure's names is that of a set of measures."""
    # ours are registered while families are imported; a test compares them with the sets that they declare
    declared = () if spec.is_own else (name for other in MEASURES.own().values() for name in other.sets)
    for name in {spec.name, *spec.aliases, *spec.trec} & {*SETS, *declared}:
        raise MeasureError(f"the name {name} belongs to a set of measures; choose another")


def shared(function: F) -> F:
    """Let measures share a curve: it is computed once for each `JudgedRankings` and settings."""

    @functools.wraps(function)
    def once(j: JudgedRankings, *settings: Any) -> Any:
        return j.memo((function, *settings), lambda: function(j, *settings))

    return once  # type: ignore[return-value]
