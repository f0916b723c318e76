"""The avoidable effort of searching: how far documents stand from where they should (Ferro et al., Twist).

Weights (`gains`) and discounts of misplacements are ours and not the paper's, which announces a weighted
version and leaves it open: without them all is as the paper has it.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import MeasureError
from rankgauge.measures.parameters import Whole, Word
from rankgauge.measures.registry import measure, shared
from rankgauge.measures.scales import (
    BINARY,
    DEEPEST,
    GAINS,
    Discount,
    Gains,
    Reciprocal,
    RunningSum,
)

if TYPE_CHECKING:
    from rankgauge.curve import Curve, Floats, Ints
    from rankgauge.judged import Judged
    from rankgauge.judged.misplacement import Misplacement

CITE = "Ferro, Silvello, Keskustalo, Pirkola & Järvelin 2016, The Twist measure for IR evaluation"
INFINITE = float("inf")

Length = Annotated[
    int,
    Whole(),
    "how many documents of each list count, shorter lists being followed by non-relevant ones;"
    " if not given, as many as the longest list evaluated has",
]
Crossing = Annotated[
    str,
    Word(("definition", "return", "matters")),
    "when CRP crosses 0: as the paper's definition 3 is printed, on the first return from below 0,"
    " or on the first step above 0, as in the authors' code",
]
Domain = Annotated[
    str,
    Word(("pad", "strict")),
    "what lists shorter than twice the recall base are: followed by non-relevant documents, or undefined",
]
Weight = Annotated[
    Gains,
    GAINS,
    "what a misplacement weighs: the larger gain of what stands at the rank and of what should;"
    " binary: all weigh the same, as in the paper",
]
Steps = Annotated[
    str,
    Word(("none", "log2", "rank")),
    "what a step to a rank is divided by; none: every step counts 1, as in the paper",
]


@dataclass(frozen=True)
class Weights:
    """What misplacements weigh, and how far apart ranks are."""

    gains: Gains
    discount: Discount

    @property
    def exact(self) -> bool:
        """Whether sums of whole numbers are all there is."""
        return self.gains.scheme == "binary" and self.discount.name == "none"

    def position(self, ranks: "Ints") -> "Floats":
        """Where ranks lie: at the rank itself, or at the sum of the discounted steps down to it."""
        if self.discount.name == "none":
            return ranks.astype("float64")
        if (deepest := int(ranks.max(initial=0))) >= DEEPEST:
            raise MeasureError(
                f"steps between ranks are discounted down to rank {DEEPEST - 1}, and rank {deepest} is asked "
                "for; give a smaller N, or discount=none"
            )
        return RunningSum(Reciprocal(self.discount)).at(ranks)


@shared
def misplaced(j: "Judged", length: int | None, gains: Gains, discount: str) -> "Misplacement":
    """The misplacement of the documents of these rankings."""
    from rankgauge.judged.misplacement import Misplacement

    return Misplacement(j, length, Weights(gains.above(j.level), Discount(discount)))


def _within(m: "Misplacement", values: "Floats", domain: str) -> "Floats":
    """The values, undefined where lists are shorter than the domain of the paper wants them."""
    import numpy as np

    return values if domain == "pad" else np.where(m.length >= 2 * m.base, values, np.nan)


def _of(attribute: str) -> Any:
    """A function of judged rankings, for explanations: what it says of their misplacement."""

    def function(
        j: "Judged",
        N: int | None = None,
        gains: Gains = BINARY,
        discount: str = "none",
    ) -> Any:
        return getattr(misplaced(j, N, gains, discount), attribute)

    return function


COLUMNS = {"ideal from": _of("begins"), "ideal to": _of("ends"), "RP": _of("curve"), "CRP": _of("cumulated")}
SIZES = {"recall base": _of("base"), "length of the list": _of("full_length")}
SPACES = {
    "forward space": _of("forward"),
    "forward space of the full-scale run": _of("full_forward"),
    "backward space": _of("backward"),
    "backward space of the full-scale run": _of("full_backward"),
}


@measure(
    "RP",
    title="Relative position",
    formula="RP[k] = 0 within the ideal interval of the document's degree, k - min above, k - max below it",
    cite=f"{CITE}, definition 1",
    bounds=(-INFINITE, INFINITE),
    binary=True,
    sees="relevant",
    direction=0,
    best="open",
    monotone=False,
    past="other",
    linear="always",
    sets="effort",
    example="RP@5",
    columns={name: COLUMNS[name] for name in ("ideal from", "ideal to")},
)
def relative_position(
    j: "Judged",
    N: Length | None = None,
    gains: Weight = BINARY,
    discount: Steps = "none",
) -> "Curve":
    """How many ranks the document at rank k is above its ideal interval (negative), or below it (positive).

    The ideal ranking has the documents of each degree of relevance in an interval of ranks, and then those
    that are not relevant. Without a cutoff it is that of the last document retrieved.
    """
    return misplaced(j, N, gains, discount).curve


@measure(
    "CRP",
    title="Cumulated relative position",
    formula="CRP[k] = Σ_{i ≤ k} RP[i]",
    cite=f"{CITE}, definition 2",
    bounds=(-INFINITE, INFINITE),
    binary=True,
    sees="relevant",
    uncut="endless",
    direction=0,
    best="open",
    monotone=False,
    linear="always",
    sets="effort",
    example="CRP@5",
    columns={name: COLUMNS[name] for name in ("ideal from", "ideal to", "RP")},
)
def cumulated_relative_position(
    j: "Judged",
    N: Length | None = None,
    gains: Weight = BINARY,
    discount: Steps = "none",
) -> "Curve":
    """Misplacements added up: below 0 while effort is not yet made good, 0 throughout for the ideal."""
    return misplaced(j, N, gains, discount).cumulated


@measure(
    "ForwardSpace",
    title="Forward space",
    formula="s⁺ = Σ_{RP[i] > 0} RP[i]",
    cite=f"{CITE}, definition 4",
    bounds=(0, INFINITE),
    binary=True,
    sees="relevant",
    direction=-1,
    uncut="endless",
    monotone=False,
    linear="always",
    together=True,
    varies="domain",
    sets="effort",
    example="ForwardSpace",
    columns=COLUMNS,
    parts=SIZES,
)
def forward_space(
    j: "Judged",
    N: Length | None = None,
    domain: Domain = "pad",
    gains: Weight = BINARY,
    discount: Steps = "none",
) -> "Floats":
    """How far relevant documents stand below their ideal intervals, all together."""
    m = misplaced(j, N, gains, discount)
    return _within(m, m.forward, domain)


@measure(
    "BackwardSpace",
    title="Backward space",
    formula="s⁻ = Σ_{RP[i] < 0} |RP[i]|",
    cite=f"{CITE}, definition 4",
    bounds=(0, INFINITE),
    binary=True,
    sees="relevant",
    direction=-1,
    uncut="endless",
    linear="always",
    together=True,
    varies="domain",
    sets="effort",
    example="BackwardSpace",
    columns=COLUMNS,
    parts=SIZES,
)
def backward_space(
    j: "Judged",
    N: Length | None = None,
    domain: Domain = "pad",
    gains: Weight = BINARY,
    discount: Steps = "none",
) -> "Floats":
    """How far documents stand above their ideal intervals, all together: most of all those not relevant."""
    m = misplaced(j, N, gains, discount)
    return _within(m, m.backward, domain)


@measure(
    "ForwardSpaceRatio",
    title="Forward space ratio",
    formula="σ⁺ = 1 - s⁺ / s⁺ of the full-scale run",
    cite=f"{CITE}, definition 5",
    bounds=(0, 1),
    binary=True,
    sees="relevant",
    uncut="endless",
    monotone=False,
    linear="always",
    together=True,
    varies="domain",
    sets="effort",
    example="ForwardSpaceRatio",
    columns=COLUMNS,
    parts=SIZES | SPACES,
)
def forward_space_ratio(
    j: "Judged",
    N: Length | None = None,
    domain: Domain = "pad",
    gains: Weight = BINARY,
    discount: Steps = "none",
) -> "Floats":
    """How far the ranking is from the worst that its relevant documents can do by coming late.

    An empty result has 1 like the ideal: only together with the backward ratio does it mean something.
    """
    m = misplaced(j, N, gains, discount)
    return _within(m, m.forward_ratio, domain)


@measure(
    "BackwardSpaceRatio",
    title="Backward space ratio",
    formula="σ⁻ = 1 - s⁻ / s⁻ of the full-scale run",
    cite=f"{CITE}, definition 5",
    bounds=(0, 1),
    binary=True,
    sees="relevant",
    uncut="endless",
    linear="always",
    together=True,
    varies="domain",
    sets="effort",
    example="BackwardSpaceRatio",
    columns=COLUMNS,
    parts=SIZES | SPACES,
)
def backward_space_ratio(
    j: "Judged",
    N: Length | None = None,
    domain: Domain = "pad",
    gains: Weight = BINARY,
    discount: Steps = "none",
) -> "Floats":
    """How far the ranking is from the worst that can stand at the ranks of relevant documents."""
    m = misplaced(j, N, gains, discount)
    return _within(m, m.backward_ratio, domain)


@measure(
    "SpaceRatio",
    title="Space ratio",
    formula="σ = 2 σ⁺ σ⁻ / (σ⁺ + σ⁻);  0 if both are",
    cite=f"{CITE}, definition 5",
    bounds=(0, 1),
    binary=True,
    sees="relevant",
    uncut="endless",
    monotone=False,
    together=True,
    varies="domain",
    sets="effort",
    example="SpaceRatio",
    columns=COLUMNS,
    parts=SIZES | SPACES | {"σ⁺": _of("forward_ratio"), "σ⁻": _of("backward_ratio")},
)
def space_ratio(
    j: "Judged",
    N: Length | None = None,
    domain: Domain = "pad",
    gains: Weight = BINARY,
    discount: Steps = "none",
) -> "Floats":
    """The harmonic mean of the forward and the backward space ratio: 1 for the ideal ranking alone."""
    m = misplaced(j, N, gains, discount)
    return _within(m, m.space_ratio, domain)


def _crossing(of: str) -> Any:
    """The same for what depends on the crossing."""

    def function(
        j: "Judged",
        N: int | None = None,
        crossing: str = "definition",
        gains: Gains = BINARY,
        discount: str = "none",
    ) -> Any:
        return getattr(misplaced(j, N, gains, discount), of)(crossing)

    return function


BALANCE = {"first crossing": _crossing("crossing"), "balance point": _crossing("balance_point")}


@measure(
    "BalancePoint",
    title="Balance point",
    formula="β = max(R, first rank j with CRP[j] and CRP[j+1] on both sides of 0);  infinite if none is",
    cite=f"{CITE}, definition 3",
    bounds=(1, INFINITE),
    binary=True,
    sees="relevant",
    direction=-1,
    average="median",
    uncut="endless",
    monotone=False,
    together=True,
    varies="domain",
    sets="effort",
    example="BalancePoint(crossing=return)",
    columns=COLUMNS,
    parts=SIZES | BALANCE,
)
def balance_point(
    j: "Judged",
    N: Length | None = None,
    crossing: Crossing = "definition",
    domain: Domain = "pad",
    gains: Weight = BINARY,
    discount: Steps = "none",
) -> "Floats":
    """The rank at which the effort so far is made good for the first time, or R if that is later.

    It is infinite for a ranking that never gets there, which is why its average is the median.
    """
    m = misplaced(j, N, gains, discount)
    return _within(m, m.balance_point(crossing), domain)


@measure(
    "RecoveryRatio",
    title="Recovery ratio",
    formula="ρ = R / β;  0 if CRP never crosses 0, 1 if it is 0 throughout",
    cite=f"{CITE}, definition 3",
    bounds=(0, 1),
    binary=True,
    sees="relevant",
    uncut="endless",
    monotone=False,
    together=True,
    varies="domain",
    sets="effort",
    example="RecoveryRatio(crossing=return)",
    columns=COLUMNS,
    parts=SIZES | BALANCE,
)
def recovery_ratio(
    j: "Judged",
    N: Length | None = None,
    crossing: Crossing = "definition",
    domain: Domain = "pad",
    gains: Weight = BINARY,
    discount: Steps = "none",
) -> "Floats":
    """How soon the effort so far is made good: 1 by rank R, less and less after it, 0 if never.

    By the printed definition (the default) a good document at rank 1 is a crossing already, and the ratio 1.
    """
    m = misplaced(j, N, gains, discount)
    return _within(m, m.recovery_ratio(crossing), domain)


@measure(
    "Twist",
    title="Twist",
    formula="τ = (ρ + σ) / 2",
    cite=f"{CITE}, definition 6",
    bounds=(0, 1),
    binary=True,
    sees="relevant",
    uncut="endless",
    monotone=False,
    together=True,
    varies="domain",
    sets="effort",
    example="Twist",
    columns=COLUMNS,
    parts=SIZES
    | SPACES
    | {"σ⁺": _of("forward_ratio"), "σ⁻": _of("backward_ratio"), "σ": _of("space_ratio")}
    | BALANCE
    | {"ρ": _crossing("recovery_ratio")},
)
def twist(
    j: "Judged",
    N: Length | None = None,
    crossing: Crossing = "definition",
    domain: Domain = "pad",
    gains: Weight = BINARY,
    discount: Steps = "none",
) -> "Floats":
    """How little avoidable effort a ranking costs: 1 for the ideal one, 0 for one without relevant documents.

    The mean of how soon CRP recovers and of how little space it covers. `crossing=return` is the reading of
    the paper's prose and figures, `crossing=matters` that of its authors' code.
    """
    m = misplaced(j, N, gains, discount)
    return _within(m, (m.recovery_ratio(crossing) + m.space_ratio) / 2, domain)
