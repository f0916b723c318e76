"""Measures for incomplete judgments: those that do not take unjudged documents for non-relevant ones."""

from typing import TYPE_CHECKING, Annotated

from rankgauge.measures.spec import NEGATIVES, Laws, Names, Needs, Shown, measure
from rankgauge.schema.parameters import Word

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import Curve, Floats, JudgedRankings

Negatives = Annotated[str, NEGATIVES.kind, "how documents graded below 0 count"]
Over = Annotated[str, Word(("min", "R", "R10")), "how many of the N judged non-relevant documents count"]
EPSILON = 1e-5  # trec_eval's INFAP_EPSILON


@measure(
    "NumNonrelRet",
    title="Judged non-relevant documents retrieved",
    formula="NumNonrelRet@k = documents among the first k that were judged and are not relevant",
    cite="trec_eval, num_nonrel_judged_ret",
    bounds=(0, float("inf")),
    direction=-1,
    binary=True,
    average="sum",
    laws=Laws(linear="always", unordered="uncut"),
    shows=Shown(counts=True),
)
def nonrelevant_retrieved(j: "JudgedRankings", negatives: Negatives = "unjudged") -> "Curve":
    """How many documents that were judged not to be relevant are among those retrieved."""
    return j.nonrelevant(negatives)


@measure(
    "Judged",
    title="Share of judged documents",
    formula="Judged@k = judged documents among the first k / min(k, documents retrieved)",
    cite="ir_measures, Judged",
    example="Judged@5",
    well_known=True,
    ratio=True,
    laws=Laws(linear="always", unordered="uncut"),
)
def judged(j: "JudgedRankings", negatives: Negatives = "unjudged") -> "Curve":
    """The share of the first k documents that was judged at all; undefined when nothing was retrieved."""
    return j.judged_so_far(negatives) / j.seen


@measure(
    "Unjudged",
    title="Share of unjudged documents",
    formula="Unjudged@k = unjudged documents among the first k / k",
    cite="trec_eval, unj",
    example="Unjudged@5",
    direction=-1,
    ratio=True,
    laws=Laws(beyond_end="less", linear="always", unordered="uncut"),
)
def unjudged(j: "JudgedRankings", negatives: Negatives = "unjudged") -> "Curve":
    """The share of the first k documents that was not judged; a rank past the end holds none.

    Large values in the first ranks are a warning: these judgments hardly cover the run.
    """
    return (j.seen - j.judged_so_far(negatives)) / j.position


@measure(
    "Bpref",
    title="Binary preference",
    formula="Bpref = 1/R Σ_{relevant} (1 − min(n, R)/min(N, R));  N judged non-relevant, n of them before it",
    cite="Buckley & Voorhees 2004, Retrieval evaluation with incomplete information; Soboroff 2006 (min)",
    well_known=True,
    binary=True,
)
def bpref(j: "JudgedRankings", over: Over = "min", negatives: Negatives = "unjudged") -> "Curve":
    """How often a relevant document is ranked before a judged non-relevant one.

    Only the first R judged non-relevant documents count. `over=R` is the definition of 2004, which is
    too kind where fewer than R were judged; `over=R10` is bpref-10, for few relevant documents.
    """
    most = j.recall_base + 10 if over == "R10" else j.recall_base
    divisor = j.nonrelevant_base(negatives).clip(max=most) if over == "min" else most
    wrong = j.nonrelevant(negatives).at_most(most) / divisor.clip(min=1)
    return j.found.cumulate(1 - wrong) / j.recall_base


@measure(
    "AUC",
    title="Area under the ROC curve",
    formula="AUC = share of pairs (relevant, judged non-relevant) in which the relevant one is first",
    cite="Hanley & McNeil 1982, The meaning and use of the area under a receiver operating characteristic "
    "(ROC) curve",
    binary=True,
    names=Names(aliases="AUROC ROC_AUC"),
    needs=Needs(ties=True),
)
def area_under_the_curve(j: "JudgedRankings", negatives: Negatives = "unjudged") -> "Floats":
    """The chance that a relevant document is ranked before a judged non-relevant one.

    A pair of equal scores counts half, whatever `ties` is. Documents that are not retrieved come after all
    others, with equal scores; unjudged ones are left out. Undefined unless there are judged documents of both
    kinds. If all documents are judged and retrieved, it is scikit-learn's roc_auc_score.
    """
    R, N = j.recall_base, j.nonrelevant_base(negatives)
    judged = j.assessed(negatives)
    wrong = judged._only(~judged.relevant)
    missed = (R - j.found.count) * (wrong.count + N) / 2
    return 1 - (j.found.total(j.found.count_before(wrong)) + missed) / (R * N)


@measure(
    "infAP",
    title="Inferred average precision",
    formula="infAP = 1/R Σ_{relevant at rank i} (1/i + (pooled before it)/i · (relevant + ε)/(judged + 2ε))",
    cite="Yilmaz & Aslam 2006, Estimating average precision with incomplete and imperfect judgments",
    well_known=True,
    binary=True,
    laws=Laws(
        best="most",  # smoothing keeps it below 1
        monotone=False,  # an unjudged document of the pool before it may count as half a relevant one
    ),
)
def inferred_average_precision(j: "JudgedRankings") -> "Curve":
    """Average precision estimated from a sample of the pool, documents of which were judged at random.

    Documents with a grade below 0 are in the pool and were not drawn: they are relevant as often as those
    that were judged. Documents without a judgment were not in the pool, and are not relevant.
    """
    relevant, above = j.hits - 1, j.judged_so_far("nonrelevant") - 1
    share = (relevant + EPSILON) / (relevant + j.nonrelevant() + 2 * EPSILON)
    return j.found.cumulate(1 / j.position + above / j.position * share) / j.recall_base
