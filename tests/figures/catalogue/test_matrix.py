"""Any table with a row and a column for each of some things."""

import math

import pytest

from figures.samples import drawn, rows, views
from rankgauge import figures
from rankgauge.errors import InputError
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
    assert len([*views(figures.matrix(table).spec)]) == 1
    assert len([*views(drawn("matrix").spec)]) == 2


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
