"""Studies as they are printed in papers: they fit the page, with labels and captions."""

import json
from pathlib import Path

import pytest

import small
import typesetting

INPUTS = ("qrels.txt", "runs/*.run")
QUICK = {"power": ["--samples", "20"], "robustness": ["--shuffles", "2"]}


@pytest.fixture
def study(tmp_path, monkeypatch, invoke):
    """Run `rankgauge study` on four runs."""
    small.write(tmp_path, topics=25, depth=40, systems=("bm25", "dense", "rerank", "hybrid"))
    monkeypatch.chdir(tmp_path)
    return lambda name, *words, **options: invoke("study", name, *INPUTS, "--quiet", *words, **options)


def test_studies_fit_the_page(study, tmp_path):
    typesetting.needs_latex()
    names = ["alpha", "correlation", "leave-out", "power", "robustness", "topics", "twist"]
    texts = [study(name, "--format", "latex", *QUICK.get(name, [])).out for name in names]
    for text in texts:
        assert "Gains(" not in text
        assert "Discount(" not in text
    assert typesetting.problems(texts, tmp_path) == ([], [])


def test_a_table_has_labels_a_caption_and_a_width(study):
    labels = ("--labels", "labels.json", "--caption", "Who is missed.", "--table-label", "tab:x")
    Path("labels.json").write_text(json.dumps({"bm25": "BM25"}))
    words = ("-m", "AP", "--table", "runs", "--format", "latex", *labels, "--column-width", "347")
    text = study("leave-out", *words).out
    assert r"\caption{Who is missed.}" in text
    assert r"\label{tab:x}" in text
    assert "BM25" in text
    assert "bm25" not in text


@pytest.mark.parametrize(
    "words",
    [
        ("study", "correlation", *INPUTS, "-m", "AP nDCG@10", "--samples", "0", "--table", "tau_b"),
        ("figure", "scatter", *INPUTS, "-m", "AP nDCG@10", "-o", "scatter.json"),
        ("figure", "robustness", *INPUTS, "-m", "nDCG@10 AP", "--shuffles", "1", "-o", "robust.json"),
    ],
    ids=lambda words: words[1],
)
@pytest.mark.usefixtures("study")
def test_a_label_of_nothing_is_noted(invoke, words):
    Path("labels.json").write_text(json.dumps({"dense": "Dense", "102": "the second query", "bm52": "BM25"}))
    noted = [line for line in invoke(*words, "--labels", "labels.json").err.splitlines() if "label" in line]
    assert noted == ['note: no run, measure or topic named "bm52"; the label is not used']
    assert "label" not in invoke(*words, "--labels", "labels.json", "--quiet").err


def test_findings_compile_as_typst(study, tmp_path):
    typst = pytest.importorskip("typst", reason="typst is not installed")
    (tmp_path / "paper.typ").write_text(study("leave-out", "-m", "AP", "--format", "typst").out)
    assert typst.compile(str(tmp_path / "paper.typ"), format="pdf").startswith(b"%PDF")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["leave-out", "--caption", "x"], "choose one with --table"),
        (["power", "--table", "power", "--caption", "x", "-o", "p.csv"], "omit --caption"),
        (["power", "--labels", "x.csv", "--format", "json"], "json has all names as they are"),
    ],
)
def test_options_that_have_no_effect_are_refused(study, words, problem):
    assert problem in study(*words, code=2).err
