"""Graded measures that look at precision and gain at once: Q-measure (Sakai 2006) and its relatives."""

from typing import TYPE_CHECKING, Annotated

from rankgauge.measures.cumulated import cumulated
from rankgauge.measures.ranked import Norm
from rankgauge.measures.rankings.discounts import Persistence
from rankgauge.measures.rankings.gains import LINEAR, Gains, GainsOf, MaxRel, check_scale
from rankgauge.measures.spec import Laws, Names, Shown, gain_measure, relevance_measure, shared
from rankgauge.schema.parameters import Number, Word

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import Curve, Floats, JudgedRankings, Steps

SAKAI = (
    "Sakai 2006, Controlling the penalty on late arrival of relevant documents in information retrieval "
    "evaluation with graded relevance"
)
SAKAI_2004 = "Sakai 2004, New performance metrics based on multigrade relevance (NTCIR-4)"
KEKALAINEN = "Kekäläinen & Järvelin 2002, Using graded relevance assessments in IR evaluation"
PREFERRED = "Sakai 2007, On the properties of evaluation metrics for finding one highly relevant document"
OverIdeal = Annotated[str, Word(("ideal", "R")), "what it is divided by: that of the ideal ranking, or R"]
BestBeta = Annotated[float, Number(1, above=True), "β of a document of the best grade"]
OfIdeal = Annotated[str, Word(("no", "ideal")), "whether it is divided by that of the ideal ranking"]
Beta = Annotated[float, Number(0), "weight of gain relative to precision; 0: precision alone"]


@shared
def blended_ratio(j: "JudgedRankings", beta: float, gains: Gains) -> "Curve":
    """Precision and cumulated gain, divided by those of the ideal. Only relevant documents have a gain."""
    gains = gains.above(j.level)
    ideal = j.ideal(gains)
    return (beta * cumulated(j, gains) + j.hits) / (beta * cumulated(ideal, gains) + j.position)


@relevance_measure(
    "BR",
    title="Blended ratio",
    formula="BR(k) = (β cg(k) + hits(k)) / (β cg_ideal(k) + k)",
    cite=f"{SAKAI}, equation 6",
    example="BR@5",
    names=Names(sets="graded"),
    laws=Laws(beyond_end="less", linear="always", unordered="uncut"),
)
def blended_ratio_at(j: "JudgedRankings", beta: Beta = 1.0, gains: GainsOf = LINEAR) -> "Curve":
    """Precision (β = 0) blended with weighted precision (large β): what Q averages."""
    return blended_ratio(j, beta, gains)


@relevance_measure(
    "Q",
    title="Q-measure",
    formula="Q = 1/R Σ_{relevant i ≤ k} BR(i);  norm=cut: over min(k, R)",
    cite=f"{SAKAI}, equations 3 and 6",
    well_known=True,
    uncut="ideal",
    names=Names(sets="graded"),
    shows=Shown(variants="Q Q(beta=0) Q(beta=10)"),
)
def q_measure(j: "JudgedRankings", beta: Beta = 1.0, gains: GainsOf = LINEAR, norm: Norm = "full") -> "Curve":
    """The mean of the blended ratio at each relevant document, those not retrieved counting as 0.

    The larger β, the less a relevant document that comes late costs; β = 0 is average precision.
    A relevant document whose gain is 0 still counts as relevant.
    """
    ratios = j.cumulate(blended_ratio(j, beta, gains), where=j.relevant)
    return ratios / (j.recall_base if norm == "full" else j.position.at_most(j.recall_base))


@relevance_measure(
    "R_measure",
    title="R-measure",
    formula="R-measure = BR(R)",
    cite=SAKAI_2004,
    names=Names(sets="graded"),
    laws=Laws(linear="always"),
)
def r_measure(j: "JudgedRankings", beta: Beta = 1.0, gains: GainsOf = LINEAR) -> "Floats":
    """The blended ratio after as many documents as there are relevant ones; β = 0 is R-precision."""
    return j.at(blended_ratio(j, beta, gains), j.recall_base)


@relevance_measure(
    "AWP",
    title="Average weighted precision",
    formula="AWP = 1/R Σ_{relevant i ≤ k} cg(i)/cg_ideal(i);  norm=cut: over min(k, R)",
    cite=f"Kando et al. 2001; {SAKAI_2004}",
    uncut="ideal",
    names=Names(aliases="WAP", sets="graded"),
    shows=Shown(
        caution="below rank R the ideal gains no more, so how late a relevant document comes makes no "
        "difference there; Q has no such defect"
    ),
)
def average_weighted_precision(j: "JudgedRankings", gains: GainsOf = LINEAR, norm: Norm = "full") -> "Curve":
    """The mean of weighted precision (nCG) at each relevant document, those not retrieved counting as 0.

    Q-measure approaches it as β grows. Undefined when no relevant document has a gain.
    """
    gains = gains.above(j.level)
    best = cumulated(j.ideal(gains), gains)
    ratios = j.cumulate(cumulated(j, gains) / best, where=j.relevant)
    defined = best.total / best.total  # 1, or undefined even if nothing relevant was retrieved
    return ratios * defined / (j.recall_base if norm == "full" else j.position.at_most(j.recall_base))


@shared
def generalised_precisions(j: "JudgedRankings", gains: Gains) -> "Steps":
    """Generalised precision added up over the relevant documents."""
    return j.cumulate(cumulated(j, gains) / j.position, where=j.relevant)


@relevance_measure(
    "genAP",
    title="Generalised average precision",
    formula="genAveP = Σ_{relevant i ≤ k} cg(i)/i / Σ_{i ≤ R} cg_ideal(i)/i;  norm=R: over R",
    cite=f"Kishida 2005; {SAKAI}, equation 5; Vu & Gallinari 2005 (norm=R)",
    well_known=True,
    uncut="ideal",
    names=Names(aliases="genAveP", sets="graded"),
    laws=Laws(varies="norm", unbounded="R"),
)
def generalised_average_precision(
    j: "JudgedRankings", gains: GainsOf = LINEAR, norm: OverIdeal = "ideal"
) -> "Curve":
    """Generalised precision at each relevant document, as a share of what the best possible ranking has.

    `norm=R` divides by the number of relevant documents, so that topics have different maxima.
    """
    gains = gains.above(j.level)
    if norm == "R":
        return generalised_precisions(j, gains) / j.recall_base
    return generalised_precisions(j, gains) / generalised_precisions(j.ideal(gains), gains).total


@gain_measure(
    "GAP",
    title="Graded average precision",
    formula="GAP = Σ_{i ≤ k} 1/i Σ_{j ≤ i} min(gain(i), gain(j)) / Σ gain of all judged documents",
    cite="Robertson, Kanoulas & Yilmaz 2010, Extending average precision to graded relevance judgments",
    uncut="ideal",
    names=Names(sets="graded"),
)
def graded_average_precision(j: "JudgedRankings", gains: GainsOf = LINEAR) -> "Curve":
    """Average precision expected of users who differ in the smallest grade that is relevant to them.

    The share of users to whom a grade is relevant is its gain, up to a factor: the sum of the paper's g over
    grades up to it. `gains=linear`: equally many begin at each grade. With a single grade it is AP.
    """
    gain, below = j.gain(gains), 0.0
    total = 0.0 * gain
    for least in sorted({worth for worth in gains.worths(j.pool.levels.tolist()) if worth > 0}):
        total = total + (least - below) * (gain >= least) * j.cumulate(gain >= least).at(j.at_hits)
        below = least
    return j.cumulate(total / j.rank) / cumulated(j.ideal(gains), gains).total


@gain_measure(
    "gP",
    title="Generalised precision",
    formula="gP@k = cg(k) / k",
    cite=KEKALAINEN,
    example="gP@5",
    bounds=(0, float("inf")),
    names=Names(sets="graded"),
    laws=Laws(
        judging_never_hurts="always", beyond_end="less", linear="always", additive=True, unordered="uncut"
    ),
)
def generalised_precision(j: "JudgedRankings", gains: GainsOf = LINEAR) -> "Curve":
    """The mean gain of the first k documents; without a cutoff, of all documents retrieved."""
    return cumulated(j, gains) / j.position


@gain_measure(
    "gR",
    title="Generalised recall",
    formula="gR@k = cg(k) / Σ gain of all judged documents",
    cite=KEKALAINEN,
    example="gR@5",
    names=Names(sets="graded"),
    laws=Laws(judging_never_hurts="uncut", linear="always", unordered="uncut"),
)
def generalised_recall(j: "JudgedRankings", gains: GainsOf = LINEAR) -> "Curve":
    """The gain of the first k documents, as a share of the gain of all judged documents."""
    return cumulated(j, gains) / cumulated(j.ideal(gains), gains).total


@relevance_measure(
    "O_measure",
    title="O-measure",
    formula="O = BR(rank of the first relevant document)",
    cite=PREFERRED,
    names=Names(sets="graded"),
)
def o_measure(j: "JudgedRankings", beta: Beta = 1.0, gains: GainsOf = LINEAR) -> "Curve":
    """The blended ratio at the first relevant document; 0 when none is found (within the cutoff).

    Like its relatives below, it is undefined for a topic without relevant documents.
    """
    return j.first_relevant.cumulate(blended_ratio(j, beta, gains)) / j.has_relevant


@shared
def weighted_reciprocal(j: "JudgedRankings", beta: float, gains: Gains, max_rel: float | None) -> "Steps":
    """One over the rank of the first relevant document, less a part of a rank that grows with its gain."""
    first = j.first_relevant
    below_best = gains.top(j.pool.levels, max_rel) - first.gain(gains)
    return first.cumulate(1 / (first.rank - 1 / (beta + below_best)))


@relevance_measure(
    "WRR",
    title="Weighted reciprocal rank",
    formula="WRR = 1 / (r - 1/β),  r the rank of the first relevant document, β = beta + top gain - its gain",
    cite="Eguchi et al. 2003, Overview of the web retrieval task at the third NTCIR workshop; Sakai 2006, "
    "Bootstrap-based comparisons of IR metrics for finding one relevant document (norm=ideal)",
    bounds=(0, float("inf")),
    names=Names(aliases="NWRR(norm=ideal)", sets="graded"),
    laws=Laws(stops_at_first=True),
    canonicalise=check_scale,
)
def weighted_reciprocal_rank(
    j: "JudgedRankings",
    beta: BestBeta = 2.0,
    gains: GainsOf = LINEAR,
    max_rel: MaxRel | None = None,
    norm: OfIdeal = "no",
) -> "Curve":
    """Reciprocal rank that is higher the better the first relevant document is; 0 when none is found.

    A document always scores less than any at the rank above, so that this is the largest 1/(r - 1/β) of all
    relevant documents, as NTCIR's Web track has it. With gains of 3, 2 and 1, β is 2, 3 and 4, as Sakai sets
    it, whose NWRR is `norm=ideal`; with a large beta it is RR.
    """
    gains = gains.above(j.level)
    value = weighted_reciprocal(j, beta, gains, max_rel)
    if norm == "no":
        return value / j.has_relevant
    best = weighted_reciprocal(j.ideal(gains), beta, gains, max_rel)
    return value / best.total


@relevance_measure(
    "P_measure",
    title="P-measure",
    formula="P = BR(rank of the first document of the best grade retrieved)",
    cite=PREFERRED,
    names=Names(sets="graded"),
    laws=Laws(monotone=False),
)
def p_measure(j: "JudgedRankings", beta: Beta = 1.0, gains: GainsOf = LINEAR) -> "Curve":
    """The blended ratio at the preferred rank, of the first of the best documents retrieved; 0 if none is."""
    return j.prefix_maxima.last_value(blended_ratio(j, beta, gains), before=0.0) / j.has_relevant


@relevance_measure(
    "P_plus",
    title="P-plus",
    formula="P+ = mean of BR(i) over relevant i down to the preferred rank",
    cite=PREFERRED,
    names=Names(aliases="P+", sets="graded"),
    laws=Laws(monotone=False),
)
def p_plus(j: "JudgedRankings", beta: Beta = 1.0, gains: GainsOf = LINEAR) -> "Curve":
    """The mean blended ratio of relevant documents down to the first of the best retrieved; 0 if none is."""
    mean = j.cumulate(blended_ratio(j, beta, gains), where=j.relevant) / j.hits
    return j.prefix_maxima.last_value(mean, before=0.0) / j.has_relevant


Stop = Annotated[
    str, Word(("gu", "rb")), "where users stop: at relevant documents by gain, or rank-biased by gamma"
]
Utility = Annotated[str, Word(("BR", "P")), "their utility: the blended ratio, or precision"]
Gamma = Annotated[
    float, Number(0, 1), "with stop=rb, the probability of going on to the next relevant document"
]


@relevance_measure(
    "NCU",
    title="Normalised cumulative utility",
    formula="NCU = Σ_{relevant i} stop(i) utility(i) / Σ_{relevant i of the ideal} stop(i)",
    cite="Sakai & Robertson 2008, Modelling a user population for designing information retrieval metrics",
    example="NCU(stop=rb)",
    uncut="ideal",
    names=Names(sets="graded"),
    laws=Laws(
        monotone=False,  # more users stop at a better document, also where precision is still low
    ),
)
def normalised_cumulative_utility(
    j: "JudgedRankings",
    stop: Stop = "gu",
    utility: Utility = "BR",
    gamma: Gamma = 0.95,
    beta: Beta = 1.0,
    gains: GainsOf = LINEAR,
) -> "Curve":
    """The expected utility of users who stop at relevant documents, some at each.

    `stop=gu` (graded-uniform): in proportion to gain. `stop=rb` (rank-biased): at the n-th relevant
    document in proportion to gamma^(n-1). NTCIREVAL calls the four NCUgu,P NCUgu,BR NCUrb,P NCUrb,BR.
    """
    gains = gains.above(j.level)
    ideal = j.ideal(gains)
    had = blended_ratio(j, beta, gains) if utility == "BR" else j.hits / j.position
    return j.cumulate(_stopping(j, stop, gains, gamma) * had.at(j.at_hits)) / (
        ideal.cumulate(_stopping(ideal, stop, gains, gamma)).total
    )


def _stopping(j: "JudgedRankings", stop: str, gains: Gains, gamma: float) -> "Floats":
    """(hits,): the share of users who stop at each relevant document, up to a factor."""
    return j.gain(gains) if stop == "gu" else Persistence(gamma).at(j.nth)
