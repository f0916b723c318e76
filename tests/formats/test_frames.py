"""Frames through the Arrow capsule, and frames that have columns by name."""

import gc
import pickle
import random
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import rankgauge
from rankgauge import formats
from rankgauge.core import codes
from rankgauge.core.ids import Ids
from rankgauge.errors import InputError, MissingDependency
from rankgauge.formats import frames
from rankgauge.formats.columns import joined_ids

LONG = "a document id that is longer than twelve bytes "
TOPICS = ["1", "1", "007", "ä💡", ""]
DOCS = ["d1", LONG + "1", "d1", LONG + "2", "exactly 12 b"]
SCORES = [1.5, -2.0, 0.0, 1e300, 5e-324]
DATA = {"qid": TOPICS, "docno": DOCS, "score": SCORES}
ROWS = list(zip([t.encode() for t in TOPICS], [d.encode() for d in DOCS], SCORES, strict=True))


def rows(frame, kind="run", **columns):
    found = frames.read(frame, kind, columns or None)
    return list(zip(found.topic, found.doc, found.value.tolist(), strict=True))


def arrow(text=pa.string(), **changes):  # noqa: B008
    arrays = {"qid": pa.array(TOPICS, text), "docno": pa.array(DOCS, text), "score": pa.array(SCORES)}
    return pa.table(arrays | changes)


def encoded(values, index=pa.int8()):  # noqa: B008
    return pa.array(values, pa.string()).dictionary_encode().cast(pa.dictionary(index, pa.string()))


RECORDS = np.array(
    list(zip(TOPICS, DOCS, SCORES, strict=True)), dtype=[("qid", "U60"), ("docno", "U60"), ("score", "f8")]
)


class OnlyArrow:
    """A frame of which nothing is known but the capsule."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


class WithoutArrow:
    """A frame as of polars 1.0 to 1.2: it exports no Arrow, and has the schema that queries have."""

    def __init__(self, frame):
        self._frame, self.columns, self.collect_schema = frame, frame.columns, frame.collect_schema

    def __getitem__(self, name):
        return self._frame[name]


FRAMES = {
    "polars 1.0": lambda: WithoutArrow(pl.DataFrame(DATA)),
    "pandas": lambda: pd.DataFrame(DATA),
    "pandas object": lambda: pd.DataFrame(DATA).astype({"qid": object, "docno": object}),
    "pandas string": lambda: pd.DataFrame(DATA).astype({"qid": "string", "docno": "string"}),
    "pandas python": lambda: pd.DataFrame(DATA).astype(
        dict.fromkeys(["qid", "docno"], pd.StringDtype("python"))
    ),
    "pandas categories": lambda: pd.DataFrame(DATA).astype({"qid": "category", "docno": "category"}),
    "pandas sliced": lambda: pd.concat([pd.DataFrame(DATA)] * 3).iloc[5:10],
    "polars": lambda: pl.DataFrame(DATA),
    "polars categories": lambda: pl.DataFrame(DATA).cast({"qid": pl.Categorical, "docno": pl.Categorical}),
    "polars sliced": lambda: pl.concat([pl.DataFrame(DATA)] * 3, rechunk=True).slice(5, 5),
    "polars chunked": lambda: pl.concat([pl.DataFrame(DATA)[:2], pl.DataFrame(DATA)[2:]], rechunk=False),
    "polars binary": lambda: pl.DataFrame(DATA).cast({"docno": pl.Binary}),
    "string": arrow,
    "large string": lambda: arrow(pa.large_string()),
    "string view": lambda: arrow(pa.string_view()),
    "binary": lambda: arrow(pa.binary()),
    "large binary": lambda: arrow(pa.large_binary()),
    "binary view": lambda: arrow(pa.binary_view()),
    "dictionary with an unused null": lambda: arrow(
        qid=pa.DictionaryArray.from_arrays(
            pa.array([1, 1, 3, 4, 2], pa.int8()), pa.array([None, "1", "", "007", "ä💡"])
        ),
        docno=pa.DictionaryArray.from_arrays(
            pa.array([3, 4, 3, 2, 1]), pa.array([None, DOCS[4], DOCS[3], DOCS[0], DOCS[1]], pa.string_view())
        ),
    ),
    "dictionary": lambda: arrow(qid=encoded(TOPICS), docno=encoded(DOCS, pa.uint32())),
    "chunked": lambda: pa.concat_tables([arrow()[:1], arrow()[1:1], arrow()[1:4], arrow()[4:]]),
    "sliced": lambda: pa.concat_tables([arrow()] * 3).combine_chunks()[5:10],
    "sliced views": lambda: pa.concat_tables([arrow(pa.string_view())] * 3).combine_chunks()[5:10],
    "sliced dictionary": lambda: pa.concat_tables([arrow(qid=encoded(TOPICS))] * 3).combine_chunks()[5:10],
    "extension": lambda: arrow(docno=pa.ExtensionArray.from_storage(pa.json_(), pa.array(DOCS))),
    "record batch": lambda: arrow().to_batches()[0],
    "only the capsule": lambda: OnlyArrow(arrow()),
    "structured array": lambda: RECORDS,
    "dict of lists": lambda: DATA,
    "dict of arrays": lambda: {name: np.array(column) for name, column in DATA.items()},
    "dict of strided arrays": lambda: {
        name: np.array([column, column], order="F").T[:, 1] for name, column in DATA.items()
    },
    "dict of reversed arrays": lambda: {name: np.array(column[::-1])[::-1] for name, column in DATA.items()},
    "dict of fields": lambda: {name: RECORDS[name] for name in DATA},
    "dict of masked arrays": lambda: {name: np.ma.array(column) for name, column in DATA.items()},
    "dict of series": lambda: {name: pl.Series(column) for name, column in DATA.items()},
}


@pytest.mark.parametrize("name", FRAMES)
def test_every_frame_gives_the_same_rows_which_outlive_it(name):
    frame = FRAMES[name]()
    found = frames.read(frame, "run")
    del frame
    gc.collect()
    junk = [bytes(1 << 16) for _ in range(50)]
    assert list(zip(found.topic, found.doc, found.value.tolist(), strict=True)) == ROWS
    del junk


FLAGS = [True, False, True, True, False]


@pytest.mark.parametrize(
    "frame",
    [
        arrow(score=pa.array(FLAGS)),
        pa.concat_tables([arrow(score=pa.array(FLAGS))] * 3).combine_chunks()[5:10],
        pl.DataFrame(DATA | {"score": FLAGS}),
        pd.DataFrame(DATA | {"score": FLAGS}),
        pd.DataFrame(DATA | {"score": pd.array(FLAGS, dtype="boolean")}),
        DATA | {"score": FLAGS},
        DATA | {"score": np.array(FLAGS)},
    ],
    ids=["arrow", "sliced", "polars", "pandas", "pandas nullable", "dict", "array"],
)
def test_truth_values_are_numbers(frame):
    assert frames.read(frame, "run").value.tolist() == [1, 0, 1, 1, 0]


@pytest.mark.parametrize("name", ["polars", "pandas", "string", "string view", "chunked", "dictionary"])
def test_an_empty_frame_gives_no_rows(name):
    assert rows(FRAMES[name]()[:0]) == rows(pl.DataFrame({column: [] for column in DATA})) == []


def test_numbers_are_not_copied():
    table = arrow()
    values = frames.read(table, "run").value
    assert values.__array_interface__["data"][0] == table["score"].chunk(0).buffers()[1].address
    assert not values.flags.writeable


def test_memory_is_released_with_the_last_view():
    gc.collect()
    before = pa.total_allocated_bytes()
    table = pa.table({"qid": ["q"] * 100_000, "docno": ["d"] * 100_000, "score": np.ones(100_000)})
    found = frames.read(table, "run")
    del table
    assert pa.total_allocated_bytes() > before
    scores = found.value
    del found
    assert scores.sum() == 100_000
    del scores
    gc.collect()
    assert pa.total_allocated_bytes() == before


@pytest.mark.parametrize("type", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"])
def test_every_type_of_number_can_be_a_score(type):
    values = frames.read(arrow(score=pa.array(np.array([0, 1, 2, 3, 100], type))), "run").value
    assert (values.tolist(), values.dtype) == ([0, 1, 2, 3, 100], np.float64)


@pytest.mark.parametrize("type", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
def test_integers_as_ids_are_their_decimal_text(type):
    limits = np.iinfo(type)
    numbers = [0, 7, 10, limits.max, limits.max - 1, limits.max // 10, limits.min]
    table = pa.table(
        {"qid": np.array(numbers, type), "docno": np.array(numbers[::-1], type), "score": [1] * 7}
    )
    found = frames.read(table, "run")
    assert found.topic.texts() == [str(n) for n in numbers]
    assert found.doc.texts() == [str(n) for n in numbers[::-1]]


def test_random_integers_as_ids():
    draw = random.Random(1)
    numbers = [draw.randrange(10**k) for k in range(1, 20) for _ in range(50)]
    assert frames.decimals(np.array(numbers, np.uint64)).texts() == [str(n) for n in numbers]


def test_a_null_in_a_later_chunk_is_found_at_its_row():
    table = pa.concat_tables([arrow(), arrow(score=pa.array([1.0, 2.0, 3.0, None, 5.0]))])
    with pytest.raises(InputError, match="row 8"):
        frames.read(table, "run")
    with pytest.raises(InputError, match="row 3"):
        frames.read(table[5:], "run")
    assert len(frames.read(table[:8], "run")) == 8


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (
            {"qid": ["a"], "docno": ["b"], "score": [None]},
            "row 0 (counted from 0): the column 'score' has \"None\"",
        ),
        ({"qid": ["a"], "docno": [1.5], "score": [1]}, "the column 'docno' has \"1.5\" (float)"),
        (
            {"qid": ["a", 1.5], "docno": ["b", "c"], "score": [1, 2]},
            "row 1 (counted from 0): the column 'qid'",
        ),
        ({"qid": ["a"], "docno": ["b", "c"], "score": [1]}, "the columns differ in length"),
        ({"qid": ["a"], "docno": ["b"], "score": [[1, 2]]}, "the column 'score' has \"[1, 2]\" (list)"),
        ({"qid": ["a"], "docno": ["b"], "score": np.ones((1, 2))}, "the column 'score' has 2 dimensions"),
        ({"qid": ["a"], "docno": ["\ud800"], "score": [1]}, "the column 'docno' has"),
        (pd.DataFrame({"qid": ["a", pd.NA], "docno": ["b", "c"], "score": [1, 2]}), "null"),
        (
            pd.DataFrame({"qid": ["a", 1.5], "docno": ["b", "c"], "score": [1, 2]}),
            "the column 'qid' has \"1.5\"",
        ),
        (pl.Series(["a"]), "a Series of string_view is a single column; pass a frame with columns"),
        (pl.Series([DATA, None]), "row 1 (counted from 0) of the frame is null; fill it or remove the row"),
        (
            DATA | {"score": np.ma.array(SCORES, mask=[0, 0, 1, 0, 0])},
            "row 2 (counted from 0): 'score' is masked; fill it or remove the row",
        ),
        (DATA | {"docno": np.ma.array(DOCS, mask=True)}, "row 0 (counted from 0): 'docno' is masked"),
        (
            arrow(qid=pa.array([1.0] * 5)),
            "the column 'qid' has \"1.0\" (float); use str, bytes or int",
        ),
        (
            arrow(qid=pa.array([True] * 5)),
            "the column 'qid' has \"True\" (bool); use str, bytes or int",
        ),
        (
            arrow(score=pa.array([True, None, True, True, False])),
            "row 1 (counted from 0): 'score' is null",
        ),
        (arrow(score=pa.array(SCORES).cast(pa.string())), "the column 'score' holds text"),
        (arrow(score=pa.array([1.0, None, 1, 1, 1])), "row 1 (counted from 0): 'score' is null"),
        (arrow(docno=pa.array(["a", "b", None, "c", "d"])), "row 2 (counted from 0): 'docno' is null"),
        (
            arrow(docno=pa.array(["a", "b", "c", "d", None], pa.string_view())),
            "row 4 (counted from 0): 'docno'",
        ),
        (arrow(qid=pa.nulls(5)), "row 0 (counted from 0): 'qid' is null"),
        (arrow(qid=pa.array([[1]] * 5)), "the column 'qid' has values of type list<"),
        (
            arrow(
                **{"qid": pa.DictionaryArray.from_arrays(pa.array([0, 0, 1, 0, 0]), pa.array(["a", None]))}
            ),
            "row 2 (counted from 0): 'qid' is null",
        ),
        (
            arrow(
                **{
                    "score": pa.DictionaryArray.from_arrays(
                        pa.array([0, 0, 1, 0, -1]), pa.array([1, 2]), safe=False
                    )
                }
            ),
            "the column 'score' points outside its dictionary",
        ),
        (
            arrow(qid=pa.array([None, "b", "b", "c", "c"]).dictionary_encode()),
            "row 0 (counted from 0): 'qid' is null",
        ),
        ([1, 2], "a list is not a frame"),
        (None, "a NoneType is not a frame"),
    ],
)
def test_what_is_no_fitting_frame_is_named(frame, message):
    with pytest.raises(InputError, match=re.escape(message)):
        frames.read(frame, "run")


NULLS = [("docno", ["x", None]), ("docno", [1, None]), ("score", [1, None]), ("score", [True, None])]


@pytest.mark.parametrize("library", [pl.DataFrame, pd.DataFrame, pa.table], ids=["polars", "pandas", "arrow"])
@pytest.mark.parametrize(("name", "values"), NULLS)
def test_nulls_are_named_with_and_without_pyarrow(library, name, values, monkeypatch):
    frame = library({"qid": ["a", "a"], "docno": ["x", "y"], "score": [1, 2]} | {name: values})
    columns = {key: frame[key] for key in ("qid", "docno", "score")}
    message = rf"row 1 \(counted from 0\): '{name}' is null; fill it or remove the row"
    for given in (frame, columns):
        with pytest.raises(InputError, match=message):
            frames.read(given, "run")
    if library is not pa.table:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(InputError, match=message):
            frames.read(frame, "run")


class Exported:
    """A frame whose capsule is always the same object."""

    def __init__(self, capsule):
        self._capsule = capsule

    def __arrow_c_stream__(self, requested_schema=None):
        return self._capsule


def test_what_is_no_stream_or_was_read_before_is_refused():
    again = Exported(arrow().__arrow_c_stream__())
    assert rows(again) == ROWS
    for frame in (again, again, Exported(arrow().schema.__arrow_c_schema__()), Exported(None)):
        with pytest.raises(InputError, match=r"could not export its columns: .*; pass a frame with columns"):
            frames.read(frame, "run")


def test_a_producer_that_fails_is_quoted():
    def batches():
        yield arrow().to_batches()[0]
        raise OSError("the disk is gone")

    class Broken:
        def __arrow_c_stream__(self, requested_schema=None):
            raise RuntimeError("closed")

    gc.collect()
    before = pa.total_allocated_bytes()
    with pytest.raises(InputError, match=r"could not export its columns: .*the disk is gone"):
        frames.read(OnlyArrow(pa.RecordBatchReader.from_batches(arrow().schema, batches())), "run")
    gc.collect()
    assert pa.total_allocated_bytes() == before, "what was read before the failure is released"
    with pytest.raises(InputError, match='could not export its columns: "RuntimeError: closed"'):
        frames.read(Broken(), "run")


TWICE = pa.table(
    [arrow()["qid"], arrow()["qid"], *arrow().columns[1:]], names=["qid", "qid", "docno", "score"]
)


@pytest.mark.parametrize(
    "frame",
    [
        lambda: TWICE,
        lambda: pd.DataFrame([["1", "1", "a", 1]], columns=TWICE.column_names),
        lambda: {"qid": ["1"], "docno": ["a"], "score": [1], "1": ["x"], 1: ["y"]},
    ],
)
def test_two_columns_of_one_name_are_refused_if_they_are_needed(frame):
    columns = {"topic": "1"} if isinstance(frame(), dict) else None
    with pytest.raises(InputError, match=r"2 columns are named '(qid|1)'; rename or remove one"):
        frames.read(frame(), "run", columns)


def test_two_columns_of_one_name_are_refused_in_files(tmp_path):
    parquet.write_table(TWICE, tmp_path / "r.parquet")
    feather.write_feather(TWICE, tmp_path / "r.arrow")
    for name in ("r.parquet", "r.arrow"):
        with pytest.raises(InputError, match=rf"{name}: 2 columns are named 'qid'"):
            formats.read(tmp_path / name, "run")


def test_columns_that_are_not_needed_may_share_a_name():
    table = pa.table([*arrow().columns, arrow()["qid"], arrow()["qid"]], names=[*DATA, "text", "text"])
    assert rows(table) == ROWS


def test_two_spellings_of_one_name_are_refused_unless_one_is_chosen():
    frame = arrow().append_column("QID", pa.array(["x"] * 5))
    message = r"both 'qid' and 'QID' could be the topic; name one of them: columns=\{.topic.: NAME\}"
    with pytest.raises(InputError, match=message):
        frames.read(frame, "run")
    assert rows(frame, topic="qid") == ROWS


def test_mixed_ids_and_columns_that_are_not_needed_do_not_matter_in_pandas():
    frame = pd.DataFrame({"qid": ["a", 7, b"\xff"], "docno": [1, 2, 3], "score": [1, 2, 3]})
    assert rows(frame) == [(b"a", b"1", 1), (b"7", b"2", 2), (b"\xff", b"3", 3)]
    assert rows(pd.DataFrame(DATA | {"text": [object(), [1], None, "x", 2.5]})) == ROWS


@pytest.mark.parametrize(
    "name", ["pandas", "pandas categories", "polars", "polars categories", "polars binary"]
)
def test_frames_of_pandas_and_polars_are_read_without_pyarrow(name, monkeypatch):
    frame = FRAMES[name]()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert rows(frame) == ROWS
    with pytest.raises(MissingDependency, match="pyarrow"):
        frames.read(OnlyArrow(frame), "run")


def test_numbers_of_a_frame_are_read_without_pyarrow(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    frame = pl.DataFrame(DATA | {"number": [1, 2, 3, 4, 5], "rank": [1, 2, 3, 4, 5]})
    found = frames.read(frame, "run", {"doc": "number"})
    assert (found.doc.texts(), found.rank.tolist()) == (["1", "2", "3", "4", "5"], [1, 2, 3, 4, 5])


def test_without_scores_the_rank_decides():
    found = frames.read(pl.DataFrame({"qid": ["a", "a"], "docno": ["x", "y"], "rank": [2, 1]}), "run")
    assert (found.value.tolist(), found.rank.tolist()) == ([-2, -1], [2, 1])
    with pytest.raises(InputError, match="the rank is not a whole number"):
        frames.read({"qid": ["a"], "docno": ["x"], "rank": [1.5]}, "run")
    frame = {"qid": ["a", "a"], "docno": ["x", "y"], "rank": [1, 2.5], "score": [1, 2]}
    assert frames.read(frame, "run").rank.tolist() == [1, codes.NO_RANK]  # which scores make unnecessary


def test_judgments_have_grades_of_any_name_and_subtopics():
    assert rows(pl.DataFrame({"query-id": ["a"], "corpus-id": ["x"], "score": [2]}), "qrels") == [
        (b"a", b"x", 2)
    ]
    frame = pl.DataFrame({"qid": ["a", "a"], "docno": ["x", "x"], "rel": [2, 1], "subtopic": [1, 2]})
    assert list(frames.read(frame, "qrels").label) == [b"1", b"2"]


def test_ids_are_joined_wherever_their_bytes_begin():
    part = Ids(b"xxabcyy", np.array([2, 3, 5]))
    joined = joined_ids([part, Ids.of([]), Ids.of(["", "d"]), part])
    assert list(joined) == [b"a", b"bc", b"", b"d", b"a", b"bc"]


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())], ids=str
)
def test_ids_of_every_layout_can_be_pickled(kind):
    column = pa.array(["before", "a", "", "é", "a long one, beyond twelve bytes", "after"]).cast(kind)
    found = frames.ids(pa.table({"doc": column}).slice(1, 4), "doc")
    pickled = pickle.dumps(found)
    assert pickle.loads(pickled).texts() == found.texts() == ["a", "", "é", "a long one, beyond twelve bytes"]
    assert b"before" not in pickled


def test_a_table_of_arrow_is_read_without_pandas(tmp_path):
    parquet.write_table(pa.table({"a": ["x"]}), tmp_path / "a.parquet")
    code = (
        "import sys; from pyarrow.parquet import ParquetFile; from rankgauge.formats.frames import ids\n"
        "table = ParquetFile(sys.argv[1]).read()\n"
        "assert all([*ids(some, 'a')] == [b'x'] for some in (table, *table.to_batches()))\n"
        "assert 'pandas' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, tmp_path / "a.parquet"], check=True)


def test_batches_of_a_table_are_no_runs():
    rows = {"query_id": ["1", "1", "1", "2"], "doc_id": ["a", "b", "c", "a"], "score": [3.0, 2.0, 1.0, 1.0]}
    table, judged = pa.table(rows), {"1": {"c": 1}}
    reader = table.to_reader(max_chunksize=2)
    assert rankgauge.evaluate(judged, reader, "RR").mean() == {"run": {"RR": 1 / 3}}
    for batches in (table.to_batches(2), iter(table.to_batches(2))):
        with pytest.raises(InputError, match="record batches are parts of one run"):
            rankgauge.evaluate(judged, batches, "RR")
