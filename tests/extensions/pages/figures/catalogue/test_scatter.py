"""One measure against another."""

import math

import numpy as np

from extensions.pages.figures.samples import drawn, results, rows, scores_of
from rankgauge import figures
from rankgauge.extensions.pages.figures.catalogue.scatter import CELLS
from rankgauge.extensions.pages.figures.drawing import MAX_POINTS


def test_points_of_two_measures_are_their_values():
    result = results("scatter")
    values = result.to_dict()
    points = rows(drawn("scatter"))
    assert len(points) == len(result.runs) * len(result.topics)
    for row in points:
        own = values[row["run"]]
        assert (row["x"], row["y"]) == (own["AP"][row["topic"]], own["nDCG@10"][row["topic"]])
    for row in rows(drawn("scatter", of="runs")):
        assert (row["x"], row["y"]) == (*result.mean()[row["run"]].values(),)


def test_points_with_an_undefined_value_are_left_out_and_noted():
    figure = figures.scatter(scores_of([[[0.5, math.nan, 0.1], [0.5, 0.5, math.nan]]]))
    assert [row["topic"] for row in rows(figure)] == ["t000000"]
    assert "2 points with an undefined value left out." in figure.caption


def test_more_points_than_can_be_drawn_are_counted_in_cells():
    values = np.random.default_rng(2).random((6, 2, 5000))
    figure = figures.scatter(scores_of(values))
    cells = rows(figure, "cells")
    assert sum(cell["count"] for cell in cells) == 30_000 > MAX_POINTS
    assert len(cells) <= CELLS**2
    cell = cells[100]
    xs, ys = values[:, 0].ravel(), values[:, 1].ravel()
    inside = (cell["x"] <= xs) & (xs < cell["x2"]) & (cell["y"] <= ys) & (ys < cell["y2"])
    assert cell["count"] == np.count_nonzero(inside)
    assert "cells" in figures.effort_gain(scores_of(values), effort="AP").data
