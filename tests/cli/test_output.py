"""Where commands write: never over an input, and never to what is no file."""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import installed
from rankgauge.cli.inputs import kind_of
from rankgauge.cli.main import main
from rankgauge.cli.parser import parser

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 1\n"
RUN = "1 Q0 b 1 2.0 poor\n1 Q0 a 2 1.0 poor\n2 Q0 a 1 1.0 poor\n"
TABLE = "x,y\n1,2\n2,3\n"
# {command: its arguments without the output, in which the names of files stand for themselves}
COMMANDS = installed.rows(
    {
        "agreement": ["qrels.txt", "other.txt", "a.run"],
        "compare": ["qrels.txt", "a.run", "b.run"],
        "convert": ["a.run"],
        "convert --show decisions": ["journal.jsonl"],
        "dense": [
            "qrels.txt",
            "--queries",
            "table.csv",
            "--documents",
            "a.run",
            "b.run",
            "--doc-ids",
            "other.txt",
        ],
        "decide": ["qrels.txt", "a.run", "b.run", "--human-qrels", "other.txt"],
        "diff": ["qrels.txt", "a.run", "b.run", "--documents", "table.csv", "--topics", "teams.txt"],
        "evaluate": ["qrels.txt", "--quiet", "a.run", "b.run"],
        "explain": ["qrels.txt", "a.run", "--topic", "1", "-m", "AP"],
        "figure distribution": ["qrels.txt", "a.run", "b.run"],
        "figure lines": ["table.csv", "--x", "x", "--y", "y"],
        "fuse": ["a.run", "b.run"],
        "agreement --judges": ["qrels.txt", "other.txt", "a.run", "--groups", "teams.txt"],
        "evaluate --curve": ["qrels.txt", "a.run"],
        "evaluate -m Vital": ["table.csv", "--human-qrels", "other.txt"],
        "items -m Coverage@1": ["a.run", "--items", "table.csv"],
        "pool": ["a.run", "b.run", "--judged", "qrels.txt"],
        "agreement --docs 9": ["qrels.txt", "other.txt", "a.run"],
        "costs": ["qrels.txt", "lengths.tsv", "a.run"],
        "replicate": ["qrels.txt", "a.run", "b.run"],
        "report": ["qrels.txt", "name=a.run", "--documents", "table.csv", "--topics", "teams.txt"],
        "study leave_out": ["qrels.txt", "a.run", "b.run", "--teams", "teams.txt"],
        "study power": ["qrels.txt", "a.run", "b.run"],
        "figure asl": ["--collection", "A=qrels.txt,a.run,b.run,subtopics=subtopics.txt"],
        "compare --baseline a": ["qrels.txt", "a.run", "b.run", "--labels", "labels.csv"],
        "evaluate -m nERR-IA": ["subtopics.txt", "a.run", "--subtopic-probabilities", "probabilities.txt"],
    }
)
FILES = {
    **dict.fromkeys(("qrels.txt", "other.txt"), QRELS),
    **dict.fromkeys(("a.run", "b.run"), RUN),
    "table.csv": TABLE,
    "teams.txt": "a x\nb x\n",
    "journal.jsonl": "",
    "lengths.tsv": "a 10\n",
    "labels.csv": "a,A\nb,B\n",
    "subtopics.txt": "1 1 a 1\n1 2 b 1\n",
    "probabilities.txt": "1 1 0.5\n1 2 0.5\n",
}
CASES = [
    (command, file)
    for command, arguments in COMMANDS.items()
    for file in FILES
    if any(file in re.split("[=,]", each) for each in arguments)
]


@pytest.fixture(autouse=True)
def files(working_folder):
    """The files, in the working directory."""
    return working_folder(FILES)


def command_line(command, output):
    option = [] if "convert" in command else ["-o"]
    return [*command.split(), *COMMANDS[command], *option, output]


def outputs(of, path=()):
    """The commands that write a file, which `output` names, by a walk through all parsers."""
    for action in of._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, sub in action.choices.items():
                yield from outputs(sub, (*path, name))
        elif action.dest == "output" and action.metavar != "FOLDER":
            yield path[0]


def arguments(of):
    """The arguments of every command that are no options."""
    for action in of._actions:
        if isinstance(action, argparse._SubParsersAction):
            for sub in action.choices.values():
                yield from arguments(sub)
        elif not action.option_strings:
            yield action


def test_every_command_with_an_output_is_here():
    assert {*outputs(parser())} == {command.split()[0] for command in COMMANDS}


def test_every_argument_is_known_to_be_a_path_or_not():
    others = {each.metavar or each.dest for each in arguments(parser()) if kind_of(each) is None}
    assert others <= {"NAME", "NAME=URL"}  # of a measure, an experiment or an engine


@pytest.mark.parametrize(("command", "file"), CASES)
def test_an_input_is_never_replaced(command, file, invoke):
    assert (
        f"the output {file} is the same file as the input {file}, which would be lost"
        in invoke(*command_line(command, file), code=2).err
    )
    assert Path(file).read_text() == FILES[file]


def test_an_input_is_known_by_any_name(files, invoke):
    (files / "link.csv").symlink_to("qrels.txt")
    os.link("a.run", "hard.csv")
    (files / "folder").mkdir()
    shutil.copy("b.run", "folder/b.txt")
    (files / "parts").mkdir()
    shutil.copy("b.run", "parts/part-0.csv")
    for output, *runs in [
        ("link.csv", "a.run"),
        ("./folder/../qrels.txt", "a.run"),
        (str(files / "qrels.txt"), "a.run"),
        ("hard.csv", "a.run"),
        ("folder/b.txt", "folder/*"),
        ("folder/b.txt", "**/*.txt"),
        ("parts/part-0.csv", "parts"),
    ]:
        assert (
            "which would be lost"
            in invoke("evaluate", "qrels.txt", *runs, "--format", "csv", "-o", output, code=2).err
        )


def test_standard_input_is_not_replaced_either(files):
    argv = [sys.executable, "-m", "rankgauge", "evaluate", "qrels.txt", "-", "--format", "csv", "-o", "a.run"]
    with Path("a.run").open() as stdin:
        done = subprocess.run(argv, stdin=stdin, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "the output a.run is the same file as the input -" in done.stderr
    assert Path("a.run").read_text() == RUN


def test_what_is_no_input_may_be_replaced(files):
    for _ in range(2):
        assert main(["evaluate", "qrels.txt", "a.run", "-o", "scores.csv"]) == 0
    assert main(["evaluate", "qrels.txt", "a.run", "-m", "AP", "-o", os.devnull]) == 0


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("", "expected the name of a file to write, not ''"),
        (".", ".: the file cannot be written: this is a directory; name a file in it"),
        ("new/", "expected the name of a file to write, not 'new/'"),
        ("nowhere/x.csv", "nowhere/x.csv: the file cannot be written: there is no directory 'nowhere'"),
        ("x" * 300, "the file cannot be written: File name too long"),
        ("a\0b.csv", r"expected the name of a file to write, not 'a\x00b.csv'"),
    ],
)
def test_what_is_no_file_is_refused_before_anything_is_read(command, output, message, invoke, files):
    for name in FILES:
        (files / name).unlink()
    assert message in invoke(*command_line(command, output), code=2).err
