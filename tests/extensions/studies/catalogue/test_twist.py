"""The experiment of the Twist paper: tables 3 and 4 have τ and its p-value, for the runs compared."""

import pytest
from rankgauge.studies import correlation, effort_gain, twist
from scipy import stats

from extensions.studies import small
from rankgauge.extensions.studies.catalogue.effort import rows_of_tests
from rankgauge.extensions.studies.effort import quadrants
from rankgauge.measures import parse_all
from rankgauge.numbers.tau_test import significance


def test_tables_3_and_4_are_those_of_the_best_runs():
    findings = twist(small.campaign(), samples=20)
    chosen = small.campaign().select(setting="twist")
    assert len(chosen.runs) == findings.settings["compared"] == 4
    expected = correlation(chosen, measures=findings.settings["measures"], samples=0)
    assert findings.table("correlation").rows == expected.table("tau_b").rows
    assert findings.table("correlation_p").rows == expected.table("p").rows
    assert significance(4) in findings.captions["correlation"]
    assert "With 4 runs no τ is significant" in findings.captions["correlation"]
    assert "at least 0.9 are usually called equivalent" in findings.captions["correlation"]


def test_pairs_are_tested_by_the_topics_with_much_gain_for_little_effort_of_one_alone():
    found = effort_gain(small.campaign(), measures="nDCG(base=10)")
    easy = {run: set() for run in small.RUNS}
    for point in found.records("points"):
        if point["gain"] in ("high", "huge") and point["effort"] in ("medium", "low"):
            easy[point["run"]].add(point["topic"])
    rows = found.records("tests")
    ascending = []
    for row in rows:
        one, other = easy[row["run"]], easy[row["against"]]
        counts = len(one - other), len(other - one)
        assert (row["run alone"], row["against alone"]) == counts
        ascending.append(stats.binomtest(counts[0], sum(counts)).pvalue if sum(counts) else 1.0)
    assert ascending == sorted(ascending)
    assert len({frozenset((row["run"], row["against"])) for row in rows}) == len(rows) > 2
    least = rows[0]["p (Holm)"]
    assert least == pytest.approx(min(1, ascending[0] * len(rows)))


def test_a_topic_on_which_one_run_has_no_value_is_in_no_test():
    (measure,) = parse_all("AP")
    placed = quadrants([0.9, 0.9, 0.9, float("nan")], [0.1, 0.9, 0.1, 0.1])  # runs a and b on two topics
    assert placed.row.tolist()[3] == -1
    assert rows_of_tests(["a", "b"], measure, placed) == [["AP", "a", "b", 0, 0, 1.0]]
    placed = quadrants([0.9, 0.9, 0.9, 0.9], [0.1, 0.9, 0.1, 0.1])
    assert rows_of_tests(["a", "b"], measure, placed) == [["AP", "a", "b", 1, 0, 1.0]]
