"""Judgments made while looking change what every view shows."""

import pytest

import browsing
import rankgauge
from browsing import ActionChains, Keys
from extensions.judging.explorer.sessions import session_of
from extensions.pages.explorer.small import QRELS, RUNS
from extensions.pages.explorer.visiting import one, opened, press, served, texts, visit
from rankgauge.campaigns.campaign import Campaign
from rankgauge.errors import OptionError
from rankgauge.extensions.judging import Journal, pool
from rankgauge.extensions.judging.judging_session import Judging
from rankgauge.extensions.pages.explorer.page import page
from rankgauge.extensions.pages.explorer.views import answer, perform
from twins.order import in_order

JUDGED = Campaign(QRELS, RUNS)
PLACES = [(t, d) for t, docs in pool(RUNS, depth=10, judged=QRELS).in_order().items() for d in docs]
SOME = dict(zip(PLACES[:9:2], [3.0, 0.0, 2.0, 1.0, 3.0], strict=True))


@pytest.fixture
def journal(tmp_path):
    with Journal.open(tmp_path / "journal.jsonl") as journal:
        yield journal


def merged(qrels, decisions):
    judged = {topic: dict(docs) for topic, docs in qrels.items()}
    for (topic, document), grade in decisions.items():
        judged.setdefault(topic, {})[document] = grade
    return judged


def record(journal, decisions=SOME):
    for (topic, document), grade in decisions.items():
        journal.record("Ann", topic, document, grade, "")


@pytest.mark.parametrize("qrels", [QRELS, {}], ids=["from judgments", "from none"])
def test_answers_are_those_of_all_judgments(journal, qrels):
    session = session_of(JUDGED if qrels else Campaign.of_runs(RUNS), "AP nDCG@10", journal=journal)
    assert session.rejudged() is session
    before = answer(session, "session", {})
    record(journal)
    expected = rankgauge.evaluate(merged(qrels, SOME), RUNS, "AP nDCG@10")
    now = answer(session, "session", {"decisions": 5})
    assert now["judged"]
    assert "overview" in now["views"]
    assert answer(session, "session", {}) == before | {"decisions": (5, 5)}
    found = answer(session, "overview", {"decisions": 5})
    assert dict(zip(found["runs"], found["means"][0], strict=True)) == pytest.approx(
        {run: mean["AP"] for run, mean in expected.mean().items()}
    )
    topic, document = next(iter(SOME))
    ranking = answer(session, "ranking", {"topic": topic, "decisions": 5})["documents"]
    assert dict(zip(ranking["ids"], ranking["grades"], strict=True))[document] == 3.0
    assert session.rejudged() is session.rejudged()
    journal.undo("Ann")
    assert session.rejudged().campaign.qrels.to_dict() == merged(qrels, dict([*SOME.items()][:-1]))


def test_rankings_of_topics_without_a_judgment_can_be_looked_at(journal):
    session = session_of(Campaign.of_runs(RUNS), "AP", journal=journal)
    record(journal, {PLACES[0]: 1.0})
    found = answer(session, "ranking", {"topic": PLACES[-1][0], "decisions": 1})
    assert (found["judged"], found["measures"]) == (0, [])
    with pytest.raises(OptionError, match="no judgments"):
        answer(session, "unjudged", {"runs": ["bm25", "dense"]})


def test_how_far_unjudged_documents_could_move_a_difference(journal):
    first, second = ("bm25", "dense")
    session = session_of(JUDGED, "P@5", journal=journal)
    found = answer(session, "unjudged", {"runs": [first, second]})
    tops = {
        run: {t: sorted(docs, key=lambda d: -docs[d])[:5] for t, docs in RUNS[run].items()}
        for run in (first, second)
    }
    new = {
        run: {(t, d) for t, docs in tops[run].items() for d in docs if t in QRELS and d not in QRELS[t]}
        for run in tops
    }
    assert found["unjudged"] == sum(map(len, new.values()))
    assert found["of"] == 2 * 5 * len(QRELS)
    ends = []
    for run, other in ((first, second), (second, first)):
        # where both have a document, P is the same whoever's it is
        extra = dict.fromkeys(new[run] - new[other], 3.0) | dict.fromkeys(new[other] - new[run], 0.0)
        mean = rankgauge.evaluate(merged(QRELS, extra), {r: RUNS[r] for r in (first, second)}, "P@5").mean()
        ends.append(mean[second]["P@5"] - mean[first]["P@5"])
    assert [found["low"], found["high"]] == pytest.approx(sorted(ends))
    known = dict(JUDGED.scores("P@5").to_dict()[second]["P@5"])
    for topic in QRELS:
        of_topic = answer(session, "unjudged", {"runs": [first, second], "topic": topic})
        before = known[topic] - JUDGED.scores("P@5").to_dict()[first]["P@5"][topic]
        assert of_topic.get("known", before) == pytest.approx(before)
        assert of_topic["unjudged"] == sum(t == topic for run in new for t, _ in new[run])
    assert page(session).count('"unjudged"') > len(QRELS)  # a report answers it for each topic
    assert found["low"] <= found["known"] <= found["high"]


def test_none_unjudged_is_said_by_the_numbers(journal):
    session = session_of(
        Campaign({"q": {"a": 1, "b": 0}}, {"x": {"q": ["a", "b"]}, "y": {"q": ["b", "a"]}}),
        "AP",
        journal=journal,
    )
    assert answer(session, "unjudged", {"runs": ["x", "y"]}) == {
        "unjudged": 0,
        "of": 4,
        "depth": 10,
        "grade": 1.0,
    }


def test_a_switch_lets_new_judgments_count(browser, journal):
    record(journal)
    session = session_of(JUDGED, "AP nDCG@10", baseline="bm25", journal=journal)
    means = [rankgauge.evaluate(merged(QRELS, new), RUNS, "AP").mean() for new in ({}, SOME)]
    with served(session) as address, opened(browser, address):
        visit(browser, "/overview")
        switch = one(browser, ".new")
        assert switch.text == "with new judgments (5)"
        shown = [each for each in texts(browser, "td.mean") if each]
        assert any(each.startswith(f"{means[0]['dense']['AP']:.4f}") for each in shown)
        browser.execute_script("delete document.documentElement.dataset.ready")
        switch.click()
        browsing.wait_until_ready(browser)
        assert "new=1" in browser.current_url
        assert any(each.startswith(f"{means[1]['dense']['AP']:.4f}") for each in texts(browser, "td.mean"))
        visit(browser, "/judge?assessor=Ann&new=1")
        ActionChains(browser).send_keys("3").perform()
        browsing.wait(browser, lambda b: one(b, ".new").text == "with new judgments (6)")


def test_views_of_measures_come_with_the_first_judgment(browser, journal):
    session = session_of(Campaign.of_runs(RUNS), "AP nDCG@10", journal=journal)
    with served(session) as address, opened(browser, address):
        visit(browser, "/judge?assessor=Ann")
        assert "Overview" not in one(browser, "header nav").text
        ActionChains(browser).send_keys("1").perform()
        browsing.wait(browser, lambda b: "Overview" in one(b, "header nav").text)
        visit(browser, "/overview")
        assert "AP" in one(browser, ".summary").text
        visit(browser, f"/ranking?topic={PLACES[-1][0]}")  # nothing of it is judged yet
        assert "retrieved" in one(browser, ".sides").text


def test_see_judge_see(browser, tmp_path, monkeypatch):
    """From documents that nobody has judged to other values, by two people, and without a journal first."""
    monkeypatch.chdir(tmp_path)
    session = session_of(JUDGED, "AP", baseline="bm25")
    tops = {topic: in_order(docs)[:10] for topic, docs in RUNS["dense"].items()}
    unjudged = {topic: [doc for doc in docs if doc not in QRELS[topic]] for topic, docs in tops.items()}
    topic, (first, second, *_) = next((topic, docs) for topic, docs in unjudged.items() if len(docs) > 1)

    def value(new):
        return f"{rankgauge.evaluate(merged(QRELS, new), RUNS, 'AP').to_dict()['dense']['AP'][topic]:.4f}"

    def shows(text, selector):
        return browsing.wait(browser, lambda b: any(text in each for each in texts(b, selector)))

    def typed(text):
        one(browser, ".text-panel form input").clear()
        one(browser, ".text-panel form input").send_keys(text, Keys.ENTER)

    with served(session) as address, opened(browser, address):
        visit(browser, f"/ranking?topic={topic}&pair=dense&document={first}")
        shows(value({}), ".value b")
        shows("Start judging", ".text-panel button")
        typed("decisions.jsonl")
        shows("Who judges?", ".text-panel .name")
        typed("Ann")
        shows("3", ".text-panel .row button")
        press(browser, "3")
        shows(value({(topic, first): 3}), ".value b")
        visit(browser, f"/ranking?topic={topic}&pair=dense&document={second}&assessor=Bo&new=1")
        shows("2", ".text-panel .row button")
        browsing.find(browser, ".text-panel .row button")[2].click()
        both = {(topic, first): 3, (topic, second): 2}
        shows(value(both), ".value b")
        mean = rankgauge.evaluate(merged(QRELS, both), RUNS, "AP").mean()["dense"]["AP"]
        visit(browser, "/overview?new=1")
        shows(f"{mean:.4f}", "td.mean")
        shows("are unjudged", ".note.unjudged")
        visit(browser, "/judge?assessor=Bo&part=decisions")
        shows("grade 2", "td")
    session.part(Judging).journal.close()
    assert Journal.read(tmp_path / "decisions.jsonl").assessors == ("Ann", "Bo")


@pytest.mark.parametrize(
    ("action", "asked", "message"),
    [
        ("judge-here", {"document": "nowhere", "grade": 1}, "'nowhere' is not one to judge"),
        ("judge-here", {"document": next(iter(QRELS["103"])), "grade": 1}, "has been judged from the start"),
        ("judge-here", {"document": "nowhere"}, "grade is missing"),
        ("judge-start", {"file": "new.jsonl"}, "there is a journal already"),
    ],
)
def test_what_cannot_be_graded_in_a_ranking_says_why(journal, action, asked, message):
    session = session_of(JUDGED, "AP", journal=journal)
    with pytest.raises(OptionError, match=message):
        perform(session, action, {"topic": "103", "assessor": "Ann", **asked})
    with pytest.raises(OptionError, match="without directories"):
        perform(session_of(JUDGED, "AP"), "judge-start", {"file": "../journal.jsonl"})
