"""Ids in the layouts that Arrow has for them beside the one of `Ids`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge import core
from rankgauge.core.ids import Ids


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
