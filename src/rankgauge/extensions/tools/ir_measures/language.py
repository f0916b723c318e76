"""Measures from texts: those of ir_measures, `P(rel=2)@10`, and trec_eval's names, `P_10`."""

from __future__ import annotations

import ast
import re
import warnings
from typing import Any

from rankgauge.compat.trec_eval.table import MEASURES, NICKNAMES, known
from rankgauge.extensions.tools.ir_measures.measures import (
    Measure,
    UnknownMeasure,
    UnreadableMeasure,
    registry,
)
from rankgauge.schema.text import nearest

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
    """The measure of a name with each of these values of its parameter."""
    measure, parameter = registry[_TREC[name][0]], _TREC[name][1]
    if not parameter or not values:
        return [measure]
    kind = measure.SUPPORTED_PARAMS[parameter].dtype
    try:
        return [measure(**{parameter: kind(value)}) for value in values.split(",")]
    except ValueError:
        raise UnreadableMeasure(f"{name}: {parameter} must be {kind.__name__}s, not {values!r}") from None
