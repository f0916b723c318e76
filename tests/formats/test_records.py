"""Records, one per row: of any type with fields, in any iterable."""

import dataclasses
import random
import re
from collections import OrderedDict, namedtuple
from types import SimpleNamespace

import numpy as np
import pytest

from rankgauge.errors import InputError
from rankgauge.formats import frames

Hit = namedtuple("Hit", "qid docno score")
Turned = namedtuple("Turned", "score docno more qid")


@dataclasses.dataclass
class Result:
    query_id: str
    doc_id: str
    score: float


class Slotted:
    """A record that lists its fields nowhere, as those of Java do."""

    __slots__ = ("_row",)

    def __init__(self, *row):
        self._row = row

    qid = property(lambda self: self._row[0])
    docid = property(lambda self: self._row[1])
    score = property(lambda self: self._row[2])


ROWS = [("q1", "a", 3.0), ("q1", "b", 1.5), ("q2", "ä", -1.0)]
TYPES = {
    "named tuples": Hit,
    "named tuples in another order": lambda q, d, s: Turned(s, d, None, q),
    "dataclasses": Result,
    "dicts": lambda q, d, s: {"query-id": q, "corpus-id": d, "score": s, "vector": [1, 2]},
    "ordered dicts": lambda q, d, s: OrderedDict(vector=[1, 2], score=s, docno=d, qid=q),
    "namespaces": lambda q, d, s: SimpleNamespace(query_id=q, doc_id=d, score=s),
    "slots": Slotted,
    "tuples": lambda *row: row,
    "lists": lambda *row: list(row),
    "rows of a structured array": lambda *row: np.array(
        [row], dtype=[("qid", "U9"), ("docno", "U9"), ("score", "f8")]
    )[0],
    "bytes": lambda q, d, s: Hit(q.encode(), d.encode(), s),
    "scalars": lambda q, d, s: Hit(np.str_(q), d, np.float32(s)),
}


def rows(held, kind="run", **columns):
    found = frames.read_records(held, kind, columns or None)
    return list(zip(found.topic.texts(), found.doc.texts(), found.value.tolist(), strict=True))


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("container", [list, tuple, iter, lambda rows: (row for row in rows)])
def test_records_of_any_type_in_any_container_are_rows(name, container):
    assert rows(container([TYPES[name](*row) for row in ROWS])) == ROWS


def test_records_of_several_types_with_the_same_fields_are_mixed():
    held = [Hit(*ROWS[0]), Turned(1.5, "b", 0, "q1"), dict(zip(Hit._fields, ROWS[2], strict=True))]
    assert rows(held) == ROWS


def test_fields_with_other_names_are_named():
    held = [{"frage": "q", "seite": 7, "punkte": True, "score": "?"}]
    assert rows(held, topic="frage", doc="seite", score="punkte") == [("q", "7", 1.0)]


def test_ranks_tags_and_iterations_are_read():
    run = frames.read_records([{"qid": "q", "docno": "a", "rank": 2, "tag": "t", "score": 1.0}], "run")
    assert (run.rank.tolist(), run.label.texts()) == ([2], ["t"])
    qrels = frames.read_records([{"qid": "q", "docno": "a", "iteration": 0, "relevance": 1}], "qrels")
    assert qrels.label.texts() == ["0"]
    by_rank = frames.read_records([{"qid": "q", "docno": "a", "rank": 2}], "run")
    assert (by_rank.value.tolist(), by_rank.rank.tolist()) == ([-2], [2])


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 1000])
def test_chunks_are_invisible(chunk, monkeypatch):
    monkeypatch.setattr(frames, "CHUNK", chunk)
    rng = random.Random(chunk)
    held = [Hit(f"q{rng.randrange(9)}", f"dé{n}", rng.random()) for n in range(50)]
    assert rows(iter(held)) == [tuple(row) for row in held]
    for last, message in (
        (Hit("q", None, 1.0), r"row 50 \(counted from 0\): the column 'docno' has \"None\""),
        (
            Hit("q", "d", float("nan")),
            r'topic "q", document "d" \(row 50, counted from 0\): the score is NaN',
        ),
    ):
        with pytest.raises(InputError, match=message):
            frames.read_records(iter([*held, last]), "run").checked()


def test_an_iterator_is_read_once_and_a_chunk_at_a_time(monkeypatch):
    monkeypatch.setattr(frames, "CHUNK", 10)
    alive, most, taken = set(), 0, 0

    class Row:
        def __init__(self, number):
            self.qid, self.docno, self.score = "q", str(number), 1.0
            alive.add(number)

        def __del__(self):
            alive.discard(int(self.docno))

    def produce():
        nonlocal most, taken
        for taken in range(1, 201):
            yield Row(taken)
            most = max(most, len(alive))

    assert len(frames.read_records(produce(), "run")) == 200
    assert taken == 200
    assert most <= 31  # the first, a chunk, and the one before it


def test_the_error_of_a_generator_is_not_replaced():
    def broken():
        yield Hit("q", "a", 1.0)
        raise OSError("connection lost")

    with pytest.raises(OSError, match="connection lost"):
        rows(broken())


@pytest.mark.parametrize(
    ("held", "message"),
    [
        (
            [{"qid": "q", "docno": "a", "score": 1}, {"qid": "q", "score": 1}],
            'row 1 (counted from 0) has no "docno"; found "qid", "score"; every row needs qid, docno, score',
        ),
        ([Hit("q", "a", 1), "q a 1"], "row 1 (counted from 0) is \"'q a 1'\" (str), and row 0 is a Hit"),
        ([Hit("q", "a", 1), None], 'row 1 (counted from 0) is "None" (NoneType)'),
        (
            [Turned(1, "a", 0, "q"), ("q", "a", 1.0)],
            "row 1 (counted from 0) is \"('q', 'a', 1.0)\" (tuple), and",
        ),
        ([("q", "a", 1), ("q", "b")], "row 1 (counted from 0) is \"('q', 'b')\" (tuple); every row must be"),
        ([("q", "a", 1), ("q", "b", 1, 2)], "every row must be (topic, document, number)"),
        ([("q", "a", 1), Hit("q", "b", 1)], "row 1 (counted from 0)"),
        ([Hit("q", "a", 10**400)], "the column 'score' has \"1000"),
        ([Hit("q", "a", "1")], "the column 'score' has \"'1'\" (str); use int or float"),
        ([Hit(1.5, "a", 1)], "the column 'qid' has \"1.5\" (float); use str, bytes or int"),
        ([Hit("q", "\ud800", 1)], "row 0 (counted from 0): the column 'docno'"),
        ([{"frage": "q", "seite": "a"}], 'no column for the topic, doc and score; found "frage", "seite"'),
        ([SimpleNamespace(name="q", size=1)], "which has no fields"),
    ],
)
def test_a_record_that_is_no_row_is_refused_with_its_place(held, message):
    for container in (list, iter):
        with pytest.raises(InputError, match=re.escape(message)):
            rows(container(held))
