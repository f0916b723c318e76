"""Vectors of documents, in blocks, and of queries, in memory; the options of a search."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from rankgauge.core.ids import Ids
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.devices import ids
from rankgauge.extensions.devices.dense import arrays
from rankgauge.extensions.devices.dense.sources import Vectors, VectorSource, open_vectors
from rankgauge.extensions.devices.ids import IdColumn, IdIndex
from rankgauge.extensions.devices.vectors.counting import Arithmetic
from rankgauge.formats.problems import quote
from rankgauge.measures.rankings.arrays.curves import Ints
from rankgauge.model.rules import Judging
from rankgauge.schema.options import in_python, whole_number
from rankgauge.schema.stopping import checkpoint
from rankgauge.schema.text import counted, described, unknown_option

SMALL = 1 << 12  # rows; a block of fewer is put together with those that follow it
LOOKED_THROUGH = 1 << 12  # rows of a file that are looked through at once
BLOCK = 1 << 27  # bytes of a block on the host
DEVICE_SHARE = 0.25  # of the memory that is free on a device: others use it as well, and what is free changes


class Options(Judging, total=False):
    """The options of dense retrieval."""

    query_ids: Any  # of the rows of queries: a list, an array or a file; else they are numbered from 0
    doc_ids: Any  # of the rows of documents
    similarity: str  # "dot", "cosine" or "euclidean" (minus the squared distance)
    exclude: Mapping[str, Iterable[str]] | None  # {query: documents that are left out of its ranking}
    name: str  # of the run
    device: Any  # of torch
    block: int | None  # documents at once; else by the memory that a block takes
    progress: Callable[[int, int | None], None] | None  # of documents counted, and how many there are
    names: str  # under which results have measures


SEARCH: dict[str, Any] = {
    "query_ids": None,
    "doc_ids": None,
    "similarity": "dot",
    "exclude": None,
    "name": "run",
    "device": None,
    "block": None,
    "progress": None,
}  # options on the search, with their defaults


def split_options(
    verb: str, options: Mapping[str, Any], known: Iterable[str] = Options.__annotations__
) -> tuple[dict[str, Any], dict[str, Any]]:
    """(options of the search, with defaults; the others); an error for one that is not `known`."""
    for name in options.keys() - {*known}:
        raise OptionError(unknown_option(verb, "option", name, [*known, "depth"]))
    search = SEARCH | {name: option for name, option in options.items() if name in SEARCH}
    return search, {name: option for name, option in options.items() if name not in SEARCH}


class Block(NamedTuple):
    """Consecutive vectors, from row `first` on."""

    first: int
    ids: IdColumn
    vectors: Any  # (rows, dim), an array of NumPy or a tensor of torch


class Documents:
    """The vectors of documents and their ids, in blocks; without ids, documents are "0", "1", ..."""

    def __init__(self, given: Any, doc_ids: Any, *, once: bool, what: str) -> None:
        self._what = what
        given_ids: tuple[IdColumn, list[tuple[str, int]]] = (
            (None, []) if doc_ids is None else ids.read_ids(doc_ids, what)
        )
        self._given, files = given_ids
        self._source: VectorSource = open_vectors(given, what, with_ids=doc_ids is None)
        self.count = self._source.rows  # None before the first pass over a stream
        self._once, self._is_used = isinstance(self._source.stream, Iterator), False
        self._begun: Iterator[Vectors] | None = None  # a pass over a stream, to be gone on with
        self._own: list[IdColumn] = []  # ids that came with the vectors, of all rows that were seen
        self._passed = False
        if self._once and not once:
            raise _only_once(given)
        if self._given is not None and self.count is not None:
            _check_files(files, self._source.files)
            self._check_count(self.count)
        self.sample, self.are_numbered = self._first_block()
        self.dim, self.dtype = int(self.sample.shape[1]), arrays.type_name(self.sample)

    @staticmethod
    def of(given: Any, doc_ids: Any = None, *, once: bool = False, what: str = "documents") -> Documents:
        """The documents in an array, a tensor, files, a frame, a dict or a stream of blocks.

        `doc_ids` are the ids of rows: a list, an array or a file. `once` allows an iterator.
        """
        return given if isinstance(given, Documents) else Documents(given, doc_ids, once=once, what=what)

    def _first_block(self) -> tuple[Any, bool]:
        """(an array of this type without rows, whether documents have ids)."""
        blocks = self._opened(1, None)
        first = next(blocks, None)
        if first is None:
            raise InputError(f"there are no {self._what}: no row of vectors")
        own, vectors = first
        if own is not None and self._given is not None:
            raise InputError(f"the ids of the {self._what} are in the blocks and also given; pass them once")
        if self._source.stream is not None:
            self._begun = itertools.chain([first], blocks)
        return arrays.native(vectors[:0]), own is None and self._given is None

    def _opened(self, rows: int, wanted: IdIndex | None) -> Iterator[Vectors]:
        if self._is_used and self._once:
            raise OptionError("the documents were gone through already, and can be only once")
        self._is_used = True
        return self._source.open(rows, wanted)

    def _pass(self, rows: int, wanted: IdIndex | None = None) -> Iterator[tuple[IdColumn, Any]]:
        """(ids, vectors) of each block; all passes must have the same.

        Vectors may be None where none of them is wanted.
        """
        blocks, self._begun = self._begun or self._opened(rows, wanted), None
        first, self._own = 0, self._own if self._passed else []
        for own, vectors in blocks:
            last = first + len(vectors if own is None else own)
            if own is None and self._given is not None and last > len(self._given):
                self._check_count(last + sum(len(rest) for _, rest in blocks))
            if own is not None and not self._passed:
                self._own.append(own)
            elif own is not None and not ids.are_same(ids.part(self._ids, first, last), own):
                raise self._changed(f"the ids of the rows from {first} on differ")
            known = range(first, last) if self._given is None else ids.part(self._given, first, last)
            yield known if own is None else own, vectors
            first = last
        if self._given is not None:
            self._check_count(first)
        if self.count not in (None, first):
            raise self._changed(f"the first pass had {self.count:,}, and this one {first:,}")
        self.count, self._passed = first, True

    def blocks(self, rows: int) -> Iterator[Block]:
        """All vectors, in blocks of at most `rows` rows."""
        first = 0
        for known, vectors in _gathered(self._pass(rows), whole_number("rows", rows)):
            yield Block(first, known, vectors)
            first += len(vectors)

    def find(self, wanted: IdIndex) -> tuple[Ints, Any]:
        """(places of the ids that exist, their vectors), in the order of rows."""
        if self._once:
            raise _only_once(self._source.stream)
        found, vectors, first = [np.empty((2, 0), dtype=np.int64)], [self.sample], 0
        for known, block in self._pass(LOOKED_THROUGH, wanted):
            place, row = wanted.matches(known)
            found.append(np.array([place, first + row]))
            if len(row):
                vectors.append(arrays.rows_of(block, row))
            first += len(known)
        place, row = np.concatenate(found, axis=1)
        wanted.rows(place, row)
        return place, arrays.concatenated(vectors[1:] or vectors)

    def ids_of(self, rows: Iterable[int]) -> Ids:
        """The ids of rows that were seen before, if ids came with the vectors."""
        wanted = rows if isinstance(rows, np.ndarray) else np.fromiter(rows, dtype=np.int64)
        return ids.take(self._ids, wanted)

    @property
    def _ids(self) -> IdColumn:
        if self.are_numbered:
            return range(1 << 62)
        if self._given is None:
            self._own = [ids.joined(self._own)]
        return self._own[0] if self._given is None else self._given

    def _check_count(self, count: int) -> None:
        if len(self._given) != count:
            raise InputError(
                f"{counted(len(self._given), 'id')} for {counted(count, 'vector')} of the {self._what}; each "
                "needs one, in the same order"
            )

    def _changed(self, how: str) -> InputError:
        return InputError(
            f"the {self._what} differ between two passes: {how}; the function must return the same ones "
            "in the same order each time"
        )


def _only_once(given: Any) -> OptionError:
    return OptionError(
        f"{described(given)} can be gone through only once, and documents are read twice: first the judged "
        "ones, then all; pass a function that returns the iterator (without calling it), or the vectors of "
        f"the judged documents{in_python(' (judged=)')}"
    )


def _check_files(of_ids: list[tuple[str, int]], of_vectors: Any) -> None:
    """Files of ids, if as many as those of vectors, must have as many rows each."""
    if 1 < len(of_vectors) == len(of_ids):
        for (path, count), (id_path, id_count) in zip(of_vectors, of_ids, strict=True):
            if count != id_count:
                raise InputError(
                    f"{counted(id_count, 'id')} for the {counted(count, 'vector')} of {path}, which is in "
                    "the same place; files of ids and of vectors must go together",
                    path=id_path,
                )


def _gathered(blocks: Iterator[tuple[IdColumn, Any]], rows: int) -> Iterator[tuple[IdColumn, Any]]:
    """Blocks of at most `rows` rows: larger ones are cut, without a copy, small ones joined."""
    small: list[tuple[IdColumn, Any]] = []
    held = 0
    for known, vectors in blocks:
        size = len(vectors)
        if small and (held + size > rows or size >= SMALL):
            yield _put_together(small)
            small, held = [], 0
        if size < min(SMALL, rows):
            small.append((known, vectors))
            held += size
            continue
        for first in range(0, size, rows):
            yield (
                ids.part(known, first, min(first + rows, size)),
                arrays.native(vectors[first : first + rows]),
            )
    if small:
        yield _put_together(small)


def _put_together(blocks: list[tuple[IdColumn, Any]]) -> tuple[IdColumn, Any]:
    known, vectors = zip(*blocks, strict=True)
    return ids.joined(known), arrays.native(arrays.concatenated(vectors))


class Queries(NamedTuple):
    """The vectors of queries, in memory, with distinct ids."""

    ids: Ids
    vectors: Any  # (queries, dim), an array of NumPy or a tensor of torch

    @staticmethod
    def of(given: Any, query_ids: Any = None) -> Queries:
        """The queries in anything that `Documents.of` takes."""
        if isinstance(given, Queries):
            return given
        opened = Documents.of(given, query_ids, once=True, what="queries")
        vectors = arrays.concatenated([block.vectors for block in opened.blocks(1 << 20)])
        if isinstance(vectors, np.ndarray) and not vectors.flags.owndata:  # such as rows of a file
            vectors = vectors.copy()
        names = opened.ids_of(np.arange(len(vectors)))
        code, distinct = names.encode()
        if len(distinct) < len(names):
            second = int(np.argmin(np.diff(np.maximum.accumulate(code)))) + 1  # new ids have new codes
            raise InputError(
                f"rows {int(np.argmax(code == code[second]))} and {second} (counted from 0) of the queries "
                f"both have the id {quote(names[second])}; a query has one vector: remove one of them"
            )
        return Queries(names, vectors)


def blocks_of(documents: Documents, arithmetic: Arithmetic, search: Mapping[str, Any]) -> Iterator[Block]:
    """All documents in blocks, of the requested size or one that takes little memory."""
    fitting = max(_bytes_of_block(arithmetic.device) // (8 * documents.dim), 1)
    rows = search["block"] or min(fitting, arithmetic.block_rows)
    progress, done = search["progress"], 0
    for block in documents.blocks(rows):
        checkpoint()
        yield block
        done += len(block.vectors)
        if progress is not None:
            progress(done, documents.count)


def _bytes_of_block(device: Any) -> int:
    if device is None or device.type != "cuda":
        return BLOCK
    import torch

    free: int = torch.cuda.mem_get_info(device)[0]
    held = torch.cuda.memory_stats(device)  # what torch holds without using it is free to it as well
    free += held["reserved_bytes.all.current"] - held["allocated_bytes.all.current"]
    return max(int(free * DEVICE_SHARE), BLOCK)


def check_dimensions(**sizes: int) -> None:
    """Raise an error if kinds of vectors differ in length."""
    if len({*sizes.values()}) > 1:
        found = ", ".join(f"{kind.replace('_', ' ')} {size}" for kind, size in sizes.items())
        raise InputError(f"vectors must have as many numbers each; there are: {found}")


def not_finite(what: str, identifier: str | bytes) -> InputError:
    """The error for a vector with infinite, undefined or too large numbers."""
    return InputError(
        f"the vector of {what} {quote(identifier)} has numbers that are not finite, or too large; scores "
        f"need finite numbers: mend or leave out the {what}"
    )
