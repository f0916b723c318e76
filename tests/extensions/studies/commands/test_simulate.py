"""The command that makes campaigns."""

import inspect
import subprocess
import sys

import pytest

from rankgauge.cli.main import main
from rankgauge.extensions.studies.simulation import SHUFFLE, simulate


def test_it_says_what_was_written_and_the_seed(tmp_path, invoke):
    options = ["--topics", "3", "--depth", "10", "--systems", "2", "--seed", "5"]
    lines = [line.split("\t") for line in invoke("simulate", tmp_path, *options).out.splitlines()]
    assert [name for name, _ in lines] == [
        str(tmp_path / "qrels.txt"),
        str(tmp_path / "runs" / "bm25.run"),
        str(tmp_path / "runs" / "dense.run"),
        "seed",
    ]
    assert lines[1][1] == lines[2][1] == "30"
    assert lines[3][1] == "5"


def test_every_option_reaches_the_campaign(tmp_path, capsys):
    numbers = {"topics": 4, "depth": 9, "systems": 1, "grades": 2, "subtopics": 2, "seed": 8}
    shares = {"judged": 6.5, "ties": 0.3, "missing": 0.2, "short": 0.1, "unjudged": 0.2}
    sizes = {**numbers, **shares}
    options = [text for name, value in sizes.items() for text in (f"--{name}", str(value))]
    assert main(["simulate", str(tmp_path / "a"), *options, "--gz", "--shuffle", "lines"]) == 0
    simulate(**sizes).write(tmp_path / "b", gz=True, shuffle="lines")
    assert sizes.keys() == inspect.signature(simulate).parameters.keys()
    for name in ("qrels.txt.gz", "qrels.diversity.txt.gz", "runs/bm25.run.gz"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_second_campaign_needs_force(tmp_path, invoke):
    tiny = ["simulate", str(tmp_path), "--topics", "2", "--depth", "5", "--systems", "1"]
    assert main(tiny) == 0
    assert "already exists" in invoke(*tiny, code=2).err
    assert main([*tiny, "--force"]) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--topics 0", "topics must be a whole number from 1 to 5,000,000, not 0"),
        ("--shuffle line", "shuffle must be one of none, lines, topics, not 'line' (did you mean lines?)"),
        ("--ties 2", "ties must be a number from 0 to 1, not 2.0"),
    ],
)
def test_a_bad_option_is_an_error_and_nothing_is_written(tmp_path, invoke, options, message):
    assert message in invoke("simulate", tmp_path / "new", *options.split(), code=2).err
    assert not (tmp_path / "new").exists()


def test_the_help_names_the_defaults_of_the_library(invoke):
    text = " ".join(invoke("simulate", "--help", "--all").out.split())
    for name, parameter in inspect.signature(simulate).parameters.items():
        described = text.split(f" --{name} ")[-1].split(" --")[0]
        default = 200 if parameter.default is None else parameter.default
        assert f"(default {default:g}" in described


def test_the_help_names_every_order_of_lines(invoke):
    text = invoke("simulate", "--help").out
    assert all(f"{order}: " in text for order in SHUFFLE.rules)


def test_help_does_not_wait_for_numpy():
    program = (
        "import sys; from rankgauge.cli.main import main; main(['simulate', '--help']); print(*sys.modules)"
    )
    command = [sys.executable, "-c", program, "simulate", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "numpy" not in done.stdout.splitlines()[-1].split()
