"""What commands write as LaTeX compiles in a paper of two columns, and fits."""

import json
from pathlib import Path

import pytest

import small
import typesetting
from rankgauge.cli.main import main

SIX = "AP RR P@10 nDCG@10 nDCG@20 R@100"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A directory with judgments and four runs."""
    place = tmp_path_factory.mktemp("latex")
    worse = [*"12345678"]  # than these four, which are about as good as each other
    small.write(place, topics=25, depth=40, systems=(*worse, "bm25", "dense", "rerank", "hybrid"))
    for name in worse:
        (place / "runs" / f"{name}.run").unlink()
    return place


@pytest.fixture
def written(files, monkeypatch, capsys):
    """What a command writes."""
    monkeypatch.chdir(files)
    capsys.readouterr()

    def write(*words, form="latex"):
        status = main([*words, "--format", form])
        out, err = capsys.readouterr()
        assert status == 0, err
        return out

    return write


INPUTS = ("qrels.txt", "runs/*.run")


def test_tables_of_six_measures_fit_a_column(written, tmp_path):
    typesetting.needs_latex()
    compare = ("compare", *INPUTS, "-m", SIX, "--quiet")
    tables = [
        written("evaluate", *INPUTS, "-m", SIX, "--quiet"),
        written(
            "evaluate", *INPUTS, "-m", SIX, "--quiet", "--percent", "--second", "--caption", "100% of it."
        ),
        written(*compare),
        written(*compare, "--baseline", "bm25", "--second"),
        written(*compare, "--baseline", "bm25", "--baseline", "dense", "--marks", "letters", "--places", "3"),
        written(*compare, "--baseline", "bm25", "--marks", "stars", "--delta", "--p-values", "--percent"),
    ]
    assert not any("table*" in table for table in tables)
    assert all(r"\begin{table}" in table for table in tables[1:])
    assert typesetting.problems(tables, tmp_path) == ([], [])


@pytest.mark.parametrize("view", ["report", "pairs", "ranked", "matrix", "sentences"])
def test_every_view_of_a_comparison_fits_the_page(written, tmp_path, view):
    typesetting.needs_latex()
    text = written("compare", *INPUTS, "-m", "AP nDCG@10", "--view", view, "--quiet")
    assert typesetting.problems([text], tmp_path) == ([], [])


def test_explanations_and_curves_fit_the_page(written, tmp_path):
    typesetting.needs_latex()
    texts = [
        written("explain", "qrels.txt", "runs/bm25.run", "--topic", "101", "-m", "nDCG@10"),
        written("evaluate", "--curve", *INPUTS, "-m", "nDCG DCG", "--quiet"),
    ]
    for text in texts:
        assert "Gains(" not in text
        assert "Discount(" not in text
    assert typesetting.problems(texts, tmp_path) == ([], [])


@pytest.mark.parametrize("form", ["typst", "siunitx", "latex"])
def test_the_table_of_a_paper_is_what_print_formats_show(written, form):
    paper = written("compare", *INPUTS, "-m", "AP", "--view", "paper", "--quiet", form=form)
    assert written("compare", *INPUTS, "-m", "AP", "--quiet", form=form) == paper
    assert "Effectiveness of 4 runs over 25 topics." in paper


def test_curves_are_labelled(written):
    Path("labels.csv").write_text("bm25,BM25\n")
    curve = (
        "evaluate",
        "--curve",
        *INPUTS,
        "-m",
        "nDCG",
        "--ranks",
        "1,5",
        "--labels",
        "labels.csv",
        "--quiet",
    )
    for form in ("latex", "csv", "table"):
        text = written(*curve, form=form)
        assert "BM25" in text
        assert "bm25" not in text


@pytest.mark.parametrize(
    "words",
    [
        ("evaluate", *INPUTS, "-m", "nDCG@10"),
        ("compare", *INPUTS, "-m", "nDCG@10"),
        ("compare", *INPUTS, "-m", "nDCG@10", "--view", "pairs"),
        ("evaluate", "--curve", *INPUTS, "-m", "nDCG nDCG(base=2)", "--ranks", "1,5"),
    ],
    ids=lambda words: " ".join(word for word in words if word.isalpha()),
)
def test_a_label_of_nothing_is_noted_and_one_of_anything_there_is_not(files, monkeypatch, invoke, words):
    monkeypatch.chdir(files)
    there = {"dense": "Dense", "102": "the second query", "hybrid": "Both"}
    Path("labels.json").write_text(json.dumps({**there, "bm52": "BM25", "ndcg@11": "none"}))
    noted = [line for line in invoke(*words, "--labels", "labels.json").err.splitlines() if "label" in line]
    assert noted == ['note: no run, measure or topic named "bm52", "ndcg@11"; these labels are not used']
    assert "label" not in invoke(*words, "--labels", "labels.json", "--quiet").err


def test_comparisons_compile_as_typst(written, tmp_path):
    typst = pytest.importorskip("typst", reason="typst is not installed")
    text = written("compare", *INPUTS, "--view", "report", "--quiet", form="typst")
    text += written("compare", *INPUTS, "--quiet", form="typst")
    (tmp_path / "paper.typ").write_text(text)
    assert typst.compile(str(tmp_path / "paper.typ"), format="pdf").startswith(b"%PDF")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (
            ["evaluate", *INPUTS, "--percent", "--format", "json"],
            "json has names and values as they are; omit --percent",
        ),
        (["evaluate", *INPUTS, "-q", "--labels", "x.csv", "--format", "csv"], "csv with -q has names"),
        (["evaluate", *INPUTS, "--labels", "none.csv"], "none.csv"),
        (
            ["compare", *INPUTS, "--delta", "--view", "ranked"],
            "--delta is for the table of a paper; pass --view paper",
        ),
        (["compare", *INPUTS, "--p-values", "--format", "latex"], "need a baseline"),
        (["compare", *INPUTS, "--marks", "stars", "--format", "latex"], "one baseline"),
        (["compare", *INPUTS, "--caption", "x", "--format", "csv"], "--caption is for the table of a paper"),
        (["evaluate", *INPUTS, "--table-label", "tab:x"], "add --caption"),
        (["compare", *INPUTS, "--column-width", "5"], "--column-width"),
        (["compare", *INPUTS, "--marks", "letters", "--view", "paper", "--format", "csv"], "omit --marks"),
        (["evaluate", *INPUTS, "--second", "--format", "tsv"], "tsv has no marks and no caption"),
    ],
)
def test_options_that_have_no_effect_are_refused(files, monkeypatch, invoke, words, problem):
    monkeypatch.chdir(files)
    assert problem in invoke(*words, "--quiet", code=2).err
