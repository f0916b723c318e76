"""Shapes of responses: those that users describe by paths, and what their order says about their scores."""

import json
import uuid
from types import SimpleNamespace

import numpy as np
import pytest

import rankgauge
from rankgauge import Qrels, Run
from rankgauge.errors import InputError, OptionError
from rankgauge.formats import problems

SCORES = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"c": 0.75}}
PATHS = {"hits": "found.pages", "doc": "meta.url", "score": "rsv"}


def response(found):
    """A response of no known client."""
    return {"found": {"pages": [{"meta": {"url": doc}, "rsv": score} for doc, score in found.items()]}}


BY_TOPIC = {topic: response(found) for topic, found in SCORES.items()}
HITS = {topic: found["found"]["pages"] for topic, found in BY_TOPIC.items()}
LISTED = [{"text": topic, **found} for topic, found in BY_TOPIC.items()]


@pytest.mark.parametrize("given", [BY_TOPIC, HITS, LISTED])
def test_paths_describe_a_shape_in_memory_and_in_files(given, write):
    columns = PATHS | ({"topic": "text"} if given is LISTED else {})
    if given is HITS:
        columns.pop("hits")
    run = Run.of(given, columns=columns)
    assert run.to_dict() == Run.of(write("x.json", json.dumps(given)), columns=columns).to_dict() == SCORES
    means = rankgauge.evaluate({"q1": {"b": 1}}, {"x": given, "y": given}, "RR", run_columns=columns).mean()
    assert means == {"x": {"RR": 0.5}, "y": {"RR": 0.5}}
    assert rankgauge.evaluate({"q1": {"b": 1}}, given, "RR", run_columns=columns).mean()["run"] == means["x"]


def test_lines_and_single_responses_are_described_too(write, invoke):
    lines = write("x.jsonl", "\n".join(map(json.dumps, LISTED)))
    assert Run.of(lines, columns=PATHS | {"topic": "text"}).to_dict() == SCORES
    one = Run.of(write("q1.json", json.dumps(BY_TOPIC["q1"])), columns=PATHS)
    assert (one.to_dict(), one.assumed) == ({"q1": SCORES["q1"]}, problems.FILE)
    for held in ([*BY_TOPIC.values()], write("x.json", json.dumps([*BY_TOPIC.values()]))):
        run = Run.of(held, columns=PATHS)
        assert (list(run.to_dict()), run.assumed) == (["1", "2"], problems.NUMBERED)
    named = "hits=found.pages,doc=meta.url,score=rsv,topic=text"
    assert "q1 Q0 a 1 0.9" in invoke("convert", lines, "-", "--columns", named).out
    judged = {"q1": {"rated": [{"page": {"id": "a"}, "stars": 2}]}}
    columns = {"hits": "rated", "doc": "page.id", "grade": "stars"}
    assert Qrels.of(judged, columns=columns).to_dict() == {"q1": {"a": 2}}


def test_which_end_is_best_is_said_or_refused_where_scores_rise():
    rising = {"q1": response({"a": 0.1, "b": 0.3})}
    for best, expected in (("low", {"a": -0.1, "b": -0.3}), ("high", {"a": 0.1, "b": 0.3})):
        assert Run.of(rising, columns=PATHS | {"best": best}).to_dict() == {"q1": expected}
    with pytest.raises(InputError, match=r"scores rise from the first hit .* say which are best: columns="):
        Run.of(rising, columns=PATHS)
    with pytest.raises(OptionError, match="best must be one of high, low"):
        Run.of(rising, columns=PATHS | {"best": "least"})
    engine = {"q1": {"hits": {"hits": [{"_id": "a", "_score": 0.1}, {"_id": "b", "_score": 0.3}]}}}
    run = Run.of(engine)
    assert (run.to_dict(), run.assumed) == ({"q1": {"a": -0.1, "b": -0.3}}, problems.DISTANCES)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (PATHS | {"hits": "found.page"}, "there is no list at found.page"),
        (
            PATHS | {"doc": "meta.id"},
            r'topic "q1", result 1: no id of a document in .*columns=.*names another',
        ),
        (PATHS | {"tag": "x"}, "what columns name in a hit must be one of doc, score, rank"),
    ],
)
def test_paths_that_lead_nowhere_are_refused(columns, message):
    with pytest.raises((InputError, OptionError), match=message):
        Run.of(BY_TOPIC, columns=columns)
    if columns["hits"] == PATHS["hits"]:
        return
    with pytest.raises(
        InputError, match=r"topic 'q2|topic \"q2\": there is no list at found\.pages; found \"x\""
    ):
        Run.of({"q1": BY_TOPIC["q1"], "q2": {"x": 1}}, columns=PATHS)


def test_requests_and_responses_of_rank_eval_are_judgments_and_a_run(write):
    ratings = [{"_index": "i", "_id": "a", "rating": 0}, {"_index": "i", "_id": "b", "rating": 2}]
    judged = {"requests": [{"id": "q1", "request": {}, "ratings": ratings}], "metric": {"precision": {}}}
    hits = [
        {"hit": {"_index": "i", "_id": doc, "_score": score}, "rating": 1}
        for doc, score in SCORES["q1"].items()
    ]
    details = {"q1": {"metric_score": 1, "unrated_docs": [], "hits": hits, "metric_details": {}}}
    found = {"metric_score": 1, "details": details, "failures": {}}
    for qrels in (judged, write("q.json", json.dumps(judged))):
        for run in (found, write("run.json", json.dumps(found))):
            assert Run.of(run).to_dict() == {"q1": SCORES["q1"]}
            assert rankgauge.evaluate(qrels, run, "RR").mean() == {"run": {"RR": 0.5}}


@pytest.mark.parametrize("around", ["responses", "results"])
def test_several_responses_are_numbered_and_named_by_their_queries(around, write):
    elastic = [
        {"hits": {"hits": [{"_id": "a", "_score": 1.0}]}},
        {"hits": {"hits": [{"_id": "b", "_score": 1.0}]}},
    ]
    solr = [
        {"responseHeader": {"params": {"q": query}}, "response": {"docs": [{"id": doc, "score": 1.0}]}}
        for query, doc in (("x", "a"), ("y", "b"))
    ]
    for responses, topics in ((elastic, "12"), (solr, "xy")):
        held = {"took": 1, around: responses}
        for each in (held, write("run.json", json.dumps(held))):
            assert Run.of(each).to_dict() == {topics[0]: {"a": 1.0}, topics[1]: {"b": 1.0}}
            assert len(rankgauge.evaluate({topics[0]: {"a": 1}}, each, "RR").runs) == 1


def test_ids_of_objects():
    ids = [uuid.UUID(int=1), uuid.UUID(int=2)]
    found = SimpleNamespace(
        objects=[SimpleNamespace(uuid=id, metadata=SimpleNamespace(score=2.0)) for id in ids]
    )
    assert (
        rankgauge.evaluate({"q": {ids[0]: 1}}, {"q": found}, "RR", ties="docid_asc").mean()["run"]["RR"]
        == 1.0
    )
    loaded = SimpleNamespace(page_content="x", metadata={"source": "a.pdf"}, id=None)
    assert Run.of({"q": [(loaded, 0.5)]}).to_dict() == {"q": {"a.pdf": 0.5}}


def test_ratings_of_quepid_are_read(write):
    text = 'Query Text,Doc ID,Rating\n"a b",x,3\n'
    assert Qrels.read(write("case.csv", text)).to_dict() == {"a b": {"x": 3}}


@pytest.mark.parametrize("ids", [np.array([["a", "b"]]), np.array([[{"id": "a"}, {"id": "b"}]])])
def test_ids_of_a_search_may_be_texts_or_records(ids):
    assert Run.of((ids, np.array([[0.5, 0.25]]))).to_dict() == {"0": {"a": 0.5, "b": 0.25}}


def test_a_frame_of_spark_is_refused_with_what_takes_it():
    frame = SimpleNamespace(toPandas=None, columns=["qid"])
    with pytest.raises(InputError, match=r"rankgauge\.spark\.evaluate"):
        rankgauge.evaluate(frame, frame, "RR")


def test_topics_name_lists_that_name_none():
    responses, lists = [*BY_TOPIC.values()], [["a", "b"], ["c"]]
    run = Run.of(responses, columns=PATHS, topics=SCORES)
    assert (run.to_dict(), run.assumed) == (SCORES, "")
    assert list(Run.of(lists, topics=[7, "x"]).to_dict()) == ["7", "x"]
    assert list(Run.of((np.array([[0.5], [0.25]]), np.array([[3], [4]])), topics=["a", "b"]).to_dict()) == [
        "a",
        "b",
    ]
    with pytest.raises(InputError, match="3 topics for 2 lists"):
        Run.of(lists, topics=["a", "b", "c"])
    with pytest.raises(InputError, match="topics of their own"):
        Run.of(SCORES, topics=["a", "b"])
    with pytest.raises(InputError, match="topics of its own"):
        Run.of(run, topics=["a", "b"])
    with pytest.raises(InputError, match="topics of their own"):
        Run.of([("q", "a", 1.0)], topics=["a"])


@pytest.mark.parametrize(
    "held",
    [
        {"responses": [{"hits": {"hits": [{"_id": "a", "_score": 3}]}}, {"hits": {"hits": []}}]},
        {"ids": [["a"], ["b"]], "distances": [[0.1], [0.2]]},
        [["a"], ["b"]],
        [[{"id": "a", "score": 2}], [{"id": "b", "score": 1}]],
    ],
    ids=["_msearch", "Chroma", "lists", "hits"],
)
def test_a_file_of_topics_names_lists_that_name_none(held, write):
    qrels = {"qa": {"a": 1}}
    path, topics = write("held.json", json.dumps(held)), write("topics.tsv", "qa\twhat is it\n\nqb why\n")
    for run in (path, held):
        scores = rankgauge.evaluate(qrels, run, "RR", run_columns={"topics": topics})
        assert [*scores.mean().values()] == [{"RR": 1.0}]
    with pytest.raises(InputError, match="topics of their own"):
        rankgauge.evaluate(qrels, write("own.json", '{"qa": ["a"]}'), "RR", run_columns={"topics": topics})


@pytest.mark.parametrize(
    ("topics", "words"),
    [
        (["q", "q"], 'topic "q" is named for two lists'),
        ([1, "1"], 'topic "1" is named for two lists'),
        ([None, "q"], "None is no id of a topic"),
        (["q", float("nan")], "nan is no id of a topic"),
        (["", "q"], "'' is no id of a topic"),
        (5, "not 5"),
    ],
)
def test_topics_that_name_no_list_or_two_are_refused(topics, words):
    with pytest.raises(InputError, match=words):
        Run.of((np.array([[1, 2], [3, 4]]), np.array([[0.5, 0.4], [0.9, 0.1]])), topics=topics)
