"""Qrels: judgments of documents for topics."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge import core
from rankgauge.core.ids import Ids
from rankgauge.errors import InputError
from rankgauge.formats.columns import Columns
from rankgauge.formats.mapping import by_subtopic
from rankgauge.model.rows import Rows, distinct
from rankgauge.schema.text import counted


@dataclass(frozen=True, eq=False, repr=False)
class Qrels(Rows):
    """Judgments: documents with grades, topic by topic. A grade may be any finite number.

    Made by `Qrels.read` from files, by `Qrels.from_dict` and `Qrels.from_frame`, or by `Qrels.of` from
    any of these.
    """

    topics: Ids  # distinct, in order of appearance
    topic: npt.NDArray[np.int64]  # (n,) index of the topic in `topics`
    docs: Ids  # (n,)
    grades: npt.NDArray[np.float64]  # (n,)
    iterations: Ids | None = None  # (n,) the second column
    name: str = "qrels"
    dropped: int = 0  # number of duplicates left out

    kind = "qrels"

    @classmethod
    def from_columns(cls, columns: Columns, name: str | None = None, duplicates: str = "error") -> Qrels:
        """The judgments in these columns, validated."""
        columns, topic, topics, dropped = distinct(columns, duplicates)
        return cls(topics, topic, columns.doc, columns.value, columns.label, name or "qrels", dropped)

    @classmethod
    def from_dict(
        cls,
        nested: Mapping[Any, Mapping[Any, Any]],
        name: str | None = None,
        duplicates: str = "error",
    ) -> Qrels:
        """The judgments of `{topic: {document: grade}}`; topics and documents may be str, bytes or int."""
        if cls is Qrels and by_subtopic(nested):
            raise InputError(
                "these judgments are by subtopic, {topic: {subtopic: {document: grade}}}; "
                "use SubtopicQrels.from_dict"
            )
        return super().from_dict(nested, name, duplicates)

    def columns(self) -> Columns:
        """All rows as columns, for writing."""
        topic = self.topics.take(self.topic)
        return Columns("qrels", topic, self.docs, self.grades, label=self.iterations)

    def __repr__(self) -> str:
        low, high = (f"{grade:g}" for grade in (self.levels[0], self.levels[-1]))
        size = f"{counted(len(self.topics), 'topic')}, {counted(len(self), 'judgment')}"
        return f"Qrels {self.name!r}: {size}, grades {low} to {high}"

    @cached_property
    def levels(self) -> npt.NDArray[np.float64]:
        """The distinct grades, ascending."""
        ordered = np.sort(self.grades)  # np.unique imports half of NumPy
        return ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))]

    @cached_property
    def _in_order(self) -> tuple[Ids, npt.NDArray[np.int64], Ids, npt.NDArray[np.float64]]:
        """(topics, first judgment of each, documents, grades), all ascending as bytes."""
        topic = np.ascontiguousarray(self.topic, dtype=np.int64)
        ordered = core.sort_judgments(
            self.topics.data, self.topics.offsets, topic, self.docs.data, self.docs.offsets
        )
        data, offsets = ordered["topics"]
        topics = Ids(data, np.frombuffer(offsets, dtype=np.int64))
        starts, rows = (np.frombuffer(ordered[name], dtype=np.int64) for name in ("starts", "rows"))
        if (rows[1:] > rows[:-1]).all():
            return topics, starts, self.docs, self.grades
        return topics, starts, self.docs.take(rows), self.grades[rows]

    @cached_property
    def sorted_topics(self) -> tuple[str, ...]:
        """The topics, ascending as bytes: the order of `judgments` and of all results."""
        return tuple(self._in_order[0].texts())

    @property
    def starts(self) -> npt.NDArray[np.int64]:
        """(topics + 1,): index in `sorted_grades` of the first judgment of each of `sorted_topics`."""
        return self._in_order[1]

    @property
    def sorted_grades(self) -> npt.NDArray[np.float64]:
        """The grades by topic and then by document, both ascending as bytes."""
        return self._in_order[3]

    def only(self, kept: npt.NDArray[np.bool_]) -> Qrels:
        """Some of the judgments (a mask of `sorted_grades`); a topic stays even if none is kept."""
        topics, starts, docs, grades = self._in_order
        if len(kept) != len(grades) or not kept.any():
            raise InputError(
                f"expected a mask of {len(grades)} judgments that keeps at least one; "
                f"this one has {len(kept)} values and keeps {np.count_nonzero(kept)}"
            )
        topic = np.repeat(np.arange(len(topics)), np.diff(starts))
        return Qrels(topics, topic[kept], docs.take(np.flatnonzero(kept)), grades[kept], name=self.name)

    def judgments(self, lowest_grade: float = -math.inf) -> Any:
        """The core's lookup table of the judgments graded `lowest_grade` or higher (`core.Judgments`)."""
        if lowest_grade not in self._judgments:
            topics, starts, docs, grades = self._in_order
            self._judgments[lowest_grade] = core.Judgments(
                topics.data, topics.offsets, starts, docs.data, docs.offsets, grades, lowest_grade
            )
        return self._judgments[lowest_grade]

    @property
    def sorted_docs(self) -> Ids:
        """The documents of `sorted_grades`, by the index of the judgment."""
        return self._in_order[2]

    @cached_property
    def _judgments(self) -> dict[float, Any]:
        return {}


def in_bytes(ids: Ids, numbers: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], ...]:
    """(the order of distinct ids by bytes, numbers of ids changed to places in that order)."""
    order = np.argsort(comparable(ids), kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return order, place[numbers]


def comparable(ids: Ids) -> npt.NDArray[Any]:
    """An array that compares as the ids do: of fixed width where that is reasonable, of objects otherwise."""
    size = np.diff(ids.offsets)
    data = np.frombuffer(ids.data, dtype=np.uint8)[ids.offsets[0] : ids.offsets[-1]]
    width = int(size.max(initial=1))
    if width * len(ids) > 1 << 28 or not data.all():  # shorter ids are padded with NUL
        keys = np.empty(len(ids), dtype=object)
        keys[:] = list(ids)
        return keys
    wide = np.zeros((len(ids), width), dtype=np.uint8)
    wide[np.arange(width) < size[:, None]] = data
    return wide.view(f"S{width}")[:, 0]
