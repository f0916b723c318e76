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
from rankgauge.figures.drawing import Drawing, require
from rankgauge.figures.registry import figure
from rankgauge.formats.registry import Format, register
from rankgauge.formats.row_reader import RowCollector
from rankgauge.model.tables import Table
from rankgauge.studies.findings import Findings
from rankgauge.studies.registry import study


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
GROUPS = ("measures", "tests", "corrections", "studies", "figures", "formats")


@pytest.fixture(scope="module")
def command(tmp_path_factory):
    """A function that runs `rankgauge` where the package is installed, and returns what it prints."""
    site, work = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("work")
    (site / "toy_package.py").write_text(TOY)
    info = site / "toy_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "".join(f"[rankgauge.{group}]\ntoy = toy_package\n\n" for group in GROUPS)
    )
    rankgauge.simulate(topics=8, depth=20, systems=3, seed=5).write(work)
    paths = os.pathsep.join([str(site), str(Path(rankgauge.__file__).parents[1])])

    def run(*arguments, status=0):
        done = subprocess.run(
            [sys.executable, "-m", "rankgauge", *arguments],
            cwd=work,
            env={**os.environ, "PYTHONPATH": paths},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == status, done.stderr
        return done.stdout

    run.folder = work
    return run


def test_a_measure_is_listed_described_and_evaluated(command):
    assert "ToyHits" in command("measures")
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


def test_a_package_that_cannot_be_loaded_is_named(command, tmp_path):
    (tmp_path / "broken-1.0.dist-info").mkdir()
    (tmp_path / "broken-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n"
    )
    (tmp_path / "broken-1.0.dist-info" / "entry_points.txt").write_text(
        "[rankgauge.measures]\nx = broken_x\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "rankgauge", "measures"],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(tmp_path), str(Path(rankgauge.__file__).parents[1])]),
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "the measures of 'broken_x' cannot be loaded" in done.stderr
    assert "Traceback" not in done.stderr
