"""`rankgauge agreement`: what it writes, and what it refuses."""

import json
import os
import threading
from pathlib import Path

import pytest

from rankgauge.model.output import documents, tables

ONE = "q1 0 d1 1\nq1 0 d2 0\nq1 0 d3 2\nq2 0 <i>|d1 1\n"
OTHER = "q1 0 d1 1\nq1 0 d2 1\nq1 0 d3 0\nq3 0 d1 1\n"
RUNS = {"a_b": "q1 Q0 d1 1 3 a\nq1 Q0 d2 2 2 a\n", "<b>": "q1 Q0 d3 1 3 b\nq1 Q0 d2 2 2 b\n"}


@pytest.fixture
def files(write):
    return [str(write(name, text)) for name, text in {"qrels.txt": ONE, "llm.txt": OTHER}.items()]


@pytest.fixture
def runs(write):
    return [str(write(f"{name}.run", text)) for name, text in RUNS.items()]


def test_two_sets_are_compared_without_runs(files, invoke):
    printed = invoke("agreement", *files)
    assert printed.out.startswith("Agreement of two sets of judgments\n")
    assert "Judged in both: 3 documents of 1 topic; only in qrels: 1, only in llm: 1." in printed.out
    assert "Topics that only one set has are left out: 1 of qrels, 1 of llm." in printed.out
    assert "orders" not in printed.out
    assert printed.err == ""


def test_measures_without_runs_are_refused(files, invoke):
    assert "measures score runs, and there are no runs" in invoke("agreement", *files, "-m", "AP", code=2).err


def test_judgments_that_have_nothing_in_common_are_called_by_their_names(files, write, invoke):
    apart = str(write("apart.txt", "q9 0 d1 1\n"))
    message = invoke("agreement", files[0], apart, code=2).err
    assert message.startswith("rankgauge: qrels and apart have no judged document in common")


def test_runs_are_put_in_order_by_both(files, runs, invoke):
    found = json.loads(invoke("agreement", *files, *runs, "-m", "AP", "-m", "RR", "--format", "json").out)
    assert found["tables"]["orders"] == [
        {
            "measure": "AP",
            "tau": None,
            "pairs swapped": 0,
            "pairs": 1,
            "best by 1": "a_b",
            "best by 2": "a_b",
        },
        {
            "measure": "RR",
            "tau": None,
            "pairs swapped": 0,
            "pairs": 1,
            "best by 1": "a_b",
            "best by 2": "a_b",
        },
    ]
    means = {(row["measure"], row["run"]): (row["mean 1"], row["mean 2"]) for row in found["tables"]["runs"]}
    assert means == {
        ("AP", "a_b"): (0.5, 1.0),
        ("AP", "<b>"): (0.5, 0.25),
        ("RR", "a_b"): (1.0, 1.0),
        ("RR", "<b>"): (1.0, 0.5),
    }


@pytest.mark.parametrize("form", documents.FORMATS)
def test_all_of_it_is_written_in_every_format_of_documents(form, files, runs, invoke):
    assert "Agreement of two sets of judgments" in invoke("agreement", *files, *runs, "--format", form).out


@pytest.mark.parametrize("form", tables.FORMATS)
@pytest.mark.parametrize("table", ["agreement", "grades", "topics", "orders", "runs"])
def test_each_table_is_written_in_every_format(table, form, files, runs, invoke):
    assert invoke("agreement", *files, *runs, "--table", table, "--format", form).out.count("\n") >= 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--format", "csv"], "csv holds a single table; choose one with --table"),
        (["--table", "orders"], "table must be one of agreement, grades, topics"),
        (["--rel", "nan"], "--rel must be a number"),
        (["nowhere.run"], "nowhere.run"),
    ],
)
def test_what_cannot_be_done_is_said(arguments, message, files, invoke):
    assert message in invoke("agreement", *files, *arguments, code=2).err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_a_run_and_is_read_once(files, runs, tmp_path, invoke):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(Path(runs[0]).read_bytes()), daemon=True)
    writer.start()
    assert "pipe" in invoke("agreement", *files, pipe, runs[1], "-m", "AP", "--table", "runs").out
