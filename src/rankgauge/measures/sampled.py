"""Measures for sampled pools: estimates from judgments of a random sample of each stratum of a pool.

All documents of the pool are listed with their stratum, as in the files of NIST's sample_eval.pl. Those
graded below 0 were not drawn; documents that are not listed are not relevant.
"""

from functools import partial
from typing import TYPE_CHECKING

from rankgauge.measures.diversity.intents import by_global_gain
from rankgauge.measures.rankings.discounts import Discount
from rankgauge.measures.rankings.gains import LINEAR, GainsOf
from rankgauge.measures.spec import Laws, Needs, measure

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import JudgedRankings
    from rankgauge.measures.rankings.arrays.curves import Curve, Floats
    from rankgauge.measures.rankings.arrays.strata import Strata

YILMAZ = "Yilmaz, Kanoulas & Aslam 2008, A simple and efficient sampling method for estimating AP and NDCG"
INFINITE = float("inf")  # an estimate may be larger than the largest value
LOG2 = Discount("log2")
ESTIMATE = Laws(best="open", monotone=False)
sampled_measure = partial(
    measure,
    bounds=(0, INFINITE),
    needs=Needs(subtopics=True, strata=True),
    laws=ESTIMATE,
    ideal=by_global_gain,
)


def strata_of(j: "JudgedRankings") -> "Strata":
    """The rankings once for each stratum of the pool."""
    from rankgauge.measures.rankings.arrays import strata

    return strata.strata_of(j)


@sampled_measure(
    "xinfAP",
    title="Extended inferred average precision",
    formula="xinfAP = 1/R̂ Σ_{relevant drawn} N_s/n_s (1 + Σ_t pooled_t (relevant_t + ε)/(drawn_t + 3ε)) / i",
    cite=f"{YILMAZ}, section 3; sample_eval.pl's infAP",
    binary=True,
)
def extended_inferred_average_precision(j: "JudgedRankings") -> "Curve":
    """Average precision estimated from judgments of a random sample of each stratum of the pool.

    A relevant document at rank i stands for N_s/n_s documents of its stratum s, of which n_s out of N_s were
    drawn. The precision there is estimated from the documents before it, stratum by stratum. R̂ is the
    estimated number of relevant documents; undefined if that is 0, where sample_eval.pl prints 0.
    """
    from rankgauge.measures.rankings.arrays.curves import AtPlaces

    strata = strata_of(j)
    before = strata.relevant_so_far.at(AtPlaces(j.rank - 1, j.topic))
    return j.cumulate(strata.weights_of_relevant * (1 + before) / j.rank) / strata.recall_base


@sampled_measure(
    "statAP",
    title="Statistical average precision",
    formula="statAP = 1/R̂ Σ_{relevant drawn} 1/π (1 + Σ_{relevant drawn before it} 1/π) / i;  π = n_s/N_s",
    cite="Aslam & Pavlu 2007, A practical sampling strategy for efficient retrieval evaluation",
    binary=True,
)
def statistical_average_precision(j: "JudgedRankings") -> "Curve":
    """Average precision in which every relevant document counts by the inverse of its inclusion probability.

    A ratio of two Horvitz-Thompson estimates: the sum of precisions at relevant documents, and R̂, their
    number. The inclusion probability of a document is the share of its stratum that was drawn.
    """
    strata = strata_of(j)
    weights = strata.weights_of_relevant
    before = j.previous(j.cumulate(weights).at(j.at_hits), 0.0)
    return j.cumulate(weights * (1 + before) / j.rank) / strata.recall_base


@sampled_measure(
    "infNDCG",
    title="Inferred normalised discounted cumulated gain",
    formula="infNDCG[k] = Σ_s pooled_s[k]/drawn_s[k] DCG_s[k] / DCG_ideal[k], the ideal of estimated counts",
    cite=f"{YILMAZ}, section 4; sample_eval.pl's infNDCG",
    example="infNDCG@10",
    uncut="endless",
    laws=ESTIMATE._replace(beyond_end="other"),  # the ideal ranking of estimated counts may be longer
)
def inferred_ndcg(j: "JudgedRankings", gains: GainsOf = LINEAR) -> "Curve":
    """NDCG estimated from judgments of a random sample of each stratum of the pool.

    The discounted gain of the documents drawn from a stratum is scaled up to all of its documents retrieved
    down to rank k. The ideal ranking has as many documents of each gain as are estimated to exist, rounded.
    Without a cutoff it has 1000, as in sample_eval.pl, whose gains are the grades.
    """
    strata = strata_of(j)
    return strata.cumulated(gains, LOG2) / strata.ideal(gains, LOG2)


@sampled_measure(
    "infP",
    title="Inferred precision",
    formula="infP@k = 1/k Σ_s pooled_s[k] (relevant_s[k] + ε)/(drawn_s[k] + 3ε)",
    cite="sample_eval.pl, iP10",
    example="infP@10",
    binary=True,
    laws=ESTIMATE._replace(beyond_end="less"),
)
def inferred_precision(j: "JudgedRankings") -> "Curve":
    """The estimated share of the first k documents that is relevant.

    Of a stratum from which none of them was drawn, a third counts.
    """
    return strata_of(j).relevant_so_far / j.position


@sampled_measure(
    "infNumRelRet",
    title="Inferred number of relevant documents retrieved",
    formula="infNumRelRet@k = Σ_s pooled_s[k] (relevant_s[k] + ε)/(drawn_s[k] + 3ε)",
    cite="sample_eval.pl, inum_rel_ret",
    binary=True,
    average="sum",
)
def inferred_relevant_retrieved(j: "JudgedRankings") -> "Curve":
    """The estimated number of relevant documents among those retrieved."""
    return strata_of(j).relevant_so_far


@sampled_measure(
    "infNumRel",
    title="Inferred number of relevant documents",
    formula="R̂ = Σ_s N_s/n_s (relevant documents drawn from s)",
    cite="sample_eval.pl, inum_rel",
    direction=0,
    binary=True,
    average="sum",
    laws=ESTIMATE._replace(linear="always", unordered="always"),
)
def inferred_relevant(j: "JudgedRankings") -> "Floats":
    """The estimated number of relevant documents in the pool."""
    return strata_of(j).recall_base
