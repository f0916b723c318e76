"""What the measures of effort have in common: parameters, misplacement, and the parts of explanations."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from rankgauge.measures.rankings.discounts import Discount
from rankgauge.measures.rankings.gains import BINARY, GAINS, Gains
from rankgauge.measures.rankings.weights import Weights
from rankgauge.measures.registry import measure, shared
from rankgauge.measures.spec import Laws, Names, Needs, Shown
from rankgauge.schema.parameters import Whole, Word

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import JudgedRankings
    from rankgauge.measures.rankings.arrays.curves import Floats
    from rankgauge.measures.rankings.arrays.misplacement import Misplacement

CITE = "Ferro, Silvello, Keskustalo, Pirkola & Järvelin 2016, The Twist measure for IR evaluation"
INFINITE = float("inf")

F = TypeVar("F", bound=Callable[..., Any])

Length = Annotated[
    int,
    Whole(),
    "the length of all lists: shorter ones are padded with non-relevant documents;"
    " by default the length of the longest list evaluated",
]
Crossing = Annotated[
    str,
    Word(("return", "definition", "matters")),
    "when CRP crosses 0: at the first return from below 0, as printed in definition 3 of the paper,"
    " or at the first step above 0, as in the authors' code",
]
Domain = Annotated[
    str,
    Word(("pad", "strict")),
    "lists shorter than twice the recall base: padded with non-relevant documents, or undefined",
]
Weight = Annotated[
    Gains,
    GAINS,
    "the weight of a misplacement: the larger gain of the document at the rank and of the ideal one;"
    " binary: all weigh the same, as in the paper",
]
StepDiscount = Annotated[
    str,
    Word(("none", "log2", "rank")),
    "the divisor of the step to each rank; none: every step counts 1, as in the paper",
]


@shared
def misplaced(j: "JudgedRankings", length: int | None, gains: Gains, discount: str) -> "Misplacement":
    """The misplacement of the documents of these rankings."""
    from rankgauge.measures.rankings.arrays.misplacement import Misplacement

    return Misplacement(j, length, Weights(gains.above(j.level), Discount(discount)))


def within(m: "Misplacement", values: "Floats", domain: str) -> "Floats":
    """The values; with domain=strict, undefined where lists are shorter than the paper requires."""
    import numpy as np

    return values if domain == "pad" else np.where(m.length >= 2 * m.base, values, np.nan)


def of_misplacement(value: Callable[["Misplacement"], "Floats"]) -> Callable[..., "Floats"]:
    """A function of misplacement as one of judged rankings, with the parameters of all measures of effort."""

    def function(
        j: "JudgedRankings",
        N: Length | None = None,
        domain: Domain = "pad",
        gains: Weight = BINARY,
        discount: StepDiscount = "none",
    ) -> "Floats":
        m = misplaced(j, N, gains, discount)
        return within(m, value(m), domain)

    return _named(function, value)


def of_crossing(value: Callable[["Misplacement", str], "Floats"]) -> Callable[..., "Floats"]:
    """The same, of a function that also depends on when CRP crosses 0."""

    def function(
        j: "JudgedRankings",
        N: Length | None = None,
        crossing: Crossing = "return",
        domain: Domain = "pad",
        gains: Weight = BINARY,
        discount: StepDiscount = "none",
    ) -> "Floats":
        m = misplaced(j, N, gains, discount)
        return within(m, value(m, crossing), domain)

    return _named(function, value)


def _named(function: F, value: Callable[..., Any]) -> F:
    """The function with the name and the docstring of another; its signature stays its own."""
    for attribute in ("__module__", "__name__", "__qualname__", "__doc__"):
        setattr(function, attribute, getattr(value, attribute))
    return function


def part(attribute: str) -> Any:
    """A function of judged rankings, for explanations: an attribute of their misplacement."""

    def function(
        j: "JudgedRankings",
        N: int | None = None,
        gains: Gains = BINARY,
        discount: str = "none",
    ) -> Any:
        return getattr(misplaced(j, N, gains, discount), attribute)

    return function


COLUMNS = {
    "ideal from": part("begins"),
    "ideal to": part("ends"),
    "RP": part("curve"),
    "CRP": part("cumulated"),
}
SIZES = {"recall base": part("base"), "length of the list": part("full_length")}
SPACES = {
    "forward space": part("forward"),
    "forward space of the full-scale run": part("full_forward"),
    "backward space": part("backward"),
    "backward space of the full-scale run": part("full_backward"),
}

# What the measures of the misplacement of whole lists have in common.
measure_of_lists = partial(
    measure,
    binary=True,
    depends_on="relevant",
    uncut="endless",
    names=Names(sets="effort"),
    needs=Needs(pads_to_longest=True),
)
laws_of_lists = partial(Laws, varies="domain")
shown_of_lists = partial(Shown, columns=COLUMNS)
READINGS = {"crossing": "definition"}
