"""Risk against a baseline, from the formulas of the papers, topic by topic."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from rankgauge.studies import STUDIES, Campaign
from scipy import stats

from extensions.studies import small
from rankgauge.extensions.studies.catalogue.risk import georisk, t_statistic, weighted


def urisk(own, base, alpha):
    """Wang et al. 2012, equation 1: gains, less 1 + alpha times losses, over the topics."""
    gains = sum(max(0.0, x - b) for x, b in zip(own, base, strict=True))
    losses = sum(max(0.0, b - x) for x, b in zip(own, base, strict=True))
    return (gains - (1 + alpha) * losses) / len(own)


def trisk(own, base, alpha):
    """Dinçer et al. 2014: URisk over its standard error."""
    each = [x - b if x > b else (1 + alpha) * (x - b) for x, b in zip(own, base, strict=True)]
    variance = sum((one - urisk(own, base, alpha)) ** 2 for one in each) / (len(each) - 1)
    return math.sqrt(len(each) / variance) * urisk(own, base, alpha)


def geo(values, run, alpha):
    """Dinçer et al. 2016: the geometric mean of a run's mean and of Φ(ZRisk / topics)."""
    total = sum(map(sum, values))
    z = 0.0
    for topic, x in enumerate(values[run]):
        expected = sum(values[run]) * sum(row[topic] for row in values) / total
        each = (x - expected) / math.sqrt(expected) if expected else 0.0
        z += each if each > 0 else (1 + alpha) * each
    topics = len(values[run])
    return z, math.sqrt(sum(values[run]) / topics * NormalDist().cdf(z / topics))


def test_risks_are_those_of_the_papers():
    campaign = Campaign(small.QRELS, small.RUNS)
    base = campaign.runs[2]
    found = STUDIES["risk"].call(campaign, measures="nDCG@10 P@5", baseline=base, alphas=(0, 2.5))
    values = {m: campaign.values(m)[:, 0].tolist() for m in ("nDCG@10", "P@5")}
    runs = {m: dict(zip(campaign.runs, each, strict=True)) for m, each in values.items()}
    for row in found.records("baseline"):
        own, other = runs[row["measure"]][row["run"]], runs[row["measure"]][base]
        assert row["wins"] == sum(x > b + 1e-12 for x, b in zip(own, other, strict=True))
        assert row["losses"] == sum(x < b - 1e-12 for x, b in zip(own, other, strict=True))
        assert row["URisk"] == pytest.approx(urisk(own, other, row["alpha"]), abs=1e-12)
        assert row["URisk"] == pytest.approx(row["reward"] - (1 + row["alpha"]) * row["risk"], abs=1e-12)
        assert row["TRisk"] == pytest.approx(trisk(own, other, row["alpha"]), rel=1e-9)
        if row["alpha"] == 0:
            test = stats.ttest_rel(own, other)
            assert (row["TRisk"], row["p"]) == pytest.approx((test.statistic, test.pvalue), rel=1e-9)
            ends = test.confidence_interval()
            assert (row["low"], row["high"]) == pytest.approx((ends.low, ends.high))
    assert len(found.records("baseline")) == 2 * 2 * (len(campaign.runs) - 1)
    for row in found.records("georisk"):
        place = campaign.runs.index(row["run"])
        expected = geo(values[row["measure"]], place, row["alpha"])
        assert (row["ZRisk"], row["GeoRisk"]) == pytest.approx(expected, rel=1e-9)


def test_the_first_run_is_the_baseline_and_a_measure_of_cost_has_risks_the_other_way_round():
    campaign = Campaign(small.QRELS, small.RUNS)
    found = STUDIES["risk"].call(campaign, measures="Unjudged@5")
    assert found.settings["baseline"] == campaign.runs[0]
    values = campaign.values("Unjudged@5")[:, 0]
    rows = [row for row in found.records("baseline") if row["alpha"] == 1]
    for row in rows:
        own, base = -values[campaign.runs.index(row["run"])], -values[0]
        assert row["URisk"] == pytest.approx(urisk(own, base, 1))
    assert all(math.isnan(row["GeoRisk"]) for row in found.records("georisk"))


def test_equal_runs_have_no_risk():
    again = {"a": small.RUNS[small.MADE.systems[0]], "b": small.RUNS[small.MADE.systems[0]]}
    (row,) = STUDIES["risk"].call(Campaign(small.QRELS, again), measures="AP", alphas=5).records("baseline")
    assert (row["wins"], row["losses"], row["URisk"], row["risk"]) == (0, 0, 0, 0)
    assert math.isnan(row["TRisk"])


def test_georisk_is_undefined_for_values_below_0_and_for_none():
    for values in (np.array([[0.1, -0.2], [0.1, 0.2]]), np.zeros((2, 3))):
        assert np.isnan(georisk(values, 1)).all()


def test_without_a_weight_of_losses_equal_runs_are_hardly_ever_told_apart_and_with_one_urisk_is_negative():
    source, campaigns = np.random.default_rng(4), 400
    drawn = source.normal(size=(campaigns, 30))
    wrong = sum(t_statistic(each)[4] < 0.05 for each in drawn)
    assert wrong / campaigns <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / campaigns)
    means = [t_statistic(weighted(each, 1))[0] for each in drawn]
    expected = -1 / math.sqrt(2 * math.pi)  # minus half of the mean size of a standard normal number
    assert np.mean(means) == pytest.approx(expected, abs=4 * np.std(means) / math.sqrt(campaigns))


def test_urisk_is_what_gdeval_prints(data):
    """gdeval 1.3 with -c -k 20 -baseline indri_ql_catb-filtered -riskAlpha 5 on Web 2012: nDCG and ERR."""
    printed = {
        "indri_ql_catb": (-0.18285, -0.22423),
        "indri_rm_catb-filtered": (-0.04334, -0.05239),
        "indri_rm_catb": (-0.18865, -0.38055),
    }
    folder = data / "trec_web_2012"
    campaign = Campaign(folder / "qrels.adhoc.txt.gz", str(folder / "runs/*.run.gz"))
    measures = "nDCG(gains=exp2)@20 ERR(max_rel=4)@20"
    found = STUDIES["risk"].call(campaign, measures=measures, baseline="indri_ql_catb-filtered", alphas=5)
    values = {run: [] for run in printed}
    for row in found.records("baseline"):
        values[row["run"]].append(row["URisk"])
    for run, expected in printed.items():
        assert values[run] == pytest.approx(expected, abs=5e-6)
