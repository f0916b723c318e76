"""The budget of the project: statements and files per package, layers, and words of documentation.

A change that needs more raises its row in the same commit, with the reason in a comment beside it. Statements
are nodes of the syntax tree without docstrings, so neither formatting nor comments change them.
"""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src" / "rankgauge"

PACKAGES = {  # {package: (statements, files) at most}
    "": (66, 4),
    "schema": (600, 10),
    "core": (791, 12),
    "formats": (3_040, 24),  # responses of vector stores, titles and queries inside results
    "measures": (3_580, 40),  # five measures, exact ideals, names that other tools define differently
    "model": (3_569, 30),  # short answers, links, copies and their originals
    "engines": (4_451, 41),
    "evaluation": (2_473, 21),
    "comparison": (1_823, 17),  # one verdict, families of tests, a sentence for a paper
    "studies": (3_506, 35),  # rescued journals, recall by sampling
    "compat": (1_796, 23),
    "explanation": (1_891, 15),  # diffs without judgments; other measures for a target
    "figures": (1_877, 20),
    "explorer": (1_494, 17),  # one state for all views, search by words
    "reports": (1_473, 16),  # claims judged by intervals
    "cli": (2_360, 30),  # short help, intervals, limits in --fail-if
}
TESTS = 30_134  # statements in tests
SCRIPTS = 4_187  # lines of JavaScript and CSS
LAYERS = 12
WORDS = 80_000  # in Markdown files


def tracked(*suffixes):
    """The files of the project with these suffixes, below the root."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout: what belongs to the project is not known")
    paths = (ROOT / name for name in listed.stdout.splitlines())
    return [path for path in paths if path.suffix in suffixes and path.is_file()]


def statements(path):
    """The number of statements in a module, docstrings left out."""
    nodes = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.stmt)]
    docstrings = [
        node
        for node in nodes
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ]
    return len(nodes) - len(docstrings)


def modules(package):
    """The modules of a package; of the top one, those that are in no other."""
    files = [path.relative_to(SRC) for path in tracked(".py") if path.is_relative_to(SRC)]
    return [SRC / path for path in files if (path.parts[0] if len(path.parts) > 1 else "") == package]


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_keeps_to_its_budget(package):
    most, files = PACKAGES[package]
    found = modules(package)
    assert sum(map(statements, found)) <= most
    assert len(found) <= files


def test_every_package_has_a_budget():
    found = {path.relative_to(SRC).parts for path in tracked(".py") if path.is_relative_to(SRC)}
    assert {parts[0] if len(parts) > 1 else "" for parts in found} == set(PACKAGES)


def test_tests_scripts_layers_and_words_keep_to_their_budgets():
    tests = [path for path in tracked(".py") if path.is_relative_to(ROOT / "tests")]
    assert sum(map(statements, tests)) <= TESTS
    assert sum(len(path.read_text("utf-8").splitlines()) for path in tracked(".js", ".css")) <= SCRIPTS
    layers = re.search(r"^layers = \[(.*?)^\]", (ROOT / "pyproject.toml").read_text("utf-8"), re.M | re.S)
    assert len(re.findall('^ *"', layers[1], re.M)) <= LAYERS
    assert sum(len(path.read_text("utf-8").split()) for path in tracked(".md")) <= WORDS
