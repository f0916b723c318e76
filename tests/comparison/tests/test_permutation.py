"""The randomised Tukey HSD: its definition by enumeration, and what must not show."""

import itertools
import math

import numpy as np
import pytest

from rankgauge.comparison.tests.permutation import randomised_tukey


def scores(runs, topics, seed=0, places=4):
    return np.random.default_rng(seed).beta(1, 2, (runs, topics)).round(places)


def slow(values):
    """p of each pair over every way to deal out each topic's values, in whole numbers."""
    columns = [[round(1e4 * value) for value in column] for column in values.T.tolist()]
    ranges = []
    for dealt in itertools.product(*(itertools.permutations(column) for column in columns)):
        sums = [sum(row) for row in zip(*dealt, strict=True)]
        ranges.append(max(sums) - min(sums))
    means = [sum(row) for row in zip(*columns, strict=True)]
    sizes = [abs(one - other) for one, other in itertools.combinations(means, 2)]
    return [sum(size <= each for each in ranges) / len(ranges) for size in sizes]


@pytest.mark.parametrize(("runs", "topics"), [(2, 6), (3, 4), (4, 2), (3, 1)])
@pytest.mark.parametrize("places", [4, 1])
def test_few_values_are_dealt_out_in_every_way(runs, topics, places):
    values = scores(runs, topics, places=places)
    found = randomised_tukey(values)
    assert found.exact
    assert found.permutations == math.factorial(runs) ** (topics - 1)
    assert found.p.tolist() == pytest.approx(slow(values), rel=1e-12)


def test_random_ways_come_near_to_all_of_them():
    values = scores(3, 5)
    all_ways = randomised_tukey(values)
    some = randomised_tukey(values, permutations=1000)
    assert all_ways.exact
    assert not some.exact
    assert np.abs(all_ways.p - some.p).max() < 4 * math.sqrt(0.25 / 1000)


def test_threads_do_not_show_and_the_seed_decides():
    values = scores(5, 20)
    one = randomised_tukey(values, permutations=1700, threads=1).p.tolist()
    assert one == randomised_tukey(values, permutations=1700, threads=4).p.tolist()
    assert one != randomised_tukey(values, permutations=1700, seed=1).p.tolist()


def test_no_p_is_0_and_runs_that_do_not_differ_have_1():
    values = np.vstack([np.full(30, 0.9), np.full(30, 0.1), np.full(30, 0.1)])
    assert randomised_tukey(values, permutations=999).p.tolist() == [0.001, 0.001, 1.0]
