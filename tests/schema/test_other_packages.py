"""A package that somebody else installed adds one of each thing: it works from the command line like ours."""

import json
import os

import pytest

import small
from other_packages import at, install

TOY = '''
"""One measure, test, correction and format."""

import numpy as np

from rankgauge import measure
from rankgauge.comparison.registry import Outcome, correction, statistical_test
from rankgauge.formats.files import Format, register
from rankgauge.formats.row_reader import RowCollector
from rankgauge.measures.spec import Names


@measure("ToyHits", title="Toy hits", formula="hits(k)", cite="nobody", bounds=(0, float("inf")), binary=True,
         names=Names(sets="toys graded"))
def toy_hits(j: "JudgedRankings") -> "Curve":
    """Relevant documents among the first k."""
    return j.hits


@statistical_test("toy-test", title="toy test", cite="nobody", statistic="none")
def toy_test(z, options):
    """Whether anything differs, which it always does a little."""
    p = np.full(len(z), 0.03)
    return Outcome(p * 0, p, ["a guess"] * len(z))


@correction("toy-correction", title="toy correction", cite="nobody")
def toy_correction(p):
    """Doubles every p."""
    return 2 * p


def read(source, request):
    rows = RowCollector(request.kind, request.keep)
    for number, line in enumerate(b"".join(source.chunks()).splitlines()[1:], 2):
        topic, doc, value = line.split(b"|")
        rows.add(number, topic, doc, float(value))
    return rows.columns(source.path, number)


def write(columns, out):
    out.write(b"%toy\\n")
    for topic, doc, value in zip(columns.topic, columns.doc, columns.numbers(), strict=True):
        out.write(topic + b"|" + doc + b"|" + repr(float(value)).encode() + b"\\n")


TOY = register(
    Format(
        "toy-format",
        "columns separated by pipes",
        ("run",),
        (".toy",),
        lambda source, _kind: source.head.startswith(b"%toy"),
        read,
        write,
        keeps=("value",),
    )
)
'''
BAD = '''
"""One of everything that fails when it is used, and measures that do what they must not."""

import sys

import numpy as np

from rankgauge import measure
from rankgauge.comparison.registry import correction, statistical_test
from rankgauge.formats.files import Format, register
from rankgauge.measures.spec import Names

FACTS = {"title": "Bad", "formula": "...", "cite": "nobody", "bounds": (0, 1)}


@measure("BadRaising", names=Names(sets="bad"), **FACTS)
def raising(j) -> "Curve":
    raise ValueError("out of ideas")


@measure("BadReading", **FACTS)
def reading(j) -> "Curve":
    return j.hits.map(lambda values: values["no such thing"])


@measure("BadExit", **FACTS)
def leaving(j) -> "Curve":
    sys.exit(0)


@measure("BadConstant", **FACTS)
def constant(j):
    return np.array([0.5])


@measure("BadWriting", **FACTS)
def writing(j) -> "Curve":
    j.grade[:] = 0
    return j.hits


@measure("BadSharing", **FACTS)
def sharing(j) -> "Curve":
    j.relevant[:] = False
    j.pool.sizes[:] = 1
    return j.hits


@statistical_test("bad-test", title="bad test", cite="nobody", statistic="none")
def bad_test(z, options):
    raise ValueError("out of ideas")


@correction("bad-correction", title="bad correction", cite="nobody")
def bad_correction(p):
    raise ValueError("out of ideas")


def fails(*_):
    raise ValueError("out of ideas")


BAD = register(Format("bad-format", "bad", ("run",), (".bad",), lambda *_: False, fails, fails))
'''


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """A folder with judgments and runs."""
    folder = tmp_path_factory.mktemp("work")
    small.write(folder, topics=8, depth=20, systems=("bm25", "dense", "hybrid"))
    return folder


@pytest.fixture(scope="module")
def command(tmp_path_factory, work):
    """The command where a good package is installed."""
    site = tmp_path_factory.mktemp("site")
    install(site, "toy_package", TOY)
    return at(site, work)


@pytest.fixture(scope="module")
def among_bad(tmp_path_factory, work):
    """The command where a good package is installed beside some that cannot be loaded, or fail when used."""
    site = tmp_path_factory.mktemp("bad_site")
    install(site, "aaa_absent", "", target="no_such_module")
    install(site, "bad_package", BAD)
    install(site, "leaving", "import sys\nsys.exit(0)\n")
    install(site, "toy_package", TOY)
    install(site, "zzz_syntax", "def (:\n")
    return at(site, work)


def test_a_measure_is_listed_described_and_evaluated(command):
    assert "ToyHits" in command("measures", "--all")
    assert "Relevant documents among the first k." in command("measures", "ToyHits")
    header, row = command(
        "evaluate", "qrels.txt", "runs/bm25.run", "-m", "ToyHits@5 P@5", "--quiet"
    ).splitlines()
    _, hits, precision = row.split("\t")
    assert header.split("\t")[1:] == ["ToyHits@5", "P@5"]
    assert float(hits) == pytest.approx(5 * float(precision), abs=1e-3)


def test_a_test_and_a_correction_are_chosen_by_name(command):
    options = ("--test", "toy-test", "--correction", "toy-correction", "--format", "json", "--quiet")
    found = json.loads(
        command("compare", "qrels.txt", "runs/bm25.run", "runs/dense.run", "-m", "AP", *options)
    )
    (pair,) = found["measures"][0]["pairs"]
    assert (pair["p"], pair["corrected"]) == (0.03, 0.06)


def test_a_format_is_written_recognised_and_evaluated(command):
    command("convert", "runs/bm25.run", "bm25.toy")
    assert (command.folder / "bm25.toy").read_bytes().startswith(b"%toy\n")
    os.rename(command.folder / "bm25.toy", command.folder / "bm25")  # noqa: PTH104
    ours, theirs = (
        command("evaluate", "qrels.txt", path, "-m", "AP nDCG@10", "--quiet")
        for path in ("runs/bm25.run", "bm25")
    )
    assert theirs == ours


@pytest.mark.parametrize("name", ["toys", "graded"])
def test_a_named_set_has_the_measures_of_other_packages_the_first_time(name, command):
    found = command("evaluate", "qrels.txt", "runs/bm25.run", "-m", name, "--quiet").splitlines()[0]
    assert "ToyHits" in found.split("\t")


ABSENT, LEAVING, SYNTAX = (
    "'no_such_module' cannot be loaded (ModuleNotFoundError: No module named 'no_such_module')",
    "'leaving' cannot be loaded (SystemExit: 0)",
    "'zzz_syntax' cannot be loaded (SyntaxError: ",
)


def test_a_package_that_cannot_be_loaded_takes_no_other_with_it_and_is_named(among_bad):
    listed, notes = among_bad("measures", "--all", stream="both")
    assert "ToyHits" in listed
    for failure in (ABSENT, LEAVING, SYNTAX):
        assert f"\n{notes}".count(f"\nnote: the measures of {failure}") == 1


def test_other_packages_work_beside_one_that_cannot_be_loaded(among_bad):
    evaluated = among_bad("evaluate", "qrels.txt", "runs/bm25.run", "-m", "ToyHits@5", "--quiet")
    assert evaluated.startswith("run\tToyHits@5\n")
    runs = ("runs/bm25.run", "runs/dense.run")
    among_bad(
        "compare", "qrels.txt", *runs, "-m", "AP", "--test", "toy-test", "--correction", "toy-correction"
    )
    among_bad("convert", "runs/bm25.run", "beside.toy")
    assert "beside" in among_bad("evaluate", "qrels.txt", "beside.toy", "-m", "AP", "--quiet")


def test_an_unknown_name_has_its_hint_and_the_packages_that_may_have_it(among_bad):
    message = among_bad("evaluate", "qrels.txt", "runs/bm25.run", "-m", "ToyHit@5", status=2, stream="stderr")
    assert "no measure named 'ToyHit' (did you mean ToyHits?)" in message
    for failure in (ABSENT, LEAVING, SYNTAX):
        assert failure in message


FAILING = [
    (
        ("evaluate", "-m", "BadRaising"),
        "measure BadRaising of the package bad_package failed (ValueError: out of ideas)",
    ),
    (
        ("evaluate", "--curve", "-m", "BadRaising"),
        "measure BadRaising of the package bad_package failed (ValueError: out of ideas)",
    ),
    (
        ("explain", "--topic", "101", "-m", "BadRaising"),
        "measure BadRaising of the package bad_package failed",
    ),
    (
        ("evaluate", "-m", "bad"),
        "measure BadRaising of the package bad_package failed (ValueError: out of ideas)",
    ),
    (
        ("evaluate", "-m", "BadReading"),
        "measure BadReading of the package bad_package failed (IndexError: ",
    ),
    (("evaluate", "-m", "BadExit"), "measure BadExit of the package bad_package failed (SystemExit: 0)"),
    (
        ("evaluate", "-m", "BadConstant"),
        "BadConstant has 1 values for 8 topics; its function must return",
    ),
    (("evaluate", "-m", "BadWriting"), "failed (ValueError: assignment destination is read-only)"),
    (
        ("compare", "runs/dense.run", "--test", "bad-test"),
        "test bad-test of the package bad_package failed",
    ),
    (
        ("compare", "runs/dense.run", "--correction", "bad-correction"),
        "correction bad-correction of the package",
    ),
    (("convert", "runs/bm25.run", "x.bad"), "format bad-format of the package bad_package failed"),
    (("evaluate", "--run-format", "bad-format"), "format bad-format of the package bad_package failed"),
]


def in_full(verb, *options):
    """A command with the judgments and a run."""
    return (verb, *options) if verb == "convert" else (verb, "qrels.txt", "runs/bm25.run", *options)


@pytest.fixture(scope="module")
def answers(among_bad):
    """{command: (exit code, messages)}."""
    commands = [arguments for arguments, _ in FAILING]
    found = among_bad.one_after_another([in_full(*arguments) for arguments in commands])
    return dict(zip(commands, found, strict=True))


@pytest.mark.parametrize(("arguments", "failure"), FAILING)
def test_what_fails_is_named_with_its_package_and_is_no_bug_of_rankgauge(arguments, failure, answers):
    status, message = answers[arguments]
    assert status == 2
    assert failure in message
    assert "bug" not in message
    assert "Traceback" not in message


def test_a_measure_cannot_change_the_values_of_others(among_bad):
    ours = "nDCG@10 P@5 AP ToyHits@5"
    alone, *beside = (
        among_bad("evaluate", "qrels.txt", "runs/bm25.run", "-m", f"{bad} {ours}", "--quiet").splitlines()[1]
        for bad in ("", "BadSharing", "BadSharing@5")
    )
    for values in beside:
        assert values.split("\t")[2:] == alone.split("\t")[1:]
