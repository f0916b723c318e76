"""The budget of the project: statements and files, imports, layers, words, and what one evaluation runs.

A change that needs more raises its row in the same commit, with the reason in a comment beside it. Statements
are nodes of the syntax tree without docstrings, so neither formatting nor comments change them.
"""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src" / "rankgauge"

PARTS = {  # {part: (statements, files) at most}
    # programs of formulas: a query of ten documents in 3 µs, not 190; and reading, writing runs in parts
    # and `--version` in 25 ms, not 32; validation of 330 MB in 84 MB, not 1.1 GB
    # and the reasons why human judgments decide nothing; differences by segment, tested twice and shrunken
    # and topics called like means; a step-down test of all pairs
    # and unjudged documents counted without looking at every rank; `--help` in 64 % of its time
    # and shapes of responses: eleven more clients, and those that users describe by paths
    # and several runs in one table; topics of lists that name none
    # and the first minute: causes of zeros with their mends, folders of runs, help, did-you-mean, displays
    # and the weighted reciprocal rank; a second column that is not said to name subtopics
    # and the runner of conformance, which other tools are tried with
    # and tables and progress drawn without a library of 8 MB; settings of a project; choices as types
    # and duplicates dropped while they are read, patterns that end; costs of runs and of documents
    "base": (24_980, 230),
    "devices": (5_180, 35),
    # and the forest plot of segments; defaults that draw something; answers to what is chosen; one loop
    # and a public leaderboard with metadata; lectures; each topic's bounds of what unjudged documents move
    "pages": (4_880, 43),
    # recommended items: coverage, novelty, diversity, exposure
    "items": (530, 8),
    # a demonstration; sweeps by default; findings of a page corrected together; more of them; risk;
    # reproductions of runs; decisions on other scales
    "studies": (3_560, 39),
    # safe verdicts where human judgments are few or agree; one k; shrunken means; plans; estimators
    # and ratings of answers by other tools, a guide for judging, the jackknife of estimated ideals
    "judging": (3_780, 32),
    # and engines that are asked for runs, costs of documents, more of ranx's fusion
    "tools": (2_220, 25),
}
# statements; real clients; verdicts not to be given; both cores; formulas as traps; the first minute
# and best moves by brute force, headlines; other tools' suites, packages alone, rehearsed releases, fuzzing
TESTS = 38_600
IMPORTS = 0.1255  # share of statements
# of JavaScript and CSS; headlines of what is chosen, judgments that change all views; lectures
SCRIPTS = 5_150
LAYERS = 13
# in Markdown files; decisions in batches; shapes of responses; error rates; first minute
# and recommenders, ratings, engines; what was tried and fell, and other tools' suites, in tables
WORDS = 68_000
WORDS_OF_DOCSTRINGS = 85_400  # and those of headlines and best moves, items, ratings
MODULES, FUNCTIONS = 69, 788  # that one evaluation of a small run loads, and runs; with cautions, settings

EVALUATION = """
import sys
seen = set()
def profile(frame, event, argument):
    if event == "call" and "rankgauge" in frame.f_code.co_filename:
        seen.add(frame.f_code)
sys.setprofile(profile)
from rankgauge.cli.main import main
status = main(["evaluate", "qrels.txt", "a.run", "-m", "nDCG@10"])
sys.setprofile(None)
modules = [name for name in sys.modules if name.split(".")[0] == "rankgauge"]
print(status, len(modules), len(seen), file=sys.stderr)
"""


def tracked(*suffixes):
    """The files of the project with these suffixes, below the root."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout: what belongs to the project is not known")
    paths = (ROOT / name for name in listed.stdout.splitlines())
    return [path for path in paths if path.suffix in suffixes and path.is_file()]


def modules(folder):
    """The syntax trees of the modules below a folder."""
    return [ast.parse(path.read_text("utf-8")) for path in tracked(".py") if path.is_relative_to(folder)]


def docstrings(tree):
    """The docstrings of a module, as nodes."""
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ]


def statements(tree):
    """The statements of a module, docstrings left out."""
    left_out = {*docstrings(tree)}
    return [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and node not in left_out]


def part_of(path):
    """The part of the package that a module belongs to."""
    folders = path.relative_to(SRC).parts
    return folders[1] if folders[0] == "extensions" and len(folders) > 2 else "base"


def test_every_part_keeps_to_its_budget():
    found = {part: [0, 0] for part in PARTS}
    for path in tracked(".py"):
        if path.is_relative_to(SRC):
            weight = found[part_of(path)]
            weight[0] += len(statements(ast.parse(path.read_text("utf-8"))))
            weight[1] += 1
    over = {
        part: weight
        for part, weight in found.items()
        if any(own > most for own, most in zip(weight, PARTS[part], strict=True))
    }
    assert not over


def test_tests_imports_scripts_and_layers_keep_to_their_budgets():
    assert sum(len(statements(tree)) for tree in modules(ROOT / "tests")) <= TESTS
    nodes = [node for tree in modules(SRC) for node in statements(tree)]
    imports = [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert len(imports) / len(nodes) <= IMPORTS
    scripts = [path for path in tracked(".js", ".css") if path.is_relative_to(SRC)]
    assert sum(len(path.read_text("utf-8").splitlines()) for path in scripts) <= SCRIPTS
    layers = re.search(r"^layers = \[(.*?)^\]", (ROOT / "pyproject.toml").read_text("utf-8"), re.M | re.S)
    assert len(re.findall('^ *"', layers[1], re.M)) <= LAYERS


def test_words_keep_to_their_budgets():
    assert sum(len(path.read_text("utf-8").split()) for path in tracked(".md")) <= WORDS
    words = (len(node.value.value.split()) for tree in modules(SRC) for node in docstrings(tree))
    assert sum(words) <= WORDS_OF_DOCSTRINGS


def test_one_small_evaluation_loads_and_runs_little(tmp_path):
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "a.run").write_text("1 Q0 a 1 2.0 a\n1 Q0 b 2 1.0 a\n")
    done = subprocess.run(
        [sys.executable, "-c", EVALUATION],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(SRC.parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    status, loaded, run = map(int, done.stderr.split()[-3:])
    assert status == 0
    assert loaded <= MODULES
    assert run <= FUNCTIONS
