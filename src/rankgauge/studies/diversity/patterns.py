"""Judging by answer patterns: a document that a nugget's pattern matches is taken to hold the nugget.

How often that is right is told by documents that people have judged, too: precision is then an estimate of
alpha, the chance that a document that is judged to hold a nugget does (Clarke et al. 2008, section 6).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rankgauge.core.ids import to_text
from rankgauge.errors import InputError
from rankgauge.formats.lines import content_lines
from rankgauge.formats.problems import quote, wrong_columns
from rankgauge.formats.source import Source

Judgments = dict[str, dict[str, dict[str, int]]]  # {topic: {nugget: {document: 0 or 1}}}
Patterns = Mapping[str, Mapping[str, str | Iterable[str]]]  # {topic: {nugget: a pattern or several}}


@dataclass(frozen=True)
class Quality:
    """How well patterns judge: counts of (topic, nugget, document), and what follows from them."""

    matched: int  # that patterns found
    relevant: int  # that people found
    both: int
    topics: Mapping[str, Quality] = field(default_factory=dict)  # the same for each topic by itself

    @property
    def precision(self) -> float:
        """The share of what patterns found that people found, too; undefined if they found nothing."""
        return self.both / self.matched if self.matched else float("nan")

    @property
    def recall(self) -> float:
        """The share of what people found that patterns found, too; undefined if people found nothing."""
        return self.both / self.relevant if self.relevant else float("nan")

    @property
    def alpha(self) -> float:
        """The estimate for alpha: how likely a document that a pattern matches holds the nugget."""
        return self.precision

    def alphas(self, topics: Iterable[str]) -> dict[str, float]:
        """The estimate for each topic: its own, or that of all of them where it has none."""
        own = {topic: each.alpha for topic, each in self.topics.items() if each.matched}
        return {topic: own.get(topic, self.alpha) for topic in topics}


def read_patterns(path: str | os.PathLike[str]) -> dict[str, dict[str, list[str]]]:
    """The patterns of a file as TREC's question answering track had them: `85.1 Norwegian (Sky|Wind)` a line.

    What is before the last point of the first column is the topic, all of it the nugget. A nugget may have
    several lines, any of which will do.
    """
    source = Source(path)
    found: dict[str, dict[str, list[str]]] = {}
    for number, line in content_lines(source):
        nugget, pattern = (*to_text(line).split(None, 1), "", "")[:2]
        topic, point, _ = nugget.rpartition(".")
        if not (point and topic and pattern.strip()):
            said = wrong_columns("topic.nugget pattern", line, len(line.split()), 2)
            raise InputError(said, path=source.path, line=number)
        _compiled(pattern.strip(), topic, nugget, path=source.path, line=number)
        found.setdefault(topic, {}).setdefault(nugget, []).append(pattern.strip())
    if not found:
        raise InputError("there is nothing in it; a line is: topic.nugget pattern", path=source.path)
    return found


def judge(
    patterns: Patterns, texts: Mapping[str, str], documents: Mapping[str, Iterable[str]] | None = None
) -> Judgments:
    """The judgments that patterns make: {topic: {nugget: {document: 1 if a pattern matches, else 0}}}.

    `texts` is {document: text}; `documents`, {topic: documents}, says which are judged for each topic, by
    default all. Patterns are Python's regular expressions, searched for without regard to case.

    >>> judge({"85": {"85.1": "norwegian (sky|wind)"}}, {"a": "The Norwegian Sky", "b": "The sky"})
    {'85': {'85.1': {'a': 1, 'b': 0}}}
    """
    made: Judgments = {}
    for topic, nuggets in patterns.items():
        listed = list(texts if documents is None else documents.get(topic, ()))
        unknown = [doc for doc in listed if doc not in texts]
        if unknown:
            raise InputError(f"document {unknown[0]!r} of topic {topic!r} has no text; give one for each")
        made[topic] = {}
        for nugget, given in nuggets.items():
            several = [given] if isinstance(given, str) else list(given)
            compiled = [_compiled(pattern, topic, nugget) for pattern in several]
            made[topic][nugget] = {
                doc: int(any(pattern.search(texts[doc]) for pattern in compiled)) for doc in listed
            }
    return made


def check(patterns: Patterns, texts: Mapping[str, str], manual: Mapping[str, Any]) -> Quality:
    """How well patterns judge the documents that people have judged: {topic: {nugget: {document: grade}}}.

    A document that people have judged for one nugget of a topic counts as judged for all of them.

    >>> texts = {"a": "Norwegian Sky", "b": "Norwegian Sky tonight", "c": "an island"}
    >>> found = check({"85": {"85.1": "norwegian sky"}}, texts, {"85": {"85.1": {"a": 1, "b": 0, "c": 0}}})
    >>> found.precision, found.recall, found.alpha
    (0.5, 1.0, 0.5)
    """
    topics = {}
    for topic, nuggets in manual.items():
        docs = sorted(_documents(nuggets))
        found = judge({topic: patterns.get(topic, {})}, texts, {topic: docs})[topic]
        matched = {(nugget, doc) for nugget, judged in found.items() for doc in judged if judged[doc]}
        relevant = {
            (nugget, doc) for nugget, judged in nuggets.items() for doc, grade in judged.items() if grade > 0
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

    As in `check`, one that people have judged for a nugget of a topic is judged for all of them: what they do
    not find in it, it does not hold.
    """
    both: dict[str, dict[str, dict[str, float]]] = {}
    for topic in {**automatic, **manual}:
        by_people = manual.get(topic, {})
        known = _documents(by_people)
        both[topic] = {
            nugget: {doc: 0 if doc in known else found for doc, found in judged.items()}
            for nugget, judged in automatic.get(topic, {}).items()
        }
        for nugget, judged in by_people.items():
            both[topic].setdefault(nugget, {}).update(judged)
    return both


def _documents(nuggets: Mapping[str, Iterable[str]]) -> set[str]:
    """The documents that are judged for any nugget of a topic."""
    return {doc for judged in nuggets.values() for doc in judged}


def _compiled(pattern: str, topic: str, nugget: str, **place: Any) -> re.Pattern[str]:
    try:
        return re.compile(pattern, re.IGNORECASE)
    except (re.error, RecursionError, OverflowError) as error:
        raise InputError(
            f"the pattern {quote(pattern)} of nugget {quote(nugget)}, topic {quote(topic)}, is no regular "
            f"expression: {error}",
            **place,
        ) from None
