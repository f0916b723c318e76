"""Lecture: what each rank adds, and the ideal ranking beside."""

import math

import pytest

from browsing import Keys
from extensions.pages.explorer import small
from extensions.pages.explorer.visiting import one, press, texts, visit
from rankgauge.campaigns.campaign import Campaign
from rankgauge.explanation import explain
from rankgauge.extensions.pages.explorer import Session
from rankgauge.extensions.pages.explorer.views import answer

QRELS = {"t": {"a": 3, "b": 0, "c": 2, "d": 1}}
RUNS = {"one": {"t": {"b": 5, "a": 4, "x": 3, "c": 2}}}


def board(measure, qrels=QRELS, runs=RUNS, **options):
    session = Session(Campaign(qrels, runs, by_subtopic="alpha" in measure), measure, **options)
    return answer(session, "lecture", {"topic": "t", "run": "one"})


def test_ranks_add_gain_over_discount():
    found = board("nDCG@10", documents={"a": "Apples"})
    assert (found["total"], found["measure"]["label"]) == ("DCG", "nDCG@10")
    assert [(row["gain"], row["discount"]) for row in found["rows"] if row["gain"]] == [
        (3, pytest.approx(math.log2(3))),
        (2, pytest.approx(math.log2(5))),
    ]
    assert [row["part"] for row in found["rows"]] == pytest.approx([0, 3 / math.log2(3), 0, 2 / math.log2(5)])
    assert [(row["document"], row["grade"]) for row in found["best"]] == [("a", 3), ("c", 2), ("d", 1)]
    assert [row["part"] for row in found["best"]] == pytest.approx([3, 2 / math.log2(3), 0.5])
    assert found["value"] == pytest.approx(found["rows"][-1]["sum"] / found["best"][-1]["sum"])


def test_a_measure_without_a_sum_shows_its_own_changes_and_twist_the_relative_positions():
    found = board("AP")
    assert (found["total"], [row["part"] for row in found["rows"]]) == (
        "",
        pytest.approx([0, 1 / 6, 0, 1 / 6]),
    )
    twist = board("Twist")
    assert (twist["total"], [row["part"] for row in twist["rows"]]) == ("CRP", [-3, 1, -1, 2])
    assert [row["belongs"] for row in twist["rows"]] == [[4, 6], [1, 1], [4, 6], [2, 2]]


def test_documents_are_worth_something_for_subtopics(write):
    qrels = write("qrels.txt", "t s1 a 1\nt s1 b 1\nt s2 b 1\nt s3 c 1\n")
    found = board("alpha_nDCG@10", str(qrels))
    assert found["names"] == ["s1", "s2", "s3"]
    assert [row["worth"] for row in found["rows"]][:2] == [[1, 1, None], [0.5, None, None]]
    assert [row["name"] for row in found["best"]][:2] == ["b", "c"]  # not the two of s1


@pytest.mark.parametrize("measure", ["RR", "ERR@20", "RBP", "P@5", "Bpref", "NumRet"])
def test_every_kind_of_measure_has_a_board(measure):
    session = Session(Campaign(small.QRELS, small.RUNS), measure)
    topic = next(iter(small.QRELS))
    found = answer(session, "lecture", {"topic": topic, "run": "bm25"})
    assert len(found["rows"]) == (5 if measure == "P@5" else 10)
    assert found["value"] == explain(small.QRELS, {"bm25": small.RUNS["bm25"]}, measure, topic=topic).value


def test_the_right_arrow_key_goes_on_by_a_rank(opened):
    visit(opened, "/lecture?topic=103&measure=nDCG@10&of=bm25")
    assert one(opened, ".now").text == "The right arrow key goes to rank 1."
    for _ in range(2):
        press(opened, Keys.ARROW_RIGHT)
    assert one(opened, ".now").text.startswith("Rank 2 adds ")
    assert "step=2" in opened.current_url
    assert len(texts(opened, ".rungs:first-of-type .rung[aria-hidden=false]")) == 4  # two of each ranking
    press(opened, Keys.HOME)
    assert "step" not in opened.current_url
