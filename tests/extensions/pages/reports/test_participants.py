"""The pages that organisers hand out."""

import re
import statistics
from pathlib import Path

import pytest

import browsing
import rankgauge
from extensions.pages.explorer import small
from rankgauge.campaigns.campaign import Campaign
from rankgauge.extensions.pages.explorer import Session
from rankgauge.extensions.pages.reports import report
from rankgauge.extensions.pages.reports.participants import Board, file_names, write_participants
from rankgauge.numbers.matrices import place_intervals

TAG = re.compile(r"<[^>]+>")


def cells(page, title):
    """The rows of the table after a heading, as texts."""
    table = page.split(f">{title}</", 1)[1].split("<tbody>", 1)[1].split("</tbody>", 1)[0]
    return [
        [TAG.sub("", cell) for cell in re.findall(r"<td.*?</td>", row)] for row in table.split("</tr>")[:-1]
    ]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    paths = small.ordinary().participants(tmp_path_factory.mktemp("pages") / "new" / "folder")
    return {Path(path).name: Path(path).read_text(encoding="utf-8") for path in paths}


def test_every_run_has_a_page_that_names_no_other(pages):
    assert set(pages) == {"index.html", *(f"run-{run}.html" for run in small.RUNS)}
    for run in small.RUNS:
        assert f"<h1>{run}</h1>" in pages[f"run-{run}.html"]
        assert not any(other in pages[f"run-{run}.html"] for other in small.RUNS if other != run)


def test_topics_are_beside_the_median_and_the_best(pages):
    values = rankgauge.evaluate(small.QRELS, small.RUNS, "AP nDCG@10 RR").to_dict()
    for run in small.RUNS:
        for measure in ("AP", "nDCG@10", "RR"):
            rows = cells(pages[f"run-{run}.html"], f"{measure} by topic")
            expected, differences = {}, []
            for topic in small.QRELS:
                all_runs = [by[measure][topic] for by in values.values()]
                own, median = values[run][measure][topic], statistics.median(all_runs)
                expected[topic] = [f"{each:.4f}" for each in (own, median, max(all_runs))]
            assert {row[0]: row[3:6] for row in rows} == expected
            differences = [float(row[2].replace("−", "-")) for row in rows]
            assert differences == sorted(differences)


def test_places_have_their_intervals(pages):
    scores = rankgauge.evaluate(small.QRELS, small.RUNS, "AP nDCG@10 RR")
    place, low, high = (each[0].tolist() for each in place_intervals(scores["AP"]))
    means = scores.mean()
    rows = cells(pages["index.html"], "Runs")
    order = sorted(small.RUNS, key=lambda run: -means[run]["AP"])
    assert [row[1] for row in rows] == order
    for row in rows:
        at = scores.runs.index(row[1])
        interval = f"{low[at]} to {high[at]}" if low[at] < high[at] else str(low[at])
        assert (row[0], row[-1]) == (str(place[at]), interval)
        assert row[2:-1] == [f"{mean:.4f}" for mean in means[row[1]].values()]
        own = cells(pages[f"run-{row[1]}.html"], "Means")[0]
        assert own[:2] + own[4:6] == ["AP", f"{means[row[1]]['AP']:.4f}", row[0], interval]
        assert f"Place {place[at]} of 3 runs by AP" in pages[f"run-{row[1]}.html"]


def test_the_problems_of_a_file_are_on_its_page(tmp_path, invoke):
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n")
    (tmp_path / "one.run").write_text("1 Q0 a 1 2.0 t\n1 Q0 b 2 2.0 t\n3 Q0 a 1 1.0 t\n")
    (tmp_path / "two.run").write_text("1 Q0 a 1 2.0 t\n2 Q0 a 1 1.0 t\n")
    arguments = [str(tmp_path / name) for name in ("qrels.txt", "one.run", "two.run")]
    out = tmp_path / "out"
    assert (
        invoke("report", *arguments, "-m", "AP", "--participants", out, "--quiet").out
        == f"{out / 'index.html'}\n"
    )
    assert sorted(path.name for path in out.iterdir()) == ["index.html", "run-one.html", "run-two.html"]
    page = (out / "run-one.html").read_text()
    assert "remark: 1 judged topic without results" in page
    assert "remark: 1 topic without judgments" in page
    assert "2 results with tied scores, in 1 topic; if their order matters, give each result" in page
    assert str(tmp_path) not in page
    assert "no problems" in (out / "run-two.html").read_text()


def test_a_report_is_written_too_if_it_is_named(tmp_path, invoke, monkeypatch):
    small.MADE.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    command = ["report", "qrels.txt", "runs/*.run", "-m", "AP", "--quiet", "--participants", "out"]
    assert invoke(*command, "-o", "short.md").out.split() == ["out/index.html", "short.md"]
    assert not (tmp_path / "report.html").exists()
    (tmp_path / "file").write_text("")
    assert "cannot be made" in invoke(*command[:-1], "file/below", code=2).err


def test_measures_without_better_or_values_have_no_place(tmp_path):
    runs = {"a": {"q1": {"d1": 1.0}}, "b": {"q1": {"d1": 1.0}}}
    made = report({"q1": {"d1": 0}, "q2": {"d1": 1}}, runs, "AP NumRet", undefined="skip", missing="skip")
    page = Path(made.participants(tmp_path)[1]).read_text()
    assert cells(page, "Means") == [
        ["AP", "–", "–", "–", "–", "–", "–"],
        ["NumRet", "1.0000", "1.0000", "1.0000", "–", "–", "–"],
    ]


def test_names_of_files_are_plain_and_differ():
    names = file_names(["../../etc/passwd", "a", "A", "é", "è", "con", "", "x" * 500, "a.html", "\x00"])
    assert all(re.fullmatch(r"run-[A-Za-z0-9._-]{0,90}\.html", name) for name in names.values())
    assert len({name.lower() for name in names.values()}) == len(names)


def test_hostile_names_are_text(tmp_path, browser):
    browsing.complaints(browser), browsing.requests_of(browser)  # those of other tests
    for path in small.of_hostile_names().participants(tmp_path / "pages"):
        text = Path(path).read_text(encoding="utf-8")
        assert "<script" not in text
        assert "default-src 'none'; style-src" in text
        browser.get(Path(path).as_uri())
        assert browser.execute_script("return window.hacked") is None
        assert "window.hacked" in browser.find_element("tag name", "body").text
        assert browsing.complaints(browser) == []
    asked = browsing.requests_of(browser)
    assert all(url.startswith((tmp_path / "pages").as_uri()) for url in asked)
    browser.get((tmp_path / "pages" / "index.html").as_uri())
    assert len(browsing.find(browser, "td a")) == len(small.RUNS)
    for link in browsing.find(browser, "td a"):
        assert Path(link.get_attribute("href").removeprefix("file://")).exists()


@pytest.mark.parametrize("dark", [False, True])
def test_long_names_fit_a_phone_and_colours_follow_its_scheme(tmp_path, browser, dark):
    runs = {f"a_name_without_blanks_{'x' * 60}_{name}": run for name, run in small.RUNS.items()}
    pages = report(small.QRELS, runs, "AP nDCG@10").participants(tmp_path)
    with browsing.sized(browser, 390, dark=dark):
        for path in pages[:2]:
            browser.get(Path(path).as_uri())
            assert browsing.overflow(browser) <= 0
            assert all(each.size["width"] <= 390 for each in browsing.find(browser, "td"))
            paper = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
            assert (paper == "rgb(255, 255, 255)") is not dark


def test_runs_are_listed_by_the_places_that_they_have(tmp_path):
    # On t2 nothing of b is defined: its mean is over t1 alone, and so are the places.
    scores = {
        "a": {"RR": {"t1": 0.5, "t2": 1.0, "t3": 1.0}},
        "b": {"RR": {"t1": 0.75, "t3": 0.25}},
        "c": {"RR": {"t1": 0.25, "t2": 1.0, "t3": 0.5}},
    }
    session = Session(Campaign.of_scores(scores), "RR")
    index, *_ = write_participants(Board(session, {}), tmp_path)
    table = Path(index).read_text(encoding="utf-8").split("<tbody>", 1)[1].split("</tbody>", 1)[0]
    places = [TAG.sub("", re.search(r"<td.*?</td>", row).group()) for row in table.split("</tr>")[:-1]]
    assert places == sorted(places)


def test_pages_say_where_lower_is_better(tmp_path):
    paths = report(small.QRELS, small.RUNS, "AP FirstRank").participants(tmp_path)
    assert all("FirstRank: lower is better." in Path(path).read_text(encoding="utf-8") for path in paths)
