"""The same answer, or the same refusal, through whichever door a run comes in."""

import itertools
import math
import os
import pickle
import threading
from pathlib import Path

import pytest

from rankgauge import Qrels, Run, evaluate
from rankgauge.cli.main import main
from rankgauge.errors import InputError, OptionError

QRELS = {"1": {"a": 1}}
TWICE = [("a", 1, 1.0), ("x", 2, 2.0), ("a", 3, 2.0), ("a", 4, 2.5), ("y", 5, 2.5)]


def lines(rows):
    return "".join(f"1 Q0 {doc} {rank} {score} t\n" for doc, rank, score in rows)


@pytest.mark.parametrize(
    ("order", "ties", "duplicates"),
    list(
        itertools.product(("score", "rank"), ("docid_desc", "docid_asc", "input", "rank"), ("first", "max"))
    ),
)
def test_duplicates_are_dropped_by_one_rule(tmp_path, order, ties, duplicates):
    path = tmp_path / "twice.run"
    path.write_text(lines(TWICE))
    frame = {
        name: list(column)
        for name, column in zip(("docno", "rank", "score"), zip(*TWICE, strict=True), strict=True)
    }
    frame["qid"] = ["1"] * len(TWICE)
    rules = {"order": order, "ties": ties, "duplicates": duplicates}
    runs = (str(path), Run.read(path, duplicates=duplicates), frame)
    values = [evaluate(QRELS, run, "RR", **rules).values.item() for run in runs]
    kept = {"first": TWICE[0], "max": TWICE[3]}[duplicates]
    rest = [row for row in TWICE if row[0] != "a"]
    document = {"docid_desc": lambda r: [-ord(r[0])], "docid_asc": lambda r: [ord(r[0])]}
    key = document.get(ties, {"input": TWICE.index, "rank": lambda r: r[1]}.get(ties))
    ranking = sorted([kept, *rest], key=lambda r: (-r[2] if order == "score" else r[1], key(r)))
    assert values == [1 / (ranking.index(kept) + 1)] * 3


def test_dropped_duplicates_are_counted_for_judgments_and_runs(tmp_path):
    (tmp_path / "q").write_text("1 0 a 1\n1 0 a 2\n")
    (tmp_path / "r").write_text(lines(TWICE))
    scores = evaluate(tmp_path / "q", tmp_path / "r", "RR", duplicates="max")
    assert scores.provenance.qrels.duplicates_dropped == 1
    assert scores.provenance.runs["r"].duplicates_dropped == 2
    assert "the judgments: 1 duplicate of a document was left out (duplicates=max)" in scores.notes
    run = Run.read(tmp_path / "r", duplicates="max")
    assert evaluate(tmp_path / "q", run, "RR", duplicates="max").provenance.runs["r"].duplicates_dropped == 2


@pytest.mark.parametrize("low", [-math.inf, -1.7e308])
def test_scores_may_be_as_far_apart_as_numbers_are(low):
    scores = {f"d{i:03}": float(i) for i in range(100)} | {"low": low, "high": 1.7e308}
    qrels = {"1": {f"d{i:03}": 1 for i in range(60)} | {"low": 1}}
    assert evaluate(qrels, {"1": scores}, "AP").values.item() == pytest.approx(
        (sum(n / (41 + n) for n in range(1, 61)) + 61 / 102) / 61
    )


def test_a_topic_without_judgments_has_to_be_well_formed_too():
    with pytest.raises(InputError, match="NaN"):
        evaluate(QRELS, {"1": {"a": 1.0}, "2": {"b": math.nan}}, "RR")
    assert evaluate(QRELS, {"1": {"a": 1.0}, "2": {}}, "RR").provenance.runs["run"].unjudged_topics == 0


@pytest.mark.parametrize(
    ("run", "options", "message"),
    [
        ({"1": {}, "2": {}}, {}, "run 'run' has no results for any judged topic"),
        (Qrels.of(QRELS), {}, "expected a run, not Qrels"),
        ("r", {"run_columns": {"topic": "q"}}, "have no names"),
    ],
)
def test_what_is_no_run_or_has_no_columns(run, options, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r").write_text(lines(TWICE[:2]))
    with pytest.raises((InputError, OptionError), match=message):
        evaluate(QRELS, run, "RR", **options)


def test_judgments_can_be_sent_to_another_process():
    qrels = Qrels.of(QRELS)
    evaluate(qrels, {"1": {"a": 1.0}}, "RR")
    assert pickle.loads(pickle.dumps(qrels)).to_dict() == QRELS


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_what_comes_through_a_pipe_is_read_each_time(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    values = []
    for rows in (TWICE[:1], TWICE[1:3]):
        writer = threading.Thread(target=pipe.write_text, args=(lines(rows),))
        writer.start()
        values.append(evaluate(QRELS, pipe, "RR", ties="docid_desc").values.item())
        writer.join()
    assert values == [1.0, 0.5]


@pytest.mark.skipif(os.name == "nt", reason="needs limits on open files")
def test_many_files_do_not_stay_open(tmp_path):
    import resource

    for i in range(80):
        (tmp_path / f"{i}.run").write_text(lines(TWICE[:1]))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(list(Path("/dev/fd").iterdir())) + 40, hard))
    try:
        assert len(evaluate(QRELS, str(tmp_path / "*.run"), "RR").runs) == 80
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("name", ["./out", "../up/out", "./my.dir/out"])
def test_only_the_name_of_a_file_has_an_extension(tmp_path, monkeypatch, name):
    (tmp_path / "here" / "my.dir").mkdir(parents=True)
    (tmp_path / "up").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    (tmp_path / "here" / "q").write_text("1 0 a 1\n")
    (tmp_path / "here" / "r").write_text(lines(TWICE[:1]))
    assert main(["evaluate", "q", "r", "-m", "RR", "-o", name]) == 0
