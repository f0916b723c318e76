"""The experiment of the Twist paper: tables 3 and 4 have τ and its p-value, for the runs compared."""

from rankgauge.studies import correlation, twist

from extensions.studies import small
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
