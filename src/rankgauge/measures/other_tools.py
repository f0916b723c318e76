"""Other tools' names of the measures here, and of measures that are not here or mean something else."""

from typing import Any, TypeAlias

# {measure: {tool: its names, separated by spaces}}. A name may stand for settings: gm_map(average=geometric).
# In those of trec_eval, `_k` stands for a cutoff, and `_{a,b}` for the values of parameters.
NAMES = {
    # classical
    "ASL": {"PyKEEN": "mean_rank arithmetic_mean_rank"},
    "MedianRank": {"PyKEEN": "median_rank"},
    # cumulated
    "DCG": {
        "trec_eval": "dcg dcg_{gains}",
        "ranx": "dcg dcg_burges(gains=exp2)",
        "scikit-learn": "dcg_score",
        "RecPack": "DCGK",
    },
    "nDCG": {
        "trec_eval": "ndcg ndcg_cut_k ndcg_{gains}",
        "ir_measures": "nDCG NDCG",
        "ranx": "ndcg ndcg_burges(gains=exp2)",
        "torchmetrics": "RetrievalNormalizedDCG retrieval_normalized_dcg",
        "BEIR": "NDCG",
        "MTEB": "ndcg",
        "scikit-learn": "ndcg_score",
        "NTCIREVAL": "MSnDCG",
        "RecPack": "NDCGK",
    },
    "IDCG": {"trec_eval": "ideal_dcg ideal_dcg_{gains}"},
    # cwl
    "INSQ": {"ir_measures": "INSQ"},
    "INST": {"ir_measures": "INST"},
    "BPM": {"ir_measures": "BPM"},
    "SDCG": {"ir_measures": "SDCG"},
    "NERR8": {"ir_measures": "NERR8"},
    "NERR9": {"ir_measures": "NERR9"},
    "NERR10": {"ir_measures": "NERR10"},
    "NERR11": {"ir_measures": "NERR11"},
    # timed
    "TBG": {"cwl_eval": "TBGCWLMetric"},
    "U_measure": {"cwl_eval": "UMeasureCWLMetric"},
    "NPV": {"cwl_eval": "NPVCWLMetric"},
    "IFT": {"cwl_eval": "IFTGoalRateCWLMetric"},
    # diversity
    "alpha_DCG": {"ir_measures": "alpha_DCG α_DCG", "ndeval": "alpha-DCG"},
    "alpha_nDCG": {"ir_measures": "alpha_nDCG α_nDCG", "ndeval": "alpha-nDCG"},
    "ERR_IA": {"ir_measures": "ERR_IA", "ndeval": "ERR-IA"},
    "nERR_IA": {"ir_measures": "nERR_IA", "ndeval": "nERR-IA"},
    "NRBP": {"ir_measures": "NRBP", "ndeval": "NRBP"},
    "nNRBP": {"ir_measures": "nNRBP", "ndeval": "nNRBP"},
    "AP_IA": {"ir_measures": "AP_IA MAP_IA", "ndeval": "MAP-IA"},
    "P_IA": {"ir_measures": "P_IA", "ndeval": "P-IA"},
    "StRecall": {"ir_measures": "StRecall", "ndeval": "strec", "NTCIREVAL": "I-rec"},
    "D_nDCG": {"NTCIREVAL": "D-nDCG"},
    "D_Q": {"NTCIREVAL": "D-Q"},
    "Dsharp_nDCG": {"NTCIREVAL": "D#-nDCG"},
    "Dsharp_Q": {"NTCIREVAL": "D#-Q"},
    # experimental
    "nDCG_rel": {"trec_eval": "ndcg_rel ndcg_rel_{gains}"},
    "RnDCG": {"trec_eval": "Rndcg Rndcg_{gains}"},
    "G": {"trec_eval": "G G_{gains}"},
    "binG": {"trec_eval": "binG"},
    "YAAP": {"trec_eval": "yaap"},
    # graded
    "Q": {"NTCIREVAL": "Q-measure"},
    "O_measure": {"NTCIREVAL": "O-measure"},
    "P_measure": {"NTCIREVAL": "P-measure"},
    "P_plus": {"NTCIREVAL": "P-plus"},
    # incomplete
    "NumNonrelRet": {"trec_eval": "num_nonrel_judged_ret"},
    "Judged": {"ir_measures": "Judged"},
    "Unjudged": {"trec_eval": "unj_k"},
    "Bpref": {
        "trec_eval": "bpref gm_bpref(average=geometric)",
        "ir_measures": "Bpref BPref",
        "ranx": "bpref",
    },
    "AUC": {"torchmetrics": "RetrievalAUROC retrieval_auroc", "scikit-learn": "roc_auc_score"},
    "infAP": {"trec_eval": "infAP", "ir_measures": "infAP"},
    # interpolated
    "IPrec": {"trec_eval": "iprec_at_recall_{recall}(levels=trec10)", "ir_measures": "IPrec"},
    "AP11": {"trec_eval": "11pt_avg(levels=trec10) 11pt_avg_{points}(levels=trec10)"},
    # ranked
    "P": {
        "trec_eval": "P_k set_P",
        "ir_measures": "P Precision SetP",
        "ranx": "precision",
        "torchmetrics": "RetrievalPrecision retrieval_precision",
        "BEIR": "P",
        "MTEB": "precision",
        "RecPack": "PrecisionK",
    },
    "R": {
        "trec_eval": "recall_k set_recall",
        "ir_measures": "R Recall SetR",
        "ranx": "recall",
        "torchmetrics": "RetrievalRecall retrieval_recall",
        "BEIR": "Recall",
        "MTEB": "recall",
        "RecPack": "RecallK",
    },
    "F": {"trec_eval": "set_F", "ir_measures": "SetF", "ranx": "f1", "RecTools": "F1Beta"},
    "RelP": {
        "trec_eval": "relative_P_k set_relative_P",
        "ir_measures": "SetRelP",
        "BEIR": "R_cap recall_cap",
        "MTEB": "R_cap",
        "RecPack": "CalibratedRecallK",
    },
    "Rprec": {
        "trec_eval": "Rprec Rprec_mult_{times}",
        "ir_measures": "Rprec RPrec",
        "ranx": "r-precision",
        "torchmetrics": "RetrievalRPrecision retrieval_r_precision",
    },
    "Success": {
        "trec_eval": "success_k",
        "ir_measures": "Success",
        "ranx": "hit_rate",
        "torchmetrics": "RetrievalHitRate retrieval_hit_rate",
        "BEIR": "top_k_accuracy top_k_acc acc",
        "MTEB": "hit_rate HitRate",
    },
    "Accuracy": {"ir_measures": "Accuracy"},
    "AP": {
        "trec_eval": "map map_cut_k gm_map(average=geometric)",
        "ir_measures": "AP MAP",
        "ranx": "map",
        "torchmetrics": "RetrievalMAP retrieval_average_precision",
        "BEIR": "MAP",
        "MTEB": "map",
        "scikit-learn": "average_precision_score label_ranking_average_precision_score LRAP",
    },
    "AP_at_R": {"PyTorch Metric Learning": "mean_average_precision_at_r"},
    "RR": {
        "trec_eval": "recip_rank",
        "ir_measures": "RR MRR",
        "ranx": "mrr",
        "torchmetrics": "RetrievalMRR retrieval_reciprocal_rank",
        "BEIR": "MRR mrr_cut",
        "MTEB": "mrr",
        "RecPack": "ReciprocalRankK",
    },
    # sampled
    "infP": {"sample_eval": "iP"},
    "infNumRelRet": {"sample_eval": "inum_rel_ret"},
    "infNumRel": {"sample_eval": "inum_rel"},
    # sets
    "NumQ": {"trec_eval": "num_q", "ir_measures": "NumQ"},
    "NumRet": {"trec_eval": "num_ret", "ir_measures": "NumRet"},
    "NumRel": {"trec_eval": "num_rel", "ir_measures": "NumRel"},
    "NumRelRet": {"trec_eval": "num_rel_ret", "ir_measures": "NumRelRet", "ranx": "hits(average=mean)"},
    "SetAP": {"trec_eval": "set_map", "ir_measures": "SetAP"},
    "Fallout": {"torchmetrics": "RetrievalFallOut retrieval_fall_out"},
    "Utility": {"trec_eval": "utility utility_{a,b,c,d}"},
    # usermodels
    "RBP": {"trec_eval": "rbp(p=0.9,gains=linear)", "ir_measures": "RBP"},
    "RBP_residual": {"trec_eval": "rbp_resid(p=0.9,negatives=unjudged)"},
    "ERR": {"ir_measures": "ERR"},
    "nERR": {"NTCIREVAL": "nERR"},
    "Compat": {"ir_measures": "Compat"},
}

# {measure: {parameter of other tools: {value: the settings it stands for}}}
Synonyms: TypeAlias = dict[str, dict[Any, dict[str, str]]]
_DCG: Synonyms = {"dcg": {"log2": {}, "exp-log2": {"gains": "exp2"}}}
_MIN_REL: Synonyms = {"min_rel": {0: {}}}
SYNONYMS: dict[str, Synonyms] = {
    **dict.fromkeys(("DCG", "nDCG", "ADCG", "AnDCG", "IDCG"), _DCG),
    **dict.fromkeys(("INSQ", "INST", "BPM", "NERR8", "NERR9", "NERR10", "NERR11"), _MIN_REL),
    "SDCG": {**_MIN_REL, "dcg": {"log2": {}}},
}

# {measure: {parameter of other tools: the measure that it makes of this one}}
# @R stands for as many documents as are relevant.
TURNS_INTO = {
    "P": {"relative": "RelP", "@R": "Rprec"},
    "R": {"@R": "Rprec"},
    "AP": {"@R": "AP_at_R"},
    "NumRet": {"rel": "NumRelRet"},
}

# Where another tool's name for a measure has a meaning here already, that meaning holds; and names that stand
# for no measure here are refused with a reason, and never taken for a similar one.
# (tool, its name, what to write here for the same[, a note between the name and that, for whoever uses it])
DIFFERENT: tuple[tuple[str, ...], ...] = (
    (
        "BEIR",
        "Accuracy@10",
        "Success@10",
        "is the share of pairs in the right order, as in ir_measures; in BEIR it is",
    ),
    (
        "sentence-transformers",
        "map@100",
        "AP(norm=cut)@100",
        "divides by all R relevant documents, as trec_eval does; sentence-transformers divides by min(k, R), "
        "which is",
    ),
    (
        "PyKEEN",
        "hits@10",
        "Success@10",
        "counts relevant documents, as ranx does; in link prediction (PyKEEN) it is",
    ),
    ("ranx", "rbp@95", "RBP(p=0.95)"),
    ("ranx", "bpref", "Bpref(negatives=nonrelevant)"),
    ("gdeval", "ndcg@20", "nDCG(gains=exp2)@20"),
    ("gdeval", "err@20", "ERR(max_rel=4)@20"),
    (
        "Elasticsearch",
        "dcg",
        "DCG(gains=exp2)",
        "adds up grades, as ranx does; Elasticsearch adds up 2^grade − 1, which is",
    ),
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
        "sentence-transformers",
        "accuracy@10",
        r"(?-i:(?!Accuracy))accuracy([@(._ ].*)?",  # the exact name is that of the measure here
        "there it is Success@10, whether a relevant document is among the first 10; for ir_measures it is "
        "Accuracy@10, the share of pairs in the right order; write one of these",
    ),
    (
        "RAGAS",
        "context_recall",
        r"(llm_|non_llm_)?context_?recall.*",
        "with judgments of the passages, R@5 is the share of the relevant ones that is among the first 5",
    ),
    (
        "RAGAS",
        "context_precision",
        r"(llm_|non_llm_)?context_?precision.*",
        "it divides by the relevant passages found; with judgments of the passages, AP@5 divides by all "
        "relevant ones, and P@5 is the share of the first 5 that is relevant",
    ),
    (
        "papers",
        "RBO",
        r"rbo([@(._ ].*)?",
        "it compares the rankings of two runs, as `rankgauge diff` does document by document; Compat is the "
        "rank-biased overlap of a run with its ideal ranking",
    ),
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
        "RetrievalAUROC(top_k=10)",
        r"retrieval_?auroc\W*(@|top_k|cutoff|_at_).*",
        "with top_k only the first documents make pairs; AUC is the area of the whole ranking",
    ),
    (
        "torchmetrics",
        "RetrievalPrecisionRecallCurve",
        r"retrieval_?precision_?recall_?curve.*",
        "it is a curve; `rankgauge evaluate --curve` and `rankgauge figure pr` have those of P and R",
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
        "it is 1 − AUC, where no scores are equal; write AUC",
    ),
    (
        "scikit-learn",
        "coverage_error",
        r"coverage_?error",
        "no measure here looks at the rank of the last relevant document; MedianRank is the median",
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
