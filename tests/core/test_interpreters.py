"""The compiled core imported more than once, in one interpreter and in several."""

import importlib
import os
import subprocess
import sys

import pytest

from core.twins_of import compiled, joined, needs_compiled

pytestmark = needs_compiled

QRELS = {b"1": {b"a": 1.0, b"b": 0.0}}
RUN = [b"1 Q0 x 1 3 t\n", b"1 Q0 a 2 2 t\n"]
RULES = ("score", "docid_desc", "double", "error", False, False)


def ranks(core):
    return list(memoryview(joined(core, QRELS, RULES, RUN)["rank"]).cast("q"))


@pytest.fixture
def again(monkeypatch):
    """The compiled core, imported a second time."""
    monkeypatch.delitem(sys.modules, compiled.__name__)
    return importlib.import_module(compiled.__name__)


def test_a_second_import_leaves_the_first_one_working(again):
    assert again.Judgments is not compiled.Judgments
    for core in (compiled, again, compiled):
        assert ranks(core) == [2]


def test_a_join_takes_judgments_of_its_own_module(again):
    table = again.Judgments(b"", bytes(8), bytes(8), b"", bytes(8), b"", 0.0)
    with pytest.raises(TypeError, match="Judgments"):
        compiled.Join(table, *RULES)


# There is no public module for interpreters before Python 3.14, and the private one changes its names.
PROGRAM = """
import importlib, sys

sys.path[:0] = {path!r}
for name in ("concurrent.interpreters", "_interpreters", "_xxsubinterpreters"):
    try:
        interpreters = importlib.import_module(name)
        break
    except ImportError:
        pass
from core.test_interpreters import compiled, ranks

before = ranks(compiled)
for _ in range(3):
    if hasattr(interpreters, "run_string"):
        assert interpreters.run_string(interpreters.create(), {inner!r}) is None
    else:
        interpreters.create().exec({inner!r})
    assert ranks(compiled) == before
"""
INNER = """
import sys
from array import array

sys.path[:0] = {path!r}
import rankgauge.core as core

column = b"a", array("q", [0, 1])
table = core.Judgments(*column, array("q", [0, 1]), *column, array("d", [1.0]), 0.0)
join = core.Join(table, "score", "docid_desc", "double", "error", False, False)
join.feed(b"a Q0 x 1 3 t\\na Q0 a 2 2 t\\n")
with open({out!r}, "a") as out:
    print(core.NAME, list(memoryview(join.finish()["rank"]).cast("q")), file=out)
"""


def test_every_interpreter_has_a_core_of_its_own(tmp_path):
    inner = INNER.format(path=sys.path, out=str(tmp_path / "out"))
    program = PROGRAM.format(path=sys.path, inner=inner)
    environment = {**os.environ, "RANKGAUGE_PURE": ""}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)
    assert (tmp_path / "out").read_text() == "compiled [2]\n" * 3
