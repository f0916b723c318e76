import re
from collections import OrderedDict
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rankgauge.errors import InputError, OptionError
from rankgauge.model.qrels import Qrels
from rankgauge.model.run import Run

NESTED = {"q2": {"d1": 0.5, "d2": 2.0}, "q1": {"d1": -1.0}}


@pytest.fixture
def bm25(tmp_path):
    path = tmp_path / "bm25.run"
    path.write_text("q2 Q0 d1 2 0.5 tag\nq2 Q0 d2 1 2.0 tag\nq1 Q0 d1 1 -1 tag\n")
    return path


def test_a_run_from_a_file_has_its_name_tag_and_ranks(bm25):
    run = Run.read(bm25)
    assert (run.name, run.tag, run.ranks.tolist()) == ("bm25", "tag", [2, 1, 1])
    assert (run.topics.texts(), run.topic.tolist()) == (["q2", "q1"], [0, 0, 1])
    assert (run.docs.texts(), run.scores.tolist()) == (["d1", "d2", "d1"], [0.5, 2.0, -1.0])
    assert repr(run) == "Run 'bm25': 2 topics, 3 results"
    assert Run.read(bm25, name="other").name == "other"


def test_a_run_from_anything_is_the_same_run(bm25):
    frame = {"qid": ["q2", "q2", "q1"], "docno": ["d1", "d2", "d1"], "score": [0.5, 2.0, -1.0]}
    for source in (bm25, str(bm25), NESTED, frame, pl.DataFrame(frame), pd.DataFrame(frame), Run.of(NESTED)):
        assert Run.of(source).to_dict() == NESTED
    run = Run.of(NESTED)
    assert Run.of(run) is run


@pytest.mark.parametrize("name", ["to_arrow", "to_pandas", "to_polars"])
def test_a_run_goes_into_frames_and_comes_back(bm25, name):
    run = Run.read(bm25)
    frame = getattr(run, name)()
    assert list(frame.to_pandas().columns if name == "to_arrow" else frame.columns) == [
        "query_id",
        "doc_id",
        "score",
        "rank",
        "tag",
    ]
    back = Run.from_frame(frame)
    assert (back.to_dict(), back.ranks.tolist(), back.tag) == (NESTED, [2, 1, 1], "tag")


def test_a_run_speaks_arrow(bm25):
    assert pl.DataFrame(Run.read(bm25))["doc_id"].to_list() == ["d1", "d2", "d1"]
    assert Run.from_frame(Run.read(bm25)).to_dict() == NESTED


@pytest.mark.parametrize("name", ["to_arrow", "to_pandas", "to_polars"])
def test_ids_that_are_no_utf_8_go_into_frames_as_bytes(name):
    run = Run.from_dict({b"\xff": {"ä": 1.0}, "b": {b"\xc3": 2.0, b"\xa4": 3.0}})
    assert Run.from_frame(getattr(run, name)()).to_dict() == run.to_dict()
    assert list(run.to_dict()) == ["\udcff", "b"]


def test_a_pattern_reads_files_as_one_run(tmp_path):
    (tmp_path / "part1.txt").write_text("q1 Q0 a 1 1 t\n")
    (tmp_path / "part2.csv").write_text("qid,docno,score\nq2,b,2\n")
    run = Run.read(tmp_path / "part*")
    assert run.to_dict() == {"q1": {"a": 1}, "q2": {"b": 2}}
    assert run.ranks is None


@pytest.mark.parametrize(
    ("files", "place", "first"),
    [
        (
            {
                "part1.txt": "q1 Q0 a 1 1 t\nq1 Q0 b 1 1 t\n",
                "part2.txt": "q2 Q0 a 1 1 t\n\nq1 Q0 b 1 1 t\n",
            },
            'part2.txt:3: document "b" occurs twice in topic "q1", ',
            "first on line 2 of {}/part1.txt; once is allowed",
        ),
        (
            {
                "part1.json": '{"q0": {"a": 1}, "q1": {"a": 1, "b": 1}}',
                "part2.json": '{"q2": {"a": 1}, "q1": {"b": 1}}',
            },
            'part2.json: topic "q1", document "b" (row 1, counted from 0): ',
            "first in row 2 of {}/part1.json; once is allowed",
        ),
    ],
    ids=["lines", "rows"],
)
def test_a_document_twice_in_two_files_is_found_in_both(tmp_path, files, place, first):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as caught:
        Run.read(str(tmp_path / "part*"))
    assert str(caught.value).startswith(f"{tmp_path}/{place}")
    assert first.format(tmp_path) in str(caught.value)


def test_a_document_twice_is_refused_or_settled(tmp_path):
    path = tmp_path / "x.run"
    path.write_text("q Q0 a 1 1 t\nq Q0 b 2 5 t\nq Q0 a 3 4 t\np Q0 a 1 1 t\nq Q0 a 4 4 t\n")
    with pytest.raises(InputError) as caught:
        Run.read(path)
    assert str(caught.value) == (
        f'{path}:3: document "a" occurs twice in topic "q", first on line 1; once is allowed: '
        "remove one, or use duplicates=first or duplicates=max"
    )
    assert Run.read(path, duplicates="first").to_dict() == {"q": {"a": 1, "b": 5}, "p": {"a": 1}}
    best = Run.read(path, duplicates="max")
    assert best.to_dict() == {"q": {"a": 4, "b": 5}, "p": {"a": 1}}
    assert best.ranks.tolist() == [2, 3, 1]
    with pytest.raises(
        OptionError, match="duplicates must be one of error, first, max, majority, median, mean, not 'last'"
    ):
        Run.read(path, duplicates="last")


def test_the_best_of_several_duplicates_is_kept():
    draw = np.random.default_rng(7)
    docs, scores = draw.integers(0, 30, 500), draw.integers(0, 9, 500).astype(float)
    topics = draw.integers(0, 3, 500)
    expected = {}
    for topic, doc, score in zip(topics.tolist(), docs.tolist(), scores.tolist(), strict=True):
        best = expected.setdefault(str(topic), {})
        best[str(doc)] = max(score, best.get(str(doc), 0))
    frame = {"qid": topics, "docno": docs, "score": scores}
    assert Run.from_frame(frame, duplicates="max").to_dict() == expected


def test_several_runs_in_one_file_are_recognised(tmp_path):
    (tmp_path / "x.run").write_text("q Q0 a 1 1 bm25\nq Q0 a 1 1 ql\n")
    with pytest.raises(InputError, match='different tags, "bm25" and "ql": are these several runs in one'):
        Run.read(tmp_path / "x.run")


def test_ids_of_a_dict_may_be_text_bytes_or_integers():
    run = Run.from_dict({7: {b"\xff": 1, "x": 3}, "007": {np.int64(3): 2}})
    assert run.to_dict() == {"7": {"\udcff": 1, "x": 3}, "007": {"3": 2}}
    with pytest.raises(InputError, match=r'"7" \(int\) and "7" \(str\) are the same topic'):
        Run.from_dict({7: {"a": 1}, "007": {"a": 2}, "7": {"x": 3}})


def test_scores_of_a_dict_may_be_any_real_numbers():
    values = {"a": 1, "b": np.float32(0.5), "c": np.int8(3), "d": Fraction(1, 4), "e": float("inf"), "f": 2.5}
    assert Run.from_dict(OrderedDict(q=values)).to_dict() == {"q": {k: float(v) for k, v in values.items()}}


@pytest.mark.parametrize(
    ("nested", "message"),
    [
        ({}, "the input has no rows; a run must have at least one"),
        ({"q": {}}, "the input has no rows"),
        ({"q": {"d": "x"}}, 'topic "q", document "d": the score is not a number: "\'x\'" (str)'),
        ({"q": {"d": None}}, 'document "d": the score is not a number: "None" (NoneType)'),
        ({"q": {"d": 1j}}, "the score is not a number"),
        ({"q": {"d": 10**400}}, "the score is not a number"),
        ({"q": {"d": float("nan")}}, 'topic "q", document "d" (row 0, counted from 0): the score is NaN'),
        ({"q": {1.5: 1}}, 'the id of a document is "1.5" (float); use text or a whole number'),
        ({None: {"d": 1}}, 'the id of a topic is "None" (NoneType)'),
        ({"q": {True: 1}}, 'the id of a document is "True" (bool)'),
        ({"q": {"\ud800": 1}}, "the id of a document is"),
        ({"q": {"d"}}, "a set, which has no order; a run in a dict must be {topic: {document: score}}"),
        ({"q": {7: 1, "7": 2}}, 'document "7" occurs twice in topic "q"'),
    ],
)
def test_a_dict_that_is_no_run_is_refused_with_the_place(nested, message):
    with pytest.raises(InputError, match=re.escape(message)):
        Run.from_dict(nested)


@pytest.mark.parametrize("value", [3, None, [1], object(), Qrels.from_dict({"q": {"d": 1}})])
def test_what_is_no_run_at_all_is_refused(value):
    with pytest.raises(InputError):
        Run.of(value)


def test_a_run_of_columns_that_have_other_names(tmp_path):
    names = {"topic": "my_q", "doc": "my_d", "score": "my_s"}
    frame = pl.DataFrame({"my_q": ["q"], "my_d": ["d"], "my_s": [1.0]})
    frame.write_csv(tmp_path / "x.csv")
    assert Run.from_frame(frame, columns=names).to_dict() == {"q": {"d": 1}}
    assert Run.read(tmp_path / "x.csv", columns=names).to_dict() == {"q": {"d": 1}}


def test_a_run_is_written_by_the_extension_of_its_file(bm25, tmp_path):
    run = Run.read(bm25)
    for name in ("x.run", "x.run.xz", "x.json", "x.jsonl.gz", "x.parquet", "x.feather", "x.tsv.bz2"):
        run.write(tmp_path / name)
        assert Run.read(tmp_path / name).to_dict() == NESTED
    assert pa.OSFile(str(tmp_path / "x.parquet")).read(4) == b"PAR1"
    run.write(str(tmp_path / "y.txt"), format="csv")
    assert Path(tmp_path / "y.txt").read_text().startswith("query_id,doc_id,score,rank,tag\n")
