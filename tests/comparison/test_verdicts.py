"""A verdict has the direction of the test, wherever it appears, and says so if the means disagree."""

import numpy as np
import pytest

from rankgauge import Scores, compare
from rankgauge.comparison import gate
from rankgauge.comparison.registry import TESTS

# B is better on 24 of 30 topics, by little; A is better on 6, by much, and has the better mean.
OFTEN = {"A": [0.5] * 30, "B": [0.52] * 24 + [0.0] * 6}
# The same for Wilcoxon's test: two topics with large differences decide the mean.
RANKS = {"A": [0.5] * 40, "B": [0.5 + n / 1000 for n in range(1, 39)] + [0.0, 0.0]}
# 16 wins by 0.125 and 4 losses by 0.5: the means are equal.
EQUAL = {"A": [0.5] * 20, "B": [0.625] * 16 + [0.0] * 4}
BY = [("sign", OFTEN), ("friedman", OFTEN), ("wilcoxon", RANKS), ("sign", EQUAL), ("friedman", EQUAL)]


def checks(comparison, condition):
    (failures,) = gate.check([gate.parse_condition(condition)], comparison).values()
    return failures


@pytest.mark.parametrize(("test", "table"), BY)
def test_the_run_that_the_test_favours_is_the_better_one_everywhere(test, table):
    found = compare(Scores.from_table(table, "AP"), test=test)
    (pair,) = found["AP"].pairs
    assert pair.difference <= 0
    assert pair.p < 0.05
    assert (pair.run, pair.favours) == ("B", "B")
    marks = "**" if pair.p < 0.01 else "*"
    assert found.notation() == f"B > A{marks}"
    assert found.sentences[0].endswith(" The means say otherwise of B > A.")
    assert {row[1]: row[3] for row in found.ranked().rows} == {"A": "", "B": "a"}
    cells = {row[1]: row[2:] for row in found.matrix().rows}
    assert cells["A"][1].endswith(f" <{marks}")
    assert cells["B"][0].endswith(f" >{marks}")
    assert "better" in repr(found).split("effect")[0].rsplit("difference", 1)[1]
    assert [*found.by_measure().rows] == [["AP", pair.mean_against, pair.mean, f"B > A{marks}"]]
    note = found.by_measure().note
    assert " (* p < 0.05, ** p < 0.01; empty: no difference is significant). " in note
    assert note.endswith(" AP: the means say otherwise of B > A.")
    assert found.practical(pair) == ""
    assert found.as_dict()["measures"][0]["pairs"][0]["favours"] == "B"


@pytest.mark.parametrize(("test", "table"), BY)
def test_a_gate_follows_the_test_if_it_asks_for_significance(test, table):
    found = compare(Scores.from_table(table, "AP"), test=test)
    assert not checks(found, "AP drops significantly")
    assert not checks(found, "AP drops by 0.0001 significantly")
    (failure,) = checks(found, "AP rises significantly")
    assert failure.endswith("; the test and the means disagree")
    assert not checks(found, "AP rises by 0.0001 significantly")  # the mean does not
    assert bool(checks(found, "AP drops")) == (table is not EQUAL)


def test_where_lower_is_better_the_verdict_turns_and_the_gate_stays():
    found = compare(Scores.from_table(OFTEN, "FirstRank"), test="sign")
    assert found.notation() == "A > B**"
    assert found.sentences[0].endswith(" The means say otherwise of A > B.")
    assert checks(found, "FirstRank rises significantly")
    assert not checks(found, "FirstRank drops significantly")


@pytest.mark.parametrize("test", TESTS)
def test_letters_matrix_and_sentence_agree_with_the_statistic(test):
    source = np.random.default_rng(4)
    values = source.beta(1, 3, (6, 40)) + np.linspace(0, 0.2, 6)[:, None] * (source.random((6, 40)) < 0.7)
    found = compare(dict(zip("abcdef", values.tolist(), strict=True)), test=test, samples=None)
    verdicts = {(each.better, each.worse): each for each in found["value"].significant}
    for pair in found["value"].pairs:
        assert pair.favours in (pair.run, pair.against) or pair.p == 1.0
        worse = pair.against if pair.favours == pair.run else pair.run
        assert ((pair.favours, worse) in verdicts) == (pair.corrected < found.alpha)
    names = {row[0]: row[1] for row in found.ranked().rows}
    beaten = {(row[1], names[letter]) for row in found.ranked().rows for letter in row[3].split()}
    assert beaten == set(verdicts)


def test_agreement_of_test_and_means_is_not_mentioned():
    found = compare(Scores.from_table({"A": [0.1, 0.2, 0.3, 0.2], "B": [0.5, 0.7, 0.6, 0.8]}, "AP"))
    assert found.notation() == "B > A**"
    assert "otherwise" not in repr(found)
    header = next(line for line in repr(found).splitlines() if "against" in line and "effect" in line)
    assert "better" not in header


def test_practical_significance_has_the_direction_of_the_measure_of_the_pair():
    low, high = [1.0, 1.1, 1.0, 1.2, 1.0], [3.0, 3.2, 3.1, 3.0, 3.3]
    by_measure = {"AP": dict(enumerate(low)), "FirstRank": dict(enumerate(low))}
    others = {"AP": dict(enumerate(high)), "FirstRank": dict(enumerate(high))}
    found = compare(Scores.from_table({"a": by_measure, "b": others}))
    assert [found.practical(each.pairs[0]) for each in found.compared] == ["essential", "essential"]


@pytest.mark.parametrize("test", TESTS)
def test_a_table_of_measures_has_the_outcome_of_any_test(test):
    rng = np.random.default_rng(8)
    runs = {
        name: rng.uniform(0, 0.4, (2, 20)) + rise for name, rise in zip("CAB", (0, 0.1, 0.5), strict=True)
    }
    values = {
        run: {m: dict(enumerate(row)) for m, row in zip(("AP", "RR"), each.tolist(), strict=True)}
        for run, each in runs.items()
    }
    found = compare(Scores.from_table(values), test=test)
    table = found.by_measure()
    assert list(table.headers) == ["measure", "C", "A", "B", "stat. sign."]
    for place, (measure, *means, outcome) in enumerate(table.rows):
        assert means == pytest.approx([runs[run][place].mean() for run in "CAB"])
        assert outcome == found.notation(measure)
        assert "B > C**" in outcome or "A, B > C" in outcome
    assert TESTS[test].title in found.by_measure().note
    assert "over 20 topics" in found.by_measure().note


def test_a_measure_without_significant_differences_has_an_empty_outcome_and_an_undefined_one_says_so():
    close = compare(Scores.from_table({"A": [0.1, 0.4, 0.2], "B": [0.2, 0.3, 0.2]}, "AP"))
    assert [row[-1] for row in close.by_measure().rows] == [""]
    single = compare(Scores.from_table({"A": [0.1], "B": [0.2]}, "AP"))
    assert [row[-1] for row in single.by_measure().rows] == ["significance is undefined"]


def test_a_run_may_have_the_name_of_a_column():
    table = compare(
        Scores.from_table({"measure": [0.1, 0.4], "(stat. sign.)": [0.2, 0.3]}, "AP")
    ).by_measure()
    assert list(table.headers) == ["((measure))", "measure", "(stat. sign.)", "((stat. sign.))"]
