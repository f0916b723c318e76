"""Vectors that arrive in blocks, with or without their ids: from lists of blocks, and functions.

A stream is gone through twice: first for the ids, and for the vectors of the documents that are looked for,
which are kept; then for the comparison. An iterator can be gone through only once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rankgauge.errors import InputError, OptionError
from rankgauge.evaluation.dense import arrays
from rankgauge.evaluation.dense.given_ids import read_ids
from rankgauge.evaluation.dense.identifiers import IdColumn
from rankgauge.schema.options import in_python
from rankgauge.schema.text import counted, described

SHAPE = "use (ids, array) or an array of two dimensions"


def only_once(value: Any) -> OptionError:
    """The error for an iterator, where documents are needed twice."""
    return OptionError(
        f"{described(value)} can be gone through only once, and documents are read twice: first the judged "
        "ones, then all; pass a function that returns the iterator (without calling it), or the vectors of "
        f"the judged documents{in_python(' (judged=)')}"
    )


class Stream:
    """Blocks of vectors, opened anew for each pass, and checked as they come."""

    def __init__(self, given: Any, *, once: bool = False) -> None:
        self.given, self.once = given, isinstance(given, Iterator)
        self._open: Callable[[], Iterable[Any]] = given if callable(given) else lambda: given
        if self.once and not once:
            raise only_once(given)
        self._is_used = False

    def __call__(self) -> Iterator[tuple[IdColumn | None, Any]]:
        """(ids or None, vectors) of each block."""
        if self._is_used and self.once:
            raise OptionError("the documents were gone through already, and can be only once")
        self._is_used = True
        opened = self._open()
        if not isinstance(opened, Iterable):
            raise InputError(
                f"the function returned {described(opened)}; return an iterator of blocks: {SHAPE}"
            )
        return self._checked(opened)

    def _checked(self, blocks: Iterable[Any]) -> Iterator[tuple[IdColumn | None, Any]]:
        first: tuple[bool, int, str] | None = None  # whether there are ids, numbers per vector, their type
        for number, given in enumerate(blocks):
            where = f"block {number} (counted from 0) of the documents: "
            ids, array = _opened(given, where)
            if ids is not None and len(ids) != len(array):
                raise InputError(
                    f"{where}{counted(len(ids), 'id')} for {counted(len(array), 'vector')}; each needs one"
                )
            facts = (ids is not None, array.shape[1], arrays.type_name(array))
            first = facts if first is None else first
            if facts != first:
                raise InputError(f"{where}{_difference(first, facts)}; all blocks must be alike")
            if len(array):
                yield ids, arrays.native(array)


def _opened(given: Any, where: str) -> tuple[IdColumn | None, Any]:
    if arrays.is_array(given):
        return None, arrays.open_array(given, where=where)
    if not isinstance(given, (tuple, list)) or len(given) != 2 or not arrays.is_array(given[1]):
        raise InputError(f"{where}{described(given)} is no block; {SHAPE}")
    ids = None if given[0] is None else read_ids(given[0])
    return ids, arrays.open_array(given[1], where=where)


def _difference(first: tuple[bool, int, str], other: tuple[bool, int, str]) -> str:
    if first[0] != other[0]:
        return "it has ids, and the first has none" if other[0] else "it has no ids, and the first has"
    if first[1] != other[1]:
        return f"its vectors have {other[1]} numbers, and those of the first {first[1]}"
    return f"its vectors are of type {other[2]}, and those of the first {first[2]}"
