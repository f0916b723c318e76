"""Data on a terminal, which would obey control characters in ids; pipes get the bytes as they are."""

import os
import subprocess
import sys

import pytest

pty = pytest.importorskip("pty")

TITLE = "\x1b]0;owned\x07"  # sets the title of a terminal
COMMANDS = {
    "convert": ("convert", "run", "-", "--to", "trec"),
    "report": ("report", "qrels", "run", "-o", f"{TITLE}.md", "--quiet"),
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_terminal_gets_control_characters_escaped_and_a_pipe_as_they_are(words, write, tmp_path):
    write("qrels", "1 0 a 1\n")
    write("run", f"1 Q0 a{TITLE}\u202e 1 2 t\n1 Q0 a 2 1 t\n")
    command = [sys.executable, "-m", "rankgauge", *words]
    leader, follower = pty.openpty()
    try:
        done = subprocess.run(
            command, cwd=tmp_path, stdout=follower, stderr=subprocess.PIPE, check=False, timeout=60
        )
        shown = os.read(leader, 1 << 16).decode()
    finally:
        os.close(leader)
        os.close(follower)
    assert done.returncode == 0, done.stderr
    assert "\\x1b]0;owned\\x07" in shown
    assert all(each.isprintable() for each in shown.replace("\r\n", "")), shown
    piped = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True, timeout=60).stdout
    assert TITLE.encode() in piped
