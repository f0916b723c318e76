"""Arrays in .npy files, of which only the rows in use are mapped into memory.

A map of a whole file counts against limits of the address space, and all its pages against the process until
other uses need them. Rows that are mapped for a block are gone with it.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.errors import InputError
from rankgauge.formats.problems import quote
from rankgauge.formats.source import Source

MAGIC = b"\x93NUMPY"
WINDOW = 1 << 26  # bytes that are mapped to take single rows
HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def is_npy(head: bytes) -> bool:
    """Whether a file that begins like this is an .npy file."""
    return head.startswith(MAGIC)


class NpyFile:
    """The array in an .npy file."""

    def __init__(self, path: str) -> None:
        source = Source(path)
        self.path, self._file = source.path, source.file
        if source.compression or not is_npy(source.head):
            raise InputError(self._other(source), path=self.path)
        try:
            with Path(self._file).open("rb") as file, warnings.catch_warnings():
                warnings.simplefilter("ignore")  # such as those about files that Python 2 wrote
                self.shape, self._by_columns, self.dtype = HEADERS[np.lib.format.read_magic(file)](file)
                self._begin = file.tell()
            if min(self.shape, default=0) < 0:
                raise ValueError(f"the shape is {self.shape}")
        except Exception as error:  # NumPy reads it as Python, and fails in as many ways
            message = f"the header of the .npy file cannot be read ({quote(str(error), 200)}); write it again"
            raise InputError(message, path=self.path) from None
        size = self._begin + math.prod(self.shape) * self.dtype.itemsize
        if self.dtype.hasobject:
            raise InputError("the array holds Python objects; save an array of numbers", path=self.path)
        if size > source.size:
            raise InputError(
                f"the file is truncated: an array of {self._shown()} takes {size:,} bytes, and the file has "
                f"{source.size:,}; get a new copy",
                path=self.path,
            )

    @staticmethod
    def _other(source: Source) -> str:
        if source.compression:
            return (
                f"a compressed .npy file cannot be mapped into memory; decompress it ({source.compression})"
            )
        if source.head.startswith(b"PK\x03\x04"):
            return "this is an archive of arrays (.npz); pass one of them: numpy.load(path)[name]"
        return "this is not an .npy file; write it with numpy.save"

    def _shown(self) -> str:
        return f"{' × '.join(map(str, self.shape)) or 1} {self.dtype}"

    def rows(self, first: int, last: int) -> npt.NDArray[Any]:
        """The rows from `first` up to, and without, `last`, mapped into memory."""
        shape = (last - first, *self.shape[1:])
        if last <= first or 0 in shape:
            return np.empty(shape, dtype=self.dtype)
        if self._by_columns and len(self.shape) > 1:  # the rows are all over the file
            return self._map(0, self.shape, "F")[first:last]
        return self._map(first * math.prod(self.shape[1:]) * self.dtype.itemsize, shape, "C")

    def _map(self, begin: int, shape: tuple[int, ...], order: Any) -> npt.NDArray[Any]:
        try:
            # Copied if it is written to, which nobody does: torch warns of arrays that cannot be.
            mapped = np.memmap(self._file, self.dtype, "c", self._begin + begin, shape, order)
        except (OSError, ValueError) as error:  # it has become shorter, or the address space is used up
            message = f"the file cannot be mapped into memory ({error}); is it still there, and complete?"
            raise InputError(message, path=self.path) from None
        return mapped.view(np.ndarray)

    def whole(self) -> npt.NDArray[Any]:
        """The array, in memory."""
        return np.array(self.rows(0, self.shape[0] if self.shape else 1))

    def take(self, rows: npt.NDArray[np.int64]) -> Iterator[tuple[slice, npt.NDArray[Any]]]:
        """(which of the rows, their values): rows are ascending; those that are near are taken together."""
        width = max(math.prod(self.shape[1:]) * self.dtype.itemsize, 1)
        window = self.shape[0] if self._by_columns else max(WINDOW // width, 1)
        place = 0
        while place < len(rows):
            first = int(rows[place])
            end = int(np.searchsorted(rows, first + window))
            last = int(rows[end - 1]) + 1
            yield slice(place, end), self.rows(first, last)[rows[place:end] - first]
            place = end
