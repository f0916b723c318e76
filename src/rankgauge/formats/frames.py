"""Frames of any library that exports Arrow (polars, pandas, pyarrow, DuckDB, …), and dicts of columns."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.core import codes
from rankgauge.core.ids import Ids
from rankgauge.errors import InputError, RankgaugeError
from rankgauge.formats import problems
from rankgauge.formats.arrow_columns import ArrowTable, Column, Piece, pyarrow, refuse_nulls
from rankgauge.formats.columns import Columns, Floats, Ints, choose, in_order_of, joined_ids, order_of
from rankgauge.formats.row_reader import Unfit, ids_of, number, numbers_of, whole
from rankgauge.schema.text import described


def read(frame: Any, kind: str, columns: Mapping[str, str] | None = None, first: int = 0) -> Columns:
    """The columns of a frame; `first` is the number of its first row, if it is part of a larger one."""
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
    has = ("__arrow_c_stream__", "collect_schema", "columns")
    return any(hasattr(value, name) for name in has) or _is_structured(value)


def _is_structured(value: Any) -> bool:
    """Whether this is a structured array of NumPy."""
    return isinstance(value, np.ndarray) and value.dtype.names is not None


def _open(frame: Any, first: int = 0) -> ArrowTable | _Named:
    if hasattr(frame, "__arrow_c_stream__"):
        try:
            return ArrowTable(frame, first)
        except Exception as error:
            # pandas cannot export a column of mixed types, even if that column is not needed, and pyarrow may
            # not be installed. Reading the columns by name either works or raises a better error.
            if not hasattr(frame, "columns"):
                raise _not_exported(frame, error) from error
    require_result(frame)
    if _is_structured(frame):
        frame = {name: frame[name] for name in frame.dtype.names}
    if isinstance(frame, Mapping) or hasattr(frame, "columns"):
        return _Named(frame, first)
    raise InputError(
        f"a {type(frame).__name__} is not a frame; use a frame of polars, pandas or pyarrow, "
        "an object with __arrow_c_stream__, or a dict of columns"
    )


def require_result(frame: Any) -> None:
    """Refuse a frame that is a query, such as a LazyFrame of polars."""
    if hasattr(frame, "collect_schema") and hasattr(frame, "collect"):  # of polars, or modelled on it
        raise InputError(
            f"a {type(frame).__name__} is a query that has not run yet; pass its result: frame.collect()"
        )


def _not_exported(frame: Any, error: Exception) -> RankgaugeError:
    """The error for an object that exports no table: a single column, rows that are null, or a failure."""
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
    """An object with columns by name: a dict of lists or arrays, or a frame that cannot export Arrow."""

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
    value = f"{problems.quote(repr(values[row]))} ({type(values[row]).__name__})"
    return InputError(f"row {first + row} (counted from 0): the column {name!r} has {value}; {allowed}")


def _ranks(pieces: list[Piece]) -> Ints:
    """Ranks as integers; NO_RANK for values that are not whole numbers, or too large to be exact."""
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
    """The decimal digits of the numbers below 10,000, padded with zeros."""
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
