"""The registries of statistical tests and of corrections: one decorated function each.

A test of kind "pair" takes the differences of many pairs at once, (pairs, topics):

    @statistical_test("sign", title="sign test", cite="...", statistic="...")
    def sign(z: Floats, options: TestOptions) -> Outcome:
        \"\"\"Whether ...\"\"\"

A test of kind "all" takes the values of all runs, (runs, topics), and the pairs to report on; one of kind
"scores" takes the scores, the place of the measure, and the pairs. Tests and corrections return numbers; only
a report, which states its α, calls them significant.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import numpy as np

from rankgauge.numbers.differences import Floats, Ints, RunPairs
from rankgauge.schema.registry import Registry, guarded

Progress = Callable[[int, int], None]  # (done, in total)
SEED = 2006  # the default
OWN_EFFECT = "difference / standard deviation of the topics' differences"
T_INTERVAL = "t interval of the mean difference"
MAX_SAMPLES = 10_000_000  # those of a first stage may be in memory at once


@dataclass(frozen=True)
class TestOptions:
    """The options of a test."""

    __test__ = False  # pytest would collect a class of this name

    alpha: float = 0.05  # for intervals, whose level is 1 - alpha
    samples: int = 1000  # random samples, signs or permutations
    resolution: float = 1.0  # a sequential test takes more samples until p can be as small as this
    seed: int = SEED
    threads: int | None = None
    progress: Progress | None = None  # called as samples are drawn
    pairs: RunPairs | None = None  # what the differences are of, and by how much they may be rounded
    simultaneous: int = 1  # intervals that hold together with this level, if the test has such intervals
    margin: float | None = None  # below which a difference does not matter

    @property
    def most_samples(self) -> int:
        """The most random samples that a sequential test takes."""
        return max(self.samples, math.ceil(1 / self.resolution))

    def report(self, drawn: int) -> None:
        """Report how many samples have been drawn."""
        if self.progress:
            self.progress(drawn, self.most_samples)


@dataclass(frozen=True)
class Overall:
    """A test of whether the runs differ at all."""

    name: str  # of the statistic, with its degrees of freedom if p is by its distribution: F(3, 36)
    statistic: float
    p: float
    more: Mapping[str, float] = field(default_factory=dict)
    test: str = "the test of all runs"  # as it reads in a sentence
    method: str = ""  # how p was computed, if not by the distribution of the statistic
    corrected: float = math.nan  # p, corrected for all measures if they are one family
    protects: bool = False  # pairs are significant only if it is
    corrects: bool = False  # p is corrected for several measures


@dataclass(frozen=True)
class Outcome:
    """The result of a test for each pair. NaN is undefined."""

    statistic: Floats  # (pairs,)
    p: Floats  # (pairs,) two-sided
    method: Sequence[str]  # (pairs,) how p was computed
    expected: Floats | None = None  # (pairs,) of the statistic, if the runs do not differ; by default 0
    least: Floats | None = None  # (pairs,) the smallest p that was possible, for tests whose p has few values
    error: float | Floats | None = None  # the standard deviation that all pairs share, or (pairs,) of its own
    half: Floats | None = None  # (pairs,) half the width of the test's own interval for the mean difference
    means: Floats | None = None  # (runs,) the test's own estimates of the means
    difference: Floats | None = None  # (pairs,) the test's own estimates of the differences
    beyond: Floats | None = (
        None  # (2, pairs) its own one-sided p of differences beyond the margin, below and above
    )
    overall: Overall | None = None
    drawn: Ints | None = None  # (pairs,) random samples, for a sequential test; 0 where p is exact

    @property
    def sides(self) -> Floats:
        """(pairs,) 1 where the test finds the run's values higher, -1 where lower, 0 where neither."""
        away = self.statistic - (0.0 if self.expected is None else self.expected)
        return np.sign(np.nan_to_num(away))


@dataclass(frozen=True)
class DeclaredTest:
    """A test without its function: the arguments of `statistical_test`."""

    name: str
    title: str
    cite: str
    statistic: str  # what its statistic is
    kind: str = "pair"  # pair, all, or scores: of scores that test their means in a way of their own
    samples: int | None = None  # the default number of random samples; None for a test that takes none
    unit: str = ""  # what a random sample is
    sequential: bool = False  # takes more samples for small p, as far as `TestOptions.resolution` asks
    familywise: bool = False  # p is already corrected for all pairs
    effect: str = OWN_EFFECT  # how effect sizes are defined
    interval: str = T_INTERVAL  # how intervals are defined
    one_sided: str = "paired t-tests"  # the tests of equivalence within a margin
    parametric: bool = False  # divides by an estimated error, so p is undefined where nothing varies
    paired: bool = True  # differences between topics are no part of the error
    efficiency: float = 0.95  # least asymptotic relative efficiency, against t and for normal differences


@dataclass(frozen=True, kw_only=True)
class StatisticalTest(DeclaredTest):
    """A test and its description."""

    function: Callable[..., Outcome]
    help: str
    simultaneous: bool = False  # intervals are corrected for all pairs where p is, by Bonferroni


@dataclass(frozen=True)
class Correction:
    """A correction for multiple comparisons and its description."""

    name: str
    title: str  # as it reads in a sentence: "with Holm's correction"
    cite: str
    function: Callable[[Floats], Floats]
    help: str


# In the order of the lists of tests: the usual ones first.
_FAMILIES = ("paired", "anova", "resampling", "ranks", "permutation")
_SPELLINGS = {  # {name: what others call it}
    "t": ("ttest", "student", "paired-t"),
    "randomisation": ("fisher", "permutation"),
    "bonferroni": ("bonf",),
    "bh": ("benjamini-hochberg", "fdr"),
}
TESTS: Registry[StatisticalTest] = Registry(
    "rankgauge.tests",
    "test",
    [f"rankgauge.comparison.procedures.{family}" for family in _FAMILIES],
    spellings=lambda test: _SPELLINGS.get(test.name, ()),
)
CORRECTIONS: Registry[Correction] = Registry(
    "rankgauge.corrections",
    "correction",
    ["rankgauge.comparison.corrections"],
    spellings=lambda correction: _SPELLINGS.get(correction.name, ()),
)
FAMILIES = {"measure": "the pairs of each measure", "all": "the pairs of all measures together"}
# The names again, for editors and type checkers; a test compares them with what is registered.
TestName = Literal[
    "t", "wilcoxon", "sign", "anova-one-way", "anova-two-way", "tukey", "bootstrap", "friedman",
    "randomisation", "randomised-tukey", "max-t",
]  # fmt: skip
CorrectionName = Literal["holm", "bonferroni", "hochberg", "bh", "by", "none"]
Family = Literal["measure", "all"]
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class statistical_test(DeclaredTest):
    """Register the decorated function as a test and return it unchanged."""

    def __call__(self, function: F) -> F:
        """Register this function."""
        test = StatisticalTest(**vars(self), function=function, help=inspect.getdoc(function) or "")
        TESTS.add(self.name, test, function)
        return function


def correction(name: str, *, title: str, cite: str) -> Callable[[F], F]:
    """Register the decorated function as a correction and return it unchanged.

    It takes p in ascending order and returns the corrected p.
    """

    def register(function: F) -> F:
        safe = guarded("correction", name, function)
        CORRECTIONS.add(name, Correction(name, title, cite, safe, inspect.getdoc(function) or ""), function)
        return function

    return register
