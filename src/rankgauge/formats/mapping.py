"""Dicts by topic: `{topic: {document: number}}`, or by subtopic, `{topic: {subtopic: {document: grade}}}`.

The grade of a document may be in a record, `{"grade": 2}`. The results of a topic are a dict, or a list of
documents, pairs (document, number), or records. Without numbers, the order or the ranks count; as
judgments, the documents are the relevant ones. A set has no order, so it is no run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import lru_cache, partial
from itertools import chain, repeat
from typing import Any, NamedTuple, Protocol

import numpy as np

from rankgauge.core import codes
from rankgauge.core.ids import Ids, to_text
from rankgauge.errors import InputError
from rankgauge.formats.columns import NAMES, Columns, Floats, Problem, guess, in_order_of
from rankgauge.formats.frames import field_names, getter
from rankgauge.formats.problems import BAD_VALUE, HOLDS, MISSING, NUMBER, VALUE, quote, sentence
from rankgauge.formats.row_reader import (
    Unfit,
    identifier,
    ids_of,
    is_scalar,
    number_or_text,
    numbers_of,
    whole,
)
from rankgauge.schema.options import setting
from rankgauge.schema.text import brief, described

SHAPES = {
    "run": "{topic: {document: score}} or, best first, {topic: [document, ...]}",
    "qrels": "{topic: {document: grade}} or, if all are relevant, {topic: [document, ...]}",
}
IDS, PAIRS = {str, bytes, int}, {tuple, list}
INSIDE = ("_additional", "metadata")  # where results of Weaviate and LangChain have the id, if they lack it
FILL = -1  # what FAISS fills up a list of ids with
ORDERS = ("search", "nearest", "open", "distance", "found")  # the first of them holds for all topics
BY_BEST = ("distance", "score")  # where it is stated which end is best
Part = tuple[Any, Any, Any, Any]  # document, number, rank and distance: of a result, or a column of each


class Judged(Protocol):
    """Judgments, as far as ids that are integers need them."""

    @property
    def shape(self) -> tuple[int, int | None] | None:
        """Of the array that the judgments come from."""

    def grades_of(self, topic: str) -> dict[str, float]:
        """{document: grade} of a topic."""


def by_subtopic(nested: Mapping[Any, Any]) -> bool:
    """Whether these are judgments by subtopic: `{topic: {subtopic: {document: grade}}}`."""
    first = next((inner for inner in nested.values() if isinstance(inner, Mapping) and inner), {})
    return isinstance(next(iter(first.values()), None), (Mapping, Set)) and not _has_records(first, "qrels")


def _has_records(held: Mapping[Any, Any], kind: str) -> bool:
    """Whether all documents have a record, with a field for their number: `{document: {"grade": 2}}`."""
    numbers = [_fields(each, kind)[1] for each in held.values() if isinstance(each, Mapping)]
    return len(numbers) == len(held) > 0 and all(is_scalar(each) and each is not None for each in numbers)


def read(
    nested: Mapping[Any, Any], kind: str, path: str | None = None, judged: Judged | None = None
) -> Columns:
    """The columns of a dict by topic; topics and documents can be str, bytes or int.

    -1 at the end of a list of integers is no document, unless it is `judged`.
    """
    nested = {topic: _plain(held) for topic, held in _plain(nested).items()}
    if kind == "qrels" and by_subtopic(nested):
        return _read_subtopics(nested, path)
    return _read_topics(nested, kind, path, judged)


def _read_topics(
    nested: Mapping[Any, Any], kind: str, path: str | None, judged: Judged | None = None
) -> Columns:
    topics = _distinct(nested, "topic", path)
    results = []
    for id, (topic, held) in zip(topics, nested.items(), strict=True):
        looked_up = tuple if judged is None else partial(judged.grades_of, to_text(id))
        try:
            results.append(results_of(held, kind, looked_up))
        except InputError as error:
            raise InputError(f"topic {shown(topic)} {error}", path=path) from None
    # A dict of documents has scores and no order; a list has an order, too.
    ranked = kind == "run" and not all(isinstance(held, Mapping) for held in nested.values())
    places = [each.places() if ranked else range(len(each.documents)) for each in results]
    docs = list(chain.from_iterable(each.documents for each in results))
    values = list(chain.from_iterable(map(Results.values, results, places, repeat(kind))))
    try:
        ids, numbers = ids_of(docs), _numbers(values)
    except (Unfit, OverflowError):  # a whole number too large for a double
        every = zip(nested, results, places, strict=True)
        found = (each.problems(topic, kind, order) for topic, each, order in every)
        first = next(problem for problem in chain.from_iterable(found) if problem)
        raise InputError(first.message, path=path) from None
    columns = Columns(
        kind=kind,
        topic=_repeated(topics, [len(each.documents) for each in results]),
        doc=ids,
        value=numbers,
        rank=np.fromiter(chain.from_iterable(places), np.int64, len(docs)) if ranked else None,
        files=((0, path),) if path is not None else (),
    )
    return in_order_of(columns, one_order(each.order for each in results)) if kind == "run" else columns


def _plain(held: Any) -> Any:
    """A dict for any mapping."""
    return dict(held) if isinstance(held, Mapping) and type(held) is not dict else held


def read_lists(lists: Sequence[Any], kind: str, path: str | None = None) -> Columns:
    """The columns of a list of results per topic, called 0, 1, 2, ..."""
    return replace(read(dict(enumerate(lists)), kind, path), shape=(len(lists), None))


def _repeated(ids: list[bytes], sizes: list[int]) -> Ids:
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
            rows.append((topic, subtopic, _plain(documents)))
        labels += _distinct(subtopics, "subtopic", path)
    # Keys that name topic and subtopic make better errors; numbers replace them if they are not unique.
    named = {f"{topic}, subtopic {subtopic}": documents for topic, subtopic, documents in rows}
    numbered = {number: documents for number, (_, _, documents) in enumerate(rows)}
    columns = _read_topics(named if len(named) == len(rows) else numbered, "qrels", path)
    sizes = [len(documents) for _, _, documents in rows]
    of_rows = list(chain.from_iterable(map(repeat, topics, map(len, nested.values()))))
    return replace(columns, topic=_repeated(of_rows, sizes), label=_repeated(labels, sizes))


def _numbers(values: list[Any]) -> Floats:
    fast = (float, int, np.integer, np.floating, np.bool_)
    if all(issubclass(each, fast) for each in set(map(type, values))):
        return np.array(values, dtype=np.float64)
    return numbers_of(values, number_or_text)


def _distinct(keys: Collection[Any], what: str, path: str | None) -> list[bytes]:
    """The ids of topics or subtopics; keys such as 1 and "1" clash."""
    seen: dict[bytes, Any] = {}
    for key in keys:
        id, kind = identifier(key), type(key).__name__
        if id is None:
            problem = f"the id of a {what} is {quote(brief(key))} ({kind}); use text or a whole number"
            raise InputError(problem, path=path)
        if id in seen:
            both = f"{shown(seen[id])} ({type(seen[id]).__name__}) and {shown(key)} ({kind})"
            raise InputError(f"{both} are the same {what}; give each {what} once", path=path)
        seen[id] = key
    return [*seen]


class Results(NamedTuple):
    """The results of a topic, a column each."""

    documents: Collection[Any]
    numbers: Collection[Any] | None  # scores or grades; None for documents alone
    ranks: Sequence[Any] | None = None  # of each result, None where it has none; None if the order counts
    order: str = ""  # of the numbers, which may be distances: see `columns.in_order_of`

    def places(self, begin: int = 0) -> Sequence[int]:
        """The ranks, or the order of the list, after `begin` results; NO_RANK for a rank that is none."""
        order = range(begin + 1, begin + len(self.documents) + 1)
        if self.ranks is None:
            return order
        pairs = zip(order, self.ranks, strict=True)
        return [place if rank is None else whole(number_or_text(rank)) for place, rank in pairs]

    def values(self, places: Sequence[int], kind: str) -> Collection[Any]:
        """Scores or grades; None for what has none. Rank 1 is best, listed documents are relevant."""
        if self.numbers is not None:
            return self.numbers
        if kind == "qrels":
            return [1] * len(places)
        if isinstance(places, range):
            return range(-places.start, -places.stop, -1)
        return [None if place == codes.NO_RANK else -place for place in places]

    def problems(
        self, topic: Any, kind: str, places: Sequence[int], line: int = 0
    ) -> Iterator[Problem | None]:
        """The problem of each result, or None."""
        at, some = f"topic {shown(topic)}", self.numbers is not None and _any(self.numbers)
        columns = zip(self.documents, self.values(places, kind), places, strict=True)
        for order, (doc, value, place) in enumerate(columns, 1):
            if identifier(doc) is None:
                yield Problem(MISSING, line, _text(doc), f"{at}, result {order}: {_no_id(doc, kind)}")
            elif value is None and some:
                message = (
                    f"{at}, result {order}: the {VALUE[kind]} is missing, and others of the topic have one"
                )
                yield Problem(MISSING, line, _text(doc), message)
            elif self.numbers is None and value is None:
                text = _text(self.ranks[order - 1] if self.ranks else place)
                message = f"{at}, result {order}: {sentence(codes.BAD_RANK, text, kind)}"
                yield Problem(codes.BAD_RANK, line, text, message)
            elif number_or_text(value) is None:
                message = (
                    f"{at}, document {shown(doc)}: the {VALUE[kind]} is not a number: "
                    f"{quote(brief(value))} ({type(value).__name__}); {NUMBER[kind]}"
                )
                yield Problem(BAD_VALUE[kind], line, _text(value), message)
            else:
                yield None


def results_of(held: Any, kind: str, judged: Callable[[], Container[str]] = tuple) -> Results:
    """The results of a topic; `judged` looks its judgments up."""
    if _has_text_index(held):
        held = held.to_dict()
    if isinstance(held, Mapping):
        records = isinstance(next(iter(held.values()), None), Mapping) and _has_records(held, kind)
        fields = [_fields(each, kind)[1] for each in held.values()] if records else held.values()
        return Results(held, fields, order="score" if held else "")
    items = _items(held, kind)
    types = set(map(type, items))
    whole_numbers = all(issubclass(each, (int, np.integer)) for each in types)
    if kind == "run" and items and whole_numbers and items[-1] == FILL and str(FILL) not in judged():
        while items and items[-1] == FILL:
            items.pop()
    if whole_numbers or types <= IDS:
        return Results(items, None, order="listed" if items else "")
    columns = _of_pairs(items) if types <= PAIRS else _of_dicts(items, kind) if types == {dict} else None
    parts = columns or zip(*(part_of(item, kind) for item in items), strict=True)
    documents, numbers, ranks, distances = parts
    ordered = ranks if _any(ranks) else None
    order = getattr(held, "order", "")  # of hits: see `shapes`
    if _any(distances) and not _any(numbers):
        return Results(documents, distances, ordered, order if order in BY_BEST else "nearest")
    # LangChain's (Document, score), which come from a search
    searched = types <= PAIRS and columns is not None and bool(field_names(items[0][0]))
    if not _any(numbers):
        return Results(documents, None, ordered, "listed")
    return Results(documents, numbers, ordered, "search" if searched else order or "score")


def one_order(orders: Iterable[str]) -> str:
    """The order of the numbers of a run."""
    found = {*orders} - {""}
    if "nearest" in found and len(found) > 1:
        raise InputError("some topics have distances and others do not; pass a run whose topics are alike")
    return next((order for order in ORDERS if order in found), "")


# A column at a time is several times as fast as a result at a time, where all results are alike.
def _of_pairs(items: list[Any]) -> Part | None:
    if set(map(len, items)) != {2}:
        return None
    documents, numbers = zip(*items, strict=True)
    if not {*map(type, documents)} <= IDS:
        documents = tuple(part_of(document, "run")[0] for document in documents)
    return documents, numbers, (), ()


def _of_dicts(items: list[Any], kind: str) -> Part | None:
    first, *others = set(map(tuple, items))
    if others or not all(isinstance(name, str) for name in first):
        return None
    doc, *found = names_of(first, kind)
    if doc is None or any(name in first for name in INSIDE):
        return None
    documents = [item if item[doc] is None else item[doc] for item in items]
    numbers, ranks, distances = ([item[name] for item in items] if name else () for name in found)
    return documents, numbers, ranks, distances


def _has_text_index(held: Any) -> bool:
    """Whether this is a series of pandas with documents as its index."""
    is_series = hasattr(held, "to_dict") and hasattr(held, "index") and not hasattr(held, "columns")
    return is_series and len(held) > 0 and all(isinstance(key, (str, bytes)) for key in held.index)


def _no_id(doc: Any, kind: str) -> str:
    if is_scalar(doc):
        return (
            f"the id of a document is {quote(brief(doc))} ({type(doc).__name__}); use text or a whole number"
        )
    named = setting("columns", "doc=NAME", kind=kind, python='{"doc": NAME}')
    return (
        f"no id of a document in {quote(brief(doc), 60)}; a result is a document, a pair of document and "
        f"{VALUE[kind]}, or has names such as {', '.join(NAMES['doc'].split()[:3])}; "
        f"{named} names another"
    )


def _items(held: Any, kind: str) -> list[Any]:
    if isinstance(held, Set) and kind == "run" and not isinstance(held, type({}.keys())):
        raise InputError(f"has a set, which has no order; a run in a dict must be {SHAPES[kind]}")
    if is_scalar(held):
        example = f"; one document is [{quote(held, 40)}]" if isinstance(held, (str, bytes)) else ""
        raise InputError(
            f"has {described(held)}; {HOLDS[kind]} in a dict must be {SHAPES[kind]} for every topic{example}"
        )
    return held.tolist() if hasattr(held, "tolist") else list(held)


def part_of(item: Any, kind: str) -> Part:
    """The document, number, rank and distance of a result."""
    if isinstance(item, (str, bytes, float, int)):
        return item, None, None, None
    if type(item) in (tuple, list):
        pair = len(item) == 2
        return part_of(item[0], kind)[0] if pair else item, item[1] if pair else None, None, None
    doc, value, rank, distance = _fields(item, kind)
    for name in INSIDE:
        held = item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)
        of_weaviate = name == "_additional" or not isinstance(held, Mapping)
        held = getattr(held, "__dict__", held)
        found = _fields(held, kind) if isinstance(held, Mapping) else (None,) * 4
        doc = found[0] if doc is None else doc
        if doc is None and name == "metadata" and isinstance(held, Mapping):
            doc = held.get("source")  # as loaders of LangChain set it
        if kind == "run" and of_weaviate and value is distance is None:
            _, value, _, distance = found
    return item if doc is None else doc, value, rank, distance


def _fields(item: Any, kind: str) -> Part:
    names = names_of(tuple(field_names(item)), kind)
    doc, value, rank, distance = (None if name is None else getter(item, name)(item) for name in names)
    return doc, value, rank, distance


@lru_cache(maxsize=256)  # the records of a list have the same names, mostly
def names_of(names: tuple[str, ...], kind: str) -> tuple[str | None, ...]:
    """The names of document, value, rank and distance."""
    rank, distance = (guess(names, role) if kind == "run" else None for role in ("rank", "distance"))
    return guess(names, "doc"), guess(names, VALUE[kind]), rank, distance


def _any(values: Collection[Any]) -> bool:
    return any(value is not None for value in values)


def _text(value: Any) -> bytes:
    return brief(value).encode("utf-8", "replace")


def shown(value: object) -> str:
    """An id of any type in quotes, for messages."""
    return quote(value if isinstance(value, (str, bytes)) else brief(value))
