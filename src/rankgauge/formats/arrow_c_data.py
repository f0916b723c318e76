"""Frames through Arrow's C data interface, read with ctypes: no dataframe library is needed.

An object with `__arrow_c_stream__` exports its columns in place. The arrays here are views of that memory;
its owner is released when the last view is gone.
"""

from __future__ import annotations

import ctypes
import weakref
from abc import ABC, abstractmethod
from collections.abc import Iterator
from ctypes import POINTER, c_char_p, c_int, c_int64, c_void_p
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge import core
from rankgauge.core.ids import Ids
from rankgauge.errors import InputError
from rankgauge.formats.problems import quote


class _Schema(ctypes.Structure):
    pass


class _Array(ctypes.Structure):
    pass


class _Stream(ctypes.Structure):
    pass


_Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_void_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(_Schema))),
    ("dictionary", POINTER(_Schema)),
    ("release", ctypes.CFUNCTYPE(None, POINTER(_Schema))),
    ("private_data", c_void_p),
]
_Array._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(_Array))),
    ("dictionary", POINTER(_Array)),
    ("release", ctypes.CFUNCTYPE(None, POINTER(_Array))),
    ("private_data", c_void_p),
]
_Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Schema))),
    ("get_next", ctypes.CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Array))),
    ("get_last_error", ctypes.CFUNCTYPE(c_char_p, POINTER(_Stream))),
    ("release", ctypes.CFUNCTYPE(None, POINTER(_Stream))),
    ("private_data", c_void_p),
]

_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = c_void_p, [ctypes.py_object, c_char_p]

_name_of = ctypes.pythonapi.PyCapsule_GetName
_name_of.restype, _name_of.argtypes = c_char_p, [ctypes.py_object]

NUMBERS = {"c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8"} | {
    "e": "f2",
    "f": "f4",
    "g": "f8",
}
STRINGS = ("u", "U", "vu", "z", "Z", "vz")
TITLES = {"n": "nothing but nulls", "+l": "lists", "+L": "lists", "+s": "structs"}

Column = Ids | npt.NDArray[Any]


@dataclass(frozen=True)
class Field:
    """Name and type of a column; the type as Arrow's format string."""

    name: str
    format: str
    dictionary: Field | None


class _Batch:
    """A batch of rows; views of its memory keep it alive."""

    def __init__(self, array: _Array) -> None:
        self.array = array
        weakref.finalize(self, _release, array).atexit = False

    def view(self, address: int | None, count: int, dtype: str) -> npt.NDArray[Any]:
        """A view of numbers in the batch's memory."""
        return np.asarray(_Memory(self, address, count, dtype)) if count and address else np.empty(0, dtype)


class _Memory:
    """A piece of a batch's memory as NumPy's array interface; views keep it alive, and it the batch."""

    def __init__(self, batch: _Batch, address: int, count: int, dtype: str) -> None:
        self.batch = batch
        self.__array_interface__ = {
            "version": 3,
            "data": (address, True),
            "shape": (count,),
            "typestr": np.dtype(dtype).str,
        }


def _release(struct: Any) -> None:
    if struct.release:
        struct.release(ctypes.byref(struct))


def _field(schema: _Schema) -> Field:
    name = (schema.name or b"").decode("utf-8", "replace")
    # The entries of a dictionary have no name of their own; messages are about the column.
    dictionary = replace(_field(schema.dictionary.contents), name=name) if schema.dictionary else None
    return Field(name, schema.format.decode("ascii", "replace"), dictionary)


class Frame:
    """The columns of an object that exports Arrow, each read when it is requested."""

    def __init__(self, frame: Any, first: int = 0) -> None:
        self._first = first  # the number of the first row, for messages
        capsule = frame.__arrow_c_stream__()  # owns the stream, and has to outlive it
        stream = _stream(capsule)
        try:
            self.fields = self._fields(stream)
            self._batches = list(self._read(stream))
        finally:
            _release(stream)
        for batch in self._batches:
            if batch.array.null_count > 0:
                raise InputError("the frame contains null rows; remove them")

    def _fields(self, stream: _Stream) -> list[Field]:
        schema = _Schema()
        _succeed(stream, stream.get_schema(ctypes.byref(stream), ctypes.byref(schema)))
        if not schema.release:
            raise InputError("the frame exports no schema, and cannot be read; convert it to a pyarrow table")
        try:
            if schema.format != b"+s":
                raise InputError("this is a single column; use a frame with columns for topic and document")
            return [_field(schema.children[i].contents) for i in range(schema.n_children)]
        finally:
            _release(schema)

    def _read(self, stream: _Stream) -> Iterator[_Batch]:
        while True:
            array = _Array()
            _succeed(stream, stream.get_next(ctypes.byref(stream), ctypes.byref(array)))
            if not array.release:
                return
            batch = _Batch(array)
            if array.n_children != len(self.fields):
                raise InputError(
                    f"the frame exports rows of {array.n_children} columns, and names {len(self.fields)}; "
                    "convert it to a pyarrow table"
                )
            yield batch

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [field.name for field in self.fields]

    def column(self, name: str) -> list[Column]:
        """The column of this name, one piece per batch: ids for strings, arrays for numbers."""
        index = self.names.index(name)
        pieces, row = [], self._first
        for batch in self._batches:
            array = batch.array
            reader = _Reader(batch, self.fields[index], row)
            pieces.append(reader.read(array.children[index].contents, array.offset, array.length))
            row += array.length
        return pieces


def _stream(capsule: Any) -> _Stream:
    """The stream in a capsule. Whoever reads a stream releases it, so that nobody can read it again."""
    try:
        address = _pointer_of(capsule, b"arrow_array_stream")
    except ValueError:
        raise InputError(
            f"__arrow_c_stream__ returned {_described(capsule)}, not a capsule with an Arrow stream; "
            "convert the frame to a pyarrow table"
        ) from None
    stream = _Stream.from_address(address)
    if not stream.release:
        raise InputError(
            "the frame exports an Arrow stream that was read before, and a stream can be read only once; "
            "pass a table, or an object that exports a new stream each time"
        )
    return stream


def _described(capsule: Any) -> str:
    """The name of a capsule, or the type of something else."""
    if type(capsule).__name__ != "PyCapsule":
        return f"a value of type {type(capsule).__name__}"
    name = _name_of(capsule)
    return f"a capsule named {name.decode('ascii', 'replace')!r}" if name else "a capsule without a name"


def _succeed(stream: _Stream, code: int) -> None:
    if code:
        last_error = stream.get_last_error(ctypes.byref(stream)) if stream.get_last_error else None
        reason = (last_error or b"").decode("utf-8", "replace")
        raise not_exported(reason or f"error {code}")


def not_exported(reason: str) -> InputError:
    """The error for a frame that fails to export its columns."""
    return InputError(f"the frame could not export its columns: {quote(reason, 300)}")


@dataclass(frozen=True)
class _Reader:
    """Reads one column of one batch, whose first row is row `row` of the frame."""

    batch: _Batch
    field: Field
    row: int

    def read(self, array: _Array, offset: int, length: int) -> Column:
        """The values from `offset` on, as a view if the layout allows."""
        begin = array.offset + offset
        self._refuse_nulls(self._present(array, begin, length))
        return self._values(array, begin, length)

    def _values(self, array: _Array, begin: int, length: int) -> Column:
        """The values, nulls included."""
        if self.field.dictionary is not None:
            return self._entries(self.field.dictionary, array, begin, length)
        if self.field.format in NUMBERS:
            return self._numbers(array, begin, length)
        if self.field.format in STRINGS:
            return self._strings(array, begin, length)
        if self.field.format == "b":
            return self._bits(array.buffers[1], begin, length).astype(np.bool_)
        title = TITLES.get(self.field.format, f"values of Arrow's type {self.field.format}")
        raise InputError(f"the column {self.field.name!r} holds {title}; cast it to strings or numbers")

    def _entries(self, field: Field, array: _Array, begin: int, length: int) -> Column:
        """The values of a column of numbers that point into a dictionary, which may have unused nulls."""
        numbers = self._numbers(array, begin, length)
        numbers = numbers if numbers.dtype == np.int32 else numbers.astype(np.int64)
        dictionary = array.dictionary.contents
        first, size = dictionary.offset, dictionary.length
        if numbers.min(initial=0) < 0 or numbers.max(initial=-1) >= size:
            raise InputError(f"the column {self.field.name!r} points outside its dictionary; encode it anew")
        reader = _Reader(self.batch, field, self.row)
        present = reader._present(dictionary, first, size)
        if present is not None:
            self._refuse_nulls(present[numbers])
        values = reader._values(dictionary, first, size)
        return EntryIds(values, numbers) if isinstance(values, Ids) else values.take(numbers)

    def _numbers(self, array: _Array, begin: int, length: int) -> npt.NDArray[Any]:
        dtype = NUMBERS[self.field.format]
        return self.batch.view(array.buffers[1], begin + length, dtype)[begin:]

    def _strings(self, array: _Array, begin: int, length: int) -> Ids:
        if not length:
            return Ids.of([])
        if self.field.format.startswith("v"):
            return self._views(array, begin, length)
        width = "i4" if self.field.format in "uz" else "i8"
        offsets = self.batch.view(array.buffers[1], begin + length + 1, width)[begin:]
        data = self.batch.view(array.buffers[2], int(offsets[-1]), "u1")
        return NarrowIds(data, offsets) if width == "i4" else Ids(data, offsets)

    def _views(self, array: _Array, begin: int, length: int) -> Ids:
        heaps = array.n_buffers - 3  # validity and views come first, the sizes of the heaps last
        sizes = self.batch.view(array.buffers[array.n_buffers - 1], heaps, "i8")
        views = self.batch.view(array.buffers[1], (begin + length) * 16, "u1")[begin * 16 :]
        present = self._present(array, begin, length)
        if present is not None and not present.all():  # the view of a null may point anywhere
            views = views * np.repeat(present, 16)
        buffers = [self.batch.view(array.buffers[2 + h], int(sizes[h]), "u1") for h in range(heaps)]
        return ViewIds(views, buffers)

    def _present(self, array: _Array, begin: int, length: int) -> npt.NDArray[np.uint8] | None:
        """A mask of the values that are not null; None if there cannot be any null."""
        if array.null_count == 0 or not array.n_buffers or not array.buffers[0]:
            return None
        return self._bits(array.buffers[0], begin, length)

    def _bits(self, address: int | None, begin: int, length: int) -> npt.NDArray[np.uint8]:
        bits = self.batch.view(address, (begin + length + 7) // 8, "u1")
        return np.unpackbits(bits, bitorder="little")[begin : begin + length]

    def _refuse_nulls(self, present: npt.NDArray[np.uint8] | None) -> None:
        if present is not None and not present.all():
            row = self.row + int(np.argmin(present))
            message = f"{self.field.name!r} is null; fill it or remove the row"
            raise InputError(f"row {row} (counted from 0): {message}")


class NarrowIds(Ids):
    """Ids with offsets of 32 bits, which are widened only when they are requested."""

    __slots__ = ("_offsets", "_wide")

    def __init__(self, data: Any, offsets: npt.NDArray[np.int32]) -> None:
        self.data, self._offsets = data, offsets
        self._wide: npt.NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def buffers(self) -> tuple[Any, Any]:
        """The bytes of all ids and their offsets, of 32 bits."""
        return self.data, self._offsets

    def part(self, rows: slice) -> Ids:
        """The ids in a slice of rows; the data is shared."""
        return NarrowIds(self.data, self._offsets[rows.start : rows.stop + 1])

    @property
    def offsets(self) -> npt.NDArray[np.int64]:  # type: ignore[override]
        """(n + 1,) where each id begins, and the end of the last."""
        if self._wide is None:
            self._wide = self._offsets.astype(np.int64)
        return self._wide


class _CopiedIds(Ids, ABC):
    """Ids in another layout, copied to contiguous bytes only when these are requested."""

    __slots__ = ("_contiguous",)

    _contiguous: Ids | None

    @abstractmethod
    def _copy(self) -> Ids:
        """The same ids, contiguous."""

    def _copied(self) -> Ids:
        if self._contiguous is None:
            self._contiguous = self._copy()
        return self._contiguous

    def buffers(self) -> tuple[Any, Any]:
        """The bytes of all ids and their offsets."""
        return self._copied().buffers()

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
        self._dictionary, self._numbers = dictionary, numbers
        self._contiguous = None

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
        self._views, self._buffers = views, buffers
        self._contiguous = None

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
