"""Cumulated gain, with and without discount, and as a share of the ideal (Järvelin & Kekäläinen 2002)."""

from math import inf
from typing import TYPE_CHECKING

from rankgauge.measures.rankings.discounts import (
    Discount,
    DiscountBase,
    DiscountName,
    canonicalise_discount,
    discount_of,
)
from rankgauge.measures.rankings.gains import LINEAR, Gains, GainsOf, SignedGainsOf
from rankgauge.measures.spec import Laws, Names, Shown, gain_measure, shared

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import Curve, JudgedRankings, Steps

CITE = "Järvelin & Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques"
NOT_NORMALISED = "topics with many relevant documents dominate the mean; nCG and nDCG can be averaged"
NO_DISCOUNT = Discount("none")
# A longer ranking may have a larger average than the ideal one: its ranks below the last hit have the most.
LAWS_OF_AVERAGES = Laws(
    best="open", judging_never_hurts="always", beyond_end="other", linear="always", additive=True
)


@shared
def cumulated(j: "JudgedRankings", gains: Gains, discount: Discount = NO_DISCOUNT) -> "Steps":
    """Discounted gain added up in rank order: the curve of CG and DCG, and of their normalised forms."""
    gain = j.gain(gains)
    return j.cumulate(gain if discount.name == "none" else gain / discount.at(j.rank))


@gain_measure(
    "CG",
    title="Cumulated gain",
    formula="CG[k] = Σ_{i ≤ k} gain(i)",
    cite=f"{CITE}, equation 1",
    example="CG@5",
    well_known=True,
    bounds=(0, inf),
    names=Names(sets="graded"),
    laws=Laws(judging_never_hurts="always", linear="always", additive=True, unordered="uncut"),
    shows=Shown(caution=NOT_NORMALISED),
)
def cumulated_gain(j: "JudgedRankings", gains: SignedGainsOf = LINEAR) -> "Curve":
    """The gains of the first k documents, added up; those below 0 take something away.

    Unjudged documents have no gain, so the ideal ranking ends before any document with a gain below 0.
    """
    return cumulated(j, gains)


@gain_measure(
    "nCG",
    title="Normalised cumulated gain",
    formula="nCG[k] = CG[k] / CG_ideal[k]",
    cite=f"{CITE}, section 2.3",
    example="nCG@5",
    uncut="ideal",
    names=Names(aliases="WP", sets="graded"),
    laws=Laws(linear="always", unordered="uncut"),
    shows=Shown(
        beyond="fewer relevant documents than the cutoff: below their number, a late "
        "document costs nothing (nDCG discounts it)",
        columns={
            "CG": cumulated_gain,
            "ideal CG": lambda j, gains=LINEAR: cumulated_gain(j.ideal(gains), gains),
        },
    ),
)
def normalised_cumulated_gain(j: "JudgedRankings", gains: GainsOf = LINEAR) -> "Curve":
    """Cumulated gain as a share of what the best possible ranking has at the same rank."""
    return cumulated(j, gains) / cumulated(j.ideal(gains), gains)


@gain_measure(
    "DCG",
    title="Discounted cumulated gain",
    formula="DCG[k] = Σ_{i ≤ k} gain(i)/discount(i)",
    cite=f"{CITE}, equation 2 (base=); Burges et al. 2005 (log2)",
    example="DCG@5",
    well_known=True,
    bounds=(0, inf),
    names=Names(sets="graded"),
    laws=Laws(judging_never_hurts="always", linear="always", additive=True),
    shows=Shown(variants="DCG DCG(base=2) DCG(base=10)", caution=NOT_NORMALISED),
    canonicalise=canonicalise_discount,
)
def discounted_cumulated_gain(
    j: "JudgedRankings",
    gains: SignedGainsOf = LINEAR,
    discount: DiscountName = "log2",
    base: DiscountBase | None = None,
) -> "Curve":
    """The gains of the first k documents, each divided by the discount of its rank, added up.

    The default discount log2(1 + rank) is the one of trec_eval and of most tools. `base=b` is the
    one of the 2002 paper: none before rank b, then the logarithm of the rank to that base.
    """
    return cumulated(j, gains, discount_of(discount, base))


@gain_measure(
    "nDCG",
    title="Normalised discounted cumulated gain",
    formula="nDCG[k] = DCG[k] / DCG_ideal[k]",
    cite=f"{CITE}, section 2.3",
    example="nDCG@5",
    well_known=True,
    uncut="ideal",
    names=Names(aliases="normalized_dcg", sets="graded"),
    laws=Laws(linear="always"),
    shows=Shown(
        variants="nDCG nDCG(base=2) nDCG(base=10)",
        columns={
            "DCG": discounted_cumulated_gain,
            "ideal DCG": lambda j, gains=LINEAR, discount="log2", base=None: discounted_cumulated_gain(
                j.ideal(gains), gains, discount, base
            ),
        },
    ),
    canonicalise=canonicalise_discount,
)
def normalised_discounted_cumulated_gain(
    j: "JudgedRankings",
    gains: GainsOf = LINEAR,
    discount: DiscountName = "log2",
    base: DiscountBase | None = None,
) -> "Curve":
    """Discounted cumulated gain as a share of what the best possible ranking has at the same rank.

    The best ranking comes from all judged documents of the topic, sorted by gain, never from
    the documents retrieved; undefined when no judged document has a gain.
    """
    scale = discount_of(discount, base)
    return cumulated(j, gains, scale) / cumulated(j.ideal(gains), gains, scale)


@gain_measure(
    "ACG",
    title="Average cumulated gain",
    formula="ACG@k = 1/k Σ_{i ≤ k} CG[i]",
    cite=f"{CITE}, equation 6 (avg-pos)",
    example="ACG@5",
    bounds=(0, inf),
    names=Names(sets="graded"),
    laws=LAWS_OF_AVERAGES,
    shows=Shown(caution=NOT_NORMALISED),
)
def average_cumulated_gain(j: "JudgedRankings", gains: SignedGainsOf = LINEAR) -> "Curve":
    """The mean of CG over the ranks from 1 to k, or to the end of the ranking."""
    return j.added_up(cumulated(j, gains)) / j.position


@gain_measure(
    "ADCG",
    title="Average discounted cumulated gain",
    formula="ADCG@k = 1/k Σ_{i ≤ k} DCG[i]",
    cite=f"{CITE}, equation 6 (avg-pos)",
    example="ADCG@5",
    bounds=(0, inf),
    names=Names(sets="graded"),
    laws=LAWS_OF_AVERAGES,
    shows=Shown(caution=NOT_NORMALISED),
    canonicalise=canonicalise_discount,
)
def average_discounted_cumulated_gain(
    j: "JudgedRankings",
    gains: SignedGainsOf = LINEAR,
    discount: DiscountName = "log2",
    base: DiscountBase | None = None,
) -> "Curve":
    """The mean of DCG over the ranks from 1 to k, or to the end of the ranking."""
    return j.added_up(cumulated(j, gains, discount_of(discount, base))) / j.position


@gain_measure(
    "AnCG",
    title="Average normalised cumulated gain",
    formula="AnCG@k = 1/k Σ_{i ≤ k} nCG[i]",
    cite=f"{CITE}, section 2.3 (avg-pos)",
    example="AnCG@5",
    names=Names(sets="graded"),
    laws=Laws(beyond_end="other", linear="always"),
)
def average_normalised_cumulated_gain(j: "JudgedRankings", gains: GainsOf = LINEAR) -> "Curve":
    """The mean of nCG over the ranks from 1 to k, or to the end of the ranking."""
    ideal = j.ideal(gains)
    return j.added_up(cumulated(j, gains) / cumulated(ideal, gains), ideal) / j.position


@gain_measure(
    "AnDCG",
    title="Average normalised discounted cumulated gain",
    formula="AnDCG@k = 1/k Σ_{i ≤ k} nDCG[i]",
    cite=f"{CITE}, section 2.3 (avg-pos)",
    example="AnDCG@5",
    names=Names(sets="graded"),
    laws=Laws(beyond_end="other", linear="always"),
    canonicalise=canonicalise_discount,
)
def average_normalised_discounted_cumulated_gain(
    j: "JudgedRankings",
    gains: GainsOf = LINEAR,
    discount: DiscountName = "log2",
    base: DiscountBase | None = None,
) -> "Curve":
    """The mean of nDCG over the ranks from 1 to k, or to the end of the ranking."""
    ideal, scale = j.ideal(gains), discount_of(discount, base)
    return j.added_up(cumulated(j, gains, scale) / cumulated(ideal, gains, scale), ideal) / j.position


@gain_measure(
    "IDCG",
    title="Discounted cumulated gain of the ideal ranking",
    formula="IDCG[k] = DCG_ideal[k]",
    cite=f"{CITE}, section 2.3",
    example="IDCG@5",
    bounds=(0, inf),
    uncut="ideal",
    names=Names(sets="graded"),
    laws=Laws(linear="always", unordered="always"),
    canonicalise=canonicalise_discount,
)
def ideal_discounted_cumulated_gain(
    j: "JudgedRankings",
    gains: GainsOf = LINEAR,
    discount: DiscountName = "log2",
    base: DiscountBase | None = None,
) -> "Curve":
    """The discounted cumulated gain that the best possible ranking of the judged documents has."""
    return cumulated(j.ideal(gains), gains, discount_of(discount, base))
