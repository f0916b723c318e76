"""A package that somebody else installed adds one of everything: it works from the command line like ours."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import rankgauge

TOY = '''
"""One measure, test, correction, study, figure and format."""

import numpy as np

from rankgauge import measure
from rankgauge.comparison.registry import Outcome, correction, statistical_test
from rankgauge.extensions.pages.figures.drawing import Drawing, require
from rankgauge.extensions.pages.figures.registry import figure
from rankgauge.formats.files import Format, register
from rankgauge.formats.row_reader import RowCollector
from rankgauge.model.output.tables import Table
from rankgauge.campaigns.findings import Findings
from rankgauge.campaigns.registry import study


@measure("ToyHits", title="Toy hits", formula="hits(k)", cite="nobody", bounds=(0, float("inf")), binary=True)
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


@study("toy-study", title="Toy study", cite="nobody", example="qrels.txt runs/*.run")
def toy_study(campaign):
    """How many runs there are."""
    table = Table(("run",), [[run] for run in campaign.runs])
    return Findings((f"There are {len(campaign.runs)} runs.",), {"runs": table})


@figure("toy-figure", title="Toy figure", needs="scores", cite="nobody", example="-m AP", measures="AP")
def toy_figure(scores, style):
    """A point for each run."""
    alt = require("altair")
    rows = [[run, mean[scores.measures[0]]] for run, mean in scores.mean().items()]
    chart = alt.Chart(alt.NamedData("points")).mark_point().encode(x="value:Q", y="run:N")
    return Drawing(chart, {"points": Table(("run", "value"), rows)}, "Toy", "toy", ["Points."])


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
from rankgauge.extensions.pages.figures.registry import figure
from rankgauge.formats.files import Format, register
from rankgauge.measures.spec import Names
from rankgauge.campaigns.registry import study

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


@study("bad-study", title="Bad study", cite="nobody", example="qrels.txt runs/*.run")
def bad_study(campaign):
    raise ValueError("out of ideas")


@figure("bad-figure", title="Bad figure", needs="scores", cite="nobody", example="-m AP", measures="AP")
def bad_figure(scores, style):
    raise ValueError("out of ideas")


def fails(*_):
    raise ValueError("out of ideas")


BAD = register(Format("bad-format", "bad", ("run",), (".bad",), lambda *_: False, fails, fails))
'''
GROUPS = ("measures", "tests", "corrections", "studies", "figures", "formats")
SETS = TOY.replace(
    "binary=True)\ndef toy_hits", 'binary=True, names=Names(sets="toys graded"))\ndef toy_hits'
).replace("from rankgauge.model", "from rankgauge.measures.spec import Names\nfrom rankgauge.model", 1)


def install(site, name, content, target=None):
    """Install a package of one module, which adds to every registry."""
    (site / f"{name}.py").write_text(content)
    info = site / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "".join(f"[rankgauge.{group}]\n{name} = {target or name}\n\n" for group in GROUPS)
    )


MANY = """
import contextlib, io, json, sys
from rankgauge.cli.main import main
answers = []
for arguments in json.load(sys.stdin):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as messages:
        status = main(arguments)
    answers.append((status, messages.getvalue()))
print(json.dumps(answers))
"""  # commands in one process: starting one takes longer than running it


def at(site, work):
    """A function that runs `rankgauge` where the packages of a site are installed, and returns its output."""
    paths = os.pathsep.join([str(site), str(Path(rankgauge.__file__).parents[1])])

    def python(*arguments, **options):
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=work,
            env={**os.environ, "PYTHONPATH": paths},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            **options,
        )

    def run(*arguments, status=0, stream="stdout"):
        done = python("-m", "rankgauge", *arguments)
        assert done.returncode == status, done.stderr
        assert "Traceback" not in done.stderr
        return (done.stdout, done.stderr) if stream == "both" else getattr(done, stream)

    run.folder = work
    run.one_after_another = lambda commands: json.loads(python("-c", MANY, input=json.dumps(commands)).stdout)
    return run


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """A folder with judgments and runs."""
    folder = tmp_path_factory.mktemp("work")
    rankgauge.simulate(topics=8, depth=20, systems=3, seed=5).write(folder)
    return folder


@pytest.fixture(scope="module")
def command(tmp_path_factory, work):
    """The command where a good package is installed."""
    site = tmp_path_factory.mktemp("site")
    install(site, "toy_package", SETS)
    return at(site, work)


@pytest.fixture(scope="module")
def among_bad(tmp_path_factory, work):
    """The command where a good package is installed beside some that cannot be loaded, or fail when used."""
    site = tmp_path_factory.mktemp("bad_site")
    install(site, "aaa_absent", "", target="no_such_module")
    install(site, "bad_package", BAD)
    install(site, "leaving", "import sys\nsys.exit(0)\n")
    install(site, "toy_package", SETS)
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


def test_a_study_is_listed_and_run(command):
    assert "toy-study" in command("study")
    assert "There are 3 runs." in command("study", "toy-study", "qrels.txt", "runs/*.run", "--quiet")


def test_a_figure_is_listed_and_drawn(command):
    pytest.importorskip("altair")
    assert "toy-figure" in command("figure")
    command("figure", "toy-figure", "qrels.txt", "runs/*.run", "-o", "toy.json", "--quiet")
    spec = json.loads((command.folder / "toy.json").read_text())
    assert [point["run"] for point in spec["datasets"]["points"]] == ["bm25", "dense", "hybrid"]


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


@pytest.mark.parametrize(
    ("arguments", "entry", "noun"),
    [
        (("measures", "--all"), "ToyHits", "measures"),
        (("study",), "toy-study", "studies"),
        (("figure",), "toy-figure", "figures"),
    ],
)
def test_a_package_that_cannot_be_loaded_takes_no_other_with_it_and_is_named(
    arguments, entry, noun, among_bad
):
    listed, notes = among_bad(*arguments, stream="both")
    assert entry in listed
    for failure in (ABSENT, LEAVING, SYNTAX):
        assert f"\n{notes}".count(f"\nnote: the {noun} of {failure}") == 1


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
    assert "no measure is called 'ToyHit' (did you mean ToyHits?)" in message
    for failure in (ABSENT, LEAVING, SYNTAX):
        assert failure in message


FAILING = [
    (
        ("evaluate", "-m", "BadRaising"),
        "measure BadRaising of the package bad_package failed (ValueError: out of ideas)",
    ),
    (
        ("curve", "-m", "BadRaising"),
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
    (
        ("study", "bad-study"),
        "study bad-study of the package bad_package failed (ValueError: out of ideas)",
    ),
    (("figure", "bad-figure", "-o", "bad.json"), "figure bad-figure of the package bad_package failed"),
    (("convert", "runs/bm25.run", "x.bad"), "format bad-format of the package bad_package failed"),
    (("evaluate", "--run-format", "bad-format"), "format bad-format of the package bad_package failed"),
]


def in_full(verb, *options):
    """A command with the judgments and a run."""
    if verb in ("study", "figure"):
        return verb, options[0], "qrels.txt", "runs/bm25.run", *options[1:]
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
