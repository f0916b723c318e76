"""The table of a paper: its marks are the verdicts of the comparison, and its note says what they are."""

import math

import numpy as np
import pytest

import rankgauge
from rankgauge import compare, evaluate
from rankgauge.comparison.paper import DAGGERS, MARKS
from rankgauge.errors import InputError, OptionError
from rankgauge.model.output.tables import render
from rankgauge.model.score_cells import best_and_second
from rankgauge.model.scores import Scores
from small import made


def scores_of(measures, **sizes):
    return evaluate(*made(**sizes), measures)


@pytest.fixture(scope="module")
def scores():
    return scores_of("AP nDCG@10 P@10", topics=40)


def rows_of(table):
    return {row[0]: number for number, row in enumerate(table.rows)}


@pytest.mark.parametrize("marks", ["letters", "daggers"])
@pytest.mark.parametrize("baselines", [0, 1, 2])
def test_marks_are_the_verdicts(scores, marks, baselines):
    comparison = compare(scores, baseline=list(scores.runs[:baselines]))
    table = comparison.paper(marks=marks)
    place = rows_of(table)
    symbol = {run: table.superscripts.get((row, 0)) for run, row in place.items()}
    assert [run for run in symbol if symbol[run]] == list(scores.runs[: baselines or None])
    raised, lowered = set(), set()
    for column, each in enumerate(comparison.compared, 1):
        for found in each.significant:
            if symbol[found.worse]:
                raised.add((place[found.better], column, symbol[found.worse]))
            if baselines and symbol[found.better]:
                lowered.add((place[found.worse], column, symbol[found.better]))
    assert raised
    for marked, expected in ((table.superscripts, raised), (table.subscripts, lowered)):
        assert {(*cell, mark) for cell, text in marked.items() if cell[1] for mark in text} == expected
    assert all("".join(sorted(text)) == text for text in table.superscripts.values() if marks == "letters")


def test_stars_have_two_levels_against_one_baseline(scores):
    comparison = compare(scores, baseline=scores.runs[0])
    table = comparison.paper(marks="stars")
    place = rows_of(table)
    expected = {
        (place[found.better if found.better != scores.runs[0] else found.worse], column): found.stars
        for column, each in enumerate(comparison.compared, 1)
        for found in each.significant
    }
    assert {**table.superscripts, **table.subscripts} == expected
    assert "p < 0.05 and p < 0.01" in table.note
    with pytest.raises(OptionError, match="one baseline"):
        compare(scores).paper(marks="stars")
    with pytest.raises(OptionError, match="one baseline"):
        compare(scores, baseline=scores.runs[:2]).paper(marks="stars")


def test_means_are_those_of_the_scores_with_baselines_first(scores):
    last = scores.runs[-1]
    table = compare(scores, baseline=last).paper()
    assert [row[0] for row in table.rows] == [last, *scores.runs[:-1]]
    means = scores.mean()
    assert [row[1:] for row in table.rows] == [[*means[row[0]].values()] for row in table.rows]


def test_the_note_has_the_test_its_correction_alpha_and_n(scores):
    note = compare(scores, baseline=scores.runs[0], alpha=0.01).paper().note
    for part in ("two-sided paired t-test", "Holm", "α = 0.01", "n = 40", "† marks values"):
        assert part in note
    assert scores.runs[0] in note
    plain = compare(scores).paper(marks="none")
    assert "The best values are bold." in render(plain, "markdown")
    assert "bold" not in render(plain, "table")  # which has no bold type


def test_a_comparison_without_significance_says_so():
    scores = Scores.from_table({"a": {"1": 0.5, "2": 0.25}, "b": {"1": 0.25, "2": 0.5}}, "AP")
    table = compare(scores).paper()
    assert "No difference is significant by a two-sided paired t-test" in table.note
    assert [*table.superscripts.values()] == ["a", "b"]  # the letters of the runs alone


def test_rows_of_differences_and_p(scores):
    baseline = scores.runs[1]
    comparison = compare(scores, baseline=baseline)
    table = comparison.paper(delta=True, p=True, percent=True, places=1)
    rows = list(table.rows)
    assert [row[0] for row in rows[:4]] == [baseline, scores.runs[0], "Δ", "p"]
    assert len(rows) == 1 + 3 * (len(scores.runs) - 1)
    for column, each in enumerate(comparison.compared, 1):
        (pair,) = (pair for pair in each.pairs if pair.run == scores.runs[0])
        assert rows[2][column] == f"{100 * pair.difference:+.1f}"
        assert rows[3][column].value == pair.corrected
        assert rows[2][column].value == pytest.approx(rows[1][column] - rows[0][column])
    with pytest.raises(OptionError, match="need a baseline"):
        compare(scores).paper(delta=True)


def test_the_difference_of_two_runs_has_the_sign_of_the_second(scores):
    two = scores.only(runs=scores.runs[:2])
    first, second, delta = compare(two).paper(delta=True).rows
    assert [getattr(cell, "value", cell) for cell in delta[1:]] == pytest.approx(
        [b - a for a, b in zip(first[1:], second[1:], strict=True)]
    )


def test_differences_are_those_of_the_values_shown_whatever_average_they_are():
    other = scores_of("FirstRank NumRelRet@5 AP(average=geometric)", topics=9, systems="xy")
    first, second, delta = compare(other).paper(delta=True).rows
    assert [getattr(cell, "value", cell) for cell in delta[1:]] == [
        b - a for a, b in zip(first[1:], second[1:], strict=True)
    ]
    never = Scores.from_table({"a": {"1": math.inf, "2": 1}, "b": {"1": math.inf, "2": 2}}, "FirstRank")
    assert compare(never, test="sign").paper(delta=True).rows[2][1] == "+0.0000"


def test_percent_leaves_counts_alone():
    counts = scores_of("AP NumRel DCG@10 P(average=sum)@5", topics=5, systems="xy")
    plain, percent = counts.table(), counts.table(percent=True)
    for before, after in zip(plain.rows, percent.rows, strict=True):
        assert after[1:] == [100 * before[1], *before[2:]]
    assert percent.note == "Values are per cent, except those of NumRel, DCG@10 and P(average=sum)@5."
    assert compare(counts).paper(percent=True).rows[0] == percent.rows[0]


def test_labels_name_runs_and_measures_everywhere(scores):
    labels = {scores.runs[0]: "Our run", "ndcg@10": "nDCG", "ap": "MAP"}
    comparison = compare(scores, baseline=scores.runs[0])
    table = comparison.paper(labels=labels)
    assert table.headers == ("run", "MAP", "nDCG", "P@10")
    assert table.rows[0][0] == "Our run"
    assert "than Our run" in table.note
    assert comparison.paper().superscripts == table.superscripts
    sentences = comparison.labelled(labels).sentences
    assert sentences[0].startswith("MAP of 4 runs against Our run")
    assert scores.table(labels=labels).headers == table.headers
    with pytest.raises(OptionError, match="two runs have the label 'x'"):
        comparison.paper(labels=dict.fromkeys(scores.runs[:2], "x"))
    with pytest.raises(InputError, match="nowhere"):
        comparison.paper(labels="nowhere.csv")


def test_unknown_marks_are_refused(scores):
    with pytest.raises(OptionError, match="did you mean letters"):
        compare(scores).paper(marks="leters")
    assert set(MARKS) == {"letters", "daggers", "stars", "ties", "none"}


def test_more_runs_than_letters_are_tied_with_the_best_or_not():
    random = np.random.default_rng(1)
    values = {f"r{n:02}": (0.01 * n + random.normal(0.3, 0.05, 40)).tolist() for n in range(27)}
    comparison = compare(Scores.from_table(values, "AP"))
    table, (compared,) = comparison.paper(), comparison.compared
    best = compared.best_first[0]
    beaten = {found.worse for found in compared.significant if found.better == best}
    tied = {
        comparison.runs[row]
        for (row, column), mark in table.superscripts.items()
        if (column, mark) == (1, "=")
    }
    assert {*comparison.runs} == {best} | beaten | tied
    assert 0 < len(tied) == len(table.superscripts) < 26
    assert table.note.startswith(
        "= marks values that do not differ significantly from the best one, by a two-s"
    )
    with pytest.raises(
        OptionError, match="letters name at most 26 runs, not 27; pass a baseline, or use ties"
    ):
        comparison.paper(marks="letters")
    with pytest.raises(OptionError, match="leave out the baseline"):
        compare(Scores.from_table(values, "AP"), baseline="r00").paper(marks="ties")
    assert comparison.only(comparison.runs[:26]).paper().superscripts[25, 0] == "z"
    assert "17 more runs not shown, nor among the marks." in str(comparison)


def test_many_baselines_have_letters_and_many_daggers_are_doubled():
    many = scores_of("AP", topics=10, systems="abcdefgh")
    comparison = compare(many, baseline=many.runs[:7])
    assert [comparison.paper().superscripts[row, 0] for row in range(7)] == [*"abcdefg"]
    assert [comparison.paper(marks="daggers").superscripts[row, 0] for row in range(7)] == [
        *DAGGERS,
        "††",
        "‡‡",
    ]


@pytest.mark.parametrize(
    ("values", "direction", "expected"),
    [
        ([0.1, 0.3, 0.2], 1, ([1], [2])),
        ([0.1, 0.3, 0.2], -1, ([0], [2])),
        ([0.3, 0.3, 0.2], 1, ([0, 1], [])),
        ([0.3, 0.2, 0.2], 1, ([0], [1, 2])),
        ([math.nan, 0.2], 1, ([1], [])),
        ([math.nan, math.nan], 1, ([], [])),
        ([0.1, 0.2], 0, ([], [])),
        ([0.1], 1, ([], [])),
    ],
)
def test_the_best_and_the_second_best(values, direction, expected):
    assert best_and_second(values, direction) == expected


def test_values_that_look_equal_are_marked_alike():
    qrels = {str(t): {"a": 1} for t in range(200)}
    first = {run: [t for t in qrels if int(t) >= misses] for run, misses in (("x", 2), ("y", 3), ("z", 9))}
    runs = {run: {t: {"a": 1.0} if t in hits else {"b": 1.0} for t in qrels} for run, hits in first.items()}
    scores = evaluate(qrels, runs, "P@1")  # 0.990, 0.985 and 0.955
    for found in (scores, compare(scores)):
        fine, coarse = (found.to_latex(places=places, second=True) for places in (3, 1))
        assert r"\textbf{0.990}" in fine
        assert r"\underline{0.985}" in fine
        assert coarse.count(r"\textbf{1.0}") == 3
        assert r"\underline" not in coarse
    assert len(scores.best()) == 1


def test_sums_of_counts_have_no_decimals_under_any_label():
    qrels = {str(t): {"a": 1, "b": 1} for t in range(4)}
    runs = {"x": {t: {"a": 2.0, "b": 1.0} for t in qrels}, "y": {t: {"a": 2.0} for t in qrels}}
    runs["x"]["0"] = {"a": 1.0}
    found = rankgauge.compare(qrels, runs, "NumRelRet RR NumRelRet(average=mean)")
    labels = {"NumRelRet": "Found"}
    lines = found.to_markdown(delta=True, labels=labels, marks="none", caption="").splitlines()
    cells = [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in lines if "|" in line]
    assert cells[0][:2] == ["run", "Found"]
    assert [row[1] for row in cells[2:5]] == ["7", "4", "-3"]
    assert [row[3] for row in cells[2:5]] == ["1.7500", "1.0000", "-0.7500"]
