"""Topics with their results inside, as JSON has them: `{"query_id": …, "results": [{"id": …, "score": …}]}`.

A result is an object with names such as `id` and `score`, a pair `[document, score]`, or a document alone.
Without scores, the order of the list counts; judgments without grades are of grade 1. Search engines nest
further: in a response of Elasticsearch or OpenSearch, the results are `hits.hits`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from rankgauge.core import codes
from rankgauge.core.ids import to_bytes
from rankgauge.errors import InputError
from rankgauge.formats import assumptions
from rankgauge.formats.columns import NAMES, guess
from rankgauge.formats.problems import MALFORMED, MISSING, VALUE, looks_like, quote
from rankgauge.formats.registry import Request
from rankgauge.formats.row_reader import RowCollector, identifier, number_or_text, whole
from rankgauge.formats.source import Source, stem

LIST_OF = {"run": "results", "qrels": "judged"}
IDS = ("id", "_id")
TEXTS = ("query", "question", "q")  # which may identify a topic, if nothing else does
AROUND = ("responses", "requests", "queries", "topics", "data", "rows")  # lists of topics or of rows


def unwrapped(value: Any) -> Any:
    """The list of topics or rows in an object around it, such as `responses`; any other value as it is."""
    for name, inside in value.items() if isinstance(value, dict) and not is_topic(value) else ():
        first = inside[0] if isinstance(inside, list) and inside else None
        if isinstance(first, dict):
            has_topic = guess(list(first), "topic") and (guess([name], "results") or guess([name], "judged"))
            if name == "responses" or has_topic or (name in AROUND and _topic_name(first)):
                return inside
    return value


def topics_of(value: Any, kind: str = "run") -> list[Any] | None:
    """The topics with results in a JSON value, as a list of objects; None if it has another form."""
    value = unwrapped(value)
    if isinstance(value, dict):
        if is_topic(value):
            return [value]
        if any(isinstance(each, list) or _is_response(each) for each in value.values()):
            return [{"topic": topic, LIST_OF[kind]: found} for topic, found in value.items()]
        return None
    return value if isinstance(value, list) and any(map(_is_found, value[:1])) else None


def is_topic(row: Any) -> bool:
    """Whether an object is a topic with its results, rather than a row with one document."""
    if not isinstance(row, dict) or not _name_of_list(row):
        return False
    if _is_response(row):
        return True
    topic, doc = _topic_name(row), guess(list(row), "doc")
    return topic is not None and identifier(row[topic]) is not None and (doc is None or doc in IDS)


def _is_found(row: Any) -> bool:
    """Whether an object is a topic with its results, or the error that a search engine has in their place."""
    return is_topic(row) or (isinstance(row, dict) and "error" in row and "status" in row)


def _is_response(value: Any) -> bool:
    """Whether this is a response of Elasticsearch or OpenSearch."""
    hits = value.get("hits") if isinstance(value, dict) else None
    return isinstance(hits, dict) and isinstance(hits.get("hits"), list)


def _topic_name(row: dict[str, Any]) -> str | None:
    """The name of what identifies a topic; an id beside a list of documents is that of the topic."""
    id, name = next((name for name in row if name in IDS), None), guess(list(row), "topic")
    return id if name is None or (id is not None and name.lower() in TEXTS) else name


def _name_of_list(row: dict[str, Any], kind: str = "run") -> str | None:
    """The name of the list of documents; a topic may have both, those that were found and those judged."""
    names = [name for name, value in row.items() if isinstance(value, (list, dict))]
    other = next(each for each in LIST_OF if each != kind)
    return guess(names, LIST_OF[kind]) or guess(names, LIST_OF[other])


def names_in(value: Any) -> list[str]:
    """The names of columns that topics with their results amount to; none if the value has another form."""
    row: Any = next(iter(topics_of(value) or []), None)
    if not is_topic(row):
        return []
    name = _name_of_list(row)
    results = _results(row)
    first = results[0] if isinstance(results, list) and results else None
    value = "relevance" if guess([name or ""], "judged") else "score"
    inside = [*first] if isinstance(first, dict) and guess(list(first), "doc") else ["doc", value]
    return ["topic", *inside, *(["relevance"] if value == "relevance" else [])]


def _results(value: Any, kind: str = "run") -> Any:
    """The list of documents, however deep in objects."""
    while isinstance(value, dict) and (name := _name_of_list(value, kind)):
        value = value[name]
    return value


@lru_cache(maxsize=256)  # objects of a list have the same names, mostly
def _names(names: tuple[str, ...], kind: str) -> tuple[str | None, str | None, str | None]:
    """The names of the document, of its score or grade, and of its rank."""
    rank = guess(names, "rank") if kind == "run" else None
    return guess(names, "doc"), guess(names, VALUE[kind]), rank


class Topics:
    """Collects the rows of topics with their results."""

    def __init__(self, rows: RowCollector, source: Source, request: Request) -> None:
        self._rows, self._source, self._request = rows, source, request
        self._sizes: dict[bytes, int] = {}  # results so far, for topics that come in several pages
        self.assumed = ""

    def add_all(self, topics: Iterable[tuple[int, Any]], alone: bool = False) -> str:
        """Add all topics, each with its line; what was assumed comes back. `alone`: there is one."""
        if self._request.columns:
            raise InputError(
                "column names are for rows of one document each, and these are topics with their results; "
                "leave the column names out, and call what is inside query_id, results, id and score",
                path=self._source.path,
            )
        for order, (line, row) in enumerate(topics, 1):
            problem = self._add(line, row, order, alone)
            if problem:
                text = quote(repr(row))
                self._rows.problem(MALFORMED, line, text.encode("utf-8", "replace"), f"{problem}: {text}")
        return self.assumed

    def _add(self, line: int, row: Any, order: int, alone: bool) -> str | None:
        """Add a topic; what is wrong with it, if anything."""
        if not isinstance(row, dict):
            return "expected an object with a topic and its results, found something else"
        if "error" in row and not _name_of_list(row):
            return "this is an error of the search engine, and no results; search again"
        name = _topic_name(row)
        if name is None and not _is_response(row):
            return f"the topic is missing; call it one of {_some('topic')}"
        topic = identifier(row[name]) if name else self._assumed_topic(order, alone)
        if topic is None:
            return "the topic is not a text or a whole number"
        kind = self._rows.kind
        listed = _name_of_list(row, kind)
        if listed is None:
            if guess(list(row), LIST_OF[kind]):
                return "the results of a topic must be a list of documents"
            return f"there is no list of documents; call it one of {_some(LIST_OF[kind])}"
        results = _results(row, kind)
        if isinstance(results, dict):
            results = [[doc, value] for doc, value in results.items()]
        parts = [self._parts(result) for result in results]
        # A search that sorts by a field has no scores: its order is the ranking.
        scored = any(value is not None for _, value, _ in parts)
        judged = guess([listed], "judged") is not None
        if kind == "run" and judged:
            return looks_like("qrels")
        if kind == "qrels" and not judged and (_is_response(row) or not scored):
            return looks_like("run")
        for part in parts:
            self._sizes[topic] = self._sizes.get(topic, 0) + 1
            self._add_result(line, topic, *part, scored)
        return None

    def _assumed_topic(self, order: int, alone: bool) -> bytes:
        self.assumed = assumptions.FILE if alone else assumptions.NUMBERED
        return to_bytes(stem(self._source.path)) if alone else b"%d" % order

    def _parts(self, result: Any) -> tuple[Any, Any, Any]:
        """(document, score or grade, rank) of a result."""
        if isinstance(result, dict):
            names = _names(tuple(result), self._rows.kind)
            doc, value, rank = (None if name is None else result.get(name) for name in names)
            return (result if doc is None else doc), value, rank
        if isinstance(result, list) and len(result) == 2:
            return result[0], result[1], None
        return result, None, None

    def _add_result(self, line: int, topic: bytes, given: Any, value: Any, rank: Any, scored: bool) -> None:
        doc, kind, place = identifier(given), self._rows.kind, self._sizes[topic]
        where = f"topic {quote(topic)}, result {place}"
        if doc is None:
            found = quote(repr(given))
            message = f"{where}: no id of a document in {found}; use {_some('doc')}, or the id alone"
            self._rows.problem(MISSING, line, found.encode(), message)
        elif scored and value is None:
            message = f"{where}: the {VALUE[kind]} is missing, and others of the topic have one"
            self._rows.problem(MISSING, line, doc, message)
        elif scored:
            text = repr(value).encode("utf-8", "replace")
            known = None if kind == "qrels" else float(place) if rank is None else number_or_text(rank)
            self._rows.add(line, topic, doc, number_or_text(value), text, known)
        elif kind == "qrels":
            self._rows.add(line, topic, doc, 1.0)
        else:
            known = float(place) if rank is None else number_or_text(rank)
            if known is None or whole(known) == codes.NO_RANK:
                self._rows.problem(codes.BAD_RANK, line, repr(rank).encode("utf-8", "replace"))
            else:
                self._rows.add(line, topic, doc, -known, rank=known)


def _some(role: str) -> str:
    return ", ".join(NAMES[role].split()[:4])
