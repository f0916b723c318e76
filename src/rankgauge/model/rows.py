"""What runs and judgments have in common: rows of topic, document and a number."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from rankgauge import core, formats
from rankgauge.core.ids import Ids, to_bytes
from rankgauge.errors import InputError, MissingDependency
from rankgauge.formats import problems
from rankgauge.formats.columns import WRITTEN, Columns, Ints, concatenated, is_text
from rankgauge.formats.source import Source, expand, run_name
from rankgauge.model.document_order import DUPLICATES

R = TypeVar("R", bound="Rows")


class Rows(ABC):
    """Rows of topic, document and a number, validated once and then left alone."""

    kind: ClassVar[str]
    name: str
    topics: Ids  # distinct, in order of appearance
    topic: npt.NDArray[np.int64]  # (n,) number of the topic in `topics`
    docs: Ids  # (n,)
    dropped: int  # duplicates that were left out

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    @classmethod
    @abstractmethod
    def from_columns(cls: type[R], columns: Columns, name: str | None = None, duplicates: str = "error") -> R:
        """The records of these columns, checked."""

    @abstractmethod
    def columns(self) -> Columns:
        """All rows as columns, to be written."""

    @classmethod
    def read(
        cls: type[R],
        path: str | os.PathLike[str] | Source,
        format: str | None = None,
        name: str | None = None,
        columns: Mapping[str, str] | None = None,
        duplicates: str = "error",
    ) -> R:
        """What is in a file, packed or not; `-` is standard input, a pattern stands for all its files as one.

        The name is that of the file, the format and the names of columns are found out, unless they
        are given: `columns={"topic": "my_q", "doc": "my_d"}`.
        """
        files = [path] if isinstance(path, Source) else expand(path)
        parts = [formats.read(file, cls.kind, format, columns, keep=1) for file in files]
        name = name or run_name(path.path if isinstance(path, Source) else path)
        return cls.from_columns(concatenated(parts), name, duplicates)

    @classmethod
    def from_dict(
        cls: type[R],
        nested: Mapping[Any, Mapping[Any, Any]],
        name: str | None = None,
        duplicates: str = "error",
    ) -> R:
        """The records of `{topic: {document: number}}`; topics and documents may be str, bytes or int."""
        from rankgauge.formats import mapping

        return cls.from_columns(mapping.read(nested, cls.kind), name, duplicates)

    @classmethod
    def from_frame(
        cls: type[R],
        frame: Any,
        name: str | None = None,
        columns: Mapping[str, str] | None = None,
        duplicates: str = "error",
    ) -> R:
        """The records of a polars, pandas or pyarrow frame, or a dict of columns.

        What the columns are is guessed from their names, unless given: `columns={"topic": "my_q"}`.
        """
        from rankgauge.formats import frames

        return cls.from_columns(frames.read(frame, cls.kind, columns), name, duplicates)

    @classmethod
    def of(
        cls: type[R],
        source: Any,
        name: str | None = None,
        format: str | None = None,
        columns: Mapping[str, str] | None = None,
        duplicates: str = "error",
    ) -> R:
        """The records of whatever holds some: themselves, a path, a nested dict, a frame."""
        if isinstance(source, cls):
            return source
        if isinstance(source, (str, os.PathLike, Source)):
            return cls.read(source, format, name, columns, duplicates)
        if isinstance(source, Mapping) and all(isinstance(value, Mapping) for value in source.values()):
            return cls.from_dict(source, name, duplicates)
        if isinstance(source, Rows):
            raise InputError(f"{problems.HOLDS[cls.kind]} must be given here, not {source!r}")
        return cls.from_frame(source, name, columns, duplicates)

    def __len__(self) -> int:
        return len(self.topic)

    def write(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Write a file, whole or not at all; its extension tells format and compression, if not given."""
        formats.write(self.columns(), path, format)

    def to_dict(self) -> dict[str, dict[str, int | float]]:
        """`{topic: {document: number}}`."""
        nested: list[dict[str, int | float]] = [{} for _ in range(len(self.topics))]
        rows = zip(self.topic.tolist(), self.docs.texts(), self.columns().numbers(), strict=True)
        for topic, doc, value in rows:
            nested[topic][doc] = value
        return dict(zip(self.topics.texts(), nested, strict=True))

    def to_arrow(self) -> Any:
        """A pyarrow table with columns such as query_id, doc_id, score or relevance."""
        from rankgauge.formats.arrow import table

        return table(self.columns())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """A pandas frame with columns such as query_id, doc_id, score or relevance."""
        try:
            import pandas
        except ImportError:
            raise MissingDependency("to_pandas", "pandas", "pandas") from None
        return pandas.DataFrame(_readable(self.columns()))

    def to_polars(self) -> Any:
        """A polars frame with columns such as query_id, doc_id, score or relevance."""
        try:
            import polars
        except ImportError:
            raise MissingDependency("to_polars", "polars", "polars") from None
        return polars.DataFrame(_readable(self.columns()))


def _readable(columns: Columns) -> dict[str, Any]:
    """The columns by name for a frame; ids that are no UTF-8 stay bytes, for frames take no such text."""
    names = WRITTEN[columns.kind]
    named = columns.named() | {names["value"]: columns.uniform()}
    for part, ids in (("topic", columns.topic), ("doc", columns.doc), ("label", columns.label)):
        if ids is not None and not is_text(ids):
            named[names[part]] = list(ids)
    return named


def constant(text: str, count: int) -> Ids:
    """The same id in every row."""
    data = to_bytes(text)
    return Ids(data * count, np.arange(count + 1, dtype=np.int64) * len(data))


def distinct(columns: Columns, duplicates: str, *, by_label: bool = False) -> tuple[Columns, Ints, Ids, int]:
    """(rows, number of each one's topic, topics, duplicates dropped): each document once in a topic.

    Or once for each of its labels, which are subtopics.
    """
    DUPLICATES.check(duplicates)
    columns = columns.checked()
    topic, topics = columns.topic.encode()
    group = topic
    if by_label and columns.label is not None:
        label, labels = columns.label.encode()
        group = topic * len(labels) + label
    found = core.duplicates(group, columns.doc.data, columns.doc.offsets)
    again, first = (np.frombuffer(rows, dtype=np.int64) for rows in found)
    if not len(again):
        return columns, topic, topics, 0
    if duplicates == "error":
        raise _twice(columns, int(again[0]), int(first[0]))
    columns = columns.take(_kept(columns.value, again, first, duplicates))
    return columns, *columns.topic.encode(), len(again)


def _kept(value: npt.NDArray[np.float64], again: Ints, first: Ints, duplicates: str) -> Ints:
    """The rows that stay: of each document the first, or the one with the highest number."""
    keep = np.ones(len(value), dtype=bool)
    keep[again] = False
    if duplicates == "max":
        group = np.concatenate([np.unique(first), first])  # each document's first row stands for it
        rows = np.concatenate([np.unique(first), again])
        order = np.lexsort((rows, -value[rows], group))
        best = np.ones(len(order), dtype=bool)
        best[1:] = group[order][1:] != group[order][:-1]
        keep[rows] = False
        keep[rows[order][best]] = True
    return np.flatnonzero(keep)


def _twice(columns: Columns, again: int, first: int) -> InputError:
    message = problems.twice(columns.topic[again], columns.doc[again], columns.where(first, again))
    if columns.label is not None and columns.label[again] != columns.label[first]:
        labels = f"{problems.quote(columns.label[first])} and {problems.quote(columns.label[again])}"
        message += {
            "run": f"; the two have different tags, {labels}: are these several runs in one?",
            "qrels": f"; the two differ in the second column, {labels}: these look like judgments by "
            "subtopic (diversity), for measures such as alpha_nDCG (all of them: `-m diversity`) and "
            "SubtopicQrels; duplicates=max takes the best for each document",
        }[columns.kind]
    return columns.error(message, again)
