"""The page of a report in a browser: every view is shown from the file, and nothing is asked for."""

import pytest

import browsing
import rankgauge
from extensions.pages.explorer import small
from extensions.pages.explorer.visiting import visit

VIEWS = ("overview", "topics", "curves", "ranking", "effort", "about")


@pytest.fixture(scope="module", params=[small.ordinary, small.of_hostile_names], ids=["ordinary", "hostile"])
def page(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    request.param().save(path)
    return path.as_uri()


@pytest.fixture
def show(browser, page):
    """A function that opens an address of the page; in the end, nothing else may have been loaded."""
    browsing.new_tab(browser)
    browsing.complaints(browser), browsing.requests_of(browser)  # those of other tests

    def show(address="#/overview"):
        if browser.current_url.startswith(page):
            visit(browser, address[1:])
        else:
            browser.get(f"{page}{address}")
            browsing.wait_until_ready(browser)
        return browser

    yield show
    assert browsing.complaints(browser) == []
    assert {url.partition("#")[0] for url in browsing.requests_of(browser)} <= {page, "about:blank"}
    assert browser.execute_script("return window.hacked") is None


def text_of(browser):
    return browser.execute_script("return document.querySelector('main').innerText")


def lacks(browser):
    """Whether the page says that it does not hold something."""
    return "does not hold" in text_of(browser) or browsing.find(browser, "[role=alert]")


def test_every_view_is_held(show):
    browser = show()
    links = [link.get_attribute("hash") for link in browsing.find(browser, "nav a")]
    assert links == [f"#/{view}" for view in VIEWS]
    for link in links:
        assert not lacks(show(link)), link
        assert text_of(browser)


@pytest.mark.parametrize("width", [400, 1400])
def test_no_view_is_wider_than_the_screen(show, browser, width):
    with browsing.sized(browser, width):
        for view in VIEWS:
            assert browsing.overflow(show(f"#/{view}")) <= 0, view


@pytest.mark.parametrize("page", [small.ordinary], indirect=True)
def test_every_choice_that_the_page_offers_is_held(show, browser):
    """Each option of each list of the views leads to something that can be shown."""
    selects = "const selects = [...document.querySelectorAll('.toolbar select')];"
    for view in ("overview", "topics"):
        show(f"#/{view}")
        sizes = browser.execute_script(f"{selects} return selects.map((each) => each.options.length)")
        for number, options in enumerate(sizes):
            for place in range(options):
                show(f"#/{view}")
                name = browser.execute_script(
                    f"{selects} const select = selects[arguments[0]];"
                    "select.selectedIndex = arguments[1];"
                    "select.dispatchEvent(new Event('change', { bubbles: true }));"
                    "return select.options[arguments[1]].text",
                    number,
                    place,
                )
                browsing.wait_until_ready(browser)
                assert not lacks(browser), (view, name)


def test_topics_can_be_narrowed_to_some_runs(show):
    browser = show()
    names = browser.execute_script(
        "return JSON.parse(document.getElementById('data').textContent).session.runs"
    )
    query = browser.execute_script(
        "return new URLSearchParams([['run', arguments[0]], ['as', 'table']]).toString()", names[1]
    )
    show(f"#/topics?{query}")
    heads = [head.text for head in browsing.find(browser, "thead th")]
    assert not lacks(browser)
    assert len(heads) == 3  # topic, all runs, and the one
    assert len(browsing.find(browser, "tbody tr")) == len(small.QRELS)


def test_every_ranking_is_held(show):
    browser = show()
    answer = browser.execute_script("return JSON.parse(document.getElementById('data').textContent).session")
    for topic in answer["topics"][::5]:
        query = browser.execute_script(
            "return new URLSearchParams(arguments[0]).toString()",
            [["topic", topic], *(["run", run] for run in answer["runs"])],
        )
        show(f"#/ranking?{query}")
        assert not lacks(browser)
        assert len(browsing.find(browser, "[role=listbox]")) == len(small.RUNS)


@pytest.mark.parametrize("page", [small.ordinary], indirect=True)
def test_a_point_opens_with_the_curves_of_its_ranking(show):
    run, topic = list(small.RUNS)[1], sorted(small.QRELS)[2]
    value = rankgauge.evaluate(small.QRELS, small.RUNS, "Twist").to_dict()[run]["Twist"][topic]
    browser = show(f"#/effort?of={run}&topic={topic}")
    assert f"{run}, topic {topic}: Twist {value:.4f}" in text_of(browser)
    assert not lacks(browser)
    assert len(browsing.find(browser, "main svg.plot")) >= 3  # the plot, CRP and DCG
