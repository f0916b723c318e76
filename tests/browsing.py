"""Headless Chromium, for tests of pages."""

import json
import shutil
from contextlib import contextmanager

import pytest

try:
    from selenium.common.exceptions import TimeoutException
    from selenium.webdriver import ActionChains, Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import Select, WebDriverWait
except ImportError:  # then `start` skips
    ActionChains = Chrome = Keys = Select = None

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
FLAGS = ("headless", "no-sandbox", "disable-gpu", "disable-background-networking", "no-first-run")


def start(profile, *, width=1400, height=1200, flags=()):
    """A browser with an empty profile; the test is skipped where there is none."""
    if not (Chrome and BROWSER and DRIVER):
        pytest.skip("no selenium, Chromium and ChromeDriver on this machine")
    options = ChromeOptions()
    options.binary_location = BROWSER
    for flag in (*FLAGS, f"user-data-dir={profile}", f"window-size={width},{height}", *flags):
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return Chrome(options=options, service=Service(DRIVER))


def wait(browser, condition, seconds=60):
    """What `condition(browser)` returns, once it is true."""
    try:
        return WebDriverWait(browser, seconds, poll_frequency=0.05).until(condition)
    except TimeoutException as error:
        where, text = browser.execute_script("return [location.href, document.body?.innerText.slice(0, 999)]")
        raise TimeoutException(f"after {seconds} s the page at {where} was {text}") from error


def wait_until_ready(browser):
    """Wait until the page has shown what its address names."""
    wait(browser, lambda b: b.execute_script("return 'ready' in document.documentElement.dataset"))


def reload(browser):
    """Load the page again, and wait until it is shown."""
    browser.refresh()
    wait_until_ready(browser)


def new_tab(browser):
    """An empty tab in place of the current one.

    Its history has room: that of a tab holds 50 entries, and the browser loses its place in a full one.
    """
    before = browser.current_window_handle
    browser.switch_to.new_window("tab")
    after = browser.current_window_handle
    browser.switch_to.window(before)
    browser.close()
    browser.switch_to.window(after)


def travel(browser, steps):
    """Go `steps` through the history, as its buttons do: -1 is back.

    By script, because the driver's own button skips entries that no person made.
    """
    before = browser.execute_script("return location.href")
    browser.execute_script("history.go(arguments[0])", steps)
    wait(browser, lambda b: b.execute_script("return location.href") != before)


def find(browser, selector):
    """All elements that a CSS selector names, in the page or below another."""
    return browser.find_elements(By.CSS_SELECTOR, selector)


@contextmanager
def sized(browser, width, *, dark=False):
    """The browser with a window of this width, light or dark."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    yield
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def overflow(browser):
    """By how many pixels the page is wider than its window."""
    return browser.execute_script("return document.documentElement.scrollWidth - innerWidth")


def complaints(browser):
    """What the console has, beside information, since the last look."""
    return [entry for entry in browser.get_log("browser") if entry["level"] != "INFO"]


def requests_of(browser):
    """The addresses that were requested since the last look."""
    sent = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    urls = [m["params"]["request"]["url"] for m in sent if m["method"] == "Network.requestWillBeSent"]
    return [url for url in urls if not url.startswith(("data:", "blob:", "chrome"))]
