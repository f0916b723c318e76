"""Robustness to incomplete judgments."""

import math

import pytest

import rankgauge
from rankgauge.errors import InputError, OptionError
from rankgauge.studies import Campaign, robustness
from rankgauge.studies.judging import downsample
from studies import slow_judgments as slow
from studies import small
from twins.order import in_order

MEASURES = ["AP", "Bpref", "nDCG@10", "ESL"]
RANKINGS = {
    name: {topic: in_order(results) for topic, results in run.items()} for name, run in small.RUNS.items()
}


def rows(findings, name):
    return list(findings.table(name).rows)


@pytest.mark.parametrize("measure", MEASURES)
def test_samples_have_the_tau_of_the_definition(measure):
    found = robustness(small.campaign(), measures=measure, percent=[50, 10], shuffles=3, seed=7)
    complete = slow.means(small.QRELS, small.RUNS, measure)
    for _, percent, mean, sd, least, most in rows(found, "spread"):
        taus = [
            slow.tau_b(
                complete,
                slow.means(downsample(small.QRELS, percent, seed=7, shuffle=n), small.RUNS, measure),
            )
            for n in range(3)
        ]
        average = sum(taus) / 3
        deviation = math.sqrt(sum((tau - average) ** 2 for tau in taus) / 2)
        assert [mean, sd, least, most] == pytest.approx([average, deviation, min(taus), max(taus)], abs=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
def test_shallower_pools_have_the_tau_of_the_definition(measure):
    found = robustness(small.campaign(), measures=measure, percent=50, shuffles=1, depths=[10, 2])
    complete = slow.means(small.QRELS, small.RUNS, measure)
    pools = [slow.in_pool(small.QRELS, RANKINGS.values(), depth) for depth in (10, 2)]
    assert all(judged for pool in pools for judged in pool.values())
    expected = [slow.tau_b(complete, slow.means(pool, small.RUNS, measure)) for pool in pools]
    ((name, *taus),) = rows(found, "depths")
    assert (name, taus) == (measure, pytest.approx(expected, abs=1e-12))
    sizes = {name: (judged, relevant) for name, judged, relevant in rows(found, "judgments")}
    assert sizes["depth 2"] == (
        sum(map(len, pools[1].values())),
        sum(grade > 0 for judged in pools[1].values() for grade in judged.values()),
    )


def test_all_judgments_keep_the_order():
    found = robustness(small.campaign(), percent=100, depths=10**9, shuffles=2)
    assert {tuple(row[1:]) for row in rows(found, "samples")} == {(1.0,)}
    whole, sample, _ = rows(found, "judgments")
    assert whole[1:] == sample[1:] == (len(rankgauge.Qrels.of(small.QRELS)), whole[2])


def test_the_first_shuffles_of_many_are_those_of_few():
    few, many = (robustness(small.campaign(), measures="AP", shuffles=n, percent=30) for n in (1, 4))
    ((_, _, mean, sd, least, most),) = rows(few, "spread")
    assert mean == least == most
    assert math.isnan(sd)
    ((_, _, _, _, lowest, highest),) = rows(many, "spread")
    assert lowest <= least <= highest


def test_a_size_that_is_named_twice_is_shown_once():
    found = robustness(small.campaign(), measures="AP", percent=[50, 50.0, 10], depths=[5, 5], shuffles=1)
    assert found.table("samples").headers == ("measure", "50%", "10%")
    assert found.table("depths").headers == ("measure", "depth 5")


def test_the_most_robust_measure_is_named_first():
    found = robustness(small.campaign(), measures="AP P@1", shuffles=2)
    last = {name: values[-1] for name, *values in rows(found, "samples")}
    listed = ", ".join(f"{name} {last[name]:.3f}" for name in sorted(last, key=lambda name: -last[name]))
    assert found.sentences == [f"With 10 % of the judgments τ is, most robust measure first: {listed}."]
    run = {"q1": {"d1": 1.0}}
    same = robustness(Campaign({"q1": {"d1": 1}}, {"a": run, "b": run}), shuffles=1)
    assert same.sentences == ["No measure distinguishes the runs."]


def test_a_count_without_better_or_worse_is_refused():
    with pytest.raises(OptionError, match="it cannot order runs"):
        robustness(small.campaign(), measures="NumRel", shuffles=1)


def test_a_measure_that_is_undefined_by_fewer_judgments_has_no_tau():
    runs = {"a": {"q1": {"d1": 3.0, "d2": 2.0}}, "b": {"q1": {"d1": 3.0, "x": 2.0, "d2": 1.0}}}
    campaign = Campaign({"q1": {"d1": 0, "d2": 1}}, runs, undefined="skip")
    found = robustness(campaign, measures="AP Judged", percent=50, shuffles=2, depths=[1, 2])
    (_, *ap), (_, *judged) = rows(found, "depths")
    assert math.isnan(ap[0])  # nothing relevant is judged
    assert [ap[1], *judged] == [1.0, 1.0, 1.0]


def test_scores_alone_are_not_enough():
    with pytest.raises(InputError, match="the campaign has only scores"):
        robustness(small.campaign().scores("AP"))
