"""Topics with their results inside, as JSON, search engines, vector stores and frameworks have them.

{"query_id": ..., "results": [{"id": ..., "score": ...}]}    an object per topic
{topic: response}, {"query_id": ..., **response}             responses, as in `shapes.SHAPES`
[[document, ...], ...], [[hit, ...], ...]                    lists by their place: topics 0, 1, 2, ...
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from typing import Any

import numpy as np

from rankgauge.core.ids import Ids, to_bytes
from rankgauge.errors import InputError
from rankgauge.formats import problems
from rankgauge.formats.columns import NAMES, Columns, guess
from rankgauge.formats.frames import LAYOUTS, field_names, has_topic, is_row
from rankgauge.formats.mapping import Results, names_of, one_order, results_of
from rankgauge.formats.problems import MALFORMED, VALUE, looks_like, quote
from rankgauge.formats.row_reader import RowCollector, identifier, number_or_text
from rankgauge.formats.shapes import (
    LIST_OF,
    hits,
    is_topic,
    lacking,
    list_inside,
    lists_of_chroma,
    name_of_list,
    named_fields,
    query_of,
    size_of,
    topic_id,
    topic_name,
)
from rankgauge.formats.source import Source, stem
from rankgauge.formats.text_files import numbered_lines
from rankgauge.schema.text import brief, counted, repeated

AROUND = ("responses", "requests", "queries", "topics", "data", "rows")  # lists of topics or of rows


def by_place(value: Any) -> Sequence[Any] | None:
    """The results of topics named 0, 1, 2, ..., if these are."""
    if not isinstance(value, (list, tuple)):
        lists = lists_of_chroma(value)
        return lists if lists is not None and len(lists) > 1 else None
    first = next((each for each in value if not isinstance(each, list) or each), None)
    if not isinstance(first, list) or is_row(first):
        return None
    one, size = first[0], len(first)
    alike = isinstance(one, str) and 1 < size <= max(LAYOUTS) and {size} == {*map(size_of, value)}
    if alike and (size == 2 or any(number_or_text(each) is not None for each in first[2:])):
        return None  # perhaps rows, with their numbers in texts
    if isinstance(one, (tuple, list)) and not field_names(one):
        listed = len(one) == 2 and (isinstance(one[0], (str, bytes)) or bool(field_names(one[0])))
    else:
        listed = isinstance(one, (str, bytes)) or (is_row(one) and not has_topic(one))
    return value if listed else None


def unwrapped(value: Any, kind: str) -> Any:
    """The list of topics or rows in an object around it, or the responses by topic."""
    if isinstance(value, Mapping) and "metric_score" in value:  # Elasticsearch's response to _rank_eval
        return value.get("details")
    for name, inside in value.items() if isinstance(value, Mapping) and not is_topic(value, kind) else ():
        first = inside[0] if isinstance(inside, list) and inside else None
        if isinstance(first, dict):
            lists = name in AROUND or guess([name], "results") or guess([name], "judged")
            of_topics = lists and (guess(list(first), "topic") or _is_found(first))
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


def _is_found(row: Any) -> bool:
    return is_topic(row) or (isinstance(row, dict) and "error" in row and "status" in row)


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


def read(topics: Iterable[Any], kind: str) -> Columns:
    """The columns of topics with their results, in memory."""
    rows = RowCollector(kind, in_lines=False)
    Topics(rows).add_all(rows.until_full(enumerate(topics)))
    return rows.columns(None, 0)


def with_topics(columns: Columns, topics: Any, by_place: bool = False) -> Columns:
    """The rows of lists or responses that name no topic, with these topics in their order.

    A file of topics has an id in each line, and perhaps more.
    """
    numbered = problems.NUMBERED in columns.assumed
    if not (numbered or columns.shape is not None or by_place):
        raise InputError("these results have topics of their own; leave topics out")
    if isinstance(topics, (str, os.PathLike)):
        topics = [line.split()[0] for _, line in numbered_lines(Source(topics)) if line.split()]
    if not isinstance(topics, Iterable) or isinstance(topics, bytes):
        raise InputError(f"topics are ids in the order of the lists, or a file of them, not {brief(topics)}")
    ids = []
    for topic in topics:
        id = identifier(topic)
        if not id:
            raise InputError(f"{brief(topic)} is no id of a topic; use text or a whole number")
        ids.append(id)
    for id in repeated(ids):
        raise InputError(f"topic {problems.quote(id)} is named for two lists of results; name each once")
    place = np.array([*map(int, columns.topic)], dtype=np.int64) - numbered
    found = int(place.max(initial=-1)) + 1 if columns.shape is None else columns.shape[0]
    if len(ids) < found or (columns.shape is not None and len(ids) > found):
        raise InputError(
            f"{counted(len(ids), 'topic')} for {counted(found, 'list')} of results; name each, in their order"
        )
    assumed = columns.assumed.replace(problems.NUMBERED, "").strip()
    return replace(columns, topic=Ids.of(ids).take(place), assumed=assumed)


class Topics:
    """Collects the rows of topics with their results."""

    def __init__(self, rows: RowCollector, path: str | None = None) -> None:
        self._rows, self._path = rows, path
        self._sizes: dict[bytes, int] = {}  # results so far, for topics that come in several pages
        self._orders = set[str]()  # of their numbers

    def add_all(self, topics: Iterable[tuple[int, Any]], alone: bool = False) -> None:
        """Add all topics, each with its line; `alone` for a single response."""
        for order, (line, row) in enumerate(topics, 1):
            problem = self._add(line, named_fields(row), order, alone)
            if problem:
                text = quote(brief(row))
                self._rows.problem(MALFORMED, line, text.encode("utf-8", "replace"), f"{problem}: {text}")

    def _add(self, line: int, row: dict[str, Any] | None, order: int, alone: bool) -> str | None:
        if row is None:
            return "expected an object with a topic and its results, found something else"
        kind = self._rows.kind
        listed, response = name_of_list(row, kind), hits(row)
        if response is None and (problem := lacking(row) or (lacking(row[listed]) if listed else None)):
            return problem
        name, query = topic_name(row), query_of(row)
        if name is None and response is None:
            return f"the topic is missing; call it one of {_some('topic')}"
        topic = topic_id(row[name]) if name else query or self._assumed_topic(order, alone)
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
                self._rows.add(line, topic, id, value, brief(given).encode("utf-8", "replace"), rank)
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
