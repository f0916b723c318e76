import csv
import gzip
import io
import json
import math
import os
import re
import subprocess
import sys
from functools import partial

import numpy as np
import pytest

from rankgauge.cli import evaluate as command
from rankgauge.errors import OptionError
from rankgauge.measures.named_sets import SEVERAL
from rankgauge.model.provenance import Provenance, RunFacts
from rankgauge.model.rules import TIES, TopicRules
from rankgauge.model.scores import Scores

QRELS = """\
1 0 a 1
1 0 b 0
1 0 c 2
2 0 a 1
"""
GOOD = """\
1 Q0 c 1 3.0 good
1 Q0 b 2 2.0 good
1 Q0 a 3 1.0 good
2 Q0 x 1 2.0 good
2 Q0 a 2 1.0 good
"""
POOR = "1 Q0 b 1 2.0 poor\n1 Q0 a 2 1.0 poor\n"
AP = {("good", "1"): (1 + 2 / 3) / 2, ("good", "2"): 0.5, ("poor", "1"): 0.25, ("poor", "2"): 0.0}


@pytest.fixture
def campaign(working_folder):
    """A directory with qrels.txt, good.run and poor.run, in which the commands run."""
    return working_folder({"qrels.txt": QRELS, "good.run": GOOD, "poor.run": POOR})


@pytest.fixture
def evaluate(campaign, invoke):
    """The command with the judgments of the campaign."""
    return partial(invoke, "evaluate", "qrels.txt")


def process(*argv, **options):
    return subprocess.run(
        [sys.executable, "-m", "rankgauge.cli.main", "evaluate", *argv],
        capture_output=True,
        timeout=60,
        check=False,
        **options,
    )


def undefined_scores():
    """Two runs with odd names, one of which has an undefined value and no topic 2."""
    return Scores(
        ("<i>_1", "b"),
        ("1", "2"),
        ("AP", "P@5"),
        np.array([[[0.5, math.nan], [0.2, 0.4]], [[0.25, math.nan], [0.2, math.nan]]]),
        np.array([[True, True], [True, False]]),
        TopicRules(),
        Provenance(options={"missing": "skip"}, runs={"<i>_1": RunFacts(), "b": RunFacts(missing=1)}),
    )


def lines(form, topics, places=4):
    return "".join(f"{line}\n" for line in command.score_lines(undefined_scores(), form, topics, places))


# {arguments: what is printed without a terminal}
PRINTED = {
    "good.run poor.run -m AP -m P@2,RR": "run\tAP\tP@2\tRR\ngood\t0.6667\t0.5000\t0.7500\n"
    "poor\t0.1250\t0.2500\t0.2500\n",
    "good.run -m AP --places 2": "run\tAP\ngood\t0.67\n",
    "good.run -m AP -q": "run\ttopic\tmeasure\tvalue\ngood\t1\tAP\t0.8333\ngood\t2\tAP\t0.5000\n"
    "good\tall\tAP\t0.6667\n",
    "good.run -m AP,P@2 -q --format trec": "AP                    \t1\t0.8333\n"
    "P@2                   \t1\t0.5000\n"
    "AP                    \t2\t0.5000\n"
    "P@2                   \t2\t0.5000\n"
    "AP                    \tall\t0.6667\n"
    "P@2                   \tall\t0.5000\n",
    "good.run poor.run -m AP --format trec": "runid                 \tall\tgood\n"
    "AP                    \tall\t0.6667\n"
    "runid                 \tall\tpoor\n"
    "AP                    \tall\t0.1250\n",
}


@pytest.mark.parametrize("arguments", PRINTED)
def test_values_are_lines_of_tabs_or_those_of_trec_eval(arguments, evaluate):
    assert evaluate(*arguments.split()).out == PRINTED[arguments]


def test_the_default_measures_are_those_that_help_names(invoke, evaluate):
    assert evaluate("good.run").out.splitlines()[0].split("\t")[1:] == SEVERAL.split()
    assert SEVERAL in " ".join(invoke("evaluate", "--help").out.split())


def test_jsonl_rows_are_run_topic_measure_and_value(evaluate):
    rows = [
        json.loads(line)
        for line in evaluate("good.run", "poor.run", "-m", "AP", "-q", "--format", "jsonl").out.splitlines()
    ]
    assert all(list(row) == ["run", "topic", "measure", "value"] for row in rows)
    values = {(row["run"], row["topic"]): row["value"] for row in rows}
    assert {key: value for key, value in values.items() if key[1] != "all"} == AP
    assert values["poor", "all"] == 0.125
    assert [
        json.loads(line)["topic"]
        for line in evaluate("good.run", "-m", "AP", "--format", "jsonl").out.splitlines()
    ] == ["all"]


def test_json_with_all_topics_is_a_file_of_scores(evaluate):
    assert evaluate("good.run", "poor.run", "-m", "AP", "-q", "-o", "scores.json").out == ""
    scores = Scores.load("scores.json")
    assert scores.mean()["poor"]["AP"] == 0.125
    assert scores.provenance.runs["poor"].missing == 1
    document = json.loads(evaluate("good.run", "-m", "AP", "--format", "json").out)
    assert document["mean"] == {"good": {"AP": math.fsum([AP["good", "1"], 0.5]) / 2}}
    assert "scores" not in document


def test_csv_keeps_every_digit(evaluate):
    rows = list(csv.reader(io.StringIO(evaluate("good.run", "-m", "AP", "-q", "--format", "csv").out)))
    assert rows[1] == ["good", "1", "AP", repr(AP["good", "1"])]


def test_undefined_values_are_shown_as_such_in_every_format():
    assert lines("tsv", True).splitlines()[3] == "<i>_1\t2\tAP\tnan"
    assert lines("csv", True).splitlines()[3] == "<i>_1,2,AP,nan"
    assert json.loads(lines("jsonl", True).splitlines()[2])["value"] is None
    assert json.loads(lines("json", True))["scores"]["<i>_1"]["AP"]["2"] is None
    assert lines("trec", True).splitlines()[3] == "AP                    \t2\t   nan"
    assert lines("table", True).splitlines()[2].split() == ["2", "–"]
    assert lines("markdown", True).splitlines()[3] == "| 2 | – |  |"
    assert r"2 & \textendash{} &  \\" in lines("latex", True)


def test_topics_that_are_left_out_are_absent():
    assert not [line for line in lines("tsv", True).splitlines() if line.startswith("b\t2")]
    assert list(json.loads(lines("json", True))["scores"]["b"]["AP"]) == ["1"]


def test_tables_mark_the_best_and_have_topics_when_asked():
    assert lines("markdown", False).splitlines()[2:] == [
        r"| \<i\>\_1 | **0.2500** | **0.3000** |",
        "| b | **0.2500** | 0.2000 |",
    ]
    assert r"all & \textbf{0.3000} & 0.2000 \\" in lines("latex", True)
    assert lines("table", False) == ("run        AP     P@5\n<i>_1  0.2500  0.3000\nb      0.2500  0.2000\n")
    assert "<td>&lt;i&gt;_1</td>" in lines("html", False)


def test_notes_go_to_stderr_unless_quiet(evaluate):
    assert (
        "note: poor: 1 judged topic has no results and counts as empty (--missing skip "
        in evaluate("good.run", "poor.run", "-m", "AP").err
    )
    assert evaluate("good.run", "poor.run", "-m", "AP", "--quiet").err == ""


def test_options_of_order_and_topics_reach_the_evaluation(campaign, evaluate):
    assert (
        evaluate("poor.run", "-m", "AP", "--missing", "skip", "--quiet").out.splitlines()[1] == "poor\t0.2500"
    )
    (campaign / "tied.run").write_text("1 Q0 a 1 1.0 x\n1 Q0 b 2 1.0 x\n")
    values = {}
    for rule in TIES.rules:
        values[rule] = (
            evaluate("tied.run", "-m", "RR", "--missing", "skip", "--ties", rule, "--quiet")
            .out.splitlines()[1]
            .split("\t")[1]
        )
    assert {values[rule] for rule in ("docid_desc", "worst")} == {"0.5000"}
    assert values["average"] == "0.7500"
    assert {values[rule] for rule in ("docid_asc", "input", "rank", "best")} == {"1.0000"}


@pytest.mark.parametrize(
    ("name", "begin"),
    [
        ("s.csv", "run,AP\n"),
        ("s.md", "| run | AP |\n"),
        ("s.tex", "% needs"),
        ("s.jsonl", '{"run": "good"'),
        ("s.txt", "run       AP\n"),
        ("s", "run\tAP\n"),
    ],
)
def test_the_extension_of_the_file_decides_the_format(campaign, name, begin, evaluate):
    evaluate("good.run", "-m", "AP", "-o", name)
    assert (campaign / name).read_text().startswith(begin)
    assert not [path for path in campaign.iterdir() if "part" in path.name]


def test_a_compressed_file_can_be_written_and_a_dash_is_stdout(campaign, evaluate):
    evaluate("good.run", "-m", "AP", "-o", "s.csv.gz")
    assert gzip.decompress((campaign / "s.csv.gz").read_bytes()).startswith(b"run,AP\n")
    assert evaluate("good.run", "-m", "AP", "-o", "-").out.startswith("run\tAP\n")


def test_a_failed_evaluation_leaves_the_old_file_alone(campaign, evaluate):
    (campaign / "s.tsv").write_text("old")
    (campaign / "bad.run").write_text("1 Q0 a\n")
    evaluate("bad.run", "-o", "s.tsv", code=2)
    assert (campaign / "s.tsv").read_text() == "old"


@pytest.mark.parametrize(
    ("files", "argv", "message"),
    [
        ({"x.run": "1 Q0 a 1\n"}, ["x.run"], "x.run:1: "),
        ({"x.run": "1 Q0 a 1 high x\n"}, ["x.run"], "high"),
        ({"x.run": "1 Q0 a 1 2 x\n1 Q0 a 2 1 x\n"}, ["x.run"], "x.run:2: "),
        ({"x.run": "7 Q0 a 1 2 x\n"}, ["x.run"], "topic"),
        ({"x.run": ""}, ["x.run"], "x.run"),
        ({}, ["none.run"], "none.run"),
        ({"qrels.txt": "1 0 a\nx\n"}, ["good.run"], "qrels.txt"),
        ({}, ["good.run", "-m", "nDGC@10"], "did you mean nDCG"),
        ({}, ["good.run", "-m", "P@0"], "P: the cutoff must be"),
        ({}, ["good.run", "--ties", "docid"], "ties must be one of docid_desc, docid_asc, input, rank"),
        ({}, ["good.run", "--places", "many"], "--places must be a whole number from 0"),
        ({}, ["good.run", "--threads", "0"], "--threads must be a whole number from 1"),
        ({}, ["good.run", "--master", "local[2]"], "--master is for Spark; add --engine spark"),
        ({}, ["good.run", "--format", "xml"], "xml"),
        ({}, [], "evaluate QRELS RUN"),
    ],
)
def test_bad_input_is_exit_code_2_and_a_sentence(campaign, working_folder, files, argv, message, refused):
    working_folder(files)
    assert message in refused("evaluate", "qrels.txt", *argv)


@pytest.mark.parametrize("arguments", ["qrels.txt -", "- qrels.txt"])
@pytest.mark.usefixtures("campaign")
def test_standard_input_that_is_closed_is_named(arguments):
    command = f"{sys.executable} -m rankgauge evaluate {arguments} <&-"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "rankgauge: stdin: standard input is closed; pass a file, or pipe the data in\n"


def test_a_whole_process_reads_standard_input_and_prints_no_traceback(campaign):
    done = process("qrels.txt", "-", "-m", "AP", input=GOOD.encode())
    assert (done.returncode, done.stdout) == (0, b"run\tAP\nstdin\t0.6667\n")
    done = process("qrels.txt", "none.run")
    assert done.returncode == 2
    assert done.stderr.startswith(b"rankgauge: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.skipif(os.name == "nt", reason="file names are no bytes there")
def test_a_run_named_in_broken_bytes_and_markup_comes_through(campaign):
    name = b"<b>[bold]\xff.run"
    (campaign / os.fsdecode(name)).write_text(GOOD)
    done = process("qrels.txt", os.fsdecode(name), "-m", "AP", env={**os.environ, "PYTHONUTF8": "1"})
    assert done.stdout.splitlines()[1] == b"<b>[bold]\xff\t0.6667"


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_a_terminal_gets_a_drawn_table_with_ids_as_they_are(campaign):
    (campaign / "[bold]x.run").write_text(GOOD)
    shown = on_a_terminal("qrels.txt", "[bold]x.run", "poor.run", "-m", "AP")
    assert "[bold]x" in shown
    assert "\x1b[1m0.6667\x1b[0m" in shown
    assert "───" in shown
    assert "\x1b[1m0.1250" not in shown


def on_a_terminal(*argv):
    """What `rankgauge evaluate` shows on a pseudo-terminal of 80 columns."""
    import pty

    leader, follower = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80"}
    environment.pop("NO_COLOR", None)
    line = [sys.executable, "-m", "rankgauge.cli.main", "evaluate", *argv]
    with subprocess.Popen(line, stdout=follower, stderr=follower, env=environment) as child:
        os.close(follower)
        shown = b""
        try:
            while piece := os.read(leader, 4096):
                shown += piece
        except OSError:  # how Linux says that the other end is closed
            pass
        child.wait(timeout=60)
    os.close(leader)
    return shown.decode()


def test_an_unknown_extension_is_refused(campaign, evaluate):
    assert "cannot infer a format from s.xlsx" in evaluate("good.run", "-m", "AP", "-o", "s.xlsx", code=2).err
    assert not (campaign / "s.xlsx").exists()


def test_a_parquet_file_holds_the_scores(evaluate):
    evaluate("good.run", "-m", "AP", "-o", "s.parquet", "--quiet")
    assert Scores.load("s.parquet").mean() == {"good": {"AP": (AP["good", "1"] + AP["good", "2"]) / 2}}


def test_columns_of_other_names_are_named(campaign, invoke):
    (campaign / "odd.csv").write_text("q,d,s\n1,a,2.0\n")
    (campaign / "odd_qrels.csv").write_text("q,d,g\n1,a,1\n")
    argv = ["evaluate", "odd_qrels.csv", "odd.csv", "-m", "AP"]
    argv += ["--run-format", "csv", "--qrels-format", "csv"]
    named = ["--run-columns", "topic=q,doc=d,score=s", "--qrels-columns", "topic=q,doc=d,grade=g"]
    assert "no column for" in invoke(*argv, code=2).err
    assert invoke(*argv, *named).out.splitlines()[1].split("\t") == ["odd", "1.0000"]


@pytest.mark.usefixtures("campaign")
def test_trec_evals_sets_are_named_like_measures(invoke):
    header, values = (
        line.split("\t")
        for line in invoke(
            "evaluate", "qrels.txt", "good.run", "-m", "official", "--format", "tsv", "--quiet"
        ).out.splitlines()
    )
    assert header[:7] == ["run", "NumQ", "NumRet", "NumRel", "NumRelRet", "AP", "AP(average=geometric)"]
    assert len(header) == len(values) == 30


def test_formats_for_reading_have_runs_side_by_side_and_formats_for_programs_a_row_for_each_value(evaluate):
    assert evaluate("good.run", "poor.run", "-m", "AP RR", "-q", "--format", "markdown").out.splitlines() == [
        "| AP | good | poor |",
        "|---|---:|---:|",
        "| 1 | 0.8333 | 0.2500 |",
        "| 2 | 0.5000 | 0.0000 |",
        "| all | **0.6667** | 0.1250 |",
        "",
        "| RR | good | poor |",
        "|---|---:|---:|",
        "| 1 | 1.0000 | 0.5000 |",
        "| 2 | 0.5000 | 0.0000 |",
        "| all | **0.7500** | 0.2500 |",
    ]
    assert (
        evaluate("good.run", "-m", "AP RR", "-q", "--format", "markdown").out.splitlines()[0]
        == "| run | topic | AP | RR |"
    )
    for form in ("tsv", "csv", "jsonl"):
        assert len(
            evaluate("good.run", "poor.run", "-m", "AP RR", "-q", "--format", form).out.splitlines()
        ) == 2 * 2 * 3 + (form != "jsonl")


def test_a_baseline_shows_differences_and_worst_the_largest_losses(evaluate):
    arguments = ("poor.run", "good.run", "-m", "AP", "--baseline", "good.run", "--worst", "1")
    assert [line.split() for line in evaluate(*arguments, "--format", "table").out.splitlines()] == [
        ["AP", "good", "poor", "Δ", "poor"],
        ["1", "0.8333", "0.2500", "-0.5833"],
        ["all", "0.6667", "0.1250", "-0.5417"],
        [],
        ["The", "1", "of", "2", "topics", "where", "poor", "loses", "most", "against", "good."],
    ]
    rows = list(csv.DictReader(io.StringIO(evaluate(*arguments, "-m", "RR").out), delimiter="\t"))
    assert [(row["measure"], row["topic"], row["Δ poor"]) for row in rows] == [
        ("AP", "1", "-0.5833"),
        ("AP", "all", "-0.5417"),
        ("RR", "1", "-0.5000"),
        ("RR", "all", "-0.5000"),
    ]
    assert evaluate("good.run", "-m", "AP RR", "--worst", "1", "--format", "csv").out.splitlines()[:2] == [
        "topic,AP,RR",
        "2,0.5,0.5",
    ]


def test_the_tables_of_topics_have_labels_per_cent_and_a_caption(campaign, evaluate):
    (campaign / "labels.csv").write_text("good,BM25\nAP,MAP\n2,the second query\n")
    printed = ["--labels", "labels.csv", "--percent", "--second", "--caption", "Topics", "--table-label", "t"]
    text = evaluate("good.run", "poor.run", "-m", "AP RR", "-q", "--format", "latex", *printed).out
    assert r"MAP & BM25 & poor" in text
    assert "the second query & " in text
    assert r"\textbf{66.67}" in text
    assert r"\underline{12.50}" in text
    assert (text.count("Topics"), text.count(r"\label{t}")) == (1, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--baseline", "good"], "--baseline is for -q"),
        (["-q", "--baseline", "goood"], "no run here named 'goood' (did you mean good?)"),
        (["--worst", "0"], "--worst must be"),
        (["--worst", "3", "--format", "json"], "json has every topic and no differences; omit --worst"),
        (["-q", "--baseline", "good", "--format", "trec"], "omit --baseline, or choose a table"),
        (["--interval", "-q"], "--interval shows means with their intervals; leave it out, or -q"),
        (["--interval", "--format", "trec"], "leave it out, or --format trec"),
        (["--by", "topics.csv", "-q"], "--by shows means with their intervals; leave it out, or -q"),
        (["--interval", "--percent", "--format", "csv"], "csv with --interval has names and values as they"),
        (["--top", "x"], "--top must be"),
        (["--sort", "nDCG@7"], "no measure here named 'nDCG@7'"),
        (["--sort", "name", "--top", "1"], "best by a measure"),
    ],
)
@pytest.mark.usefixtures("campaign")
def test_options_on_topics_and_order_that_make_no_sense_are_refused(arguments, message, refused):
    assert message in refused("evaluate", "qrels.txt", "good.run", "poor.run", "-m", "AP", *arguments)


def test_segments_of_topics(evaluate, campaign):
    (campaign / "topics.jsonl").write_text('{"id": "2", "intent": "nav"}\n', encoding="utf-8")
    options = ("good.run", "poor.run", "-m", "AP", "--by", "topics.jsonl:intent")
    out, err = evaluate(*options, "--format", "tsv")
    assert out.splitlines()[3] == "intent=nav\t1\tgood\tAP\t0.5000\tnan\tnan"
    assert "note: intent=(no value) has 1 topic without a value of intent" in err
    segments = json.loads(evaluate(*options, "--format", "json").out)["segments"]
    assert segments["intent=nav"]["topics"] == ["2"]
    assert segments["intent=(no value)"]["mean"]["poor"]["AP"] == AP["poor", "1"]


def test_intervals_are_beside_the_means(tmp_path, invoke):
    values = {"a": [0.2, 0.4, 0.9], "b": [0.1, 0.3, 0.3]}
    scores = Scores.from_table(values, "AP")
    low, high = scores.interval()["a"]["AP"]
    table = scores.table(interval=True, percent=True, places=1)
    assert table.headers == ("run", "AP", "95 % interval")
    assert table.rows[0] == ["a", pytest.approx(50), f"[{100 * low:.1f},{100 * high:.1f}]"]
    assert table.best == {(0, 1)}
    assert "dash" not in table.note
    two = Scores.from_table({"a": [0.2, 0.4]}, "AP").table(interval=True)
    assert two.rows[0][2] == "–"
    assert " A dash: no useful interval, for fewer than 3 topics, equal " in two.note
    assert scores.to_csv(interval=True).splitlines()[1] == f"a,all,AP,0.5,{low},{high}"
    with pytest.raises(OptionError, match="intervals are those of means"):
        scores.table(interval=True, topics=True)
    files = [tmp_path / name for name in ("qrels", "run")]
    for file, line in zip(
        files, ("{0} 0 d 1\n{0} 0 e 1\n", "{0} Q0 d {0} 1 x\n{0} Q0 f 2 0.{0} x\n"), strict=True
    ):
        file.write_text("".join(map(line.format, (1, 2, 3))))
    printed = json.loads(invoke("evaluate", *files, "-m", "AP", "--interval", "--format", "json").out)
    assert printed["interval"] == {"run": {"AP": [None, None]}}  # the same value for every topic
    assert invoke("evaluate", *files, "-m", "AP", "--interval", "--quiet").out.splitlines() == [
        "run\ttopic\tmeasure\tvalue\tlow\thigh",
        "run\tall\tAP\t0.5000\tnan\tnan",
    ]


def test_limits_make_the_command_fail(evaluate, refused):
    err = evaluate("good.run", "-m", "RR", "--fail-if", "AP below 0.7", code=1).err
    assert "failed: AP below 0.7; good: 0.6667" in err
    assert "passed: AP below 0.6" in evaluate("good.run", "--fail-if", "AP below 0.6", "--quiet").err
    err = evaluate("good.run", "--fail-if", "AP below 0.6 on any topic", code=1).err
    assert "failed: AP below 0.6 on any topic; good: 1 topic, " in err
    out = evaluate("good.run", "-m", "map", "--names", "given", "--fail-if", "AP below 0.6").out
    assert out.splitlines()[0].split() == ["run", "map"]  # not AP as well
    assert "AP drops needs a baseline" in refused(
        "evaluate", "qrels.txt", "missing.run", "--fail-if", "AP drops"
    )  # before anything is read


def test_runs_are_sorted_by_a_measure_or_by_name_and_the_top_ones_are_counted(evaluate):
    def runs(*argv):
        captured = evaluate("poor.run", "good.run", "-m", "RR AP NumNonrelRet", *argv)
        return [line.split("\t")[0] for line in captured.out.splitlines()[1:]], captured.err

    assert runs()[0] == ["poor", "good"]
    assert runs("--sort", "map")[0] == ["good", "poor"]
    assert runs("--sort", "name")[0] == ["good", "poor"]
    assert runs("--sort", "NumNonrelRet", "--quiet") == (["poor", "good"], "")  # 1 of each, in their order
    shown, err = runs("--top", "1")
    assert shown == ["good"]
    assert "note: showing 1 of 2 runs, the best by RR" in err
    assert "of 2 runs" not in runs("--top", "2")[1]


def test_notes_are_about_the_runs_shown_and_the_baseline_is_shown_whether_or_not_it_is_a_top_run(
    campaign, evaluate
):
    (campaign / "other.run").write_text("1 Q0 other 1 2 t\n")
    files = ("good.run", "poor.run", "other.run", "-m", "RR")
    assert "note: other: " in evaluate(*files).err
    assert "other" not in evaluate(*files, "--top", "1").err
    captured = evaluate(*files, "--top", "1", "-q", "--baseline", "other", "--format", "csv")
    assert {"good", "other"} <= {*captured.out.replace("\n", ",").split(",")}
    assert "poor" not in captured.out
    assert "note: showing 1 of 3 runs, the best by RR, and the baseline\n" in captured.err
    assert "note: other: " in captured.err


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
@pytest.mark.parametrize("measures", ["AP", "AP RR P@10 nDCG@10 R@1000", "official"])
@pytest.mark.parametrize("runs", [1, 2, 10])
def test_no_line_of_a_terminal_is_broken(campaign, monkeypatch, columns, measures, runs, evaluate):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", str(columns))
    names = [f"run_of_team_{i}" for i in range(runs)]
    for name in names:
        (campaign / f"{name}.run").write_text(GOOD)
    for topics in ([], ["-q"]):
        output = re.sub(
            r"\x1b\[[0-9;]*m",
            "",
            evaluate(*(f"{name}.run" for name in names), "-m", measures, *topics, "--quiet").out,
        )  # without bold type
        assert max(map(len, output.splitlines())) <= columns
        assert all(name in output for name in names)
