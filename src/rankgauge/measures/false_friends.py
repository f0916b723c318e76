"""Names of other tools that mean another measure here, or none.

Where another tool's name for a measure has a meaning here already, that meaning holds: `DIFFERENT` lists what
to write instead. Names that stand for no measure here are refused with a reason, and never taken for a
similar one.
"""

from __future__ import annotations

import re

from rankgauge.errors import MeasureError

# (tool, its name, what to write here for the same)
DIFFERENT = (
    ("BEIR", "Accuracy@10", "Success@10"),
    ("sentence-transformers", "accuracy@10", "Success@10"),
    ("sentence-transformers", "map@100", "AP(norm=cut)@100"),
    ("MTEB", "accuracy", "R@1"),
    ("PyKEEN", "hits@10", "Success@10"),
    ("ranx", "rbp@95", "RBP(p=0.95)"),
    ("ranx", "bpref", "Bpref(negatives=nonrelevant)"),
    ("gdeval", "ndcg@20", "nDCG(gains=exp2)@20"),
    ("gdeval", "err@20", "ERR(max_rel=4)@20"),
    ("Elasticsearch", "dcg", "DCG(gains=exp2)"),
    ("NTCIREVAL", "nDCG@10", "nDCG(base=2)@10"),
    ("ir_measures", "ERR@20", "ERR(max_rel=4)@20"),
    ("ir_measures", "IPrec@0.1", "IPrec(levels=trec9)@0.1"),
    ("ir_measures", "RBP@10", "RBP(gains=linear)@10"),
    ("ir_measures", "SetF(beta=4)", "F(beta=2)"),
    ("ir_measures", "Judged@10", "Judged(negatives=nonrelevant)@10"),
    ("ir_measures", "Compat", "Compat(end=lists)"),
    ("ir_measures", "INSQ(max_rel=3)", "INSQ(max_rel=3)@1000"),
    ("ir_measures", "INST(max_rel=3)", "INST(max_rel=3)@1000"),
    ("ir_measures", "NERR10(max_rel=3)", "NERR10(max_rel=3)@1000"),
    ("ir_measures", "NERR11(max_rel=3)", "NERR11(max_rel=3)@1000"),
    ("ir_measures", "alpha_nDCG@20", "alpha_nDCG(ideal=ndeval)@20"),
    ("ndeval", "alpha-nDCG@20", "alpha_nDCG(ideal=ndeval)@20"),
)

# (tool, its name, a pattern of texts that mean it, why there is no such measure)
REFUSED = (
    (
        "ranx",
        "rbp.95",
        r"rbp[._](0?\.)?\d+(-l\d+)?",
        "it adds up grades as they are, without a largest one; write RBP(p=0.95) for binary judgments, "
        "RBP(p=0.95,gains=linear) for graded ones",
    ),
    (
        "BEIR",
        "Hole@10",
        r"hole([@(._].*)?",
        "it counts documents that are judged for no topic at all; Unjudged@10 counts those that are not "
        "judged for the topic",
    ),
    (
        "torchmetrics",
        "RetrievalMAP(top_k=10)",
        r"retrieval_?(map|average_?precision)\W*(@|top_k|cutoff|_at_).*",
        "with top_k it divides by the relevant documents found so far; AP@10 divides by all of them, "
        "AP(norm=cut)@10 by at most 10",
    ),
    (
        "torchmetrics",
        "RetrievalAUROC",
        r"retrieval_?auroc.*",
        "Accuracy is the share of pairs in the right order, which is the area where all documents are ranked",
    ),
    (
        "torchmetrics",
        "RetrievalPrecisionRecallCurve",
        r"retrieval_?precision_?recall_?curve.*",
        "it is a curve; `rankgauge curve` and `rankgauge figure pr` have those of P and R",
    ),
    (
        "torchmetrics",
        "RetrievalRecallAtFixedPrecision",
        r"retrieval_?recall_?at_?fixed_?precision.*",
        "IPrec@0.5 is the converse: the best precision from a recall level on",
    ),
    (
        "scikit-learn",
        "label_ranking_loss",
        r"label_?ranking_?loss",
        "it is 1 − Accuracy, where no scores are equal; write Accuracy",
    ),
    (
        "scikit-learn",
        "coverage_error",
        r"coverage_?error",
        "no measure here looks at the rank of the last relevant document",
    ),
    (
        "MTEB",
        "nauc_ndcg_at_10_max",
        r"nauc_.*",
        "it measures how well scores tell which topics to leave out, not how good rankings are",
    ),
    (
        "MTEB",
        "p-MRR",
        r"p[-_]?mrr([@(._].*)?",
        "it compares two runs, with and without instructions",
    ),
    (
        "papers",
        "a-nDCG",
        r"a[-_ ]ndcg([@(._ ].*)?",
        "it is α-nDCG in most of them; write alpha_nDCG, or AnDCG for the average of nDCG over ranks",
    ),
)


def refuse(text: str) -> None:
    """Raise an error if a text is another tool's name for what is no measure here."""
    for tool, name, pattern, reason in REFUSED:
        if re.fullmatch(pattern, text, re.IGNORECASE):
            raise MeasureError(f"{text!r}: {name} of {tool} is not among the measures; {reason}")
