"""The page in a browser: it draws, sorts, filters, opens points, and asks for nothing."""

import shutil

import pytest

import rankgauge
from reports import small

selenium = pytest.importorskip("selenium", reason="selenium is not installed")
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    not (BROWSER and DRIVER), reason="no Chromium and ChromeDriver on this machine"
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    options = ChromeOptions()
    options.binary_location = BROWSER
    for flag in ("headless", "no-sandbox", "disable-gpu", "disable-background-networking", "no-first-run"):
        options.add_argument(f"--{flag}")
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    options.add_argument("--window-size=1200,2400")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    opened = Chrome(options=options, service=Service(DRIVER))
    yield opened
    opened.quit()


@pytest.fixture(scope="module", params=[small.ordinary, small.of_hostile_names], ids=["ordinary", "hostile"])
def opened(request, browser, tmp_path_factory):
    from selenium.webdriver.support.ui import WebDriverWait

    browser.get_log("browser"), browser.get_log("performance")
    path = tmp_path_factory.mktemp("page") / "report.html"
    request.param().save(path)
    browser.get(path.as_uri())
    WebDriverWait(browser, 60).until(
        lambda b: b.execute_script("return 'ready' in document.documentElement.dataset")
    )
    return browser


def find(browser, selector):
    from selenium.webdriver.common.by import By

    return browser.find_elements(By.CSS_SELECTOR, selector)


def requests_of(browser):
    import json

    sent = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    urls = [m["params"]["request"]["url"] for m in sent if m["method"] == "Network.requestWillBeSent"]
    return [url for url in urls if not url.startswith(("data:", "blob:", "chrome"))]


def test_the_page_draws_all_and_asks_for_nothing(opened):
    figures = find(opened, "[data-figure]")
    assert figures
    assert all(figure.find_elements("css selector", "svg") for figure in figures)
    assert [entry for entry in opened.get_log("browser") if entry["level"] != "INFO"] == []
    assert [url.rpartition("/")[2] for url in requests_of(opened)] == ["report.html"]
    assert opened.execute_script("return window.hacked") is None


def test_tables_are_sorted_and_filtered(opened):
    table = next(t for t in find(opened, "table[data-filterable]") if "topic" in t.text.splitlines()[0])
    header = next(h for h in table.find_elements("css selector", "th") if h.text.startswith("AP"))
    button = header.find_element("css selector", "button")
    column = opened.execute_script("return arguments[0].cellIndex", header)

    def values():
        script = "return [...arguments[0].tBodies[0].rows].map((r) => +r.cells[arguments[1]].dataset.value)"
        return opened.execute_script(script, table, column)

    opened.execute_script("arguments[0].click()", button)
    assert values() == sorted(values(), reverse=True)
    assert header.get_attribute("aria-sort") == "descending"
    opened.execute_script("arguments[0].click()", button)
    assert values() == sorted(values())
    search = table.find_element("xpath", "../preceding-sibling::div[1]//input")
    search.send_keys("dense 103")
    shown = [row for row in table.find_elements("css selector", "tbody tr") if row.is_displayed()]
    assert len(shown) == 1
    assert "dense" in shown[0].text


def test_contents_lead_to_sections(opened):
    for link in find(opened, "nav a"):
        assert find(opened, f"section{link.get_attribute('hash')}")


def test_a_point_opens_with_the_curves_of_its_ranking(opened):
    from selenium.webdriver.support.ui import Select, WebDriverWait

    panel = next(p for p in find(opened, "[data-panel]") if p.find_elements("css selector", "select"))
    run, topic = (Select(each) for each in panel.find_elements("css selector", "select"))
    run.select_by_index(1)
    topic.select_by_index(2)
    WebDriverWait(opened, 20).until(lambda _: panel.get_attribute("data-shown") == str(14 + 2))
    assert panel.text.startswith("Choose a point, or a run and a topic")
    status = panel.find_element("css selector", "[role=status]").text
    scores = rankgauge.evaluate(small.QRELS, small.RUNS, "Twist nDCG").to_dict()
    name = list(small.RUNS)[1]
    value = scores[name]["Twist"][sorted(small.QRELS)[2]]
    assert f"Twist {value:.4f}" in status
    assert len(panel.find_elements("css selector", "svg")) == 2


def test_curves_of_the_page_are_those_of_the_library(opened):
    curves = rankgauge.curves(small.QRELS, small.RUNS, "CRP DCG", depth=40)
    if small.HOSTILE in opened.title:
        pytest.skip("the same numbers under other names")
    mine = opened.execute_script("return window.rankgauge.curves(40)")
    for number, (effort, gain) in enumerate(mine):
        run, topic = divmod(number, len(small.QRELS))
        assert effort == curves.values[run, 0, topic].tolist()
        assert gain == pytest.approx(curves.values[run, 1, topic].tolist(), rel=1e-12)


def test_arrow_keys_lead_from_point_to_point(opened):
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import WebDriverWait

    panel = next(p for p in find(opened, "[data-panel]") if p.find_elements("css selector", "select"))
    (plot,) = find(opened, f'[data-figure="{panel.get_attribute("data-panel")}"]')
    (other,) = find(opened, '[data-figure="0"]')
    assert (plot.get_attribute("tabindex"), other.get_attribute("tabindex")) == ("0", None)
    points = small.ordinary().data["effort"]["points"]
    by_twist = sorted(range(len(points)), key=lambda n: (points[n]["twist"], points[n]["gain"], n))
    by_gain = sorted(range(len(points)), key=lambda n: (points[n]["gain"], points[n]["twist"], n))

    def shows(number):
        WebDriverWait(opened, 20).until(lambda _: panel.get_attribute("data-shown") == str(number))

    at = int(panel.get_attribute("data-shown"))
    while by_twist.index(at) < len(points) - 3:  # as fast as keys may come
        plot.send_keys(Keys.ARROW_RIGHT)
        at = by_twist[by_twist.index(at) + 1]
    shows(at)
    for key, order, step in (
        (Keys.ARROW_LEFT, by_twist, -1),
        (Keys.ARROW_DOWN, by_gain, -1),
        (Keys.ARROW_UP, by_gain, 1),
    ):
        plot.send_keys(key)
        at = order[order.index(at) + step]
        shows(at)
    plot.send_keys(Keys.ARROW_RIGHT * 5)  # past the last one stays
    shows(by_twist[-1])
    marked = opened.execute_script("return document.activeElement === arguments[0]", plot)
    assert marked
    assert [entry for entry in opened.get_log("browser") if entry["level"] != "INFO"] == []


def test_clicking_a_point_selects_it(opened):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.support.ui import WebDriverWait

    panel = next(p for p in find(opened, "[data-panel]") if p.find_elements("css selector", "select"))
    number = panel.get_attribute("data-panel")
    points = find(opened, f'[data-figure="{number}"] .mark-symbol.role-mark path')
    point = points[len(points) // 2]
    opened.execute_script("arguments[0].scrollIntoView({block: 'center'})", point)
    before = panel.find_element("css selector", "[role=status]").text
    ActionChains(opened).move_to_element(point).click().perform()
    WebDriverWait(opened, 20).until(
        lambda _: panel.find_element("css selector", "[role=status]").text != before
    )
