"""What is behind a column of the output: our measure, or trec_eval's own way to combine several."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from rankgauge.compat.trec_eval.columns import Column, ParameterError
from rankgauge.compat.trec_eval.options import Options
from rankgauge.compat.trec_eval.table import MEASURES
from rankgauge.measures import Measure, parse
from rankgauge.measures.settings import build
from rankgauge.rankings.array_types import Floats
from rankgauge.rankings.arrays import JudgedRankings
from rankgauge.schema.text import format_number

RELEVANT = 1  # the lowest relevant grade where trec_eval pays no attention to -l

Formula = Callable[[JudgedRankings], Floats]  # the value of every topic, NaN where it is undefined


def formula(column: Column, options: Options, levels: Sequence[float]) -> Formula:
    """How a column's values are computed; `levels` are the grades of the judgments."""
    if column.entry.name == "set_F":
        return _set_f(column, options, levels)
    if column.entry.name == "Rndcg":
        return _rndcg(column, options, levels)
    return measure(column, options, levels).value


def _set_f(column: Column, options: Options, levels: Sequence[float]) -> Formula:
    """F from precision and recall, rounded as in trec_eval: F itself may differ in the last bit."""
    measure(column, options, levels)  # checks the parameter
    x = column.parameters[0] if column.parameters else 1.0
    precision, recall = (
        measure(Column(MEASURES[name], name), options, levels) for name in ("set_P", "set_recall")
    )

    def values(judged: JudgedRankings) -> Floats:
        p, r = precision.value(judged), recall.value(judged)
        found = p * r > 0  # False where one of them is undefined
        return np.where(found, (x + 1) * p * r / np.where(found, x * p + r, 1), 0)

    return values


def _rndcg(column: Column, options: Options, levels: Sequence[float]) -> Formula:
    """Rndcg, which is 0 for a topic without documents of the level of -l, whatever their gains."""
    ndcg = measure(column, options, levels)
    relevant = measure(Column(MEASURES["num_rel"], "num_rel"), options, levels)
    return lambda judged: np.where(relevant.value(judged) > 0, ndcg.value(judged), 0)


def measure(column: Column, options: Options, levels: Sequence[float]) -> Measure:
    """Our measure for a column, with the options of the command; `levels` are the grades of the judgments."""
    name = column.entry.name.removesuffix("_avgjg")
    at = column.entry.takes in ("cutoffs", "levels")
    named = parse(f"{name}_{format_number(column.parameters[0])}" if at else name)
    settings = dict(named.settings)
    can = {parameter.name for parameter in named.spec.parameters}
    if "rel" in can and name != "rbp":  # which has gains and no level
        settings["rel"] = options.level
    if "levels" in can:
        settings["levels"] = f"trec{options.rules}"
    if options.judged_only:
        settings["judged_only"] = True
    if options.docs is not None and "docs" in can:
        settings["docs"] = options.docs
    settings |= _numbered(column) | _paired(column, levels)
    return build(named.spec, settings, named.cutoff)


def _numbered(column: Column) -> dict[str, object]:
    """Settings from a list of numbers."""
    name, numbers = column.entry.name, column.parameters
    if column.entry.takes != "numbers" or not numbers:
        return {}
    if name == "11pt_avg":
        return {"points": sorted(numbers)}
    names = {"utility": ("a", "b", "c", "d"), "set_F": ("x",)}[name]
    if len(numbers) != len(names):
        raise ParameterError(f"{name} takes {len(names)} numbers, {', '.join(names)}, not {len(numbers)}")
    if name == "utility":
        return dict(zip(names, numbers, strict=True))
    if numbers[0] < 0:
        raise ParameterError(
            f"set_F: x, the square of beta, must not be below 0, and is {format_number(numbers[0])}"
        )
    return {"beta": math.sqrt(numbers[0])}


def _paired(column: Column, levels: Sequence[float]) -> dict[str, object]:
    """Settings from pairs: the gains of some grades (other grades are their own gain), or p."""
    settings: dict[str, object] = {}
    gains = {level: level for level in levels if level > 0}
    mapped = False
    for name, value in column.pairs:
        if name == "p" and column.entry.name in ("rbp", "rbp_resid"):
            settings["p"] = value
            continue
        try:
            grade = float(int(name))
        except ValueError:
            raise ParameterError(
                f"{column.entry.name}: {name!r} in {column.label!r} is not a grade; a pair is GRADE=GAIN"
            ) from None
        gains[grade] = value
        mapped = True
    return settings | ({"gains": gains} if mapped else {})
