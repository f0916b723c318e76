"""Effort against gain, in quadrants."""

import math

import numpy as np
import pytest

from extensions.pages.figures.samples import drawn, rows, scores
from rankgauge import figures
from rankgauge.errors import OptionError
from rankgauge.extensions.pages.figures.laws import encodings
from rankgauge.extensions.studies.effort import EFFORTS, GAINS
from rankgauge.extensions.studies.figures.effort import spread


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


def test_rows_and_columns_are_named_beside_the_plot():
    figure = drawn("effort-gain")
    columns, lines = rows(figure, "columns"), rows(figure, "rows")
    assert [row["effort"] for row in columns] == [*EFFORTS]
    assert [row["x"] for row in columns] == [0.125, 0.375, 0.625, 0.875]
    assert [row["gain"] for row in lines] == [*GAINS]
    texts = [encoding["text"]["field"] for data, encoding in encodings(figure.spec) if "text" in encoding]
    assert texts == ["effort", "gain", "share"]
    # shares are in a table of their own: nothing is written among the points
    assert [
        data for data, encoding in encodings(figure.spec) if encoding.get("text", {}).get("field") == "share"
    ] == ["quadrants"]


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ([0.1, 0.3, 0.6, 0.9], [0.1, 0.3, 0.6, 0.9]),
        ([0.5, 0.5, 0.5, 0.5], [0.5, 0.6, 0.7, 0.8]),
        ([0.94, 0.96, 0.98, 0.99], [0.65, 0.75, 0.85, 0.95]),
        ([0.0, 0.0, 0.0, 0.5], [0.05, 0.15, 0.25, 0.5]),
    ],
)
def test_names_of_narrow_rows_do_not_overlap(places, expected):
    assert spread(places, 0.1, (0.05, 0.95)) == pytest.approx(expected)


@pytest.mark.parametrize("gains", ["nDCG", "AP nDCG"])
def test_marked_rankings_have_numbers_and_all_others_are_grey(gains):
    result = scores(f"Twist {gains}")
    figure = figures.effort_gain(result, mark=["dense:103", "bm25:101", "dense:103"])
    values = result.to_dict()
    for number, gain in enumerate(gains.split(), 1):
        marked = rows(figure, f"marked {number}" if " " in gains else "marked")
        assert marked == [
            {"number": place, "run": run, "topic": topic}
            | {axis: values[run][measure][topic] for axis, measure in (("x", "Twist"), ("y", gain))}
            for place, (run, topic) in enumerate((("dense", "103"), ("bm25", "101")), 1)
        ]
    assert "Marked: 1 dense, topic 103; 2 bm25, topic 101." in figure.caption
    points = [encoding for data, encoding in encodings(figure.spec) if data.startswith("points")]
    assert all({"value"} == {*encoding["color"]} for encoding in points)
    assert figure.legend == ()
    with pytest.raises(OptionError, match="no ranking named 'dense:1'"):
        figures.effort_gain(result, mark="dense:1")


def test_several_gains_stand_side_by_side():
    result = scores("Twist AP nDCG")
    figure = figures.effort_gain(result, width="page")
    assert len(figure.spec["concat"]) == 2
    for number, measure in enumerate(("AP", "nDCG"), 1):
        one = figures.effort_gain(scores(f"Twist {measure}"))
        assert rows(figure, f"quadrants {number}") == rows(one, "quadrants")
        assert {row["y"] for row in rows(figure, f"points {number}")} == {
            row["y"] for row in rows(one, "points")
        }
        assert (
            f"{measure}: {one.caption.partition('Below, shares of points: ')[2].partition('.')[0]}"
            in figure.caption
        )


def test_measures_on_the_command_line_are_gains_as_in_the_study(write, tmp_path, invoke):
    qrels = write("q", "".join(f"{t} 0 d{d} {(t + d) % 3}\n" for t in range(5) for d in range(6)))
    run = write("r", "".join(f"{t} Q0 d{d} {d + 1} {9 - d} r\n" for t in range(5) for d in range(6)))
    command = ["figure", "effort-gain", qrels, run, "-o", tmp_path / "f.svg", "-m"]
    gains = invoke(*command, "AP nDCG(base=10)").out
    assert "Twist is divided at" in gains
    assert "AP, nDCG(base=10) at the quartiles" in gains
    assert invoke(*command, "Twist AP nDCG(base=10)").out == gains
    shares = invoke(
        "study", "effort-gain", qrels, run, "-m", "AP", "--table", "shares", "--format", "csv"
    ).out
    diagonal = float(shares.splitlines()[1].split(",")[3])
    assert f"{diagonal:.0f}% on the diagonal" in invoke(*command, "AP").out
    assert "SpaceRatio is divided at" in invoke(*command, "AP", "--effort", "SpaceRatio").out
    assert "not Twist; name another measure of effort" in invoke(*command, "Twist", code=2).err
