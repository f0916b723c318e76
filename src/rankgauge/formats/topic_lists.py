"""Lists by topic: `{topic: [document, ...]}`, best first, and `{topic: [(document, number), ...]}`.

Records without a topic, such as `{"doc_id": ..., "score": ...}`, take the place of pairs or of documents.
As judgments, the documents of a list or set are the relevant ones, of grade 1. A set has no order, so it
cannot be a run.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set
from itertools import repeat
from typing import Any

from rankgauge.errors import InputError
from rankgauge.formats.columns import guess
from rankgauge.formats.problems import HOLDS, VALUE, quote
from rankgauge.formats.records import field_names, take_fields
from rankgauge.formats.row_reader import is_scalar
from rankgauge.schema.text import described

Parts = list[tuple[Collection[Any], Collection[Any]]]  # (documents, their numbers) of each topic
SHAPES = {
    "run": "{topic: {document: score}} or, best first, {topic: [document, ...]}",
    "qrels": "{topic: {document: grade}} or, if all are relevant, {topic: [document, ...]}",
}


def open_all(nested: Mapping[Any, Any], kind: str, path: str | None = None) -> tuple[Parts, bool]:
    """(documents and numbers of each topic, whether the numbers are ranks)."""
    parts: Parts = []
    first = None  # (topic, whether it has numbers) of the first topic with documents
    for topic, held in nested.items():
        items = _items(topic, held, kind, path)
        if not items:
            parts.append(((), ()))
            continue
        if fields := field_names(items[0]):
            items = _of_records(topic, items, fields, kind, path)
        paired = isinstance(items[0], (tuple, list))
        first = first or (topic, paired)
        if first[1] != paired:
            with_, without = (topic, first[0]) if paired else (first[0], topic)
            raise InputError(
                f"topic {_shown(with_)} has documents with {VALUE[kind]}s, and topic {_shown(without)} has "
                "documents alone; give all topics the same shape",
                path=path,
            )
        if paired:
            parts.append(_pairs(topic, items, kind, path))
        else:
            parts.append((items, range(1, len(items) + 1) if kind == "run" else _ones(len(items))))
    return parts, kind == "run" and first is not None and not first[1]


def _items(topic: Any, held: Any, kind: str, path: str | None) -> list[Any]:
    """The items that a topic has; an error if it does not have a list."""
    if isinstance(held, Set) and kind == "run" and not isinstance(held, type({}.keys())):
        raise InputError(
            f"topic {_shown(topic)} has a set, which has no order; a run in a dict must be {SHAPES[kind]}",
            path=path,
        )
    if isinstance(held, Mapping):
        raise InputError(
            f"topic {_shown(topic)} has {described(held)}, and others have lists; give all topics the same "
            f"shape: {SHAPES[kind]}",
            path=path,
        )
    if is_scalar(held):
        example = f"; one document is [{quote(held, 40)}]" if _is_text(held) else ""
        raise InputError(
            f"topic {_shown(topic)} has {described(held)}; {HOLDS[kind]} in a dict "
            f"must be {SHAPES[kind]} for every topic{example}",
            path=path,
        )
    return held.tolist() if hasattr(held, "tolist") else list(held)


def _of_records(topic: Any, items: list[Any], fields: list[str], kind: str, path: str | None) -> list[Any]:
    """Pairs of document and number, or documents alone if there is no number, of records without a topic."""
    document, value = guess(fields, "doc"), guess(fields, VALUE[kind])
    if document is None:
        found = ", ".join(quote(name, 30) for name in fields[:12])
        raise InputError(
            f"topic {_shown(topic)}: no field of the first item is a document; found {found}; call it doc_id",
            path=path,
        )
    wanted = [name for name in (document, value) if name is not None]
    try:
        columns = take_fields(items, fields, wanted)
    except InputError as error:
        raise InputError(f"topic {_shown(topic)}: {error}", path=path) from None
    return columns[0] if value is None else list(zip(*columns, strict=True))


def _pairs(
    topic: Any, items: list[Any], kind: str, path: str | None
) -> tuple[Collection[Any], Collection[Any]]:
    for place, item in enumerate(items):
        if not isinstance(item, (tuple, list)) or len(item) != 2:
            raise InputError(
                f"topic {_shown(topic)}: item {place} (counted from 0) is {quote(repr(item), 60)}, and the "
                f"first is (document, {VALUE[kind]}); give all items of all topics the same shape",
                path=path,
            )
    documents, numbers = zip(*items, strict=True)
    return documents, numbers


def _ones(count: int) -> list[int]:
    return list(repeat(1, count))


def _is_text(value: Any) -> bool:
    return isinstance(value, (str, bytes))


def _shown(value: object) -> str:
    return quote(value if isinstance(value, (str, bytes)) else repr(value))
