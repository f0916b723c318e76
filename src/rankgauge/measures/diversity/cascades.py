"""Novelty for users who stop once they are satisfied, as in ndeval: ERR-IA and NRBP."""

import math
from typing import TYPE_CHECKING, Annotated

from rankgauge.measures.diversity.ideals import as_ndeval, greedy
from rankgauge.measures.diversity.subtopics import defined, novel_shares
from rankgauge.measures.rankings.discounts import Persistence
from rankgauge.measures.rankings.novelty import MostCascade, Novelty
from rankgauge.measures.registry import measure, shared
from rankgauge.measures.spec import Laws, Names, Needs
from rankgauge.schema.parameters import Number

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import JudgedRankings
    from rankgauge.measures.rankings.arrays.curves import Curve, Steps

CASCADE = "Clarke et al. 2011, A comparative analysis of cascade measures for novelty and diversity; ndeval"
INFINITE = float("inf")
Alpha = Annotated[float, Number(0, 1), "the share of its worth that a subtopic loses each time it is seen"]


@shared
def cascade(j: "JudgedRankings", alpha: float) -> "Steps":
    """Gains of novel subtopics, by their probabilities, divided by their ranks and added up."""
    return j.cumulate(novel_shares(j, alpha) / j.rank)


@measure(
    "ERR_IA",
    title="Intent-aware expected reciprocal rank, as in ndeval",
    formula="ERR-IA@k = Σ_{j ≤ k} 1/j Σ_i P(i) J(d_j, i) (1 - α)^{r(i, j-1)} / Σ_{j ≤ k} (1 - α)^{j-1} / j",
    cite=CASCADE,
    example="ERR_IA@20",
    well_known=True,
    binary=True,
    depends_on="relevant",
    names=Names(sets="diversity"),
    laws=Laws(best="open", monotone=False, beyond_end="less"),
    needs=Needs(subtopics=True),
    ideal=greedy,
)
def intent_aware_reciprocal_rank(j: "JudgedRankings", alpha: Alpha = 0.5) -> "Curve":
    """How soon subtopics are covered, as a share of the value of documents that all have every subtopic.

    Subtopics have the probabilities of the judgments, or are equally likely. `IA(ERR)@k` is another measure:
    the mean of graded ERR over subtopics.
    """
    return cascade(j, alpha) / j.position.map(MostCascade(1.0 - alpha).at) * defined(j)


@measure(
    "nERR_IA",
    title="Normalised intent-aware expected reciprocal rank, as in ndeval",
    formula="nERR-IA@k = ERR-IA@k / ERR-IA_ideal@k",
    cite=CASCADE,
    example="nERR_IA@20",
    bounds=(0, INFINITE),
    binary=True,
    depends_on="relevant",
    uncut="ideal",
    names=Names(sets="diversity"),
    laws=Laws(best="open", monotone=False),
    needs=Needs(subtopics=True),
    ideal=as_ndeval,
)
def normalised_intent_aware_reciprocal_rank(j: "JudgedRankings", alpha: Alpha = 0.5) -> "Curve":
    """ERR_IA as a share of that of ndeval's ideal ranking at the same rank; not clipped.

    That is the ranking of `alpha_nDCG(ideal=ndeval)`.
    """
    from rankgauge.measures.rankings.arrays.greedy_ideals import AS_NDEVAL, ideal_curve

    return cascade(j, alpha) / ideal_curve(j, Novelty(alpha), lambda best: cascade(best, alpha), AS_NDEVAL)


@shared
def rank_biased(j: "JudgedRankings", alpha: float, beta: float) -> "Steps":
    """Gains of novel subtopics, by their probabilities and by the share β^(rank-1) of users who see them."""
    return j.cumulate(novel_shares(j, alpha) * Persistence(beta).at(j.rank))


Patience = Annotated[
    float, Number(0, 1, below=True), "the probability that a user goes on to the next document"
]


@measure(
    "NRBP",
    title="Novelty- and rank-biased precision",
    formula="NRBP = (1 - (1 - α) β) Σ_j β^{j-1} Σ_i P(i) J(d_j, i) (1 - α)^{r(i, j-1)}",
    cite="Clarke et al. 2009, An effectiveness measure for ambiguous and underspecified queries; ndeval",
    binary=True,
    depends_on="relevant",
    names=Names(sets="diversity"),
    laws=Laws(best="open", monotone=False),
    needs=Needs(subtopics=True),
    ideal=greedy,
)
def novelty_rank_biased_precision(j: "JudgedRankings", alpha: Alpha = 0.5, beta: Patience = 0.5) -> "Curve":
    """Rank-biased precision of novel subtopics, by their probabilities, or equally likely ones."""
    return (1.0 - (1.0 - alpha) * beta) * rank_biased(j, alpha, beta) * defined(j)


@measure(
    "nNRBP",
    title="Normalised novelty- and rank-biased precision",
    formula="nNRBP = NRBP / NRBP_ideal",
    cite="Clarke et al. 2009, An effectiveness measure for ambiguous and underspecified queries; ndeval",
    bounds=(0, INFINITE),
    binary=True,
    depends_on="relevant",
    uncut="ideal",
    names=Names(sets="diversity"),
    laws=Laws(best="open", monotone=False),
    needs=Needs(subtopics=True),
    ideal=as_ndeval,
)
def normalised_novelty_rank_biased_precision(
    j: "JudgedRankings", alpha: Alpha = 0.5, beta: Patience = 0.5
) -> "Curve":
    """NRBP as a share of that of ndeval's ideal ranking, as in `alpha_nDCG(ideal=ndeval)`; not clipped."""
    from rankgauge.measures.rankings.arrays.greedy_ideals import AS_NDEVAL, ideal_curve

    # The first document has the largest gain; terms below this rank are smaller than its last bit.
    enough = 2 + int(60 / -math.log2(beta)) if beta > 0 else 1
    best = ideal_curve(j, Novelty(alpha), lambda best: rank_biased(best, alpha, beta), AS_NDEVAL, enough)
    return rank_biased(j, alpha, beta) / best
