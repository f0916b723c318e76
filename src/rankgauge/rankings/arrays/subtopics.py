"""Subtopics: which subtopics the judged documents of a pool are judged for, and with which grades."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge.rankings.array_types import Bools, Floats, Ints
from rankgauge.rankings.arrays.groups import picked


@dataclass(frozen=True, eq=False)
class Subtopics:
    """Which subtopics the judged documents of a pool are judged for, and with which grades.

    The number of a document is that of its judgment in the pool.
    """

    starts: Ints  # (judgments + 1,) where what is known of each document begins
    intent: Ints  # (entries,) number of the subtopic, topic after topic
    grade: Floats  # (entries,)
    intents: Ints  # (topics + 1,) where the subtopics of each topic begin
    levels: Floats  # distinct grades of the whole collection, ascending
    weights: Floats | None = None  # (subtopics,) their probabilities, where they are given
    listed: Ints | None = None  # (topics,) how many are given for each topic
    alphas: Floats | None = None  # (topics,) where each has its own

    def only(self, kept: Any) -> Subtopics:
        """Without the judgments that are not kept; no subtopic goes."""
        sizes = np.diff(self.starts)
        entries = np.repeat(kept, sizes)
        starts = np.concatenate(([0], np.cumsum(sizes[kept])))
        return replace(self, starts=starts, intent=self.intent[entries], grade=self.grade[entries])

    def of_topics(self, topics: Ints, pool: Ints) -> Subtopics:
        """Those of these topics, in this order; pool: where the judgments of each topic begin."""
        judgment_starts, judgments = picked(pool, topics)
        starts, entries = picked(self.starts, judgments)
        intents, places = picked(self.intents, topics)
        # how far the subtopics of each topic have moved, for all that is known of its documents
        moved = np.repeat(intents[:-1] - self.intents[topics], np.diff(starts[judgment_starts]))
        return Subtopics(
            starts=starts,
            intent=self.intent[entries] + moved,
            grade=self.grade[entries],
            intents=intents,
            levels=self.levels,
            weights=None if self.weights is None else self.weights[places],
            listed=None if self.listed is None else self.listed[topics],
            alphas=None if self.alphas is None else self.alphas[topics],
        )

    @cached_property
    def topic(self) -> Ints:
        """(subtopics,): the topic of each."""
        return np.repeat(np.arange(len(self.intents) - 1), np.diff(self.intents))

    def count(self, useful: Bools) -> Ints:
        """(topics, 1): how many subtopics there are: all that were given, or all that are useful."""
        if self.listed is not None:
            return self.listed[:, None]
        return np.bincount(self.topic[useful], minlength=len(self.intents) - 1)[:, None]

    def shares(self, useful: Bools) -> Floats:
        """(subtopics,): the probability of each: as given, or the same for all that are useful."""
        if self.weights is not None:
            return self.weights
        return np.where(useful, 1 / np.maximum(self.count(useful)[self.topic, 0], 1), 0.0)

    @cached_property
    def kinds(self) -> Ints:
        """(judgments,): equal for documents of a topic that are judged alike for every subtopic."""
        known: dict[tuple[bytes, bytes], int] = {}
        parts = (slice(*ends) for ends in itertools.pairwise(self.starts.tolist()))
        keys = ((self.intent[part].tobytes(), self.grade[part].tobytes()) for part in parts)
        return np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.int64)

    def supposing(self, ends: Ints, topics: Ints, grade: float) -> Subtopics:
        """With more judgments: documents that have this grade for all subtopics of a topic.

        They stand before the judgments `ends`, and are of these topics; both (new judgments,).
        """
        sizes = np.diff(self.intents)[topics]
        _, more = picked(self.intents, topics)
        at = np.repeat(self.starts[ends], sizes)
        before = np.concatenate(([0], np.cumsum(np.insert(np.diff(self.starts), ends, sizes))))
        return replace(
            self,
            starts=before,
            intent=np.insert(self.intent, at, more),
            grade=np.insert(self.grade, at, grade),
            levels=np.union1d(self.levels, grade),
        )
