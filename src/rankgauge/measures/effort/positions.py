"""The distance of documents from their ideal ranks: RP, and its running sum CRP."""

from typing import TYPE_CHECKING

from rankgauge.measures.effort.misplacing import (
    CITE,
    COLUMNS,
    INFINITE,
    Length,
    StepDiscount,
    Weight,
    misplaced,
)
from rankgauge.measures.rankings.gains import BINARY
from rankgauge.measures.registry import measure
from rankgauge.measures.spec import Laws, Names, Shown

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import JudgedRankings
    from rankgauge.measures.rankings.arrays.curves import Curve


@measure(
    "RP",
    title="Relative position",
    formula="RP[k] = 0 within the ideal interval of the document's degree, k - min above, k - max below it",
    cite=f"{CITE}, definition 1",
    example="RP@5",
    bounds=(-INFINITE, INFINITE),
    direction=0,
    binary=True,
    depends_on="relevant",
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


@measure(
    "CRP",
    title="Cumulated relative position",
    formula="CRP[k] = Σ_{i ≤ k} RP[i]",
    cite=f"{CITE}, definition 2",
    example="CRP@5",
    bounds=(-INFINITE, INFINITE),
    direction=0,
    binary=True,
    depends_on="relevant",
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
