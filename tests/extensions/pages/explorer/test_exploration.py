"""The explorer from Python: a notebook's cell, a file, a server in the background."""

import html
import re

import pytest

import browsing
import rankgauge
from extensions.pages.explorer.small import QRELS, RUNS
from extensions.pages.explorer.visiting import opened
from rankgauge.campaigns.campaign import Campaign
from rankgauge.cli.main import main
from rankgauge.extensions.pages.explorer import Session
from rankgauge.model.qrels import Qrels
from rankgauge.model.run import Run


@pytest.fixture(scope="module")
def scores():
    return rankgauge.evaluate(QRELS, RUNS, "AP nDCG@10")


def titles(browser):
    return [link.text for link in browsing.find(browser, "nav a")]


def show_all(browser, expected):
    """Go through all views by their links."""
    browsing.wait_until_ready(browser)
    assert titles(browser) == expected
    for link in browsing.find(browser, "nav a"):
        link.click()
        browsing.wait(browser, lambda b, title=link.text: browsing.find(b, "[aria-current]")[0].text == title)
        browsing.wait_until_ready(browser)
        assert not browsing.find(browser, "[role=alert]")


def test_scores_alone_have_a_leaderboard_and_topics(scores, browser, tmp_path):
    path = tmp_path / "page.html"
    rankgauge.explore(scores, title="Only scores").save(path)
    with opened(browser, path.as_uri()):
        show_all(browser, ["Overview", "Topics", "About"])


def test_a_notebook_shows_the_page_in_a_frame(browser, tmp_path):
    cell = rankgauge.explore(QRELS, RUNS, "AP nDCG@10")._repr_html_()
    assert 'sandbox="allow-scripts allow-downloads"' in cell
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><title>A notebook</title>{cell}", encoding="utf-8")
    browsing.complaints(browser)
    browser.get(path.as_uri())
    browser.switch_to.frame(0)
    try:
        show_all(browser, ["Overview", "Topics", "Curves", "Ranking", "Effort and gain", "About"])
        browsing.find(browser, "nav a")[3].click()
        browsing.wait(browser, lambda b: browsing.find(b, "[aria-label='Next topic']"))[0].click()
        browsing.wait_until_ready(browser)
    finally:
        browser.switch_to.default_content()
    assert browser.current_url == path.as_uri()
    assert browsing.complaints(browser) == []


def test_the_frame_holds_the_page(scores):
    exploration = rankgauge.explore(scores)
    (held,) = re.findall(r'srcdoc="([^"]*)"', exploration._repr_html_())
    assert html.unescape(held) == exploration.html()


def test_means_alone_are_shown_without_topics():
    exploration = rankgauge.explore(Campaign.of_means({"a": {"AP": 0.25}, "b": {"AP": 0.2}}))
    assert exploration.session.title == "2 runs"
    assert '"views":["overview","judge","about"]' in exploration.html()


def test_a_saved_page_leaves_the_session_as_it_is():
    exploration = rankgauge.explore(QRELS, RUNS, "AP")
    before = exploration.session.ranking_depth
    exploration.html()
    assert exploration.session.ranking_depth == before


def test_a_server_in_the_background(scores):
    httpx = pytest.importorskip("httpx")
    pytest.importorskip("uvicorn")
    with rankgauge.explore(scores).start() as explorer:  # which has started before
        assert httpx.get(explorer.address, follow_redirects=True).status_code == 200
    with pytest.raises(httpx.ConnectError):
        httpx.get(explorer.address)


def test_measures_by_subtopic_read_judgments_by_subtopic():
    made = rankgauge.simulate(topics=5, depth=20, systems=2, subtopics=3, seed=3)
    runs = {name: made.run_dict(name) for name in made.systems}
    exploration = rankgauge.explore(made.subtopics_dict(), runs, "alpha_nDCG@5 nDCG@5")
    assert exploration.session.measures == ("alpha_nDCG@5", "nDCG@5")
    assert exploration.html()


def test_what_it_is_made_of(scores):
    assert "serve()" in repr(rankgauge.explore(scores))
    with pytest.raises(rankgauge.errors.RankgaugeError, match="baseline"):
        rankgauge.explore(scores, baseline="nobody")


def test_labels_and_texts_of_other_data_are_noticed():
    labels = {"bm25": "BM25", "AP": "Average", "ERR@20": "ERR", "nobody": "Somebody"}
    some = next(iter(QRELS.values()))
    known = Session(Campaign(QRELS, RUNS), "AP", labels=labels, documents={next(iter(some)): "text"})
    assert known.unmatched(any_measure=True) == [
        'no run, measure or topic named "nobody"; the label is not used'
    ]
    assert known.unmatched() == [
        'no run, measure or topic named "ERR@20", "nobody"; these labels are not used'
    ]
    other = Session(Campaign(QRELS, RUNS), "AP", documents={"elsewhere": "text"}, topics={"none": "query"})
    assert [sentence.partition(" has ")[2].partition(",")[0] for sentence in other.unmatched()] == [
        "a text for no topic of the judgments",
        "a text for no document of the judgments",
    ]


@pytest.mark.parametrize("command", ["report", "campaign"])
def test_commands_note_labels_of_nothing(tmp_path, capsys, command):
    (tmp_path / "runs").mkdir()
    Qrels.from_dict(QRELS).write(tmp_path / "qrels.txt")
    Run.from_dict(RUNS["bm25"], "bm25").write(tmp_path / "runs" / "bm25.run")
    (tmp_path / "labels.json").write_text('{"nobody": "Somebody"}')
    files = [str(tmp_path / "qrels.txt"), str(tmp_path / "runs" / "bm25.run"), "--format", "md"]
    given = files if command == "report" else [str(tmp_path)]
    main([command, *given, "-m", "AP", "--labels", str(tmp_path / "labels.json")])
    assert 'no run, measure or topic named "nobody"' in capsys.readouterr().err
