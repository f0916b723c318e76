"""Measures for sampled pools: estimates from judgments of a random sample of each stratum of a pool.

Documents are listed with their stratum, as for NIST's sample_eval.pl; grades below 0 mean not drawn, and
documents that are not listed are not relevant.
"""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.measures.cumulated import NO_DISCOUNT
from rankgauge.measures.diversity import AdHoc, by_global_gain
from rankgauge.measures.rankings.discounts import Discount
from rankgauge.measures.rankings.gains import LINEAR, GainsOf
from rankgauge.measures.rankings.vocabulary import ENDLESS
from rankgauge.measures.settings import Measure
from rankgauge.measures.spec import Laws, Names, Needs, measure
from rankgauge.schema.parameters import Refused

if TYPE_CHECKING:
    from rankgauge.extensions.judging.strata_rankings import Strata
    from rankgauge.measures.rankings.arrays import JudgedRankings
    from rankgauge.measures.rankings.arrays.curves import Curve, Floats

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
    from rankgauge.extensions.judging import strata_rankings as strata

    return strata.strata_of(j)


@sampled_measure(
    "xinfAP",
    title="Extended inferred average precision",
    formula="xinfAP = 1/R̂ Σ_{relevant drawn} N_s/n_s (1 + Σ_t pooled_t (relevant_t + ε)/(drawn_t + 3ε))/i",
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
    formula="statAP = 1/R̂ Σ_{relevant drawn} 1/π (1 + Σ_{relevant drawn before it} 1/π)/i;  π = n_s/N_s",
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
    Without a cutoff it has 1000, as in sample_eval.pl, whose gains are the grades. A stratum adds nothing if
    none of its documents down to rank k was drawn, so values at small cutoffs are too low: by .000 to .020 in
    samples of TREC Deep Learning with half to all of the top 5 drawn, by .07 to .21 with 4 documents or fewer
    of each stratum. HT(nDCG@10) was too high there by at most .004, and .01 to .03, but varies more:
    `rankgauge study sampling` tries both on your strata.
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


def estimated_sum(j: "JudgedRankings", measure: Measure) -> "Floats":
    """Horvitz-Thompson: the sum over the documents drawn from each stratum, scaled up to all of it."""
    strata = strata_of(j)
    return strata.per_topic(strata.estimated(1)[:, 0] * measure.value(strata.rankings))


def estimated_ndcg(j: "JudgedRankings", measure: Measure) -> "Floats":
    """The estimated DCG over that of the ideal ranking of estimated counts, without most of its bias."""
    cutoff = measure.cutoff or ENDLESS - 1
    return strata_of(j).ndcg(measure.gains, measure.discount or LOG2, cutoff)[:, None]


def estimated_q(j: "JudgedRankings", measure: Measure) -> "Floats":
    """The sum of blended ratios at relevant documents, from pairs of documents drawn, over R̂; AP: β = 0."""
    j = j.at_level(measure.rel)
    strata, gains = strata_of(j), measure.gains.above(measure.rel)
    beta = measure.settings.get("beta", 1.0) if measure.spec.has("beta") else 0.0
    blended = strata.with_those_before(1.0 + beta * strata.rankings.gain(gains))
    ratios = j.cumulate(blended / (j.rank + beta * strata.ideal(gains, NO_DISCOUNT).at(j.at_hits)))
    return j.read(ratios / strata.recall_base, measure.cutoff or ENDLESS - 1)


RATIOS = {"nDCG": estimated_ndcg, "AP": estimated_q, "Q": estimated_q}
UNESTIMATED = ("grade", "judged_only", "norm")  # settings that have no estimate


class Estimable(AdHoc):
    """A measure that can be estimated from a sample of documents, as a parameter of another."""

    words = "a sum over documents such as P@10 or DCG@10, or AP, nDCG or Q, without average="

    def read(self, value: Any) -> Measure:
        """The measure, from its text or as it is."""
        measure = super().read(value)
        laws, name = measure.spec.laws, measure.spec.name
        if not (name in RATIOS or (laws.additive and laws.varies not in measure.settings)):
            raise Refused(
                f"{measure} cannot be estimated from a sample: it is not a sum over documents, and judgments "
                "of some change what others add; use a sum such as P@10 or DCG@10, or AP, nDCG or Q"
            )
        for setting in UNESTIMATED:
            if setting in measure.settings:
                raise Refused(f"{setting}= has no estimate from a sample; leave it out of {measure}")
        return measure


@sampled_measure(
    "HT",
    title="Horvitz-Thompson estimate of a measure",
    formula="HT(M) = Σ_s N_s/n_s M_s, of the documents drawn from s;  AP, nDCG, Q: ratios of such sums",
    cite="Horvitz & Thompson 1952, A generalization of sampling without replacement from a finite universe",
    example="HT(P@10)",
    bounds=(-INFINITE, INFINITE),
    names=Names(inner="measure"),
)
def horvitz_thompson(
    j: "JudgedRankings", measure: Annotated[Measure, Estimable(), "the measure to estimate"]
) -> "Floats":
    """A measure estimated from judgments of a random sample of each stratum of the pool.

    Unbiased for sums over documents, such as P, CG, DCG and RBP: a document counts by the inverse of its
    inclusion probability. nDCG is the estimated DCG over that of the ideal ranking of estimated counts, less
    the bias of this ratio by the jackknife, which leaves out each document drawn in turn. AP and Q are
    estimated sums over pairs of relevant documents, by the probability that both were drawn, over R̂. These
    ratios are consistent, nDCG's nearly unbiased. Other measures are refused.
    """
    return RATIOS.get(measure.spec.name, estimated_sum)(j, measure)
