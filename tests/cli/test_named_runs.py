"""`NAME=path` on the command line names a run."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import installed
import rankgauge
from rankgauge.cli.main import main
from rankgauge.formats.source import NamedPath, named

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 1\n"
RUN = "1 Q0 b 1 2.0 poor\n1 Q0 a 2 1.0 poor\n2 Q0 a 1 1.0 poor\n"
OTHER = "1 Q0 a 1 2.0 good\n1 Q0 b 2 1.0 good\n2 Q0 a 1 1.0 good\n"


@pytest.fixture(autouse=True)
def files(working_folder):
    """Judgments and runs in the working directory."""
    return working_folder({"q.txt": QRELS, "a.run": RUN, "b.run": OTHER})


@pytest.fixture
def names(invoke):
    """A function that evaluates runs and returns their names in the output."""

    def names(*argv):
        out = invoke("evaluate", "q.txt", *argv, "-m", "AP", "--format", "json", "--quiet").out
        return list(json.loads(out)["mean"])

    return names


def test_a_run_has_the_name_it_is_given(names):
    assert names("ours=b.run", "a.run", "bm25=a.run") == ["ours", "a", "bm25"]
    assert names("a run=./a.run") == ["a run"]


@pytest.mark.parametrize(
    "argv",
    installed.rows(
        [
            ["compare", "q.txt", "one=a.run", "two=b.run", "--baseline", "two", "--format", "csv"],
            ["evaluate", "--curve", "q.txt", "one=a.run", "two=b.run", "--goal", "two", "--format", "table"],
            ["explain", "q.txt", "two=b.run", "-m", "AP", "--format", "json"],
            ["explain", "q.txt", "two=b.run", "-m", "AP", "--topic", "1", "--format", "json"],
            ["report", "q.txt", "one=a.run", "two=b.run", "--format", "md", "-o", "-"],
            ["pool", "one=a.run", "two=b.run", "--show", "runs", "--format", "csv"],
            ["study", "correlation", "q.txt", "one=a.run", "two=b.run", "z=a.run", "--format", "json"],
            ["study", "leave_out", "--collection", "A=q.txt,one=a.run,two=b.run", "--format", "json"],
            [
                "agreement",
                "q.txt",
                "q.txt",
                "one=a.run",
                "two=b.run",
                "--table",
                "orders",
                "--format",
                "json",
            ],
        ]
    ),
)
def test_every_command_that_takes_runs_takes_names(argv, invoke):
    out = invoke(*argv, *([] if argv[0] == "explain" else ["--quiet"])).out
    if argv[:2] == ["study", "correlation"] or argv[0] == "agreement":  # which show no runs
        return
    assert "two" in out


def test_validate_takes_them_and_shows_the_file(invoke):
    assert invoke("validate", "bm25=a.run").out.startswith("a.run: a run, trec")


def test_a_name_is_for_one_run(names, refused, files):
    err = refused("evaluate", "q.txt", "ours=*.run")
    assert "ours=*.run: *.run stands for 2 runs, and a name is for one; name each of them" in err
    assert names("ours=a*.run") == ["ours"]
    err = refused("evaluate", "q.txt", "x=a.run", "x=b.run")
    assert "run 'x' occurs twice; pass it once, or give each a name: NAME=FILE" in err
    (files / "x").mkdir()
    shutil.copy("a.run", "x/a.run")
    assert names("a=b.run", "a.run", "x/a.run") == ["a", "a.run", "x/a.run"]


def test_a_file_that_exists_is_read_whatever_its_name(names, files):
    shutil.copy("a.run", "lr=b.run")
    assert names("lr=b.run") == ["lr=b"]
    assert names("lr=*.run") == ["lr=b"]  # the pattern of a file that exists
    (files / "lr=b.run").unlink()
    assert names("lr=b.run") == ["lr"]


def test_partitions_are_directories(names, refused, files):
    for name in ("bm25", "dense"):
        (files / "all" / f"run={name}").mkdir(parents=True)
        rankgauge.Run.read("a.run").write(files / "all" / f"run={name}" / "part-0.parquet")
    assert names("all") == ["bm25", "dense"]
    assert names("all/run=bm25/part-0.parquet") == ["part-0"]
    err = refused("evaluate", "q.txt", "ours=all")
    assert "all stands for 2 runs" in err
    shutil.rmtree("all/run=dense")
    assert names("ours=all") == ["ours"]
    shutil.move("all/run=bm25", "run=bm25")
    assert names("run=bm25/part-0.parquet") == ["part-0"]
    assert names("run=*/part-0.parquet") == ["part-0"]


def test_standard_input_can_have_a_name(files):
    argv = [sys.executable, "-m", "rankgauge", "evaluate", "q.txt", "ours=-", "-m", "AP", "--quiet"]
    done = subprocess.run(argv, input=OTHER, capture_output=True, text=True, check=True)
    assert done.stdout == "run\tAP\nours\t1.0000\n"


def test_what_is_no_name_is_a_path():
    for text in ("a.run", "x/y=b.run", "=a.run", " =a.run", "a=", "hdfs://host/run=bm25"):
        assert named(text) == text
        assert not isinstance(named(text), NamedPath)


def test_a_file_that_is_missing_is_named(refused):
    assert "nowhere.run: no such file" in refused("evaluate", "q.txt", "x=nowhere.run")


def test_the_topic_of_a_single_topic_s_file_is_not_the_name_of_its_run(invoke, files):
    (files / "1.res").write_text("a\nb\n")
    assert (
        invoke("evaluate", "q.txt", "ours=1.res", "-m", "AP", "--quiet", "--missing", "skip").out
        == "run\tAP\nours\t1.0000\n"
    )


@pytest.mark.parametrize(
    "argv",
    [
        ["convert", "x=a.run", "out.jsonl"],
        ["trec_eval", "q.txt", "x=a.run"],
        ["trec_eval", "q.txt", "x=q.txt"],
    ],
)
def test_commands_without_names_of_runs_refuse_them(argv, capsys):
    path = argv[-1] if "=" in argv[-1] else argv[1]
    assert main(argv) != 0
    assert (
        f"{path}: the results of this command have no names of runs; pass {path[2:]}"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize("baseline", ["two", "b.run", "two=b.run"])
def test_a_baseline_is_found_by_its_name_and_its_path(baseline, invoke):
    argv = ["q.txt", "one=a.run", "two=b.run", "-m", "AP", "--baseline", baseline, "--quiet"]
    assert ",one,two," in invoke("compare", *argv, "--format", "csv").out
    assert "two" in invoke("evaluate", *argv, "-q", "--format", "csv").out


def test_a_baseline_that_is_no_run_is_refused(refused):
    argv = ["compare", "q.txt", "one=a.run", "two=b.run", "-m", "AP", "--baseline", "a"]
    assert "'a'" in refused(*argv)


@pytest.mark.parametrize(("short", "name"), [("md", "markdown"), ("tex", "latex"), ("ndjson", "jsonl")])
def test_a_format_is_found_by_the_extension_of_its_files(short, name, invoke, refused):
    one, other = (
        invoke("evaluate", "q.txt", "a.run", "-m", "AP", "--format", form) for form in (short, name)
    )
    assert one.out == other.out != ""
    assert "invalid choice: 'docx'" in refused("evaluate", "q.txt", "a.run", "--format", "docx")


def test_a_folder_stands_for_its_runs(tmp_path, monkeypatch, invoke):
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    Path("qrels.txt").write_text("1 0 a 1\n1 0 b 0\n")
    for name in "xy":
        Path(f"runs/{name}.run").write_text("1 Q0 a 1 2.0 t\n1 Q0 b 2 1.0 t\n")
    Path("runs/qrels.txt").write_text("1 0 a 1\n")
    Path("runs/.hidden").write_text("?")
    assert (
        invoke("evaluate", "qrels.txt", "runs", "-m", "RR", "--quiet").out
        == "run\tRR\nx\t1.0000\ny\t1.0000\n"
    )
    assert rankgauge.evaluate("qrels.txt", Path("runs"), "RR").runs == ("x", "y")
    assert "stands for 2 runs" in invoke("evaluate", "qrels.txt", "one=runs", code=2).err
    Path("empty").mkdir()
    assert "this is a directory" in invoke("evaluate", "qrels.txt", "empty", code=2).err
