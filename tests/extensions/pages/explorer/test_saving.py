"""What is saved of a view is what the library and the command line give."""

import base64
import shlex

import pytest

import browsing
import rankgauge
from extensions.pages.explorer.small import MADE
from rankgauge.campaigns.campaign import Campaign
from rankgauge.cli.main import main
from rankgauge.errors import OptionError
from rankgauge.extensions.pages.explorer import Session
from rankgauge.extensions.pages.explorer.page import page, page_file
from rankgauge.extensions.pages.explorer.views import PICTURES, VIEWS, Parameters, perform, save

BEGINNING = {"svg": b"<svg", "pdf": b"%PDF", "png": b"\x89PNG"}

SAVED = [name for name, view in VIEWS.items() if view.saved]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    directory = tmp_path_factory.mktemp("files with blanks")
    MADE.write(directory)
    return directory


@pytest.fixture(scope="module")
def session(files):
    qrels, runs = str(files / "qrels.txt"), sorted(map(str, (files / "runs").glob("*.run")))
    options = ["--missing", "skip"]
    named = dict(zip(["dense", "hybrid", "first"], [*runs[1:], runs[0]], strict=True))
    campaign = Campaign(qrels, named, missing="skip")
    return Session(campaign, "AP nDCG@10", options=options)


def text(session, view, address, form):
    return save(session, view, address, form)[1].decode()


@pytest.mark.parametrize(
    ("view", "form"), [*((view, "svg") for view in SAVED), ("overview", "pdf"), ("topics", "png")]
)
def test_figures(session, view, form):
    kind, content = save(session, view, {}, form)
    assert kind == PICTURES[form]
    assert content.lstrip().startswith(BEGINNING[form])


@pytest.mark.parametrize("view", SAVED)
def test_commands_run(session, view, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runs = list(session.runs)
    for address in ({}, {"run": runs[:1]}, {"run": runs[1:3]}, {"run": runs[:2], "baseline": runs[:1]}):
        command = shlex.split(text(session, view, address, "command"))
        assert command[0] == "rankgauge"
        assert main(command[1:]) == 0, command
        assert capsys.readouterr().out


def test_the_command_of_the_leaderboard_gives_its_numbers(session, capsys):
    for chosen in ({}, {"run": ["first"], "measures": ["RR P@5"]}):
        command = shlex.split(text(session, "overview", chosen, "command"))
        main([*command[1:], "--format", "csv"])
        assert capsys.readouterr().out == text(session, "overview", chosen, "csv")


def test_the_table_of_a_comparison_is_that_of_compare(session):
    runs = list(session.runs)
    address = {"run": runs, "baseline": [runs[0]], "test": ["wilcoxon"]}
    scores = session.campaign.scores("AP nDCG@10")
    expected = rankgauge.compare(scores, baseline=runs[0], test="wilcoxon").to_latex()
    assert text(session, "overview", address, "tex") == expected


def test_p_is_corrected_for_all_runs_as_on_the_page(session):
    runs = list(session.runs)
    some, every = ({"run": chosen, "baseline": [runs[0]]} for chosen in (runs[:2], runs))
    for form in ("tex", "command"):
        assert text(session, "overview", some, form) == text(session, "overview", every, form)


def test_values_that_depend_on_the_longest_list_are_those_of_all_runs():
    qrels = {topic: {f"d{i}": 1 for i in range(30)} for topic in ("1", "2")}
    short = {topic: ["n", "d1", "d2"] for topic in qrels}
    runs = {"short": short, "long": {topic: [f"n{i}" for i in range(100)] for topic in qrels}}
    measure = "Twist(domain=strict)"
    every = rankgauge.evaluate(qrels, runs, measure).only(runs=["short"])
    assert every.to_csv() != rankgauge.evaluate(qrels, {"short": short}, measure).to_csv()
    address = {"run": ["short"], "measures": [measure], "measure": [measure]}
    both = Session(Campaign(qrels, runs), "AP")
    assert text(both, "overview", address, "csv") == every.to_csv()
    assert text(both, "topics", address, "csv") == every.to_csv(topics=True)


def test_the_command_reads_all_runs_where_values_depend_on_the_longest_list(session):
    address = {"run": ["first"], "measures": ["Twist"]}
    assert "hybrid.run" in text(session, "overview", address, "command")
    assert "hybrid.run" not in text(session, "overview", {**address, "measures": ["AP"]}, "command")


def test_curves_leave_out_cutoffs_as_the_page_does(session):
    cut, uncut = ({"measures": [measure], "depth": ["20"]} for measure in ("nDCG@10", "nDCG"))
    for form in ("csv", "command"):
        assert text(session, "curves", cut, form) == text(session, "curves", uncut, form)


def test_the_figure_of_a_ranking_has_the_curve_of_its_measure(session):
    topic = next(iter(session.topics))
    address = {"measure": ["nDCG@10"], "run": list(session.runs), "topic": [topic]}
    picture = text(session, "ranking", address, "svg")
    assert "nDCG" in picture
    assert "DCG" not in picture.replace("nDCG", "")
    assert f"opic {topic}" in picture


def test_without_judgments_a_ranking_is_saved_as_a_command_that_compares_two_runs(files, capsys):
    runs = Session(Campaign.of_runs(str(files / "runs" / "*.run")))
    command = shlex.split(text(runs, "ranking", {"run": [*runs.runs][:2]}, "command"))
    assert main(command[1:]) == 0
    assert "overlap" in capsys.readouterr().out
    with pytest.raises(OptionError, match="two runs are compared, not 1; choose two"):
        save(runs, "ranking", {"run": [*runs.runs][:1]}, "command")
    with pytest.raises(OptionError, match="has no figure; save its command"):
        save(runs, "ranking", {"run": [*runs.runs][:2]}, "svg")


def test_runs_in_memory_have_no_command():
    both = Session(Campaign({"1": {"d": 1}}, {"a": {"1": ["d"]}}), "AP")
    with pytest.raises(OptionError, match="in memory"):
        save(both, "overview", {}, "command")


@pytest.mark.parametrize(
    ("view", "address", "form", "message"),
    [
        ("elsewhere", {}, "csv", "view"),
        ("overview", {}, "exe", "format"),
        ("overview", {"run": ["nobody"]}, "csv", "run"),
        ("ranking", {}, "csv", "has no table"),
        *(
            ("curves", {"depth": [depth]}, "csv", "depth is a whole number from 1 to 1000")
            for depth in ("ten", "0", "-1", "1.5", "1001", "9" * 5000, "²", "-3", "1e3")
        ),
    ],
)
def test_wrong_requests(session, view, address, form, message):
    with pytest.raises(OptionError, match=message):
        save(session, view, address, form)


def test_the_page_is_saved_with_the_measures_and_the_baseline_that_were_chosen(session):
    baseline = list(session.runs)[1]
    file = page_file(session, Parameters({"measures": "RR P@5", "baseline": baseline}))
    held = page(session.chosen("RR P@5", baseline))
    assert base64.b64decode(file["content"]).decode() == held
    assert session.chosen(None, None).measures == session.measures
    assert session.chosen("RR", None).measures == ("RR",)
    assert '"baseline":"' + baseline in held
    with pytest.raises(OptionError, match="run"):
        page_file(session, Parameters({"baseline": "nobody"}))


def test_a_small_page_opens_at_what_was_shown(session, browser, tmp_path):
    topic, runs = list(session.topics)[-1], list(session.runs)[:2]
    asked = [
        {"view": "headline", "parameters": {"runs": runs}},
        {
            "view": "moves",
            "parameters": {"topic": topic, "depth": 100, "run": runs[1], "measure": "AP", "against": runs[0]},
        },
    ]
    address = f"#/ranking?topic={topic}&pair={runs[0]}&pair={runs[1]}&depth=100"
    given = {"address": address, "topic": topic, "runs": runs, "requests": asked}
    file = perform(session, "page-state", given)
    content = base64.b64decode(file["content"])
    assert len(content) <= 1_000_000
    assert str(tmp_path).encode() not in content
    (tmp_path / "view.html").write_bytes(content)
    browsing.new_tab(browser)
    browser.get((tmp_path / "view.html").as_uri())
    browsing.wait_until_ready(browser)
    assert [each.text for each in browsing.find(browser, ".column-head h3")] == runs
    assert topic in browser.execute_script("return document.querySelector('h2.unseen').textContent")
    assert browsing.find(browser, ".reasons .reason")
    with pytest.raises(OptionError, match="view is missing"):
        perform(session, "page-state", {**given, "requests": [{}]})
