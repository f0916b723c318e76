"""Box plots of scores, and their quartiles."""

import math
import statistics

import numpy as np
import pytest

from extensions.pages.figures.samples import rows, scores, scores_of
from rankgauge import figures
from rankgauge.extensions.pages.figures.catalogue.topics import MAX_BOXES


def test_a_box_has_quartiles_whiskers_mean_and_what_lies_beyond():
    result = scores("AP nDCG@10")
    figure = figures.distribution(result)
    for number, measure in enumerate(result.measures):
        order = sorted(result.runs, key=lambda run: -result.mean()[run]["AP"])
        boxes = rows(figure, f"boxes {number + 1}")
        assert [box["label"] for box in boxes] == order
        for box in boxes:
            values = [*result.to_dict()[box["label"]][measure].values()]
            quarters = statistics.quantiles(values, n=4, method="inclusive")
            assert [box["q1"], box["median"], box["q3"]] == pytest.approx(quarters, abs=1e-15)
            assert box["mean"] == pytest.approx(statistics.fmean(values))
            reach = 1.5 * (box["q3"] - box["q1"])
            inside = [v for v in values if box["q1"] - reach <= v <= box["q3"] + reach]
            assert (box["low"], box["high"]) == (min(inside), max(inside))
            beyond = [r["value"] for r in rows(figure, f"beyond {number + 1}") if r["label"] == box["label"]]
            assert sorted(beyond + inside) == sorted(values)


def test_means_of_all_runs_have_one_box_for_each_measure():
    result = scores("AP P@5")
    boxes = rows(figures.distribution(result, of="runs"), "boxes 1")
    assert [box["label"] for box in boxes] == ["AP", "P@5"]
    assert boxes[1]["median"] == statistics.median(mean["P@5"] for mean in result.mean().values())


def test_of_many_runs_the_best_and_the_highlighted_have_boxes_and_undefined_values_are_noted():
    values = np.linspace(1, 0, 100)[:, None, None] * np.ones((100, 1, 4))
    values[3, 0, 2] = math.nan
    figure = figures.distribution(scores_of(values, ("AP",)), highlight=["r77"])
    shown = [box["label"] for box in rows(figure, "boxes 1")]
    assert len(shown) == MAX_BOXES
    assert {*shown} == {*(f"r{i}" for i in range(MAX_BOXES - 1)), "r77"}
    assert shown[-1] == "r77"  # the best mean comes first
    assert f"{MAX_BOXES} of 100 runs are shown, the best and the highlighted ones." in figure.caption
    assert "1 undefined value left out." in figure.caption


def test_infinite_values_are_left_out_and_noted_even_if_there_are_no_others():
    values = np.array([[[1.0, 2.0, math.inf]], [[math.inf] * 3], [[math.nan, math.inf, math.inf]]])
    figure = figures.distribution(scores_of(values, ("BalancePoint",)))
    boxes = {box["label"]: box for box in rows(figure, "boxes 1")}
    assert [boxes["r0"][name] for name in ("low", "median", "mean", "high")] == [1.0, 1.5, 1.5, 2.0]
    assert math.isnan(boxes["r1"]["median"])
    assert math.isnan(boxes["r2"]["mean"])
    assert "1 undefined value left out. 6 infinite values left out." in figure.caption
    assert figure.render("svg")
