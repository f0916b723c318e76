"""Segments of topics: groups that share the value of an attribute, such as intent=navigational.

Numbers of more than QUANTILES different values are cut at quartiles, and topics without a value are a segment
of their own.
"""

from __future__ import annotations

import math
import os
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from rankgauge.errors import InputError, OptionError
from rankgauge.formats.frames import is_frame
from rankgauge.formats.problems import quote
from rankgauge.formats.row_reader import identifier
from rankgauge.formats.texts import roles
from rankgauge.model.output.tables import Position, Table
from rankgauge.model.score_tables import ABSENT, TableColumns, cell_text
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.text import counted, described, format_number, printable, repeated, unknown_name

QUANTILES = 4
MAX_SEGMENTS = 100  # of an attribute
DIGITS = 4  # of the ends of a range, if they tell them apart
NO_VALUE = "(no value)"
UNNAMED = "segment"  # the attribute of {topic: value}
EXPECTED = "a file FILE[:COLUMN], a frame with a column of topics, {topic: value} or {topic: {column: value}}"
Values = dict[str, Any]  # {topic: value of an attribute}, where there is one


class Segment(Frozen):
    """The topics with one value of an attribute."""

    attribute: str
    value: str  # of the attribute, or a range of numbers such as 3..5
    topics: tuple[str, ...]

    @property
    def name(self) -> str:
        """The attribute and its value, such as intent=navigational."""
        return f"{self.attribute}={self.value}"


class Segments(Frozen):
    """Segments of topics by attributes; each attribute has every topic once."""

    parts: tuple[Segment, ...]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, by: Any, topics: Iterable[str]) -> Segments:
        """The segments of topics by a file, a frame, a dict, or several of them; segments as they are.

        A file is FILE or FILE:COLUMN, in CSV, TSV, JSON lines or Parquet; a comma separates several columns.

        >>> [part.name for part in Segments.of({"1": "short", "2": "long", "3": "long"}, "123").parts]
        ['segment=long', 'segment=short']
        """
        if isinstance(by, cls):
            return by
        known, parts, notes = tuple(topics), list[Segment](), list[str]()
        if not known:
            raise OptionError("by is for topics, and means alone have none; leave it out")
        for each in _tables(by):
            for attribute, values in _attributes(each, frozenset(known)).items():
                if any(part.attribute == attribute for part in parts):
                    raise OptionError(f"two attributes are named {attribute!r}; rename one, or leave it out")
                found = [*_segments(attribute, values, known)]
                if found[-1].value == NO_VALUE:
                    count, name = len(found[-1].topics), found[-1].name
                    notes.append(f"{name} has {counted(count, 'topic')} without a value of {attribute}")
                parts += found
        if not parts:
            raise OptionError(f"by has no attributes of topics; expected {EXPECTED}")
        if broken := [part.name for part in parts if identifier(part.name) is None]:
            raise OptionError(f"the segment {broken[0]!r} is no valid Unicode text; rename it")
        if twice := repeated([part.name for part in parts]):
            raise OptionError(f"two segments are named {twice[0]!r}; rename an attribute")
        return cls(tuple(parts), tuple(notes))

    def places(self) -> dict[str, dict[str, int]]:
        """{attribute: {topic: the place of its segment}}."""
        found: dict[str, dict[str, int]] = {}
        for place, part in enumerate(self.parts):
            found.setdefault(part.attribute, {}).update(dict.fromkeys(part.topics, place))
        return found

    def find(self, name: str) -> Segment:
        """The segment of a name such as intent=navigational."""
        for part in self.parts:
            if name in (part.name, printable(part.name)):
                return part
        raise OptionError(unknown_name("segment", name, [part.name for part in self.parts]))


def stacked(tables: Mapping[str, Table], topics: Mapping[str, int]) -> Table:
    """The tables of segments below one another."""
    rows: list[Sequence[Any]] = []
    best: set[Position] = set()
    second: set[Position] = set()
    for name, table in tables.items():
        for marked, found in ((best, table.best), (second, table.second)):
            marked |= {(row + len(rows), column + 2) for row, column in found}
        rows += [(name, topics[name], *row) for row in table.rows]
    first = next(iter(tables.values()))
    notes = max((table.note for table in tables.values()), key=len)  # some have intervals that are undefined
    return first._replace(
        headers=("segment", "topics", *first.headers),
        rows=rows,
        best=best,
        second=second,
        note=notes,
        keys=first.keys + 2,
        across="",
    )


def _tables(by: Any) -> Sequence[Any]:
    if not isinstance(by, (list, tuple)):
        return [by]
    if not by or not all(_is_flat(each) and roles(tuple(each))[0] for each in by):
        return by
    names = dict.fromkeys(name for each in by for name in each)
    return [{name: [each.get(name) for each in by] for name in names}]


def _is_flat(by: Any) -> bool:
    return isinstance(by, Mapping) and not any(isinstance(v, (list, tuple, Mapping)) for v in by.values())


def _attributes(by: Any, topics: frozenset[str]) -> dict[str, Values]:
    chosen: Sequence[str] = ()
    if hasattr(by, "to_frame") and hasattr(by, "index"):  # a series of pandas; its index has the topics
        by = by.to_frame(UNNAMED if by.name is None else by.name)
    if _is_flat(by):
        by = {topic: {UNNAMED: value} for topic, value in by.items()}
    if isinstance(by, Mapping) and all(isinstance(each, Mapping) for each in by.values()):
        names = dict.fromkeys(name for row in by.values() for name in row)
        rows = {cell_text(topic): row for topic, row in by.items()}
        table = TableColumns({str(n): [row.get(n) for row in rows.values()] for n in names}, "dict")
        ids = [*rows]
    else:
        if isinstance(by, (str, os.PathLike)):
            by, chosen = _path_and_columns(os.fspath(by))
        try:
            table = TableColumns.of(by)
        except InputError as error:
            if error.path is not None or is_frame(by):
                raise
            raise InputError(f"{described(by)} has no attributes of topics; expected {EXPECTED}") from None
        topic = roles(tuple(table.columns))[0] or table.role("topic")
        if topic is None:
            shown = ", ".join(map(quote, [*table.columns][:8]))
            among = f" among {shown}" if shown else ""
            raise table.error(f"has no column of topics{among}; call it query_id")
        ids, names = table.texts(topic), {name: None for name in table.columns if name != topic}
    for name in chosen:
        if name not in names:
            raise table.error(unknown_name("column", name, names))
    attributes = {name: _values(table, ids, name, topics) for name in chosen or map(str, names)}
    if not attributes:
        raise table.error(f"has topics and nothing else; expected {EXPECTED}")
    return attributes


def _path_and_columns(text: str) -> tuple[str, list[str]]:
    """The parts of FILE[:COLUMN[,COLUMN]...]."""
    path, colon, columns = text.rpartition(":")
    if not colon or os.path.exists(text):  # noqa: PTH110 (a colon may be part of its name)
        return text, []
    return path, [name.strip() for name in columns.split(",")]


def _values(table: TableColumns, ids: Sequence[str], name: str, topics: frozenset[str]) -> Values:
    values: Values = {}
    for row, (topic, cell) in enumerate(zip(ids, table.columns[name], strict=True)):
        if topic not in topics or _is_absent(cell):
            continue
        if isinstance(cell, Collection) and not isinstance(cell, (str, bytes)):
            problem = f"the {name} of topic {quote(topic)} is {described(cell)}"
            raise table.error(f"{problem}; expected one text or number", row)
        if values.setdefault(topic, cell) != cell:
            problem = f"topic {quote(topic)} has two values of {name}, {values[topic]!r} and {cell!r}"
            raise table.error(f"{problem}; keep one", row)
    if not values:
        raise table.error(f"no topic evaluated, such as {quote(min(topics))}, has a value of {name} here")
    return values


def _is_absent(cell: Any) -> bool:
    if isinstance(cell, str):
        return cell.strip().casefold() in (*ABSENT, "nan", NO_VALUE)
    return str(cell) in ("None", "nan", "NaT", "<NA>")  # of Python, NumPy and pandas


def _segments(attribute: str, values: Values, topics: Iterable[str]) -> Iterator[Segment]:
    names = _names(values)
    order = [*dict.fromkeys(name for _, name in sorted(names.values()))]
    if len(order) > MAX_SEGMENTS:
        raise OptionError(
            f"{attribute} has {len(order)} different values, and at most {MAX_SEGMENTS} make segments; name "
            "another column, as in FILE:COLUMN, or group the values"
        )
    members: dict[str, list[str]] = {name: [] for name in order}
    for topic in topics:
        members.setdefault(names[topic][1] if topic in names else NO_VALUE, []).append(topic)
    yield from (Segment(attribute, value, tuple(each)) for value, each in members.items())


def _names(values: Values) -> dict[str, tuple[Any, str]]:
    """{topic: (key in the order of segments, name of its value)}."""
    try:
        numbers = {topic: _number(value) for topic, value in values.items()}
    except (TypeError, ValueError, OverflowError):
        texts = {topic: _text(value) for topic, value in values.items()}
        return {topic: (text, text) for topic, text in texts.items()}
    distinct = {*numbers.values()}
    if len(distinct) <= QUANTILES:
        return {topic: (number, format_number(number)) for topic, number in numbers.items()}
    from statistics import quantiles

    cuts = quantiles(numbers.values(), n=QUANTILES, method="inclusive")
    place = {number: bisect_left(cuts, number) for number in distinct}
    ranges: dict[int, list[float]] = {}
    for number in sorted(distinct):
        ranges.setdefault(place[number], []).append(number)
    short = _short_numbers({end for each in ranges.values() for end in (each[0], each[-1])})
    texts_of = {
        at: "..".join(dict.fromkeys((short[each[0]], short[each[-1]]))) for at, each in ranges.items()
    }
    return {topic: (place[number], texts_of[place[number]]) for topic, number in numbers.items()}


def _short_numbers(numbers: Collection[float]) -> dict[float, str]:
    """{number: its text}, with the fewest digits that tell them apart."""
    found: dict[float, str] = {}
    for digits in range(DIGITS, 18):
        found = {
            each: format_number(each if each.is_integer() else float(f"{each:.{digits}g}"))
            for each in numbers
        }
        if len({*found.values()}) == len(numbers):
            break
    return found


def _is_truth_value(value: Any) -> bool:
    return type(value).__name__ in ("bool", "bool_")  # also of NumPy


def _number(value: Any) -> float:
    if _is_truth_value(value) or not math.isfinite(number := float(value)):
        raise ValueError
    return number


def _text(value: Any) -> str:
    return str(value).lower() if _is_truth_value(value) else printable(" ".join(cell_text(value).split()))
