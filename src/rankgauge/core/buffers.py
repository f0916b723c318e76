"""Columns of byte strings and buffers of numbers, as the cores take and return them, without NumPy."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from itertools import accumulate, pairwise
from typing import Any, Literal


def strings(data: Any, offsets: Any) -> list[bytes]:
    """The byte strings of a column, as a list."""
    whole = bytes(data)
    ends = memoryview(offsets).cast("B").cast("q").tolist()
    return [whole[begin:end] for begin, end in pairwise(ends)]


def numbers(buffer: Any, code: Literal["q", "d", "f"]) -> list[Any]:
    """The numbers of a buffer of int64 ('q'), float64 ('d') or float32 ('f')."""
    view: memoryview[Any] = memoryview(buffer)
    return view.cast("B").cast(code).tolist() if view.nbytes else []  # no rows of several cannot be cast


def column(strings: list[bytes]) -> tuple[bytes, array[int]]:
    """Byte strings as (data, offsets)."""
    return b"".join(strings), offsets(map(len, strings))


def offsets(sizes: Iterable[int]) -> array[int]:
    """Where consecutive items of these sizes begin, and where the last one ends."""
    return array("q", accumulate(sizes, initial=0))
