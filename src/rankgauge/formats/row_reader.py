"""Columns from rows that are added one at a time, for text formats that are parsed in Python."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np

from rankgauge.core import codes
from rankgauge.core.ids import Ids, to_bytes
from rankgauge.errors import InputError
from rankgauge.formats import problems
from rankgauge.formats.columns import Columns, Floats, Problem, in_order_of
from rankgauge.formats.problems import limits

T = TypeVar("T")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


def identifier(value: Any) -> bytes | None:
    """An id as bytes, from text, bytes or a whole number; or None."""
    if isinstance(value, (str, bytes)):
        try:
            return to_bytes(value)
        except InputError:
            return None
    if type(value).__name__ == "UUID":  # ids of Weaviate
        return str(value).encode()
    value = scalar(value)
    if isinstance(value, Integral) and not isinstance(value, bool):
        try:
            return b"%d" % int(value)
        except ValueError:  # more digits than Python writes
            return None
    return None


def number(value: Any) -> float | None:
    """A real number as a float, also true and false; or None."""
    if not isinstance(value, Real):
        value = scalar(value)
    if isinstance(value, Real) or hasattr(value, "as_integer_ratio"):  # a Decimal
        try:
            return float(value)
        except (OverflowError, ValueError):
            return None
    return None


def number_or_text(value: Any) -> float | None:
    """A number, also in a text such as "1.5"; or None."""
    if isinstance(value, str):
        return float(value) if _NUMBER.fullmatch(value) else None
    return number(value)


class Unfit(ValueError):
    """A value that cannot be converted; `place` is its index."""

    def __init__(self, converted: list[Any]) -> None:
        self.place = converted.index(None)


def ids_of(values: Sequence[Any]) -> Ids:
    """Values as a column of ids."""
    try:
        return Ids.of(values)
    except InputError:  # not all are bytes or valid text
        ids = [*map(identifier, values)]
        if None in ids:
            raise Unfit(ids) from None
        return Ids.of(id for id in ids if id is not None)


def numbers_of(values: Iterable[Any], convert: Callable[[Any], float | None] = number) -> Floats:
    """Values as an array of floats."""
    numbers = [convert(value) for value in values]
    if None in numbers:
        raise Unfit(numbers)
    return np.array(numbers, dtype=np.float64)


def scalar(value: Any) -> Any:
    """The value of an array without dimensions; any other as it is."""
    return value.item() if is_scalar(value) and hasattr(value, "item") else value


def is_scalar(value: Any) -> bool:
    """Whether this is a single value rather than many."""
    if isinstance(value, (str, bytes, float, int)):
        return True
    return getattr(value, "shape", None) == () or not (
        hasattr(value, "__len__") or hasattr(value, "__iter__")
    )


def whole(value: float | None) -> int:
    """A rank as an integer; NO_RANK if the value is not a whole number, or too large to be exact."""
    if value is None or not value.is_integer() or abs(value) >= codes.LARGE_RANK:
        return codes.NO_RANK
    return int(value)


class RowCollector:
    """Collects rows, leaving out and recording problems."""

    def __init__(self, kind: str, keep: int | None = None, *, order: str = "", in_lines: bool = True) -> None:
        self.kind = kind
        self._keep, self._left = limits(keep)  # problems to keep of each kind, to record until reading stops
        self.order = order  # of the values: see `columns.order_of`
        self.in_lines = in_lines  # otherwise `line` is the row number
        self.assumed = ""  # see `problems.assumption`
        self._topic: list[bytes] = []
        self._doc: list[bytes] = []
        self._label: list[bytes] = []
        self._value, self._rank, self._line = array("d"), array("q"), array("q")
        self._problems: list[Problem] = []
        self._counts: dict[int, int] = {}

    def problem(self, code: int, line: int, text: bytes, message: str = "") -> None:
        """Record a problem of a line."""
        self._counts[code] = self._counts.get(code, 0) + 1
        self._left -= 1
        if self._counts[code] <= self._keep:
            if not self.in_lines:
                message = message or problems.sentence(code, text, self.kind)
                message, line = f"row {line} (counted from 0): {message}", 0
            self._problems.append(Problem(code, line, text[: codes.FOUND_BYTES], message))

    def until_full(self, items: Iterable[T]) -> Iterator[T]:
        """The items, until there are enough problems to stop."""
        for item in items:
            yield item
            if self._left <= 0:
                return

    def add(
        self,
        line: int,
        topic: bytes,
        doc: bytes,
        value: float | None,
        text: bytes = b"",
        rank: float | None = None,
        label: bytes | None = None,
    ) -> None:
        """Add a row; `text` is the text of its value, for messages."""
        if self.order == "rank" and whole(value) == codes.NO_RANK:
            self.problem(codes.BAD_RANK, line, text)
        elif value is None or (self.kind == "qrels" and math.isinf(value)):
            self.problem(problems.BAD_VALUE[self.kind], line, text)
        elif math.isnan(value):
            self.problem(codes.NOT_A_NUMBER, line, text)
        else:
            self._topic.append(topic)
            self._doc.append(doc)
            self._value.append(value)
            self._line.append(line)
            self._rank.append(whole(rank))
            if label is not None:
                self._label.append(label)

    def columns(self, path: str | None, lines: int) -> Columns:
        """The rows added so far, as columns."""
        rank = np.frombuffer(self._rank, dtype=np.int64)
        columns = Columns(
            kind=self.kind,
            topic=Ids.of(self._topic),
            doc=Ids.of(self._doc),
            value=np.frombuffer(self._value, dtype=np.float64),
            rank=None if (rank == codes.NO_RANK).all() else rank,
            label=Ids.of(self._label) if self._label and len(self._label) == len(self._value) else None,
            line=np.frombuffer(self._line, dtype=np.int64) if self.in_lines else None,
            problems=tuple(self._problems),
            counts=self._counts,
            lines=lines,
            files=() if path is None else ((0, path),),
            assumed=self.assumed,
        )
        columns = columns if self._left > 0 else columns.cut_short()
        return in_order_of(columns, self.order)
