import csv
import functools
import io
import json
import math
import pickle

import pytest

from rankgauge.errors import OptionError
from rankgauge.model.output.tables import FORMATS, Shown, Table, lines, number, printable, render, width

TABLE = Table(
    ("run", "AP", "n"),
    [("bm25", 0.123456789, 3), ("ql", math.nan, 4), ("x", None, 5)],
    best={(0, 1)},
)
NASTY = "a|b_c*<b>&$%#{}~^\\\"\t\n\x1b[31m,'"


def test_the_aligned_table_lines_up_and_marks_no_best_value():
    assert render(TABLE) == (
        "run       AP  n\n"
        "bm25  0.1235  3\n"
        "ql         –  4\n"
        "x             5\n"
    )  # fmt: skip


def test_a_star_is_a_mark_of_significance_and_of_nothing_else():
    table = Table(
        ("run", "AP"),
        [("bm25", 0.5), ("ql", 0.25), ("x", 10.0)],
        best={(2, 1)},
        superscripts={(0, 1): "b", (2, 1): "ab"},
        note="Letters.",
        emphasis="Bold.",
    )
    assert render(table) == (
        "run        AP\n"
        "bm25   0.5000 b\n"
        "ql     0.2500\n"
        "x     10.0000 ab\n"
        "\n"
        "Letters.\n"
    )  # fmt: skip
    starred = table._replace(superscripts={(0, 1): "*"})
    assert [line for line in render(starred).splitlines() if "*" in line] == ["bm25   0.5000 *"]


def test_wide_and_combining_characters_line_up_by_what_a_terminal_shows():
    assert width("日本") == 4
    assert width("e\u0301") == 1
    text = render(Table(("run", "AP"), [("日本", 1.0), ("bm25", 1.0)]))
    assert text.splitlines()[1:] == ["日本  1.0000", "bm25  1.0000"]


def test_tsv_rounds_and_keeps_one_row_a_line():
    assert render(TABLE, "tsv") == "run\tAP\tn\nbm25\t0.1235\t3\nql\tnan\t4\nx\t\t5\n"
    assert render(Table(("a",), [("x\ty\nz",)]), "tsv") == "a\nx\\ty\\nz\n"


@functools.cache
def plain_lines():
    return [render(Table(("run",), [plain_row(n)]), "tsv").splitlines()[1] for n in range(3000)]


def plain_row(n):
    return f"run {n}", f"{n}", n / 7


@pytest.mark.parametrize("odd", ["a\tb", "a\nb", "a\r", 7, None, math.nan, True, "%s", "plain"])
@pytest.mark.parametrize("at", [0, 999, 1000, 2500])
def test_tsv_is_the_same_for_rows_written_at_once_and_one_by_one(odd, at):
    rows, one_by_one = [plain_row(n) for n in range(3000)], [*plain_lines()]
    rows[at] = ("run", odd, 0.5) if isinstance(odd, str) else ("run", "x", odd)
    one_by_one[at] = render(Table(("run",), [rows[at]]), "tsv").splitlines()[1]
    assert render(Table(("run", "topic", "AP"), rows), "tsv").splitlines()[1:] == one_by_one
    assert one_by_one[at].count("\t") == 2


def test_csv_keeps_every_digit_and_reads_back():
    assert render(TABLE, "csv") == "run,AP,n\nbm25,0.123456789,3\nql,nan,4\nx,,5\n"
    assert list(csv.reader(io.StringIO(render(Table(("a", "b"), [(NASTY, "\r")]), "csv"), newline=""))) == [
        ["a", "b"],
        [NASTY, "\r"],
    ]


def test_json_and_jsonl_have_null_for_undefined_and_every_digit():
    rows = [
        {"run": "bm25", "AP": 0.123456789, "n": 3},
        {"run": "ql", "AP": None, "n": 4},
        {"run": "x", "AP": None, "n": 5},
    ]
    assert json.loads(render(TABLE, "json")) == rows
    assert [json.loads(line) for line in lines(TABLE, "jsonl")] == rows


def test_markdown_escapes_markup_and_has_the_best_in_bold():
    assert render(Table(("run", "AP"), [("a|b_<c>", 0.5)], {(0, 1)}), "markdown") == (
        "| run | AP |\n|---|---:|\n| a\\|b\\_\\<c\\> | **0.5000** |\n"
    )


def test_latex_escapes_its_special_characters_and_has_the_best_in_bold():
    text = render(Table(("run", "n_d"), [(r"50%_{a}\b^~#$&", 0.5)], {(0, 1)}), "latex")
    assert text.splitlines()[1:] == [
        r"\begin{tabular}{@{}lr@{}}",
        r"\toprule",
        r"run & n\_d \\",
        r"\midrule",
        r"50\%\_\{a\}\textbackslash{}b\textasciicircum{}\textasciitilde{}\#\$\& & \textbf{0.5000} \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


@pytest.mark.parametrize("form", ["table", "markdown", "latex", "html"])
def test_no_control_character_reaches_the_eyes(form):
    assert "\x1b" not in render(Table((NASTY,), [(NASTY,)]), form)
    assert "\ud800" not in render(Table(("a",), [("\ud800",)]), form)


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_takes_an_empty_table_and_any_text(form):
    assert render(Table(("a", "b"), []), form) is not None
    assert render(Table((NASTY, "b"), [(NASTY, 1.0), (NASTY, None)]), form).endswith("\n")


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl", "json"])
def test_formats_for_programs_take_rows_one_by_one(form):
    def endless():
        while True:
            yield ("x", 1.0)

    table = lines(Table(("a", "b"), endless()), form)
    assert [next(table) for _ in range(3)]


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_has_a_title_and_extensions_of_its_own(form):
    assert FORMATS[form].title
    others = [e for name, other in FORMATS.items() if name != form for e in other.extensions]
    assert not {*FORMATS[form].extensions} & {*others}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((0.5,), "0.5000"),
        ((0.5, 2), "0.50"),
        ((1 / 3, None), repr(1 / 3)),
        ((7,), "7"),
        ((None,), ""),
        ((math.nan,), "nan"),
        ((-1e-9,), "0.0000"),
        ((0.0,), "0.0000"),
        ((-10.0, 0), "-10"),
    ],
)
def test_numbers_are_written_in_one_way(arguments, text):
    assert number(*arguments) == text


def test_printable_text_is_left_alone():
    assert (printable("Ärger 日本"), printable("a\x00b")) == ("Ärger 日本", "a\\x00b")


def test_an_unknown_format_is_refused_with_the_nearest():
    with pytest.raises(OptionError, match="did you mean markdown"):
        render(TABLE, "markdwn")


def test_a_shown_number_is_a_text_for_people_and_a_number_for_programs():
    table = Table(("alpha", "delta"), [(Shown(0.05), Shown.rounded(0.0976543, 3)), (0.5, Shown(math.nan))])
    assert [line.split() for line in lines(table, "table")] == [
        ["alpha", "delta"],
        ["0.05", "0.098"],
        ["0.5000", "–"],
    ]
    assert list(lines(table, "tsv"))[1:] == ["0.05\t0.098\n0.5000\tnan"]
    assert list(lines(table, "csv"))[1:] == ["0.05,0.0976543", "0.5,nan"]
    assert json.loads("\n".join(lines(table, "json")))[0] == {"alpha": 0.05, "delta": 0.0976543}
    again = pickle.loads(pickle.dumps(Shown.rounded(0.25, 1)))
    assert (again, again.text) == (0.25, "0.2")
