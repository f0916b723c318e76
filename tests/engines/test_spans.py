"""Runs in Parquet and Arrow files read over threads, span by span: what comes out is what one table gives."""

import random

import numpy as np
import pytest

from rankgauge import core, evaluate
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.errors import InputError
from rankgauge.formats import arrow_batches

pa = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402

MEASURES = "AP nDCG@10 RR bpref P@3"
TOPICS = {
    "string": lambda ids: pa.array([f"t{i}" for i in ids]),
    "large_string": lambda ids: pa.array([f"t{i}" for i in ids], pa.large_string()),
    "string_view": lambda ids: pa.array([f"topic number {i}" for i in ids], pa.string_view()),
    "binary": lambda ids: pa.array([f"t{i}".encode() for i in ids], pa.binary()),
    "dictionary": lambda ids: pa.array([f"t{i}" for i in ids]).dictionary_encode(),
    "small dictionary": lambda ids: (
        pa.array([f"t{i}" for i in ids]).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string()))
    ),
    "dictionary of integers": lambda ids: pa.array(ids, pa.int64()).dictionary_encode(),
    "int64": lambda ids: pa.array(ids, pa.int64()),
    "uint16": lambda ids: pa.array(ids, pa.uint16()),
    "not ASCII": lambda ids: pa.array([f"Thema №{i}" for i in ids]),
}
DOCS = {name: make for name, make in TOPICS.items() if name not in ("small dictionary",)}
SCORES = (pa.float64(), pa.float32(), pa.int32())


@pytest.fixture(autouse=True)
def few_rows_at_a_time(monkeypatch):
    """Limits so low that every file is read in many spans, and each in many batches."""
    monkeypatch.setattr("rankgauge.engines.run_inputs.READ_WHOLE", 0)
    monkeypatch.setattr("rankgauge.formats.arrow_batches.BATCH", 13)


@pytest.fixture
def outcomes(monkeypatch):
    """What the spans gave each time: "whole", "parts" if topics were not whole, "wrong" if rows were."""
    seen, real = [], LocalEngine._span_results

    def spied(*args):
        results = real(*args)
        if results is None:
            seen.append("wrong")
        else:
            seen.append("parts" if any(isinstance(part, tuple) for part in results) else "whole")
        return results

    monkeypatch.setattr(LocalEngine, "_span_results", spied)
    return seen


def campaign(rng, topics=9):
    """(topic, document, score) of rows, topic after topic, of 1 to 60 rows each, with ties; judged pairs."""
    rows, judged = [], []
    for topic in rng.sample(range(100), topics):
        docs = rng.sample(range(1000), rng.choice([1, 2, 20, 60]))
        rows += [(topic, doc, rng.choice([1, 2, rng.randrange(3, 100)])) for doc in docs]
        if rng.random() < 0.8:
            judged += [(topic, doc, rng.randrange(3)) for doc in {*docs[::3], rng.randrange(1000)}]
    return rows, judged or [(rows[0][0], rows[0][1], 1)]


def table_of(rows, topic="string", doc="string", score=SCORES[0]):
    topics, docs, scores = zip(*rows, strict=True)
    columns = {"query_id": TOPICS[topic](topics), "doc_id": DOCS[doc](docs)}
    unneeded = pa.array([["x"]] * len(rows))
    return pa.table({**columns, "other": unneeded, "score": pa.array(scores, pa.float64()).cast(score)})


def judgments_of(judged, topic, doc):
    """The judgments, with the ids as texts that the columns of a run have."""

    def texts(column):
        column = column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
        return [v.decode() if isinstance(v, bytes) else str(v) for v in column.to_pylist()]

    topics, docs, grades = zip(*judged, strict=True)
    qrels = {}
    for t, d, grade in zip(texts(TOPICS[topic](topics)), texts(DOCS[doc](docs)), grades, strict=True):
        qrels.setdefault(t, {})[d] = grade
    return qrels


def written(table, path, rng):
    """The table in a file, in groups of rows of random sizes."""
    sizes = []
    while sum(sizes) < len(table):
        sizes.append(rng.choice([1, 2, 7, 40, 100]))
    starts = np.cumsum([0, *sizes])
    groups = [table.slice(a, b) for a, b in zip(starts, sizes, strict=False)]
    if path.suffix == ".parquet":
        with parquet.ParquetWriter(path, table.schema, use_dictionary=rng.random() < 0.7) as writer:
            for group in groups:
                writer.write_table(group)
        return path
    new = pa.ipc.new_stream if path.suffix == ".stream" else pa.ipc.new_file
    with pa.OSFile(str(path), "wb") as out, new(out, table.schema) as file:
        for group in groups:
            file.write_table(group.unify_dictionaries())
    return path


def outcome(qrels, run, **rules):
    """Values and facts of a run, or the error."""
    try:
        scores = evaluate(qrels, {"run": run}, MEASURES, **rules)
    except InputError as error:
        return str(error).replace(str(run), "run")
    facts = scores.provenance.runs["run"]._replace(source="", assumed="")
    return scores.topics, scores.values.tobytes(), facts


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "stream"])
@pytest.mark.parametrize("topic", TOPICS)
def test_columns_of_every_type_give_the_same_over_threads(suffix, topic, tmp_path, outcomes):
    for seed, doc in enumerate(DOCS):
        rng = random.Random(f"{topic} {doc} {suffix}")
        rows, judged = campaign(rng)
        table = table_of(rows, topic, doc, SCORES[seed % 3])
        qrels = judgments_of(judged, topic, doc)
        path = written(table, tmp_path / f"run.{suffix}", rng)
        expected = outcome(qrels, table)
        for threads in (1, 3):
            assert outcome(qrels, path, threads=threads) == expected, doc
    assert {*outcomes} == {"whole"}


@pytest.mark.parametrize("rule", ["error", "first", "max"])
@pytest.mark.parametrize("shape", ["sorted", "one topic twice", "shuffled"])
def test_duplicates_within_and_across_row_groups_are_found(rule, shape, tmp_path, outcomes):
    for seed in range(20):
        rng = random.Random(f"{rule} {shape} {seed}")
        rows, judged = campaign(rng)
        for _ in range(rng.choice([0, 1, 3])):
            at = rng.randrange(len(rows))
            same = [n for n, row in enumerate(rows) if row[0] == rows[at][0]]
            rows.insert(rng.choice(same), (*rows[at][:2], rng.randrange(100)))
        if shape == "one topic twice":
            rows = rows[10:] + rows[:10]
        elif shape == "shuffled":
            rng.shuffle(rows)
        table, qrels = table_of(rows), judgments_of(judged, "string", "string")
        path = written(table, tmp_path / "run.parquet", rng)
        expected = outcome(qrels, table, duplicates=rule)
        for threads in (1, 4):
            found = outcome(qrels, path, duplicates=rule, threads=threads)
            if isinstance(expected, str):  # it names the row, where a file names the document alone
                assert "occurs twice in topic" in expected
                assert "occurs twice in topic" in found
            else:
                assert found == expected
    assert rule == "error" or "wrong" not in outcomes


@pytest.mark.parametrize("topic", ["string", "dictionary", "int64"])
def test_reading_a_tiny_file_ends_where_a_document_is_twice_in_a_topic(topic, tmp_path, monkeypatch):
    monkeypatch.setattr("rankgauge.formats.arrow_batches.BATCH", 1000)
    rows = [*campaign(random.Random(5))[0], *[(1, 2, 3), (1, 5, 3)] * 25_000]
    parquet.write_table(table_of(rows, topic, topic), tmp_path / "run.parquet")
    batches = arrow_batches.Batches([arrow_batches.Source(tmp_path / "run.parquet")])
    assert sum(map(len, batches())) == len(rows)
    assert len(rows) - 50_000 < sum(map(len, batches(distinct=True))) < len(rows) - 45_000
    text = "occurs twice in topic"
    assert text in outcome({"t0": {"t0": 1}}, tmp_path / "run.parquet")
    assert text not in outcome({"t1": {"t2": 1}, "1": {"2": 1}}, tmp_path / "run.parquet", duplicates="first")


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
@pytest.mark.parametrize("column", ["query_id", "doc_id", "score"])
def test_what_is_wrong_with_a_row_is_said_as_without_threads(suffix, column, tmp_path, outcomes):
    rng = random.Random(column)
    rows, judged = campaign(rng)
    table, qrels = table_of(rows), judgments_of(judged, "string", "string")
    index = table.schema.names.index(column)
    at = len(rows) - 5
    null = table[column].to_pylist()
    null[at] = None
    broken = table.set_column(index, column, pa.array(null, table.schema.field(column).type))
    path = written(broken, tmp_path / f"run.{suffix}", rng)
    expected = f"run: row {at} (counted from 0): '{column}' is null; fill it or remove the row"
    assert {outcome(qrels, path, threads=threads) for threads in (1, 2, 5)} == {expected}
    assert {*outcomes} == {"wrong"}


def test_ids_that_are_not_utf8_are_refused_where_they_claim_to_be(tmp_path, outcomes):
    rng = random.Random(1)
    rows, judged = campaign(rng)
    table, qrels = table_of(rows, doc="binary"), judgments_of(judged, "string", "binary")
    docs = [*table["doc_id"].to_pylist()[:-1], b"\xff\xfe"]
    invalid = pa.array(docs, pa.binary()).view(pa.string())
    path = written(table.set_column(1, "doc_id", invalid), tmp_path / "run.parquet", rng)
    assert "not a readable Arrow or Parquet file" in outcome(qrels, path, threads=2)
    path = written(table.set_column(1, "doc_id", pa.array(docs)), tmp_path / "run.parquet", rng)
    assert not isinstance(outcome(qrels, path, threads=2), str)
    assert outcomes == ["wrong", "whole"]


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "stream"])
def test_a_file_that_is_cut_or_damaged_is_an_error_or_gives_what_it_gave_before(
    suffix, tmp_path, monkeypatch
):
    rng = random.Random(suffix)
    rows, judged = campaign(rng)
    qrels = judgments_of(judged, "string", "string")
    whole = written(table_of(rows), tmp_path / f"whole.{suffix}", rng).read_bytes()
    path = tmp_path / f"run.{suffix}"
    errors = 0
    for _ in range(60):
        data = bytearray(whole)
        if rng.random() < 0.3:
            del data[rng.randrange(8, len(data)) :]
        for _ in range(rng.choice([0, 1, 3])):
            data[rng.randrange(8, len(data))] = rng.randrange(256)
        path.write_bytes(data)
        found = outcome(qrels, path, threads=3)
        with monkeypatch.context() as patch:
            patch.setattr(LocalEngine, "_span_results", lambda *_: None)
            assert found == outcome(qrels, path, threads=3)
        errors += isinstance(found, str)
    assert errors


def test_an_id_buffer_is_not_kept_beyond_its_batch():
    judgments = core.Judgments(
        b"1", np.array([0, 1]), np.array([0, 1]), b"a", np.array([0, 1]), np.ones(1), 0.0
    )
    join = core.Join(judgments, "score", "docid_desc", "double", "error", False, False)
    for ids in (b"ab", b"cd"):
        buffer = bytearray(ids)
        zeros = np.zeros(2, np.int32)
        join.columns(b"1", np.array([0, 1]), zeros, buffer, np.arange(3, dtype=np.int32), np.ones(2), None)
        buffer[:] = b"??"
        buffer.clear()  # which an exported buffer refuses
    hits = join.finish()
    assert np.frombuffer(hits["rank"], np.int64).tolist() == [4]


def test_progress_goes_on_span_by_span(tmp_path):
    rng = random.Random(3)
    rows, judged = campaign(rng)
    path = written(table_of(rows), tmp_path / "run.parquet", rng)
    reported = []
    qrels = judgments_of(judged, "string", "string")
    evaluate(qrels, path, "AP", threads=2, progress=lambda done, total: reported.append((done, total)))
    size = path.stat().st_size
    assert reported[-1] == (size, size)
    assert len(reported) > 3
    assert reported == sorted(reported)


def test_groups_of_rows_are_read_together_where_they_are_small(tmp_path, monkeypatch):
    table = table_of(campaign(random.Random(4), topics=30)[0])
    parquet.write_table(table, tmp_path / "run.parquet", row_group_size=1)
    batches = arrow_batches.Batches([arrow_batches.Source(tmp_path / "run.parquet")])
    groups = [number for span in batches.spans() for number in span.groups]
    assert groups == list(range(len(table)))
    monkeypatch.setattr(arrow_batches, "LEAST_SPANS", 10)
    assert 10 <= len([*batches.spans()]) <= 11
    monkeypatch.setattr(arrow_batches, "SPAN", 1)
    assert len([*batches.spans()]) == len(table)
