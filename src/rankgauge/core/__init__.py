"""The compiled core, or its pure-Python twin: the one place that chooses.

Both have the same functions and the same results, bit for bit. `RANKGAUGE_PURE=1` in the
environment selects the twin. Buffers go in and come out (bytes, memoryviews, NumPy arrays of
int64 and float64; offsets of ids, and the topics of a join's columns, may be int32); nothing in
here needs NumPy.
"""

from __future__ import annotations

import os

try:
    if os.environ.get("RANKGAUGE_PURE", "") not in ("", "0"):
        raise ImportError("the twin is asked for")
    from rankgauge.core._compiled import (  # type: ignore[import-not-found]
        FixedCandidates,
        Join,
        Judgments,
        Table,
        cumulate,
        dots,
        duplicates,
        encode,
        encode_views,
        gather_hits,
        near,
        near_differences,
        pack_views,
        permuted_sums,
        ranks,
        sort_judgments,
        take,
    )

    NAME = "compiled"
except ImportError:  # or the compiled core could not be built here
    from rankgauge.core.pure import (
        FixedCandidates,
        Join,
        Judgments,
        Table,
        cumulate,
        dots,
        duplicates,
        encode,
        encode_views,
        gather_hits,
        near,
        near_differences,
        pack_views,
        permuted_sums,
        ranks,
        sort_judgments,
        take,
    )

    NAME = "pure"

__all__ = [
    "NAME",
    "FixedCandidates",
    "Join",
    "Judgments",
    "Table",
    "cumulate",
    "dots",
    "duplicates",
    "encode",
    "encode_views",
    "gather_hits",
    "near",
    "near_differences",
    "pack_views",
    "permuted_sums",
    "ranks",
    "sort_judgments",
    "take",
]
