"""Figures of values topic by topic, and which topics are drawn."""

import math
import statistics

import numpy as np
import pytest

import rankgauge
from extensions.pages.figures.samples import results, rows, scores, scores_of
from rankgauge import figures
from rankgauge.errors import OptionError
from rankgauge.extensions.pages.figures.catalogue.topics import MAX_TOPICS


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
    with pytest.raises(OptionError, match=r"no run named 'bm52'.*did you mean bm25"):
        figures.differences(result, baseline="bm52", run="dense")
    one = rankgauge.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "AP")
    with pytest.raises(OptionError, match="compares two runs, and there is only 'run'"):
        figures.differences(one)
    two = scores_of([[[0.1, 0.2]], [[0.3, 0.1]]], ("AP",))
    assert figures.differences(two).title == "r1 against r0, topic by topic"
    assert figures.differences(two, baseline="r1").title == "r0 against r1, topic by topic"
    with pytest.raises(OptionError, match="compares two runs, and both are 'r1'"):
        figures.differences(two, baseline="r1", run="r1")


def test_topics_go_from_easy_to_hard_by_the_median_over_runs():
    result = scores("AP")
    figure = figures.difficulty(result, highlight=["bm25", "dense"])
    values = result.to_dict()
    table = rows(figure, "topics 1")
    medians = [row["median"] for row in table]
    assert medians == sorted(medians, reverse=True)
    for row in table:
        own = [values[run]["AP"][row["topic"]] for run in result.runs]
        assert row["median"] == statistics.median(own)
        assert (row["low"], row["high"]) == (min(own), max(own))
    hardest = ", ".join(row["topic"] for row in table[:-4:-1])
    assert f"hardest on AP: {hardest}" in " ".join(figure.spec["title"]["subtitle"])
    for row in rows(figure, "runs 1"):
        assert row["value"] == values[row["run"]]["AP"][row["topic"]]
    assert {row["run"] for row in rows(figure, "runs 1")} == {"bm25", "dense"}


@pytest.mark.parametrize("name", ["differences", "difficulty"])
def test_topics_without_a_value_are_not_counted(name):
    nan = math.nan
    result = scores_of([[[0.1, nan, 0.3], [nan, nan, 0.1]], [[0.3, nan, 0.2], [nan, 0.2, 0.5]]], ("AP", "RR"))
    figure = figures.figures()[name](result)
    drawn = [len(rows(figure, f"topics {number}")) for number in (1, 2)]
    assert drawn == ([2, 1] if name == "differences" else [2, 2])
    size, left = ("1 to 2 topics", "1 to 2") if name == "differences" else ("2 topics", "1")
    assert size in f"{figure.caption} {' '.join(figure.spec['title']['subtitle'])}"
    assert f"{left} topic{'s' * (left != '1')} without a value left out." in figure.caption


def test_of_many_topics_some_are_drawn_with_both_ends():
    values = np.stack([np.zeros((1, 30_000)), np.random.default_rng(1).normal(size=(1, 30_000))])
    figure = figures.differences(scores_of(values, ("AP",)))
    table = rows(figure)
    assert len(table) == MAX_TOPICS
    assert table[0]["difference"] == values[1].max()
    assert table[-1]["difference"] == values[1].min()
    assert f"{MAX_TOPICS:,} evenly spaced topics are drawn." in figure.caption
    assert len(rows(figures.difficulty(scores_of(values, ("AP",))))) == MAX_TOPICS
