"""Records, one per row: named tuples, dataclasses, dicts, other objects with fields, and plain tuples.

ir_measures and ir_datasets have runs and judgments as iterables of named tuples. An iterable is read once, a
chunk at a time; of each record only the fields that are needed are kept.

JSON and search engines have topics with their results inside: {"query_id": …, "results": [{"id": …, "score":
…}]}, or hits.hits in a response of Elasticsearch or OpenSearch. Such objects are recognised here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, islice
from operator import attrgetter, itemgetter
from typing import Any

from rankgauge.errors import InputError
from rankgauge.formats import frames
from rankgauge.formats.columns import NAMES, ROLES, WRITTEN, Columns, choose, concatenated, fits, guess
from rankgauge.formats.problems import HOLDS, VALUE, quote
from rankgauge.formats.row_reader import identifier, is_scalar, number

LIST_OF = {"run": "results", "qrels": "judged"}
IDS = ("id", "_id")
TEXTS = ("query", "question", "q")  # which may identify a topic, if nothing else does
AROUND = ("responses", "requests", "queries", "topics", "data", "rows")  # lists of topics or of rows
CHUNK = 1 << 16
PLAIN = {tuple, list}
Getter = Callable[[Any], Any]


def field_names(record: Any) -> list[str]:
    """The names of a record's fields; none if it is not a record."""
    if isinstance(record, Mapping):
        return [name for name in record if isinstance(name, str)]
    if isinstance(record, (str, bytes, type)):
        return []
    declared = getattr(record, "_fields", None) or getattr(record, "__fields__", None)  # PySpark's rows
    if isinstance(record, tuple):
        return list(map(str, declared or ()))
    if hasattr(record, "dtype"):  # a row of a structured array
        return list(record.dtype.names or ()) if is_scalar(record) else []
    if hasattr(record, "__len__"):
        return []
    if fields := getattr(record, "__dataclass_fields__", None):
        return list(fields)
    names = [name for name in getattr(record, "__dict__", ()) if not name.startswith("_")]
    names += [name for name in _known() if name not in names and hasattr(record, name)]
    return names if guess(names, "topic") or guess(names, "doc") else []  # any object has attributes


def getter(record: Any, name: str) -> Getter:
    """A function that takes the field of this name from records of one type."""
    if isinstance(record, tuple) and (names := field_names(record)):
        return itemgetter(names.index(name))
    return (itemgetter if isinstance(record, Mapping) or hasattr(record, "dtype") else attrgetter)(name)


def _known() -> Iterator[str]:
    """The names that fields without a list of them may have: document_id and documentid."""
    for name in dict.fromkeys(" ".join(NAMES.values()).split()):
        yield from dict.fromkeys((name, name.replace("_", "")))


def is_row(value: Any) -> bool:
    """Whether this is one row: a record, or a plain (topic, document, number) with an id that is text."""
    if isinstance(value, (tuple, list)) and not field_names(value):
        return (
            len(value) == 3
            and all(map(is_scalar, value))
            and any(isinstance(id, (str, bytes)) for id in value[:2])
            and all(identifier(id) is not None for id in value[:2])
            and number(value[2]) is not None
        )
    names = field_names(value)
    if not isinstance(value, Mapping):
        return bool(names)
    # A dict with fields, rather than a run such as {topic: {document: score}}.
    known = next((name for role in ("topic", "doc") if (name := guess(names, role))), None)
    return bool(names) and is_scalar(value[known or names[0]])


def has_topic(row: Any) -> bool:
    """Whether a row has a topic of its own, so that it needs none around it."""
    names = field_names(row)
    return not names or guess(names, "topic") is not None


def read(rows: Iterable[Any], kind: str, columns: Mapping[str, str] | None = None) -> Columns:
    """The columns of records, or of plain tuples (topic, document, number)."""
    iterator = iter(rows)
    first = next(iterator, iterator)
    if first is iterator:
        again = ", or was read before" if iterator is rows else ""
        raise InputError(
            f"the {type(rows).__name__} is empty{again}; {HOLDS[kind]} must have at least one row"
        )
    if not is_row(first):
        raise not_rows(first, kind)
    names = field_names(first) or [WRITTEN[kind][part] for part in ("topic", "doc", "value")]
    if is_topic(first) and not (columns or fits(names, kind)):
        raise not_rows(first, kind)
    chosen = choose(names, kind, columns)
    roles = {role: chosen[part] for part, role in ROLES[kind].items() if part in chosen}
    wanted = list(dict.fromkeys(chosen.values()))
    reader = _Reader(first, names, wanted)
    parts, begin = [], 0
    rest = chain([first], iterator)
    while chunk := list(islice(rest, CHUNK)):
        table = dict(zip(wanted, reader.columns(chunk, begin), strict=True))
        parts.append(frames.read(table, kind, roles, begin))
        begin += len(chunk)
    return concatenated(parts)


def not_rows(first: Any, kind: str) -> InputError:
    """The error for an iterable of something else, by its first item."""
    value, shown = VALUE[kind], quote(first if isinstance(first, (str, bytes)) else repr(first), 60)
    if isinstance(first, (str, bytes)):
        problem = f"the first item is the text {shown}, without a topic and a {value}"
        change = "pass the path of a file, or {topic: [document, ...]}"
    elif isinstance(first, (tuple, list, Set)):
        problem = f"the first item is {shown}, not a row (topic, document, {value})"
        change = "pass such rows with ids as text, or a dict by topic: {topic: ...}"
    elif is_topic(first):
        problem = f"the first item is {shown}, a topic with its results, and not a row with one document"
        change = "pass {topic: results}; results are documents, (document, number), or objects with names"
    else:
        problem = f"the first item is {shown} ({type(first).__name__}), which has no fields"
        change = f"pass records with fields such as query_id, doc_id and {WRITTEN[kind]['value']}"
    return InputError(f"{problem}; {change}")


class _Reader:
    """Takes the wanted fields from chunks of records, which are usually all of one type."""

    def __init__(self, first: Any, names: Sequence[str], wanted: Sequence[str]) -> None:
        self._first, self._wanted = type(first), wanted
        self._places = [names.index(name) for name in wanted]
        self._getters: dict[type, list[Getter]] = {}

    def columns(self, chunk: list[Any], begin: int) -> list[list[Any]]:
        """The wanted columns of some records; `begin` is the number of the first."""
        types = set(map(type, chunk))
        try:
            if len(types) == 1:  # a column at a time: rows of tuples would take several times as long
                columns = [list(map(getter, chunk)) for getter in self._getters_of(chunk[0])]
            else:
                rows = ([getter(record) for getter in self._getters_of(record)] for record in chunk)
                columns = list(map(list, zip(*rows, strict=True)))
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            raise self._error(chunk, begin) from None
        # A plain row may have more values than its getters look at.
        if types & PLAIN and any(len(record) != 3 for record in chunk if type(record) in PLAIN):
            raise self._error(chunk, begin)
        return columns

    def _getters_of(self, record: Any) -> list[Getter]:
        """A function for each wanted field of records of this type."""
        if type(record) not in self._getters:
            both_plain = type(record) in PLAIN and self._first in PLAIN
            self._getters[type(record)] = (
                [itemgetter(place) for place in self._places]
                if both_plain
                else [getter(record, name) for name in self._wanted]
            )
        return self._getters[type(record)]

    def _error(self, chunk: list[Any], begin: int) -> InputError:
        """The error for the first record that lacks a field."""
        for row, record in enumerate(chunk, begin):
            place = f"row {row} (counted from 0)"
            plain = type(record) in PLAIN
            if plain and len(record) == 3 and self._first in PLAIN:
                continue
            names = field_names(record)
            missing = [name for name in self._wanted if name not in names and not hasattr(record, name)]
            if plain or not names:
                shown = f"{quote(repr(record), 60)} ({type(record).__name__})"
                if self._first in PLAIN:
                    return InputError(f"{place} is {shown}; every row must be (topic, document, number)")
                return InputError(
                    f"{place} is {shown}, and row 0 is a {self._first.__name__}; all rows must be alike"
                )
            if missing:
                found = ", ".join(quote(name, 30) for name in names[:12])
                return InputError(
                    f"{place} has no {quote(missing[0], 30)}; found {found}; every row needs "
                    f"{', '.join(self._wanted)}"
                )
        return InputError("the records cannot be read; pass named tuples, dicts or a frame")


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
