"""Random signs and randomised Tukey HSD: their definitions in slow loops, and what must not show."""

import itertools
import math
from fractions import Fraction
from operator import mul

import numpy as np
import pytest

from rankgauge import Scores, compare
from rankgauge.comparison.corrections import correct
from rankgauge.comparison.procedures import permutation
from rankgauge.comparison.procedures.paired import t as student
from rankgauge.comparison.procedures.permutation import max_t, randomisation, randomised_tukey
from rankgauge.comparison.registry import SEED, TestOptions
from rankgauge.numbers.differences import RunPairs, all_pairs, differences


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


def test_a_single_topic_of_many_runs_stays_in_place():
    found = randomised_tukey(np.arange(13.0)[:, None] / 20)  # 13 runs have 6 thousand million orders
    assert found.exact
    assert found.p.tolist() == [
        float(second - first <= 12) for first, second in zip(*all_pairs(13), strict=True)
    ]


def test_random_ways_come_near_to_all_of_them():
    values = scores(3, 5)
    all_ways = randomised_tukey(values)
    some = randomised_tukey(values, permutations=1000)
    assert all_ways.exact
    assert not some.exact
    assert np.abs(all_ways.p - some.p).max() < 4 * math.sqrt(0.25 / 1000)


def test_no_p_is_0_and_runs_that_do_not_differ_have_1():
    values = np.vstack([np.full(30, 0.9), np.full(30, 0.1), np.full(30, 0.1)])
    assert randomised_tukey(values, permutations=999).p.tolist() == [0.001, 0.001, 1.0]


KINDS = {  # decimals, unit and origin: with few decimals, many sums equal the observed one
    "smooth": (3, 1.0, 0.0),
    "coarse": (1, 1.0, 0.0),
    "distant": (2, 1.0, 1000.0),
    "tiny": (2, 1e-300, 0.0),
}


def slow_signs(whole, samples):
    """p of each pair by random signs, in whole numbers."""
    topics = len(whole[0])
    source = np.random.Generator(np.random.PCG64(SEED))
    p = []
    signs = [
        [1 - 2 * int(bit) for byte in source.bytes(8 * -(-topics // 64)) for bit in f"{byte:08b}"]
        for _ in range(samples)
    ]
    for first, second in zip(*all_pairs(len(whole)), strict=True):
        z = [a - b for a, b in zip(whole[first], whole[second], strict=True)]
        sums = (abs(sum(sign * each for sign, each in zip(row, z, strict=False))) for row in signs)
        p.append((sum(each >= abs(sum(z)) for each in sums) + 1) / (samples + 1))
    return p


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_random_signs_are_counted_without_a_rounding_error(kind, known):
    places, unit, origin = KINDS[kind]
    whole = np.random.default_rng(5).integers(1, 10**places, (6, 70))
    values = (origin + whole / 10**places) * unit
    first, second = all_pairs(6)
    options = TestOptions(samples=300, pairs=RunPairs(values, first, second) if known else None)
    assert randomisation(differences(values), options).p.tolist() == slow_signs(whole.tolist(), 300)


@pytest.mark.parametrize("kind", KINDS)
def test_it_does_not_show_whether_runs_are_known_nor_how_samples_are_divided(kind, monkeypatch):
    places, unit, origin = KINDS[kind]
    chances = np.linspace(0.2, 0.8, 12)[:, None]
    values = np.random.default_rng(2).beta(10 * chances, 10 * (1 - chances), (12, 40))
    values = (origin + values.round(places)) * unit
    z, options = differences(values), TestOptions(samples=500, resolution=1e-4, threads=1)
    by_pairs = randomisation(z, options)
    for name, size in {"DRAWN": 40 * 7, "SUMS": 12 * 64, "PIECE": 1, "PRODUCT": 1000}.items():
        monkeypatch.setattr(permutation, name, size)
    pairs = RunPairs(values, *all_pairs(12))
    by_runs = randomisation(z, TestOptions(samples=500, resolution=1e-4, threads=3, pairs=pairs))
    assert by_runs.p.tolist() == by_pairs.p.tolist()
    assert by_runs.drawn.tolist() == by_pairs.drawn.tolist()
    assert {500, 10_000} <= {*by_runs.drawn.tolist()}


SMALL = {"near": (0.5, 1e-5), "distant": (1e6, 1e-1), "even": (0.0, 1e-1), "thirds": (0.0, 1 / 3)}


@pytest.mark.parametrize("topics", [8, 60])
@pytest.mark.parametrize("kind", SMALL)
@pytest.mark.parametrize("test", ["randomisation", "bootstrap", "randomised-tukey"])
def test_runs_whose_means_differ_by_rounding_alone_have_p_1(test, kind, topics):
    origin, unit = SMALL[kind]
    rng = np.random.default_rng(3)
    for _ in range(20):
        whole = rng.integers(-2, 3, topics)
        values = {"one": origin + whole * unit, "other": origin + rng.permutation(whole) * unit}
        found = compare(Scores.from_table(values, "AP"), test=test, samples=200)
        assert [pair.p for pair in found["AP"].pairs] == [1.0]


def test_random_signs_of_small_differences_of_large_values_tie():
    whole = np.random.default_rng(1).integers(-2, 3, (6, 70))
    values = 1000 + whole * 1e-5
    options = TestOptions(samples=300, pairs=RunPairs(values, *all_pairs(6)))
    assert randomisation(differences(values), options).p.tolist() == slow_signs(whole.tolist(), 300)


def test_sums_of_runs_decide_about_other_pairs_than_those_of_an_outlier(monkeypatch):
    values = np.random.default_rng(4).random((20, 50))
    values[0] *= 1e13
    near, left_open = permutation.core.near_differences, []

    def near_differences(*arguments):
        found = near(*arguments)
        left_open.append(len(np.frombuffer(found[1], dtype=np.int64)))
        return found

    monkeypatch.setattr(permutation.core, "near_differences", near_differences)
    pairs = RunPairs(values, *all_pairs(20))
    randomisation(differences(values), TestOptions(samples=1000, pairs=pairs, threads=1))
    assert sum(left_open) < 10  # of 190 pairs and 1000 samples


def slow_step_down(values):
    """p of each pair over all signs of the topics, in whole numbers: t² grows with sum² / sum of squares."""
    rows = [[round(1e4 * value) for value in row] for row in values.tolist()]
    z = [[a - b for a, b in zip(*pair, strict=True)] for pair in itertools.combinations(rows, 2)]
    squares = [sum(each**2 for each in row) for row in z]
    signs = [*itertools.product((1, -1), repeat=len(rows[0]))]
    size = [
        [Fraction(sum(map(mul, row, s)) ** 2, q) for s in signs] for row, q in zip(z, squares, strict=True)
    ]
    p, left, reached = {}, {*range(len(z))}, 0.0
    while left:
        largest = max(left, key=lambda pair: size[pair][0])
        share = sum(max(size[pair][way] for pair in left) >= size[largest][0] for way in range(len(signs)))
        p[largest] = reached = max(reached, share / len(signs))
        left.remove(largest)
    return [p[pair] for pair in range(len(z))]


@pytest.mark.parametrize(("runs", "topics"), [(2, 6), (3, 5), (4, 8), (3, 1)])
@pytest.mark.parametrize("places", [4, 1])
def test_few_topics_are_given_all_signs_step_by_step(runs, topics, places):
    values = scores(runs, topics, seed=topics, places=places)
    found = max_t(values, *all_pairs(runs), TestOptions(samples=1000))
    assert found.p.tolist() == pytest.approx(slow_step_down(values), rel=1e-12)


def test_random_signs_for_all_pairs_come_near_to_all_of_them():
    values = scores(5, 10)
    exact, some = (max_t(values, *all_pairs(5), TestOptions(samples=n)) for n in (512, 511))
    assert "exact" in exact.method[0]
    assert "511 random" in some.method[0]
    assert np.abs(exact.p - some.p).max() < 4 * math.sqrt(0.25 / 511)
    assert exact.half == pytest.approx(some.half, rel=0.2)


@pytest.mark.parametrize("test", ["max-t", "randomised-tukey"])
def test_too_few_topics_for_a_p_below_alpha_have_no_interval(test):
    runs = {"a": [0.2, 0.3, 0.4, 0.5], "b": [0.7, 0.9, 0.8, 0.95]}
    comparison = compare(
        Scores.from_table({r: dict(zip("1234", v, strict=True)) for r, v in runs.items()}), test=test
    )
    ((pair,),) = (each.pairs for each in comparison.compared)
    assert pair.p == 0.125
    assert math.isnan(pair.low)
    assert math.isnan(pair.high)
    assert "10000 random" not in comparison.conclusion()


def test_step_by_step_is_as_safe_as_holm_and_finds_more_if_differences_are_symmetric():
    campaigns, runs, alpha = 200, 8, 0.05
    first, second = all_pairs(runs)
    better = np.array([0, 0, 0, 0, 0.3, 0.5, 0.7, 0.9])
    same, more = better[first] == better[second], []
    wrong = {"max-t": 0, "holm": 0}
    for seed in range(campaigns):
        noise = (
            np.random.default_rng([7, seed]).normal(size=(runs, 25)) * np.linspace(0.1, 1.5, runs)[:, None]
        )
        values = noise + better[:, None]
        p = {
            "max-t": max_t(values, first, second, TestOptions(samples=500, seed=seed)).p,
            "holm": correct(student(differences(values), TestOptions()).p, "holm"),
        }
        for name in wrong:
            wrong[name] += (p[name][same] < alpha).any()
        more.append(np.subtract(*((each[~same] < alpha).mean() for each in p.values())))
    assert wrong["max-t"] / campaigns <= alpha + 3 * math.sqrt(alpha * (1 - alpha) / campaigns)
    error = np.std(more, ddof=1) / math.sqrt(campaigns)
    assert np.mean(more) > 3 * error


def test_step_by_step_errs_more_than_holm_if_runs_are_skewed_differently():
    campaigns, runs, alpha = 200, 8, 0.05
    more = []
    for seed in range(campaigns):
        noise = np.random.default_rng([7, seed]).exponential(size=(runs, 25)) - 1
        values = noise * np.linspace(0.05, 2, runs)[:, None]
        p = max_t(values, *all_pairs(runs), TestOptions(samples=500, seed=seed)).p
        by_holm = correct(student(differences(values), TestOptions()).p, "holm")
        more.append(float((p < alpha).any()) - float((by_holm < alpha).any()))
    assert np.mean(more) > 3 * np.std(more, ddof=1) / math.sqrt(campaigns)
