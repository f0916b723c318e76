"""Effort against gain."""

import math

import numpy as np
import pytest

from figures.samples import drawn, rows


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
