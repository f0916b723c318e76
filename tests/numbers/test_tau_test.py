"""The test of Kendall's τ: by all ways of pairing two orders, SciPy's, and printed tables."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.numbers import tau_test
from rankgauge.numbers.tau_test import critical_tau, significance, tau_p

orders = st.integers(2, 6).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n) for _ in range(2)])
)


def statistic(x, y):
    """Concordant minus discordant pairs."""
    return sum(
        ((x[i] > x[j]) - (x[i] < x[j])) * ((y[i] > y[j]) - (y[i] < y[j]))
        for i, j in itertools.combinations(range(len(x)), 2)
    )


def slow_p(x, y):
    """The share of all ways to pair the scores in which |S| is at least as large."""
    if len({*x}) < 2 or len({*y}) < 2:
        return math.nan
    least = abs(statistic(x, y))
    extreme = [abs(statistic(x, other)) >= least for other in itertools.permutations(y)]
    return sum(extreme) / len(extreme)


@given(orders)
def test_p_counts_all_ways_of_pairing(both):
    assert tau_p(*both) == pytest.approx(slow_p(*both), nan_ok=True)
    assert tau_p(*both) == pytest.approx(tau_p(*reversed(both)), nan_ok=True)


@given(st.integers(2, 40).flatmap(lambda n: st.permutations(range(n))))
def test_p_without_ties_is_scipys_exact_one(order):
    found = tau_p(range(len(order)), order)
    assert found == pytest.approx(scipy.stats.kendalltau(range(len(order)), order, method="exact").pvalue)


def test_many_ties_in_both_orders_have_scipys_approximation_and_few_are_counted():
    source = np.random.default_rng(5)
    x, y = (source.integers(0, 25, size=40) for _ in range(2))
    assert tau_p(x, y) == scipy.stats.kendalltau(x, y, method="asymptotic").pvalue
    x, y = (source.integers(0, 2, size=40) for _ in range(2))  # few groups: counted, whatever their size
    assert tau_p(x, y) != scipy.stats.kendalltau(x, y, method="asymptotic").pvalue
    assert tau_p(x, y) == pytest.approx(scipy.stats.kendalltau(x, y, method="asymptotic").pvalue, abs=0.2)


def test_the_exact_p_joins_the_approximation_where_counting_ends():
    source = np.random.default_rng(6)
    for count in (tau_test.EXACT_SYSTEMS, tau_test.EXACT_SYSTEMS + 1):
        x, y = np.arange(count), source.permutation(count)
        assert tau_p(x, y) == pytest.approx(
            scipy.stats.kendalltau(x, y, method="asymptotic").pvalue, abs=0.005
        )
    assert abs(critical_tau(101, 0.05) - critical_tau(100, 0.05)) < 0.005


def test_infinite_scores_tie():
    assert tau_p([1, math.inf, math.inf, 0], [1, 2, 3, 4]) == tau_p([1, 2, 2, 0], [1, 2, 3, 4])


@pytest.mark.parametrize(
    ("systems", "of_05", "of_01"),
    [  # as tables of Kendall's τ print them, two-sided
        (4, None, None),
        (5, 1.000, None),
        (6, 0.867, 1.000),
        (7, 0.714, 0.905),
        (8, 0.643, 0.786),
        (9, 0.556, 0.722),
        (10, 0.511, 0.644),
        (20, 0.326, 0.421),
        (30, 0.255, 0.333),
    ],
)
def test_critical_values_are_the_printed_ones(systems, of_05, of_01):
    for alpha, printed in ((0.05, of_05), (0.01, of_01)):
        found = critical_tau(systems, alpha)
        assert (None if math.isnan(found) else round(found, 3)) == printed


@pytest.mark.parametrize("systems", range(5, 9))
def test_a_critical_value_is_the_smallest_tau_that_is_significant(systems):
    order = range(systems)
    every = {statistic(order, other): other for other in itertools.permutations(order) if other[0] < 2}
    p_of = {s / math.comb(systems, 2): tau_p(order, other) for s, other in every.items()}  # p depends on S
    for alpha in (0.01, 0.05, 0.2):
        significant = [tau for tau, p in p_of.items() if tau > 0 and p <= alpha]
        assert critical_tau(systems, alpha) == pytest.approx(min(significant, default=math.nan), nan_ok=True)


def test_the_sentence_on_significance_has_the_number_of_runs():
    assert "With 30 runs and no ties, τ from 0.2552 on" in significance(30)
    assert "and from 0.3333 at α = 0.01 (two-sided, exact)" in significance(30)
    assert "(two-sided, exact)" in significance(100)
    assert "(two-sided, normal approximation)" in significance(101)
    assert significance(4).startswith("With 4 runs no τ is significant at α = 0.05")
