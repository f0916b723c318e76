"""The command `rankgauge fuse`."""

from pathlib import Path

import pytest

import rankgauge
from rankgauge.engines.local import document_ranks

RUNS = {
    "bm25.run": "1 Q0 a 1 3.5 t\n1 Q0 b 2 2.5 t\n2 Q0 a 1 1.0 t\n",
    "dense.run": "1 Q0 b 1 0.9 d\n1 Q0 c 2 0.1 d\n",
}


@pytest.fixture
def runs(working_folder):
    working_folder(RUNS)
    return [*RUNS]


def test_runs_are_fused_as_in_python(runs, invoke):
    invoke("fuse", *runs, "-o", "x.csv", "--method", "wsum", "--weights", "0.25,0.75", "--normalise", "max")
    expected = rankgauge.fuse(runs, "wsum", weights=[0.25, 0.75], normalise="max")
    assert rankgauge.Run.read("x.csv").to_dict() == expected.to_dict()


def test_weights_may_be_negative(runs, invoke):
    invoke("fuse", *runs, "-o", "x.csv", "--method", "wsum", "--weights", "-1,2e0")
    expected = rankgauge.fuse(runs, "wsum", weights=[-1, 2])
    assert rankgauge.Run.read("x.csv").to_dict() == expected.to_dict()


def test_without_an_output_a_run_is_printed(runs, invoke):
    printed = invoke("fuse", *runs, "--k", "1", "--depth", "1", "--name", "hybrid").out
    assert printed == f"1 Q0 b 1 {1 / 3 + 1 / 2} hybrid\n2 Q0 a 1 0.5 hybrid\n"


@pytest.mark.parametrize("name", ["x.run", "x.run.gz", "x.jsonl", "x.csv"])
def test_a_file_written_in_parts_is_that_of_the_whole(name, runs, invoke, monkeypatch):
    rankgauge.fuse(runs, depth=2, name="hybrid run").write(f"whole-{name}")
    monkeypatch.setattr(document_ranks, "BYTES", 1)
    invoke("fuse", *runs, "--depth", "2", "--name", "hybrid run", "-o", name)
    assert Path(name).read_bytes() == Path(f"whole-{name}").read_bytes()


def test_after_an_error_in_a_later_part_the_old_file_is_still_there(
    working_folder, runs, refused, monkeypatch
):
    monkeypatch.setattr(document_ranks, "BYTES", 1)
    working_folder({"x.run": "old", "bm25.run": RUNS["bm25.run"] + "3 Q0 a 1 high t\n"})
    assert "bm25.run:4: the score is not a number" in refused("fuse", *runs, "-o", "x.run")
    assert Path("x.run").read_text() == "old"


def test_tuned_weights_are_printed(runs, working_folder, invoke):
    working_folder({"qrels.txt": "1 0 b 1\n1 0 c 0\n2 0 a 1\n"})
    words = ["fuse", *runs, "--method", "wsum", "--tune", "AP", "--qrels", "qrels.txt", "--folds", "2"]
    tuned = rankgauge.tune_fusion("qrels.txt", runs, "AP", folds=2)
    assert invoke(*words, "-o", "x.csv").out == f"{tuned}\n"
    assert rankgauge.Run.read("x.csv").to_dict() == tuned.run.to_dict()
    printed = invoke(*words)
    assert printed.out.startswith("1 Q0 b 1 ")
    assert "never chosen on that topic" in printed.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--weights", "1;2"], "--weights must be numbers separated by commas, such as 0.3,0.7, not '1;2'"),
        (["--method", "wsum"], "wsum needs weights, one for each run"),
        (["--tune", "AP"], "--tune needs judgments; add --qrels FILE"),
        (["--qrels", "x"], "--qrels is for --tune MEASURE; leave it out, or add --tune"),
        (["--method", "comb"], "no fusion method named 'comb'"),
        (["--normalise", "sum"], "rrf uses ranks, not scores; leave out the normalisation 'sum'"),
    ],
)
def test_wrong_options_are_refused(runs, words, message, invoke):
    assert message in invoke("fuse", *runs, *words, code=2).err
