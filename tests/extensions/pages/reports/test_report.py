"""What is in a report, against values computed elsewhere."""

import base64
import gzip
import json
import re
import sys

import pytest

import rankgauge
from extensions.pages.explorer import small
from rankgauge.cli.main import main
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.pages.explorer.page import saved_page
from rankgauge.extensions.pages.explorer.views import answer
from rankgauge.extensions.pages.explorer.views.headlines import summary_sentences
from rankgauge.extensions.pages.reports import MAX_CHARACTERS, PROFILES, report, shortened
from rankgauge.schema.json_text import to_json


def section(made, title):
    return next(each for each in made.document.sections if each.title == title)


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page).group(1))


def held(made):
    """[(view, parameters, answer)] that the page of a report holds."""
    data = data_of(made.html())
    found = [("session", {}, data["session"])]
    for bundle in data["bundles"]:
        answers = json.loads(gzip.decompress(base64.b64decode(bundle["data"])))
        found += [(*request, each) for request, each in zip(bundle["requests"], answers, strict=True)]
    return found


def answers(made, view, **parameters):
    """The answers of a view that the page of a report holds."""
    return [
        found for name, given, found in held(made) if name == view and parameters.items() <= given.items()
    ]


def test_runs_are_ordered_by_the_first_measure():
    means = rankgauge.evaluate(small.QRELS, small.RUNS, "AP nDCG@10 RR").mean()
    table = section(small.ordinary(), "Means").table
    assert table.headers == ("run", "AP", "nDCG@10", "RR")
    assert [row[0] for row in table.rows] == sorted(means, key=lambda run: -means[run]["AP"])
    assert all(dict(zip(table.headers[1:], row[1:], strict=True)) == means[row[0]] for row in table.rows)


def test_a_few_runs_are_compared_with_the_baseline_by_every_measure():
    measures = ("AP", "nDCG@10", "RR")
    expected = rankgauge.compare(rankgauge.evaluate(small.QRELS, small.RUNS, measures), baseline="bm25")
    by_title = {each.title: each for each in expected.document().sections}
    for measure in measures:
        result = section(small.ordinary(), f"Against bm25{'' if measure == 'AP' else f', by {measure}'}")
        shown = by_title[measure]
        assert result.table.headers == shown.table.headers
        assert sorted(result.table.rows) == sorted(shown.table.rows)  # in the words and digits of `compare`
        assert result.sentences[: len(shown.sentences)] == shown.sentences
        rows = {row[0]: [cell.value for cell in row[2:6]] for row in result.table.rows}
        for pair in expected[measure].pairs:
            assert rows[pair.run] == [pair.difference, pair.percent, pair.p, pair.corrected]
    legend = section(small.ordinary(), "Against bm25").sentences[-1]
    assert legend.startswith("w/t/l: topics won, tied and lost")


def test_every_topic_of_every_run_is_on_the_page_and_none_in_markdown():
    made = small.ordinary()
    values = rankgauge.evaluate(small.QRELS, small.RUNS, "AP nDCG@10 RR").to_dict()
    for measure in ("AP", "nDCG@10", "RR"):
        topics = next(iter(answers(made, "topics", measure=measure)))
        found = {
            (run, topic): value
            for topic, row in zip(topics["topics"], topics["values"], strict=True)
            for run, value in zip(topics["runs"], row, strict=True)
        }
        assert found == {(run, topic): v for run in values for topic, v in values[run][measure].items()}
    assert sum(topic in made.markdown() for topic in small.QRELS) < len(small.QRELS)
    (sentence,) = section(made, "Left out").sentences
    assert sentence.startswith(
        "The 42 values of topics by each measure, rankings and figures are in the HTML"
    )


def test_the_worst_topics_come_first():
    means = [row[1] for row in section(small.ordinary(), "Hardest topics").table.rows]
    assert means == sorted(means)


@pytest.mark.parametrize("made", [small.ordinary, small.of_hostile_names])
def test_the_page_is_whole_and_runs_its_own_script_alone(made):
    page = made().html()
    data_of(page)  # is JSON
    assert len(re.findall(r"<script", page)) == 2  # the data, and the page's own
    assert "default-src 'none'" in page
    assert "unsafe" not in re.search(r'Content-Security-Policy" content="([^"]*)"', page).group(1)
    outside = re.sub(r"<script.*?</script>|<style.*?</style>", "", page, flags=re.S)
    tags = re.findall(r"<[^>]*>", outside)
    assert not any(re.search(r"\bsrc\s*=|\bhref\s*=\s*\"(?!#)|\son\w+\s*=", tag) for tag in tags)
    assert not re.search(r"<(img|iframe|link|object|form)\b", outside)


def test_what_the_page_holds_is_what_the_explorer_answers():
    made = small.ordinary()
    found = held(made)
    assert len({json.dumps(each[:2]) for each in found}) == len(found)
    for view, parameters, result in found:
        expected = json.loads(to_json(answer(made.session, view, parameters)))
        if view == "session":  # whose rankings may be cut
            expected["ranking_depth"] = 50
        assert result == expected, (view, parameters)
    rankings = {(run, p["topic"]) for view, p, result in found if view == "ranking" for run in result["runs"]}
    assert rankings == {(run, topic) for run in small.RUNS for topic in small.QRELS}


TEXTS = {doc: f"A text about {doc}. " * 40 for docs in small.QRELS.values() for doc in docs}


def test_the_page_holds_titles_and_snippets_and_what_made_the_difference_of_a_pair():
    topic = min(small.QRELS)
    made = report(
        small.QRELS, small.RUNS, "AP RR", baseline="bm25", documents=TEXTS, topics={topic: "about what?"}
    )
    ranking = answers(made, "ranking", topic=topic)[0]
    snippets = dict(zip(ranking["documents"]["ids"], ranking["documents"]["snippets"], strict=True))
    assert ranking["query"] == "about what?"
    for document, snippet in snippets.items():
        if document in TEXTS:
            assert snippet[:2] == ["A text ", "about"]
            assert len("".join(snippet)) < len(TEXTS[document])
        else:
            assert snippet is None
    pair = {"run": "hybrid", "against": "bm25"}
    values = made.session.campaign.scores("AP RR").to_dict()
    for measure in ("AP", "RR"):
        (moves,) = answers(made, "moves", topic=topic, measure=measure, **pair)
        differences = [values[run][measure][topic] for run in pair.values()]
        assert moves["difference"] == pytest.approx(differences[0] - differences[1])
    left_out = data_of(made.html())["left_out"]
    assert left_out[:3] == [
        "Texts of documents: judged ones and the first 20 of each ranking have a title and a snippet.",
        "What documents contribute to differences, except between bm25 and hybrid.",
        "Other measures, baselines and tests, and changed rankings: these need the files of the runs.",
    ]


def test_a_page_of_judgments_by_subtopic_holds_what_subtopics_are_worth():
    made = report({"q": {"a": {"d1": 1}, "b": {"d2": 1}}}, {"r": {"q": ["d1", "d2"]}}, "alpha_nDCG@5")
    [found] = [result for view, _, result in held(made) if view == "subtopics"]
    assert [row[:2] for row in found["rows"]] == [["d1", [1, None]], ["d2", [None, 1]]]


def test_where_there_is_no_room_the_page_says_what_is_left_out(monkeypatch):
    made = report(small.QRELS, small.RUNS, "AP", baseline="bm25", documents=TEXTS)
    empty = len(saved_page(made.session, ()))
    monkeypatch.setattr("rankgauge.extensions.pages.explorer.page.FOR_TOPICS", 0.004)
    monkeypatch.setattr("rankgauge.extensions.pages.explorer.page.MAX_BYTES", empty + 30_000)
    assert len(made.html()) < empty + 31_000  # the sentences on what is left out
    left_out = data_of(made.html())["left_out"]
    assert "Texts of documents." in left_out
    assert "Some orders of topics, of which there are many." in left_out
    assert "Documents beyond rank 10 of a ranking." in left_out
    runs = {run for view, _, result in held(made) if view == "ranking" for run in result["runs"]}
    assert runs == {"bm25", "hybrid"}
    assert any(each.startswith(f"Rankings of {3 - len(runs)} run") for each in left_out)
    monkeypatch.setattr("rankgauge.extensions.pages.explorer.page.MAX_BYTES", 0)
    left_out = data_of(made.html())["left_out"]
    assert f"Rankings of topics from {min(small.QRELS)} on." in left_out


@pytest.mark.parametrize("length", [1, 10, 15, 40, 100])
def test_rankings_are_held_as_a_whole_where_there_is_room(length):
    made = report({"q": {"d1": 1}}, {"a": {"q": [f"d{rank}" for rank in range(length)]}}, "AP")
    assert not any("beyond rank" in sentence for sentence in data_of(made.html())["left_out"])
    ((_, _, ranking),) = [each for each in held(made) if each[0] == "ranking"]
    assert len(ranking["runs"]["a"]["ranked"]) == length


def test_with_many_rankings_those_of_the_best_runs_are_held(monkeypatch):
    monkeypatch.setattr("rankgauge.extensions.pages.explorer.page.MAX_RANKINGS", 2 * len(small.QRELS))
    means = rankgauge.evaluate(small.QRELS, small.RUNS, "AP").mean()
    best = max(means, key=lambda run: means[run]["AP"])
    worst = min(means, key=lambda run: means[run]["AP"])
    made = report(small.QRELS, small.RUNS, "AP RR P@5", baseline=worst)
    assert {p["measure"] for view, p, _ in held(made) if view == "moves"} == {"AP", "RR"}
    rankings = [result["runs"] for view, _, result in held(made) if view == "ranking"]
    assert [{*runs} for runs in rankings] == [{worst, best}] * len(small.QRELS)


def test_names_get_into_the_page_as_text():
    page = small.of_hostile_names().html()
    body = page[page.index("<body>") : page.index('<script type="application/json"')]
    assert small.HOSTILE[:10] not in body
    assert "&lt;script&gt;window.hacked" in page[: page.index("<body>")]  # the title
    assert "\x1b" not in page
    assert "<script>window" not in page


def test_markdown_has_no_markup_of_names():
    text = small.of_hostile_names().markdown()
    assert "<script" not in re.sub(r"\\<", "", text)


def test_markdown_fits_into_a_comment():
    names = [f"a rather long name of the run number {number}" for number in range(60)]
    runs = {name: small.RUNS[list(small.RUNS)[place % 3]] for place, name in enumerate(names)}
    made = report(small.QRELS, runs, "AP nDCG@10", studied=["correlation"])
    text = made.markdown()
    assert len(text) <= MAX_CHARACTERS
    assert "The table has the 40 best runs of 60." in text
    assert "the comparison by the other measures" in text


@pytest.mark.parametrize("most", [60_000, 3_000, 100, 1])
def test_however_short_markdown_has_to_be(most):
    whole = "# Title\n" + "a sentence\n" * 1000
    text = shortened(whole, most)
    assert len(text) <= most
    assert (text == whole) == (most == 60_000)
    assert most != 3_000 or text.startswith("# Title\na sentence\n")
    assert most in (1, 60_000) or "The rest is left out" in text


def test_a_long_name_leaves_room_for_the_rest():
    made = report(small.QRELS, {"x" * 70_000: small.RUNS["bm25"], "b": small.RUNS["dense"]}, "AP")
    assert len(made.markdown()) <= MAX_CHARACTERS


def test_labels_are_in_the_page_and_in_markdown():
    made = report(small.QRELS, small.RUNS, "AP RR", labels={"bm25": "BM25 of ours", "ap": "MAP"})
    assert "BM25 of ours" in made.markdown()
    assert "BM25 of ours" in data_of(made.html())["session"]["runs"]


@pytest.mark.parametrize(
    ("study", "measures", "options"),
    [
        ("correlation", "AP RR", {"measures": "AP RR"}),
        ("correlation", None, {}),  # the study has its own measures
        ("alpha", "AP", {"baseline": list(small.RUNS)[1]}),
    ],
)
def test_what_studies_found_is_at_the_end(study, measures, options):
    by_subtopic = {topic: {"s": docs} for topic, docs in small.QRELS.items()}
    qrels = by_subtopic if study == "alpha" else small.QRELS
    made = report(qrels, small.RUNS, measures, studied=[study], baseline=options.get("baseline"))
    entry = rankgauge.studies.STUDIES[study]
    expected = entry.call(rankgauge.studies.Campaign(qrels, small.RUNS), **options).document().sections
    found = [each for each in made.document.sections if each.title.startswith(f"{entry.title}: ")]
    assert [each.title for each in found] == [f"{entry.title}: {each.title}" for each in expected]
    assert [each.table for each in found] == [each.table for each in expected]


def test_segments_of_topics_are_compared_by_the_first_measure():
    by = {topic: "ab"[number % 2] for number, topic in enumerate(small.QRELS)}
    made = report(small.QRELS, small.RUNS, "AP RR", baseline="bm25", by=by)
    scores = rankgauge.evaluate(small.QRELS, small.RUNS, "AP").sorted()
    assert section(made, "Segments of topics").table == scores.table(by=by)
    (text, *_) = section(made, "AP by segment").sentences
    assert text.startswith("Within segments, ")
    (about,) = answers(made, "about")
    assert [each["title"] for each in about["findings"]] == ["Segments of topics", "AP by segment"]
    alone = report(small.QRELS, {"bm25": small.RUNS["bm25"]}, "AP", by=by)
    assert [each.title for each in alone.session.findings] == ["Segments of topics"]


def test_curves_are_listed_at_some_ranks_with_the_ideal():
    table = section(small.ordinary(), "By rank").table
    curves = rankgauge.curves(small.QRELS, small.RUNS, "nDCG P R")
    means, ideal = curves.mean(), curves.mean_ideal()
    assert table.headers == ("measure", "rank", *section_runs(small.ordinary()), "ideal")
    assert [row[:2] for row in table.rows[:6]] == [["nDCG", rank] for rank in (1, 5, 10, 20, 50, 100)]
    for measure, rank, *values in table.rows:
        expected = [means[run][measure][rank - 1] for run in table.headers[2:-1]]
        assert values == [*expected, ideal[measure][rank - 1]]


def section_runs(made):
    return [row[0] for row in section(made, "Means").table.rows]


def test_of_many_runs_those_that_stand_out_are_listed_by_rank():
    runs = {f"r{place}": small.RUNS["dense"] for place in range(9)} | {"bm25": small.RUNS["bm25"]}
    made = report(small.QRELS, runs, "AP", baseline="r8")
    best = section_runs(made)[:3]
    assert {*section(made, "By rank").table.headers[2:-1]} == {*best, "r8"}
    assert "The table has the best runs and the baseline." in section(made, "By rank").sentences


def test_reports_need_no_library_that_draws(monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    made = report(small.QRELS, small.RUNS, "AP")
    assert "## By rank" in made.markdown()
    assert "vegaEmbed" not in made.html()


def test_the_summary_is_that_of_the_explorer():
    made = small.ordinary()
    assert section(made, "Summary").sentences == summary_sentences(made.session)
    assert len(section(made, "Summary").sentences) == 3
    assert (
        report({"q1": {"d1": 1}}, {"q1": {"d1": 1.0}}, "AP").document.title == "Report on 1 run and 1 topic"
    )


def test_without_a_baseline_runs_are_compared_with_the_best():
    means = rankgauge.evaluate(small.QRELS, small.RUNS, "AP").mean()
    best = max(means, key=lambda run: means[run]["AP"])
    made = report(small.QRELS, small.RUNS, "AP")
    others = [row[0] for row in section(made, f"Against {best}").table.rows]
    assert sorted([best, *others]) == sorted(small.RUNS)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"baseline": "bm52"}, OptionError, "baseline must be one of bm25, not 'bm52'"),
        ({"studied": ["none"]}, OptionError, "no study named"),
        ({"studied": ["power"]}, InputError, "the study power needs at least 2 runs, not 1"),
        ({"profile": "none"}, OptionError, "profile must be one of adhoc, web"),
    ],
)
def test_what_is_asked_for_is_checked_before_anything_is_read(tmp_path, options, error, message):
    (tmp_path / "bm25.run").write_text("no run\n")
    with pytest.raises(error, match=message):
        report(tmp_path / "nowhere.txt", [str(tmp_path / "bm25.run")], **options)


def test_a_report_on_one_run_has_nothing_to_compare():
    made = report(small.QRELS, {"alone": small.RUNS["bm25"]}, "AP")
    assert not any(each.title.startswith("Against") for each in made.document.sections)
    assert answers(made, "curves")


def test_other_formats_are_refused():
    with pytest.raises(OptionError, match=r"\.html or \.md"):
        small.ordinary().save("report.pdf")


@pytest.mark.parametrize("profile", [name for name in PROFILES if name != "diversity"])
def test_every_profile_makes_a_report(profile):
    assert PROFILES[profile].measures.split()[0] in repr(report(small.QRELS, small.RUNS, profile=profile))


def test_the_profile_of_diversity_takes_judgments_by_subtopic():
    made = rankgauge.simulate(topics=6, depth=30, systems=2, subtopics=3, seed=5)
    runs = {name: made.run_dict(name) for name in made.systems}
    result = report(made.subtopics_dict(), runs, profile="diversity")
    means = rankgauge.evaluate(made.subtopics_dict(), runs, PROFILES["diversity"].measures).mean()
    for run, *values in section(result, "Means").table.rows:
        assert values == list(means[run].values())
    assert [m["text"] for m in answers(result, "curves")[0]["measures"]] == ["alpha_nDCG"]


def test_the_profile_of_diversity_follows_the_rule_for_duplicates(write):
    path = write("qrels.txt", "1 1 a 1\n1 1 a 2\n1 2 b 1\n")
    result = report(path, {"1": {"a": 2.0, "b": 1.0}}, profile="diversity", duplicates="max")
    assert result.session.campaign.scores("RR").provenance.qrels.source == str(path)
    with pytest.raises(InputError, match="twice"):
        report(path, {"1": {"a": 2.0, "b": 1.0}}, profile="diversity")


@pytest.fixture
def files(tmp_path, monkeypatch):
    small.MADE.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    return ["report", "qrels.txt", "runs/*.run"]


def test_the_command_writes_a_page_or_markdown(files, tmp_path, invoke):
    assert main(files) == 0
    assert (tmp_path / "report.html").read_text().startswith("<!doctype html>")
    assert invoke(*files, "-o", "report.md", "-m", "AP").out == "report.html\nreport.md\n"
    assert invoke(*files, "--format", "md").out.startswith("# Report on 3 runs and 14 topics\n")
    assert (
        "--format html does not match report.md; use the extension .html"
        in invoke(*files, "-o", "report.md", "--format", "html", code=2).err
    )
    assert (
        "--format md does not match report.htm; use the extension .md"
        in invoke(*files, "-o", "report.htm", "--format", "md", code=2).err
    )
    assert (
        "cannot infer the format of a report from report.txt; use .html or .md"
        in invoke(*files, "-o", "report.txt", code=2).err
    )


def test_the_report_names_the_file_of_the_judgments(files):
    made = report("qrels.txt", "runs/*.run", "AP")
    assert ("judgments", "qrels.txt") in section(made, "Provenance").table.rows


def test_the_page_has_no_paths_of_this_machine(files, tmp_path):
    made = report(tmp_path / "qrels.txt", str(tmp_path / "runs/*.run"), "AP", command=f"rankgauge {tmp_path}")
    texts = [to_json(each) for each in (data_of(made.html()), held(made))]
    assert "qrels.txt" in texts[1]
    assert not any(str(tmp_path) in text for text in texts)


def test_sentences_have_labels_like_tables():
    best = section(report(small.QRELS, small.RUNS, "AP"), "Means").table.rows[0][0]
    made = report(
        small.QRELS, small.RUNS, "AP RR", labels={"AP": "Precision", "RR": "First", best: "Champion"}
    )
    titles = [each.title for each in made.document.sections]
    assert "Against Champion" in titles
    assert "Against Champion, by First" in titles
    assert "ordered by Precision" in section(made, "Means").sentences[0]
    assert "worst mean Precision" in section(made, "Hardest topics").sentences[0]


def test_the_means_say_where_lower_is_better_and_few_topics_are_a_caution_once():
    text = report(small.QRELS, small.RUNS, "AP FirstRank ASL").markdown()
    means = text.partition("## Means")[2].partition("## Against")[0]
    assert "FirstRank, ASL: lower is better." in means
    assert len(re.findall("[Oo]nly [0-9]+ topics", text)) == 1
