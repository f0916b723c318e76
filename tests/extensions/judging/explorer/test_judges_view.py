"""Labels of language models in the explorer: the view that compares them with the judgments."""

import browsing
import rankgauge
from extensions.judging.explorer.sessions import session_of
from extensions.pages.explorer.small import QRELS, RUNS
from extensions.pages.explorer.visiting import opened
from rankgauge import Qrels
from rankgauge.campaigns.campaign import Campaign
from rankgauge.extensions.judging import judges
from rankgauge.extensions.pages.explorer import Session
from rankgauge.extensions.pages.explorer.views import answer

CAMPAIGN = Campaign(QRELS, RUNS)
LABELS = [
    (topic, doc, min(3, max(0, grade + (n + i) % 3 - 1)))
    for i in range(2)
    for topic, docs in QRELS.items()
    for n, (doc, grade) in enumerate(docs.items())
]


def test_the_view_has_the_findings_on_judges():
    session = session_of(CAMPAIGN, "AP nDCG@10", llm_qrels=LABELS)
    assert "judges" in answer(session, "session", {})["views"]
    expected = judges(QRELS, [LABELS], RUNS, measure="AP", duplicates="majority")
    sections = {each["title"]: each for each in answer(session, "judges", {})["sections"]}
    assert sections["runs"]["table"]["headers"] == list(expected.table("runs").headers)
    for name in ("agreement", "runs", "orders", "pairs", "topics"):
        found = [[cell[1] for cell in row[1:]] for row in sections[name]["table"]["rows"]]
        assert found == [list(row[1:]) for row in expected.table(name).rows]
    repeated = f"{len(LABELS) // 2:,} repeated labels of documents were combined"
    assert any(repeated in sentence for sentence in sections["Findings"]["sentences"])
    other = answer(session.chosen("nDCG@10", None), "judges", {})
    assert other == answer(session_of(CAMPAIGN, "nDCG@10", llm_qrels=LABELS), "judges", {})


def test_sessions_without_labels_have_no_such_view():
    for session in (Session(CAMPAIGN), session_of(Campaign.of_runs(RUNS), llm_qrels=LABELS)):
        assert "judges" not in answer(session, "session", {})["views"]
    other = session_of(CAMPAIGN, llm_qrels={"elsewhere": {"d": 1}})
    [section] = answer(other, "judges", {})["sections"]
    assert "have no topic in common" in section["sentences"][0]


def test_a_saved_page_has_the_view(browser, tmp_path):
    path = tmp_path / "page.html"
    labels = Qrels.of(LABELS, name="<i>\"gpt-4o\" & 'co'", duplicates="majority")
    rankgauge.explore(QRELS, RUNS, "ASL AP", llm_qrels=labels).save(path)
    with opened(browser, path.as_uri()):
        browsing.find(browser, "nav a[href*='judges']")[0].click()
        browsing.wait(browser, lambda b: "same grade" in browsing.find(b, "main")[0].text)
        text = browser.execute_script("return document.querySelector('main').textContent")
    assert "<i>\"gpt-4o\" & 'co' cannot be used to" in text
    assert "ASL" in text
