"""Explanations of a mean: the topics that carry it, and its value by other definitions, rules and tools."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import median
from typing import Any

from rankgauge.explanation.one_run import OneRun
from rankgauge.explanation.report import SHOWN, ValueExplanation, table_of
from rankgauge.explanation.ways import Way, definition, other_tools, set_to, variants
from rankgauge.model.output.documents import Document, Section
from rankgauge.model.output.tables import PLACES, Cell, Table
from rankgauge.schema.text import counted


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
    """The value of the run by another definition, rule or tool."""

    name: str  # the definition, the rule or the tool
    measure: str
    rules: Mapping[str, str]  # those that differ from the rules of the explanation
    value: float


@dataclass(frozen=True, repr=False, kw_only=True)
class MeanExplanation(ValueExplanation):
    """The value of a measure for a run, from those of its topics."""

    average: str  # the kind of average
    topics: tuple[TopicValue, ...]  # of all judged topics, the best first
    missing: int  # judged topics without results
    undefined: int  # topics that count and have no value
    rules: tuple[Alternative, ...]  # the value with other settings
    tools: tuple[Alternative, ...]  # the value as other tools compute it

    @property
    def counted(self) -> tuple[TopicValue, ...]:
        """The topics that count, the best first."""
        return tuple(each for each in self.topics if each.counts)

    def document(self, *, limit: int = SHOWN, places: int = PLACES) -> Document:
        """The explanation as a document to print; long tables are cut at `limit` rows."""
        others = [*self.by_other_definitions("run"), *self._under_rules(), *self._by_tools()]
        return self.printed(f"run {self.run}", [self._summary(), self._topics(limit)], others, places)

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
        rows = [self._row(each.topic, each.value, each.contribution, each.retrieved) for each in topics]
        shares = [row["share"] for row in rows]
        if len(rows) > limit:
            first = (limit + 1) // 2
            last = len(rows) - (limit - first)
            hidden = topics[first:last]
            parts = [each.contribution for each in hidden if each.contribution is not None]
            total = math.fsum(parts) if parts else None
            rows[first:last] = [self._row(f"({counted(len(hidden), 'more topic')})", None, total, None)]
        table = table_of(rows, always=("topic", "value"))
        return Section("Topics, the best first", tuple(self._carriers(shares)), table)

    def _row(
        self, topic: str, value: float | None, contribution: float | None, retrieved: int | None
    ) -> dict[str, Any]:
        share = None if contribution is None or not self.value else contribution / self.value
        return {
            "topic": topic,
            "value": value,
            "contribution": contribution,
            "share": share,
            "retrieved": retrieved,
        }

    def _carriers(self, shares: Sequence[float | None]) -> Iterator[str]:
        known = [share for share in shares if share is not None]
        if known:
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
            yield Section("With other settings", sentences, table)

    def _by_tools(self) -> Iterator[Section]:
        groups: dict[tuple[str, float], list[Alternative]] = {}
        for each in self.tools:
            groups.setdefault((each.measure, each.value), []).append(each)
        rows: list[dict[str, Cell]] = [
            {
                "tools": ", ".join(dict.fromkeys(each.name for each in group)),
                "measure": measure,
                "settings changed": set_to(_shared_rules(group)),
                "value": value,
                "difference": value - self.value,
            }
            for (measure, value), group in groups.items()
        ]
        if rows:
            yield Section("As other tools compute it", (), table_of(rows))


def _shared_rules(tools: Sequence[Alternative]) -> Mapping[str, str]:
    """The rules that tools with equal values share."""
    shared = set.intersection(*({*each.rules.items()} for each in tools))
    fewest = min((each.rules for each in tools), key=len)
    return {name: rule for name, rule in fewest.items() if (name, rule) in shared} or fewest


def _same(value: float, other: float) -> bool:
    return value == other or (math.isnan(value) and math.isnan(other))


def explain_mean(one: OneRun, asked: Way) -> MeanExplanation:
    """The explanation of the value of a run."""
    measure = asked.measure
    values = one.values(measure, asked.order)  # an error if the measure cannot be used
    retrieved = one.retrieved(asked.order)
    value = one.value(asked)
    assert value is not None
    counts = asked.topics.counts(retrieved.retrieved).tolist()
    parts = _contributions(asked, values.values, values.weights, counts)
    rows = zip(one.topics, values.values, retrieved.retrieved.tolist(), counts, parts, strict=True)
    topics = [TopicValue(*row) for row in rows]
    best = -1 if measure.spec.direction >= 0 else 1
    topics.sort(key=lambda each: (math.isnan(each.value), best * each.value, each.topic))
    levels = one.levels
    changed = ((str(each), asked._replace(measure=each)) for each in variants(measure, levels, averages=True))
    other_rules = ((set_to(rule), asked.under(**rule)) for rule in one.other_rules(asked))
    return MeanExplanation(
        run=one.run.name,
        measure=str(measure),
        average=measure.average,
        value=value,
        definition=dict(
            definition(
                measure,
                levels,
                asked.order,
                int(retrieved.retrieved.max(initial=0)),
                asked.topics,
                recoding=one.qrels.recoding,
            )
        ),
        topics=tuple(topics),
        missing=int((retrieved.retrieved == 0).sum()),
        undefined=sum(math.isnan(each.value) for each in topics if each.counts),
        variants={each.name: each.value for each in _alternatives(one, asked, changed)},
        rules=_alternatives(one, asked, other_rules),
        tools=_alternatives(one, asked, other_tools(asked)),
        decisive_ties=int(one.decisive_ties(asked).sum()),
        ties=asked.order.ties,
        notes=one.notes(asked.order),
    )


def _contributions(
    way: Way, values: Sequence[float], weights: Sequence[float], counts: Sequence[bool]
) -> list[float | None]:
    """The part of each topic in the value, if the average is a sum."""
    average = way.measure.average
    if average not in ("mean", "sum", "micro"):
        return [None] * len(values)
    of_none = way.topics.known([math.nan], way.measure.spec.direction)  # 0, or left out
    known = [
        count and (not math.isnan(value) or bool(of_none))
        for value, count in zip(values, counts, strict=True)
    ]
    if average == "micro":
        total = math.fsum(weight for weight, count in zip(weights, counts, strict=True) if count)
        each = [weight / total if total else math.nan for weight in weights]
    else:
        each = [1.0 if average == "sum" else 1 / max(1, sum(known))] * len(values)
    return [
        (0.0 if math.isnan(value) else value * part) if is_known else None
        for value, part, is_known in zip(values, each, known, strict=True)
    ]


def _alternatives(one: OneRun, asked: Way, ways: Iterable[tuple[str, Way]]) -> tuple[Alternative, ...]:
    return tuple(
        Alternative(name, str(way.measure), way.rules_unlike(asked), value)
        for name, way in ways
        if (value := one.value(way)) is not None
    )
