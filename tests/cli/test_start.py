"""The first minute: `rankgauge` alone, and `rankgauge demo`."""

import os
import shlex
from pathlib import Path

import pytest

import installed
import rankgauge

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 1\n"
RUN = "1 Q0 a 1 2.0 t\n1 Q0 b 2 1.0 t\n2 Q0 b 1 1.0 t\n"


@pytest.mark.parametrize("below", ["", "runs"])
def test_alone_in_a_folder_it_evaluates_the_runs_and_its_next_commands_work(below, working_folder, invoke):
    working_folder({"qrels.txt": QRELS, "README.md": "# A campaign\n"})
    Path(below).mkdir(exist_ok=True)
    for name, text in (("poor", RUN.replace("1 Q0 a", "1 Q0 c")), ("good", RUN)):
        Path(below, f"{name}.run").write_text(text)
    printed = invoke()
    assert [line.split("\t")[0] for line in printed.out.splitlines()] == ["run", "good", "poor"]
    commands = [line.strip() for line in printed.err.partition("next:\n")[2].splitlines()]
    assert [line.split()[1] for line in commands] == ["compare", "report", "explore"]
    assert "good" in invoke(*shlex.split(commands[0])[1:]).out


def test_of_one_run_it_names_what_explains_it(working_folder, invoke):
    working_folder({"a.qrels": QRELS, "a b.run": RUN})
    commands = [line.strip() for line in invoke().err.partition("next:\n")[2].splitlines()]
    assert commands[0] == "rankgauge explain a.qrels 'a b.run'"
    assert invoke(*shlex.split(commands[0])[1:]).out


@pytest.mark.parametrize(
    "files", [{}, {"qrels.txt": QRELS}, {"a.run": RUN}, {"q1": QRELS, "q2": QRELS, "r": RUN}]
)
def test_without_judgments_and_runs_it_prints_the_help(files, working_folder, invoke):
    working_folder(files)
    assert invoke(code=2).err.startswith("usage: rankgauge")


@pytest.mark.skipif("demo" not in installed.COMMANDS, reason="an extension was taken out")
def test_the_demonstration_shows_each_command_and_runs_it(working_folder, invoke):
    working_folder({})
    printed = invoke("demo")
    steps = [line.split()[2] for line in printed.out.splitlines() if line.startswith("$ rankgauge")]
    assert steps == ["simulate", "evaluate", "compare", "report"]
    assert "0.5715" in printed.out
    assert "<html" in Path("demo/report.html").read_text()
    assert rankgauge.Run.read("demo/runs/bm25.run").topics
    os.chdir("demo")
    assert invoke().out.startswith("run\tnDCG@10")
