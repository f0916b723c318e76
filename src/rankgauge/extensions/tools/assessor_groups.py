"""Assessor groups: judgments of a topic by several groups, evaluated separately and averaged.

The second column of the judgments names the group. Groups need not agree on the grade of a document
(trec_eval's `-R qrels_jg`, for any measure).

    {topic: {group: {document: grade}}}
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge import formats
from rankgauge.core.ids import to_bytes, to_text
from rankgauge.engines.facts import gathered, no_common_topic, run_facts, source_of, versions
from rankgauge.engines.local.reading import read_rankings
from rankgauge.engines.requirements import needs_detail
from rankgauge.engines.run_inputs import RunInput, first_topics, resolve_runs
from rankgauge.errors import InputError, MeasureError
from rankgauge.formats import objects
from rankgauge.measures import Measure, parse_all
from rankgauge.model.provenance import MeasureFacts, Provenance, QrelsFacts, RunFacts
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import DUPLICATES, DocumentOrder, Reading, RunInputs, TopicRules
from rankgauge.model.scores import Scores

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on

Groups = Mapping[str, Qrels]  # by the group's name, ascending as bytes


def evaluate(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    depth: int | None = None,
    threads: int | None = None,
    **options: Unpack[RunInputs],
) -> Scores:
    """The value of every measure for every run and topic, averaged over the groups that judged the topic.

    `qrels` is a TREC file whose second column is the group, {topic: {group: {document: grade}}}, or records
    or a frame with a column such as iteration for the group.
    A value that is undefined for a group counts as `undefined` specifies. Everything else is as in
    `rankgauge.evaluate`.

    >>> judged = {"q1": {"anna": {"d1": 1}, "ben": {"d2": 1}}}
    >>> evaluate(judged, {"q1": {"d1": 0.9, "d2": 0.5}}, "RR").mean()
    {'run': {'RR': 0.75}}
    """
    parsed = parse_all(measures)
    for measure in parsed:
        if measure.of_lists:  # groups and runs are read one by one, so the longest list is not known
            raise MeasureError(f"{measure} needs N=, the length of the lists, with assessor groups")
    reading = Reading.of(options, RunInputs)
    order, topic_rules = reading.order, reading.topics
    order.require_one_order("judgment groups are scored on")
    groups = read(qrels, order.duplicates)
    topics = judged_topics(groups)
    facts_by_run, values, documents = {}, [], []
    for run in resolve_runs(runs, reading):
        rows, retrieved, facts_by_run[run.name] = evaluate_run(
            run, groups, parsed, order, topic_rules, depth, threads
        )
        values.append(rows)
        documents.append(retrieved)
    provenance = Provenance(
        versions=versions(),
        options=order.as_dict() | topic_rules.as_dict(),
        measures={str(m): MeasureFacts.of(m) for m in parsed},
        qrels=QrelsFacts(source_of(qrels), len(topics), sum(map(len, groups.values())), groups=len(groups)),
        runs=facts_by_run,
    )
    counted = topic_rules.counts(np.array(documents))
    return gathered(topics, np.array(values), counted, topic_rules, provenance)


def read(qrels: Any, duplicates: str = DUPLICATES.default) -> Groups:
    """The judgments of each group, from a TREC file or an object in memory."""
    in_memory = not isinstance(qrels, (str, os.PathLike, formats.Source))
    columns = objects.read(qrels, "qrels") if in_memory else formats.read(qrels, "qrels", "trec")
    if columns.checked().label is None and in_memory:
        raise InputError(
            "these judgments have no groups; judgments by group must be a TREC file, a dict {topic: {group: "
            "{document: grade}}}, or records or a frame with a column called iteration"
        )
    labels = [b"0"] * len(columns) if columns.label is None else list(columns.label)
    rows: dict[bytes, list[int]] = {}
    for row, label in enumerate(labels):
        rows.setdefault(label, []).append(row)
    return {
        to_text(label): Qrels.from_columns(columns.take(np.array(rows[label])), None, duplicates)
        for label in sorted(rows)
    }


def judged_topics(groups: Groups) -> tuple[str, ...]:
    """The topics judged by any group, ascending as bytes."""
    return tuple(sorted({t for qrels in groups.values() for t in qrels.sorted_topics}, key=to_bytes))


def evaluate_run(
    run: RunInput,
    groups: Groups,
    measures: Sequence[Measure],
    order: DocumentOrder,
    rules: TopicRules,
    depth: int | None = None,
    threads: int | None = None,
    needs_results: bool = True,
) -> tuple[Any, Any, RunFacts]:
    """(values (measures, topics), documents retrieved (topics,), facts) of one run."""
    topics = judged_topics(groups)
    number = {topic: i for i, topic in enumerate(topics)}
    by_group: list[list[list[float]]] = [[[] for _ in topics] for _ in measures]  # [measure][topic][group]
    documents = np.zeros(len(topics), dtype=np.int64)
    facts = RunFacts()
    for qrels in groups.values():
        retrieved, blocks = read_rankings(
            qrels, run, order, depth=depth, threads=threads, detail=needs_detail(measures, order)
        )
        place = [number[topic] for topic in qrels.sorted_topics]
        documents[place] = retrieved.retrieved
        facts = facts if facts.source else run_facts(run, retrieved)
        for first, last, rankings in blocks:
            for row, measure in zip(by_group, measures, strict=True):
                for topic, value in zip(place[first:last], measure.value(rankings).tolist(), strict=True):
                    row[topic].append(value)
    if needs_results and not documents.any():
        raise no_common_topic(run.name, topics, first_topics(run))
    values = np.array([[_mean(each, rules) for each in row] for row in by_group])
    facts = facts._replace(
        topics=int(np.count_nonzero(documents)),
        missing=int(np.count_nonzero(documents == 0)),
        retrieved=int(documents.sum()),
    )
    return values, documents, facts


def _mean(values: list[float], rules: TopicRules) -> float:
    return math.nan if all(map(math.isnan, values)) else rules.average(values)
