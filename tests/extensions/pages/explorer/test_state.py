"""The state that all views share, in a browser: what is chosen in one view holds in the others."""

import pytest

import browsing
import rankgauge
from browsing import Keys
from extensions.pages.explorer.small import QRELS, RUNS
from extensions.pages.explorer.test_overview import rows, set_value
from extensions.pages.explorer.test_topics import names
from extensions.pages.explorer.visiting import one, opened, press, served, texts, values_of, visit
from rankgauge.campaigns.campaign import Campaign
from rankgauge.extensions.pages.explorer import Session
from rankgauge.model.texts import Text

QUERIES = {topic: f"what is number {topic}" for topic in QRELS} | {"105": "how to bake sourdough bread"}
TITLES = {
    document: Text(f"Title of {document}", "") for documents in QRELS.values() for document in documents
}


@pytest.fixture
def page(browser):
    """Four runs, of which the first two files are the same, with queries."""
    runs = {"a copy": RUNS["bm25"], **RUNS}
    session = Session(Campaign(QRELS, runs), "AP RR", baseline="bm25", topics=QUERIES, documents=TITLES)
    with served(session) as address, opened(browser, address):
        yield browser


def settle(browser, action):
    """Do something that shows the view again, or another one."""
    browser.execute_script("delete document.documentElement.dataset.ready")
    action()
    browsing.wait_until_ready(browser)


def go_to(browser, view):
    """Follow the link to a view."""
    settle(browser, browsing.find(browser, f"header nav a[href^='#/{view}']")[0].click)


def columns(browser):
    return texts(browser, ".heat .columns span")


def compared(browser):
    return texts(browser, ".column-head h3")


def test_views_are_built_before_anybody_opens_them(page):
    asked = "return performance.getEntriesByType('resource').some(({ name }) => name.includes('api/what-if'))"
    browsing.wait(page, lambda browser: browser.execute_script(asked))
    go_to(page, "what-if")
    assert any(name.startswith("Title of") for name in texts(page, ".ranked .doc-name"))


def test_runs_measure_and_baseline_stay_from_view_to_view(page):
    visit(page, "/overview?measures=RR+AP&run=bm25&run=dense&run=hybrid&baseline=dense")
    go_to(page, "topics")
    assert sorted(columns(page)) == ["bm25", "dense", "hybrid"]
    assert "RR by topic and run" in one(page, "main").text
    assert one(page, "[data-key=x]").get_attribute("value") == "dense"
    go_to(page, "ranking")
    assert compared(page) == ["dense", "bm25", "hybrid"]
    go_to(page, "curves")
    assert texts(page, ".chips[aria-label='Picked runs'] .chip > span") == ["dense", "bm25", "hybrid"]
    go_to(page, "what-if")
    go_to(page, "overview")
    assert {row[0] for row in rows(page)} == {"bm25", "dense", "hybrid"}
    assert one(page, "[data-key=baseline]").get_attribute("value") == "dense"
    assert texts(page, "thead [data-key='sort RR']") == ["RR"]


def test_the_best_run_is_compared_with_the_baseline_and_never_with_a_copy(page):
    best = rankgauge.evaluate(QRELS, RUNS, "AP").sorted().runs[0]
    visit(page, "/ranking")
    assert compared(page) == ["bm25", best]
    visit(page, "/topics")
    assert [one(page, f"[data-key={key}]").get_attribute("value") for key in "xy"] == ["bm25", best]
    visit(page, "/what-if")
    assert one(page, "[data-key=Run]").get_attribute("value") == best
    visit(page, "/topics?run=a+copy&run=bm25")
    assert [one(page, f"[data-key={key}]").get_attribute("value") for key in "xy"] == [
        "bm25",
        "a copy",
    ]  # asked for
    visit(page, "/overview")
    assert "a copy same AP as bm25 on every topic" in one(page, "tbody").text


def test_a_topic_opens_both_runs_and_arrow_keys_follow_the_order(page):
    visit(page, "/topics?order=difference&pair=dense&pair=bm25")
    order = names(page)
    settle(page, browsing.find(page, ".heat .rows a")[0].click)
    assert compared(page) == ["dense", "bm25"]
    for topic, key in (
        (order[1], Keys.ARROW_RIGHT),
        (order[2], Keys.ARROW_RIGHT),
        (order[1], Keys.ARROW_LEFT),
    ):
        settle(page, lambda pressed=key: press(page, pressed))
        assert one(page, "[data-key=Topic]").get_attribute("value") == topic
    go_to(page, "topics")
    assert names(page) == order
    assert values_of(page, ".heat .rows .marked", "name") == [order[1]]


def test_another_measure_leaves_the_rankings_scrolled_and_arrow_keys_scroll_tables(page):
    visit(page, "/ranking?topic=105&pair=bm25&pair=dense&explain=dense")
    page.execute_script("document.querySelector('.side-scroll').scrollTop = 150")
    settle(page, lambda: page.execute_script("location.hash += '&measure=RR'"))
    assert texts(page, ".column .value")[0].startswith("RR ")
    assert page.execute_script("return document.querySelector('.side-scroll').scrollTop") == 150
    page.execute_script("document.querySelector('.explanation .scroll').focus()")
    press(page, Keys.ARROW_RIGHT)
    assert one(page, "[data-key=Topic]").get_attribute("value") == "105"


def test_arrow_keys_follow_a_table_that_was_sorted(page):
    visit(page, "/topics?as=table&cells=difference&pair=dense&pair=bm25")
    one(page, "[data-key='sort run bm25']").click()
    order = values_of(page, "tbody th a", "topic")
    assert order != sorted(order)
    settle(page, browsing.find(page, "tbody th a")[1].click)
    settle(page, lambda: press(page, Keys.ARROW_RIGHT))
    assert one(page, "[data-key=Topic]").get_attribute("value") == order[2]
    assert "Topic 3 of " in one(page, ".facts").text
    go_to(page, "topics")
    assert len(values_of(page, "tbody th a", "topic")) == len(order)


def test_topics_are_found_by_their_words(page):
    visit(page, "/topics")
    settle(page, lambda: set_value(page, "find Find topics", "BREAD bake", "input"))
    assert names(page) == ["105"]
    assert "on 1, equal" in one(page, ".pair").text or "worse on 1 topics" in one(page, ".pair").text
    settle(page, lambda: set_value(page, "find Find topics", "nothing", "input"))
    assert "No topic has all words of “nothing”" in one(page, "main").text
    visit(page, "/ranking?topic=105&find=bread")
    assert one(page, ".facts").text.startswith("Topic 1 of 1 with “bread”. ")
    visit(page, "/ranking?topic=101&find=bread")
    assert one(page, ".facts").text.startswith("Not one of 1 topic with “bread”. ")
    visit(page, "/ranking?topic=101&find=nothing")
    assert one(page, ".facts").text.startswith("There is no topic with “nothing”. ")
    browsing.reload(page)
    visit(page, "/ranking?topic=101&order=table")  # of a table that this page has not shown
    assert one(page, ".facts").text.startswith(f"Topic 1 of {len(QRELS)}. ")
    settle(page, lambda: set_value(page, "Topic", "bread", "change"))
    assert "topic=105" in page.current_url
    settle(page, lambda: set_value(page, "Add a run", "den", "change"))
    assert compared(page)[-1] == "dense"
    set_value(page, "Topic", "number", "change")
    message = one(page, "[data-key=Topic]").get_property("validationMessage")
    assert message == f"{len(QRELS) - 1} names match: choose one, or type more."


def test_documents_are_found(page):
    visit(page, "/ranking?topic=105&pair=bm25")
    document = values_of(page, ".ranked .doc", "document")[4]
    set_value(page, "find Find documents", document, "input")
    assert values_of(page, ".ranked .doc:not(.pale)", "document") == [document]
    set_value(page, "find Find documents", "TITLE of", "input")
    titled = [each for each in values_of(page, ".ranked .doc", "document") if each in TITLES]
    assert values_of(page, ".ranked .doc:not(.pale)", "document") == titled
