"""Headless Chromium, for tests of pages."""

import json
import shutil

import pytest

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
FLAGS = ("headless", "no-sandbox", "disable-gpu", "disable-background-networking", "no-first-run")


def start(profile, *, width=1200, height=2400, flags=()):
    """A browser with an empty profile; the test is skipped where there is none."""
    pytest.importorskip("selenium", reason="selenium is not installed")
    if not (BROWSER and DRIVER):
        pytest.skip("no Chromium and ChromeDriver on this machine")
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    options = ChromeOptions()
    options.binary_location = BROWSER
    for flag in (*FLAGS, f"user-data-dir={profile}", f"window-size={width},{height}", *flags):
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return Chrome(options=options, service=Service(DRIVER))


def wait(browser, condition, seconds=60):
    """What `condition(browser)` returns, once it is true."""
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser, seconds, poll_frequency=0.05).until(condition)


def wait_until_ready(browser):
    """Wait until the page has shown what its address names."""
    wait(browser, lambda b: b.execute_script("return 'ready' in document.documentElement.dataset"))


def travel(browser, steps):
    """Go `steps` through the history, as its buttons do: -1 is back.

    By script, because the driver's own button skips entries that no person made; again if nothing came of
    it, because a browser on a busy machine forgets one now and then. What the page shows then is for the
    test to say.
    """
    from selenium.common.exceptions import TimeoutException

    before = browser.execute_script("return location.href")
    for _ in range(3):
        browser.execute_script("history.go(arguments[0])", steps)
        try:
            return wait(browser, lambda b: b.execute_script("return location.href") != before, 10)
        except TimeoutException:
            continue
    raise AssertionError(f"the history has no entry {steps} steps from {before}")


def find(browser, selector):
    """All elements that a CSS selector names."""
    from selenium.webdriver.common.by import By

    return browser.find_elements(By.CSS_SELECTOR, selector)


def find_in(element, selector):
    """All elements below another that a CSS selector names."""
    from selenium.webdriver.common.by import By

    return element.find_elements(By.CSS_SELECTOR, selector)


def complaints(browser):
    """What the console has, beside information, since the last look."""
    return [entry for entry in browser.get_log("browser") if entry["level"] != "INFO"]


def requests_of(browser):
    """The addresses that were requested since the last look."""
    sent = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    urls = [m["params"]["request"]["url"] for m in sent if m["method"] == "Network.requestWillBeSent"]
    return [url for url in urls if not url.startswith(("data:", "blob:", "chrome"))]
