"""Two-dimensional arrays, as scikit-learn takes them: a row per topic, a column per document, called 0, 1, 2,
...

Libraries for nearest neighbours return ids of documents instead, best first, alone or beside an array of
their scores or distances: `(D, I)`.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.errors import InputError
from rankgauge.formats import mapping
from rankgauge.formats.columns import Columns, in_order_of
from rankgauge.formats.frames import decimals
from rankgauge.formats.mapping import Judged
from rankgauge.formats.problems import HOLDS, NUMBER, VALUE, looks_like, quote
from rankgauge.formats.row_reader import Unfit, is_scalar, number, numbers_of
from rankgauge.schema.text import brief, counted, described

# Types of scores and ids; bm25s returns ids that are texts, or records.
NUMBERED_OR_NAMED = (["float", "int"], ["float", "uint"], ["<U", "float"], ["float", "object"])
IDS_OR_SCORES = (
    "integers are ambiguous: document ids, best first, or scores? For ids, pass dict(zip(topics, "
    "array.tolist())); for scores, numpy.array(lists, dtype=float)"
)


def is_array(value: Any) -> bool:
    """Whether this is an array, or lists of numbers."""
    if isinstance(value, (list, tuple)):
        return bool(value) and _is_line(value[0])
    return hasattr(value, "shape") and hasattr(value, "dtype") and not is_scalar(value)


def _is_line(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return (
            bool(value) and not hasattr(value, "_fields") and all(number(each) is not None for each in value)
        )
    return is_array(value) and len(value.shape) == 1


def is_search(value: Any) -> bool:
    """Whether this is a tuple of scores and ids."""
    if not (isinstance(value, tuple) and tuple.__len__(value) == 2 and all(map(is_array, value))):
        return False
    try:
        arrays = [np.array(each) if isinstance(each, list) else each for each in value]
    except (TypeError, RuntimeError, ValueError):  # rows of different lengths, or tensors
        return False
    shapes, kinds = ([getattr(each, name, None) for each in arrays] for name in ("shape", "dtype"))
    names = sorted(str(kind).removeprefix("torch.").rstrip("0123456789") for kind in kinds)
    return shapes[0] == shapes[1] and len(shapes[0] or ()) == 2 and names in NUMBERED_OR_NAMED


def read_search(found: Any, kind: str) -> Columns:
    """The columns of a search: scores or distances, and ids, best first."""
    if kind == "qrels":
        raise InputError(looks_like("run"))
    arrays = [each if _named(each) else _values(each, kind) for each in found]
    values, ids = sorted(arrays, key=lambda each: each.dtype.kind != "f")
    pairs = zip(ids.tolist(), values.tolist(), strict=True)
    lists = [[pair for pair in zip(*row, strict=True) if pair[0] != -1] for row in pairs]
    return in_order_of(mapping.read(dict(enumerate(lists)), kind), "search")


def _named(ids: Any) -> bool:
    return isinstance(ids, np.ndarray) and ids.dtype.kind in "UO"


def _read_ids(ids: npt.NDArray[Any], judged: Judged | None) -> Columns:
    """The columns of an array of ids, best first; an error unless the judgments show that it has ids.

    It does if judged documents are among the ids and none is named like a column, so that no score would be
    one of a judged document; and if it has not two or three columns, which could be those of rows.
    """
    lists, columns = ids.tolist(), [*map(str, range(ids.shape[1]))]
    certain = False
    if judged is not None and judged.shape is None and len(columns) not in (2, 3):
        grades = [judged.grades_of(str(topic)) for topic in range(len(lists))]
        found = any(str(id) in each for row, each in zip(lists, grades, strict=True) for id in row)
        certain = found and not any(column in each for each in grades for column in columns)
    if not certain:
        raise InputError(IDS_OR_SCORES)
    return mapping.read(dict(enumerate(lists)), "run", judged=judged)


def read(array: Any, kind: str, judged: Judged | None = None) -> Columns:
    """The columns of an array; as a run, integers are ids of documents or refused (`_read_ids`).

    So are rows (topic, document, number) whose ids are numbers.
    """
    first, value = array[0] if isinstance(array, (list, tuple)) else (), VALUE[kind]
    of_three = isinstance(first, (list, tuple)) and len(first) == 3
    if of_three and all(isinstance(id, Integral) for id in first[:2]):
        raise InputError(
            f"lists such as {first} could be rows (topic, document, {value}), or the {value}s of three "
            "documents; for rows, pass the ids as text; for an array with a row per topic, numpy.array(..., "
            "dtype=float)"
        )
    values = _values(array, kind)
    if kind == "run" and values.dtype.kind in "iu":
        return _read_ids(values, judged)
    topics, documents = values.shape
    return Columns(
        kind=kind,
        topic=decimals(np.arange(topics)).take(np.repeat(np.arange(topics), documents)),
        doc=decimals(np.arange(documents)).take(np.tile(np.arange(documents), topics)),
        value=values.astype(np.float64, copy=False).ravel(),
        first=None,
        shape=(topics, documents),
    )


def _values(array: Any, kind: str) -> npt.NDArray[Any]:
    if np.ma.is_masked(array):
        raise InputError(f"some {VALUE[kind]}s of the array are masked; fill them")
    if hasattr(array, "toarray"):
        raise InputError(
            f"{described(array)} is sparse, and no {VALUE[kind]} is not the same as 0; "
            f"pass {{topic: {{document: {VALUE[kind]}}}}}, or array.toarray() if the others have 0"
        )
    if isinstance(array, (list, tuple)):
        _refuse_ragged(array, kind)
        array = [row.tolist() if hasattr(row, "tolist") else row for row in array]
    try:
        values = np.asarray(array)
    except (TypeError, RuntimeError, ValueError):  # a tensor on another device, or with a gradient
        values = np.asarray(array.tolist() if hasattr(array, "tolist") else array, dtype=object)
    if values.ndim != 2:
        hint = "; for one topic, array.reshape(1, -1)" if values.ndim == 1 else ""
        raise InputError(
            f"an array of {counted(values.ndim, 'dimension')} is not {HOLDS[kind]}; use two: a row per topic "
            f"and a column per document{hint}"
        )
    if values.dtype.kind == "O":
        return _converted(values, kind)
    if values.dtype.kind not in "biuf":
        raise InputError(f"the array holds values of type {values.dtype}, not {VALUE[kind]}s; {NUMBER[kind]}")
    return values


def _converted(values: npt.NDArray[Any], kind: str) -> npt.NDArray[Any]:
    flat = values.ravel().tolist()
    try:
        numbers = numbers_of(flat).reshape(values.shape)
        return values.astype(np.int64) if all(isinstance(each, Integral) for each in flat) else numbers
    except OverflowError:
        raise InputError(
            f"an integer of the array has more than 64 bits; for {VALUE[kind]}s, pass numpy.array(..., "
            "dtype=float)"
        ) from None
    except Unfit as error:
        row, column = divmod(error.place, values.shape[1])
        value = values[row, column]
        raise InputError(
            f"row {row}, column {column} (counted from 0): the {VALUE[kind]} is not a number: "
            f"{quote(brief(value))} ({type(value).__name__}); {NUMBER[kind]}"
        ) from None


def _refuse_ragged(rows: Any, kind: str) -> None:
    sizes = [len(row) if hasattr(row, "__len__") else None for row in rows]
    for row, size in enumerate(sizes):
        if size != sizes[0]:
            if kind == "run" and all(isinstance(each, Integral) for each in rows[0]):
                raise InputError(IDS_OR_SCORES)
            found = "is not a list" if size is None else f"has {counted(size, 'value')}"
            raise InputError(
                f"row {row} (counted from 0) {found}, and row 0 has {sizes[0]}; give all rows one length, "
                f"or pass {{topic: {{document: {VALUE[kind]}}}}}"
            )
