"""Quantiles of some values."""

from __future__ import annotations

import math
from collections.abc import Sequence

METHODS = {"linear": (-1.0, 0.0), "hazen": (0.0, -0.5)}  # (added to the count, added to the place)


def quantile(ordered: Sequence[float], share: float, method: str = "linear") -> float:
    """A quantile of ascending values, between two of them by a straight line; NaN if there are none.

    `linear` is NumPy's default, `hazen` has the values in the middle of equal shares (as MATLAB has it).
    """
    if not ordered:
        return math.nan
    more, shift = METHODS[method]
    place = min(max(share * (len(ordered) + more) + shift, 0.0), len(ordered) - 1.0)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
