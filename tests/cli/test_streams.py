"""Commands whose standard output or standard error is closed or full."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
COMMANDS = {
    "evaluate qrels.txt a.run": 0,  # with advice
    "evaluate nowhere.txt a.run": 2,
    "evaluate --no-such-option": 2,
    "compare qrels.txt a.run b.run --fail-if 'nDCG@10 drops'": 1,
    "convert a.run - --to csv": 0,  # with a note
    "trec_eval qrels.txt a.run": 0,
    "trec_eval --version": 0,
    "validate nowhere.txt qrels.txt": 2,
    "": 0,  # a leaderboard of what is here
}


@pytest.fixture(autouse=True)
def files(write, tmp_path, monkeypatch):
    """Judgments and runs, in the working directory."""
    write("qrels.txt", "1 0 a 1\n1 0 b 0\n2 0 a 1\n")
    write("a.run", "1 Q0 a x 2.0 a\n1 Q0 b x 1.0 a\n2 Q0 a x 1.0 a\n")
    write("b.run", "1 Q0 b 1 2.0 b\n1 Q0 a 2 1.0 b\n2 Q0 a 1 1.0 b\n")
    monkeypatch.chdir(tmp_path)


CONSOLE = '-c "import sys; from rankgauge.cli.main import console; sys.exit(console())"'


@pytest.fixture(params=["-m rankgauge", CONSOLE], ids=["module", "console"])
def shell(request):
    """The finished process of a command line with redirections, which Python ends, or the console script."""
    return lambda command: finished(f"'{sys.executable}' {request.param} {command}")


def finished(line):
    return subprocess.run(line, shell=True, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize(("command", "code"), COMMANDS.items())
def test_messages_that_cannot_be_written_change_nothing(shell, command, code):
    usual = shell(command)
    assert usual.returncode == code
    for redirection in ("2>&-", "2>/dev/full"):
        done = shell(f"{command} {redirection}")
        assert (done.returncode, done.stdout) == (code, usual.stdout)


@pytest.mark.parametrize(
    "command",
    [
        "evaluate qrels.txt a.run",
        "convert a.run - --to csv",
        "validate a.run",
        "--version",
        "evaluate --help",
    ],
)
@pytest.mark.parametrize(
    ("redirection", "message"),
    [(">&-", "standard output is closed"), (">/dev/full", "No space left on device")],
)
def test_results_that_cannot_be_written_are_an_error(shell, command, redirection, message):
    done = shell(f"{command} {redirection}")
    assert done.returncode == 2
    assert done.stderr.startswith(f"rankgauge: {message}")
    assert len(done.stderr.splitlines()) == 1
    assert shell(f"{command} {redirection} 2>&-").returncode == 2


@pytest.mark.parametrize("redirection", [">&-", ">/dev/full", "2>&-", ">&- 2>&- <&-"])
def test_a_file_is_written_whatever_the_other_streams_are(shell, redirection, tmp_path):
    assert shell("evaluate qrels.txt a.run -m P@1 -o usual.csv").returncode == 0
    assert shell(f"evaluate qrels.txt a.run -m P@1 -o scores.csv {redirection}").returncode == 0
    assert (tmp_path / "scores.csv").read_bytes() == (tmp_path / "usual.csv").read_bytes()
