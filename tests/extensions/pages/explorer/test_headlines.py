"""The answer in front is about what is chosen: runs, a measure, topics."""

import numpy as np
import pytest

import browsing
import rankgauge
from extensions.pages.explorer.small import QRELS, RUNS
from extensions.pages.explorer.visiting import one, visit
from rankgauge.campaigns.campaign import Campaign
from rankgauge.extensions.pages.explorer import Session
from rankgauge.extensions.pages.explorer.views import answer

FIRST, *_ = RUNS
SCORES = rankgauge.evaluate(QRELS, RUNS, "AP nDCG@10 RR")


def differences(measure, run, against):
    values = SCORES.only(measures=[measure]).values[:, 0]
    rows = [SCORES.runs.index(name) for name in (run, against)]
    return values[rows[0]] - values[rows[1]]


@pytest.mark.parametrize("measure", ["AP", "RR"])
def test_two_runs_have_their_difference_and_the_topics_that_make_it_up(session, measure):
    found = answer(session, "headline", {"runs": ["dense", "hybrid"], "measure": measure})
    against, run = found["pair"]
    scores = SCORES.only(runs=[against, run], measures=[measure])
    expected = rankgauge.compare(scores, baseline=against)
    by_topic = differences(measure, run, against)
    lead, method, corrected, *_ = found["sentences"]
    pair = expected.compared[0].pairs[0]
    assert lead.startswith(
        f"{run} is {abs(by_topic.mean()):.4f} {'above' if by_topic.mean() > 0 else 'below'}"
    )
    assert f"p = {pair.p:.4f}" in method
    low, high = (f"{end:+.4f}".replace("-", "−") for end in (pair.low, pair.high))
    assert f"95 % interval {low} to {high}" in method
    wins, ties = int(np.sum(by_topic > 0)), int(np.sum(by_topic == 0))
    assert f"better on {wins}, equal on {ties} and worse on {len(by_topic) - wins - ties}" in method
    assert "corrected for 2 runs" in corrected
    ordered = np.sort(by_topic * np.sign(by_topic.sum()))[::-1]
    needed = next(n for n in range(1, len(ordered) + 1) if ordered[:n].sum() >= abs(by_topic.sum()) - 1e-12)
    assert found["needed"] == needed
    values = [difference for _, difference in found["topics"]]
    assert values == pytest.approx((ordered * np.sign(by_topic.sum()))[: min(needed, 5)].tolist())


def test_the_answer_is_on_the_topics_that_are_asked_for():
    queries = {topic: "with bread" if number < 5 else "" for number, topic in enumerate(sorted(QRELS))}
    session = Session(Campaign(QRELS, RUNS), "AP", topics=queries)
    some = [topic for topic, query in queries.items() if query]
    lead, method = answer(session, "headline", {"runs": ["dense", "hybrid"], "find": "bread"})["sentences"]
    assert "on 5 of 14 topics" in lead
    scores = SCORES.only(runs=["dense", "hybrid"], measures=["AP"]).of_topics(some)
    assert f"p = {rankgauge.compare(scores).compared[0].pairs[0].p:.4f}" in method
    three = answer(session, "headline", {"find": "bread"})
    assert three["sentences"][0].startswith("3 of 3 runs on 5 of 14 topics: ")
    assert three["topics"] == []
    assert "No topic" in answer(session, "headline", {"find": "nothing like that"})["sentences"][0]


def test_one_run_is_compared_with_the_baseline_or_the_best(session):
    assert answer(session, "headline", {"runs": ["dense"]})["pair"] == ["bm25", "dense"]
    best = Session(Campaign(QRELS, RUNS), "AP").standing().order[0]
    free = Session(Campaign(QRELS, RUNS), "AP")
    for run in RUNS:
        against, asked = answer(free, "headline", {"runs": [run]})["pair"]
        assert {against, asked} >= {run}
        assert run == best or against == best


def test_runs_of_the_same_values_have_no_topics_that_make_a_difference():
    session = Session(Campaign(QRELS, {"a": RUNS[FIRST], "b": RUNS[FIRST]}), "AP")
    found = answer(session, "headline", {"runs": ["a", "b"]})
    assert (found["topics"], found["needed"]) == ([], 0)
    assert "neither above nor below" in found["sentences"][0]


def test_the_headline_follows_the_choice(opened):
    visit(opened, "/overview")
    assert one(opened, ".summary").text.startswith("3 runs on 14 topics")
    visit(opened, "/overview?run=dense&run=hybrid&measure=RR")
    assert "hybrid by RR on 14 topics" in one(opened, ".summary").text.replace("dense by RR", "hybrid by RR")
    link = one(opened, ".summary a").get_attribute("href")
    assert "/ranking?" in link
    assert "pair=" in link
    visit(opened, "/overview?run=")
    assert "No run is chosen: choose one" in one(opened, ".summary").text


def test_a_view_is_saved_and_copied_as_it_is(opened, tmp_path):
    opened.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    visit(opened, "/overview?run=dense&run=hybrid")
    shown = one(opened, ".summary p:first-child").text
    one(opened, ".saving summary").click()
    buttons = {each.text: each for each in browsing.find(opened, ".saving button")}
    buttons["Copy as comment"].click()
    browsing.wait(opened, lambda b: browsing.find(b, ".saved pre"))
    comment = one(opened, ".saved pre").text
    assert comment.startswith(f"**{shown}**")
    assert "| # | Run | AP |" in comment
    buttons["This view, HTML"].click()
    browsing.wait(opened, lambda _: (tmp_path / "view.html").exists())
    opened.get((tmp_path / "view.html").as_uri())
    browsing.wait_until_ready(opened)
    assert one(opened, ".summary p:first-child").text == shown
    assert len(browsing.find(opened, ".table tbody tr")) == 2
    browsing.requests_of(opened)  # of the file
