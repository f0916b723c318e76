"""Figures and reports read what `evaluate` reads, with the same options, and show its values."""

import json
from pathlib import Path

import pytest

from rankgauge.cli.main import main

QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 1\n2 0 d 1\n3 0 e 2\n"
SUBTOPICS = "1 1 a 1\n1 2 a 2\n1 2 b 1\n1 3 c 0\n2 1 a 1\n2 2 d 1\n3 1 e 1\n"
WEIGHTS = "1 1 0.7\n1 2 0.2\n1 3 0.1\n2 1 0.5\n2 2 0.5\n3 1 1\n"
A = "1 Q0 c 1 3 t\n1 Q0 b 2 2 t\n2 Q0 a 1 2 t\n2 Q0 x 2 1 t\n3 Q0 e 1 2 t\n"
B = "1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n2 Q0 y 1 2 t\n3 Q0 y 1 2 t\n3 Q0 e 2 1 t\n"
FILES = {"q.txt": QRELS, "s.txt": SUBTOPICS, "weights.txt": WEIGHTS, "a.run": A, "b.run": B}
REPORT = ("report", "q.txt", "a.run", "b.run", "--format", "md")


@pytest.fixture(autouse=True)
def files(working_folder):
    """Judgments and runs, in the working directory."""
    return working_folder(FILES)


def test_a_figure_shows_names_of_runs_and_options_stand_anywhere():
    assert main(["figure", "curve", "q.txt", "ours=a.run", "-o", "curve.json", "b.run"]) == 0
    assert all(name in Path("curve.json").read_text() for name in ('"ours"', '"b"'))


def test_grids_of_measures(invoke):
    grid = ("-m", "nDCG(base=2|10)@1|2")
    report = invoke(*REPORT, *grid).out.replace("<span>@</span>", "@")
    for measure in ("nDCG(base=2)@1", "nDCG(base=2)@2", "nDCG(base=10)@1", "nDCG(base=10)@2"):
        assert measure in report
    assert main(["figure", "distribution", *REPORT[1:4], *grid, "-o", "figure.json"]) == 0
    assert len(json.loads(Path("figure.json").read_text())["concat"]) == 4


def test_a_report_weighs_subtopics_as_evaluation_does(invoke):
    words = ("s.txt", *REPORT[2:4], "-m", "ERR_IA@2 P_IA@2", "--subtopic-probabilities", "weights.txt")
    expected = json.loads(invoke("evaluate", *words, "--format", "json").out)["mean"]
    report = invoke("report", *words, "--profile", "diversity", "--format", "md").out
    assert all(f"{value:.4f}" in report for means in expected.values() for value in means.values())


def test_queries_of_other_topics_are_noticed(invoke):
    Path("topics.tsv").write_text("q9\twhat do bears eat\n")
    noted = invoke(*REPORT, "--topics", "topics.tsv").err
    assert 'note: topics.tsv has a text for no topic of the judgments, such as "1"' in noted
    assert "no topic" not in invoke(*REPORT, "--topics", "topics.tsv", "--quiet").err


def test_a_report_replaces_by_itself_only_a_report(refused):
    Path("report.html").write_text("<p>mine</p>")
    argv = ["report", "q.txt", "a.run", "--quiet"]
    assert "report.html exists and is not a report of rankgauge; name the file to write: -o FILE" in (
        refused(*argv)
    )
    assert Path("report.html").read_text() == "<p>mine</p>"
    assert main([*argv, "-o", "report.html"]) == 0  # where it is named, it may be replaced
    assert main(argv) == 0
