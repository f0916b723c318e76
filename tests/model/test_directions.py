"""Which way a measure is better, and how it is averaged: for scores of ours and of other tools."""

import pytest

import rankgauge
from rankgauge import Scores
from rankgauge.model.provenance import direction_by_name

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 0, "b": 2}}
RUNS = {"one": {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 2.0, "b": 1.0}}}


@pytest.mark.parametrize(("measure", "expected"), [("AP", 1), ("FirstRank", -1), ("NumRel", 0)])
def test_scores_and_tables_of_other_tools_have_the_direction_of_the_measure(measure, expected):
    scores = rankgauge.evaluate(QRELS, RUNS, measure)
    assert scores.direction(measure) == expected
    table = Scores.from_table(scores.to_dict())
    assert measure not in table.provenance.measures  # a table does not record it
    assert table.direction(measure) == direction_by_name(measure) == expected


def test_higher_is_better_by_a_measure_that_nobody_knows():
    table = Scores.from_table({"a": [0.1, 0.2], "b": [0.3, 0.1]}, "my score")
    assert table.direction("my score") == 1


def test_scores_know_how_a_measure_is_averaged():
    scores = rankgauge.evaluate(QRELS, RUNS, "AP(average=median) RR")
    assert [scores.average(measure) for measure in scores.measures] == ["median", "mean"]
