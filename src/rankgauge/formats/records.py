"""Records, one per row: named tuples, dataclasses, dicts, other objects with fields, and plain tuples.

ir_measures and ir_datasets have runs and judgments as iterables of named tuples. An iterable is read once, a
chunk at a time; of each record only the fields that are needed are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, islice
from operator import attrgetter, itemgetter
from typing import Any

from rankgauge.errors import InputError
from rankgauge.formats import frames
from rankgauge.formats.columns import NAMES, ROLES, WRITTEN, Columns, choose, concatenated, guess
from rankgauge.formats.problems import HOLDS, LAYOUT, VALUE, looks_like, quote
from rankgauge.formats.row_reader import identifier, is_scalar, number

# Plain rows by their length: three columns, and lines of TREC's judgments and runs.
LAYOUTS = {
    3: ("topic", "doc", "value"),
    4: ("topic", "label", "doc", "value"),
    6: ("topic", "", "doc", "rank", "value", "label"),
}
CHUNK = 1 << 16
PLAIN = {tuple, list}
Getter = Callable[[Any], Any]


def field_names(record: Any) -> list[str]:
    """The names of a record's fields; none if it is not a record."""
    if isinstance(record, Mapping):
        return [name for name in record if isinstance(name, str)]
    if isinstance(record, (str, bytes, type)):
        return []
    if isinstance(record, tuple):
        declared = getattr(record, "_fields", ()) or getattr(
            record, "__fields__", ()
        )  # the latter: PySpark's
        return list(map(str, declared))
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
    """Whether this is one row: a record, or a plain one as in `LAYOUTS`, with an id that is text."""
    if isinstance(value, (tuple, list)) and not field_names(value):
        parts = dict(zip(LAYOUTS.get(len(value), ()), value, strict=False))
        ids = [parts.get("topic"), parts.get("doc")]
        return (
            all(map(is_scalar, value))
            and any(isinstance(id, (str, bytes)) for id in ids)
            and all(identifier(id) is not None for id in ids)
            and number(parts["value"]) is not None
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
    """The columns of records, or of plain tuples and lists as in `LAYOUTS`."""
    iterator = iter(rows)
    first: Any = next(iterator, iterator)
    if first is iterator:
        again = ", or was read before" if iterator is rows else ""
        raise InputError(
            f"the {type(rows).__name__} is empty{again}; {HOLDS[kind]} must have at least one row"
        )
    if not is_row(first):
        raise not_rows(first, kind)
    names = field_names(first) or [WRITTEN[kind].get(part, "") for part in LAYOUTS[len(first)]]
    if not field_names(first) and len(names) not in (3, len(LAYOUT[kind].split())):
        raise InputError(looks_like(next(each for each in HOLDS if each != kind)))
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
        change = (
            f"for such rows, pass ids as text and the {value} as a number; for a list of documents per "
            "topic, dict(zip(topics, lists))"
        )
    else:
        problem = f"the first item is {shown} ({type(first).__name__}), which has no fields"
        change = f"pass records with fields such as query_id, doc_id and {WRITTEN[kind]['value']}"
    return InputError(f"{problem}; {change}")


class _Reader:
    """Takes the wanted fields from chunks of records, which are usually all of one type."""

    def __init__(self, first: Any, names: Sequence[str], wanted: Sequence[str]) -> None:
        self._first, self._wanted, self._size = type(first), wanted, len(names)
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
        if types & PLAIN and any(len(record) != self._size for record in chunk if type(record) in PLAIN):
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
            if plain and len(record) == self._size and self._first in PLAIN:
                continue
            names = field_names(record)
            missing = [name for name in self._wanted if name not in names and not hasattr(record, name)]
            if plain or not names:
                shown = f"{quote(repr(record), 60)} ({type(record).__name__})"
                if self._first in PLAIN:
                    layout = "(topic, document, number)" if self._size == 3 else f"of {self._size} values"
                    return InputError(f"{place} is {shown}; every row must be {layout}")
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
