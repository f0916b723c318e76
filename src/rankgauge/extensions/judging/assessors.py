"""The agreement of sets of judgments: coefficients, and all numbers for two sets or several.

Grades of several sets are (assessors, documents), NaN where an assessor has not judged a document.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankgauge.errors import InputError
from rankgauge.formats.columns import concatenated
from rankgauge.measures.rankings.arrays.curves import Bools, Floats, Ints
from rankgauge.model.output.table_cells import Shown
from rankgauge.model.output.tables import Cell, Table, number
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import TopicRules

SCALES = {
    "nominal": "all different grades disagree equally",
    "ordinal": "grades disagree by how many judgments lie between them, squared",
    "interval": "grades disagree by the square of their difference",
}
WEIGHTS = {
    "none": "all different grades disagree equally",
    "linear": "grades disagree by their difference",
    "quadratic": "grades disagree by the square of their difference",
}


def kappa(counts: Ints, weights: Floats | None = None) -> float:
    """Cohen's kappa of a square table of counts: 1 − disagreement / disagreement by chance.

    Undefined if disagreement is impossible: without documents, or with one grade.
    """
    return float(kappas(counts, 1 - np.eye(len(counts)) if weights is None else weights))


def kappas(counts: Floats | Ints, weights: Floats) -> Floats:
    """(...,) Cohen's kappa of each of many tables of counts (..., grades, grades)."""
    expected = counts.sum(axis=-1)[..., :, None] * counts.sum(axis=-2)[..., None, :]
    return _beyond_chance(weights * counts, weights * expected, counts.sum(axis=(-2, -1)))


def _beyond_chance(observed: Floats, chance: Floats, total: Floats | Ints) -> Floats:
    """1 − observed / expected disagreement, from tables (..., grades, grades); NaN without the latter."""
    found, expected = observed.sum(axis=(-2, -1)), chance.sum(axis=(-2, -1))
    ratio = np.divide(found * total, expected, out=np.full(np.shape(found), np.nan), where=expected > 0)
    values: Floats = 1 - ratio
    return values


def krippendorff_alpha(grades: Floats, scale: str = "nominal") -> float:
    """Krippendorff's α (2004): 1 − disagreement / disagreement by chance, of documents judged twice.

    `scale`, one of SCALES, defines how much two grades disagree. Undefined if no two grades differ.
    """
    levels, pairs = _pairs_by_judgments(grades)
    # Each document counts as often as it was judged: a pair of m judgments counts 1/(m - 1).
    coincidences = sum((counts / (m - 1) for m, counts in pairs.items()), np.zeros((len(levels),) * 2))
    return float(alphas(coincidences, levels, scale))


def alphas(coincidences: Floats, levels: Floats, scale: str) -> Floats:
    """(...,) Krippendorff's α of tables (..., grades, grades) of how often two grades meet.

    Both orders of a pair are counted, and a pair of m judgments of a document counts 1/(m - 1).
    """
    sizes = coincidences.sum(axis=-1)  # judgments of each grade
    apart = _distances(levels, sizes, scale)
    expected = apart * sizes[..., :, None] * sizes[..., None, :]
    return _beyond_chance(apart * coincidences, expected, sizes.sum(axis=-1) - 1)


def fleiss_kappa(grades: Floats) -> float:
    """Fleiss' κ (1971) of documents that all assessors judged; Scott's π of two assessors.

    Undefined if no two grades differ.
    """
    assessors = len(grades)
    _, pairs = _pairs_by_judgments(grades[:, ~np.isnan(grades).any(axis=0)])
    counts = pairs.get(assessors, np.zeros((0, 0), dtype=np.int64))
    total = int(counts.sum())
    shares = counts.sum(axis=1) / total if total else np.zeros(0)
    chance = math.fsum(shares * shares)
    return (int(counts.trace()) / total - chance) / (1 - chance) if chance not in (0, 1) else math.nan


def _pairs_by_judgments(grades: Floats) -> tuple[Floats, dict[int, Ints]]:
    """(the grades, {m: how often each two grades meet in documents judged by m assessors, m > 1}).

    Both orders of a pair are counted. Counts are whole numbers, exact in any order of addition.
    """
    judged = ~np.isnan(grades)
    times = judged.sum(axis=0)
    levels = np.unique(grades[judged & (times > 1)])
    place = np.searchsorted(levels, np.where(judged, grades, 0.0))
    pairs = {}
    for m in np.unique(times[times > 1]).tolist():
        counts = np.zeros((len(levels),) * 2, dtype=np.int64)
        for one, other in itertools.combinations(range(len(grades)), 2):
            both = judged[one] & judged[other] & (times == m)
            counts += crossed(place[one, both], place[other, both], len(levels))
        pairs[m] = counts + counts.T
    return levels, pairs


def _distances(levels: Floats, sizes: Floats, scale: str) -> Floats:
    """(..., grades, grades): how much each two grades disagree; `sizes` is how often each occurs."""
    if scale == "nominal":
        return 1 - np.eye(len(levels))
    if scale == "interval":
        return np.square(levels[:, None] - levels)
    middle = np.cumsum(sizes, axis=-1) - sizes / 2  # judgments below the middle of each grade
    return np.square(middle[..., :, None] - middle[..., None, :])


def crossed(first: Ints | Bools, second: Ints | Bools, size: int) -> Ints:
    """(size, size) how often each pair of numbers below `size` occurs at the same place."""
    return np.bincount(first.astype(np.int64) * size + second, minlength=size * size).reshape(size, size)


@dataclass(frozen=True, eq=False)
class Panel:
    """The agreement of several sets on the documents that at least two have."""

    names: tuple[str, ...]
    rel: float  # the lowest relevant grade
    topics: tuple[str, ...]  # those with such documents, ascending as bytes
    starts: Ints  # (topics + 1,) where the documents of each topic begin
    grades: Floats  # (sets, documents) by topic; NaN where a set has no judgment
    pairs: tuple[Agreement, ...] = ()  # of more than two sets: every two that have a document in common

    @property
    def documents(self) -> int:
        """Documents judged in at least two sets."""
        return len(self.grades[0])

    @property
    def in_all(self) -> int:
        """Documents judged in all sets."""
        return int((~np.isnan(self.grades)).all(axis=0).sum())

    @property
    def relevant(self) -> Floats:
        """(sets, documents): 1 relevant, 0 not, NaN without a judgment."""
        return np.where(np.isnan(self.grades), np.nan, self.grades >= self.rel)

    def alpha(self, scale: str = "nominal") -> float:
        """Krippendorff's alpha of the grades, with a scale of SCALES."""
        return krippendorff_alpha(self.grades, scale)

    def binary_alpha(self) -> float:
        """Krippendorff's alpha of relevant against non-relevant."""
        return krippendorff_alpha(self.relevant)

    def fleiss(self) -> float:
        """Fleiss' kappa of documents judged in all sets."""
        return fleiss_kappa(self.grades)

    def binary_fleiss(self) -> float:
        """Fleiss' kappa of relevant against non-relevant, of documents judged in all sets."""
        return fleiss_kappa(self.relevant)

    def values_table(self) -> Table:
        """The coefficients of agreement."""
        binary = f"relevant (grade {self.rel:g} and above) or not"
        rows: list[tuple[Cell, ...]] = [
            *((f"alpha, {scale}", self.alpha(scale), words) for scale, words in SCALES.items()),
            ("alpha, binary", self.binary_alpha(), binary),
            ("Fleiss' kappa", self.fleiss(), f"of grades: {SCALES['nominal']}"),
            ("Fleiss' kappa, binary", self.binary_fleiss(), binary),
        ]
        return Table(("agreement", "value", "meaning"), rows)

    def pairs_table(self) -> Table:
        """The agreement of every two sets."""
        headers = ("first", "second", "documents", "same grade", "kappa", "kappa, linear", "kappa, quadratic")
        rows: list[tuple[Cell, ...]] = [
            (
                *pair.names,
                pair.documents,
                pair.same,
                *(pair.kappa(weights) for weights in ("none", "linear", "quadratic")),
                pair.binary_kappa(),
                pair.overlap(),
                pair.relative_relevance(),
            )
            for pair in self.pairs
        ]
        return Table((*headers, "kappa, binary", "overlap", "relative relevance"), rows, keys=2)

    def topics_table(self) -> Table:
        """The agreement on each topic."""
        rows: list[tuple[Cell, ...]] = []
        for topic, begin, end in zip(self.topics, self.starts, self.starts[1:], strict=False):
            alphas = [krippendorff_alpha(self.grades[:, begin:end], scale) for scale in SCALES]
            binary = krippendorff_alpha(self.relevant[:, begin:end])
            rows.append((topic, int(end - begin), *alphas, binary))
        return Table(("topic", "documents", *(f"alpha, {scale}" for scale in SCALES), "alpha, binary"), rows)


@dataclass(frozen=True, eq=False)
class Agreement(Panel):
    """The agreement of two sets on the documents that both have."""

    alone: tuple[int, int] = (0, 0)  # judgments that only one of the sets has, in any topic
    left_out: tuple[int, int] = (0, 0)  # topics that only one of the sets has

    @property
    def levels(self) -> Floats:
        """The grades in either set, ascending."""
        return np.unique(np.concatenate(self.grades))

    @property
    def counts(self) -> Ints:
        """(grades, grades) documents by their grade in each set."""
        first, second = (np.searchsorted(self.levels, grades) for grades in self.grades)
        return crossed(first, second, len(self.levels))

    @property
    def relevant_counts(self) -> Ints:
        """(2, 2) documents by whether they are relevant in each set."""
        first, second = (grades >= self.rel for grades in self.grades)
        return crossed(first, second, 2)

    @property
    def same(self) -> float:
        """The share of documents with the same grade in both."""
        return _share(int(self.counts.trace()), self.documents)

    def kappa(self, weights: str = "none") -> float:
        """Cohen's kappa of the grades; `weights`, one of WEIGHTS, defines how much two disagree."""
        apart = np.abs(self.levels[:, None] - self.levels)
        powers = {"none": (apart > 0).astype(np.float64), "linear": apart, "quadratic": apart * apart}
        return kappa(self.counts, powers[weights])

    def binary_kappa(self) -> float:
        """Cohen's kappa of relevant against non-relevant."""
        return kappa(self.relevant_counts)

    def positive(self) -> float:
        """Of documents relevant in one set, the share relevant in the other."""
        (_, one), (other, both) = self.relevant_counts.tolist()
        return _share(2 * both, 2 * both + one + other)

    def negative(self) -> float:
        """Of documents non-relevant in one set, the share non-relevant in the other."""
        (neither, one), (other, _) = self.relevant_counts.tolist()
        return _share(2 * neither, 2 * neither + one + other)

    def overlap(self) -> float:
        """Documents relevant in both sets over those relevant in either, mean over topics with any."""
        return TopicRules(undefined="skip").average([float(row[-3]) for row in self._by_topic()])

    def relative_relevance(self) -> float:
        """Relative relevance (Borlund & Ingwersen 1998): the cosine of the grades in the two sets.

        The mean over topics with a grade above 0 in both.
        """
        return TopicRules(undefined="skip").average([float(row[-1]) for row in self._by_topic()])

    def _by_topic(self) -> list[tuple[Any, ...]]:
        """(topic, documents, relevant in the first, in the second, in both, overlap, kappa, cosine)."""
        rows = []
        for topic, begin, end in zip(self.topics, self.starts, self.starts[1:], strict=False):
            first, second = (grades[begin:end] >= self.rel for grades in self.grades)
            both = int((first & second).sum())
            counts = crossed(first, second, 2)
            sizes = int(first.sum()), int(second.sum())
            overlap = _share(both, int((first | second).sum()))
            one, other = np.maximum(self.grades[:, begin:end], 0)
            length = math.sqrt(math.fsum(one * one)) * math.sqrt(math.fsum(other * other))
            cosine = math.fsum(one * other) / length if length else math.nan
            rows.append((topic, int(end - begin), *sizes, both, overlap, kappa(counts), cosine))
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
            ("relative relevance", self.relative_relevance(), "cosine of the grades, mean over topics"),
        ]
        return Table(("agreement", "value", "meaning"), rows)

    def counts_table(self) -> Table:
        """Documents by their grade in the first set (rows) and the second (columns), with column
        percentages.
        """
        names = [number(level, None) if level % 1 else str(int(level)) for level in self.levels.tolist()]
        counts = np.pad(self.counts, (0, 1))
        counts[:, -1] = counts.sum(axis=1)
        counts[-1] = totals = counts.sum(axis=0)
        rows: list[list[Cell]] = [[name] for name in (*names, "total")]
        for row, each in zip(rows, counts.tolist(), strict=True):
            for count, total in zip(each, totals.tolist(), strict=True):
                row += [count, Shown.rounded(100 * count / total, 1) if total else None]
        headers = [header for name in (*names, "total") for header in (name, f"{name}, %")]
        return Table(("grade", *headers), rows)

    def topics_table(self) -> Table:
        """The agreement on each topic."""
        headers = ("topic", "documents", "relevant 1", "relevant 2", "relevant in both", "overlap", "kappa")
        return Table((*headers, "relative relevance"), self._by_topic())


def compare_judgments(
    first: Qrels, second: Qrels, rel: float = 1, names: tuple[str, ...] | None = None
) -> Agreement:
    """The agreement of two sets on the documents that both have."""
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
        grades=np.array([first.sorted_grades[both], second.sorted_grades[judgment[both]]]),
        alone=(int((~both).sum()), len(second) - int(both.sum())),
        left_out=(len(place) - len(common), len(second.sorted_topics) - len(common)),
    )


def look_up(judgments: Qrels, other: Qrels) -> tuple[Ints, Ints, Ints]:
    """The judgments of one set in another, by place; -1 where it has none.

    (topics,) the topic in the other set; (judgments,) the topic in this one; (judgments,) the judgment there.
    """
    numbers = {topic: number for number, topic in enumerate(other.sorted_topics)}
    place = np.array([numbers.get(topic, -1) for topic in judgments.sorted_topics], dtype=np.int64)
    topic = np.repeat(np.arange(len(place)), np.diff(judgments.starts))
    docs = judgments.sorted_docs
    found = other.judgments().lookup(place[topic], docs.data, docs.offsets)
    return place, topic, np.frombuffer(found, dtype=np.int64)


def unique_names(*names: str) -> tuple[str, ...]:
    """Unique names for sets of judgments: namesakes are numbered."""
    if len(set(names)) == len(names):
        return names
    return tuple(f"{name} ({place})" for place, name in enumerate(names, 1))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan


def compare_panel(judgments: Sequence[Qrels], rel: float = 1) -> Panel:
    """The agreement of several sets on the documents that at least two have."""
    whole = Qrels.from_columns(concatenated([each.columns() for each in judgments]), duplicates="first")
    found = [look_up(whole, each) for each in judgments]
    grades = np.array(
        [
            np.where(at >= 0, each.sorted_grades[at], np.nan)
            for each, (_, _, at) in zip(judgments, found, strict=True)
        ]
    )
    shared = (~np.isnan(grades)).sum(axis=0) > 1
    names = unique_names(*(each.name for each in judgments))
    if not shared.any():
        raise InputError(
            f"no two of {', '.join(names)} have a judged document in common; "
            "check that they belong together and spell topics and documents alike"
        )
    sizes = np.bincount(found[0][1][shared], minlength=len(whole.sorted_topics))
    kept = np.flatnonzero(sizes)
    return Panel(
        names=names,
        rel=float(rel),
        topics=tuple(whole.sorted_topics[number] for number in kept),
        starts=np.concatenate(([0], np.cumsum(sizes[kept]))),
        grades=grades[:, shared],
        pairs=tuple(
            compare_judgments(judgments[a], judgments[b], rel, (names[a], names[b]))
            for a, b in itertools.combinations(range(len(judgments)), 2)
            if (~np.isnan(grades[[a, b]])).all(axis=0).any()
        ),
    )
