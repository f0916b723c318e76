"""ranx's `Qrels` and `Run`: nested dicts, by topic and document, with methods to read and write them."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, ClassVar, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt

from rankgauge.errors import InputError, OptionError
from rankgauge.formats.arrow_columns import pyarrow
from rankgauge.formats.target import writing
from rankgauge.model import qrels as judgments
from rankgauge.model import run as results
from rankgauge.model.run import Rows
from rankgauge.schema.lazy import optional_module
from rankgauge.schema.text import counted

Nested = dict[str, dict[str, Any]]
T = TypeVar("T", bound="Table")
FORMATS = {
    "json": "json",
    "trec": "trec",
    "txt": "trec",
    "gz": "trec",
    "parquet": "parquet",
    "parq": "parquet",
}
ALLOWED = "'json', 'trec', 'gz' (TREC text, compressed) or 'parquet'"

LEFT_OUT = "plots and downloads are left to ranx; its Run.to_dict() takes a result back to Run here"


class Table(Mapping[str, dict[str, Any]]):
    """Base of `Qrels` and `Run`: {topic: {document: number}}, sorted on access.

    Topics are sorted by their ids, the documents of each by their numbers, highest first. `nested` keeps the
    order in which they were added, for tied documents.
    """

    rows: ClassVar[type[Rows]]  # the class of rankgauge with the same content
    number: ClassVar[str]  # the role of the number among the columns of a frame

    def __init__(
        self, nested: Mapping[str, Mapping[str, Any]] | None = None, name: str | None = None
    ) -> None:
        self.nested: Nested = {topic: dict(documents) for topic, documents in (nested or {}).items()}
        self.name = name

    @classmethod
    def from_dict(cls: type[T], d: Mapping[str, Mapping[str, Any]], name: str | None = None) -> T:
        """The table of {topic: {document: number}}."""
        return cls(d, name)

    @classmethod
    def from_file(
        cls: type[T], path: str | os.PathLike[str], kind: str | None = None, name: str | None = None
    ) -> T:
        """Read a file; `kind` is needed only where the content does not show what it is."""
        rows = cls.rows.read(path, format=None if kind is None else _format(kind))
        return cls(rows.to_dict(), name or getattr(rows, "tag", None) or None)

    @classmethod
    def from_df(
        cls: type[T],
        df: Any,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        name: str | None = None,
    ) -> T:
        """The table of a frame, of pandas or any other kind that rankgauge reads."""
        columns = {"topic": q_id_col, "doc": doc_id_col, cls.number: score_col}
        return cls(cls.rows.from_frame(df, columns=columns).to_dict(), name)

    @classmethod
    def from_parquet(
        cls: type[T],
        path: str | os.PathLike[str],
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        pd_kwargs: Mapping[str, Any] | None = None,
        name: str | None = None,
    ) -> T:
        """The table of a Parquet file; with `pd_kwargs`, pandas reads it."""
        if pd_kwargs:
            frame = pandas().read_parquet(path, **pd_kwargs)
            return cls.from_df(frame, q_id_col, doc_id_col, score_col, name)
        columns = {"topic": q_id_col, "doc": doc_id_col, cls.number: score_col}
        return cls(cls.rows.read(path, format="parquet", columns=columns).to_dict(), name)

    def add_score(self, q_id: str, doc_id: str, score: float) -> None:
        """Add a document to a topic, or change its number."""
        self.nested.setdefault(q_id, {})[doc_id] = score

    def add(self, q_id: str, doc_ids: Iterable[str], scores: Iterable[float]) -> None:
        """Add a topic with its documents, in place of any that it has."""
        self.nested[q_id] = dict(zip(doc_ids, scores, strict=True))

    def add_multi(
        self, q_ids: Iterable[str], doc_ids: Iterable[Iterable[str]], scores: Iterable[Iterable[float]]
    ) -> None:
        """Add several topics with their documents."""
        for topic, documents, numbers in zip(q_ids, doc_ids, scores, strict=True):
            self.add(topic, documents, numbers)

    def sort(self) -> None:
        """Sort topics and documents."""
        self.nested = self.to_dict()

    def get_query_ids(self) -> list[str]:
        """The topics, sorted."""
        return list(self)

    def get_doc_ids_and_scores(self) -> list[dict[str, Any]]:
        """The documents of each topic, with their numbers."""
        return list(self.values())

    @property
    def size(self) -> int:
        """The number of topics."""
        return len(self)

    def to_dict(self) -> Nested:
        """{topic: {document: number}}, sorted."""
        return dict(self)

    def to_typed_list(self) -> list[npt.NDArray[np.float64]]:
        """An array per topic, with a row [hash of the document, number] for each document, highest first."""
        return [
            np.array([(hash(doc), number) for doc, number in documents.items()], np.float64).reshape(-1, 2)
            for documents in self.values()
        ]

    def to_dataframe(self) -> Any:
        """A pandas frame with the columns q_id, doc_id and score."""
        return pandas().DataFrame(self._columns())

    def _columns(self) -> dict[str, list[Any]]:
        rows = [(q, d, number) for q, documents in self.items() for d, number in documents.items()]
        return {name: [row[i] for row in rows] for i, name in enumerate(("q_id", "doc_id", "score"))}

    def save(self, path: str | os.PathLike[str] = "", kind: str | None = None) -> None:
        """Write JSON, TREC text or Parquet, by the extension of the file unless `kind` names one.

        Without a path, the file is qrels.json or run.json.
        """
        path = path or f"{self.rows.kind}.json"
        form = _format(kind or os.path.splitext(path)[1][1:])  # noqa: PTH122
        if form != "parquet":
            self.rows.from_dict(self.to_dict(), self.name).write(path, form)
            return
        table = pyarrow().table(self._columns())
        from pyarrow import parquet

        with writing(path) as file:  # ranx reads these columns again, and rankgauge does, too
            parquet.write_table(table, file)

    def __getitem__(self, q_id: str) -> dict[str, Any]:
        return dict(sorted(self.nested[q_id].items(), key=lambda each: -each[1]))

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self.nested))

    def __len__(self) -> int:
        return len(self.nested)

    def __repr__(self) -> str:
        documents = counted(sum(map(len, self.nested.values())), "document")
        name = f" {self.name!r}" if self.name else ""
        return f"{type(self).__name__}{name}: {counted(len(self), 'topic')}, {documents}"


class Qrels(Table):
    """Judgments, {topic: {document: grade}}.

    >>> Qrels({"q_1": {"d_12": 5, "d_25": 3}, "q_2": {"d_11": 6, "d_22": 1}})
    Qrels: 2 topics, 4 documents
    """

    rows = judgments.Qrels
    number = "grade"

    @classmethod
    def from_ir_datasets(cls, dataset_id: str) -> Qrels:
        """The judgments of a dataset of the package ir_datasets, which downloads them if need be."""
        try:
            ir_datasets = import_module("ir_datasets")
        except ImportError:
            raise InputError("from_ir_datasets needs ir_datasets; pip install ir-datasets") from None
        return cls(ir_datasets.load(dataset_id).qrels_dict(), dataset_id)

    def set_relevance_level(self, rel_lvl: int = 1) -> None:
        """Lower all grades by `rel_lvl` - 1, so that those from `rel_lvl` on are relevant."""
        for documents in self.nested.values():
            documents.update({doc: grade - (rel_lvl - 1) for doc, grade in documents.items()})

    @property
    def qrels(self) -> Nested:
        """{topic: {document: grade}}, a copy."""
        return self.to_dict()


class Run(Table):
    """The results of a system, {topic: {document: score}}, and what `evaluate` computed of them.

    >>> run = Run({"q_1": {"d_1": 1.5, "d_2": 2.6}}, name="bm25")
    >>> run["q_1"]
    {'d_2': 2.6, 'd_1': 1.5}
    """

    rows = results.Run
    number = "score"

    def __init__(self, run: Mapping[str, Mapping[str, float]] | None = None, name: str | None = None) -> None:
        super().__init__(run, name)
        self.metadata: dict[str, Any] = {}
        self.scores: defaultdict[str, dict[str, float]] = defaultdict(dict)
        self.mean_scores: dict[str, float] = {}
        self.std_scores: dict[str, float] = {}

    @classmethod
    def from_ranxhub(cls, id: str) -> NoReturn:
        """Not part of rankgauge: raises an error that says so."""
        raise OptionError(LEFT_OUT)

    @property
    def run(self) -> Nested:
        """{topic: {document: score}}, a copy."""
        return self.to_dict()

    def make_comparable(self, qrels: Mapping[str, Any]) -> Run:
        """Leave out topics that are not judged, and add judged ones without results; return the run."""
        self.nested = {topic: self.nested.get(topic, {}) for topic in qrels}
        return self


def _format(kind: str) -> str:
    if kind not in FORMATS:
        raise InputError(
            f"kind must be {ALLOWED}, not {kind!r}; ranx's lz4 files are its own: save as json there"
        )
    return FORMATS[kind]


def pandas() -> Any:
    """The pandas module."""
    return optional_module("pandas", "a DataFrame", "pandas")
