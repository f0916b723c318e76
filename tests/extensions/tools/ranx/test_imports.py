"""The interface of ranx needs neither ranx nor numba."""

import subprocess
import sys


def test_ranx_is_not_imported():
    program = (
        "import sys, rankgauge.compat; "
        "print(rankgauge.compat.ranx.Run.__name__, {'ranx', 'numba'} & {*sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.split() == ["Run", "set()"]
