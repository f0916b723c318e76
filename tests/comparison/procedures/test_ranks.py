"""Friedman's test: its exact p against all permutations, in plain loops."""

import itertools
import math

import numpy as np
import pytest

from rankgauge import Scores, compare
from rankgauge.comparison.procedures.ranks import doubled_ranks, friedman, rank_sums, same_order
from rankgauge.comparison.registry import TestOptions
from rankgauge.numbers.differences import all_pairs


@pytest.mark.parametrize("ties", [False, True])
def test_the_least_p_of_friedmans_pairs_is_the_smallest_of_all_arrangements(ties):
    values = [[0.1, 0.2, 0.3], [0.5, 0.2 if ties else 0.4, 0.6], [0.3, 0.9, 0.3 if ties else 0.1]]
    arrangements = itertools.product(*map(itertools.permutations, values))
    found = [friedman(np.array(topics).T, *all_pairs(3), TestOptions()).p.min() for topics in arrangements]
    assert rank_sums(doubled_ranks(np.array(values).T)).least() == pytest.approx(min(found))


def by_enumeration(doubled):
    """(rank sums of every permutation within topics, one row each), as plain as it gets."""
    columns = [list(itertools.permutations(column)) for column in doubled.T.tolist()]
    return [[sum(ranks) for ranks in zip(*dealt, strict=True)] for dealt in itertools.product(*columns)]


@pytest.mark.parametrize(
    "doubled",
    [
        [[2, 4, 2], [4, 2, 6], [6, 6, 4]],
        [[3, 2, 4, 4], [3, 4, 4, 2], [6, 6, 4, 6]],
        [[2, 5], [5, 2], [5, 5], [8, 8]],
        [[3, 3, 3], [3, 3, 3], [6, 6, 6]],
        [[7, 7], [3, 3], [7, 7], [3, 3]],
    ],
    ids=["no ties", "ties", "four runs", "all alike, with ties", "all alike, in two groups"],
)
def test_friedman_is_exact_for_few_runs_and_topics(doubled):
    doubled = np.array(doubled)
    runs, topics = doubled.shape
    every, observed = by_enumeration(doubled), doubled.sum(axis=1).tolist()
    squares = topics * int((doubled**2).sum())

    def left(sums):
        return squares - sum(each * each for each in sums)

    def size(sums, one, other):
        error = left(sums)
        if sums[one] == sums[other]:
            return 0.0
        return abs(sums[one] - sums[other]) / math.sqrt(error) if error else math.inf

    first, second = all_pairs(runs)
    found = friedman(doubled.astype(float), first, second, TestOptions())
    share = sum(left(sums) <= left(observed) for sums in every) / len(every)
    assert found.overall.p == pytest.approx(share, rel=1e-12)
    for p, one, other in zip(found.p, first, second, strict=True):
        reached = [size(sums, one, other) >= size(observed, one, other) * (1 - 1e-12) for sums in every]
        assert p == pytest.approx(sum(reached) / len(every), rel=1e-12)
    assert rank_sums(doubled).probability.sum() == pytest.approx(1.0)


def test_friedman_with_two_runs_is_the_sign_test():
    source = np.random.default_rng(1)
    for topics in (2, 13, 50, 200):
        values = source.normal(0.1, 1, (2, topics)).round(1)
        found = {
            name: compare(Scores.from_table(dict(zip("ab", values.tolist(), strict=True))), test=name)
            for name in ("friedman", "sign")
        }
        (one,), (other,) = (each["value"].pairs for each in found.values())
        assert one.p == other.p
        assert one.favours == other.favours


def test_topics_that_all_rank_the_runs_alike_have_the_probability_of_that():
    values = np.arange(10.0)[:, None] + np.zeros((10, 4))
    first, second = all_pairs(10)
    found = friedman(values, first, second, TestOptions())
    assert found.overall.p == pytest.approx(1 / math.factorial(10) ** 3)
    assert found.p.tolist() == pytest.approx([1 / math.factorial(10) ** 3] * 45)
    assert same_order(np.array([[2, 3, 2], [4, 3, 4]])) == pytest.approx(0.5)
