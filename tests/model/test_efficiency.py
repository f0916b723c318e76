"""What runs cost, beside what they are worth."""

import math

import pytest

from rankgauge import Scores
from rankgauge.errors import InputError

SCORES = Scores.from_table({"a": {"1": 0.5, "2": 0.25}, "b": {"1": 0.75, "2": 0.25}}, "AP")


def test_runs_and_topics_have_costs_of_which_lower_ones_are_better():
    by_run = SCORES.with_efficiency(
        {"run": ["b", "a", "c"], "latency": [3.0, 12, 1], "note": ["x", "y", "z"]}
    )
    assert by_run.measures == ("AP", "latency")
    assert by_run.mean() == {"a": {"AP": 0.375, "latency": 12.0}, "b": {"AP": 0.5, "latency": 3.0}}
    assert by_run.direction("latency") == -1
    rows = {"run": ["a", "a", "b"], "topic": ["1", "2", "2"], "ms": [1, 2, 4]}
    by_topic = SCORES.with_efficiency(rows).to_dict()
    assert by_topic["a"]["ms"] == {"1": 1.0, "2": 2.0}
    assert math.isnan(by_topic["b"]["ms"]["1"])


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"latency": [1, 2]}, "no column of runs"),
        ({"run": ["a", "b"], "topic": ["x", "x"], "ms": [1, 2]}, 'run "a" has no row for a topic'),
        ({"run": ["a", "b"], "label": ["x", "y"]}, "no column of numbers"),
        ({"run": ["a", "a", "b"], "ms": [1, 2, 3]}, "a.* has two rows"),
        ({"run": ["a"], "ms": [1]}, "b"),
        ({"run": ["a", "b"], "AP": [1, 2]}, "have a measure .*AP.* already"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(table, words):
    with pytest.raises(InputError, match=words):
        SCORES.with_efficiency(table)


def test_the_commands_show_costs_and_test_them_by_topic(working_folder, invoke, refused):
    run = "1 Q0 d1 1 2.0 a\n2 Q0 d2 1 1.0 a\n3 Q0 d1 1 2.0 a\n"
    working_folder(
        {
            "q": "1 0 d1 1\n2 0 d1 1\n3 0 d1 1\n",
            "a.run": run,
            "b.run": run.replace("d2", "d1"),
            "runs.csv": "run,price\na,1\nb,2\n",
            "topics.csv": "run,topic,ms\na,1,5\na,2,6\na,3,9\nb,1,1\nb,2,2\nb,3,2\n",
        }
    )
    given = ("q", "a.run", "b.run", "-m", "RR", "--quiet", "--efficiency")
    assert invoke("evaluate", *given, "runs.csv").out.splitlines()[1] == "a\t0.6667\t1.0000"
    assert "one value per run" in refused("compare", *given, "runs.csv")
    assert "On ms (lower is better), b" in invoke("compare", *given, "topics.csv").out
