"""Topics without an answer, by hand: a result can be correctly empty, wrongly empty or wrongly answered."""

import math

import pytest

from rankgauge import compare, evaluate
from rankgauge.evaluation.evaluator import Evaluator
from rankgauge.measures import parse_all

SET = ["CorrectlyEmpty", "WronglyAnswered", "WronglyEmpty"]
QRELS = {"a": {"d": 1}, "b": {"d": 1}, "c": {"d": 0}, "e": {"d": 0, "f": -1}, "g": {"d": 0}}
BOLD = {"a": {"d": 1.0}, "b": {"x": 1.0}, "c": {"x": 1.0}, "e": {"d": 2.0}, "g": {"x": 1.0}}
SHY = {"a": {"d": 1.0}, "c": {"x": 1.0}}


def test_the_set_separates_three_outcomes():
    assert [str(measure) for measure in parse_all("NoAnswer")] == SET
    scores = evaluate(QRELS, {"bold": BOLD, "shy": SHY}, "NoAnswer")
    assert scores.topics == ("a", "b", "c", "e", "g")
    assert scores.values.tolist() == [
        [[0, 0, 0, 0, 0], [0, 0, 1, 1, 1], [0, 0, 0, 0, 0]],
        [[0, 0, 0, 1, 1], [0, 0, 1, 0, 0], [0, 1, 0, 0, 0]],
    ]
    assert scores.mean() == {
        "bold": dict(zip(SET, (0, 0.6, 0), strict=True)),
        "shy": dict.fromkeys(SET, 0.2) | {"CorrectlyEmpty": 0.4},
    }
    counts = evaluate(QRELS, SHY, [f"{name}(average=sum)" for name in SET]).mean()["run"]
    assert [*counts.values()] == [2, 1, 1]


def test_outcomes_are_defined_where_other_measures_are_not():
    scores = evaluate(QRELS, SHY, "NoAnswer AP")
    assert scores.provenance.runs["run"].undefined == {"AP": 3}
    for name in SET:
        assert not any(math.isnan(value) for value in scores.to_dict()["run"][name].values())
    assert evaluate(QRELS, SHY, "NoAnswer", undefined="skip").mean() == scores.only(measures=SET).mean()


def test_missing_topics_are_counted_by_their_rule():
    left = evaluate(QRELS, SHY, "NoAnswer NumQ", missing="skip").mean()["run"]
    assert left == {"CorrectlyEmpty": 0, "WronglyAnswered": 0.5, "WronglyEmpty": 0, "NumQ": 2}


def test_what_is_relevant_is_a_setting():
    at_two = [f"{name}(rel=2)" for name in SET]
    assert [*evaluate({"a": {"d": 1}}, {"a": {"d": 1.0}}, at_two).mean()["run"].values()] == [0, 1, 0]
    condensed = evaluate(QRELS, BOLD, "WronglyAnswered(judged_only=true)").values[0, 0]
    assert condensed.tolist() == [0, 0, 0, 1, 0]  # x is not judged, and d of topic e is


def test_outcomes_are_ordinary_scores(tmp_path):
    scores = evaluate(QRELS, {"bold": BOLD, "shy": SHY}, "NoAnswer")
    assert [scores.provenance.direction(name) for name in SET] == [1, -1, -1]
    found = compare(scores, baseline="bold")
    assert found["WronglyAnswered"].pairs[0].difference == pytest.approx(-0.4)
    qrels, run = tmp_path / "q", tmp_path / "r"
    qrels.write_text("".join(f"{t} 0 {d} {g}\n" for t, docs in QRELS.items() for d, g in docs.items()))
    run.write_text("".join(f"{t} Q0 {d} 1 {s} x\n" for t, docs in SHY.items() for d, s in docs.items()))
    small = Evaluator(str(qrels), "NoAnswer", back_end="programs").evaluate(str(run))
    assert [[*each] for each in small.values[0]] == scores.values[1].tolist()
