"""Examples in docstrings run, and say what happens."""

import doctest
import importlib
import pkgutil
from contextlib import suppress

import pytest

import rankgauge
from rankgauge.errors import MissingDependency, MissingExtension
from rankgauge.schema.extensions import is_installed

# Libraries that are not part of what the tests install.
OPTIONAL = {"ir_measures", "sentence_transformers", "torch", "torchmetrics", "triton"}


def can_be_imported(name):
    """Whether a module can be imported; if not, an optional library is missing."""
    try:
        importlib.import_module(name)
    except MissingDependency:
        return False
    except ModuleNotFoundError as error:
        if error.name.partition(".")[0] not in OPTIONAL:
            raise
        return False
    return True


MODULES = [
    module.name
    for module in pkgutil.walk_packages(rankgauge.__path__, "rankgauge.", onerror=can_be_imported)
    if not module.name.endswith(("._compiled", ".__main__")) and can_be_imported(module.name)
]
WITH_EXAMPLES = [
    name
    for name in MODULES
    if any(test.examples for test in doctest.DocTestFinder().find(importlib.import_module(name)))
]


# Their examples need an extension.
EXTENDED = {"rankgauge.campaigns.collections": "studies", "rankgauge.evaluation.evaluator": "devices"}


@pytest.mark.parametrize(
    "name", [name for name in WITH_EXAMPLES if name not in EXTENDED or is_installed(EXTENDED[name])]
)
def test_the_examples_of_a_module_run_as_written(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0
    assert result.failed == 0


def test_the_main_verbs_have_examples():
    assert "rankgauge.evaluation.evaluator" in WITH_EXAMPLES
    finder = doctest.DocTestFinder(recurse=False)
    for verb in (rankgauge.evaluate, rankgauge.curves, rankgauge.Evaluator):
        assert any(test.examples for test in finder.find(verb)), verb


def test_every_public_name_is_there_and_documented():
    for name in rankgauge.__all__:
        with suppress(MissingExtension):
            assert getattr(rankgauge, name).__doc__, name
