"""What reading took for granted is printed by every command that reads files."""

from pathlib import Path

import pytest

import installed
import rankgauge
from rankgauge.formats import problems

RANKS, VALUES = "topic, document and rank (--run-format triples", "topic, document and score (a header"
GRADES = "topic, document and grade (a header"


@pytest.fixture(autouse=True)
def files(working_folder):
    """Judgments and runs in three columns without a header, in the working directory."""
    working_folder(
        {
            "q.txt": "1 a 1\n1 b 0\n2 a 1\n",
            "m.tsv": "1\ta\t1\n1\tb\t2\n2\ta\t1\n",
            "s.txt": "1 b 1.5\n1 a 0.5\n2 a 1\n",
        }
    )


COMMANDS = installed.rows(
    {
        "evaluate q.txt m.tsv s.txt": (GRADES, RANKS, VALUES),
        "compare q.txt m.tsv s.txt": (GRADES, RANKS, VALUES),
        "evaluate --curve q.txt m.tsv s.txt": (GRADES, RANKS, VALUES),
        "pool m.tsv s.txt": (RANKS, VALUES),
        "explain q.txt s.txt -m AP": (GRADES, VALUES),
        "explain q.txt s.txt -m AP --topic 1": (GRADES, VALUES),
        "study correlation q.txt m.tsv s.txt x=m.tsv": (GRADES, RANKS, VALUES),
        "figure pr q.txt m.tsv -o f.svg": (GRADES, RANKS),
        "agreement q.txt q.txt m.tsv s.txt": (GRADES, RANKS, VALUES),
        "agreement --judges q.txt q.txt m.tsv s.txt": (GRADES, RANKS, VALUES),
        "report q.txt m.tsv s.txt -o r.html": (GRADES, RANKS, VALUES),
    }
)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_assumption_is_printed_once(command, invoke):
    err = invoke(*command.split()).err
    assert [err.count(text) for text in (GRADES, RANKS, VALUES)] == [
        int(text in COMMANDS[command]) for text in (GRADES, RANKS, VALUES)
    ]
    assert not problems.ASSUMPTIONS


@pytest.mark.parametrize("command", [command for command in COMMANDS if not command.startswith("explain")])
def test_quiet_commands_print_no_assumptions(command, invoke):
    assert "three columns" not in invoke(*command.split(), "--quiet").err


def test_what_is_named_is_not_assumed(invoke):
    named = ["--run-format", "msmarco", "--qrels-format", "triples"]
    assert "three columns" not in invoke("evaluate", "q.txt", "m.tsv", *named).err


def test_files_of_the_same_kind_are_named_together(invoke):
    argv = ["evaluate", "q.txt"]
    for name in "abcde":
        Path(f"{name}.txt").write_text("1 b 1.5\n1 a 0.5\n")
        argv.append(f"{name}.txt")
    assert "note: a, b, c and 2 more: three columns without a header" in invoke(*argv).err


def test_in_python_nothing_is_kept():
    rankgauge.evaluate("q.txt", "m.tsv", "AP")
    assert not problems.ASSUMPTIONS
