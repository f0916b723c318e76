"""The data of figures of scores are the values that they are of."""

import math
import statistics
from dataclasses import replace

import numpy as np
import pytest

import rankgauge
from figures.samples import campaign, drawn, results, rows
from rankgauge import figures
from rankgauge.errors import OptionError
from rankgauge.figures.boxes import BOXES, boxed, quantile
from rankgauge.figures.by_topic import BARS
from rankgauge.figures.points import CELLS, POINTS


def scores(measures):
    return rankgauge.evaluate(*campaign(), measures)


def made(values, measures=("AP", "RR")):
    """Scores of given values, (runs, measures, topics)."""
    small = rankgauge.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, measures)
    values = np.asarray(values, dtype=float)
    runs, _, topics = values.shape
    return replace(
        small,
        runs=tuple(f"r{i}" for i in range(runs)),
        topics=tuple(f"t{i:06}" for i in range(topics)),
        values=values,
        counted=np.ones((runs, topics), dtype=bool),
    )


def test_a_box_has_quartiles_whiskers_mean_and_what_lies_beyond():
    found = scores("AP nDCG@10")
    figure = figures.distribution(found)
    for number, measure in enumerate(found.measures):
        order = sorted(found.runs, key=lambda run: -found.mean()[run]["AP"])
        boxes = rows(figure, f"boxes {number + 1}")
        assert [box["label"] for box in boxes] == order
        for box in boxes:
            values = [*found.to_dict()[box["label"]][measure].values()]
            quarters = statistics.quantiles(values, n=4, method="inclusive")
            assert [box["q1"], box["median"], box["q3"]] == pytest.approx(quarters, abs=1e-15)
            assert box["mean"] == pytest.approx(statistics.fmean(values))
            reach = 1.5 * (box["q3"] - box["q1"])
            inside = [v for v in values if box["q1"] - reach <= v <= box["q3"] + reach]
            assert (box["low"], box["high"]) == (min(inside), max(inside))
            beyond = [r["value"] for r in rows(figure, f"beyond {number + 1}") if r["label"] == box["label"]]
            assert sorted(beyond + inside) == sorted(values)


def test_a_value_far_away_is_a_point_and_no_values_are_undefined():
    assert boxed([0.0, 1.0, 1.0, 1.0, 2.0, 9.0])[1] == [9.0]
    box, beyond = boxed([])
    assert all(map(math.isnan, box))
    assert beyond == []


def test_means_of_all_runs_have_one_box_for_each_measure():
    found = scores("AP P@5")
    boxes = rows(figures.distribution(found, of="runs"), "boxes 1")
    assert [box["label"] for box in boxes] == ["AP", "P@5"]
    assert boxes[1]["median"] == statistics.median(mean["P@5"] for mean in found.mean().values())


def test_of_many_runs_the_best_and_the_chosen_have_boxes_and_undefined_values_are_told():
    values = np.linspace(1, 0, 100)[:, None, None] * np.ones((100, 1, 4))
    values[3, 0, 2] = math.nan
    figure = figures.distribution(made(values, ("AP",)), highlight=["r77"])
    shown = [box["label"] for box in rows(figure, "boxes 1")]
    assert len(shown) == BOXES
    assert {*shown} == {*(f"r{i}" for i in range(BOXES - 1)), "r77"}
    assert shown[-1] == "r77"  # the best mean comes first
    assert "Shown are 30 of 100 runs, the best and the chosen ones." in figure.caption
    assert "1 undefined value left out." in figure.caption


@pytest.mark.parametrize("share", [0, 0.25, 0.5, 0.75, 0.9, 1])
def test_a_quantile_is_numpys(share):
    for size in (1, 2, 3, 7, 10):
        values = sorted(np.random.default_rng(size).random(size).tolist())
        assert quantile(values, share) == pytest.approx(np.quantile(values, share))


def test_differences_run_from_help_to_harm_and_are_counted():
    found = scores("AP RR")
    run = "dense"
    figure = figures.differences(found, baseline="bm25", run=run)
    values = found.to_dict()
    for number, measure in enumerate(found.measures):
        table = rows(figure, f"topics {number + 1}")
        assert [row["position"] for row in table] == [*range(1, len(found.topics) + 1)]
        assert {row["topic"] for row in table} == {*found.topics}
        differences = [row["difference"] for row in table]
        assert differences == sorted(differences, reverse=True)
        for row in table:
            old, new = values["bm25"][measure][row["topic"]], values[run][measure][row["topic"]]
            assert (row["baseline"], row["run"], row["difference"]) == (old, new, new - old)
            assert row["effect"] == ("helps" if new > old else "hurts" if new < old else "same")
        helps = sum(d > 0 for d in differences)
        hurts = sum(d < 0 for d in differences)
        same = len(differences) - helps - hurts
        mean = statistics.fmean(differences)
        said = f"{measure}: helps {helps}, hurts {hurts}, same {same}, mean {mean:+.4f}"
        assert said in " ".join(figure.spec["title"]["subtitle"])


def test_where_lower_is_better_less_helps():
    qrels = {"q": {"d1": 1}}
    runs = {"late": {"q": {"x": 2.0, "d1": 1.0}}, "early": {"q": {"d1": 2.0, "x": 1.0}}}
    figure = figures.differences(rankgauge.evaluate(qrels, runs, "FirstRank"))
    (row,) = rows(figure)
    assert (row["difference"], row["effect"]) == (-1, "helps")


def test_two_runs_are_compared_and_of_more_two_have_to_be_named():
    found = results("differences")
    with pytest.raises(OptionError, match="compares two runs, and there are 3"):
        figures.differences(found, baseline="bm25")
    with pytest.raises(OptionError, match=r"no run is called 'bm52'.*did you mean bm25"):
        figures.differences(found, baseline="bm52", run="dense")
    one = rankgauge.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "AP")
    with pytest.raises(OptionError, match="compares two runs, and there is only 'run'"):
        figures.differences(one)
    two = made([[[0.1, 0.2]], [[0.3, 0.1]]], ("AP",))
    assert figures.differences(two).title == "r1 against r0, topic by topic"
    assert figures.differences(two, baseline="r1").title == "r0 against r1, topic by topic"
    with pytest.raises(OptionError, match="compares two runs, and both are 'r1'"):
        figures.differences(two, baseline="r1", run="r1")


@pytest.mark.parametrize("name", ["differences", "difficulty"])
def test_topics_without_a_value_are_not_counted(name):
    nan = math.nan
    found = made([[[0.1, nan, 0.3], [nan, nan, 0.1]], [[0.3, nan, 0.2], [nan, 0.2, 0.5]]], ("AP", "RR"))
    figure = figures.figures()[name](found)
    drawn = [len(rows(figure, f"topics {number}")) for number in (1, 2)]
    assert drawn == ([2, 1] if name == "differences" else [2, 2])
    said, left = ("1 to 2 topics", "1 to 2") if name == "differences" else ("2 topics", "1")
    assert said in f"{figure.caption} {' '.join(figure.spec['title']['subtitle'])}"
    assert f"{left} topic{'s' * (left != '1')} without a value left out." in figure.caption


def test_of_many_topics_some_are_drawn_with_both_ends():
    values = np.stack([np.zeros((1, 30_000)), np.random.default_rng(1).normal(size=(1, 30_000))])
    figure = figures.differences(made(values, ("AP",)))
    table = rows(figure)
    assert len(table) == BARS
    assert table[0]["difference"] == values[1].max()
    assert table[-1]["difference"] == values[1].min()
    assert f"Drawn are {BARS} topics, evenly spread." in figure.caption
    assert len(rows(figures.difficulty(made(values, ("AP",))))) == BARS


def test_topics_go_from_easy_to_hard_by_the_median_over_runs():
    found = scores("AP")
    figure = figures.difficulty(found, highlight=["bm25", "dense"])
    values = found.to_dict()
    table = rows(figure, "topics 1")
    medians = [row["median"] for row in table]
    assert medians == sorted(medians, reverse=True)
    for row in table:
        own = [values[run]["AP"][row["topic"]] for run in found.runs]
        assert row["median"] == statistics.median(own)
        assert (row["low"], row["high"]) == (min(own), max(own))
    hardest = ", ".join(row["topic"] for row in table[:-4:-1])
    assert f"hardest by AP: {hardest}" in " ".join(figure.spec["title"]["subtitle"])
    for row in rows(figure, "runs 1"):
        assert row["value"] == values[row["run"]]["AP"][row["topic"]]
    assert {row["run"] for row in rows(figure, "runs 1")} == {"bm25", "dense"}


def test_points_of_two_measures_are_their_values():
    found = results("scatter")
    values = found.to_dict()
    points = rows(drawn("scatter"))
    assert len(points) == len(found.runs) * len(found.topics)
    for row in points:
        own = values[row["run"]]
        assert (row["x"], row["y"]) == (own["AP"][row["topic"]], own["nDCG@10"][row["topic"]])
    for row in rows(drawn("scatter", of="runs")):
        assert (row["x"], row["y"]) == (*found.mean()[row["run"]].values(),)
    with pytest.raises(OptionError, match=r"of two measures.*not of 1"):
        figures.scatter(scores("AP"))


def test_points_with_an_undefined_value_are_left_out_and_told():
    figure = figures.scatter(made([[[0.5, math.nan, 0.1], [0.5, 0.5, math.nan]]]))
    assert [row["topic"] for row in rows(figure)] == ["t000000"]
    assert "2 points with an undefined value left out." in figure.caption


def test_more_points_than_can_be_drawn_are_counted_in_cells():
    values = np.random.default_rng(2).random((6, 2, 5000))
    figure = figures.scatter(made(values))
    cells = rows(figure, "cells")
    assert sum(cell["count"] for cell in cells) == 30_000 > POINTS
    assert len(cells) <= CELLS**2
    cell = cells[100]
    xs, ys = values[:, 0].ravel(), values[:, 1].ravel()
    inside = (cell["x"] <= xs) & (xs < cell["x2"]) & (cell["y"] <= ys) & (ys < cell["y2"])
    assert cell["count"] == np.count_nonzero(inside)
    assert "cells" in figures.effort_gain(made(values)).data


def test_the_shares_of_quadrants_are_of_the_points_inside_their_edges():
    points = np.array([[p["x"], p["y"]] for p in rows(drawn("effort-gain"), "points")])
    table = rows(drawn("effort-gain"), "quadrants")
    assert len(table) == 16
    assert math.fsum(row["share"] for row in table) == pytest.approx(1)
    assert sum(row["points"] for row in table) == len(points)
    for row in table:
        last, first = row["x2"] == 1, row["gain"] == "low"
        x = (points[:, 0] >= row["x"]) & ((points[:, 0] < row["x2"]) | last)
        y = ((points[:, 1] > row["y"]) | first) & (points[:, 1] <= row["y2"])
        assert row["points"] == np.count_nonzero(x & y)
    cuts = [row["y"] for row in rows(drawn("effort-gain"), "gain cuts")]
    assert cuts == pytest.approx(np.quantile(points[:, 1], [0.25, 0.5, 0.75]))
