"""Runs in Parquet and Arrow files that are not read whole: the same scores, and little memory."""

import random
import shutil
import subprocess
import sys
from urllib.parse import quote

import numpy as np
import pytest

from rankgauge import core, evaluate
from rankgauge.errors import InputError, MissingDependency
from rankgauge.formats import arrow_batches

pa = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402

MEASURES = "AP nDCG@10 RR bpref"


def rows_of(topics=30, depth=50, seed=1):
    """(topic, doc, score, rank) of a run, topic after topic, with ties; and its judgments."""
    rng = random.Random(seed)
    rows, qrels = [], {}
    for topic in range(topics):
        docs = rng.sample(range(10 * depth), depth)
        qrels[str(topic)] = {f"d{doc}": rng.choice([-1, 0, 1, 2]) for doc in docs[::5]}
        rows += [(topic, f"d{doc}", rng.randint(0, 20) / 4, rank) for rank, doc in enumerate(docs, 1)]
    return rows, qrels


def table_of(rows, topic="integers"):
    names = ("query_id", "doc_id", "score", "rank")
    types = (pa.int64(), pa.string(), pa.float64(), pa.int64())
    columns = [pa.array(column, kind) for column, kind in zip(zip(*rows, strict=True), types, strict=True)]
    if topic == "dictionary":
        columns[0] = columns[0].cast(pa.string()).dictionary_encode()
    return pa.table(dict(zip(names, columns, strict=True)))


@pytest.fixture
def small_batches(monkeypatch):
    """Limits so low that everything is larger than memory."""
    monkeypatch.setattr("rankgauge.engines.run_inputs.READ_WHOLE", 0)
    monkeypatch.setattr("rankgauge.formats.arrow_batches.BATCH", 37)
    monkeypatch.setattr("rankgauge.engines.local.topic_batches.CHUNK", 100)
    for name, few in (("consecutive", 100), ("whole_topics", 200)):
        whole = __import__("rankgauge.engines.local.topic_batches", fromlist=[name])
        monkeypatch.setattr(getattr(whole, name), "__defaults__", (few,))


@pytest.mark.parametrize("shape", ["sorted", "shuffled", "one topic twice"])
@pytest.mark.parametrize("rules", [{}, {"ties": "input"}, {"order": "rank"}])
def test_a_file_read_in_batches_gives_the_same_scores(shape, rules, tmp_path, small_batches):
    rows, qrels = rows_of()
    if shape == "shuffled":
        random.Random(2).shuffle(rows)
    elif shape == "one topic twice":
        rows = rows[20:] + rows[:20]
    expected = evaluate(qrels, {"run": table_of(rows)}, MEASURES, **rules)
    for topic in ("integers", "dictionary"):
        table = table_of(rows, topic)
        parquet.write_table(table, tmp_path / "run.parquet", row_group_size=90)
        with pa.OSFile(str(tmp_path / "run.arrow"), "wb") as out, pa.ipc.new_file(out, table.schema) as file:
            file.write_table(table, max_chunksize=40)
        for name, threads in (("run.parquet", 1), ("run.arrow", 2)):
            found = evaluate(qrels, tmp_path / name, MEASURES, threads=threads, **rules)
            assert np.array_equal(found.values, expected.values, equal_nan=True)
            facts = expected.provenance.runs["run"]._replace(source=str(tmp_path / name))
            assert found.provenance.runs["run"] == facts


def test_a_directory_of_parts_is_one_run(tmp_path):
    rows, qrels = rows_of()
    folder = tmp_path / "bm25"
    (folder / "day=2").mkdir(parents=True)
    (folder / "_SUCCESS").touch()
    parquet.write_table(table_of(rows[:777]), folder / "part-0.parquet")
    parquet.write_table(table_of(rows[777:]), folder / "day=2" / "part-1.parquet")
    expected = evaluate(qrels, {"bm25": table_of(rows)}, MEASURES)
    found = evaluate(qrels, folder, MEASURES)
    assert found.runs == ("bm25",)
    assert np.array_equal(found.values, expected.values, equal_nan=True)
    named = evaluate(qrels, folder, MEASURES, run_columns={"rank": "rank"})
    assert np.array_equal(named.values, expected.values, equal_nan=True)
    (folder / "_delta_log").mkdir()
    with pytest.raises(InputError, match=r"this is a Delta table, .* read it on Spark"):
        evaluate(qrels, folder, "AP")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="this is a directory"):
        evaluate(qrels, tmp_path / "empty", "AP")


ROWS, QRELS = rows_of()
SHUFFLED = random.Random(2).sample(ROWS, len(ROWS))
NAN = [(*row[:2], float("nan"), 1) if n == 1300 else row for n, row in enumerate(ROWS)]


@pytest.mark.parametrize(
    ("rows", "rules", "message"),
    [
        (NAN, {}, r"topic .* \(row 1300, counted from 0\): the score is NaN"),
        ([*ROWS, (3, "d1", 0.0, 1), (3, "d1", 1.0, 1)], {}, 'document "d1" occurs twice in topic "3"'),
        (
            [*SHUFFLED, (None, "d1", 0.0, 1)],
            {},
            r"row 1500 \(counted from 0\): 'query_id' is null; fill it or remove the row$",
        ),
        ([(*row[:3], None) for row in ROWS], {"order": "rank"}, ".*'rank' is null"),
        ([], {}, "the input has no rows"),
        (None, {}, "not a readable Arrow or Parquet file"),
    ],
)
def test_problems_in_a_file_read_in_batches_are_reported(rows, rules, message, tmp_path, small_batches):
    path = tmp_path / "run.parquet"
    parquet.write_table(table_of(rows or ROWS)[: len(rows or [])], path, row_group_size=90)
    if rows is None:
        path.write_bytes(b"PAR1 and nothing more")
    with pytest.raises(InputError, match=f"^{path}: {message}"):
        evaluate(QRELS, path, "AP", **rules)


@pytest.mark.parametrize("rules", [{}, {"order": "rank"}])
def test_parts_may_differ_in_names_and_types(rules, tmp_path, small_batches):
    rows, qrels = rows_of()
    whole = table_of(rows)
    renamed = whole[333:777].rename_columns(["qid", "docno", "sim", "position"])
    texts = table_of(rows[777:], "dictionary").append_column("tag", pa.array(["x"] * len(rows[777:])))
    for n, part in enumerate((whole[:333], whole[:0], renamed, texts)):
        parquet.write_table(part, tmp_path / f"part-{n}.parquet")
    found = evaluate(qrels, {"run": tmp_path}, MEASURES, **rules)
    assert np.array_equal(found.values, evaluate(qrels, whole, MEASURES, **rules).values, equal_nan=True)
    ranked = whole.drop_columns("score")
    others = ranked[777:].set_column(2, "pos", ranked[777:]["rank"].cast(pa.int16()))
    (tmp_path / "ranked").mkdir()
    for n, part in enumerate((ranked[:777], others)):
        parquet.write_table(part, tmp_path / "ranked" / f"part-{n}.parquet")
    found = evaluate(qrels, tmp_path / "ranked", MEASURES, **rules)
    assert np.array_equal(found.values, evaluate(qrels, ranked, MEASURES, **rules).values, equal_nan=True)
    shutil.rmtree(tmp_path / "ranked")
    parquet.write_table(ranked[:333], tmp_path / "part-0.parquet")
    with pytest.raises(InputError, match=r"part-1.parquet: this part of the run has scores, and .*part-0"):
        evaluate(qrels, tmp_path, "AP")
    parquet.write_table(whole.drop_columns("query_id"), tmp_path / "part-0.parquet")
    with pytest.raises(InputError, match=r"part-0.parquet: no column for the topic; found \"doc_id\""):
        evaluate(qrels, tmp_path, "AP")


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("types", ["same", "different"])
def test_an_error_of_a_later_part_is_found_there(shuffled, types, tmp_path, small_batches):
    rows, qrels = rows_of()
    rows = random.Random(2).sample(rows, len(rows)) if shuffled else rows
    parquet.write_table(table_of(rows[:700]), tmp_path / "a.parquet")
    for changed, problem in (
        (
            (3, "d1", float("nan"), 1),
            r'topic "3", document "d1" \(row 123, counted from 0\): the score is NaN',
        ),
        ((3, None, 1.0, 1), r"row 123 \(counted from 0\): 'doc_id' is null"),
    ):
        later = [*rows[700:823], changed, *rows[824:]]
        table = table_of(later, "integers" if types == "same" else "dictionary")
        parquet.write_table(table, tmp_path / "b.parquet", row_group_size=50)
        with pytest.raises(InputError, match=rf"/b\.parquet: {problem}"):
            evaluate(qrels, tmp_path, "AP")


def test_a_directory_partitioned_by_run_holds_several_runs(tmp_path):
    rows, qrels = rows_of()
    others, _ = rows_of(seed=3)
    whole = {"bm25": table_of(rows), "100 % dense": table_of(others)}
    for day, some in (("1", slice(0, 700)), ("2", slice(700, None))):
        for name, table in whole.items():
            folder = tmp_path / "runs" / f"day={day}" / f"run={quote(name)}"
            folder.mkdir(parents=True)
            parquet.write_table(table[some], folder / "part-0.parquet")
    expected = evaluate(qrels, whole, MEASURES)
    found = evaluate(qrels, tmp_path / "runs", MEASURES)
    assert found.runs == ("100 % dense", "bm25")
    assert found.mean() == expected.mean()
    parquet.write_table(table_of(rows), tmp_path / "runs" / "other.parquet")
    with pytest.raises(InputError, match=r"directories such as run=NAME, and .*other\.parquet is not"):
        evaluate(qrels, tmp_path / "runs", "AP")


PROGRAM = """
import re, sys
from pathlib import Path
import pyarrow.parquet, pyarrow.compute
from rankgauge import Evaluator
from rankgauge.engines import run_inputs
from rankgauge.engines.local import topic_batches
from rankgauge.formats import frames
def peak():  # of this process alone: ru_maxrss begins with that of its parent
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

topic_batches.CHUNK, run_inputs.READ_WHOLE = 1 << 15, int(sys.argv[2])
topic_batches.consecutive.__defaults__, topic_batches.whole_topics.__defaults__ = (1 << 15,), (1 << 17,)
evaluator = Evaluator({"1": {"1": 1, "1001": 1}}, "AP")
before = peak()
evaluator.evaluate(sys.argv[1], threads=1)
print((peak() - before) // 1024)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts memory in units of Linux")
@pytest.mark.skipif(core.NAME == "pure", reason="the pure core is slow, and reads files in the same way")
@pytest.mark.parametrize("interleaved", [False, True])
def test_memory_does_not_grow_with_the_file(tmp_path, interleaved):
    count = 3_000_000
    number = np.arange(count)
    path = tmp_path / "run.parquet"
    topic = number % 3000 if interleaved else number // 1000
    columns = {"query_id": topic, "doc_id": number, "score": -number.astype(np.float64)}
    parquet.write_table(pa.table(columns), path, row_group_size=1 << 16)

    def megabytes(read_whole):
        command = [sys.executable, "-c", PROGRAM, path, str(read_whole)]
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    assert megabytes(0) < megabytes(1 << 40) / 2


@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_a_small_file_of_many_rows_is_read_in_batches(tmp_path, format, monkeypatch):
    if format == "arrow" and not hasattr(pa.ipc.RecordBatchFileReader, "count_rows"):
        pytest.skip("before version 26, pyarrow does not say how many rows an Arrow file has")
    rows, path = 200_000, tmp_path / f"run.{format}"
    topic = pa.array([str(n) for n in range(rows // 1000)]).take(pa.array(np.arange(rows) // 1000))
    table = pa.table({"query_id": topic, "doc_id": pa.array(np.arange(rows) % 1000), "score": [1.0] * rows})
    if format == "parquet":
        parquet.write_table(table, path)
    else:
        options = pa.ipc.IpcWriteOptions(compression="zstd")
        with pa.ipc.new_file(str(path), table.schema, options=options) as file:
            file.write_table(table, max_chunksize=10_000)
    assert path.stat().st_size < 1_000_000
    seen, spans = [], arrow_batches.Batches.spans
    monkeypatch.setattr(
        arrow_batches.Batches, "spans", lambda batches: seen.append("spans") or spans(batches)
    )
    expected = evaluate({"7": {"5": 1}}, path, "RR").values
    assert not seen
    monkeypatch.setattr("rankgauge.engines.run_inputs.READ_WHOLE_ROWS", rows - 1)
    assert np.array_equal(evaluate({"7": {"5": 1}}, path, "RR").values, expected)
    assert seen == ["spans"]


def test_without_pyarrow_a_parquet_file_says_what_it_needs(tmp_path, monkeypatch):
    path = tmp_path / "run.parquet"
    parquet.write_table(table_of(rows_of()[0]), path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingDependency, match="pyarrow"):
        evaluate({"1": {"d1": 1}}, path, "AP")
