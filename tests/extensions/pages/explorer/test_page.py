"""The page: scripts that can be joined, elements and axes that they make, and a saved page."""

import base64
import gzip
import itertools
import json
import math
import re
from collections import Counter

import pytest

import browsing
from extensions.pages.explorer.small import RUNS
from extensions.pages.explorer.visiting import in_module, texts, visit
from extensions.pages.explorer.visiting import opened as opened_page
from rankgauge.campaigns.campaign import Campaign
from rankgauge.extensions.pages.explorer import Session
from rankgauge.extensions.pages.explorer.page import Bundle, _Rankings, page, saved_page, scripts, style
from rankgauge.extensions.pages.explorer.views import VIEWS, answer

FOLDERS = {view.package: view.assets for view in VIEWS.values()}
STYLES = {
    file.name: file.read_text("utf-8")
    for folder in FOLDERS.values()
    for file in folder.iterdir()
    if file.name.endswith(".css")
}
DECLARED = re.compile(r"^(export )?(?:async )?(?:function|const|let|class) (?:(\w+)|[\[{]([^=]*)[\]}])", re.M)
IMPORT = re.compile(r'import \{ ([\w, ]+) \} from "\./([\w-]+)\.js";')
ADDRESSES = (
    *("/overview", "/topics", "/topics?as=table", "/curves", "/effort", "/judge", "/about"),
    *("/ranking?topic=103&run=bm25&run=dense&depth=20", "/what-if?topic=103&run=bm25"),
)
LISTS = [
    [],
    [None],
    [0.0],
    [-1.0],
    [0.1, 0.7],
    [-0.2, 0.3],
    [0.3, math.nextafter(0.3, 1)],  # but for rounding, one value
    [1.0, 1 + 1e-13],
    [-1.0, -1 - 1e-12],
    [0.0, 1e-15],
    [1e6, 1e6 + 1],
    [-1e300, 1e300],
    [0.25, None, 0.5],
]


def test_every_script_and_style_is_part_of_the_page():
    assert {package: {*texts} for package, texts in scripts().items()} == {
        package: {file.name[:-3] for file in folder.iterdir() if file.name.endswith(".js")}
        for package, folder in FOLDERS.items()
    }
    assert all(text in style() for text in STYLES.values())


def test_scripts_can_be_joined():
    """Names are unique over the scripts of a package, and what is imported is there."""
    exported = {}
    for package in scripts().values():
        names = Counter()
        for module, text in package.items():
            found = DECLARED.findall(text)
            exported[module] = {one for is_exported, one, _ in found if is_exported}
            names.update(name for _, one, several in found for name in re.findall(r"\w+", one or several))
            for line in text.splitlines():
                assert not line.startswith(("export {", "export default"))
                if line.startswith("import {"):
                    imported, source = IMPORT.fullmatch(line).groups()
                    assert {*imported.split(", ")} <= exported[source], line
        assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize(
    ("campaign", "tabs"),
    [
        (Campaign.of_runs(RUNS), ["Ranking", "About"]),
        (
            Campaign({"t": {"d": 0}}, {"r": {"t": ["x", "d"]}, "s": {"t": ["d"]}}),
            ["Overview", "Topics", "Curves", "Ranking", "About"],
        ),
    ],
    ids=["no judgments", "no relevant document"],
)
def test_a_page_is_saved_without_views_that_have_no_numbers(browser, tmp_path, campaign, tabs):
    path = tmp_path / "page.html"
    path.write_text(page(Session(campaign)), encoding="utf-8")
    with opened_page(browser, path.as_uri()):
        assert texts(browser, "header nav a") == tabs
        visit(browser, "/ranking")
        assert browsing.find(browser, ".ranked .doc")
        assert texts(browser, ".error") == []


def test_styles_of_a_view_hold_for_it_alone(opened):
    """A better run is not blue and bold on the leaderboard, as a better value is in What if."""
    for name, text in STYLES.items():
        if name != "style.css":
            assert text.startswith(f':where(:root[data-view~="{name.removesuffix(".css")}"]) {{')
            assert name.removesuffix(".css") in VIEWS
    cell = browsing.find(opened, "td.better")[0]
    plain = browsing.find(opened, "td.mean:not(.better, .best)")[0]
    assert cell.value_of_css_property("color") == plain.value_of_css_property("color")


def test_what_a_view_shows_is_saved_by_its_menu(opened):
    """Files of runs in memory have no command, and the page says why."""
    visit(opened, "/overview?measures=AP&run=dense")
    opened.execute_script("HTMLAnchorElement.prototype.click = function () { window.saved = this.download; }")
    browsing.find(opened, ".saving summary")[0].click()
    for place, message in (
        (0, "Saved as overview.csv."),
        (-2, "no command gives these numbers: the runs are"),
    ):
        browsing.find(opened, ".saving button")[place].click()
        browsing.wait(opened, lambda b, message=message: message in browsing.find(b, ".saved")[0].text)
    assert opened.execute_script("return window.saved") == "overview.csv"
    browsing.complaints(opened)  # the refused request


@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("dark", [False, True])
def test_no_view_is_wider_than_the_window(opened, width, dark):
    with browsing.sized(opened, width, dark=dark):
        for view in ADDRESSES:
            visit(opened, view)
            assert browsing.overflow(opened) <= 0, view
        paper = opened.execute_script("return getComputedStyle(document.body).backgroundColor")
        assert paper == ("rgb(13, 17, 23)" if dark else "rgb(255, 255, 255)")


@pytest.mark.parametrize("view", ADDRESSES)
def test_every_list_and_input_has_a_name(opened, view):
    visit(opened, view)
    controls = [each for each in browsing.find(opened, "select, input, textarea") if each.is_displayed()]
    assert all(each.accessible_name for each in controls)


@pytest.mark.parametrize("make", ["el", "svg"])
@pytest.mark.parametrize(
    "given",
    [
        {"innerHTML": "<img src=x onerror='window.hacked = 1'>"},
        {"outerHTML": "<img src=x onerror='window.hacked = 1'>"},
        {"onclick": "window.hacked = 1"},
        {"ONCLICK": "window.hacked = 1"},
        {"href": "javascript:window.hacked = 1"},
        {"Href": "javascript:window.hacked = 1"},
        {"xlink:href": "javascript:window.hacked = 1"},
        {"srcdoc": "<script>window.hacked = 1</script>"},
        {"formaction": "javascript:window.hacked = 1"},
    ],
)
def test_an_object_in_place_of_a_text_is_no_markup(browser, make, given):
    """Whatever a file holds, no element gets markup, a script or a strange address from it."""
    browser.get("about:blank")
    left = in_module(
        browser,
        "dom",
        f"""const attempt = (...content) => {{
          try {{ return {make}("a", ...content).outerHTML; }} catch (error) {{ return String(error); }} }};
        return [attempt(arguments[0]), attempt("text", arguments[0]), attempt([arguments[0]])];""",
        given,
    )
    is_harmless = "HTML" in next(iter(given))  # as the name of an attribute
    assert (
        left[0].count("<") == 2 if is_harmless else left[0].startswith("TypeError: no element of this page")
    )
    assert left[1:] == ["TypeError: no element has an object as a child"] * 2


@pytest.mark.parametrize("values", LISTS, ids=map(str, LISTS))
def test_an_axis_holds_all_values_and_has_some_ticks(browser, values):
    code = "const reach = reachOf([arguments[0]], { round: 5 }); return [reach, ticksOf(reach)];"
    (low, high), ticks = in_module(browser, "plot", code, values)
    slack = 1e-9 * max(abs(low), abs(high))
    assert low < high
    assert all(low - slack <= value <= high + slack for value in values if value is not None)
    assert all(low - slack <= tick <= high + slack for tick in ticks)
    assert 2 <= len(ticks) <= 12
    assert all(one < other for one, other in itertools.pairwise(ticks))


def test_what_a_page_computes_at_once_are_the_answers_one_by_one(session):
    held = _Rankings(session, [*session.runs][:2], [*session.runs.values()]).bundle([*session.topics])
    assert held == Bundle.of(session, held.requests)


def test_bundled_answers_are_those_of_the_view(session, browser, tmp_path):
    requests = [("curves", {"depth": depth, "measures": "AP"}) for depth in (5, 6)]
    made = Bundle.of(session, requests)
    assert made == Bundle.of(session, requests)  # the same bytes
    assert json.loads(gzip.decompress(base64.b64decode(made.data))) == [
        answer(session, *request) for request in requests
    ]
    assert len(made.data) < made.size
    path = tmp_path / "page.html"
    path.write_text(
        saved_page(session, [Bundle.of(session, [("overview", {}), ("about", {})]), made], ["Much."]),
        encoding="utf-8",
    )
    for depth in (6, 5):
        browser.get("about:blank")
        browser.get(f"{path.as_uri()}#/curves?measures=AP&depth={depth}")
        browsing.wait_until_ready(browser)
        assert f"ranks 1 to {depth}" in browsing.find(browser, ".curves .hint")[0].text
    browser.get(f"{path.as_uri()}#/about")
    browsing.wait(browser, lambda b: "What this page leaves out\nMuch." in browsing.find(b, "main")[0].text)
    assert browsing.complaints(browser) == []
