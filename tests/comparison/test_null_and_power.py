"""Without a difference p is uniform, or a little large; with one it is small as often as it should."""

import math

import numpy as np
import pytest
from scipy import stats

from rankgauge.comparison.registry import TESTS, TestOptions
from rankgauge.numbers.differences import all_pairs

PAIRED = [name for name, test in TESTS.items() if test.kind == "pair"]
ALL = [name for name, test in TESTS.items() if test.kind == "all"]
TRIALS, TOPICS, RUNS = 1500, 30, 4
FEW_TOPICS = 10  # whose rank sums the Friedman test enumerates quickly
EFFECT = 0.5
LEVELS = (0.01, 0.05, 0.1, 0.25, 0.5, 0.9)


def slack(level, trials):
    """Four standard deviations of a share of trials."""
    return 4 * math.sqrt(level * (1 - level) / trials)


def trials(effect=0.0, seed=11):
    """(trials, topics): in each row the differences of a pair, in standard deviations."""
    return np.random.default_rng(seed).normal(effect, 1.0, (TRIALS, TOPICS))


def campaigns(effect=0.0, count=150):
    """(runs, topics) with topics of varying difficulty; the last run is apart by the effect."""
    source = np.random.default_rng(13)
    for _ in range(count):
        values = source.normal(0, 1, (RUNS, FEW_TOPICS)) + source.normal(0, 2, (1, FEW_TOPICS))
        values[-1] += effect
        yield values


@pytest.mark.parametrize("name", PAIRED)
def test_p_of_pairs_is_uniform_if_there_is_no_difference(name):
    p = TESTS[name].function(trials(), TestOptions(samples=1000)).p
    has_few_values = len(np.unique(p)) < 50  # as that of the sign test
    for level in LEVELS:
        share = float((p <= level).mean())
        assert share <= level + slack(level, TRIALS), level
        assert has_few_values or share >= level - slack(level, TRIALS) - 0.01, level
    assert has_few_values or stats.kstest(p, "uniform").pvalue > 0.01


def test_the_power_of_the_t_test_is_that_of_the_noncentral_t():
    p = TESTS["t"].function(trials(EFFECT), TestOptions()).p
    df, shift = TOPICS - 1, EFFECT * math.sqrt(TOPICS)
    for alpha in (0.01, 0.05):
        reach = stats.t.isf(alpha / 2, df)
        power = stats.nct.sf(reach, df, shift) + stats.nct.cdf(-reach, df, shift)
        assert float((p < alpha).mean()) == pytest.approx(power, abs=slack(power, TRIALS))


@pytest.mark.parametrize("name", PAIRED)
def test_tests_of_pairs_find_as_much_as_their_efficiency_says(name):
    least, z = TESTS[name].efficiency - 0.02, trials(EFFECT)
    found, of_t = (
        float((TESTS[n].function(z, TestOptions(samples=1000)).p < 0.05).mean()) for n in (name, "t")
    )
    assert least * of_t <= found <= 1.03 * of_t


@pytest.mark.parametrize("name", ALL)
def test_all_runs_together_are_called_different_as_rarely_as_alpha_says(name):
    first, second = all_pairs(RUNS)
    found = [TESTS[name].function(values, first, second, TestOptions(samples=200)) for values in campaigns()]
    overall = np.array([outcome.overall.p for outcome in found])
    any_pair = np.array([outcome.p.min() for outcome in found])
    for level in (0.05, 0.25, 0.5):
        share = float((overall <= level).mean())
        if not TESTS[name].paired:  # it takes differences between topics for error, so it finds nothing
            assert share <= level
        else:
            assert share == pytest.approx(level, abs=slack(level, len(found)))
        if TESTS[name].familywise:
            assert float((any_pair <= level).mean()) == pytest.approx(level, abs=slack(level, len(found)))


@pytest.mark.parametrize("name", [name for name in ALL if TESTS[name].paired])
def test_a_run_apart_is_found_by_tests_of_all_runs(name):
    first, second = all_pairs(RUNS)
    found = [
        TESTS[name].function(values, first, second, TestOptions(samples=200))
        for values in campaigns(2.0, count=40)
    ]
    apart = np.mean([outcome.p[second == RUNS - 1] < 0.05 for outcome in found])
    others = np.mean([outcome.p[second != RUNS - 1] < 0.05 for outcome in found])
    assert apart > 0.7
    assert others < 0.15
