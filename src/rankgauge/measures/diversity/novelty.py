"""The gain of novel subtopics: α-nDCG (Clarke et al. 2008, who call subtopics nuggets), ERR-IA and NRBP."""

import math
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.measures.rankings.discounts import (
    Discount,
    DiscountBase,
    DiscountName,
    Persistence,
    canonicalise_discount,
    discount_of,
)
from rankgauge.measures.rankings.novelty import (
    AlphaOf,
    Gamma,
    MostCascade,
    Novelty,
    check_novelty,
    least_relevant,
)
from rankgauge.measures.spec import Laws, Names, Needs, Shown, relevance_measure, shared
from rankgauge.schema.parameters import Number, Word

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import JudgedRankings, Pool
    from rankgauge.measures.rankings.arrays.curves import Curve, Floats, Steps
    from rankgauge.measures.rankings.arrays.subtopic_rankings import SubtopicRankings


def relevant_by_subtopic(j: "JudgedRankings") -> "SubtopicRankings":
    """The rankings once for each subtopic, with the documents relevant to it alone."""
    from rankgauge.measures.rankings.arrays import subtopic_rankings

    return subtopic_rankings.relevant_by_subtopic(j)


def defined(j: "JudgedRankings") -> "Floats":
    """(topics, 1): 1, or undefined for topics without a document that is relevant to a subtopic."""
    return relevant_by_subtopic(j).defined


def novel_gains(j: "JudgedRankings", novelty: Novelty) -> "Floats":
    """(hits,): the gain of each document given the subtopics seen before, by their weights."""
    from rankgauge.measures.rankings.arrays import subtopic_rankings

    rankings = relevant_by_subtopic(j)
    return subtopic_rankings.novel_gains(rankings, novelty, rankings.weights)


def novel_shares(j: "JudgedRankings", alpha: float) -> "Floats":
    """(hits,): the gain of each document given the subtopics seen before, by their probabilities."""
    from rankgauge.measures.rankings.arrays import subtopic_rankings

    rankings = relevant_by_subtopic(j)
    return subtopic_rankings.novel_gains(rankings, Novelty(alpha), rankings.shares)


def greedy(
    pool: "Pool",
    level: float,
    depth: int | None,
    alpha: float | str = 0.5,
    gamma: float | None = None,
) -> "JudgedRankings":
    """The greedy ideal ranking."""
    from rankgauge.measures.rankings.arrays.greedy_ideals import greedy_ideal

    return greedy_ideal(pool, Novelty(alpha, gamma), level, depth)


def as_ndeval(pool: "Pool", level: float, depth: int | None, alpha: float = 0.5) -> "JudgedRankings":
    """The ideal ranking of ndeval."""
    from rankgauge.measures.rankings.arrays.greedy_ideals import AS_NDEVAL, greedy_ideal

    return greedy_ideal(pool, Novelty(alpha), level, depth, AS_NDEVAL)


def greedy_at(alpha: float) -> Any:
    """The greedy ideal ranking with a fixed alpha, for measures without that parameter."""
    return lambda pool, level, depth: greedy(pool, level, depth, alpha)


CLARKE = "Clarke et al. 2008, Novelty and diversity in information retrieval evaluation"
INFINITE = float("inf")
subtopic_measure = partial(relevance_measure, needs=Needs(subtopics=True))
Ideal = Annotated[
    str,
    Word(("greedy", "unclipped", "exact", "ndeval")),
    "how the ideal ranking is found, and whether a run that beats it scores more than 1",
]


def canonicalise(settings: dict[str, Any]) -> dict[str, Any]:
    """One spelling for each discount; equation 6 needs an alpha."""
    return check_novelty(canonicalise_discount(settings))


@shared
def novel(j: "JudgedRankings", novelty: Novelty, discount: Discount) -> "Steps":
    """Discounted gains added up in rank order, each given the subtopics seen before."""
    gain = novel_gains(j, novelty)
    return j.cumulate(gain if discount.name == "none" else gain / discount.at(j.rank))


def best_novel(j: "JudgedRankings", novelty: Novelty, discount: Discount, ideal: str = "greedy") -> "Curve":
    """The same for the ideal ranking."""
    from rankgauge.measures.rankings.arrays.greedy_ideals import AS_NDEVAL, BEST, exact_ideal, ideal_curve

    if ideal == "exact":
        return exact_ideal(j.pool, novelty, j.level, discount)
    choice = AS_NDEVAL if ideal == "ndeval" else BEST
    return ideal_curve(j, novelty, lambda best: novel(best, novelty, discount), choice)


NO_DISCOUNT = Discount("none")


@subtopic_measure(
    "alpha_CG",
    title="Cumulated gain of novel subtopics (α-CG)",
    formula="α-CG[k] = Σ_{j ≤ k} G[j],  G[j] = Σ_{subtopics i of d_j} w_i (1 - α)^{r(i, j-1)}",
    cite=f"{CLARKE}, equation 7",
    example="alpha_CG(alpha=0.25)@10",
    bounds=(0, INFINITE),
    names=Names(aliases="α-CG", sets="diversity"),
    laws=Laws(best="open", monotone=False),
    shows=Shown(variants="alpha_CG(alpha=0) alpha_CG alpha_CG(alpha=1)"),
    canonicalise=check_novelty,
    least_relevant=least_relevant,
    ideal=greedy,
)
def alpha_cumulated_gain(j: "JudgedRankings", alpha: AlphaOf = 0.5, gamma: Gamma | None = None) -> "Curve":
    """The gains of the first k documents, added up: each subtopic counts less the more often it was seen.

    r(i, j) is how many of the first j documents are relevant to subtopic i; 0 to the power of 0 is 1. The
    weight w_i is the probability of the subtopic, if the judgments have one, and 1 otherwise. With `gamma=`
    the gain is not the sum but the probability 1 - Π_i (1 - γ w_i α (1 - α)^r) of equation 6.

    With `alpha=grade` the grades are probabilities that a document contains the subtopic, from 0 to 1, such
    as those of a classifier. A subtopic of probability p then counts w_i p Π (1 - p') in G, where p' are
    those of the documents before; with `gamma=`, p and Π (1 - p') replace α and (1 - α)^r.
    """
    return novel(j, Novelty(alpha, gamma), NO_DISCOUNT)


@subtopic_measure(
    "alpha_DCG",
    title="Discounted cumulated gain of novel subtopics (α-DCG)",
    formula="α-DCG[k] = Σ_{j ≤ k} G[j]/log2(1 + j),  G as in α-CG",
    cite=f"{CLARKE}, section 5",
    example="alpha_DCG@10",
    bounds=(0, INFINITE),
    names=Names(aliases="α-DCG", sets="diversity"),
    laws=Laws(best="open", monotone=False),
    shows=Shown(variants="alpha_DCG(alpha=0) alpha_DCG alpha_DCG(alpha=1)"),
    canonicalise=canonicalise,
    least_relevant=least_relevant,
    ideal=greedy,
)
def alpha_discounted_cumulated_gain(
    j: "JudgedRankings",
    alpha: AlphaOf = 0.5,
    gamma: Gamma | None = None,
    discount: DiscountName = "log2",
    base: DiscountBase | None = None,
) -> "Curve":
    """The gains of novel subtopics of the first k documents, each divided by the discount of its rank.

    ndeval's alpha-DCG is another number: this one divided by that of a ranking whose documents all have
    every subtopic.
    """
    return novel(j, Novelty(alpha, gamma), discount_of(discount, base))


@subtopic_measure(
    "alpha_nDCG",
    title="Normalised discounted cumulated gain of novel subtopics (α-nDCG)",
    formula="α-nDCG[k] = α-DCG[k] / α-DCG_ideal[k], at most 1",
    cite=f"{CLARKE}, section 5.2",
    example="alpha_nDCG@20",
    well_known=True,
    uncut="ideal",
    names=Names(aliases="α-nDCG", sets="diversity"),
    laws=Laws(monotone=False, varies="ideal", unbounded="unclipped ndeval"),
    shows=Shown(
        variants="alpha_nDCG(alpha=0) alpha_nDCG alpha_nDCG(alpha=1)",
        columns={
            "α-DCG": alpha_discounted_cumulated_gain,
            "ideal α-DCG": lambda j, alpha=0.5, gamma=None, discount="log2", base=None, ideal="greedy": (
                best_novel(j, Novelty(alpha, gamma), discount_of(discount, base), ideal)
            ),
        },
    ),
    canonicalise=canonicalise,
    least_relevant=least_relevant,
    ideal=greedy,
)
def alpha_normalised_discounted_cumulated_gain(
    j: "JudgedRankings",
    alpha: AlphaOf = 0.5,
    gamma: Gamma | None = None,
    discount: DiscountName = "log2",
    base: DiscountBase | None = None,
    ideal: Ideal = "greedy",
) -> "Curve":
    """Discounted gain of novel subtopics as a share of that of the ideal ranking at the same rank.

    The ideal ranking takes, at each rank, the judged document with the largest gain, and the first by id of
    several. That is not always the best ranking: a run that beats it scores 1, and a note reports it.
    `ideal=unclipped` lets it score more; `ideal=exact` finds the best ranking at each rank, or leaves a
    topic undefined for which that takes too long; `ideal=ndeval` is greedy, unclipped, and takes the last of
    several documents.
    """
    novelty, scale = Novelty(alpha, gamma), discount_of(discount, base)
    ratio = novel(j, novelty, scale) / best_novel(j, novelty, scale, ideal)
    return ratio if ideal in ("unclipped", "ndeval") else ratio.at_most(1.0)


# Users who stop once they are satisfied, as in ndeval

CASCADE = "Clarke et al. 2011, A comparative analysis of cascade measures for novelty and diversity; ndeval"
Alpha = Annotated[float, Number(0, 1), "the share of its worth that a subtopic loses each time it is seen"]


@shared
def cascade(j: "JudgedRankings", alpha: float) -> "Steps":
    """Gains of novel subtopics, by their probabilities, divided by their ranks and added up."""
    return j.cumulate(novel_shares(j, alpha) / j.rank)


@subtopic_measure(
    "ERR_IA",
    title="Intent-aware expected reciprocal rank, as in ndeval",
    formula="ERR-IA@k = Σ_{j ≤ k} 1/j Σ_i P(i) J(d_j, i) (1 - α)^{r(i, j-1)} / Σ_{j ≤ k} (1 - α)^{j-1}/j",
    cite=CASCADE,
    example="ERR_IA@20",
    well_known=True,
    names=Names(sets="diversity"),
    laws=Laws(best="open", monotone=False, beyond_end="less"),
    ideal=greedy,
)
def intent_aware_reciprocal_rank(j: "JudgedRankings", alpha: Alpha = 0.5) -> "Curve":
    """How soon subtopics are covered, as a share of the value of documents that all have every subtopic.

    Subtopics have the probabilities of the judgments, or are equally likely. `IA(ERR)@k` is another measure:
    the mean of graded ERR over subtopics.
    """
    return cascade(j, alpha) / j.position.map(MostCascade(1.0 - alpha).at) * defined(j)


@subtopic_measure(
    "nERR_IA",
    title="Normalised intent-aware expected reciprocal rank, as in ndeval",
    formula="nERR-IA@k = ERR-IA@k / ERR-IA_ideal@k",
    cite=CASCADE,
    example="nERR_IA@20",
    bounds=(0, INFINITE),
    uncut="ideal",
    names=Names(sets="diversity"),
    laws=Laws(best="open", monotone=False),
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


@subtopic_measure(
    "NRBP",
    title="Novelty- and rank-biased precision",
    formula="NRBP = (1 - (1 - α) β) Σ_j β^{j-1} Σ_i P(i) J(d_j, i) (1 - α)^{r(i, j-1)}",
    cite="Clarke et al. 2009, An effectiveness measure for ambiguous and underspecified queries; ndeval",
    names=Names(sets="diversity"),
    laws=Laws(best="open", monotone=False),
    ideal=greedy,
)
def novelty_rank_biased_precision(j: "JudgedRankings", alpha: Alpha = 0.5, beta: Patience = 0.5) -> "Curve":
    """Rank-biased precision of novel subtopics, by their probabilities, or equally likely ones."""
    return (1.0 - (1.0 - alpha) * beta) * rank_biased(j, alpha, beta) * defined(j)


@subtopic_measure(
    "nNRBP",
    title="Normalised novelty- and rank-biased precision",
    formula="nNRBP = NRBP / NRBP_ideal",
    cite="Clarke et al. 2009, An effectiveness measure for ambiguous and underspecified queries; ndeval",
    bounds=(0, INFINITE),
    uncut="ideal",
    names=Names(sets="diversity"),
    laws=Laws(best="open", monotone=False),
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
