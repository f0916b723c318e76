"""The avoidable effort of searching: how far documents are from their ideal ranks (Ferro et al., Twist).

Weights (`gains`) and discounts of misplacements are an extension: the paper announces a weighted version
without defining it. By default measures are as in the paper.
"""

from collections.abc import Callable
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from rankgauge.measures.rankings.discounts import Discount
from rankgauge.measures.rankings.gains import BINARY, GAINS, Gains
from rankgauge.measures.spec import Laws, Names, Needs, Shown, relevance_measure, shared
from rankgauge.schema.parameters import Whole, Word

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import Curve, Floats, JudgedRankings
    from rankgauge.measures.rankings.arrays.misplacement import Misplacement

CITE = "Ferro, Silvello, Keskustalo, Pirkola & Järvelin 2016, The Twist measure for IR evaluation"

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
    from rankgauge.measures.rankings.arrays.misplacement import Misplacement, Weights

    return Misplacement(j, length, Weights(gains.above(j.level), Discount(discount)))


def within(m: "Misplacement", values: "Floats", domain: str) -> "Floats":
    """The values; with domain=strict, undefined where lists are shorter than the paper requires."""
    import numpy as np

    return values if domain == "pad" else np.where(m.length >= 2 * m.base, values, np.nan)


def of_misplacement(value: Callable[["Misplacement"], "Floats"]) -> Callable[..., "Floats"]:
    """A function of misplacement as one of judged rankings."""

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
    """The same for a function that also depends on the first crossing."""

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
    for attribute in ("__module__", "__name__", "__qualname__", "__doc__"):
        setattr(function, attribute, getattr(value, attribute))
    return function


def part(attribute: str) -> Any:
    """An attribute of misplacement, for explanations."""

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
    relevance_measure,
    uncut="endless",
    names=Names(sets="effort"),
    needs=Needs(pads_to_longest=True),
)
laws_of_lists = partial(Laws, varies="domain")
shown_of_lists = partial(Shown, columns=COLUMNS)
READINGS = {"crossing": "definition"}


@relevance_measure(
    "RP",
    title="Relative position",
    formula="RP[k] = 0 within the ideal interval of the document's degree, k - min above, k - max below it",
    cite=f"{CITE}, definition 1",
    example="RP@5",
    bounds=(-inf, inf),
    direction=0,
    names=Names(sets="effort"),
    laws=Laws(best="open", monotone=False, beyond_end="other", linear="always"),
    shows=Shown(columns={name: COLUMNS[name] for name in ("ideal from", "ideal to")}),
)
def relative_position(
    j: "JudgedRankings",
    N: Length | None = None,
    gains: Weight = BINARY,
    discount: StepDiscount = "none",
) -> "Curve":
    """How many ranks the document at rank k is above its ideal interval (negative) or below it (positive).

    The ideal ranking has the documents of each degree of relevance in an interval of ranks, followed by
    non-relevant documents. Without a cutoff it is that of the last document retrieved.
    """
    return misplaced(j, N, gains, discount).curve


@relevance_measure(
    "CRP",
    title="Cumulated relative position",
    formula="CRP[k] = Σ_{i ≤ k} RP[i]",
    cite=f"{CITE}, definition 2",
    example="CRP@5",
    bounds=(-inf, inf),
    direction=0,
    uncut="endless",
    names=Names(sets="effort"),
    laws=Laws(best="open", monotone=False, linear="always"),
    shows=Shown(columns={name: COLUMNS[name] for name in ("ideal from", "ideal to", "RP")}),
)
def cumulated_relative_position(
    j: "JudgedRankings",
    N: Length | None = None,
    gains: Weight = BINARY,
    discount: StepDiscount = "none",
) -> "Curve":
    """The running sum of misplacements: below 0 until effort is recovered, 0 throughout for the ideal."""
    return misplaced(j, N, gains, discount).cumulated


@measure_of_lists(
    "ForwardSpace",
    title="Forward space",
    formula="s⁺ = Σ_{RP[i] > 0} RP[i]",
    cite=f"{CITE}, definition 4",
    bounds=(0, inf),
    direction=-1,
    laws=laws_of_lists(monotone=False, linear="always"),
    shows=shown_of_lists(parts=SIZES),
)
@of_misplacement
def forward_space(m: "Misplacement") -> "Floats":
    """The total distance of relevant documents below their ideal intervals."""
    return m.forward


@measure_of_lists(
    "BackwardSpace",
    title="Backward space",
    formula="s⁻ = Σ_{RP[i] < 0} |RP[i]|",
    cite=f"{CITE}, definition 4",
    bounds=(0, inf),
    direction=-1,
    laws=laws_of_lists(linear="always"),
    shows=shown_of_lists(parts=SIZES),
)
@of_misplacement
def backward_space(m: "Misplacement") -> "Floats":
    """The total distance of documents above their ideal intervals, most of it by non-relevant ones."""
    return m.backward


@measure_of_lists(
    "ForwardSpaceRatio",
    title="Forward space ratio",
    formula="σ⁺ = 1 - s⁺ / s⁺ of the full-scale run",
    cite=f"{CITE}, definition 5",
    laws=laws_of_lists(monotone=False, linear="always"),
    shows=shown_of_lists(parts=SIZES | SPACES),
)
@of_misplacement
def forward_space_ratio(m: "Misplacement") -> "Floats":
    """How far the ranking is from the worst that its relevant documents can do by coming late.

    An empty result has 1 like the ideal: only together with the backward ratio does it mean something.
    """
    return m.forward_ratio


@measure_of_lists(
    "BackwardSpaceRatio",
    title="Backward space ratio",
    formula="σ⁻ = 1 - s⁻ / s⁻ of the full-scale run",
    cite=f"{CITE}, definition 5",
    laws=laws_of_lists(linear="always"),
    shows=shown_of_lists(parts=SIZES | SPACES),
)
@of_misplacement
def backward_space_ratio(m: "Misplacement") -> "Floats":
    """How far the ranking is from the worst that can stand at the ranks of relevant documents."""
    return m.backward_ratio


@measure_of_lists(
    "SpaceRatio",
    title="Space ratio",
    formula="σ = 2 σ⁺ σ⁻ / (σ⁺ + σ⁻);  0 if both are",
    cite=f"{CITE}, definition 5",
    laws=laws_of_lists(monotone=False),
    shows=shown_of_lists(parts=SIZES | SPACES | {"σ⁺": part("forward_ratio"), "σ⁻": part("backward_ratio")}),
)
@of_misplacement
def space_ratio(m: "Misplacement") -> "Floats":
    """The harmonic mean of the forward and the backward space ratio: 1 for the ideal ranking alone."""
    return m.space_ratio


def crossing_part(of: str) -> Any:
    """An attribute at the first crossing, for explanations."""

    def function(
        j: "JudgedRankings",
        N: int | None = None,
        crossing: str = "return",
        gains: Gains = BINARY,
        discount: str = "none",
    ) -> Any:
        return getattr(misplaced(j, N, gains, discount), of)(crossing)

    return function


BALANCE = {"first crossing": crossing_part("crossing"), "balance point": crossing_part("balance_point")}


@measure_of_lists(
    "BalancePoint",
    title="Balance point",
    formula="β = max(R, first rank j with CRP[j] and CRP[j+1] on both sides of 0);  infinite if none is",
    cite=f"{CITE}, definition 3",
    bounds=(1, inf),
    direction=-1,
    average="median",
    laws=laws_of_lists(monotone=False),
    shows=shown_of_lists(parts=SIZES | BALANCE, readings=READINGS),
)
@of_crossing
def balance_point(m: "Misplacement", crossing: str) -> "Floats":
    """The rank at which the effort so far is recovered for the first time, or R if that is later.

    It is infinite for a ranking that never gets there, which is why its average is the median.
    """
    return m.balance_point(crossing)


@measure_of_lists(
    "RecoveryRatio",
    title="Recovery ratio",
    formula="ρ = R / β;  0 if CRP never crosses 0, 1 if it is 0 throughout",
    cite=f"{CITE}, definition 3",
    laws=laws_of_lists(monotone=False),
    shows=shown_of_lists(parts=SIZES | BALANCE, readings=READINGS),
)
@of_crossing
def recovery_ratio(m: "Misplacement", crossing: str) -> "Floats":
    """How soon the effort so far is recovered: 1 by rank R, less and less after it, 0 if never.

    By the definition as printed (`crossing=definition`) a document in its ideal interval at rank 1 is a
    crossing, so that the ratio is 1.
    """
    return m.recovery_ratio(crossing)


@measure_of_lists(
    "Twist",
    title="Twist",
    formula="τ = (ρ + σ) / 2",
    cite=f"{CITE}, definition 6",
    well_known=True,
    laws=laws_of_lists(monotone=False),
    shows=shown_of_lists(
        parts=SIZES
        | SPACES
        | {"σ⁺": part("forward_ratio"), "σ⁻": part("backward_ratio"), "σ": part("space_ratio")}
        | BALANCE
        | {"ρ": crossing_part("recovery_ratio")},
        readings=READINGS,
    ),
)
@of_crossing
def twist(m: "Misplacement", crossing: str) -> "Floats":
    """How little avoidable effort a ranking costs: 1 for the ideal one, 0 for one without relevant documents.

    The mean of the recovery ratio and of the space ratio. A crossing is a return to 0 from below, as in the
    paper's prose, figures and table 2; `crossing=definition` is its definition 3 as printed, and
    `crossing=matters` what its authors' code computes.
    """
    return (m.recovery_ratio(crossing) + m.space_ratio) / 2
