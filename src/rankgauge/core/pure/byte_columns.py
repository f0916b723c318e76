"""Operations on columns of byte strings and numbers."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import Any

from rankgauge.core.buffers import column, numbers, strings


def take(data: Any, offsets: Any, indices: Any) -> tuple[bytes, array[int]]:
    """The strings at these indices, as a new column."""
    taken = strings(data, offsets)
    return column([taken[i] for i in numbers(indices, "q")])


def encode(data: Any, offsets: Any) -> tuple[array[int], array[int]]:
    """(code of each string, index of each distinct string's first appearance)."""
    seen: dict[bytes, int] = {}
    numbers, firsts = array("q"), array("q")
    for index, string in enumerate(strings(data, offsets)):
        number = seen.setdefault(string, len(seen))
        if number == len(firsts):
            firsts.append(index)
        numbers.append(number)
    return numbers, firsts


def duplicates(groups: Any, data: Any, offsets: Any) -> tuple[array[int], array[int]]:
    """(rows whose string is in their group already, the row where it was first)."""
    seen: dict[tuple[int, bytes], int] = {}
    again, first = array("q"), array("q")
    for row, key in enumerate(zip(numbers(groups, "q"), strings(data, offsets), strict=True)):
        earlier = seen.setdefault(key, row)
        if earlier != row:
            again.append(row)
            first.append(earlier)
    return again, first


def pack_views(views: Any, buffers: list[Any]) -> tuple[bytes, array[int]]:
    """Arrow's string views (16 bytes each) as (data, offsets)."""
    return column(list(_viewed(views, buffers)))


def encode_views(views: Any, buffers: list[Any]) -> tuple[array[int], array[int]]:
    """As `encode`, for Arrow's string views."""
    return encode(*pack_views(views, buffers))


def _viewed(views: Any, buffers: list[Any]) -> Iterator[bytes]:
    whole = bytes(views)
    heaps = [bytes(b) for b in buffers]
    for at in range(0, len(whole), 16):
        size = int.from_bytes(whole[at : at + 4], "little")
        if size <= 12:
            yield whole[at + 4 : at + 4 + size]
        else:
            heap = int.from_bytes(whole[at + 8 : at + 12], "little")
            begin = int.from_bytes(whole[at + 12 : at + 16], "little")
            yield heaps[heap][begin : begin + size]


def cumulate(values: Any, starts: Any) -> array[float]:
    """Running sums of float64 values, group by group."""
    whole = numbers(values, "d")
    sums = array("d")
    for begin, end in pairwise(numbers(starts, "q")):
        sums.extend(accumulate(whole[begin:end]))
    return sums
