"""The console script."""

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from rankgauge import __main__ as module
from rankgauge.schema.lazy import REQUIRED


def program(code):
    return f"import os, sys\n{code}\nfrom rankgauge.__main__ import console\nsys.exit(console())"


def console(*argv, code="", **others):
    """The finished process of the console script, with some code run before it."""
    return subprocess.run(
        [sys.executable, "-c", program(code), *argv],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        **others,
    )


def test_the_console_script_is_the_one_that_is_tested():
    project = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    place, name = re.search(r'^rankgauge = "([\w.]+):(\w+)"$', project, re.MULTILINE).groups()
    assert getattr(import_module(place), name) is module.console


@pytest.mark.parametrize(("argv", "code"), [(["--version"], 0), (["no-such-command"], 2)])
def test_output_and_exit_codes_are_those_of_main(argv, code, invoke):
    done, usual = console(*argv), invoke(*argv, code=code)
    assert (done.returncode, done.stdout, done.stderr) == (code, usual.out, usual.err)


def test_a_copy_of_standard_input_is_removed(tmp_path, write):
    write("qrels.txt", "1 0 a 1\n")
    (tmp_path / "temporary").mkdir()
    done = console(
        "evaluate",
        "qrels.txt",
        "-",
        input="1 Q0 a 1 2.0 a\n",
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path / "temporary"), "TEMP": str(tmp_path / "temporary")},
    )
    assert done.returncode == 0
    assert "stdin" in done.stdout
    assert not list((tmp_path / "temporary").iterdir())


LONG = "import rankgauge.cli.measures as m; m.run = lambda args: [print('x' * 79) for _ in range(9999)] and 0"


def test_long_output_is_whole():
    done = console("measures", code=LONG)
    assert done.returncode == 0
    assert done.stdout == ("x" * 79 + "\n") * 9999


@pytest.mark.skipif(os.name == "nt", reason="needs pipes that report a closed reader")
def test_a_reader_that_has_enough_is_no_error():
    with subprocess.Popen(
        [sys.executable, "-c", program(LONG), "measures"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as writer:
        assert writer.stdout.readline() == b"x" * 79 + b"\n"
        writer.stdout.close()
        assert writer.wait(timeout=60) == 141
        assert writer.stderr.read() == b""


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_an_interruption_is_a_message_and_an_exit_code(name, status):
    wait = f"os.kill(os.getpid(), signal.{name}) or time.sleep(60)"
    code = f"import signal, time, rankgauge.cli.measures as m; m.run = lambda args: {wait}"
    done = console("measures", code=code)
    assert (done.returncode, done.stdout) == (status, "")
    assert len(done.stderr.splitlines()) == 1


def test_all_dependencies_are_known_by_name():
    project = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    listed = project.partition("\ndependencies = [")[2].partition("]")[0]
    assert set(re.findall(r'"([\w-]+)>=', listed)) == set(REQUIRED.values())
