"""Judged spans: judgments of parts of documents as judgments of the chunks that a system retrieves.

Each span is a subtopic, so that subtopic recall is the share of spans found; for other measures, the grade of
a chunk is its highest. A span that no chunk has is judged under its own name, as not retrieved.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from rankgauge.core.ids import Ids
from rankgauge.errors import OptionError
from rankgauge.formats.columns import NAMES, Columns, guess
from rankgauge.formats.problems import quote
from rankgauge.model.score_tables import TableColumns
from rankgauge.schema.text import joined

OVERLAP = 0.5  # the share of the shorter of span and chunk that both have
PLACE = {
    "start": "start start_index start_char begin offset",
    "end": "end end_index end_char stop",
}
SPANS = {"topic": NAMES["topic"], "doc": f"{NAMES['doc']} file_path", **PLACE, "grade": NAMES["grade"]}
CHUNKS = {
    "chunk": "chunk_id passage_id segment_id node_id chunk passage segment id",
    "doc": "docno doc_id document_id corpus_id did doc document file_path",
    **PLACE,
}


class Span(NamedTuple):
    """Characters of a document, from the first to before the last."""

    row: int  # of its table
    name: str  # the topic of a judgment, or the chunk
    doc: str
    start: int
    end: int
    grade: float

    def overlaps(self, other: Span, share: float) -> bool:
        """Whether both have at least this share of the shorter one."""
        common = min(self.end, other.end) - max(self.start, other.start)
        shorter = min(self.end - self.start, other.end - other.start)
        return common > 0 and common / shorter >= share  # a quotient: 0.55 * 100 is above 55


def span_columns(spans: Any, chunks: Any, overlap: float = OVERLAP) -> Columns:
    """Judgments of chunks by span, from tables of spans and of chunks."""
    if not 0 < overlap <= 1:
        raise OptionError(f"overlap must be a number above 0 and up to 1, such as {OVERLAP}, not {overlap!r}")
    judged, pieces = TableColumns.of(spans), TableColumns.of(chunks)
    by_document: dict[str, list[Span]] = {}
    seen: set[Any] = set()
    for chunk in _rows(pieces, CHUNKS):
        if chunk.name in seen:
            raise pieces.error(f"chunk {quote(chunk.name)} occurs twice; remove one", chunk.row)
        seen.add(chunk.name)
        by_document.setdefault(chunk.doc, []).append(chunk)
    found: dict[tuple[str, str, str], float] = {}  # {(topic, span, chunk): grade}
    documents = set[str]()
    for span in _rows(judged, SPANS):
        documents.add(span.doc)
        name = f"{span.doc}:{span.start}-{span.end}"
        if (span.name, name) in seen:
            raise judged.error(
                f"span {quote(name)} of topic {quote(span.name)} is judged twice; remove one", span.row
            )
        seen.add((span.name, name))
        covering = [each.name for each in by_document.get(span.doc, ()) if span.overlaps(each, overlap)]
        if not covering and name in seen:
            raise judged.error(
                f"span {quote(name)} has no chunk, and a chunk elsewhere has its name; rename the chunk",
                span.row,
            )
        found.update({(span.name, name, chunk): span.grade for chunk in covering or [name]})
    if documents and documents.isdisjoint(by_document):
        given = (quote(min(docs)) if docs else "nothing" for docs in (documents, by_document))
        raise judged.error(
            f"no document has both spans and chunks: {' against '.join(given)}; are they of one collection?"
        )
    topics, names, docs = ([key[place] for key in found] for place in range(3))
    grades = np.array([*found.values()], dtype=np.float64)
    rows = Columns("qrels", Ids.of(topics), Ids.of(docs), grades, label=Ids.of(names), first=None)
    return rows.checked()


def _rows(table: TableColumns, roles: dict[str, str]) -> Iterator[Span]:
    columns = {role: guess([*table.columns], role, roles) for role in roles}
    lacking = [role for role, column in columns.items() if column is None and role != "grade"]
    if lacking:
        usual = ", ".join(roles[role].split()[0] for role in lacking)
        raise table.error(f"no column for the {joined(lacking)}; name columns {usual}")
    first, doc, start, end, *grade = columns.values()
    names, docs = table.texts(str(first)), table.texts(str(doc))
    for row, (name, of) in enumerate(zip(names, docs, strict=True)):
        if not (name and of):
            raise table.error(f"the {[*roles][1 if name else 0]} is missing; every row needs one", row)
        begin, stop = (table.number(str(column), row) for column in (start, end))
        if begin is None or stop is None or begin % 1 or stop % 1 or not 0 <= begin < stop:
            raise table.error(
                f"start and end must be whole numbers with 0 ≤ start < end, not {begin} and {stop}", row
            )
        value = table.number(str(grade[0]), row) if grade and grade[0] else 1.0
        if value is None:
            raise table.error("the grade is missing; every row needs one, or none", row)
        yield Span(row, name, of, int(begin), int(stop), value)
