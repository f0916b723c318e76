"""How soon effort is recovered; and Twist, which combines that with the space ratio."""

from typing import TYPE_CHECKING, Any

from rankgauge.measures.effort.misplacing import (
    CITE,
    INFINITE,
    READINGS,
    SIZES,
    SPACES,
    laws_of_lists,
    measure_of_lists,
    misplaced,
    of_crossing,
    part,
    shown_of_lists,
)
from rankgauge.measures.rankings.gains import BINARY, Gains

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import JudgedRankings
    from rankgauge.measures.rankings.arrays.curves import Floats
    from rankgauge.measures.rankings.arrays.misplacement import Misplacement


def crossing_part(of: str) -> Any:
    """A function of judged rankings, for explanations: an attribute of misplacement at the first crossing."""

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
    bounds=(1, INFINITE),
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
