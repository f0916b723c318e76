"""Columns of ids: concatenated byte strings and their offsets (Arrow's layout)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rankgauge import core
from rankgauge.errors import InputError
from rankgauge.schema.text import brief

if TYPE_CHECKING:  # imported where it is used: `to_text` and `to_bytes` do without NumPy
    import numpy as np
    import numpy.typing as npt


def to_bytes(identifier: str | bytes) -> bytes:
    """An id as the bytes it is compared by."""
    try:
        return identifier if isinstance(identifier, bytes) else identifier.encode("utf-8", "surrogateescape")
    except (AttributeError, UnicodeEncodeError):  # half a surrogate pair, as JSON may have it
        raise InputError(f"an id is text in valid Unicode, or bytes, not {brief(identifier)}") from None


def to_text(identifier: bytes) -> str:
    """An id as text; `to_bytes` restores it even if it is not UTF-8."""
    return identifier.decode("utf-8", "surrogateescape")


class Ids:
    """An immutable column of byte strings.

    Ids are compared as bytes and never reinterpreted: `007` is not `7`.
    """

    __slots__ = ("data", "offsets")

    def __init__(self, data: Any, offsets: npt.NDArray[np.int64]) -> None:
        self.data = data  # any buffer of bytes
        self.offsets = offsets  # (n + 1,)

    @classmethod
    def of(cls, identifiers: Iterable[str | bytes]) -> Ids:
        """A column of these ids."""
        import numpy as np

        parts: list[Any] = list(identifiers)
        try:
            data = "".join(parts).encode("ascii")  # all at once, where each character is a byte
        except (TypeError, UnicodeEncodeError):
            parts = [to_bytes(i) for i in parts]
            data = b"".join(parts)
        offsets = np.zeros(len(parts) + 1, dtype=np.int64)
        np.cumsum(np.fromiter(map(len, parts), dtype=np.int64, count=len(parts)), out=offsets[1:])
        return cls(data, offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> bytes:
        if index < 0:
            index += len(self)
        return bytes(memoryview(self.data)[self.offsets[index] : self.offsets[index + 1]])

    def __iter__(self) -> Iterator[bytes]:
        data, offsets = bytes(self.data), self.offsets.tolist()
        return (data[begin:end] for begin, end in itertools.pairwise(offsets))

    def __reduce__(self) -> tuple[Any, ...]:
        return Ids, self.contiguous()

    def contiguous(self) -> tuple[bytes, npt.NDArray[np.int64]]:
        """The bytes of these ids alone, and their offsets from the first."""
        begin, end = int(self.offsets[0]), int(self.offsets[-1])
        return bytes(memoryview(self.data)[begin:end]), self.offsets - begin

    def texts(self) -> list[str]:
        """All ids as text."""
        begin, end = int(self.offsets[0]), int(self.offsets[-1])
        try:
            text = str(memoryview(self.data)[begin:end], "ascii")  # all at once: a character is a byte
        except UnicodeDecodeError:
            return [to_text(i) for i in self]
        return [text[first:last] for first, last in itertools.pairwise((self.offsets - begin).tolist())]

    def buffers(self) -> tuple[Any, Any]:
        """The bytes of all ids and their offsets, for the core; offsets may have 32 bits."""
        return self.data, self.offsets

    def take(self, indices: npt.NDArray[Any]) -> Ids:
        """The ids at these indices, in this order."""
        import numpy as np

        data, offsets = core.take(*self.buffers(), np.ascontiguousarray(indices, dtype=np.int64))
        return Ids(data, np.frombuffer(offsets, dtype=np.int64))

    def part(self, rows: slice) -> Ids:
        """The ids in a slice of rows; the data is shared."""
        return Ids(self.data, self.offsets[rows.start : rows.stop + 1])

    def encode(self) -> tuple[npt.NDArray[np.int64], Ids]:
        """(code of each id, the distinct ids in order of first appearance)."""
        import numpy as np

        codes, firsts = core.encode(*self.buffers())
        return np.frombuffer(codes, dtype=np.int64), self.take(np.frombuffer(firsts, dtype=np.int64))

    def entries(self) -> tuple[npt.NDArray[Any], Ids]:
        """(number of each id, the ids that these number): as `encode`, but in any order, and some not in use.

        The numbers have 32 or 64 bits.
        """
        return self.encode()
