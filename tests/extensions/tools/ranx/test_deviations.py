"""Where values differ from ranx on purpose: the table of docs/how-to/from-python-tools.md."""

import math

import pytest
from rankgauge.compat.ranx import Qrels, Run, compare, evaluate

from rankgauge.errors import InputError

RANKED = {"q": {"a": 2.0, "b": 1.0}}
BELOW_0, FRACTION = {"q": {"a": -1, "b": 1}}, {"q": {"a": 0.5, "b": 2}}
# {what differs: (metric, judgments, run, values of topics)}
VALUES = {
    "bpref without other documents is the share of relevant ones retrieved": (
        "bpref",
        {"q1": {"a": 1, "b": 1}, "q2": {"a": 1, "b": 0}},
        {"q1": {"a": 2.0, "c": 1.0}, "q2": {"a": 2.0, "b": 1.0}},
        [0.5, 1.0],
    ),
    "bpref without relevant documents leaves other topics alone": (
        "bpref",
        {"q1": {"a": 0, "b": 0}, "q2": {"a": 1, "b": 0}},
        {"q1": RANKED["q"], "q2": RANKED["q"]},
        [0.0, 1.0],
    ),
    "grades below 0 are judged": ("bpref", BELOW_0, RANKED, [0.0]),
    "grades below 0 have no gain": ("dcg", BELOW_0, RANKED, [1 / math.log2(3)]),
    "grades below 0 are not relevant": ("hits", BELOW_0, RANKED, [1.0]),
    "grades keep their fraction": ("dcg", FRACTION, RANKED, [0.5 + 2 / math.log2(3)]),
    "grades below 1 are not relevant": ("mrr", FRACTION, RANKED, [0.5]),
}


@pytest.mark.parametrize("name", VALUES)
def test_values(name):
    metric, qrels, run, expected = VALUES[name]
    found = evaluate(Qrels(qrels), Run(run), metric, return_mean=False, save_results_in_run=False)
    assert found.tolist() == pytest.approx(expected)


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


def test_a_topic_without_judgments_counts_in_means_and_not_in_tests():
    qrels = Qrels({"q1": {"a": 1}, "q2": {"b": 1}, "q3": {}})
    runs = [Run({topic: {first: 2.0, "c": 1.0} for topic in qrels}, name=first) for first in ("a", "b")]
    report = compare(qrels, runs, "mrr")
    assert report.results == {"a": {"mrr": 1 / 3}, "b": {"mrr": 1 / 3}}
    assert report.win_tie_loss["a", "b"]["mrr"] == {"W": 1, "T": 0, "L": 1}
