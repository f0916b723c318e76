"""The numbers of a comparison, for every pair of runs, and how they were made. No verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rankgauge.comparison.registry import CORRECTIONS, TESTS, Correction, Overall, StatisticalTest


@dataclass(frozen=True)
class Pair:
    """A run against another, by one measure, over the topics that both have. NaN is undefined."""

    run: str
    against: str
    topics: int
    mean: float  # of the run's values
    mean_against: float
    difference: float  # mean - mean_against
    percent: float  # of mean_against
    statistic: float
    p: float
    corrected: float  # p, corrected for all pairs of this measure
    effect: float  # difference in standard deviations
    low: float  # of the interval for the difference
    high: float
    wins: int  # topics on which the run is better
    ties: int
    losses: int
    favours: str  # the run that the test finds better, however weakly; empty for neither
    method: str  # how p was computed


@dataclass(frozen=True)
class Compared:
    """All pairs by one measure."""

    measure: str
    direction: int  # 1 if higher is better, -1 if lower is, 0 if neither
    means: Mapping[str, float]  # run -> mean over its own topics
    pairs: tuple[Pair, ...]
    overall: Overall | None = None  # whether the runs differ at all, for tests of all runs
    most_samples: int | None = None  # that a random test took for some pair


@dataclass(frozen=True)
class ComparisonResult:
    """The numbers of a comparison: runs compared pair by pair, for each measure."""

    runs: tuple[str, ...]
    baselines: tuple[str, ...]  # the runs that the others are compared with; empty for all pairs
    compared: tuple[Compared, ...]
    test: str
    correction: str
    alpha: float
    samples: int | None  # None where nothing is random
    seed: int | None
    versions: Mapping[str, str]
    remarks: tuple[str, ...] = ()  # notes on topics and values that were left out or replaced

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures by which runs are compared."""
        return tuple(each.measure for each in self.compared)

    def __getitem__(self, measure: str) -> Compared:
        for each in self.compared:
            if each.measure == measure:
                return each
        raise KeyError(measure)

    @property
    def statistical_test(self) -> StatisticalTest:
        """The test, with its description."""
        return TESTS[self.test]

    @property
    def corrected_by(self) -> Correction:
        """The correction, with its description."""
        return CORRECTIONS[self.correction]
