"""Judgments made while looking change what every view shows."""

import pytest

import browsing
import rankgauge
from browsing import ActionChains
from extensions.judging.explorer.sessions import session_of
from extensions.pages.explorer.small import QRELS, RUNS
from extensions.pages.explorer.visiting import one, opened, served, texts, visit
from rankgauge.campaigns.campaign import Campaign
from rankgauge.errors import OptionError
from rankgauge.extensions.judging import Journal, pool
from rankgauge.extensions.pages.explorer.views import answer

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


def test_a_document_that_nobody_judged_leads_to_judging(browser, journal):
    session = session_of(JUDGED, "AP", journal=journal)
    topic, document = PLACES[0]
    with served(session) as address, opened(browser, address):
        visit(browser, f"/ranking?topic={topic}&document={document}")
        browsing.wait(browser, lambda b: browsing.find(b, ".text-panel a"))
        browser.execute_script("delete document.documentElement.dataset.ready")
        one(browser, ".text-panel a").click()
        browsing.wait_until_ready(browser)
        visit(browser, browser.current_url.partition("#")[2] + "&assessor=Ann")
        assert document in one(browser, "article").text
        visit(browser, "/overview")
        browsing.wait(browser, lambda b: "are unjudged" in one(b, ".note.unjudged").text)
