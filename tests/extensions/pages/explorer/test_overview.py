"""The leaderboard in a browser."""

import pytest

import browsing
import rankgauge
from browsing import ActionChains, Keys
from extensions.pages.explorer.small import HOSTILE, QRELS, RUNS, hostile_campaign
from extensions.pages.explorer.visiting import opened, served, visit
from rankgauge.campaigns.campaign import Campaign
from rankgauge.extensions.pages.explorer import Session

MEASURES = ("AP", "nDCG@10", "RR")


@pytest.fixture(scope="module")
def scores():
    return rankgauge.evaluate(QRELS, RUNS, MEASURES)


def rows(browser):
    """The cells of the leaderboard, without the number of the row: run and means."""
    return [
        [cell.text.split()[0].rstrip("▲▼") for cell in browsing.find(row, "th, td")][1:]
        for row in browsing.find(browser, "tbody tr")
    ]


def expected(scores, by, measures=MEASURES):
    means = scores.mean()
    return [[run, *(f"{means[run][text]:.4f}" for text in measures)] for run in scores.sorted(by).runs]


def press(browser, key):
    browser.execute_script("document.querySelector(`[data-key='${CSS.escape(arguments[0])}']`).click()", key)
    browsing.wait_until_ready(browser)


def set_value(browser, key, value, event):
    browser.execute_script(
        """const [key, value, event] = arguments;
        const control = document.querySelector(`[data-key='${CSS.escape(key)}']`);
        control.value = value;
        control.dispatchEvent(new Event(event));""",
        *(key, value, event),
    )


def choose(browser, key, value):
    set_value(browser, key, value, "change")
    browsing.wait_until_ready(browser)


def type_measure(browser, text):
    box = browsing.find(browser, "[data-key='measures input']")[0]
    box.send_keys(text)
    return box


def test_the_best_run_comes_first(opened, scores):
    assert rows(opened) == expected(scores, "AP")


def test_columns_sort_and_the_address_keeps_the_order(opened, scores):
    opened.execute_script("for (const row of document.querySelectorAll('tbody tr')) row.seen = true")
    press(opened, "sort RR")
    assert rows(opened) == expected(scores, "RR")
    assert opened.execute_script("return [...document.querySelectorAll('tbody tr')].every((row) => row.seen)")
    assert [each.text for each in browsing.find(opened, "tbody .place")] == ["1", "2", "3"]
    press(opened, "sort RR")
    assert [row[0] for row in rows(opened)] == [row[0] for row in rows_by_mean(scores, "RR")]
    assert "sort=RR" in opened.current_url
    browsing.reload(opened)
    assert [row[0] for row in rows(opened)] == [row[0] for row in rows_by_mean(scores, "RR")]
    press(opened, "sort run")
    assert [row[0] for row in rows(opened)] == sorted(RUNS)
    set_value(opened, "baseline", "dense", "change")  # what is chosen next keeps the order
    browsing.wait(opened, lambda b: "baseline=dense" in b.current_url)
    assert "sort=run" in opened.current_url


def rows_by_mean(scores, by):
    return sorted(expected(scores, by), key=lambda row: scores.mean()[row[0]][by])


def test_the_back_button_takes_a_choice_back(opened, scores):
    press(opened, "sort RR")
    press(opened, "sort run")
    browsing.travel(opened, -1)
    browsing.wait(opened, lambda b: rows(b) == expected(scores, "RR"))
    browsing.travel(opened, -1)
    browsing.wait(opened, lambda b: rows(b) == expected(scores, "AP"))
    browsing.travel(opened, 1)
    browsing.wait(opened, lambda b: rows(b) == expected(scores, "RR"))


def test_runs_are_chosen_by_search_all_none_and_best(opened, scores):
    press(opened, "runs summary")
    browsing.wait(opened, lambda b: browsing.find(b, ".picker .options input"))
    search = browsing.find(opened, "[data-key='runs search']")[0]
    search.send_keys("d")
    assert [each.text for each in browsing.find(opened, ".picker .options li")] == ["dense", "hybrid"]
    press(opened, "runs None")
    assert [row[0] for row in rows(opened)] == ["bm25"]
    assert browsing.find(opened, "[data-key='runs search']")[0].get_attribute("value") == "d"  # stays open
    press(opened, "runs dense")
    assert {row[0] for row in rows(opened)} == {"bm25", "dense"}
    assert [each.text for each in browsing.find(opened, ".field > .chips .chip span")] == ["bm25", "dense"]
    browsing.reload(opened)
    assert {row[0] for row in rows(opened)} == {"bm25", "dense"}
    assert "1 of 3 runs are left out" in browsing.find(opened, "main")[0].text
    press(opened, "runs None")
    assert "No run is chosen" in browsing.find(opened, "main")[0].text
    set_value(opened, "runs count", 2, "input")
    press(opened, "runs Best")
    assert rows(opened) == expected(scores, "AP")[:2]
    press(opened, "runs All")
    assert rows(opened) == expected(scores, "AP")
    assert "run=" not in opened.current_url


def test_a_measure_is_typed_with_help_and_becomes_a_column(opened):
    box = type_measure(opened, "P@2")
    browsing.wait(opened, lambda b: "P@2: Precision" in browsing.find(b, ".message")[0].text)
    options = [each.text for each in browsing.find(opened, "[role=option] b")]
    assert options == ["@20"]
    box.send_keys(Keys.ARROW_DOWN)
    assert box.get_attribute("aria-activedescendant")
    box.send_keys(Keys.ENTER)
    assert box.get_attribute("value") == "P@20"
    opened.execute_script("document.documentElement.removeAttribute('data-ready')")
    box.send_keys(Keys.ENTER)
    browsing.wait_until_ready(opened)
    means = rankgauge.evaluate(QRELS, RUNS, "AP nDCG@10 RR P@20")
    assert rows(opened) == expected(means, "AP", means.measures)
    assert opened.switch_to.active_element.get_attribute("data-key") == "measures input"  # to type another
    press(opened, "measures AP")
    assert [row[1:] for row in rows(opened)] == [
        row[1:] for row in expected(means, "nDCG@10", means.measures[1:])
    ]


def test_a_wrong_measure_shows_the_message_of_the_language(opened, scores):
    type_measure(opened, "nDGC@10" + Keys.ENTER)
    (message,) = browsing.wait(opened, lambda b: browsing.find(b, ".message.error"))
    assert "did you mean nDCG" in message.text
    assert rows(opened) == expected(scores, "AP")


def test_verdicts_in_words_by_focus_and_by_pointer(opened, scores):
    pair = next(p for p in rankgauge.compare(scores, baseline="bm25")["AP"].pairs if p.run == "hybrid")
    first = browsing.find(opened, "tbody tr td[tabindex='0']")[0]
    ActionChains(opened).move_to_element(first).perform()
    text = browsing.find(opened, "#tip")[0].text
    assert text.startswith(f"hybrid: AP {pair.mean:.4f} (95 % interval ")
    assert (
        f"Significantly better than bm25 (corrected p = {pair.corrected:.4f}); the difference is essential."
        in text
    )
    assert f"Difference +{pair.difference:.4f} (+{pair.percent:.1f} %)" in text
    assert f"Better on {pair.wins}, equal on {pair.ties}, worse on {pair.losses} topics." in text
    browsing.find(opened, "[data-key='table Means of runs']")[0].send_keys(Keys.TAB)
    for key in (Keys.TAB, Keys.ARROW_DOWN, Keys.ARROW_RIGHT):
        opened.switch_to.active_element.send_keys(key)
    opened.execute_script("document.querySelector(\"tbody td[tabindex='0']\").focus()")
    assert browsing.find(opened, "#tip")[0].is_displayed()
    opened.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert not browsing.find(opened, "#tip")[0].is_displayed()
    hidden = browsing.find(opened, "tbody .sign")[0].accessible_name
    assert hidden == "significantly better than bm25"


def test_any_run_test_and_correction_can_be_chosen(opened):
    choose(opened, "baseline", "hybrid")
    choose(opened, "test", "wilcoxon")
    choose(opened, "correction", "bh")
    text = browsing.find(opened, "main")[0].text
    assert (
        "Each run is compared with hybrid by a two-sided Wilcoxon signed-rank test with the Benjamini" in text
    )
    assert "hybrid baseline" in text
    assert "baseline=hybrid&test=wilcoxon&correction=bh" in opened.current_url
    choose(opened, "test", "tukey")  # accounts for all pairs: no correction
    assert browsing.find(opened, "[data-key=correction]")[0].get_attribute("value") == "none"


def test_the_summary_is_on_top(opened, session):
    from rankgauge.extensions.pages.explorer.views.headlines import summary_sentences

    sentences = [each.text for each in browsing.find(opened, ".summary p")]
    assert tuple(sentences) == summary_sentences(session)


def hostile_session():
    return Session(Campaign(*hostile_campaign()), title=HOSTILE)


def undefined_session():
    nothing = dict.fromkeys(("t", "u"), float("nan"))
    return Session(Campaign.of_scores(rankgauge.Scores.from_table({"a": nothing, "b": nothing}, "AP")))


def single_session():
    topic = next(iter(QRELS))
    return Session(Campaign({topic: QRELS[topic]}, {"bm25": RUNS["bm25"]}))


@pytest.mark.parametrize("make", [hostile_session, undefined_session, single_session])
def test_odd_data_is_shown_and_nothing_executes(browser, make):
    made = make()
    name = next(iter(made.runs))
    with served(made) as address, opened(browser, address):
        assert name in browsing.find(browser, "tbody")[0].text
        for at in ("/topics", "/topics?as=table", "/topics?cells=difference&order=difference"):
            if "difference" not in at or len(made.runs) > 1:
                visit(browser, at)
                assert browsing.find(browser, "[role=alert]") == []
                assert name in browser.find_element("css selector", "main").get_attribute("textContent")
        visit(browser, "/overview")
        press(browser, "runs summary")
        browsing.wait(browser, lambda b: browsing.find(b, ".picker .options input"))
        press(browser, f"runs {name}")
        assert "run=" in browser.current_url
        assert browsing.find(browser, "img, main script") == []


def test_the_focus_stays_where_a_run_was_chosen_and_escape_closes(opened):
    visit(opened, "/overview")
    opened.execute_script("document.querySelector('details.picker summary').click()")
    browsing.wait(opened, lambda b: browsing.find(b, "[data-key='runs dense']"))
    opened.execute_script("document.querySelector(`[data-key='runs dense']`).focus()")
    ActionChains(opened).send_keys(" ").perform()
    browsing.wait(opened, lambda b: "run=" in b.current_url)
    opened.execute_async_script("setTimeout(arguments[0], 500)")  # the list once was built anew after a while
    assert opened.execute_script("return document.activeElement.dataset.key") == "runs dense"
    ActionChains(opened).send_keys(Keys.ESCAPE).perform()
    assert not opened.execute_script("return document.querySelector('details.picker').open")
