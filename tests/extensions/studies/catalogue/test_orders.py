"""Studies of the order of runs: SciPy's values, resampled intervals, sweeps, and choices counted by hand."""

import gzip
import itertools
import math

import numpy as np
import pytest
import scipy.stats
from rankgauge.studies import Campaign, correlation, sensitivity

import rankgauge
from extensions.studies import small
from rankgauge.errors import InputError
from rankgauge.numbers.rank_correlation import tau_a, tau_ap, tau_b
from rankgauge.numbers.tau_test import tau_p


def test_the_study_has_scipys_values_on_the_means():
    measures = "AP nDCG@10 RR P@10 FirstRank"
    findings = correlation(small.campaign(), measures=measures, samples=0)
    scores = small.campaign().scores(measures)
    means = np.round([[by[m] for by in scores.mean().values()] for m in scores.measures], 12)
    means[4] *= -1  # the earlier the better
    found = {name: [row[1:] for row in findings.tables[name].rows] for name in ("tau_b", "tau_w", "p")}
    for i, j in itertools.product(range(5), repeat=2):
        pair = means[i], means[j]
        assert found["tau_b"][i][j] == pytest.approx(scipy.stats.kendalltau(*pair).statistic, nan_ok=True)
        assert found["tau_w"][i][j] == pytest.approx(scipy.stats.weightedtau(*pair).statistic, nan_ok=True)
        assert found["p"][i][j] == pytest.approx(tau_p(*pair), nan_ok=True)
        if not any(len({*each}) < len(each) for each in pair):
            exact = scipy.stats.kendalltau(*pair, method="exact").pvalue
            assert found["p"][i][j] == pytest.approx(exact)
    by_pair = {(row[0], row[1]): row[7] for row in findings.tables["pairs"].rows}
    assert by_pair["AP", "RR"] == found["p"][0][2]
    assert (
        "With 5 runs and no ties, τ from 1.0000 on is significant at α = 0.05 (" in findings.captions["tau_b"]
    )


def test_intervals_have_the_deviation_over_resampled_topics():
    samples, seed = 50, 9
    findings = correlation(small.campaign(), measures="AP RR", samples=samples, seed=seed, level=0.8)
    values = small.campaign().scores("AP RR").values
    topics = values.shape[2]
    source = np.random.Generator(np.random.PCG64([seed, 0]))

    def all_of(ap, rr):
        return tau_a(ap, rr), tau_b(ap, rr), tau_ap(ap, rr), tau_ap(rr, ap)

    sampled = [
        all_of(*np.round(values[:, :, drawn].mean(axis=2), 12).T)
        for drawn in source.integers(topics, size=(samples, topics))
    ]
    now = np.array(all_of(*np.round(values.mean(axis=2), 12).T))
    half = scipy.stats.norm.ppf(0.9) * np.nanstd(sampled, axis=0, ddof=1)
    rows = findings.tables["intervals"].rows
    assert [row[2] for row in rows] == ["tau_a", "tau_b", "tau_ap", "tau_ap of other"]
    assert [row[3] for row in rows] == pytest.approx(now)
    assert [row[4] for row in rows] == pytest.approx(np.clip(now - half, -1, 1))
    assert [row[5] for row in rows] == pytest.approx(np.clip(now + half, -1, 1))
    (row,) = findings.tables["pairs"].rows
    assert row[4:7] == rows[1][3:]
    assert row[5] < row[4]
    assert "intervals" not in correlation(small.campaign(), measures="AP RR", samples=0).tables


def test_a_sweep_is_compared_with_the_reference_and_the_default():
    findings = correlation(small.campaign(), measures="AP Q(beta=0.1|1|100) RR P@5|10", samples=20)
    rows = findings.tables["sweep"].rows
    variants = {"Q(beta=0.1)": "Q", "Q": "Q", "Q(beta=100)": "Q", "P@5": "P@5", "P@10": "P@5"}
    assert [row[:2] for row in rows] == [(m, r) for m, d in variants.items() for r in ("AP", d)]
    matrix = {
        row[0]: dict(zip(findings.settings["measures"], row[1:], strict=True))
        for row in findings.tables["tau_b"].rows
    }
    ends = {frozenset(row[:2]): row[5:7] for row in findings.tables["pairs"].rows}
    for name, other, tau, *interval in rows:
        assert tau == matrix[name][other]
        assert name == other or tuple(interval) == ends[frozenset((name, other))]
    assert "sweep" not in correlation(small.campaign(), measures="AP RR", samples=0).tables


def test_a_sweep_is_compared_with_any_measure_and_the_rest_is_not():
    alone = correlation(small.campaign(), measures="Q(beta=0.1|1)", samples=0)
    assert [row[1] for row in alone.tables["sweep"].rows] == ["AP", "Q", "AP", "Q"]
    assert alone.tables["tau_b"].headers == ("measure", "Q(beta=0.1)", "Q")
    asked = correlation(small.campaign(), measures="Q(beta=0.1|1)", reference="RR nDCG@10", samples=0)
    assert [row[1] for row in asked.tables["sweep"].rows] == ["RR", "nDCG@10", "Q"] * 2
    for name in ("tau_b", "pairs", "p"):
        assert asked.as_dict()["tables"][name] == alone.as_dict()["tables"][name]
    both = correlation(small.campaign(), measures="Q(beta=0.1|1) RR", samples=0)
    assert asked.tables["sweep"].rows[0][2] == both.tables["tau_b"].rows[0][3]


def test_scores_without_the_usual_reference_have_a_sweep_all_the_same():
    scores = small.campaign().scores("Q(beta=0.1) Q")
    findings = correlation(Campaign.of_scores(scores), samples=0)
    assert [row[1] for row in findings.tables["sweep"].rows] == ["Q", "Q"]
    with pytest.raises(InputError, match="no measure here named 'RR'"):
        correlation(Campaign.of_scores(scores), reference="RR", samples=0)


def test_runs_whose_average_is_infinite_tie():
    values = {"a": [2.0, 3.0, math.inf], "b": [math.inf] * 3, "c": [math.inf] * 3, "d": [1.0, 1.0, 1.0]}
    table = {
        run: {name: dict(zip("123", row, strict=True)) for name in ("BalancePoint", "BalancePoint(N=9)")}
        for run, row in values.items()
    }
    (row,) = correlation(Campaign.of_scores(table), samples=50).tables["pairs"].rows
    assert row[4:7] == (1.0, 1.0, 1.0)
    assert row[8] == "equivalent"


def test_what_an_interval_leaves_open_is_undecided():
    source = np.random.default_rng(3)
    quality = np.linspace(0, 1, 12)[:, None] + source.normal(0, 0.3, (12, 30))
    table = {
        f"r{run}": {
            name: dict(enumerate(map(float, quality[run] + source.normal(0, noise, 30))))
            for name, noise in {"a": 0.0, "b": 0.3, "c": 0.05, "d": 3.0}.items()
        }
        for run in range(12)
    }
    findings = correlation(Campaign.of_scores(table), samples=200)
    readings = {}
    for _, _, _, _, tau, low, high, _, word, *_ in findings.tables["pairs"].rows:
        sides = {(end >= 0.9) + (end >= 0.8) for end in (low, high)}
        assert word == (
            "undecided" if len(sides) > 1 else ("different", "in between", "equivalent")[sides.pop()]
        )
        readings.setdefault(word, []).append(tau)
    assert max(readings["undecided"]) >= 0.9
    assert readings["equivalent"]
    assert readings["different"]
    undecided = len(readings["undecided"])
    assert f"; the intervals leave {undecided} undecided." in findings.sentences[1]
    alone = correlation(Campaign.of_scores(table), samples=0)
    assert "undecided" not in alone.sentences[1]


def test_one_measure_has_nothing_to_agree_with():
    with pytest.raises(InputError, match="at least 2 measures, not only AP"):
        correlation(small.campaign(), measures="AP")


def test_q_with_beta_zero_is_ap_in_every_way():
    findings = correlation(small.campaign(), measures="AP Q(beta=0)", samples=30)
    (row,) = findings.tables["pairs"].rows
    assert row[3:7] + row[9:] == pytest.approx([1] * 8)
    assert row[7] == pytest.approx(2 / math.factorial(5))


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
    for one, other, _, _, tau, low, high, p, *_ in rows:
        means = [np.round(cells[name].mean(axis=1), 12) for name in (one, other)]
        assert tau == pytest.approx(scipy.stats.kendalltau(*means).statistic)
        assert p == pytest.approx(scipy.stats.kendalltau(*means, method="exact").pvalue)
        assert low < tau < high


GRID = "nDCG(gains=binary|{1:1,2:10,3:100},base=2|10)@3|20"
TEXTS = [
    f"nDCG(gains={gains},base={base})@{last}"
    for gains, base, last in itertools.product(["binary", "{1:1,2:10,3:100}"], [2, 10], [3, 20])
]


@pytest.fixture(scope="module")
def found():
    return sensitivity(small.campaign(), measures=GRID)


@pytest.fixture(scope="module")
def means():
    scores = rankgauge.evaluate(small.QRELS, small.RUNS, TEXTS).mean()
    return {text: [by[text] for by in scores.values()] for text in next(iter(scores.values()))}


def test_every_setting_is_compared_with_the_first(found, means):
    first, rows = next(iter(means.values())), found.tables["settings"].rows
    assert [row[0] for row in rows] == list(means)
    for name, tau, swapped, move, mover, best in rows:
        other = means[name]
        assert tau == pytest.approx(scipy.stats.kendalltau(first, other).statistic)
        pairs = itertools.combinations(range(len(first)), 2)
        assert swapped == sum((first[i] - first[j]) * (other[i] - other[j]) < 0 for i, j in pairs)
        ranks = [[sum(x > y for x in order) + 1 for y in order] for order in (first, other)]
        moves = dict(zip(small.RUNS, (abs(a - b) for a, b in zip(*ranks, strict=True)), strict=True))
        assert move == max(moves.values())
        assert not mover or moves[mover] == move
        assert best == " = ".join(run for run, x in zip(small.RUNS, other, strict=True) if x == max(other))
    assert rows[0][1:5] == (1.0, 0, 0, "")


def test_choices_are_looked_at_one_by_one(found, means):
    rows = {row[0]: row[1:] for row in found.tables["choices"].rows}
    assert rows.keys() == {"gains", "base", "last rank"}
    assert [row[0] for row in rows.values()] == [4, 4, 4]  # 2 × 2 × 2 settings, half of them apart in each
    orders = list(means.values())
    taus = [scipy.stats.kendalltau(orders[i], orders[i + 4]).statistic for i in range(4)]  # of the gains
    assert rows["gains"][1:] == pytest.approx((sum(taus) / 4, min(taus)))


def test_the_orders_are_those_of_the_means(found, means):
    for name, run, mean, rank in found.tables["orders"].rows:
        order = means[name]
        assert mean == order[list(small.RUNS).index(run)]
        assert rank == sum(other > mean for other in order) + 1


def test_weights_matter_where_runs_differ_in_the_grades_they_find():
    qrels = {"t": {"a": 3, "b": 1, "c": 1}}
    runs = {"few": {"t": {"a": 1.0}}, "many": {"t": {"b": 2.0, "c": 1.0}}}
    findings = sensitivity(Campaign(qrels, runs), measures="DCG(gains={1:1,3:1}|{1:1,3:100})@10")
    assert [row[5] for row in findings.tables["settings"].rows] == ["many", "few"]
    assert findings.tables["settings"].rows[1][1] == -1.0
    assert "The choice that changes the order most: gains." in findings.sentences
