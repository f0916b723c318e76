"""Measures by rank, and what is known about the numbers."""

import pytest

import browsing
import rankgauge
from browsing import ActionChains, Keys
from extensions.pages.explorer.small import QRELS, RUNS
from extensions.pages.explorer.visiting import visit
from rankgauge.campaigns.campaign import Campaign
from rankgauge.errors import MeasureError, OptionError
from rankgauge.extensions.pages.explorer import Session
from rankgauge.extensions.pages.explorer.views import answer
from rankgauge.model.output.documents import Section
from rankgauge.model.output.tables import Table


def test_curves_are_the_means_of_the_library(session):
    result = answer(session, "curves", {"measures": "nDCG P", "depth": 30})
    curves = rankgauge.curves(QRELS, RUNS, "nDCG P", depth=30)
    means, ideal = curves.mean(), curves.mean_ideal()
    assert result["ranks"] == [*range(1, 31)]
    for place, measure in enumerate(["nDCG", "P"]):
        assert result["measures"][place]["text"] == measure
        assert result["ideal"][place] == pytest.approx(ideal[measure], rel=1e-4)
        for name, values in zip(result["runs"], result["values"][place], strict=True):
            assert values == pytest.approx(means[session.runs[name]][measure], rel=1e-4)


def test_curves_are_the_same_however_many_runs_are_read_at_once(session, monkeypatch):
    whole = answer(session, "curves", {})
    monkeypatch.setattr("rankgauge.extensions.pages.explorer.views.curves.CELLS", 1)
    assert answer(session, "curves", {}) == whole


def test_the_first_curves_are_the_chosen_measures_without_their_cutoffs(session):
    assert [m["text"] for m in answer(session, "curves", {})["measures"]] == ["AP", "nDCG", "RR"]
    other = Session(Campaign(QRELS, RUNS), "nDCG@10 nDCG@20 Twist", curves="P R", depth=7)
    result = answer(other, "curves", {})
    assert ([m["text"] for m in result["measures"]], result["depth"]) == (["P", "R"], 7)


def test_curves_that_do_not_exist_are_refused(session):
    with pytest.raises(OptionError, match="depth is a whole number from 1 to 1000"):
        answer(session, "curves", {"depth": 0})
    with pytest.raises(MeasureError, match="Twist"):
        answer(session, "curves", {"measures": "Twist"})
    result = answer(session, "curves", {"measures": "nDCG@10 Twist nDCG@20"})
    assert [measure["text"] for measure in result["measures"]] == ["nDCG"]


def test_many_runs_are_sent_at_fewer_ranks():
    runs = {f"r{number}": RUNS["bm25"] for number in range(200)}
    result = answer(Session(Campaign(QRELS, runs), "AP"), "curves", {"measures": "AP nDCG", "depth": 1000})
    assert len(result["ranks"]) < 200
    assert (result["ranks"][0], result["ranks"][-1]) == (1, 1000)


def picked(browser):
    return [chip.text for chip in browsing.find(browser, "[aria-label='Picked runs'] .chip span")]


def test_runs_are_picked_by_search_by_a_click_and_by_keys(opened):
    visit(opened, "/curves?run=bm25")
    assert picked(opened) == ["bm25"]
    assert len(browsing.find(opened, ".curve-lines svg.plot .ideal")) == 3
    browsing.find(opened, "[data-key='Pick a run']")[0].send_keys("dense", Keys.ENTER)
    browsing.wait(opened, lambda b: picked(b) == ["bm25", "dense"])
    assert "pair=bm25&pair=dense" in opened.current_url
    browsing.reload(opened)
    assert picked(opened) == ["bm25", "dense"]
    drawing = browsing.find(opened, ".curve-lines .chart")[0]
    ActionChains(opened).move_to_element(drawing).perform()
    (tip,) = browsing.wait(opened, lambda b: [t for t in browsing.find(b, "#tip") if t.is_displayed()])
    name = tip.text.splitlines()[0]
    assert name in RUNS
    assert "AP 0." in tip.text
    before = set(picked(opened))
    ActionChains(opened).click(drawing).perform()
    browsing.wait(opened, lambda b: set(picked(b)) == before ^ {name})
    chart = browsing.find(opened, ".curve-lines")[0]
    chart.send_keys(Keys.ARROW_RIGHT)
    chart.send_keys(Keys.ARROW_UP * 3)
    status = browsing.find(opened, ".curves span[role=status]")[0]
    curves = rankgauge.curves(QRELS, RUNS, "AP").mean()
    spoken = status.get_attribute("textContent")
    run, rank = spoken.split(":")[0], int(spoken.split("at rank ")[1].split(";")[0])
    best = max(RUNS, key=lambda each: curves[each]["AP"][rank - 1])
    assert (run, "1 from the top of 3" in spoken) == (best, True)
    before = set(picked(opened))
    chart.send_keys(Keys.ENTER)
    browsing.wait(opened, lambda b: set(picked(b)) == before ^ {run})


def test_measures_are_chosen_by_their_text(opened):
    visit(opened, "/curves?measures=P+DCG&depth=20")
    captions = [each.text for each in browsing.find(opened, ".curve-charts figcaption")]
    assert captions == ["P", "DCG"]
    assert "ranks 1 to 20" in browsing.find(opened, ".hint")[0].text
    visit(opened, "/curves?measures=nDGC")
    assert "nDCG" in browsing.find(opened, "[role=alert]")[0].text
    opened.get_log("browser")  # the refused request


def test_what_is_known_about_the_numbers(session):
    result = answer(session, "about", {})
    scores = session.campaign.scores("AP nDCG@10 RR")
    assert [f"{note}." for note in scores.notes[: len(result["notes"])]] == result["notes"]
    items = {name: value for group in result["provenance"] for name, value in group["items"]}
    assert items["AP"].startswith("Average precision: AP")
    assert items["judged topics"] == "14"
    assert items["ties"] == "docid_desc"
    assert items["judged documents"] == f"{sum(map(len, QRELS.values())):,}"


def test_findings_are_shown_with_their_tables():
    section = Section(
        "Found", ("A sentence.",), Table(("run", "AP"), [("a\x1b", 0.5), ("b", None)], {(0, 1)})
    )
    found = answer(Session(Campaign(QRELS, RUNS), "AP", findings=(section,)), "about", {})["findings"]
    assert found == [
        {
            "title": "Found",
            "sentences": ["A sentence."],
            "table": {
                "headers": ["run", "AP"],
                "rows": [[["a\\x1b", "a\\x1b"], ["0.5000", 0.5]], [["b", "b"], ["", None]]],
                "best": [[0, 1]],
            },
        }
    ]


def test_the_page_says_what_is_known(opened):
    visit(opened, "/about")
    text = browsing.find(opened, ".about")[0].text
    assert "Average precision" in text
    assert "What this page leaves out" not in text
