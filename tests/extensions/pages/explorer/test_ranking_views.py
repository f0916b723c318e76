"""The answers behind rankings, and what if."""

import json

import numpy as np
import pytest

import rankgauge
from extensions.pages.explorer.small import QRELS, RUNS
from rankgauge.campaigns.campaign import Campaign
from rankgauge.errors import InputError, OptionError, RankgaugeError
from rankgauge.extensions.pages.explorer import Session
from rankgauge.extensions.pages.explorer.views import answer, perform
from rankgauge.extensions.pages.explorer.views.ranking import SNIPPET, marked, snippet, words_of
from rankgauge.extensions.pages.explorer.views.what_if import WhatIf
from rankgauge.model.run import Run
from rankgauge.model.texts import Text
from rankgauge.schema.json_text import to_json
from twins.order import in_order

TOPIC, RUN = "103", "bm25"
ODD = {"q": {"<b>d</b>": 1, "": 0, "a\nb": 2}}


def in_json(value):
    return json.loads(to_json(value, ascii_only=True, compact=True))


def test_a_ranking_has_its_documents_grades_values_and_what_it_missed(session):
    request = {"topic": TOPIC, "runs": [RUN, "dense"], "measures": "nDCG@10 AP", "depth": 10}
    found = in_json(answer(session, "ranking", request))
    ids, grades, run = found["documents"]["ids"], found["documents"]["grades"], found["runs"][RUN]
    expected = in_order(RUNS[RUN][TOPIC])
    assert len({*ids}) == len(ids)
    assert grades == [QRELS[TOPIC].get(document) for document in ids]
    assert [ids[place] for place in run["ranked"]] == expected[:10]
    assert run["scores"] == pytest.approx([RUNS[RUN][TOPIC][each] for each in expected[:10]], rel=1e-4)
    assert run["retrieved"] == len(expected)
    relevant = {document for document, grade in QRELS[TOPIC].items() if grade >= 1}
    assert {ids[place] for place, _ in run["missed"]} == relevant - {*expected[:10]}
    assert run["missed_in_all"] == len(run["missed"])
    for place, rank in run["missed"]:
        assert rank == (expected.index(ids[place]) + 1 if ids[place] in expected else None)
    missed = [grades[place] for place, _ in run["missed"]]
    assert missed == sorted(missed, reverse=True)
    scores = rankgauge.evaluate(QRELS, RUNS, "nDCG@10 AP").to_dict()[RUN]
    assert run["values"] == [scores["nDCG@10"][TOPIC], scores["AP"][TOPIC]]
    assert [(each["text"], each["cutoff"]) for each in found["measures"]] == [("nDCG@10", 10), ("AP", None)]
    curves = rankgauge.curves(QRELS, RUNS, "nDCG AP", depth=10)
    topic = curves.topics.index(TOPIC)
    drawn = curves.values[curves.runs.index(RUN), :, topic]
    assert np.array(run["curves"]) == pytest.approx(drawn, rel=1e-4)
    assert np.array(found["ideal"]) == pytest.approx(curves.ideal[:, topic], rel=1e-4)


def test_all_runs_and_measures_are_in_one_answer(session):
    found = answer(session, "ranking", {"topic": TOPIC})
    assert [*found["runs"]] == [*RUNS]
    assert [each["text"] for each in found["measures"]] == [*session.measures]
    assert found["ideal"][session.measures.index("AP")] is not None
    one = answer(Session(session.campaign, "Twist"), "ranking", {"topic": TOPIC})
    assert (one["ideal"], one["runs"][RUN]["curves"]) == ([None], [None])  # it has no curve


@pytest.mark.parametrize("measure", ["nDCG@10", "AP", "RR", "P@5"])
def test_shares_are_those_of_diff_and_add_up(session, measure):
    request = {"topic": TOPIC, "run": RUN, "against": "dense", "measure": measure, "depth": 5}
    found = answer(session, "moves", request)
    expected = rankgauge.diff(QRELS, RUNS["dense"], RUNS[RUN], measure, topic=TOPIC)
    moves = {each.document: each for each in expected.documents}
    assert found["difference"] == expected.changes[measure].difference
    for document, old, new, move, share in found["documents"]:
        known = moves[document]
        assert (old, new, move) == (known.old, known.new, known.move)
        assert share == pytest.approx(known.shares[measure], abs=1e-9)
    shares = [share for *_, share in found["documents"]]
    assert sum(shares) + found["rest"] == pytest.approx(found["difference"])
    tops = ({*in_order(RUNS[run][TOPIC])[:5]} for run in (RUN, "dense"))
    assert set.union(*tops) <= {document for document, *_ in found["documents"]}
    assert (
        found["alike"]["overlap"]
        == len({*in_order(RUNS[RUN][TOPIC])[:10]} & {*in_order(RUNS["dense"][TOPIC])[:10]}) / 10
    )


@pytest.mark.parametrize("measure", ["nDCG@10", "AP", "RR"])
def test_without_another_run_shares_add_up_to_the_value(session, measure):
    found = answer(session, "moves", {"topic": TOPIC, "run": RUN, "measure": measure})
    value = rankgauge.evaluate(QRELS, RUNS, measure).to_dict()[RUN][measure][TOPIC]
    assert value > 0
    assert sum(share for *_, share in found["documents"]) == pytest.approx(value)
    assert {(old, move) for _, old, _, move, _ in found["documents"]} == {(None, "new")}


def test_documents_by_subtopic_contribute_to_the_value():
    about = {"q": {"a": {"d1": 1, "d2": 1}, "b": {"d1": 1, "d3": 1}, "c": {"d4": 1}}}
    session = Session(
        Campaign(about, {"r": {"q": ["d1", "d2", "x", "d3"]}}, by_subtopic=True), "alpha_nDCG@10"
    )
    assert answer(session, "session", {})["subtopics"]
    found = answer(session, "subtopics", {"topic": "q", "run": "r"})
    assert (found["names"], found["measure"]["text"]) == (["a", "b", "c"], "alpha_nDCG@10")
    covered = {document: cells for document, cells, _ in found["rows"]}
    assert covered == {
        "d1": [1.0, 1.0, None],
        "d2": [0.5, None, None],
        "x": [None, None, None],
        "d3": [None, 0.5, None],
    }
    shares = [share for *_, share in found["rows"]]
    assert sum(shares) == pytest.approx(found["value"])
    ideal = 2 + 1 / np.log2(3) + 0.5 / 2 + 0.5 / np.log2(5)  # d1, d4, and then d2 and d3
    assert shares == pytest.approx([2 / ideal, 0.5 / np.log2(3) / ideal, 0, 0.5 / np.log2(5) / ideal])
    plain = answer(session, "subtopics", {"topic": "q", "run": "r", "measure": "AP"})
    assert plain["measure"]["text"] == "alpha_nDCG@10"


def test_an_explanation_is_that_of_explain(session):
    found = answer(session, "explanation", {"topic": TOPIC, "run": RUN, "measure": "AP"})
    expected = rankgauge.explain(QRELS, {RUN: RUNS[RUN]}, "AP", topic=TOPIC).document(limit=100)
    assert found["title"] == expected.title
    assert [each["title"] for each in found["sections"]] == [each.title for each in expected.sections]
    with pytest.raises(OptionError, match="no subtopics"):
        answer(session, "subtopics", {"topic": TOPIC, "run": RUN})


def test_an_explanation_has_titles_and_the_names_of_measures_that_people_know():
    about = {"q": {"1": {"d1": 1, "d2": 1}, "2": {"d2": 1}}}
    texts = {"d1": Text("Bread", ""), "d2": Text("Butter", "")}
    campaign = Campaign(about, {"a": {"q": ["d1", "d3"]}}, by_subtopic=True)
    session = Session(campaign, "alpha_nDCG@10 ERR_IA@10", documents=texts)
    found = json.dumps(answer(session, "explanation", {"topic": "q", "run": "a"}), ensure_ascii=False)
    assert all(name in found for name in ("Bread (d1)", "Butter (d2)", "α-nDCG@10 of run a", '"d3"'))
    assert "alpha_nDCG" not in found
    assert answer(session, "session", {})["measure_names"][1] == ["ERR_IA@10", "ERR-IA@10"]


def test_words_of_the_query_are_marked_in_titles_and_snippets():
    words = words_of("how do Cats purr")
    assert marked("A cat purring, and concatenation", words) == [
        "A ",
        "cat",
        " ",
        "purring",
        ", and concatenation",
    ]
    assert marked("x", words_of("")) == ["x"]
    assert marked("Change, changed", words_of("changes"))[1::2] == ["Change", "changed"]
    assert marked("how is it", words_of("how is it"))[1::2] == ["how", "is", "it"]  # nothing else to find
    text = f"{'dull ' * 100}cats and then purrs {'dull ' * 100}"
    found = snippet(text, words)
    assert found[1::2] == ["cats", "purrs"]
    assert found[0].startswith("… dull")
    assert found[-1].endswith(" …")
    assert len("".join(found)) < SNIPPET + 10
    assert snippet("short", words) == ["short"]
    assert snippet(f"{'dull ' * 290}cats {'dull ' * 20}", words)[-1].endswith(" …")  # beyond what is searched
    assert marked("Straßen und STRAẞE", words_of("Straße"))[1::2] == ["STRAẞE"]
    japanese = words_of("「東京都」の Python 入門とは")
    assert marked("東京都庁、京都。PythonやPythonicの入門書とは何", japanese)[1::2] == [
        "東京都",
        "京都",
        "Python",
        "入門",
    ]
    assert marked("猫と犬", words_of("猫"))[1::2] == ["猫"]
    assert marked("これとは", words_of("とは"))[1::2] == ["とは"]  # nothing else to find
    long = snippet(f"始 {'長' * 400}東京{'長' * 400}", japanese)
    assert (long[1::2], len("".join(long)) > 150) == (["東京"], True)
    texts = {"d1": Text("A cat", "It purrs."), "d9": Text("never", "retrieved")}
    runs = {"r": {"q": ["d1", "d2"]}}
    session = Session(Campaign({"q": {"d1": 1}}, runs), documents=texts, topics={"q": "why cats purr"})
    documents = answer(session, "ranking", {"topic": "q"})["documents"]
    assert documents["titles"] == [["A ", "cat", ""], None]
    assert documents["snippets"] == [["It ", "purrs", "."], None]
    assert answer(session, "document", {"document": "d1", "topic": "q"})["body"] == ["It ", "purrs", "."]


def test_texts_of_unjudged_documents_may_be_cut():
    texts = {f"d{n}": f"text {n}" for n in range(9)}
    session = Session(Campaign({"q": {"d5": 1}}, {"r": {"q": [*texts]}}), documents=texts)
    found = answer(session, "ranking", {"topic": "q", "texts": 2})["documents"]["snippets"]
    assert [n for n, each in enumerate(found) if each] == [0, 1, 5]
    assert not any(answer(session, "ranking", {"topic": "q", "texts": 0})["documents"]["snippets"])


def test_the_text_of_a_document_is_cut():
    texts = {"d1": Text("Title", "x" * 30_000), "d2": Text("", "short")}
    session = Session(
        Campaign({"q": {"d1": 1}}, {"r": {"q": {"d1": 1}}}), documents=texts, topics={"q": Text("", "why")}
    )
    found = answer(session, "document", {"document": "d1"})
    assert (found["title"], len(found["body"][0]), found["cut"]) == (["Title"], 20_000, True)
    assert answer(session, "document", {"document": "d2"})["cut"] is False
    assert answer(session, "document", {"document": "d3"})["known"] is False
    assert answer(session, "ranking", {"topic": "q"})["query"] == "why"
    bare = Session(Campaign({"q": {"d1": 1}}, {"r": {"q": {"d1": 1}}}))
    assert answer(bare, "document", {"document": "d1"})["texts"] is False


def test_an_empty_ranking_and_a_topic_without_relevant_documents():
    campaign = Campaign({"p": {"d1": 0}, "q": {"d1": 1}}, {"one": {"q": {"x": 1}}, "two": {"p": {"y": 1}}})
    session = Session(campaign)
    found = in_json(answer(session, "ranking", {"topic": "p"}))
    empty = found["runs"]["one"]
    assert (empty["ranked"], empty["retrieved"], empty["missed"]) == ([], 0, [])
    assert (found["relevant"], found["documents"]["grades"]) == (0, [None])
    assert answer(session, "moves", {"topic": "p", "run": "one", "against": "two"})["documents"] == [
        ["y", 1, None, "lost", 0.0]
    ]
    assert perform(session, "what-if", {"topic": "p", "run": "one", "ranking": [0]})["topic"][0] != 0.5
    missed = answer(session, "ranking", {"topic": "q", "runs": ["two"]})
    assert (missed["documents"]["ids"], missed["runs"]["two"]["missed"]) == (["d1"], [[0, None]])


def test_what_if_has_the_values_of_the_library(session):
    topic_qrels, ranking = dict(QRELS[TOPIC]), in_order(RUNS[RUN][TOPIC])
    before = answer(session, "what-if", {"topic": TOPIC, "run": RUN, "measures": "AP nDCG@10"})
    assert before["documents"][: before["retrieved"]] == ranking
    numbers = [4, *range(4), *range(5, 20)]
    grades = [{"document": 0, "grade": 3}, {"document": 2, "grade": None}]
    request = {"topic": TOPIC, "run": RUN, "measures": "AP nDCG@10", "ranking": numbers, "grades": grades}
    after = perform(session, "what-if", request)
    topic_qrels[ranking[0]] = 3
    topic_qrels.pop(ranking[2], None)
    changed = {**RUNS[RUN], TOPIC: [ranking[number] for number in numbers]}
    scores = rankgauge.evaluate({**QRELS, TOPIC: topic_qrels}, {**RUNS, RUN: changed}, "AP nDCG@10")
    place = scores.topics.index(TOPIC)
    assert after["topic"] == scores.values[list(RUNS).index(RUN), :, place].tolist()
    assert after["mean"] == [*scores.mean()[RUN].values()]
    assert before["mean"] == [*rankgauge.evaluate(QRELS, RUNS, "AP nDCG@10").mean()[RUN].values()]


def test_a_document_can_be_added(session):
    request = {"topic": TOPIC, "run": RUN, "added": ["brand new"], "measures": "RR"}
    documents = answer(session, "what-if", request)["documents"]
    assert documents[-1] == "brand new"
    number = len(documents) - 1
    found = perform(
        session, "what-if", {**request, "ranking": [number], "grades": [{"document": number, "grade": 2}]}
    )
    assert found["topic"] == [1.0]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"ranking": "1"}, "whole numbers"),
        ({"ranking": [True]}, "whole numbers"),
        ({"ranking": [10**9]}, "none is number"),
        ({"ranking": [-1]}, "none is number -1"),
        ({"ranking": [1, 1]}, "twice"),
        ({"grades": [{"document": 0, "grade": "3"}]}, "grade is a finite number"),
        ({"grades": [{"document": 0, "grade": 10**400}]}, "grade is a finite number"),
        ({"grades": [{"document": 0, "grade": float("nan")}]}, "grade is a finite number"),
        ({"grades": [{"grade": 1}]}, "by number"),
        ({"added": ["\ud800"]}, "added is no valid text"),
        ({"grades": [1]}, "list of objects"),
        ({"run": "nobody"}, "run must be one of"),
        ({"topic": "nothing"}, "topic must be one of"),
        ({"measures": "nDGC"}, "nDCG"),
        ({"by": "RR nDCG"}, "RR nDCG"),
    ],
)
def test_wrong_requests_say_why(session, wrong, message):
    with pytest.raises(RankgaugeError, match=message):
        perform(session, "what-if", {"topic": TOPIC, "run": RUN, **wrong})


def test_a_measure_of_scores_has_no_helps(session):
    found = perform(session, "what-if", {"topic": TOPIC, "run": RUN, "by": "RelativeRelevance"})
    assert "looks at scores" in found["helps"]["error"]


def test_documents_have_the_ids_by_which_their_texts_are_found():
    texts = {"constructor": Text("A title", "")}
    session = Session(Campaign({"q": {"constructor": 1}}, {"r": {"q": ["constructor"]}}), documents=texts)
    [shown] = answer(session, "ranking", {"topic": "q"})["documents"]["ids"]
    assert answer(session, "document", {"document": shown})["title"] == ["A title"]


def test_a_ranking_needs_one_order_of_documents():
    session = Session(Campaign(QRELS, RUNS, ties="average"))
    with pytest.raises(OptionError, match="one order"):
        answer(session, "ranking", {"topic": TOPIC})


def test_a_file_that_changed_is_an_error_not_another_ranking(tmp_path):
    path = tmp_path / "a.run"
    Run.from_dict(RUNS[RUN]).write(path)
    session = Session(Campaign(QRELS, path))
    assert answer(session, "ranking", {"topic": TOPIC})["runs"]["a"]["retrieved"]
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{TOPIC} Q0 new 1 99 t\n")
    for function, name in ((answer, "ranking"), (answer, "what-if"), (perform, "what-if")):
        with pytest.raises(InputError, match="the file changed"):
            function(session, name, {"topic": TOPIC, "run": "a"})


def test_names_that_are_no_text_can_be_shown():
    session = Session(Campaign(ODD, {"r": {"q": {"<b>d</b>": 3, "a\nb": 2, "\x1b[31m": 1, "\udcff": 0.5}}}))
    found = in_json(answer(session, "ranking", {"topic": "q"}))["documents"]["ids"]
    assert found[0] == "<b>d</b>"
    assert all(name.isprintable() for name in found)


def test_what_brings_nothing_is_counted_and_not_listed(session):
    found = perform(session, "what-if", {"topic": TOPIC, "run": "bm25", "measures": "P@1", "by": "P@1"})[
        "helps"
    ]
    helps, _ = WhatIf(session.campaign, "bm25", TOPIC).helps("P@1")
    useful = [help for help in helps if help.difference > 0]
    assert len(useful) < len(helps)
    assert [row[0] for row in found["rows"]] == [help.document for help in useful]
    assert found["in_vain"] == len(helps) - len(useful)
