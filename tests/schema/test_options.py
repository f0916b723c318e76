"""How to set an option is written as it is set where the message is shown."""

import threading

import pytest

import rankgauge
from rankgauge.cli.main import main
from rankgauge.engines.threads import in_threads
from rankgauge.errors import InputError, OptionError
from rankgauge.schema.options import command_with, in_python, setting


@pytest.fixture
def command_line():
    with command_with({"--missing", "--run-columns", "--columns", "--from"}):
        yield


def test_python_has_keywords():
    assert setting("missing", "skip") == "missing=skip"
    assert setting("ties") == "ties"
    named = setting("columns", "doc=NAME", kind="run", python='{"doc": NAME}')
    assert named == 'columns={"doc": NAME} (run_columns in evaluate)'
    assert in_python("SubtopicQrels") == "SubtopicQrels"


@pytest.mark.usefixtures("command_line")
def test_a_command_has_options():
    assert setting("missing", "skip") == "--missing skip"
    assert setting("score_precision", "single") == "--score-precision single"
    assert setting("columns", "doc=NAME", kind="run", python="{}") == "--run-columns doc=NAME"
    assert setting("columns", "doc=NAME", kind="qrels") == "--columns doc=NAME"
    assert setting("ties") == "--ties"
    assert setting("format", "csv", kind="run") == "--from csv"
    assert in_python("SubtopicQrels") == ""


def test_messages_of_a_command_name_its_options(write, invoke):
    qrels = write("qrels", "1 0 a 1\n2 0 a 1\n2 0 b 0\n")
    run, twice = write("x.run", "1 Q0 a 1 1 t\n"), write("twice.run", "1 Q0 a 1 1 t\n1 Q0 a 2 2 t\n")
    table = write("x.csv", "query,what,score\n1,a,2\n")
    assert "counts as empty (--missing skip leaves it out)" in invoke("evaluate", qrels, run, "-m", "AP").err
    assert "use --duplicates first or --duplicates max" in invoke("evaluate", qrels, twice, code=2).err
    assert "or name it: --run-columns " in invoke("evaluate", qrels, table, code=2).err
    assert "or name it: --columns " in invoke("validate", table, "--kind", "run", code=1).out
    assert "or name it: --run-columns " in invoke("compare", qrels, table, run, code=2).err
    assert "pass it once, or give each a name: NAME=FILE\n" in invoke("evaluate", qrels, run, run, code=2).err
    runs = [str(write(f"{name}.run", f"1 Q0 {name} 1 1 t\n")) for name in "abc"]
    assert (
        "by chance (--correction holm accounts for that)"
        in invoke("compare", qrels, *runs, "-m", "AP", "--correction", "none").err
    )
    assert (
        "use --normalise topics"
        in invoke(
            "evaluate",
            "--curve",
            qrels,
            *runs,
            "-m",
            "DCG",
            "--normalise",
            "averages",
            "--level",
            "0.9",
            code=2,
        ).err
    )


def test_after_a_command_messages_are_those_of_python_again(write):
    qrels, run = write("qrels", "1 0 a 1\n2 0 a 1\n"), write("x.run", "1 Q0 a 1 1 t\n")
    assert main(["evaluate", str(qrels), str(run), "--quiet"]) == 0
    assert "missing=skip" in " ".join(rankgauge.evaluate(qrels, run, "AP").notes)
    with pytest.raises(InputError, match=r"or name the runs: \{name: run, \.\.\.\}"):
        rankgauge.evaluate(qrels, [run, run], "AP")
    with pytest.raises(OptionError, match="ties=average considers several"):
        rankgauge.curves(qrels, run, "P", ties="average")


@pytest.mark.usefixtures("command_line")
def test_messages_of_other_threads_are_those_of_the_work_they_are_part_of():
    assert in_threads(lambda rule: setting("missing", rule), ["skip", "zero"], 2) == [
        "--missing skip",
        "--missing zero",
    ]
    alone: list[str] = []
    thread = threading.Thread(target=lambda: alone.append(setting("missing", "skip")))
    thread.start()
    thread.join()
    assert alone == ["missing=skip"]
