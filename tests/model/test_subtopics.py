"""Judgments by subtopic, in every form they come in."""

import json
import pickle
import re

import numpy as np
import pandas
import polars
import pytest

import rankgauge
from cases import identical
from rankgauge.errors import InputError
from rankgauge.model.subtopics import SubtopicQrels

NESTED = {"t1": {"s1": {"a": 1, "b": 0}, "s2": {"a": 2, "c": 1}}, "t2": {"s1": {"a": 0.5}}}
TREC = "t1 s1 a 1\nt1 s2 c 1\nt2 s1 a 0.5\nt1 s2 a 2\nt1 s1 b 0\n"
ROWS = [
    ("t1", "s1", "a", 1.0),
    ("t1", "s1", "b", 0.0),
    ("t1", "s2", "a", 2.0),
    ("t1", "s2", "c", 1.0),
    ("t2", "s1", "a", 0.5),
]
FRAME = dict(
    zip(("query_id", "subtopic", "doc_id", "relevance"), map(list, zip(*ROWS, strict=True)), strict=True)
)
RUN = {"t1": {"c": 3.0, "a": 2.0, "x": 1.0}, "t2": {"a": 1.0}}
MEASURES = "alpha_nDCG StRecall@1 IA(nDCG@10) nDCG AP(judged_only=true)"


def forms(write):
    return {
        "a dict": NESTED,
        "a file": write("qrels.txt", TREC),
        "a CSV file": write(
            "q.csv",
            "query_id,intent,doc_id,relevance\n" + "".join(f"{t},{s},{d},{g}\n" for t, s, d, g in ROWS),
        ),
        "JSON": write("q.json", json.dumps(NESTED)),
        "JSONL": write(
            "q.jsonl",
            "".join(json.dumps(dict(zip(FRAME, row, strict=True))) + "\n" for row in ROWS),
        ),
        "pandas": pandas.DataFrame(FRAME),
        "polars": polars.DataFrame(FRAME),
        "a SubtopicQrels": SubtopicQrels.from_dict(NESTED),
    }


def test_judgments_by_subtopic_are_the_same_in_every_form(write):
    expected = rankgauge.evaluate(NESTED, RUN, MEASURES).values
    for form, given in forms(write).items():
        assert identical(rankgauge.evaluate(given, RUN, MEASURES).values, expected), form


def test_they_are_written_and_read_back(write, tmp_path):
    qrels = SubtopicQrels.read(write("qrels.txt", TREC))
    assert qrels.to_dict() == NESTED
    assert qrels.subtopics == (("s1", "s2"), ("s1",))
    assert repr(qrels) == "SubtopicQrels 'qrels': 2 topics, 5 judgments, grades 0 to 2, 3 subtopics"
    for name in ("again.txt", "again.csv", "again.jsonl", "again.parquet"):
        qrels.write(tmp_path / name)
        assert SubtopicQrels.read(tmp_path / name).to_dict() == NESTED
    assert pickle.loads(pickle.dumps(qrels)).to_dict() == NESTED


def test_to_other_measures_a_document_has_its_highest_grade():
    qrels = SubtopicQrels.from_dict(NESTED)
    assert qrels.sorted_grades.tolist() == [2, 0, 1, 0.5]
    plain = {"t1": {"a": 2, "b": 0, "c": 1}, "t2": {"a": 0.5}}
    measures = "nDCG AP Bpref ERR"
    found, expected = (rankgauge.evaluate(given, RUN, measures).values for given in (qrels, plain))
    assert identical(found, expected)


def test_the_second_column_may_be_one_subtopic_for_all(write):
    path = write("qrels.txt", "t 0 a 1\nt 0 b 1\nt 0 c 0\n")
    scores = rankgauge.evaluate(
        path, {"t": {"b": 2.0, "c": 1.5, "a": 1.0}}, "alpha_nDCG(alpha=0) nDCG StRecall"
    )
    values = scores.to_dict()["run"]
    assert values["alpha_nDCG(alpha=0)"] == values["nDCG"]
    assert values["StRecall"] == {"t": 1.0}


def test_judgments_without_subtopics_are_refused_by_measures_that_need_them():
    plain = {"t": {"a": 1}}
    for given in (plain, rankgauge.Qrels.from_dict(plain), {"topic": ["t"], "doc": ["a"], "grade": [1]}):
        with pytest.raises(InputError, match=r"no subtopics.*\{topic: \{subtopic: \{document: grade\}\}\}"):
            rankgauge.evaluate(given, {"t": {"a": 1.0}}, "alpha_nDCG@10")


def test_a_document_twice_in_a_subtopic_is_an_error_or_one_of_the_two(write):
    path = write("qrels.txt", "t s a 1\nt r a 1\nt s a 2\n")
    with pytest.raises(InputError, match='document "a" occurs twice in topic "t", first on line 1'):
        SubtopicQrels.read(path)
    for rule, grade in (("first", 1), ("max", 2)):
        found = SubtopicQrels.read(path, duplicates=rule)
        assert (found.to_dict(), found.dropped) == ({"t": {"s": {"a": grade}, "r": {"a": 1}}}, 1)
    with pytest.raises(
        InputError, match="judgments by subtopic, for measures of diversity such as alpha_nDCG"
    ):
        rankgauge.evaluate(write("q", "t s a 1\nt r a 1\n"), {"t": {"a": 1.0}}, "AP")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"t": {"s": {"a": 1}, "r": 2}}, 'topic "t" has a int for a subtopic'),
        ({"t": {"s": {"a": 1}}, "u": {"a": 1}}, 'topic "u" has a int for a subtopic'),
        ({"t": {"s": {"a": "x"}}}, 'topic "t, subtopic s", document "a": the grade is not a number'),
        ({"t": {None: {"a": 1}}}, "the id of a subtopic is"),
        ({"t": {"s": {}}}, "the input has no rows"),
    ],
)
def test_a_dict_that_mixes_subtopics_and_grades_is_refused(given, message):
    with pytest.raises(InputError, match=re.escape(message)):
        SubtopicQrels.of(given)


def test_probabilities_weigh_subtopics(write):
    qrels = {"t": {"s1": {"a": 1}, "s2": {"b": 1}, "s3": {"c": 0}}}
    run = {"t": {"b": 2.0, "a": 1.0}}
    given = {"t": {"s1": 0.75, "s2": 0.25, "s4": 0.0}}
    weighed = SubtopicQrels.from_dict(qrels).with_subtopic_probabilities(given)
    text = "".join(f"t {s} {p}\n" for s, p in given["t"].items())
    read = SubtopicQrels.from_dict(qrels).with_subtopic_probabilities(write("i", f"# a comment\n{text}"))
    semicolons = SubtopicQrels.from_dict(qrels).with_subtopic_probabilities(
        write("j", text.replace(" ", ";").replace("\n", ";nav\n"))
    )
    assert weighed.subtopic_probabilities == read.subtopic_probabilities == given
    assert semicolons.subtopic_probabilities == given
    values = rankgauge.evaluate(
        weighed, run, "alpha_CG(alpha=1)@1 P_IA@1 IA(P@1) StRecall@1 D_nDCG@1"
    ).mean()["run"]
    assert values == {
        "alpha_CG(alpha=1)@1": 0.25,
        "P_IA@1": 0.25,
        "IA(P@1)": 0.25,
        "StRecall@1": 1 / 3,
        "D_nDCG@1": 0.25 / 0.75,
    }


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"t": {"s1": 0.5}}, 'subtopic "s2" of topic "t" has relevant documents and no probability'),
        ({}, 'subtopic "s1" of topic "t"'),
        ({"t": {"s1": 0.5, "s2": 1.5}}, "1.5 is not a probability"),
        ({"t": {"s1": True, "s2": 0}}, "True is not a probability"),
        ({"t": 0.5}, "the subtopic probabilities of topic 't' are 0.5"),
        (7, "expected a path or a dict {topic: {subtopic: probability}}, not a int"),
        ("t s1 0.5 x\nt s1 0.25\n", 'i:2: subtopic "s1" of topic "t" occurs twice'),
        ("t s1\n", "i:1: expected 3 columns, found 2"),
        ("t s1 -1\n", 'i:1: "-1" is not a number from 0 to 1'),
        ("t s1 nan\n", 'i:1: "nan" is not a number from 0 to 1'),
    ],
)
def test_invalid_probabilities_are_refused(given, message, write):
    qrels = SubtopicQrels.from_dict({"t": {"s1": {"a": 1}, "s2": {"b": 1}}})
    given = write("i", given) if isinstance(given, str) else given
    with pytest.raises(InputError, match=re.escape(message)):
        qrels.with_subtopic_probabilities(given)


def test_topics_may_have_an_alpha_of_their_own(write):
    qrels = SubtopicQrels.from_dict({topic: {"s": {"a": 1, "b": 1}} for topic in "tu"})
    run = {topic: {"a": 2.0, "b": 1.0} for topic in "tu"}
    for alphas in ({"t": 0.25, "u": 1.0}, write("alphas", "t 0.25\nu 1\n")):
        scores = rankgauge.evaluate(
            qrels.with_alphas(alphas), run, "alpha_CG(alpha=topic) alpha_nDCG(alpha=topic,ideal=exact)"
        )
        assert scores.to_dict()["run"] == {
            "alpha_CG(alpha=topic)": {"t": 1.75, "u": 1.0},
            "alpha_nDCG(alpha=topic,ideal=exact)": {"t": 1.0, "u": 1.0},
        }
    exact = rankgauge.evaluate(qrels.with_alphas(alphas), run, "alpha_CG(alpha=topic,gamma=1)").to_dict()[
        "run"
    ]
    assert exact["alpha_CG(alpha=topic,gamma=1)"] == pytest.approx({"t": 0.25 + 0.1875, "u": 1.0})
    with pytest.raises(InputError, match="there is no alpha for the judged topic 'u'"):
        qrels.with_alphas({"t": 1})
    with pytest.raises(rankgauge.measures.language.MeasureError, match="an alpha for each topic"):
        rankgauge.evaluate(qrels, run, "alpha_CG(alpha=topic)")


def test_fewer_judgments_keep_their_subtopics():
    qrels = SubtopicQrels.from_dict(NESTED)
    kept = qrels.only(np.array([True, False, True, False]))
    assert kept.to_dict() == {"t1": {"s1": {"a": 1}, "s2": {"a": 2, "c": 1}}, "t2": {}}
    assert kept.sorted_topics == ("t1", "t2")


def test_grades_may_be_in_records():
    records = {"1": {"d7": {"grade": 2, "by": "x"}, "d2": {"grade": 0}}, "2": {"d1": 1}}
    assert rankgauge.Qrels.of(records).to_dict() == {"1": {"d7": 2, "d2": 0}, "2": {"d1": 1}}
    deeper = {"1": {"s1": {"d7": {"grade": 2}}, "s2": {"d2": {"grade": 1}}}}
    assert SubtopicQrels.of(deeper).to_dict() == {"1": {"s1": {"d7": 2}, "s2": {"d2": 1}}}
    with pytest.raises(InputError, match='topic "x, subtopic data", document "1": the grade is not a number'):
        SubtopicQrels.of({"x": {"data": {"1": {"d7": 0, "d2": 2}}}})
