"""The ids of vectors, as they are passed: lists, arrays, columns, and files of ids."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.core.ids import Ids
from rankgauge.errors import InputError
from rankgauge.evaluation.dense.identifiers import IdColumn, IntegerIds, TextIds
from rankgauge.evaluation.dense.npy_files import NpyFile, is_npy
from rankgauge.evaluation.dense.paths import is_path, is_paths, paths_of
from rankgauge.formats import frames
from rankgauge.formats.columns import joined_ids
from rankgauge.formats.source import Source
from rankgauge.schema.text import counted, described

PIECE = 1 << 20  # ids that are made into Python objects at once
ALLOWED = (
    "use a list or an array of texts or integers, or a file: one id per line, a .npy of integers or texts, "
    "or a JSON list"
)


def read_ids(given: Any, what: str = "documents") -> IdColumn:
    """The ids in a list, an array, a column of Arrow, or one or several files."""
    # A list of texts is a list of ids, whatever files there are; one of pathlib's paths is a list of files.
    if is_path(given) or (is_paths(given) and not any(isinstance(each, str) for each in given)):
        paths = paths_of(given)
        parts = [_in_file(path) for path in paths]
        ids = joined(parts)
        ids.files = tuple((path, len(part)) for path, part in zip(paths, parts, strict=True))
        return ids
    if isinstance(given, (bytes, Mapping)) or not hasattr(given, "__len__"):
        raise InputError(f"{described(given)} does not hold the ids of {what}; {ALLOWED}")
    return _of_values(given)


def check_files(ids: IdColumn, files: Sequence[tuple[str, int]]) -> None:
    """If there are as many files of ids as of vectors, raise an error unless they go together."""
    if 1 < len(files) == len(ids.files):
        for (path, count), (id_path, id_count) in zip(files, ids.files, strict=True):
            if count != id_count:
                raise InputError(
                    f"{counted(id_count, 'id')} for the {counted(count, 'vector')} of {path}, which is in "
                    "the same place; files of ids and of vectors must go together",
                    path=id_path,
                )


def check_count(ids: IdColumn, count: int, what: str = "documents") -> None:
    """Raise an error if there are not as many ids as vectors."""
    if len(ids) != count:
        raise InputError(
            f"{counted(len(ids), 'id')} for {counted(count, 'vector')} of the {what}; each needs one, "
            "in the same order"
        )


def joined(columns: Sequence[IdColumn]) -> IdColumn:
    """One column of several; if some are integers and some not, all are texts."""
    if len(columns) == 1:
        return columns[0]
    numbers = [column.numbers for column in columns if isinstance(column, IntegerIds)]
    if len(numbers) == len(columns) and len({array.dtype.kind for array in numbers}) == 1:
        return IntegerIds(np.concatenate(numbers))
    return TextIds(joined_ids([column.whole() for column in columns]))


def _of_values(values: Any) -> IdColumn:
    """The ids in a sequence, an array or a tensor of one dimension, or a column of Arrow."""
    if type(values).__module__.partition(".")[0] == "pyarrow":
        return of_arrow(values)
    if hasattr(values, "detach"):  # a tensor, which may be on another device
        values = values.detach().cpu().numpy()
    if isinstance(values, (list, tuple, range)) and set(map(type, values)) == {int}:
        exact = np.asarray(values)
        values = values if exact.dtype.kind == "O" else exact  # integers of more than 64 bits
    if hasattr(values, "dtype") and not isinstance(values, np.ndarray):
        values = np.asarray(values)
    if isinstance(values, np.ndarray):
        return _of_array(values)
    return TextIds(frames.ids({"ids": values}, "ids"))


def _of_array(array: npt.NDArray[Any]) -> IdColumn:
    if array.ndim != 1:
        raise InputError(f"the ids have {counted(array.ndim, 'dimension')}; use one: an id for each vector")
    if array.dtype.kind in "iu":
        return IntegerIds(np.asarray(array, dtype=array.dtype.newbyteorder("=")))
    if array.dtype.kind in "fcbMmV":
        raise InputError(f"the ids are of type {array.dtype}; use texts or integers: ids.astype(str)")
    parts = [
        frames.ids({"ids": array[first : first + PIECE]}, "ids") for first in range(0, len(array), PIECE)
    ]
    return TextIds(joined_ids(parts or [Ids.of([])]))


def of_arrow(column: Any) -> IdColumn:
    """The ids in an array or chunked array of pyarrow."""
    import pyarrow as pa

    if pa.types.is_integer(column.type) and not column.null_count:
        return IntegerIds(column.to_numpy())
    return TextIds(frames.ids(pa.table({"ids": column}), "ids"))


def _in_file(path: str) -> IdColumn:
    source = Source(path)
    try:
        if is_npy(source.head):
            return _of_array(NpyFile(path).whole())
        if os.path.splitext(path.lower())[1] == ".json" or source.head.lstrip().startswith(b"["):  # noqa: PTH122
            return _of_values(_json_list(source))
        if b"\0" in source.head:
            raise InputError(f"this is neither text nor an .npy file; {ALLOWED}")
        return TextIds(lines(b"".join(source.chunks()), path))
    except InputError as error:
        raise error if error.path else InputError(str(error), path=source.path) from None


def _json_list(source: Source) -> list[Any]:
    import json

    try:
        values = json.loads(b"".join(source.chunks()))
    except (ValueError, RecursionError) as error:
        message = f"this is not JSON ({error}); use a JSON list of ids, or a text with one id per line"
        raise InputError(message, path=source.path) from None
    if not isinstance(values, list):
        raise InputError(f"the file holds {described(values)}; use a JSON list of ids", path=source.path)
    return values


def lines(data: bytes, path: str) -> Ids:
    """The lines of a text as ids, without making an object of each."""
    if data and not data.endswith(b"\n"):
        data += b"\n"
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    text = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(text == ord("\n"))
    begins = np.append(0, ends[:-1] + 1)[: len(ends)]
    for place, message in (
        (_first(begins == ends), "the line is empty; use one id per line"),
        (_line_of(data, b"\t", ends), "the line has several columns; use one id per line: cut -f1 FILE"),
        (
            _first(_blank(text, begins) | _blank(text, ends - 1)),
            "the id begins or ends with a blank; remove it",
        ),
    ):
        if place is not None:
            raise InputError(message, path=path, line=place + 1)
    offsets = np.append(0, ends - np.arange(len(ends)))  # those of the text without its line ends
    return Ids(text[text != ord("\n")].tobytes(), offsets)


def _blank(text: npt.NDArray[np.uint8], places: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    return np.asarray(np.isin(text[places], (ord(" "), ord("\r"))))


def _first(mask: npt.NDArray[np.bool_]) -> int | None:
    return int(mask.argmax()) if mask.any() else None


def _line_of(data: bytes, character: bytes, ends: npt.NDArray[np.int64]) -> int | None:
    place = data.find(character)
    return None if place < 0 else int(np.searchsorted(ends, place))
