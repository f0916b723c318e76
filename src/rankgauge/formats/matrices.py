"""Two-dimensional arrays, as scikit-learn takes them: a row per topic, a column per document.

Topics and documents are called 0, 1, 2, ... An array is NumPy's, torch's or any other with the array
protocol, or lists of numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.errors import InputError
from rankgauge.formats.columns import Columns
from rankgauge.formats.frames import decimals
from rankgauge.formats.problems import HOLDS, NUMBER, VALUE, quote
from rankgauge.formats.row_reader import Unfit, is_scalar, number, numbers_of
from rankgauge.schema.text import counted, described


def is_array(value: Any) -> bool:
    """Whether this is an array of any number of dimensions but none, or lists of numbers."""
    if isinstance(value, (list, tuple)):
        return bool(value) and _is_line(value[0])
    return hasattr(value, "shape") and hasattr(value, "dtype") and not is_scalar(value)


def _is_line(value: Any) -> bool:
    """Whether this is a row of an array: numbers alone."""
    if isinstance(value, (list, tuple)):
        return (
            bool(value) and not hasattr(value, "_fields") and all(number(each) is not None for each in value)
        )
    return is_array(value) and len(value.shape) == 1


def read(array: Any, kind: str) -> Columns:
    """The columns of an array."""
    values = _values(array, kind)
    topics, documents = values.shape
    return Columns(
        kind=kind,
        topic=decimals(np.arange(topics)).take(np.repeat(np.arange(topics), documents)),
        doc=decimals(np.arange(documents)).take(np.tile(np.arange(documents), topics)),
        value=values.ravel(),
        first=None,
        shape=(topics, documents),
    )


def _values(array: Any, kind: str) -> npt.NDArray[np.float64]:
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
    return values.astype(np.float64, copy=False)


def _converted(values: npt.NDArray[Any], kind: str) -> npt.NDArray[np.float64]:
    try:
        return numbers_of(values.ravel().tolist()).reshape(values.shape)
    except Unfit as error:
        row, column = divmod(error.place, values.shape[1])
        value = values[row, column]
        raise InputError(
            f"row {row}, column {column} (counted from 0): the {VALUE[kind]} is not a number: "
            f"{quote(repr(value))} ({type(value).__name__}); {NUMBER[kind]}"
        ) from None


def _refuse_ragged(rows: Any, kind: str) -> None:
    sizes = [len(row) if hasattr(row, "__len__") else None for row in rows]
    for row, size in enumerate(sizes):
        if size != sizes[0]:
            found = "is not a list" if size is None else f"has {counted(size, 'value')}"
            raise InputError(
                f"row {row} (counted from 0) {found}, and row 0 has {sizes[0]}; give all rows one length, "
                f"or pass {{topic: {{document: {VALUE[kind]}}}}}"
            )
