"""Rankings in a browser: side by side, with a common cursor, by pointer and by keys."""

import time
from urllib.parse import quote

import numpy as np
import pytest

import browsing
import rankgauge
from browsing import ActionChains, Keys
from extensions.pages.explorer.small import QRELS, RUNS
from extensions.pages.explorer.visiting import one, opened, press, served, texts, values_of, visit
from rankgauge.campaigns.campaign import Campaign
from rankgauge.explanation.run_diff import diff_rankings
from rankgauge.extensions.pages.explorer import Session
from rankgauge.extensions.pages.explorer.page import Bundle, page, saved_page
from rankgauge.model.texts import Text
from twins.order import in_order

TOPIC = "103"
SIDE = f"/ranking?topic={TOPIC}&run=bm25&run=dense&depth=20"
HOSTILE = '"><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'


def test_rankings_are_side_by_side_with_lines_between_the_same_documents(opened):
    visit(opened, SIDE)
    bm25, dense = (in_order(RUNS[run][TOPIC])[:20] for run in ("bm25", "dense"))
    assert values_of(opened, ".column:nth-of-type(1) .ranked .doc", "document") == bm25
    assert values_of(opened, "[aria-label='Ranking of dense'] .doc", "document") == dense
    assert sorted(values_of(opened, "line.same", "document")) == sorted({*bm25} & {*dense})
    grades = texts(opened, "[aria-label='Ranking of bm25'] .grade")
    assert grades == [str(QRELS[TOPIC].get(document, "?")) for document in bm25]
    kinds = values_of(opened, "[aria-label='Ranking of bm25'] .doc", "grade")
    assert [kind == "unjudged" for kind in kinds] == [document not in QRELS[TOPIC] for document in bm25]
    grade = QRELS[TOPIC].get(bm25[0])
    words = f"rank 1, {'unjudged' if grade is None else f'grade {grade}'}, {bm25[0]}"
    assert browsing.find(opened, "[role=option]")[0].accessible_name.startswith(words)


def line_ends(browser):
    """([ends of each line], [middles of the rows of its document]) in pixels."""
    return browser.execute_script(
        """
        const middle = (box) => (box.top + box.bottom) / 2;
        const lines = [...document.querySelectorAll("line.same")];
        const row = (list, name) => [...list.children].find((each) => each.dataset.document === name);
        const lists = [...document.querySelectorAll(".ranked")];
        const tops = (line) => { const box = line.ownerSVGElement.getBoundingClientRect();
            return ["y1", "y2"].map((end) => box.top + Number(line.getAttribute(end))); };
        return [lines.map(tops), lines.map((line) => lists.map((list) =>
            middle(row(list, line.dataset.document).getBoundingClientRect())))];
        """
    )


def test_a_phone_shows_one_list_with_a_switch_of_runs(opened):
    with browsing.sized(opened, 390):
        visit(opened, f"/ranking?topic={TOPIC}&pair=bm25&pair=dense&measure=AP")
        difference = texts(opened, ".column .value span")
        switch = browsing.find(opened, ".run-switch button")
        assert switch[1].text.split("\n")[0].startswith("dense")
        assert difference[0].strip() in switch[1].text
        for number, name in reversed([*enumerate(("bm25", "dense"))]):
            switch[number].click()
            shown = [each for each in browsing.find(opened, ".column-head h3") if each.is_displayed()]
            assert [each.text for each in shown] == [name]
        assert browsing.overflow(opened) <= 0


def test_lines_begin_and_end_at_their_rows(opened):
    visit(opened, SIDE)
    ends, rows = line_ends(opened)
    assert len(rows) > 3
    assert np.allclose(ends, rows, atol=0.6)


def number(text):
    """A number as the page shows it."""
    return float(text.replace("−", "-"))


def test_values_differences_moves_and_shares_are_those_of_diff(opened):
    visit(opened, f"{SIDE}&measure=AP")
    diff = rankgauge.diff(QRELS, RUNS["bm25"], RUNS["dense"], "AP", topic=TOPIC)
    change, moves = diff.changes["AP"], {each.document: each for each in diff.documents}
    values = [f"AP {change.old:.4f}", f"AP {change.new:.4f} {change.difference:+.4f}".replace("-", "−")]
    assert texts(opened, ".column .value") == values
    documents = values_of(opened, "[aria-label='Ranking of dense'] .doc", "document")
    assert texts(opened, "[aria-label='Ranking of dense'] .move") == [moves[each].move for each in documents]
    shares = [*map(number, texts(opened, ".reason > b"))]
    assert sum(shares) == pytest.approx(change.difference, abs=0.001)
    assert [*map(abs, shares[:6])] == sorted(map(abs, shares[:6]), reverse=True)
    largest = values_of(opened, ".reason button", "document")[0]
    assert shares[0] == pytest.approx(moves[largest].shares["AP"], abs=0.0001)
    assert texts(opened, ".chart .heading") == ["AP by rank"]
    browsing.find(opened, ".reason button")[0].click()
    assert values_of(opened, ".reason .lit", "document") == [largest]
    assert "Overlap " in one(opened, ".reasons").text


def test_the_shares_of_a_single_run_add_up_to_its_value(opened):
    visit(opened, f"/ranking?topic={TOPIC}&run=bm25&measure=nDCG@10")
    value = number(one(opened, ".column .value b").text)
    assert sum(map(number, texts(opened, ".ranked .share"))) == pytest.approx(value, abs=0.001)
    assert texts(opened, ".move") == []
    assert texts(opened, ".reasons h3") == [f"What nDCG@10 {value:.4f} is made of"]


def test_the_explanation_of_a_value_is_one_click_away(opened):
    visit(opened, f"{SIDE}&measure=AP")
    one(opened, "[data-key='explain dense']").click()
    browsing.wait(opened, lambda b: browsing.find(b, ".explanation"))
    value = rankgauge.evaluate(QRELS, RUNS, "AP").to_dict()["dense"]["AP"][TOPIC]
    title = f"AP of run dense for topic {TOPIC} is {value:.4f}"
    assert texts(opened, ".explanation > h2") == [title]
    assert "Rank by rank" in texts(opened, ".explanation section h2")
    browsing.reload(opened)
    assert texts(opened, ".explanation > h2") == [title]


def test_titles_come_first_with_words_of_the_query_marked(browser):
    named = {"d1": Text("Purring of cats", "Why cats purr is unknown."), "d2": Text("", "Dogs do not purr.")}
    campaign = Campaign({"q": {"d1": 1}}, {"a": {"q": ["d1", "d2", "d3"]}, "b": {"q": ["d2", "d1"]}})
    session = Session(campaign, "RR", documents=named, topics={"q": "why do cats purr"})
    with served(session) as address, opened(browser, address):
        visit(browser, "/ranking?topic=q&pair=a&pair=b")
        assert texts(browser, "#r0-1 .doc-text > *") == ["Purring of cats", "Why cats purr is unknown.", "d1"]
        assert texts(browser, "#r0-1 mark") == ["Purring", "cats", "cats", "purr"]
        assert texts(browser, "#r0-2 .doc-text > *") == ["Dogs do not purr.", "d2"]
        assert texts(browser, "#r0-3 .doc-name") == ["d3"]
        lines, rows = line_ends(browser)
        assert np.allclose(lines, rows, atol=0.6)


def test_documents_by_subtopics_and_what_they_contribute(browser):
    about = {"q": {"a": {"d1": 1, "d2": 1}, "b": {"d1": 1}}}
    campaign = Campaign(about, {"r": {"q": ["d1", "x", "d2"]}}, by_subtopic=True)
    with served(Session(campaign, "alpha_nDCG@5")) as address, opened(browser, address):
        visit(browser, "/ranking?topic=q")
        heads = [text for text in texts(browser, ".subtopics thead th") if text]
        assert heads == ["document", "a", "b", "contributes"]
        rows = texts(browser, ".subtopics tbody tr")
        assert [row[: len("3 d20.5")].strip() for row in rows][1:] == ["2 x–", "3 d20.5"]
        assert rows[0].startswith("1 d111")
        shares = [number(text) for text in texts(browser, ".subtopics tbody td:last-child") if text != "–"]
        value = one(browser, ".matrix h3").text.split()[2].rstrip(":")
        assert sum(shares) == pytest.approx(number(value), abs=0.001)


def test_a_saved_page_shows_subtopics_with_the_run_that_they_are_of(browser, tmp_path):
    about = {"q": {"a": {"d1": 1, "d2": 1}, "b": {"d1": 1}}}
    runs = {name: {"q": docs} for name, docs in {"r": ["d1"], "s": ["d2"], "u": ["x"]}.items()}
    session = Session(Campaign(about, runs, by_subtopic=True), "alpha_nDCG@5")
    path = tmp_path / "page.html"
    path.write_text(page(session), encoding="utf-8")
    with opened(browser, path.as_uri()):
        visit(browser, "/ranking?pair=u&pair=r")  # of which the page holds the subtopics of r alone
        assert [text.split(",")[0] for text in texts(browser, ".matrix h3")] == ["r"]


def test_only_the_explanation_that_was_asked_for_last_is_shown(opened):
    visit(opened, f"{SIDE}&measure=AP")
    opened.execute_script(
        """
        const [slow, quick] = document.querySelectorAll("[data-key^='explain ']"), ask = window.fetch;
        window.fetch = (...given) => new Promise((done) => setTimeout(() => done(ask(...given)), 300));
        slow.click();
        window.fetch = ask;
        quick.click();
        """
    )
    browsing.wait(opened, lambda b: browsing.find(b, ".explanation"))
    time.sleep(0.5)
    assert [text.split()[3] for text in texts(opened, ".explanation > h2")] == ["dense"]


def test_runs_alone_are_compared_by_their_overlap(browser):
    with served(Session(Campaign.of_runs(RUNS))) as address, opened(browser, address):
        visit(browser, f"/ranking?topic={TOPIC}&pair=bm25&pair=dense")
        changes = diff_rankings(RUNS["bm25"], RUNS["dense"])
        [change] = [each for each in changes.topics if each.topic == TOPIC]
        place = [each.topic for each in changes.topics].index(TOPIC) + 1
        assert texts(browser, ".facts") == [f"Topic {place} of {len(QRELS)}, least similar first."]
        assert texts(browser, ".column .value")[1] == f"RBO {change.rbo:.4f}"
        assert f"Overlap {change.overlap:.2f}" in one(browser, ".reasons").text
        assert texts(browser, ".grade") == []
        assert len(texts(browser, "[aria-label='Ranking of dense'] .move")) == len(RUNS["dense"][TOPIC])
        visit(browser, f"/ranking?topic={TOPIC}&explain=dense")
        assert texts(browser, ".error, .explanation") == []
        assert texts(browser, ".column-head h3") == [*RUNS][:2]  # the old one first, as in `diff OLD NEW`


def test_missed_relevant_documents_are_listed_below(opened):
    visit(opened, f"/ranking?topic={TOPIC}&run=bm25&depth=10")
    first = in_order(RUNS["bm25"][TOPIC])[:10]
    relevant = {document for document, grade in QRELS[TOPIC].items() if grade >= 1}
    browsing.wait(opened, lambda b: {*values_of(b, ".missed .doc", "document")} == relevant - {*first})


def test_keys_move_a_cursor_that_all_lists_and_curves_share(opened):
    visit(opened, SIDE)
    opened.execute_script("document.querySelector('[aria-label=\"Ranking of bm25\"]').focus()")
    for key in (Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_UP):
        press(opened, key)
    assert values_of(opened, ".ranked [aria-selected=true]", "rank") == ["2", "2"]
    assert one(opened, ".readout").text.startswith("Rank 2: ")
    active = [each.get_attribute("aria-activedescendant") for each in browsing.find(opened, ".ranked")]
    assert active == ["r0-2", "r1-2"]
    cursors = opened.execute_script(
        "return [...document.querySelectorAll('.chart .cursor')].map("
        "(each) => [each.getAttribute('visibility'), each.getAttribute('x1')])"
    )
    [(visible, at)] = cursors
    assert visible == "visible"
    assert 0 < float(at) < 100  # near the left, of 360 pixels
    press(opened, Keys.END)
    assert values_of(opened, ".ranked [aria-selected=true]", "rank") == ["20", "20"]


def test_a_link_brings_rank_and_document_back(opened):
    visit(opened, SIDE)
    document = in_order(RUNS["dense"][TOPIC])[4]
    one(opened, "#r1-5 .doc-name").click()
    assert f"document={document}" in opened.current_url
    browsing.reload(opened)
    assert values_of(opened, ".ranked [aria-selected=true]", "rank") == ["5", "5"]
    assert set(values_of(opened, ".doc.lit", "document")) == {document}
    assert texts(opened, ".text-panel h3") == [document]
    assert "No texts were given" in one(opened, ".text-panel").text


def test_the_next_topic_and_back(opened):
    visit(opened, SIDE)
    opened.execute_script("delete document.documentElement.dataset.ready")
    one(opened, "[aria-label='Next topic']").click()
    browsing.wait_until_ready(opened)
    assert "topic=104" in opened.current_url
    assert "run=bm25&run=dense" in opened.current_url
    opened.execute_script("delete document.documentElement.dataset.ready")
    browsing.travel(opened, -1)
    browsing.wait_until_ready(opened)
    assert (
        values_of(opened, "[aria-label='Ranking of bm25'] .doc", "document")
        == in_order(RUNS["bm25"][TOPIC])[:20]
    )


@pytest.mark.parametrize("view", ["ranking", "what-if"])
def test_an_address_of_other_data_is_noticed(opened, view):
    visit(opened, f"/{view}?topic=nothing&run=nobody")
    assert "no topic nothing, and no run nobody here" in one(opened, "[role=alert]").text
    assert browsing.find(opened, ".ranked .doc")
    visit(opened, f"/{view}?topic={TOPIC}&run=dense")
    assert browsing.find(opened, "[role=alert]") == []


def test_hovering_marks_the_same_rank_everywhere(opened):
    visit(opened, SIDE)
    ActionChains(opened).move_to_element(one(opened, "#r0-7")).perform()
    assert values_of(opened, ".ranked [aria-selected=true]", "rank") == ["7", "7"]
    ActionChains(opened).move_to_element(one(opened, ".chart svg")).perform()
    browsing.wait(
        opened, lambda b: values_of(b, ".ranked [aria-selected=true]", "rank")[:1] not in ([], ["7"])
    )


@pytest.fixture
def odd(browser):
    """A page of ids and texts that try to run, and a topic that one run lacks."""
    qrels = {HOSTILE: {HOSTILE: 2, "miss": 1}, "gap": {"d1": 1}, "none": {"d9": 0}}
    runs = {
        HOSTILE: {HOSTILE: {HOSTILE: 2, "\x1b[31m": 1}, "gap": {"x": 1, "y": 0.5}},
        "constructor": {HOSTILE: {HOSTILE: 1}, "none": {"d9": 1}},
    }
    texts_of = {HOSTILE: Text(HOSTILE, HOSTILE)}
    session = Session(Campaign(qrels, runs), "AP RR", documents=texts_of, topics=texts_of)
    with served(session) as address, opened(browser, address):
        yield browser, session


def test_hostile_ids_and_texts_are_only_shown(odd):
    browser, session = odd
    topic = quote(next(shown for shown, given in session.topics.items() if given == HOSTILE))
    first, second = map(quote, session.runs)
    for view in ("ranking", "what-if", "effort"):
        visit(browser, f"/{view}?topic={topic}&run={first}&of={first}")
    visit(browser, f"/ranking?topic={topic}&run={first}&run={second}")
    one(browser, "#r0-1 .doc-name").click()
    browsing.wait(browser, lambda b: texts(b, ".text-panel h4") == [HOSTILE])
    assert texts(browser, ".text-panel .body") == [HOSTILE]
    assert texts(browser, ".query") == [HOSTILE]
    assert texts(browser, "#r0-1 :is(.doc-text b, .snippet, .doc-name)") == [HOSTILE] * 3


def test_a_topic_that_a_run_lacks_and_one_without_judged_results(odd):
    browser, session = odd
    first, second = map(quote, session.runs)
    visit(browser, f"/ranking?topic=gap&run={second}&run={first}")
    assert "no results" in one(browser, ".column .empty").text
    assert values_of(browser, ".ranked .doc", "grade") == ["unjudged", "unjudged"]
    visit(browser, f"/ranking?topic=gap&run={second}")
    assert "no results" in one(browser, ".column .empty").text
    visit(browser, f"/what-if?topic=gap&run={second}&edits=m0_1")
    assert values_of(browser, ".ranked .doc", "document") == ["d1"]


def test_a_saved_page_shows_what_it_holds(session, browser, tmp_path):
    requests = [("ranking", {"topic": TOPIC, "depth": 100})]
    requests += [("overview", {}), ("effort", {}), ("effort-hits", {"run": "bm25"})]
    path = tmp_path / "page.html"
    path.write_text(saved_page(session, [Bundle.of(session, requests)]), encoding="utf-8")
    browser.get(path.as_uri())
    browsing.wait_until_ready(browser)
    visit(browser, f"/ranking?topic={TOPIC}&run=dense&run=bm25")
    assert len(browsing.find(browser, ".ranked")) == 2
    visit(browser, "/ranking?topic=101&run=dense")
    assert "does not hold the ranking of dense" in one(browser, ".view > .empty").text
    visit(browser, f"/effort?of=bm25&topic={TOPIC}")
    browsing.wait(browser, lambda b: len(browsing.find(b, ".chart svg")) == 2)
    visit(browser, f"/effort?of=dense&topic={TOPIC}")
    browsing.wait(browser, lambda b: "does not hold its curves" in one(b, "[role=status].facts").text)
    assert browsing.complaints(browser) == []
