"""The study of rank correlation: SciPy's values, resampled intervals, sweeps."""

import gzip
import math

import numpy as np
import pytest
import scipy.stats

from rankgauge.errors import InputError
from rankgauge.studies import Campaign, correlation
from studies import small


def test_the_study_has_scipys_values_on_the_means():
    findings = correlation(small.campaign(), measures="AP nDCG@10 RR P@10 FirstRank", samples=0)
    scores = small.campaign().scores("AP nDCG@10 RR P@10 FirstRank")
    means = np.round([[by[m] for by in scores.mean().values()] for m in scores.measures], 12)
    means[4] *= -1  # the earlier the better
    for i, row in enumerate(findings.tables["tau_b"].rows):
        for j, found in enumerate(row[1:]):
            assert found == pytest.approx(scipy.stats.kendalltau(means[i], means[j]).statistic, nan_ok=True)
            weighted = findings.tables["tau_w"].rows[i][1 + j]
            expected = scipy.stats.weightedtau(means[i], means[j]).statistic
            assert weighted == pytest.approx(expected, nan_ok=True)


def test_intervals_are_those_of_resampled_topics():
    samples, seed = 50, 9
    findings = correlation(small.campaign(), measures="AP RR", samples=samples, seed=seed, level=0.8)
    values, found = small.campaign().scores("AP RR").values, []
    topics = values.shape[2]
    source = np.random.Generator(np.random.PCG64([seed, 0]))
    for drawn in source.integers(topics, size=(samples, topics)):
        ap, rr = np.round(values[:, :, drawn].mean(axis=2), 12).T
        found.append(scipy.stats.kendalltau(ap, rr).statistic)
    (row,) = findings.tables["pairs"].rows
    assert row[4:6] == pytest.approx(np.nanquantile(found, [0.1, 0.9]))
    assert row[4] < row[5]


def test_a_sweep_is_compared_with_the_reference_and_its_first():
    findings = correlation(small.campaign(), measures="AP Q(beta=1|0.1|100) RR P@5|10", samples=20)
    rows = {row[0]: row for row in findings.tables["sweep"].rows}
    assert list(rows) == ["Q", "Q(beta=0.1)", "Q(beta=100)", "P@5", "P@10"]
    assert [row[4] for row in rows.values()] == ["Q", "Q", "Q", "P@5", "P@5"]
    assert rows["Q"][5] == rows["P@5"][5] == 1.0
    to_ap = {row[0]: row[1] for row in findings.tables["tau_b"].rows}
    assert all(row[1] == to_ap[name] for name, row in rows.items())
    assert "sweep" not in correlation(small.campaign(), measures="AP RR", samples=0).tables


def test_runs_whose_average_is_infinite_tie():
    values = {"a": [2.0, 3.0, math.inf], "b": [math.inf] * 3, "c": [math.inf] * 3, "d": [1.0, 1.0, 1.0]}
    table = {
        run: {name: dict(zip("123", row, strict=True)) for name in ("BalancePoint", "BalancePoint(N=9)")}
        for run, row in values.items()
    }
    (row,) = correlation(Campaign.of_scores(table), samples=50).tables["pairs"].rows
    assert row[3:6] == (1.0, 1.0, 1.0)


def test_one_measure_has_nothing_to_agree_with():
    with pytest.raises(InputError, match="at least 2 measures, not only AP"):
        correlation(small.campaign(), measures="AP")


def test_q_with_beta_zero_is_ap_in_every_way():
    findings = correlation(small.campaign(), measures="AP Q(beta=0)", samples=30)
    (row,) = findings.tables["pairs"].rows
    assert row[2:] == pytest.approx([1] * 8)


def test_published_score_matrices_correlate_as_scipy_says(data):
    cells = {}
    for measure, name in (("AP", "ap"), ("nDCG@20", "ndcg20"), ("ERR@20", "err20")):
        with gzip.open(data / "score_matrices" / f"web2013_{name}.csv.gz", "rt") as lines:
            cells[measure] = np.loadtxt(lines, delimiter=",", skiprows=1).T
    scores = {
        f"run{run}": {
            m: dict(zip(map(str, range(50)), by_run[run], strict=True)) for m, by_run in cells.items()
        }
        for run in range(34)
    }
    rows = correlation(Campaign.of_scores(scores), samples=100).tables["pairs"].rows
    assert len(rows) == 3
    for one, other, _, tau, low, high, *_ in rows:
        means = (np.round(cells[name].mean(axis=1), 12) for name in (one, other))
        assert tau == pytest.approx(scipy.stats.kendalltau(*means).statistic)
        assert low < tau < high
