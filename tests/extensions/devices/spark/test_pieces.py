"""Files in pieces, and pairs that are evaluated in place or moved: the tasks' part, without Spark."""

import gzip
import random
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.devices.spark import cases
from extensions.devices.spark.cases import table_of
from extensions.devices.spark.test_worker import TEXTS, Found, job_of, same
from rankgauge import evaluate
from rankgauge.engines.local.topic_batches import whole_topics
from rankgauge.errors import InputError
from rankgauge.extensions.devices.spark import files as task_files
from rankgauge.extensions.devices.spark import inputs, pieces
from rankgauge.extensions.devices.spark.rows import Rows

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

QRELS, RESULTS = cases.campaign(seed=4)
ROLES = {"topic": "qid", "doc": "docno", "value": "score", "rank": "rank", "label": "run"}


def uri(path):
    return path.as_uri()


def evaluated(job, parts, targets=3):
    """({(run, topic): row} of tasks that read these parts, whether rows were moved), as by Spark."""
    split = task_files.split_hashes([task_files.distinct_hashes(part) for part in parts])
    each = zip(parts, [None] * len(parts) if split is None else split, strict=True)
    found = [*task_files.evaluate_parts(each, job, targets)]
    scored = []
    for target in range(targets):
        blocks = (block for block in found if block.target % targets == target)
        scored += task_files.evaluate_moved(blocks, job)
    return Found(job, scored), any(block.kind == "rows" for block in found)


def complete(qrels, results):
    """The runs with a result for each judged topic: Spark adds rows for those that have none."""
    return {
        run: {**topics, **{topic: {"none": 0.5} for topic in qrels if topic not in topics}}
        for run, topics in results.items()
    }


@given(
    st.integers(0, 1000),
    st.sampled_from(["topics", "rows", "pairs"]),
    st.sampled_from([{}, {"ties": "rank"}]),
)
def test_values_do_not_depend_on_how_rows_lie_in_files(tmp_path_factory, seed, order, rules):
    rng = random.Random(seed)
    runs = complete(QRELS, RESULTS)
    rows = cases.rows(runs, seed)
    if order != "rows":
        rows.sort(key=(lambda row: row[1]) if order == "topics" else (lambda row: row[:2]))
    folder, files = tmp_path_factory.mktemp("runs"), []
    cuts = sorted(rng.sample(range(len(rows) + 1), rng.randint(0, 4)))
    for number, (begin, end) in enumerate(zip([0, *cuts], [*cuts, len(rows)], strict=True)):
        path = folder / f"part-{number}.parquet"
        # An empty part has the same columns.
        parquet.write_table(
            table_of(rows).slice(begin, end - begin), path, row_group_size=rng.randint(40, 200)
        )
        files.append(pieces.File(uri(path), "parquet", ROLES))
    every = [piece for file in files for piece in pieces.pieces(file)]
    parts = pieces.parts(every, rng.randint(1, 600))
    job = job_of(QRELS, TEXTS, **rules)
    found, moved = evaluated(job, parts)
    if len(parts) == 1:
        assert not moved
    ranked = {
        run: {
            "qid": [row[1] for row in rows if row[0] == run],
            "docno": [row[2] for row in rows if row[0] == run],
            "score": [row[3] for row in rows if row[0] == run],
            "rank": [row[4] for row in rows if row[0] == run],
        }
        for run in runs
    }
    same(found, evaluate(QRELS, ranked, TEXTS, **rules))


def test_a_document_in_two_files_is_found_wherever_its_topic_is_evaluated(tmp_path):
    rows = [("r", topic, f"d{n}", float(n), n) for topic in ("t1", "t2") for n in range(50)]
    for name, some in (("a", rows), ("b", [("r", "t2", "d7", 0.5, 1), ("r", "t3", "x", 0.5, 2)])):
        parquet.write_table(table_of(some), tmp_path / f"{name}.parquet")
    files = [pieces.File(uri(tmp_path / f"{name}.parquet"), "parquet", ROLES) for name in "ab"]
    parts = [pieces.pieces(file) for file in files]
    job = job_of({"t1": {"d1": 1}, "t2": {"d2": 1}}, "AP")
    with pytest.raises(InputError, match=r'^run "r": document "d7" occurs twice in topic "t2"'):
        evaluated(job, parts)
    found, moved = evaluated(job_of({"t1": {"d1": 1}, "t2": {"d7": 1}}, "RR", duplicates="max"), parts)
    assert moved
    assert found.facts()["r"].duplicates_dropped == 1


LINES = b"".join(b"t%d Q0 d%d %d %d.5 x\n" % (n // 7, n, n, n) for n in range(40))


@pytest.mark.parametrize(
    "text", [LINES, LINES[:-1], b"\xef\xbb\xbf" + LINES, b"\n\n" + LINES + b"\n# end", b""]
)
def test_each_line_is_in_one_piece_wherever_text_is_cut(tmp_path, monkeypatch, text):
    path = tmp_path / "some.run"
    path.write_bytes(text)
    file = pieces.File(uri(path), "trec", {})
    for size in (1, 2, 3, 17, 18, 19, 100, 1 << 20):
        monkeypatch.setattr(pieces, "TEXT", size)
        found = pa.Table.from_batches(list(pieces.batches_of(pieces.pieces(file), ranks=True)) or [EMPTY])
        assert found["doc"].to_pylist() == [b"d%d" % n for n in range(40 if text else 0)]
        assert found["value"].to_pylist() == [n + 0.5 for n in range(len(found))]
    (tmp_path / "some.run.gz").write_bytes(gzip.compress(text[:99]) + gzip.compress(text[99:]))
    compressed = pieces.File(uri(tmp_path / "some.run.gz"), "trec", {})
    monkeypatch.setattr(pieces, "TEXT", 50)
    found = pa.Table.from_batches(list(pieces.batches_of(pieces.pieces(compressed))) or [EMPTY])
    assert found["doc"].to_pylist() == [b"d%d" % n for n in range(40 if text else 0)]


EMPTY = pa.RecordBatch.from_pydict({"doc": pa.array([], pa.binary()), "value": pa.array([], pa.float64())})


def test_an_invalid_line_is_an_error_with_its_file(tmp_path):
    path = tmp_path / "some.run"
    path.write_bytes(LINES + b"t9 Q0 b\n")
    with pytest.raises(InputError, match=r"some\.run: expected 6 columns, found 3"):
        list(pieces.batches_of(pieces.pieces(pieces.File(uri(path), "trec", {}))))


def arrow_file(path, rows, **options):
    """Rows in an Arrow file, with the columns of a run."""
    with pa.ipc.new_file(path, rows.schema) as writer:
        writer.write_table(rows, **options)
    return pieces.File(
        uri(path), "arrow", {part: name for part, name in ROLES.items() if name in rows.schema.names}
    )


@pytest.mark.parametrize("encoded", [lambda column: column.dictionary_encode(), lambda column: column])
def test_numbers_may_be_in_dictionaries_and_texts_in_views(tmp_path, encoded):
    rows = pa.table(
        {
            "qid": encoded(pa.array([1, 1])),
            "docno": pa.array(["a", "b"], pa.string_view()),
            "score": encoded(pa.array([2.5, 1.5])),
            "rank": encoded(pa.array([1, 2], pa.int8())),
        }
    )
    file = arrow_file(tmp_path / "run.arrow", rows)
    (batch,) = pieces.batches_of(pieces.pieces(file), ranks=True)
    assert pieces.decoded(batch).to_pydict() == {
        "topic": [b"1", b"1"],
        "doc": [b"a", b"b"],
        "value": [2.5, 1.5],
        "rank": [1, 2],
    }
    assert pieces.pieces(arrow_file(tmp_path / "empty.arrow", rows[:0])) == []


@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_columns_of_any_type_that_spark_reads_alike(tmp_path, format):
    rows = pa.table(
        {
            "qid": pa.array([1, -20, 3], pa.int32()),
            "docno": pa.array([b"a", b"\xff", b"c"], pa.binary()).dictionary_encode(),
            "score": pa.array([1, (1 << 53) + 1, 3], pa.int64()),
            "rank": pa.array([1.0, 2.5, float(1 << 53)]),
        }
    )
    path = tmp_path / "some"
    if format == "parquet":
        parquet.write_table(rows, path)
    else:
        arrow_file(path, rows, max_chunksize=2)
    roles = {"topic": "qid", "doc": "docno", "value": "score", "rank": "rank"}
    file = pieces.File(uri(path), format, roles, b"mine")
    found = pa.Table.from_batches(list(pieces.batches_of(pieces.pieces(file), ranks=True)))
    assert found.to_pydict() == {
        "run": [b"mine"] * 3,
        "topic": [b"1", b"-20", b"3"],
        "doc": [b"a", b"\xff", b"c"],
        "value": [1.0, float(1 << 53), 3.0],
        "rank": [1, None, None],
    }
    by_rank = pieces.File(uri(path), format, {**roles, "value": "rank"})
    found = pa.Table.from_batches(list(pieces.batches_of(pieces.pieces(by_rank))))
    assert found["value"].to_pylist() == [-1.0, None, None]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pa.array([1], pa.decimal128(9, 2)), "'score' holds decimal"),
        (pa.array(["1"]), "'score' holds string"),
        (pa.array([1], pa.uint64()), "'score' holds uint64"),
        (None, "score"),
    ],
)
def test_what_spark_might_read_otherwise_is_left_to_it(tmp_path, column, message):
    columns = {"qid": ["t"], "docno": ["d"], **({} if column is None else {"score": column})}
    parquet.write_table(pa.table(columns), tmp_path / "some.parquet")
    roles = {"topic": "qid", "doc": "docno", "value": "score"}
    with pytest.raises(pieces.Unreadable, match=message):
        pieces.pieces(pieces.File(uri(tmp_path / "some.parquet"), "parquet", roles))
    with pytest.raises(pieces.Unreadable, match="gone"):
        pieces.pieces(pieces.File(uri(tmp_path / "gone.parquet"), "parquet", roles))


def test_pairs_with_the_same_hash_are_moved_and_not_mixed_up(tmp_path, monkeypatch):
    monkeypatch.setattr(task_files, "_hashes", lambda ids: np.zeros(len(ids), dtype=np.uint64))
    monkeypatch.setattr(task_files, "SPREAD", 1.0)
    runs = complete(QRELS, RESULTS)
    rows = sorted(cases.rows(runs))
    parts = []
    for number in range(2):
        path = tmp_path / f"{number}.parquet"
        parquet.write_table(table_of(rows[number::2]), path)
        parts.append(pieces.pieces(pieces.File(uri(path), "parquet", ROLES)))
    found, moved = evaluated(job_of(QRELS, TEXTS), parts)
    assert moved
    same(found, evaluate(QRELS, runs, TEXTS))


@given(
    st.lists(st.sampled_from(["a", "aa", "b", "ü", "10", "9"]), min_size=1, max_size=40),
    st.booleans(),
    st.integers(1, 9),
    st.integers(1, 20),
)
def test_statistics_tell_which_topics_are_split_as_reading_does(
    tmp_path_factory, topics, in_order, group, part
):
    path = tmp_path_factory.mktemp("parquet") / "run.parquet"
    topics = sorted(topics, key=str.encode) if in_order else topics
    rows = pa.table(
        {"qid": topics, "docno": [str(n) for n in range(len(topics))], "score": [1.0] * len(topics)}
    )
    parquet.write_table(rows, path, row_group_size=group)
    roles = {"topic": "qid", "doc": "docno", "value": "score"}
    parts = pieces.parts(pieces.pieces(pieces.File(uri(path), "parquet", roles)), part)
    found = task_files.split_in_order([pieces.topic_bounds(some) for some in parts])
    assert found is not None or not in_order
    if found is not None:
        hashes = [task_files.distinct_hashes(some) for some in parts]
        every = [hash_ for some in hashes for hash_ in some.tolist()]
        expected = [{h for h in some.tolist() if every.count(h) > 1} for some in hashes]
        assert [set(some.tolist()) for some in found] == expected


def test_bounds_are_not_known_of_what_has_no_statistics(tmp_path):
    path = tmp_path / "run.parquet"
    for topics, options in ((["a", "b"], {"write_statistics": False}), ([1, 2], {}), ([None, None], {})):
        rows = pa.table({"qid": topics, "docno": ["x", "y"], "score": [1.0, 2.0]})
        rows = rows.set_column(0, "qid", rows["qid"].cast("string")) if topics[0] is None else rows
        parquet.write_table(rows, path, **options)
        file = pieces.File(uri(path), "parquet", {"topic": "qid", "doc": "docno", "value": "score"})
        assert task_files.split_in_order([pieces.topic_bounds(pieces.pieces(file))]) is None


def test_bounds_are_bytes_and_those_of_the_column_itself(tmp_path):
    path = tmp_path / "run.parquet"
    topics = pa.array([b"t\xff", b"t\xc3\xa9"], pa.binary()).view(pa.string())  # one is not UTF-8
    columns = {"docno": ["x", "y"], "score": [1.0, 2.0]}
    parquet.write_table(pa.table({"qid": topics, **columns}), path)
    roles = {"topic": "qid", "doc": "docno", "value": "score"}
    (piece,) = pieces.pieces(pieces.File(uri(path), "parquet", roles))
    assert piece.topics == (b"t\xc3\xa9", b"t\xff")
    nested = pa.array([{"id": "a"}, {"id": "a"}])
    parquet.write_table(pa.table({"q": nested, "q.id": ["t1", "t2"], **columns}), path)
    (piece,) = pieces.pieces(pieces.File(uri(path), "parquet", {**roles, "topic": "q.id"}))
    assert piece.topics is None


def frame_of(monkeypatch, columns, in_directories):
    """The columns of a frame of Spark, {name: type}, of which some are the names of directories."""
    monkeypatch.setattr(inputs, "_partition_columns", lambda _: in_directories)
    return SimpleNamespace(columns=[*columns], dtypes=[*columns.items()])


def test_only_runs_may_be_the_names_of_directories(monkeypatch):
    columns = {"qid": "string", "docno": "string", "score": "double"}
    frame = frame_of(monkeypatch, columns, ["qid"])
    with pytest.raises(pieces.Unreadable, match="directories name qid"):  # Spark ignores a column of the file
        inputs._parquet_files(frame, ["file:///runs/qid=1/part-0.parquet"], None)
    frame = frame_of(monkeypatch, columns, [])
    (file,) = inputs._parquet_files(frame, ["file:///qid=1/part-0.parquet"], None)  # above the table
    assert (file.run, file.roles["topic"]) == (None, "qid")
    frame = frame_of(monkeypatch, {**columns, "my run": "string"}, ["my run"])
    path = "file:///runs/my%20run=a%253Db%20%2525/part-0.parquet"
    (file,) = inputs._parquet_files(frame, [path], {"tag": "my run"})
    assert (file.run, "label" in file.roles) == (b"a=b %", False)


@pytest.mark.parametrize("limit", [1, 10, 300])
def test_topics_in_dictionaries_go_to_disk_and_come_back(limit):
    rng = random.Random(1)
    rows = [(b"t%d" % rng.randrange(40), b"d%d" % n) for n in range(1000)]
    batches = [  # each with a dictionary of its own
        pa.RecordBatch.from_arrays(
            [pa.array(topics, pa.binary()).dictionary_encode(), pa.array(docs, pa.binary())], ["topic", "doc"]
        )
        for topics, docs in (zip(*rows[begin : begin + 70], strict=True) for begin in range(0, 1000, 70))
    ]
    found, seen = [], []
    for table in whole_topics(iter(batches), "topic", limit):
        number, topics = Rows(table).numbered_ids("topic")
        seen += list(topics)
        found += zip([topics[n] for n in number.tolist()], table["doc"].to_pylist(), strict=True)
    assert sorted(found) == sorted(rows)
    assert len(seen) == len(set(seen))  # no topic is in two tables


def test_text_that_only_spark_decompresses_is_left_to_it(tmp_path):
    for suffix in (".deflate", ".snappy", ".lz4"):
        path = tmp_path / f"run.txt{suffix}"
        path.write_bytes(b"t1 Q0 a 1 2.5 x\n")
        with pytest.raises(pieces.Unreadable, match="only Spark decompresses it"):
            pieces.pieces(pieces.File(uri(path), "trec", {}))


def test_a_dictionary_may_have_a_null_that_no_row_uses(tmp_path):
    path = tmp_path / "run.arrow"
    topics = [  # each batch with a dictionary of its own
        pa.DictionaryArray.from_arrays(pa.array([1, 2], pa.int8()), pa.array([None, f"t{n}", "t9"]))
        for n in range(3)
    ]
    schema = pa.schema({"qid": topics[0].type, "docno": pa.string(), "score": pa.float64()})
    with pa.ipc.new_stream(path, schema) as writer:
        for n, each in enumerate(topics):
            writer.write_batch(pa.record_batch([each, pa.array(["a", f"b{n}"]), [2.0, 1.0]], schema=schema))
    file = pieces.File(uri(path), "arrow", {"topic": "qid", "doc": "docno", "value": "score"})
    some = pieces.pieces(file)
    number, ids = Rows(pa.Table.from_batches(list(pieces.batches_of(some)))).numbered_ids("topic")
    assert [ids[n] for n in number.tolist()] == [b"t0", b"t9", b"t1", b"t9", b"t2", b"t9"]
    found, moved = evaluated(job_of({"t0": {"a": 1}, "t9": {"b2": 1}}, "RR"), [some])
    assert not moved
    assert {topic: row["retrieved"] for (_, topic), row in found.items()} == {
        "t0": 1,
        "t1": 1,
        "t2": 1,
        "t9": 3,
    }
