"""The documentation site that `make site` has built, in the folder $RANKGAUGE_SITE."""

import importlib.util
import os
import threading
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest

import browsing

SITE = Path(os.environ.get("RANKGAUGE_SITE", "."))
pytestmark = pytest.mark.skipif("RANKGAUGE_SITE" not in os.environ, reason="no folder of a site is named")
KINDS = (  # a page of each kind
    "index.html",
    "how-to/ties.html",
    "reference/measures/alpha_ndcg.html",
    "reference/figures.html",
    "reference/options.html",
    "try/index.html",
)
OTHERS = ("explorer/", "try/")  # pages of their own, with tests of their own
LOADS = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}


class Page(HTMLParser):
    """The links, loaded files and anchors of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.anchors.add(value)
            elif (tag, name) in LOADS:
                self.loads.append(value)
            elif (tag, name) == ("a", "href"):
                self.links.append(value)


@pytest.fixture(scope="module")
def site():
    """{name: page} of the site."""
    names = [path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html")]
    return {name: Page(SITE / name) for name in names if name != "404.html" and not name.startswith(OTHERS)}


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """A browser, and the address at which the site is served."""
    handler = partial(SimpleHTTPRequestHandler, directory=SITE)
    handler.log_message = lambda *_: None
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = browsing.start(tmp_path_factory.mktemp("profile"))
        browser.site = f"http://127.0.0.1:{server.server_port}/"
        yield browser
        browser.quit()
        server.shutdown()


def test_links_lead_somewhere_and_to_every_page_and_nothing_is_loaded_from_elsewhere(site):
    reached = {"index.html"}
    for name, page in site.items():
        for link in (*page.links, *page.loads):
            address = urlsplit(link)
            if address.scheme or address.netloc:
                assert link not in page.loads or address.scheme == "data", (name, link)
                continue
            target = unquote(urljoin(name, address.path)) if address.path else name
            assert (SITE / target).is_file(), (name, link)
            if target in site:
                reached.add(target)
                assert not address.fragment or unquote(address.fragment) in site[target].anchors, (name, link)
    assert reached == site.keys()


def test_every_measure_has_a_formula_and_a_picture(site):
    pages = [SITE / name for name in site if name.startswith("reference/measures/")]
    assert len(pages) > 100
    assert all("<math " in page.read_text("utf-8") for page in pages)
    assert all(page.with_suffix(".svg").stat().st_size < 50_000 for page in pages)


def test_the_site_is_small():
    assert sum(path.stat().st_size for path in SITE.rglob("*") if path.is_file()) < 30e6


def test_the_search_finds_a_measure_and_the_site_requests_nothing_from_elsewhere(browser):
    browser.get(browser.site)
    browsing.requests_of(browser)
    (button,) = browsing.find(browser, ".md-search__button")
    button.click()
    browser.switch_to.active_element.send_keys("alpha-nDCG")
    found = (
        "return [...document.body.children].flatMap(({ shadowRoot }) =>"
        "[...(shadowRoot?.querySelectorAll('a') ?? [])].map(link => link.href))"
    )
    page = f"{browser.site}reference/measures/alpha_ndcg.html"
    browsing.wait(browser, lambda b: page in b.execute_script(found))
    assert [url for url in browsing.requests_of(browser) if not url.startswith(browser.site)] == []
    assert browsing.complaints(browser) == []


def checked(site):
    """The pages to open: one of each kind; with `make thorough`, all."""
    names = (*site, "try/index.html") if "RANKGAUGE_THOROUGH" in os.environ else KINDS
    return [name for name in names if (SITE / name).is_file()]  # without npm there is no page to try


def test_pages_are_not_wider_than_a_phone(browser, site):
    with browsing.sized(browser, 390):
        for name in checked(site):
            browser.get(browser.site + name)
            assert browsing.overflow(browser) <= 0, name


def test_pages_are_accessible(browser, site):
    spec = importlib.util.find_spec("axe_playwright_python")
    if spec is None:
        pytest.skip("axe is not installed")
    axe = (Path(spec.origin).parent / "axe.min.js").read_text("utf-8")
    browser.set_script_timeout(120)
    for name in checked(site):
        # All rules in light mode; in dark mode the one that depends on it, around the content once.
        whole = {"rules": {}, "where": "html"}
        contrast = {"rules": {"runOnly": ["color-contrast"]}, "where": "html" if name == KINDS[0] else "main"}
        for dark, run in ((False, whole), (True, contrast)):
            with browsing.sized(browser, 1400, dark=dark):
                browser.get(browser.site + name)
                scheme = browser.execute_script("return document.body.dataset.mdColorScheme ?? null")
                assert scheme in ("slate" if dark else "default", None)  # the page to try has its own style
                browser.execute_script(axe)
                found = browser.execute_async_script(
                    "const { where, rules } = arguments[0];"
                    "axe.run(where, { resultTypes: ['violations'], ...rules }).then(({ violations }) =>"
                    "arguments[1](violations.map(({ id, nodes }) =>"
                    "[id, nodes.map(({ html }) => html.slice(0, 200))])))",
                    run,
                )
            assert found == [], (name, dark)
