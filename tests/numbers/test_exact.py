"""Differences that tie, sums that are the same in any order, and p by samples in stages."""

import math

import numpy as np
import pytest

from rankgauge.numbers.differences import RunPairs, cleared, differences, percentage
from rankgauge.numbers.exact import moments, sampled_p


def test_differences_that_are_equal_but_for_rounding_become_equal():
    z = np.array([[0.3 - 0.2, 0.2 - 0.1, 0.1, 0.2 - 0.3, 1e-17, -0.3, 0.25], [1.0, 2, 3, 4, 5, 6, 7]])
    found = cleared(z, np.ones(2))
    assert len(set(np.abs(found[0, :4]).tolist())) == 1
    assert np.sign(found[0, :4]).tolist() == [1, 1, 1, -1]
    assert found[0, 4:].tolist() == [0.0, -0.3, 0.25]
    assert found[1].tolist() == z[1].tolist()
    assert cleared(-z, np.ones(2)).tolist() == (0.0 - found).tolist()
    assert cleared(np.empty((3, 0))).shape == (3, 0)


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_only_digits_beyond_the_twelfth_are_rounding_errors(unit):
    z = unit * np.array([[1.5, 1.5 + 4e-12, 0.25, 0.25 + 2e-14]])
    ((low, high, one, other),) = cleared(z, np.array([3 * unit])).tolist()
    assert low < high
    assert one == other


def test_rounding_is_bounded_by_the_larger_run_of_a_pair():
    pairs = RunPairs(np.array([[0.5, 0.25], [8.0, -4.0], [0.0, 0.0]]), np.array([0, 0]), np.array([1, 2]))
    assert pairs.rounding().tolist() == [8 * 2.0**-51, 0.5 * 2.0**-51]


def test_differences_of_unknown_runs_are_rows_against_zeros():
    z = np.array([[0.5, -0.25], [2.0, 0.0]])
    pairs = RunPairs.of(z)
    assert (pairs.values[pairs.first] - pairs.values[pairs.second]).tolist() == z.tolist()


def test_a_percentage_of_a_baseline_near_0_is_undefined():
    found = percentage(0.1, np.array([0.5, -0.5, 0.0005]), 1.0)
    assert found.tolist() == pytest.approx([20, 20, math.nan], nan_ok=True)


@pytest.mark.parametrize("topics", [3, 50])
def test_moments_are_numpys_and_the_same_in_any_order(topics):
    source = np.random.default_rng(0)
    z = differences(source.random((5, topics)))
    found, permuted = moments(z), moments(source.permutation(z, axis=1))
    assert found.mean == pytest.approx(z.mean(axis=1))
    assert found.deviation == pytest.approx(z.std(axis=1, ddof=1))
    assert found.t == pytest.approx(z.mean(axis=1) / z.std(axis=1, ddof=1) * math.sqrt(topics))
    for name in ("mean", "deviation", "t"):
        assert getattr(found, name).tolist() == getattr(permuted, name).tolist()


@pytest.mark.parametrize(
    ("row", "mean", "deviation", "t"),
    [
        ([0.5], 0.5, math.nan, math.nan),
        ([0.5, 0.5], 0.5, 0.0, math.inf),
        ([-0.5, -0.5, -0.5], -0.5, 0.0, -math.inf),
        ([0.0, 0.0], 0.0, 0.0, math.nan),
        ([0.5, -0.5], 0.0, math.sqrt(0.5), 0.0),
    ],
)
def test_moments_of_few_and_constant_differences(row, mean, deviation, t):
    found = moments(np.array([row]))
    assert [*found.mean, *found.deviation, *found.t] == pytest.approx([mean, deviation, t], nan_ok=True)


def test_a_mean_that_only_rounding_keeps_from_0_is_0():
    z = np.array([[0.1, 0.2, -0.3]])
    assert moments(z, rounding=2.0**-51).mean.tolist() == [0.0]
    assert moments(z + 1e-9, rounding=2.0**-51).mean[0] == pytest.approx(1e-9)


def test_a_p_that_stays_large_needs_no_more_samples():
    asked = []

    def count(rows, begin, end):
        asked.append((rows.tolist(), begin, end))
        return np.array([0.0, 0.5])[rows] * (end - begin)

    p, drawn = sampled_p(count, 2, 100, 3000)
    assert asked == [([0, 1], 0, 100), ([0], 100, 400), ([0], 400, 1600), ([0], 1600, 3000)]
    assert drawn.tolist() == [3000, 100]
    assert p.tolist() == [1 / 3001, 51 / 101]


def test_stopping_early_does_not_make_p_too_small():
    source = np.random.default_rng(5)
    pairs = 200_000
    true = source.random(pairs)  # of a statistic without a difference

    def count(rows, begin, end):
        return source.binomial(end - begin, true[rows]).astype(float)

    p, drawn = sampled_p(count, pairs, 200, 10_000)
    assert set(drawn.tolist()) == {200, 800, 3200, 10_000}
    for level in (0.0005, 0.001, 0.01, 0.02, 0.05, 0.1, 0.5):
        assert (p <= level).mean() <= level + 3 * math.sqrt(level / pairs)
