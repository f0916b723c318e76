"""The records of ir_measures, and its readers of TREC's files."""

from __future__ import annotations

import io
from collections.abc import Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from rankgauge.formats.columns import Columns


class Qrel(NamedTuple):
    """The judgment of a document; `iteration` is the subtopic, for measures of diversity."""

    query_id: str
    doc_id: str
    relevance: int | float
    iteration: str = "0"


class ScoredDoc(NamedTuple):
    """A result: a document with its score."""

    query_id: str
    doc_id: str
    score: float


class Metric(NamedTuple):
    """The value of a measure for a topic."""

    query_id: str
    measure: Any
    value: float


class CalcResults(NamedTuple):
    """Aggregated values, and those of each topic."""

    aggregated: Any
    per_query: list[Metric]


def read_trec_qrels(file: Any) -> Iterator[Qrel]:
    """The judgments of a path, an open file, or the text of a file itself."""
    rows = _read(file, "qrels")
    iterations = rows.label.texts() if rows.label is not None else ["0"] * len(rows)
    columns = (rows.topic.texts(), rows.doc.texts(), rows.numbers(), iterations)
    yield from map(Qrel._make, zip(*columns, strict=True))


def read_trec_run(file: Any) -> Iterator[ScoredDoc]:
    """The results of a path, an open file, or the text of a file itself."""
    rows = _read(file, "run")
    columns = (rows.topic.texts(), rows.doc.texts(), rows.value.tolist())
    yield from map(ScoredDoc._make, zip(*columns, strict=True))


def _read(file: Any, kind: str) -> Columns:
    """The rows of a file in TREC's format; a text of several lines is the file itself."""
    from rankgauge.formats import read
    from rankgauge.formats.files import Request
    from rankgauge.formats.text_files import TREC_FIELDS
    from rankgauge.formats.trec import table

    if isinstance(file, str) and "\n" in file:
        file = io.StringIO(file)
    if not hasattr(file, "read"):
        return read(file, kind, "trec").checked()
    text = file.read()
    chunks = [text.encode() if isinstance(text, str) else text]
    named: Any = SimpleNamespace(path=str(getattr(file, "name", f"<{kind}>")))
    return table(named, Request(kind), TREC_FIELDS[kind], chunks).checked()
