"""The study of topic set sizes: against statsmodels, against simulation, and back again."""

import math

import numpy as np
import pytest
from rankgauge.studies import Campaign, topics

from extensions.studies import small
from rankgauge.extensions.studies.catalogue.topic_sets import (
    detectable,
    is_enough,
    power_of_anova,
    power_of_t,
    residual_variance,
    topics_needed,
    width_of_interval,
    within_variance,
)

power_module = pytest.importorskip("statsmodels.stats.power")


@pytest.mark.parametrize("n", [2, 5, 20, 100, 400])
@pytest.mark.parametrize("effect", [0.05, 0.3, 1.0])
def test_the_power_of_t_is_that_of_statsmodels(n, effect):
    variance = 0.04
    difference = effect * math.sqrt(2 * variance)  # in units of the deviation of differences
    expected = power_module.TTestPower().power(effect, n, 0.05)
    assert power_of_t(n, difference, variance, 0.05) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("n", [2, 10, 50, 200])
@pytest.mark.parametrize("systems", [2, 5, 20])
def test_the_power_of_anova_is_that_of_statsmodels(n, systems):
    variance, difference = 0.05, 0.12
    # Cohen's f: the deviation of the means, two at the ends and the others halfway
    f = math.sqrt(difference**2 / 2 / systems / variance)
    expected = power_module.FTestAnovaPower().power(f, n * systems, 0.05, k_groups=systems)
    assert power_of_anova(n, difference, variance, 0.05, systems) == pytest.approx(expected, abs=1e-6)


def test_the_textbook_number_of_pairs():
    # a paired t test finds half a standard deviation with a power of 0.8 in 34 pairs (Cohen 1988)
    enough = is_enough("t", 0.5 * math.sqrt(2), 1.0, 0.05, 0.8, 2)
    assert topics_needed(enough) == 34


@pytest.mark.parametrize("method", ["t", "anova", "interval"])
@pytest.mark.parametrize("difference", [0.02, 0.1, 0.5])
def test_one_topic_less_is_not_enough(method, difference):
    enough = is_enough(method, difference, 0.03, 0.05, 0.8, 7)
    needed = topics_needed(enough)
    assert enough(needed)
    assert needed == 2 or not enough(needed - 1)
    again = detectable(method, needed, 0.03, 0.05, 0.8, 7)
    assert again <= difference * (1 + 1e-6)
    assert needed == 2 or detectable(method, needed - 1, 0.03, 0.05, 0.8, 7) > difference


def test_what_nobody_can_afford_is_told_as_none():
    assert topics_needed(lambda topics: False) is None


def test_the_power_is_the_share_of_simulated_experiments():
    rng, n, variance, difference = np.random.default_rng(2), 25, 0.04, 0.15
    z = rng.normal(difference, math.sqrt(2 * variance), (4000, n))
    t = z.mean(axis=1) / (z.std(axis=1, ddof=1) / math.sqrt(n))
    found = np.mean(np.abs(t) > 2.0639)  # the critical value of t for 24 degrees of freedom
    assert power_of_t(n, difference, variance, 0.05) == pytest.approx(found, abs=0.025)
    half = 2.0639 * z.std(axis=1, ddof=1) / math.sqrt(n)
    assert width_of_interval(n, variance, 0.05) == pytest.approx(2 * half.mean(), rel=0.01)


def test_variances_are_those_of_anova_tables():
    values = small.campaign().scores("AP").values[:, 0]
    runs, n = values.shape
    total = ((values - values.mean()) ** 2).sum()
    by_run = n * ((values.mean(axis=1) - values.mean()) ** 2).sum()
    by_topic = runs * ((values.mean(axis=0) - values.mean()) ** 2).sum()
    assert within_variance(values) == pytest.approx((total - by_run) / (runs * (n - 1)))
    assert residual_variance(values) == pytest.approx((total - by_run - by_topic) / ((runs - 1) * (n - 1)))


def test_the_study_asks_for_more_topics_for_smaller_differences_more_systems_and_more_variance():
    rows = topics(small.campaign(), measures="AP", systems=(2, 20)).tables["topics"].rows
    by_way = {(row[2], row[3]): [r[5] for r in rows if r[2:4] == row[2:4]] for row in rows}
    assert set(by_way) == {("t", 2), ("anova", 2), ("anova", 20), ("interval", 2)}
    for counts in by_way.values():
        assert counts == sorted(counts, reverse=True)
    assert all(a <= b for a, b in zip(by_way["anova", 2], by_way["anova", 20], strict=True))
    within = topics(small.campaign(), measures="AP", systems=(2, 20), variance="within")
    assert all(a[5] <= b[5] for a, b in zip(rows, within.tables["topics"].rows, strict=True))


def test_runs_that_do_not_vary_need_two_topics():
    run = {"AP": {"1": 0.5, "2": 0.25, "3": 0.75}}
    findings = topics(Campaign.of_scores({"a": run, "b": run}))
    assert {row[5] for row in findings.tables["topics"].rows} == {2}
    assert {row[5] for row in findings.tables["detectable"].rows} == {0.0}
