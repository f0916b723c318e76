"""Formulas of the output's columns: one of our measures, or trec_eval's own combination of several."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from rankgauge.compat.trec_eval.columns import MEASURES, Column, ParameterError, Settings
from rankgauge.measures import Measure, parse
from rankgauge.measures.rankings.discounts import natural_logarithms
from rankgauge.measures.settings import build
from rankgauge.model.rules import LEAST_OF_GEOMETRIC
from rankgauge.schema.text import format_number

RELEVANT = 1  # the lowest relevant grade where trec_eval pays no attention to -l

# From judged rankings, recorded ones or arrays, to the value of a column for every topic; NaN where it is
# undefined.
Formula = Callable[[Any], Any]


def formula(column: Column, settings: Settings, levels: Sequence[float]) -> Formula:
    """The formula of a column; `levels` are the grades of the judgments."""
    if column.entry.name == "set_F":
        return _set_f(column, settings, levels)
    if column.entry.name == "Rndcg":
        return _rndcg(column, settings, levels)
    return measure(column, settings, levels).value


def measures(column: Column, settings: Settings, levels: Sequence[float]) -> list[Measure]:
    """The measures that the formula of a column uses."""
    used = [measure(column, settings, levels)]
    if column.entry.name in _PARTS:
        used += (
            measure(Column(MEASURES[name], name), settings, levels) for name in _PARTS[column.entry.name]
        )
    return used


_PARTS = {"set_F": ("set_P", "set_recall"), "Rndcg": ("num_rel",)}  # what trec_eval combines


def shown(column: Column, values: list[float]) -> list[float]:
    """The values of topics in trec_eval: 0 if undefined, logarithms for a geometric mean."""
    if math.isnan(sum(values)):
        values = [0.0 if value != value else value for value in values]
    if is_geometric(column):
        return [math.log(max(value, LEAST_OF_GEOMETRIC)) for value in values]
    return values


def is_geometric(column: Column) -> bool:
    """Whether the summary of a column is a geometric mean."""
    return column.entry.name.startswith("gm_")


def as_shown(column: Column, value: Formula) -> Formula:
    """The values as `shown`, of a formula."""

    def values(judged: Any) -> Any:
        found = value(judged)
        known = judged.chosen(found == found, found, 0.0)  # not NaN
        return natural_logarithms(known.clip(min=LEAST_OF_GEOMETRIC)) if is_geometric(column) else known

    return values


def _set_f(column: Column, settings: Settings, levels: Sequence[float]) -> Formula:
    """F, rounded as in trec_eval."""
    _, precision, recall = measures(column, settings, levels)  # the first checks the parameter
    x = column.parameters[0] if column.parameters else 1.0

    def f(judged: Any) -> Any:
        p, r = precision.value(judged), recall.value(judged)
        # not above 0 where one of them is undefined
        return judged.chosen(p * r > 0, (x + 1) * p * r / (x * p + r), 0.0)

    return lambda judged: judged.applied(f, {})


def _rndcg(column: Column, settings: Settings, levels: Sequence[float]) -> Formula:
    """Rndcg, which is 0 without documents of the level of -l."""
    ndcg, relevant = measures(column, settings, levels)
    return lambda judged: judged.chosen(relevant.value(judged) > 0, ndcg.value(judged), 0.0)


def measure(column: Column, settings: Settings, levels: Sequence[float]) -> Measure:
    """Our measure for a column; `levels` are the grades of the judgments."""
    name = column.entry.name.removesuffix("_avgjg")
    at = column.entry.takes in ("cutoffs", "levels")
    named = parse(f"{name}_{format_number(column.parameters[0])}" if at else name)
    stated = dict(named.settings)
    can = {parameter.name for parameter in named.spec.parameters}
    if named.spec.binary and name != "rbp":  # which has gains and no level
        stated["rel"] = settings.level
    if "levels" in can:
        stated["levels"] = f"trec{settings.rules}"
    if settings.judged_only:
        stated["judged_only"] = True
    if settings.docs is not None and "docs" in can:
        stated["docs"] = settings.docs
    stated |= _numbered(column) | _paired(column, levels)
    return build(named.spec, stated, named.cutoff)


def _numbered(column: Column) -> dict[str, object]:
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
    """Settings from pairs: gains of grades, or p."""
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
