"""All measures of ir_measures, with its parameters and defaults."""

from __future__ import annotations

from rankgauge.compat.ir_measures.measure import Measure, ParamInfo

registry: dict[str, Measure] = {}  # by name, those of aliases included


def _measure(name: str, *aliases: str, **parameters: ParamInfo) -> Measure:
    measure = Measure(name, parameters)
    registry.update(dict.fromkeys((name, *aliases), measure))
    return measure


def _preset(name: str, measure: Measure) -> Measure:
    registry[name] = measure
    return measure


_CUT, _CUT_HERE = ParamInfo(int), ParamInfo(int, required=True)
_REL, _ANY_REL = ParamInfo(int, 1), ParamInfo(int)
_JUDGED = ParamInfo(bool, False)
_BINARY = {"rel": _REL, "judged_only": _JUDGED}
_HALF, _ONE = ParamInfo(float, 0.5), ParamInfo(float, 1.0)
_SCALE = {"min_rel": ParamInfo(int, 0), "max_rel": ParamInfo(int, required=True)}
_LOG2, _EITHER_DCG = (ParamInfo(str, "log2", choices=each) for each in (("log2",), ("log2", "exp-log2")))

AP = MAP = _measure("AP", "MAP", cutoff=_CUT, **_BINARY)
Accuracy = _measure("Accuracy", cutoff=_CUT, rel=_REL)
BPM = _measure("BPM", cutoff=_CUT_HERE, T=_ONE, **_SCALE)
Bpref = BPref = _measure("Bpref", "BPref", rel=_REL)
Compat = _measure("Compat", p=ParamInfo(float, 0.95), normalize=ParamInfo(bool, True))
ERR = _measure("ERR", cutoff=_CUT)
INSQ = _measure("INSQ", T=_ONE, **_SCALE)
INST = _measure("INST", T=_ONE, **_SCALE)
IPrec = _measure("IPrec", recall=ParamInfo(float, required=True), **_BINARY)
Judged = _measure("Judged", cutoff=_CUT)
NERR8 = _measure("NERR8", cutoff=_CUT_HERE, **_SCALE)
NERR9 = _measure("NERR9", cutoff=_CUT_HERE, **_SCALE)
NERR10 = _measure("NERR10", p=ParamInfo(float, 0.9), **_SCALE)
NERR11 = _measure("NERR11", T=_ONE, **_SCALE)
NumQ = _measure("NumQ")
NumRel = _measure("NumRel", rel=_REL)
NumRet = _measure("NumRet", rel=_ANY_REL)
NumRelRet = _preset("NumRelRet", NumRet(rel=1))
P = Precision = _measure("P", "Precision", cutoff=_CUT_HERE, **_BINARY)
R = Recall = _measure("R", "Recall", cutoff=_CUT_HERE, **_BINARY)
RBP = _measure("RBP", cutoff=_CUT, p=ParamInfo(float, 0.8), rel=_ANY_REL)
RR = MRR = _measure("RR", "MRR", cutoff=_CUT, **_BINARY)
Rprec = RPrec = _measure("Rprec", "RPrec", **_BINARY)
SDCG = _measure("SDCG", cutoff=_CUT_HERE, dcg=_LOG2, **_SCALE)
SetAP = _measure("SetAP", **_BINARY)
SetF = _measure("SetF", rel=_REL, beta=_ONE, judged_only=_JUDGED)
SetP = _measure("SetP", rel=_REL, relative=ParamInfo(bool, False), judged_only=_JUDGED)
SetRelP = _preset("SetRelP", SetP(relative=True))
SetR = _measure("SetR", rel=_REL)
Success = _measure("Success", cutoff=_CUT_HERE, **_BINARY)
infAP = _measure("infAP", rel=_REL)
nDCG = NDCG = _measure(
    "nDCG", "NDCG", cutoff=_CUT, dcg=_EITHER_DCG, gains=ParamInfo(dict), judged_only=_JUDGED
)

# of diversity: the iteration of judgments is the subtopic
AP_IA = MAP_IA = _measure("AP_IA", "MAP_IA", **_BINARY)
ERR_IA = _measure("ERR_IA", cutoff=_CUT, **_BINARY)
NRBP = _measure("NRBP", rel=_REL, alpha=_HALF, beta=_HALF)
P_IA = _measure("P_IA", cutoff=_CUT, **_BINARY)
StRecall = _measure("StRecall", cutoff=_CUT, rel=_REL)
alpha_DCG = α_DCG = _measure("alpha_DCG", "α_DCG", cutoff=_CUT, rel=_REL, alpha=_HALF, judged_only=_JUDGED)
alpha_nDCG = α_nDCG = _measure(
    "alpha_nDCG", "α_nDCG", cutoff=_CUT, rel=_REL, alpha=_HALF, judged_only=_JUDGED
)
nERR_IA = _measure("nERR_IA", cutoff=_CUT, **_BINARY)
nNRBP = _measure("nNRBP", rel=_REL, alpha=_HALF, beta=_HALF)
