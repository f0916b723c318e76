"""Subtopics one by one: the precision of each, and how many are covered."""

from typing import TYPE_CHECKING, Annotated

from rankgauge.measures.diversity.ideals import greedy_at
from rankgauge.measures.diversity.subtopics import defined, relevant_by_subtopic
from rankgauge.measures.rankings.novelty import Novelty
from rankgauge.measures.registry import measure, shared
from rankgauge.measures.spec import Laws, Names, Needs
from rankgauge.schema.parameters import Number

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import JudgedRankings
    from rankgauge.measures.rankings.arrays.curves import Curve, Floats, Steps

AGRAWAL = "Agrawal et al. 2009, Diversifying search results"
ZHAI = "Zhai et al. 2003, Beyond independent relevance"
INFINITE = float("inf")


@measure(
    "AP_IA",
    title="Intent-aware average precision",
    formula="AP-IA = Σ_i P(i) AP_i",
    cite=f"{AGRAWAL}; ndeval's MAP-IA",
    binary=True,
    depends_on="relevant",
    names=Names(sets="diversity"),
    laws=Laws(best="open", monotone=False),
    needs=Needs(subtopics=True),
    ideal=greedy_at(0.0),
)
def intent_aware_average_precision(j: "JudgedRankings") -> "Curve":
    """The mean of average precision over subtopics, by their probabilities: IA(AP), at every rank."""
    by_subtopic = relevant_by_subtopic(j)
    rankings = by_subtopic.rankings
    share = by_subtopic.of_hits(by_subtopic.shares) / by_subtopic.of_hits(rankings.recall_base[:, 0])
    return j.cumulate(by_subtopic.at_hits(share * (rankings.nth / rankings.rank))) * by_subtopic.defined


@measure(
    "P_IA",
    title="Intent-aware precision",
    formula="P-IA@k = Σ_i P(i) P_i@k",
    cite=f"{AGRAWAL}; ndeval",
    example="P_IA@10",
    binary=True,
    depends_on="relevant",
    names=Names(sets="diversity"),
    laws=Laws(best="open", monotone=False, beyond_end="less"),
    needs=Needs(subtopics=True),
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


@measure(
    "StRecall",
    title="Subtopic recall",
    formula="StRecall@k = subtopics that the first k documents are relevant to / all subtopics",
    cite=f"{ZHAI}; ndeval's strec, NTCIREVAL's I-rec",
    example="StRecall@10",
    well_known=True,
    binary=True,
    depends_on="relevant",
    names=Names(sets="diversity"),
    laws=Laws(best="open", monotone=False),
    needs=Needs(subtopics=True),
    ideal=greedy_at(1.0),
)
def subtopic_recall(j: "JudgedRankings") -> "Curve":
    """The share of subtopics that the first k documents are relevant to.

    All subtopics are those that have a relevant document, as in ndeval, or, if the judgments have
    probabilities, those that have one, as in NTCIREVAL.
    """
    return covered(j) / relevant_by_subtopic(j).count * defined(j)


@measure(
    "StPrecision",
    title="Subtopic precision",
    formula="StPrecision@r = ranks that the ideal needs for subtopic recall r / ranks that the run needs",
    cite=f"{ZHAI}, section 3.2",
    example="StPrecision@0.5",
    bounds=(0, INFINITE),
    binary=True,
    depends_on="relevant",
    names=Names(aliases="S-precision", sets="diversity", at="recall"),
    laws=Laws(best="open", monotone=False),
    needs=Needs(subtopics=True),
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
