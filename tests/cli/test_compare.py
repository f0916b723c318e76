"""`rankgauge compare`: what it prints, what it reads, and the exit codes of its gate."""

import csv
import io
import json

import pytest

import small
from rankgauge.cli.compare import VIEWS
from rankgauge.comparison.registry import TESTS
from rankgauge.model.output.tables import FORMATS


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A directory with judgments and four runs."""
    place = tmp_path_factory.mktemp("compare")
    small.write(place, topics=30, depth=40, systems=("bm25", "dense", "rerank", "hybrid"))
    return place


@pytest.fixture
def campaign(files, monkeypatch, capsys):
    """The directory, in which the commands run."""
    monkeypatch.chdir(files)
    capsys.readouterr()
    return files


ALL = ("qrels.txt", "runs/*.run")
TWO = ("qrels.txt", "runs/bm25.run", "runs/hybrid.run")


def test_the_answer_is_short_in_a_pipe_too(campaign, invoke):
    out, err = invoke("compare", *ALL, "-m", "nDCG@10 AP")
    header, *runs = out.splitlines()[:5]
    assert header.split() == ["run", "nDCG@10", "AP"]
    assert {line.split()[0] for line in runs} == {"bm25", "dense", "hybrid", "rerank"}
    assert "Letters name the runs that a value significantly beats." in out
    sentence = out.splitlines()[-1]
    assert sentence.startswith("On nDCG@10, hybrid (0.")
    assert "(two-sided paired t-test with Holm's correction for 6 pairs of each measure, 12 tests" in sentence
    assert len(out.splitlines()) <= 10
    assert "more: --view report lists every pair" in err
    assert "more:" not in invoke("compare", *ALL, "--view", "report").err
    assert invoke("compare", *ALL, "-o", "page.html").out == ""
    assert "<h2>" in (campaign / "page.html").read_text()  # a page has all of it


def test_csv_has_every_number_of_every_pair(campaign, invoke):
    argv = ("compare", *ALL, "-m", "nDCG@10 AP", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(invoke(*argv).out)))
    assert len(rows) == 12
    assert {row["measure"] for row in rows} == {"nDCG@10", "AP"}
    assert float(rows[0]["p"]) <= float(rows[0]["corrected"])


@pytest.mark.parametrize("test", TESTS)
def test_every_test_is_a_choice_in_any_spelling(campaign, invoke, test):
    out = invoke(
        "compare", *ALL, "--test", test.replace("-", "_").title(), "--format", "table", "--quiet"
    ).out
    assert TESTS[test].title in out


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_comes_in_every_format_that_can_hold_it(campaign, invoke, refused, form, view):
    argv = ("compare", *ALL, "--view", view, "--format", form, "--quiet")
    if view in ("report", "short") and form in ("csv", "tsv", "jsonl", *["json"] * (view == "short")):
        assert f"the view {view} is written as table, markdown, latex, siunitx, typst, html" in refused(*argv)
        return
    out, err = invoke(*argv)
    assert err == ""
    assert "hybrid" in out
    if form == "latex":
        assert out.count("{") == out.count("}")
        assert "α" not in out


def test_latex_is_ready_to_paste(campaign, invoke):
    out = invoke("compare", *ALL, "--view", "ranked", "--format", "latex", "--quiet").out
    needs, group, begin = out.splitlines()[:3]
    assert needs == r"% needs \usepackage{booktabs}"
    assert group == r"\noindent{\setlength{\tabcolsep}{3pt}\def\tablebody{%"
    assert begin == r"\begin{tabular}{@{}llrl@{}}"
    assert "\n\nnDCG@10 of 4 runs, all 6 pairs, was compared over 30 topics by" in out


def test_the_view_of_measures_has_means_and_outcomes_and_a_legend_for_people(campaign, invoke):
    argv = (*ALL, "-m", "nDCG@10 AP RR", "--test", "friedman", "--alpha", "0.1", "--view", "measures")
    out = invoke("compare", *argv, "--format", "csv", "--quiet").out
    rows = {row["measure"]: row for row in csv.DictReader(io.StringIO(out))}
    for each in json.loads(invoke("compare", *argv[:-2], "--format", "json", "--quiet").out)["measures"]:
        row = rows.pop(each["measure"])
        assert (row.pop("stat. sign.") or "no difference is significant") == each["outcome"]
        assert {run: float(row[run]) for run in each["means"]} == each["means"]
    assert not rows
    for form, star in (("table", "*"), ("markdown", r"\*"), ("latex", "*"), ("html", "*")):
        out = invoke("compare", *argv, "--format", form, "--quiet").out
        below = out[out.index("Stat. sign.: a two-sided Friedman test") :]
        assert f"{star} p " in below
        assert "0.1, " in below
        assert "0.02; empty: no difference is significant)" in below
        assert "30 topics" in below


def test_json_has_all_of_it(campaign, invoke):
    options = ("--baseline", "runs/bm25.run", "--test", "bootstrap", "--seed", "9", "--format", "json")
    found = json.loads(invoke("compare", *ALL, *options).out)
    assert (found["baselines"], found["seed"], found["samples"]) == (["bm25"], 9, 1000)
    assert [pair["against"] for pair in found["measures"][0]["pairs"]] == ["bm25"] * 3
    assert found["sentences"]


def test_a_report_in_a_file_carries_its_notes(campaign, invoke):
    out, err = invoke("compare", *ALL, "--correction", "none", "-o", "report.md")
    assert out == ""
    assert "advice: 6 pairs without correction" in err
    assert "6 pairs without correction" in (campaign / "report.md").read_text()
    assert "advice:" not in invoke("compare", *ALL, "--correction", "none", "--no-advice").err


def test_saved_scores_and_tables_can_be_compared(campaign, invoke):
    for name in ("scores.json", "scores.csv"):
        invoke("evaluate", *ALL, "-m", "nDCG@10 AP", "-q", "-o", name)
        for options in ((), ("--margin", "0.01")):
            saved = invoke("compare", name, "-m", "AP", *options, "--quiet").out
            assert saved == invoke("compare", *ALL, "-m", "AP", *options, "--quiet").out
    assert invoke("compare", "scores.csv", "--quiet", "--format", "csv").out.count("\n") == 13


def test_the_gate_has_exit_code_1_and_says_by_how_much(campaign, invoke):
    err = invoke("compare", *TWO, "--fail-if", "nDCG@10 rises by 2% significantly", code=1).err
    assert "failed: nDCG@10 rises by 2% significantly; hybrid against bm25: 0." in err
    conditions = ("--fail-if", "ndcg_cut_10 drops by 2% significantly", "--fail-if", "AP drops")
    err = invoke("compare", *TWO, *conditions).err
    assert "passed: nDCG@10 drops by 2% significantly\npassed: AP drops\n" in err
    assert "together" not in err  # one condition tests
    conditions = (*conditions, "--fail-if", "AP drops significantly")
    err = invoke("compare", *TWO, *conditions).err
    assert (
        "advice: each of 2 measures is tested at α = 0.05, so one of them fails by chance more often" in err
    )
    assert "by chance" not in invoke("compare", *TWO, *conditions, "--family", "all").err
    out = invoke("compare", *TWO, "--fail-if", "AP rises", "--format", "json", code=1).out
    (check,) = json.loads(out)["checks"]
    assert check["condition"] == "AP rises"
    assert check["failed"]
    err = invoke("compare", *TWO, "--fail-if", "AP rises by 0.05 on any topic", code=1).err
    assert "failed: AP rises by 0.05 on any topic; hybrid against bm25: " in err
    assert invoke("compare", *TWO, "--fail-if", "AP above 0.9").err.endswith("passed: AP above 0.9\n")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("qrels.txt",), "a single file must hold scores; otherwise pass QRELS RUN..."),
        (("qrels.txt", "runs/bm25.run"), "a comparison needs at least two runs"),
        (
            (*ALL, "--fail-if", "AP drops"),
            "needs a baseline; pass --baseline RUN",
        ),
        ((*TWO, "--fail-if", "AP drops by two"), "expected a number such as 2% or 0.01"),
        ((*TWO, "--fail-if", "APP drops"), "APP"),
        ((*TWO, "--baseline", "bm2"), "(did you mean bm25?)"),
        ((*TWO, "--alpha", "2"), "--alpha must be a number between 0 and 1 (exclusive), not '2'"),
        ((*TWO, "--samples", "9"), "draws no random samples"),
        ((*TWO, "--test", "chi2"), "no test named 'chi2'"),
        ((*TWO, "--by", "topics.csv", "--view", "paper"), "--by is for the views short, report and pairs"),
        ((*TWO, "--fail-if", "AP drops in kind=a"), "needs the segments of topics; pass --by FILE[:COLUMN]"),
    ],
)
def test_mistakes_are_refused_with_exit_code_2(campaign, refused, argv, message):
    assert message in refused("compare", *argv)


def test_segments_and_conditions_on_them(campaign, invoke, refused):
    topics = dict.fromkeys(line.split()[0] for line in (campaign / "qrels.txt").read_text().splitlines())
    rows = [f"{topic},{'ab'[number % 2]} kind" for number, topic in enumerate(topics)]
    (campaign / "kinds.csv").write_text("\n".join(["qid,kind", *rows]))
    rises = "nDCG@10 rises significantly in kind=a kind"
    for command in ("compare", "diff"):
        out, err = invoke(command, *TWO, "--by", "kinds.csv", "--fail-if", rises, code=1)
        assert "Within segments, hybrid is significantly better than bm25 in kind=a kind" in out
        failed = f"{rises}; hybrid against bm25: 0." if command == "compare" else f"Fail if {rises}: failed; "
        assert failed in out + err
    options = ("--by", "kinds.csv:kind", "--fail-if", "AP below 0.001 in kind=b kind", "--quiet")
    assert invoke("evaluate", *TWO, *options).err == "passed: AP below 0.001 in kind=b kind\n"
    assert "Within segments, " in invoke("diff", *TWO, "--by", "kinds.csv", "--format", "md").out
    wrong = ("--by", "kinds.csv", "--fail-if", "AP drops in kind=c")
    assert "no segment named 'kind=c'; use one of kind=a kind, kind=b kind" in refused(
        "compare", *TWO, *wrong
    )


def test_threads_do_not_show(campaign, invoke):
    one, several = (
        invoke("compare", *ALL, "--test", "randomised-tukey", "--threads", threads).out for threads in "13"
    )
    assert one == several
