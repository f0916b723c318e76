"""The search among ways to compute a value, near those that are asked for.

All ways with one change (of the cutoff, of a parameter of the measure, or of a rule) are tried, then those
with two, and so on, up to a number of evaluations. A way that has the same value without one of its changes
is passed over.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

from rankgauge.errors import MeasureError
from rankgauge.explanation.one_run import OneRun
from rankgauge.explanation.ways import ACROSS_TOPICS, Way, choices, other_tools
from rankgauge.measures import Measure, parse
from rankgauge.measures.settings import build
from rankgauge.measures.spec import JUDGED_ONLY, NEGATIVES, REL
from rankgauge.model.rules import OVER_ORDERS

CUTOFFS = (None, 10, 5, 20, 100, 1000)
# Measures that are tried if none is asked for.
WELL_KNOWN = (
    "nDCG",
    "AP",
    "P",
    "R",
    "RR",
    "Rprec",
    "Bpref",
    "ERR",
    "RBP",
    "Success",
    "F",
    "Q",
    "DCG",
    "infAP",
)
OF_SUBTOPICS = ("alpha_nDCG", "ERR_IA", "nERR_IA", "NRBP", "AP_IA", "P_IA", "StRecall", "D_nDCG")
MAX_CHANGES, MAX_OF_MANY = 3, 2  # at once; around each of many measures
MAX_EVALUATIONS = 800  # of measures under orders of documents
MIN_EVALUATIONS = 24  # of each measure that is started from, if there are many
# What is changed, from the most to the least likely; other parameters come between the two. Rules are marked,
# as a parameter may have the name of a rule.
CUTOFF, DEFINITION, RULE, MEASURE = "@", "variant", "--", "measure"
LIKELY = (CUTOFF, "gains", "--missing", REL.name, DEFINITION, "average", "--score_precision", "--undefined")
UNLIKELY = (JUDGED_ONLY.name, "--order", "--ties", MEASURE)
ORDERS = ("--ties", "--order", "--score_precision")
DISTINCT = 12  # decimals in which different values differ

Changes = frozenset[tuple[str, object]]  # of (what, the new value)
Progress = Callable[[int, int], None]  # (done, total) in evaluations


@dataclass
class Found:
    """A way to compute a value, and its changes."""

    way: Way
    changes: Changes
    value: float
    tools: list[str] = field(default_factory=list)  # those that have this value

    @property
    def distance(self) -> tuple[int, bool, int]:
        """The number of changes; a tool's own computation counts as one."""
        steps = min(len(self.changes), 1) if self.tools else len(self.changes)
        return steps, not self.tools, sum(_unlikeliness(what) for what, _ in self.changes)


def _unlikeliness(what: str) -> int:
    if what in LIKELY:
        return LIKELY.index(what)
    return len(LIKELY) + (UNLIKELY.index(what) + 1 if what in UNLIKELY else 0)


def well_known(*, by_subtopic: bool) -> Iterator[Measure]:
    """Well-known measures, at the usual cutoffs."""
    for name in OF_SUBTOPICS if by_subtopic else WELL_KNOWN:
        spec = parse(name).spec
        for cutoff in CUTOFFS if spec.curve else (None,):
            yield build(spec, {}, cutoff)


class Search:
    """A search among ways to compute a value of one run."""

    def __init__(self, one: OneRun, asked: Sequence[Way], progress: Progress | None = None) -> None:
        self._one, self._asked = one, asked
        self._levels = one.levels
        self._most = MAX_CHANGES if len(asked) == 1 else MAX_OF_MANY
        self._budget = max(MIN_EVALUATIONS, MAX_EVALUATIONS // len(asked))
        self._progress = progress or (lambda done, total: None)
        self._done = 0
        self.tried = 0  # ways that have a value

    def run(self) -> list[Found]:
        """The ways that were tried, without changes of no effect."""
        found: dict[tuple[str, ...], Found] = {}
        for count, asked in enumerate(self._asked, 1):
            for each in self._around(asked):
                found.setdefault(each.way.key, each)
            self._report(count * self._budget)
        return list(found.values())

    def _around(self, asked: Way) -> list[Found]:
        axes = self._axes(asked)
        values: dict[Changes, float] = {}
        found: list[Found] = []
        left = self._budget
        for count in range(min(self._most, len(axes)) + 1):
            ways = self._changed(asked, axes, count)
            needed = {way.evaluation: None for way in ways.values()}
            allowed = dict.fromkeys([*needed][: max(0, left)])
            left -= len(allowed)
            for measure, order in allowed:
                self._one.found(measure, order)
                self._report(self._done + 1)
            for changes, way in ways.items():
                value = self._one.value(way) if way.evaluation in allowed else None
                if value is None or math.isnan(value):
                    continue
                self.tried += 1
                values[changes] = value
                if all(values.get(changes - {change}) != value for change in changes):
                    found.append(Found(way, changes, value))
        return [*found, *self._of_tools(asked, found)]

    def of_measures(self, measures: Iterable[Measure]) -> Iterator[Found]:
        """Other measures under the same rules, without equal values."""
        asked, found = self._asked[0], dict[float, Found]()
        for measure in measures:
            way = asked._replace(measure=measure)
            value = None if measure.spec == asked.measure.spec else self._one.value(way)
            if value is not None and not math.isnan(value):
                self.tried += 1
                change = (MEASURE, str(measure))
                found.setdefault(round(value, DISTINCT), Found(way, frozenset({change}), value))
        yield from found.values()

    def _axes(self, asked: Way) -> dict[str, list[object]]:
        """{what can be changed: its other values}."""
        measure, spec = asked.measure, asked.measure.spec
        axes: dict[str, list[object]] = {}
        if spec.curve and len(self._asked) == 1:
            axes[CUTOFF] = [cutoff for cutoff in CUTOFFS if cutoff != measure.cutoff]
        declared = [dict(parse(text).settings) for text in spec.variants]
        varied = {name for settings in declared for name in settings}
        kept = {name: value for name, value in measure.settings.items() if name not in varied}
        variants = [kept | settings for settings in declared]
        axes[DEFINITION] = [tuple(settings.items()) for settings in variants if settings != measure.settings]
        for parameter in spec.parameters:
            if self._one.place is None or parameter.name not in ACROSS_TOPICS:
                axes[parameter.name] = list(choices(parameter, self._levels))
        for rule in self._one.other_rules(asked):
            for name, value in rule.items():
                without_effect = self._one.place is not None and name in asked.topics.as_dict()
                slow = value in OVER_ORDERS and len(self._asked) > 1
                if not (without_effect or slow):
                    axes.setdefault(RULE + name, []).append(value)
        return {what: axes[what] for what in sorted(axes, key=_unlikeliness) if axes[what]}

    def _changed(self, asked: Way, axes: Mapping[str, list[object]], count: int) -> dict[Changes, Way]:
        """{changes: way} of the ways with this many changes, the most likely first."""
        ways: dict[Changes, Way] = {}
        orders = sorted(combinations(axes, count), key=lambda names: sum(map(_unlikeliness, names)))
        for names in orders:
            if count == self._most and not {*names}.isdisjoint(ORDERS):  # there are many orders
                continue
            for values in product(*(axes[name] for name in names)):
                changes = dict(zip(names, values, strict=True))
                way = _with(asked, changes)
                if way is not None and (not count or way.key != asked.key):
                    ways[frozenset(changes.items())] = way
        return ways

    def _report(self, done: int) -> None:
        self._done = done
        self._progress(done, self._budget * len(self._asked))

    def _of_tools(self, asked: Way, found: Sequence[Found]) -> Iterator[Found]:
        """Ways of other tools that are not among those found, which get the names of tools."""
        further: dict[tuple[str, ...], Found] = {}
        for name, way in other_tools(asked):
            value = self._one.value(way)
            if value is None or math.isnan(value):
                continue
            alike = [each for each in (*found, *further.values()) if each.value == value]
            same = [each for each in alike if each.way.key == way.key]
            close = [each for each in alike if each.way.measure in (way.measure, asked.measure)]
            if same or close:
                tools = (same or close)[0].tools
                tools += [name] * (name not in tools)
            else:
                self.tried += 1
                rules = {(RULE + rule, value) for rule, value in way.rules_unlike(asked).items()}
                changes = frozenset(rules) | {(DEFINITION, str(way.measure))}
                further[way.key] = Found(way, changes, value, [name])
        yield from further.values()


def _with(asked: Way, changes: Mapping[str, Any]) -> Way | None:
    measure = asked.measure
    rules = {what.removeprefix(RULE): str(rule) for what, rule in changes.items() if what.startswith(RULE)}
    settings: dict[str, Any] = dict(changes.get(DEFINITION, measure.settings))
    parameters = {parameter.name for parameter in measure.spec.parameters}
    settings |= {name: value for name, value in changes.items() if name in parameters}
    if not settings.get(JUDGED_ONLY.name) and not measure.spec.own_negatives:
        settings.pop(NEGATIVES.name, None)  # meaningless without judged_only
    cutoff = changes.get(CUTOFF, measure.cutoff)
    try:
        return asked.under(**rules)._replace(measure=build(measure.spec, settings, cutoff))
    except MeasureError:
        return None
