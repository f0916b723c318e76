"""Older measures, with which Järvelin & Kekäläinen 2002 (section 2.4) compare cumulated gain."""

from typing import TYPE_CHECKING, Annotated

from rankgauge.measures.cumulated import CITE, cumulated
from rankgauge.measures.rankings.gains import LINEAR, Gains, GainsOf, MaxRel, check_scale
from rankgauge.measures.spec import (
    Laws,
    Names,
    Needs,
    Shown,
    gain_measure,
    measure,
    relevance_measure,
    shared,
)
from rankgauge.schema.parameters import Number, Whole, Word

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import Curve, Floats, JudgedRankings

SECTION = f"{CITE}, section 2.4"
MYAENG = f"Myaeng & Korfhage 1990, Integration of user profiles; read from {SECTION}"


@relevance_measure(
    "ASL",
    title="Average search length",
    formula="ASL = 1/hits Σ rank of relevant documents retrieved",
    cite=f"Losee 1998, Text Retrieval and Filtering; {SECTION}",
    bounds=(1, float("inf")),
    direction=-1,
    names=Names(aliases="MeanRank"),
    laws=Laws(best="open", monotone=False, linear="uncut"),
)
def average_search_length(j: "JudgedRankings") -> "Curve":
    """The mean rank of the relevant documents retrieved (among the first k); undefined when there are none.

    Relevant documents that are not retrieved do not count, so that a ranking with one of them may do best.
    """
    return j.cumulate(j.position, where=j.relevant) / j.hits


@relevance_measure(
    "MedianRank",
    title="Median rank",
    formula="MedianRank = median rank of the relevant documents retrieved",
    cite="Ali et al. 2021, PyKEEN 1.0: a Python library for … knowledge graph embeddings",
    bounds=(1, float("inf")),
    direction=-1,
    average="median",
    laws=Laws(best="open", monotone=False),
)
def median_rank(j: "JudgedRankings") -> "Floats":
    """The median rank of the relevant documents retrieved; undefined when there are none.

    As in ASL, which is their mean rank, relevant documents that are not retrieved do not count. The median of
    all topics is shown.
    """
    rank, count = j.found.rank.astype(float), j.found.count
    lower = j.found.at_nth(rank, ((count + 1) // 2).clip(min=1))
    middle: Floats = (lower + j.found.at_nth(rank, count // 2 + 1)) / 2
    return middle / (count > 0)


Collection = Annotated[int, Whole(), "documents in the collection; by default those retrieved or judged"]
Missing = Annotated[
    str,
    Word(("bottom", "expected")),
    "where relevant documents not retrieved are: at the bottom, or anywhere below",
]


@measure(
    "NormRecall",
    title="Normalised recall",
    formula="1 - (Σ ranks of the R relevant documents - Σ_{i ≤ R} i) / (R (docs - R))",
    cite=f"Rocchio 1966; Salton & McGill 1983, Introduction to Modern Information Retrieval; {SECTION}",
    example="NormRecall(docs=100)",
    binary=True,
    laws=Laws(linear="uncut"),
)
def normalised_recall(
    j: "JudgedRankings", docs: Collection | None = None, missing: Missing = "bottom"
) -> "Curve":
    """How near the relevant documents are to the top: 1 when they come first, 0 when they come last of all.

    Relevant documents that are not retrieved (among the first k) are taken to be the last ones of the
    collection, or, with `missing=expected`, anywhere among those that are not retrieved.
    """
    R, N, lost = j.recall_base, j.collection(docs), j.recall_base - j.hits
    below = lost * N - lost * (lost - 1) / 2 if missing == "bottom" else lost * (j.seen + 1 + N) / 2
    excess = j.cumulate(j.position, where=j.relevant) + below - R * (R + 1) / 2
    return 1 - excess / R / (N - R).at_least(1)


@shared
def sliding(j: "JudgedRankings", gains: Gains) -> "Curve":
    """Cumulated gain over that of the same documents in the best order."""
    return cumulated(j, gains) / cumulated(j.best_order(gains), gains)


@gain_measure(
    "SlidingRatio",
    title="Sliding ratio",
    formula="SR[k] = CG[k] / CG[k] of the documents retrieved, in the best order",
    cite=f"Pollock 1968, Measures for the comparison of information retrieval systems; {SECTION}",
    example="SlidingRatio@5",
    names=Names(sets="graded"),
    laws=Laws(linear="always", unordered="uncut"),
    needs=Needs(whole_ranking=True),
)
def sliding_ratio(j: "JudgedRankings", gains: GainsOf = LINEAR) -> "Curve":
    """Cumulated gain as a share of what the documents retrieved would have in the best order.

    Unlike nCG's, its ideal is that of the documents retrieved, all of them, also below rank k. It is
    always 1 at the end of the ranking, and undefined when nothing retrieved has a gain.
    """
    return sliding(j, gains)


@relevance_measure(
    "Satisfaction",
    title="Satisfaction",
    formula="S[k] = SR[k] over the relevant documents retrieved alone",
    cite=MYAENG,
    example="Satisfaction@5",
    laws=Laws(linear="always", unordered="uncut"),
    needs=Needs(whole_ranking=True),
)
def satisfaction(j: "JudgedRankings", gains: GainsOf = LINEAR) -> "Curve":
    """The gain of relevant documents down to rank k, as a share of what the best order of all retrieved has.

    The source defines it in prose alone: "similar to SR", of "only the retrieved relevant documents". So
    it is the sliding ratio in which documents below `rel` have no gain.
    """
    return sliding(j, gains.above(j.level))


@shared
def frustrating(j: "JudgedRankings") -> "Curve":
    """Documents retrieved that are not relevant, over those that the worst order would have had by then."""
    useless = j.retrieved - j.keeping(j.level).sizes[:, None]
    return (j.seen - j.hits) / j.seen.at_most(useless).at_least(1)


@relevance_measure(
    "Frustration",
    title="Frustration",
    formula="F[k] = non-relevant documents down to k / non-relevant documents down to k in the worst order",
    cite=MYAENG,
    example="Frustration@5",
    direction=-1,
    laws=Laws(best="most", linear="always", unordered="uncut"),
    needs=Needs(whole_ranking=True),
)
def frustration(j: "JudgedRankings") -> "Curve":
    """The documents down to rank k that are not relevant, as a share of what the worst order would have.

    The source defines it in prose alone: "similar to SR", of "only the irrelevant documents". So the
    reference is the order that frustrates most, irrelevant documents first. 0 when there are none.
    """
    return frustrating(j)


@relevance_measure(
    "SFT",
    title="Satisfaction and frustration, total",
    formula="SFT[k] = w S[k] + (1 - w) (1 - F[k])",
    cite=MYAENG,
    example="SFT@5",
    laws=Laws(linear="always", unordered="uncut"),
    needs=Needs(whole_ranking=True),
)
def satisfaction_frustration_total(
    j: "JudgedRankings",
    weight: Annotated[
        float, Number(0, 1), "weight of satisfaction; the rest is that of the absence of frustration"
    ] = 0.5,
    gains: GainsOf = LINEAR,
) -> "Curve":
    """Satisfaction and the absence of frustration, weighted; undefined where satisfaction is."""
    return weight * sliding(j, gains.above(j.level)) + (1 - weight) * (1 - frustrating(j))


@gain_measure(
    "RHL",
    title="Ranked half-life",
    formula="RHL = r - 1 + (CG/2 - CG[r-1]) / gain(r),  r first with CG[r] ≥ CG/2;  method=discrete: r",
    cite=f"Borlund & Ingwersen 1998, Measures of relative relevance and ranked half-life; {SECTION}",
    bounds=(0, float("inf")),
    direction=-1,
    laws=Laws(best="open", monotone=False),
)
def ranked_half_life(
    j: "JudgedRankings",
    gains: GainsOf = LINEAR,
    method: Annotated[
        str,
        Word(("interpolated", "discrete")),
        "the median of grouped data, each rank a class, or the rank itself",
    ] = "interpolated",
) -> "Floats":
    """The rank by which half of the gain of all documents retrieved has come; undefined without any gain."""
    curve = cumulated(j, gains)
    half, so_far = j.at_hits.broadcast(curve.total / 2), curve.at(j.at_hits)
    reached = (so_far >= half) & (so_far > 0)
    rank = j.at_first(reached, j.rank)
    if method == "discrete":
        return rank
    return rank - j.at_first(reached, so_far - half) / j.at_first(reached, j.gain(gains))


@relevance_measure(
    "ESL",
    title="Expected search length",
    formula="ESL = j + i s / (r + 1) + q: of documents that are not relevant, j before the tie of the qth"
    " relevant one and i within it, beside r relevant ones, s of them wanted;  count=nonrelevant: without q",
    cite=f"Cooper 1968, Expected search length: a single measure of retrieval effectiveness; {SECTION}",
    example="ESL(q=2)",
    bounds=(0, float("inf")),
    direction=-1,
    needs=Needs(ties=True),
)
def expected_search_length(
    j: "JudgedRankings",
    q: Annotated[int, Whole(), "the number of relevant documents wanted"] = 1,
    count: Annotated[
        str, Word(("documents", "nonrelevant")), "what is counted: all documents, or non-relevant ones"
    ] = "documents",
) -> "Floats":
    """The number of documents to read until q relevant ones are found; undefined if fewer are retrieved.

    Documents of equal score come in random order, whatever `ties` is; with `order=rank`, those of
    equal rank.
    """
    expected = j.found.at_first(j.found.nth == q, j.found.expected_rank)
    return expected if count == "documents" else expected - q


@gain_measure(
    "RelativeRelevance",
    title="Relative relevance",
    formula="Σ score(d) gain(d) / √(Σ score(d)² Σ gain(d)²),  d retrieved",
    cite=f"Borlund & Ingwersen 1998, Measures of relative relevance and ranked half-life; {SECTION}",
    bounds=(-1, 1),
    laws=Laws(best="open"),
    needs=Needs(scores=True),
)
def relative_relevance(j: "JudgedRankings", gains: GainsOf = LINEAR) -> "Floats":
    """The cosine between the scores of the documents retrieved and their gains: whether they agree.

    It is about scores and not about ranks, and is refused with `order=rank`. Undefined when nothing retrieved
    has a gain, when all scores are 0, and when the sum of their squares is too large a number.
    """
    gain = j.gain(gains)
    return j.total(j.score * gain) / (j.scores_length * j.total(gain * gain) ** 0.5)


@measure(
    "ADM",
    title="Average distance measure",
    formula="ADM = 1 - 1/n Σ |estimate(d) - gain(d)/top gain|,  d one of n judged documents",
    cite="Della Mea & Mizzaro 2004, Measuring retrieval effectiveness: a new proposal and a first "
    "experimental validation",
    laws=Laws(best="open", monotone=False),
    needs=Needs(scores=True),
    shows=Shown(caution="reads scores as estimates of relevance: those below 0 count as 0, above 1 as 1"),
    canonicalise=check_scale,
)
def average_distance(
    j: "JudgedRankings",
    estimate: Annotated[
        str, Word(("score", "rank")), "a document's score, or 1 at rank 1 falling evenly to the end"
    ] = "score",
    gains: GainsOf = LINEAR,
    max_rel: MaxRel | None = None,
) -> "Floats":
    """How near the relevance estimated by the system is to that judged, both from 0 to 1, on average.

    The paper's average is over all documents of the collection; here over those judged, of which those not
    retrieved are estimated at 0. Undefined when nothing is judged.
    """
    share = j.share(gains, max_rel)
    falling = 1 - (j.position - 1) / j.retrieved
    estimated = j.score.clip(0.0, 1.0) if estimate == "score" else falling.at(j.at_hits)
    missed = j.ideal(gains).total(j.ideal(gains).share(gains, max_rel)) - j.total(share)
    return 1 - (j.total(abs(estimated - share)) + missed) / j.pool.sizes
