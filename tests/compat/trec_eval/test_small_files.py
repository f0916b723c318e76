"""Small files, which are evaluated without NumPy: the same lines and messages as with it."""

import os
import random
import subprocess
import sys

import pytest

from rankgauge.compat.trec_eval import output, values
from rankgauge.compat.trec_eval.columns import MEASURES, QRELS, Options, requested


def campaign(seed):
    """(judgments, a run) with ties, negative grades, unjudged documents, and topics of either alone."""
    chance = random.Random(seed)
    topics = [f"t{number}" for number in range(8)]
    grades = (-1, 0, 0, 1, 1, 2, 3) if seed % 3 else (0, 1, 0.5, 2)
    docs = [f"d{number}" for number in range(40)]
    qrels = [
        f"{topic} 0 {doc} {chance.choice(grades)}\n"
        for topic in topics[:7]
        for doc in chance.sample(docs, chance.randint(1, 25))
    ]
    run = [
        f"{topic} Q0 {doc} 0 {chance.randint(0, 6) / 2} a\n"
        for topic in topics[1:]
        for doc in chance.sample(docs, chance.randint(1, 30))
    ]
    return "".join(qrels), "".join(run)


@pytest.fixture(params=range(4))
def files(request, write):
    qrels, run = campaign(request.param)
    return write("qrels.txt", qrels), write("a.run", run)


@pytest.fixture
def both(trec_eval, monkeypatch):
    """What the command prints without NumPy, and with it; the former only if it can."""

    def run(*argv):
        computed = []

        def recording(*given):
            computed.append(values.compute_small(*given))
            return computed[-1]

        with monkeypatch.context() as patched:
            patched.setattr(output, "compute_small", recording)
            one = trec_eval(*argv)
        with monkeypatch.context() as patched:
            patched.setattr(output, "compute_small", lambda *_: None)
            return one, trec_eval(*argv), [values is not None for values in computed]

    return run


@pytest.mark.parametrize("options", [(), ("-c",), ("-J",), ("-l", "2"), ("--rules", "9"), ("-N", "500")])
@pytest.mark.parametrize("measures", ["official", "all_trec", "set"])
def test_the_lines_are_those_of_the_other_back_end(both, files, options, measures):
    some = [word for word in ("-m", measures) if measures != "all_trec"]
    if measures == "all_trec":  # which also has texts, that NumPy reads
        names = [name for name, entry in MEASURES.items() if entry.source == QRELS and name != "relstring"]
        names = [name for name in names if "9" not in options or MEASURES[name].since == 9]
        some = [word for name in names for word in ("-m", name)]
    one, other, small = both("-q", *options, *some, *files)
    assert one == other
    assert one.status == 0
    assert small == [True]


@pytest.mark.parametrize(
    "argv",
    [("-M", "3"), ("-q", "-m", "relstring"), ("-m", "ndcg.1=2,2=9"), ("-m", "utility.1"), ("-R", "qrels_jg")],
)
def test_the_rest_is_left_to_the_other_back_end(both, files, argv):
    one, other, small = both(*argv, *files)
    assert one == other
    assert small == [False]


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        ("1 0 a 1\n1 0 a 1\n", "1 Q0 a 1 1 x\n"),
        ("1 0 a 1\n", "1 Q0 a 1 1 x\n1 Q0 a 2 1 x\n"),
        ("1 0 a 1\n", "2 Q0 a 1 1 x\n"),
        ("1 0 a 1\n", "1 Q0 a 1 one x\n"),
        ("1 0 a 1\n", ""),
        ("", "1 Q0 a 1 1 x\n"),
        ("1 0 a one\n", "1 Q0 a 1 1 x\n"),
    ],
)
def test_the_errors_are_those_of_the_other_back_end(both, write, qrels, run):
    one, other, small = both(write("qrels.txt", qrels), write("a.run", run))
    assert one == other
    assert one.status
    assert small == [False]


def test_seven_columns_are_read_by_the_other_back_end(both, write):
    one, other, _ = both(write("qrels.txt", "1 0 a 1\n"), write("a.run", "1 Q0 a 1 1 x more\n"))
    assert one == other
    assert one.status == 0


def test_many_judgments_are_left_to_numpy(files, monkeypatch):
    options = Options(qrels=str(files[0]), run=str(files[1]))
    columns, _ = requested(options.measures, options.rules)
    assert values.compute_small(options, columns) is not None
    monkeypatch.setattr("rankgauge.evaluation.program_back_end.MAX_JUDGMENT_BYTES", 5)
    assert values.compute_small(options, columns) is None


def test_a_small_run_needs_no_numpy(files):
    slow = ("numpy", "dataclasses", "inspect", "threading", "json", "pathlib")
    code = (
        "import sys; from rankgauge.cli.main import main; main(['trec_eval', *sys.argv[1:]]); "
        f"print([name for name in {slow} if name in sys.modules])"
    )
    command = [sys.executable, "-S", "-c", code, *map(str, files)]
    paths = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert done.stdout.splitlines()[-1] == "[]"
