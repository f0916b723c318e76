"""Rows taken one at a time, from text files that are read in Python, into columns."""

from __future__ import annotations

import math
from array import array
from numbers import Integral, Real
from typing import Any

import numpy as np

from rankgauge.core import codes
from rankgauge.core.ids import Ids, to_bytes
from rankgauge.formats import problems
from rankgauge.formats.columns import KEEP, Columns, Problem, by_rank


def identifier(value: Any) -> bytes | None:
    """An id as bytes, when the value can be one: text, bytes or a whole number."""
    if isinstance(value, (str, bytes)):
        try:
            return to_bytes(value)
        except UnicodeEncodeError:  # half a surrogate pair, as JSON may have it
            return None
    if isinstance(value, Integral) and not isinstance(value, bool):
        try:
            return b"%d" % int(value)
        except ValueError:  # more digits than Python writes
            return None
    return None


def number(value: Any) -> float | None:
    """A real number as a double, when the value is one (NumPy's scalars are)."""
    if isinstance(value, Real) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            return None
    return None


def whole(value: float | None) -> int:
    """A rank as an integer, NO_RANK when it is none."""
    return int(value) if value is not None and value.is_integer() and abs(value) < 1 << 53 else codes.NO_RANK


class Rows:
    """Collects rows and problems; what is wrong with a row keeps it out, and is noted."""

    def __init__(self, kind: str, keep: int = KEEP, *, ranked: bool = False, in_lines: bool = True) -> None:
        self.kind, self.keep = kind, keep
        self.ranked = ranked  # no scores: what comes as the value is the rank, and decides
        self.in_lines = in_lines  # otherwise what comes as the line is the number of the row
        self._topic: list[bytes] = []
        self._doc: list[bytes] = []
        self._label: list[bytes] = []
        self._value, self._rank, self._line = array("d"), array("q"), array("q")
        self._problems: list[Problem] = []
        self._counts: dict[int, int] = {}

    def problem(self, code: int, line: int, found: bytes, said: str = "") -> None:
        """Note what is wrong with a line."""
        self._counts[code] = self._counts.get(code, 0) + 1
        if self._counts[code] <= self.keep:
            if not self.in_lines:
                said = f"row {line} (counted from 0): {said or problems.sentence(code, found, self.kind)}"
                line = 0
            self._problems.append(Problem(code, line, found[: codes.FOUND_BYTES], said))

    def add(
        self,
        line: int,
        topic: bytes,
        doc: bytes,
        value: float | None,
        found: bytes = b"",
        rank: float | None = None,
        label: bytes | None = None,
    ) -> None:
        """Take a row; `found` is what its value looked like, for the case that it is no number."""
        if value is None or (self.kind == "qrels" and math.isinf(value)):
            self.problem(codes.BAD_SCORE if self.kind == "run" else codes.BAD_GRADE, line, found)
        elif math.isnan(value):
            self.problem(codes.NOT_A_NUMBER, line, found)
        elif self.ranked and whole(value) == codes.NO_RANK:
            self.problem(codes.BAD_RANK, line, found)
        else:
            self._topic.append(topic)
            self._doc.append(doc)
            self._value.append(value)
            self._line.append(line)
            self._rank.append(whole(rank))
            if label is not None:
                self._label.append(label)

    def columns(self, path: str, lines: int) -> Columns:
        """All rows so far, as columns."""
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
            files=((0, path),),
        )
        return by_rank(columns) if self.ranked else columns
