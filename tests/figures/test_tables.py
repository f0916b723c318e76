"""Figures of tables: lines and matrices, and the files that tables come from."""

import math

import pytest

from figures.samples import TABLES, drawn, rows, views
from rankgauge import figures
from rankgauge.errors import InputError, OptionError
from rankgauge.figures.points import POINTS
from rankgauge.figures.table_files import read
from rankgauge.figures.theme import MOST
from rankgauge.model.tables import FORMATS, Table, render

SWEEP = Table(("beta", "name", "tau", "p"), [(b, n, b / 10, 0.5) for n in ("Q", "O") for b in (1.0, 2.0)])


def test_the_first_columns_of_numbers_are_drawn_unless_others_are_named():
    assert rows(figures.lines(SWEEP))[0] == {"series": "O", "name": "O", "x": 1.0, "y": 0.1}
    assert rows(figures.lines(SWEEP, x="tau", y="p"))[0] == {"series": "O", "name": "O", "x": 0.1, "y": 0.5}
    by_number = rows(figures.lines(SWEEP, x="tau", y="p", series="beta"))
    assert {row["series"] for row in by_number} == {"1.0", "2.0"}
    alone = figures.lines(Table(("a", "b"), [(1, 2), (2, 3)]))
    assert rows(alone) == [
        {"series": "", "name": "", "x": 1, "y": 2},
        {"series": "", "name": "", "x": 2, "y": 3},
    ]


def test_a_band_a_rule_and_marks_are_layers_of_their_own():
    figure = figures.lines(
        TABLES["lines"], low="low", high="high", rule=0.05, marks=True, log="x", title="Robust"
    )
    table = rows(figure, "lines")
    given = {(m, s): (low, high) for m, s, _, low, high in TABLES["lines"].rows}
    assert all((row["low"], row["high"]) == given[row["name"], row["x"]] for row in table)
    assert rows(figure, "rule") == [{"y": 0.05}]
    assert [name for name, _ in views(figure.spec)] == ["rule", "lines", "lines", "lines"]
    assert figure.title == "Robust"
    assert "The band is from low to high. The line across is at 0.05." in figure.caption
    with pytest.raises(OptionError, match="a band has two ends"):
        figures.lines(TABLES["lines"], low="low")


def test_lines_of_a_table_have_colour_and_dash_each_as_long_as_can_be():
    table = Table(("line", "x", "y"), [(f"m{i}", x, x * i) for i in range(2 * MOST) for x in (0, 1)])
    figure = figures.lines(table)
    (encoding,) = (encoding for _, encoding in views(figure.spec))
    looks = [
        *zip(
            encoding["color"]["scale"]["range"],
            map(tuple, encoding["strokeDash"]["scale"]["range"]),
            strict=True,
        )
    ]
    assert len({*looks}) == 2 * MOST
    more = Table(("line", "x", "y"), [*table.rows, ("m99", 0, 0), ("m99", 1, 99)])
    assert (
        "Of 15 lines the highest and the chosen are in colour" in figures.lines(more, highlight="m3").caption
    )


def test_a_table_of_very_many_points_is_thinned_and_says_so():
    figure = figures.lines(Table(("x", "y"), [(x, -x) for x in range(3 * POINTS)]))
    assert len(rows(figure)) == POINTS + 1
    assert rows(figure)[-1]["x"] == 3 * POINTS - 1
    assert "Drawn is one point of 3, and the last of each line." in figure.caption


@pytest.mark.parametrize(
    ("table", "options", "said"),
    [
        (SWEEP, {"x": "alpha"}, "no column of numbers is called 'alpha'; there are 'beta'"),
        (SWEEP, {"y": "name"}, "no column of numbers is called 'name'"),
        (SWEEP, {"series": "nmae"}, "no column is called 'nmae'.*did you mean name"),
        (Table(("a", "b"), [("x", 1)]), {}, "the table has 1 columns of numbers, and none is left for y"),
    ],
)
def test_a_column_that_cannot_be_drawn_is_named(table, options, said):
    with pytest.raises(OptionError, match=said):
        figures.lines(table, **options)


@pytest.mark.parametrize("table", [Table(("a", "b"), []), Table(("a", "a"), [(1, 2)])])
def test_a_table_that_cannot_be_drawn_is_refused(table):
    with pytest.raises(InputError, match=r"no rows|the same name"):
        figures.lines(table)


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
    ("table", "said"),
    [
        (Table(("a",), [("x",)]), "a matrix needs"),
        (Table(("", "a"), []), "a matrix needs"),
        (Table(("", "a"), [("a", "b")]), "a matrix holds numbers, not 'b'"),
        (Table(("", "a"), [("a", 1), ("a", 2)]), "have the same name"),
    ],
)
def test_what_is_no_matrix_is_refused(table, said):
    with pytest.raises(InputError, match=said):
        figures.matrix(table)


@pytest.mark.parametrize("form", ["csv", "tsv", "json", "jsonl"])
def test_a_table_comes_back_from_a_file(form, write):
    table = Table(("name", "x,y", "v"), [("a,\"b'", 1.5, 0.25), ("ü\\", math.nan, -2.0)])
    text = render(table, form, places=4)
    found = read(str(write(f"t{FORMATS[form].extensions[0]}", text)))
    assert [*found.headers] == ["name", "x,y", "v"]
    first, second = found.rows
    assert [*first] == ["a,\"b'", 1.5, 0.25]
    assert second[0] == "ü\\"
    assert second[1] is None or math.isnan(second[1])
    assert second[2] == -2.0


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("t.txt", "", "ends in .csv, .tsv, .json, .jsonl"),
        ("t.csv", "", "holds no table"),
        ("t.csv", "a,b\n1,2\n3\n", "t.csv:3: expected 2 columns, found 1"),
        ("t.csv", 'a,b\n\n1,"x\ny"\n3\n', "t.csv:5: expected 2 columns, found 1"),
        ("t.csv", f"a,b\n1,{'x' * 140_000}\n", "t.csv:2: the line cannot be read: field larger"),
        ("t.json", "{", "no JSON"),
        ("t.json", "[" * 100_000, "nested too deeply"),
        ("t.jsonl", '{"a":' * 100_000, "nested too deeply"),
        ("t.json", f'[{{"a": {"9" * 400}}}]', "larger than any that can be drawn"),
        ("t.json", f'[{{"a": {"9" * 5000}}}]', "no JSON: Exceeds the limit"),
        ("t.json", '{"a": 1}', "a list of objects"),
        ("t.json", "[]", "holds no table"),
        ("t.jsonl", '{"a": [1]}', "words and numbers"),
        ("missing.csv", None, "cannot be read"),
    ],
)
def test_a_file_that_holds_no_table_is_refused(name, text, said, write, tmp_path):
    path = tmp_path / name if text is None else write(name, text)
    with pytest.raises(InputError, match=said):
        read(str(path))
