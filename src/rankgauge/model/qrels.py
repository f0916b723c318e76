"""Qrels: the judgments of a collection's documents for its topics."""

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
from rankgauge.formats.mapping import read as mapping_read
from rankgauge.model.rows import Rows, distinct
from rankgauge.schema.text import counted


@dataclass(frozen=True, eq=False, repr=False)
class Qrels(Rows):
    """Judgments: documents with grades, topic by topic. A grade may be any finite number.

    Made by `Qrels.read` from files, by `Qrels.from_dict` and `Qrels.from_frame`, or by `Qrels.of` from
    any of these.
    """

    topics: Ids  # distinct, in order of appearance
    topic: npt.NDArray[np.int64]  # (n,) number of the topic in `topics`
    docs: Ids  # (n,)
    grades: npt.NDArray[np.float64]  # (n,)
    iterations: Ids | None = None  # (n,) the second column
    name: str = "qrels"
    dropped: int = 0  # duplicates that were left out

    kind = "qrels"

    @classmethod
    def from_columns(cls, columns: Columns, name: str | None = None, duplicates: str = "error") -> Qrels:
        """The judgments in these columns, checked."""
        columns, topic, topics, dropped = distinct(columns, duplicates)
        return cls(topics, topic, columns.doc, columns.value, columns.label, name or "qrels", dropped)

    @classmethod
    def from_dict(
        cls,
        nested: Mapping[Any, Mapping[Any, Any]],
        name: str | None = None,
        duplicates: str = "error",
    ) -> Qrels:
        """The judgments of `{topic: {document: grade}}`, or by subtopic, `{topic: {subtopic: {…}}}`.

        Topics, subtopics and documents may be str, bytes or int.
        """
        if by_subtopic(nested):
            from rankgauge.model.subtopics import SubtopicQrels

            return SubtopicQrels.from_columns(mapping_read(nested, cls.kind), name, duplicates)
        return super().from_dict(nested, name, duplicates)

    def columns(self) -> Columns:
        """All rows as columns, to be written."""
        topic = self.topics.take(self.topic)
        return Columns("qrels", topic, self.docs, self.grades, label=self.iterations)

    def __repr__(self) -> str:
        low, high = (f"{grade:g}" for grade in (self.levels[0], self.levels[-1]))
        size = f"{counted(len(self.topics), 'topic')}, {counted(len(self), 'judgment')}"
        return f"Qrels {self.name!r}: {size}, grades {low} to {high}"

    @cached_property
    def levels(self) -> npt.NDArray[np.float64]:
        """The distinct grades, ascending."""
        ordered = np.sort(self.grades)  # np.unique would do, and import half of NumPy for it
        return ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))]

    @cached_property
    def _in_order(self) -> tuple[Ids, npt.NDArray[np.int64], Ids, npt.NDArray[np.float64]]:
        """(topics, where each one's judgments begin, documents, grades), all by bytes ascending."""
        by_bytes, topic = in_bytes(self.topics, self.topic)
        docs, grades, keys = self.docs, self.grades, comparable(self.docs)
        rising = (topic[1:] > topic[:-1]) | ((topic[1:] == topic[:-1]) & (keys[1:] > keys[:-1]))
        if not rising.all():
            order = np.argsort(keys, kind="stable")
            order = order[np.argsort(topic[order], kind="stable")]
            topic, docs, grades = topic[order], docs.take(order), grades[order]
        starts = np.searchsorted(topic, np.arange(len(self.topics) + 1)).astype(np.int64)
        return self.topics.take(by_bytes), starts, docs, grades

    @cached_property
    def sorted_topics(self) -> tuple[str, ...]:
        """The topics, ascending as bytes: the order of `judgments` and of all results."""
        return tuple(self._in_order[0].texts())

    @property
    def starts(self) -> npt.NDArray[np.int64]:
        """(topics + 1,) where the judgments of each of `sorted_topics` begin in `sorted_grades`."""
        return self._in_order[1]

    @property
    def sorted_grades(self) -> npt.NDArray[np.float64]:
        """The grades by topic and then by document, both ascending as bytes."""
        return self._in_order[3]

    def only(self, kept: npt.NDArray[np.bool_]) -> Qrels:
        """Some of the judgments, numbered as in `sorted_grades`; a topic stays even if none is kept."""
        topics, starts, docs, grades = self._in_order
        if len(kept) != len(grades) or not kept.any():
            raise InputError(
                f"of {len(grades)} judgments at least one has to be kept, by as many truth values; "
                f"these are {len(kept)}, {np.count_nonzero(kept)} of them true"
            )
        topic = np.repeat(np.arange(len(topics)), np.diff(starts))
        return Qrels(topics, topic[kept], docs.take(np.flatnonzero(kept)), grades[kept], name=self.name)

    def judgments(self, least: float = -math.inf) -> Any:
        """The judgments as the core looks documents up in them (`core.Judgments`), from a grade on."""
        if least not in self._judgments:
            topics, starts, docs, grades = self._in_order
            self._judgments[least] = core.Judgments(
                topics.data, topics.offsets, starts, docs.data, docs.offsets, grades, least
            )
        return self._judgments[least]

    @property
    def sorted_docs(self) -> Ids:
        """The documents of `sorted_grades`: what the number of a judgment is the number of."""
        return self._in_order[2]

    @cached_property
    def _judgments(self) -> dict[float, Any]:
        return {}


def in_bytes(ids: Ids, numbers: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], ...]:
    """(the order of distinct ids by bytes, numbers of ids in it)."""
    order = np.argsort(comparable(ids), kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return order, place[numbers]


def comparable(ids: Ids) -> npt.NDArray[Any]:
    """An array that compares as the ids do: of fixed width where that is reasonable, of objects otherwise."""
    size = np.diff(ids.offsets)
    data = np.frombuffer(ids.data, dtype=np.uint8)[ids.offsets[0] : ids.offsets[-1]]
    width = int(size.max(initial=1))
    if width * len(ids) > 1 << 28 or not data.all():  # NUL is what shorter ids are filled up with
        keys = np.empty(len(ids), dtype=object)
        keys[:] = list(ids)
        return keys
    wide = np.zeros((len(ids), width), dtype=np.uint8)
    wide[np.arange(width) < size[:, None]] = data
    return wide.view(f"S{width}")[:, 0]
