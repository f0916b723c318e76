"""The laws of statistical tests."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import numpy as np

from rankgauge.comparison.registry import TESTS, Outcome, StatisticalTest, TestOptions
from rankgauge.numbers.differences import Floats, all_pairs, differences
from rankgauge.testing.laws import EXAMPLES, Laws

LAWS: Laws[StatisticalTest] = Laws("test")
SAMPLES = 400
KINDS = ("smooth", "coarse", "constant", "shifted", "tiny", "huge", "one run apart")


def check_test(
    name: str, *, laws: Iterable[str] | None = None, examples: int = EXAMPLES, seed: int = 0
) -> None:
    """Check that a registered statistical test obeys the laws of tests.

    Args:
        name: its name, such as "wilcoxon"
        laws: the names of the laws to check; by default all
        examples: how many random tables of values each law is checked on
        seed: of the random examples

    """
    LAWS.check(name, TESTS.find(name), laws, examples, seed)


def _of_values(test: StatisticalTest) -> bool:
    return test.kind != "scores"


def values_of(kind: str, seed: int = 5, runs: int = 4, topics: int = 14) -> Floats:
    """(runs, topics) values of a kind."""
    values = np.random.default_rng(seed).beta(1, 2, (runs, topics))
    made: dict[str, Floats] = {
        "smooth": values,
        "coarse": values.round(1),
        "constant": np.full((runs, topics), 0.3),
        "shifted": values[:1] + np.arange(runs)[:, None] / 10,
        "tiny": values * 1e-290,
        "huge": values * 1e250,
        "one run apart": np.vstack([values[:1]] * (runs - 1) + [values[-1:]]),
    }
    return made[kind]


def outcome(
    test: StatisticalTest, values: Floats, swapped: bool = False, options: TestOptions | None = None
) -> Outcome:
    """What a test finds for all pairs of runs; `swapped`, with the runs of each pair exchanged."""
    first, second = all_pairs(len(values))
    if swapped:
        first, second = second, first
    options = options or TestOptions(samples=SAMPLES, threads=1)
    if test.kind == "all":
        return test.function(values, first, second, options)
    return test.function(differences(values, first, second), options)


def _same(one: object, other: object) -> bool:
    return bool(np.array_equal(one, other, equal_nan=True))  # type: ignore[arg-type]


def _drawn(rng: Random) -> Floats:
    return values_of(rng.choice(KINDS), rng.randrange(1 << 30), topics=rng.choice([3, 6, 14]))


@LAWS.law("a test says what it is", random=False)
def _described(test: StatisticalTest, _: Random) -> None:
    for part in ("title", "cite", "statistic", "help"):
        assert getattr(test, part).strip(), f"it has no {part}"
    assert test.kind in ("pair", "all", "scores"), test.kind


@LAWS.law("p is a probability above 0 or undefined, and values are left alone", _of_values)
def _probability(test: StatisticalTest, rng: Random) -> None:
    values = _drawn(rng)
    before = values.copy()
    found = outcome(test, values)
    assert _same(values, before), "it changes the values that it is given"
    pairs = len(all_pairs(len(values))[0])
    assert found.p.shape == found.statistic.shape == (pairs,), (found.p.shape, found.statistic.shape)
    assert len(found.method) == pairs, found.method
    assert np.all(np.isnan(found.p) | ((found.p > 0) & (found.p <= 1))), f"p is {found.p} for\n{values}"
    if found.overall:
        assert np.isnan(found.overall.p) or 0 <= found.overall.p <= 1, found.overall
    if found.half is not None:
        assert np.all(np.isnan(found.half) | (found.half >= 0)), f"half an interval is {found.half} wide"


@LAWS.law("swapping the runs of a pair changes signs alone", _of_values)
def _swapped(test: StatisticalTest, rng: Random) -> None:
    values = _drawn(rng)
    one, other = outcome(test, values), outcome(test, values, swapped=True)
    assert _same(one.p, other.p), f"p is {one.p}, and swapped {other.p} for\n{values}"
    assert _same(one.sides, -other.sides), (one.sides, other.sides)
    if one.expected is None:
        assert _same(one.statistic, -other.statistic), (one.statistic, other.statistic)
    else:  # it counts what is in favour of one run
        assert other.expected is not None
        assert _same(one.statistic - one.expected, other.expected - other.statistic)


@LAWS.law("a run that is much higher on every topic is favoured, with a small p", _of_values)
def _powerful(test: StatisticalTest, rng: Random) -> None:
    values = values_of("smooth", rng.randrange(1 << 30), runs=2) / 10
    values[1] += 0.5
    found = outcome(test, values)
    assert found.sides.tolist() == [-1.0], f"it favours the lower run: {found.statistic}"
    assert found.p[0] < 0.01, f"p is {found.p[0]} for\n{values}"


@LAWS.law("the order of topics does not show", lambda test: _of_values(test) and test.samples is None)
def _order_of_topics(test: StatisticalTest, rng: Random) -> None:
    values = _drawn(rng)
    permuted = np.random.default_rng(rng.randrange(1 << 30)).permutation(values, axis=1)
    one, other = outcome(test, values), outcome(test, permuted)
    assert _same(one.p, other.p), f"p is {one.p}, and in another order {other.p} for\n{values}"
    assert _same(one.statistic, other.statistic), (one.statistic, other.statistic)


@LAWS.law("a pair knows nothing of the others", lambda test: test.kind == "pair")
def _pair_alone(test: StatisticalTest, rng: Random) -> None:
    values = values_of("coarse", rng.randrange(1 << 30))
    alone, together = outcome(test, values[:2]).p[0], outcome(test, values).p[0]
    assert alone == together, f"p of the first pair is {together} among others, and {alone} alone"


@LAWS.law(
    "runs that do not differ, and a single topic, have p 1 or none",
    _of_values,
    random=False,
)
def _nothing_to_find(test: StatisticalTest, _: Random) -> None:
    for values in (values_of("one run apart")[:2], np.array([[0.5], [0.25]])):
        (p,) = outcome(test, values).p
        assert np.isnan(p) or p == 1.0, f"p is {p} for\n{values}"


@LAWS.law(
    "the seed decides, and threads do not", lambda test: _of_values(test) and bool(test.samples), random=False
)
def _seeded(test: StatisticalTest, _: Random) -> None:
    values = values_of("smooth", runs=6, topics=30)
    one = outcome(test, values)
    threaded = outcome(test, values, options=TestOptions(samples=SAMPLES, threads=3))
    assert _same(one.p, threaded.p), "p is another one with three threads"
    reseeded = outcome(test, values, options=TestOptions(samples=SAMPLES, seed=1))
    assert not _same(one.p, reseeded.p), "the seed makes no difference"
