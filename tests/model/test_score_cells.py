import math

import pytest

from rankgauge import evaluate
from rankgauge.errors import InputError, OptionError
from rankgauge.model.output.tables import render
from rankgauge.model.scores import Scores

AP = {
    "bm25": {"1": 0.5, "2": 0.8, "3": 0.1, "4": 0.4},
    "ql": {"1": 0.6, "2": 0.2, "3": 0.1, "4": 0.3},
}


def rows(table, form="table"):
    return [line.split() for line in render(table, form).splitlines()]


def test_topics_are_rows_runs_are_columns_and_the_means_come_last():
    assert rows(Scores.from_table(AP, "AP").by_topic()) == [
        ["AP", "bm25", "ql"],
        ["1", "0.5000", "0.6000"],
        ["2", "0.8000", "0.2000"],
        ["3", "0.1000", "0.1000"],
        ["4", "0.4000", "0.3000"],
        ["all", "0.4500", "0.3000"],
    ]


def test_differences_from_a_baseline_have_their_signs_and_the_worst_come_first():
    table = Scores.from_table({"ql": AP["ql"], "bm25": AP["bm25"]}, "AP").by_topic(baseline="bm25", worst=2)
    assert rows(table) == [
        ["AP", "bm25", "ql", "Δ", "ql"],
        ["2", "0.8000", "0.2000", "-0.6000"],
        ["4", "0.4000", "0.3000", "-0.1000"],
        ["all", "0.4500", "0.3000", "-0.1500"],
        [],
        ["The", "2", "of", "4", "topics", "where", "ql", "loses", "most", "against", "bm25."],
    ]


def test_without_a_baseline_the_worst_topics_have_the_worst_values():
    table = Scores.from_table(AP, "AP").by_topic(worst=1)
    assert [row[0] for row in table.rows] == ["3", "all"]
    assert table.note == "The 1 of 4 topics where AP is lowest, on average over runs."


def test_where_lower_is_better_the_highest_values_and_rises_are_worst():
    scores = Scores.from_table(AP, "ASL")
    assert [row[0] for row in scores.by_topic(worst=1).rows] == ["1", "all"]
    assert [row[0] for row in scores.by_topic(baseline="ql", worst=1).rows] == ["2", "all"]
    assert "ASL is highest" in scores.by_topic(worst=1).note


def test_topics_left_out_are_empty_undefined_values_are_dashes_and_both_come_last():
    scores = Scores.from_table({"a": {"1": 0.5, "2": math.nan}, "b": {"1": 0.25, "2": 0.5, "3": 0.75}}, "AP")
    assert rows(scores.by_topic(), "csv")[1:4] == [["1,0.5,0.25"], ["2,nan,0.5"], ["3,,0.75"]]
    table = scores.by_topic(baseline="a", worst=3)
    assert rows(table, "csv")[1:4] == [["1,0.5,0.25,-0.25"], ["2,nan,0.5,nan"], ["3,,0.75,"]]


def test_the_measures_of_a_single_run_are_columns_and_counts_have_no_decimals():
    qrels = {"1": {"a": 1, "b": 1}, "2": {"a": 1}}
    scores = evaluate(qrels, {"1": {"a": 2, "x": 1}, "2": {"x": 1}}, "RR NumRel NumRelRet(average=mean)")
    assert rows(scores.by_topic(worst=1)) == [
        ["run", "RR", "NumRel", "NumRelRet(average=mean)"],
        ["2", "0.0000", "1", "0"],
        ["all", "0.5000", "3", "0.5000"],
        [],
        ["The", "1", "of", "2", "topics", "where", "RR", "is", "lowest."],
    ]
    assert rows(scores.by_topic("num_rel")) == [["NumRel", "run"], ["1", "2"], ["2", "1"], ["all", "3"]]


def test_differences_of_counts_have_no_decimals_either():
    qrels, runs = {"1": {"a": 1, "b": 1}, "2": {"a": 1}}, {"x": {"1": ["a"]}, "y": {"1": ["a", "b"]}}
    scores = evaluate(qrels, runs, "NumRelRet NumRelRet(average=mean)")
    expected = [["1", "1", "2", "+1"], ["2", "0", "0", "+0"]]
    for measure, last in (
        ("NumRelRet", ["1", "2", "+1"]),
        ("NumRelRet(average=mean)", ["0.5000", "1.0000", "+0.5000"]),
    ):
        table = scores.by_topic(measure, baseline="x")
        assert rows(table)[1:] == [*expected, ["all", *last]]
        assert rows(table, "csv")[1] == ["1,1.0,2.0,1.0"]


def test_labels_and_per_cent_are_for_print():
    table = Scores.from_table(AP, "AP").by_topic(
        baseline="bm25", labels={"AP": "MAP", "ql": "QL"}, percent=True
    )
    assert rows(table, "csv")[:2] == [["MAP,bm25,QL,Δ", "QL"], ["1,50.0,60.0,9.999999999999998"]]
    assert table.note == "Values are per cent."


TWO_MEASURES = {run: {"AP": values, "RR": values} for run, values in AP.items()}


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (TWO_MEASURES, {}, "choose one of the measures: AP, RR"),
        (AP, {"baseline": "bm52"}, r"no run here named 'bm52'.*bm25"),
        ({"bm25": AP["bm25"]}, {"baseline": "bm25"}, "'bm25' is the only run"),
        (AP, {"worst": 0}, "worst"),
    ],
)
def test_what_has_to_be_chosen_and_what_is_not_there_is_refused(table, options, message):
    with pytest.raises((InputError, OptionError), match=message):
        Scores.from_table(table, "AP").by_topic(**options)
    assert Scores.from_table(TWO_MEASURES).by_topic("MRR").headers[0] == "RR"


BETTER = {"bm25": {"1": 0.5, "2": 0.25}, "ql": {"1": 0.5, "2": 0.75}}


@pytest.mark.parametrize(
    ("table", "baseline", "worst", "where"),
    [
        (BETTER, "bm25", 1, "ql gains least over bm25, as nothing is lost."),
        (BETTER, "ql", 2, "bm25 loses most against ql."),
        (
            {**BETTER, "x": BETTER["ql"]},
            "bm25",
            1,
            "runs gain least over bm25, on average over runs, as nothing is lost.",
        ),
    ],
)
def test_where_nothing_is_lost_the_note_does_not_speak_of_losses(table, baseline, worst, where):
    note = Scores.from_table(table, "AP").by_topic(baseline=baseline, worst=worst).note
    assert note == f"The {worst} of 2 topics where {where}"
