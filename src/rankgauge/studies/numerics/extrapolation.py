"""Swap rates beyond the sizes of topic sets that can be drawn.

Two sets without a common topic have half of the topics each, at most. Voorhees and Buckley (2002) fit
rate = start · exp(-decay · topics) to the rates of each bin of differences, and read the curve at the size of
the whole set. docs/studies/spread.md compares such rates with those of other topics of the same kind.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankgauge.measures.rankings.arrays.curves import Floats
from rankgauge.studies.numerics.topic_sets import Swaps, first_within

LEAST = 3  # sizes that a curve is fitted to: it has two parameters, and must be able to miss


@dataclass(frozen=True)
class Fit:
    """A curve fitted to the swap rates of one bin; all NaN if too few sizes have comparisons."""

    start: float = math.nan
    decay: float = math.nan
    error: float = math.nan  # the root of the mean squared residual, weighted by comparisons
    explained: float = math.nan  # R², the share of the variance explained; NaN if rates do not vary

    def rate(self, topics: int) -> float:
        """The rate for sets of this many topics."""
        return self.start * math.exp(-self.decay * topics)


def fit(sizes: Sequence[int], rates: Floats, weights: Floats) -> Fit:
    """The curve that fits rates best, by least squares; a rate weighs as much as it has comparisons.

    No curve rises: more topics do not make comparisons less certain.
    """
    seen = weights > 0
    if np.count_nonzero(seen) < LEAST:
        return Fit()
    x, y, weight = np.array(sizes, dtype=float)[seen], rates[seen], weights[seen] / weights[seen].sum()
    if not y.any():
        return Fit(0.0, 0.0, 0.0)
    start, decay = _least_squares(x, y, weight)
    left = float((weight * (y - start * np.exp(-decay * x)) ** 2).sum())
    spread = float((weight * (y - (weight * y).sum()) ** 2).sum())
    return Fit(start, decay, math.sqrt(left), 1 - left / spread if spread > 1e-24 else math.nan)


def _least_squares(x: Floats, y: Floats, weight: Floats) -> tuple[float, float]:
    """(start, decay) of the curve.

    For a known decay the best level is a ratio, so there is only the decay to search for. A search of both
    from one guess may end where it is not best.
    """
    from scipy.optimize import minimize_scalar

    def level_and_left(decay: Floats | float) -> tuple[Floats, Floats]:
        """(the best rate at the smallest size, what it leaves unexplained), for one or several decays."""
        shape = np.exp(-np.multiply.outer(decay, x - x.min()))
        level = (weight * y * shape).sum(axis=-1) / (weight * shape * shape).sum(axis=-1)
        return level, (weight * (y - level[..., None] * shape) ** 2).sum(axis=-1)

    def left(decay: float) -> float:
        return float(level_and_left(decay)[1])

    # The largest decay leaves a thousandth of the rate between the two nearest sizes, and a rate at no topics
    # that is still a number.
    largest = min(math.log(1000) / float(np.diff(np.sort(x)).min()), 600 / float(x.max()))
    grid = np.linspace(0.0, largest, 101)
    near = int(level_and_left(grid)[1].argmin())
    ends = grid[max(0, near - 1)], grid[min(len(grid) - 1, near + 1)]
    found = float(minimize_scalar(left, bounds=ends, method="bounded", options={"xatol": 1e-9}).x)
    decay = min(found, float(grid[near]), key=left)
    return float(level_and_left(decay)[0]) * math.exp(decay * float(x.min())), decay


@dataclass(frozen=True)
class Extrapolation:
    """The swap rates of every bin for sets of topics that are larger than those drawn."""

    topics: int
    width: float  # of a bin
    fits: tuple[Fit, ...]  # for each bin

    @classmethod
    def of(cls, counted: Sequence[tuple[int, Swaps]], topics: int) -> Extrapolation:
        """The extrapolation of swaps that were counted for some sizes."""
        sizes = [size for size, _ in counted]
        rates = np.array([swaps.rates for _, swaps in counted])
        weights = np.array([swaps.comparisons for _, swaps in counted], dtype=float)
        bins = range(rates.shape[1])
        width = counted[0][1].width
        return cls(topics, width, tuple(fit(sizes, rates[:, place], weights[:, place]) for place in bins))

    @property
    def rates(self) -> Floats:
        """(bins,) NaN where no curve was fitted."""
        return np.array([each.rate(self.topics) for each in self.fits])

    def needed(self, rate: float) -> float:
        """The smallest difference from which swaps stay within the rate; NaN if there is none."""
        first = first_within(self.rates, rate)
        return first * self.width if not np.isnan(self.rates[first:]).all() else math.nan
