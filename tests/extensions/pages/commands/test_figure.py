"""The command `rankgauge figure`."""

import json
import sys
from pathlib import Path

import pytest
from rankgauge.figures import figures as all_figures

import rankgauge
from rankgauge import figures
from rankgauge.cli.main import main

QRELS = "q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq2 0 a 1\n"
RUNS = {
    "bm25": "q1 Q0 u 1 9 t\nq1 Q0 a 2 8 t\nq2 Q0 a 1 7 t\n",
    "dense": "q1 Q0 a 1 9 t\nq1 Q0 c 2 8 t\nq2 Q0 b 1 7 t\n",
}
TABLE = "measure,beta,tau\nQ,1,0.9\nQ,2,0.8\n"


@pytest.fixture
def files(write):
    """Paths of judgments and of two runs."""
    runs = [str(write(f"{name}.run", text)) for name, text in RUNS.items()]
    return [str(write("qrels.txt", QRELS)), *runs]


def drawn(*argv):
    """The specification that a command line wrote, as its last word says."""
    assert main(["figure", *map(str, argv)]) == 0
    return json.loads(Path(argv[-1]).read_text(encoding="utf-8"))


def test_without_a_name_the_figures_are_listed(invoke):
    header, *lines = invoke("figure").out.splitlines()
    assert header == "figure\ttitle\tdrawn from"
    assert [line.split("\t")[0] for line in lines] == [*all_figures()]


@pytest.mark.parametrize("name", all_figures())
def test_the_help_of_a_figure_is_made_from_its_record(name, invoke):
    plot = all_figures()[name]
    message = " ".join(invoke("figure", name, "--help").out.split())
    assert " ".join(plot.help.split()) in message
    assert plot.cite in message
    for parameter in plot.parameters:
        assert f"--{parameter.name}" in message
        assert parameter.help in message
    assert f"rankgauge figure {name} " in message


def test_a_figure_is_the_one_of_the_library_and_its_caption_is_printed(files, tmp_path, capsys):
    spec = drawn("curve", *files, "-m", "nDCG DCG", "--depth", "5", "--no-ideal", "-o", tmp_path / "c.json")
    curves = rankgauge.curves(files[0], files[1:], "nDCG DCG", depth=5)
    figure = figures.curve(curves, ideal=False)
    assert spec == figure.spec
    assert capsys.readouterr().out == f"{figure.caption}\n"


def test_options_of_the_figure_and_of_its_look_are_taken(files, tmp_path):
    out = tmp_path / "f.json"
    spec = drawn(
        "pr-scatter", *files, "--beta", "2", "--theme", "dark", "--width", "page", "--no-heading", "-o", out
    )
    scores = rankgauge.evaluate(files[0], files[1:], "P@10 R@10")
    assert spec == figures.pr_scatter(scores, beta=2, theme="dark", width="page", headed=False).spec
    spec = drawn("difficulty", *files, "--highlight", "bm25", "--highlight", "dense", "-o", out)
    assert {row["run"] for row in spec["datasets"]["runs 1"]} == {"bm25", "dense"}


def test_a_picture_has_the_points_an_inch_that_were_asked_for(files, tmp_path):
    assert main(["figure", "differences", *files, "--ppi", "36", "-o", str(tmp_path / "d.png")]) == 0
    width = int.from_bytes((tmp_path / "d.png").read_bytes()[16:20], "big")
    assert width == 240 * 36 / 72


def test_the_rules_of_order_and_topics_hold_for_figures_too(files, tmp_path):
    spec = drawn("distribution", *files, "--missing", "skip", "-o", tmp_path / "d.json")
    scores = rankgauge.evaluate(files[0], files[1:], "AP", missing="skip")
    assert spec == figures.distribution(scores).spec


def test_a_file_of_scores_is_drawn_with_all_its_measures_or_some(files, tmp_path, invoke):
    rankgauge.evaluate(files[0], files[1:], "AP RR P@5").save(tmp_path / "s.json")
    spec = drawn("scatter", tmp_path / "s.json", "-m", "P@5 AP", "-o", tmp_path / "d.json")
    assert spec == figures.scatter(rankgauge.evaluate(files[0], files[1:], "P@5 AP")).spec
    assert (
        "takes two measures"
        in invoke("figure", "scatter", tmp_path / "s.json", "-o", tmp_path / "d.json", code=2).err
    )
    assert (
        "no measure here named 'Q'; use one of AP, RR, P@5"
        in invoke(
            "figure", "scatter", tmp_path / "s.json", "-m", "AP Q", "-o", tmp_path / "d.json", code=2
        ).err
    )


def test_an_option_that_is_repeated_names_several_runs(files, tmp_path):
    spec = drawn("crp", *files, "--run", "bm25", "--run", "dense", "--depth", "3", "-o", tmp_path / "a.json")
    assert {row["series"] for row in spec["datasets"]["effort"]} == {"bm25", "dense"}


def test_labels_are_read_from_a_file(files, write, tmp_path, capsys):
    labels = write("labels.tsv", "bm25\tOkapi\nndcg\tGraded\n")
    spec = drawn("curve", *files, "-m", "nDCG", "--labels", labels, "-o", tmp_path / "a.json")
    assert {row["run"] for row in spec["datasets"]["curve 1"]} == {"Okapi", "dense", "ideal"}
    assert spec["encoding"]["y"]["title"] == "Graded"
    assert "Graded (nDCG) is" in capsys.readouterr().out
    assert main(["figure", "curve", *files, "--labels", "none.tsv", "-o", str(tmp_path / "b.json")]) != 0
    assert "none.tsv" in capsys.readouterr().err


def test_a_figure_that_needs_no_data_takes_none(tmp_path, invoke):
    assert drawn("archetypes", "-o", tmp_path / "a.json")["datasets"]["recall base"] == [{"rank": 10}]
    assert (
        "unrecognized arguments: qrels.txt"
        in invoke("figure", "archetypes", "qrels.txt", "-o", tmp_path / "b.json", code=2).err
    )


def test_a_table_is_drawn_from_its_file(write, tmp_path):
    spec = drawn(
        "lines", write("t.csv", TABLE), "--y", "tau", "--rule", "0.5", "--marks", "-o", tmp_path / "t.json"
    )
    assert spec["datasets"]["lines"] == [
        {"series": "Q", "name": "Q", "x": 1.0, "y": 0.9},
        {"series": "Q", "name": "Q", "x": 2.0, "y": 0.8},
    ]
    assert spec["datasets"]["rule"] == [{"y": 0.5}]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["curve", "QRELS", "RUN", "-o", "c.gif"], "cannot infer the format of a figure from c.gif"),
        (["curve", "QRELS", "-o", "c.svg"], "the figure curve needs runs; pass QRELS RUN"),
        (["curve", "QRELS", "RUN", "--depth", "0", "-o", "c.svg"], "--depth must be a whole number from 1"),
        (["curve", "QRELS", "RUN", "--topic", "q9", "-o", "c.svg"], "no topic named 'q9'"),
        (["curve", "QRELS", "RUN", "-m", "nDGC", "-o", "c.svg"], "no measure named 'nDGC'"),
        (
            ["pr-scatter", "QRELS", "RUN", "--beta", "x", "-o", "c.svg"],
            "--beta must be a number from 0.01 to 100, not 'x'",
        ),
        *(
            (["pr-scatter", "QRELS", "RUN", "--beta", beta, "-o", "c.svg"], "beta must be a number from 0.01")
            for beta in ("1e200", "1e-200", "1e8")
        ),
        (
            ["curve", "QRELS", "RUN", "--ppi", "9" * 30, "-o", "c.png"],
            "--ppi must be a whole number from 1 to",
        ),
        (["curve", "QRELS", "RUN", "--depth", "9" * 30, "-o", "c.png"], "from 1 to 1000000, not"),
        (
            ["pr-scatter", "QRELS", "RUN", "--of", "x", "-o", "c.svg"],
            "of must be one of runs, topics, not 'x'",
        ),
        (["curve", "QRELS", "RUN"], "the following arguments are required: -o/--output"),
        (["curvy", "QRELS", "RUN", "-o", "c.svg"], "curvy"),
        (["lines", "QRELS", "-o", "c.svg"], "one of the extensions .csv, .tsv, .json, .jsonl"),
    ],
)
def test_errors_are_reported_and_nothing_is_written(argv, message, files, tmp_path, monkeypatch, invoke):
    monkeypatch.chdir(tmp_path)
    before = {*tmp_path.iterdir()}
    paths = {"QRELS": files[0], "RUN": files[1]}
    assert message in invoke("figure", *(paths.get(word, word) for word in argv), code=2).err
    assert {*tmp_path.iterdir()} == before


def test_without_the_libraries_the_command_says_what_to_install(files, tmp_path, monkeypatch, invoke):
    monkeypatch.setitem(sys.modules, "altair", None)
    assert (
        "needs altair, which is not installed; pip install 'rankgauge[plot]'"
        in invoke("figure", "curve", *files, "-o", tmp_path / "c.svg", code=2).err
    )
