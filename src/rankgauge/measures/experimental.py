"""Measures that trec_eval has and calls experimental."""

from math import inf
from typing import TYPE_CHECKING

from rankgauge.measures.cumulated import cumulated
from rankgauge.measures.ranked import precision
from rankgauge.measures.rankings.discounts import Discount, binary_logarithms, natural_logarithms
from rankgauge.measures.rankings.gains import LINEAR, Gains, GainsOf
from rankgauge.measures.spec import Laws, gain_measure, relevance_measure, shared

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import Curve, Floats, JudgedRankings

LOG2 = Discount("log2")


@shared
def ndcg(j: "JudgedRankings", gains: Gains) -> "Curve":
    """NDCG with the usual discount, which two of these measures average over different ranks."""
    return cumulated(j, gains, LOG2) / cumulated(j.ideal(gains), gains, LOG2)


@gain_measure(
    "nDCG_rel",
    title="nDCG averaged over relevant documents",
    formula="nDCG_rel = 1/N Σ_{documents with a gain} nDCG at its rank, or at the end if it is not retrieved",
    cite="trec_eval, ndcg_rel",
    uncut="ideal",
)
def ndcg_at_relevant(j: "JudgedRankings", gains: GainsOf = LINEAR) -> "Curve":
    """The mean of nDCG at the ranks of the N documents that have a gain."""
    has_gain, everything = j.gain(gains) > 0, j.ideal(gains).retrieved
    retrieved = j.cumulate(ndcg(j, gains), where=has_gain)
    missed = (everything - j.cumulate(has_gain)) * ndcg(j, gains)
    return (retrieved + missed) / everything


@gain_measure(
    "RnDCG",
    title="nDCG at the levels of gain",
    formula="RnDCG = mean of nDCG@n₁, nDCG@(n₁+n₂), ...: after as many documents as have the best gains",
    cite="trec_eval, Rndcg",
)
def ndcg_at_levels(j: "JudgedRankings", gains: GainsOf = LINEAR) -> "Floats":
    """The mean of nDCG at the ranks where the ideal ranking goes from one gain to the next.

    It includes nDCG at the end of the ranking, if that is at least two ranks below the end of the ideal.
    """
    ideal = j.ideal(gains)
    ends = ideal.last_of_each(ideal.gain(gains))
    longer = j.retrieved > ideal.retrieved + 1
    last = j.at(ndcg(j, gains), j.retrieved.clip(min=1))
    mean: Floats = (ends.total(ndcg(j, gains)) + longer * last) / (ends.count + longer)
    return mean


@gain_measure(
    "G",
    title="Normalised gain",
    formula="G = Σ gain(i)/log2(2 + cost(i) − CG[i]) / Σ ideal gain;  cost(i) = Σ_{j ≤ i} max(1, ideal(j))",
    cite="trec_eval, G",
    laws=Laws(
        best="most",  # gains below 1 are charged as 1
        monotone=False,  # a document does better after one that makes up on the ideal
    ),
)
def normalised_gain(j: "JudgedRankings", gains: GainsOf = LINEAR) -> "Curve":
    """Gains, each discounted by how far the ranking is behind the ideal one at its rank."""
    ideal, gain = j.ideal(gains), j.gain(gains)
    cost = j.position + ideal.cumulate((ideal.gain(gains) - 1).clip(min=0))
    behind = 2 + cost - j.cumulate(gain)
    behind = behind.at_least(2)  # it is, but large gains are rounded
    return j.cumulate(gain / binary_logarithms(behind.at(j.at_hits))) / ideal.total(ideal.gain(gains))


@relevance_measure(
    "binG",
    title="Normalised gain, binary",
    formula="binG = 1/R Σ_{relevant} 1/log2(2 + documents before it that are not relevant)",
    cite="trec_eval, binG",
)
def binary_gain(j: "JudgedRankings") -> "Curve":
    """Relevant documents, each discounted by how many documents before it are not relevant."""
    wrong = j.position - j.hits
    return j.cumulate(1 / (wrong + 1).map(LOG2.at), where=j.relevant) / j.recall_base


@relevance_measure(
    "YAAP",
    title="Yet another average precision",
    formula="YAAP = ln((1 + s) / (1 + R − s)),  s = Σ_{relevant i} P@i",
    cite="Robertson 2012, On smoothing average precision; trec_eval, yaap",
    bounds=(-inf, inf),
)
def yet_another_average_precision(j: "JudgedRankings") -> "Curve":
    """Average precision, smoothed, on the scale of log odds, on which means treat extremes better."""
    total = j.cumulate(precision(j), where=j.relevant)
    return ((1 + total) / (1 + j.recall_base - total)).map(natural_logarithms)
