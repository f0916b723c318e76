"""Studies and figures of packages that somebody else installed work from the command line like ours."""

import json

import pytest

import small
from other_packages import at, install

TOY = '''
"""One study and one figure."""

from rankgauge.campaigns.findings import Findings
from rankgauge.campaigns.registry import study
from rankgauge.extensions.pages.figures.drawing import Drawing, require
from rankgauge.extensions.pages.figures.registry import figure
from rankgauge.model.output.tables import Table


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
'''
BAD = '''
"""A study and a figure that fail."""

from rankgauge.campaigns.registry import study
from rankgauge.extensions.pages.figures.registry import figure


@study("bad-study", title="Bad study", cite="nobody", example="qrels.txt runs/*.run")
def bad_study(campaign):
    raise ValueError("out of ideas")


@figure("bad-figure", title="Bad figure", needs="scores", cite="nobody", example="-m AP", measures="AP")
def bad_figure(scores, style):
    raise ValueError("out of ideas")
'''
INPUTS = ("qrels.txt", "runs/*.run")


@pytest.fixture(scope="module")
def command(tmp_path_factory):
    """The command where a good package is installed, a failing one, and one that is absent."""
    site, folder = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("work")
    install(site, "toy_package", TOY)
    install(site, "bad_package", BAD)
    install(site, "aaa_absent", "", target="no_such_module")
    small.write(folder, topics=8, depth=20, systems=("bm25", "dense", "hybrid"))
    return at(site, folder)


@pytest.mark.parametrize(("kind", "noun"), [("study", "studies"), ("figure", "figures")])
def test_an_entry_is_listed_beside_a_package_that_cannot_be_loaded(kind, noun, command):
    listed, notes = command(kind, stream="both")
    assert f"toy-{kind}" in listed
    absent = "'no_such_module' cannot be loaded (ModuleNotFoundError: No module named 'no_such_module')"
    assert f"\n{notes}".count(f"\nnote: the {noun} of {absent}") == 1


def test_a_study_is_run(command):
    assert "There are 3 runs." in command("study", "toy-study", *INPUTS, "--quiet")


def test_a_figure_is_drawn(command):
    pytest.importorskip("altair")
    command("figure", "toy-figure", *INPUTS, "-o", "toy.json", "--quiet")
    spec = json.loads((command.folder / "toy.json").read_text())
    assert [point["run"] for point in spec["datasets"]["points"]] == ["bm25", "dense", "hybrid"]


@pytest.mark.parametrize(("kind", "options"), [("study", ()), ("figure", ("-o", "bad.json"))])
def test_what_fails_is_named_with_its_package(kind, options, command):
    message = command(kind, f"bad-{kind}", *INPUTS, *options, status=2, stream="stderr")
    assert f"{kind} bad-{kind} of the package bad_package failed (ValueError: out of ideas)" in message
    assert "bug" not in message
