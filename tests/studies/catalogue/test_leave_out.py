"""Runs left out of the pool."""

import math

import pytest

from rankgauge.errors import InputError
from rankgauge.studies import Campaign, leave_out
from studies import slow_judgments as slow
from studies import small
from twins.order import in_order

MEASURES = ["AP", "Bpref", "nDCG@10", "ESL"]
RANKINGS = {
    name: {topic: in_order(results) for topic, results in run.items()} for name, run in small.RUNS.items()
}


def rows(findings, name):
    return list(findings.table(name).rows)


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
            assert sentence.startswith(f"By {measure}, no run loses")
        else:
            named = next(run for (name, run), loss in lost.items() if name == measure and loss == most)
            assert sentence.startswith(f"By {measure}, {named} loses most: ")


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
    assert found.sentences == ["By AP, no run loses; the lowest τ is 1.000."]


def test_nothing_is_left_without_the_only_run():
    campaign = Campaign({"q1": {"d1": 1}}, {"a": {"q1": {"d1": 1.0}}})
    found = leave_out(campaign, measures="AP")
    ((_, _, alone, relevant, mean, without, rank, rank_without, tau),) = rows(found, "runs")
    assert (alone, relevant, mean, rank) == (1, 1, 1.0, 1)
    assert all(map(math.isnan, (without, rank_without, tau)))
    assert found.sentences == ["AP is undefined without these judgments."]


def test_a_run_without_a_team_is_named():
    with pytest.raises(InputError, match="has no team"):
        leave_out(small.campaign(), teams={"nobody": "X"})


def test_scores_alone_are_not_enough():
    with pytest.raises(InputError, match="the campaign has only scores"):
        leave_out(small.campaign().scores("AP"))
