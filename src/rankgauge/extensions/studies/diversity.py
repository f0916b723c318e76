"""Novelty and diversity beyond measures: the model of Clarke et al. 2008, and judging by answer patterns.

    relevance, judged_relevance, likely_relevance     equations 2, 4 and 5: the probability of relevance
    novel_relevance, gain_vector                      equations 6 and 7: the same after other documents
    read_patterns, judge, check, combined             judgments from patterns, and their quality

A document is relevant by the subtopics (nuggets in the paper) that it shares with the user's need; the
measures alpha_CG, alpha_DCG and alpha_nDCG build on equations 6 and 7. A document that matches a subtopic's
pattern is judged to contain it; how often people agree estimates alpha (section 6 of the paper).
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rankgauge.core.ids import to_text
from rankgauge.errors import InputError, OptionError
from rankgauge.formats.problems import quote, wrong_columns
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import content_lines

__all__ = [
    "Quality",
    "check",
    "combined",
    "contains",
    "gain_vector",
    "judge",
    "judged_relevance",
    "likely_relevance",
    "novel_relevance",
    "read_patterns",
    "relevance",
]


def relevance(need: Mapping[str, float], document: Mapping[str, float]) -> float:
    """Equation 2: a document is relevant if it contains a subtopic that the user wants.

    Both are {subtopic: probability}: that the user wants it, that the document contains it.

    >>> relevance({"price": 0.5, "island": 0.5}, {"price": 1.0, "island": 0.5})
    0.625
    """
    for name, probabilities in (("need", need), ("document", document)):
        for subtopic, probability in probabilities.items():
            _probability(f"{name}[{subtopic!r}]", probability)
    return 1.0 - math.prod(1.0 - wanted * document.get(subtopic, 0.0) for subtopic, wanted in need.items())


def contains(judged: bool, alpha: float) -> float:
    """Equation 3: the probability that a document contains a subtopic, given an assessor's judgment.

    >>> contains(True, 0.36), contains(False, 0.36)
    (0.36, 0.0)
    """
    return _probability("alpha", alpha) if judged else 0.0


def judged_relevance(need: Mapping[str, float], subtopics: Collection[str], alpha: float) -> float:
    """Equation 4: the relevance of a document that was judged to contain these subtopics.

    >>> judged_relevance({"price": 0.5, "island": 0.25}, ["price"], 0.5)
    0.25
    """
    return relevance(need, {subtopic: contains(True, alpha) for subtopic in subtopics})


def likely_relevance(subtopics: Collection[str], alpha: float, gamma: float) -> float:
    """Equation 5: the same, if the user wants every subtopic with probability gamma.

    >>> likely_relevance(["price", "island"], 0.5, 0.5)
    0.4375
    """
    return novel_relevance([subtopics], alpha, gamma)[0]


def novel_relevance(
    ranking: Iterable[Collection[str] | Mapping[str, float]],
    alpha: float | None = None,
    gamma: float | Mapping[str, float] = 1.0,
) -> list[float]:
    """Equation 6: the probability that each document is relevant after the user has seen those before it.

    The ranking lists the subtopics of each document, in order, or {subtopic: probability that the document
    contains it}, which needs no alpha. `gamma` is the probability that the user wants a subtopic, or
    {subtopic: probability}.

    >>> novel_relevance([["price"], ["price"], ["price", "island"]], 0.5, 1.0)
    [0.5, 0.25, 0.5625]
    """
    if isinstance(gamma, Mapping):
        need = {subtopic: _probability(f"gamma[{subtopic!r}]", p) for subtopic, p in gamma.items()}
        common = 0.0
    else:
        need, common = {}, _probability("gamma", gamma)
    return [
        1.0 - math.prod(1.0 - need.get(each.subtopic, common) * each.chance * each.left for each in document)
        for document in _contents(ranking, alpha)
    ]


def gain_vector(
    ranking: Iterable[Collection[str] | Mapping[str, float]], alpha: float | None = None
) -> list[float]:
    """Equation 7: the gain of each document; a subtopic counts less the more often it was seen before.

    With probabilities in place of judgments, {subtopic: probability} for each document, a subtopic counts its
    probability times that of not being in any document before.

    >>> gain_vector([["price", "ship"], ["price"], ["price", "island"]], 0.5)
    [2.0, 0.5, 1.25]
    """
    ranking = list(ranking)
    by_chance = any(isinstance(document, Mapping) for document in ranking)  # otherwise alpha is a constant
    return [
        math.fsum(each.chance * each.left if by_chance else each.left for each in document)
        for document in _contents(ranking, alpha)
    ]


class _Contained(NamedTuple):
    """A subtopic of a document."""

    subtopic: str
    chance: float  # the probability that the document contains it
    left: float  # the probability that none of the documents before does


def _contents(
    ranking: Iterable[Collection[str] | Mapping[str, float]], alpha: float | None
) -> Iterator[list[_Contained]]:
    judged = None if alpha is None else _probability("alpha", alpha)
    seen: Counter[str] = Counter()  # judged to contain the subtopic
    missed: dict[str, float] = {}  # the probability that those with probabilities do not
    for rank, document in enumerate(ranking, 1):
        if isinstance(document, Mapping):
            chances = {s: _probability(f"document {rank}[{s!r}]", document[s]) for s in sorted(document)}
        elif judged is None:
            raise OptionError(f"document {rank} has no probabilities of its subtopics; pass alpha")
        else:
            chances = dict.fromkeys(sorted(set(document)), judged)
        yield [
            _Contained(s, chance, math.pow(1.0 - (judged or 0.0), seen[s]) * missed.get(s, 1.0))
            for s, chance in chances.items()
        ]
        if isinstance(document, Mapping):
            missed.update({s: missed.get(s, 1.0) * (1.0 - chance) for s, chance in chances.items()})
        else:
            seen.update(chances.keys())


def _probability(name: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise OptionError(f"{name} must be a number from 0 to 1, not {value!r}")
    return float(value)


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
        """The share of what people judged relevant that patterns match; NaN if nothing is relevant."""
        return self.both / self.relevant if self.relevant else float("nan")

    @property
    def alpha(self) -> float:
        """The probability that a document matching a pattern contains the subtopic."""
        return self.precision

    def alphas(self, topics: Iterable[str]) -> dict[str, float]:
        """The estimate for each topic, or for all where a topic has no matches."""
        own = {topic: each.alpha for topic, each in self.topics.items() if each.matched}
        return {topic: own.get(topic, self.alpha) for topic in topics}


def read_patterns(path: str | os.PathLike[str]) -> dict[str, dict[str, list[str]]]:
    """The patterns of a file in the format of TREC's question answering track: `85.1 Norwegian (Sky|Wind)`.

    The first column is the subtopic, the part before its last point the topic. A subtopic may have several
    lines, of which any may match.
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

    `texts` is {document: text}; `documents`, {topic: documents}, selects those to judge, by default all.
    Patterns are Python's regular expressions, without regard to case.

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

    A document judged for one subtopic of a topic counts as judged for all.

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
    """The judgments of people, and those of patterns for documents that they did not judge.

    As in `check`, a document that people judged for one subtopic counts as judged for all: it does not
    contain the others.
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
