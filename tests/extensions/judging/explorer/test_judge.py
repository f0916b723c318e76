"""Judging through the views and actions of the explorer."""

import base64
import errno
import json
import math
import os
from contextlib import ExitStack, suppress
from queue import SimpleQueue
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankgauge
from extensions.judging.explorer.sessions import judging_of, session_of
from extensions.pages.explorer.small import QRELS, RUNS
from rankgauge.campaigns.campaign import Campaign
from rankgauge.errors import InputError, OptionError, RankgaugeError
from rankgauge.extensions.judging import Journal, journal, pool
from rankgauge.extensions.judging.guide import guide_in
from rankgauge.extensions.judging.judging_session import add_judging
from rankgauge.extensions.pages.explorer import Session, exploration
from rankgauge.extensions.pages.explorer.views import answer, perform
from rankgauge.model.texts import Text
from rankgauge.schema.options import command_with, setting

CAMPAIGN = Campaign(QRELS, RUNS)
EXPECTED = pool(RUNS, depth=10, judged=QRELS).in_order()


@pytest.fixture
def start(tmp_path):
    """A function that starts a session with the journal of the test."""
    with ExitStack() as stack:

        def start(campaign=CAMPAIGN, measures="AP nDCG@10", **options):
            journal = stack.enter_context(Journal.open(tmp_path / "journal.jsonl"))
            return session_of(campaign, measures, journal=journal, **options)

        yield start


@pytest.fixture
def session(start):
    return start()


def task(session, assessor="Ann", **parameters):
    return answer(session, "judge", {"assessor": assessor, **parameters})["task"]


def decide(session, shown, grade, assessor="Ann", **parameters):
    place = {"topic": shown["document"]["topic"], "document": shown["document"]["id"]}
    return perform(session, "judge-decide", {"assessor": assessor, "grade": grade, **place, **parameters})


@pytest.mark.parametrize("order", ["id", "votes", "effect"])
def test_all_documents_of_the_pool_come_once(session, order):
    expected = pool(RUNS, depth=4, judged=QRELS).in_order(order)
    places = [(topic, doc) for topic, docs in expected.items() for doc in docs]
    choice = {"depth": 4, "order": order}
    shown, seen = task(session, **choice), []
    while shown["document"] is not None:
        assert (shown["done"], shown["total"]) == (len(seen), len(places))
        seen.append((shown["document"]["topic"], shown["document"]["id"]))
        shown = decide(session, shown, None if len(seen) % 3 == 0 else len(seen) % 4, **choice)["task"]
    assert seen == places
    assert shown["done"] == shown["total"] == len(places)


def test_one_goes_on_where_one_was(start):
    first = start()
    shown = task(first, topic="104")
    for grade in (1, None, 2):
        shown = decide(first, shown, grade)["task"]
    judging_of(first).journal.close()
    again = start()
    assert task(again)["document"] == shown["document"]
    assert task(again, "Ben", topic="104")["document"]["id"] == EXPECTED["104"][0]


def test_back_and_undo(session):
    ids = EXPECTED["104"]
    shown = task(session, topic="104")
    assert shown["back"] is None
    for grade in (0, 1, 2):
        shown = decide(session, shown, grade, comment=f"comment {grade}")["task"]
    assert shown["back"]["id"] == ids[2]
    back = task(session, topic="104", document=ids[2])
    assert back["decision"]["grade"] == 2
    assert back["decision"]["comment"] == "comment 2"
    assert back["back"]["id"] == ids[1]
    back = task(session, topic="104", document=ids[1])
    after = decide(session, back, 3)  # decides again: nothing is rewritten
    assert after["task"]["document"]["id"] == ids[3]
    assert after["progress"] == ["104", 3, len(ids)]
    undone = perform(session, "judge-undo", {"assessor": "Ann"})
    assert undone["undone"]["id"] == undone["task"]["document"]["id"] == ids[1]
    assert undone["task"]["decision"]["grade"] == 1
    for expected in (ids[2], ids[1], ids[0]):
        undone = perform(session, "judge-undo", {"assessor": "Ann"})
        assert undone["undone"]["id"] == expected
    assert undone["task"]["decision"] is None
    with pytest.raises(OptionError, match="Ann has no decision to take back"):
        perform(session, "judge-undo", {"assessor": "Ann"})
    made = [d.kind for d in Journal.read(judging_of(session).journal.path)]
    assert made == ["grade"] * 4 + ["undo"] * 4


def test_work_can_be_shared(session):
    shown = task(session, topic="104", share="once")
    decide(session, shown, 1)
    decide(session, task(session, topic="104", share="once"), None)  # skipped: somebody else may judge it
    assert task(session, "Ben", topic="104")["document"]["id"] == EXPECTED["104"][0]
    left = task(session, "Ben", topic="104", share="once")
    assert left["document"]["id"] == EXPECTED["104"][1]
    assert left["done"] == 1


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"grade": 4}, "a grade is one of 0, 1, 2, 3, not 4"),
        ({"grade": 0.5}, "not 0.5"),
        ({"grade": "1"}, "finite number, not '1'"),
        ({"grade": True}, "finite number"),
        ({"grade": 10**400}, "hundreds of digits"),
        ({"topic": "999"}, "topic must be one of"),
        ({"topic": None}, "topic is missing"),
        ({"document": "d1"}, "document 'd1' is not one to judge for topic"),
        ({"document": next(iter(QRELS["104"]))}, "not one to judge"),  # judged from the start
        ({"assessor": ""}, "assessor is missing"),
        ({"assessor": "An\x00n"}, "assessor is printable"),
        ({"assessor": ["Ann"]}, "assessor is a text, not list"),
        ({"comment": "x" * 10_001}, "comment has 10,001 characters"),
        ({"comment": {}}, "comment is a text"),
        ({"depth": 0}, "depth is a whole number from 1 to 1000"),
        ({"order": "rank"}, "order must be one of id, votes"),
        ({"share": "no"}, "share must be one of"),
    ],
)
def test_wrong_decisions_are_refused_and_not_recorded(session, changed, message):
    right = {"assessor": "Ann", "topic": "104", "document": EXPECTED["104"][0], "grade": 1}
    with pytest.raises(OptionError, match=message):
        perform(session, "judge-decide", right | changed)
    assert len(Journal.read(judging_of(session).journal.path)) == 0


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with Journal.open(tmp_path_factory.mktemp("journal") / "journal.jsonl") as opened:
        yield session_of(CAMPAIGN, "AP nDCG@10", journal=opened)


@settings(max_examples=30)
@given(st.dictionaries(st.sampled_from(["assessor", "topic", "document", "depth", "comment"]), st.text()))
def test_any_request_is_answered_or_refused(shared, parameters):
    for call, name in ((answer, "judge"), (perform, "judge-decide"), (perform, "judge-undo")):
        with suppress(RankgaugeError):
            call(shared, name, parameters)


def test_hostile_comments_are_kept_as_they_are(session):
    comment = "</script><img src=x onerror=alert(1)>\n\u2028'\"\\"
    decide(session, task(session), 1, comment=comment)
    assert answer(session, "judged", {"assessor": "Ann"})["decisions"][0][4] == comment


def test_a_full_disk_is_an_error_and_the_decision_can_be_repeated(session, monkeypatch):
    full = Mock(side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    shown = task(session)
    with monkeypatch.context() as patched:
        patched.setattr(journal.os, "fsync", full)
        with pytest.raises(InputError, match="was not recorded"):
            decide(session, shown, 1)
    assert task(session)["document"] == shown["document"]
    decide(session, shown, 1)
    assert len(Journal.read(judging_of(session).journal.path)) == 1


def judge_some(session):
    """Ann judges 12 documents, Ben 8 of the same and differently."""
    for assessor, number in (("Ann", 12), ("Ben", 8)):
        shown = task(session, assessor)
        for place in range(number):
            grade = place % 4 if assessor == "Ann" else place % 3
            shown = decide(session, shown, grade, assessor)["task"]


def all_judgments(session, resolve="majority"):
    """Those from the start, and the new ones."""
    new = judging_of(session).journal.qrels(resolve=resolve).to_dict()
    return {topic: docs | new.get(topic, {}) for topic, docs in QRELS.items()}


def test_the_file_is_that_of_the_journal(session, tmp_path):
    with pytest.raises(InputError, match="there are no judgments"):
        perform(session, "judge-export", {})
    judge_some(session)
    for parameters, expected in (
        ({}, judging_of(session).journal.qrels()),
        ({"assessor": "Ben"}, judging_of(session).journal.qrels("Ben")),
        ({"resolve": "highest"}, judging_of(session).journal.qrels(resolve="highest")),
    ):
        written = perform(session, "judge-export", parameters)
        (tmp_path / "new.qrels").write_bytes(base64.b64decode(written["content"]))
        assert rankgauge.Qrels.read(tmp_path / "new.qrels").to_dict() == expected.to_dict()
        assert written["judgments"] == len(expected)
    (tmp_path / "all.qrels").write_bytes(
        base64.b64decode(perform(session, "judge-export", {"with": "all"})["content"])
    )
    assert rankgauge.Qrels.read(tmp_path / "all.qrels").to_dict() == all_judgments(session)


def test_agreement_is_that_of_the_library(session):
    found = answer(session, "judged-agreement", {})
    assert found["sentences"] == ["Agreement needs judgments of at least two people."]
    judge_some(session)
    found = answer(session, "judged-agreement", {})
    decisions = judging_of(session).journal.decisions()
    expected = rankgauge.assessment.agreement(decisions.qrels("Ann"), decisions.qrels("Ben"))
    assert found["sentences"] == list(expected.sentences)
    assert found["tables"][0]["rows"] == [list(row) for row in expected.tables["agreement"].rows]
    assert found["assessors"] == [["Ann", 12, 0], ["Ben", 8, 0]]
    assert found["of"] == len(found["conflicts"]) == len(decisions.conflicts()) > 0
    topic, document, _, grades = found["conflicts"][0]
    assert grades == [decisions.latest(name, topic, document).grade for name in ("Ann", "Ben")]


def test_people_who_judged_different_documents_have_no_agreement(session):
    decide(session, task(session, "Ann", topic="104"), 1, "Ann")
    decide(session, task(session, "Ben", topic="105"), 1, "Ben")
    found = answer(session, "judged-agreement", {})
    assert "no judged document in common" in found["sentences"][0]
    assert found["tables"] == []


def test_the_leaderboard_is_that_of_all_judgments(session):
    judge_some(session)
    for parameters, measure in (({}, "AP"), ({"measure": "nDCG@5", "resolve": "lowest"}, "nDCG@5")):
        found = answer(session, "judged-effect", parameters)
        assert found["measure"] == measure
        assert found["points"][0] == 0
        assert found["points"][-1] == 12
        assert found["points"] == sorted({*found["points"]})
        both = all_judgments(session, parameters.get("resolve", "majority"))
        for judgments, means in ((QRELS, found["means"][0]), (both, found["means"][-1])):
            expected = rankgauge.evaluate(judgments, RUNS, measure).mean()
            assert means == [expected[name][measure] for name in RUNS]
        for means, places in zip(found["means"], found["places"], strict=True):
            assert places == [1 + sum(other > mean for other in means) for mean in means]


def test_topics_that_nobody_has_judged_can_be_judged(start):
    runs = {
        "a": {"q1": {"d1": 2, "d2": 1}, "q2": {"d3": 2, "d4": 1}},
        "b": {"q1": {"d2": 2}, "q2": {"d4": 1}},
    }
    judged = {"q1": {"d1": 1, "d2": 0}}
    session = start(Campaign(judged, runs))
    shown = task(session)
    assert [shown["topic"]["name"], shown["document"]["id"]] == ["q2", "d3"]
    shown = decide(session, shown, 0)["task"]
    decide(session, shown, 1)
    found = answer(session, "judged-effect", {})
    both = judged | {"q2": {"d3": 0, "d4": 1}}
    for judgments, means in ((judged, found["means"][0]), (both, found["means"][-1])):
        expected = rankgauge.evaluate(judgments, runs, "AP").mean()
        assert means == [expected[name]["AP"] for name in runs]


def test_texts_are_shown_where_they_are_known(start):
    topics = {"104": Text("a query", "its description")}
    documents = {EXPECTED["104"][0]: Text("a title", "x" * 300_000)}
    session = start(topics=topics, documents=documents)
    shown = task(session, topic="104")
    assert (shown["topic"]["title"], shown["topic"]["text"]) == ("a query", "its description")
    assert shown["document"]["title"] == "a title"
    assert (len(shown["document"]["text"]), shown["document"]["cut"]) == (200_000, 100_000)
    assert decide(session, shown, 1)["task"]["document"]["text"] is None


def test_unreadable_texts_do_not_hide_that_a_decision_was_recorded(start, tmp_path):
    texts = tmp_path / "texts.tsv"
    texts.write_text("104\ttext\n")
    session = start(topics=texts, documents=texts)
    texts.write_text("104\tanother, longer text\n")
    after = decide(session, task(session), 1)
    assert after["recorded"]["grade"] == 1
    assert "changed" in after["task"]["document"]["problem"]


def test_grades_are_those_of_the_judgments_or_chosen(start):
    session = start(grades=(0, 0.5, 1))
    assert answer(session, "judge", {})["grades"] == [0, 0.5, 1]
    decide(session, task(session), 0.5)
    assert judging_of(session).journal.decisions().last("Ann").grade == 0.5


@pytest.mark.parametrize("work", ["prepare", "serve"])
def test_work_in_the_background_names_options_as_the_command_does(session, monkeypatch, work):
    spelled = SimpleQueue()

    def fail(*_):
        spelled.put(setting("missing", "skip"))
        raise OptionError("nobody waits for this")

    with command_with({"--missing"}), monkeypatch.context() as patched:
        if work == "prepare":
            patched.setattr(judging_of(session), "queue", fail)
            answer(session, "judge", {})
        else:
            patched.setattr(exploration.Explorer, "run", lambda explorer: explorer._listener.close())
            patched.setattr(type(CAMPAIGN.topic_rankings), "prepare", fail)
            exploration.Exploration(session).serve(browser=False)
        assert spelled.get(timeout=30) == "--missing skip"


def test_without_a_journal_nothing_is_judged():
    session = Session(CAMPAIGN, "AP", command="rankgauge explore q r")
    nothing = {"journal": None, "command": "rankgauge explore q r"}
    assert answer(session, "judge", {"assessor": "Ann"}) == nothing
    views = dict.fromkeys(("judged", "judged-agreement", "judged-effect"), answer)
    actions = dict.fromkeys(("judge-decide", "judge-undo", "judge-export"), perform)
    for name, call in (views | actions).items():
        with pytest.raises(InputError, match="start with --journal FILE"):
            call(session, name, {"assessor": "Ann"})


def test_judgments_by_subtopic_are_refused(start):
    campaign = Campaign({"q": {"1": {"d": 1}}}, {"a": {"q": {"d": 1.0}}}, by_subtopic=True)
    with pytest.raises(InputError, match="by subtopic"):
        start(campaign)


PLACES = [(topic, doc) for topic, docs in EXPECTED.items() for doc in docs]
# Three labels of each document, of which every fourth document has different ones.
LABELS = [(*place, (n + i * (n % 4 == 0)) % 3) for i in range(3) for n, place in enumerate(PLACES)]


@pytest.mark.parametrize("shown", ["after", "always", "never"])
def test_labels_of_a_model_are_those_of_one_more_assessor(start, shown):
    session = start(llm_qrels=LABELS, llm_shown=shown)
    model = rankgauge.Qrels.of(LABELS, duplicates="majority")
    grades = {(topic, doc): model.to_dict()[topic][doc] for topic, doc in PLACES}
    first = task(session)
    assert first["labels"] == ({"qrels": grades[PLACES[0]]} if shown == "always" else {})
    answered = decide(session, first, 1)
    assert answered["labels"] == ({} if shown == "never" else {"qrels": grades[PLACES[0]]})
    skipped = decide(session, answered["task"], None)
    assert skipped["labels"] == ({"qrels": grades[PLACES[1]]} if shown == "always" else {})
    for place in PLACES[2:10]:
        perform(
            session, "judge-decide", {"assessor": "Ann", "grade": 1, "topic": place[0], "document": place[1]}
        )
    again = task(session, topic=PLACES[0][0], document=PLACES[0][1])
    assert again["labels"] == answered["labels"]
    found = answer(session, "judged-agreement", {})
    if shown == "never":
        assert found["assessors"] == [["Ann", 9, 1]]
        return
    documents = 10 if shown == "always" else 9
    assert found["assessors"] == [["Ann", 9, 1], ["qrels", documents, 0]]
    people = judging_of(session).journal.decisions().qrels("Ann")
    assert found["sentences"][1] in rankgauge.assessment.agreement(people, model).sentences
    assert judging_of(session).journal.decisions().assessors == ("Ann",)


def test_documents_with_labels_that_differ_come_first(start):
    session = start(llm_qrels=LABELS)
    assert "uncertain" in answer(session, "judge", {})["orders"]
    queue = judging_of(session).queue(10, "uncertain")
    differ = {(topic, doc) for n, (topic, doc) in enumerate(PLACES) if n % 4 == 0}
    for topic, docs in EXPECTED.items():
        first = [doc for doc in docs if (topic, doc) in differ]
        assert [*queue[topic]] == [*first, *(doc for doc in docs if doc not in first)]


def test_documents_decide_between_two_runs_in_batches(start):
    session = start(Campaign(QRELS, dict([*RUNS.items()][:2])), llm_qrels=LABELS)
    assert "decide" in answer(session, "judge", {})["orders"]
    shown = task(session, order="decide")
    assert "none of a batch has been judged" in shown["known"]
    first = shown["total"]
    while shown["document"]:
        shown = decide(session, shown, 1, order="decide")["task"]
    assert shown["done"] == shown["total"] >= first
    assert " judgments (" in shown["known"]


def test_more_runs_have_no_documents_that_decide(session):
    assert "decide" not in answer(session, "judge", {})["orders"]


def test_labels_that_agree_have_no_order_by_certainty(start):
    session = start(llm_qrels=LABELS[: len(PLACES)])
    assert "uncertain" not in answer(session, "judge", {})["orders"]
    with pytest.raises(OptionError, match="order must be one of id, votes, effect"):
        task(session, order="uncertain")
    with pytest.raises(OptionError, match="llm_shown must be one of after, always, never"):
        session_of(CAMPAIGN, "AP", llm_qrels=LABELS, llm_shown="later")


def test_without_judgments_documents_are_judged_from_the_start(start):
    session = start(Campaign.of_runs(RUNS), measures="P@40")
    assert answer(session, "judged-effect", {})["points"] == [0]
    desk = {"assessor": "ann", "depth": 40}  # all that the runs retrieved
    task = answer(session, "judge", desk)["task"]
    pooled = {(topic, doc) for run in RUNS.values() for topic, docs in run.items() for doc in docs}
    assert task["total"] == len(pooled)
    place = {"topic": task["document"]["topic"], "document": task["document"]["id"]}
    perform(session, "judge-decide", {**desk, **place, "grade": 1})
    effect = answer(session, "judged-effect", {})
    assert effect["points"] == [0, 1]
    assert all(map(math.isnan, effect["means"][0]))
    assert max(effect["means"][1]) == pytest.approx(1 / 40)
    assert perform(session, "judge-export", {"with": "all"})["judgments"] == 1


def test_a_guide_has_labels_and_a_rubric_and_assigns_topics(start, tmp_path):
    path = tmp_path / "guide.json"
    first, second, *_ = EXPECTED
    path.write_text(
        json.dumps({"grades": {"0": "no", "2": "yes"}, "rubric": "Read.", "topics": {"Ann": [first]}})
    )
    session = Session(CAMPAIGN, "AP", topics={first: Text("bread and butter", "")})
    guide_in(path)(session)
    add_judging(session, start().further.journal)
    state = answer(session, "judge", {"assessor": "Ann"})
    assert (state["grades"], state["labels"], state["rubric"]) == ([0, 2], ["no", "yes"], "Read.")
    assert [name for name, *_ in state["topics"]] == [first]
    assert state["task"]["total"] == len(EXPECTED[first])
    decide(session, state["task"], 2)
    others = [
        perform(session, "judge-decide", {"assessor": name, "topic": second, "document": doc, "grade": 0})
        for name in ("Bo", "Cy")
        for doc in list(EXPECTED[second])[:2]
    ]
    rows = answer(session, "judged-progress", {})["rows"]
    every = sum(map(len, EXPECTED.values()))
    assert rows == [["Ann", 1, len(EXPECTED[first]), 1, 0, len(EXPECTED[first]) - 1]] + [
        [name, len(EXPECTED), every, 2, 0, every - 2] for name in ("Bo", "Cy")
    ]
    assert len(others) == 4
    decide(session, task(session, "Bo", topic=first), 0, "Bo")  # not as Ann
    adjudicated = task(session, "Dee", order="conflicts")
    assert (adjudicated["document"]["topic"], adjudicated["total"]) == (first, 1)
    assert decide(session, adjudicated, 2, "Dee", order="conflicts")["task"]["document"] is None


@pytest.mark.parametrize(
    "text", ["[]", '{"grade": {}}', '{"grades": {"x": "no"}}', '{"topics": {"Ann": "q1"}}']
)
def test_a_file_that_is_no_guide_is_refused(tmp_path, text):
    path = tmp_path / "guide.json"
    path.write_text(text)
    with pytest.raises(InputError, match="a guide is an object"):
        guide_in(path)
