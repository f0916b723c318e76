"""Documents of score lists: one list for all queries, one per query, or numbers from 0.

A document is a row and a column of the scores. Only ids whose order breaks a tie become bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from rankgauge import core
from rankgauge.core.ids import Ids, to_text
from rankgauge.errors import InputError
from rankgauge.extensions.devices.ids import IdColumn, IdIndex, integers, take
from rankgauge.extensions.devices.tensors.arrays import on_host
from rankgauge.extensions.devices.tensors.lists import ScoreLists
from rankgauge.formats.frames import decimals
from rankgauge.formats.row_reader import identifier
from rankgauge.measures.rankings.array_types import Ints
from rankgauge.model.qrels import Qrels, comparable
from rankgauge.schema.text import counted


class Documents:
    """The same documents for all queries, an id per column; without ids, 0, 1, 2, ..."""

    def __init__(self, column: Ids | None = None, width: int = 0) -> None:
        self._column: IdColumn = range(1 << 62) if column is None else column
        if column is not None and len(column) != width:
            raise InputError(
                f"doc_ids must have an id for each of {width} columns, or a list of ids per query; "
                f"there are {len(column)}"
            )
        if column is not None and (twice := _first_repeated(np.zeros(width, dtype=np.int64), column)):
            raise InputError(f"doc_ids has {to_text(column[twice])!r} twice; a document has one column")
        self._orders: dict[int, Ints] = {}

    def ids(self, rows: Ints, columns: Ints) -> Ids:
        """The ids of some candidates."""
        return take(self._column, columns)

    def name(self, row: int, column: int) -> str:
        """The id of a candidate."""
        return to_text(self.ids(np.array([row]), np.array([column]))[0])

    def ordered(self, rows: Ints, width: int, *, ascending: bool) -> Ints:
        """The columns in the order of their ids: (columns,) if the same for all rows, or (rows, columns)."""
        if isinstance(self._column, range):
            order = order_of_numbers(width)
        else:
            if width not in self._orders:
                ids = self._column.part(slice(0, width))
                self._orders[width] = np.argsort(comparable(ids), kind="stable")
            order = self._orders[width]
        return order if ascending else order[::-1]

    @cached_property
    def _index(self) -> IdIndex:
        return IdIndex(self._column)

    def _columns_of(self, ids: Ids) -> Ints:
        if not isinstance(self._column, range):
            return self._index.places(ids)
        columns = np.full(len(ids), -1, dtype=np.int64)
        number, place = integers(ids)
        columns[place] = number
        return columns

    def judged(self, qrels: Qrels, places: Ints) -> tuple[Ints, Ints, Ints]:
        """(row, column, judgment) of judged candidates; `places` has the rows among judged topics."""
        columns = self._columns_of(qrels.sorted_docs)
        rows = np.full(len(qrels.sorted_topics), -1, dtype=np.int64)
        judged = np.flatnonzero(places >= 0)
        rows[places[judged]] = judged
        row = np.repeat(rows, np.diff(qrels.starts))
        known = np.flatnonzero((row >= 0) & (columns >= 0))
        return row[known], columns[known], known

    def find(self, row: int, names: set[str]) -> list[int]:
        """The columns of the documents that exist."""
        columns = self._columns_of(Ids.of(names))
        return [column for column in columns.tolist() if column >= 0]


class ListedDocuments(Documents):
    """A list of documents per query."""

    def __init__(self, ids: Ids, starts: Ints, lists: ScoreLists, names: Sequence[str]) -> None:
        self._ids, self._starts = ids, starts
        row = np.repeat(np.arange(lists.rows), np.diff(starts))
        column = np.arange(len(ids)) - starts[row]
        left_out = lists.left_out
        kept = column < lists.lengths[row] if left_out is None else ~left_out[row, column]
        self._rows, self._columns, self._places = row[kept], column[kept], np.flatnonzero(kept)
        candidates = ids.take(self._places)
        if twice := _first_repeated(self._rows, candidates):
            raise InputError(
                f"document {to_text(candidates[twice])!r} is listed twice for query "
                f"{names[int(self._rows[twice])]!r}; list each document once"
            )
        self._candidates = candidates
        self._judged: tuple[Qrels, tuple[Ints, Ints, Ints]] | None = None  # fixed candidates ask again

    def ids(self, rows: Ints, columns: Ints) -> Ids:
        """The ids of some candidates."""
        return self._ids.take(self._starts[rows] + columns)

    def ordered(self, rows: Ints, width: int, *, ascending: bool) -> Ints:
        """(rows, columns): the columns of each row in the order of their ids, those without one last."""
        sizes = np.minimum(np.diff(self._starts)[rows], width)
        row = np.repeat(np.arange(len(rows)), sizes)
        column = np.arange(len(row)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        by_id = np.argsort(comparable(self.ids(rows[row], column)), kind="stable")
        by_id = by_id if ascending else by_id[::-1]
        by_id = by_id[np.argsort(row[by_id], kind="stable")]
        order: Ints = np.tile(np.arange(width), (len(rows), 1))
        order[np.arange(width) < sizes[:, None]] = column[by_id]
        return order

    def judged(self, qrels: Qrels, places: Ints) -> tuple[Ints, Ints, Ints]:
        """(row, column, judgment) of judged candidates."""
        if self._judged is None or self._judged[0] is not qrels:
            docs = self._candidates
            found = qrels.judgments().lookup(places[self._rows], docs.data, docs.offsets)
            judgment = np.frombuffer(found, dtype=np.int64)
            known = np.flatnonzero(judgment >= 0)
            self._judged = qrels, (self._rows[known], self._columns[known], judgment[known])
        return self._judged[1]

    def find(self, row: int, names: set[str]) -> list[int]:
        """The columns of the documents that exist."""
        begin, end = self._starts[row : row + 2].tolist()
        return [n - begin for n in range(begin, end) if to_text(self._ids[n]) in names]


def documents_of(doc_ids: Any, lists: ScoreLists, names: Sequence[str]) -> Documents:
    """The documents of score lists by any form of their ids; `names` are those of the rows."""
    if doc_ids is None:
        return Documents()
    doc_ids = _on_host(doc_ids)
    nested = doc_ids.ndim == 2 if isinstance(doc_ids, np.ndarray) else _is_nested(doc_ids)
    if not nested and not lists.is_flat and len(doc_ids) == lists.width:
        return Documents(_column(doc_ids), lists.width)
    if not nested:  # as flat as the scores
        if len(doc_ids) != lists.lengths.sum() or lists.left_out is not None:
            return Documents(_column(doc_ids), lists.width)  # which says what is expected
        ids = _column(lists.in_order(doc_ids))
        return ListedDocuments(ids, np.concatenate(([0], np.cumsum(lists.lengths))), lists, names)
    sizes = np.array([len(of_row) for of_row in doc_ids], dtype=np.int64)
    exact = lists.left_out is None  # without a mask, ids may end where the list does
    fits = len(sizes) == lists.rows and (
        ((sizes == lists.width) | (exact & (sizes >= lists.lengths))) & (sizes <= lists.width)
    )
    if not np.all(fits):
        row = int(np.argmin(fits)) if len(sizes) == lists.rows else 0
        found = (
            f"query {names[row]!r} has {counted(int(sizes[row]), 'id')} for "
            f"{counted(int(lists.lengths[row]), 'score')}; if its list is shorter than the matrix is wide, "
            "give lengths or a mask"
            if len(sizes) == lists.rows
            else f"there are {len(sizes)} lists for {lists.rows} queries"
        )
        raise InputError(f"doc_ids must have a list of ids for each query, as long as its scores; {found}")
    flat = (
        doc_ids.ravel()
        if isinstance(doc_ids, np.ndarray)
        else [id for row in doc_ids for id in _on_host(row)]
    )
    return ListedDocuments(_column(flat), np.concatenate(([0], np.cumsum(sizes))), lists, names)


def texts(ids: Any, what: str) -> list[str]:
    """Strings, bytes or whole numbers as ids."""
    if isinstance(ids, (str, bytes)):
        raise InputError(f"{what} has the text {ids!r} where a list of ids is expected")
    ids = _on_host(ids)
    if isinstance(ids, np.ndarray):
        ids = ids.tolist()
    plain = list(ids)
    if all(type(id) is str for id in plain):
        return plain
    named = [identifier(id) for id in plain]
    for id, name in zip(plain, named, strict=True):
        if name is None:
            raise InputError(f"{what} has {id!r} ({type(id).__name__}); ids are texts or whole numbers")
    return [to_text(name) if isinstance(name, bytes) else name for name in named if name is not None]


def _column(ids: Any) -> Ids:
    if isinstance(ids, Ids):
        return ids
    if isinstance(ids, np.ndarray) and ids.dtype.kind in "iu":
        return decimals(ids)
    return Ids.of(texts(ids, "doc_ids"))


def _on_host(ids: Any) -> Any:
    if hasattr(ids, "to_numpy"):
        return ids.to_numpy()
    if hasattr(ids, "shape") and not isinstance(ids, np.ndarray):
        return on_host(ids)
    return ids if hasattr(ids, "__len__") else list(ids)


def _is_nested(ids: Any) -> bool:
    return len(ids) > 0 and not isinstance(ids[0], (str, bytes)) and hasattr(ids[0], "__len__")


def _first_repeated(rows: Ints, ids: Ids) -> int:
    """The place of the first id that its row repeats, or 0."""
    repeated, _ = core.duplicates(rows, ids.data, ids.offsets)
    return int(np.frombuffer(repeated, dtype=np.int64)[0]) if len(repeated) else 0


@lru_cache(maxsize=8)
def order_of_numbers(count: int) -> Ints:
    """The numbers below a count, in the order of their decimals as bytes."""
    order = np.argsort(comparable(decimals(np.arange(count))), kind="stable")
    order.flags.writeable = False
    return order


@lru_cache(maxsize=8)
def numbers_as_ids(count: int) -> tuple[str, ...]:
    """The ids 0, 1, 2, ..."""
    return tuple(map(str, range(count)))


@lru_cache(maxsize=8)
def sorted_numbers_as_ids(count: int) -> tuple[str, ...]:
    """The same, sorted as bytes."""
    return tuple(map(numbers_as_ids(count).__getitem__, order_of_numbers(count).tolist()))
