"""A campaign from a folder: what is found, checked, written, and how it ends."""

import csv
import gzip
import json
import re
from pathlib import Path

import pytest

import rankgauge
from extensions.pages.explorer import small
from rankgauge.cli.main import main
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.pages.reports.campaigns import compared, find
from rankgauge.extensions.pages.reports.participants import addressed
from rankgauge.formats.texts import topic_ids
from rankgauge.model.validation import SubmissionRules, validate


@pytest.fixture
def folder(tmp_path, monkeypatch):
    small.MADE.write(tmp_path / "track")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "track"


def problems_in(report):
    return {group.title: group.count for group in report.problems}


def test_a_folder_is_checked_pooled_evaluated_and_indexed(folder, invoke):
    assert (
        invoke("campaign", "track", "-m", "AP nDCG@10", "--quiet", "--pool-depth", "5").out
        == "3 runs; no problems.\ntrack/results/index.html\n"
    )
    out = folder / "results"
    index = (out / "index.html").read_text()
    for link in re.findall(r'href="([^"]+)"', index):
        assert (out / link).is_file()
    expected = rankgauge.evaluate(small.QRELS, small.RUNS, "AP nDCG@10")
    with (out / "means.csv").open() as file:
        means = {row["run"]: float(row["AP"]) for row in csv.DictReader(file)}
    assert means == {run: mean["AP"] for run, mean in expected.mean().items()}
    with (out / "scores.csv").open() as file:
        values = {(row["run"], row["topic"], row["measure"]): row["value"] for row in csv.DictReader(file)}
    assert {float(values[run, topic, "AP"]) for run in small.RUNS for topic in small.QRELS} == {
        value for by in expected.to_dict().values() for value in by["AP"].values()
    }
    pooled = rankgauge.assessment.pool(small.RUNS, depth=5, judged=small.QRELS)
    lines = (out / "pool.txt").read_text().split("\n")[:-1]
    assert {(line.split()[0], line.split()[2]) for line in lines} == {
        (topic, doc) for topic, docs in pooled.to_dict().items() for doc in docs
    }
    assert [each["ok"] for each in json.loads((out / "validation.json").read_text())] == [True] * 4
    assert {path.name for path in (out / "participants").iterdir()} == {
        "index.html",
        *(f"run-{run}.html" for run in small.RUNS),
    }
    assert "default-src 'none'" in index
    assert main(["campaign", "track", "-m", "AP", "--quiet"]) == 0  # its own results are no input


def test_judgments_have_the_columns_and_the_path_that_are_named(folder, capsys):
    rows = [line.split() for line in (folder / "qrels.txt").read_text().splitlines()]
    (folder / "qrels.txt").unlink()
    judged = folder / "judged.csv"
    judged.write_text("".join(f"{','.join(row)}\n" for row in [["q", "i", "d", "g"], *rows]))
    options = ["--qrels", str(judged), "--qrels-columns", "topic=q,doc=d,grade=g"]
    assert main(["campaign", "track", "-m", "AP", "--quiet", *options]) == 0, capsys.readouterr()
    assert "Neither judgments nor runs" not in (folder / "results/index.html").read_text()
    with (folder / "results/means.csv").open() as file:
        means = {row["run"]: float(row["AP"]) for row in csv.DictReader(file)}
    expected = rankgauge.evaluate(small.QRELS, small.RUNS, "AP").mean()
    assert means == {run: mean["AP"] for run, mean in expected.items()}


def test_problems_are_listed_and_what_cannot_be_read_is_left_out(folder, invoke):
    runs = folder / "runs"
    lines = (runs / "bm25.run").read_text().splitlines(keepends=True)
    (runs / "copy.run").write_text("".join(lines))
    (runs / "wrong.run").write_text("".join(["not a line\n", *lines[1:]]).replace(" bm25\n", " other\n"))
    (runs / "short.run").write_text("".join(lines[:40]).replace(" bm25\n", " short\n"))
    (folder / "notes.md").write_text("Some words.\n")
    out = invoke("campaign", "track", "-m", "AP", "--quiet", "--max-depth", "30", code=1).out
    assert (
        "track/runs/copy.run: same results as another run: track/runs/bm25.run has the same documents" in out
    )
    assert 'track/runs/copy.run: same tag as another run: "bm25": track/runs/bm25.run' in out
    assert "track/runs/wrong.run: wrong number of columns: line 1: " in out
    assert "track/runs/short.run: topic without results, 13 times" in out
    assert "track/runs/dense.run: more results than the rules allow, 14 times" in out
    assert out.endswith("6 runs; problems in 6 files.\ntrack/results/index.html\n")
    index = (folder / "results" / "index.html").read_text()
    assert "Left out because of their problems: wrong.run." in index
    assert "track/runs/" not in index  # as in the message on a copy
    board = index.split(">Runs</h2>", 1)[1]
    assert '<a href="participants/run-copy.html">copy</a>' in board
    assert "same results as another run; same tag as another run" in board
    assert "Neither judgments nor runs: notes.md." in index
    page = (folder / "results" / "participants" / "run-copy.html").read_text()
    assert "another run has the same documents in the same order" in page
    assert "bm25.run" not in page
    assert not (folder / "results" / "participants" / "run-wrong.html").exists()


def test_runs_with_problems_are_marked_or_left_out_on_request(folder, invoke):
    text = (folder / "runs" / "bm25.run").read_text()
    (folder / "runs" / "a-copy.run").write_text(text)  # the first by name, but not the original
    command = ["campaign", "track", "-m", "AP", "--quiet"]
    found = 'track/runs/a-copy.run: same tag as another run: "bm25": track/runs/bm25.run'
    assert found in invoke(*command, code=1).out
    assert found in invoke(*command, "--exclude-problems", code=1).out
    index = (folder / "results" / "index.html").read_text()
    assert "Left out because of their problems: a-copy.run." in index
    assert "⚠" not in index.split(">Runs</h2>", 1)[1]
    with (folder / "results" / "means.csv").open() as file:
        assert {row["run"] for row in csv.DictReader(file)} == {*small.RUNS}


def test_the_leaderboard_to_publish_has_what_counts_and_what_is_known(folder, invoke):
    runs = folder / "runs"
    (runs / "copy.run").write_text((runs / "bm25.run").read_text())
    Path("runs.csv").write_text("run,team,latency\nbm25,</script>,12\ndense,b,140.5\nhybrid,,\nother,c,1\n")
    Path("queries.tsv").write_text("101\tbread and butter\n")
    options = ["--metadata", "runs.csv", "--queries", "queries.tsv"]
    invoke("campaign", "track", "-m", "AP", "--quiet", *options, code=1)
    public = (folder / "results" / "public" / "index.html").read_text()
    data = json.loads(re.search(r'id="data">(.*?)</script>', public).group(1))
    expected = rankgauge.evaluate(small.QRELS, small.RUNS, "AP").mean()  # the copy counts nowhere
    assert {row["run"]: row["means"][0] for row in data["runs"]} == {
        run: mean["AP"] for run, mean in expected.items()
    }
    assert sorted(row["place"] for row in data["runs"]) == [1, 2, 3]
    assert [(each["title"], each["numeric"]) for each in data["columns"]] == [
        ("team", False),
        ("latency", True),
    ]
    about = {row["run"]: row["about"] for row in data["runs"]}
    assert about == {"bm25": ["</script>", 12], "dense": ["b", 140.5], "hybrid": [None, None]}
    assert "<summary>Not counted</summary>" in public
    assert "same results" not in public
    assert "run-bm25.html" not in public
    page = (folder / "results" / "participants" / "run-copy.html").read_text()
    assert "This run has no place among the 3 runs that count" in page
    assert "bread and butter" in page
    Path("runs.csv").write_text("run,team\nnone,a\n")
    message = "runs.csv: names no run of the campaign; name the column of runs"
    assert message in invoke("campaign", "track", "-m", "AP", "--quiet", "--metadata", "runs.csv", code=2).err


def test_queries_are_shown_with_topics(folder, invoke):
    lines = [f"{topic}\twhat is {topic} <b>?\n" for topic in small.QRELS]
    Path("topics.tsv").write_text("".join(lines))
    assert main(["campaign", "track", "-m", "AP", "--quiet", "--topics", "topics.tsv"]) == 0
    page = (folder / "results" / "participants" / "run-bm25.html").read_text()
    assert f"what is {min(small.QRELS)} &lt;b&gt;?" in page
    Path("ids.txt").write_text("".join(f"{topic}\n" for topic in small.QRELS) + "999\n")
    assert (
        'topic without results: topic "999"'
        in invoke("campaign", "track", "-m", "AP", "--quiet", "--topics", "ids.txt", code=1).out
    )
    command = ["report", "track/qrels.txt", "track/runs/*.run", "-m", "AP", "--quiet", "-o", "report.html"]
    assert main([*command, "--topics", "topics.tsv"]) == 0
    assert "the format of these texts is not known" in invoke(*command, "--topics", "ids.txt", code=2).err


def test_without_judgments_runs_are_checked_and_pooled(folder, capsys):
    (folder / "qrels.txt").unlink()
    assert main(["campaign", "track", "--quiet", "-o", "elsewhere"]) == 0
    assert {path.name for path in Path("elsewhere").iterdir()} == {
        "index.html",
        "pool.txt",
        "validation.json",
        "validation.txt",
    }
    assert "There are no judgments yet" in Path("elsewhere/index.html").read_text()


def test_files_are_found_or_named(folder):
    assert find("track").qrels == "track/qrels.txt"
    assert sorted(find("track").runs) == sorted(f"track/runs/{run}.run" for run in small.RUNS)
    for path in (folder / "runs").iterdir():
        (folder / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    (folder / "runs").rmdir()
    assert sorted(find("track").runs) == sorted(f"track/{run}.run.gz" for run in small.RUNS)
    (folder / "qrels.2.txt").write_text((folder / "qrels.txt").read_text())
    with pytest.raises(
        InputError, match=r"several files of judgments, qrels.2.txt, qrels.txt; choose one: --qrels"
    ):
        find("track")
    named = find("track", "track/qrels.2.txt", ["track/b*.gz"])
    assert (named.qrels, named.runs) == ("track/qrels.2.txt", ("track/bm25.run.gz",))


def test_what_is_missing_is_named(tmp_path, monkeypatch, invoke):
    monkeypatch.chdir(tmp_path)
    assert (
        "nowhere: is no directory; name the one that has the judgments"
        in invoke("campaign", "nowhere", code=2).err
    )
    (tmp_path / "empty").mkdir()
    assert (
        "has no runs, neither in runs/ nor beside the judgments; name them: --runs"
        in invoke("campaign", "empty", code=2).err
    )


def test_broken_judgments_are_a_problem(folder, invoke):
    (folder / "qrels.txt").write_text("1 0 a 1\n1 0 a 1\n1 0 b x\n1 0 c 1\n")
    assert (
        "track/qrels.txt: grade is not a finite number" in invoke("campaign", "track", "--quiet", code=1).out
    )
    assert not (folder / "results" / "report.html").exists()


def test_results_of_other_judgments_and_runs_do_not_stay(folder, capsys):
    out, gone = folder / "results", next(iter(small.RUNS))
    assert main(["campaign", "track", "-m", "AP", "--quiet"]) == 0
    (out / "own.txt").write_text("notes of the organisers")
    (file,) = [path for path in (folder / "runs").iterdir() if path.name.startswith(f"{gone}.")]
    file.unlink()
    assert main(["campaign", "track", "-m", "AP", "--quiet"]) == 0
    pages = {path.name for path in (out / "participants").iterdir()}
    assert pages == {"index.html", *(f"run-{run}.html" for run in small.RUNS if run != gone)}
    (folder / "qrels.txt").write_text("q1 0 d1\n")
    assert main(["campaign", "track", "-m", "AP", "--quiet", "--qrels", "track/qrels.txt"]) == 1
    left = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    assert left == {"own.txt", "index.html", "pool.txt", "validation.txt", "validation.json"}


def test_rules_for_runs(write):
    path = write("a.run", "1 Q0 a 1 3 x\n1 Q0 b 2 2 x\n2 Q0 a 1 1 y\n")
    assert validate(path, rules=SubmissionRules()).ok
    report = validate(
        path,
        rules=SubmissionRules(max_depth=1, tag="x+", topics=("1", "3"), only_topics=True, one_tag=True),
    )
    assert problems_in(report) == {
        "more results than the rules allow": 1,
        "topic without results": 1,
        "topic that was not asked for": 1,
        "several tags": 1,
        "tag against the rules": 1,
    }
    assert report.can_be_read
    assert not report.ok
    assert problems_in(validate(path, rules=SubmissionRules(topics=("1",)))) == {}
    untagged = write("b.csv", "topic,doc,score\n1,a,2\n")
    assert problems_in(validate(untagged, rules=SubmissionRules(one_tag=True))) == {"no tag": 1}
    with pytest.raises(OptionError, match="is no regular expression"):
        SubmissionRules(tag="(")


def test_copies_and_tags_of_others_are_problems(write):
    text = "1 Q0 a 1 3 x\n1 Q0 b 2 2 x\n"
    paths = [
        write("a.run", text),
        write("b.run", text.replace(" x\n", " y\n")),
        write("c.run", "1 Q0 z 1 3 x\n"),
    ]
    reports = compared(validate(path) for path in paths)
    assert [
        problems_in(each) for each in reports
    ] == [  # none is named after its tag: any may be the original
        {"same results as another run": 1, "same tag as another run": 1},
        {"same results as another run": 1},
        {"same tag as another run": 1},
    ]
    named = compared(map(validate, [*paths, write("x.run", text)]))
    assert [bool(each.problems) for each in named] == [True, True, True, False]
    assert f'"x": {named[3].path}' in str(named[2])
    assert str(paths[0]) in str(reports[1])
    assert str(paths[0]) not in str(addressed(reports[1]))


@pytest.mark.parametrize(
    "text",
    [
        "7\n5\n\n7\n",
        "7\tone query\n5\tanother\n",
        '{"id": "7", "text": "one"}\n{"id": "5", "text": "another"}\n',
        "<top>\n<num> Number: 7\n<title> one\n</top>\n<top>\n<num> Number: 5\n<title> another\n</top>\n",
    ],
)
def test_topics_are_read_from_ids_or_queries(write, text):
    assert topic_ids(write("topics.txt", text)) == ("7", "5")


def test_a_file_without_topics_is_refused(write):
    with pytest.raises(InputError, match="has no topic; write one id per line"):
        topic_ids(write("topics.txt", "\n"))


def test_a_judged_pool_is_not_replaced(folder, invoke):
    assert main(["campaign", "track", "-m", "AP", "--quiet"]) == 0
    pool = folder / "results" / "pool.txt"
    pool.write_text("".join(f"{topic} 0 {doc} 1\n" for topic, docs in small.QRELS.items() for doc in docs))
    filled = pool.read_text()
    assert (
        "would be replaced by the results"
        in invoke("campaign", "track", "-m", "AP", "--quiet", "--qrels", pool, code=2).err
    )
    assert pool.read_text() == filled


def test_a_copy_of_the_best_run_is_not_announced_as_best(folder, invoke):
    best = max(
        small.RUNS, key=lambda run: rankgauge.evaluate(small.QRELS, small.RUNS, "AP").mean()[run]["AP"]
    )
    (folder / "runs" / "a-copy.run").write_text((folder / "runs" / f"{best}.run").read_text())
    invoke("campaign", "track", "-m", "AP", "--quiet", code=1)
    summary = (folder / "results" / "report.md").read_text()
    assert f"4 runs on 14 topics: {best} is best by AP" in summary
    assert "It is ahead of the next run" in summary
