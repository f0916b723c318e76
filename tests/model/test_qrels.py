import random
import re

import numpy as np
import polars as pl
import pytest

from rankgauge.core.ids import Ids
from rankgauge.errors import InputError
from rankgauge.model.qrels import Qrels, comparable

NESTED = {"q2": {"d1": 1, "d0": 0}, "q1": {"d1": 2, "é": 0.5, "z": -1}}


def in_order(qrels):
    """The judgments as `sorted_topics`, `starts` and `sorted_grades` have them, with the documents."""
    _, starts, docs, grades = qrels._in_order
    return {
        topic: list(zip(list(docs)[a:b], grades[a:b].tolist(), strict=True))
        for topic, a, b in zip(qrels.sorted_topics, starts[:-1], starts[1:], strict=True)
    }


def expected_order(nested):
    by_bytes = sorted(nested, key=lambda topic: topic.encode("utf-8", "surrogateescape"))
    return {
        t: sorted((d.encode("utf-8", "surrogateescape"), float(g)) for d, g in nested[t].items())
        for t in by_bytes
    }


def test_judgments_from_a_file_know_grades_and_iterations(write):
    qrels = Qrels.read(write("qrels.txt", "q2 0 d1 1\nq2 1 d0 0\nq1 0 d1 2.5\n"))
    assert (qrels.topics.texts(), qrels.grades.tolist()) == (["q2", "q1"], [1, 0, 2.5])
    assert (qrels.levels.tolist(), [*qrels.iterations]) == ([0, 1, 2.5], [b"0", b"1", b"0"])
    assert repr(qrels) == "Qrels 'qrels': 2 topics, 3 judgments, grades 0 to 2.5"


def test_judgments_from_anything_are_the_same():
    frame = pl.DataFrame({"query_id": ["q2"] * 2 + ["q1"] * 3, "doc_id": ["d1", "d0", "d1", "é", "z"]})
    frame = frame.with_columns(relevance=pl.Series([1.0, 0, 2, 0.5, -1]))
    assert Qrels.of(frame).to_dict() == Qrels.of(NESTED).to_dict() == NESTED
    assert Qrels.from_frame(Qrels.of(NESTED).to_polars()).to_dict() == NESTED
    assert [*map(type, Qrels.of(NESTED).to_dict()["q1"].values())] == [int, float, int]


def test_judgments_in_order_are_not_touched():
    qrels = Qrels.of({"a": {"x": 1, "y": 2}, "b": {"x": 3}})
    assert qrels._in_order[2] is qrels.docs
    assert qrels.sorted_grades is qrels.grades


@pytest.mark.parametrize("letters", ["ab", "aä💡z", "a\0", "\udcff\udc80a"])
def test_any_judgments_are_put_in_order(letters):
    draw = random.Random(len(letters))

    def word():
        return "".join(draw.choices(letters, k=draw.randrange(1, 5)))

    nested = {word(): {word(): draw.randrange(4) for _ in range(draw.randrange(1, 20))} for _ in range(20)}
    assert in_order(Qrels.from_dict(nested)) == expected_order(nested)


def test_one_very_long_id_does_not_blow_up_the_order():
    nested = {"q": {f"d{i}": i for i in range(300)} | {"x" * 1_000_000: 1}}
    qrels = Qrels.from_dict(nested)
    assert comparable(qrels.docs).dtype == object
    assert in_order(qrels) == expected_order(nested)


def test_ids_compare_as_bytes_do():
    ids = [b"", b"a", b"ab", b"b", b"\x7f", b"\x80", b"\xff", b"\xff\x01"]
    keys = comparable(Ids.of(ids[::-1]))
    assert np.argsort(keys).tolist() == list(range(len(ids)))[::-1]


def test_the_core_is_handed_the_judgments_once():
    qrels = Qrels.of(NESTED)
    assert qrels.judgments() is qrels.judgments()
    assert qrels.judgments(1.0) is qrels.judgments(1.0)
    assert qrels.judgments(1.0) is not qrels.judgments()


def test_judgments_by_subtopic_are_recognised(tmp_path):
    (tmp_path / "qrels.txt").write_text("q 1 d 1\nq 2 d 3\n")
    with pytest.raises(InputError) as caught:
        Qrels.read(tmp_path / "qrels.txt")
    assert ':2: document "d" occurs twice in topic "q", first on line 1' in str(caught.value)
    assert 'differ in the second column, "1" and "2": these look like judgments by subtopic' in str(
        caught.value
    )
    assert Qrels.read(tmp_path / "qrels.txt", duplicates="max").to_dict() == {"q": {"d": 3}}


@pytest.mark.parametrize(
    ("nested", "message"),
    [
        ({"q": {"d": float("inf")}}, "the grade is not a finite number"),
        ({"q": {"d": float("nan")}}, "the grade is NaN"),
        ({"q": {"d": "high"}}, 'topic "q", document "d": the grade is not a number: "\'high\'" (str)'),
        ({}, "judgments must have at least one"),
    ],
)
def test_grades_must_be_finite_numbers(nested, message):
    with pytest.raises(InputError, match=re.escape(message)):
        Qrels.from_dict(nested)


@pytest.mark.parametrize("grade", ["1.7e308", "-2e100"])
def test_a_grade_too_large_to_compute_with_is_refused_and_reported(grade, write, invoke):
    qrels = str(write("q.txt", f"1 0 d1 1\n2 0 d1 {grade}\n"))
    run = str(write("r.txt", "1 Q0 d1 1 2 t\n2 Q0 d1 1 2 t\n"))
    refused = invoke("evaluate", qrels, run, "-m", "CG", code=2).err
    assert f"q.txt:2: the grade {float(grade):g} is too large; use a number" in refused
    assert "grade is beyond ±1e+100" in invoke("validate", qrels, code=1).out
