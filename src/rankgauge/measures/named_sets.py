"""The sets of measures that trec_eval has names for, with its default parameters, in its order.

`runid` and `relstring` are texts, not measures; they belong to the command `rankgauge trec_eval`.
"""

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
ALL_TREC = (
    *OFFICIAL,
    *_at("R"),
    "infAP",
    "Bpref(average=geometric)",
    *(f"Rprec(times={tenths / 10:g})" for tenths in range(2, 21, 2)),
    "Utility",
    "AP11(levels=trec10)",
    "binG",
    "G",
    "nDCG",
    "nDCG_rel",
    "RnDCG",
    *_at("nDCG"),
    *_at("AP"),
    *_at("RelP"),
    *_at("Success", (1, 5, 10)),
    "P",
    "RelP",
    "R",
    "SetAP",
    "F",
    "NumNonrelRet",
    "RBP(p=0.9,gains=linear)",
    "RBP_residual(p=0.9,negatives=unjudged)",
    *_at("Unjudged", (5, 10, 20)),
)
SET = (*_COUNTS, "Utility", "P", "RelP", "R", "SetAP", "F")

SETS = {"official": OFFICIAL, "all_trec": ALL_TREC, "set": SET}
