"""Score lists, a list of candidates per query, as blocks of a matrix.

A matrix has a row per query; flat scores have one list after the other. Positions that a mask or the length
of a list leaves out are no candidates.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, TypedDict

import numpy as np

from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.devices.tensors.arrays import Array, of_library, on_host
from rankgauge.measures.rankings.array_types import Bools, Ints
from rankgauge.schema.text import counted, unknown_option

SHAPES = (
    "give a matrix with a row per query, a list with an array per query, or flat scores with lengths or "
    "indexes"
)


class ListOptions(TypedDict, total=False):
    """Ids and, if lists differ in length, one of the other arguments."""

    query_ids: Any
    doc_ids: Any
    lengths: Any
    mask: Any
    indexes: Any


def check_names(options: Mapping[str, Any], others: Iterable[str] = ()) -> None:
    """Raise an error for an unknown option."""
    names = [*ListOptions.__annotations__, "exclude", "name", *others]
    for name in options.keys() - {*names}:
        raise OptionError(unknown_option("evaluate_scores", "option", name, names))


class ScoreLists:
    """The scores of candidates: a list per query."""

    def __init__(self, scores: Any, *, lengths: Any = None, mask: Any = None, indexes: Any = None) -> None:
        self.indexes: Ints | None = None  # the distinct ones, ascending
        self._order: Array = None
        self._mask: Array = None
        self._starts: Ints | None = None
        options = sum(option is not None for option in (lengths, mask, indexes))
        if options > 1:
            raise InputError("lengths, mask and indexes say the same in different ways; give one of them")
        if is_ragged(scores) and not (options and _is_table(scores)):
            if options:
                raise InputError(
                    "a list with an array per query has lengths of its own; leave out lengths, mask and "
                    "indexes"
                )
            lengths = [_size(part) for part in scores]
            self.arrays, scores = _joined(scores)
        else:
            self.arrays, scores = of_library(scores)
        if not self.arrays.is_real(scores):
            raise InputError(f"the scores are not real numbers but of type {scores.dtype}; convert them")
        self.kind = self.arrays.describe(scores)
        if len(scores.shape) == 2:
            if indexes is not None:
                raise InputError("indexes are for flat scores, and these are a matrix; leave them out")
            self._of_matrix(scores, lengths, mask)
        elif len(scores.shape) == 1:
            if mask is not None:
                raise InputError("a mask is for a matrix, and these scores are flat; give lengths or indexes")
            self._of_flat(scores, lengths, indexes)
        else:
            raise InputError(f"scores of {counted(len(scores.shape), 'dimension')}; {SHAPES}")

    def _of_matrix(self, scores: Array, lengths: Any, mask: Any) -> None:
        self.rows, self.width = (int(size) for size in scores.shape)
        self.values = scores
        self.lengths = np.full(self.rows, self.width, dtype=np.int64)
        if mask is not None:
            mask = self.arrays.put(mask)
            if tuple(mask.shape) != (self.rows, self.width) or "bool" not in str(mask.dtype):
                raise InputError(
                    f"the mask must have a truth value for each of {self.rows} x {self.width} scores, "
                    f"true for candidates; this one has shape {_shape(mask)} and type {mask.dtype}"
                )
            self._mask = mask
            self.lengths = np.count_nonzero(~self.left_out, axis=1).astype(np.int64)
        if lengths is not None:
            self.lengths = _checked_lengths(lengths)
            if len(self.lengths) != self.rows or self.lengths.max(initial=0) > self.width:
                raise InputError(
                    f"lengths must have a number from 0 to {self.width} for each of {self.rows} rows; "
                    f"there are {len(self.lengths)}, up to {self.lengths.max(initial=0)}"
                )

    def _of_flat(self, scores: Array, lengths: Any, indexes: Any) -> None:
        total = int(scores.shape[0])
        if indexes is not None:
            indexes = self.arrays.put(indexes)
            if tuple(indexes.shape) != (total,) or "int" not in str(indexes.dtype):
                raise InputError(
                    f"indexes must have the number of a query for each of {total} scores, not the shape "
                    f"{_shape(indexes)} and type {indexes.dtype}"
                )
            self._order = self.arrays.xp.argsort(indexes, stable=True)
            ordered = self.arrays.host(self.arrays.pick(indexes, self._order))
            begins = np.flatnonzero(np.append(np.ones(min(total, 1), bool), ordered[1:] != ordered[:-1]))
            self.indexes = ordered[begins].astype(np.int64)
            self.lengths = np.diff(np.append(begins, total))
        elif lengths is not None:
            self.lengths = _checked_lengths(lengths)
            if self.lengths.sum() != total:
                raise InputError(f"lengths add up to {self.lengths.sum()}, and there are {total} scores")
        else:
            raise InputError(f"flat scores without the number of candidates of each query; {SHAPES}")
        self.rows, self.width = len(self.lengths), int(self.lengths.max(initial=0))
        if (self.lengths == self.width).all() and self.width:
            self.values = self.arrays.xp.reshape(self._in_order(scores), (self.rows, self.width))
        else:
            self._starts = np.concatenate(([0], np.cumsum(self.lengths)))
            self.values = self._in_order(scores)

    def _in_order(self, flat: Array) -> Array:
        return flat if self._order is None else self.arrays.pick(flat, self._order)

    @property
    def is_flat(self) -> bool:
        """Whether lists of different lengths are one after the other."""
        return self._starts is not None

    def alike(self, others: Any, what: str) -> Array:
        """Other numbers for the same candidates, in the same shape and on the same device."""
        if is_ragged(others) and [_size(part) for part in others] == self.lengths.tolist():
            others = _joined(others)[1]
        elif is_ragged(others) and not _is_table(others):
            raise InputError(f"the {what} are lists of other lengths than the scores; give one per score")
        others = self.arrays.put(of_library(others)[1])
        flat, shape = len(others.shape) == 1, tuple(map(int, self.values.shape))
        if tuple(map(int, others.shape)) not in ((math.prod(shape),), (self.rows, self.width), shape):
            raise InputError(
                f"the {what} have shape {_shape(others)}, and there are {self.rows} x {self.width} scores; "
                "give one per score"
            )
        if not self.arrays.is_real(others):
            raise InputError(f"the {what} are not real numbers but of type {others.dtype}; convert them")
        others = self._in_order(others) if flat else others
        return self.arrays.xp.reshape(others, shape)

    def block(self, rows: Any, width: int) -> tuple[Array, Array | None]:
        """(scores, mask of candidates or None for all) of some rows, up to a width.

        Rows are a slice, which is not copied, or numbers.
        """
        return self.block_of(self.values, rows, width), self.candidates(rows, width)

    def candidates(self, rows: Any, width: int) -> Array | None:
        """The mask of candidates in some rows, or None for all."""
        if self._mask is not None:
            return self.arrays.rows(self._mask, rows)[:, :width]
        lengths = self.lengths[rows]
        if lengths.min(initial=width) >= width:
            return None
        return self.arrays.put(np.arange(width) < lengths[:, None])

    def block_of(self, values: Array, rows: Any, width: int) -> Array:
        """Rows of an array in the shape of the scores, up to a width."""
        if self._starts is None:
            some = self.arrays.rows(values, rows)
            return some if width == self.width else some[:, :width]
        places = self._starts[:-1][rows][:, None] + np.arange(width)
        last = np.maximum(self._starts[1:][rows][:, None] - 1, 0)  # beyond the end of a list, any number
        return self.arrays.pick(values, self.arrays.put(np.minimum(places, last)))

    @cached_property
    def left_out(self) -> Any:
        """(rows, columns) that the mask leaves out, on the host; None without a mask."""
        return None if self._mask is None else ~self.arrays.host(self._mask)

    def are_candidates(self, rows: Ints, columns: Ints) -> Bools:
        """A mask of the rows and columns that are candidates; columns may be beyond the width."""
        inside = columns < (self.lengths[rows] if self.left_out is None else self.width)
        if self.left_out is not None:
            inside[inside] = ~self.left_out[rows[inside], columns[inside]]
        return inside

    def in_order(self, ids: Any) -> Any:
        """An array parallel to flat scores, on the host, in the order of queries."""
        if self._order is None:
            return ids
        order = self.arrays.host(self._order)
        return ids[order] if isinstance(ids, np.ndarray) else [ids[n] for n in order.tolist()]


def is_ragged(scores: Any) -> bool:
    """Whether this is a list with an array or a list of numbers per query."""
    return isinstance(scores, (list, tuple)) and bool(scores) and _size(scores[0]) is not None


def _is_table(rows: Any) -> bool:
    return all(isinstance(row, (list, tuple)) and len(row) == len(rows[0]) for row in rows)


def _size(part: Any) -> int | None:
    shape = getattr(part, "shape", None)
    if shape is not None:
        return int(shape[0]) if len(shape) == 1 else None
    return len(part) if isinstance(part, (list, tuple)) else None


def _joined(parts: Any) -> tuple[Any, Array]:
    for row, part in enumerate(parts):
        if _size(part) is None:
            raise InputError(f"the scores of row {row} (counted from 0) are not flat; {SHAPES}")
    owners = [of_library(np.zeros(0) if isinstance(part, list) and not part else part) for part in parts]
    arrays = next((arrays for arrays, part in owners if len(part.shape) and int(part.shape[0])), owners[0][0])
    kinds = {str(part.dtype) for _, part in owners if int(part.shape[0])}
    parts = [arrays.put(part) for _, part in owners if int(part.shape[0])] or [owners[0][1]]
    if len(kinds) > 1:
        parts = [arrays.floats(part) for part in parts]
    return arrays, arrays.xp.concat(parts)


def _checked_lengths(lengths: Any) -> Ints:
    numbers = on_host(lengths)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or (numbers < 0).any():
        raise InputError("lengths must be a flat list of whole numbers from 0 on, one per query")
    checked: Ints = numbers.astype(np.int64)
    return checked


def _shape(array: Array) -> str:
    return " x ".join(map(str, array.shape)) or "none"
