"""Novelty and diversity: rankings judged by subtopic (Clarke et al. 2008 and later work).

Subtopics are also called nuggets and intents. A subtopic is treated as a topic, with rankings of its own. The
gains of a document for its subtopics are added up, and documents are then cumulated as usual.
"""

import math
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import MeasureError
from rankgauge.measures.cumulated import normalised_discounted_cumulated_gain
from rankgauge.measures.graded import Beta, q_measure
from rankgauge.measures.language import parse
from rankgauge.measures.ranked import Norm
from rankgauge.measures.rankings.discounts import (
    Discount,
    DiscountBase,
    DiscountName,
    Persistence,
    canonicalise_discount,
    discount_of,
)
from rankgauge.measures.rankings.gains import LINEAR, Gains, GainsOf
from rankgauge.measures.rankings.novelty import (
    AlphaOf,
    Gamma,
    MostCascade,
    Novelty,
    check_novelty,
    least_relevant,
)
from rankgauge.measures.settings import Measure
from rankgauge.measures.spec import (
    Laws,
    Names,
    Needs,
    Shown,
    gain_measure,
    measure,
    relevance_measure,
    shared,
)
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.parameters import Number, Word

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import Curve, Floats, JudgedRankings, Pool, Steps
    from rankgauge.measures.rankings.arrays.subtopic_rankings import SubtopicRankings


def relevant_by_subtopic(j: "JudgedRankings") -> "SubtopicRankings":
    """The rankings of the documents relevant to each subtopic."""
    from rankgauge.measures.rankings.arrays import subtopic_rankings

    return subtopic_rankings.relevant_by_subtopic(j)


def defined(j: "JudgedRankings") -> "Floats":
    """(topics, 1): 1, or NaN for topics without a document relevant to a subtopic."""
    return relevant_by_subtopic(j).defined


def novel_gains(j: "JudgedRankings", novelty: Novelty) -> "Floats":
    """(hits,): gains given the subtopics seen before, by their weights."""
    from rankgauge.measures.rankings.arrays import subtopic_rankings

    rankings = relevant_by_subtopic(j)
    return subtopic_rankings.novel_gains(rankings, novelty, rankings.weights)


def novel_shares(j: "JudgedRankings", alpha: float) -> "Floats":
    """(hits,): gains given the subtopics seen before, by their probabilities."""
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
    """The greedy ideal ranking with a fixed alpha."""
    return lambda pool, level, depth: greedy(pool, level, depth, alpha)


CLARKE = "Clarke et al. 2008, Novelty and diversity in information retrieval evaluation"
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
    """Discounted novel gains, added up in rank order."""
    gain = novel_gains(j, novelty)
    return j.cumulate(gain if discount.name == "none" else gain / discount.at(j.rank))


def best_novel(j: "JudgedRankings", novelty: Novelty, discount: Discount, ideal: str = "greedy") -> "Curve":
    """The same for the ideal ranking."""
    from rankgauge.measures.rankings.arrays.greedy_ideals import AS_NDEVAL, BEST, exact_ideal, ideal_curve

    if ideal == "exact":
        return exact_ideal(j.pool, novelty, j.level, discount)
    choice = AS_NDEVAL if ideal == "ndeval" else BEST
    return ideal_curve(j, novelty, lambda best: novel(best, novelty, discount), choice)


@subtopic_measure(
    "alpha_CG",
    title="Cumulated gain of novel subtopics (α-CG)",
    formula="α-CG[k] = Σ_{j ≤ k} G[j],  G[j] = Σ_{subtopics i of d_j} w_i (1 - α)^{r(i, j-1)}",
    cite=f"{CLARKE}, equation 7",
    example="alpha_CG(alpha=0.25)@10",
    bounds=(0, math.inf),
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
    return novel(j, Novelty(alpha, gamma), Discount("none"))


@subtopic_measure(
    "alpha_DCG",
    title="Discounted cumulated gain of novel subtopics (α-DCG)",
    formula="α-DCG[k] = Σ_{j ≤ k} G[j]/log2(1 + j),  G as in α-CG",
    cite=f"{CLARKE}, section 5",
    example="alpha_DCG@10",
    bounds=(0, math.inf),
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
    bounds=(0, math.inf),
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
    bounds=(0, math.inf),
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


# Subtopics as topics of their own: each by itself, their coverage, their gains together, and their mean.

AGRAWAL = "Agrawal et al. 2009, Diversifying search results"
ZHAI = "Zhai et al. 2003, Beyond independent relevance"


subtopic_gain_measure = partial(gain_measure, needs=Needs(subtopics=True))


@subtopic_measure(
    "AP_IA",
    title="Intent-aware average precision",
    formula="AP-IA = Σ_i P(i) AP_i",
    cite=f"{AGRAWAL}; ndeval's MAP-IA",
    names=Names(sets="diversity"),
    laws=Laws(best="open", monotone=False),
    ideal=greedy_at(0.0),
)
def intent_aware_average_precision(j: "JudgedRankings") -> "Curve":
    """The mean of average precision over subtopics, by their probabilities: IA(AP), at every rank."""
    by_subtopic = relevant_by_subtopic(j)
    rankings = by_subtopic.rankings
    share = by_subtopic.of_hits(by_subtopic.shares) / by_subtopic.of_hits(rankings.recall_base[:, 0])
    return j.cumulate(by_subtopic.at_hits(share * (rankings.nth / rankings.rank))) * by_subtopic.defined


@subtopic_measure(
    "P_IA",
    title="Intent-aware precision",
    formula="P-IA@k = Σ_i P(i) P_i@k",
    cite=f"{AGRAWAL}; ndeval",
    example="P_IA@10",
    names=Names(sets="diversity"),
    laws=Laws(best="open", monotone=False, beyond_end="less"),
    ideal=greedy_at(0.0),
)
def intent_aware_precision(j: "JudgedRankings") -> "Curve":
    """The mean of precision over subtopics, by their probabilities: IA(P@k)."""
    by_subtopic = relevant_by_subtopic(j)
    shares = by_subtopic.at_hits(by_subtopic.of_hits(by_subtopic.shares))
    return j.cumulate(shares) / j.position * by_subtopic.defined


@shared
def covered(j: "JudgedRankings") -> "Steps":
    """How many subtopics the documents so far are relevant to."""
    return j.cumulate(relevant_by_subtopic(j).new_at_hits)


@subtopic_measure(
    "StRecall",
    title="Subtopic recall",
    formula="StRecall@k = subtopics that the first k documents are relevant to / all subtopics",
    cite=f"{ZHAI}; ndeval's strec, NTCIREVAL's I-rec",
    example="StRecall@10",
    well_known=True,
    names=Names(sets="diversity"),
    laws=Laws(best="open", monotone=False),
    ideal=greedy_at(1.0),
)
def subtopic_recall(j: "JudgedRankings") -> "Curve":
    """The share of subtopics that the first k documents are relevant to.

    All subtopics are those that have a relevant document, as in ndeval, or, if the judgments have
    probabilities, those that have one, as in NTCIREVAL.
    """
    return covered(j) / relevant_by_subtopic(j).count * defined(j)


@subtopic_measure(
    "StPrecision",
    title="Subtopic precision",
    formula="StPrecision@r = ranks that the ideal needs for subtopic recall r / ranks that the run needs",
    cite=f"{ZHAI}, section 3.2",
    example="StPrecision@0.5",
    bounds=(0, math.inf),
    names=Names(aliases="S-precision", sets="diversity", at="recall"),
    laws=Laws(best="open", monotone=False),
    ideal=greedy_at(1.0),
)
def subtopic_precision(
    j: "JudgedRankings",
    recall: Annotated[float, Number(0, 1, above=True), "the subtopic recall to reach"] = 1.0,
) -> "Floats":
    """The depth at which the ideal ranking reaches a subtopic recall, as a share of the run's.

    0 if the run never reaches it. Subtopics without a relevant document do not count. The ideal
    ranking is found greedily, as in the paper.
    """
    from rankgauge.measures.rankings.arrays.greedy_ideals import greedy_ideal
    from rankgauge.measures.rankings.arrays.subtopic_rankings import ranks_to_cover

    ideal = greedy_ideal(j.pool, Novelty(1.0), j.level)
    return ranks_to_cover(ideal, covered(ideal), recall) / ranks_to_cover(j, covered(j), recall)


def by_global_gain(
    pool: "Pool", _level: float, _depth: int | None, gains: Gains = LINEAR
) -> "JudgedRankings":
    """The ideal ranking of D-measures."""
    from rankgauge.measures.rankings.arrays.subtopic_rankings import ideal_by_gain

    return ideal_by_gain(pool, gains)


SAKAI = "Sakai & Song 2011, Evaluating diversified search results using per-intent graded relevance"


@subtopic_gain_measure(
    "D_nDCG",
    title="D-nDCG: nDCG of global gains",
    formula="nDCG with gain(d) = Σ_i P(i) gain_i(d)",
    cite=SAKAI,
    example="D_nDCG@10",
    uncut="ideal",
    names=Names(sets="diversity"),
    laws=Laws(monotone=False),
    canonicalise=canonicalise_discount,
    ideal=by_global_gain,
)
def d_ndcg(
    j: "JudgedRankings",
    gains: GainsOf = LINEAR,
    discount: DiscountName = "log2",
    base: DiscountBase | None = None,
) -> "Curve":
    """The nDCG of global gains: the gains of a document for all subtopics, by their probabilities.

    Subtopics have the probabilities of the judgments, or are equally likely.
    """
    from rankgauge.measures.rankings.arrays.subtopic_rankings import diversified

    return normalised_discounted_cumulated_gain(diversified(j, gains), LINEAR, discount, base)


@subtopic_gain_measure(
    "D_Q",
    title="D-Q: Q-measure of global gains",
    formula="Q with gain(d) = Σ_i P(i) gain_i(d)",
    cite=SAKAI,
    example="D_Q(norm=cut)@10",
    uncut="ideal",
    names=Names(sets="diversity"),
    laws=Laws(monotone=False),
    ideal=by_global_gain,
)
def d_q(j: "JudgedRankings", beta: Beta = 1.0, gains: GainsOf = LINEAR, norm: Norm = "full") -> "Curve":
    """The Q-measure of global gains; a document with any gain is relevant.

    NTCIREVAL's D-Q at a cutoff has norm=cut.
    """
    from rankgauge.measures.rankings.arrays.subtopic_rankings import diversified

    return q_measure(diversified(j, gains), beta, LINEAR, norm)


Weight = Annotated[float, Number(0, 1), "weight of subtopic recall relative to the other measure"]


def intent_recall(j: "JudgedRankings", gains: Gains) -> "Curve":
    """The share of subtopics for which the first k documents have a gain."""
    from rankgauge.measures.rankings.arrays.subtopic_rankings import useful_by_subtopic

    by_subtopic = useful_by_subtopic(j, gains)
    return j.cumulate(by_subtopic.new_at_hits) / by_subtopic.count


@subtopic_gain_measure(
    "Dsharp_nDCG",
    title="D♯-nDCG: subtopic recall and D-nDCG",
    formula="D♯-nDCG@k = γ I-rec@k + (1 - γ) D-nDCG@k",
    cite=SAKAI,
    example="Dsharp_nDCG@10",
    uncut="ideal",
    names=Names(sets="diversity"),
    laws=Laws(best="open", monotone=False),
    canonicalise=canonicalise_discount,
    ideal=by_global_gain,
)
def d_sharp_ndcg(
    j: "JudgedRankings",
    weight: Weight = 0.5,
    gains: GainsOf = LINEAR,
    discount: DiscountName = "log2",
    base: DiscountBase | None = None,
) -> "Curve":
    """The weighted mean of subtopic recall and D-nDCG."""
    return weight * intent_recall(j, gains) + (1.0 - weight) * d_ndcg(j, gains, discount, base)


@subtopic_gain_measure(
    "Dsharp_Q",
    title="D♯-Q: subtopic recall and D-Q",
    formula="D♯-Q@k = γ I-rec@k + (1 - γ) D-Q@k",
    cite=SAKAI,
    example="Dsharp_Q(norm=cut)@10",
    uncut="ideal",
    names=Names(sets="diversity"),
    laws=Laws(best="open", monotone=False),
    ideal=by_global_gain,
)
def d_sharp_q(
    j: "JudgedRankings", weight: Weight = 0.5, beta: Beta = 1.0, gains: GainsOf = LINEAR, norm: Norm = "full"
) -> "Curve":
    """The weighted mean of subtopic recall and D-Q."""
    return weight * intent_recall(j, gains) + (1.0 - weight) * d_q(j, beta, gains, norm)


class AdHoc(Frozen):
    """A measure that needs no subtopics, as a parameter of another."""

    words = "an ad hoc measure such as nDCG@10, without average="

    def read(self, value: Any) -> Measure:
        """The measure, from its text or as it is."""
        try:
            measure = parse(value)
        except MeasureError:
            raise ValueError from None
        if measure.spec.needs.subtopics or "average" in measure.settings:
            raise ValueError
        return measure

    def write(self, value: Any) -> str:
        """Its canonical text."""
        return str(value)


@measure(
    "IA",
    title="The intent-aware form of a measure",
    formula="IA(M) = Σ_i P(i) M_i",
    cite=AGRAWAL,
    example="IA(nDCG@10)",
    bounds=(-math.inf, math.inf),
    names=Names(inner="measure"),
    laws=Laws(best="open", monotone=False),
    needs=Needs(subtopics=True),
    ideal=by_global_gain,
)
def intent_aware(
    j: "JudgedRankings", measure: Annotated[Measure, AdHoc(), "the measure of each subtopic"]
) -> "Floats":
    """The mean of any ad hoc measure over subtopics as if they were topics, by their probabilities.

    A subtopic without a relevant document adds nothing; without probabilities the others are equally likely.
    """
    from rankgauge.measures.rankings.arrays.subtopic_rankings import by_subtopic

    subtopics = by_subtopic(j)
    useful = measure.recall_base(subtopics.rankings.pool)[:, 0] > 0
    return subtopics.averaged(measure.value(subtopics.rankings), useful)
