"""What if, in a browser: by pointer, keys and numbers, undone, and brought back by a link."""

import pytest

import browsing
import rankgauge
from browsing import ActionChains, Keys, Select
from extensions.pages.explorer.small import QRELS, RUNS
from extensions.pages.explorer.visiting import one, press, texts, values_of, visit
from twins.order import in_order

TOPIC, RUN, MEASURES = "103", "bm25", "AP nDCG@10 RR"
ADDRESS = f"/what-if?topic={TOPIC}&run={RUN}"
RANKING = in_order(RUNS[RUN][TOPIC])


def updates(browser):
    return int(one(browser, ".view").get_attribute("data-updated") or 0)


def after(browser, act):
    """Do something, and wait until its values are there."""
    before = updates(browser)
    act()
    browsing.wait(browser, lambda b: updates(b) > before)


def shown(browser):
    return values_of(browser, ".ranked .doc", "document")


def expected(ranking, **grades):
    """The texts of the values of a changed topic: before, after and their difference, for topic and mean."""
    judged = {**QRELS, TOPIC: {**QRELS[TOPIC], **grades}}
    changed = {**RUNS, RUN: {**RUNS[RUN], TOPIC: ranking}}
    tables = [rankgauge.evaluate(*given, MEASURES) for given in ((QRELS, RUNS), (judged, changed))]
    rows = []
    for number, measure in enumerate(tables[0].measures):
        row = []
        for find in (
            lambda scores: scores.values[[*RUNS].index(RUN), number, scores.topics.index(TOPIC)],  # noqa: B023
            lambda scores: scores.mean()[RUN][measure],  # noqa: B023
        ):
            before, now = map(find, tables)
            difference = now - before
            sign = "0" if difference == 0 else f"{'−' if difference < 0 else '+'}{abs(difference):.4f}"
            row += [f"{before:.4f}", f"{now:.4f}", sign]
        rows.append(row)
    return rows


def values(browser):
    cells = texts(browser, ".values tbody td")
    return [cells[begin : begin + 6] for begin in range(0, len(cells), 6)]


def moved(ranking, rank, to):
    other = [*ranking]
    other.insert(to - 1, other.pop(rank - 1))
    return other


@pytest.fixture
def page(opened):
    visit(opened, ADDRESS)
    return opened


def choose(browser, rank):
    opened = browsing.find(browser, ".ranked .doc")[rank - 1]
    opened.click()
    browser.execute_script("document.querySelector('.ranked').focus()")


def test_it_begins_with_the_ranking_as_it_is(page):
    assert shown(page) == RANKING
    assert values(page) == expected(RANKING)
    assert "Nothing is changed" in one(page, "[role=status].facts").text


@pytest.mark.parametrize(("rank", "to"), [(5, 1), (2, 6)])
def test_a_document_is_dragged(page, rank, to):
    handle = browsing.find(page, ".ranked .handle")[rank - 1]
    by = (to - rank) * 26
    drag = (
        ActionChains(page).click_and_hold(handle).move_by_offset(0, by // 2).move_by_offset(0, by - by // 2)
    )
    drag.perform()
    browsing.wait(page, lambda _: values(page) == expected(moved(RANKING, rank, to)))  # on its way
    assert shown(page) == RANKING
    after(page, lambda: ActionChains(page).release().perform())
    assert shown(page) == moved(RANKING, rank, to)
    assert values(page) == expected(moved(RANKING, rank, to))
    assert browsing.find(page, ".drop-marker") == []


def test_a_document_is_dragged_into_the_ranking(page):
    document = values_of(page, ".missed .doc", "document")[0]
    handle, row = browsing.find(page, ".missed .handle")[0], browsing.find(page, ".ranked .handle")[2]
    drag = ActionChains(page).click_and_hold(handle).move_to_element(row).move_by_offset(0, -8)
    after(page, lambda: drag.release().perform())
    changed = [*RANKING[:2], document, *RANKING[2:]]
    assert shown(page) == changed
    assert values(page) == expected(changed)


def test_escape_ends_dragging(page):
    choose(page, 5)
    handle = browsing.find(page, ".ranked .handle")[4]
    ActionChains(page).click_and_hold(handle).move_by_offset(0, -60).send_keys(
        Keys.ESCAPE
    ).release().perform()
    assert shown(page) == RANKING


def test_keys_move_remove_and_judge(page):
    choose(page, 4)
    after(page, lambda: press(page, Keys.ALT, Keys.ARROW_UP))
    assert shown(page) == moved(RANKING, 4, 3)
    assert values_of(page, ".ranked [aria-selected=true]", "document") == [RANKING[3]]
    after(page, lambda: press(page, Keys.ALT, Keys.ARROW_DOWN))
    assert shown(page) == RANKING
    after(page, lambda: press(page, "3"))
    assert values(page) == expected(RANKING, **{RANKING[3]: 3})
    after(page, lambda: press(page, Keys.DELETE))
    left = [*RANKING[:3], *RANKING[4:]]
    assert shown(page) == left
    assert values(page) == expected(left, **{RANKING[3]: 3})


def test_numbers_can_be_typed_and_the_list_cut(page):
    choose(page, 9)
    rank, grade = browsing.find(page, ".tools-place input")
    after(page, lambda: rank.send_keys(Keys.BACKSPACE, Keys.BACKSPACE, "2", Keys.ENTER))
    changed = moved(RANKING, 9, 2)
    assert shown(page) == changed
    rank, grade = browsing.find(page, ".tools-place input")
    after(page, lambda: grade.send_keys(Keys.BACKSPACE, "2.5", Keys.TAB))
    assert values(page) == expected(changed, **{RANKING[8]: 2.5})
    choose(page, 7)
    after(page, lambda: browsing.find(page, ".tools-place button")[-1].click())
    assert shown(page) == changed[:7]
    assert values(page) == expected(changed[:7], **{RANKING[8]: 2.5})


def test_changes_are_undone_redone_and_reset(page):
    undo, redo, reset = browsing.find(page, ".steps:not(:has(label)) button")
    choose(page, 4)
    after(page, lambda: press(page, Keys.ALT, Keys.ARROW_UP))
    after(page, lambda: press(page, Keys.ALT, Keys.ARROW_UP))
    twice = moved(RANKING, 4, 2)
    assert shown(page) == twice
    after(page, undo.click)
    assert shown(page) == moved(RANKING, 4, 3)
    after(page, redo.click)
    assert shown(page) == twice
    page.execute_script("document.activeElement.blur()")  # wherever the focus is
    after(page, lambda: press(page, Keys.CONTROL, "z"))
    assert shown(page) == moved(RANKING, 4, 3)
    after(page, lambda: press(page, Keys.CONTROL, "y"))
    assert shown(page) == twice
    after(page, reset.click)
    assert shown(page) == RANKING
    assert values(page) == expected(RANKING)
    assert "edits" not in page.current_url
    assert [undo.is_enabled(), redo.is_enabled(), reset.is_enabled()] == [False, False, False]


def test_a_link_brings_the_changes_back(page):
    choose(page, 4)
    after(page, lambda: press(page, Keys.ALT, Keys.ARROW_UP))
    after(page, lambda: press(page, "2"))
    assert "edits=m3_3*g3_2" in page.current_url
    browsing.reload(page)
    changed = moved(RANKING, 4, 3)
    assert shown(page) == changed
    assert values(page) == expected(changed, **{RANKING[3]: 2})
    visit(page, f"{ADDRESS}&edits=m3_3*nonsense*x99999*g3_2*c-1")  # what means nothing is passed over
    assert values(page) == expected(changed, **{RANKING[3]: 2})
    visit(page, "/overview")
    page.execute_script("delete document.documentElement.dataset.ready")
    browsing.travel(page, -1)
    browsing.wait_until_ready(page)
    assert shown(page) == changed
    browsing.wait(page, lambda b: "of=bm25" in b.current_url)
    for tab in ("ranking", "what-if"):
        page.execute_script("delete document.documentElement.dataset.ready")
        one(page, f"nav a[href^='#/{tab}']").click()
        browsing.wait_until_ready(page)
    assert shown(page) == changed
    assert "edits=m3_3*" in page.current_url


def test_what_would_help_most_brings_what_it_promises(page):
    brings = float(texts(page, ".helps tbody tr:first-child td:nth-child(4)")[0].replace("−", "-"))
    before = float(values(page)[0][0])
    after(page, browsing.find(page, ".helps td button")[0].click)
    assert float(values(page)[0][1]) == pytest.approx(before + brings, abs=1.1e-4)
    all_brings = [float(each.replace("−", "-")) for each in texts(page, ".helps tbody td:nth-child(4)")]
    assert all_brings == sorted(all_brings, reverse=True)
    assert all_brings[-1] > 0


def test_another_document_can_be_added_and_judged(page):
    page.execute_script("delete document.documentElement.dataset.ready")
    one(page, "form.tools input").send_keys("brand <b>new</b>", Keys.ENTER)
    browsing.wait_until_ready(page)
    assert "brand <b>new</b>" in values_of(page, ".missed .doc", "document")
    [row] = [
        each
        for each in browsing.find(page, ".missed .doc")
        if each.get_attribute("data-document").startswith("brand")
    ]
    row.click()
    after(page, lambda: browsing.find(page, ".tools-place input")[0].send_keys("1", Keys.ENTER))
    after(page, lambda: browsing.find(page, ".tools-place input")[1].send_keys("3", Keys.ENTER))
    changed = ["brand <b>new</b>", *RANKING]
    assert shown(page) == changed
    assert values(page) == expected(changed, **{"brand <b>new</b>": 3})


def test_another_measure_for_what_would_help(page):
    after(page, lambda: Select(one(page, ".what-if-columns select")).select_by_visible_text("RR"))
    assert "by=RR" in page.current_url
    # The first document is relevant, so that no other one can help.
    assert "relevant documents up, alone, would not help" in one(page, ".what-if-columns").text
    assert browsing.find(page, ".helps") == []


def test_half_of_the_gap_is_closed_by_moves(page):
    before = float(values(page)[0][0])
    after(page, one(page, ".half button").click)
    browsing.wait(page, lambda b: "ideal ranking" in one(b, ".half").text)
    assert float(values(page)[0][1]) >= (before + 1) / 2
    assert "moves made: AP" in one(page, ".half").text
    assert "edits=m" in page.current_url


def test_the_curves_are_in_sight(opened):
    visit(opened, ADDRESS)
    with browsing.sized(opened, 1440):
        below = "[...document.querySelectorAll('.chart')].at(-1).getBoundingClientRect().bottom"
        browsing.wait(opened, lambda b: 0 < b.execute_script(f"return {below}") <= 900)
