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
    "": (68, 4),
    "schema": (600, 10),
    "core": (795, 12),  # why a compiled core is missing
    "formats": (3_080, 25),  # responses of vector stores, texts inside results, judgments with strata
    "measures": (3_730, 42),  # exact ideals, definitions of other tools, seven measures of sampled pools
    "model": (3_976, 33),  # short answers; LLM judgments corrected by human ones, samples of topics
    "engines": (4_454, 41),  # documents in several strata
    "evaluation": (2_514, 22),  # human judgments beside those of an LLM
    "comparison": (1_857, 18),  # one verdict, families of tests, a sentence for a paper, corrected t
    "studies": (3_966, 37),  # rescued journals, recall by sampling; judges against people, samples of pools
    "compat": (1_796, 23),
    "explanation": (1_905, 15),  # diffs without judgments; other measures for a target
    "figures": (1_922, 20),  # numbered columns, tables with intervals
    "explorer": (1_744, 19),  # one state, search; why two rankings differ, judges, saved rankings with texts
    "reports": (1_476, 16),  # claims judged by intervals, pages for phones
    "cli": (2_493, 31),  # short help, limits in --fail-if; judges, human judgments, samples and requests
}
TESTS = 31_808  # statements in tests
SCRIPTS = 4_481  # lines of JavaScript and CSS; Ranking explains why
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
