"""The gain of novel subtopics: α-CG, α-DCG and α-nDCG (Clarke et al. 2008, who call subtopics nuggets)."""

from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.measures.diversity.ideals import greedy
from rankgauge.measures.diversity.subtopics import novel_gains
from rankgauge.measures.rankings.discounts import (
    Discount,
    DiscountBase,
    DiscountName,
    canonicalise_discount,
    discount_of,
)
from rankgauge.measures.rankings.novelty import AlphaOf, Gamma, Novelty, check_novelty, least_relevant
from rankgauge.measures.registry import measure, shared
from rankgauge.measures.spec import Laws, Names, Needs, Shown
from rankgauge.schema.parameters import Word

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import JudgedRankings
    from rankgauge.measures.rankings.arrays.curves import Curve, Steps

CLARKE = "Clarke et al. 2008, Novelty and diversity in information retrieval evaluation"
INFINITE = float("inf")
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


@measure(
    "alpha_CG",
    title="Cumulated gain of novel subtopics (α-CG)",
    formula="α-CG[k] = Σ_{j ≤ k} G[j],  G[j] = Σ_{subtopics i of d_j} w_i (1 - α)^{r(i, j-1)}",
    cite=f"{CLARKE}, equation 7",
    example="alpha_CG(alpha=0.25)@10",
    bounds=(0, INFINITE),
    binary=True,
    depends_on="relevant",
    names=Names(aliases="α-CG", sets="diversity"),
    laws=Laws(best="open", monotone=False),
    shows=Shown(variants="alpha_CG(alpha=0) alpha_CG alpha_CG(alpha=1)"),
    needs=Needs(subtopics=True),
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


@measure(
    "alpha_DCG",
    title="Discounted cumulated gain of novel subtopics (α-DCG)",
    formula="α-DCG[k] = Σ_{j ≤ k} G[j] / log2(1 + j),  G as in alpha_CG",
    cite=f"{CLARKE}, section 5",
    example="alpha_DCG@10",
    bounds=(0, INFINITE),
    binary=True,
    depends_on="relevant",
    names=Names(aliases="α-DCG", sets="diversity"),
    laws=Laws(best="open", monotone=False),
    shows=Shown(variants="alpha_DCG(alpha=0) alpha_DCG alpha_DCG(alpha=1)"),
    needs=Needs(subtopics=True),
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


@measure(
    "alpha_nDCG",
    title="Normalised discounted cumulated gain of novel subtopics (α-nDCG)",
    formula="α-nDCG[k] = α-DCG[k] / α-DCG_ideal[k], at most 1",
    cite=f"{CLARKE}, section 5.2",
    example="alpha_nDCG@20",
    well_known=True,
    binary=True,
    depends_on="relevant",
    uncut="ideal",
    names=Names(aliases="α-nDCG", sets="diversity"),
    laws=Laws(monotone=False, varies="ideal"),
    shows=Shown(
        variants="alpha_nDCG(alpha=0) alpha_nDCG alpha_nDCG(alpha=1)",
        columns={
            "α-DCG": alpha_discounted_cumulated_gain,
            "ideal α-DCG": lambda j, alpha=0.5, gamma=None, discount="log2", base=None, ideal="greedy": (
                best_novel(j, Novelty(alpha, gamma), discount_of(discount, base), ideal)
            ),
        },
    ),
    needs=Needs(subtopics=True),
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
    `ideal=unclipped` lets it score more; `ideal=exact` finds the best ranking at each rank, for small
    topics; `ideal=ndeval` is greedy, unclipped, and takes the last of several documents.
    """
    novelty, scale = Novelty(alpha, gamma), discount_of(discount, base)
    ratio = novel(j, novelty, scale) / best_novel(j, novelty, scale, ideal)
    return ratio if ideal in ("unclipped", "ndeval") else ratio.at_most(1.0)
