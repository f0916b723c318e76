"""Precision and recall of runs, among lines of equal F."""

import itertools
import math

import pytest

import rankgauge
from figures.samples import campaign, drawn, results, rows
from rankgauge import figures
from rankgauge.errors import OptionError
from rankgauge.figures.catalogue.pr_scatter import equal_f


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_along_a_line_of_equal_f_the_harmonic_mean_is_the_same(beta):
    figure = drawn("pr-scatter", beta=beta)
    alpha = 1 / (1 + beta**2)
    table = rows(figure, "equal F")
    assert {row["F"] for row in table} == {i / 10 for i in range(1, 10)}
    for row in table:
        assert 0 <= row["recall"] <= 1
        assert 0 <= row["precision"] <= 1
        assert 1 / (alpha / row["precision"] + (1 - alpha) / row["recall"]) == pytest.approx(row["F"])
    for row in rows(figure, "ends"):
        assert 1 / (alpha / row["precision"] + (1 - alpha)) == pytest.approx(row["F"])


@pytest.mark.parametrize("beta", [0.1, 0.5, 1.0, 2.0, 10.0])
def test_a_line_of_equal_f_has_no_visible_kinks(beta):
    for f in (0.1, 0.5, 0.9):
        points = equal_f(f, beta)
        assert points[0][1] == pytest.approx(1)
        assert points[-1][0] == pytest.approx(1)
        directions = [math.atan2(y2 - y1, x2 - x1) for (x1, y1), (x2, y2) in itertools.pairwise(points)]
        assert max(abs(b - a) for a, b in itertools.pairwise(directions)) < math.radians(9)


def test_points_of_precision_and_recall_are_means_or_values_of_topics():
    result = results("pr-scatter")
    for row in rows(drawn("pr-scatter"), "points"):
        assert {"R@10": row["x"], "P@10": row["y"]} == result.mean()[row["run"]]
    values = result.to_dict()
    points = rows(drawn("pr-scatter", of="topics"), "points")
    assert len(points) == len(result.runs) * len(result.topics)
    for row in points:
        own = values[row["run"]]
        assert (row["x"], row["y"]) == (own["R@10"][row["topic"]], own["P@10"][row["topic"]])
    with pytest.raises(OptionError, match=r"a precision and a recall.*not AP, P@5"):
        figures.pr_scatter(rankgauge.evaluate(*campaign(), "AP P@5"))
