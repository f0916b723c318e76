"""Examples in docstrings run, and say what happens."""

import doctest
import importlib.util
import pkgutil

import pytest

import rankgauge

# What a module imports, installed or not.
NEEDS = {
    "rankgauge.compat.ir_measures.provider": ["ir_measures"],
    "rankgauge.compat.sentence_transformers": ["torch", "sentence_transformers"],
    "rankgauge.compat.torchmetrics": ["torch", "torchmetrics"],
    "rankgauge.engines.vectors.triton_arithmetic": ["triton"],
    "rankgauge.engines.vectors.triton_kernels": ["triton"],
}
MODULES = [
    module.name
    for module in pkgutil.walk_packages(rankgauge.__path__, "rankgauge.")
    if not module.name.endswith(("._compiled", ".__main__"))
    and all(map(importlib.util.find_spec, NEEDS.get(module.name, [])))
]
WITH_EXAMPLES = [
    name
    for name in MODULES
    if any(test.examples for test in doctest.DocTestFinder().find(importlib.import_module(name)))
]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_of_a_module_run_as_written(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0
    assert result.failed == 0


def test_the_main_verbs_have_examples():
    assert "rankgauge.evaluation.evaluator" in WITH_EXAMPLES
    finder = doctest.DocTestFinder(recurse=False)
    for verb in (rankgauge.evaluate, rankgauge.curves, rankgauge.Evaluator, rankgauge.FixedCandidates):
        assert any(test.examples for test in finder.find(verb)), verb


def test_every_public_name_is_there_and_documented():
    for name in rankgauge.__all__:
        assert getattr(rankgauge, name).__doc__, name
