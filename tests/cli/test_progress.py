"""Progress on a terminal: it appears after a while, counted or not, and never elsewhere."""

import io
import os
import re
import sys
import time

import pytest

import installed
from rankgauge.cli import output, terminal
from rankgauge.cli.main import main

PATIENCE = 20  # seconds, for a machine that has much else to do


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self):
        return True


def terminal_of(monkeypatch):
    """A terminal instead of standard error, where bars appear at once.

    It is no fixture, because pytest replaces standard error after those.
    """
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(terminal, "PATIENCE", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    return stream


def wait_for(stream, text):
    end = time.monotonic() + PATIENCE
    while text not in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", stream.getvalue()):
        assert time.monotonic() < end, text
        time.sleep(0.01)


def bars(monkeypatch):
    """The titles of the bars, as they are made."""
    titles = []

    class Bar(terminal.Bar):
        def __init__(self, title, *rest):
            titles.append(title)
            super().__init__(title, *rest)

    monkeypatch.setattr(terminal, "Bar", Bar)
    return titles


def test_a_bar_appears_although_nothing_is_counted(monkeypatch):
    screen = terminal_of(monkeypatch)
    with output.progress("studying"):
        wait_for(screen, "studying")


def test_it_shows_how_much_is_done_and_then_what_comes_next(monkeypatch):
    screen = terminal_of(monkeypatch)
    with output.progress("reading", then="measuring") as progress:
        wait_for(screen, "reading")
        progress(3, 4)
        wait_for(screen, "75%")
        progress(4, 4)
        wait_for(screen, "measuring")
    assert not screen.getvalue().rsplit("\r", 2)[-2].strip()  # the line is cleared


def test_a_bar_leaves_standard_output_alone(monkeypatch):
    screen, file = terminal_of(monkeypatch), io.StringIO()
    monkeypatch.setattr(sys, "stdout", file)
    with output.progress("writing"):
        wait_for(screen, "writing")
        print("a row")
    assert file.getvalue() == "a row\n"
    assert "a row" not in screen.getvalue()


@pytest.mark.parametrize("goes_to", ["a pager", "a file", "a redirection"])
def test_no_bar_is_drawn_over_a_pager_while_lines_are_written(goes_to, tmp_path, monkeypatch):
    terminal_of(monkeypatch)
    titles = bars(monkeypatch)
    scores = tmp_path / "scores.csv"
    scores.write_text("topic,a,b\n1,0.5,0.25\n2,0.5,0.75\n")
    command = ["compare", str(scores), "--format", "csv"]
    if goes_to == "a file":
        command += ["-o", str(tmp_path / "out.csv")]
    read, write = os.pipe()
    with os.fdopen(read), os.fdopen(write, "w") as pager, (tmp_path / "redirected.csv").open("w") as file:
        monkeypatch.setattr(sys, "stdout", file if goes_to == "a redirection" else pager)
        assert main(command) == 0
    assert ("writing" in titles) == (goes_to != "a pager")


def test_short_work_shows_nothing(monkeypatch):
    screen = terminal_of(monkeypatch)
    monkeypatch.setattr(terminal, "PATIENCE", 60.0)
    with output.progress("reading") as progress:
        progress(1, 2)
    assert screen.getvalue() == ""


def test_there_is_no_bar_off_a_terminal_or_when_it_is_not_wanted(monkeypatch):
    screen = terminal_of(monkeypatch)
    with output.progress("reading", shown=False) as progress:
        assert progress is None
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with output.progress("reading") as progress:
        assert progress is None
    assert screen.getvalue() == ""


@pytest.mark.parametrize(
    "command",
    installed.rows(
        [
            "convert R1 OTHER --to csv",
            "evaluate Q R1 R2",
            "compare Q R1 R2 --format csv",
            "study robustness Q R1 R2",
            "study power Q R1 R2",
            "agreement Q Q",
            "pool R1 R2",
            "validate R1",
            "report Q R1 R2 --format md",
            "simulate OTHER --topics 2 --systems 1",
            "agreement Q Q R1 --docs 100",
        ]
    ),
)
def test_every_long_command_shows_its_progress(command, tmp_path, monkeypatch):
    terminal_of(monkeypatch)
    titles = bars(monkeypatch)
    qrels = tmp_path / "q.txt"
    qrels.write_text("".join(f"t{i} 0 d{j} {j % 2}\n" for i in range(30) for j in range(4)))
    runs = [tmp_path / f"{name}.run" for name in ("a", "b")]
    for sign, run in enumerate(runs):
        run.write_text(
            "".join(f"t{i} Q0 d{j} 1 {(j * i * (sign + 1)) % 7} x\n" for i in range(30) for j in range(4))
        )
    names = {"Q": qrels, "R1": runs[0], "R2": runs[1], "OTHER": tmp_path / "other"}
    monkeypatch.setattr("rankgauge.evaluation.evaluator.evaluate_small", lambda *_, **__: None)
    assert main([str(names.get(word, word)) for word in command.split()]) == 0
    assert titles
