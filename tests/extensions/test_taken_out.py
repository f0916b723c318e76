"""Extensions can be taken out: the base works without them, lists fewer commands, and names what is gone."""

import json
import subprocess
import sys

import pytest

import small
from rankgauge.cli.parser import OWN
from rankgauge.schema.extensions import EXTENSIONS
from without_extensions import copy_without, names

PARTS = [(name,) for name in EXTENSIONS] + [tuple(EXTENSIONS)]
SHARED = "qrels.txt runs/bm25.run"
WORK = {  # what the base does, and what that prints
    f"evaluate {SHARED} -m nDCG@10": "nDCG@10",
    f"compare {SHARED} runs/ql.run -m AP": "AP",
    f"diff {SHARED} runs/ql.run -m AP": "AP",
    f"explain {SHARED} --topic 101 -m AP": "AP",
    f"trec_eval -m map {SHARED}": "map",
    f"validate {SHARED}": "bm25",
    "convert runs/bm25.run bm25.csv": "",
    f"evaluate {SHARED} -m P --curve --depth 3": "P",
    "measures nDCG": "nDCG",
    "--help": "evaluate",
}
# Every command one after another in one process, with its exit code and output.
PROGRAM = """
import contextlib, io, json, sys
from rankgauge.cli.main import main
answers = {}
for line in json.load(sys.stdin):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(line.split())
    answers[line] = status, out.getvalue(), err.getvalue()
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("work")
    small.write(folder)
    return folder


@pytest.fixture(scope="module", params=PARTS, ids="+".join)
def taken_out(request, tmp_path_factory, work):
    """(the extensions that are missing, a function that runs a program without them)."""
    folder = tmp_path_factory.mktemp("copy")
    environment = copy_without(request.param, folder)

    def run(program, text=""):
        done = subprocess.run(
            [sys.executable, "-c", program],
            env=environment, cwd=work, input=text, capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    return request.param, run


def test_the_table_and_the_folders_name_the_same_extensions():
    assert sorted(EXTENSIONS) == names()


def test_the_base_works_and_other_commands_say_what_is_missing(taken_out):
    missing, run = taken_out
    gone = [command for name in missing for command in EXTENSIONS[name].commands]
    there = [command for name in EXTENSIONS if name not in missing for command in EXTENSIONS[name].commands]
    lines = [*WORK, *(f"{command} --help" for command in (*there, *gone))]
    answers = json.loads(run(PROGRAM, json.dumps(lines)))
    for line, wanted in WORK.items():
        status, out, err = answers[line]
        assert status == 0, (line, err)
        assert wanted in out, line
    listed = [line.split()[0] for line in answers["--help"][1].splitlines() if line.startswith("  ")]
    assert {*OWN, *there} <= {*listed}
    assert not {*gone} & {*listed}
    for command in there:  # which may need another extension
        status, _, err = answers[f"{command} --help"]
        assert status == 0 or (status == 2 and "belongs to the extension" in err), (command, err)
    for name in missing:
        for command in EXTENSIONS[name].commands:
            status, out, err = answers[f"{command} --help"]
            assert (status, out) == (2, "")
            assert f"the command {command} belongs to the extension {name}" in err


def test_public_names_are_there_or_say_what_is_missing(taken_out):
    missing, run = taken_out
    public = [(name, each) for name, its in EXTENSIONS.items() for each in its.names]
    asked = "import importlib, rankgauge\n" + "".join(
        f"try:\n    rankgauge.{each} if {'.' not in each} else importlib.import_module('rankgauge.{each}')\n"
        f"    print('{each}: there')\n"
        f"except Exception as error:\n    print('{each}:', error)\n"
        for _, each in public
    )
    for (name, each), line in zip(public, run(asked).splitlines(), strict=True):
        if name in missing:
            assert f"rankgauge.{each} belongs to the extension {name}" in line
        else:
            assert "belongs to the extension" not in line
