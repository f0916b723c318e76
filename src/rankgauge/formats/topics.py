"""Topics with their results inside, as JSON, search engines, vector stores and frameworks have them.

{"query_id": ..., "results": [{"id": ..., "score": ...}]}    an object per topic
{topic: response}, {"query_id": ..., **response}             responses, as in `RESPONSES`
[[document, ...], ...], [[hit, ...], ...]                    lists by their place: topics 0, 1, 2, ...
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import repeat
from typing import Any, NamedTuple

from rankgauge.core.ids import to_bytes
from rankgauge.errors import InputError
from rankgauge.formats import problems
from rankgauge.formats.columns import NAMES, Columns, guess
from rankgauge.formats.frames import LAYOUTS, field_names, has_topic, is_row
from rankgauge.formats.mapping import Results, names_of, one_order, results_of
from rankgauge.formats.problems import MALFORMED, VALUE, looks_like, quote
from rankgauge.formats.row_reader import RowCollector, identifier, is_scalar, number_or_text
from rankgauge.formats.source import stem

LIST_OF = {"run": "results", "qrels": "judged"}
IDS = ("id", "_id")
TEXTS = ("query", "question", "q", "user_input", "search_term")  # of topics, if nothing else identifies one
AROUND = ("responses", "requests", "queries", "topics", "data", "rows")  # lists of topics or of rows


class Response(NamedTuple):
    """Where the response to one query has its results."""

    engine: str
    path: str  # of the list; * is the only name there is
    total: str = ""  # of the number of results, which a response without the list has, too
    score: str = ""  # of a result, if it is not a usual name
    searched: bool = False  # the nearest come first, and scores may be distances


RESPONSES = (
    Response("Elasticsearch or OpenSearch", "hits.hits", "hits.total"),
    Response("Solr", "response.docs", "response.numFound"),
    Response("Vespa", "root.children", "root.fields.totalCount", "relevance"),
    Response("Weaviate", "data.Get.*", "data.Get"),
    Response("Weaviate", "objects"),
    Response("Qdrant", "result.points", searched=True),
    Response("Qdrant", "result", searched=True),
    Response("Qdrant", "points", searched=True),
    Response("Pinecone", "matches", searched=True),
    Response("OpenAI", "data"),
)
OUTER = tuple(dict.fromkeys(response.path.partition(".")[0] for response in RESPONSES))
FAILURE = ("error", "errors")


def hits(response: Any, kind: str = "run") -> list[Any] | None:
    """The results in the response to one query, if it is one."""
    if isinstance(response, (list, float, int, str)):
        return None
    body = getattr(response, "body", response)  # where clients of Elasticsearch return an object
    if isinstance(body, Mapping) and not any(map(body.__contains__, OUTER)):
        return _of_chroma(body) if "ids" in body else None
    for each in RESPONSES:
        found = _at(body, each.path)
        if found is None and each.total and _at(body, each.total) == 0:
            return []
        alone = isinstance(found, list) and ("." in each.path or _is_only_list(found, body, kind))
        if alone and _are_hits(found):
            if each.searched and found and _at(found[0], "score") is not None:
                return [(hit, _at(hit, "score")) for hit in found]
            return [_scored(hit, each.score) for hit in found] if each.score else found
    return None


def _at(body: Any, path: str) -> Any:
    for name in path.split("."):
        if name == "*":
            body = next(iter(body.values())) if isinstance(body, Mapping) and len(body) == 1 else None
        else:
            body = body.get(name) if isinstance(body, Mapping) else getattr(body, name, None)
    return body


def _are_hits(found: list[Any]) -> bool:
    return not found or isinstance(found[0], Mapping) or bool(field_names(found[0]))


def _is_only_list(found: list[Any], body: Any, kind: str) -> bool:
    """Whether these may be the results of one query alone."""
    if found and (is_topic(found[0]) or has_topic(found[0])):
        return False
    others = [each for each in body.values() if each is not found] if isinstance(body, Mapping) else [None]
    lists = [each for each in others if isinstance(each, list) and each]
    if any(isinstance(each[0], Mapping) for each in lists):
        return False
    by_topic = all(isinstance(each, (list, Mapping)) for each in others)
    return not by_topic or (kind == "run" and bool(found) and not lists)


def _scored(hit: Any, name: str) -> Any:
    return {**hit, "score": hit.get(name)} if isinstance(hit, Mapping) else hit


def _of_chroma(body: Mapping[str, Any]) -> list[Any] | None:
    with suppress(InputError):  # `lacking` has the reason
        lists = _lists_of_chroma(body)
        return lists[0] if lists is not None and len(lists) == 1 else None
    return None


def _lists_of_chroma(body: Any) -> list[list[Any]] | None:
    if not (isinstance(body, Mapping) and "distances" in body and isinstance(body.get("ids"), list)):
        return None
    ids, distances = body["ids"], body["distances"]
    one = not all(isinstance(each, list) for each in ids)
    ids = [ids] if one else ids
    if distances is None:
        return list(ids)
    distances = [distances] if one else distances
    if is_scalar(distances) or [len(each) for each in ids] != [_size(each) for each in distances]:
        raise InputError(
            "this looks like a response of Chroma whose distances do not fit its ids; both need a list per "
            "query, with a distance for each id"
        )
    pairs = (zip(*lists, strict=True) for lists in zip(ids, distances, strict=True))
    return [[{"id": id, "distance": distance} for id, distance in each] for each in pairs]


def _size(values: Any) -> int:
    return -1 if is_scalar(values) or not hasattr(values, "__len__") else len(values)


def lacking(response: Any) -> str | None:
    """What is wrong with a response without results; None if it is no response."""
    body = getattr(response, "body", response)
    if not isinstance(body, Mapping) or hits(body) is not None:
        return None
    try:
        _lists_of_chroma(body)
    except InputError as error:
        return str(error)
    if any(name in body and number_or_text(body[name]) is None for name in FAILURE):
        return "this is an error of the search engine, and no results; search again"
    for each in RESPONSES if any(map(body.__contains__, OUTER)) else ():
        if body.get(each.path, 0) is None or (each.total and _at(body, each.total) is not None):
            return f"this looks like a response from {each.engine} without documents ({each.path})"
    return None


def by_place(value: Any) -> Sequence[Any] | None:
    """The results of topics named 0, 1, 2, ..., if these are."""
    if not isinstance(value, (list, tuple)):
        lists = _lists_of_chroma(value)
        return lists if lists is not None and len(lists) > 1 else None
    first = next((each for each in value if not isinstance(each, list) or each), None)
    if not isinstance(first, list) or is_row(first):
        return None
    one, size = first[0], len(first)
    alike = isinstance(one, str) and 1 < size <= max(LAYOUTS) and {size} == {*map(_size, value)}
    if alike and (size == 2 or any(number_or_text(each) is not None for each in first[2:])):
        return None  # perhaps rows, with their numbers in texts
    if isinstance(one, (tuple, list)) and not field_names(one):
        listed = len(one) == 2 and (isinstance(one[0], (str, bytes)) or bool(field_names(one[0])))
    else:
        listed = isinstance(one, (str, bytes)) or (is_row(one) and not has_topic(one))
    return value if listed else None


def unwrapped(value: Any, kind: str) -> Any:
    """The list of topics or rows in an object around it."""
    for name, inside in value.items() if isinstance(value, dict) and not is_topic(value, kind) else ():
        first = inside[0] if isinstance(inside, list) and inside else None
        if isinstance(first, dict):
            lists = name in AROUND or guess([name], "results") or guess([name], "judged")
            of_topics = (lists and guess(list(first), "topic")) or (name in AROUND and _is_found(first))
            if name == "responses" or of_topics:
                return inside
    return value


def topics_of(value: Any, kind: str = "run") -> list[Any] | None:
    """The topics with results in a JSON value, if it has such."""
    value = unwrapped(value, kind)
    if isinstance(value, dict):
        if is_topic(value, kind):
            return [value]
        if any(isinstance(each, list) or hits(each) is not None or lacking(each) for each in value.values()):
            return [{"topic": topic, LIST_OF[kind]: found} for topic, found in value.items()]
        return None
    return value if isinstance(value, list) and any(map(_is_found, value[:1])) else None


def is_topic(row: Any, kind: str = "run") -> bool:
    """Whether an object is a topic with its results."""
    row = _named(row)
    if row is None:
        return False
    if hits(row, kind) is not None:
        return True
    if not name_of_list(row):
        return False
    topic, doc = topic_name(row), guess(list(row), "doc")
    return topic is not None and topic_id(row[topic]) is not None and (doc is None or doc in IDS)


def _named(row: Any) -> dict[str, Any] | None:
    row = row if isinstance(row, dict) else getattr(row, "__dict__", None)
    return row if isinstance(row, dict) else None


def _is_found(row: Any) -> bool:
    return is_topic(row) or (isinstance(row, dict) and "error" in row and "status" in row)


def topic_name(row: Any) -> str | None:
    """The name of what identifies a topic."""
    row = _named(row) or {}
    id, name = next((name for name in row if name in IDS), None), guess(list(row), "topic")
    return id if name is None or (id is not None and name.lower() in TEXTS) else name


def topic_id(value: Any) -> bytes | None:
    """The id of a topic, also inside an object."""
    name = guess(list(value), "topic") if isinstance(value, dict) else None
    return identifier(value if name is None else value[name])


def name_of_list(row: dict[str, Any], kind: str = "run") -> str | None:
    """The name of the list of documents, found or judged."""
    names = [name for name, value in row.items() if isinstance(value, (list, dict))]
    other = next(each for each in LIST_OF if each != kind)
    return guess(names, LIST_OF[kind]) or guess(names, LIST_OF[other])


def names_in(value: Any) -> list[str]:
    """The names of columns that topics with their results amount to."""
    row: Any = next(iter(topics_of(value) or []), None)
    if not is_topic(row):
        return []
    name = name_of_list(row)
    results = list_inside(row)
    first = results[0] if isinstance(results, list) and results else None
    value = "relevance" if guess([name or ""], "judged") else "score"
    inside = [*first] if isinstance(first, dict) and guess(list(first), "doc") else ["doc", value]
    return ["topic", *inside, *(["relevance"] if value == "relevance" else [])]


def list_inside(value: Any, kind: str = "run") -> Any:
    """The list of documents, however deep in objects."""
    while isinstance(value, dict):
        found = hits(value) if kind == "run" else None
        if found is not None:
            return found
        name = name_of_list(value, kind)
        if name is None:
            break
        value = value[name]
    return value


def read(topics: Iterable[Any], kind: str) -> Columns:
    """The columns of topics with their results, in memory."""
    rows = RowCollector(kind, in_lines=False)
    Topics(rows).add_all(rows.until_full(enumerate(topics)))
    return rows.columns(None, 0)


class Topics:
    """Collects the rows of topics with their results."""

    def __init__(self, rows: RowCollector, path: str | None = None) -> None:
        self._rows, self._path = rows, path
        self._sizes: dict[bytes, int] = {}  # results so far, for topics that come in several pages
        self._orders = set[str]()  # of their numbers

    def add_all(self, topics: Iterable[tuple[int, Any]], alone: bool = False) -> None:
        """Add all topics, each with its line; `alone` for a single response."""
        for order, (line, row) in enumerate(topics, 1):
            problem = self._add(line, _named(row), order, alone)
            if problem:
                text = quote(repr(row))
                self._rows.problem(MALFORMED, line, text.encode("utf-8", "replace"), f"{problem}: {text}")

    def _add(self, line: int, row: dict[str, Any] | None, order: int, alone: bool) -> str | None:
        if row is None:
            return "expected an object with a topic and its results, found something else"
        kind = self._rows.kind
        listed, response = name_of_list(row, kind), hits(row)
        if response is None and (problem := lacking(row) or (lacking(row[listed]) if listed else None)):
            return problem
        name = topic_name(row)
        if name is None and (response is None or self._path is None):
            return f"the topic is missing; call it one of {_some('topic')}"
        topic = topic_id(row[name]) if name else self._assumed_topic(order, alone)
        if topic is None:
            return "the topic is not a text or a whole number"
        if listed is None and response is None:
            if guess(list(row), LIST_OF[kind]):
                return "the results of a topic must be a list of documents"
            return f"there is no list of documents; call it one of {_some(LIST_OF[kind])}"
        held = list_inside(row, kind)
        judged = listed is not None and guess([listed], "judged") is not None
        if kind == "run" and judged and response is None:
            return looks_like("qrels")
        is_run = (response is not None and not judged) or (listed and hits(row[listed]) is not None)
        results = results_of(held, kind)
        if kind == "qrels" and (is_run or not (judged or _has_grades(held, results))):
            return looks_like("run")
        self._add_results(line, topic, results)
        return None

    def _assumed_topic(self, order: int, alone: bool) -> bytes:
        self._assume(problems.FILE if alone else problems.NUMBERED)
        return to_bytes(stem(self._path or "")) if alone else b"%d" % order

    def _assume(self, assumed: str) -> None:
        if assumed not in self._rows.assumed:
            self._rows.assumed = f"{self._rows.assumed} {assumed}".strip()

    def _add_results(self, line: int, topic: bytes, results: Results) -> None:
        kind, before = self._rows.kind, self._sizes.get(topic, 0)
        places = results.places(before)
        values = results.values(places, kind)
        ids, numbers = list(map(identifier, results.documents)), list(map(number_or_text, values))
        good = None not in ids and None not in numbers
        found = repeat(None, len(places)) if good else results.problems(topic, kind, places, line)
        for id, value, place, given, problem in zip(ids, numbers, places, values, found, strict=True):
            if problem:
                self._rows.problem(*problem)
            elif id is not None:
                rank = float(place) if kind == "run" else None
                self._rows.add(line, topic, id, value, repr(given).encode("utf-8", "replace"), rank)
        self._sizes[topic] = before + len(places)
        self._orders.add(results.order)
        if kind == "run":
            self._rows.order = one_order(self._orders)


def _has_grades(held: Any, results: Results) -> bool:
    """Whether a list has grades, by their name."""
    first = next(iter(held), None)
    if isinstance(first, dict):
        name = names_of(tuple(first), "qrels")[1]
        return name is not None and guess([name], VALUE["run"]) is None
    return results.numbers is not None


def _some(role: str) -> str:
    return ", ".join(NAMES[role].split()[:4])
