"""Frames of any kind: whatever speaks Arrow (polars, pandas, pyarrow, DuckDB, …), or has columns by name."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.core import codes
from rankgauge.core.ids import Ids
from rankgauge.errors import InputError
from rankgauge.formats import problems
from rankgauge.formats.arrow_c_data import Column, Frame
from rankgauge.formats.columns import Columns, Floats, Ints, by_rank, choose, joined_ids
from rankgauge.formats.row_reader import identifier, number, whole


def read(frame: Any, kind: str, columns: Mapping[str, str] | None = None) -> Columns:
    """The columns of a frame."""
    opened = _opened(frame)
    chosen = choose(opened.names, kind, columns)
    taken = {role: opened.column(name) for role, name in chosen.items()}
    found = Columns(
        kind=kind,
        topic=_ids(taken["topic"], chosen["topic"]),
        doc=_ids(taken["doc"], chosen["doc"]),
        value=_numbers(taken["value"], chosen["value"]),
        rank=_ranks(taken["rank"]) if "rank" in taken else None,
        label=_ids(taken["label"], chosen["label"]) if "label" in taken else None,
    )
    if chosen["value"] != chosen.get("rank"):
        return found
    if not found.ranks_known() and found.rank is not None:
        row = int(np.argmax(found.rank == codes.NO_RANK))
        raise found.error(problems.sentence(codes.BAD_RANK, str(found.value[row]).encode(), kind), row)
    return by_rank(found)


def ids(frame: Any, name: str) -> Ids:
    """One column of a frame, as ids."""
    return _ids(_opened(frame).column(name), name)


def _opened(frame: Any) -> Frame | _Named:
    if hasattr(frame, "__arrow_c_stream__"):
        try:
            return Frame(frame)
        except InputError:
            raise
        except Exception:
            # pandas cannot hand over without pyarrow, nor with a column of mixed types that we may not even
            # need. Reading the columns by name will either do or say what is the matter.
            if not hasattr(frame, "columns"):
                raise
    if isinstance(frame, Mapping) or hasattr(frame, "columns"):
        return _Named(frame)
    raise InputError(
        f"a {type(frame).__name__} is no frame; polars, pandas and pyarrow frames are read, "
        "anything else that has __arrow_c_stream__, and dicts of columns"
    )


class _Named:
    """An object whose columns are had by name: a dict of lists or arrays, a frame that cannot speak Arrow."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self._keys = {str(key): key for key in (frame if isinstance(frame, Mapping) else frame.columns)}
        self.names = list(self._keys)
        sizes = {name: len(frame[key]) for name, key in self._keys.items()}
        if len(set(sizes.values())) > 1:
            found = ", ".join(f"{problems.quote(name, 30)} {size}" for name, size in sizes.items())
            raise InputError(f"the columns differ in length ({found}); all must have the same")

    def column(self, name: str) -> list[Column]:
        """The column of this name, in one piece."""
        column = self._frame[self._keys[name]]
        if isinstance(column, (list, tuple)) and set(map(type, column)) not in ({int}, {float}):
            array = np.empty(len(column), dtype=object)  # or NumPy would write 1.5 beside "a" as text
            array[:] = column
        else:
            array = np.asarray(column)
        if array.ndim != 1:
            raise InputError(f"the column {name!r} has {array.ndim} dimensions; one is allowed")
        return [array]


def _ids(pieces: list[Column], name: str) -> Ids:
    return joined_ids([_piece_of_ids(piece, name) for piece in pieces] or [Ids.of([])])


def _piece_of_ids(piece: Column, name: str) -> Ids:
    if isinstance(piece, Ids):
        return piece
    if piece.dtype.kind in "iu":
        return decimals(piece)
    values = piece.tolist()
    with suppress(AttributeError, TypeError, UnicodeEncodeError):  # unless all are bytes or good text
        return Ids.of(values)
    ids = [identifier(value) for value in values]
    if None in ids:
        raise _unfit(values, ids.index(None), name, "ids are str, bytes or int")
    return Ids.of([i for i in ids if i is not None])


def _numbers(pieces: list[Column], name: str) -> Floats:
    floats = [_piece_of_numbers(piece, name) for piece in pieces]
    return floats[0] if len(floats) == 1 else np.concatenate([*floats, np.empty(0)])


def _piece_of_numbers(piece: Column, name: str) -> Floats:
    if isinstance(piece, Ids):
        raise InputError(f"the column {name!r} holds text; cast it to integers or floats")
    if piece.dtype.kind in "iuf":
        return piece.astype(np.float64, copy=False)
    values = piece.tolist()
    numbers = [number(value) for value in values]
    if None in numbers:
        raise _unfit(values, numbers.index(None), name, "numbers are int or float")
    return np.array(numbers, dtype=np.float64)


def _unfit(values: list[Any], row: int, name: str, allowed: str) -> InputError:
    found = f"{problems.quote(repr(values[row]))} ({type(values[row]).__name__})"
    return InputError(f"row {row} (counted from 0): the column {name!r} has {found}; {allowed}")


def _ranks(pieces: list[Column]) -> Ints:
    """Ranks as integers, NO_RANK for what is none."""
    ranks = []
    for piece in pieces:
        if isinstance(piece, Ids):
            ranks.append(np.full(len(piece), codes.NO_RANK, dtype=np.int64))
        elif piece.dtype.kind in "iu":
            ranks.append(piece.astype(np.int64))
        else:
            ranks.append(np.array([whole(number(value)) for value in piece.tolist()], dtype=np.int64))
    return np.concatenate(ranks) if ranks else np.empty(0, dtype=np.int64)


@functools.cache  # a frame may come in thousands of pieces
def _four_digits() -> npt.NDArray[np.uint32]:
    """The digits of the numbers below 10,000, zeros in front."""
    return np.array([b"%04d" % i for i in range(10_000)]).view(np.uint32)


def decimals(numbers: npt.NDArray[Any]) -> Ids:
    """Integers as ids: their decimal text."""
    if numbers.min(initial=0) < 0:
        return Ids.of(b"%d" % number for number in numbers.tolist())
    largest = int(numbers.max(initial=0))
    left = numbers.astype(np.uint32 if largest < 1 << 32 else np.uint64)
    powers = 10 ** np.arange(1, len(str(largest)), dtype=left.dtype)
    size = np.searchsorted(powers, left, side="right") + 1
    # Four digits at a time, from a table; then the zeros in front are left out.
    table = _four_digits()
    fours = np.empty((len(left), (len(powers) + 4) // 4), dtype=np.uint32)
    for place in reversed(range(fours.shape[1])):
        left, rest = np.divmod(left, left.dtype.type(10_000))
        fours[:, place] = table[rest]
    digits = fours.view(np.uint8)
    shown = digits[np.arange(digits.shape[1], 0, -1) <= size[:, None]]
    return Ids(shown.tobytes(), np.append(0, np.cumsum(size)))
