"""Novelty and diversity: rankings judged by subtopic (Clarke et al. 2008, and what came of it).

A subtopic (nugget, intent) is again a topic: `j.nuggets` are the rankings once for each of them. What a
document is worth there is added up for the document, and documents are then cumulated as always.
"""

import math
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.measures.cumulated import normalised_discounted_cumulated_gain
from rankgauge.measures.graded import Beta
from rankgauge.measures.novelty import AlphaOf, Gamma, MostCascade, Novelty, settle_novelty
from rankgauge.measures.parameters import AdHoc, Number, Word
from rankgauge.measures.ranked import Norm
from rankgauge.measures.registry import measure, shared
from rankgauge.measures.scales import (
    LINEAR,
    Discount,
    DiscountBase,
    DiscountName,
    Gains,
    GainsOf,
    Persistence,
    discount_of,
    settle_discount,
)
from rankgauge.measures.spec import Measure

if TYPE_CHECKING:
    from rankgauge.curve import Curve, Floats, Steps
    from rankgauge.judged import Judged, Pool

CLARKE = "Clarke et al. 2008, Novelty and diversity in information retrieval evaluation"
CASCADE = "Clarke et al. 2011, A comparative analysis of cascade measures for novelty and diversity; ndeval"
AGRAWAL = "Agrawal et al. 2009, Diversifying search results"
ZHAI = "Zhai et al. 2003, Beyond independent relevance"
SAKAI = "Sakai & Song 2011, Evaluating diversified search results using per-intent graded relevance"
INFINITE = float("inf")
Alpha = Annotated[float, Number(0, 1), "how much a nugget loses each time it is seen"]
Ideal = Annotated[
    str,
    Word(("greedy", "unclipped", "exact", "ndeval")),
    "how the best ranking is found, and whether a run that beats it scores more than 1",
]


def settle(settings: dict[str, Any]) -> dict[str, Any]:
    """One spelling for each discount; equation 6 needs an alpha."""
    return settle_novelty(settle_discount(settings))


def greedy(
    pool: "Pool",
    level: float,
    depth: int | None,
    alpha: float | str = 0.5,
    gamma: float | None = None,
) -> "Judged":
    """The greedy ideal ranking."""
    from rankgauge.judged.greedy import greedy_ideal

    return greedy_ideal(pool, Novelty(alpha, gamma), level, depth)


def as_ndeval(pool: "Pool", level: float, depth: int | None, alpha: float = 0.5) -> "Judged":
    """The ideal ranking of ndeval."""
    from rankgauge.judged.greedy import AS_NDEVAL, greedy_ideal

    return greedy_ideal(pool, Novelty(alpha), level, depth, AS_NDEVAL)


def greedy_at(alpha: float) -> Any:
    """The greedy ideal ranking with a certain alpha, for measures that have none."""
    return lambda pool, level, depth: greedy(pool, level, depth, alpha)


def by_global_gain(pool: "Pool", _level: float, _depth: int | None, gains: Gains = LINEAR) -> "Judged":
    """The ideal ranking of D-measures."""
    from rankgauge.judged.subtopics import ideal_by_gain

    return ideal_by_gain(pool, gains)


@shared
def novel(j: "Judged", novelty: Novelty, discount: Discount) -> "Steps":
    """Discounted gains added up in rank order, each by the nuggets seen before."""
    gain = novelty.at_hits(j.nuggets, j.nuggets.weights)
    return j.cumulate(gain if discount.name == "none" else gain / discount.at(j.rank))


def best_novel(j: "Judged", novelty: Novelty, discount: Discount, ideal: str = "greedy") -> "Curve":
    """The same of the ideal ranking."""
    from rankgauge.judged.greedy import AS_NDEVAL, BEST, exact_ideal, ideal_curve

    if ideal == "exact":
        return exact_ideal(j.pool, novelty, j.level, discount)
    choice = AS_NDEVAL if ideal == "ndeval" else BEST
    return ideal_curve(j, novelty, lambda best: novel(best, novelty, discount), choice)


NONE = Discount("none")


@measure(
    "alpha_CG",
    title="Cumulated gain of novel nuggets (α-CG)",
    formula="α-CG[k] = Σ_{j ≤ k} G[j],  G[j] = Σ_{nuggets i of d_j} w_i (1 - α)^{r(i, j-1)}",
    cite=f"{CLARKE}, equation 7",
    bounds=(0, INFINITE),
    binary=True,
    sees="relevant",
    diverse=True,
    ideal=greedy,
    settle=settle_novelty,
    aliases="α_CG α-CG alpha-CG",
    sets="diversity",
    best="open",
    monotone=False,
    example="alpha_CG(alpha=0.25)@10",
)
def alpha_cumulated_gain(j: "Judged", alpha: AlphaOf = 0.5, gamma: Gamma | None = None) -> "Curve":
    """The gains of the first k documents, added up: each nugget counts less the more often it was seen.

    r(i, j) is how many of the first j documents hold nugget i; 0 to the power of 0 is 1. The weight w_i is
    the probability of the subtopic where the judgments have one, and 1 otherwise. With `gamma=` the gain is
    not the sum but the probability 1 - Π_i (1 - γ w_i α (1 - α)^r) of equation 6.
    """
    return novel(j, Novelty(alpha, gamma), NONE)


@measure(
    "alpha_DCG",
    title="Discounted cumulated gain of novel nuggets (α-DCG)",
    formula="α-DCG[k] = Σ_{j ≤ k} G[j] / log2(1 + j),  G as in alpha_CG",
    cite=f"{CLARKE}, section 5",
    bounds=(0, INFINITE),
    binary=True,
    sees="relevant",
    diverse=True,
    ideal=greedy,
    settle=settle,
    aliases="α_DCG α-DCG alpha-DCG",
    sets="diversity",
    best="open",
    monotone=False,
    example="alpha_DCG@10",
)
def alpha_discounted_cumulated_gain(
    j: "Judged",
    alpha: AlphaOf = 0.5,
    gamma: Gamma | None = None,
    discount: DiscountName = "log2",
    base: DiscountBase | None = None,
) -> "Curve":
    """The gains of the first k documents by their novel nuggets, each divided by the discount of its rank.

    ndeval's alpha-DCG is another number: this one divided by what a document with all subtopics at each
    rank would have.
    """
    return novel(j, Novelty(alpha, gamma), discount_of(discount, base))


@measure(
    "alpha_nDCG",
    title="Normalised discounted cumulated gain of novel nuggets (α-nDCG)",
    formula="α-nDCG[k] = α-DCG[k] / α-DCG_ideal[k], at most 1",
    cite=f"{CLARKE}, section 5.2",
    bounds=(0, 1),
    binary=True,
    sees="relevant",
    uncut="ideal",
    diverse=True,
    ideal=greedy,
    settle=settle,
    aliases="α_nDCG α-nDCG alpha-nDCG",
    sets="diversity",
    monotone=False,
    varies="ideal",
    example="alpha_nDCG@20",
    variants="alpha_nDCG(alpha=0) alpha_nDCG alpha_nDCG(alpha=1)",
    columns={
        "α-DCG": alpha_discounted_cumulated_gain,
        "ideal α-DCG": lambda j, alpha=0.5, gamma=None, discount="log2", base=None, ideal="greedy": (
            best_novel(j, Novelty(alpha, gamma), discount_of(discount, base), ideal)
        ),
    },
)
def alpha_normalised_discounted_cumulated_gain(
    j: "Judged",
    alpha: AlphaOf = 0.5,
    gamma: Gamma | None = None,
    discount: DiscountName = "log2",
    base: DiscountBase | None = None,
    ideal: Ideal = "greedy",
) -> "Curve":
    """Discounted gain of novel nuggets as a share of what the ideal ranking has at the same rank.

    The ideal ranking takes, of all judged documents, the one that adds the most at each rank, and of those
    that add the same the first by id. That is not always the best there is: a run that beats it is credited
    with 1, and a note says so. `ideal=unclipped` leaves it what it has; `ideal=exact` finds the best there is
    at each rank, for small topics; `ideal=ndeval` is greedy, unclipped, and takes the last of equals.
    """
    novelty, scale = Novelty(alpha, gamma), discount_of(discount, base)
    ratio = novel(j, novelty, scale) / best_novel(j, novelty, scale, ideal)
    return ratio if ideal in ("unclipped", "ndeval") else ratio.at_most(1.0)


@shared
def cascade(j: "Judged", alpha: float) -> "Steps":
    """Gains of novel nuggets, weighed by the probabilities of intents, over their ranks, added up."""
    return j.cumulate(Novelty(alpha).at_hits(j.nuggets, j.nuggets.shares) / j.rank)


@measure(
    "ERR_IA",
    title="Intent-aware expected reciprocal rank, as ndeval has it",
    formula="ERR-IA@k = Σ_{j ≤ k} 1/j Σ_i P(i) J(d_j, i) (1 - α)^{r(i, j-1)} / Σ_{j ≤ k} (1 - α)^{j-1} / j",
    cite=CASCADE,
    bounds=(0, 1),
    binary=True,
    sees="relevant",
    past="less",
    diverse=True,
    ideal=greedy,
    aliases="ERR-IA",
    sets="diversity",
    best="open",
    monotone=False,
    example="ERR_IA@20",
)
def intent_aware_reciprocal_rank(j: "Judged", alpha: Alpha = 0.5) -> "Curve":
    """How soon intents are satisfied, as a share of what documents with all subtopics would have.

    Intents have the probabilities given, or are equally likely. `IA(ERR)@k` is the mean of graded ERR over
    intents, which is another measure.
    """
    return cascade(j, alpha) / j.position.through(MostCascade(1.0 - alpha).at) * j.nuggets.defined


@measure(
    "nERR_IA",
    title="Normalised intent-aware expected reciprocal rank, as ndeval has it",
    formula="nERR-IA@k = ERR-IA@k / ERR-IA_ideal@k",
    cite=CASCADE,
    bounds=(0, INFINITE),
    binary=True,
    sees="relevant",
    uncut="ideal",
    diverse=True,
    ideal=as_ndeval,
    aliases="nERR-IA",
    sets="diversity",
    best="open",
    monotone=False,
    example="nERR_IA@20",
)
def normalised_intent_aware_reciprocal_rank(j: "Judged", alpha: Alpha = 0.5) -> "Curve":
    """ERR_IA as a share of what ndeval's ideal ranking has at the same rank; not clipped.

    That is the ranking of `alpha_nDCG(ideal=ndeval)`.
    """
    from rankgauge.judged.greedy import AS_NDEVAL, ideal_curve

    return cascade(j, alpha) / ideal_curve(j, Novelty(alpha), lambda best: cascade(best, alpha), AS_NDEVAL)


@shared
def rank_biased(j: "Judged", alpha: float, beta: float) -> "Steps":
    """Gains of novel nuggets, weighed by the probabilities of intents, as users see them who go on with β."""
    gain = Novelty(alpha).at_hits(j.nuggets, j.nuggets.shares)
    return j.cumulate(gain * Persistence(beta).at(j.rank))


Patience = Annotated[float, Number(0, 1, below=True), "how likely a user goes on to the next document"]


@measure(
    "NRBP",
    title="Novelty- and rank-biased precision",
    formula="NRBP = (1 - (1 - α) β) Σ_j β^{j-1} Σ_i P(i) J(d_j, i) (1 - α)^{r(i, j-1)}",
    cite="Clarke et al. 2009, An effectiveness measure for ambiguous and underspecified queries; ndeval",
    bounds=(0, 1),
    binary=True,
    sees="relevant",
    diverse=True,
    ideal=greedy,
    sets="diversity",
    best="open",
    monotone=False,
    example="NRBP",
)
def novelty_rank_biased_precision(j: "Judged", alpha: Alpha = 0.5, beta: Patience = 0.5) -> "Curve":
    """Rank-biased precision of novel nuggets, intents being as likely as given, or equally likely."""
    return (1.0 - (1.0 - alpha) * beta) * rank_biased(j, alpha, beta) * j.nuggets.defined


@measure(
    "nNRBP",
    title="Normalised novelty- and rank-biased precision",
    formula="nNRBP = NRBP / NRBP_ideal",
    cite="Clarke et al. 2009, An effectiveness measure for ambiguous and underspecified queries; ndeval",
    bounds=(0, INFINITE),
    binary=True,
    sees="relevant",
    uncut="ideal",
    diverse=True,
    ideal=as_ndeval,
    sets="diversity",
    best="open",
    monotone=False,
    example="nNRBP",
)
def normalised_novelty_rank_biased_precision(
    j: "Judged", alpha: Alpha = 0.5, beta: Patience = 0.5
) -> "Curve":
    """NRBP as a share of what ndeval's ideal ranking has, that of `alpha_nDCG(ideal=ndeval)`; not clipped."""
    from rankgauge.judged.greedy import AS_NDEVAL, ideal_curve

    # The first document is worth the most; what comes after so many is less than its last bit.
    enough = 2 + int(60 / -math.log2(beta)) if beta > 0 else 1
    best = ideal_curve(j, Novelty(alpha), lambda best: rank_biased(best, alpha, beta), AS_NDEVAL, enough)
    return rank_biased(j, alpha, beta) / best


@measure(
    "AP_IA",
    title="Intent-aware average precision",
    formula="AP-IA = Σ_i P(i) AP_i",
    cite=f"{AGRAWAL}; ndeval's MAP-IA",
    bounds=(0, 1),
    binary=True,
    sees="relevant",
    diverse=True,
    ideal=greedy_at(0.0),
    aliases="AP-IA MAP-IA MAP_IA",
    sets="diversity",
    best="open",
    monotone=False,
    example="AP_IA",
)
def intent_aware_average_precision(j: "Judged") -> "Curve":
    """The average precision of each intent, weighed by its probability: IA(AP), at every rank."""
    nuggets = j.nuggets
    precision = nuggets.rankings.nth / nuggets.rankings.rank
    share = nuggets.of_hits(nuggets.shares) / nuggets.of_hits(nuggets.rankings.recall_base[:, 0])
    return j.cumulate(nuggets.at_hits(share * precision)) * nuggets.defined


@measure(
    "P_IA",
    title="Intent-aware precision",
    formula="P-IA@k = Σ_i P(i) P_i@k",
    cite=f"{AGRAWAL}; ndeval",
    bounds=(0, 1),
    binary=True,
    sees="relevant",
    past="less",
    diverse=True,
    ideal=greedy_at(0.0),
    aliases="P-IA",
    sets="diversity",
    best="open",
    monotone=False,
    example="P_IA@10",
)
def intent_aware_precision(j: "Judged") -> "Curve":
    """The precision of each intent, weighed by its probability: IA(P@k)."""
    nuggets = j.nuggets
    return j.cumulate(nuggets.at_hits(nuggets.of_hits(nuggets.shares))) / j.position * nuggets.defined


@shared
def covered(j: "Judged") -> "Steps":
    """How many subtopics the documents so far are relevant to."""
    return j.cumulate(j.nuggets.new_at_hits)


@measure(
    "StRecall",
    title="Subtopic recall",
    formula="StRecall@k = subtopics that the first k documents are relevant to / all subtopics",
    cite=f"{ZHAI}; ndeval's strec, NTCIREVAL's I-rec",
    bounds=(0, 1),
    binary=True,
    sees="relevant",
    diverse=True,
    ideal=greedy_at(1.0),
    aliases="strec I-rec I_rec",
    sets="diversity",
    best="open",
    monotone=False,
    example="StRecall@10",
)
def subtopic_recall(j: "Judged") -> "Curve":
    """The share of subtopics that the first k documents are relevant to.

    All subtopics are those that have a relevant document, as in ndeval, or, if probabilities were given,
    all that have one, as in NTCIREVAL.
    """
    return covered(j) / j.nuggets.count * j.nuggets.defined


@measure(
    "StPrecision",
    title="Subtopic precision",
    formula="StPrecision@r = ranks that the ideal needs for subtopic recall r / ranks that the run needs",
    cite=f"{ZHAI}, section 3.2",
    bounds=(0, INFINITE),
    binary=True,
    sees="relevant",
    at="recall",
    diverse=True,
    ideal=greedy_at(1.0),
    aliases="S-precision",
    sets="diversity",
    best="open",
    monotone=False,
    example="StPrecision@0.5",
)
def subtopic_precision(
    j: "Judged", recall: Annotated[float, Number(0, 1, above=True), "the subtopic recall to be reached"] = 1.0
) -> "Floats":
    """How many documents the best ranking needs for a subtopic recall, as a share of those the run needs.

    0 if the run never reaches it. Subtopics that no document is relevant to do not count. The best ranking
    is found greedily, as in the paper.
    """
    from rankgauge.judged.greedy import greedy_ideal
    from rankgauge.judged.subtopics import ranks_to_cover

    ideal = greedy_ideal(j.pool, Novelty(1.0), j.level)
    return ranks_to_cover(ideal, covered(ideal), recall) / ranks_to_cover(j, covered(j), recall)


@measure(
    "D_nDCG",
    title="D-nDCG: nDCG of global gains",
    formula="nDCG with gain(d) = Σ_i P(i) gain_i(d)",
    cite=SAKAI,
    bounds=(0, 1),
    sees="relevant",
    uncut="ideal",
    diverse=True,
    ideal=by_global_gain,
    settle=settle_discount,
    aliases="D-nDCG",
    sets="diversity",
    monotone=False,
    example="D_nDCG@10",
)
def d_ndcg(
    j: "Judged", gains: GainsOf = LINEAR, discount: DiscountName = "log2", base: DiscountBase | None = None
) -> "Curve":
    """The nDCG of what documents are worth to all intents together, by their probabilities.

    Intents have the probabilities given, or are equally likely.
    """
    from rankgauge.judged.subtopics import diversified

    return normalised_discounted_cumulated_gain(diversified(j, gains), LINEAR, discount, base)


@measure(
    "D_Q",
    title="D-Q: Q-measure of global gains",
    formula="Q with gain(d) = Σ_i P(i) gain_i(d)",
    cite=SAKAI,
    bounds=(0, 1),
    sees="relevant",
    uncut="ideal",
    diverse=True,
    ideal=by_global_gain,
    aliases="D-Q",
    sets="diversity",
    monotone=False,
    example="D_Q(norm=cut)@10",
)
def d_q(j: "Judged", beta: Beta = 1.0, gains: GainsOf = LINEAR, norm: Norm = "full") -> "Curve":
    """Q-measure with what a document is worth to all intents together; one with any gain is relevant.

    NTCIREVAL's D-Q at a cutoff has norm=cut.
    """
    from rankgauge.judged.subtopics import diversified
    from rankgauge.measures.graded import q_measure  # whoever imports that first is not done with it above

    return q_measure(diversified(j, gains), beta, LINEAR, norm)


Weight = Annotated[float, Number(0, 1), "weight of subtopic recall beside the other measure"]


def intent_recall(j: "Judged", gains: Gains) -> "Curve":
    """The share of intents that the first k documents have a gain for."""
    nuggets = j.nuggets_by(gains)
    return j.cumulate(nuggets.new_at_hits) / nuggets.count


@measure(
    "Dsharp_nDCG",
    title="D♯-nDCG: subtopic recall and D-nDCG",
    formula="D♯-nDCG@k = γ I-rec@k + (1 - γ) D-nDCG@k",
    cite=SAKAI,
    bounds=(0, 1),
    sees="relevant",
    uncut="ideal",
    diverse=True,
    ideal=by_global_gain,
    settle=settle_discount,
    aliases="D#-nDCG",
    sets="diversity",
    best="open",
    monotone=False,
    example="Dsharp_nDCG@10",
)
def d_sharp_ndcg(
    j: "Judged",
    weight: Weight = 0.5,
    gains: GainsOf = LINEAR,
    discount: DiscountName = "log2",
    base: DiscountBase | None = None,
) -> "Curve":
    """Half of how many intents there is a document for, half of how good the documents are."""
    return weight * intent_recall(j, gains) + (1.0 - weight) * d_ndcg(j, gains, discount, base)


@measure(
    "Dsharp_Q",
    title="D♯-Q: subtopic recall and D-Q",
    formula="D♯-Q@k = γ I-rec@k + (1 - γ) D-Q@k",
    cite=SAKAI,
    bounds=(0, 1),
    sees="relevant",
    uncut="ideal",
    diverse=True,
    ideal=by_global_gain,
    aliases="D#-Q",
    sets="diversity",
    best="open",
    monotone=False,
    example="Dsharp_Q(norm=cut)@10",
)
def d_sharp_q(
    j: "Judged", weight: Weight = 0.5, beta: Beta = 1.0, gains: GainsOf = LINEAR, norm: Norm = "full"
) -> "Curve":
    """Half of how many intents there is a document for, half of how good and how early the documents are."""
    return weight * intent_recall(j, gains) + (1.0 - weight) * d_q(j, beta, gains, norm)


@measure(
    "IA",
    title="The intent-aware form of a measure",
    formula="IA(M) = Σ_i P(i) M_i",
    cite=AGRAWAL,
    bounds=(-INFINITE, INFINITE),
    diverse=True,
    ideal=by_global_gain,
    of="measure",
    best="open",
    monotone=False,
    example="IA(nDCG@10)",
)
def intent_aware(j: "Judged", measure: Annotated[Measure, AdHoc(), "the measure of each intent"]) -> "Floats":
    """The value of any ad hoc measure for each intent as if it were a topic, weighed by its probability.

    An intent without a relevant document adds nothing; if no probabilities were given, the others
    are equally likely.
    """
    intents = j.intents
    useful = measure.recall_base(intents.rankings.pool)[:, 0] > 0
    return intents.averaged(measure.value(intents.rankings), useful)
