"""The paired bootstrap: the golden case, its definition in plain loops, and what must not show."""

import json
import math
import os
import random
import statistics
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rankgauge.numbers import bootstrap, exact
from rankgauge.numbers.bootstrap import paired_bootstrap
from rankgauge.numbers.differences import differences

(GOLDEN,) = json.loads((Path(__file__).parents[1] / "golden" / "bootstrap.json").read_text())


def t_of(values):
    """mean / (standard deviation / √n); 0 / 0 is no difference at all."""
    mean, spread = statistics.fmean(values), statistics.stdev(values)
    if spread < 1e-14:
        return math.copysign(math.inf, mean) if abs(mean) > 1e-14 else 0.0
    return mean / (spread / math.sqrt(len(values)))


def slow(z, samples, alpha):
    """(t, ASL, Δ) as Sakai 2006 words them, sample after sample."""
    mean = statistics.fmean(z)
    w = [value - mean for value in z]
    t = t_of(z)
    found = []
    for sample in samples:
        drawn = [w[place] for place in sample]
        found.append((abs(t_of(drawn)), abs(statistics.fmean(drawn))))
    asl = sum(size > abs(t) or math.isclose(size, abs(t)) for size, _ in found) / len(samples)
    place = math.floor(len(samples) * alpha)
    return t, asl, sorted(found, reverse=True)[place - 1][1]


def drawn(topics, samples, seed=0):
    source = random.Random(seed)
    return [[source.randrange(topics) for _ in range(topics)] for _ in range(samples)]


def scores(runs, topics, seed=0, places=4):
    return np.random.default_rng(seed).beta(1, 2, (runs, topics)).round(places)


def same(one, other):
    return all(
        np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True)
        for name in ("t", "asl", "critical", "delta")
    )


def test_the_golden_case():
    expected = GOLDEN["expected"]
    z = differences(np.array([GOLDEN["scores"]["s0"], GOLDEN["scores"]["s1"]]))
    found = paired_bootstrap(z, drawn=GOLDEN["samples"], alphas=[GOLDEN["alpha"]])
    assert abs(found.t[0]) == pytest.approx(expected["abs_t_s0_s1"], rel=1e-10)
    assert found.asl.tolist() == [expected["asl"]["s0|s1"]]
    assert int((found.asl < GOLDEN["alpha"]).sum()) == expected["significant"]
    assert found.delta.max() == pytest.approx(expected["estimated_delta"], rel=1e-10)


@pytest.mark.parametrize("places", [4, 1])
@pytest.mark.parametrize("topics", [2, 3, 13, 50])
def test_it_is_what_its_definition_says(topics, places):
    values, samples = scores(4, topics, topics, places), drawn(topics, 200)
    z = differences(values)
    found = paired_bootstrap(z, drawn=samples, alphas=[0.05])
    for pair, row in enumerate(z.tolist()):
        if not any(row):
            assert (found.asl[pair], math.isnan(found.t[pair])) == (1.0, True)
            assert math.isnan(found.delta[0, pair])
            continue
        t, asl, delta = slow(row, samples, 0.05)
        assert found.t[pair] == pytest.approx(t, rel=1e-9)
        assert found.asl[pair] == asl
        if places == 4 and topics > 3:  # else several samples tie, and any of them may be the one
            assert found.delta[0, pair] == pytest.approx(delta, rel=1e-9)


def test_the_largest_difference_speaks_for_samples_that_tie():
    values = np.array([[0.1, 0.3, 0.2, 0.9], [0.0, 0.0, 0.0, 0.0]])
    samples = [[0, 0, 1, 1], [0, 1, 0, 1], [2, 2, 2, 2], [3, 3, 3, 3]]  # the last two have no spread
    found = paired_bootstrap(differences(values), drawn=samples, alphas=[0.5])
    assert math.isinf(found.critical[0, 0])
    assert found.delta[0, 0] == pytest.approx(0.9 - 0.375)


def test_runs_that_do_not_differ_have_level_1_and_a_constant_difference_has_0():
    values = np.array([[0.1, 0.2, 0.3], [0.1, 0.2, 0.3], [0.2, 0.3, 0.4]])
    found = paired_bootstrap(differences(values))
    assert found.asl.tolist() == [1.0, 0.0, 0.0]
    assert np.isnan(found.t).tolist() == [True, False, False]
    assert np.isinf(found.t[1:]).all()


def test_a_mean_difference_of_0_has_level_1():
    found = paired_bootstrap(differences(np.array([[0.3, 0.2, 0.1], [0.1, 0.2, 0.3]])))
    assert [*found.t, *found.asl] == [0.0, 1.0]


def test_swapped_runs_have_the_same_level():
    values = scores(3, 20)
    one, other = (paired_bootstrap(differences(v), alphas=[0.05]) for v in (values, values[::-1]))
    for name in ("asl", "critical", "delta"):
        assert getattr(one, name)[..., ::-1].tolist() == getattr(other, name).tolist()
    assert (one.t[::-1] == -other.t).all()


def test_blocks_do_not_show(monkeypatch):
    z = differences(scores(6, 17, places=2))
    whole = paired_bootstrap(z, samples=333, alphas=[0.05, 0.01])
    for product, drawn_at_once, kept in ((1, 1, 0), (1000, 40, 1 << 20), (5000, 18, 0)):
        monkeypatch.setattr(exact, "PRODUCT", product)
        monkeypatch.setattr(exact, "DRAWN", drawn_at_once)
        monkeypatch.setattr(bootstrap, "KEPT", kept)
        assert same(paired_bootstrap(z, samples=333, alphas=[0.05, 0.01]), whole)


@pytest.mark.parametrize("odd", ["plain", "rounded", "outlier", "few differ", "nearly constant", "tiny"])
def test_sums_in_single_precision_leave_the_counts_exact(odd):
    z = differences(scores(9, 30, places=1 if odd == "rounded" else 15))
    if odd == "outlier":
        z[:, 3] = 1e9
    if odd == "few differ":
        z[:, 4:] = 0.0
    if odd == "nearly constant":
        z = 1.0 + z * 1e-9
    if odd == "tiny":
        z *= 1e-200
    of_z, bits = exact.moments(z), exact.room(30)
    w = exact.whole(of_z.centred, bits)[0].astype(int).astype(object)
    square = bootstrap._squares(w.astype(float), bits).astype(int).astype(object)
    for t in (of_z.t, np.linspace(0.0, 5.0, len(z))):  # of which the samples of a test reach some
        least = bootstrap._least_ratio(t, 30, bits)
        reached = np.zeros(len(z))
        for _, counts in bootstrap._counts(30, 400, [7, 100]):
            sums, of_squares = (each @ counts.astype(int).astype(object) for each in (w, square))
            reached += (sums**2 > of_squares * least[:, None]).sum(axis=1)
        assert bootstrap.count_reached(z, t, 100, 500, 7, lambda done: None).tolist() == reached.tolist()


def test_sums_do_not_depend_on_the_order_of_topics():
    z, samples = differences(scores(10, 50)), np.array(drawn(50, 100))
    order = np.random.default_rng(1).permutation(50)
    moved = paired_bootstrap(z[:, order], drawn=np.argsort(order)[samples], alphas=[0.05])
    assert same(paired_bootstrap(z, drawn=samples, alphas=[0.05]), moved)


PRINT = """
import numpy as np
from rankgauge.numbers import exact
exact.PRODUCT = 1 << 30  # a product for which several threads are used
from rankgauge.numbers.differences import differences
from rankgauge.numbers.bootstrap import paired_bootstrap
values = np.random.default_rng(0).beta(1, 2, (30, 50)).round(1)
found = paired_bootstrap(differences(values), alphas=[0.05])
print(found.asl.tolist(), found.delta.tolist(), found.t.tolist())
"""


def test_the_threads_of_the_matrix_product_do_not_show():
    outputs = {
        subprocess.run(
            [sys.executable, "-c", PRINT],
            env={**os.environ, "OPENBLAS_NUM_THREADS": threads, "MKL_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2", "5")
    }
    assert len(outputs) == 1
