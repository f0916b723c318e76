"""Explanations of a mean: the topics that carry it, and its value by other definitions, rules and tools."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate
from statistics import median
from typing import Any

from rankgauge.explanation.sections import by_other_definitions, on_run, on_ties
from rankgauge.explanation.ways import set_to
from rankgauge.model.output.documents import Document, Section, notebook, screen_lines
from rankgauge.model.output.tables import PLACES, Cell, Table, number
from rankgauge.schema.json_text import json_value
from rankgauge.schema.text import counted

SHOWN = 20  # rows of a table; the rest is summarised


@dataclass(frozen=True)
class TopicValue:
    """The value of one topic, and its part in the mean."""

    topic: str
    value: float  # NaN if it is undefined
    retrieved: int  # number of documents
    counts: bool  # False if it is left out of the mean
    contribution: float | None  # to the value of the run: contributions add up to it; None if they cannot


@dataclass(frozen=True)
class Alternative:
    """The value of the run under another rule, or as another tool computes it."""

    name: str  # the rule or the tool
    measure: str
    rules: Mapping[str, str]  # those that differ from the rules of the explanation
    value: float


@dataclass(frozen=True, repr=False)
class MeanExplanation:
    """How the value of a measure for a run comes from the values of its topics."""

    run: str
    measure: str  # canonical text
    average: str  # the kind of average
    value: float
    definition: Mapping[str, str]  # title, formula, source, gains, parameters, rules
    topics: tuple[TopicValue, ...]  # of all judged topics, the best first
    missing: int  # judged topics without results
    undefined: int  # topics that count and have no value
    variants: Mapping[str, float]  # {measure: value} of other definitions of the same name
    rules: tuple[Alternative, ...]  # the value under other rules
    tools: tuple[Alternative, ...]  # the value as other tools compute it
    decisive_ties: int  # ties between documents with different judgments
    ties: str  # the rule for ties
    notes: tuple[str, ...] = ()  # what may be wrong with the run

    @property
    def counted(self) -> tuple[TopicValue, ...]:
        """The topics that count, the best first."""
        return tuple(each for each in self.topics if each.counts)

    def as_dict(self) -> dict[str, Any]:
        """The explanation as JSON takes it: null is undefined or does not apply; infinity is "inf"."""
        fields: dict[str, Any] = json_value(asdict(self), infinity="text")
        return fields

    def document(self, *, limit: int = SHOWN, places: int = PLACES) -> Document:
        """The explanation as a document to print; long tables are cut at `limit` rows."""
        value = "is undefined" if math.isnan(self.value) else f"is {number(self.value, places)}"
        sections = (
            *on_run(self.notes),
            Section("Definition", (), Table(("what", "how"), list(self.definition.items()))),
            self._summary(),
            self._topics(limit),
            *by_other_definitions("run", self.variants, self.value),
            *self._under_rules(),
            *self._by_tools(),
            *on_ties(self.decisive_ties, self.ties),
        )
        return Document(f"{self.measure} of run {self.run} {value}", sections)

    def _summary(self) -> Section:
        values = [each.value for each in self.counted if not math.isnan(each.value)]
        zero = sum(value == 0 for value in values)
        rows: list[tuple[str, Cell]] = [
            ("judged topics", len(self.topics)),
            ("topics that count", len(self.counted)),
            ("topics without results", self.missing),
            ("topics without a value", self.undefined),
            ("topics with the value 0", zero),
        ]
        if values:
            rows += [
                ("share of topics with the value 0", zero / len(self.counted)),
                ("highest value", max(values)),
                ("median", median(values)),
                ("lowest value", min(values)),
            ]
        sentences = []
        if self.missing:
            left = len(self.topics) - len(self.counted)
            sentences.append(
                f"{counted(self.missing, 'judged topic')} without results "
                f"{'left out' if left else 'counted as empty results'}."
            )
        if self.undefined:
            which = self.definition["undefined"].partition(" ")[0]
            sentences.append(
                f"{counted(self.undefined, 'topic')} without a value, by the rule undefined={which}."
            )
        return Section("Topics in numbers", tuple(sentences), Table(("what", "number"), rows))

    def _topics(self, limit: int) -> Section:
        topics = self.counted
        shares = [self._share(each) for each in topics]
        rows: list[tuple[Cell, ...]] = [
            (each.topic, each.value, each.contribution, share, each.retrieved)
            for each, share in zip(topics, shares, strict=True)
        ]
        if len(rows) > limit:
            first = (limit + 1) // 2
            last = len(rows) - (limit - first)
            hidden = topics[first:last]
            parts = [each.contribution for each in hidden if each.contribution is not None]
            total = math.fsum(parts) if parts else None
            share = None if total is None or not self.value else total / self.value
            gap = (f"({counted(len(hidden), 'more topic')})", None, total, share, None)
            rows[first:last] = [gap]
        headers = ("topic", "value", "contribution", "share", "retrieved")
        used = [n for n in range(len(headers)) if any(row[n] is not None for row in rows) or n < 2]
        table = Table([headers[n] for n in used], [[row[n] for n in used] for row in rows])
        return Section("Topics, the best first", tuple(self._carriers(shares)), table)

    def _share(self, topic: TopicValue) -> float | None:
        return None if topic.contribution is None or not self.value else topic.contribution / self.value

    def _carriers(self, shares: Sequence[float | None]) -> Iterator[str]:
        """How many topics make up half of the value."""
        known = [share for share in shares if share is not None]
        if any(share is not None for share in shares):
            yield "contribution: what the topic adds to the value. share: of the value."
        if len(known) == len(shares) > 1 and min(known) >= 0 and math.isfinite(sum(known)):
            falling = sorted(known, reverse=True)
            half = next(n for n, total in enumerate(accumulate(falling), 1) if total >= 0.5 - 1e-12)
            verb = "makes" if half == 1 else "make"
            yield f"{counted(half, 'topic')} of {len(shares)} {verb} up half of the value."

    def _under_rules(self) -> Iterator[Section]:
        changing = [each for each in self.rules if not _same(each.value, self.value)]
        same = [each.name for each in self.rules if _same(each.value, self.value)]
        sentences = (f"No difference: {', '.join(same)}.",) if same else ()
        if self.rules:
            rows = [(each.name, each.value, each.value - self.value) for each in changing]
            table = Table(("rule", "value", "difference"), rows) if rows else None
            yield Section("Under other rules", sentences, table)

    def _by_tools(self) -> Iterator[Section]:
        groups: dict[tuple[str, float], list[Alternative]] = {}
        for each in self.tools:
            groups.setdefault((each.measure, each.value), []).append(each)
        rows: list[tuple[Cell, ...]] = [
            (_names(group), measure, set_to(_shared_rules(group)), value, value - self.value)
            for (measure, value), group in groups.items()
        ]
        if rows:
            headers = ("tools", "measure", "rules that differ", "value", "difference")
            used = [n for n in range(len(headers)) if any(row[n] != "" for row in rows)]
            table = Table([headers[n] for n in used], [[row[n] for n in used] for row in rows])
            yield Section("As other tools compute it", (), table)

    def __repr__(self) -> str:
        return "\n".join(screen_lines(self.document()))

    def _repr_html_(self) -> str:
        return notebook(self.document())


def _names(tools: Sequence[Alternative]) -> str:
    return ", ".join(dict.fromkeys(each.name for each in tools))


def _shared_rules(tools: Sequence[Alternative]) -> Mapping[str, str]:
    """The rules that tools with equal values share; those of one of them if other rules do the same."""
    shared = set.intersection(*({*each.rules.items()} for each in tools))
    fewest = min((each.rules for each in tools), key=len)
    return {name: rule for name, rule in fewest.items() if (name, rule) in shared} or fewest


def _same(value: float, other: float) -> bool:
    return value == other or (math.isnan(value) and math.isnan(other))
