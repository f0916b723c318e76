"""The command prints the same, byte for byte, with either back end."""

import gzip
import os
import subprocess
import sys
import threading

import pytest

import rankgauge
from rankgauge.cli.main import main
from rankgauge.evaluation import evaluator, program_back_end

QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 1\n2 0 z -1\n3 0 a 0\n10 0 <b>é</b> 3\n"
RUN = """\
10 Q0 <b>é</b> 1 1.0 tag
10 Q0 x 2 1.0 tag
1 Q0 c 1 3.0 tag
1 Q0 b 2 2.0 tag
1 Q0 a 3 2.0 tag
2 Q0 x 1 2.0 tag
2 Q0 a 2 1.0 tag
9 Q0 a 2 1.0 tag
"""
FORMATS = ("table", "tsv", "csv", "json", "jsonl", "markdown", "latex", "html", "trec")
MEASURES = "AP P@10 nDCG(base=10)@2 RR R(average=micro)@1 FirstRank Judged@3 Bpref"


@pytest.fixture
def outcomes(tmp_path, monkeypatch, capfd):
    """A function of arguments and files that compares both back ends and returns (code, output, messages).

    Programs alone must have been used, or not.
    """
    monkeypatch.chdir(tmp_path)

    def outcomes(*argv, small=True, code=0, **contents):
        for name, content in {"qrels": QRELS, "run": RUN, **contents}.items():
            data = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
            (tmp_path / f"{name}.txt").write_bytes(data)
        had = []
        evaluate = evaluator.evaluate_small

        def noted(*inputs, **options):
            scores = evaluate(*inputs, **options)
            had.append(scores is not None)
            return scores

        both = []
        for path in (noted, lambda *_, **__: None):
            monkeypatch.setattr(evaluator, "evaluate_small", path)
            both.append((main(["evaluate", *argv]), *capfd.readouterr()))
        monkeypatch.setattr(evaluator, "evaluate_small", evaluate)
        assert both[0] == both[1]
        assert (both[0][0], had == [True]) == (code, small)
        return both[0]

    return outcomes


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("more", [[], ["-q"], ["-q", "--missing", "skip", "--undefined", "skip"]])
def test_every_format_is_the_same(outcomes, form, more):
    argv = "qrels.txt", "run.txt", "-m", MEASURES, "--format", form, *more
    outcomes(*argv, run=RUN.replace("x 2 1.0", "x 2 0.5").replace("b 2 2.0", "b 2 2.5"))


def test_ties_are_noted(outcomes):
    ours = outcomes("qrels.txt", "run.txt", "-m", MEASURES)
    assert "could change a score" in ours[2]


@pytest.mark.parametrize(
    "more",
    [[], ["--sort", "AP"], ["--top", "1"], ["--names", "given"], ["--sort", "name", "--format", "json"]],
)
def test_several_runs_are_selected_and_renamed(outcomes, more):
    argv = "qrels.txt", "run.txt", "other.txt", "-q", "-m", "R(average=micro)@2 map AP RR", *more
    outcomes(*argv, other="1 Q0 a 1 3 t\n2 Q0 a 1 3 t\n10 Q0 x 1 3 t\n")


@pytest.fixture
def large_runs(monkeypatch):
    """The run of these tests is large, and has several parts."""
    monkeypatch.setattr("rankgauge.engines.local.trec_files.MIN_PART", 16)


@pytest.mark.parametrize("lines", [RUN, "\n".join(sorted(RUN.splitlines(), key=lambda line: line[::-1]))])
def test_a_large_run_is_read_in_parts(outcomes, large_runs, lines):
    argv = "qrels.txt", "run.txt", "-m", "AP P@10 RR nDCG@2", "-q", "--threads", "3"
    outcomes(*argv, run=lines)


@pytest.fixture
def unread(monkeypatch):
    """No run is read before it is known that there are programs for all measures."""

    def fail(*_):
        raise AssertionError("it was read")

    monkeypatch.setattr(program_back_end.ProgramBackEnd, "retrieve", fail)


@pytest.mark.usefixtures("unread")
def test_a_run_that_would_have_to_be_read_again_is_left_to_arrays(outcomes):
    outcomes("qrels.txt", "run.txt", "-m", "AP ESL", small=False)


@pytest.mark.parametrize(
    "contents",
    [
        {"run": "\ufeff# a comment\n\n" + RUN.replace("\n", "\r\n").replace(" ", " \t")},
        {"run": "\n".join(sorted(RUN.splitlines(), key=lambda line: line[::-1]))},
        {"run": gzip.compress(RUN.encode()), "qrels": gzip.compress(QRELS.encode())},
        {"run": RUN.replace("a", "\udcff\x1b[31m"), "qrels": QRELS.replace("a", "\udcff\x1b[31m")},
        {"qrels": "\n".join(sorted(QRELS.splitlines(), reverse=True))},
    ],
    ids=["dressed up", "interleaved", "compressed", "hostile ids", "unsorted judgments"],
)
def test_awkward_files_are_the_same(outcomes, contents):
    outcomes("qrels.txt", "run.txt", "-q", **contents)


@pytest.mark.parametrize(
    ("contents", "argv"),
    [
        ({"run": ""}, []),
        ({"qrels": ""}, []),
        ({"run": "# nothing\n"}, []),
        ({"run": RUN + "1 Q0 c 9 1.0\n"}, []),
        ({"run": RUN + "2 Q0 y 9 nan tag\n"}, []),
        ({"run": RUN + "2 Q0 y 9 many tag\n"}, []),
        ({"run": RUN + "9 Q0 a 9 1.0 tag\n"}, []),
        ({"run": RUN + "2 Q0 y\0 9 1.0 tag\n"}, []),
        ({"run": RUN.replace("10 Q0", "77 Q0").replace("1 Q0", "78 Q0").replace("2 Q0", "79 Q0")}, []),
        ({"qrels": QRELS + "1 0 a 1\n"}, []),
        ({"qrels": QRELS + "1 0 x inf\n"}, []),
        ({"qrels": QRELS + "1 0 x\n"}, []),
        ({"run": gzip.compress(RUN.encode(), mtime=0)[:-9]}, []),
        ({"run": b"PK\x03\x04" + bytes(40) + RUN.encode()}, []),
        ({}, ["run.txt"]),
        ({}, ["nowhere.txt"]),
        ({}, ["no*pattern"]),
        ({}, ["-m", "nDCG@0"]),
        ({}, ["-m", "nDGC@5"]),
        ({}, ["-m", "nDCG(gains={1:1})@5"]),
        ({}, ["-m", "ERR(max_rel=1)"]),
        ({}, ["-m", "Fallout(docs=1)"]),
        ({"run": RUN.replace(" 2 ", " two ")}, ["--order", "rank"]),
        ({}, ["--run-format", "csv"]),
        ({}, ["--qrels-columns", "topic=q"]),
    ],
)
def test_problems_are_reported_alike(outcomes, contents, argv):
    outcomes("qrels.txt", "run.txt", *argv, small=False, code=2, **contents)


@pytest.mark.parametrize(
    ("contents", "argv"),
    [
        ({"run": "query_id,doc_id,score\n1,a,2\n1,b,1\n"}, []),
        ({"run": '{"1": {"a": 2, "b": 1}}'}, []),
        ({"qrels": QRELS + "1 0 a 3\n"}, ["--duplicates", "max"]),
        ({}, ["-m", "ESL AP"]),
        ({}, ["-m", "Twist(N=5) AP"]),
        ({}, ["--ties", "average"]),
    ],
    ids=["CSV", "JSON", "duplicates", "other words", "lists", "orders"],
)
def test_what_is_not_for_programs_is_the_same(outcomes, contents, argv):
    outcomes("qrels.txt", "run.txt", *argv, small=False, **contents)


def test_a_record_is_the_same(tmp_path):
    qrels, run = (str(tmp_path / name) for name in ("qrels.txt", "run.txt"))
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "run.txt").write_text(RUN)
    expected = [*map(repr, rankgauge.evaluate(qrels, run, MEASURES).long_table().rows)]
    for name in ("scores.json", "scores.parquet"):
        path = str(tmp_path / name)
        assert main(["evaluate", qrels, run, "-q", "-m", MEASURES, "-o", path]) == 0
        assert [*map(repr, rankgauge.Scores.load(path).long_table().rows)] == expected


def test_duplicates_of_a_run_are_left_out_alike(outcomes):
    again = RUN + "9 Q0 b 9 1.0 tag\n1 Q0 b 4 9.0 tag\n"
    for rule in ("first", "max"):
        outcomes("qrels.txt", "run.txt", "--duplicates", rule, run=again)


def test_what_has_many_judgments_is_the_same(outcomes, monkeypatch):
    monkeypatch.setattr(program_back_end, "MAX_JUDGMENT_BYTES", 10)
    outcomes("qrels.txt", "run.txt", small=False)


def test_a_pipe_is_read_once(tmp_path, monkeypatch, capfd):
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "run.txt").write_text(RUN)
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_text(RUN))
    writer.start()
    assert main(["evaluate", "qrels.txt", "pipe", "--quiet"]) == 0
    writer.join()
    piped = capfd.readouterr().out
    assert main(["evaluate", "qrels.txt", "run.txt", "--quiet"]) == 0
    assert piped.replace("pipe", "run") == capfd.readouterr().out


# What Python itself has and a small run does without; each takes as long to import as many a run to evaluate.
SLOW = (
    *("numpy", "dataclasses", "inspect", "fractions", "decimal", "threading", "json", "pathlib", "platform"),
    *("tempfile", "shutil", "textwrap", "difflib", "traceback"),
)
# A TypedDict, a NamedTuple or a TypeVar compiles annotations that are texts: the first takes 2 ms. Regular
# expressions are compiled when they are used.
SCRIPT = f"""
import re, sys, typing
compiled, compile = [], re.compile
re.compile = lambda text, flags=0: compiled.append(text) or compile(text, flags)
sys.addaudithook(
    lambda event, of: compiled.append(of[0]) if event == "compile" and of[1] == "<string>" else None
)
import argparse, rankgauge.core, rankgauge.cli.parser
del compiled[:]
import rankgauge.cli.evaluate, rankgauge.evaluation.program_back_end
print(compiled, file=sys.stderr)
from rankgauge.cli.main import main
status = main(sys.argv[1:])
print([name for name in {SLOW} if name in sys.modules], file=sys.stderr)
sys.exit(status)
"""


@pytest.mark.parametrize(
    ("command", "slow"),
    [
        (["evaluate"], []),
        (["evaluate", "-q", "-m", "nDCG@10 AP P@5,10"], []),
        (["evaluate", "--sort", "AP"], []),
        (["evaluate", "--format", "json"], ["json"]),
    ],
)
def test_a_small_run_does_not_wait_for_what_it_does_not_need(tmp_path, command, slow):
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "run.txt").write_text(RUN)
    command = [sys.executable, "-S", "-c", SCRIPT, *command, "qrels.txt", "run.txt", "--quiet"]
    paths = os.pathsep.join(path for path in sys.path if path)
    environment = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0
    assert done.stderr.splitlines() == ["[]", str(slow)]
