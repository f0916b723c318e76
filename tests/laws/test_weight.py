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
    "": (71, 4),
    "schema": (627, 10),  # missing packages by name, threads where none start; indented JSON of many records
    "core": (808, 12),  # why a compiled core is missing; lines of topics
    "formats": (3_443, 29),  # texts in results; folders; nuggets; blocks of topics; tiny files of many rows
    "measures": (3_733, 42),  # exact ideals, definitions of other tools, sampled pools, empty answers
    "model": (4_435, 37),  # corrected LLM judgments; segments by dicts, judged spans; ranks in less memory
    "engines": (4_699, 42),  # several strata; faster tiles on a GPU; large ties; dicts; blocks of topics
    "evaluation": (3_213, 26),  # human beside LLM judgments; fusion of large files, nuggets; values of a loop
    "comparison": (2_411, 25),  # one verdict, families of tests; baselines, equivalence, segments
    "studies": (4_030, 41),  # rescued journals, recall by sampling; judges against people, samples of pools
    "compat": (2_225, 31),  # a fixture of pytest; definitions, arrays, fusion, evaluators of other tools
    "explanation": (2_118, 17),  # diffs without judgments or of scores, in blocks; explanations without NumPy
    "figures": (1_922, 20),  # numbered columns, tables with intervals
    "explorer": (1_809, 20),  # one state, search; why two rankings differ, judges, saved rankings with texts
    "reports": (1_477, 16),  # claims judged by intervals, pages for phones
    "cli": (2_751, 36),  # short help, --fail-if; judges, human judgments; baseline, fuse, nuggets, --by
}
TESTS = 34_707  # statements in tests
SCRIPTS = 5_265  # lines of JavaScript and CSS; Ranking explains why, Topics has plots of segments
LAYERS = 12
WORDS = 65_000  # in Markdown files; pages on segments, nuggets, passages and fusion


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
