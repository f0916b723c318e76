"""Deviations, Student's t, equivalence and bootstrap intervals: printed tables, simulations, edges."""

import math
import statistics
import sys

import numpy as np
import pytest
from scipy import stats

from rankgauge.numbers.bootstrap import TopicBootstrap
from rankgauge.numbers.intervals import (
    MAX_TOPICS,
    POWER,
    deviation,
    interval_ends,
    margin_statistics,
    one_sided,
    t_quantile,
    t_tail,
    topics_for_difference,
    topics_for_equivalence,
    topics_needed,
)


def within_four_errors(share, probability, trials):
    return abs(share - probability) <= 4 * math.sqrt(probability * (1 - probability) / trials)


@pytest.mark.parametrize("values", [[0.1, 0.4, 0.1, 0.9], [0.5, 0.5], [3.0, 3.0, 3.0], [1e9, 1e9 + 2]])
def test_a_deviation_is_that_of_the_standard_library_and_leaves_out_the_undefined(values):
    columns = np.array([values, [math.nan, *values[1:]], [1.0] * len(values)]).T
    found = deviation(columns)
    assert found[0] == pytest.approx(statistics.stdev(values))
    alone = math.nan if len(values) == 2 else statistics.stdev(values[1:])
    assert found[1] == pytest.approx(alone, nan_ok=True)
    assert found[2] == 0.0


@pytest.mark.parametrize("count", [0, 1])
def test_fewer_than_two_values_have_no_deviation(count):
    assert np.isnan(deviation(np.ones((count, 3)))).tolist() == [True] * 3


@pytest.mark.parametrize(
    ("df", "of_05", "of_01"),
    [  # as tables of Student's t print them, two-sided
        (1, 12.706, 63.657),
        (2, 4.303, 9.925),
        (10, 2.228, 3.169),
        (30, 2.042, 2.750),
        (120, 1.980, 2.617),
    ],
)
def test_quantiles_and_tails_are_the_printed_ones(df, of_05, of_01):
    for alpha, printed in ((0.05, of_05), (0.01, of_01)):
        assert round(t_quantile(alpha, df), 3) == printed
        assert t_tail(np.array([1, -1]) * t_quantile(alpha, df), df) == pytest.approx([alpha, alpha])


def test_t_without_an_error_or_without_degrees_of_freedom_is_undefined():
    assert t_tail(np.array([0.0, math.inf, -math.inf, math.nan]), 3).tolist() == pytest.approx(
        [1.0, math.nan, math.nan, math.nan], nan_ok=True
    )
    assert math.isnan(t_tail(np.array([1.0]), 0)[0])
    assert math.isnan(t_quantile(0.05, 0))
    assert 1e299 < t_quantile(1e-300, 1) <= sys.float_info.max


def test_the_ends_of_an_interval_are_quantiles_of_the_normal_distribution_and_in_range():
    low, high = interval_ends(np.array([0.2, 0.9]), np.array([0.1, 0.1]), 0.95)
    assert low == pytest.approx([0.2 - 0.1 * 1.959964, 0.9 - 0.1 * 1.959964])
    assert high == pytest.approx([0.2 + 0.1 * 1.959964, 1.0])


def test_both_sides_are_rejected_where_the_interval_at_1_minus_2_alpha_is_within_the_margin():
    source = np.random.default_rng(4)
    difference, error, df = source.normal(0, 0.03, 500), source.uniform(0.005, 0.03, 500), 20
    half = t_quantile(2 * 0.05, df) * error
    within = (difference - half > -0.05) & (difference + half < 0.05)
    assert 50 < within.sum() < 450
    assert ((one_sided(difference, error, df, 0.05) < 0.05).all(axis=0) == within).all()
    assert np.isnan(margin_statistics(difference, 0 * error, 0.05)).all()


@pytest.mark.parametrize("deviation", [0.1, 0.2])
def test_equivalence_is_shown_with_the_stated_power_and_at_the_margin_with_the_stated_level(deviation):
    margin, trials = 0.05, 4000
    topics = topics_for_equivalence(deviation, margin, 0.05)
    z = np.random.default_rng(3).normal(0, deviation, (trials, int(topics)))
    error = z.std(axis=1, ddof=1) / math.sqrt(topics)
    for true, share in ((0.0, POWER), (margin, 0.05)):
        shown = (one_sided(z.mean(axis=1) + true, error, topics - 1, margin) < 0.05).all(axis=0)
        assert within_four_errors(shown.mean(), share, trials)


def test_topics_for_equivalence_without_variance_or_without_a_known_one():
    assert topics_for_equivalence(0.0, 0.05, 0.05) == 2
    assert math.isnan(topics_for_equivalence(math.nan, 0.05, 0.05))


@pytest.mark.parametrize("least", [2, 3, 4, 5, 31, 32, 33, 1000, MAX_TOPICS])
def test_the_fewest_topics_that_are_enough_are_found(least):
    assert str(topics_needed(lambda topics: topics >= least)) == str(least)


def test_more_topics_than_anybody_has_are_none():
    assert topics_needed(lambda topics: topics > MAX_TOPICS) is None


def interval(values, samples=200, seed=0):
    """The bootstrap interval of the mean of values by topic."""
    by_topic = np.stack([values, np.ones(len(values))], axis=1)
    return TopicBootstrap(samples, seed).interval(lambda sums: sums[..., 0] / sums[..., 1], by_topic)


@pytest.mark.parametrize("topics", [5, 10, 30])
def test_a_bootstrap_interval_covers_as_often_as_its_level_says(topics):
    source, trials = np.random.default_rng(1), 600
    ends = np.array([interval(source.normal(0.3, 0.1, topics), seed=seed)[1:] for seed in range(trials)])
    assert within_four_errors(np.mean((ends[:, 0] <= 0.3) & (ends[:, 1] >= 0.3)), 0.95, trials)


def test_the_width_of_a_bootstrap_interval_approaches_that_of_student():
    values = np.random.default_rng(2).normal(0.3, 0.1, 12)
    low, high = stats.t.interval(0.95, 11, values.mean(), stats.sem(values))
    expected = values.mean(), low, high
    assert interval(values, samples=20_000) == pytest.approx(expected, abs=0.03 * (high - low))


@pytest.mark.parametrize("topics", [1, 2])
def test_one_or_two_topics_have_a_value_without_a_bootstrap_interval(topics):
    assert interval(np.full(topics, 0.25)) == pytest.approx((0.25, math.nan, math.nan), nan_ok=True)


def test_values_that_are_all_the_same_have_an_interval_without_width():
    assert interval(np.full(5, 0.25)) == (0.25, 0.25, 0.25)


def test_a_seed_decides_and_a_range_cuts_a_bootstrap_interval():
    values = np.array([0.0, 1.0, 1.0, 1.0])
    assert interval(values) == interval(values) != interval(values, seed=1)
    assert interval(values)[2] == 1.0


@pytest.mark.parametrize(("effect", "alpha"), [(1, 0.05), (-0.5, 0.01), (0.2, 0.05), (0.05, 0.05 / 45)])
def test_topics_for_a_difference_are_those_of_statsmodels(effect, alpha):
    power = pytest.importorskip("statsmodels.stats.power").TTestPower()
    topics = topics_for_difference(effect, alpha)
    assert power.power(abs(effect), topics, alpha) >= 0.8 > power.power(abs(effect), topics - 1, alpha)


@pytest.mark.parametrize("effect", [0.0, math.nan, math.inf, 1e-9])
def test_topics_for_no_difference_are_unknown(effect):
    assert math.isnan(topics_for_difference(effect, 0.05))
