"""Measures of users who go down a ranking: rank-biased precision, expected reciprocal rank, compatibility."""

import math
from collections.abc import Iterable
from itertools import accumulate
from typing import TYPE_CHECKING, Annotated

from rankgauge.measures.graded import Beta, blended_ratio
from rankgauge.measures.rankings.discounts import ByRank, Gone, Persistence
from rankgauge.measures.rankings.gains import BINARY, EXP2, LINEAR, Gains, GainsOf, MaxRel, check_scale
from rankgauge.measures.spec import Laws, Names, Shown, gain_measure, measure, relevance_measure, shared
from rankgauge.schema.parameters import Flag, Number, Word

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import Curve, Floats, JudgedRankings, Steps

MOFFAT = "Moffat & Zobel 2008, Rank-biased precision for measurement of retrieval effectiveness"
CHAPELLE = "Chapelle et al. 2009, Expected reciprocal rank for graded relevance"
CLARKE = "Clarke, Vtyurina & Smucker 2021, Assessing top-k preferences"
Negatives = Annotated[str, Word(("nonrelevant", "unjudged")), "how documents graded below 0 count"]
Persisting = Annotated[
    float, Number(0, 1, below=True), "the probability that a user goes on to the next document"
]


@relevance_measure(
    "RBP",
    title="Rank-biased precision",
    formula="RBP = (1 - p) Σ_{i ≤ k} p^(i-1) gain(i) / top gain",
    cite=f"{MOFFAT}, equation 7",
    example="RBP@5",
    well_known=True,
    names=Names(sets="graded"),
    laws=Laws(best="most", judging_never_hurts="always", linear="always", additive=True),
    shows=Shown(variants="RBP RBP(p=0.5) RBP(p=0.9) RBP(p=0.95)"),
    canonicalise=check_scale,
)
def rank_biased_precision(
    j: "JudgedRankings", p: Persisting = 0.8, gains: GainsOf = BINARY, max_rel: MaxRel | None = None
) -> "Curve":
    """The rate of gain of a user who goes on from each document to the next with probability p.

    Every relevant document has the full gain by default. With `gains=` each has its share of the largest
    gain of the scale: that of the highest grade (`max_rel`), or the largest one of a map.
    trec_eval's `rbp` is graded, with p = 0.9; in a topic without documents of the highest grade it takes
    the topic's own best grade for it, and has larger values.
    """
    return (1 - p) * j.cumulate(j.share(gains.above(j.level), max_rel) * Persistence(p).at(j.rank))


@measure(
    "RBP_residual",
    title="Residual of rank-biased precision",
    formula="(1 - p) Σ_{unjudged i ≤ k} p^(i-1) + p^k",
    cite=f"{MOFFAT}, section 5",
    example="RBP_residual@5",
    direction=-1,
    laws=Laws(best="open", monotone=False, judging_never_hurts="always", linear="always"),
)
def rank_biased_residual(
    j: "JudgedRankings", p: Persisting = 0.8, negatives: Negatives = "nonrelevant"
) -> "Curve":
    """What unjudged documents, and all below rank k, could add to rank-biased precision at most.

    Between two judged documents, at ranks a and b, lie p^a - p^(b-1) of the weight. trec_eval's
    `rbp_resid` has 0 where every document retrieved is judged, even though documents below could add.
    """
    j = j if negatives == "nonrelevant" else j.keeping(0)
    seeing, above = Persistence(p), j.previous(j.rank, 0)  # the rank of the judged document before each
    unjudged = seeing.at(above + 1) * Gone(p).at(j.rank - 1 - above)
    return j.cumulate(unjudged) + j.last_value(seeing.at(j.rank + 1), before=1.0)


@shared
def satisfied(j: "JudgedRankings", gains: Gains, max_rel: float | None) -> "Floats":
    """(hits,): the probability that this document is the first to satisfy."""
    enough = j.gain(gains) / (1 + gains.top(j.pool.levels, max_rel))
    still_looking, _ = j.survival(1 - enough)
    return still_looking * enough


@shared
def expected_rank(j: "JudgedRankings", gains: Gains, max_rel: float | None) -> "Steps":
    """Reciprocal ranks, each times the probability that the user stops there."""
    return j.cumulate(satisfied(j, gains, max_rel) / j.rank)


@gain_measure(
    "ERR",
    title="Expected reciprocal rank",
    formula="ERR = Σ_{i ≤ k} 1/i s(i) Π_{j < i} (1 - s(j)),  s(i) = gain(i) / (1 + top gain)",
    cite=f"{CHAPELLE}, equations 4 and 5",
    example="ERR@5",
    well_known=True,
    names=Names(sets="graded"),
    laws=Laws(best="most", judging_never_hurts="always"),
    canonicalise=check_scale,
)
def expected_reciprocal_rank(
    j: "JudgedRankings", gains: GainsOf = EXP2, max_rel: MaxRel | None = None
) -> "Curve":
    """One over the rank at which a user is satisfied, on average; each document satisfies by its grade.

    With the default gains a document of grade g does so with probability (2^g - 1) / 2^max_rel.
    gdeval always takes 4 for the highest grade: `ERR(max_rel=4)@20`. NTCIREVAL has gains of its own.
    """
    return expected_rank(j, gains, max_rel)


@gain_measure(
    "nERR",
    title="Normalised expected reciprocal rank",
    formula="nERR[k] = ERR[k] / ERR_ideal[k]",
    cite=f"{CHAPELLE}; Clarke et al. 2011, A comparative analysis of cascade measures",
    example="nERR@5",
    uncut="ideal",
    names=Names(sets="graded"),
    canonicalise=check_scale,
)
def normalised_expected_reciprocal_rank(
    j: "JudgedRankings", gains: GainsOf = EXP2, max_rel: MaxRel | None = None
) -> "Curve":
    """Expected reciprocal rank as a share of what the best possible ranking has at the same rank."""
    return expected_rank(j, gains, max_rel) / expected_rank(j.ideal(gains), gains, max_rel)


@relevance_measure(
    "EBR",
    title="Expected blended ratio",
    formula="EBR = Σ_{i ≤ k} BR(i) s(i) Π_{j < i} (1 - s(j)),  s(i) = gain(i) / (1 + top gain)",
    cite="Sakai & Zeng 2019, Which diversity evaluation measures are “good”?",
    example="EBR@5",
    names=Names(sets="graded"),
    laws=Laws(best="most", monotone=False),
    canonicalise=check_scale,
)
def expected_blended_ratio(
    j: "JudgedRankings", beta: Beta = 1.0, gains: GainsOf = LINEAR, max_rel: MaxRel | None = None
) -> "Curve":
    """The blended ratio at the rank at which a user is satisfied, on average (as in NTCIREVAL)."""
    stopping = satisfied(j, gains.above(j.level), max_rel)
    return j.cumulate(blended_ratio(j, beta, gains).at(j.at_hits) * stopping) / j.has_relevant


@gain_measure(
    "iRBU",
    title="Intentwise rank-biased utility",
    formula="iRBU = Σ_{i ≤ k} p^i s(i) Π_{j < i} (1 - s(j)),  s(i) = gain(i) / (1 + top gain)",
    cite="Sakai & Zeng 2019, Which diversity evaluation measures are “good”?; Amigó et al. 2018",
    example="iRBU@5",
    names=Names(sets="graded"),
    laws=Laws(best="most", judging_never_hurts="always"),
    canonicalise=check_scale,
)
def intentwise_rank_biased_utility(
    j: "JudgedRankings", p: Persisting = 0.99, gains: GainsOf = LINEAR, max_rel: MaxRel | None = None
) -> "Curve":
    """What is left of a user's patience at the rank of satisfaction, on average (as in NTCIREVAL)."""
    return j.cumulate(Persistence(p).at(j.rank + 1) * satisfied(j, gains, max_rel))


class FromHereOn(ByRank):
    """The sum of p^(i-1) / i from each rank on, up to a constant."""

    p: float

    def upto(self, size: int) -> Iterable[float]:
        """With p near 1 the sum converges too slowly, and is taken relative to the sum from rank 1 on."""
        if self.p <= NEAR_ONE:
            return super().upto(size)
        terms = (-math.pow(self.p, i - 1) / i for i in range(1, size - 1))
        return 0.0, *accumulate(terms, initial=0.0)

    def one(self, rank: int) -> float:
        """The sum from this rank on, until further terms make no difference."""
        if self.p > NEAR_ONE:
            *_, total = self.upto(rank + 1)
            return total
        enough = 1 if self.p == 0 else math.ceil(-45 / math.log(self.p))
        total = 0.0
        for i in range(rank + enough, rank - 1, -1):
            total = total * self.p + 1 / i
        return total * math.pow(self.p, rank - 1)


NEAR_ONE = 0.9


def overlap(shared_from: "JudgedRankings", depth: "Curve", p: float) -> "Curve":
    """The sum over ranks of the share of documents that two rankings have in common, by p^(rank-1).

    A document that they share from some rank on adds the weights of all ranks from there down to the depth.
    """
    weights = FromHereOn(p)
    shared = shared_from.last_value(shared_from.nth, before=0)
    total = shared_from.cumulate(weights.at(shared_from.rank)) - shared * (depth + 1).map(weights.at)
    return total.at_least(0.0)  # far down, less than rounding is left


OVERLAP_DEPTH = 1000  # that of the authors' program


@gain_measure(
    "Compat",
    title="Compatibility",
    formula="RBO(ranking, ideal) / RBO(ideal, ideal),  RBO = Σ_{i ≤ k} p^(i-1) shared(i)/i / Σ p^(i-1)",
    cite=CLARKE,
    uncut="endless",
    names=Names(sets="graded"),
    laws=Laws(varies="normalize", beyond_end="other"),
    shows=Shown(variants="Compat Compat(end=lists) Compat(normalize=false)"),
)
def compatibility(
    j: "JudgedRankings",
    p: Persisting = 0.95,
    normalize: Annotated[bool, Flag(), "divide by the overlap of the ideal with itself"] = True,
    end: Annotated[
        str, Word(("depth", "lists")), "where the overlap ends: at rank 1000, or with the longer of the lists"
    ] = "depth",
) -> "Curve":
    """How near the ranking is to an ideal one: their rank-biased overlap, as a share of the most it can be.

    The ideal has every document with a positive grade, by grade; among equal grades, documents retrieved
    come first, in their order. As in the authors' program, the overlap goes down to rank 1000, also where
    both lists are shorter: what they share counts at every rank after their end. `@k` ends it at rank k. With
    `end=lists`, as in ir_measures, it ends with the longer of the two lists.
    """
    ideal = j.ideal(LINEAR)
    own, best = j.agreement(LINEAR), ideal.agreement(LINEAR)
    if end == "depth":
        depth = j.position.at_most(OVERLAP_DEPTH)
        own, best = own.cut(OVERLAP_DEPTH), best.cut(OVERLAP_DEPTH)
    else:
        depth = j.seen.at_least(j.position.at_most(ideal.retrieved))
    most = overlap(best, depth, p) if normalize else depth.map(Gone(p).at) / (1 - p)
    return overlap(own, depth, p) / most
