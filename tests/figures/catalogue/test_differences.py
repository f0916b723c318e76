"""Differences between two runs, topic by topic."""

import statistics

import pytest

import rankgauge
from figures.samples import results, rows, scores, scores_of
from rankgauge import figures
from rankgauge.errors import OptionError


def test_differences_run_from_help_to_harm_and_are_counted():
    result = scores("AP RR")
    run = "dense"
    figure = figures.differences(result, baseline="bm25", run=run)
    values = result.to_dict()
    for number, measure in enumerate(result.measures):
        table = rows(figure, f"topics {number + 1}")
        assert [row["position"] for row in table] == [*range(1, len(result.topics) + 1)]
        assert {row["topic"] for row in table} == {*result.topics}
        differences = [row["difference"] for row in table]
        assert differences == sorted(differences, reverse=True)
        for row in table:
            old, new = values["bm25"][measure][row["topic"]], values[run][measure][row["topic"]]
            assert (row["before"], row["after"], row["difference"]) == (old, new, new - old)
            assert row["effect"] == ("helps" if new > old else "hurts" if new < old else "same")
        helps = sum(d > 0 for d in differences)
        hurts = sum(d < 0 for d in differences)
        same = len(differences) - helps - hurts
        mean = statistics.fmean(differences)
        message = f"{measure}: helps {helps}, hurts {hurts}, same {same}, mean {mean:+.4f}"
        assert message in " ".join(figure.spec["title"]["subtitle"])


def test_where_lower_is_better_less_helps():
    qrels = {"q": {"d1": 1}}
    runs = {"late": {"q": {"x": 2.0, "d1": 1.0}}, "early": {"q": {"d1": 2.0, "x": 1.0}}}
    figure = figures.differences(rankgauge.evaluate(qrels, runs, "FirstRank"))
    (row,) = rows(figure)
    assert (row["difference"], row["effect"]) == (-1, "helps")


def test_two_runs_are_compared_and_of_more_two_have_to_be_named():
    result = results("differences")
    with pytest.raises(OptionError, match="compares two runs, and there are 3"):
        figures.differences(result, baseline="bm25")
    with pytest.raises(OptionError, match=r"no run is called 'bm52'.*did you mean bm25"):
        figures.differences(result, baseline="bm52", run="dense")
    one = rankgauge.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "AP")
    with pytest.raises(OptionError, match="compares two runs, and there is only 'run'"):
        figures.differences(one)
    two = scores_of([[[0.1, 0.2]], [[0.3, 0.1]]], ("AP",))
    assert figures.differences(two).title == "r1 against r0, topic by topic"
    assert figures.differences(two, baseline="r1").title == "r0 against r1, topic by topic"
    with pytest.raises(OptionError, match="compares two runs, and both are 'r1'"):
        figures.differences(two, baseline="r1", run="r1")
