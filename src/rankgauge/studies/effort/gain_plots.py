"""The sixteen quadrants of an effort/gain plot (Ferro et al., section "Effort/gain plots")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge.errors import InputError
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.schema.checks import choice

EFFORTS = ("huge", "high", "medium", "low")  # columns, by Twist
GAINS = ("low", "medium", "high", "huge")  # rows, by the gain measure
TWIST_CUTS = (0.25, 0.5, 0.75)  # a value on a cut belongs to the column after it
METHODS = ("linear", "hazen")  # of quartiles: linear as in most software, hazen as in MATLAB


@dataclass(frozen=True, eq=False)
class Quadrants:
    """Points (Twist, gain), each in one of sixteen quadrants; a point with an undefined value is in none."""

    effort: Floats  # (points,) Twist
    gain: Floats  # (points,)
    cuts: tuple[float, ...]  # quartiles of the gain; a value on a cut belongs to the row before it
    column: Ints  # (points,) number in EFFORTS, -1 for none
    row: Ints  # (points,) number in GAINS, -1 for none

    @cached_property
    def placed(self) -> int:
        """The number of points that are in a quadrant."""
        return int(np.count_nonzero(self.row >= 0))

    @cached_property
    def counts(self) -> Ints:
        """(4, 4): the points in each quadrant; rows by gain and columns by effort, the worst first."""
        inside = self.row >= 0
        cells = np.bincount(self.row[inside] * 4 + self.column[inside], minlength=16)
        return cells.reshape(4, 4)

    @property
    def shares(self) -> Floats:
        """(4, 4): the same as shares of all points."""
        shares: Floats = self.counts / self.placed
        return shares

    @property
    def diagonal(self) -> float:
        """The share of points on which gain and effort agree."""
        return float(np.trace(self.counts)) / self.placed

    @property
    def high_high(self) -> float:
        """The share of points with high or huge gain at high or huge effort."""
        return float(self.counts[2:, :2].sum()) / self.placed

    @property
    def cells(self) -> list[tuple[str, str] | None]:
        """(gain, effort) of each point, by name."""
        pairs = zip(self.row.tolist(), self.column.tolist(), strict=True)
        return [(GAINS[row], EFFORTS[column]) if row >= 0 else None for row, column in pairs]


def quadrants(effort: Any, gain: Any, *, method: str = "linear") -> Quadrants:
    """The quadrants of points: columns by Twist at 0.25, 0.5 and 0.75, rows by the quartiles of the gain.

    >>> quadrants([0.1, 0.3, 0.6, 0.9], [0.1, 0.2, 0.3, 0.4]).diagonal
    1.0
    """
    choice("method", method, METHODS)
    x, y = (np.asarray(values, dtype=np.float64).reshape(-1) for values in (effort, gain))
    if len(x) != len(y):
        raise InputError(f"every point needs an effort and a gain, not {len(x)} efforts and {len(y)} gains")
    defined = ~(np.isnan(x) | np.isnan(y))
    if not defined.any():
        raise InputError("no point has both a defined effort and a defined gain")
    if np.isinf(y[defined]).any():
        raise InputError("a gain is infinite, so quartiles are undefined; choose another measure")
    cuts = quartiles(y[defined], method)
    column = np.searchsorted(TWIST_CUTS, x, side="right")
    row = np.searchsorted(cuts, y, side="left")
    return Quadrants(x, y, cuts, np.where(defined, column, -1), np.where(defined, row, -1))


def quartiles(values: Sequence[float] | Floats, method: str) -> tuple[float, ...]:
    """The three quartiles of values."""
    return tuple(np.quantile(values, (0.25, 0.5, 0.75), method=method).tolist())  # type: ignore[call-overload]
