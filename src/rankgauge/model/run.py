"""Runs, and what they have in common with judgments: rows of topic, document and a number."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from rankgauge import core, formats
from rankgauge.core.ids import Ids, to_bytes, to_text
from rankgauge.errors import InputError
from rankgauge.formats import objects, problems
from rankgauge.formats.columns import WRITTEN, Columns, Ints, concatenated, is_text
from rankgauge.formats.source import Source, expand, run_name
from rankgauge.formats.trec import header
from rankgauge.model.rules import COMBINE, DUPLICATES, Duplicates
from rankgauge.schema.lazy import optional_module
from rankgauge.schema.options import in_python
from rankgauge.schema.text import counted

if TYPE_CHECKING:
    from typing_extensions import Self  # part of typing from Python 3.11 on

R = TypeVar("R", bound="Rows")
COLUMNS = ("topics", "topic", "docs", "number")  # the fewest fields that rows have


class Rows(ABC):
    """Rows of topic, document and a number, validated once."""

    kind: ClassVar[str]
    name: str
    topics: Ids  # distinct, in order of appearance
    topic: npt.NDArray[np.int64]  # (n,) index of the topic in `topics`
    docs: Ids  # (n,)
    dropped: int  # number of duplicates left out

    def __new__(cls, *columns: Any, **named: Any) -> Self:
        """Refuse what people hold: the fields are columns of numbers, which `of` makes."""
        if columns and len(columns) + len(named) < len(COLUMNS):  # a pickle passes none
            raise InputError(
                f"{cls.__name__}(...) takes columns; for what you hold, use {cls.__name__}.of(...), and for "
                f"a file {cls.__name__}.read(...)"
            )
        return super().__new__(cls)

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    @classmethod
    @abstractmethod
    def from_columns(cls: type[R], columns: Columns, name: str | None = None, duplicates: str = "error") -> R:
        """The rows in these columns, validated."""

    @abstractmethod
    def columns(self) -> Columns:
        """All rows as columns, for writing."""

    @classmethod
    def read(
        cls: type[R],
        path: str | os.PathLike[str] | Source,
        format: str | None = None,
        name: str | None = None,
        columns: Mapping[str, str] | None = None,
        duplicates: Duplicates = "error",
    ) -> R:
        """Read a file, compressed or not; `-` is standard input, and the files of a pattern are read as one.

        The name is that of the file; format and column names are inferred unless specified:
        `columns={"topic": "my_q", "doc": "my_d"}`.
        """
        return cls.from_columns(*cls.columns_of(path, name, format, columns, duplicates), duplicates)

    @classmethod
    def from_dict(
        cls: type[R],
        nested: Mapping[Any, Any],
        name: str | None = None,
        duplicates: Duplicates = "error",
    ) -> R:
        """The rows of `{topic: {document: number}}`; topics and documents may be str, bytes or int.

        A topic can also have a list: documents, or pairs of a document and its number.
        """
        return cls.from_columns(cls._columns_in_memory(nested), name, duplicates)

    @classmethod
    def from_frame(
        cls: type[R],
        frame: Any,
        name: str | None = None,
        columns: Mapping[str, str] | None = None,
        duplicates: Duplicates = "error",
    ) -> R:
        """The rows of a polars, pandas or pyarrow frame, or of a dict of columns.

        The meaning of columns is inferred from their names unless specified: `columns={"topic": "my_q"}`.
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
        duplicates: Duplicates = "error",
    ) -> R:
        """The rows of a path or an object that `evaluate` takes; one of this class is returned as it is."""
        if isinstance(source, cls):
            return source
        return cls.from_columns(*cls.columns_of(source, name, format, columns, duplicates), duplicates)

    @classmethod
    def columns_of(
        cls,
        source: Any,
        name: str | None,
        format: str | None,
        columns: Mapping[str, str] | None,
        duplicates: str = "",
    ) -> tuple[Columns, str | None]:
        """(the columns of a path or an object in memory, the name of the rows), before any check.

        With a rule for duplicates, those that a file has millions of may be left out already.
        """
        if isinstance(source, (str, os.PathLike, Source)):
            files = [source] if isinstance(source, Source) else expand(source)
            thin = None if duplicates in ("", *COMBINE) else partial(cls._thinned, duplicates=duplicates)
            parts = [formats.read(file, cls.kind, format, columns, thin=thin) for file in files]
            path = source.path if isinstance(source, Source) else source
            return concatenated(parts), name or run_name(path)
        if isinstance(source, Rows):
            raise InputError(f"expected {problems.HOLDS[cls.kind]}, not {source!r}")
        return cls._columns_in_memory(source, columns), name or objects.name_of(source)

    @classmethod
    def _columns_in_memory(cls, value: Any, columns: Mapping[str, str] | None = None) -> Columns:
        return objects.read(value, cls.kind, columns)

    @classmethod
    def _thinned(cls, columns: Columns, duplicates: str) -> Columns:
        return distinct(columns, duplicates)[0]

    def __len__(self) -> int:
        return len(self.topic)

    def write(
        self,
        path: str | os.PathLike[str],
        format: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        """Write a file atomically; format and compression follow from its extension unless specified.

        `metadata`, such as `Scores.ir_metadata()`, become the header of a TREC run.
        """
        formats.write(self.columns(), path, format, header(metadata) if metadata else b"")

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
        return optional_module("pandas", "a pandas frame", "pandas").DataFrame(_readable(self.columns()))

    def to_polars(self) -> Any:
        """A polars frame with columns such as query_id, doc_id, score or relevance."""
        return optional_module("polars", "a polars frame", "polars").DataFrame(_readable(self.columns()))


@dataclass(frozen=True, eq=False, repr=False)
class Run(Rows):
    """One system's results: documents with scores, topic by topic.

    Made by `Run.read` from files, by `Run.from_dict` and `Run.from_frame`, or by `Run.of` from any of
    these. Rows stay in the order of the input; documents are ordered during evaluation.
    """

    name: str
    topics: Ids  # distinct, in order of appearance
    topic: npt.NDArray[np.int64]  # (n,) index of the topic in `topics`
    docs: Ids  # (n,)
    scores: npt.NDArray[np.float64]  # (n,)
    ranks: npt.NDArray[np.int64] | None = None  # (n,) the rank column; None unless every row has a rank
    tag: str | None = None  # of the first row
    dropped: int = 0  # number of duplicates left out
    assumed: str = ""  # what reading took for granted: see `formats.problems.assumption`
    shape: tuple[int, int | None] | None = None  # of the array that the results come from
    unmapped: int = 0  # passages without a document, if passages were collapsed

    kind = "run"

    @classmethod
    def of(
        cls,
        source: Any,
        name: str | None = None,
        format: str | None = None,
        columns: Mapping[str, str] | None = None,
        duplicates: Duplicates = "error",
        topics: Iterable[Any] | str | os.PathLike[str] | None = None,
    ) -> Run:
        """The run of a path or an object that `evaluate` takes; a `Run` is returned as it is.

        `topics` are those of lists or responses that name none, in their order; or a file with an id in each
        line.
        """
        if topics is not None:
            if isinstance(source, Run):
                raise InputError("this run has topics of its own; leave topics out")
            named: Any = {"topics": topics}
            columns = {**(columns or {}), **named}
        return super().of(source, name, format, columns, duplicates)

    @classmethod
    def from_columns(cls, columns: Columns, name: str | None = None, duplicates: str = "error") -> Run:
        """The run in these columns, validated."""
        columns, topic, topics, dropped = distinct(columns, duplicates)
        tag = to_text(columns.label[0]) if columns.label is not None else None
        ranks = columns.rank if columns.ranks_known() else None
        return cls(
            name or tag or "run",
            topics,
            topic,
            columns.doc,
            columns.value,
            ranks,
            tag,
            dropped,
            columns.assumed,
            columns.shape,
        )

    def columns(self) -> Columns:
        """All rows as columns, for writing."""
        # A name may contain whitespace, which a TREC file cannot hold; a tag from a file has none.
        tag = self.tag or "_".join(self.name.split()) or "run"
        topic, label = self.topics.take(self.topic), constant(tag, len(self))
        return Columns("run", topic, self.docs, self.scores, self.ranks, label)

    def __repr__(self) -> str:
        return f"Run {self.name!r}: {counted(len(self.topics), 'topic')}, {counted(len(self), 'result')}"


def listing(topics: Ids, topic: Ints, docs: Ids, rank: Ints) -> str:
    """A digest of topics and their documents by rank."""
    return listing_of(topic_listings(topics, topic, docs, rank))


def topic_listings(topics: Ids, topic: Ints, docs: Ids, rank: Ints) -> dict[bytes, bytes]:
    """{topic: a digest of its documents by rank}."""
    from hashlib import blake2b  # which loads OpenSSL

    ordered = docs.take(np.lexsort((rank, topic)))
    ends = np.cumsum(np.bincount(topic, minlength=len(topics))).tolist()
    digests, data = dict[bytes, bytes](), memoryview(ordered.data)
    for name, begin, end in zip(topics, [0, *ends], ends, strict=False):
        offsets = np.asarray(ordered.offsets[begin : end + 1], dtype=np.int64)
        digest = blake2b(np.diff(offsets).tobytes(), digest_size=16)
        digest.update(data[offsets[0] : offsets[-1]])
        digests[name] = digest.digest()
    return digests


def listing_of(listings: Mapping[bytes, bytes]) -> str:
    """A digest of all topics."""
    from hashlib import blake2b

    parts = (b"%d\0%b%b" % (len(topic), topic, digest) for topic, digest in sorted(listings.items()))
    return blake2b(b"".join(parts), digest_size=16).hexdigest()


def _readable(columns: Columns) -> dict[str, Any]:
    """The columns by name, for a frame; ids that are not UTF-8 stay bytes."""
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
    """(rows, topic of each row, topics, number of duplicates), with each document once per topic.

    With `by_label`, each document may occur once per label (subtopic) of a topic.
    """
    DUPLICATES.check(duplicates)
    columns = columns.checked()
    topic, topics = columns.topic.encode()
    group = topic
    if by_label and columns.label is not None:
        label, labels = columns.label.encode()
        group = topic * len(labels) + label
    repeated, first = repeated_rows(columns, group)
    if not len(repeated):
        return columns, topic, topics, columns.dropped
    if duplicates == "error" or (columns.kind == "run" and duplicates in COMBINE):
        raise _duplicate_error(columns, int(repeated[0]), int(first[0]))
    if duplicates in COMBINE:
        columns = replace(columns, value=_combined(columns.value, repeated, first, duplicates))
    columns = columns.take(_rows_to_keep(columns.value, repeated, first, duplicates))
    columns = replace(columns, dropped=columns.dropped + len(repeated))
    return columns, *columns.topic.encode(), columns.dropped


def repeated_rows(columns: Columns, group: Ints) -> tuple[Ints, Ints]:
    """(rows whose document occurred before, the first row with it)."""
    repeated, first = core.duplicates(group, columns.doc.data, columns.doc.offsets)
    return np.frombuffer(repeated, dtype=np.int64), np.frombuffer(first, dtype=np.int64)


def _combined(
    value: npt.NDArray[np.float64], repeated: Ints, first: Ints, duplicates: str
) -> npt.NDArray[np.float64]:
    combined: npt.NDArray[np.float64] = value.copy()
    by_document = np.argsort(first, kind="stable")
    begins, starts = np.unique(first[by_document], return_index=True)
    for begin, rows in zip(begins, np.split(repeated[by_document], starts[1:]), strict=True):
        combined[begin] = COMBINE[duplicates]([float(value[begin]), *value[rows].tolist()])
    return combined


def _rows_to_keep(value: npt.NDArray[np.float64], repeated: Ints, first: Ints, duplicates: str) -> Ints:
    keep = np.ones(len(value), dtype=bool)
    keep[repeated] = False
    if duplicates == "max":
        group = np.concatenate([np.unique(first), first])  # a document is identified by its first row
        rows = np.concatenate([np.unique(first), repeated])
        order = np.lexsort((rows, -value[rows], group))
        best = np.ones(len(order), dtype=bool)
        best[1:] = group[order][1:] != group[order][:-1]
        keep[rows] = False
        keep[rows[order][best]] = True
    return np.flatnonzero(keep)


def _duplicate_error(columns: Columns, repeated: int, first: int) -> InputError:
    topic, doc = columns.topic[repeated], columns.doc[repeated]
    message = problems.twice(topic, doc, columns.where(first, repeated))
    if columns.kind == "qrels":
        message += "; majority, median or mean combines repeated labels"
    if columns.label is not None and columns.label[repeated] != columns.label[first]:
        labels = f"{problems.quote(columns.label[first])} and {problems.quote(columns.label[repeated])}"
        if columns.kind == "run":
            twice = message.partition("; once is allowed")[0]
            message = (
                f"{twice}; the two have different tags, {labels}: are these several runs in one? pass one"
            )
            return columns.error(message, repeated)
        message += (
            f"; the two differ in the second column, {labels}: these look like judgments by "
            "subtopic, for measures of diversity such as alpha_nDCG"
            f"{in_python(' and for SubtopicQrels')}, or labels of several assessors; "
            f"{DUPLICATES.set_to('max')} takes the best for each document"
        )
    return columns.error(message, repeated)
