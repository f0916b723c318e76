"""The agreement of several sets of judgments: coefficients over all of them, and over every two."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankgauge.errors import InputError
from rankgauge.formats.columns import concatenated
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.model.output.tables import Cell, Table
from rankgauge.model.qrels import Qrels
from rankgauge.studies.judging.assessors import Agreement, compare_judgments, look_up, unique_names
from rankgauge.studies.numerics.coefficients import SCALES, fleiss_kappa, krippendorff_alpha


@dataclass(frozen=True, eq=False)
class Panel:
    """How far several sets of judgments agree on the documents that at least two of them have."""

    names: tuple[str, ...]
    rel: float  # the lowest relevant grade
    topics: tuple[str, ...]  # those with such documents, ascending as bytes
    starts: Ints  # (topics + 1,) where the documents of each topic begin
    grades: Floats  # (sets, documents) by topic; NaN where a set has no judgment
    pairs: tuple[Agreement, ...]  # every two sets that have a document in common

    @property
    def documents(self) -> int:
        """The number of documents judged in at least two sets."""
        return len(self.grades[0])

    @property
    def in_all(self) -> int:
        """The number of documents judged in all sets."""
        return int((~np.isnan(self.grades)).all(axis=0).sum())

    @property
    def relevant(self) -> Floats:
        """(sets, documents): 1 if the document is relevant, 0 if not, NaN where a set has no judgment."""
        return np.where(np.isnan(self.grades), np.nan, self.grades >= self.rel)

    def alpha(self, scale: str = "nominal") -> float:
        """Krippendorff's alpha of the grades; `scale`, one of SCALES, defines how much two disagree."""
        return krippendorff_alpha(self.grades, scale)

    def binary_alpha(self) -> float:
        """Krippendorff's alpha of relevant against non-relevant."""
        return krippendorff_alpha(self.relevant)

    def fleiss(self) -> float:
        """Fleiss' kappa of the grades of the documents judged in all sets."""
        return fleiss_kappa(self.grades)

    def binary_fleiss(self) -> float:
        """Fleiss' kappa of relevant against non-relevant, of the documents judged in all sets."""
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
            )
            for pair in self.pairs
        ]
        return Table((*headers, "kappa, binary", "overlap"), rows)

    def topics_table(self) -> Table:
        """The agreement on each topic."""
        rows: list[tuple[Cell, ...]] = []
        for topic, begin, end in zip(self.topics, self.starts, self.starts[1:], strict=False):
            alphas = [krippendorff_alpha(self.grades[:, begin:end], scale) for scale in SCALES]
            binary = krippendorff_alpha(self.relevant[:, begin:end])
            rows.append((topic, int(end - begin), *alphas, binary))
        return Table(("topic", "documents", *(f"alpha, {scale}" for scale in SCALES), "alpha, binary"), rows)


def compare_panel(judgments: Sequence[Qrels], rel: float = 1) -> Panel:
    """The agreement of several sets of judgments on the documents that at least two of them have."""
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
