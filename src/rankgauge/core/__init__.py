"""The compiled core, or its pure-Python twin, chosen here.

Both have the names of `pure.__all__` and the same results, bit for bit. `RANKGAUGE_PURE=1` in the environment
selects the twin. Buffers go in and come out: bytes, memoryviews, arrays of int64 and float64; offsets of ids,
and the topics of a join's columns, may be int32.
"""

from __future__ import annotations

import os

NAME, NOT_COMPILED = "pure", ""  # the core in use; why there is no compiled one, if it is missing
if os.environ.get("RANKGAUGE_PURE", "") not in ("", "0"):
    from rankgauge.core.pure import *  # noqa: F403
else:
    try:
        from rankgauge.core._compiled import *  # type: ignore[import-not-found]  # noqa: F403

        NAME = "compiled"
    except ImportError as error:
        from pathlib import Path

        from rankgauge.core.pure import *  # noqa: F403

        NOT_COMPILED, recorded = str(error), Path(__file__).with_name("not_compiled.txt")
        if recorded.exists():  # setup.py writes why it could not be built
            NOT_COMPILED = recorded.read_text("utf-8").strip()
