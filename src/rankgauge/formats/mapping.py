"""Nested dicts, `{topic: {document: number}}`, as in pytrec_eval.

Judgments can also be by subtopic: `{topic: {subtopic: {document: grade}}}`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import chain, repeat
from typing import Any

import numpy as np

from rankgauge.core.ids import Ids
from rankgauge.errors import InputError
from rankgauge.formats.columns import Columns
from rankgauge.formats.problems import HOLDS, NUMBER, VALUE, quote
from rankgauge.formats.row_reader import identifier, number


def by_subtopic(nested: Mapping[Any, Any]) -> bool:
    """Whether these are judgments by subtopic: `{topic: {subtopic: {document: grade}}}`."""
    first = next((inner for inner in nested.values() if isinstance(inner, Mapping) and inner), {})
    return isinstance(next(iter(first.values()), None), Mapping)


def read(nested: Mapping[Any, Any], kind: str, path: str | None = None) -> Columns:
    """The columns of a nested dict; topics and documents can be str, bytes or int."""
    if kind == "qrels" and by_subtopic(nested):
        return _read_subtopics(nested, path)
    for topic, documents in nested.items():
        if not isinstance(documents, Mapping):
            raise InputError(
                f"topic {_shown(topic)} has a {type(documents).__name__}; {HOLDS[kind]} in a dict "
                f"must be {{topic: {{document: {VALUE[kind]}}}}}",
                path=path,
            )
    topics = _distinct(nested, "topic", path)
    sizes = [len(documents) for documents in nested.values()]
    docs = list(chain.from_iterable(nested.values()))
    try:
        doc_ids = Ids.of(docs)
    except (AttributeError, TypeError, UnicodeEncodeError):  # not all are bytes or good text
        doc_ids = Ids.of([_identifier(doc, "a document", path) for doc in docs])
    return Columns(
        kind=kind,
        topic=Ids.of(chain.from_iterable(map(repeat, topics, sizes))),
        doc=doc_ids,
        value=_numbers(nested, kind, path),
        files=((0, path),) if path is not None else (),
    )


def _read_subtopics(nested: Mapping[Any, Any], path: str | None) -> Columns:
    rows = []
    topics, labels = _distinct(nested, "topic", path), []
    for topic, subtopics in nested.items():
        parts = subtopics.items() if isinstance(subtopics, Mapping) else [(None, subtopics)]
        for subtopic, documents in parts:
            if not isinstance(documents, Mapping):
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

    def column(ids: list[bytes]) -> Ids:
        return Ids.of(chain.from_iterable(map(repeat, ids, sizes)))

    of_rows = list(chain.from_iterable(map(repeat, topics, map(len, nested.values()))))
    return replace(columns, topic=column(of_rows), label=column(labels))


def _numbers(nested: Mapping[Any, Any], kind: str, path: str | None) -> np.typing.NDArray[np.float64]:
    values = list(chain.from_iterable(documents.values() for documents in nested.values()))
    if set(map(type, values)) <= {float, int}:
        try:
            return np.array(values, dtype=np.float64)
        except OverflowError:  # a whole number too large for a double: found below
            pass
    numbers = [number(value) for value in values]
    if None not in numbers:
        return np.array(numbers, dtype=np.float64)
    topic, doc, value = next(
        (topic, doc, value)
        for topic, documents in nested.items()
        for doc, value in documents.items()
        if number(value) is None
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
