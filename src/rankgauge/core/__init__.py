"""The compiled core, or its pure-Python twin: the one place that chooses.

Both have the same functions and the same results, bit for bit. `RANKGAUGE_PURE=1` in the
environment selects the twin. Buffers go in and come out (bytes, memoryviews, NumPy arrays of
int64 and float64; offsets of ids, and the topics of a join's columns, may be int32); nothing in
here needs NumPy.
"""

from __future__ import annotations

import importlib
import os
from typing import Any


def _choose() -> Any:
    if os.environ.get("RANKGAUGE_PURE", "") in ("", "0"):
        try:
            return importlib.import_module("rankgauge.core._compiled")
        except ImportError:  # it could not be built here
            pass
    return importlib.import_module("rankgauge.core.pure")


_chosen = _choose()
NAME: str = "pure" if _chosen.__name__.endswith("pure") else "compiled"

Judgments = _chosen.Judgments
Join = _chosen.Join
Table = _chosen.Table
FixedCandidates = _chosen.FixedCandidates
take = _chosen.take
encode = _chosen.encode
cumulate = _chosen.cumulate
dots = _chosen.dots
duplicates = _chosen.duplicates
near = _chosen.near
near_differences = _chosen.near_differences
permuted_sums = _chosen.permuted_sums
ranks = _chosen.ranks
sort_judgments = _chosen.sort_judgments
gather_hits = _chosen.gather_hits
encode_views = _chosen.encode_views
pack_views = _chosen.pack_views

__all__ = [
    "NAME",
    "Judgments",
    "Join",
    "Table",
    "FixedCandidates",
    "take",
    "encode",
    "cumulate",
    "dots",
    "duplicates",
    "near",
    "near_differences",
    "permuted_sums",
    "ranks",
    "sort_judgments",
    "gather_hits",
    "encode_views",
    "pack_views",
]
