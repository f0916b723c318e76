"""Topics by runs in a browser."""

import itertools

import pytest

import browsing
import rankgauge
from browsing import ActionChains, Keys
from extensions.pages.explorer.small import QRELS, RUNS
from extensions.pages.explorer.test_overview import choose, press, set_value
from extensions.pages.explorer.visiting import opened, served, values_of, visit
from rankgauge.campaigns.campaign import Campaign
from rankgauge.extensions.pages.explorer import Session


@pytest.fixture(scope="module")
def scores():
    return rankgauge.evaluate(QRELS, RUNS, "AP")


@pytest.fixture
def topics(opened):
    visit(opened, "/topics")
    return opened


def names(browser):
    return values_of(browser, ".heat .rows li", "name")


def hardest(scores):
    values = scores.to_dict()
    return sorted(scores.topics, key=lambda topic: sum(values[run]["AP"][topic] for run in RUNS))


def dots(browser, kind=""):
    """The number of points of the scatter plot."""
    return sum(each.get_attribute("d").count("M") for each in browsing.find(browser, f"path.dots{kind}"))


def tip_of(browser):
    return browsing.find(browser, "#tip")[0].text.split("\n")


def test_topics_are_ordered_by_difficulty_or_difference(topics, scores):
    assert names(topics) == hardest(scores)
    assert [each.text for each in browsing.find(topics, ".heat .columns span")] == list(scores.sorted().runs)
    choose(topics, "order", "difference")
    values = scores.to_dict()
    x, y = (browsing.find(topics, f"[data-key={key}]")[0].get_attribute("value") for key in "xy")
    assert x == "bm25"
    assert names(topics) == sorted(scores.topics, key=lambda t: values[y]["AP"][t] - values[x]["AP"][t])
    browsing.reload(topics)
    assert names(topics)[0] != hardest(scores)[0] or "order=difference" in topics.current_url


def test_cells_say_what_they_are_and_open_the_ranking(topics, scores):
    run, topic = scores.sorted().runs[1], hardest(scores)[2]
    canvas = browsing.find(topics, "canvas")[0]
    wide = canvas.rect["width"] / 3
    at = (-canvas.rect["width"] / 2 + 1.5 * wide, -canvas.rect["height"] / 2 + 2.5 * 18)
    ActionChains(topics).move_to_element_with_offset(canvas, round(at[0]), round(at[1])).perform()
    value = scores.to_dict()[run]["AP"][topic]
    assert tip_of(topics)[:2] == [f"{run}, topic {topic}", f"AP {value:.4f}"]
    ActionChains(topics).click().perform()
    assert f"#/ranking?topic={topic}&order=hardest&pair=bm25&pair={run}" in topics.current_url


def test_keys_move_from_cell_to_cell(topics, scores):
    canvas = browsing.find(topics, "canvas")[0]
    canvas.send_keys(Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    run, topic = scores.sorted().runs[2], hardest(scores)[1]
    spoken = browsing.find(topics, ".heat + .unseen")[0].get_attribute("textContent")
    assert spoken.startswith(f"{run}, topic {topic}. AP {scores.to_dict()[run]['AP'][topic]:.4f}")
    canvas.send_keys(Keys.ENTER)
    assert f"#/ranking?topic={topic}&order=hardest&pair={run}" in topics.current_url


def test_colours_follow_values(topics):
    """The canvas has the colour of the scale at the value of each cell."""
    shades = topics.execute_script(
        """const canvas = document.querySelector("canvas"), {width, height} = canvas;
        const {data} = canvas.getContext("2d").getImageData(0, 0, width, height);
        const rows = document.querySelectorAll(".heat .rows li").length;
        const [high, wide] = [height / rows, width / 3];
        const at = (r, c) => 4 * (Math.floor((r + .5) * high) * width + Math.floor((c + .5) * wide));
        return [...Array(rows).keys()].map((r) => [0, 1, 2].map(
          (c) => [0, 1, 2].reduce((sum, i) => sum + data[at(r, c) + i], 0)))"""
    )
    visit(topics, "/topics?as=table")
    table = [
        [float(cell.text) for cell in browsing.find(row, "td")][1:]
        for row in browsing.find(topics, "tbody tr")
    ]
    pairs = sorted(zip([v for row in table for v in row], [s for row in shades for s in row], strict=True))
    assert all(one >= other for (_, one), (_, other) in itertools.pairwise(pairs))
    assert pairs[0][1] > pairs[-1][1]


def test_the_table_has_the_same_numbers(topics, scores):
    choose(topics, "as", "table")
    values = scores.to_dict()
    for row, topic in zip(browsing.find(topics, "tbody tr"), hardest(scores), strict=True):
        cells = [cell.text for cell in browsing.find(row, "th, td")]
        assert cells[0] == topic
        assert cells[2:] == [f"{values[run]['AP'][topic]:.4f}" for run in scores.sorted().runs]
    choose(topics, "cells", "difference")
    first = [cell.text for cell in browsing.find(browsing.find(topics, "tbody tr")[0], "td")]
    assert "+0.0000" in first  # bm25 against itself
    assert "as=table" in topics.current_url


def test_two_runs_point_by_point(topics, scores):
    choose(topics, "x", "bm25")
    choose(topics, "y", "dense")
    values = scores.to_dict()
    better = [t for t in scores.topics if values["dense"]["AP"][t] > values["bm25"]["AP"][t]]
    assert dots(topics) == len(scores.topics)
    assert dots(topics, ".better") == len(better)
    assert (
        f"dense is better on {len(better)}, equal on 0 and worse on" in browsing.find(topics, ".pair")[0].text
    )
    plot, first = browsing.find(topics, "svg.plot")[0], scores.topics[0]
    ActionChains(topics).move_to_element(plot).perform()
    pointed = topics.execute_script(
        """const [x, y] = arguments, plot = document.querySelector("svg.plot");
        const end = (name) => Number(plot.querySelector(".diagonal").getAttribute(name));
        const across = end("x1") + x * (end("x2") - end("x1")), up = end("y1") + y * (end("y2") - end("y1"));
        const place = new DOMPoint(across, up).matrixTransform(plot.getScreenCTM());
        const at = {clientX: place.x, clientY: place.y, bubbles: true};
        plot.dispatchEvent(new PointerEvent("pointermove", at));
        return document.getElementById("tip").textContent""",
        *(values[run]["AP"][first] for run in ("bm25", "dense")),
    )
    assert pointed.startswith(f"{first}bm25: {values['bm25']['AP'][first]:.4f}")
    plot.send_keys(Keys.ARROW_RIGHT)
    largest = max(scores.topics, key=lambda t: values["dense"]["AP"][t] - values["bm25"]["AP"][t])
    assert tip_of(topics)[0] == largest
    plot.send_keys(Keys.ENTER)
    assert f"#/ranking?pair=bm25&pair=dense&topic={largest}" in topics.current_url


def test_runs_and_measure_are_chosen(topics):
    press(topics, "runs summary")
    browsing.wait(topics, lambda b: browsing.find(b, ".picker .options input"))
    press(topics, "runs bm25")
    assert [each.text for each in browsing.find(topics, ".heat .columns span")] == ["dense", "hybrid"]
    visit(topics, "/topics?measure=RR&run=dense")
    assert "RR by topic and run" in browsing.find(topics, "main")[0].text
    assert len(browsing.find(topics, ".heat .columns li")) == 1


def test_many_topics_have_pages(browser):
    values = {run: {f"t{i:03}": (i * k % 251) / 251 for i in range(250)} for k, run in enumerate("abc", 1)}
    session = Session(Campaign.of_scores(rankgauge.Scores.from_table(values, "AP")))
    with served(session) as address, opened(browser, address):
        visit(browser, "/topics?order=topic")
        assert names(browser)[0] == "t000"
        assert browsing.find(browser, ".pager")[0].text.split("\n")[1] == "topics 1–100 of 250"
        press(browser, "page Next")
        assert names(browser)[0] == "t100"
        assert dots(browser) == 250
        visit(browser, "/topics?order=topic&topic=t222")
        assert names(browser)[0] == "t200"
        assert browsing.find(browser, ".heat .marked")[0].text == "t222"
        browser.execute_script("delete document.documentElement.dataset.ready")
        set_value(browser, "find Find topics", "T21", "input")
        browsing.wait_until_ready(browser)
        assert names(browser) == [f"t{i}" for i in range(210, 220)]
        assert dots(browser) == 10


def test_long_queries_take_two_lines_of_the_table(browser):
    queries = dict.fromkeys(QRELS, "what are the long words of a verbose query " * 5)
    with served(Session(Campaign(QRELS, RUNS), "AP", topics=queries)) as address, opened(browser, address):
        visit(browser, "/topics?as=table")
        for row in browsing.find(browser, "tbody tr")[:3]:
            assert row.size["height"] < 60
            assert row.text.count("verbose") == 5


def test_segments_are_small_multiples_that_filter_topics(browser, scores):
    hostile = '<img src=x onerror="window.hacked=1">'
    by = {topic: hostile if place % 3 else "few" for place, topic in enumerate(scores.topics)}
    few = {topic for topic, value in by.items() if value == "few"}
    session = Session(Campaign(QRELS, RUNS), "AP", baseline="bm25", by=by)
    with served(session) as address, opened(browser, address):
        visit(browser, "/topics")
        plots = browsing.find(browser, ".multiples figure")
        links = [browsing.find(each, "a")[0] for each in plots]
        assert [each.text for each in links] == [f"segment={hostile}", "segment=few"]
        assert [dots(each) for each in plots] == [len(by) - len(few), len(few)]
        values = scores.to_dict()
        x, y = (browsing.find(browser, f"[data-key={key}]")[0].get_attribute("value") for key in "xy")
        mean = sum(values[y]["AP"][topic] - values[x]["AP"][topic] for topic in few) / len(few)
        shown = browsing.find(plots[1], ".note")[0].text
        assert shown.replace("\u2212", "-") == f"{len(few)} topics, {mean:+.4f}"
        links[1].click()
        browsing.wait(browser, lambda b: {*names(b)} == few)
        assert browsing.find(browser, ".multiples [aria-current=true]")[0].text == "segment=few"
        assert len(browsing.find(browser, ".multiples figure")) == 2


def test_a_saved_page_filters_all_of_many_topics(browser, tmp_path):
    topics = [f"{number:03}" for number in range(150)]
    qrels = {topic: {"a": 1} for topic in topics}
    runs = {name: dict.fromkeys(topics, docs) for name, docs in {"x": ["a"], "y": ["b", "a"]}.items()}
    by = {topic: "odd" if int(topic) % 2 else "even" for topic in topics}
    report = tmp_path / "report.html"
    rankgauge.report(qrels, runs, "RR", by=by).save(report)
    with opened(browser, report.as_uri()):
        visit(browser, "/topics?segment=segment%3Dodd")
        assert names(browser) == topics[1::2]
        visit(browser, "/topics?find=1")
        assert names(browser) == [topic for topic in topics if "1" in topic]
        visit(browser, "/topics?first=100")
        assert names(browser) == topics[100:]
        assert "topics 101–150 of 150" in browsing.find(browser, ".pager")[0].text
        assert [dots(each) for each in browsing.find(browser, ".multiples figure")] == [75, 75]
