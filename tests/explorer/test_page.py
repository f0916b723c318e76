"""The page: modules that can be joined, and a saved page."""

import base64
import gzip
import json
import re
from collections import Counter
from importlib import resources

import browsing
from rankgauge.explorer.page import SCRIPTS, STYLES, Bundle, saved_page
from rankgauge.explorer.views import answer

ASSETS = resources.files("rankgauge.explorer") / "assets"


def modules():
    return {name: (ASSETS / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS}


def test_every_script_is_part_of_the_page():
    assert {entry.name for entry in ASSETS.iterdir() if entry.name.endswith(".js")} == {
        f"{n}.js" for n in SCRIPTS
    }


def test_names_at_the_top_level_are_unique():
    declared = re.compile(
        r"^(?:export )?(?:async )?(?:function\*?|const|let|class) (?:(\w+)|[\[{]([^=]*)[\]}])", re.M
    )
    names = Counter()
    for text in modules().values():
        for one, several in declared.findall(text):
            names.update([one] if one else re.findall(r"\w+", several))
    assert [name for name, count in names.items() if count > 1] == []


def test_imports_and_exports_can_be_left_out():
    for name, text in modules().items():
        for line in text.splitlines():
            if line.startswith("import"):
                found = re.fullmatch(r'import \{ ([\w, ]+) \} from "\./([\w-]+)\.js";', line)
                assert found, line
                source = modules()[found[2]]
                assert SCRIPTS.index(found[2]) < SCRIPTS.index(name)
                for imported in found[1].split(", "):
                    assert re.search(
                        rf"^export (?:async )?(?:function\*?|const|let|class) {imported}\b", source, re.M
                    )
            assert not line.startswith("export {")
            assert not line.startswith("export default")


def test_a_saved_page_opens_without_a_server(session, browser, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(saved_page(session, [("overview", {})]), encoding="utf-8")
    browser.get(path.as_uri())
    browsing.wait_until_ready(browser)
    assert len(browsing.find(browser, "tbody tr")) == 3
    assert browsing.complaints(browser) == []


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
        saved_page(session, [("overview", {}), ("about", {})], [made], ["Much."]), encoding="utf-8"
    )
    for depth in (6, 5):
        browser.get("about:blank")
        browser.get(f"{path.as_uri()}#/curves?measures=AP&depth={depth}")
        browsing.wait_until_ready(browser)
        assert f"ranks 1 to {depth}" in browsing.find(browser, ".curves .hint")[0].text
    browser.get(f"{path.as_uri()}#/about")
    browsing.wait(browser, lambda b: "What this page leaves out\nMuch." in browsing.find(b, "main")[0].text)
    assert browsing.complaints(browser) == []


def test_styles_of_a_view_hold_for_it_alone():
    shown = {view for views in STYLES.values() for view in views}
    assert shown <= {
        view for text in modules().values() for view in re.findall(r'VIEWS\.set\("([\w-]+)"', text)
    }
    assert {f"{name}.css" for name in STYLES} == {e.name for e in ASSETS.iterdir() if e.name.endswith(".css")}
    for name, views in STYLES.items():
        text = (ASSETS / f"{name}.css").read_text(encoding="utf-8")
        assert text.count("{") == text.count("}")
        assert not views or ":root" not in text  # variables are those of the whole page


def test_a_view_does_not_see_the_styles_of_others(opened):
    """A better run is not blue and bold on the leaderboard, as a better value is in What if."""
    cell = browsing.find(opened, "td.better")[0]
    plain = browsing.find(opened, "td.mean:not(.better, .best)")[0]
    assert cell.value_of_css_property("color") == plain.value_of_css_property("color")
