"""Preferences between documents instead of grades, and the share of them that a ranking fulfils.

Assessors state which of two documents they prefer. The preferences of one assessor for a topic are a *group*.
Each *subgroup* of it is a list of documents with levels; higher levels are preferred to lower ones.
Preferences are transitive across the subgroups of a group, and groups may contradict each other. These are
trec_eval's preferences (`-R prefs`, `-R qrels_prefs`) and its fourteen measures.

    {topic: {group: {subgroup: {document: level}}}}
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge import formats
from rankgauge.core.ids import to_bytes, to_text
from rankgauge.engines.facts import by_measure, no_common_topic, run_facts, source_of, versions
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.engines.run_inputs import first_topics, resolve_runs
from rankgauge.engines.threads import available
from rankgauge.errors import InputError
from rankgauge.extensions.tools.preferences.measures import (
    MEASURES,
    OFFICIAL,
    Counts,
    count_preferences,
    find,
)
from rankgauge.formats import problems
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import fields_of_lines, first_line
from rankgauge.model.provenance import MeasureFacts, Provenance, QrelsFacts
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import DocumentOrder, Reading, RunInputs
from rankgauge.model.scores import Scores

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on

__all__ = ["MEASURES", "OFFICIAL", "evaluate", "from_qrels", "read"]

LAYOUT = "topic group subgroup document level"
WHOLE = "0"  # the one subgroup of a group that has no others

# {topic: {group: {subgroup: {document: level}}}}
Nested = Mapping[str, Mapping[str, Mapping[str, Mapping[str, float]]]]
Row = tuple[str, str, str, str, float]


def evaluate(
    preferences: Nested | str | os.PathLike[str],
    runs: Any,
    measures: str | Iterable[str] = OFFICIAL,
    *,
    depth: int | None = None,
    threads: int | None = None,
    **options: Unpack[RunInputs],
) -> Scores:
    """The share of preferences that runs fulfil, for every run and topic.

    `preferences` is a file or {topic: {group: {subgroup: {document: level}}}}; `measures` are names of
    `MEASURES`. Everything else is as in `rankgauge.evaluate`. A share is undefined if there are no
    preferences.

    >>> preferred = {"q1": {"anna": {"0": {"d1": 2, "d2": 1, "d3": 0}}, "ben": {"0": {"d2": 1, "d1": 0}}}}
    >>> evaluate(preferred, {"q1": {"d1": 0.9, "d2": 0.5}}, "prefs_simp prefs_pair").mean()
    {'run': {'prefs_simp': 0.75, 'prefs_pair': 0.8333333333333334}}
    """
    given = measures.replace(",", " ").split() if isinstance(measures, str) else measures
    parsed = [find(name) for name in given]
    names = [measure.name for measure in parsed]
    reading = Reading.of(options, RunInputs)
    order, topic_rules = reading.order, reading.topics
    judges = Judges(preferences, order.require_one_order("preferences are counted in"), depth)
    results = []
    for run in resolve_runs(runs, reading):
        retrieved = judges.retrieve(run.open(), available(threads))
        if not retrieved.retrieved.any():
            raise no_common_topic(run.name, judges.topics, first_topics(run), retrieved.assumed)
        values = np.array([[m.value(counts) for m in parsed] for counts in judges.counts(retrieved)]).T
        results.append((run, retrieved, values))
    counted = np.array([topic_rules.counts(retrieved.retrieved) for _, retrieved, _ in results])
    values = np.array([values for _, _, values in results])
    gaps = (np.isnan(values) & counted[:, None, :]).sum(axis=2).tolist()
    provenance = Provenance(
        versions=versions(),
        options=order.as_dict() | topic_rules.as_dict(),
        measures={m.name: MeasureFacts(m.title, share=not m.count) for m in parsed},
        qrels=QrelsFacts(source_of(preferences), len(judges.topics)),
        runs={
            run.name: run_facts(run, retrieved, undefined=by_measure(names, gap))
            for (run, retrieved, _), gap in zip(results, gaps, strict=True)
        },
    )
    run_names = tuple(run.name for run, _, _ in results)
    return Scores(run_names, judges.topics, tuple(names), values, counted, topic_rules, provenance)


class Judges:
    """Preferences, prepared for counting run after run."""

    def __init__(
        self, preferences: Nested | str | os.PathLike[str], order: DocumentOrder, depth: int | None = None
    ) -> None:
        nested = read(preferences) if isinstance(preferences, (str, os.PathLike)) else preferences
        self._groups = _checked(nested)
        self._depth = depth
        # For the engine, any document in a preference is a judged document.
        self._qrels = Qrels.from_dict(
            {topic: dict.fromkeys(_documents(groups), 1) for topic, groups in self._groups.items()}
        )
        self._engine = LocalEngine(self._qrels, order)
        self.topics = self._qrels.sorted_topics

    def retrieve(self, run: Any, threads: int = 1) -> RetrievedJudgments:
        """The ranks at which a run has documents of the preferences."""
        return self._engine.retrieve(run, threads)

    def counts(self, retrieved: RetrievedJudgments) -> Iterator[Counts]:
        """Preferences kept and broken, topic by topic."""
        for number, topic in enumerate(self.topics):
            docs = _documents(self._groups[topic])
            hits = retrieved.within(number, number + 1)
            judgments = retrieved.judgment[hits] - self._qrels.starts[number]
            if self._depth is not None:
                judgments = judgments[retrieved.rank[hits] <= self._depth]
            ranked = [docs[judgment] for judgment in judgments.tolist()]
            rest = dict.fromkeys(docs)
            for doc in ranked:
                del rest[doc]
            places = {doc: place for place, doc in enumerate([*ranked, *rest])}
            yield count_preferences(self._groups[topic], places, len(ranked))


def _documents(groups: Mapping[str, Mapping[str, Mapping[str, float]]]) -> list[str]:
    """All documents of a topic, ascending as bytes: the order of judgments."""
    docs = {doc for subgroups in groups.values() for levels in subgroups.values() for doc in levels}
    return sorted(docs, key=to_bytes)


def _checked(nested: Any) -> Nested:
    """Preferences with topics, groups and documents as text; anything else is an error."""
    try:
        checked = {
            str(topic): {
                str(group): {
                    str(subgroup): {str(doc): float(level) for doc, level in levels.items()}
                    for subgroup, levels in subgroups.items()
                }
                for group, subgroups in sorted(groups.items())
            }
            for topic, groups in nested.items()
        }
        levels = [v for g in checked.values() for s in g.values() for x in s.values() for v in x.values()]
    except (AttributeError, TypeError, ValueError):
        raise InputError(
            "preferences must be {topic: {group: {subgroup: {document: level}}}} with numbers as levels"
        ) from None
    if not levels or not np.isfinite(levels).all():
        raise InputError(
            "preferences need at least one level, and all must be finite numbers, such as 2 or 0.5"
        )
    return checked


def read(path: str | os.PathLike[str] | Source, format: str | None = None) -> Nested:
    """The preferences in a file; `format` is prefs (five columns) or qrels (four), by default detected."""
    source = path if isinstance(path, Source) else Source(path)
    if format not in (None, "prefs", "qrels"):
        raise InputError(f"preferences are read from prefs or qrels files, not from {format!r}")
    if format == "qrels" or (format is None and len(first_line(source.head).split()) == 4):
        return from_qrels(source)
    return nested(_lines(source), source.path)


def from_qrels(path: str | os.PathLike[str] | Source) -> Nested:
    """Judgments as preferences for the higher grade; the second column is the group."""
    columns = formats.read(path, "qrels", "trec").checked()
    rows = zip(
        columns.topic.texts(),
        ["0"] * len(columns) if columns.label is None else columns.label.texts(),
        [WHOLE] * len(columns),
        columns.doc.texts(),
        columns.value.tolist(),
        strict=True,
    )
    lines = range(1, len(columns) + 1) if columns.line is None else columns.line.tolist()
    return nested(zip(lines, rows, strict=True), columns.path(0))


def nested(rows: Iterable[tuple[int, Row]], path: str | None = None) -> Nested:
    """Nested dicts of rows (line, (topic, group, subgroup, document, level)) without duplicates."""
    by_topic: dict[str, Any] = {}
    for line, (topic, group, subgroup, doc, level) in rows:
        levels = by_topic.setdefault(topic, {}).setdefault(group, {}).setdefault(subgroup, {})
        if doc in levels:
            raise InputError(
                f"document {problems.quote(doc)} is in subgroup {problems.quote(subgroup)} of group "
                f"{problems.quote(group)} of topic {problems.quote(topic)} twice; "
                "once is allowed: correct it, or put it into another subgroup",
                path=path,
                line=line,
            )
        levels[doc] = level
    if not by_topic:
        raise InputError("the file is empty; preferences must have at least one row", path=path)
    return by_topic


def _lines(source: Source) -> Iterable[tuple[int, Row]]:
    for number, fields in fields_of_lines(source, LAYOUT):
        level = problems.parse_number(fields[4])
        if level is None or not math.isfinite(level):
            raise InputError(
                f"the level is not a finite number: {problems.quote(fields[4])}; a level is a number such as "
                "0, 2 or 0.5",
                path=source.path,
                line=number,
            )
        topic, group, subgroup, doc = map(to_text, fields[:4])
        yield number, (topic, group, subgroup, doc, level)
