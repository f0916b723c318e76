"""Rank correlation by the definitions, in plain loops and over all orders of ties; and SciPy's."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.numbers.rank_correlation import coefficients, rbo, tau_a, tau_ap, tau_b, tau_w

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "stats.json").read_text())
CASES = GOLDEN if isinstance(GOLDEN, list) else GOLDEN["cases"]
orders = st.integers(2, 6).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n) for _ in range(2)])
)


def pairs(x, y):
    """(concordant, discordant, tied in x alone, tied in y alone)."""
    counts = [0, 0, 0, 0]
    for i, j in itertools.combinations(range(len(x)), 2):
        a, b = x[i] - x[j], y[i] - y[j]
        if a and b:
            counts[a * b < 0] += 1
        elif a or b:
            counts[2 if b else 3] += 1
    return counts


def rankings(scores):
    """All orders of systems by falling score: those that tie stand in any order."""
    groups = [
        [i for i, score in enumerate(scores) if score == value] for value in sorted(set(scores), reverse=True)
    ]
    for parts in itertools.product(*map(itertools.permutations, groups)):
        yield [i for part in parts for i in part]


def slow_tau_ap(x, y):
    """The mean of Yilmaz et al.'s τ_AP over all orders of ties on either side."""
    found = []
    for ranked, other in itertools.product(rankings(x), rankings(y)):
        terms = [
            sum(other.index(above) < other.index(item) for above in ranked[:i]) / i
            for i, item in enumerate(ranked)
            if i
        ]
        found.append(2 / (len(x) - 1) * sum(terms) - 1)
    return sum(found) / len(found)


def slow_tau_w(x, y):
    """Vigna's weighted τ with additive hyperbolic weights, the mean over the ranks of x and of y."""
    found = []
    for by, other in ((x, y), (y, x)):
        order = sorted(range(len(x)), key=lambda i: (-by[i], -other[i]))
        rank = {i: place for place, i in enumerate(order, 1)}

        def inner(r, s, rank=rank):
            signs = [
                ((r[i] > r[j]) - (r[i] < r[j]))
                * ((s[i] > s[j]) - (s[i] < s[j]))
                * (1 / rank[i] + 1 / rank[j])
                for i, j in itertools.combinations(range(len(r)), 2)
            ]
            return sum(signs)

        norm = math.sqrt(inner(x, x) * inner(y, y))
        found.append(inner(x, y) / norm if norm else math.nan)
    return sum(found) / 2


def slow_rbo(x, y, p, depth=2000):
    """(1 - p) Σ p^(d-1) A_d, summed until nothing is left; past the end all systems have been seen."""

    def top(scores, d):
        return {i for i, score in enumerate(scores) if sum(other > score for other in scores) < d}

    total = 0.0
    for d in range(1, depth):
        a, b = top(x, d), top(y, d)
        total += (1 - p) * p ** (d - 1) * 2 * len(a & b) / (len(a) + len(b))
    return total


@given(orders)
def test_tau_a_and_tau_b_count_pairs(both):
    x, y = both
    concordant, discordant, only_x, only_y = pairs(x, y)
    assert tau_a(x, y) == pytest.approx((concordant - discordant) / math.comb(len(x), 2))
    untied = (concordant + discordant + only_x) * (concordant + discordant + only_y)
    if untied:
        assert tau_b(x, y) == pytest.approx((concordant - discordant) / math.sqrt(untied))
    else:
        assert math.isnan(tau_b(x, y))


@given(orders)
def test_tau_b_is_that_of_scipy(both):
    found, expected = tau_b(*both), scipy.stats.kendalltau(*both).statistic
    assert found == pytest.approx(expected, nan_ok=True)


@given(orders)
def test_tau_ap_is_the_mean_over_all_orders_of_ties(both):
    assert tau_ap(*both) == pytest.approx(slow_tau_ap(*both), abs=1e-12)


@given(st.lists(orders, min_size=1, max_size=3))
def test_the_coefficients_of_many_orders_at_once_are_those_of_each_two(several):
    for x, y in several:
        values = np.array([[x, y, x[::-1]], [y, y, x]], dtype=float)
        found = coefficients(values)
        for sample, i, j in np.ndindex(2, 3, 3):
            one, other = values[sample, i], values[sample, j]
            each = tau_a(one, other), tau_b(one, other), tau_ap(one, other)
            assert [c[sample, i, j] for c in found] == pytest.approx(each, nan_ok=True)


@given(orders)
def test_weighted_tau_is_that_of_its_definition_and_of_scipy(both):
    assert tau_w(*both) == pytest.approx(slow_tau_w(*both), abs=1e-12, nan_ok=True)
    assert tau_w(*both) == pytest.approx(scipy.stats.weightedtau(*both).statistic, nan_ok=True)


@given(orders, st.sampled_from([0.5, 0.9, 0.98]))
def test_rbo_is_the_sum_of_its_series(both, p):
    assert rbo(*both, p) == pytest.approx(slow_rbo(*both, p), abs=1e-9)


@given(st.permutations(range(6)))
def test_the_same_order_agrees_and_the_reverse_does_not(order):
    back = [-x for x in order]
    for function in (tau_a, tau_b, tau_ap, tau_w):
        assert function(order, order) == pytest.approx(1)
        assert function(order, back) == pytest.approx(-1)
    assert rbo(order, order) == pytest.approx(1)
    assert rbo(order, back) < 1


@pytest.mark.parametrize("case", [c for c in CASES if c.get("matrix")], ids=lambda c: c["id"])
def test_golden_values_of_kendalls_tau(case):
    matrix, expected = np.array(case["matrix"]), case["expected"]
    upper = np.sort(matrix, axis=0)[len(matrix) // 2]
    cases = {"topic_0_and_1": (matrix[0], matrix[1]), "means_and_upper_medians": (matrix.mean(axis=0), upper)}
    compared = 0
    for name, (x, y) in cases.items():
        for kind, function in (("a", tau_a), ("b", tau_b)):
            value = expected.get(f"kendall_tau_{kind}_of_{name}", "absent")
            if value == "absent":
                continue
            compared += 1
            found = function(np.round(x, 12), np.round(y, 12))
            assert found == pytest.approx(math.nan if value is None else value, nan_ok=True)
    assert compared


def test_orders_have_to_be_of_the_same_systems():
    for bad in ([1, 2, 3], [1, math.nan], [[1, 2]]):
        with pytest.raises(ValueError, match="the same systems"):
            tau_b([1, 2], bad)
    assert math.isnan(tau_ap([1], [1]))
    assert math.isnan(tau_w([1], [1]))
    assert math.isnan(tau_a([1], [1]))


def test_systems_with_infinite_scores_tie():
    x, y = [3.0, math.inf, math.inf, 1.0], [3.0, 4.0, 4.0, 1.0]
    for coefficient in (tau_a, tau_b, tau_ap, tau_w, rbo):
        assert coefficient(x, y) == coefficient(y, y)
        assert coefficient(y, x) == coefficient(y, y)


def test_where_scores_are_missing_two_orders_are_compared_on_the_systems_that_both_have():
    """By hand: of the three pairs of the systems 1, 2 and 4, the first two orders agree on two."""
    orders = [[1.0, 2.0, 3.0, 4.0, math.nan], [2.0, 1.0, math.nan, 4.0, 3.0], [5.0, 4.0, 3.0, math.nan, 1.0]]
    table = coefficients(np.array(orders))
    assert table[0, 0, 1] == table[0, 1, 0] == pytest.approx(1 / 3)
    for (i, one), (j, other) in itertools.permutations(enumerate(orders), 2):
        both = np.array([pair for pair in zip(one, other, strict=True) if not math.isnan(sum(pair))]).T
        assert table[:, i, j].tolist() == coefficients(both)[:, 0, 1].tolist()
