"""Any table as lines."""

import pytest

from extensions.pages.figures.samples import TABLES, looks, rows
from rankgauge import figures
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.pages.figures.drawing import MAX_POINTS
from rankgauge.extensions.pages.figures.laws import encodings
from rankgauge.extensions.pages.figures.theme import MAX_COLOURS
from rankgauge.model.output.tables import Table

SWEEP = Table(("beta", "name", "tau", "p"), [(b, n, b / 10, 0.5) for n in ("Q", "O") for b in (1.0, 2.0)])


def test_the_first_columns_of_numbers_are_drawn_unless_others_are_named():
    assert rows(figures.lines(SWEEP))[0] == {"series": "O", "name": "O", "x": 1.0, "y": 0.1}
    assert rows(figures.lines(SWEEP, x="tau", y="p"))[0] == {"series": "O", "name": "O", "x": 0.1, "y": 0.5}
    by_number = rows(figures.lines(SWEEP, x="tau", y="p", series="beta"))
    assert {row["series"] for row in by_number} == {"1", "2"}
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
    expected = {(m, s): (low, high) for m, s, _, low, high in TABLES["lines"].rows}
    assert all((row["low"], row["high"]) == expected[row["name"], row["x"]] for row in table)
    assert rows(figure, "rule") == [{"y": 0.05}]
    assert [name for name, _ in encodings(figure.spec)] == ["rule", "lines", "lines", "lines"]
    assert figure.title == "Robust"
    assert "Bars reach from low to high; they stand side by side so that all can be seen." in figure.caption
    assert "The horizontal line is at 0.05." in figure.caption
    with pytest.raises(OptionError, match="bands have two ends"):
        figures.lines(TABLES["lines"], low="low")


def test_lines_of_a_table_have_colour_and_dash_each_as_long_as_can_be():
    table = Table(("line", "x", "y"), [(f"m{i}", x, x * i) for i in range(2 * MAX_COLOURS) for x in (0, 1)])
    figure = figures.lines(table)
    (encoding,) = (encoding for _, encoding in encodings(figure.spec))
    assert len({*looks(encoding, "color", "strokeDash").values()}) == 2 * MAX_COLOURS
    more = Table(("line", "x", "y"), [*table.rows, ("m99", 0, 0), ("m99", 1, 99)])
    assert (
        "Of 17 lines, the highlighted ones are in colour, the others in grey."
        in figures.lines(more, highlight="m3").caption
    )


def test_a_table_of_very_many_points_is_thinned_and_says_so():
    figure = figures.lines(Table(("x", "y"), [(x, -x) for x in range(3 * MAX_POINTS)]))
    assert len(rows(figure)) == MAX_POINTS + 1
    assert rows(figure)[-1]["x"] == 3 * MAX_POINTS - 1
    assert "One point in 3 is drawn, and the last of each line." in figure.caption


@pytest.mark.parametrize(
    ("table", "options", "error", "message"),
    [
        (SWEEP, {"x": "alpha"}, OptionError, "no column of numbers named 'alpha'; use one of beta"),
        (SWEEP, {"y": "name"}, OptionError, "no column of numbers named 'name'"),
        (SWEEP, {"series": "nmae"}, OptionError, "no column named 'nmae'.*did you mean name"),
        (Table(("a", "b"), [("x", 1)]), {}, OptionError, "has 1 column of numbers, and none is left for y"),
        (Table(("a", "b"), []), {}, InputError, "no rows"),
        (Table(("a", "a"), [(1, 2)]), {}, InputError, "the same name"),
    ],
)
def test_a_table_that_cannot_be_drawn_is_refused(table, options, error, message):
    with pytest.raises(error, match=message):
        figures.lines(table, **options)


def test_lines_that_are_named_by_numbers_have_no_needless_digits():
    figure = figures.lines(Table(("x", "y", "k"), [(1, 2.0, 10.0), (2, 3.0, 0.5)]), series="k")
    assert {row["name"] for row in rows(figure)} == {"10", "0.5"}


def test_a_title_keeps_the_case_of_measures():
    assert figures.lines(Table(("AP", "nDCG"), [(1, 2.0)])).title == "nDCG by AP"
    assert figures.lines(Table(("AP", "mean"), [(1, 2.0)])).title == "Mean by AP"


def test_intervals_have_a_panel_for_each_judge_and_the_highest_value_first():
    rows = [
        ("A", "x", 0.1, 0.0, 0.2),
        ("A", "y", 0.3, 0.2, 0.4),
        ("B", "z", 0.2, 0.1, 0.3),
        ("B", "y", 0, -1, 1),
    ]
    table = Table(("judge", "run", "bias", "low", "high"), rows)
    figure = figures.intervals(table, panels="judge", rule=0)
    assert [[*row] for row in figure.data["intervals 1"].rows] == [[*row[1:]] for row in rows[:2]]
    assert [[*row] for row in figure.data["intervals 2"].rows] == [[*row[1:]] for row in rows[2:]]
    domains = [
        layer["encoding"]["y"]["scale"]["domain"]
        for part in figure.spec["concat"]
        for layer in part["layer"][1:]
    ]
    assert domains == [["y", "x", "z"]] * 4
    assert figure.caption == "Bias by run. Lines reach from low to high. The vertical line is at 0."
    with pytest.raises(OptionError, match="no column named"):
        figures.intervals(table, panels="nothing")
