"""Curves read from top to bottom and from left to right."""

import math
import random

import pyarrow as pa
import pytest
from scipy import stats

from rankgauge import curves
from rankgauge.errors import MeasureError, OptionError

# By rank: x finds 1, 0, 3, y finds 3, 1, 0 in topic 1; the ideal has 3, 1.
QRELS = {"1": {"a": 1, "b": 3}, "2": {"c": 2}, "3": {"d": 0}}
RUNS = {
    "x": {"1": {"a": 3.0, "u": 2.0, "b": 1.0}, "2": {"u": 2.0, "c": 1.0}, "3": {"d": 1.0}},
    "y": {"1": {"b": 3.0, "a": 2.0}, "2": {"c": 1.0}},
}


def read(measures="CG", **options):
    return curves(QRELS, RUNS, measures, depth=4, **options)


def test_a_curve_is_divided_by_its_ideal_before_or_after_averaging():
    found = read()
    assert found.mean()["x"]["CG"] == [1 / 3, 1.0, 2.0, 2.0]
    assert found.mean_ideal()["CG"] == [5 / 3, 2.0, 2.0, 2.0]
    assert found.distance()["x"]["CG"] == [5 / 3 - 1 / 3, 1.0, 0.0, 0.0]
    assert found.mean("averages")["x"]["CG"] == [(1 / 3) / (5 / 3), 0.5, 1.0, 1.0]
    assert found.mean("topics")["x"]["CG"] == read("nCG").mean()["x"]["nCG"]
    # by topic: 1/3, 1/4, 1, 1 and 0, 1, 1, 1; the third topic has no ideal and counts as 0
    thirds = [(1 / 3) / 3, (0.25 + 1) / 3, 2 / 3, 2 / 3]
    assert found.mean("topics")["x"]["CG"] == pytest.approx(thirds, rel=1e-15)
    assert read(undefined="skip").mean("topics")["x"]["CG"][1] == (0.25 + 1) / 2


def test_normalising_leaves_out_the_ideals_of_topics_that_are_left_out():
    found = read(missing="skip")
    assert found.mean()["y"]["CG"] == [2.5, 3.0, 3.0, 3.0]
    assert found.mean("averages")["y"]["CG"] == [1.0, 1.0, 1.0, 1.0]


def test_reach_is_the_rank_at_which_a_run_has_the_value_of_the_goal():
    found = read()
    assert found.reach("x") == [3, 3, 3, 3]
    assert found.reach("y", "CG") == [1, 2, 2, 2]
    assert found.reach("x", goal="y") == [3, 3, 3, 3]
    table = found.reach_table(goal="y", ranks=[1, 2])
    assert table.headers == ("rank of y", "x", "x: %")
    assert table.rows == [[1, 3, 200], [2, 3, 50]]
    assert [row[2].text for row in table.rows] == ["+200", "+50"]


def test_reading_across_starts_where_the_goal_first_has_its_value():
    found = read()  # the ideal, and y, are constant from rank 2 on
    assert found.read_across("y") == [(1, 0), (2, 0), (2, 0), (2, 0)]
    assert found.read_across("x") == [(3, 200), (3, 50), (3, 50), (3, 50)]
    assert found.read_across("y", goal="x")[-1] == (2, pytest.approx(-100 / 3))
    assert found.reach_table(goal="x", ranks=[4]).rows[0][2].text == "-33"
    rows = [row for row in found.long_table(goal="x").rows if row[0] == "y"]
    assert [row[-2:] for row in rows] == found.read_across("y", goal="x")


def test_what_is_not_reached_within_the_depth_is_left_open():
    found = curves(QRELS, RUNS, "CG", depth=2)
    assert found.reach("x") == [None, None]
    assert list(found.reach_table(ranks=[2]).rows) == [[2, None, None, 2, 0]]


def test_the_ideal_turns_flat_where_nothing_is_left():
    assert read("CG P").flat() == {"CG": 2, "P": 4}
    assert curves({"1": {"a": 0}}, {"1": {"a": 1.0}}, "CG", depth=3).flat() == {"CG": 1}
    undefined = curves({"1": {"a": 0}}, {"1": {"a": 1.0}}, "R", depth=3, undefined="skip")
    assert math.isnan(undefined.mean_ideal()["R"][2])
    assert undefined.flat() == {"R": 1}


def test_the_band_is_the_interval_of_students_t_within_the_bounds_of_the_measure():
    found = read("CG P RP")
    for measure in ("RP", "CG", "P"):
        low, high = (ends[2] for ends in found.band(0.9)["x"][measure])
        values = [*(found.to_dict()["x"][measure][topic][2] for topic in "12"), 0.0]
        first, last = stats.t.interval(0.9, 2, loc=sum(values) / 3, scale=stats.sem(values))
        if measure == "RP":
            assert (low, high) == pytest.approx((first, last), rel=1e-12)
        else:
            assert (low, high) == found.rules.interval(
                values, 0.9, bounds=(0, {"CG": math.inf, "P": 1}[measure])
            )
            assert first < 0 <= low
    assert all(0 <= low <= high <= 1 for low, high in zip(*found.band(0.9, "topics")["x"]["CG"], strict=True))


def test_the_band_of_one_topic_is_undefined():
    ((low,), (high,)) = curves({"1": {"a": 1}}, {"1": {"a": 1.0}}, "P", depth=1).band()["run"]["P"]
    assert math.isnan(low + high)


def test_the_band_counts_undefined_values_as_the_mean_does():
    low, high = read("R").band()["x"]["R"]
    values = [read("R").to_dict()["x"]["R"][topic][2] for topic in "123"]
    assert math.isnan(values[2])
    assert (low[2], high[2]) == read().rules.interval([*values[:2], 0.0], bounds=(0, 1))


@pytest.mark.parametrize(
    ("measures", "use", "message"),
    [
        *(
            ("CG", lambda found, level=level: found.band(level), "between 0 and 1")
            for level in (0, 1, -0.5, 95)
        ),
        ("CG", lambda found: found.band(normalise="averages"), "use normalise=topics"),
        ("CG", lambda found: found.mean("both"), "normalise must be one of no, topics, averages"),
        ("CG P", lambda found: found.reach("x"), "choose one of the measures: CG, P"),
        ("CG", lambda found: found.reach("z"), "run must be one of x, y, not 'z'"),
        ("P(average=micro)", lambda found: found.long_table(level=0.9), "no micro average of curves"),
        ("P(average=median)", lambda found: found.band(), "leave out average="),
    ],
)
def test_what_cannot_be_had_is_refused_with_a_way_out(measures, use, message):
    with pytest.raises((OptionError, MeasureError), match=message):
        use(read(measures))


def test_the_table_has_the_ideal_unless_it_is_in_the_values():
    found = read()
    assert found.table(ranks=[3]).headers == ("rank", "x", "y", "ideal")
    assert found.table(ranks=[3]).rows == [[3, 2.0, 2.0, 2.0]]
    assert found.table(normalise="averages").headers == ("rank", "x", "y")
    assert len(found.table().rows) == 4


def test_the_long_table_has_topics_and_bands_if_asked_for():
    found = read(missing="skip")
    rows = list(found.long_table().rows)
    assert rows[0] == ("x", "all", "CG", 1, 1 / 3, 5 / 3, 3, 200)
    table = found.long_table(topics=True, level=0.9)
    assert table.headers == (
        "run",
        "topic",
        "measure",
        "rank",
        "value",
        "ideal",
        "low",
        "high",
        "reach",
        "more",
    )
    rows = list(table.rows)
    assert ("y", "2", "CG", 1, 2.0, 2.0, *[None] * 4) in rows
    assert not any(row[:2] == ("y", "3") for row in rows)
    assert len(rows) == 4 * (3 + 1 + 2 + 1)
    assert read().long_table(normalise="topics").headers == ("run", "topic", "measure", "rank", "value")


def test_frames_have_a_row_for_each_rank():
    found = read("CG P", missing="skip")
    arrow = pa.table(found)
    assert arrow.column_names == ["run", "topic", "measure", "rank", "value"]
    assert len(arrow) == 5 * 2 * 4
    rows = {
        (row["run"], row["topic"], row["measure"], row["rank"]): row["value"] for row in arrow.to_pylist()
    }
    assert rows["x", "1", "P", 3] == 2 / 3
    assert (
        found.to_pandas()["rank"].tolist() == arrow["rank"].to_pylist() == found.to_polars()["rank"].to_list()
    )


@pytest.mark.parametrize("undefined", ["zero", "skip"])
@pytest.mark.parametrize("missing", ["zero", "skip"])
@pytest.mark.parametrize("measures", ["P nDCG", "R(average=median) P(average=geometric)", "FirstRank AP"])
def test_means_to_draw_are_the_means(measures, missing, undefined):
    rng = random.Random(f"{measures} {missing} {undefined}")
    docs = [f"d{n}" for n in range(12)]
    # Some topics have nothing relevant, and some runs leave topics out.
    qrels = {f"t{t}": {d: rng.choice([0, 0, 1, 2]) * (t % 4 > 0) for d in docs[:6]} for t in range(9)}
    runs = {
        name: {t: {d: rng.random() for d in rng.sample(docs, 8)} for t in qrels if rng.random() < 0.8}
        for name in "abc"
    }
    found = curves(qrels, runs, measures, depth=10, missing=missing, undefined=undefined)
    ranks = [1, 2, 5, 10]
    values, ideal = found.drawn_mean(ranks)
    for row, run in enumerate(found.runs):
        for column, measure in enumerate(found.measures):
            mean = found.mean()[run][measure]
            assert values[row, column] == pytest.approx([mean[rank - 1] for rank in ranks], nan_ok=True)
    for column, measure in enumerate(found.measures):
        best = found.mean_ideal()[measure]
        assert ideal[column] == pytest.approx([best[rank - 1] for rank in ranks], nan_ok=True)
