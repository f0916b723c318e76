"""LaTeX tables in a column of a paper: they compile with any name, and are never too wide."""

import math
import random
import re

import pytest

import typesetting
from rankgauge.model.output.markup import latex
from rankgauge.model.output.tables import NumberText, Table, render
from typesetting import HOSTILE


@pytest.fixture(scope="module")
def typeset(tmp_path_factory):
    typesetting.needs_latex()
    return lambda snippets, packages="": typesetting.problems(
        snippets, tmp_path_factory.mktemp("latex"), packages
    )


def scores_table(columns=6, runs=5, places=4, name="run-{}", measure="nDCG@{}0", **fields):
    headers = ("run", *(measure.format(i + 1) for i in range(columns)))
    rows = [
        [name.format(i), *(((7 * i + 3 * j) % 10) / 10 + 0.0321 for j in range(columns))] for i in range(runs)
    ]
    best = {(runs - 1, j) for j in range(1, columns + 1)}
    return Table(headers, rows, best, **fields)


@pytest.mark.parametrize("encoding", ["OT1", "T1"])
def test_every_name_compiles_everywhere(typeset, encoding):
    everywhere = [
        render(
            Table(
                (name, "AP"),
                [(name, 0.5), (NumberText(name, 1.0), math.nan)],
                {(0, 0)},
                {(0, 1)},
                {(0, 1): name},
                {(1, 1): name},
                caption=caption,
                label=name,
                note=name,
            ),
            "latex",
        )
        for name in HOSTILE
        for caption in ("", f"About {name}.")
    ]
    errors, _ = typeset(everywhere, rf"\usepackage[{encoding}]{{fontenc}}")
    assert errors == []


@pytest.mark.parametrize("encoding", ["OT1", "T1"])
def test_every_character_compiles(typeset, encoding):
    draw = random.Random(1)
    numbers = [*range(0x20, 0x2500), *draw.sample(range(0x2500, 0x20000), 300)]
    texts = [f"x{latex(chr(number))}x" for number in numbers if chr(number).isprintable()]
    assert typeset(texts, rf"\usepackage[{encoding}]{{fontenc}}") == ([], [])


@pytest.mark.parametrize("caption", ["", "Results."])
def test_six_measures_fit_a_column(typeset, caption):
    tables = [
        scores_table(),
        scores_table(name="a_rather_long_name_of_a_run_{}"),
        scores_table(measure="nDCG(gains=exp2)@{}0"),
        scores_table(superscripts={(i, j): "ab"[:i] for i in range(1, 5) for j in range(1, 7)}),
        scores_table(subscripts={(i, j): "†‡" for i in range(5) for j in range(1, 7)}),
    ]
    texts = [
        render(table._replace(caption=caption), "latex", places) for table in tables for places in (3, 4)
    ]
    assert all("table*" not in text for text in texts)
    assert typeset(texts) == ([], [])


def test_runs_of_a_campaign_fit_a_column_under_their_own_names(typeset):
    runs = ["ANCE_terrier", "BM25_docT5query_ColBERT_terrier", "ColBERT_PRF_beta1_terrier", "D_BERT_KD_TASB"]
    runs += ["SPLADE_P_P_ENSEMBLE_DISTIL", "sab20.1.meta.docs"]
    measures = ["nDCG(gains=exp2)@10", "AP(rel=2)", "RR(rel=2)@10", "R(rel=2)@100"]
    table = Table(("run", *measures), [[run, 0.8071, 0.25, 0.5, 0.75] for run in runs], caption="Means.")
    letters = {(i, j): "abcdef"[: i + 1] for i in range(6) for j in range(5)}
    texts = [render(each, "latex") for each in (table, table._replace(superscripts=letters))]
    assert all(text.count("(rel=2)") == 3 and "ENSEMBLE" in text and "table*" not in text for text in texts)
    assert typeset(texts) == ([], [])


def random_table(draw):
    def word(most):
        return "".join(draw.choice("abmwWMI10_-. @(=é") for _ in range(draw.randint(1, most)))

    columns, rows = draw.randint(1, 14), draw.randint(0, 4)
    kinds = [draw.choice(["text", "number", "number", "number", "form"]) for _ in range(columns)]
    longest = draw.choice([4, 15, 60])

    def cell(kind):
        value = draw.choice([1, 10, 1000]) * draw.uniform(-1, 1)
        return (
            word(longest)
            if kind == "text"
            else value
            if kind == "number"
            else NumberText(f"{value:+.4f}**", value)
        )

    places = [(i, j) for i in range(rows) for j in range(columns)]
    return Table(
        [word(draw.choice([4, 15, 40])) for _ in kinds],
        [[cell(kind) for kind in kinds] for _ in range(rows)],
        {place for place in places if draw.random() < 0.3},
        {place for place in places if draw.random() < 0.1},
        {place: "abc" for place in places if draw.random() < 0.1},
        caption=draw.choice(["", "Numbers."]),
    )


def test_no_table_is_too_wide(typeset):
    draw = random.Random(5)
    texts = [render(random_table(draw), "latex", draw.choice([2, 3, 4])) for _ in range(150)]
    for wanted in (r"\tablebody", r"\shortstack", r"\allowbreak"):
        assert 10 < sum(wanted in text for text in texts) < 150
    assert sum("table*" in text for text in texts) > 10
    assert sum(text.count(r"\begin{tabular}") > 1 for text in texts) > 1
    # floats of more than a page's height are none of our business, and LaTeX holds only so many
    assert typeset([f"{text}\n\\clearpage" if "table" in text else text for text in texts]) == ([], [])


def test_tables_compile_with_siunitx(typeset):
    if not typesetting.has_package("siunitx"):
        pytest.skip("siunitx is not installed (Debian: texlive-science)")
    table = scores_table(superscripts={(1, 1): "ab", (4, 2): "a"}, second={(3, 1)}, caption="Results.")
    odd = Table(("run", "AP", "n"), [("a", math.nan, 3), ("b", -0.5, 12), ("c", None, 1)])
    texts = [render(each, "siunitx") for each in (table, odd)]
    assert "S[table-format=1.4" in texts[0]
    assert "S[table-format=2.0" in texts[1]
    errors, too_wide = typeset(texts, r"\usepackage{siunitx}")
    # siunitx leaves no room for bold digits, which are a little wider
    assert errors == []
    assert all(float(re.search(r"\(([\d.]+)pt", line)[1]) < 4 for line in too_wide)


def test_a_float_only_with_a_caption_or_across_the_page():
    assert r"\begin{table" not in render(scores_table(2), "latex")
    text = render(scores_table(2, caption="What we found.", label="tab:main", note="Bold is best."), "latex")
    assert r"\caption{What we found. Bold is best.}" in text.partition(r"\begin{table}[t]")[2]
    assert r"\label{tab:main}" in text
    assert r"\begin{table*}" in render(scores_table(12), "latex")


def test_a_table_is_measured_only_if_it_may_be_too_wide():
    texts = [render(scores_table(columns), "latex") for columns in (2, 5, 6)]
    assert [r"\tabcolsep" in text for text in texts] == [False, True, True]
    assert [r"\ifdim" in text for text in texts] == [False, True, True]
    assert "resizebox" not in "".join(texts)  # type is never scaled


def test_a_note_without_a_caption_is_a_comment():
    assert render(scores_table(2, note="50% of\nall."), "latex").splitlines()[-1] == r"% 50% of\nall."


def test_a_wider_column_has_headers_on_one_line_and_more_columns():
    narrow, wide = (render(scores_table(width=width, caption="x"), "latex") for width in (190, 347))
    assert r"\shortstack" in narrow
    assert "table*" in render(scores_table(width=100), "latex")
    assert not any(text in wide for text in (r"\shortstack", "table*"))


def test_points_align_where_numbers_stand_left():
    table = Table(
        ("run", "x"), [("a", 9.5), ("b", 10.25), ("Δ", NumberText("+0.75", 0.75))], superscripts={(0, 1): "b"}
    )
    rows = render(table, "latex", 2).splitlines()
    assert rows[5:8] == [
        r"a & \phantom{+0}9.50\textsuperscript{b} \\",
        r"b & \phantom{+}10.25 \\",
        r"$\Delta$ & \phantom{0}+0.75 \\",
    ]


@pytest.mark.parametrize("text", ["Järvelin", "Kekäläinen", "“a”", "ß"])
def test_letters_that_every_latex_has_stay_as_they_are(text):
    assert latex(text) == text


def test_a_long_table_continues_in_floats_that_fit_a_column(typeset):
    rows = [
        [f"run {n} of a team with a long name", "text that has to be wrapped " * (n % 4), n / 7]
        for n in range(150)
    ]
    table = Table(("run", "words", "AP"), rows, {(149, 2)}, caption="Long.", label="tab:long")
    text = render(table, "latex")
    assert text.count(r"\begin{table") == text.count(r"\end{table") > 3
    assert text.count(r"\label") == 1
    assert (
        text.count("Long. (continued)")
        == text.count(r"\addtocounter{table}{-1}")
        == text.count(r"\begin{table") - 1
    )
    assert text.count(r"\textbf") == 1
    assert len(re.findall("^run", text, re.M)) >= 150
    assert typeset([text, render(table._replace(caption="", label=""), "latex")]) == ([], [])
