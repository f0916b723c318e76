"""Edges: equal means, constant differences, few topics, many pairs, large values with small differences."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from rankgauge import compare
from rankgauge.comparison.registry import T_INTERVAL, TESTS, TestOptions
from rankgauge.errors import OptionError
from rankgauge.numbers.differences import all_pairs, differences


@pytest.mark.parametrize("test", ["t", "bootstrap"])
def test_equal_means_have_an_interval_around_0(test):
    (pair,) = compare({"A": [0.0, 1.0, 0.0, 1.0], "B": [1.0, 0.0, 1.0, 0.0]}, test=test)["value"].pairs
    assert pair.p == 1.0
    assert pair.low == -pair.high < 0
    if test == "t":
        assert pair.high == pytest.approx(stats.t.isf(0.025, 3) * np.std([1, -1, 1, -1], ddof=1) / 2)


@pytest.mark.parametrize("name", TESTS)
@pytest.mark.parametrize("topics", [2, 5])
def test_the_same_difference_on_few_topics_proves_nothing(name, topics):
    values, test = np.arange(topics) / 10 + 0.1, TESTS[name]
    found = compare({"A": values.tolist(), "B": (values + 0.1).tolist()}, test=name)
    (pair,) = found["value"].pairs
    if test.parametric and test.paired:
        assert math.isnan(pair.p)
        assert pair.method == "undefined, the difference is the same on every topic"
        assert found.notation() == "significance is undefined"
        assert math.isnan(pair.low)
    else:
        assert pair.p >= 0.5 ** (topics - 1) or not test.paired
        assert found.notation() == "no difference is significant"
        assert math.isnan(pair.low) or test.interval != T_INTERVAL


def could_be(values, test):
    """The notes on what could be significant."""
    return [note for note in compare(values, test=test).notes if "could be" in note]


@pytest.mark.parametrize("test", ["sign", "wilcoxon", "randomisation", "friedman", "randomised-tukey"])
def test_a_test_that_could_not_find_anything_says_so(test):
    (note,) = could_be({"A": [0.1, 0.2, 0.3, 0.4, 0.5], "B": [0.2, 0.5, 0.6, 0.8, 0.9]}, test)
    assert "no difference could be significant" in note
    assert " has no corrected p below 0.06" in note
    assert not could_be({"A": [0.1] * 6, "B": [0.2, 0.5, 0.6, 0.8, 0.9, 0.3]}, test)
    assert not could_be({"A": [0.1, 0.2], "B": [0.1, 0.2]}, test)


@pytest.mark.parametrize("test", ["sign", "wilcoxon", "randomisation"])
def test_a_pair_without_a_difference_is_one_of_the_family(test):
    (note,) = could_be({"A": [0.1] * 6, "B": [0.1] * 6, "C": [0.2, 0.5, 0.6, 0.8, 0.9, 0.3]}, test)
    assert note.startswith("value: no difference could be significant: so few topics differ that the ")
    assert note.endswith(" has no corrected p below 0.094")


@pytest.mark.parametrize("test", ["friedman", "randomised-tukey"])
def test_two_topics_of_three_runs_prove_nothing(test):
    assert could_be({"A": [0.1, 0.2], "B": [0.2, 0.5], "C": [0.3, 0.1]}, test)


@pytest.mark.parametrize("test", TESTS)
def test_no_p_is_below_the_least(test):
    source = np.random.default_rng(6)
    spec, options = TESTS[test], TestOptions(samples=1000)
    for runs, topics in itertools.product((2, 3, 4), (2, 3, 4, 5)):
        values = source.integers(0, 3, (runs, topics)) / 4
        first, second = all_pairs(runs)
        given = (values, first, second) if spec.kind == "all" else (differences(values),)
        outcome = spec.function(*given, options)
        if outcome.least is not None:
            assert not (outcome.p < outcome.least * (1 - 1e-9)).any()


def test_large_values_with_small_differences_are_not_rounded_away():
    source = np.random.default_rng(0)
    values = (1e4 + source.normal(0, 1e-3, (3, 25))).round(12)
    exact = [[Fraction(value) for value in row] for row in values.tolist()]
    for pair in compare(dict(zip("abc", values.tolist(), strict=True)))["value"].pairs:
        one, other = (exact["abc".index(run)] for run in (pair.run, pair.against))
        z = [a - b for a, b in zip(one, other, strict=True)]
        mean = sum(z) / len(z)
        square = sum((each - mean) ** 2 for each in z) / (len(z) - 1) / len(z)
        assert pair.statistic == pytest.approx(float(mean) / math.sqrt(square), rel=1e-12)
    grand = sum(map(sum, exact)) / 75
    means = [sum(row) / 25 for row in exact]
    topics = [sum(column) / 3 for column in zip(*exact, strict=True)]
    left = sum(
        (value - means[row] - topics[column] + grand) ** 2
        for row, column, value in ((r, c, exact[r][c]) for r in range(3) for c in range(25))
    )
    between = 25 * sum((mean - grand) ** 2 for mean in means)
    first, second = all_pairs(3)
    overall = TESTS["anova-two-way"].function(values, first, second, TestOptions()).overall
    assert overall.statistic == pytest.approx(float(between / 2 / (left / 48)), rel=1e-9)


def test_wilcoxons_test_sees_ties_of_either_sign():
    (pair,) = compare({"A": [0.3, 0.1, 0.5, 0.2], "B": [0.2, 0.2, 0.1, 0.4]}, test="wilcoxon")["value"].pairs
    assert pair.statistic == 1.5 + 3  # B is higher by 0.1 and 0.2, lower by 0.1 and 0.4


def test_random_samples_do_not_limit_what_can_be_found_with_many_pairs():
    source = np.random.default_rng(3)
    values = source.normal(0, 0.1, (33, 50)) + source.normal(0, 1, (1, 50))
    values[0] += 0.5
    table = {f"r{n}": row for n, row in enumerate(values.tolist())}
    for test in ("randomisation", "bootstrap"):
        found = compare(table, test=test)
        beaten = [pair for pair in found["value"].pairs if pair.against == "r0"]
        assert all(pair.corrected < 0.01 for pair in beaten)
        assert all(pair.p > 0 for pair in found["value"].pairs)
        assert f"up to {math.ceil(528 * 5 / 0.05)} where p is small" in found.sentences[0]
        assert {pair.favours for pair in beaten} == {"r0"}


def test_a_sentence_on_exact_p_names_no_samples():
    source = np.random.default_rng(3)
    few, many = (
        compare(dict(zip("ab", source.random((2, topics)).tolist(), strict=True)), test="randomisation")
        for topics in (24, 25)
    )
    assert "by a two-sided paired randomisation test (α" in few.sentences[0]
    assert "test (10000 random assignments of signs, seed 2006) (α" in many.sentences[0]


def test_a_test_that_takes_no_more_samples_names_the_number_that_would_do():
    values = np.random.default_rng(0).random((40, 10))
    table = {f"r{n}": row for n, row in enumerate(values.tolist())}
    with pytest.raises(
        OptionError, match="with Holm's correction needs at least 15600 random samples, not 10000; leave"
    ):
        compare(table, test="randomised-tukey", correction="holm")
    assert compare(table, test="randomised-tukey", correction="holm", samples=15600).samples == 15600


def test_a_level_beyond_all_samples_is_refused():
    table = {f"r{n}": [n / 10, n / 20, 0.3] for n in range(20)}
    with pytest.raises(OptionError, match="Holm's correction needs more than 10000000"):
        compare(table, test="bootstrap", alpha=1e-5, samples=200_000)


def test_an_interval_that_ends_at_0_ends_there_exactly():
    source = np.random.default_rng(2)
    for _ in range(200):
        # coarse values on few topics: the critical difference is often one of the differences
        values = source.integers(0, 4, (3, 4)) / 10
        found = compare(dict(zip("abc", values.tolist(), strict=True)), test="randomised-tukey", alpha=0.3)
        for pair in found["value"].pairs:
            if not math.isnan(pair.low):
                assert (pair.p < 0.3) == (pair.low > 0 or pair.high < 0)


def test_large_values_do_not_keep_the_end_of_an_interval_from_0():
    table = {"a": [1e6] * 2, "b": [1e6 + 0.002] * 2, "c": [1e6 + 0.001] * 2, "d": [1e6 + 0.002] * 2}
    for pair in compare(table, test="randomised-tukey")["value"].pairs:
        assert pair.p > 0.05
        assert pair.low <= 0 <= pair.high
