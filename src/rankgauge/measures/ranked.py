"""Binary measures of a ranking: precision, recall, average precision, reciprocal rank."""

from typing import TYPE_CHECKING, Annotated

from rankgauge.measures.parameters import Word
from rankgauge.measures.registry import measure

if TYPE_CHECKING:
    from rankgauge.curve import Curve
    from rankgauge.judged import Judged

Norm = Annotated[str, Word(("full", "cut")), "divide by R, or by min(k, R)"]
MANNING = "Manning, Raghavan & Schütze 2008, Introduction to Information Retrieval, chapter 8"


@measure(
    "P",
    title="Precision",
    formula="P@k = hits(k) / k",
    cite=MANNING,
    bounds=(0, 1),
    binary=True,
    sees="relevant",
    trec="P_k",
    aliases="Precision",
    example="P@5",
)
def precision(j: "Judged") -> "Curve":
    """The share of the first k documents that is relevant.

    Divides by k even when fewer documents were retrieved. Without a cutoff, the share of all
    documents retrieved; undefined when there are none.
    """
    return j.hits / j.position


@measure(
    "R",
    title="Recall",
    formula="R@k = hits(k) / R",
    cite=MANNING,
    bounds=(0, 1),
    binary=True,
    sees="relevant",
    trec="recall_k",
    aliases="Recall",
    example="R@5",
)
def recall(j: "Judged") -> "Curve":
    """The share of the relevant documents that is among the first k; undefined when there are none."""
    return j.hits / j.recall_base


@measure(
    "AP",
    title="Average precision",
    formula="AP = 1/R Σ_{relevant i ≤ k} P@i;  norm=cut: over min(k, R)",
    cite=MANNING,
    bounds=(0, 1),
    binary=True,
    sees="relevant",
    uncut="ideal",
    trec="map map_cut_k",
    aliases="MAP",
    example="AP",
    columns={"precision": precision},
)
def average_precision(j: "Judged", norm: Norm = "full") -> "Curve":
    """The mean of the precision at each relevant document, those not retrieved counting as 0.

    With a cutoff the sum still runs over R, as in trec_eval; `norm=cut` divides by min(k, R),
    so that a perfect first page scores 1.
    """
    precisions = j.cumulate(j.hits / j.position, where=j.relevant)
    return precisions / (j.recall_base if norm == "full" else j.position.at_most(j.recall_base))


@measure(
    "RR",
    title="Reciprocal rank",
    formula="RR = 1 / rank of the first relevant document",
    cite="Voorhees 1999, The TREC-8 Question Answering Track Report",
    bounds=(0, 1),
    binary=True,
    sees="relevant",
    trec="recip_rank",
    aliases="MRR",
    example="RR",
    caution="an ordinal scale, of which means say little: look at medians, too",
)
def reciprocal_rank(j: "Judged") -> "Curve":
    """One over the rank of the first relevant document; 0 when none is found (within the cutoff)."""
    return j.first_relevant.cumulate(1 / j.position)
