"""All subtopics together: the gain of a document is the sum of those for subtopics (D- and D♯-measures)."""

from typing import TYPE_CHECKING, Annotated

from rankgauge.measures.cumulated import normalised_discounted_cumulated_gain
from rankgauge.measures.diversity.ideals import by_global_gain
from rankgauge.measures.graded import Beta
from rankgauge.measures.ranked import Norm
from rankgauge.measures.rankings.discounts import DiscountBase, DiscountName, canonicalise_discount
from rankgauge.measures.rankings.gains import LINEAR, Gains, GainsOf
from rankgauge.measures.registry import measure
from rankgauge.measures.spec import Laws, Names, Needs
from rankgauge.schema.parameters import Number

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import JudgedRankings
    from rankgauge.measures.rankings.arrays.curves import Curve

SAKAI = "Sakai & Song 2011, Evaluating diversified search results using per-intent graded relevance"


@measure(
    "D_nDCG",
    title="D-nDCG: nDCG of global gains",
    formula="nDCG with gain(d) = Σ_i P(i) gain_i(d)",
    cite=SAKAI,
    example="D_nDCG@10",
    depends_on="relevant",
    uncut="ideal",
    names=Names(sets="diversity"),
    laws=Laws(monotone=False),
    needs=Needs(subtopics=True),
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


@measure(
    "D_Q",
    title="D-Q: Q-measure of global gains",
    formula="Q with gain(d) = Σ_i P(i) gain_i(d)",
    cite=SAKAI,
    example="D_Q(norm=cut)@10",
    depends_on="relevant",
    uncut="ideal",
    names=Names(sets="diversity"),
    laws=Laws(monotone=False),
    needs=Needs(subtopics=True),
    ideal=by_global_gain,
)
def d_q(j: "JudgedRankings", beta: Beta = 1.0, gains: GainsOf = LINEAR, norm: Norm = "full") -> "Curve":
    """The Q-measure of global gains; a document with any gain is relevant.

    NTCIREVAL's D-Q at a cutoff has norm=cut.
    """
    from rankgauge.measures.graded import q_measure  # not at the top: it may be importing this
    from rankgauge.measures.rankings.arrays.subtopic_rankings import diversified

    return q_measure(diversified(j, gains), beta, LINEAR, norm)


Weight = Annotated[float, Number(0, 1), "weight of subtopic recall relative to the other measure"]


def intent_recall(j: "JudgedRankings", gains: Gains) -> "Curve":
    """The share of subtopics for which the first k documents have a gain."""
    from rankgauge.measures.rankings.arrays.subtopic_rankings import useful_by_subtopic

    by_subtopic = useful_by_subtopic(j, gains)
    return j.cumulate(by_subtopic.new_at_hits) / by_subtopic.count


@measure(
    "Dsharp_nDCG",
    title="D♯-nDCG: subtopic recall and D-nDCG",
    formula="D♯-nDCG@k = γ I-rec@k + (1 - γ) D-nDCG@k",
    cite=SAKAI,
    example="Dsharp_nDCG@10",
    depends_on="relevant",
    uncut="ideal",
    names=Names(sets="diversity"),
    laws=Laws(best="open", monotone=False),
    needs=Needs(subtopics=True),
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


@measure(
    "Dsharp_Q",
    title="D♯-Q: subtopic recall and D-Q",
    formula="D♯-Q@k = γ I-rec@k + (1 - γ) D-Q@k",
    cite=SAKAI,
    example="Dsharp_Q(norm=cut)@10",
    depends_on="relevant",
    uncut="ideal",
    names=Names(sets="diversity"),
    laws=Laws(best="open", monotone=False),
    needs=Needs(subtopics=True),
    ideal=by_global_gain,
)
def d_sharp_q(
    j: "JudgedRankings", weight: Weight = 0.5, beta: Beta = 1.0, gains: GainsOf = LINEAR, norm: Norm = "full"
) -> "Curve":
    """The weighted mean of subtopic recall and D-Q."""
    return weight * intent_recall(j, gains) + (1.0 - weight) * d_q(j, beta, gains, norm)
