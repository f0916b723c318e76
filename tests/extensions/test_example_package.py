"""The example of a package that adds to rankgauge: a measure, a command, a figure and a view."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import tomllib

import rankgauge
from extensions.pages.explorer.small import QRELS, RUNS
from extensions.pages.explorer.visiting import one, opened, texts, visit

PACKAGE = Path(__file__).parents[2] / "examples" / "multihop"
SAVE = f"""
import rankgauge
rankgauge.explore({QRELS!r}, {RUNS!r}, "AP").save("page.html")
"""


def install(site):
    """Declare the package in a folder of packages, as an installation from its pyproject.toml does."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    info = site / "rankgauge_multihop-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 1.0\n")
    lines = [
        line
        for group, entries in project["entry-points"].items()
        for line in (f"[{group}]", *(f"{name} = {place}" for name, place in entries.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines))


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """A function that runs Python where the package is installed."""
    site = tmp_path_factory.mktemp("site")
    install(site)
    paths = [site, PACKAGE / "src", Path(rankgauge.__file__).parents[1]]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}

    def run(*arguments):
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=site,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run.folder = site
    return run


def test_the_tests_of_the_package_pass(python):
    python("-m", "pytest", "-q", "-p", "no:cacheprovider", str(PACKAGE / "tests"))


def test_what_it_adds_is_listed(python):
    assert "AllFound" in python("-m", "rankgauge", "measures", "--all")
    assert "multihop" in python("-m", "rankgauge", "--help")
    assert "complete" in python("-m", "rankgauge", "figure")


def test_its_view_opens_in_a_browser(python, browser):
    python("-c", SAVE)
    with opened(browser, (python.folder / "page.html").as_uri()):
        assert "Multi-hop" in texts(browser, "header nav a")
        visit(browser, "/multihop")
        assert sorted(texts(browser, "main tbody th")) == sorted(RUNS)
        assert one(browser, "main table").is_displayed()
