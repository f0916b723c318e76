"""Studies of incomplete judgments: runs left out of the pool, and robustness."""

import math

import pytest
from rankgauge.studies import Campaign, leave_out, robustness

import rankgauge
from extensions.studies import slow_judgments as slow
from extensions.studies import small
from rankgauge.errors import OptionError
from rankgauge.extensions.judging import downsample
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


@pytest.mark.parametrize("depth", [None, 5])
@pytest.mark.parametrize("teams", [None, {name: name[0] for name in small.RUNS}])
def test_a_run_that_is_left_out_loses_what_it_alone_has(depth, teams):
    found = leave_out(small.campaign(), measures=MEASURES, depth=depth, teams=teams)
    team = teams or {name: name for name in small.RUNS}
    listed = [(team[name], ranking) for name, ranking in RANKINGS.items()]
    lost = {}
    for measure, run, alone, relevant, mean, without, rank, rank_without, tau in rows(found, "runs"):
        left = slow.without_own(small.QRELS, listed, team[run], depth)
        gone = [
            grade
            for topic, judged in small.QRELS.items()
            for doc, grade in judged.items()
            if doc not in left[topic]
        ]
        assert (alone, relevant) == (len(gone), sum(grade > 0 for grade in gone))
        before, after = (slow.means(qrels, small.RUNS, measure) for qrels in (small.QRELS, left))
        sign = -1 if measure == "ESL" else 1
        assert (mean, without) == pytest.approx((sign * before[run], sign * after[run]), abs=1e-12)
        assert rank == 1 + sum(other > before[run] for other in before.values())
        assert rank_without == 1 + sum(other > after[run] for other in after.values())
        assert tau == pytest.approx(slow.tau_b(before, after), abs=1e-12)
        lost[measure, run] = before[run] - after[run]
    assert len(lost) == len(MEASURES) * len(small.RUNS)
    for measure, sentence in zip(MEASURES, found.sentences, strict=True):
        most = max(loss for (name, _), loss in lost.items() if name == measure)
        if most <= 0:
            assert sentence.startswith(f"On {measure}, no run loses")
        else:
            named = next(run for (name, run), loss in lost.items() if name == measure and loss == most)
            assert sentence.startswith(f"On {measure}, {named} loses most: ")


def test_runs_that_found_the_same_lose_nothing_unless_they_are_a_team():
    run = {"q1": {"d1": 2.0, "d2": 1.0}}
    campaign = Campaign({"q1": {"d1": 1, "d2": 0, "d3": 1}}, {"a": run, "b": run})
    assert [row[2] for row in rows(leave_out(campaign, measures="AP"), "runs")] == [0, 0]
    together = leave_out(campaign, measures="AP", teams={"a": "X", "b": "X"})
    assert [row[2] for row in rows(together, "runs")] == [2, 2]


def test_a_run_that_gains_does_not_lose():
    # Without d2, which b alone has and ranks late, b has found all that is relevant to q1, at once.
    campaign = Campaign(
        {"q1": {"d1": 1, "d2": 1}, "q2": {"d3": 1}},
        {"a": {"q1": {"d1": 1.0}}, "b": {"q1": {"d1": 3.0, "x": 2.0, "d2": 1.0}}},
    )
    found = leave_out(campaign, measures="AP")
    means = [value for row in rows(found, "runs") for value in row[4:6]]
    assert means == pytest.approx([0.25, 0.25, 5 / 12, 0.5], abs=1e-12)
    assert found.sentences == ["On AP, no run loses; the lowest τ is 1.000."]


def test_nothing_is_left_without_the_only_run():
    campaign = Campaign({"q1": {"d1": 1}}, {"a": {"q1": {"d1": 1.0}}})
    found = leave_out(campaign, measures="AP")
    ((_, _, alone, relevant, mean, without, rank, rank_without, tau),) = rows(found, "runs")
    assert (alone, relevant, mean, rank) == (1, 1, 1.0, 1)
    assert all(map(math.isnan, (without, rank_without, tau)))
    assert found.sentences == ["AP is undefined without these judgments."]
