"""Options of every command: what is out of their range is refused in words."""

import argparse

import pytest

import installed
from rankgauge.cli.main import main
from rankgauge.cli.parser import parser
from rankgauge.errors import RankgaugeError
from rankgauge.schema.options import LARGEST


def numeric(of):
    """The options that take a whole number, in all commands."""
    for action in of._actions:
        if isinstance(action, argparse._SubParsersAction):
            for sub in action.choices.values():
                yield from numeric(sub)
        elif action.metavar in ("N", "K,...") and action.type is not None:
            yield action


OPTIONS = [*numeric(parser())]


@pytest.mark.parametrize("text", ["9" * 20, "9" * 5000, "-1", "1.5", "", "x"])
def test_a_number_out_of_range_is_refused(text):
    for option in OPTIONS:
        with pytest.raises(RankgaugeError, match=r"must be a whole number from [012]"):
            option.type(text)


@pytest.mark.parametrize("text", ["3", " 003 "])
def test_a_small_number_is_read(text):
    assert all(option.type(text) in (3, (3,), [3]) for option in OPTIONS)


@pytest.fixture
def files(working_folder):
    """Judgments and two runs."""
    working_folder(
        {
            "qrels.txt": "1 0 a 1\n1 0 b 0\n2 0 a 1\n",
            "a.run": "1 Q0 a 1 2.0 a\n1 Q0 b 2 1.0 a\n2 Q0 a 1 1.0 a\n",
            "b.run": "1 Q0 b 1 2.0 b\n1 Q0 a 2 1.0 b\n2 Q0 a 1 1.0 b\n",
        }
    )


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    "command",
    installed.rows(
        [
            "compare qrels.txt a.run b.run --threads N --seed N",
            "evaluate qrels.txt a.run b.run --threads N",
            "explain qrels.txt a.run --topic 1 -m AP --limit N",
            "pool a.run b.run --depth N --threads N",
            "study power qrels.txt a.run b.run --threads N --limit N",
            "validate qrels.txt --limit N",
        ]
    ),
)
def test_the_largest_number_is_allowed(command):
    assert main(command.replace("N", str(LARGEST)).split()) == 0


@pytest.mark.usefixtures("files")
def test_places_are_limited(invoke):
    assert (
        invoke("evaluate", "qrels.txt", "a.run", "-m", "RR", "--places", "1000", "--quiet").out
        == f"run\tRR\na\t1.{'0' * 1000}\n"
    )
    assert (
        "--places must be a whole number from 0 to 1000, not 1001"
        in invoke("evaluate", "qrels.txt", "a.run", "--places", "1001", code=2).err
    )


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("measures", ["", " "])
def test_scores_are_not_compared_by_no_measure(measures, invoke):
    assert main(["evaluate", "qrels.txt", "a.run", "b.run", "-o", "scores.parquet"]) == 0
    assert (
        "no measures; name at least one of AP, RR, P@10"
        in invoke("compare", "scores.parquet", "-m", measures, code=2).err
    )
