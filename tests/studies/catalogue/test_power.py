"""Discriminative power by the definition: Sakai 2006, in plain loops."""

import gzip
import itertools
import math
import statistics

import numpy as np
import pytest

from rankgauge.errors import InputError
from rankgauge.studies import Campaign, power
from studies import small

SAMPLES, ALPHAS, SEED = 60, (0.05, 0.2), 5


def studentised(values):
    """mean / (standard deviation / √n)."""
    spread = statistics.stdev(values) / math.sqrt(len(values))
    return statistics.fmean(values) / spread if spread > 1e-12 else 0.0


def slow_power(matrix, samples):
    """({alpha: (significant pairs, Δ)}, ASLs) of (runs, topics), by Figures 1 and 2 of the paper."""
    levels, needed = [], {alpha: [] for alpha in ALPHAS}
    for x, y in itertools.combinations(matrix, 2):
        z = [a - b for a, b in zip(x, y, strict=True)]
        mean = statistics.fmean(z)
        shifted = [d - mean for d in z]
        drawn = [[shifted[topic] for topic in sample] for sample in samples]
        found = sorted(((abs(studentised(w)), abs(statistics.fmean(w))) for w in drawn), reverse=True)
        levels.append(sum(t >= abs(studentised(z)) for t, _ in found) / len(samples))
        for alpha in ALPHAS:
            needed[alpha].append(found[math.floor(len(samples) * alpha) - 1][1])
    counts = {alpha: (sum(level < alpha for level in levels), max(needed[alpha])) for alpha in ALPHAS}
    return counts, levels


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "RBP", "Q"])
def test_power_is_that_of_the_definition(measure):
    campaign = small.campaign()
    findings = power(campaign, measures=measure, alphas=ALPHAS, samples=SAMPLES, seed=SEED)
    topics = len(campaign.topics)
    samples = np.random.Generator(np.random.PCG64(SEED)).integers(topics, size=(SAMPLES, topics)).tolist()
    matrix = campaign.scores(measure).values[:, 0].tolist()
    expected, levels = slow_power(matrix, samples)
    found = {row[0]: (row[2], pytest.approx(row[5])) for row in findings.tables["power"].rows}
    assert found == expected
    assert [row[-1] for row in findings.tables["pairs"].rows] == levels
    assert [row[-1] for row in findings.tables["curve"].rows] == sorted(levels, reverse=True)


def test_runs_that_differ_in_nothing_but_noise_are_rarely_distinguished():
    rng = np.random.default_rng(3)
    noise = scores_of(rng.uniform(0.2, 0.8, (12, 40)))
    real = scores_of(rng.uniform(0.2, 0.8, (12, 40)) + np.linspace(0, 0.9, 12)[:, None])
    share = {
        (name, method): {row[0]: row[4] for row in power(scores, method=method).tables["power"].rows}
        for name, scores in (("noise", noise), ("real", real))
        for method in ("bootstrap", "tukey")
    }
    assert 0 < share["noise", "bootstrap"][0.05] < 15  # about 5 per cent, pair by pair
    assert share["noise", "tukey"][0.05] <= 5  # all pairs at once
    for method in ("bootstrap", "tukey"):
        assert share["real", method][0.05] > 50
        assert share["real", method][0.01] <= share["real", method][0.05]


def scores_of(matrix, measure="AP"):
    """A campaign of scores (runs, topics)."""
    return Campaign.of_scores(
        {
            f"run{i}": {measure: {f"t{j:03}": value for j, value in enumerate(row)}}
            for i, row in enumerate(matrix.tolist())
        }
    )


def test_what_surpasses_the_reference_in_every_condition_is_marked():
    findings = power(small.campaign(), measures="AP RR nDCG Q(beta=1|10)", samples=200, alphas=(0.05, 0.3))
    rows = findings.tables["power"].rows
    bar = {row[0]: row[2] for row in rows if row[1] == "AP"}
    above = {
        text
        for text in findings.settings["measures"]
        if all(row[2] > bar[row[0]] for row in rows if row[1] == text)
    }
    assert {rows[row][1] for row, _ in findings.tables["power"].best} == above
    for alpha in (0.05, 0.3):
        counts = [row[2] for row in rows if row[0] == alpha]
        assert counts == sorted(counts, reverse=True)


def test_gains_are_conditions_of_their_own():
    findings = power(
        small.campaign(),
        measures="AP Q nDCG(gains=exp2)",
        gains=[{1: 1, 2: 2, 3: 3}, {1: 1, 2: 5, 3: 10}],
        samples=100,
        alphas=0.1,
    )
    headers, rows = findings.tables["power"].headers, findings.tables["power"].rows
    assert headers[:3] == ["gains", "alpha", "measure"]
    alone = power(small.campaign(), measures="Q(gains={1:1,2:5,3:10})", samples=100, alphas=0.1)
    (expected,) = alone.tables["power"].rows
    assert [row[3:] for row in rows if row[0] == "{1:1,2:5,3:10}" and row[2] == "Q"] == [expected[2:]]
    for same in ("AP", "nDCG(gains=exp2)"):  # no gains, or gains of its own
        first, second = [row[3:] for row in rows if row[2] == same]
        assert first == second


def test_the_samples_are_the_same_for_all_measures_and_pairs():
    both = power(small.campaign(), measures="AP RR", samples=100).tables["pairs"].rows
    alone = power(small.campaign(), measures="RR", samples=100).tables["pairs"].rows
    assert [row for row in both if row[0] == "RR"] == alone
    fewer = (
        power(small.campaign().only(list(small.RUNS)[1:]), measures="RR", samples=100).tables["pairs"].rows
    )
    assert [row for row in alone if row[1] != next(iter(small.RUNS))] == fewer


def test_one_run_has_no_pairs():
    with pytest.raises(InputError, match="the study power needs at least 2 runs, not 1"):
        power(small.campaign().only([next(iter(small.RUNS))]))


def test_one_topic_has_no_significance():
    with pytest.raises(InputError, match="only 1 topic has a value of AP for all runs"):
        power(scores_of(np.array([[0.5], [0.25]])))


@pytest.mark.parametrize("method", ["bootstrap", "tukey"])
def test_runs_that_are_the_same_have_level_1_and_need_no_known_difference(method):
    found = power(scores_of(np.array([[0.5, 0.25, 0.75]] * 2)), method=method)
    assert [row[2:4] for row in found.tables["power"].rows] == [[0, 1], [0, 1]]
    assert all(math.isnan(row[5]) for row in found.tables["power"].rows)
    assert [row[-1] for row in found.tables["pairs"].rows] == [1.0]


def test_topics_with_an_infinite_value_are_left_out():
    values = np.array([[3.0, np.inf, 5.0, 4.0], [1.0, 2.0, 2.0, 1.5]])
    finite = scores_of(values[:, [0, 2, 3]], "BalancePoint")
    found, expected = (power(each, samples=100) for each in (scores_of(values, "BalancePoint"), finite))
    assert found.as_dict()["tables"] == expected.as_dict()["tables"]
    assert "BalancePoint: infinite values are left out (1)." in found.sentences
    assert not any("infinite" in sentence for sentence in expected.sentences)


def test_the_power_of_published_score_matrices_falls_with_the_level(data):
    with gzip.open(data / "score_matrices" / "web2014_ap.csv.gz", "rt") as lines:
        matrix = np.loadtxt(lines, delimiter=",", skiprows=1).T
    assert matrix.shape == (30, 50)
    findings = power(scores_of(matrix), alphas=(0.1, 0.05, 0.01))
    counts = [row[2] for row in findings.tables["power"].rows]
    assert {row[3] for row in findings.tables["power"].rows} == {435}
    assert counts == sorted(counts, reverse=True)
    deltas = [row[5] for row in findings.tables["power"].rows]
    assert deltas == sorted(deltas)
