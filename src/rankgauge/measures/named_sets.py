"""Named sets of measures with their settings: trec_eval's, and those of the users that a paper describes.

Sets without settings, such as `graded`, are declared by their measures (`Names.sets`). trec_eval's `runid`
and `relstring` are no measures, and belong to the command `rankgauge trec_eval`.
"""

# Where nobody names a measure: for evaluation, for what is about one measure, and for curves over ranks.
SEVERAL = "AP RR P@10 nDCG@10 R@1000"
ONE = "nDCG@10"
CURVE = "nDCG"

_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_RECALLS = ("0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1")
_COUNTS = ("NumQ", "NumRet", "NumRel", "NumRelRet")


def _at(name: str, cutoffs: tuple[object, ...] = _CUTOFFS) -> tuple[str, ...]:
    return tuple(f"{name}@{cutoff}" for cutoff in cutoffs)


OFFICIAL = (
    *_COUNTS,
    "AP",
    "AP(average=geometric)",
    "Rprec",
    "Bpref",
    "RR",
    *_at("IPrec(levels=trec10)", _RECALLS),
    *_at("P"),
)
# trec_eval's names of families, where no measure has that name: with its default parameters
FAMILIES = {
    "ndcg_cut": _at("nDCG"),
    "map_cut": _at("AP"),
    "relative_P": _at("RelP"),
    "unj": _at("Unjudged", (5, 10, 20)),
    "iprec_at_recall": _at("IPrec(levels=trec10)", _RECALLS),
    "Rprec_mult": tuple(f"Rprec(times={tenths / 10:g})" for tenths in range(2, 21, 2)),
}
ALL_TREC = (
    *OFFICIAL,
    *_at("R"),
    "infAP",
    "Bpref(average=geometric)",
    *FAMILIES["Rprec_mult"],
    "Utility",
    "AP11(levels=trec10)",
    "binG",
    "G",
    "nDCG",
    "nDCG_rel",
    "RnDCG",
    *FAMILIES["ndcg_cut"],
    *FAMILIES["map_cut"],
    *FAMILIES["relative_P"],
    *_at("Success", (1, 5, 10)),
    "P",
    "RelP",
    "R",
    "SetAP",
    "F",
    "NumNonrelRet",
    "RBP(p=0.9,gains=linear)",
    "RBP_residual(p=0.9,negatives=unjudged)",
    *FAMILIES["unj"],
)
SET = (*_COUNTS, "Utility", "P", "RelP", "R", "SetAP", "F")

# The two scenarios of Järvelin & Kekäläinen 2002, section 4: how deep a user looks, what highly relevant
# documents are worth compared with marginal ones, and how fast the value of late documents falls. The weights
# 0-1-2-3 of patient users are the grades.
_BUSY = "(gains={1:1,2:10,3:100},base=2)@30"
_PATIENT = "(base=10)@200"

SETS = {
    "official": OFFICIAL,
    "all_trec": ALL_TREC,
    "set": SET,
    **FAMILIES,
    "busy": (f"nDCG{_BUSY}", f"DCG{_BUSY}"),
    "patient": (f"nDCG{_PATIENT}", f"DCG{_PATIENT}"),
}
TITLES = {
    "official": "what trec_eval prints unless it is asked for more",
    "all_trec": "all that trec_eval prints with -m all_trec",
    "set": "trec_eval's measures of what is retrieved, in any order",
    "ndcg_cut": "nDCG at the cutoffs that trec_eval has by default",
    "map_cut": "average precision at the cutoffs that trec_eval has by default",
    "relative_P": "relative precision at the cutoffs that trec_eval has by default",
    "unj": "the share of unjudged documents at the cutoffs that trec_eval has for it",
    "iprec_at_recall": "interpolated precision at eleven recall levels, as in trec_eval",
    "Rprec_mult": "precision at multiples of R, as in trec_eval",
    "busy": "for users who examine only a few best answers: shallow ranks, weights 0-1-10-100 of four grades "
    "and a sharp discount (Järvelin & Kekäläinen 2002)",
    "patient": "for users who dig down to low-ranked and marginal answers: deep ranks, the grades as weights "
    "and a mild discount (Järvelin & Kekäläinen 2002)",
    "graded": "measures of graded judgments",
    "diversity": "measures of novelty and diversity, for judgments by subtopic",
    "effort": "measures of the user's effort",
    "NoAnswer": "shares of topics: correctly empty, wrongly answered and wrongly empty results",
}
