"""Qrels: judgments of documents for topics."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankgauge import core
from rankgauge.core.buffers import checksum
from rankgauge.core.ids import Ids, to_bytes
from rankgauge.errors import InputError
from rankgauge.formats.columns import Columns
from rankgauge.formats.mapping import by_subtopic
from rankgauge.formats.objects import is_known
from rankgauge.formats.source import Source
from rankgauge.model.recoding import Recoding
from rankgauge.model.run import Rows, distinct
from rankgauge.schema.text import counted

if TYPE_CHECKING:
    from typing_extensions import Self  # part of typing from Python 3.11 on

    from rankgauge.model.rules import Duplicates


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
    recoding: str = ""  # how grades were changed before anything else, such as 1=0,2=1
    assumed: str = ""  # what reading took for granted: see `formats.problems.assumption`
    shape: tuple[int, int | None] | None = None  # of the array that the judgments come from

    kind = "qrels"

    @classmethod
    def from_columns(cls, columns: Columns, name: str | None = None, duplicates: str = "error") -> Self:
        """The judgments in these columns, validated."""
        columns, topic, topics, dropped = distinct(columns, duplicates)
        return cls(
            topics,
            topic,
            columns.doc,
            columns.value,
            columns.label,
            name or "qrels",
            dropped,
            assumed=columns.assumed,
            shape=columns.shape,
        )

    @classmethod
    def unjudged(cls, topics: Iterable[bytes]) -> Self:
        """Topics of which no document is judged yet."""
        none = np.zeros(0, dtype=np.int64)
        return cls(Ids.of(dict.fromkeys(topics)), none, Ids.of(()), none.astype(np.float64), name="none")

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str] | Source,
        format: str | None = None,
        name: str | None = None,
        columns: Mapping[str, str] | None = None,
        duplicates: Duplicates = "error",
        grades: Any = None,
    ) -> Self:
        """Read a file, compressed or not; `-` is standard input, and the files of a pattern are read as one.

        The name is that of the file; format and column names are inferred unless specified:
        `columns={"topic": "my_q", "doc": "my_d"}`. `grades` changes grades before anything else, see `of`.
        """
        return cls.of(path, name, format, columns, duplicates, grades)

    @classmethod
    def of(
        cls,
        source: Any,
        name: str | None = None,
        format: str | None = None,
        columns: Mapping[str, str] | None = None,
        duplicates: Duplicates = "error",
        grades: Any = None,
    ) -> Self:
        """The judgments of a path or an object that `evaluate` takes; one of this class is returned as it is.

        `grades={1: 0, 2: 1, 3: None}`, or the text "1=0,2=1,3=unjudged", changes grades before anything else;
        judgments whose new grade is None are left out. Grades that are not named stay.

        >>> Qrels.of({"q1": {"d1": 2, "d2": 1, "d3": 3}}, grades={1: 0, 2: 1, 3: None}).to_dict()
        {'q1': {'d1': 1, 'd2': 0}}
        """
        if grades is None:
            return super().of(source, name, format, columns, duplicates)
        recoding = Recoding.of(grades)
        if isinstance(source, Qrels):
            return cls.of(source, name, format, columns, duplicates).recoded(recoding)
        rows, name = cls.columns_of(source, name, format, columns)
        qrels = cls.from_columns(recoding.recode(rows), name, duplicates)
        return replace(qrels, recoding=str(recoding))

    def recoded(self, grades: Any) -> Self:
        """The same judgments with other grades, as `of` takes them; only once, and by one recoding."""
        recoding = Recoding.of(grades)
        if self.recoding == str(recoding):
            return self
        if self.recoding:
            before = Recoding.of(self.recoding).setting
            raise InputError(
                f"{recoding.setting} would change grades that {before} has changed before; "
                "recode the original judgments"
            )
        new = type(self).from_columns(recoding.recode(self.columns()), self.name)
        return replace(
            self,
            topics=new.topics,
            topic=new.topic,
            docs=new.docs,
            grades=new.grades,
            iterations=new.iterations,
            recoding=str(recoding),
        )

    @classmethod
    def _columns_in_memory(cls, value: Any, columns: Mapping[str, str] | None = None) -> Columns:
        nested = isinstance(value, Mapping) and not is_known(value)
        if cls is Qrels and nested and by_subtopic(value):
            raise InputError(
                "these judgments are by subtopic, {topic: {subtopic: {document: grade}}}; "
                "use SubtopicQrels.from_dict"
            )
        return super()._columns_in_memory(value, columns)

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
        return unique(self.grades)

    @cached_property
    def _in_order(self) -> tuple[Ids, npt.NDArray[np.int64], Ids, npt.NDArray[np.float64]]:
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
        return tuple(self.sorted_topic_ids.texts())

    @property
    def sorted_topic_ids(self) -> Ids:
        """`sorted_topics` as a column of ids."""
        return self._in_order[0]

    @property
    def starts(self) -> npt.NDArray[np.int64]:
        """(topics + 1,): index in `sorted_grades` of the first judgment of each of `sorted_topics`."""
        return self._in_order[1]

    @property
    def sorted_grades(self) -> npt.NDArray[np.float64]:
        """The grades by topic and then by document, both ascending as bytes."""
        return self._in_order[3]

    @property
    def judged_documents(self) -> int:
        """The number of judged documents, over all topics."""
        return len(self.sorted_grades)

    @property
    def digest(self) -> str:
        """A checksum of topics, documents and grades; the order of rows does not matter."""
        topics, starts, docs, grades = self._in_order
        return checksum(*topics.contiguous(), starts, *docs.contiguous(), np.ascontiguousarray(grades))

    def only(self, kept: npt.NDArray[np.bool_]) -> Qrels:
        """Some of the judgments (a mask of `sorted_grades`); a topic stays even if none is kept."""
        topics, starts, docs, grades = self._in_order
        if len(kept) != len(grades) or not kept.any():
            raise InputError(
                f"expected a mask of {len(grades)} judgments that keeps at least one; "
                f"this one has {len(kept)} values and keeps {np.count_nonzero(kept)}"
            )
        topic = np.repeat(np.arange(len(topics)), np.diff(starts))
        return Qrels(
            topics,
            topic[kept],
            docs.take(np.flatnonzero(kept)),
            grades[kept],
            name=self.name,
            recoding=self.recoding,
        )

    def rejudged(self, topic: str, grades: Mapping[str, float | None]) -> Self:
        """The judgments with other grades of some documents of a topic; None makes a document unjudged.

        >>> Qrels.of({"q1": {"d1": 2, "d2": 1}}).rejudged("q1", {"d1": None, "d3": 3}).to_dict()
        {'q1': {'d2': 1, 'd3': 3}}
        """
        number = self.topics.texts().index(topic)
        rows = np.flatnonzero(self.topic == number)
        row_of = dict(zip(self.docs.take(rows).texts(), rows.tolist(), strict=True))
        known = {row_of[doc]: grade for doc, grade in grades.items() if doc in row_of}
        new = {doc: grade for doc, grade in grades.items() if doc not in row_of and grade is not None}
        changed, kept = self.grades.copy(), np.ones(len(self.grades), dtype=np.bool_)
        for row, grade in known.items():
            changed[row], kept[row] = (0.0, False) if grade is None else (grade, True)
        if not kept[rows].any() and not new:
            raise InputError(f"no document of topic {topic!r} would be judged; a topic needs a judgment")
        rows = np.flatnonzero(kept)
        docs = [*self.docs.take(rows), *map(to_bytes, new)]
        labels = self.iterations and [*self.iterations.take(rows), *([b"0"] * len(new))]
        return replace(
            self,
            topic=np.append(self.topic[rows], np.full(len(new), number)),
            docs=Ids.of(docs),
            grades=np.append(changed[rows], np.array([*new.values()], dtype=np.float64)),
            iterations=None if labels is None else Ids.of(labels),
        )

    def judgments(self, lowest_grade: float = -math.inf) -> Any:
        """The core's lookup table of the judgments graded `lowest_grade` or higher (`core.Judgments`)."""
        if lowest_grade not in self._judgments:
            topics, starts, docs, grades = self._in_order
            kinds, least = self.sorted_kinds, lowest_grade
            if kinds is not grades:
                kinds, least = np.where(grades >= lowest_grade, kinds, np.nan), -math.inf  # NaN is left out
            self._judgments[lowest_grade] = core.Judgments(
                topics.data, topics.offsets, starts, docs.data, docs.offsets, kinds, least
            )
        return self._judgments[lowest_grade]

    def documents(self, topic: str) -> list[str]:
        """The judged documents of a topic; none if it has no judgments."""
        return [*self.grades_of(topic)]

    def grades_of(self, topic: str) -> dict[str, float]:
        """{document: grade} of a judged topic, in the order of ids; empty if it has no judgments."""
        if topic not in self._places:
            return {}
        begin, end = self.starts[self._places[topic] : self._places[topic] + 2].tolist()
        documents = self.sorted_docs.part(slice(begin, end)).texts()
        return dict(zip(documents, self.sorted_grades[begin:end].tolist(), strict=True))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {topic: place for place, topic in enumerate(self.sorted_topics)}

    @property
    def sorted_kinds(self) -> npt.NDArray[np.float64]:
        """A number for each of `sorted_grades`, the same for documents with the same judgments: the grade."""
        return self.sorted_grades

    @property
    def kinds(self) -> tuple[list[float], list[float]]:
        """(the distinct `sorted_kinds`, ascending; the grade of each)."""
        levels: list[float] = self.levels.tolist()
        return levels, levels

    @property
    def sorted_docs(self) -> Ids:
        """The documents of `sorted_grades`, by the index of the judgment."""
        return self._in_order[2]

    @cached_property
    def _judgments(self) -> dict[float, Any]:
        return {}


def unique(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The distinct values, ascending."""
    ordered = np.sort(values)  # np.unique imports half of NumPy
    return ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))[: len(ordered)]]


def in_bytes(ids: Ids, numbers: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], ...]:
    """(the order of distinct ids by bytes, the place of each id in it)."""
    order = np.argsort(comparable(ids), kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return order, place[numbers]


def comparable(ids: Ids) -> npt.NDArray[Any]:
    """An array that compares as the ids do, of fixed width where that is reasonable."""
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
