"""The published scores of TREC runs, through tables and every test."""

import numpy as np
import pytest
from scipy import stats

from rankgauge import Scores, compare
from rankgauge.comparison.registry import TESTS

SHAPES = {
    "adhoc7_ap": (103, 50),
    "adhoc8_ap": (129, 50),
    "dl19.ndcg_cut10": (37, 43),
    "dl20.ndcg_cut10": (59, 54),
    **{
        f"web{year}_{measure}": (runs, topics)
        for year, runs, topics in (
            (2010, 88, 48),
            (2011, 62, 50),
            (2012, 48, 50),
            (2013, 34, 50),
            (2014, 30, 50),
        )
        for measure in ("ap", "ndcg20", "err20")
    },
}


@pytest.fixture
def matrix(data):
    def matrix(name):
        return Scores.from_table(data / "score_matrices" / f"{name}.csv.gz")

    return matrix


@pytest.mark.parametrize("name", SHAPES)
def test_a_matrix_is_read_whole_and_compared_as_scipy_would(name, matrix):
    scores = matrix(name)
    runs, topics = SHAPES[name]
    assert (len(scores.runs), len(scores.topics)) == (runs, topics)
    assert scores.counted.all()
    found = compare(scores, correction="none").compared[0].pairs
    assert len(found) == runs * (runs - 1) // 2
    values = scores.values[:, 0]
    earlier, later = np.triu_indices(runs, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = stats.ttest_rel(values[later], values[earlier], axis=1).pvalue
    same = (values[later] == values[earlier]).all(axis=1)
    p = np.array([pair.p for pair in found])
    assert p[same].tolist() == [1.0] * int(same.sum())
    assert p[~same].tolist() == pytest.approx(expected[~same].tolist(), rel=1e-7)


@pytest.mark.parametrize("name", TESTS)
def test_every_test_finds_the_best_run_better_than_the_worst(name, matrix):
    scores = matrix("web2014_ndcg20")
    found = compare(scores, test=name).compared[0]
    order = sorted(found.means, key=found.means.__getitem__)
    (pair,) = (pair for pair in found.pairs if {pair.run, pair.against} == {order[0], order[-1]})
    assert pair.corrected < 0.05
    assert {pair.topics for pair in found.pairs} == {50}
    tests = sum(pair.corrected < 0.05 for pair in found.pairs)
    assert 0 < tests < len(found.pairs)


def test_tests_of_pairs_agree_on_most_pairs(matrix):
    scores = matrix("dl19.ndcg_cut10")
    by_test = {
        name: np.array([pair.p for pair in compare(scores, test=name).compared[0].pairs])
        for name in ("t", "randomisation", "bootstrap", "wilcoxon")
    }
    # Runs of one team may differ on a topic or two, from which t can tell nothing.
    differ = np.array([pair.wins + pair.losses >= 20 for pair in compare(scores).compared[0].pairs])
    assert differ.mean() > 0.95
    for name, p in by_test.items():
        assert np.mean((p < 0.05) == (by_test["t"] < 0.05)) > (0.85 if name == "wilcoxon" else 0.96), name
    assert np.abs(by_test["t"] - by_test["randomisation"])[differ].max() < 0.06
