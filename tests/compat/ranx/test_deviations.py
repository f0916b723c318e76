"""Where values differ from ranx on purpose: the table of docs/how-to/from-python-tools.md."""

import math

import pytest

from rankgauge.compat.ranx import Qrels, Run, compare, evaluate
from rankgauge.errors import InputError


def test_bpref_without_other_documents_is_the_share_of_relevant_ones_retrieved():
    qrels = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1, "b": 0}}
    run = {"q1": {"a": 2.0, "c": 1.0}, "q2": {"a": 2.0, "b": 1.0}}
    assert evaluate(qrels, run, "bpref", return_mean=False).tolist() == [0.5, 1.0]


def test_bpref_without_relevant_documents_leaves_other_topics_alone():
    qrels = {"q1": {"a": 0, "b": 0}, "q2": {"a": 1, "b": 0}}
    run = {topic: {"a": 2.0, "b": 1.0} for topic in qrels}
    assert evaluate(qrels, run, "bpref", return_mean=False).tolist() == [0.0, 1.0]


def test_grades_below_0_are_judged_and_not_relevant():
    qrels, run = {"q": {"a": -1, "b": 1}}, {"q": {"a": 2.0, "b": 1.0}}
    values = evaluate(qrels, run, ["bpref", "dcg", "hits"])
    assert values == {"bpref": 0.0, "dcg": pytest.approx(1 / math.log2(3)), "hits": 1.0}


def test_grades_keep_their_fraction():
    qrels, run = {"q": {"a": 0.5, "b": 2}}, {"q": {"a": 2.0, "b": 1.0}}
    assert evaluate(Qrels(qrels), Run(run), "dcg") == pytest.approx(0.5 + 2 / math.log2(3))
    assert evaluate(Qrels(qrels), Run(run), "mrr") == 0.5


def test_a_document_twice_in_a_file_is_an_error(tmp_path):
    path = tmp_path / "run.txt"
    path.write_text("q1 Q0 a 1 2.0 x\nq1 Q0 a 2 1.0 x\n")
    with pytest.raises(InputError, match=r"run.txt:2: .*\"a\""):
        Run.from_file(path)


def test_p_of_equal_runs_is_1_and_that_of_a_constant_difference_undefined():
    qrels = {f"q{number}": {"a": 1} for number in range(5)}
    first, second = ({topic: {"a": 1.0, "b": other} for topic in qrels} for other in (0.0, 2.0))
    runs = [Run(run, name=name) for name, run in (("one", first), ("same", first), ("worse", second))]
    report = compare(Qrels(qrels), runs, "mrr")
    assert report.comparisons["one", "same"]["mrr"] == {"p_value": 1.0, "significant": False}
    undefined = report.comparisons["one", "worse"]["mrr"]
    assert math.isnan(undefined["p_value"])
    assert not undefined["significant"]


def test_a_single_metric_by_topic_needs_no_saving():
    run = {"q": {"a": 1.0}}
    values = evaluate(Qrels({"q": {"a": 1}}), Run(run), "mrr@5", return_mean=False, save_results_in_run=False)
    assert values.tolist() == [1.0]


def test_a_topic_without_judgments_counts_in_means_and_not_in_tests():
    qrels = Qrels({"q1": {"a": 1}, "q2": {"b": 1}, "q3": {}})
    runs = [Run({topic: {first: 2.0, "c": 1.0} for topic in qrels}, name=first) for first in ("a", "b")]
    report = compare(qrels, runs, "mrr")
    assert report.results == {"a": {"mrr": 1 / 3}, "b": {"mrr": 1 / 3}}
    assert report.win_tie_loss["a", "b"]["mrr"] == {"W": 1, "T": 0, "L": 1}
