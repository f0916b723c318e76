"""Columns of ids, given or in files, and the rows of ids in them.

A column is a `range` (numbered documents), an array of integers, or `Ids`.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge import core
from rankgauge.core.ids import Ids
from rankgauge.errors import InputError
from rankgauge.formats import frames
from rankgauge.formats.columns import joined_ids
from rankgauge.formats.patterns import files_below
from rankgauge.formats.problems import quote
from rankgauge.formats.source import Source, expand, is_pattern
from rankgauge.measures.rankings.arrays.curves import Ints
from rankgauge.model.qrels import comparable
from rankgauge.schema.text import counted, described

IdColumn = Any  # range | Ints | Ids
PIECE = 1 << 20  # ids that are made into Python objects at once
DECIMAL = re.compile(rb"0|-?[1-9][0-9]{0,18}")
ALLOWED = (
    "use a list or an array of texts or integers, or a file: one id per line, a .npy of integers or texts, "
    "or a JSON list"
)


class IdIndex:
    """Distinct ids, to be found in columns; an integer has the id of its decimal text (7 is not `007`)."""

    def __init__(self, ids: Ids) -> None:
        self.ids = ids

    def __len__(self) -> int:
        return len(self.ids)

    def matches(self, column: IdColumn) -> tuple[Ints, Ints]:
        """(places among these ids, rows of the column that have them), by row."""
        if isinstance(column, Ids):
            place = self.places(column)
            row = np.flatnonzero(place >= 0)
            return place[row], row
        value, place = self._integers
        if isinstance(column, range):
            begin, end = np.searchsorted(value, (column.start, column.stop))
            return place[begin:end], value[begin:end] - column.start
        if not len(value):
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        nearest = np.minimum(np.searchsorted(value, column), len(value) - 1)
        row = np.flatnonzero(value[nearest] == column)
        return place[nearest[row]], row

    def places(self, ids: Ids) -> Ints:
        """(ids,): the place of each among these, or -1."""
        found = self._table.lookup(np.zeros(len(ids), dtype=np.int64), ids.data, ids.offsets)
        return np.frombuffer(found, dtype=np.int64)

    def rows(self, place: Ints, row: Ints) -> Ints:
        """(ids,): the row of each id by its matches, or -1; several rows are an error."""
        rows = np.full(len(self), -1)
        rows[place[::-1]] = row[::-1]  # the first of several rows is written last
        again = rows[place] != row
        if again.any():
            second = int(np.argmax(again))
            raise InputError(
                f"rows {rows[place[second]]} and {row[second]} (counted from 0) both have the id "
                f"{quote(self.ids[int(place[second])])}; "
                "a document has one vector: remove one of them, or give it another id"
            )
        return rows

    @functools.cached_property
    def _table(self) -> Any:
        """The core's lookup table, with the ids as judgments of one topic."""
        count, docs = len(self.ids), self.ids
        topic = b"", np.zeros(2, dtype=np.int64), np.array([0, count])
        return core.Judgments(*topic, docs.data, docs.offsets, np.zeros(count), 0.0)

    @functools.cached_property
    def _integers(self) -> tuple[Ints, Ints]:
        """(integers among these ids, ascending; their places)."""
        value, place = integers(self.ids)
        order = np.argsort(value)
        return value[order], place[order]


def integers(ids: Ids) -> tuple[Ints, Ints]:
    """(64-bit integers whose decimal text is one of these ids, the places of these)."""
    keys = comparable(ids)
    usual = np.zeros(len(keys), dtype=np.bool_)  # digits alone, which NumPy reads
    if keys.dtype.kind == "S":
        usual = np.char.isdigit(keys) & (np.char.str_len(keys) < 19)
        usual &= (keys.astype("S1") != b"0") | (keys == b"0")
    others = [n for n in np.flatnonzero(~usual).tolist() if DECIMAL.fullmatch(ids[n])]
    others = [n for n in others if -(1 << 63) <= int(ids[n]) < 1 << 63]
    value = np.append(keys[usual].astype(np.int64), [int(ids[n]) for n in others]).astype(np.int64)
    return value, np.append(np.flatnonzero(usual), others).astype(np.int64)


def places(ids: Ids, known: Ids) -> Ints:
    """(ids,): the place of each among known ids, or -1."""
    every = joined_ids([known, ids])
    codes, firsts = (np.frombuffer(each, np.int64) for each in core.encode(every.data, every.offsets))
    first = firsts[codes[len(known) :]]
    return np.where(first < len(known), first, -1)


def part(column: IdColumn, first: int, last: int) -> IdColumn:
    """The ids of the rows from `first` to before `last`, not copied."""
    return column.part(slice(first, last)) if isinstance(column, Ids) else column[first:last]


def take(column: IdColumn, rows: Ints) -> Ids:
    """The ids of these rows."""
    if isinstance(column, Ids):
        return column.take(rows)
    return frames.decimals(column.start + rows if isinstance(column, range) else column[rows])


def joined(columns: Sequence[IdColumn]) -> IdColumn:
    """Consecutive columns as one; integers become texts if others are."""
    if len(columns) == 1:
        return columns[0]
    if all(isinstance(column, range) for column in columns):
        return range(columns[0].start, columns[-1].stop)
    if not any(isinstance(column, Ids) for column in columns):
        return np.concatenate(columns)
    return joined_ids([take(column, np.arange(len(column))) for column in columns])


def are_same(one: IdColumn, other: IdColumn) -> bool:
    """Whether two columns have the same ids in the same order."""
    if len(one) != len(other):
        return False
    if isinstance(one, Ids) or isinstance(other, Ids):
        ids, others = (take(column, np.arange(len(column))) for column in (one, other))
        return np.array_equal(ids.offsets, others.offsets) and bytes(ids.data) == bytes(others.data)
    return np.array_equal(one, other)


def is_path(value: Any) -> bool:
    """Whether this is a path or a pattern."""
    return isinstance(value, (str, os.PathLike))


def is_paths(value: Any) -> bool:
    """Whether this is a list of paths."""
    return isinstance(value, (list, tuple)) and bool(value) and all(map(is_path, value))


def paths_of(given: Any) -> list[str]:
    """The files of a list, in its order, or of a pattern, by the numbers in names (d2, d10)."""
    if not is_path(given):
        return [path for each in given for path in paths_of(each)]
    name = os.fspath(given)
    if not isinstance(name, str):
        raise InputError(f"expected the path of a file as text, not {given!r}")
    if is_pattern(name) or not os.path.isdir(name):  # noqa: PTH112
        return sorted(expand(name), key=natural)
    files = sorted(files_below(name), key=natural)
    if not files:
        raise InputError("the directory has no files; name the files of vectors", path=name)
    return files


def natural(path: str) -> list[tuple[int, str]]:
    """A sort key that compares numbers in names by value."""
    parts = re.split(r"([0-9]+)", path)
    return [(int(part), part) if part.isdecimal() else (-1, part) for part in parts]


def read_ids(given: Any, what: str = "documents") -> tuple[IdColumn, list[tuple[str, int]]]:
    """(ids in a list, an array or files, [(path, number of ids)])."""
    # A list of texts is a list of ids, whatever files there are; one of pathlib's paths is a list of files.
    if is_path(given) or (is_paths(given) and not any(isinstance(each, str) for each in given)):
        paths = paths_of(given)
        parts = [_in_file(path) for path in paths]
        return joined(parts), [(path, len(part)) for path, part in zip(paths, parts, strict=True)]
    if isinstance(given, (bytes, Mapping)) or not hasattr(given, "__len__"):
        raise InputError(f"{described(given)} does not hold the ids of {what}; {ALLOWED}")
    return of_values(given), []


def of_values(values: Any) -> IdColumn:
    """The ids in a sequence, an array or a tensor of one dimension, or an Arrow column."""
    if type(values).__module__.partition(".")[0] == "pyarrow":
        import pyarrow as pa

        if not pa.types.is_integer(values.type) or values.null_count:
            return frames.ids(pa.table({"ids": values}), "ids")
        values = values.to_numpy()
    if hasattr(values, "detach"):  # a tensor, which may be on another device
        values = values.detach().cpu().numpy()
    if isinstance(values, (list, tuple, range)) and set(map(type, values)) == {int}:
        exact = np.asarray(values)
        values = values if exact.dtype.kind == "O" else exact  # integers of more than 64 bits
    if hasattr(values, "dtype"):
        return _of_array(np.asarray(values))
    return frames.ids({"ids": values}, "ids")


def _of_array(array: npt.NDArray[Any]) -> IdColumn:
    if array.ndim != 1:
        raise InputError(f"the ids have {counted(array.ndim, 'dimension')}; use one: an id for each vector")
    if array.dtype.kind in "iu":
        fits = array.dtype.kind == "i" or array.max(initial=0) < 1 << 63
        return array.astype(np.int64, copy=False) if fits else frames.decimals(array)
    if array.dtype.kind in "fcbMmV":
        raise InputError(f"the ids are of type {array.dtype}; use texts or integers: ids.astype(str)")
    pieces = range(0, max(len(array), 1), PIECE)
    return joined_ids([frames.ids({"ids": array[first : first + PIECE]}, "ids") for first in pieces])


def _in_file(path: str) -> IdColumn:
    source = Source(path)
    try:
        if source.head.startswith(np.lib.format.MAGIC_PREFIX):
            if source.compression:
                raise InputError(
                    f"a compressed .npy file of ids is not read; decompress it ({source.compression})"
                )
            return _of_array(_array_in(path))
        text = b"".join(source.chunks())
        if os.path.splitext(path.lower())[1] == ".json" or text.lstrip().startswith(b"["):  # noqa: PTH122
            return of_values(_json_list(text))
        if b"\0" in source.head:
            raise InputError(f"this is neither text nor an .npy file; {ALLOWED}")
        return _lines(text, path)
    except InputError as error:
        raise error if error.path else InputError(str(error), path=source.path) from None


def _array_in(path: str) -> Any:
    try:
        return np.load(path, allow_pickle=False)
    except Exception as error:  # NumPy reads its header as Python, and fails in as many ways
        reason = quote(str(error), 200)
        raise InputError(
            f"the .npy file cannot be read ({reason}); save texts or integers, not Python objects"
        ) from None


def _json_list(text: bytes) -> list[Any]:
    import json

    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"this is not JSON ({error}); use a JSON list of ids, or a text with one id per line"
        ) from None
    if not isinstance(values, list):
        raise InputError(f"the file holds {described(values)}; use a JSON list of ids")
    return values


def _lines(data: bytes, path: str) -> Ids:
    """The lines of a text as ids, without an object for each."""
    if data and not data.endswith(b"\n"):
        data += b"\n"
    text = np.frombuffer(data.replace(b"\r\n", b"\n"), dtype=np.uint8)
    ends = np.flatnonzero(text == ord("\n"))
    begins = np.append(0, ends[:-1] + 1)[: len(ends)]
    blank = np.isin(text[begins], (ord(" "), ord("\r"))) | np.isin(text[ends - 1], (ord(" "), ord("\r")))
    for lines, message in (
        (np.flatnonzero(begins == ends), "the line is empty; use one id per line"),
        (
            np.searchsorted(ends, np.flatnonzero(text == ord("\t"))),
            "the line has several columns; use one id per line: cut -f1 FILE",
        ),
        (np.flatnonzero(blank), "the id begins or ends with a blank; remove it"),
    ):
        if len(lines):
            raise InputError(message, path=path, line=int(lines[0]) + 1)
    offsets = np.append(0, ends - np.arange(len(ends)))  # those of the text without its line ends
    return Ids(text[text != ord("\n")].tobytes(), offsets)
