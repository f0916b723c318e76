"""Topics with their results inside, as JSON has them: `{"query_id": …, "results": [{"id": …, "score": …}]}`.

Search engines nest further: in a response of Elasticsearch or OpenSearch, the results are `hits.hits`. This
recognises such objects; `topic_reader` reads them.
"""

from __future__ import annotations

from typing import Any

from rankgauge.formats.columns import guess
from rankgauge.formats.row_reader import identifier

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
            if name == "responses" or has_topic or (name in AROUND and topic_name(first)):
                return inside
    return value


def topics_of(value: Any, kind: str = "run") -> list[Any] | None:
    """The topics with results in a JSON value, as a list of objects; None if it has another form."""
    value = unwrapped(value)
    if isinstance(value, dict):
        if is_topic(value):
            return [value]
        if any(isinstance(each, list) or is_response(each) for each in value.values()):
            return [{"topic": topic, LIST_OF[kind]: found} for topic, found in value.items()]
        return None
    return value if isinstance(value, list) and any(map(_is_found, value[:1])) else None


def is_topic(row: Any) -> bool:
    """Whether an object is a topic with its results, rather than a row with one document."""
    if not isinstance(row, dict) or not name_of_list(row):
        return False
    if is_response(row):
        return True
    topic, doc = topic_name(row), guess(list(row), "doc")
    return topic is not None and identifier(row[topic]) is not None and (doc is None or doc in IDS)


def _is_found(row: Any) -> bool:
    """Whether an object is a topic with its results, or the error that a search engine has in their place."""
    return is_topic(row) or (isinstance(row, dict) and "error" in row and "status" in row)


def is_response(value: Any) -> bool:
    """Whether this is a response of Elasticsearch or OpenSearch."""
    hits = value.get("hits") if isinstance(value, dict) else None
    return isinstance(hits, dict) and isinstance(hits.get("hits"), list)


def topic_name(row: dict[str, Any]) -> str | None:
    """The name of what identifies a topic; an id beside a list of documents is that of the topic."""
    id, name = next((name for name in row if name in IDS), None), guess(list(row), "topic")
    return id if name is None or (id is not None and name.lower() in TEXTS) else name


def name_of_list(row: dict[str, Any], kind: str = "run") -> str | None:
    """The name of the list of documents; a topic may have both, those that were found and those judged."""
    names = [name for name, value in row.items() if isinstance(value, (list, dict))]
    other = next(each for each in LIST_OF if each != kind)
    return guess(names, LIST_OF[kind]) or guess(names, LIST_OF[other])


def names_in(value: Any) -> list[str]:
    """The names of columns that topics with their results amount to; none if the value has another form."""
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
    while isinstance(value, dict) and (name := name_of_list(value, kind)):
        value = value[name]
    return value
