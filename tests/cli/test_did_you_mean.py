"""Other names and slips of the pen are understood, or lead to what is meant."""

import subprocess
import sys

import pytest

import rankgauge
from rankgauge.cli.parser import GROUPS, MOVED
from rankgauge.comparison.gate import parse_condition
from rankgauge.errors import OptionError

FILES = ("qrels.txt", "a.run", "b.run")


@pytest.fixture(autouse=True)
def files(working_folder):
    """Judgments and two runs."""
    run = "".join(f"{topic} Q0 a 1 2.0 t\n{topic} Q0 b 2 1.0 t\n" for topic in range(8))
    qrels = "".join(f"{topic} 0 a {topic % 2}\n{topic} 0 b 1\n" for topic in range(8))
    working_folder({"qrels.txt": qrels, "a.run": run, "b.run": run.replace("a 1 2.0", "c 1 2.0")})


@pytest.mark.parametrize("test", ["ttest", "t-test", "student", "fisher", "randomization", "permutation"])
def test_tests_and_corrections_have_their_other_names(test, invoke):
    assert invoke("compare", *FILES, "--test", test, "--quiet").out
    assert rankgauge.compare("qrels.txt", ["a.run", "b.run"], "AP", test=test)
    assert invoke("compare", *FILES, "--correction", "bonf", "--quiet").out


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["eval", *FILES], "did you mean evaluate?"),
        (["evaluate", *FILES, "-k", "10"], "the cutoff is part of the measure: -m nDCG@10"),
        (["evaluate", *FILES, "--cutoff", "10"], "the cutoff is part of the measure"),
        (["evaluate", *FILES, "-m", "AP(rle=2)"], "did you mean rel?"),
        (["evaluate", *FILES, "--fail-if", "nDCG10 below 0.9"], "--fail-if: no measure named 'nDCG10'"),
        (["compare", *FILES, "--fail-if", "nDCG10 below 0.9"], "--fail-if: no measure named 'nDCG10'"),
    ],
)
def test_a_slip_leads_to_what_is_meant(argv, said, invoke):
    assert said in invoke(*argv, code=2).err


def test_commands_of_earlier_versions_lead_to_those_of_today(invoke):
    known = {name for names in GROUPS.values() for name in names} | {"--completion"}
    for name, line in MOVED.items():
        assert invoke(name, "x", code=2).err == f"rankgauge: {name} has moved: rankgauge {line}\n"
        assert line.split()[0] in known


def test_help_version_and_american_spellings_are_understood(invoke):
    assert invoke("help").out == invoke("--help").out
    assert invoke("help", "measures").out == invoke("measures", "--help").out
    assert invoke("version").out == invoke("--version").out
    with_z, with_s = (
        invoke("fuse", "a.run", "b.run", "--method", "sum", f"--normali{letter}e=max") for letter in "zs"
    )
    assert with_z.out == with_s.out


def test_in_python_names_that_are_near_are_named():
    with pytest.raises(OptionError, match=r"has no option 'metrics' \(did you mean measures\?\)"):
        rankgauge.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, metrics="AP")
    done = subprocess.run(
        [sys.executable, "-c", "import rankgauge; rankgauge.evalute"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (
        "has no attribute 'evalute'; help(rankgauge) lists what it has. Did you mean: 'evaluate'?"
        in done.stderr
    )


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("nDCG@10 < 0.9", "nDCG@10 below 0.9"),
        ("nDCG@10<0.9", "nDCG@10 below 0.9"),
        ("AP(rel=2) > 0.5 on any topic", "AP(rel=2) above 0.5 on any topic"),
        ("nDCG@10 is below 0.9", "nDCG@10 below 0.9"),
        ("nDCG@10 falls below 0.9", "nDCG@10 below 0.9"),
        ("nDCG@10 is less than 0.9", "nDCG@10 below 0.9"),
        ("nDCG@10 more than 0.9", "nDCG@10 above 0.9"),
        ("nDCG@10 below 0.9 in length=<5", "nDCG@10 below 0.9 in length=<5"),
        ("nDCG@10 < 0.9 in length=>5", "nDCG@10 below 0.9 in length=>5"),
    ],
)
def test_limits_are_read_in_other_words(text, condition):
    assert str(parse_condition(text)) == condition
