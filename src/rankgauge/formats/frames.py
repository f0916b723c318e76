"""Rows with named columns: frames of any library that exports Arrow, dicts of columns, and records.

An iterable of records is read once, a chunk at a time; only the needed fields are kept.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from itertools import chain, islice
from operator import attrgetter, itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.core import codes
from rankgauge.core.ids import Ids
from rankgauge.errors import InputError, RankgaugeError
from rankgauge.formats import problems
from rankgauge.formats.arrow_columns import ArrowTable, Column, Piece, pyarrow, refuse_nulls
from rankgauge.formats.columns import (
    NAMES,
    ROLES,
    WRITTEN,
    Columns,
    Floats,
    Ints,
    choose,
    concatenated,
    guess,
    in_order_of,
    joined_ids,
    order_of,
)
from rankgauge.formats.problems import HOLDS, LAYOUT, VALUE, looks_like, quote
from rankgauge.formats.row_reader import Unfit, identifier, ids_of, is_scalar, number, numbers_of, whole
from rankgauge.schema.text import brief, described


def read(frame: Any, kind: str, columns: Mapping[str, str] | None = None, first: int = 0) -> Columns:
    """The columns of a frame; `first` is the number of its first row."""
    opened = _open(frame, first)
    chosen = choose(opened.names, kind, columns)
    pieces = {role: opened.column(name) for role, name in chosen.items()}
    rows = Columns(
        kind=kind,
        topic=_ids(pieces["topic"], chosen["topic"]),
        doc=_ids(pieces["doc"], chosen["doc"]),
        value=_numbers(pieces["value"], chosen["value"]),
        rank=_ranks(pieces["rank"]) if "rank" in pieces else None,
        label=_ids(pieces["label"], chosen["label"]) if "label" in pieces else None,
        first=first,
    )
    order = order_of(chosen, kind)
    if order == "rank" and not rows.ranks_known() and rows.rank is not None:
        row = int(np.argmax(rows.rank == codes.NO_RANK))
        raise rows.error(problems.sentence(codes.BAD_RANK, b"%.17g" % rows.value[row], kind), row)
    return in_order_of(rows, order)


def ids(frame: Any, name: str) -> Ids:
    """One column of a frame, as ids."""
    return _ids(_open(frame).column(name), name)


def is_frame(value: Any) -> bool:
    """Whether this is an object with columns that have names."""
    if isinstance(value, Mapping):
        return False
    has = ("__arrow_c_stream__", "collect_schema", "columns", "scanner", "projected_schema")
    return any(hasattr(value, name) for name in has) or _is_structured(value)


def _is_structured(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.names is not None


def _open(frame: Any, first: int = 0) -> ArrowTable | _Named:
    frame = result_of(frame)
    if hasattr(frame, "__arrow_c_stream__"):
        try:
            return ArrowTable(frame, first)
        except Exception as error:
            # pandas cannot export a column of mixed types, even if that column is not needed, and pyarrow may
            # not be installed. Reading the columns by name either works or raises a better error.
            if not hasattr(frame, "columns"):
                raise _not_exported(frame, error) from error
    if _is_structured(frame):
        frame = {name: frame[name] for name in frame.dtype.names}
    if isinstance(frame, Mapping) or hasattr(frame, "columns"):
        return _Named(frame, first)
    raise InputError(
        f"a {type(frame).__name__} is not a frame; use a frame of polars, pandas or pyarrow, "
        "an object with __arrow_c_stream__, or a dict of columns"
    )


def names_of(frame: Any) -> Any:
    """The names of its columns, perhaps of a query that has not run yet."""
    if hasattr(frame, "collect_schema"):
        return frame.collect_schema().names()
    schema = getattr(frame, "projected_schema", None) or getattr(frame, "schema", None)
    names = getattr(frame, "column_names", None) or getattr(schema, "names", None)
    return getattr(frame, "columns", ()) if names is None or callable(names) else names


def result_of(frame: Any) -> Any:
    """The result of a query that has not run yet: polars' LazyFrame, or a dataset or scanner of pyarrow."""
    if hasattr(frame, "collect_schema") and hasattr(frame, "collect"):
        return frame.collect()
    if callable(getattr(frame, "scanner", None)):  # a frame of pandas has its columns as attributes
        frame = frame.scanner()
    return frame.to_reader() if hasattr(frame, "projected_schema") else frame


def _not_exported(frame: Any, error: Exception) -> RankgaugeError:
    """The error for an object that exports no table."""
    if isinstance(error, RankgaugeError):
        return error
    with suppress(Exception):
        column = pyarrow().chunked_array(frame)
        if not column.type.num_fields:
            return InputError(
                f"a {type(frame).__name__} of {column.type} is a single column; pass a frame with columns "
                "for topic and document"
            )
        if column.null_count:
            row = column.is_null().index(True)
            return InputError(f"row {row} (counted from 0) of the frame is null; fill it or remove the row")
    reason = problems.quote(f"{type(error).__name__}: {error}", 300)
    return InputError(
        f"the frame could not export its columns: {reason}; pass a frame with columns for topic and "
        "document, such as a pyarrow table"
    )


class _Named:
    """A dict of columns, or a frame that cannot export Arrow."""

    def __init__(self, frame: Any, first: int) -> None:
        self._frame, self._first = frame, first
        try:
            keys = list(frame if isinstance(frame, Mapping) else frame.columns)
            self.names = [str(key) for key in keys]
            self._keys = dict(zip(self.names, keys, strict=True))
            sizes = {name: len(frame[key]) for name, key in self._keys.items()}
        except TypeError as error:  # such as a Styler of pandas, or arrays without a dimension
            raise InputError(
                f"{described(frame)} has no columns with a length ({error}); pass a frame, or a dict of "
                "lists or arrays of one dimension"
            ) from None
        if len(set(sizes.values())) > 1:
            lengths = ", ".join(f"{problems.quote(name, 30)} {size}" for name, size in sizes.items())
            raise InputError(f"the columns differ in length ({lengths}); all must have the same length")

    def column(self, name: str) -> list[Piece]:
        """The column of this name, in one piece."""
        column = self._frame[self._keys[name]]
        if isinstance(column, np.ma.MaskedArray):
            refuse_nulls(np.ma.getmaskarray(column), name, self._first, "masked")
            column = column.data
        elif hasattr(column, "to_numpy"):  # of polars, pandas or pyarrow
            missing = column.is_null() if hasattr(column, "is_null") else column.isna()
            refuse_nulls(np.asarray(missing), name, self._first)
            # NumPy would copy texts of polars to a fixed width; pyarrow copies for NumPy alone.
            column = np.asarray(column) if hasattr(column, "to_pylist") else column.to_numpy()
        if isinstance(column, (list, tuple)) and set(map(type, column)) not in ({int}, {float}):
            array = np.empty(len(column), dtype=object)  # or NumPy would turn 1.5 beside "a" into text
            array[:] = column
        else:
            array = np.asarray(column)
        if array.ndim != 1:
            raise InputError(f"the column {name!r} has {array.ndim} dimensions; one is allowed")
        return [(self._first, np.require(array, requirements=["C", "A"]))]


def _ids(pieces: list[Piece], name: str) -> Ids:
    return joined_ids([_piece_of_ids(piece, name, row) for row, piece in pieces] or [Ids.of([])])


def _piece_of_ids(piece: Column, name: str, first: int) -> Ids:
    if isinstance(piece, Ids):
        return piece
    if piece.dtype.kind in "iu":
        return decimals(piece)
    values = piece.tolist()
    try:
        return ids_of(values)
    except Unfit as error:
        raise _unfit(values, error.place, name, first, "use str, bytes or int") from None


def _numbers(pieces: list[Piece], name: str) -> Floats:
    floats = [_piece_of_numbers(piece, name, row) for row, piece in pieces]
    return floats[0] if len(floats) == 1 else np.concatenate([*floats, np.empty(0)])


def _piece_of_numbers(piece: Column, name: str, first: int) -> Floats:
    if isinstance(piece, Ids):
        raise InputError(f"the column {name!r} holds text; cast it to integers or floats")
    if piece.dtype.kind in "biuf":
        return piece.astype(np.float64, copy=False)
    values = piece.tolist()
    try:
        return numbers_of(values)
    except Unfit as error:
        allowed = "it is too large" if isinstance(values[error.place], int) else "use int or float"
        raise _unfit(values, error.place, name, first, allowed) from None


def _unfit(values: list[Any], row: int, name: str, first: int, allowed: str) -> InputError:
    value = f"{problems.quote(brief(values[row]))} ({type(values[row]).__name__})"
    return InputError(f"row {first + row} (counted from 0): the column {name!r} has {value}; {allowed}")


def _ranks(pieces: list[Piece]) -> Ints:
    """Ranks as integers; NO_RANK for what is none or not exact."""
    ranks = []
    for _, piece in pieces:
        if isinstance(piece, Ids):
            ranks.append(np.full(len(piece), codes.NO_RANK, dtype=np.int64))
        elif piece.dtype.kind in "iu":
            exact = piece < codes.LARGE_RANK
            if piece.dtype.kind == "i":
                exact &= piece > -codes.LARGE_RANK
            ranks.append(np.where(exact, piece.astype(np.int64), codes.NO_RANK))
        else:
            ranks.append(np.array([whole(number(value)) for value in piece.tolist()], dtype=np.int64))
    return np.concatenate(ranks) if ranks else np.empty(0, dtype=np.int64)


@functools.cache  # a frame may come in thousands of pieces
def _four_digits() -> npt.NDArray[np.uint32]:
    return np.array([b"%04d" % i for i in range(10_000)]).view(np.uint32)


def decimals(numbers: npt.NDArray[Any]) -> Ids:
    """Integers as ids: their decimal text."""
    if numbers.min(initial=0) < 0:
        return Ids.of(b"%d" % number for number in numbers.tolist())
    largest = int(numbers.max(initial=0))
    left = numbers.astype(np.uint32 if largest < 1 << 32 else np.uint64)
    powers = 10 ** np.arange(1, len(str(largest)), dtype=left.dtype)
    size = np.searchsorted(powers, left, side="right") + 1
    # Four digits at a time, from a table; then the leading zeros are dropped.
    table = _four_digits()
    fours = np.empty((len(left), (len(powers) + 4) // 4), dtype=np.uint32)
    for place in reversed(range(fours.shape[1])):
        left, rest = np.divmod(left, left.dtype.type(10_000))
        fours[:, place] = table[rest]
    digits = fours.view(np.uint8)
    shown = digits[np.arange(digits.shape[1], 0, -1) <= size[:, None]]
    return Ids(shown.tobytes(), np.append(0, np.cumsum(size)))


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
    """The names of a record's fields, or none."""
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
    """A function that takes a field from records of one type."""
    if isinstance(record, tuple) and (names := field_names(record)):
        return itemgetter(names.index(name))
    return (itemgetter if isinstance(record, Mapping) or hasattr(record, "dtype") else attrgetter)(name)


def _known() -> Iterator[str]:
    """The names that fields without a list of them may have."""
    for name in dict.fromkeys(" ".join(NAMES.values()).split()):
        yield from dict.fromkeys((name, name.replace("_", "")))


def is_row(value: Any) -> bool:
    """Whether this is one row: a record, or a plain one as in `LAYOUTS`."""
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
    """Whether a row has a topic of its own."""
    names = field_names(row)
    return not names or guess(names, "topic") is not None


def read_records(rows: Iterable[Any], kind: str, columns: Mapping[str, str] | None = None) -> Columns:
    """The columns of records, or of plain rows as in `LAYOUTS`."""
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
        parts.append(read(table, kind, roles, begin))
        begin += len(chunk)
    return concatenated(parts)


def not_rows(first: Any, kind: str) -> InputError:
    """The error for an iterable of something else."""
    value, shown = VALUE[kind], quote(first if isinstance(first, (str, bytes)) else brief(first), 60)
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
    """Takes fields from chunks of records, which are usually of one type."""

    def __init__(self, first: Any, names: Sequence[str], wanted: Sequence[str]) -> None:
        self._first, self._wanted, self._size = type(first), wanted, len(names)
        self._places = [names.index(name) for name in wanted]
        self._getters: dict[type, list[Getter]] = {}

    def columns(self, chunk: list[Any], begin: int) -> list[list[Any]]:
        """The wanted columns of some records, from number `begin` on."""
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
        if type(record) not in self._getters:
            both_plain = type(record) in PLAIN and self._first in PLAIN
            self._getters[type(record)] = (
                [itemgetter(place) for place in self._places]
                if both_plain
                else [getter(record, name) for name in self._wanted]
            )
        return self._getters[type(record)]

    def _error(self, chunk: list[Any], begin: int) -> InputError:
        for row, record in enumerate(chunk, begin):
            place = f"row {row} (counted from 0)"
            plain = type(record) in PLAIN
            if plain and len(record) == self._size and self._first in PLAIN:
                continue
            names = field_names(record)
            missing = [name for name in self._wanted if name not in names and not hasattr(record, name)]
            if plain or not names:
                shown = f"{quote(brief(record), 60)} ({type(record).__name__})"
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
