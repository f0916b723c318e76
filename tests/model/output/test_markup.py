"""Names from files in tables for people: they are shown, and do nothing else."""

import html.parser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge import compare, curves, evaluate, explain
from rankgauge.cli.main import main
from rankgauge.model.output.documents import Document, Section, document_lines
from rankgauge.model.output.markup import guarded, latex, markdown, unguarded
from rankgauge.model.output.tables import Table, render
from rankgauge.model.scores import Scores

FORMULAS = [
    "=cmd|' /C calc'!A0",
    "+1+cmd|'x'!A0",
    "-2+3+cmd|'x'!A0",
    "@SUM(1)",
    "\t=A(1)",
    "'=f(1)",
    "＝f(1)",
]
NASTY = "<script>alert(1)</script><img src=x>$x$&\x1b"
HARMLESS = ["bm25", "-Xy3_", "+prf", "@bob", "=", "'", "''x", "-1", "a=f(1)", ""]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a--b", "a-{}-b"),
        ("a---b", "a-{}-{}-b"),
        ("''a,,", "'{}'a,{},"),
        ("?`a", r"?\`{}a"),
        ("Tukey's", "Tukey's"),
        ("a-b_c", r"a-b\_c"),
    ],
)
def test_latex_makes_no_other_characters_of_a_name(text, shown):
    assert latex(text) == shown


@pytest.mark.parametrize("name", ["*b", "[9cm]c", " [x]"])
def test_a_latex_row_is_no_argument_of_the_row_before(name):
    rows = render(Table((name, "AP"), [("a", 0.5), (name, 0.5)]), "latex").splitlines()
    assert rows[3] == rf"{{}}{name} & AP \\"  # after \toprule, which takes an argument, too
    assert rows[6] == rf"{{}}{name} & 0.5000 \\"
    assert rows[5] == r"a & 0.5000 \\"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("$x$", "<span>$</span>x<span>$</span>"),
        ("@user", "<span>@</span>user"),
        ("P(rel=2)@10", "P(rel=2)<span>@</span>10"),  # for GitHub, this would be a person
        ("IPrec@0.1", "IPrec<span>@</span>0.1"),  # and this the address of one
        ("nDCG@10", "nDCG@10"),
        ("see #12", "see <span>#</span>12"),
        ("a#1 # b", "a#1 # b"),
        ("https://example.org/a", r"https\://example.org/a"),
        ("WWW.example.org", r"WWW\.example.org"),
        ("<b>", r"\<b\>"),
        ("a: b", "a: b"),
    ],
)
def test_markdown_makes_no_formula_person_or_link_of_a_name(text, shown):
    assert markdown(text) == shown
    assert render(Table(("run",), [(text,)]), "markdown").splitlines()[2] == f"| {shown} |"


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("- a: tied", r"\- a: tied"),
        ("# a", r"\# a"),
        ("1. a", r"1\. a"),
        ("1a. b", "1a. b"),
        ("a - b", "a - b"),
    ],
)
def test_a_sentence_in_markdown_is_no_list_and_no_heading(sentence, shown):
    document = Document("title", (Section("part", (sentence,)),))
    assert [*document_lines(document, "markdown")][-1] == shown


def test_a_folded_section_is_opened_by_readers_of_pages():
    document = Document("title", (Section("</summary> & @a", ("inside",), folded=True), Section("b", ("c",))))
    lines = [*document_lines(document, "markdown")]
    assert lines[2:8] == [
        "<details>",
        "<summary>&lt;/summary&gt; &amp; <span>@</span>a</summary>",
        "",  # which ends the HTML: Markdown follows
        "inside",
        "",
        "</details>",
    ]
    page = "\n".join(document_lines(document, "html"))
    assert (
        "<details><summary>&lt;/summary&gt; &amp; @a</summary>\n<p>inside</p>\n</details>\n<h2>b</h2>" in page
    )
    assert "inside" in "\n".join(document_lines(document, "table"))


@pytest.mark.parametrize("name", FORMULAS)
def test_a_spreadsheet_runs_no_name(name, tmp_path):
    (header, cell) = render(Table((name,), [(name,)]), "csv").splitlines()[:2]
    assert header == cell
    assert cell.strip('"').startswith(f"'{name[:1]}")
    assert render(Table(("n",), [(-1.5,)]), "csv") == "n\n-1.5\n"


@given(st.text(alphabet="'=+-@(|!a1\t＝", max_size=8))
def test_a_guarded_name_comes_back(name):
    assert unguarded(guarded(name)) == name
    assert unguarded(name) in (name, name[1:])
    assert [*map(guarded, HARMLESS)] == HARMLESS


@pytest.mark.parametrize("name", [*FORMULAS, *HARMLESS[:-1]])
def test_scores_and_tables_in_csv_read_back_as_they_were(name, tmp_path):
    scores = Scores.from_table({name: {"1": 0.5, "=f(2)": 0.25}, "b": {"1": 1.0, "=f(2)": 0.5}}, "AP")
    for long in (True, False):
        table = scores.long_table() if long else scores.table(topics=True)
        (tmp_path / "scores.csv").write_text(render(table, "csv"))
        assert Scores.from_table(tmp_path / "scores.csv").to_dict() == scores.to_dict()


def test_data_has_every_name_as_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.run").write_text("1 Q0 =f(1) 1 2.0 @g(1)\n")
    for file in ("a.csv", "a.tsv", "a.jsonl", "a.parquet"):
        assert main(["convert", "a.run", file]) == 0
        assert main(["convert", file, "back.run"]) == 0
        assert (tmp_path / "back.run").read_text() == (tmp_path / "a.run").read_text()
    assert "1,=f(1),2.0,1,@g(1)" in (tmp_path / "a.csv").read_text()
    assert "=f(1)" in render(Table(("a",), [("=f(1)",)]), "tsv").splitlines()


def is_harmless(page):
    """A cell of a notebook that shows the name NASTY as text."""
    tags = []
    parser = html.parser.HTMLParser()
    parser.handle_starttag = lambda tag, attrs: tags.append(tag)
    parser.feed(page)
    cells = {"table", "caption", "thead", "tbody", "tr", "th", "td", "b", "sup"}
    assert {*tags} <= {"div", "h4", "h5", "p"} | cells  # the outline is that of the notebook
    assert ("&lt;script&gt;" in page, "\x1b" in page) == (True, False)
    assert page.startswith('<div class="tex2jax_ignore mathjax_ignore">')  # or $x$ would be a formula


def test_notebooks_show_names_as_text():
    qrels, run = {"1": {NASTY: 1}, NASTY: {"b": 1}}, {"1": {NASTY: 1.0}, NASTY: {"b": 1.0}}
    scores = evaluate(qrels, {NASTY: run, "b": run}, "AP nDCG@10")
    results = [scores, compare(scores), explain(qrels, run, topic=NASTY, measure="AP")]
    results.append(curves(qrels, {NASTY: run}, "DCG", depth=3))
    for result in results:
        is_harmless(result._repr_html_())
