"""Columns of byte strings and buffers of numbers, as the cores take and return them, without NumPy."""

from __future__ import annotations

from array import array
from binascii import crc32
from collections.abc import Iterable
from itertools import accumulate, pairwise
from typing import Any, Literal


def strings(data: Any, offsets: Any) -> list[bytes]:
    """The byte strings of a column, as a list."""
    whole = bytes(data)
    return [whole[begin:end] for begin, end in pairwise(integers(offsets))]


def integers(buffer: Any) -> list[int]:
    """The numbers of a buffer of int32, if its items have that size, or else of int64."""
    return numbers(buffer, "i" if memoryview(buffer).itemsize == array("i").itemsize else "q")


def numbers(buffer: Any, code: Literal["q", "i", "d", "f"]) -> list[Any]:
    """The numbers of a buffer of int64 ('q'), int32 ('i'), float64 ('d') or float32 ('f')."""
    view: memoryview[Any] = memoryview(buffer)
    return view.cast("B").cast(code).tolist() if view.nbytes else []  # no rows of several cannot be cast


def checksum(*buffers: Any) -> str:
    """The CRC-32 of all buffers, one after the other."""
    found = 0
    for buffer in buffers:
        found = crc32(buffer, found)
    return f"{found:08x}"


def column(strings: list[bytes]) -> tuple[bytes, array[int]]:
    """Byte strings as (data, offsets)."""
    return b"".join(strings), offsets(map(len, strings))


def offsets(sizes: Iterable[int]) -> array[int]:
    """Where consecutive items of these sizes begin, and where the last one ends."""
    return array("q", accumulate(sizes, initial=0))
