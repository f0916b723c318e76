"""Columns of Arrow tables: arrays of numbers, and ids, that share the memory of the table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge import core
from rankgauge.core.ids import Ids
from rankgauge.errors import InputError
from rankgauge.schema.lazy import optional_module

Column = Ids | npt.NDArray[Any]
Piece = tuple[int, Column]  # of a column, with the number of its first row
OFFSETS = {"string": np.int32, "binary": np.int32, "large_string": np.int64, "large_binary": np.int64}
VIEWS = ("string_view", "binary_view")


def pyarrow() -> Any:
    """The pyarrow module."""
    return optional_module("pyarrow", "Arrow or Parquet", "arrow")


class ArrowTable:
    """A pyarrow table, or an object that exports one; `first` is the number of its first row."""

    def __init__(self, frame: Any, first: int = 0) -> None:
        # `pyarrow.table` imports pandas, so it is for the frames of others alone.
        is_own = isinstance(frame, (pyarrow().Table, pyarrow().RecordBatch))
        self._table, self._first = frame if is_own else pyarrow().table(frame), first
        self.names: list[str] = self._table.schema.names

    def column(self, name: str) -> list[Piece]:
        """The column of this name, one piece per chunk: ids for strings, arrays for numbers."""
        pieces: list[Piece] = []
        row = self._first
        column = self._table.column(name)
        for chunk in getattr(column, "chunks", [column]):  # a record batch has arrays
            if chunk.null_count:
                refuse_nulls(_is_null(chunk), name, row)
            pieces.append((row, _values(chunk, name, row)))
            row += len(chunk)
        return pieces


def _is_null(array: Any) -> npt.NDArray[np.bool_]:
    mask: npt.NDArray[np.bool_] = array.is_null().to_numpy(zero_copy_only=False)
    return mask


def refuse_nulls(is_null: npt.NDArray[np.bool_], name: str, row: int, state: str = "null") -> None:
    """Raise an error about the first null of a column, whose first value is in this row."""
    if is_null.any():
        row += int(is_null.argmax())
        raise InputError(f"row {row} (counted from 0): {name!r} is {state}; fill it or remove the row")


def _values(array: Any, name: str, row: int) -> Column:
    """The values of an array, whose first is in this row; those in the place of nulls are arbitrary."""
    kind, types = array.type, pyarrow().types
    if isinstance(kind, pyarrow().BaseExtensionType):
        return _values(array.storage, name, row)
    if types.is_dictionary(kind):
        return _entries(array, name, row)
    if types.is_integer(kind) or types.is_floating(kind):
        return _view(array, 1, kind.to_pandas_dtype())
    if types.is_null(kind):  # no values, or they would have been refused
        return np.empty(0)
    if types.is_boolean(kind) or types.is_decimal(kind):
        converted: npt.NDArray[Any] = array.to_numpy(zero_copy_only=False)
        return converted
    if str(kind) in OFFSETS:
        offsets = _view(array, 1, OFFSETS[str(kind)], more=1)
        data = array.buffers()[2] or b""
        if offsets[0] < 0 or offsets[-1] > len(data) or (offsets[1:] < offsets[:-1]).any():
            raise InputError(f"the column {name!r} has offsets that decrease or lie outside; write it anew")
        return Ids(data, offsets.astype(np.int64, copy=False))
    if str(kind) in VIEWS:
        return _views(array)
    raise InputError(f"the column {name!r} has values of type {kind}; cast it to strings or numbers")


def _view(array: Any, buffer: int, dtype: Any, more: int = 0) -> npt.NDArray[Any]:
    if not len(array):  # its buffer may be missing
        return np.zeros(more, dtype)
    numbers = np.frombuffer(memoryview(array.buffers()[buffer]).toreadonly(), dtype)
    return numbers[array.offset : array.offset + len(array) + more]


def _views(array: Any) -> Ids:
    views = _view(array, 1, "V16").view(np.uint8)
    if array.null_count:  # the view of a null may point anywhere
        views = views * np.repeat(~_is_null(array), 16)
    return ViewIds(views, array.buffers()[2:])


def _entries(array: Any, name: str, row: int) -> Column:
    numbers, dictionary = _view(array.indices, 1, array.indices.type.to_pandas_dtype()), array.dictionary
    numbers = numbers if numbers.dtype == np.int32 else numbers.astype(np.int64)
    if numbers.min(initial=0) < 0 or numbers.max(initial=-1) >= len(dictionary):
        raise InputError(f"the column {name!r} points outside its dictionary; encode it anew")
    if dictionary.null_count:
        refuse_nulls(_is_null(dictionary)[numbers], name, row)
    values = _values(dictionary, name, row)
    return EntryIds(values, numbers) if isinstance(values, Ids) else values.take(numbers)


class _CopiedIds(Ids, ABC):
    """Ids in another layout, copied to contiguous bytes when these are requested."""

    __slots__ = ("_contiguous",)

    def __init__(self) -> None:
        self._contiguous: Ids | None = None

    @abstractmethod
    def _copy(self) -> Ids:
        """The same ids, contiguous."""

    def _copied(self) -> Ids:
        if self._contiguous is None:
            self._contiguous = self._copy()
        return self._contiguous

    @property
    def data(self) -> Any:
        """The bytes of all ids."""
        return self._copied().data

    @property
    def offsets(self) -> npt.NDArray[np.int64]:  # type: ignore[override]
        """(n + 1,) where each id begins, and the end of the last."""
        return self._copied().offsets


class EntryIds(_CopiedIds):
    """Ids as numbers of the entries of a dictionary."""

    __slots__ = ("_dictionary", "_numbers")

    def __init__(self, dictionary: Ids, numbers: npt.NDArray[Any]) -> None:
        super().__init__()
        self._dictionary, self._numbers = dictionary, numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def entries(self) -> tuple[npt.NDArray[Any], Ids]:
        """(number of each id, the entries of the dictionary)."""
        return self._numbers, self._dictionary

    def part(self, rows: slice) -> Ids:
        """The ids of some rows, still as numbers."""
        return EntryIds(self._dictionary, self._numbers[rows])

    def _copy(self) -> Ids:
        return self._dictionary.take(self._numbers)


class ViewIds(_CopiedIds):
    """Ids as Arrow's string views."""

    __slots__ = ("_buffers", "_views")

    def __init__(self, views: npt.NDArray[np.uint8], buffers: list[Any]) -> None:
        super().__init__()
        self._views, self._buffers = views, buffers

    def __len__(self) -> int:
        return len(self._views) // 16

    def encode(self) -> tuple[npt.NDArray[np.int64], Ids]:
        """(code of each id, the distinct ids in order of first appearance)."""
        codes, firsts = (np.frombuffer(b, np.int64) for b in core.encode_views(self._views, self._buffers))
        return codes, ViewIds(self._views.reshape(-1, 16)[firsts].ravel(), self._buffers)

    def part(self, rows: slice) -> Ids:
        """The ids of some rows, still as views."""
        return ViewIds(self._views[16 * rows.start : 16 * rows.stop], self._buffers)

    def _copy(self) -> Ids:
        data, offsets = core.pack_views(self._views, self._buffers)
        return Ids(data, np.frombuffer(offsets, dtype=np.int64))
