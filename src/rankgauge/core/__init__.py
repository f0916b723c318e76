"""The compiled core, or its pure-Python twin: the one place that chooses.

Both have the names of `pure.__all__` and the same results, bit for bit. `RANKGAUGE_PURE=1` in the
environment selects the twin. Buffers go in and come out (bytes, memoryviews, NumPy arrays of
int64 and float64; offsets of ids, and the topics of a join's columns, may be int32); nothing in
here needs NumPy.
"""

from __future__ import annotations

import os

try:
    if os.environ.get("RANKGAUGE_PURE", "") not in ("", "0"):
        raise ImportError("the twin is asked for")
    from rankgauge.core._compiled import *  # type: ignore[import-not-found]  # noqa: F403

    NAME = "compiled"
except ImportError:  # or the compiled core could not be built here
    from rankgauge.core.pure import *  # noqa: F403

    NAME = "pure"
