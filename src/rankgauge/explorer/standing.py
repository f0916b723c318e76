"""How the runs stand by one measure: means, intervals and order, each computed once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rankgauge.model.scores import Scores

LEVEL = 0.95  # of the intervals of means


@dataclass(frozen=True)
class Standing:
    """The scores of all runs by one measure, and what is derived from them."""

    measure: str
    scores: Scores

    @cached_property
    def direction(self) -> int:
        """1 if higher is better, -1 if lower is, 0 if neither."""
        return self.scores.direction(self.measure)

    @property  # which would take as much memory as the scores
    def values(self) -> npt.NDArray[np.float64]:
        """(runs, topics); NaN where a value is undefined or infinite, or a topic does not count."""
        values = self.scores.values[:, 0]
        return np.where(self.scores.counted & np.isfinite(values), values, np.nan)

    @cached_property
    def means(self) -> dict[str, float]:
        """{run: mean}, as `Scores.mean` has it."""
        return {run: mean[self.measure] for run, mean in self.scores.mean().items()}

    @cached_property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """{run: the confidence interval of its mean}, as `Scores.interval` has it."""
        return {run: ends[self.measure] for run, ends in self.scores.interval(LEVEL).items()}

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The runs, the best first, as `Scores.sorted` has them; without a better direction, the highest."""
        way, means = self.direction or 1, self.means
        return tuple(sorted(means, key=lambda run: (math.isnan(means[run]), -way * means[run])))
