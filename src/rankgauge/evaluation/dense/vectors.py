"""Where vectors are: in an array, in .npy files, or in blocks that a function returns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.errors import InputError
from rankgauge.evaluation.dense import arrays
from rankgauge.evaluation.dense.npy_files import NpyFile

Ints = npt.NDArray[np.int64]

SMALL = 1 << 12  # rows; a piece of fewer is put together with those that follow it


class Vectors(ABC):
    """Vectors of documents, or of queries, that can be gone through more than once."""

    count: int
    dim: int
    dtype: str  # float32, ...
    files: tuple[tuple[str, int], ...] = ()  # (path, number of vectors) of the files they are in

    @abstractmethod
    def pieces(self, rows: int) -> Iterator[Any]:
        """All vectors in their order, in arrays of at most `rows` rows."""

    @abstractmethod
    def take(self, rows: Ints) -> Any:
        """The vectors of some rows, in this order."""


class ArrayVectors(Vectors):
    """The rows of an array or tensor."""

    def __init__(self, array: Any) -> None:
        self._array = array
        self.count, self.dim = array.shape
        self.dtype = arrays.type_name(array)

    def pieces(self, rows: int) -> Iterator[Any]:
        """Views of consecutive rows."""
        for first in range(0, self.count, rows):
            yield arrays.native(self._array[first : first + rows])

    def take(self, rows: Ints) -> Any:
        """A copy of some rows."""
        return arrays.native(arrays.rows_of(self._array, rows))


class NpyVectors(Vectors):
    """The rows of one or several .npy files, one after the other."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._files = [NpyFile(path) for path in paths]
        first = self._files[0]
        for file in self._files:
            if len(file.shape) != 2:
                raise InputError(
                    f"the array has {len(file.shape)} dimensions; use two: a row per vector", path=file.path
                )
            try:
                arrays.check_type(file.dtype)
            except InputError as error:
                raise InputError(str(error), path=file.path) from None
            if file.shape[1] != first.shape[1]:
                raise differing(first.path, file.path, "numbers per vector", first.shape[1], file.shape[1])
            if file.dtype.newbyteorder("=") != first.dtype.newbyteorder("="):
                raise differing(first.path, file.path, "as type", first.dtype, file.dtype)
        self._starts = np.cumsum([0] + [file.shape[0] for file in self._files])
        self.count, self.dim = int(self._starts[-1]), first.shape[1]
        self.files = tuple((file.path, file.shape[0]) for file in self._files)
        self.dtype = first.dtype.newbyteorder("=").name
        if not self.dim:
            raise InputError("the vectors are empty: rows of 0 numbers", path=first.path)

    def pieces(self, rows: int) -> Iterator[Any]:
        """Consecutive rows, mapped into memory as long as they are in use."""

        def mapped() -> Iterator[Any]:
            for file in self._files:
                for first in range(0, file.shape[0], rows):
                    yield arrays.native(file.rows(first, min(first + rows, file.shape[0])))

        return gathered(mapped(), rows)

    def take(self, rows: Ints) -> Any:
        """A copy of some rows."""
        order = np.argsort(rows, kind="stable")
        ascending = rows[order]
        cuts = np.searchsorted(ascending, self._starts)
        taken = np.empty((len(rows), self.dim), dtype=self.dtype)
        for file, start, begin, end in zip(self._files, self._starts, cuts, cuts[1:], strict=False):
            for which, values in file.take(ascending[begin:end] - start):
                taken[order[begin:end][which]] = values
        return taken


def differing(first: str, other: str, what: str, one: Any, another: Any) -> InputError:
    """The error for files whose vectors are not of one kind."""
    return InputError(
        f"the vectors of all files must be alike; {first} has {one} {what}, and this one {another}",
        path=other,
    )


def gathered(pieces: Iterator[Any], rows: int) -> Iterator[Any]:
    """Arrays of at most `rows` rows: larger ones are cut, without a copy, and small ones put together."""
    small: list[Any] = []
    held = 0
    for piece in pieces:
        if len(piece) >= min(SMALL, rows):
            if small:
                yield arrays.concatenated(small)
                small, held = [], 0
            for first in range(0, len(piece), rows):
                yield piece[first : first + rows]
        elif len(piece):
            if held + len(piece) > rows:
                yield arrays.concatenated(small)
                small, held = [], 0
            small.append(piece)
            held += len(piece)
    if small:
        yield arrays.concatenated(small)
