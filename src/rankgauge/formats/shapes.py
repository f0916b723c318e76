"""Shapes of what clients return: where a response has its hits, and a hit its id and its score.

There is a row per client in `SHAPES`. Users describe others by the same paths, as columns:

    Run.of({topic: response}, columns={"hits": "found.pages", "doc": "meta.url", "score": "rsv"})

A path has names of fields or attributes, with dots between them.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple

from rankgauge.errors import InputError
from rankgauge.formats import problems
from rankgauge.formats.columns import guess
from rankgauge.formats.frames import field_names, has_topic
from rankgauge.formats.mapping import part_of, shown
from rankgauge.formats.problems import VALUE, quote
from rankgauge.formats.row_reader import identifier, is_scalar, number_or_text
from rankgauge.formats.source import stem
from rankgauge.schema.options import choice
from rankgauge.schema.text import brief

LIST_OF = {"run": "results", "qrels": "judged"}
IDS = ("id", "_id")
TEXTS = ("query", "question", "q", "user_input", "search_term")  # of topics, if nothing else identifies one
BEST = {"high": "score", "low": "distance"}  # which end is best, as an order of `columns.in_order_of`


class Shape(NamedTuple):
    """Where the response to one query has its hits, and what is in a hit."""

    client: str
    hits: str  # path of the list; * is the only name there is
    total: str = ""  # path of the number of hits, which a response without the list has, too
    mark: str = ""  # another path, by which the client is known
    fields: Mapping[str, str] = {}  # {role: path in a hit} of what has no usual name
    topic: str = ""  # path of the query
    order: str = "found"  # of the scores: see `columns.in_order_of`


RERANKED = {"doc": "index", "score": "relevance_score"}
SHAPES = (
    Shape("Elasticsearch or OpenSearch", "hits.hits", "hits.total"),
    Shape("Elasticsearch's _rank_eval", "hits", fields={"doc": "hit._id", "score": "hit._score"}),
    Shape("Solr", "response.docs", "response.numFound", topic="responseHeader.params.q"),
    Shape("Vespa", "root.children", "root.fields.totalCount", fields={"score": "relevance"}),
    Shape("Meilisearch", "hits", mark="processingTimeMs", fields={"score": "_rankingScore"}, topic="query"),
    # What these three order by is not one number.
    Shape("Algolia", "hits", mark="nbHits", fields={"doc": "objectID"}, topic="query", order="listed"),
    Shape("Typesense", "hits", "", "search_time_ms", {"doc": "document.id"}, "request_params.q", "listed"),
    Shape("Azure AI Search", "value", fields={"score": "@search.score"}, order="listed"),
    Shape("Bedrock", "retrievalResults", fields={"doc": "location.s3Location.uri", "score": "score"}),
    Shape("Bedrock", "retrievalResults", fields={"doc": "location.webLocation.url", "score": "score"}),
    Shape("Bedrock", "retrievalResults", mark="retrievalResults"),
    Shape("Weaviate", "data.Get.*", "data.Get"),
    Shape("Weaviate", "objects"),
    Shape("Qdrant", "result.points", order="search"),
    Shape("Qdrant", "result", order="search"),
    Shape("Qdrant", "points", order="search"),
    Shape("Pinecone", "matches", order="search"),
    Shape("a reranker (Cohere, Jina)", "results", fields=RERANKED),
    Shape("a reranker (Voyage)", "data", fields=RERANKED),
    Shape("OpenAI", "data"),
    Shape("Haystack", "documents", fields={"doc": "id", "score": "score"}),
    Shape("LlamaIndex", "source_nodes"),
)
KEPT = ("title", "text", "body", "content", "fields", "payload", "_source")  # of a hit, for its text
OUTER = tuple(dict.fromkeys(shape.hits.partition(".")[0] for shape in SHAPES))
FAILURE = ("error", "errors")


class Hits(list[Any]):
    """The hits of a topic, best first, and the order of their numbers."""

    def __init__(self, hits: Any, order: str) -> None:
        super().__init__(hits)
        self.order = order


def at(held: Any, path: str) -> Any:
    """What is at a path; None if nothing is."""
    if not path or (isinstance(held, Mapping) and path in held):
        return held[path] if path else held
    name, _, rest = path.partition(".")
    if name == "*":
        held = next(iter(held.values())) if isinstance(held, Mapping) and len(held) == 1 else None
    else:
        held = held.get(name) if isinstance(held, Mapping) else getattr(held, name, None)
    return at(held, rest)


def hits(response: Any, kind: str = "run") -> list[Any] | None:
    """The hits in the response to one query, if it is one."""
    if isinstance(response, (list, float, int, str)):
        return None
    body = body_of(response)
    if isinstance(body, Mapping) and "ids" in body and (found := _of_chroma(body)) is not None:
        return found
    if isinstance(body, Mapping) and not any(map(body.__contains__, OUTER)):
        return None
    for shape in SHAPES:
        found = at(body, shape.hits)
        if found is None and shape.total and at(body, shape.total) == 0:
            return []
        if isinstance(found, list) and _is_of(shape, found, body, kind):
            return _with_fields(shape, found, "run")
    return None


def body_of(response: Any) -> Any:
    """The content of a response, also where a client of Elasticsearch returns an object."""
    return getattr(response, "body", response)


def _is_of(shape: Shape, found: list[Any], body: Any, kind: str) -> bool:
    if shape.mark:
        return at(body, shape.mark) is not None
    if found and not (isinstance(found[0], Mapping) or field_names(found[0])):
        return False
    if shape.fields and "." not in shape.hits:  # the list has a common name
        known = (at(hit, path) is not None for hit in found[:1] for path in shape.fields.values())
        return all(known) if found else size_of(body) == 1 or _is_only_list(found, body, kind)
    return "." in shape.hits or _is_only_list(found, body, kind)


def _with_fields(shape: Shape, found: Any, kind: str) -> Hits:
    """The hits, as records with usual names if the shape has fields."""
    if not shape.fields:
        named = not found or any(at(found[0], name) is not None for name in ("score", "_score"))
        return Hits(found, shape.order if named else "")
    records = []
    for hit in found:
        doc, *numbers = part_of(hit, kind)
        # A document found by an engine may have a score or a rank of its own.
        usual = {} if shape.client else dict(zip((VALUE[kind], "rank", "distance"), numbers, strict=True))
        fields = {role: at(hit, path) for role, path in shape.fields.items()}
        found_doc = fields.pop("doc", doc)
        record = {name: at(hit, name) for name in KEPT if at(hit, name) is not None}
        record["doc"] = hit if found_doc is None else found_doc  # an error shows the hit
        records.append(record if shape.order == "listed" else record | usual | fields)
    return Hits(records, shape.order)


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


def _of_chroma(body: Mapping[str, Any]) -> list[Any] | None:
    with suppress(InputError):  # `lacking` has the reason
        lists = lists_of_chroma(body)
        return lists[0] if lists is not None and len(lists) == 1 else None
    return None


def lists_of_chroma(body: Any) -> list[list[Any]] | None:
    """The results of each query in a response of Chroma, if it is one."""
    if not (isinstance(body, Mapping) and "distances" in body and isinstance(body.get("ids"), list)):
        return None
    ids, distances = body["ids"], body["distances"]
    one = not all(isinstance(each, list) for each in ids)
    ids = [ids] if one else ids
    if distances is None:
        return list(ids)
    distances = [distances] if one else distances
    if is_scalar(distances) or [len(each) for each in ids] != [size_of(each) for each in distances]:
        raise InputError(
            "this looks like a response of Chroma whose distances do not fit its ids; both need a list per "
            "query, with a distance for each id"
        )
    pairs = (zip(*lists, strict=True) for lists in zip(ids, distances, strict=True))
    return [[{"id": id, "distance": distance} for id, distance in each] for each in pairs]


def size_of(values: Any) -> int:
    """The length of a list; -1 for what has none."""
    return -1 if is_scalar(values) or not hasattr(values, "__len__") else len(values)


def lacking(response: Any) -> str | None:
    """What is wrong with a response without results; None if it is no response."""
    body = body_of(response)
    if not isinstance(body, Mapping) or hits(body) is not None:
        return None
    try:
        lists_of_chroma(body)
    except InputError as error:
        return str(error)
    if any(name in body and number_or_text(body[name]) is None for name in FAILURE):
        return "this is an error of the search engine, and no results; search again"
    for each in SHAPES if any(map(body.__contains__, OUTER)) else ():
        if (not each.fields and body.get(each.hits, 0) is None) or (
            each.total and at(body, each.total) is not None
        ):
            return f"this looks like a response from {each.client} without documents ({each.hits})"
    return None


def is_topic(row: Any, kind: str = "run") -> bool:
    """Whether an object is a topic with its results."""
    row = named_fields(row)
    if row is None:
        return False
    if hits(row, kind) is not None:
        return True
    if not name_of_list(row):
        return False
    topic, doc = topic_name(row), guess(list(row), "doc")
    return topic is not None and topic_id(row[topic]) is not None and (doc is None or doc in IDS)


def named_fields(row: Any) -> dict[str, Any] | None:
    """The fields of an object by their names."""
    row = row if isinstance(row, dict) else getattr(row, "__dict__", None)
    return row if isinstance(row, dict) else None


def topic_name(row: Any) -> str | None:
    """The name of what identifies a topic."""
    row = named_fields(row) or {}
    id, name = next((name for name in row if name in IDS), None), guess(list(row), "topic")
    return id if name is None or (id is not None and name.lower() in TEXTS) else name


def topic_id(value: Any) -> bytes | None:
    """The id of a topic, also inside an object."""
    name = guess(list(value), "topic") if isinstance(value, dict) else None
    return identifier(value if name is None else value[name])


def name_of_list(row: dict[str, Any], kind: str = "run") -> str | None:
    """The name of the list of documents, found or judged."""
    names = [name for name, value in row.items() if isinstance(name, str) and isinstance(value, (list, dict))]
    other = next(each for each in LIST_OF if each != kind)
    return guess(names, LIST_OF[kind]) or guess(names, LIST_OF[other])


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


def query_of(response: Any) -> bytes | None:
    """The query in the response to one, where its client has it."""
    body = body_of(response)
    queries = (shape.topic for shape in SHAPES if shape.topic and at(body, shape.hits) is not None)
    return next(filter(None, (identifier(at(body, query)) for query in queries)), None)


def described(
    value: Any, columns: Mapping[str, str] | None, kind: str, path: str | None = None
) -> tuple[dict[Any, Hits], str] | None:
    """({topic: hits}, what was assumed) of responses or lists of hits, as columns describe them.

    They may name the paths of hits, topic, doc, score or grade, and rank, and which scores are best: high or
    low. None if they are for something else, such as a table.
    """
    if not columns or not is_described(value, columns):
        return None
    by_topic = isinstance(value, Mapping) and _list(value, columns) is None
    every = [*value.items()] if by_topic else [(None, each) for each in _each(value, columns)]
    order = BEST[choice("best", columns["best"], BEST)] if "best" in columns else "open"
    fields = {role: name for role, name in columns.items() if role not in ("hits", "topic", "best")}
    for role in fields:
        choice("what columns name in a hit", role, ("doc", VALUE[kind], "rank"))
    shape = Shape("", "", fields=fields, order=order)
    topics, assumed = dict[Any, Hits](), ""
    for number, (topic, response) in enumerate(every, 1):
        found = _list(response, columns)
        if topic is None:
            topic = _topic(response, columns)
        if topic is None:
            alone = path is not None and len(every) == 1
            topic, assumed = (stem(path or ""), problems.FILE) if alone else (number, problems.NUMBERED)
        if found is None:
            names = ", ".join(map(quote, islice(field_names(response), 9)))
            where = columns.get("hits", "results")
            raise InputError(
                f"topic {shown(topic)}: there is no list at {where}; found {names or quote(brief(response))}",
                path=path,
            )
        topics.setdefault(topic, Hits([], order)).extend(_with_fields(shape, found, kind))
    return topics, assumed


def is_described(value: Any, columns: Mapping[str, str]) -> bool:
    """Whether columns are for what is in hits here, rather than for a table or for several runs."""
    if _list(value, columns) is not None and not isinstance(value, (list, tuple)):
        return True
    if not isinstance(value, (Mapping, list, tuple)) or hasattr(value, "_fields"):
        return False
    lists = (_list(each, columns) for each in _each(value, columns))
    first = next((each for each in lists if each is None or len(each)), None)
    if not first or is_scalar(first[0]):
        return False
    has_topic, has_doc = (at(first[0], columns.get(role, "") or "?") is not None for role in ("topic", "doc"))
    return "hits" in columns or (has_doc and not has_topic)


def _each(value: Any, columns: Mapping[str, str]) -> Any:
    if isinstance(value, (list, tuple)):
        return value
    return [value] if _list(value, columns) is not None else value.values()


def _list(response: Any, columns: Mapping[str, str]) -> Any:
    """The list of hits in a response; None if there is none."""
    if "hits" in columns:
        found = at(body_of(response), columns["hits"])
    elif isinstance(response, (list, tuple)):
        found = response
    else:
        found = list_inside(response) if is_topic(response) else None
    return found if isinstance(found, (list, tuple)) and not hasattr(found, "_fields") else None


def _topic(response: Any, columns: Mapping[str, str]) -> Any:
    if "topic" in columns:
        return identifier(at(body_of(response), columns["topic"]))
    name = topic_name(response)
    return query_of(response) if name is None else topic_id(at(response, name))
