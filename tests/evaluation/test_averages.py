"""How the values of topics become one: a parameter of every measure, kept with the scores."""

import math

import pytest

from rankgauge import Scores, curves, evaluate
from rankgauge.errors import MeasureError
from rankgauge.measures import MEASURES
from rankgauge.model.rules import TopicRules
from rankgauge.schema.options import AVERAGES

NAN = math.nan
# P is 1/2 of 2, 1/4 of 4, and undefined of none; R is 1/2 of 2, 1 of 1, and 0 of 3.
QRELS = {"1": {"a": 1, "x": 2}, "2": {"a": 2, "n": 0}, "3": {"x": 1, "y": 1, "z": 3}}
RUN = {"1": {"a": 2.0, "b": 1.0}, "2": {"n": 4.0, "b": 3.0, "a": 2.0, "c": 1.0}}


def mean(texts, **options):
    return list(evaluate(QRELS, RUN, texts, **options).mean()["run"].values())


@pytest.mark.parametrize(
    ("how", "value"), [("mean", 1.5625), ("geometric", 1.0), ("median", 1.0), ("sum", 6.25)]
)
def test_values_of_topics_become_one_in_several_ways(how, value):
    assert TopicRules().average([0.25, 4.0, 1.0, 1.0], how) == pytest.approx(value)


def test_the_geometric_mean_counts_nothing_as_less_than_a_hundred_thousandth():
    assert TopicRules().average([0.0, 0.1], "geometric") == pytest.approx(1e-3)
    assert TopicRules().average([NAN, 0.1], "geometric") == pytest.approx(1e-3)
    assert TopicRules(undefined="skip").average([NAN, 0.1], "geometric") == pytest.approx(0.1)


def test_undefined_values_are_zero_or_left_out_of_any_average():
    values = [NAN, 2.0, 4.0]
    zero, skip = TopicRules(), TopicRules(undefined="skip")
    assert [zero.average(values, how) for how in ("mean", "median", "sum")] == [2.0, 2.0, 6.0]
    assert [skip.average(values, how) for how in ("mean", "median", "sum")] == [3.0, 3.0, 6.0]


def test_where_lower_is_better_undefined_values_are_left_out_since_zero_would_be_the_best():
    assert TopicRules().average([NAN, 2.0, 4.0], "median", direction=-1) == 3.0
    scores = evaluate(QRELS, RUN, "FirstRank FirstRank(average=mean) RR")
    first, mean_of_first, reciprocal = scores.mean()["run"].values()
    assert (first, mean_of_first, reciprocal) == (2.0, 2.0, pytest.approx(4 / 9))
    assert [note for note in scores.notes if "FirstRank" in note] == [
        "run: FirstRank, FirstRank(average=mean) undefined for 1 topic and left out of the mean "
        "(0 would be the best value)"
    ]


@pytest.mark.parametrize("how", [how for how in AVERAGES if how != "micro"])
def test_an_average_of_nothing_is_undefined(how):
    assert math.isnan(TopicRules().average([], how))
    assert math.isnan(TopicRules(undefined="skip").average([NAN], how))


def test_a_micro_average_is_one_ratio_of_all_counts():
    assert mean("P(average=micro) R(average=micro)") == [pytest.approx(2 / 6), pytest.approx(2 / 6)]
    assert mean("P R", undefined="skip") == [0.375, 0.5]
    assert mean("F(average=micro) Fallout(docs=10,average=micro)") == [
        pytest.approx(2 / 6),
        pytest.approx(4 / 24),
    ]
    assert mean("P(average=micro)@3") == [pytest.approx(2 / 9)]
    assert mean("R(average=micro)", missing="skip") == [pytest.approx(2 / 3)]
    assert math.isnan(TopicRules().average([NAN], "micro", weights=[0.0]))


def test_undefined_values_do_not_change_a_micro_average():
    scores = evaluate(QRELS, RUN, "P(average=micro)")
    assert (
        "run: P(average=micro) undefined for 1 topic and without effect on the micro average" in scores.notes
    )


def test_only_ratios_of_counts_have_a_micro_average():
    ratios = {name for name, spec in MEASURES.items() if "micro" in spec.parameter("average").kind.words}
    assert {"P", "R", "F", "Fallout", "Judged"} <= ratios
    assert not {"AP", "nDCG", "RR", "NumRel"} & ratios
    with pytest.raises(
        MeasureError, match="AP: average must be one of mean, geometric, median, sum, not 'micro'"
    ):
        evaluate(QRELS, RUN, "AP(average=micro)")


def test_counts_are_added_up_by_default():
    assert mean("NumQ NumRet NumRel NumRelRet NumNonrelRet") == [3, 6, 6, 2, 1]
    assert mean("NumQ NumRel", missing="skip") == [2, 3]
    assert mean("NumRet(average=mean) NumRet(average=median)") == [2, 2]


@pytest.mark.parametrize("extension", ["json", "parquet"])
def test_every_average_comes_back_from_a_file(extension, tmp_path):
    if extension == "parquet":
        pytest.importorskip("pyarrow")
    texts = "AP GMAP AP(average=median) NumRel P(average=micro) R(average=micro)@1 FirstRank"
    for missing in ("zero", "skip"):
        scores = evaluate(QRELS, {"a": RUN, "b": {"1": {"x": 1.0}}}, texts, missing=missing)
        scores.save(tmp_path / f"scores.{extension}")
        assert Scores.load(tmp_path / f"scores.{extension}").mean() == scores.mean()


def test_counts_that_are_neither_good_nor_bad_have_no_best():
    scores = evaluate(QRELS, {"a": RUN, "b": {"1": {"x": 1.0}}}, "NumRet NumRelRet")
    assert scores.best() == {(0, 1)}


def test_vectors_are_averaged_in_the_same_ways_but_for_micro():
    found = curves(QRELS, RUN, "P R(average=sum) P(average=median)", depth=2).mean()["run"]
    assert found == {"P": [1 / 3, 1 / 6], "R(average=sum)": [0.5, 0.5], "P(average=median)": [0.0, 0.0]}
    with pytest.raises(MeasureError, match="there is no micro average of curves"):
        curves(QRELS, RUN, "P(average=micro)", depth=2).mean()


def test_precision_of_one_grade_or_of_all_from_a_grade_on():
    assert mean("R(rel=2) R(grade=2) R(grade=1) P(grade=2)@3", undefined="skip") == [
        pytest.approx(1 / 3),
        0.5,
        0.5,
        pytest.approx(1 / 9),
    ]


@pytest.mark.parametrize(
    ("values", "how", "expected"),
    [
        ([1.7e308, 1.7e308, 1.4e308], "mean", 1.6e308),
        ([1.7e308, 1.7e308], "sum", math.inf),
        ([-1.7e308, -1.7e308], "sum", -math.inf),
        ([1.7e308, 1.7e308, -1.7e308], "sum", 1.7e308),
        ([math.inf, 1.0, 1.7e308, 1.7e308], "mean", math.inf),
    ],
)
def test_an_average_of_huge_values_is_right_or_infinite(values, how, expected):
    assert TopicRules().average(values, how) == pytest.approx(expected)


def test_an_average_of_values_that_are_infinite_either_way_is_undefined():
    assert math.isnan(TopicRules().average([math.inf, -math.inf, 1.0]))
    assert math.isnan(TopicRules().average([1.7e308, 1.7e308, math.inf, -math.inf]))
