"""Without the tool whose interface is asked for, the message names it and its extra."""

import importlib
import sys

import pytest

from rankgauge.errors import MissingDependency


@pytest.mark.parametrize("tool", ["sentence_transformers", "torchmetrics"])
def test_a_tool_that_is_not_installed_is_named_with_its_extra(tool, monkeypatch):
    module, place = f"rankgauge.compat.{tool}", f"rankgauge.extensions.devices.{tool}"
    for name in [name for name in sys.modules if name.startswith((f"{tool}.", module, place))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, tool, None)
    with pytest.raises(MissingDependency) as error:
        importlib.import_module(module)
    extra = tool.replace("_", "-")
    assert str(error.value) == (
        f"{module} needs {extra}, which is not installed; pip install 'rankgauge[{extra}]'"
    )
