"""Subtopics as topics of their own: each by itself, their coverage, their gains together, and their mean."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import MeasureError
from rankgauge.measures.cumulated import normalised_discounted_cumulated_gain
from rankgauge.measures.diversity.novelty import (
    INFINITE,
    defined,
    greedy_at,
    relevant_by_subtopic,
    subtopic_measure,
)
from rankgauge.measures.graded import Beta
from rankgauge.measures.language import parse
from rankgauge.measures.ranked import Norm
from rankgauge.measures.rankings.discounts import DiscountBase, DiscountName, canonicalise_discount
from rankgauge.measures.rankings.gains import LINEAR, Gains, GainsOf
from rankgauge.measures.rankings.novelty import Novelty
from rankgauge.measures.settings import Measure
from rankgauge.measures.spec import Laws, Names, Needs, gain_measure, measure, shared
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.parameters import Number

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import JudgedRankings, Pool
    from rankgauge.measures.rankings.arrays.curves import Curve, Floats, Steps

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
    bounds=(0, INFINITE),
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
    from rankgauge.measures.graded import q_measure  # not at the top: it may be importing this
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
    bounds=(-INFINITE, INFINITE),
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
