"""Measures as ir_measures writes them: a name and parameters, `P(rel=2)@10`.

A measure prints, compares and hashes by its text. `evaluation` knows what it stands for in rankgauge.
"""

from __future__ import annotations

import ast
import math
import re
import warnings
from collections.abc import Iterator, Mapping
from copy import copy
from itertools import chain
from typing import Any

from rankgauge.compat.trec_eval.columns import MEASURES, NICKNAMES, known
from rankgauge.errors import MeasureError
from rankgauge.extensions.tools.ir_measures.evaluation import TIES, CalcResults, Evaluator, Metric, translate
from rankgauge.measures import Measure as RankgaugeMeasure
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.parameters import is_number
from rankgauge.schema.text import nearest


class UnknownMeasure(MeasureError, NameError):
    """A name that no measure of ir_measures has."""


class UnreadableMeasure(MeasureError, ValueError):
    """A text that is no measure, or one of trec_eval's names for which ir_measures has none."""


class UnsupportedParameter(MeasureError, AssertionError):
    """A parameter that a measure lacks or needs, or a value that is not allowed."""


class _NotProvided:
    def __repr__(self) -> str:
        return "NOT_PROVIDED"


NOT_PROVIDED: Any = _NotProvided()
COUNTS = ("NumQ", "NumRel", "NumRet")  # added up instead of averaged


class ParamInfo(Frozen):
    """The type and default of a parameter, whether it is required, and its choices."""

    dtype: type
    default: Any = NOT_PROVIDED
    required: bool = False
    choices: tuple[str, ...] = ()

    def read(self, name: str, value: Any) -> Any:
        """The value, if it is allowed; otherwise an error that names the parameter."""
        value = value.item() if hasattr(value, "item") else value  # a scalar of NumPy or torch
        if self.dtype is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        fits = isinstance(value, self.dtype) and isinstance(value, bool) == (self.dtype is bool)
        if self.choices:
            fits = fits and value in self.choices
        elif fits and self.dtype is dict:
            fits = all(map(is_number, chain(value, value.values())))
        if not fits:
            allowed = f"one of {', '.join(self.choices)}" if self.choices else _KINDS[self.dtype]
            raise UnsupportedParameter(f"{name} must be {allowed}, not {value!r}")
        return value


_KINDS = {
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    dict: "a dict from grade to gain",
}


class MeanAgg:
    """The mean of the values added."""

    def __init__(self, default: float = math.nan) -> None:
        self.values: list[float] = []
        self.default = default

    def add(self, value: float) -> None:
        """Add the value of a topic."""
        self.values.append(value)

    def result(self) -> float:
        """The mean; the default if nothing was added."""
        return math.fsum(self.values) / len(self.values) if self.values else self.default


class SumAgg(MeanAgg):
    """The sum of the values added."""

    def result(self) -> float:
        """The sum; 0 if nothing was added."""
        return math.fsum(self.values)


class Measure:
    """A measure with its parameters; those that are left out have their defaults.

    >>> Measure("P", {"cutoff": ParamInfo(int), "rel": ParamInfo(int, 1)})(rel=2) @ 10
    P(rel=2)@10
    """

    DEFAULT = 0.0  # the value of a topic without results

    def __init__(self, name: str, supported: Mapping[str, ParamInfo]) -> None:
        self.NAME, self.SUPPORTED_PARAMS = name, supported
        self.AT_PARAM = "recall" if "recall" in supported else "cutoff"  # what follows the @
        self.params: dict[str, Any] = {}

    def __call__(self, **params: Any) -> Measure:
        """The measure with further parameters."""
        read = {key: self._parameter(key).read(f"{self.NAME}: {key}", value) for key, value in params.items()}
        stated, further = {**self.params, **read}, copy(self)
        further.params = {key: stated[key] for key in self.SUPPORTED_PARAMS if key in stated}
        return further

    def __matmul__(self, value: Any) -> Measure:
        """The measure at a cutoff; IPrec at a recall level."""
        return self(**{self.AT_PARAM: value})

    def __getitem__(self, key: str) -> Any:
        return self.params.get(key, self._parameter(key).default)

    def __repr__(self) -> str:
        stated = (
            f"{key}={_written(value)}"
            for key, value in self.params.items()
            if key != self.AT_PARAM and value != self.SUPPORTED_PARAMS[key].default
        )
        inside = ",".join(stated)
        at = f"@{self.params[self.AT_PARAM]}" if self.AT_PARAM in self.params else ""
        return f"{self.NAME}({inside}){at}" if inside else f"{self.NAME}{at}"

    def __eq__(self, other: object) -> bool:
        return repr(self) == repr(other) if isinstance(other, Measure) else NotImplemented

    def __hash__(self) -> int:
        return hash(repr(self))

    def _parameter(self, key: str) -> ParamInfo:
        if key not in self.SUPPORTED_PARAMS:
            known = ", ".join(self.SUPPORTED_PARAMS)
            rest = f"; its parameters are {known}" if known else ", and no others"
            raise UnsupportedParameter(
                f"{self.NAME} has no parameter {key!r}{nearest(key, self.SUPPORTED_PARAMS)}{rest}"
            )
        return self.SUPPORTED_PARAMS[key]

    def validate_params(self) -> None:
        """Raise an error if a required parameter is missing."""
        for key, info in self.SUPPORTED_PARAMS.items():
            if info.required and key not in self.params:
                example = {"cutoff": f"{self.NAME}@10", "recall": f"{self.NAME}@0.1"}
                raise UnsupportedParameter(
                    f"{self.NAME} needs {key}, as in {example.get(key, f'{self.NAME}({key}=3)')}"
                )

    @property
    def rankgauge(self) -> RankgaugeMeasure:
        """The measure of rankgauge that computes it."""
        self.validate_params()
        return translate(self)

    def aggregator(self) -> MeanAgg:
        """An object that takes the values of topics and returns their mean, or their sum for counts."""
        return SumAgg() if self.NAME in COUNTS else MeanAgg()

    def calc_aggregate(self, qrels: Any, run: Any, *, ties: str = TIES) -> float:
        """The mean over all judged topics; the sum for counts."""
        return self.evaluator(qrels, ties=ties).calc_aggregate(run)[self]

    def iter_calc(self, qrels: Any, run: Any, *, ties: str = TIES) -> Iterator[Metric]:
        """The value of every judged topic."""
        return self.evaluator(qrels, ties=ties).iter_calc(run)

    def calc(self, qrels: Any, run: Any, *, ties: str = TIES) -> CalcResults:
        """The mean over all judged topics, and the value of each."""
        aggregated, per_query = self.evaluator(qrels, ties=ties).calc(run)
        return CalcResults(aggregated[self], per_query)

    def evaluator(self, qrels: Any, *, ties: str = TIES) -> Evaluator:
        """Judgments prepared for this measure, and for run after run."""
        return Evaluator([self], qrels, ties=ties)


def _written(value: Any) -> str:
    if isinstance(value, dict):  # grades that it lacks are gains themselves
        return (
            "{" + ",".join(f"{grade}:{gain}" for grade, gain in sorted(value.items()) if grade != gain) + "}"
        )
    return repr(value)


_CUT, _CUT_HERE = ParamInfo(int), ParamInfo(int, required=True)
_REL, _ANY_REL = ParamInfo(int, 1), ParamInfo(int)
_JUDGED = ParamInfo(bool, False)
_BINARY = {"rel": _REL, "judged_only": _JUDGED}
_HALF, _ONE = ParamInfo(float, 0.5), ParamInfo(float, 1.0)
_SCALE = {"min_rel": ParamInfo(int, 0), "max_rel": ParamInfo(int, required=True)}
_LOG2, _EITHER_DCG = (ParamInfo(str, "log2", choices=each) for each in (("log2",), ("log2", "exp-log2")))
_PARAMETERS: dict[str, dict[str, ParamInfo]] = {
    "AP": {"cutoff": _CUT, **_BINARY},
    "Accuracy": {"cutoff": _CUT, "rel": _REL},
    "BPM": {"cutoff": _CUT_HERE, "T": _ONE, **_SCALE},
    "Bpref": {"rel": _REL},
    "Compat": {"p": ParamInfo(float, 0.95), "normalize": ParamInfo(bool, True)},
    "ERR": {"cutoff": _CUT},
    "INSQ": {"T": _ONE, **_SCALE},
    "INST": {"T": _ONE, **_SCALE},
    "IPrec": {"recall": ParamInfo(float, required=True), **_BINARY},
    "Judged": {"cutoff": _CUT},
    "NERR8": {"cutoff": _CUT_HERE, **_SCALE},
    "NERR9": {"cutoff": _CUT_HERE, **_SCALE},
    "NERR10": {"p": ParamInfo(float, 0.9), **_SCALE},
    "NERR11": {"T": _ONE, **_SCALE},
    "NumQ": {},
    "NumRel": {"rel": _REL},
    "NumRet": {"rel": _ANY_REL},
    "P": {"cutoff": _CUT_HERE, **_BINARY},
    "R": {"cutoff": _CUT_HERE, **_BINARY},
    "RBP": {"cutoff": _CUT, "p": ParamInfo(float, 0.8), "rel": _ANY_REL},
    "RR": {"cutoff": _CUT, **_BINARY},
    "Rprec": _BINARY,
    "SDCG": {"cutoff": _CUT_HERE, "dcg": _LOG2, **_SCALE},
    "SetAP": _BINARY,
    "SetF": {"rel": _REL, "beta": _ONE, "judged_only": _JUDGED},
    "SetP": {"cutoff": _CUT, "rel": _REL, "relative": ParamInfo(bool, False), "judged_only": _JUDGED},
    "SetR": {"cutoff": _CUT, "rel": _REL},
    "Success": {"cutoff": _CUT_HERE, **_BINARY},
    "infAP": {"rel": _REL},
    "nDCG": {"cutoff": _CUT, "dcg": _EITHER_DCG, "gains": ParamInfo(dict), "judged_only": _JUDGED},
    # of diversity: the iteration of judgments is the subtopic
    "AP_IA": _BINARY,
    "ERR_IA": {"cutoff": _CUT, **_BINARY},
    "NRBP": {"rel": _REL, "alpha": _HALF, "beta": _HALF},
    "P_IA": {"cutoff": _CUT, **_BINARY},
    "StRecall": {"cutoff": _CUT, "rel": _REL},
    "alpha_DCG": {"cutoff": _CUT, "rel": _REL, "alpha": _HALF, "judged_only": _JUDGED},
    "alpha_nDCG": {"cutoff": _CUT, "rel": _REL, "alpha": _HALF, "judged_only": _JUDGED},
    "nERR_IA": {"cutoff": _CUT, **_BINARY},
    "nNRBP": {"rel": _REL, "alpha": _HALF, "beta": _HALF},
}
_ALIASES = {
    "BPref": "Bpref",
    "MAP": "AP",
    "MAP_IA": "AP_IA",
    "MRR": "RR",
    "NDCG": "nDCG",
    "Precision": "P",
    "RPrec": "Rprec",
    "Recall": "R",
    "α_DCG": "alpha_DCG",
    "α_nDCG": "alpha_nDCG",
}
# {name, also that of an alias: measure}
registry = {name: Measure(name, parameters) for name, parameters in _PARAMETERS.items()}
registry |= {alias: registry[name] for alias, name in _ALIASES.items()}
registry |= {"NumRelRet": registry["NumRet"](rel=1), "SetRelP": registry["SetP"](relative=True)}


def __getattr__(name: str) -> Measure:
    """The measure of this name; type checkers take any name for one."""
    if name not in registry:
        raise AttributeError(f"ir_measures has no measure {name!r}{nearest(name, _PARAMETERS)}")
    return registry[name]


PYTREC_EVAL = 9  # the version of trec_eval whose names ir_measures has
# {trec_eval's name: (measure, the parameter behind the name)}
_TREC = {
    "P": ("P", "cutoff"),
    "Rprec": ("Rprec", ""),
    "bpref": ("Bpref", ""),
    "infAP": ("infAP", ""),
    "iprec_at_recall": ("IPrec", "recall"),
    "map": ("AP", ""),
    "map_cut": ("AP", "cutoff"),
    "ndcg": ("nDCG", ""),
    "ndcg_cut": ("nDCG", "cutoff"),
    "num_q": ("NumQ", ""),
    "num_rel": ("NumRel", ""),
    "num_rel_ret": ("NumRelRet", ""),
    "num_ret": ("NumRet", ""),
    "recall": ("R", "cutoff"),
    "recip_rank": ("RR", ""),
    "set_F": ("SetF", "beta"),
    "set_P": ("SetP", ""),
    "set_map": ("SetAP", ""),
    "set_recall": ("SetR", ""),
    "set_relative_P": ("SetRelP", ""),
    "success": ("Success", "cutoff"),
}


def parse_measure(measure: str | Measure) -> Measure:
    """The measure that a text names.

    >>> parse_measure("P(rel=2)@10")
    P(rel=2)@10
    """
    if isinstance(measure, Measure):
        return measure
    if not isinstance(measure, str):
        raise UnreadableMeasure(f"a measure is a text such as 'nDCG@10', not {measure!r}")
    try:
        node: Any = ast.parse(measure.strip(), mode="eval").body
        at: Any = None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            node, at = node.left, ast.literal_eval(node.right)
        params = {}
        if isinstance(node, ast.Call) and not node.args:
            params = {str(each.arg): ast.literal_eval(each.value) for each in node.keywords}
            node = node.func
        name = node.id
    except (AttributeError, SyntaxError, ValueError, RecursionError, MemoryError):
        raise UnreadableMeasure(
            f"cannot read the measure {measure!r}; a measure looks like nDCG, AP(rel=2) or P(rel=2)@10"
        ) from None
    if name not in registry:
        names = [measure.NAME for measure in registry.values()]
        raise UnknownMeasure(
            f"ir_measures has no measure {name!r}{nearest(name, names)}; "
            "rankgauge.evaluate has more, and `rankgauge measures` lists them"
        )
    named = registry[name](**params)
    return named if at is None else named @ at


def parse_trec_measure(measure: str) -> list[Measure]:
    """The measures that one of trec_eval's names stands for: `map`, `P`, `P_5,10`, `ndcg_cut.10`, `official`.

    >>> parse_trec_measure("P_3,8")
    [P@3, P@8]
    """
    if measure in NICKNAMES:
        members = sorted(name for name in NICKNAMES[measure] if name in known(PYTREC_EVAL))
        skipped = [name for name in members if name not in _TREC and name != "runid"]
        if skipped:
            warnings.warn(
                f"{measure}: ir_measures has no {', '.join(skipped)}; rankgauge.evaluate has", stacklevel=2
            )
        return [each for name in members if name in _TREC for each in parse_trec_measure(name)]
    if measure in _TREC:
        return _with_values(measure, MEASURES[measure].default)
    for name in sorted(_TREC, key=len, reverse=True):
        if re.fullmatch(rf"{re.escape(name)}[._][\d.]+(,[\d.]+)*", measure, re.ASCII) and _TREC[name][1]:
            return _with_values(name, measure[len(name) + 1 :])
    raise UnreadableMeasure(f"ir_measures has no measure for {measure!r}{nearest(measure, _TREC)}")


def _with_values(name: str, values: str) -> list[Measure]:
    measure, parameter = registry[_TREC[name][0]], _TREC[name][1]
    if not parameter or not values:
        return [measure]
    kind = measure.SUPPORTED_PARAMS[parameter].dtype
    try:
        return [measure(**{parameter: kind(value)}) for value in values.split(",")]
    except ValueError:
        raise UnreadableMeasure(f"{name}: {parameter} must be {kind.__name__}s, not {values!r}") from None
