"""Judging by answer patterns: a document that matches a subtopic's pattern is judged to contain the subtopic.

Documents that people have judged as well show how often that is right: the precision of patterns estimates
alpha, the probability that a document judged to contain a subtopic does (Clarke et al. 2008, section 6).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rankgauge.core.ids import to_text
from rankgauge.errors import InputError
from rankgauge.formats.problems import quote, wrong_columns
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import content_lines

Judgments = dict[str, dict[str, dict[str, int]]]  # {topic: {subtopic: {document: 0 or 1}}}
Patterns = Mapping[str, Mapping[str, str | Iterable[str]]]  # {topic: {subtopic: one or more patterns}}


@dataclass(frozen=True)
class Quality:
    """The quality of judging by patterns, from counts of (topic, subtopic, document)."""

    matched: int  # by patterns
    relevant: int  # by people's judgments
    both: int
    topics: Mapping[str, Quality] = field(default_factory=dict)  # the same for each topic by itself

    @property
    def precision(self) -> float:
        """The share of matches that people judged relevant; undefined without matches."""
        return self.both / self.matched if self.matched else float("nan")

    @property
    def recall(self) -> float:
        """The share of what people judged relevant that patterns match; undefined if nothing is relevant."""
        return self.both / self.relevant if self.relevant else float("nan")

    @property
    def alpha(self) -> float:
        """The estimate of alpha: the probability that a document matching a pattern contains the subtopic."""
        return self.precision

    def alphas(self, topics: Iterable[str]) -> dict[str, float]:
        """The estimate for each topic: its own, or that of all topics if it has no matches."""
        own = {topic: each.alpha for topic, each in self.topics.items() if each.matched}
        return {topic: own.get(topic, self.alpha) for topic in topics}


def read_patterns(path: str | os.PathLike[str]) -> dict[str, dict[str, list[str]]]:
    """The patterns of a file in the format of TREC's question answering track: `85.1 Norwegian (Sky|Wind)`.

    The first column is the subtopic, and its part before the last point the topic. A subtopic may have
    several lines; a document matches if any of them does.
    """
    source = Source(path)
    patterns: dict[str, dict[str, list[str]]] = {}
    for number, line in content_lines(source):
        subtopic, pattern = (*to_text(line).split(None, 1), "", "")[:2]
        topic, point, _ = subtopic.rpartition(".")
        if not (point and topic and pattern.strip()):
            message = wrong_columns("topic.subtopic pattern", line, len(line.split()), 2)
            raise InputError(message, path=source.path, line=number)
        _compile(pattern.strip(), topic, subtopic, path=source.path, line=number)
        patterns.setdefault(topic, {}).setdefault(subtopic, []).append(pattern.strip())
    if not patterns:
        raise InputError("the file is empty; expected lines: topic.subtopic pattern", path=source.path)
    return patterns


def judge(
    patterns: Patterns, texts: Mapping[str, str], documents: Mapping[str, Iterable[str]] | None = None
) -> Judgments:
    """The judgments that patterns make: {topic: {subtopic: {document: 1 if a pattern matches, else 0}}}.

    `texts` is {document: text}; `documents`, {topic: documents}, selects those to judge for each topic, by
    default all. Patterns are Python's regular expressions, searched for without regard to case.

    >>> judge({"85": {"85.1": "norwegian (sky|wind)"}}, {"a": "The Norwegian Sky", "b": "The sky"})
    {'85': {'85.1': {'a': 1, 'b': 0}}}
    """
    judgments: Judgments = {}
    for topic, subtopics in patterns.items():
        listed = list(texts if documents is None else documents.get(topic, ()))
        unknown = [doc for doc in listed if doc not in texts]
        if unknown:
            raise InputError(f"document {unknown[0]!r} of topic {topic!r} has no text; add it to texts")
        judgments[topic] = {}
        for subtopic, alternatives in subtopics.items():
            several = [alternatives] if isinstance(alternatives, str) else list(alternatives)
            compiled = [_compile(pattern, topic, subtopic) for pattern in several]
            judgments[topic][subtopic] = {
                doc: int(any(pattern.search(texts[doc]) for pattern in compiled)) for doc in listed
            }
    return judgments


def check(patterns: Patterns, texts: Mapping[str, str], manual: Mapping[str, Any]) -> Quality:
    """The quality of patterns on documents that people have judged: {topic: {subtopic: {document: grade}}}.

    A document that people have judged for one subtopic of a topic counts as judged for all of them.

    >>> texts = {"a": "Norwegian Sky", "b": "Norwegian Sky tonight", "c": "an island"}
    >>> quality = check({"85": {"85.1": "norwegian sky"}}, texts, {"85": {"85.1": {"a": 1, "b": 0, "c": 0}}})
    >>> quality.precision, quality.recall, quality.alpha
    (0.5, 1.0, 0.5)
    """
    topics = {}
    for topic, subtopics in manual.items():
        docs = sorted(_documents(subtopics))
        automatic = judge({topic: patterns.get(topic, {})}, texts, {topic: docs})[topic]
        matched = {(name, doc) for name, judged in automatic.items() for doc in judged if judged[doc]}
        relevant = {
            (name, doc) for name, judged in subtopics.items() for doc, grade in judged.items() if grade > 0
        }
        topics[topic] = Quality(len(matched), len(relevant), len(matched & relevant))
    return Quality(
        sum(each.matched for each in topics.values()),
        sum(each.relevant for each in topics.values()),
        sum(each.both for each in topics.values()),
        topics,
    )


def combined(manual: Mapping[str, Any], automatic: Judgments) -> dict[str, dict[str, dict[str, float]]]:
    """The judgments of people for the documents that they judged, and those of patterns for all others.

    As in `check`, a document that people have judged for one subtopic of a topic counts as judged for all of
    them: it does not contain the others.
    """
    both: dict[str, dict[str, dict[str, float]]] = {}
    for topic in {**automatic, **manual}:
        by_people = manual.get(topic, {})
        known = _documents(by_people)
        both[topic] = {
            subtopic: {doc: 0 if doc in known else grade for doc, grade in judged.items()}
            for subtopic, judged in automatic.get(topic, {}).items()
        }
        for subtopic, judged in by_people.items():
            both[topic].setdefault(subtopic, {}).update(judged)
    return both


def _documents(subtopics: Mapping[str, Iterable[str]]) -> set[str]:
    """The documents that are judged for any subtopic of a topic."""
    return {doc for judged in subtopics.values() for doc in judged}


def _compile(pattern: str, topic: str, subtopic: str, **place: Any) -> re.Pattern[str]:
    try:
        return re.compile(pattern, re.IGNORECASE)
    except (re.error, RecursionError, OverflowError) as error:
        raise InputError(
            f"the pattern {quote(pattern)} of subtopic {quote(subtopic)}, topic {quote(topic)}, is not a "
            f"regular expression: {error}",
            **place,
        ) from None
