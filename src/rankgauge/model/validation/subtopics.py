"""Checks of judgments by subtopic: statistics, and whether probabilities and alphas fit the judgments."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from rankgauge.core.ids import to_text
from rankgauge.formats.columns import Columns, Ints
from rankgauge.formats.problems import quote
from rankgauge.model.validation.report import Group
from rankgauge.schema.text import counted, format_number

SUM = 1e-3  # how far from 1 probabilities may add up: files round them


def statistics(columns: Columns, topic: Ints, subtopic: Ints) -> dict[str, Any]:
    """How subtopics and relevant documents are spread; relevant are those graded above 0."""
    known, number = np.unique(subtopic, return_inverse=True)
    _, first = np.unique(number, return_index=True)
    per_topic = np.bincount(topic[first])
    relevant = columns.value > 0
    documents = np.bincount(number[relevant], minlength=len(known))
    doc, docs = columns.doc.encode()
    _, per_document = np.unique(topic[relevant] * len(docs) + doc[relevant], return_counts=True)
    return {
        "subtopics": len(known),
        "subtopics_per_topic": _spread(per_topic),
        "relevant_per_subtopic": _spread(documents[documents > 0]),
        "subtopics_per_relevant": _spread(per_document),
        "topics_with_one_subtopic": int((per_topic == 1).sum()),
        "subtopics_with_one_relevant": int((documents == 1).sum()),
        "subtopics_without_relevant": int((documents == 0).sum()),
    }


def _spread(counts: Ints) -> dict[str, Any] | None:
    if not len(counts):
        return None
    return {
        "min": int(counts.min()),
        "mean": float(counts.mean()),
        "median": float(np.median(counts)),
        "max": int(counts.max()),
    }


def probability_problems(
    columns: Columns, probabilities: Mapping[str, Mapping[str, float]], limit: int
) -> Iterator[Group]:
    """Subtopics that have relevant documents, and no probability."""
    missing = [
        (topic, subtopic)
        for topic, subtopic in _relevant(columns)
        if subtopic not in probabilities.get(topic, {})
    ]
    if missing:
        first = tuple((None, f"topic {quote(t)}, subtopic {quote(s)}") for t, s in missing[:limit])
        yield Group("subtopic with relevant documents and no probability", len(missing), first)


def probability_remarks(columns: Columns, probabilities: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """Remarks on probabilities: topics that are not judged, sums, subtopics without relevant documents."""
    judged, relevant = {*columns.topic.encode()[1].texts()}, {*_relevant(columns)}
    if others := [topic for topic in probabilities if topic not in judged]:
        topics = counted(len(others), "topic")
        yield f"{topics} with probabilities and no judgments, left out: {_some(others)}"
    sums = {t: math.fsum(each.values()) for t, each in probabilities.items() if t in judged}
    if odd := [topic for topic, total in sums.items() if abs(total - 1) > SUM]:
        yield (
            f"the probabilities of {counted(len(odd), 'topic')} do not add up to 1 (topic {quote(odd[0])}: "
            f"{format_number(round(sums[odd[0]], 6))}), which intent-aware means such as ERR_IA expect"
        )
    empty = [
        (t, s) for t, each in probabilities.items() if t in judged for s in each if (t, s) not in relevant
    ]
    if empty:
        yield (
            f"{counted(len(empty), 'subtopic')} with a probability and no relevant document, which StRecall "
            f"counts: {_some([f'{topic} {subtopic}' for topic, subtopic in empty])}"
        )


def alpha_problems(columns: Columns, alphas: Mapping[str, float], limit: int) -> Iterator[Group]:
    """Topics that have judgments, and no alpha."""
    missing = [topic for topic in columns.topic.encode()[1].texts() if topic not in alphas]
    if missing:
        first = tuple((None, f"topic {quote(topic)}") for topic in missing[:limit])
        yield Group("topic without an alpha", len(missing), first)


def alpha_remarks(columns: Columns, alphas: Mapping[str, float]) -> Iterator[str]:
    """A remark on alphas of topics that are not judged."""
    judged = {*columns.topic.encode()[1].texts()}
    if others := [topic for topic in alphas if topic not in judged]:
        yield f"{counted(len(others), 'topic')} with an alpha and no judgments, left out: {_some(others)}"


def _relevant(columns: Columns) -> list[tuple[str, str]]:
    """(topic, subtopic) with a relevant document, in the order of the file."""
    assert columns.label is not None
    rows = np.flatnonzero(columns.value > 0).tolist()
    pairs = dict.fromkeys((columns.topic[row], columns.label[row]) for row in rows)
    return [(to_text(topic), to_text(subtopic)) for topic, subtopic in pairs]


def _some(names: list[str]) -> str:
    return ", ".join(quote(name, 40) for name in names[:3]) + (", …" if len(names) > 3 else "")
