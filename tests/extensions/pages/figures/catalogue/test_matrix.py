"""Matrices of tables, and of p-values."""

import math
from itertools import combinations

import pytest

import rankgauge
from extensions.pages.figures.samples import campaign, drawn, rows
from rankgauge import figures
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.pages.figures.laws import encodings
from rankgauge.model.output.tables import Table


def test_a_matrix_has_a_cell_for_every_row_and_column():
    cells = rows(drawn("matrix"))
    assert [(c["row"], c["column"], c["text"]) for c in cells] == [
        ("AP", "AP", "1"),
        ("AP", "Q", ".25"),
        ("Q", "AP", ".25"),
        ("Q", "Q", "–"),
    ]
    assert cells[1]["value"] == 0.25
    assert math.isnan(cells[3]["value"])
    assert drawn("matrix").spec["datasets"]["cells"][3]["value"] is None


def test_p_values_have_levels_and_stars():
    values = [0.0001, 0.001, 0.02, 0.05, 0.5, 1.0, math.nan]
    table = Table(("", *map(str, range(7))), [("a", *values)])
    cells = rows(figures.matrix(table, scale="p"))
    assert [c["text"] for c in cells] == ["***", "**", "*", ".05", ".50", "1.00", "–"]
    assert [c["level"] for c in cells] == ["< 0.001", "< 0.01", "< 0.05", "≥ 0.05", "≥ 0.05", "≥ 0.05", None]


def test_a_large_matrix_has_no_text_in_its_cells():
    names = [f"r{i}" for i in range(100)]
    table = Table(("", *names), [(a, *(1.0 for _ in names)) for a in names])
    assert len([*encodings(figures.matrix(table).spec)]) == 1
    assert len([*encodings(drawn("matrix").spec)]) == 2


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (Table(("a",), [("x",)]), "a matrix needs"),
        (Table(("", "a"), []), "a matrix needs"),
        (Table(("", "a"), [("a", "b")]), "a matrix contains numbers, not 'b'"),
        (Table(("", "a"), [("a", 1), ("a", 2)]), "have the same name"),
    ],
)
def test_what_is_no_matrix_is_refused(table, message):
    with pytest.raises(InputError, match=message):
        figures.matrix(table)


def test_significance_has_the_corrected_p_of_every_pair_from_the_best_run_on():
    scores = rankgauge.evaluate(*campaign(), "AP")
    compared = rankgauge.compare(scores, test="randomisation", correction="bh", seed=5)
    figure = figures.significance(scores, test="randomisation", correction="bh", seed=5)
    p = {(pair.run, pair.against): pair.corrected for pair in compared["AP"].pairs}
    cells = rows(figure)
    order = sorted(scores.runs, key=lambda run: -scores.mean()[run]["AP"])
    assert [(cell["row"], cell["column"]) for cell in cells] == [*combinations(order, 2)]
    for cell in cells:
        pair = (cell["row"], cell["column"])
        assert cell["value"] == p.get(pair, p.get(pair[::-1]))
        assert cell["level"].startswith("row better, <" if cell["value"] < 0.05 else "≥")
    assert figures.significance(compared).spec == figure.spec
    assert "randomisation test with the Benjamini–Hochberg correction for 3 pairs; " in figure.caption
    with pytest.raises(OptionError, match="no test named 'z'; use one of t, wilcoxon"):
        figures.significance(scores, test="z")


def test_the_caption_says_where_the_means_disagree_with_the_test():
    table = {"A": [0.5] * 30, "B": [0.52] * 24 + [0.0] * 6}
    compared = rankgauge.compare(rankgauge.Scores.from_table(table, "AP"), test="sign")
    disagreeing = figures.significance(compared)
    assert "AP: the means say otherwise for B > A." in disagreeing.caption
    assert [(cell["row"], cell["level"]) for cell in rows(disagreeing)] == [("A", "column better, < 0.01")]
    agreeing = rankgauge.compare(rankgauge.Scores.from_table(table, "AP"), test="t")
    assert "otherwise" not in figures.significance(agreeing).caption


def test_every_row_of_63_runs_is_named_and_on_a_page_every_column():
    names = [f"team{n % 9}_run-{n}" for n in range(63)]
    table = Table(("run", *names), [[name, *([0.5] * 63)] for name in names])
    for width, columns in (("column", [names[0], *names[4::5]]), ("page", names)):
        figure = figures.matrix(table, scale="p", width=width)
        encoding = figure.spec["layer"][0]["encoding"]
        assert [encoding[axis]["axis"]["values"] for axis in "yx"] == [names, columns]
        assert ("Columns have the numbers of the rows." in figure.caption) == (width == "column")
        assert ("indexof" in encoding["x"]["axis"].get("labelExpr", "")) == (width == "column")


def test_columns_with_other_names_than_the_rows_are_named_as_far_as_there_is_room():
    names = [f"team{n % 9}_run-{n}" for n in range(63)]
    table = Table(("measure", *names), [["AP", *([0.5] * 63)], ["RR", *([0.5] * 63)]])
    assert "One in 2 columns is named" in figures.matrix(table, scale="p").caption
