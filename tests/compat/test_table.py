"""`rankgauge.compat` reaches every tool that it takes the place of, and imports none before it is used."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import rankgauge.compat
from rankgauge.errors import MissingDependency


def test_the_table_has_every_module():
    folder = Path(rankgauge.compat.__file__).parent
    modules = {
        path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert sorted(dir(rankgauge.compat)) == sorted(modules - {"__init__", "pytest_plugin"})
    with pytest.raises(AttributeError, match=r"no attribute 'galago'; it has .*pytrec_eval"):
        rankgauge.compat.galago  # noqa: B018


def test_modules_are_imported_when_they_are_used():
    program = (
        "import sys, rankgauge; before = {'numpy', 'rankgauge.compat'} & {*sys.modules}; "
        "compat = rankgauge.compat; "
        "before |= {name for name in sys.modules if name.startswith('rankgauge.compat.')}; "
        "print(before, compat.ranx.Run.__name__, compat.scikit_learn.ndcg_score.__name__, "
        "'ranx' in sys.modules, 'sklearn' in sys.modules, 'numba' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.split() == ["set()", "Run", "ndcg_score", "False", "False", "False"]


@pytest.mark.parametrize("tool", ["sentence_transformers", "torchmetrics"])
def test_a_tool_that_is_not_installed_is_named_with_its_extra(tool, monkeypatch):
    module = f"rankgauge.compat.{tool}"
    for name in [name for name in sys.modules if name.startswith((f"{tool}.", module))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, tool, None)
    with pytest.raises(MissingDependency) as error:
        importlib.import_module(module)
    extra = tool.replace("_", "-")
    assert str(error.value) == (
        f"{module} needs {extra}, which is not installed; pip install 'rankgauge[{extra}]'"
    )
