"""The registry of tests: one decorated function each, read by the command, the reference and the laws.

A test of kind "pair" is a function of the differences of many pairs at once, (pairs, topics):

    @statistical_test("sign", title="sign test", cite="...", statistic="...")
    def sign(z: Floats, ask: Ask) -> Outcome:
        \"\"\"Whether ...\"\"\"

One of kind "all" looks at all runs together, (runs, topics), and speaks of the pairs that it is given.
What comes back is numbers. Whether they are significant is said by a report alone, beside its α.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from rankgauge.comparison.differences import Floats
from rankgauge.errors import OptionError
from rankgauge.schema.text import counted

SEED = 2006  # where nothing else is asked for


@dataclass(frozen=True)
class TestOptions:
    """What is asked of a test beside its data."""

    alpha: float = 0.05  # for intervals, whose level is 1 - alpha
    samples: int = 1000  # random samples, signs or permutations
    seed: int = SEED
    threads: int | None = None


@dataclass(frozen=True)
class Overall:
    """A test of whether the runs differ at all."""

    name: str  # of the statistic, with its degrees of freedom: F(3, 36)
    statistic: float
    p: float
    more: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """What a test finds, pair by pair. NaN is undefined."""

    statistic: Floats  # (pairs,)
    p: Floats  # (pairs,) two-sided
    method: Sequence[str]  # (pairs,) how p came about
    error: float | None = None  # the standard deviation that all pairs share, if they do
    half: Floats | None = (
        None  # (pairs,) half the width of an interval of the test's own for the mean difference
    )
    overall: Overall | None = None


@dataclass(frozen=True)
class StatisticalTest:
    """A test and what there is to say about it."""

    name: str
    title: str
    cite: str
    statistic: str  # what its statistic is
    kind: str  # pair or all
    function: Callable[..., Outcome]
    help: str
    samples: int | None  # how many random samples it takes, if it takes any
    unit: str  # what these are
    familywise: bool  # its p are corrected for all pairs already
    effect: str  # what its effect sizes are
    interval: str  # what its intervals are


REGISTRY: dict[str, StatisticalTest] = {}
OWN_EFFECT = "difference / standard deviation of the topics' differences"
T_INTERVAL = "t interval of the mean difference"
F = TypeVar("F", bound=Callable[..., Any])


def statistical_test(
    name: str,
    *,
    title: str,
    cite: str,
    statistic: str,
    kind: str = "pair",
    samples: int | None = None,
    unit: str = "",
    familywise: bool = False,
    effect: str = OWN_EFFECT,
    interval: str = T_INTERVAL,
) -> Callable[[F], F]:
    """Register the decorated function as a test and return it untouched."""

    def register(function: F) -> F:
        known = REGISTRY.get(name)
        if known and known.function.__qualname__ != function.__qualname__:
            raise OptionError(f"a test is called {name} already; choose another name")
        told = inspect.getdoc(function) or ""
        REGISTRY[name] = StatisticalTest(
            name, title, cite, statistic, kind, function, told, samples, unit, familywise, effect, interval
        )
        return function

    return register


def differing(topics: int) -> str:
    """How many topics a test had to go by."""
    return f"{counted(topics, 'topic')} differ{'s' if topics == 1 else ''}"


def statistical_tests() -> dict[str, StatisticalTest]:
    """All tests by name."""
    package = importlib.import_module("rankgauge.comparison")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"rankgauge.comparison.{module.name}")
    order = ("t", "wilcoxon", "sign")  # the everyday ones come first
    names = sorted(REGISTRY, key=lambda name: (order.index(name) if name in order else len(order), name))
    return {name: REGISTRY[name] for name in names}
