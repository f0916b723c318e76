"""What an object in memory is taken for: every shape, one run or several, and what is refused."""

import copy
import math
import pickle
import re
from collections import UserDict
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankgauge
from rankgauge.errors import InputError, OptionError
from rankgauge.formats import objects

RUN = {"q1": {"a": 3.0, "b": 1.5}, "q2": {"a": -1.0}}
ROWS = [("q1", "a", 3.0), ("q1", "b", 1.5), ("q2", "a", -1.0)]
COLUMNS = {"qid": ["q1", "q1", "q2"], "docno": ["a", "b", "a"], "score": [3.0, 1.5, -1.0]}


def rows(value, kind="run", columns=None):
    found = objects.read(value, kind, columns).checked()
    return list(zip(found.topic.texts(), found.doc.texts(), found.value.tolist(), strict=True))


class Tensor:
    """What a tensor of torch looks like from here; like one on a device, it does not become an array."""

    def __init__(self, values):
        self._array = np.array(values)
        self.shape, self.dtype, self.ndim = self._array.shape, self._array.dtype, self._array.ndim

    def __array__(self, dtype=None, copy=None):
        raise TypeError("can't convert a device tensor to numpy; use Tensor.cpu()")

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of a 0-d tensor")
        return self.shape[0]

    def __iter__(self):
        return (Tensor(each) for each in self._array)

    def tolist(self):
        return self._array.tolist()

    def item(self):
        return self._array.item()


HELD = {
    "nested": RUN,
    "pairs": {"q1": [("a", 3.0), ("b", 1.5)], "q2": [("a", -1)]},
    "lists of two": {"q1": [["b", 1.5], ["a", 3.0]], "q2": [["a", -1.0]]},
    "generators of pairs": {topic: ((d, s) for d, s in docs.items()) for topic, docs in RUN.items()},
    "records by topic": {
        "q1": [{"corpus_id": "a", "score": 3.0}, {"score": 1.5, "corpus_id": "b"}],
        "q2": [{"corpus_id": "a", "score": -1, "text": "..."}],
    },
    "objects by topic": {
        topic: [SimpleNamespace(docid=doc, score=score) for doc, score in docs.items()]
        for topic, docs in RUN.items()
    },
    "columns": COLUMNS,
    "columns of arrays": {name: np.array(column) for name, column in COLUMNS.items()},
    "columns of series": {name: pl.Series(column) for name, column in COLUMNS.items()},
    "columns of pandas series": {name: pd.Series(column) for name, column in COLUMNS.items()},
    "rows": ROWS,
    "rows as lists": [list(row) for row in ROWS],
    "a tuple of rows": tuple(ROWS),
    "a set of rows": set(ROWS),
    "iterated rows": iter(ROWS),
    "scalars of NumPy": {q: {np.str_(d): np.float32(s) for d, s in docs.items()} for q, docs in RUN.items()},
    "arrays without dimensions": {q: {d: np.array(s) for d, s in docs.items()} for q, docs in RUN.items()},
    "tensors without dimensions": {q: {d: Tensor(s) for d, s in docs.items()} for q, docs in RUN.items()},
}


@pytest.mark.parametrize("name", HELD)
def test_every_shape_has_the_same_rows(name):
    held = HELD[name]
    if "generators" in name or "iterated" in name:  # an iterator is read once, in this test alone
        held = {q: list(each) for q, each in held.items()} if isinstance(held, dict) else list(held)
        held = {q: iter(each) for q, each in held.items()} if isinstance(held, dict) else iter(held)
    assert sorted(rows(held)) == sorted(ROWS)


@pytest.mark.parametrize(
    "listed", [["b", "a"], ("b", "a"), np.array(["b", "a"]), iter(["b", "a"]), {"b": 1, "a": 1}.keys()]
)
def test_a_list_of_documents_is_a_ranking(listed):
    found = objects.read({"q": listed, "empty": []}, "run")
    assert (found.doc.texts(), found.rank.tolist(), found.value.tolist()) == (["b", "a"], [1, 2], [-1, -2])


def test_a_series_may_have_its_documents_in_the_index():
    series = pd.Series({"a": 3, "b": 1})
    assert rows({"q": series}) == rows({"q": series}, "qrels") == [("q", "a", 3.0), ("q", "b", 1.0)]
    assert rows({"q": pd.Series(["b", "a"], index=[7, 5])}) == [("q", "b", -1.0), ("q", "a", -2.0)]


@pytest.mark.parametrize("listed", [["b", "a"], ("b", "a"), {"b", "a"}, frozenset("ba"), Tensor(["b", "a"])])
def test_listed_documents_are_relevant(listed):
    assert sorted(rows({"q": listed}, "qrels")) == [("q", "a", 1.0), ("q", "b", 1.0)]


def test_documents_can_be_listed_by_subtopic():
    found = objects.read({"q": {"s1": {"a"}, "s2": ["b", "c"]}, "p": {"s1": {"a"}}}, "qrels")
    parts = (found.topic.texts(), found.label.texts(), found.doc.texts(), found.value.tolist())
    assert [*zip(*parts, strict=True)] == [
        ("q", "s1", "a", 1),
        ("q", "s2", "b", 1),
        ("q", "s2", "c", 1),
        ("p", "s1", "a", 1),
    ]


@given(st.dictionaries(st.text("ab1é", min_size=1), st.lists(st.text("xyzß", min_size=1), unique=True)))
def test_lists_are_as_good_as_falling_scores(lists):
    if any(lists.values()) and not objects.is_columns(lists):
        scored = {q: {d: -float(place) for place, d in enumerate(docs, 1)} for q, docs in lists.items()}
        assert rows(lists) == rows(scored)
        assert rows(lists, "qrels") == rows({q: dict.fromkeys(docs, 1) for q, docs in lists.items()}, "qrels")


ARRAYS = {
    "NumPy": np.array,
    "lists": lambda rows: rows,
    "tuples": lambda rows: tuple(map(tuple, rows)),
    "a list of arrays": lambda rows: [np.array(row) for row in rows],
    "objects": lambda rows: np.array(rows, dtype=object),
    "a tensor": Tensor,
    "a list of tensors": lambda rows: list(Tensor(rows)),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_has_a_row_per_topic_and_a_column_per_document(name):
    found = objects.read(ARRAYS[name]([[0.5, 2.0, -1.0, 7.0], [0.0, 1.0, 3.0, math.inf]]), "run")
    assert (found.topic.texts(), found.doc.texts()) == (list("00001111"), list("01230123"))
    assert (found.value.tolist(), found.shape) == ([0.5, 2, -1, 7, 0, 1, 3, math.inf], (2, 4))


@pytest.mark.parametrize(("topics", "documents"), [(1, 1), (11, 3), (3, 1001)])
def test_rows_and_columns_of_an_array_are_named_by_their_places(topics, documents):
    found = objects.read(np.ones((topics, documents), dtype=bool), "qrels")
    assert found.topic.texts() == [str(t) for t in range(topics) for _ in range(documents)]
    assert found.doc.texts() == [str(d) for _ in range(topics) for d in range(documents)]
    assert found.value.tolist() == [1.0] * topics * documents


PAIRS = np.array([[5, 3], [6, 2]])  # could be two topics, or documents and scores
RUNS = {
    "a list of dicts": ([RUN, RUN], [None, None]),
    "by name": ({"x": RUN, "y": {"q1": ["a"]}}, ["x", "y"]),
    "lists by name": ({"x": {"q1": ["a"]}}, ["x"]),
    "sets by name": ({"x": {"q1": {"a"}}}, ["x"]),
    "columns by name": ({"x": COLUMNS}, ["x"]),
    "records with topics by name": ({"x": [SimpleNamespace(qid="q", docid="a", score=1.0)]}, ["x"]),
    "rows by name": ({"x": ROWS, "y": iter(ROWS)}, ["x", "y"]),
    "records by name": ({"x": [{"qid": "q1", "docno": "a", "score": 1.0}]}, ["x"]),
    "arrays by a number that is text": ({"1": PAIRS}, ["1"]),
    "arrays by name": ({"x": np.ones((2, 2)), "y": np.ones((2, 2))}, ["x", "y"]),
    "nested lists by name": ({"x": [[1.0, 2.0, 3.0]]}, ["x"]),
    "paths by name": ({"x": Path("a.run"), "y": Path("b.run")}, ["x", "y"]),
    "empty ones first": ({"x": {}, "y": RUN}, ["x", "y"]),
    "a list of frames": ([pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS)], [None, None]),
    "a list of arrays": ([np.ones((2, 2)), np.ones((2, 2))], [None, None]),
    "a list of rows": ([ROWS, ROWS], [None, None]),
    "iterated paths": (iter([Path("a"), "b"]), [None, None]),
    "iterated dicts": (iter([RUN, RUN]), [None, None]),
    "none": ({}, []),
    "a list of none": ([], []),
}


@pytest.mark.parametrize("name", RUNS)
def test_several_runs_are_distinguished_from_one(name):
    runs, names = RUNS[name]
    assert [name for name, _ in objects.separate(runs)] == names


ONE = {
    **{name: held for name, held in HELD.items() if "iterated" not in name and "generators" not in name},
    "ranked lists": {"q1": ["a", "b"]},
    "ranked lists of three": {"q1": ["a", "b", "c"]},
    "ranked numbers": {1: [7, 8], 2: [9]},
    "an array": np.ones((2, 3)),
    "nested lists": [[1.0, 2.0], [3.0, 4.0]],
    "topics without results": {"q1": {}, "q2": {}},
    "an empty list first": {"q1": [], "q2": ["a"]},
    "a topic called like a column": {"query": ["a", "b"]},
    "a triple by topic": {"1": [("a", 1.0, 2)]},
    "pairs by number": {1: PAIRS.tolist()},
}


@pytest.mark.parametrize("name", ONE)
def test_one_run_is_one(name):
    [(given_name, run)] = objects.separate(ONE[name])
    assert given_name is None
    assert run is ONE[name]


def test_named_columns_make_a_dict_of_columns():
    named = {"topic": "frage", "doc": "seite", "score": "punkte"}
    held = {"frage": ["q"], "seite": ["d"], "punkte": [2.5]}
    assert rows(held, columns=named) == [("q", "d", 2.5)]
    assert len(objects.separate(held, named)) == 1
    with pytest.raises(InputError, match=r'the id of a document is "2\.5"'):
        rows(held)  # otherwise three topics with a document each
    with pytest.raises(OptionError, match="columns can name"):
        rows(COLUMNS, columns={"dog": "qid"})


DECREASING = [None, pa.py_buffer(np.array([0, 5, 1, 2], "i4").tobytes()), pa.py_buffer(b"abcdefgh")]
REFUSED = [
    (None, "None is not a run; pass the path of a file, {topic: {document: score}}"),
    (5, "an int is not a run"),
    (object(), "an object is not a run"),
    (b"run", "a bytes is not a run"),
    (dict, "the class dict is not a run"),
    (pd.DataFrame, "the class DataFrame is not a run"),
    (pd.DataFrame(COLUMNS).style, "a Styler has no columns with a length"),
    ({name: np.array(1.0) for name in COLUMNS}, "a dict has no columns with a length (len() of unsized"),
    (
        pa.table({**COLUMNS, "qid": pa.Array.from_buffers(pa.string(), 3, DECREASING)}),
        "the column 'qid' has offsets that decrease",
    ),
    (np.array(1.0), "a ndarray is not a run"),
    ({"q": {"a"}}, 'topic "q" has a set, which has no order; a run in a dict must be'),
    ({"q": 0.5}, 'topic "q" has a float; a run in a dict must be {topic: {document: score}} or, best first'),
    ({"q": "d<1>"}, 'topic "q" has a str; a run in a dict must be'),
    ({"q": [("a", 1.0), ("b", 1.0, 2.0)]}, 'topic "q", result 2: no id of a document in "(\'b\', 1.0, 2.0)"'),
    ({"q": [("a", 1.0, 2)]}, 'topic "q", result 1: no id of a document in "(\'a\', 1.0, 2)"; a result is a'),
    ({"q": [("a", 1.0), "b"]}, 'topic "q", result 2: the score is missing, and others of the topic have one'),
    ({"q": [("a", "high")]}, 'topic "q", document "a": the score is not a number: "\'high\'" (str)'),
    (
        {"q": [{"page": "a", "score": 1.0}]},
        "topic \"q\", result 1: no id of a document in \"{'page': 'a', 'score': 1.0}\"; a result is",
    ),
    (
        {"q": [{"doc_id": "a", "score": 1.0}, {"doc_id": "b"}]},
        'topic "q", result 2: the score is missing, and others of the topic have one',
    ),
    ({"q": ["a", None]}, 'the id of a document is "None" (NoneType)'),
    ({"q": [1.5]}, 'the id of a document is "1.5" (float)'),
    ({"q": ["a", "a"]}, None),
    (
        [("a", "b"), ("c", "d")],
        "the first item is \"('a', 'b')\", not a row (topic, document, score); for such rows, pass ids as",
    ),
    ([("a", 0.5)], "the first item is \"('a', 0.5)\", not a row"),
    ([1.0, 2.0], 'the first item is "1.0" (float), which has no fields; pass records with fields such as'),
    (["a"], 'the first item is the text "a", without a topic and a score; pass the path of a file'),
    ([], "the list is empty; a run must have at least one row"),
    (iter(()), "the tuple_iterator is empty, or was read before; a run must have at least one row"),
    ([(1, 7, 0.5), (1, 8, 0.3)], "lists such as (1, 7, 0.5) could be rows (topic, document, score), or the"),
    ([[1, 7, 1], [1, 8, 0]], "lists such as [1, 7, 1] could be rows (topic, document, score), or the scores"),
    (np.ones(3), "an array of 1 dimension is not a run; use two: a row per topic"),
    (np.ones((1, 2, 3)), "an array of 3 dimensions is not a run; use two"),
    ([[1.0, 2.0], [3.0]], "row 1 (counted from 0) has 1 value, and row 0 has 2; give all rows one length"),
    ([[1.0, 2.0], 3.0], "row 1 (counted from 0) is not a list, and row 0 has 2"),
    (
        [[1, 10**20]],
        "an integer of the array has more than 64 bits; for scores, pass numpy.array(..., dtype=",
    ),
    ([[1.0, 2.0], [3.0, None]], "row 1, column 1 (counted from 0): the score is not a number"),
    (np.array([["a", "b"]]), "the array holds values of type <U1, not scores"),
    (np.ones((1, 2), dtype=complex), "the array holds values of type complex128"),
    (np.ma.array([[1.0, 2.0]], mask=[[True, False]]), "some scores of the array are masked; fill them"),
    (np.array([[1.0, math.nan]]), 'topic "0", document "1": the score is NaN'),
    (np.ones((0, 3)), "the input has no rows"),
    ({"qid": ["q"], "title": ["a"], "score": [1.0]}, 'no column for the doc; found "qid", "title", "score"'),
    (
        {"qid": ["q"], "docno": ["a"], "label": [1]},
        "(this looks like judgments; judgments come first, then runs)",
    ),
]


class Long(dict):
    """A dict that claims to have more items than it has, or none."""

    def __len__(self):
        return 10**9

    def items(self):
        return []


@pytest.mark.parametrize("kind", ["run", "qrels"])
def test_dicts_are_what_they_hold_whatever_they_claim(kind):
    for held in (Long(q={"a": 1.0}), {"q": Long(a=1.0)}):
        assert rows(held, kind) == [("q", "a", 1.0)]
    assert len(objects.read({"q": Long(s=Long(a=1))}, "qrels").doc) == 1


@pytest.mark.parametrize(("held", "message"), REFUSED)
def test_what_is_no_run_is_refused_with_what_to_do(held, message):
    if message is None:  # duplicates are a matter of rules
        assert rows(held) == [("q", "a", -1.0), ("q", "a", -2.0)]
        return
    with pytest.raises(InputError, match=re.escape(message)):
        rows(held)


def test_a_document_in_the_place_of_a_list_is_not_taken_for_a_missing_file(tmp_path):
    with pytest.raises(
        InputError, match=r"a: no such file; .* for a topic with one document, pass \{'1': \['a'\]"
    ):
        objects.separate({"1": "a"})
    (tmp_path / "a").write_text("1 Q0 a 1 1 t\n")
    assert objects.separate({"1": str(tmp_path / "a")}) == [("1", str(tmp_path / "a"))]


@pytest.mark.parametrize("kind", ["run", "qrels"])
def test_a_sparse_matrix_is_refused_with_what_to_pass(kind):
    sparse = pytest.importorskip("scipy.sparse")
    for made in (sparse.csr_matrix, sparse.coo_array):
        with pytest.raises(InputError, match=r"is sparse, .* array\.toarray\(\) if the others have 0"):
            objects.read(made(np.eye(3)), kind)


def test_lines_in_the_place_of_a_path_are_called_so_on_one_line():
    with pytest.raises(InputError) as caught:
        rankgauge.evaluate("1 0 a 1\n", {"1": {"a": 1.0}}, "AP")
    assert str(caught.value).startswith(
        'this text is not the path of a file: "1 0 a 1\\n"; write it to a file'
    )


@pytest.mark.parametrize("kind", [rankgauge.Run, rankgauge.Qrels])
def test_a_run_or_judgments_are_not_made_by_their_class(kind):
    for held in ({"1": {"a": 1.0}}, "x.run"):
        with pytest.raises(InputError, match=rf"use {kind.__name__}\.of\(\.\.\.\)"):
            kind(held)
    made = kind.of({"1": {"a": 1.0}})
    assert copy.copy(made).to_dict() == pickle.loads(pickle.dumps(made)).to_dict() == made.to_dict()


def test_an_open_file_is_refused(write):
    with write("r", "1 Q0 d 1 1 t\n").open() as file:
        for read in (objects.read, lambda held, kind: objects.read(objects.separate(held)[0][1], kind)):
            with pytest.raises(InputError, match="this is an open file; pass its path"):
                read(file, "run")


def test_arrays_by_number_that_may_be_topics_or_runs_are_refused():
    with pytest.raises(InputError, match=r"could be a run by its name, or a topic.*array\.tolist\(\)"):
        objects.separate({1: PAIRS})


def test_responses_are_mappings_all_the_way():
    hit = UserDict(_id="a", _score=1.0)
    assert rankgauge.Run.of({"q": UserDict(hits=UserDict(hits=[hit]))}).to_dict() == {"q": {"a": 1.0}}
    with pytest.raises(InputError, match="the score is not a number"):
        rankgauge.Run.of({"q": {"hits": {"hits": [1, 2]}}})
