"""What the package adds obeys the laws of rankgauge, and does what it is for."""

import csv

import pytest
from rankgauge_multihop.view import incomplete

import rankgauge
from rankgauge.cli.main import main
from rankgauge.testing import check_figure, check_measure

QRELS = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1, "b": 2, "c": 0}}
RUNS = {
    "both": {"q1": {"a": 3.0, "b": 2.0}, "q2": {"c": 3.0, "b": 2.0, "a": 1.0}},
    "half": {"q1": {"a": 3.0, "c": 2.0}, "q2": {"a": 3.0, "c": 2.0}},
}


def test_the_measure_obeys_the_laws_of_measures():
    check_measure("AllFound")


def test_the_figure_obeys_the_laws_of_figures():
    check_figure("complete")


def test_a_topic_counts_when_the_last_of_its_documents_is_found():
    means = rankgauge.evaluate(QRELS, RUNS, "AllFound@1 AllFound@2 AllFound@3 AllFound").mean()
    assert [*means["both"].values()] == [0, 0.5, 1, 1]
    assert [*means["half"].values()] == [0, 0, 0, 0]


def test_the_command_writes_a_row_for_each_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{topic} 0 {doc} {grade}" for topic, judged in QRELS.items() for doc, grade in judged.items()]
    (tmp_path / "qrels.txt").write_text("\n".join(lines))
    for run, found in RUNS.items():
        lines = [f"{t} Q0 {doc} 1 {score} {run}" for t, by in found.items() for doc, score in by.items()]
        (tmp_path / f"{run}.run").write_text("\n".join(lines))
    assert main(["multihop", "qrels.txt", "both.run", "half.run", "--depths", "2,3", "-o", "found.csv"]) == 0
    rows = [*csv.reader((tmp_path / "found.csv").read_text().splitlines())]
    assert rows[0] == ["run", "AllFound@2", "AllFound@3"]
    assert [float(cell) for cell in rows[1][1:]] == [0.5, 1]


@pytest.mark.parametrize(("runs", "hard"), [(RUNS, []), ({"half": RUNS["half"]}, ["q1", "q2"])])
def test_the_view_names_the_questions_that_no_run_completes(runs, hard):
    exploration = rankgauge.explore(QRELS, runs, "AllFound@10")
    assert "Multi-hop" in exploration.html()
    answer = incomplete(exploration.session, {})
    assert answer["hard"] == hard
    assert [each["run"] for each in answer["runs"]] == [*runs]
