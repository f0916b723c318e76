"""Subtopics: which subtopics the judged documents of a pool are judged for, and with which grades."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge.errors import MeasureError
from rankgauge.measures.rankings.array_types import Bools, Floats, Ints, picked, read_only
from rankgauge.schema.text import format_number


@dataclass(frozen=True, eq=False)
class Subtopics:
    """The subtopics that the judged documents of a pool are judged for, and their grades.

    A document's number is that of its judgment in the pool; an entry is its grade for one subtopic.
    """

    starts: Ints  # (judgments + 1,) where the entries of each document begin
    subtopic: Ints  # (entries,) the number of the subtopic; numbers ascend topic by topic
    grade: Floats  # (entries,)
    subtopic_starts: Ints  # (topics + 1,) where the subtopics of each topic begin
    levels: Floats  # distinct grades of the whole collection, ascending
    weights: Floats | None = None  # (subtopics,) their probabilities, if the judgments have some
    listed: Ints | None = None  # (topics,) how many subtopics of each topic have a probability
    alphas: Floats | None = None  # (topics,) the alpha of each topic, if the judgments have some
    origin: tuple[Subtopics, Ints] | None = (
        None  # if these are some of others: those, and the judgments taken
    )

    def only(self, kept: Any) -> Subtopics:
        """The entries of the judgments that are kept; all subtopics stay."""
        sizes = np.diff(self.starts)
        entries = np.repeat(kept, sizes)
        starts = np.concatenate(([0], np.cumsum(sizes[kept])))
        return replace(
            self,
            starts=starts,
            subtopic=self.subtopic[entries],
            grade=self.grade[entries],
            origin=(self, np.flatnonzero(kept)),
        )

    def of_topics(self, topics: Ints, pool: Ints) -> Subtopics:
        """The subtopics of some topics, in the order given; pool: where the judgments of each topic begin."""
        judgment_starts, judgments = picked(pool, topics)
        starts, entries = picked(self.starts, judgments)
        subtopic_starts, places = picked(self.subtopic_starts, topics)
        # by how much the numbers of a topic's subtopics change, for all entries of its documents
        moved = np.repeat(
            subtopic_starts[:-1] - self.subtopic_starts[topics], np.diff(starts[judgment_starts])
        )
        return Subtopics(
            starts=starts,
            subtopic=self.subtopic[entries] + moved,
            grade=self.grade[entries],
            subtopic_starts=subtopic_starts,
            levels=self.levels,
            weights=None if self.weights is None else self.weights[places],
            listed=None if self.listed is None else self.listed[topics],
            alphas=None if self.alphas is None else self.alphas[topics],
            origin=(self, judgments),
        )

    def isolated(self) -> Subtopics:
        """The same subtopics, read-only."""
        arrays = [field.name for field in fields(self) if field.name != "origin"]
        return replace(self, **{name: read_only(getattr(self, name)) for name in arrays})

    @cached_property
    def topic(self) -> Ints:
        """(subtopics,): the topic of each."""
        return np.repeat(np.arange(len(self.subtopic_starts) - 1), np.diff(self.subtopic_starts))

    def count(self, useful: Bools) -> Ints:
        """(topics, 1): how many subtopics count: those with a probability, or without any all useful ones."""
        if self.listed is not None:
            return self.listed[:, None]
        return np.bincount(self.topic[useful], minlength=len(self.subtopic_starts) - 1)[:, None]

    def shares(self, useful: Bools) -> Floats:
        """(subtopics,): the probability of each: as in the judgments, or the same for all useful ones."""
        if self.weights is not None:
            return self.weights
        return np.where(useful, 1 / np.maximum(self.count(useful)[self.topic, 0], 1), 0.0)

    @cached_property
    def kinds(self) -> Ints:
        """(judgments,): equal for documents of a topic with equal grades for all subtopics.

        Their order within a topic follows from subtopics and grades, not from the names of documents.
        """
        if self.origin is not None:  # blocks of topics, and each tie of them, ask again and again
            whole, judgments = self.origin
            return whole.kinds[judgments]
        subtopic, grade = self.subtopic.tolist(), self.grade.tolist()
        parts = (slice(*ends) for ends in itertools.pairwise(self.starts.tolist()))
        # Subtopics are compared with subtopics only: their numbers depend on the topics around.
        keys = [(tuple(subtopic[part]), tuple(grade[part])) for part in parts]
        place = {key: place for place, key in enumerate(sorted(set(keys)))}
        return np.array([place[key] for key in keys], dtype=np.int64)

    def supposing(self, ends: Ints, topics: Ints, grade: float) -> Subtopics:
        """With more judgments: documents that have this grade for all subtopics of a topic.

        They are inserted before the judgments `ends`, for these topics; both (new judgments,).
        """
        sizes = np.diff(self.subtopic_starts)[topics]
        _, more = picked(self.subtopic_starts, topics)
        at = np.repeat(self.starts[ends], sizes)
        before = np.concatenate(([0], np.cumsum(np.insert(np.diff(self.starts), ends, sizes))))
        return replace(
            self,
            starts=before,
            subtopic=np.insert(self.subtopic, at, more),
            grade=np.insert(self.grade, at, grade),
            levels=np.union1d(self.levels, grade),
            origin=None,
        )


def check_probabilities(known: Subtopics) -> None:
    """Refuse grades above 1 where they are probabilities; those of 0 and below count as 0."""
    highest = float(known.levels[-1]) if len(known.levels) else 0.0
    if highest > 1:
        raise MeasureError(
            f"alpha=grade reads grades as probabilities, and the judgments have grade "
            f"{format_number(highest)}; grades must be numbers from 0 to 1"
        )
