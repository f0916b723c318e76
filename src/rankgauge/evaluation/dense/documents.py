"""Vectors of documents that can be gone through in blocks, more than once, without holding them in memory."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from rankgauge.core.ids import Ids
from rankgauge.errors import InputError
from rankgauge.evaluation.dense import arrays
from rankgauge.evaluation.dense.given_ids import check_count, check_files, joined, read_ids
from rankgauge.evaluation.dense.identifiers import IdColumn, Numbers, rows_of_wanted
from rankgauge.evaluation.dense.opening import is_stream, open_vectors
from rankgauge.evaluation.dense.streams import Stream, only_once
from rankgauge.evaluation.dense.vectors import Ints, Vectors, gathered
from rankgauge.evaluation.dense.wanted import Wanted
from rankgauge.schema.checks import whole_number

LOOKED_THROUGH = 1 << 14  # rows of a stream that are looked through at once


class Block(NamedTuple):
    """Consecutive vectors, from row `first` on."""

    first: int
    ids: IdColumn | None  # None if documents are numbered
    vectors: Any  # (rows, dim), an array of NumPy or a tensor of torch


class Documents:
    """The vectors of documents and their ids.

    Without ids, documents are called "0", "1", ... in their order.
    """

    def __init__(self, vectors: Vectors, ids: IdColumn | None, what: str = "documents") -> None:
        self._vectors, self._ids = vectors, ids
        if not vectors.count:
            raise InputError(f"there are no {what}: no row of vectors")
        if ids is not None:
            check_files(ids, vectors.files)
            check_count(ids, vectors.count, what)

    @staticmethod
    def of(documents: Any, ids: Any = None, *, once: bool = False, what: str = "documents") -> Documents:
        """The documents in an array, a tensor, files, a frame, a dict or a stream of blocks.

        `ids` are those of the rows: a list or an array of texts or integers, or a file of them. With `once`,
        an iterator is allowed, whose documents can be gone through only once and not be looked up before.
        """
        if isinstance(documents, Documents):
            return documents
        given = None if ids is None else read_ids(ids, what)
        if is_stream(documents):
            return StreamedDocuments(Stream(documents, once=once), given, what)
        vectors, own = open_vectors(documents, what)
        return Documents(vectors, own if given is None else given, what)

    @property
    def count(self) -> int | None:
        """The number of documents; None if they were not counted yet."""
        return self._vectors.count

    @property
    def are_numbered(self) -> bool:
        """Whether documents have no ids but their numbers, from 0 on."""
        return self._ids is None

    @property
    def dim(self) -> int:
        """The number of numbers of each vector."""
        return self._vectors.dim

    @property
    def dtype(self) -> str:
        """The type of the numbers: float32, ..."""
        return self._vectors.dtype

    def blocks(self, rows: int) -> Iterator[Block]:
        """All vectors, in blocks of at most `rows` consecutive rows."""
        first = 0
        for piece in self._vectors.pieces(whole_number("rows", rows)):
            last = first + len(piece)
            yield Block(first, None if self._ids is None else self._ids.part(first, last), piece)
            first = last

    def find(self, wanted: Wanted) -> Ints:
        """(wanted,): the row of each of these ids, -1 if there is none; an error if one is there twice."""
        return self._known_ids().find(wanted)

    def ids_of(self, rows: Iterable[int]) -> Ids:
        """The ids of some rows."""
        return self._known_ids().take(_rows(rows))

    def vectors(self, rows: Iterable[int]) -> Any:
        """The vectors of some rows, in this order."""
        return self._vectors.take(_rows(rows))

    def _known_ids(self) -> IdColumn:
        return Numbers(self._vectors.count) if self._ids is None else self._ids


def _rows(rows: Iterable[int]) -> Ints:
    return rows if isinstance(rows, np.ndarray) else np.fromiter(rows, dtype=np.int64)


class StreamedDocuments(Documents):
    """Documents that arrive in blocks; the vectors that were looked for are kept, and so are all ids."""

    def __init__(self, stream: Stream, ids: IdColumn | None, what: str) -> None:
        self._stream, self._ids, self._what = stream, ids, what
        self._count: int | None = None  # known after the first pass
        self._facts: tuple[int, str] | None = None  # numbers per vector, and their type
        self._begun: Iterator[tuple[IdColumn | None, Any]] | None = None  # a pass, to be gone on with
        self._nothing: Any = None  # an array of no rows
        self._blocks_have_ids = False  # known with the facts
        self._kept = np.empty(0, dtype=np.int64), None  # rows that were looked for, ascending; their vectors

    @property
    def count(self) -> int | None:
        """The number of documents; None before the first pass."""
        return self._count

    @property
    def are_numbered(self) -> bool:
        """Whether documents have no ids but their numbers, from 0 on."""
        self._known_facts()
        return self._ids is None and not self._blocks_have_ids

    @property
    def dim(self) -> int:
        """The number of numbers of each vector."""
        return self._known_facts()[0]

    @property
    def dtype(self) -> str:
        """The type of the numbers: float32, ..."""
        return self._known_facts()[1]

    def blocks(self, rows: int) -> Iterator[Block]:
        """All vectors, in blocks of at most `rows` consecutive rows; small blocks are put together."""
        waiting: list[IdColumn] = []

        def vectors() -> Iterator[Any]:
            for ids, block in self._pass():
                if ids is not None:
                    waiting.append(ids)
                yield block

        first = 0
        for piece in gathered(vectors(), whole_number("rows", rows)):
            last = first + len(piece)
            if self._ids is not None:
                ids: IdColumn | None = self._ids.part(first, last)
            else:
                ids = _next_ids(waiting, len(piece)) if waiting else None
            yield Block(first, ids, piece)
            first = last

    def find(self, wanted: Wanted) -> Ints:
        """(wanted,): the row of each of these ids, -1 if there is none; an error if one is there twice."""
        if self._count is not None:
            return super().find(wanted)
        self._refuse_once()
        found = [np.empty((2, 0), dtype=np.int64)]
        kept = []
        for first, ids, vectors in self.blocks(LOOKED_THROUGH):
            place, row = (Numbers(len(vectors), first) if ids is None else ids).matches(wanted)
            found.append(np.array([place, first + row]))
            if len(row):
                kept.append(arrays.rows_of(vectors, row))
        place, row = np.concatenate(found, axis=1)
        if kept:
            self._kept = row, arrays.concatenated(kept)
        return rows_of_wanted(wanted, place, row)

    def ids_of(self, rows: Iterable[int]) -> Ids:
        """The ids of some rows."""
        self._count_all()
        return super().ids_of(rows)

    def vectors(self, rows: Iterable[int]) -> Any:
        """The vectors of some rows, in this order; a further pass, unless they were looked for before."""
        wanted = _rows(rows)
        if not len(wanted):
            self._known_facts()
            return self._nothing
        known, kept = self._kept
        if not len(known) or not np.isin(wanted, known).all():
            self._refuse_once()
            known = np.unique(wanted)
            kept = arrays.concatenated(list(self._some(known)))
        return arrays.rows_of(kept, np.searchsorted(known, wanted))

    def _some(self, rows: Any) -> Iterator[Any]:
        """The vectors of some rows, which are ascending, from a pass over all blocks."""
        for first, _, vectors in self.blocks(LOOKED_THROUGH):
            begin, end = np.searchsorted(rows, (first, first + len(vectors)))
            if begin < end:
                yield arrays.rows_of(vectors, rows[begin:end] - first)

    def _known_ids(self) -> IdColumn:
        return Numbers(self._count or 0) if self._ids is None else self._ids

    def _refuse_once(self) -> None:
        if self._stream.once:
            raise only_once(self._stream.given)

    def _count_all(self) -> None:
        if self._count is None:
            self._refuse_once()
            for _ in self._pass():
                pass

    def _known_facts(self) -> tuple[int, str]:
        if self._facts is None:
            blocks = self._stream()
            first = next(blocks, None)
            if first is None:
                raise InputError(f"there are no {self._what}: no row of vectors")
            if first[0] is not None and self._ids is not None:
                raise InputError(
                    f"the ids of the {self._what} are in the blocks and also given; pass them once"
                )
            self._facts = first[1].shape[1], arrays.type_name(first[1])
            self._nothing = first[1][:0]
            self._blocks_have_ids = first[0] is not None
            self._begun = itertools.chain([first], blocks)
        return self._facts

    def _pass(self) -> Iterator[tuple[IdColumn | None, Any]]:
        """(ids, vectors) of each block as it comes; all passes must have the same."""
        self._known_facts()
        blocks, self._begun = self._begun or self._stream(), None
        first, columns = 0, []
        for ids, vectors in blocks:
            last = first + len(vectors)
            if ids is not None and self._ids is not None:
                if not self._ids.part(first, min(last, len(self._ids))).is_same(ids):
                    raise self._changed(f"the ids of the rows from {first} on differ")
            elif ids is not None:
                columns.append(ids)
            elif self._ids is not None and last > len(self._ids):
                last += sum(len(rest) for _, rest in blocks)
                check_count(self._ids, last, self._what)
            yield ids, vectors
            first = last
        if self._count is not None and first != self._count:
            raise self._changed(f"the first pass had {self._count:,}, and this one {first:,}")
        if columns:
            self._ids = joined(columns)
        if self._ids is not None:
            check_count(self._ids, first, self._what)
        self._count = first

    def _changed(self, how: str) -> InputError:
        return InputError(
            f"the {self._what} differ between two passes: {how}; the function must return the same ones "
            "in the same order each time"
        )


def _next_ids(waiting: list[IdColumn], count: int) -> IdColumn:
    """The next ids of those that are waiting, which are removed from there."""
    taken = []
    while count:
        column = waiting.pop(0)
        if len(column) > count:
            waiting.insert(0, column.part(count, len(column)))
            column = column.part(0, count)
        taken.append(column)
        count -= len(column)
    return joined(taken)
