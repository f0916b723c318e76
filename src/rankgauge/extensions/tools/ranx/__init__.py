"""The interface of ranx: `Qrels`, `Run`, `evaluate`, `compare` and `fuse`, computed by rankgauge.

    from rankgauge.compat.ranx import Qrels, Run, evaluate, compare, fuse

Metric names, arguments and the shapes of results are those of ranx 0.3.
`docs/how-to/from-python-tools.md` lists where values differ, and why.
"""

from typing import Any, NoReturn

from rankgauge.errors import OptionError
from rankgauge.extensions.tools.ranx.evaluation import Report, compare, evaluate
from rankgauge.extensions.tools.ranx.fusion import fuse, normalize, optimize_fusion
from rankgauge.extensions.tools.ranx.tables import LEFT_OUT, Qrels, Run

__all__ = ["Qrels", "Report", "Run", "compare", "evaluate", "fuse", "normalize", "optimize_fusion", "plot"]


def _left_out(*_: Any, **__: Any) -> NoReturn:
    raise OptionError(LEFT_OUT)


plot = _left_out
