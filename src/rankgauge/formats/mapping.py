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
from rankgauge.formats.columns import Columns
from rankgauge.formats.problems import quote
from rankgauge.formats.row_reader import identifier, number_or_text
from rankgauge.formats.topic_lists import Results, shown


def by_subtopic(nested: Mapping[Any, Any]) -> bool:
    """Whether these are judgments by subtopic: `{topic: {subtopic: {document: grade}}}`."""
    first = next((inner for inner in nested.values() if isinstance(inner, Mapping) and inner), {})
    return isinstance(next(iter(first.values()), None), (Mapping, Set))


def read(nested: Mapping[Any, Any], kind: str, path: str | None = None) -> Columns:
    """The columns of a dict by topic; topics and documents can be str, bytes or int."""
    if kind == "qrels" and by_subtopic(nested):
        return _read_subtopics(nested, path)
    topics, results = _distinct(nested, "topic", path), topic_lists.of_all(nested, kind, path)
    # A dict of documents has scores and no order; a list has an order, too.
    ranked = kind == "run" and not all(isinstance(held, Mapping) for held in nested.values())
    places = [each.places() if ranked else range(len(each.documents)) for each in results]
    docs = list(chain.from_iterable(each.documents for each in results))
    values = list(chain.from_iterable(map(Results.values, results, places, repeat(kind))))
    ids, numbers = _ids(docs), _numbers(values)
    if ids is None or numbers is None:
        for topic, each, order in zip(nested, results, places, strict=True):
            for trouble in filter(None, each.troubles(topic, kind, order)):
                raise InputError(trouble.message, path=path)
    assert ids is not None
    assert numbers is not None
    return Columns(
        kind=kind,
        topic=_repeated(topics, [len(each.documents) for each in results]),
        doc=ids,
        value=numbers,
        rank=np.fromiter(chain.from_iterable(places), np.int64, len(docs)) if ranked else None,
        files=((0, path),) if path is not None else (),
    )


def _ids(docs: list[Any]) -> Ids | None:
    """The ids of documents; None if one of them is none."""
    try:
        return Ids.of(docs)
    except (AttributeError, TypeError, UnicodeEncodeError):  # not all are bytes or good text
        ids = [id for doc in docs if (id := identifier(doc)) is not None]
        return Ids.of(ids) if len(ids) == len(docs) else None


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
                    f"topic {shown(topic)} has a {type(documents).__name__} for a subtopic; judgments by "
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


def _numbers(values: list[Any]) -> np.typing.NDArray[np.float64] | None:
    """The values as floats; None if one of them is no number."""
    if all(
        issubclass(each, (float, int, np.integer, np.floating, np.bool_)) for each in set(map(type, values))
    ):
        try:
            return np.array(values, dtype=np.float64)
        except OverflowError:  # a whole number too large for a double
            return None
    numbers = [number_or_text(value) for value in values]
    return None if None in numbers else np.array(numbers, dtype=np.float64)


def _distinct(keys: Collection[Any], what: str, path: str | None) -> list[bytes]:
    """The ids of topics or subtopics; keys such as 1 and "1" would be the same one, and are an error."""
    ids = [_identifier(key, f"a {what}", path) for key in keys]
    if len(set(ids)) < len(ids):
        seen: dict[bytes, Any] = {}
        for id, key in zip(ids, keys, strict=True):
            if id in seen:
                both = " and ".join(f"{shown(each)} ({type(each).__name__})" for each in (seen[id], key))
                raise InputError(f"{both} are the same {what}; give each {what} once", path=path)
            seen[id] = key
    return ids


def _identifier(value: Any, what: str, path: str | None) -> bytes:
    id = identifier(value)
    if id is None:
        raise InputError(
            f"the id of {what} is {quote(repr(value))} ({type(value).__name__}); use text or a whole number",
            path=path,
        )
    return id
