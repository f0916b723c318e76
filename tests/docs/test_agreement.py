"""The page on agreement with other tools includes every comparison."""

import ast

import pytest

import pages

MODULES = sorted((pages.ROOT / "tests" / "agreement").glob("test_*.py"))


def comparing(module):
    """The names of the tests that compare values."""
    functions = [node for node in ast.parse(module.read_text()).body if isinstance(node, ast.FunctionDef)]
    return [
        f.name
        for f in functions
        if f.name.startswith("test_") and {"agree", "record_property"} & {a.arg for a in f.args.args}
    ]


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_every_comparison_is_on_the_page(module, monkeypatch):
    script = pages.script("agreement", monkeypatch)
    page = pages.read("docs/reference/agreement.md")
    assert comparing(module)
    for name in comparing(module):
        assert f"| {script.sentence(name)} |" in page, f"{name}: run python docs/agreement.py"
