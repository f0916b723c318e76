"""A verdict has the direction of the test, wherever it appears, and says so if the means disagree."""

import re

import numpy as np
import pytest

from rankgauge import Scores, compare
from rankgauge.comparison import gate
from rankgauge.comparison.corrections import correct
from rankgauge.comparison.procedures import ranks
from rankgauge.comparison.registry import TESTS
from rankgauge.errors import OptionError
from rankgauge.model.output.documents import document_lines
from rankgauge.numbers.intervals import topics_for_difference

# B is better on 24 of 30 topics, by little; A is better on 6, by much, and has the better mean.
OFTEN = {"A": [0.5] * 30, "B": [0.52] * 24 + [0.0] * 6}
# The same for Wilcoxon's test: two topics with large differences decide the mean.
RANKS = {"A": [0.5] * 40, "B": [0.5 + n / 1000 for n in range(1, 39)] + [0.0, 0.0]}
# 16 wins by 0.125 and 4 losses by 0.5: the means are equal.
EQUAL = {"A": [0.5] * 20, "B": [0.625] * 16 + [0.0] * 4}
BY = [("sign", OFTEN), ("friedman", OFTEN), ("wilcoxon", RANKS), ("sign", EQUAL), ("friedman", EQUAL)]


def checks(table, measure, test, condition):
    scores = Scores.from_table(table, measure)
    (failures,) = gate.check([gate.parse_condition(condition)], scores, compare(scores, test=test)).values()
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
    disagreement = "the means are equal" if table is EQUAL else "the means say otherwise"
    assert f" {disagreement.capitalize()} for B > A." in found.sentences[0]
    assert {row[1]: row[3] for row in found.ranked().rows} == {"A": "", "B": "a"}
    cells = {row[1]: row[2:] for row in found.matrix().rows}
    assert cells["A"][1].endswith(f" <{marks}")
    assert cells["B"][0].endswith(f" >{marks}")
    assert f" {disagreement.capitalize()} for B > A." in found.conclusion()
    assert "better" in str(found.document()).split("effect")[0].rsplit("difference", 1)[1]
    ((measure, *means, outcome),) = found.by_measure().rows
    assert (measure, means[:2], outcome) == ("AP", [pair.mean_against, pair.mean], f"B > A{marks}")
    assert " (* p < 0.05, ** p < 0.01; empty: no difference is significant). " in found.by_measure().note
    for view in (found.by_measure(), found.ranked(), found.matrix(), found.paper()):
        assert f" AP: {disagreement} for B > A." in f"{view.note} "
    assert found.practical(pair) == ""
    assert found.as_dict()["measures"][0]["pairs"][0]["favours"] == "B"


@pytest.mark.parametrize(("test", "table"), BY)
def test_a_gate_follows_the_test_if_it_asks_for_significance(test, table):
    assert not checks(table, "AP", test, "AP drops significantly")
    assert not checks(table, "AP", test, "AP drops by 0.0001 significantly")
    (failure,) = checks(table, "AP", test, "AP rises significantly")
    assert failure.endswith("; the means are equal" if table is EQUAL else "; the means say otherwise")
    assert not checks(table, "AP", test, "AP rises by 0.0001 significantly")  # the mean does not
    assert bool(checks(table, "AP", test, "AP drops")) == (table is not EQUAL)


def test_where_lower_is_better_the_verdict_turns_and_the_gate_stays():
    found = compare(Scores.from_table(OFTEN, "FirstRank"), test="sign")
    assert found.notation() == "A > B**"
    assert found.sentences[0].endswith(" Lower is better. The means say otherwise for A > B.")
    for view in (found.by_measure(), found.ranked(), found.matrix(), found.paper()):
        assert view.note.endswith(
            " FirstRank: lower is better. FirstRank: the means say otherwise for A > B."
        )
    assert checks(OFTEN, "FirstRank", "sign", "FirstRank rises significantly")
    assert not checks(OFTEN, "FirstRank", "sign", "FirstRank drops significantly")


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
    report = str(found.document()).splitlines()
    header = next(line for line in report if "against" in line and "effect" in line)
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
    overall = ["overall p"] if found.compared[0].overall else []
    assert list(table.headers) == ["measure", "C", "A", "B", *overall, "stat. sign."]
    for place, (measure, *means, outcome) in enumerate(table.rows):
        assert len(means) == 3 + len(overall)
        assert not overall or means[3].value == found[measure].overall.corrected
        assert means[:3] == pytest.approx([runs[run][place].mean() for run in "CAB"])
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


def null_campaign(seed, measures=1, runs=5, topics=30):
    """Runs that differ by chance alone, by measures that agree much."""
    rng = np.random.default_rng(seed)
    values = rng.random((runs, topics)) + 0.3 * rng.random((measures, runs, topics))
    return Scores.from_table(
        {
            f"r{run}": {f"m{m}": dict(enumerate(values[m, run].tolist())) for m in range(measures)}
            for run in range(runs)
        }
    )


@pytest.mark.parametrize("test", ["friedman", "anova-one-way", "anova-two-way"])
def test_without_correction_pairs_count_only_if_the_overall_test_is_significant(test, monkeypatch):
    monkeypatch.setattr(ranks, "rank_sums", lambda doubled: None)  # as for so many topics, in less time
    campaigns, starred, uncorrected = 100, 0, 0
    for seed in range(campaigns):
        found = compare(null_campaign(seed), test=test, correction="none")
        (each,) = found.compared
        starred += bool(each.significant)
        uncorrected += any(pair.p < found.alpha for pair in each.pairs)
        for pair in each.pairs:
            assert pair.corrected == max(pair.p, each.overall.p)
        assert not (each.significant and each.overall.p >= found.alpha)
    limit = 0.05 + 3 * np.sqrt(0.05 * 0.95 / campaigns)
    assert starred / campaigns <= limit < uncorrected / campaigns


def test_where_the_overall_test_finds_nothing_every_view_says_so():
    found = compare(null_campaign(0), test="friedman", correction="none")
    overall = found["m0"].overall
    clause = (
        "Friedman's test finds no significant difference among the runs "
        f"(T2, F(4, 116) = {overall.statistic:.4g}, p = {overall.p:.4f})."
    )
    assert clause in found.sentences[0]
    assert clause in repr(found)
    for view in (found.by_measure(), found.ranked(), found.matrix(), found.paper(), found.table()):
        assert f"m0: {clause}" in view.note
        assert "for 10 pairs, significant only if the overall test is" in view.note
    assert not found["m0"].significant
    assert (
        "overall test" not in compare(null_campaign(0), test="friedman").sentences[0]
    )  # pairs are corrected


def test_an_exact_p_of_the_overall_test_is_not_attributed_to_f():
    two = Scores.from_table({"A": [0.1] * 20, "B": [0.2] * 15 + [0.05] * 5}, "AP")
    (sentence,) = compare(two, test="friedman").sentences
    assert "F(" not in sentence
    assert "p = 0.0414, exact, all permutations of the ranks within topics)" in sentence


def test_measures_are_families_of_their_own_or_one():
    scores = null_campaign(1, measures=3)
    single, together = compare(scores), compare(scores, family="all")
    assert single.test_phrase().endswith("Holm's correction for 10 pairs of each measure, 30 tests in all")
    assert together.test_phrase().endswith("Holm's correction for all 30 tests (10 pairs on 3 measures)")
    p = np.array([[pair.p for pair in each.pairs] for each in together.compared])
    corrected = [pair.corrected for each in together.compared for pair in each.pairs]
    assert corrected == correct(p.ravel(), "holm").tolist()
    assert [pair.corrected for pair in single.compared[1].pairs] == correct(p[1], "holm").tolist()
    assert (together.as_dict()["family"], single.as_dict()["family"]) == ("all", "measure")


def test_a_family_of_all_measures_corrects_overall_tests_and_tests_that_account_for_pairs():
    scores = null_campaign(2, measures=3)
    protected = compare(scores, test="friedman", correction="none", family="all")
    overall = [each.overall for each in protected.compared]
    assert [each.corrected for each in overall] == correct(
        np.array([each.p for each in overall]), "holm"
    ).tolist()
    for each in protected.compared:
        assert all(pair.corrected == max(pair.p, each.overall.corrected) for pair in each.pairs)
    assert "with Holm's correction for 3 measures" in protected.test_phrase()
    tukey = compare(scores, test="tukey", family="all")
    for each in tukey.compared:
        assert all(pair.corrected == min(1.0, 3 * pair.p) for pair in each.pairs)
    assert tukey.test_phrase().endswith("for all pairs, with Bonferroni's correction for 3 measures")
    with pytest.raises(OptionError, match="leave it out for Holm's"):
        compare(scores, correction="none", family="all")
    with pytest.raises(OptionError, match="family"):
        compare(scores, family="every")


def test_two_runs_by_several_measures_are_not_corrected_unless_they_are_one_family():
    scores = null_campaign(3, measures=3, runs=2)
    assert compare(scores).test_phrase().endswith("t-test without correction for 3 measures")
    assert compare(scores, family="all").test_phrase().endswith("with Holm's correction for 3 measures")


def test_intervals_beside_corrected_p_are_said_to_be_uncorrected():
    scores = null_campaign(4)
    assert "t interval of the mean difference, not corrected." in str(compare(scores).document())
    assert "not corrected" not in str(compare(scores.only(runs=scores.runs[:2])).document())
    simultaneous = compare(scores, test="tukey")
    assert "not corrected" not in str(simultaneous.document())


def test_an_interval_that_accounts_for_pairs_alone_says_that_p_is_corrected_across_measures():
    tukey = compare(null_campaign(2, measures=3), test="tukey", family="all")
    assert tukey.interval_phrase.endswith(", not corrected across measures")
    assert compare(null_campaign(2), test="tukey", correction="holm").interval_phrase.endswith(
        ", without Holm's correction"
    )


def test_p_has_the_same_name_wherever_it_is_shown():
    scores = null_campaign(5, measures=3, runs=3)
    for family, test, corrected in (
        ("measure", "tukey", False),
        ("all", "tukey", True),
        ("measure", "t", True),
        ("all", "t", True),
    ):
        found = compare(scores, baseline="r0", test=test, family=family)
        name = "corrected p" if corrected else "p"
        each = found.compared[0]
        largest = max(each.pairs, key=lambda pair: pair.p)  # which Holm's correction may leave as it is
        assert found.p_name == name
        assert ("corrected p" in found.pair_cells(each, largest, 4)) == corrected
        verb = "drops" if largest.difference < 0 else "rises"
        (failures,) = gate.check([gate.parse_condition(f"m0 {verb}")], scores, found).values()
        assert any(f", {name} " in why for why in failures)
        rows = f"Rows p{' (corrected)' if corrected else ''} compare a run with r0."
        assert rows in found.paper(p=True).note
    single = compare(scores.only(measures=["m0"]), test="tukey", family="all")
    assert single.p_name == "p"  # which the test itself corrects
    assert "not corrected" not in str(single.document())


def test_the_p_of_an_overall_test_says_whether_it_is_corrected():
    scores = null_campaign(5, measures=3, runs=3)
    together = compare(scores, test="friedman", family="all")
    assert "overall corrected p" in together.by_measure().headers
    assert "overall p" in compare(scores, test="friedman").by_measure().headers
    for each in together.compared:  # the largest p stays as it is, and is corrected nevertheless
        assert ", corrected p " in each.overall_clause


def test_a_test_of_two_runs_accounts_for_no_pairs():
    phrase = compare(null_campaign(3, measures=3, runs=2), test="tukey", family="all").test_phrase()
    assert phrase.endswith("two-way model with Bonferroni's correction for 3 measures")


def test_pairs_that_are_not_listed_are_counted_in_singular_and_plural():
    runs = {"A": [0.5] * 30} | {f"B{n}": [0.52] * 24 + [0.0] * 6 for n in range(6)}
    found = compare(Scores.from_table(runs, "AP"), baseline="A", test="sign", correction="none")
    assert found["AP"].disagreements[0].endswith("B4 > A and 1 more pair")


def test_stars_on_few_topics_come_with_a_caution():
    few = Scores.from_table({"A": [0.1, 0.2, 0.3, 0.2, 0.1], "B": [0.5, 0.7, 0.6, 0.8, 0.6]}, "AP")
    found = compare(few)
    assert found.notation() == "B > A**"
    assert found.sentences[0].endswith(" Only 5 topics (use 25 or more).")
    for view in (found.by_measure(), found.ranked(), found.matrix(), found.paper()):
        assert view.note.endswith(". Only 5 topics (use 25 or more).")


def test_ranks_by_means_mark_no_mean_as_the_best():
    table = compare(Scores.from_table(OFTEN, "AP"), test="sign").ranked()
    assert table.rows[0][1] == "A"  # the significantly worse run has the higher mean
    assert not table.best


def test_a_report_has_one_caution_on_few_topics():
    few = {"A": [0.1, 0.2, 0.3, 0.2, 0.1], "B": [0.5, 0.7, 0.6, 0.8, 0.6]}
    values = {run: {m: dict(enumerate(row)) for m in ("AP", "RR")} for run, row in few.items()}
    found = compare(Scores.from_table(values))
    for shown in (repr(found), str(found.document())):
        assert shown.count("5 topics (use 25 or more)") == 1
        assert shown.count("only 5 topics") == 0
    assert not any("only 5 topics" in note for note in found.notes)
    alike = compare(Scores.from_table({"A": few["A"], "B": few["A"][::-1]}, "AP"))
    assert repr(alike).count("nly 5 topics") == 1  # where nothing is significant, too


def test_a_sentence_names_the_best_run_and_the_runs_it_beats():
    rng = np.random.default_rng(3)
    noise = rng.normal(0, 0.02, (4, 40))
    means = {"a": 0.2, "b": 0.3, "c": 0.4, "d": 0.401}
    runs = {run: (mean + noise[n]).tolist() for n, (run, mean) in enumerate(means.items())}
    found = compare(Scores.from_table(runs, "AP"))
    best = found["AP"].best_first[0]
    beaten = [each.worse for each in found["AP"].significant if each.better == best]
    assert sorted(beaten) == ["a", "b"]
    assert found.conclusion().startswith(
        f"On AP, {best} ({found['AP'].means[best]:.4f}) is best, significantly better than a and b; "
        "5 of 6 pairs differ significantly (two-sided paired t-test with Holm's correction for 6 pairs, "
    )
    text = compare(Scores.from_table(runs, "FirstRank")).conclusion()
    assert text.startswith("On FirstRank (lower is better), a (0.")
    assert " is best, significantly better than b, c and d" in text
    against = compare(Scores.from_table(runs, "AP"), baseline=["b", "d"]).conclusion()
    assert against.startswith(
        "On AP, c (by 0.1048 [0.0946, 0.1151]) is significantly better than b, whereas a (by 0.0978 [0.0879, "
        "0.1078]) is significantly worse; a (by "
    )
    assert against.endswith("; in brackets: 95 % t interval of the mean difference, not corrected).")
    assert (
        "["
        not in compare(Scores.from_table({**runs, "e": runs["a"]}, "AP"), baseline=["b", "d"]).conclusion()
    )
    for measure, direction in (
        ("AP", 1),
        ("FirstRank", -1),
    ):  # the better run comes first, by a positive number
        one = compare(Scores.from_table({run: runs[run] for run in "bc"}, measure))
        (pair,) = one[measure].pairs
        ends = sorted((direction * pair.low, direction * pair.high), key=abs)
        assert (
            f" by {abs(pair.difference):.4f} [{abs(ends[0]):.4f}, {abs(ends[1]):.4f}], p <"
            in one.conclusion()
        )
    one = compare(Scores.from_table({run: runs[run] for run in "cd"}, "AP")).conclusion()
    assert re.search(r"do not differ significantly \(-?0\.00\d+ \[-0\.\d+, 0\.\d+\]\), p = ", one)
    equal = compare(Scores.from_table(dict.fromkeys("xyz", runs["a"]), "AP")).conclusion()
    assert equal.startswith("On AP, x, y and z are best, but no difference is significant (")
    many = {f"r{n}": (0.1 * (n == 0) + rng.normal(0.3, 0.01, 40)).tolist() for n in range(12)}
    found = compare(Scores.from_table(many, "AP"))
    assert "is best, significantly better than all 11 other runs" in found.conclusion()
    lines = repr(found).splitlines()
    assert "2 more runs not shown, nor among the marks." in lines[12]
    assert len(lines) == 16
    values = {run: {"AP": dict(enumerate(row)), "FirstRank": {0: row[0]}} for run, row in many.items()}
    table = compare(Scores.from_table(values)).short().sections[0].table
    lowest = min(many, key=lambda run: many[run][0])  # which is bold, wherever it is by AP
    assert (lowest, 2) in {(table.rows[row][0], column) for row, column in table.best}


def test_runs_have_no_letters_where_nothing_is_significant():
    table = (
        compare(Scores.from_table({"A": [0.1, 0.4, 0.2], "B": [0.3, 0.2, 0.3]}, "AP"))
        .short()
        .sections[0]
        .table
    )
    assert (table.superscripts, table.note) == ({}, "")


def test_the_answer_has_no_empty_title_or_caption():
    runs = {name: {f"measure-number-{n}": {"1": 0.5} for n in range(12)} for name in "AB"}
    short = compare(Scores.from_table(runs)).short()
    assert not any(line.startswith(r"\caption{.") for line in document_lines(short, "latex"))
    assert "<title>rankgauge</title>" in document_lines(short, "html")


def test_the_answer_in_a_notebook_has_no_headings():
    assert "<h" not in compare(Scores.from_table(OFTEN, "AP"))._repr_html_()


def test_topics_that_would_decide_stand_beside_undecided_pairs():
    random = np.random.default_rng(4)
    means = {"a": 0.3, "b": 0.31, "c": 0.5}
    runs = {run: (mean + random.normal(0, 0.1, 40)).tolist() for run, mean in means.items()}
    scores = Scores.from_table(runs, "AP")
    found = compare(scores)
    pairs = {(pair.run, pair.against): pair for pair in found["AP"].pairs}
    table = found.section(found["AP"]).table
    shown = {row[:2]: row[-1] for row in map(tuple, table.rows)}
    assert table.headers[-1] == "topics needed"
    undecided = [key for key, pair in pairs.items() if not found["AP"].verdict(pair)]
    assert [key for key, cell in shown.items() if cell != "–"] == undecided == [("b", "a")]
    needed = topics_for_difference(pairs["b", "a"].effect, 0.05 / 3)  # p is corrected for three pairs
    assert shown["b", "a"] == str(needed)
    one = compare(scores.only(runs=["a", "b"]))
    needed = topics_for_difference(one["AP"].pairs[0].effect, 0.05)
    takes = f"It would take {needed:,} topics on AP to show a difference as large as this (power 0.8)."
    assert takes in one.conclusion()
    assert "would take" not in found.conclusion()
    tukey = compare(scores, test="tukey")
    assert "topics needed" not in tukey.section(tukey["AP"]).table.headers
    assert "would take" not in compare(scores.only(runs=["a", "b"]), margin=0.01).conclusion()
