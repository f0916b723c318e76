"""Going to addresses of the explorer in a browser, and running its scripts there."""

import re
from contextlib import contextmanager

import pytest

import browsing
from rankgauge.extensions.pages.explorer.page import scripts


def in_module(browser, name, code, *arguments):
    """What code returns that uses the functions of one of the page's scripts, without those it imports."""
    [text] = [texts[name] for texts in scripts().values() if name in texts]
    script = re.sub(r"^import .*$|^export ", "", text, flags=re.M)
    return browser.execute_script(script + code, *arguments)


@contextmanager
def served(session):
    """The address that opens the explorer of a session."""
    pytest.importorskip("uvicorn")
    from rankgauge.extensions.pages.explorer.exploration import Explorer

    with Explorer(session) as explorer:
        yield explorer.address


@contextmanager
def opened(browser, address):
    """A browser that has opened a page: nothing of it may run, complain, or be requested from elsewhere."""
    browsing.new_tab(browser)
    browsing.complaints(browser), browsing.requests_of(browser)  # those of other tests
    browser.get(address)
    browsing.wait_until_ready(browser)
    yield browser
    assert browser.execute_script("return window.hacked") is None
    assert browsing.complaints(browser) == []
    origin = address.partition("/?")[0]
    assert [url for url in browsing.requests_of(browser) if not url.startswith((origin, "about:blank"))] == []


def visit(browser, fragment):
    """Go to an address of the page that is open, such as /ranking?topic=1."""
    browser.execute_script(
        "delete document.documentElement.dataset.ready;"
        "if (location.hash === arguments[0]) dispatchEvent(new Event('hashchange'));"
        "else location.hash = arguments[0];",
        f"#{fragment}",
    )
    browsing.wait_until_ready(browser)


def one(browser, selector):
    """The element that a CSS selector names."""
    [element] = browsing.find(browser, selector)
    return element


def texts(browser, selector):
    """The texts of elements, as they are in the document."""
    return browser.execute_script(
        "return [...document.querySelectorAll(arguments[0])].map((each) => each.textContent)", selector
    )


def values_of(browser, selector, name):
    """The data of elements under a name."""
    return browser.execute_script(
        "return [...document.querySelectorAll(arguments[0])].map((each) => each.dataset[arguments[1]])",
        selector,
        name,
    )


def press(browser, *keys):
    """Press keys, held down together, wherever the focus is."""
    actions = browsing.ActionChains(browser)
    for key in keys[:-1]:
        actions.key_down(key)
    actions.send_keys(keys[-1])
    for key in keys[:-1]:
        actions.key_up(key)
    actions.perform()
