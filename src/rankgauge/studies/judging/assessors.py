"""The agreement of two sets of judgments of the same documents: shares, kappa, overlap."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankgauge.errors import InputError
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.model.output.tables import Cell, Table, number
from rankgauge.model.qrels import Qrels
from rankgauge.model.topic_rules import TopicRules
from rankgauge.studies.numerics.coefficients import (
    SCALES,
    crossed,
    fleiss_kappa,
    kappa,
    krippendorff_alpha,
)

WEIGHTS = {
    "none": "all different grades disagree equally",
    "linear": "grades disagree by their difference",
    "quadratic": "grades disagree by the square of their difference",
}


@dataclass(frozen=True, eq=False)
class Agreement:
    """How far two sets of judgments agree on the documents that are in both."""

    names: tuple[str, ...]  # of the two
    rel: float  # the lowest relevant grade
    topics: tuple[str, ...]  # those with judgments in both, ascending as bytes
    starts: Ints  # (topics + 1,) where the documents of each topic begin
    grades: tuple[Floats, Floats]  # (documents,) of the documents in both, by topic
    alone: tuple[int, int]  # judgments that only one of the sets has, in any topic
    left_out: tuple[int, int]  # topics that only one of the sets has

    @property
    def documents(self) -> int:
        """The number of documents judged in both."""
        return len(self.grades[0])

    @property
    def levels(self) -> Floats:
        """The grades of these documents in either set, ascending."""
        return np.unique(np.concatenate(self.grades))

    @property
    def counts(self) -> Ints:
        """(grades, grades) documents by their grade in the first set and in the second."""
        first, second = (np.searchsorted(self.levels, grades) for grades in self.grades)
        return crossed(first, second, len(self.levels))

    @property
    def relevant(self) -> Ints:
        """(2, 2) documents by whether they are relevant in the first set and in the second."""
        first, second = (grades >= self.rel for grades in self.grades)
        return crossed(first, second, 2)

    @property
    def same(self) -> float:
        """The share of documents with the same grade in both."""
        return _share(int(self.counts.trace()), self.documents)

    def kappa(self, weights: str = "none") -> float:
        """Cohen's kappa of the grades; `weights`, one of WEIGHTS, defines how much two grades disagree."""
        apart = np.abs(self.levels[:, None] - self.levels)
        powers = {"none": (apart > 0).astype(np.float64), "linear": apart, "quadratic": apart * apart}
        return kappa(self.counts, powers[weights])

    def binary_kappa(self) -> float:
        """Cohen's kappa of relevant against non-relevant."""
        return kappa(self.relevant)

    def alpha(self, scale: str = "nominal") -> float:
        """Krippendorff's alpha of the grades; `scale`, one of SCALES, defines how much two disagree."""
        return krippendorff_alpha(np.array(self.grades), scale)

    def fleiss(self) -> float:
        """Fleiss' kappa of the grades, which is Scott's pi for two sets."""
        return fleiss_kappa(np.array(self.grades))

    def positive(self) -> float:
        """Of the documents that are relevant in one set, the share that are relevant in the other."""
        (_, one), (other, both) = self.relevant.tolist()
        return _share(2 * both, 2 * both + one + other)

    def negative(self) -> float:
        """Of the documents that are non-relevant in one set, the share that are non-relevant in the other."""
        (neither, one), (other, _) = self.relevant.tolist()
        return _share(2 * neither, 2 * neither + one + other)

    def overlap(self) -> float:
        """Documents relevant in both sets over those relevant in either, mean over topics that have any."""
        return TopicRules(undefined="skip").average([float(row[-2]) for row in self._by_topic()])

    def _by_topic(self) -> list[tuple[Any, ...]]:
        """(topic, documents, relevant in the first, in the second, in both, overlap, kappa)."""
        rows = []
        for topic, begin, end in zip(self.topics, self.starts, self.starts[1:], strict=False):
            first, second = (grades[begin:end] >= self.rel for grades in self.grades)
            both = int((first & second).sum())
            counts = crossed(first, second, 2)
            sizes = int(first.sum()), int(second.sum())
            overlap = _share(both, int((first | second).sum()))
            rows.append((topic, int(end - begin), *sizes, both, overlap, kappa(counts)))
        return rows

    def values_table(self) -> Table:
        """The coefficients of agreement."""
        rows: list[tuple[Cell, ...]] = [
            ("same grade", self.same, "share of documents"),
            ("kappa", self.kappa(), f"of grades: {WEIGHTS['none']}"),
            ("kappa, linear", self.kappa("linear"), WEIGHTS["linear"]),
            ("kappa, quadratic", self.kappa("quadratic"), WEIGHTS["quadratic"]),
            ("kappa, binary", self.binary_kappa(), f"relevant (grade {self.rel:g} and above) or not"),
            *((f"alpha, {scale}", self.alpha(scale), words) for scale, words in SCALES.items()),
            ("Fleiss' kappa", self.fleiss(), "of grades, by the grades of both sets together"),
            ("positive agreement", self.positive(), "relevant in one: share relevant in the other"),
            ("negative agreement", self.negative(), "the same for non-relevant documents"),
            ("overlap", self.overlap(), "relevant in both / relevant in either, mean over topics"),
        ]
        return Table(("agreement", "value", "meaning"), rows)

    def counts_table(self) -> Table:
        """Documents by their grade in the first set (rows) and in the second (columns)."""
        names = [number(level, None) if level % 1 else str(int(level)) for level in self.levels.tolist()]
        rows = [(name, *row) for name, row in zip(names, self.counts.tolist(), strict=True)]
        return Table(("grade", *names), rows)

    def topics_table(self) -> Table:
        """The agreement on each topic."""
        headers = ("topic", "documents", "relevant 1", "relevant 2", "relevant in both", "overlap", "kappa")
        return Table(headers, self._by_topic())


def compare_judgments(
    first: Qrels, second: Qrels, rel: float = 1, names: tuple[str, ...] | None = None
) -> Agreement:
    """The agreement of two sets of judgments on the documents that both have."""
    place, topic, judgment = look_up(first, second)
    both = judgment >= 0
    names = names or unique_names(first.name, second.name)
    if not both.any():
        one, other = names
        raise InputError(
            f"{one} and {other} have no judged document in common; "
            "check that they belong together and spell topics and documents alike"
        )
    common = np.flatnonzero(place >= 0)
    return Agreement(
        names=names,
        rel=float(rel),
        topics=tuple(first.sorted_topics[number] for number in common),
        starts=np.concatenate(([0], np.cumsum(np.bincount(topic[both], minlength=len(place))[common]))),
        grades=(first.sorted_grades[both], second.sorted_grades[judgment[both]]),
        alone=(int((~both).sum()), len(second) - int(both.sum())),
        left_out=(len(place) - len(common), len(second.sorted_topics) - len(common)),
    )


def look_up(judgments: Qrels, other: Qrels) -> tuple[Ints, Ints, Ints]:
    """The judgments of one set in another, by their place in the order of each; -1 where it has none.

    (topics,) the topic in the other set; (judgments,) the topic in this one; (judgments,) the judgment there.
    """
    numbers = {topic: number for number, topic in enumerate(other.sorted_topics)}
    place = np.array([numbers.get(topic, -1) for topic in judgments.sorted_topics], dtype=np.int64)
    topic = np.repeat(np.arange(len(place)), np.diff(judgments.starts))
    docs = judgments.sorted_docs
    found = other.judgments().lookup(place[topic], docs.data, docs.offsets)
    return place, topic, np.frombuffer(found, dtype=np.int64)


def unique_names(*names: str) -> tuple[str, ...]:
    """Different names for sets of judgments of which several may be called qrels: all are numbered then."""
    if len(set(names)) == len(names):
        return names
    return tuple(f"{name} ({place})" for place, name in enumerate(names, 1))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan
