"""Binary measures of a ranking, or without a cutoff of the set of documents retrieved."""

from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import MeasureError
from rankgauge.measures.spec import Laws, Names, Shown, relevance_measure
from rankgauge.schema.parameters import Number, Word

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import Curve, Floats, JudgedRankings

Norm = Annotated[str, Word(("full", "cut")), "divide by R, or by min(k, R)"]
MANNING = "Manning, Raghavan & Schütze 2008, Introduction to Information Retrieval, chapter 8"


@relevance_measure(
    "P",
    title="Precision",
    formula="P@k = hits(k) / k",
    cite=MANNING,
    example="P@5",
    well_known=True,
    ratio=True,
    laws=Laws(
        judging_never_hurts="always", beyond_end="less", linear="always", additive=True, unordered="uncut"
    ),
    shows=Shown(
        beyond="fewer relevant documents than half of the cutoff, so 0.5 is out of reach; Rprec adapts to "
        "each topic",
        beyond_times=2,
    ),
)
def precision(j: "JudgedRankings") -> "Curve":
    """The share of the first k documents that is relevant.

    Divides by k even when fewer documents were retrieved. Without a cutoff, the share of all
    documents retrieved; undefined when there are none.
    """
    return j.hits / j.position


@relevance_measure(
    "R",
    title="Recall",
    formula="R@k = hits(k) / R",
    cite=MANNING,
    example="R@5",
    well_known=True,
    ratio=True,
    laws=Laws(judging_never_hurts="uncut", linear="always", unordered="uncut"),
)
def recall(j: "JudgedRankings") -> "Curve":
    """The share of the relevant documents that is among the first k; undefined when there are none."""
    return j.hits / j.recall_base


def check_weight(settings: dict[str, Any]) -> dict[str, Any]:
    """Refuse both ways to weigh precision against recall at once."""
    if settings.get("alpha") is not None and "beta" in settings:
        raise MeasureError("F: alpha= and beta= exclude each other; leave one of them out")
    return settings


TINY = 5e-324  # makes F 0 where precision and recall are both 0
Beta = Annotated[float, Number(0, 1e6), "the weight of recall relative to precision"]
Alpha = Annotated[float, Number(0, 1), "the weight of precision, instead of beta: 1 / (1 + beta²)"]


@relevance_measure(
    "F",
    title="F measure",
    formula="F@k = 1 / (α/P@k + (1 − α)/R@k),  α = 1 / (1 + β²)",
    cite=f"{MANNING}; van Rijsbergen 1979, Information Retrieval, chapter 7",
    example="F@5",
    well_known=True,
    ratio=True,
    names=Names(aliases="F1 F2(beta=2) F-score"),
    laws=Laws(beyond_end="less", linear="always", unordered="uncut"),
    canonicalise=check_weight,
)
def f_measure(j: "JudgedRankings", beta: Beta = 1.0, alpha: Alpha | None = None) -> "Curve":
    """The weighted harmonic mean of precision and recall; undefined where one of them is.

    Without a cutoff, that of all documents retrieved. The parameter x of trec_eval's `set_F.x` is β².
    """
    p, r = precision(j), recall(j)
    weight = 1 / (1 + beta**2) if alpha is None else alpha
    f = p * r / (weight * r + (1 - weight) * p).at_least(TINY)
    return f.weighing(weight * j.position + (1 - weight) * j.recall_base)


@relevance_measure(
    "Jaccard",
    title="Jaccard coefficient",
    formula="Jaccard@k = hits(k) / (k + R − hits(k))",
    cite="Jaccard 1901, Étude comparative de la distribution florale; van Rijsbergen 1979, chapter 3",
    example="Jaccard@5",
    laws=Laws(beyond_end="less", unordered="uncut"),
)
def jaccard(j: "JudgedRankings") -> "Curve":
    """The documents that are both relevant and among the first k, as a share of those that are either.

    Like precision, it counts k documents even when fewer were retrieved: it is F / (2 − F).
    """
    return j.hits / (j.position + j.recall_base - j.hits) / j.has_relevant


@relevance_measure(
    "RelP",
    title="Relative precision",
    formula="RelP@k = hits(k) / min(k, R)",
    cite="trec_eval, relative_P and set_relative_P",
    example="RelP@5",
    ratio=True,
    names=Names(aliases="capped_recall"),
    laws=Laws(beyond_end="less", linear="always", unordered="uncut"),
)
def relative_precision(j: "JudgedRankings") -> "Curve":
    """Precision as a share of the best precision there can be at rank k: recall, from rank R on."""
    return j.hits / j.position.at_most(j.recall_base)


Times = Annotated[float, Number(0, 1e6, above=True), "the multiple of R at which precision is read"]


@relevance_measure(
    "Rprec",
    title="R-precision",
    formula="Rprec = P@R;  times=m: P at rank ⌊m·R + 0.9⌋",
    cite="trec_eval, Rprec and Rprec_mult; Buckley & Voorhees 2005, Retrieval System Evaluation",
    well_known=True,
    laws=Laws(
        best="most",  # at twice R documents, precision is half at most
        linear="always",
    ),
)
def r_precision(j: "JudgedRankings", times: Times = 1.0) -> "Floats":
    """Precision after as many documents as there are relevant ones, or after a multiple of that."""
    return j.at(precision(j), (times * j.recall_base + 0.9).astype("int64"))


# The formulas `tied_…` are the means of measures over all orders of tied documents, as in McSherry & Najork
# 2008, Computing Information Retrieval Performance Measures Efficiently in the Presence of Tied Scores.


def tied_success(j: "JudgedRankings") -> "Curve":
    """The expectation of success, with tied documents in random order."""
    return j.chances.cumulate(j.chances.first_hit).at_most(1)


@relevance_measure(
    "Success",
    title="Success",
    formula="Success@k = 1 if a relevant document is among the first k, else 0",
    cite="trec_eval, success",
    example="Success@5",
    well_known=True,
    names=Names(aliases="Hit HR"),
    laws=Laws(tied=tied_success, unordered="uncut", stops_at_first=True),
)
def success(j: "JudgedRankings") -> "Curve":
    """Whether anything relevant is among the first k documents."""
    return j.hits.at_most(1)


@relevance_measure(
    "Accuracy",
    title="Accuracy of pairs",
    formula="share of pairs (relevant, not relevant) among the first k in which the relevant one is first",
    cite="ir_measures, Accuracy",
    laws=Laws(
        best="most",  # undefined without documents of both kinds
        monotone=False,  # a document that moves above the cutoff may leave no pairs
    ),
)
def accuracy(j: "JudgedRankings") -> "Curve":
    """The chance that a relevant document is ranked before one that is not, both among the first k.

    Unjudged documents are not relevant. Undefined unless there are documents of both kinds.
    """
    wrong = j.cumulate(j.position - j.hits, where=j.relevant)
    return 1 - wrong / (j.hits * (j.seen - j.hits))


def tied_average_precision(j: "JudgedRankings", norm: Norm = "full") -> "Curve":
    """The expectation of average precision, with tied documents in random order."""
    chances = j.chances
    precisions = chances.cumulate(chances.hit * (1 + chances.hits_before) / chances.rank)
    return precisions / (j.recall_base if norm == "full" else j.position.at_most(j.recall_base))


@relevance_measure(
    "AP",
    title="Average precision",
    formula="AP = 1/R Σ_{relevant i ≤ k} P@i;  norm=cut: over min(k, R)",
    cite=MANNING,
    well_known=True,
    uncut="ideal",
    names=Names(aliases="AveP avg_prec GMAP(average=geometric) mean_average_precision"),
    laws=Laws(tied=tied_average_precision),
    shows=Shown(columns={"precision": precision}),
)
def average_precision(j: "JudgedRankings", norm: Norm = "full") -> "Curve":
    """The mean of the precision at each relevant document, those not retrieved counting as 0.

    With a cutoff the sum still runs over R, as in trec_eval; `norm=cut` divides by min(k, R),
    so that a perfect first page scores 1.
    """
    precisions = j.cumulate(j.hits / j.position, where=j.relevant)
    return precisions / (j.recall_base if norm == "full" else j.position.at_most(j.recall_base))


@relevance_measure(
    "AP_at_R",
    title="Average precision at R",
    formula="MAP@R = 1/R Σ_{relevant i ≤ R} P@i",
    cite="Musgrave, Belongie & Lim 2020, A metric learning reality check",
)
def average_precision_at_r(j: "JudgedRankings") -> "Floats":
    """Average precision of the first R documents, as many as are relevant: how R-precision is ordered."""
    return j.at(average_precision(j), j.recall_base)


def tied_reciprocal_rank(j: "JudgedRankings") -> "Curve":
    """The expectation, with tied documents in random order."""
    return j.chances.cumulate(j.chances.first_hit / j.chances.rank)


@relevance_measure(
    "RR",
    title="Reciprocal rank",
    formula="RR = 1 / rank of the first relevant document",
    cite="Voorhees 1999, The TREC-8 Question Answering Track Report",
    well_known=True,
    names=Names(aliases="mean_reciprocal_rank"),
    laws=Laws(judging_never_hurts="always", stops_at_first=True, tied=tied_reciprocal_rank),
    shows=Shown(caution="ordinal, so its mean is hard to interpret; RR(average=median) reports the median"),
)
def reciprocal_rank(j: "JudgedRankings") -> "Curve":
    """One over the rank of the first relevant document; 0 when none is found (within the cutoff)."""
    return j.first_relevant.cumulate(1 / j.position)


def tied_first_rank(j: "JudgedRankings") -> "Curve":
    """The expectation, with tied documents in random order."""
    first = j.chances.first_hit
    return j.chances.cumulate(first * j.chances.rank) / j.chances.cumulate(first)


@relevance_measure(
    "FirstRank",
    title="Rank of the first relevant document",
    formula="FirstRank = rank of the first relevant document (among the first k)",
    cite="Fuhr 2017, Some Common Mistakes in IR Evaluation: RR is an ordinal scale",
    bounds=(1, float("inf")),
    direction=-1,
    average="median",
    names=Names(aliases="MedR MeanR(average=mean)"),
    laws=Laws(stops_at_first=True, tied=tied_first_rank),
)
def first_rank(j: "JudgedRankings") -> "Curve":
    """The rank of the first relevant document; undefined, and left out, when none is found.

    Unlike their reciprocals, ranks may be averaged: by default their median, with `average=mean` their mean.
    """
    return j.first_relevant.cumulate(j.position) / j.hits.at_most(1)
