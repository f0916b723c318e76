"""Lines that can be pointed at, in a browser."""

import shutil

import pytest

import rankgauge
from figures.samples import many_runs
from rankgauge import figures
from rankgauge.figures.specs import MANY, with_hover

BROWSER, DRIVER = shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")


def test_of_many_points_some_can_be_pointed_at():
    more = {f"x{i}": -float(i) for i in range(300)}
    runs = {run: {"q": more | own["q"]} for run, own in many_runs(40).items()}
    figure = figures.curve(rankgauge.curves({"q": {"d1": 1}}, runs, "P R", depth=300))
    layers = [plot["layer"][-1] for plot in with_hover(figure.spec)["concat"]]
    (every,) = {layer["transform"][1]["filter"] for layer in layers}
    step = int(every.split()[2])
    rows = sum(len(figure.spec["datasets"][layer["data"]["name"]]) for layer in layers)
    assert MANY / 2 < rows / step <= MANY


@pytest.mark.skipif(not (BROWSER and DRIVER), reason="no Chromium and ChromeDriver on this machine")
def test_a_run_in_grey_says_its_name_at_the_pointer(tmp_path):
    pytest.importorskip("selenium", reason="selenium is not installed")
    from selenium.webdriver import ActionChains, Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait

    result = rankgauge.curves({"q": {"d1": 1}}, many_runs(15), "RR", depth=50)
    figures.curve(result, ideal=False).save(tmp_path / "figure.html")
    options = ChromeOptions()
    options.binary_location = BROWSER
    for flag in ("headless", "no-sandbox", "disable-gpu", "disable-background-networking", "no-first-run"):
        options.add_argument(f"--{flag}")
    options.add_argument(f"--user-data-dir={tmp_path / 'profile'}")
    with Chrome(options=options, service=Service(DRIVER)) as browser:
        browser.get((tmp_path / "figure.html").as_uri())
        find = WebDriverWait(browser, 60).until
        cells = find(lambda b: b.find_elements(By.CSS_SELECTOR, "#figure svg path[fill='transparent']"))
        seen = set()
        for cell in cells[:: len(cells) // 30]:
            ActionChains(browser).move_to_element(cell).perform()
            shown = browser.find_elements(By.CSS_SELECTOR, "#vg-tooltip-element.visible")
            if shown:
                lines = dict(row.text.split(maxsplit=1) for row in shown[0].find_elements(By.TAG_NAME, "tr"))
                assert lines.keys() == {"run", "rank", "RR"}
                value = result.mean()[lines["run"]]["RR"][int(lines["rank"]) - 1]
                assert lines["RR"] == f"{value:.4f}"
                seen.add(lines["run"])
        assert seen - {"r0", "r1", "r2"}  # which are in colour
