"""What holds for every test and every correction, whoever adds one."""

import numpy as np
import pytest

from rankgauge.comparison.corrections import correct
from rankgauge.comparison.registry import CORRECTIONS, TESTS, TestOptions
from rankgauge.numbers.differences import all_pairs, differences

ASK = TestOptions(samples=400, threads=1)
KINDS = ["smooth", "coarse", "constant", "shifted", "tiny", "huge", "one run apart"]


def scores(kind, runs=4, topics=14, seed=5):
    source = np.random.default_rng(seed)
    values = source.beta(1, 2, (runs, topics))
    return {
        "smooth": values,
        "coarse": values.round(1),
        "constant": np.full((runs, topics), 0.3),
        "shifted": values[:1] + np.arange(runs)[:, None] / 10,
        "tiny": values * 1e-290,
        "huge": values * 1e250,
        "one run apart": np.vstack([values[:1]] * (runs - 1) + [values[-1:]]),
    }[kind]


def outcome(name, values, first=None, second=None, ask=ASK):
    if first is None:
        first, second = all_pairs(len(values))
    test = TESTS[name]
    if test.kind == "all":
        return test.function(values, first, second, ask)
    return test.function(differences(values, first, second), ask)


def same(one, other):
    return np.array_equal(one, other, equal_nan=True)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", TESTS)
def test_p_is_a_probability_above_0_or_undefined_and_values_are_left_alone(name, kind):
    values = scores(kind)
    found = outcome(name, values)
    assert same(values, scores(kind))
    pairs = len(all_pairs(4)[0])
    assert found.p.shape == found.statistic.shape == (pairs,)
    assert len(found.method) == pairs
    assert np.all(np.isnan(found.p) | ((found.p > 0) & (found.p <= 1)))
    if found.overall:
        assert np.isnan(found.overall.p) or 0 <= found.overall.p <= 1
    if found.half is not None:
        assert np.all(np.isnan(found.half) | (found.half >= 0))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", TESTS)
def test_swapping_the_runs_of_a_pair_changes_signs_alone(name, kind):
    values = scores(kind)
    first, second = all_pairs(4)
    one, other = outcome(name, values, first, second), outcome(name, values, second, first)
    assert same(one.p, other.p)
    assert same(one.sides, -other.sides)
    if one.expected is None:
        assert same(one.statistic, -other.statistic)
    else:  # it counts what is in favour of one run
        assert same(one.statistic - one.expected, other.expected - other.statistic)


@pytest.mark.parametrize("name", TESTS)
def test_a_run_that_is_much_higher_on_every_topic_is_favoured_with_a_small_p(name):
    values = scores("smooth", runs=2) / 10
    values[1] += 0.5
    found = outcome(name, values)
    assert found.sides.tolist() == [-1.0]
    assert found.p[0] < 0.01


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [name for name, test in TESTS.items() if test.samples is None])
def test_the_order_of_topics_does_not_show(name, kind):
    values = scores(kind)
    one, rng = outcome(name, values), np.random.default_rng(1)
    for _ in range(5):  # a sum that is rounded at every step is the same in some orders
        other = outcome(name, rng.permutation(values, axis=1))
        assert same(one.p, other.p)
        assert same(one.statistic, other.statistic)


@pytest.mark.parametrize("name", [name for name, test in TESTS.items() if test.kind == "pair"])
def test_a_pair_knows_nothing_of_the_others(name):
    values = scores("coarse")
    assert outcome(name, values[:2]).p[0] == outcome(name, values).p[0]


@pytest.mark.parametrize("values", [scores("one run apart")[:2], [[0.5], [0.25]]], ids=["equal", "one topic"])
@pytest.mark.parametrize("name", TESTS)
def test_runs_that_do_not_differ_and_a_single_topic_have_p_1_or_none(name, values):
    (p,) = outcome(name, np.array(values)).p
    assert np.isnan(p) or p == 1.0


@pytest.mark.parametrize("name", [name for name, test in TESTS.items() if test.samples])
def test_the_seed_decides_and_threads_do_not(name):
    values = scores("smooth", runs=6, topics=30)
    one = outcome(name, values)
    assert same(one.p, outcome(name, values, ask=TestOptions(samples=400, threads=3)).p)
    assert not same(one.p, outcome(name, values, ask=TestOptions(samples=400, seed=1)).p)


@pytest.mark.parametrize("name", CORRECTIONS)
def test_a_correction_keeps_order_and_range_and_leaves_the_undefined_out(name):
    p = np.array([0.04, np.nan, 0.001, 0.5, 0.04, 0.9, 0.0])
    found = correct(p, name)
    defined = ~np.isnan(p)
    assert same(np.isnan(found), np.isnan(p))
    assert same(found[defined], correct(p[defined], name))
    assert np.all(found[defined] >= p[defined])
    assert np.all(found[defined] <= 1)
    order = np.argsort(p[defined], kind="stable")
    assert np.all(np.diff(found[defined][order]) >= 0)
    assert found[0] == found[4]


@pytest.mark.parametrize("name", CORRECTIONS)
@pytest.mark.parametrize("p", [[], [np.nan], [0.03]])
def test_a_correction_of_one_p_or_none_changes_nothing(name, p):
    assert same(correct(np.array(p, dtype=float), name), np.array(p, dtype=float))
