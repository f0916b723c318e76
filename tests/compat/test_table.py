"""`rankgauge.compat` reaches every tool that it takes the place of, and imports none before it is used."""

import subprocess
import sys
from pathlib import Path

import pytest

import rankgauge.compat
from rankgauge.schema.extensions import names


def test_the_table_has_every_module():
    folder = Path(rankgauge.compat.__file__).parent
    modules = {
        path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert sorted(dir(rankgauge.compat)) == sorted(
        modules - {"__init__", "pytest_plugin"} | {*names("compat")}
    )
    with pytest.raises(AttributeError, match=r"no attribute 'galago'; help"):
        rankgauge.compat.galago  # noqa: B018


def test_modules_are_imported_when_they_are_used():
    program = (
        "import sys, rankgauge; before = {'numpy', 'rankgauge.compat'} & {*sys.modules}; "
        "compat = rankgauge.compat; "
        "before |= {name for name in sys.modules if name.startswith('rankgauge.compat.')}; "
        "print(before, compat.scikit_learn.ndcg_score.__name__, 'sklearn' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.split() == ["set()", "ndcg_score", "False"]
