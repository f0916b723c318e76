"""Quartiles of scores, for box plots."""

import math


def box_summary(values: list[float]) -> tuple[list[float], list[float]]:
    """([low, q1, median, q3, high, mean], outliers) of ascending values; NaN if there are none."""
    if not values:
        return [math.nan] * 6, []
    q1, median, q3 = (quantile(values, share) for share in (0.25, 0.5, 0.75))
    reach = 1.5 * (q3 - q1)
    within = [value for value in values if q1 - reach <= value <= q3 + reach]
    outliers = [value for value in values if not q1 - reach <= value <= q3 + reach]
    return [within[0], q1, median, q3, within[-1], math.fsum(values) / len(values)], outliers


def quantile(ordered: list[float], share: float) -> float:
    """A quantile of ascending values, with linear interpolation (NumPy's default)."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
