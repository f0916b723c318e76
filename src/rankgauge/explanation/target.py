"""The definition, rules or tool behind a published number.

Ways to compute a value near the asked one are searched (`way_search`). Unless one gives the number, other
well-known measures are tried, each counting as one change. Among many ways some match by chance; the density
of their values near the number estimates how many.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any

from rankgauge.errors import OptionError
from rankgauge.explanation.one_run import OneRun
from rankgauge.explanation.report import SHOWN, Report, table_of
from rankgauge.explanation.way_search import DISTINCT, Found, Progress, Search, well_known
from rankgauge.explanation.ways import Way, set_to
from rankgauge.measures import Measure, parse
from rankgauge.model.output.documents import Document, Section
from rankgauge.model.output.tables import PLACES, Cell, Table, number
from rankgauge.model.rules import DocumentOrder, TopicRules
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.text import counted, format_number

SLACK = 1e-9  # of half a digit: tools round a value in the middle either way
MAX_DIGITS = 30  # after the point; no value has as many
NUMBER = r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*(%?)"
NEAREST = 10  # ways that are kept of those that do not match
NEAR, NEAR_SHARE = 20, 0.05  # values near a number: within so many half units, or this share of the number


class Target(Frozen):
    """A printed number: 0.3421 is any value from 0.34205 to 0.34215."""

    text: str
    number: float
    half: float  # half a unit of its last digit
    percent: bool = False  # whether it was written with a percent sign

    @classmethod
    def of(cls, given: Any) -> Target:
        """The number of a text such as `0.3421` or `34.21%`, or of a float."""
        text = str(float(given) if isinstance(given, Real) and not isinstance(given, int) else given).strip()
        is_number = isinstance(given, (str, Real, Decimal)) and not isinstance(given, bool)
        match = re.fullmatch(NUMBER, text) if is_number else None
        exponent = int(Decimal(match[1]).as_tuple().exponent) if match else MAX_DIGITS + 1
        if not match or abs(exponent) > MAX_DIGITS or not math.isfinite(float(match[1])):
            raise OptionError(f"target must be a finite number such as 0.3421 or 34.21%, not {given!r}")
        return cls(text, float(match[1]), float(Decimal(5).scaleb(exponent - 1)), bool(match[2]))

    @property
    def decimals(self) -> int:
        """The decimals that a value needs: four for 34.21%."""
        return max(0, -round(math.log10(2 * self.half))) + 2 * (self.percent or self.number > 1)

    def as_value_of(self, measure: Measure) -> tuple[float, float]:
        """(number, half a unit of its last digit) on the scale of a measure."""
        above = measure.spec.bounds[1] <= 1 and measure.average != "sum" and self.number - self.half > 1
        scale = 100 if self.percent or above else 1
        return self.number / scale, self.half / scale

    def difference(self, value: float, measure: Measure) -> float:
        """The value of a measure minus the target."""
        return value - self.as_value_of(measure)[0]

    def matches(self, value: float, measure: Measure) -> bool:
        """Whether the value of a measure is printed like this."""
        number, half = self.as_value_of(measure)
        return abs(value - number) <= half * (1 + SLACK)


@dataclass(frozen=True)
class Candidate:
    """A way to compute a value: a measure under rules."""

    measure: str
    rules: Mapping[str, str]  # those that differ from the rules asked for
    tools: tuple[str, ...]  # those that have this value
    changes: int  # settings that differ from what was asked for; a tool's own definition and rules are one
    value: float
    difference: float  # from the target


@dataclass(frozen=True, repr=False)
class TargetSearch(Report):
    """The definitions, rules and tools that give a published number."""

    run: str
    topic: str | None
    target: str  # as it was given
    measure: str | None  # that was asked for
    value: float | None  # of that measure
    matches: tuple[Candidate, ...]  # those that are printed like the target, the closest definition first
    nearest: tuple[Candidate, ...]  # of the others, the nearest values first
    tried: int
    values: int  # different values of the ways tried ...
    expected_by_chance: float  # ... and how many of them match a number by chance, if it is near this one
    notes: tuple[str, ...]

    def document(self, *, limit: int = SHOWN, places: int = PLACES) -> Document:
        """The result as a document to print; long tables are cut at `limit` rows."""
        where = f"run {self.run}" if self.topic is None else f"topic {self.topic} of run {self.run}"
        decimals = Target.of(self.target).decimals
        places = max(places, decimals + 2)  # so that a table shows why a value matches or not
        sections = [Section("What was found", (*self._summary(places), *self.notes))]
        if self.matches:
            hidden = len(self.matches) - limit
            cut = (f"The first {limit}; {hidden} more match.",) if hidden > 0 else ()
            sections.append(Section("Matches", cut, self._table(self.matches[:limit], places)))
        if self.nearest:
            title = "Nearest of the others" if self.matches else "Nearest"
            sections.append(Section(title, (), self._table(self.nearest[:limit], places)))
        return Document(f"Which definition gives {self.target} for {where}?", tuple(sections))

    def _summary(self, places: int) -> Iterator[str]:
        ways = f"Tried {counted(self.tried, 'definition')}"
        if len(self.matches) == 1:
            yield f"{ways}; one gives {self.target}: {_described(self.matches[0])}."
        elif self.matches:
            yield f"{ways}; {len(self.matches)} give {self.target} (closest to yours first)."
            yield "The digits given cannot tell these apart; more digits, or the values of topics, can."
        elif self.nearest:
            first = self.nearest[0]
            value = f"{number(first.value, places)} ({first.difference:+.{places}f})"
            yield f"{ways}; none gives {self.target}. The nearest is {_described(first)}: {value}."
        else:
            yield f"{ways}; none has a value."
        if self.measure is not None and self.matches:
            of, match = "run" if self.topic is None else "topic", self.matches[0].measure
            if parse(match).spec != parse(self.measure).spec:
                yield f"{self.target} is the {of}'s {match}, another measure than {self.measure}."
        if self.values:
            chance = self.expected_by_chance
            matches = f"about {chance:.2f}" if chance >= 0.01 else "fewer than 0.01"
            yield f"They give {counted(self.values, 'distinct value')}; {matches} would match by chance."
        if self.measure is not None and self.value is not None:
            yield f"{self.measure} itself is {number(self.value, places, 'undefined')}."

    def _table(self, candidates: Sequence[Candidate], places: int) -> Table:
        rows: list[dict[str, Cell]] = [
            {
                "measure": each.measure,
                "settings changed": set_to(each.rules),
                "tools": ", ".join(each.tools),
                "value": number(each.value, places),
                "difference": f"{each.difference:+.{places}f}",
                "changes": each.changes,
            }
            for each in candidates
        ]
        return table_of(rows)


def _described(candidate: Candidate) -> str:
    rules = f" with {set_to(candidate.rules)}" if candidate.rules else ""
    tools = f" (as {', '.join(candidate.tools)})" if candidate.tools else ""
    return f"{candidate.measure}{rules}{tools}"


def find_target(
    one: OneRun,
    target: Target,
    measure: Measure | None,
    order: DocumentOrder,
    topics: TopicRules,
    progress: Progress | None = None,
) -> TargetSearch:
    """The ways to compute a value that give the target."""
    by_subtopic = one.by_subtopic
    measures = well_known(by_subtopic=by_subtopic) if measure is None else [measure]
    asked = [Way(each, order, topics) for each in measures]
    if measure is not None:
        one.values(measure, order)  # an error if it cannot be used
    rules = order.as_dict() | (topics.as_dict() if one.place is None else {})
    search = Search(one, asked, progress)
    found = search.run()
    value = None if measure is None else one.value(asked[0])
    if measure is not None and value is not None and not target.matches(value, measure):
        found += search.of_measures(well_known(by_subtopic=by_subtopic))
    matching = [each for each in found if target.matches(each.value, each.way.measure)]
    others = [each for each in found if not target.matches(each.value, each.way.measure)]

    def off(each: Found) -> float:
        return abs(target.difference(each.value, each.way.measure))

    matching.sort(key=lambda each: each.distance)
    others.sort(key=lambda each: (off(each), each.distance))
    values, chance = matches_by_chance(target, found)
    apart: dict[tuple[str, float], Found] = {}
    for each in others:  # several rules or cutoffs may have the same effect
        apart.setdefault((each.way.measure.spec.name, each.value), each)
    candidates = [
        Candidate(
            str(each.way.measure),
            {name: rule for name, rule in each.way.rules_unlike(asked[0]).items() if name in rules},
            tuple(each.tools),
            each.distance[0],
            each.value,
            target.difference(each.value, each.way.measure),
        )
        for each in (*matching, *[*apart.values()][:NEAREST])
    ]
    return TargetSearch(
        run=one.run.name,
        topic=None if one.place is None else one.topics[one.place],
        target=target.text,
        measure=None if measure is None else str(measure),
        value=value,
        matches=tuple(candidates[: len(matching)]),
        nearest=tuple(candidates[len(matching) :]),
        tried=search.tried,
        values=values,
        expected_by_chance=chance,
        notes=(*_notes(target, measure, found=bool(matching)), *(f"{note}." for note in one.notes(order))),
    )


def matches_by_chance(target: Target, found: Sequence[Found]) -> tuple[int, float]:
    """(different values, how many of them would match if each near the number were anywhere near it).

    Near is a window around the number, from 0 on unless the number is negative.
    """
    distinct = {round(each.value, DISTINCT): each for each in found}.values()
    window = max(NEAR, NEAR_SHARE * abs(target.number) / target.half)  # in half units, as the following
    below = window if target.number < 0 else min(window, target.number / target.half)
    offs = [
        target.difference(each.value, each.way.measure) / target.as_value_of(each.way.measure)[1]
        for each in distinct
    ]
    near = sum(-below <= off <= window for off in offs)
    return len(offs), near * (1 + min(1, below)) / (window + below)


def _notes(target: Target, measure: Measure | None, *, found: bool) -> Iterator[str]:
    if measure is not None:
        (number, half), (low, high) = target.as_value_of(measure), measure.bounds
        if measure.average != "sum" and not low - half <= number <= high + half:
            most = f" to {format_number(high)}" if math.isfinite(high) else " upwards"
            name, least = measure.spec.name, format_number(low)
            yield f"{target.text} cannot be a value of {name}, which goes from {least}{most}."
            return
        if number != target.number and not target.percent:
            yield f"{target.text} is taken as a percentage."
    if not found:
        yield "The number may come from other judgments, another version of the run, or other gains."
