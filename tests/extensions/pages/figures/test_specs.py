"""Lines that can be pointed at, in a browser."""

import browsing
import rankgauge
from extensions.pages.figures.samples import many_runs
from rankgauge import figures
from rankgauge.extensions.pages.figures.specs import MANY, with_hover


def test_of_many_points_some_can_be_pointed_at():
    more = {f"x{i}": -float(i) for i in range(300)}
    runs = {run: {"q": more | own["q"]} for run, own in many_runs(40).items()}
    figure = figures.curve(rankgauge.curves({"q": {"d1": 1}}, runs, "P R", depth=300))
    layers = [plot["layer"][-1] for plot in with_hover(figure.spec)["concat"]]
    (every,) = {layer["transform"][1]["filter"] for layer in layers}
    step = int(every.split()[2])
    rows = sum(len(figure.spec["datasets"][layer["data"]["name"]]) for layer in layers)
    assert MANY / 2 < rows / step <= MANY


def test_a_run_in_grey_says_its_name_at_the_pointer(tmp_path, browser):
    result = rankgauge.curves({"q": {"d1": 1}}, many_runs(15), "RR", depth=10)
    figures.curve(result, ideal=False).save(tmp_path / "figure.html")
    browser.get((tmp_path / "figure.html").as_uri())
    cells = browsing.wait(browser, lambda b: browsing.find(b, "#figure svg path[fill='transparent']"))
    seen = set()
    for cell in cells[:: len(cells) // 10 + 1]:
        browsing.ActionChains(browser, duration=0).move_to_element(cell).perform()
        for shown in browsing.find(browser, "#vg-tooltip-element.visible"):
            run, rank, value = (row.split(maxsplit=1)[1] for row in shown.text.splitlines())
            assert value == f"{result.mean()[run]['RR'][int(rank) - 1]:.4f}"
            seen.add(run)
    assert seen - {*list(result.runs)[:7]}  # which are in colour
