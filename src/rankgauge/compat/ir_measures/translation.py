"""The measure of rankgauge that has the value of a measure of ir_measures.

There, another program computes each measure, with definitions of its own: pytrec_eval (trec_eval 9), gdeval,
cwl_eval, ndeval and some more. Parameters that make ours agree with them are set here, and nowhere else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from rankgauge.errors import MeasureError
from rankgauge.measures import Measure, find
from rankgauge.measures.settings import build
from rankgauge.schema.text import format_number

DEEPEST_OF_CWL = 1000  # the last rank that ir_measures lets cwl_eval see
HIGHEST_OF_GDEVAL = 4  # the highest grade of its scale, whatever the judgments have
SKIPPING = ("Accuracy",)  # topics without a value are left out of their mean; otherwise they count as 0

Settings = dict[str, Any]


class Described(Protocol):
    """A measure of ir_measures, or of `compat.ir_measures`."""

    NAME: str

    @property
    def params(self) -> Mapping[str, Any]:
        """The parameters that are set."""


def translate(measure: Described, levels: Iterable[float] = ()) -> Measure:
    """Our measure with the value of theirs; `levels` are the grades of the judgments, for maps of them."""
    if measure.NAME not in TRANSLATED:
        raise MeasureError(f"ir_measures' measure {measure} is not known here")
    settings = {name: value for name, value in measure.params.items() if value is not None}
    cutoff = settings.pop("cutoff", None)
    name, deepest, settle = TRANSLATED[measure.NAME]
    settings = settle(settings, levels) if settle else settings
    name = settings.pop("measure", name)
    return build(find(name), settings, deepest if cutoff is None else cutoff)


def _completed(settings: Settings, levels: Iterable[float]) -> Settings:
    """The map from grade to gain of nDCG; grades that it lacks are gains themselves."""
    if "gains" not in settings:
        return settings
    if settings.get("dcg") == "exp-log2":
        raise MeasureError("nDCG: gains= and dcg='exp-log2' exclude each other; map grades to 2**grade - 1")
    gains = {level: level for level in levels if level > 0}
    gains.update({grade: max(gain, 0) for grade, gain in settings["gains"].items()})
    return {**settings, "gains": gains}


def _scaled(settings: Settings, levels: Iterable[float]) -> Settings:
    """The gains of a scale that does not begin at 0: from 0 at the grade min_rel to 1 at max_rel."""
    least, most = settings.pop("min_rel", 0), settings.get("max_rel")
    if not least or most is None:
        return settings
    if least >= most:
        raise MeasureError(f"min_rel={least} must be below max_rel={most}")
    grades = {max(level, 0) for level in levels}
    if grades and max(grades) > most:
        raise MeasureError(f"the judgments have grade {format_number(max(grades))}, above max_rel={most}")
    gains = {grade: max(grade - least, 0) for grade in sorted({*grades, most})}
    return {**{name: value for name, value in settings.items() if name != "max_rel"}, "gains": gains}


def _setting(**fixed: Any) -> Callable[[Settings, Iterable[float]], Settings]:
    return lambda settings, _: {**settings, **fixed}


def _set_f(settings: Settings, _: Iterable[float]) -> Settings:
    """trec_eval's parameter, which ir_measures passes on under the name beta, is beta squared."""
    beta = settings.get("beta", 1.0)
    return {**settings, "beta": math.sqrt(beta) if beta > 0 else beta}  # below 0, it is refused


def _set_p(settings: Settings, _: Iterable[float]) -> Settings:
    relative = settings.pop("relative", False)
    return {**settings, "measure": "RelP"} if relative else settings


def _num_ret(settings: Settings, _: Iterable[float]) -> Settings:
    return {**settings, "measure": "NumRelRet"} if "rel" in settings else settings


def _rbp(settings: Settings, _: Iterable[float]) -> Settings:
    """Binary if rel is set, otherwise graded."""
    return settings if "rel" in settings else {**settings, "gains": "linear"}


Settle = Callable[[Settings, Iterable[float]], Settings]
_AS_IT_IS = (
    *("AP", "Accuracy", "Bpref", "NumQ", "NumRel", "P", "R", "RR", "Rprec", "SetAP", "Success", "infAP"),
    *("AP_IA", "ERR_IA", "NRBP", "P_IA", "StRecall", "alpha_DCG", "nERR_IA", "nNRBP"),
)
# {their name: (our name, the cutoff without one, what to change in the parameters)}
TRANSLATED: dict[str, tuple[str, int | None, Settle | None]] = {
    **{name: (name, None, None) for name in _AS_IT_IS},
    **{name: (name, None, _scaled) for name in ("BPM", "NERR8", "NERR9", "SDCG")},
    **{name: (name, DEEPEST_OF_CWL, _scaled) for name in ("INSQ", "INST", "NERR10", "NERR11")},
    "Compat": ("Compat", None, _setting(end="lists")),
    "ERR": ("ERR", None, _setting(max_rel=HIGHEST_OF_GDEVAL)),
    "IPrec": ("IPrec", None, _setting(levels="trec9")),
    "Judged": ("Judged", None, _setting(negatives="nonrelevant")),
    "NumRet": ("NumRet", None, _num_ret),
    "RBP": ("RBP", None, _rbp),
    "SetF": ("F", None, _set_f),
    "SetP": ("P", None, _set_p),
    "SetR": ("R", None, None),
    "alpha_nDCG": ("alpha_nDCG", None, _setting(ideal="ndeval")),
    "nDCG": ("nDCG", None, _completed),
}
