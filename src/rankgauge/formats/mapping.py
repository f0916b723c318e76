"""Dicts by topic: `{topic: {document: number}}`, as in pytrec_eval, or `{topic: [document, ...]}`.

Judgments can also be by subtopic: `{topic: {subtopic: {document: grade}}}`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set
from dataclasses import replace
from itertools import chain, repeat
from typing import Any

import numpy as np

from rankgauge.core.ids import Ids
from rankgauge.errors import InputError
from rankgauge.formats import topic_lists
from rankgauge.formats.columns import Columns, by_rank
from rankgauge.formats.problems import NUMBER, VALUE, quote
from rankgauge.formats.row_reader import identifier, number_or_text
from rankgauge.formats.topic_lists import Parts


def by_subtopic(nested: Mapping[Any, Any]) -> bool:
    """Whether these are judgments by subtopic: `{topic: {subtopic: {document: grade}}}`."""
    first = next((inner for inner in nested.values() if isinstance(inner, Mapping) and inner), {})
    return isinstance(next(iter(first.values()), None), (Mapping, Set))


def read(nested: Mapping[Any, Any], kind: str, path: str | None = None) -> Columns:
    """The columns of a dict by topic; topics and documents can be str, bytes or int."""
    if kind == "qrels" and by_subtopic(nested):
        return _read_subtopics(nested, path)
    ranked = False
    if all(isinstance(held, Mapping) for held in nested.values()):
        parts: Parts = [(held, held.values()) for held in nested.values()]
    else:
        parts, ranked = topic_lists.open_all(nested, kind, path)
    topics = _distinct(nested, "topic", path)
    docs = list(chain.from_iterable(documents for documents, _ in parts))
    try:
        doc_ids = Ids.of(docs)
    except (AttributeError, TypeError, UnicodeEncodeError):  # not all are bytes or good text
        doc_ids = Ids.of([_identifier(doc, "a document", path) for doc in docs])
    columns = Columns(
        kind=kind,
        topic=_repeated(topics, [len(documents) for documents, _ in parts]),
        doc=doc_ids,
        value=_numbers(nested, parts, kind, path),
        files=((0, path),) if path is not None else (),
    )
    return by_rank(columns) if ranked else columns


def _repeated(ids: list[bytes], sizes: list[int]) -> Ids:
    """Each id as often as its size says."""
    return Ids.of(ids).take(np.repeat(np.arange(len(ids)), sizes))


def _read_subtopics(nested: Mapping[Any, Any], path: str | None) -> Columns:
    rows = []
    topics, labels = _distinct(nested, "topic", path), []
    for topic, subtopics in nested.items():
        parts = subtopics.items() if isinstance(subtopics, Mapping) else [(None, subtopics)]
        for subtopic, documents in parts:
            if not isinstance(documents, (Mapping, Set, list)) or subtopics is documents:
                raise InputError(
                    f"topic {_shown(topic)} has a {type(documents).__name__} for a subtopic; judgments by "
                    "subtopic in a dict must be {topic: {subtopic: {document: grade}}} throughout",
                    path=path,
                )
            rows.append((topic, subtopic, documents))
        labels += _distinct(subtopics, "subtopic", path)
    # Keys that name topic and subtopic make better errors; numbers replace them if they are not unique.
    named = {f"{topic}, subtopic {subtopic}": documents for topic, subtopic, documents in rows}
    numbered = {number: documents for number, (_, _, documents) in enumerate(rows)}
    columns = read(named if len(named) == len(rows) else numbered, "qrels", path)
    sizes = [len(documents) for _, _, documents in rows]
    of_rows = list(chain.from_iterable(map(repeat, topics, map(len, nested.values()))))
    return replace(columns, topic=_repeated(of_rows, sizes), label=_repeated(labels, sizes))


def _numbers(
    nested: Mapping[Any, Any], parts: Parts, kind: str, path: str | None
) -> np.typing.NDArray[np.float64]:
    values = list(chain.from_iterable(held for _, held in parts))
    if all(
        issubclass(each, (float, int, np.integer, np.floating, np.bool_)) for each in set(map(type, values))
    ):
        try:
            return np.array(values, dtype=np.float64)
        except OverflowError:  # a whole number too large for a double: found below
            pass
    numbers = [number_or_text(value) for value in values]
    if None not in numbers:
        return np.array(numbers, dtype=np.float64)
    topic, doc, value = next(
        (topic, doc, value)
        for topic, (documents, held) in zip(nested, parts, strict=True)
        for doc, value in zip(documents, held, strict=True)
        if number_or_text(value) is None
    )
    raise InputError(
        f"topic {_shown(topic)}, document {_shown(doc)}: the {VALUE[kind]} is not a number: "
        f"{quote(repr(value))} ({type(value).__name__}); {NUMBER[kind]}",
        path=path,
    )


def _distinct(keys: Collection[Any], what: str, path: str | None) -> list[bytes]:
    """The ids of topics or subtopics; keys such as 1 and "1" would be the same one, and are an error."""
    ids = [_identifier(key, f"a {what}", path) for key in keys]
    if len(set(ids)) < len(ids):
        seen: dict[bytes, Any] = {}
        for id, key in zip(ids, keys, strict=True):
            if id in seen:
                both = " and ".join(f"{_shown(each)} ({type(each).__name__})" for each in (seen[id], key))
                raise InputError(f"{both} are the same {what}; give each {what} once", path=path)
            seen[id] = key
    return ids


def _identifier(value: Any, what: str, path: str | None) -> bytes:
    id = identifier(value)
    if id is None:
        raise InputError(
            f"the id of {what} is {quote(repr(value))} ({type(value).__name__}); use str, bytes or int",
            path=path,
        )
    return id


def _shown(value: object) -> str:
    return quote(value if isinstance(value, (str, bytes)) else repr(value))
